"""Passages as quotes: the exact words for the front matter, their Markdown, and the CSL item of their source."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any
from urllib.parse import unquote, urlsplit

from planbook.citations.identifiers import is_web
from planbook.citations.quotes import Readings, contains_quote, fold, words
from planbook.citations.references import csl_date, csl_type, day_in
from planbook.markdown.dialects import common_markdown
from planbook.markdown.document import syntax_tree
from planbook.markdown.escape import UNSEEN, fenced, spans, verbatim
from planbook.markdown.plain_text import cells_of, without_roles
from planbook.research.drafts import Excerpt, Passage, PassageKind, Source
from planbook.research.proof.sentences import Quotation, find_words

Pieces = tuple[tuple[str, bool], ...]
"""A line of text in pieces, each with whether it is code."""


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a source, verbatim."""

    passage: Passage
    words: str
    """Exact but for white space; code keeps its lines."""
    term: str = ""
    """The term of the definition that they are from."""


class Quoter:
    """Returns passages as quotes; each source is read once."""

    def __init__(self, sources: Iterable[Source]) -> None:
        self.sources = {source.id: source for source in sources}
        self._texts: dict[str, Readings] = {}
        self._quotes: dict[Passage, Quote] = {}

    def quote(self, passage: Passage) -> Quote:
        """Return the passage as a quote."""
        if passage not in self._quotes:
            fetched = self.sources[passage.source].fetched
            texts = self._texts.setdefault(passage.source, Readings(fetched.visible, fetched.text))
            self._quotes[passage] = quoted(passage, texts)
        return self._quotes[passage]

    def find(self, words: str, excerpts: Iterable[Excerpt]) -> Quote | None:
        """Return the first place in the excerpts with the words of a quote, as a quote; ``None`` if there is none."""
        for excerpt in excerpts:
            first, last = excerpt.passages[0], excerpt.passages[-1]
            text = self.sources[excerpt.source].fetched.text[first.start : last.start + len(last.text)]
            whole = replace(first, text=text) if len(excerpt.passages) > 1 else first
            for passage in dict.fromkeys((*excerpt.passages, whole)):
                if found := find_words(words, fold(self.quote(passage).words)):
                    return Quote(passage, found, excerpt.term or _row_of(passage, words))
        return None

    def quotation(self, quote: Quote) -> Quotation:
        """Return the words with what a reader of the source sees around them."""
        source = self.sources[quote.passage.source]
        heading = " > ".join(quote.passage.headings)
        return Quotation(quote.words, heading, quote.term, source.title, unquote(source.fetched.url))


def _row_of(passage: Passage, quote: str) -> str:
    """Return the first cell of the row of a table that has all words of a quote: what the row is about; else empty."""
    if passage.kind is not PassageKind.TABLE:
        return ""
    rows = (line for line in passage.text.split("\n") if "|" in line)
    row = next((row for row in rows if find_words(quote, words(row.replace("|", " ")))), "")
    return words(cells_of(row)[0]) if row else ""


def quoted(passage: Passage, texts: Iterable[str]) -> Quote:
    """Return the passage as a quote: its visible text if one of `texts`, the source's readings, has it, else itself."""
    if passage.kind is PassageKind.CODE:
        code = passage.text.replace("\r\n", "\n").replace("\r", "\n")
        return Quote(passage, textwrap.dedent(code).strip("\n").rstrip())
    visible = words(_whole_table(passage))
    is_visible = passage.is_markdown and contains_quote(visible, texts)
    return Quote(passage, visible if is_visible else fold(passage.text))


def shown(quotes: Sequence[Quote], citation: str) -> str:
    """Return a block quote that reads the same as adjacent quotes, and ends in their `citation`."""
    blocks: list[str] = []
    for quote in quotes:
        passage = quote.passage
        rows = _rows(_whole_table(passage)) if passage.is_markdown else ()
        seen = fold(" ".join("".join(text for text, _ in cell) for row in rows for cell in row.cells))
        if passage.kind is PassageKind.CODE:
            blocks.append(fenced(quote.words).rstrip("\n"))  # a language may be one that a site draws as a diagram
        elif rows and seen == quote.words:
            blocks.append("\n".join(_table(rows) if passage.kind is PassageKind.TABLE else _list(rows)))
        else:
            blocks.append(verbatim(quote.words))
    is_prose = quotes[-1].passage.kind is PassageKind.PROSE
    blocks[-1:] = [f"{blocks[-1]} {citation}"] if is_prose else [blocks[-1], citation]
    return "\n".join(f"> {line}".rstrip() for block in blocks for line in [*block.split("\n"), ""])[:-2].rstrip()


def plainly_shown(quotes: Sequence[Quote]) -> str:
    """Return code and tables as they are, for a page whose sentences explain them."""
    blocks = []
    for quote in quotes:
        rows = _rows(_whole_table(quote.passage)) if quote.passage.is_markdown else ()
        is_code = quote.passage.kind is PassageKind.CODE
        blocks.append(fenced(quote.words).rstrip("\n") if is_code else "\n".join(_table(rows)))
    return "\n\n".join(blocks)


def _whole_table(passage: Passage) -> str:
    """Return the Markdown of a passage; rows from within a table get an empty head."""
    first, _, rest = passage.text.partition("\n")
    if passage.kind is not PassageKind.TABLE or re.match(r"[|\s:-]+(?:\n|$)", rest):
        return passage.text
    columns = len(re.findall(r"(?<!\\)\|", first)) - 1
    return f"|{' |' * columns}\n|{' --- |' * columns}\n{passage.text}"


@dataclass(frozen=True, slots=True)
class _Row:
    """A paragraph (no marker), an item of a list, or a row of a table."""

    marker: str
    cells: tuple[Pieces, ...]


_ROWS = frozenset({"Item", "Paragraph", "TableHead", "TableRow", "List"})
"""Events that begin or end a line."""


def _rows(markdown: str) -> tuple[_Row, ...]:
    """Return the rows of `markdown`; nested lists are flattened, and further paragraphs of an item are part of it."""
    rows: list[_Row] = []
    cells: list[list[tuple[str, bool]]] = [[]]
    numbers: list[int | None] = []  # of the next item in each list around; ``None`` for bullets
    marker = ""
    for is_start, node in syntax_tree(without_roles(common_markdown(markdown))).walk():
        if node.name in _ROWS:
            if any(text.strip() for cell in cells for text, _ in cell):
                if rows and rows[-1].marker == marker and marker not in {"", "-"}:
                    cells[0] = [*rows.pop().cells[0], (" ", False), *cells[0]]
                rows.append(_Row(marker, tuple(map(tuple, cells))))
            cells = [] if node.name.startswith("Table") else [[]]
            if node.name == "List":
                numbers = [*numbers, node.number] if is_start else numbers[:-1]
            elif node.name == "Item" and is_start:
                number = numbers.pop()
                marker = "-" if number is None else f"{number}."
                numbers.append(None if number is None else number + 1)
        elif is_start and node.name == "TableCell":
            cells.append([])
        elif is_start and cells and node.text:
            cells[-1].append((node.text, node.name == "Code"))
    return tuple(rows)


def _list(rows: Sequence[_Row]) -> Iterator[str]:
    """Yield the lines of paragraphs and items, with empty lines around paragraphs."""
    for n, row in enumerate(rows):
        text = spans(row.cells[0])
        if n and not (row.marker and rows[n - 1].marker):
            yield ""
        yield f"{row.marker} {text}" if row.marker else text


def _table(rows: Sequence[_Row]) -> Iterator[str]:
    width = max(len(row.cells) for row in rows)
    for n, row in enumerate(rows):
        cells = [spans(cell) for cell in row.cells]
        yield f"| {' | '.join([*cells, *([''] * (width - len(cells)))])} |"
        if n == 0:
            yield f"| {' | '.join(['---'] * width)} |"


# --- CSL ---------------------------------------------------------------------------------------------------------


def source_item(source: Source, quotes: Mapping[str, Quote], day: date) -> dict[str, Any]:
    """Return a CSL item with what is known of the source; `day` is the access date if the fetch has none.

    A local document has no URL, which means nothing to a reader, but its path from the project's folder in ``custom``:
    `planbook verify` reads it there.
    """
    fetched = source.fetched
    item: dict[str, Any] = {"id": source.id, "type": csl_type(fetched.url), "title": source.title}
    about = fetched.work or {}
    if (author := _line(fetched.author)) and not about:
        item["author"] = [{"literal": author}]
    if (issued := day_in(fetched.date)) and not about:
        item["issued"] = csl_date(issued)
    if fetched.language:
        item["language"] = fetched.language
    item |= {name: value for name, value in about.items() if name not in {"id", "custom"}}
    address = urlsplit(fetched.url)
    if is_web(fetched.url):
        item["URL"] = fetched.moved_to or fetched.url
    item["accessed"] = csl_date(day_in(fetched.fetched) or day.isoformat())
    custom: dict[str, Any] = {
        "file": unquote(address.path.lstrip("/")) if address.scheme == "file" else None,
        **about.get("custom", {}),
        "sha256": fetched.sha256,
        "status": fetched.status,
        "updated": fetched.updated,
        **_origin(source, quotes),
    }
    custom["quotes"] = {key: quote.words for key, quote in quotes.items()}
    item["custom"] = {key: value for key, value in custom.items() if value not in (None, {}, "")}
    return item


def lines_of(source: Source, quote: Quote) -> tuple[int, int] | None:
    """Return the lines of a repository's file that hold the quote: ``(first, last)``, 1-based, inclusive."""
    if not source.fetched.has_lines:
        return None
    first = source.fetched.text.count("\n", 0, quote.passage.start) + 1
    return first, first + quote.passage.text.count("\n")


def _origin(source: Source, quotes: Mapping[str, Quote]) -> dict[str, Any]:
    """Return the source's location in a repository, and the lines of each quote."""
    origin = source.fetched.origin
    if origin is None:
        return {}
    names = ("repository", "path", "commit", "permalink")
    lines = {key: list(found) for key, quote in quotes.items() if (found := lines_of(source, quote))}
    return {**{name: getattr(origin, name) for name in names}, "lines": lines}


def _line(text: str | None) -> str:
    return " ".join(UNSEEN.sub("", text or "").split())
