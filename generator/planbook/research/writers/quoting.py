"""Passages as quotes: their exact words, their Markdown, and the CSL item of their source."""

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
from planbook.markdown.escape import CONTROL_CHARACTERS, escape_pieces, fence_code, verbatim
from planbook.markdown.plain_text import cells_of, replace_roles
from planbook.markdown.syntax import syntax_tree
from planbook.research.drafts import Excerpt, Passage, PassageKind, Source
from planbook.research.proof.sentences import LetterText, Quotation, find_words

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
        self._letters: dict[Passage, LetterText] = {}

    def quote(self, passage: Passage) -> Quote:
        """Return the passage as a quote."""
        if passage not in self._quotes:
            fetched = self.sources[passage.source].fetched
            texts = self._texts.setdefault(passage.source, Readings(fetched.visible, fetched.text))
            self._quotes[passage] = make_quote(passage, texts)
        return self._quotes[passage]

    def find(self, words: str, excerpts: Iterable[Excerpt]) -> Quote | None:
        """Return the first place in the excerpts with the words of a quote, as a quote."""
        return next(self.find_each(words, excerpts), None)

    def find_each(self, words: str, excerpts: Iterable[Excerpt]) -> Iterator[Quote]:
        """Yield the places in the excerpts with the words of a quote, one of each excerpt."""
        for excerpt in excerpts:
            for passage in self._passages_of(excerpt):
                exact = self._letters_of(passage).find_words(words)
                if exact:
                    yield Quote(passage, exact, excerpt.term or _head_of_row(passage, words))
                    break

    def _letters_of(self, passage: Passage) -> LetterText:
        """Return the words of a passage, to find those of many quotes in them."""
        if passage not in self._letters:
            self._letters[passage] = LetterText(fold(self.quote(passage).words))
        return self._letters[passage]

    def _passages_of(self, excerpt: Excerpt) -> Iterator[Passage]:
        """Yield the passages of an excerpt, then all of it as one: a quote may span several."""
        yield from excerpt.passages
        if len(excerpt.passages) > 1:
            first, last = excerpt.passages[0], excerpt.passages[-1]
            text = self.sources[excerpt.source].fetched.text
            yield replace(first, text=text[first.start : last.start + len(last.text)])

    def quotation(self, quote: Quote) -> Quotation:
        """Return the words with what a reader of the source sees around them."""
        source = self.sources[quote.passage.source]
        heading = " > ".join(quote.passage.headings)
        address = unquote(source.fetched.url)
        return Quotation(quote.words, heading, quote.term, source.title, address)


def _head_of_row(passage: Passage, quote: str) -> str:
    """Return the first cell of the row of a table that has all words of a quote; else empty.

    This is what the row is about.
    """
    if passage.kind is not PassageKind.TABLE:
        return ""
    for row in passage.text.split("\n"):
        if "|" in row and find_words(quote, words(row.replace("|", " "))):
            return words(cells_of(row)[0])
    return ""


def make_quote(passage: Passage, texts: Iterable[str]) -> Quote:
    """Return the passage as a quote.

    It is the visible text if one of `texts`, the source's readings, has that, else the passage
    itself.
    """
    if passage.kind is PassageKind.CODE:  # its lines and blanks mean something
        code = passage.text.replace("\r\n", "\n").replace("\r", "\n")
        return Quote(passage, textwrap.dedent(code).strip("\n").rstrip())
    # A reader of the source sees no marks, so the quote has none either, if that can be verified.
    visible = words(_whole_table(passage))
    is_visible = passage.is_markdown and contains_quote(visible, texts)
    return Quote(passage, visible if is_visible else fold(passage.text))


def render_block_quote(quotes: Sequence[Quote], citation: str) -> str:
    """Return a block quote that reads the same as adjacent quotes, and ends in their `citation`."""
    blocks = [_block_of(quote) for quote in quotes]
    if quotes[-1].passage.kind is PassageKind.PROSE:
        blocks[-1] += f" {citation}"
    else:
        blocks.append(citation)
    lines = "\n\n".join(blocks).split("\n")
    return "\n".join(f"> {line}".rstrip() for line in lines).rstrip()


def _block_of(quote: Quote) -> str:
    """Return the Markdown of a quote: its lists and tables, if they read the same as its words."""
    passage = quote.passage
    if passage.kind is PassageKind.CODE:
        return _fenced_code(quote)
    rows = _rows_of_markdown(_whole_table(passage)) if passage.is_markdown else ()
    # Lists and tables are laid out as in the source, as long as they still read as the quote does:
    # else `verify` would not find the words of the page in the source.
    visible = [piece for row in rows for piece in row.texts]
    if not rows or fold(" ".join(visible)) != quote.words:
        return verbatim(quote.words)
    lines = _table(rows) if passage.kind is PassageKind.TABLE else _list(rows)
    return "\n".join(lines)


def _fenced_code(quote: Quote) -> str:
    """Return code without its language, which may be one that a site draws as a diagram."""
    return fence_code(quote.words).rstrip("\n")


def render_code_and_tables(quotes: Sequence[Quote]) -> str:
    """Return code and tables as they are, for a page whose sentences explain them."""
    blocks = []
    for quote in quotes:
        if quote.passage.kind is PassageKind.CODE:
            blocks.append(_fenced_code(quote))
        else:
            rows = (
                _rows_of_markdown(_whole_table(quote.passage)) if quote.passage.is_markdown else ()
            )
            blocks.append("\n".join(_table(rows)))
    return "\n\n".join(blocks)


def _whole_table(passage: Passage) -> str:
    """Return the Markdown of a passage; rows from within a table get an empty head."""
    first, _, rest = passage.text.partition("\n")
    if passage.kind is not PassageKind.TABLE or re.match(r"[|\s:-]+(?:\n|$)", rest):
        return passage.text
    # Python-Markdown and CommonMark read no table without a head.
    columns = len(re.findall(r"(?<!\\)\|", first)) - 1
    return f"|{' |' * columns}\n|{' --- |' * columns}\n{passage.text}"


@dataclass(frozen=True, slots=True)
class _Row:
    """A paragraph (no marker), an item of a list, or a row of a table."""

    marker: str
    cells: tuple[Pieces, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """The visible text of each cell."""
        return tuple("".join(text for text, _ in cell) for cell in self.cells)


_ROWS = frozenset({"Item", "Paragraph", "TableHead", "TableRow", "List"})
"""Events that begin or end a line."""


def _rows_of_markdown(markdown: str) -> tuple[_Row, ...]:
    """Return the rows of `markdown`.

    Nested lists are flattened, and further paragraphs of an item are part of it.
    """
    reader = _RowReader()
    for is_start, node in syntax_tree(replace_roles(common_markdown(markdown))).walk():
        if node.name in _ROWS:
            reader.end_row(is_table=node.name.startswith("Table"))
        if node.name == "List":
            if is_start:
                reader.enter_list(node.number)
            else:
                reader.leave_list()
        elif is_start and node.name == "Item":
            reader.begin_item()
        elif is_start and node.name == "TableCell":
            reader.begin_cell()
        elif is_start and node.name not in _ROWS and node.text:
            reader.add(node.text, is_code=node.name == "Code")
    return tuple(reader.rows)


class _RowReader:
    """Collects the rows of a text, event by event."""

    def __init__(self) -> None:
        self.rows: list[_Row] = []
        self._cells: list[list[tuple[str, bool]]] = [[]]
        self._marker = ""
        self._numbers: list[int | None] = []
        """The number of the next item in each list around; ``None`` for bullets."""

    def end_row(self, *, is_table: bool) -> None:
        """Take the row that has been read, if it has text, and begin another one."""
        if any(text.strip() for cell in self._cells for text, _ in cell):
            is_numbered = self._marker not in {"", "-"}
            if self.rows and self.rows[-1].marker == self._marker and is_numbered:
                # A further paragraph of the same item.
                above = self.rows.pop()
                self._cells[0] = [*above.cells[0], (" ", False), *self._cells[0]]
            self.rows.append(_Row(self._marker, tuple(tuple(cell) for cell in self._cells)))
        self._cells = [] if is_table else [[]]

    def enter_list(self, number: int | None) -> None:
        """Begin a list, whose first item has this number; ``None`` for bullets."""
        self._numbers.append(number)

    def leave_list(self) -> None:
        """Go on with the list around."""
        del self._numbers[-1:]

    def begin_item(self) -> None:
        """Begin an item of the innermost list."""
        number = self._numbers[-1]
        if number is None:
            self._marker = "-"
        else:
            self._marker = f"{number}."
            self._numbers[-1] = number + 1

    def begin_cell(self) -> None:
        """Begin a cell of a table."""
        self._cells.append([])

    def add(self, text: str, *, is_code: bool) -> None:
        """Add text to the cell."""
        if self._cells:
            self._cells[-1].append((text, is_code))


def _list(rows: Sequence[_Row]) -> Iterator[str]:
    """Yield the lines of paragraphs and items, with empty lines around paragraphs."""
    for n, row in enumerate(rows):
        text = escape_pieces(row.cells[0])
        is_next_item = n > 0 and bool(row.marker and rows[n - 1].marker)
        if n and not is_next_item:
            yield ""
        yield f"{row.marker} {text}" if row.marker else text


def _table(rows: Sequence[_Row]) -> Iterator[str]:
    """Yield the lines of a table; short rows are filled up with empty cells."""
    width = max(len(row.cells) for row in rows)
    for n, row in enumerate(rows):
        cells = [escape_pieces(cell) for cell in row.cells]
        cells += [""] * (width - len(cells))
        yield f"| {' | '.join(cells)} |"
        if n == 0:
            yield f"| {' | '.join(['---'] * width)} |"


# --- CSL ------------------------------------------------------------------------------------------


def source_item(source: Source, quotes: Mapping[str, Quote], day: date) -> dict[str, Any]:
    """Return a CSL item with what is known of the source.

    A local document has no URL, which means nothing to a reader, but its path from the project's
    folder in ``custom``: `planbook verify` reads it there. The address of a document that is on
    this disk was not accessed, so it has no access date.

    Args:
        source: the source.
        quotes: its quotes by key.
        day: the access date, if the fetch has none.
    """
    fetched = source.fetched
    item: dict[str, Any] = {"id": source.id, "type": csl_type(fetched.url), "title": source.title}
    work = fetched.work or {}
    if not work:
        item |= _author_and_date(source)
    if fetched.language:
        item["language"] = fetched.language
    item |= {name: value for name, value in work.items() if name not in {"id", "custom"}}
    if is_web(fetched.url):
        item["URL"] = fetched.moved_to or fetched.url
    if not (fetched.is_local and is_web(fetched.url)):
        item["accessed"] = csl_date(day_in(fetched.fetched) or day.isoformat())
    item["custom"] = _custom_fields(source, quotes, work.get("custom", {}))
    return item


def _author_and_date(source: Source) -> dict[str, Any]:
    """Return the author and the date that a document itself names."""
    fields: dict[str, Any] = {}
    author = _visible_line(source.fetched.author)
    if author:
        fields["author"] = [{"literal": author}]
    issued = day_in(source.fetched.date)
    if issued:
        fields["issued"] = csl_date(issued)
    return fields


def _custom_fields(
    source: Source, quotes: Mapping[str, Quote], of_work: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what CSL has no field for; what is not known is left out."""
    fetched = source.fetched
    address = urlsplit(fetched.url)
    custom: dict[str, Any] = {
        "file": unquote(address.path.lstrip("/")) if address.scheme == "file" else None,
        **of_work,
        "sha256": fetched.sha256,
        "status": fetched.status_code,
        "updated": fetched.updated,
        **_repository_fields(source, quotes),
    }
    custom["quotes"] = {key: quote.words for key, quote in quotes.items()}
    return {key: value for key, value in custom.items() if value not in (None, {}, "")}


def lines_of(source: Source, quote: Quote) -> tuple[int, int] | None:
    """Return the lines of a repository's file that hold the quote.

    They are ``(first, last)``, 1-based, inclusive.
    """
    if not source.fetched.has_lines:
        return None
    first = source.fetched.text.count("\n", 0, quote.passage.start) + 1
    return first, first + quote.passage.text.count("\n")


def _repository_fields(source: Source, quotes: Mapping[str, Quote]) -> dict[str, Any]:
    """Return the source's location in a repository, and the lines of each quote."""
    origin = source.fetched.origin
    if origin is None:
        return {}
    lines = {}
    for key, quote in quotes.items():
        span = lines_of(source, quote)
        if span:
            lines[key] = list(span)
    return {
        "repository": origin.repository,
        "path": origin.path,
        "commit": origin.commit,
        "permalink": origin.permalink,
        "lines": lines,
    }


def _visible_line(text: str | None) -> str:
    """Return a text in one line, without invisible characters."""
    return " ".join(CONTROL_CHARACTERS.sub("", text or "").split())
