"""The texts of a page that cite: sentences, items and rows, each with its citations. Pure.

A citation also holds for the sentences before it in its paragraph, for the items of the list and
the rows of the table that its text introduces, and for the cells of its row that cite nothing: see
docs/decisions/0050-grounds.md.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from planbook.citations.grounds import MARK, find_lead, find_prose_spans
from planbook.citations.in_text import Citation
from planbook.citations.quotes import words
from planbook.markdown.edits import apply_edits
from planbook.markdown.syntax import Node
from planbook.markdown.words import sentence_spans, sentences_of
from planbook.research.proof.parsed_draft import ParsedDraft
from planbook.research.proof.quantities import read_quantities
from planbook.research.proof.quoting_blocks import citations_within
from planbook.research.proof.sentences import is_identifier


@dataclass(frozen=True, slots=True)
class CitedText:
    """A sentence, or the cells of a row, with the citations that hold for it."""

    said: str
    citations: Sequence[Citation]
    start: int
    """The offset in the body at which a reader finds it."""
    is_covered: bool = False
    sentences: int = 1
    """The number of sentences for which these citations hold."""
    end: int | None = None
    """The offset in the body behind its last character; ``None`` if it is not known."""
    label: str = ""
    """The first cell of a row that cites nothing, of a table that a citing sentence introduces."""
    names_row: bool = False
    """True for what its row is about: its options and names are compared, too."""
    is_certain: bool = False
    """True for a cell before the citation of its row: it is for this cell, too."""
    is_in_claim: bool = False
    """True for a cell whose row is a text of its own, as its citation stands in a cell alone."""
    column: str = ""
    """The head of the column of a cell without a citation."""

    @property
    def as_default(self) -> str:
        """A cell as a sentence, if its column says that it is a default; else empty."""
        is_default = re.search(r"\bdefaults?\b", self.column, re.IGNORECASE) is not None
        return f"default: {self.said}" if is_default and self.said else ""


_STOP_BEFORE = re.compile(r"^[.,;:!?]+\s+")
"""The end of the sentence before, which stands behind its citation."""


def cited_texts(parsed: ParsedDraft) -> Iterator[CitedText]:
    """Yield the texts of a page that cite: of prose, of lists and tables below it, of rows."""
    yield from _cited_prose(parsed)
    yield from _cited_items(parsed)
    yield from _introduced_rows(parsed)
    for text, citations, end in _cited_cells(parsed):
        yield CitedText(text, citations, citations[0].group_start, end=end)


def _cited_prose(parsed: ParsedDraft) -> Iterator[CitedText]:
    """Yield the sentences of paragraphs and of items of lists that cite.

    Each has the citations that stand together after it, or after the next sentence that cites.
    """
    for start, end in _spans_without_rows(parsed):
        after_citation = start
        first = bisect_left(parsed.citations, start, key=attrgetter("group_start"))
        last = bisect_left(parsed.citations, end, key=attrgetter("group_start"))
        for at, group in groupby(parsed.citations[first:last], key=attrgetter("group_start")):
            citations = list(group)
            begin = _end_of_last_mark(parsed.body, after_citation, at)
            text = _STOP_BEFORE.sub("", words_with_names(parsed, begin, at))
            sentences = sentences_of(text)
            ends = _ends_of_sentences(parsed, begin, at, sentences)
            after_citation = citations[0].group_end
            for number, (sentence, last_char) in enumerate(zip(sentences, ends, strict=True), 1):
                is_last = number == len(sentences)
                if is_last or not sentence.endswith(":"):
                    yield CitedText(
                        sentence, citations, at, not is_last, len(sentences), end=last_char
                    )


def _ends_of_sentences(
    parsed: ParsedDraft, start: int, end: int, sentences: Sequence[str]
) -> Sequence[int | None]:
    """Return the offset behind each visible sentence of a span of the body.

    They are not known if the Markdown of the span does not end its sentences where a reader does.
    """
    unknown: list[int | None] = [None] * len(sentences)
    if len(sentences) < _MIN_DIVIDED_SENTENCES:
        return unknown
    body = parsed.body
    stop = _STOP_BEFORE.match(body[start:end])
    begin = start + stop.end() if stop else start
    spans = sentence_spans(body[begin:end])
    read = [words_with_names(parsed, begin + a, begin + b) for a, b in spans]
    return [begin + b for _, b in spans] if read == list(sentences) else unknown


_MIN_DIVIDED_SENTENCES = 2
"""Number of sentences from which on a citation holds for more than the one that it stands in."""


def _cited_items(parsed: ParsedDraft) -> Iterator[CitedText]:
    """Yield the sentences of items for which the text above their list cites."""
    for sentence in parsed.sentences:
        citations = sentence.citations
        if sentence.is_covered and citations and citations[0].group_start < sentence.start:
            yield CitedText(
                sentence.text, citations, sentence.start, is_covered=True, end=sentence.end
            )


_ROW = re.compile(r"^[ \t]*\|.*\|[ \t]*$", re.MULTILINE)
"""A line of a paragraph that is a row of a table: those directly below ``??? note``."""


def _spans_without_rows(parsed: ParsedDraft) -> Iterator[tuple[int, int]]:
    """Yield the spans of prose, without the rows of tables that stand in paragraphs."""
    for start, end in find_prose_spans(parsed.nodes):
        at = start
        for row in _ROW.finditer(parsed.body, start, end):
            yield at, row.start()
            at = row.end()
        yield at, end


def _end_of_last_mark(body: str, start: int, end: int) -> int:
    """Return where the text behind the last mark of a ground begins.

    The mark has ended a sentence.
    """
    marks = [mark.end() for mark in MARK.finditer(body, start, end)]
    behind = [at for at in marks if body[at:end].strip(" \n.,;:!?")]
    return behind[-1] if behind else start


def _is_name_in_cell(code: str) -> bool:
    """Return whether code of a cell is a name; others may be figures, which have many forms."""
    return is_identifier(code) and not code[0].isdigit()


def words_with_names(
    parsed: ParsedDraft,
    start: int,
    end: int,
    blanks: Sequence[tuple[int, int, str]] = (),
    is_name: Callable[[str], bool] = bool,
) -> str:
    """Return the visible text of a span, with backticks around code of one word.

    Such code names something, if `is_name` says so. `blanks` stand instead of what is left out.
    """
    names: list[str] = []
    instead = [(first - start, last - start, blank) for first, last, blank in blanks]
    for node in parsed.nodes:
        if node.name == "Code" and start <= node.start and node.end <= end:
            code = parsed.source_of(node).strip("`").strip()
            if code and " " not in code and is_name(code):
                placeholder = f"{_PLACE}{len(names)}{_PLACE}"
                instead.append((node.start - start, node.end - start, placeholder))
                names.append(code)
    text = words(apply_edits(parsed.body[start:end], sorted(instead)))
    return _PLACES.sub(lambda match: f"`{names[int(match[1])]}`", text)


_PLACE = "\ue000"
"""A character of private use around the number of a name, while the text around it is read."""
_PLACES = re.compile(rf"{_PLACE}(\d+){_PLACE}")


_CELL = re.compile(r"(?:\\.|[^|\\\n])+")
"""The text between two bars of a row."""


def _cited_cells(parsed: ParsedDraft) -> Iterator[tuple[str, list[Citation], int | None]]:
    """Yield the cells of tables that cite, with the offset behind their text.

    Citations in a cell of their own stand for the cells before them in the row.
    """
    for row, offset, citations in _cited_rows(parsed):
        yield from _cited_cells_of_row(parsed, row, offset, citations)


_ROWS = {"Table": re.compile(r".+"), "Paragraph": _ROW}
"""The rows of tables in a node, by its kind."""


def _cited_rows(parsed: ParsedDraft) -> Iterator[tuple[str, int, list[Citation]]]:
    """Yield the rows of tables that cite, each with its offset in the body and its citations."""
    for node in parsed.nodes:
        rows = _ROWS.get(node.name)
        citations = citations_within(parsed.citations, node) if rows else ()
        for row in rows.finditer(parsed.source_of(node)) if rows and citations else ():
            start, end = node.start + row.start(), node.start + row.end()
            of_row = [citation for citation in citations if start <= citation.group_start < end]
            if of_row:
                yield row[0], start, of_row


def cited_labels(parsed: ParsedDraft) -> Iterator[CitedText]:
    """Yield the cells of rows for which the citations of other cells hold, with their row's offset.

    Those are all that neither cite nor have a mark; the first one names the row, and so do all
    before the last one if that alone cites.
    """
    numbered = _numbered_rows(parsed)
    heads = _heads_by_row(parsed)
    links = [node.start for node in parsed.nodes if node.name == "Link"]
    for row, offset, citations in _cited_rows(parsed):
        indent = len(row) - len(row.lstrip())
        headed = zip(_CELL.finditer(row, indent), heads.get(offset, ()), strict=False)
        column_of = {cell.start(): column for cell, column in headed}
        cells = [cell for cell in _CELL.finditer(row) if cell[0].strip()]
        if not cells:
            continue
        last = offset + cells[-1].start()
        is_of_row = citations[0].group_start > last and len(cells) > 1
        has_text = _has_uncited_text(parsed, last, offset + cells[-1].end())
        is_divided = is_of_row and has_text
        is_in_claim = is_of_row and not has_text
        for n, cell in enumerate(cells):
            start, end = offset + cell.start(), offset + cell.end()
            has_citation = any(start <= citation.group_start < end for citation in citations)
            is_number_of_row = n == 0 and offset in numbered
            if has_citation or is_number_of_row or MARK.search(parsed.body, start, end):
                continue
            last_char = start + len(cell[0].rstrip()) if is_divided else None
            text = words_with_names(parsed, start, end)
            links_elsewhere = bisect_left(links, start) < bisect_left(links, end)
            yield CitedText(
                text,
                citations,
                offset,
                end=last_char,
                names_row=n == 0 or is_of_row,
                is_certain=citations[-1].group_start > end and not links_elsewhere,
                is_in_claim=is_in_claim,
                column=column_of.get(cell.start(), ""),
            )


def cited_heads(parsed: ParsedDraft) -> Iterator[CitedText]:
    """Yield the heads of columns with a figure, and all citations that may hold for it.

    Those are the citations of the table and of the sentence that introduces it.
    """
    for table in parsed.nodes:
        lead = find_lead(parsed.body, table, parsed.sentences) if table.name == "Table" else None
        citations = citations_within(parsed.citations, table) if table.name == "Table" else ()
        holding = [*(lead.citations if lead else ()), *citations]
        head = _ROWS["Table"].search(parsed.source_of(table)) if holding else None
        for cell in _CELL.finditer(head[0]) if head else ():
            start, end = table.start + cell.start(), table.start + cell.end()
            has_ground = MARK.search(parsed.body, start, end) is not None
            has_citation = any(start <= citation.group_start < end for citation in citations)
            text = words_with_names(parsed, start, end)
            has_figure = any(not figure.is_spelled for figure in read_quantities(text))
            if has_figure and not has_citation and not has_ground:
                yield CitedText(text, holding, table.start)


def _heads_by_row(parsed: ParsedDraft) -> dict[int, Sequence[str]]:
    """Return the visible heads of the columns of each row, by its offset in the body."""
    heads: dict[int, Sequence[str]] = {}
    for table in parsed.nodes:
        if table.name == "Table":
            (head, _), *rows = _rows_of(parsed, table)
            cells = tuple(map(words, _CELL.findall(head.strip())))
            heads |= {offset: cells for _, offset in rows}
    return heads


def _numbered_rows(parsed: ParsedDraft) -> frozenset[int]:
    """Return the offsets of the rows whose first cell is their number."""
    offsets: set[int] = set()
    for table in parsed.nodes:
        if table.name != "Table":
            continue
        head, *rows = _rows_of(parsed, table)
        cells = [next(iter(_CELL.findall(row.strip())), "").strip() for row, _ in rows[1:]]
        is_named = next(iter(_CELL.findall(head[0].strip())), "").strip() in _NUMBER_HEADS
        is_counted = len(cells) > 1 and any(
            cells == [str(n + first) for n in range(len(cells))] for first in (0, 1)
        )
        if is_counted or is_named:
            first_cells = zip(rows[1:], cells, strict=True)
            offsets |= {at for (_, at), cell in first_cells if cell.strip(".").isdigit()}
    return frozenset(offsets)


_NUMBER_HEADS = frozenset({"", "#", "No", "No.", "Nr.", "Step", "Schritt"})
"""Heads of a column that numbers the rows."""


def _rows_of(parsed: ParsedDraft, table: Node) -> Sequence[tuple[str, int]]:
    """Return the lines of a table, each with its offset in the body."""
    lines = _ROWS["Table"].finditer(parsed.source_of(table))
    return [(line[0], table.start + line.start()) for line in lines]


_HEAD_OF_TABLE = 2
"""Lines of a table above its first row."""


def _introduced_rows(parsed: ParsedDraft) -> Iterator[CitedText]:
    """Yield the rows that cite nothing, of tables that a citing sentence introduces."""
    numbered = _numbered_rows(parsed)
    for table in parsed.nodes:
        lead = find_lead(parsed.body, table, parsed.sentences) if table.name == "Table" else None
        cited = (
            [citation.group_start for citation in citations_within(parsed.citations, table)]
            if lead
            else []
        )
        for row, start in _rows_of(parsed, table)[_HEAD_OF_TABLE:] if lead else ():
            has_citation = any(start <= at < start + len(row) for at in cited)
            if lead is None or has_citation or MARK.search(row):
                continue
            cells = [cell for cell in _CELL.finditer(row) if cell[0].strip()]
            cells_with_text = cells[1:] if start in numbered else cells
            spans = [(start + cell.start(), start + cell.end()) for cell in cells_with_text]
            texts = [words_with_names(parsed, *span, is_name=_is_name_in_cell) for span in spans]
            if any(texts):
                end = start + cells[-1].start() + len(cells[-1][0].rstrip())
                text = " ".join(map(_end_with_stop, filter(None, texts)))
                label = words_with_names(parsed, start + cells[0].start(), start + cells[0].end())
                yield CitedText(text, lead.citations, start, is_covered=True, end=end, label=label)


def _has_uncited_text(parsed: ParsedDraft, start: int, end: int) -> bool:
    """Return whether a cell has a text of its own beside its citations, and no mark of a ground."""
    spans = {
        (citation.group_start - start, citation.group_end - start)
        for citation in parsed.citations
        if start <= citation.group_start < end
    }
    text = apply_edits(
        parsed.body[start:end], ((first, last, " ") for first, last in sorted(spans))
    )
    return bool(text.strip(" .;,")) and not MARK.search(text)


def _cited_cells_of_row(
    parsed: ParsedDraft, row: str, offset: int, citations: Sequence[Citation]
) -> Iterator[tuple[str, list[Citation], int | None]]:
    """Yield the cells of one row that cite, with the offset behind their text, if they have one.

    Args:
        parsed: the page.
        row: the row.
        offset: its offset in the body.
        citations: those of the row.
    """
    cells_before: list[str] = []
    for n, cell in enumerate(_CELL.finditer(row)):
        start, end = offset + cell.start(), offset + cell.end()
        cited = [citation for citation in citations if start <= citation.group_start < end]
        # Citations in one pair of brackets have the same span.
        spans = sorted({citation.group for citation in cited})
        until = _end_of_cited(cell[0], max((last - start for _, last in spans), default=0))
        blanks = [(first, last, " ") for first, last in spans]
        texts = (
            words_with_names(parsed, start, cell_end, blanks, is_name=_is_name_in_cell)
            for cell_end in (start + until, end)
        )
        text = next(filter(None, texts), "")
        cited_words = text or " ".join(map(_end_with_stop, cells_before))
        is_row_number = n == 0 and text.isdigit()
        if cited and cited_words:
            yield cited_words, cited, start + len(cell[0].rstrip()) if text else None
        elif text and not is_row_number:
            cells_before.append(text)


def _end_with_stop(cell: str) -> str:
    """Return the text of a cell as a sentence: the capital of the next cell names nothing."""
    return cell if cell.endswith((".", "!", "?", ":")) else f"{cell}."


_NEXT_STATEMENT = re.compile(r"[.;](?=\s)")


def _end_of_cited(cell: str, cited_until: int) -> int:
    """Return where the statement with the last citation of a cell ends; at its end without one.

    What follows a full stop or a semicolon is cited no more than the next sentence of a paragraph.
    """
    for stop in _NEXT_STATEMENT.finditer(cell, cited_until) if cited_until else ():
        is_in_code = cell.count("`", cited_until, stop.start()) % 2
        if not is_in_code:
            return stop.start()
    return len(cell)
