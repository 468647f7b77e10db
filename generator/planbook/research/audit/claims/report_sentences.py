"""The sentences of a report, with the marks by which they cite. Pure.

A report is a sequence of units: paragraphs, list items, quotations and rows of tables. A unit has
one or more sentences. A citation behind a full stop belongs to the sentence before it.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from planbook.citations.mentions import find_source_sections
from planbook.citations.quotes import words
from planbook.markdown.document import Lines
from planbook.markdown.edits import apply_edits
from planbook.markdown.syntax import Node, syntax_tree
from planbook.markdown.words import sentence_spans
from planbook.research.audit.claims.callouts import (
    END_OF_CONTAINER,
    head_of_callout,
    is_callout,
    warns_of_mistakes,
)
from planbook.research.audit.claims.local_citations import split_place
from planbook.research.audit.claims.no_statement import is_entry, lists_links, names_only
from planbook.research.proof.phrases import POINTER, SOURCE_LABEL

# --- marks of citations ---------------------------------------------------------------------------

_NUMBERS = r"\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,8}"
"""``1``, ``1, 2`` or ``1-3``."""
_OTHER_FORMS = re.compile(
    rf"\\\[(?P<escaped>{_NUMBERS})\\\](?!\()"
    rf"|(?:<sup>)?\[\\?\[?(?P<linked>{_NUMBERS})\\?\]?\]\(#[^()\s]{{0,200}}\)(?:</sup>)?"
    rf"|<sup>(?:<a\s[^<>]{{0,200}}>)?\s?\[?(?P<raised>{_NUMBERS})\]?\s?(?:</a>)?</sup>"
)
"""Other forms of ``[1]``: escaped, linked to its entry, superscript."""
_RUN = re.compile(r"(?:(?<![\w\]`])|(?<=[^\W\d_]{2}))(?:\[\d{1,3}\]){2,9}(?![\w(\[:`])")
"""Numbers side by side: ``[1][2]``, also right behind a word."""
_LINK = (
    r"!?\[(?:[^\[\]]|\[[^\[\]]{0,200}\]){0,400}\]"
    r"\(<?(?:[^()\s]|\([^()\s]{0,200}\)){0,2000}(?:\s\"[^\"]{0,200}\")?\)"
)
_LABELLED = r"(?:(?:see|via|from|sources?|refs?|references?)\b:?\s)?"
_MARK_FORMS = (
    rf"\[{_NUMBERS}\](?![(\[])",  # [1, 2]
    r"\[\^[^\s\[\]^]{1,40}\](?!:)",  # [^tea]
    r"\[(?:(?:see|also|cf\.|e\.g\.,?|see also)\s)?-?@[^\[\]]{1,400}\]",  # [@tea, p. 2]
    rf"\[\\?\[?{_NUMBERS}\\?\]?\]\(<?[^()\s]{{1,2000}}\)",  # [[1]](https://tea.example)
    rf"\(\s?(?i:{_LABELLED}){_LINK}(?:(?:[,;]|\sand)\s?{_LINK}){{0,8}}\s?\)",  # (see [Tea](...))
    rf"\\?\[{_LINK}(?:[,;]\s?{_LINK}){{0,8}}\\?\]",  # [[Rye, 2024](...)]
    r"(?<!\])(?<!\]\()(?<!\]\(<)[(\[]?<?https?://[^\s<>()\[\]]{3,2000}>?[)\]]?",  # (https://...)
)
_MARK = re.compile(rf"\s{{0,3}}(?:{'|'.join(_MARK_FORMS)})")
"""A citation that is not part of a sentence."""
_BEHIND_END = re.compile(
    rf"(?P<end>[.!?][”\"\u2019)]?)(?P<marks>(?:{_MARK.pattern}){{1,9}})(?=\.?(?:\s|$))"
)
"""The end of a sentence with citations behind it."""
_FILE_AS_SUBJECT = r"\s{1,3}\[@local-\d+\]\s+[a-z]"
"""A file that is the first word of a sentence: ``It boils. [@local-2] steeps the leaf.``"""
_BEGINS_SENTENCE = re.compile(_FILE_AS_SUBJECT)
_CITED_END = re.compile(
    rf"\[@local-\d[^\[\]]{{0,100}}\][.!?](?=\s)|(?<=[\w)\]`]{{3}})[.!?](?={_FILE_AS_SUBJECT})"
)
"""The end of a sentence with a citation before it, or with a file behind it."""
_ANY_LINK = re.compile(_LINK)
_WIKILINK = re.compile(r"\[\[[^\[\]\n]{1,300}\]\]")
_ANY_CITATION = re.compile(rf"{_LINK}|\[@local-\d+[^\[\]]{{0,100}}\]")
_BY_LABEL = re.compile(r"(?<!!)\[([^\[\]\n]{1,400})\]\[[^\[\]\n]{0,80}\]")
_GLUED = re.compile(rf"(?<=[^\W\d_]{{2}})(?=\[{_NUMBERS}\](?:[\s.,;:)]|$))")
"""The place between a word and the number of its source: ``steep[1]``."""
_DASH = r"(?:—|–|--(?=\s))"
_SIGNATURE = re.compile(rf"(?:(?<=[\"”»])\s{_DASH}.{{0,300}}|\s{_DASH}\s?[^—–]{{0,300}})$")
"""The source below a quotation."""
_CODE = re.compile(r"`[^`]*`")
_CODE_OR_TEXT = re.compile(r"(`[^`]*`)")


def unify_numbers(body: str) -> str:
    """Return a report's body with its numbers of sources as ``[1]``; offsets stay the same."""

    def unified(match: re.Match[str]) -> str:
        numbers = match["escaped"] or match["linked"] or match["raised"]
        return f"[{numbers}]".rjust(len(match[0]))

    plain = _OTHER_FORMS.sub(unified, body)
    return _RUN.sub(lambda run: run[0].replace("][", ", "), plain)


_KEY = r"[A-Za-z0-9_][\w:.+/-]{0,100}"
_LATEX_CITATION = re.compile(
    r"~?\\(?!nocite)[A-Za-z]{0,12}cite[A-Za-z]{0,12}\*?"
    r"(?:\[(?P<first>[^\[\]\n]{0,100})\])?(?:\[(?P<second>[^\[\]\n]{0,100})\])?"
    rf"\{{\s?(?P<keys>{_KEY}(?:\s?,\s?{_KEY}){{0,20}})\s?\}}"
)
"""``\\citep[see][p. 3]{rye2019}``. A single text in brackets stands behind the work."""
_NOTE_CITATION = re.compile(
    rf"(?<!\[)(?:\[(?P<locator>[^\[\]\n]{{0,80}})\])?\[#(?P<key>{_KEY})\](?![(\]])"
    rf"|\[\[@(?P<linked>{_KEY})(?:\|(?P<label>[^\[\]\n]{{0,200}}))?\]\]"
)
"""``[p. 3][#rye2019]`` of MultiMarkdown, and a wikilink to a work: ``[[@rye2019]]``."""
CITES_BY_KEY = re.compile(r"@|\\[A-Za-z]{0,12}cite|\[#")


def unify_keys(body: str, works: Container[str]) -> str:
    """Return a report's body with its citations of works by key as ``[@rye2019, p. 3]``.

    In the forms of notes, which mean other things, too, a key is one of the bibliography's.
    """

    def of_latex(match: re.Match[str]) -> str:
        before, locator = match["first"], match["second"]
        if locator is None:
            before, locator = None, match["first"]
        first, *others = re.split(r"\s?,\s?", match["keys"])
        place = f", {locator.replace('~', ' ')}" if locator else ""
        start = f" {before} " if before else " "
        return f" [{start.lstrip()}{'; '.join(f'@{key}' for key in (first, *others))}{place}]"

    def of_note(match: re.Match[str]) -> str:
        key = match["key"] or match["linked"]
        if key not in works:  # a heading, or the note on a person
            return match["label"] or match["linked"] or match[0]
        place = f", {match['locator']}" if match["locator"] else ""
        return f"[@{key}{place}]"

    return _NOTE_CITATION.sub(of_note, _LATEX_CITATION.sub(of_latex, body))


_LINK_WITH_LINES = re.compile(
    r"(?P<label>\[[^\[\]\n]{0,300}?:L?(?P<first>\d{1,7})[-\u2013]L?(?P<last>\d{1,7})`?\]"
    r"\(https?://[^()\s#]{1,1000}#L(?P<line>\d{1,7}))\)"
)


def unify_lines(body: str) -> str:
    """Return a report's body in which the lines in the text of a link are those of its address.

    Of ``[kettle.py:8-22](https://.../kettle.py#L8)``, the address names but the first line.
    """

    def unified(match: re.Match[str]) -> str:
        first, last = int(match["first"]), int(match["last"])
        is_within = first <= int(match["line"]) <= last
        return f"{match['label']}-L{last})" if is_within else match[0]

    return _LINK_WITH_LINES.sub(unified, body)


def _without_marks(raw: str) -> str:
    """Remove the citations, but no address in code.

    ``pip install git+https://...`` is part of the sentence.
    """
    pieces = _CODE_OR_TEXT.split(raw)
    return "".join(piece if piece.startswith("`") else _MARK.sub("", piece) for piece in pieces)


# --- quotes ---------------------------------------------------------------------------------------

_QUOTE = re.compile(
    r"“([^“”]{1,1500})”"
    r"|(?<![\w.,;:!?)])\"(?=\S)([^\"]{1,1500})(?<=\S)\"(?!\w)"
    r"|«([^«»]{1,1500})»"
)
MIN_QUOTE_WORDS = 5
"""Minimum number of words of a quote."""


def quotes_in(text: str) -> tuple[str, ...]:
    """Return the quotes of a visible text that are long enough to be compared."""
    quotes = ("".join(match.groups("")) for match in _QUOTE.finditer(text))
    return tuple(quote for quote in quotes if len(quote.split()) >= MIN_QUOTE_WORDS)


def short_quotes_in(text: str) -> tuple[str, ...]:
    """Return the words in quotation marks of a visible text that are more than one, and no quote.

    See `MIN_QUOTE_WORDS`.
    """
    quotes = ("".join(match.groups("")) for match in _QUOTE.finditer(text))
    return tuple(quote for quote in quotes if 1 < len(quote.split()) < MIN_QUOTE_WORDS)


# --- sentences ------------------------------------------------------------------------------------

_BEGINNING = 16
"""Characters of a quote by which it is found in the Markdown."""
_BESIDE = 40
"""Number of characters between a quote and the citation that it belongs to, at most."""
_PROGRAM_NAME = re.compile(
    r"(?:[A-Za-z_]\w*\.){0,6}(?P<name>--?[a-z][\w-]+|[A-Za-z_]\w*)(?:\([^()]*\))?$"
)
"""``boil``, ``kettle.boil(seconds)``, ``--hot``."""
_NAME_BEFORE = re.compile(r"`(?P<name>[^`\n]{1,80})`[^`\[\]@.;]{0,16}\[@(?P<id>local-\d+)")
"""Code right before a citation of a file: ```boil` at [@local-1]``."""
_PLACED = r"(?:(?:defined |located )?(?:at|in|from)|位于|来自|定义在)"
_CONNECTING = rf"[\s(\uff08,\uff0c]{{0,4}}{_PLACED}?[\s(\uff08]{{0,4}}"
"""Between a name and its link, also in Chinese."""
_NAME_AT_LINK = re.compile(
    rf"`(?P<name>[^`\n]{{1,80}})`{_CONNECTING}"
    r"\[[^\[\]\n]{1,200}\]\((?P<url>https?://[^()\s]{1,2000})\)"
    r"|\[`(?P<label>[^`\n]{1,80})`\]\((?P<of_label>https?://[^()\s]{1,2000})\)"
)
"""Code right before a link: ```boil` ([kettle.py:10](https://...))``, or as its label."""
_UNDIVIDED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]{8}")
_MIN_WORDS = 3
"""Minimum number of words of a claim, without citations."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_PATH = re.compile(r"\w/\w|\.\w{1,8}:\d|\.(?:md|json|ts|py|txt)\b")
_SPACE_BEFORE_STOP = re.compile(r"(?<!\s)\s+(?=[.,;:!?](?:\s|$))")
"""The blank that a citation leaves before a full stop."""


@dataclass(frozen=True, slots=True)
class PlacedName:
    """A name of a program before a citation of lines."""

    name: str
    place: str
    """The path of the file with the lines, or an address."""
    beside: tuple[str, ...] = ()
    """The names before it, for one of which the citation may stand: ```fold` makes a `Sum` (...)``.
    """


class ReportSentence(NamedTuple):
    """A sentence of a report, or one of its table rows."""

    start: int
    """Its offset in the body."""
    unit: int
    """The number of its unit."""
    kind: str
    """``text``, ``item``, ``quote`` or ``row``."""
    marked: str
    """Markdown, in one line, with code masked."""
    raw: str
    text: str
    """Its visible text, without citations."""
    covers_unit: bool = False
    """True if its citation is that of the whole paragraph or item.

    It stands in brackets of its own at the end: ``... stop. (https://...)``.
    """
    section: int = 0
    """The number of headings above it."""
    is_warning: bool = False
    """True if its section names mistakes: what it quotes there is nobody's words."""
    is_leading: bool = False
    """True if it is an item of a section that leads readers on: *Related pages*."""

    @property
    def points_elsewhere(self) -> bool:
        """True if it only sends a reader elsewhere."""
        forms = (self.text, self.raw)
        return any(POINTER.match(form) or SOURCE_LABEL.match(form) for form in forms)

    @property
    def cites_previous(self) -> bool:
        """True if it may be but the source of the sentence before it.

        A pointer, a question and what introduces something are not, nor is a sentence in a script
        without blanks, whose words are not told apart.
        """
        is_open = self.text.rstrip(" *_").endswith(("?", ":", "\uff1a", "\uff1f"))
        return not (self.points_elsewhere or is_open or _UNDIVIDED.search(self.text))

    @property
    def is_source_line(self) -> bool:
        """True if it names the source of the table above it."""
        return SOURCE_LABEL.match(self.raw) is not None

    @property
    def is_claim(self) -> bool:
        """True if it says anything besides its citations, and the names of things."""
        is_of_names = self.kind != "quote" and names_only(self.text, is_row=self.kind == "row")
        if is_of_names or (self.is_leading and not quotes_in(self.text)):
            return False
        if self.kind == "row":
            return " | " in self.text and any(map(_says_something, self.text.split(" | ")))
        is_question_or_label = self.text.rstrip(" *_.").endswith(("?", ":"))
        if is_question_or_label or self.points_elsewhere:
            return False
        without_links = _WIKILINK.sub(" ", _ANY_LINK.sub(" ", _without_marks(self.raw)))
        own_words = len(_WORD.findall(without_links))
        # A sentence whose words are mostly those of a link still says something.
        has_long_link = own_words > 1 and len(self.text.split()) > _MIN_WORDS + 1
        return own_words >= _MIN_WORDS or has_long_link

    @property
    def introduces_list(self) -> bool:
        """True if what it says goes on in a list or quotation below it."""
        return self.marked.rstrip(" *_").endswith(":")

    @property
    def is_signed(self) -> bool:
        """True for a quotation that names its source below."""
        return _is_signed(self.raw, self.kind)

    @property
    def code(self) -> tuple[str, ...]:
        """The names in code marks."""
        return tuple(dict.fromkeys(span.strip("`").strip() for span in _CODE.findall(self.raw)))

    @property
    def scope(self) -> str:
        """The part that its citations are for.

        In a row, a citation beside other words of its cell is that of the cell alone.
        """
        cells = _cells(self.raw) if self.kind == "row" else []
        citing = [cell for cell in cells if _MARK.search(cell) or _ANY_LINK.search(cell)]
        texts = [_visible_text(cell, "text") for cell in citing]
        own = [text for text, cell in zip(texts, citing, strict=True) if not _is_citation(cell)]
        return " | ".join(own) if own and len(own) == len(citing) else self.text

    def names_of(self, places: Mapping[str, str]) -> Iterator[PlacedName]:
        """Yield the names of programs that stand before a citation, with the place that it names.

        A name has no arguments of a call, and none of the names before its last dot.

        Args:
            places: the path of each cited file by id, with lines if it has any.
        """
        for cited in _NAME_BEFORE.finditer(self.raw):
            name = _PROGRAM_NAME.match(cited["name"])
            place = places.get(cited["id"], "")
            if name and split_place(place)[1]:
                yield PlacedName(name["name"], place, self._names_before(cited.start()))
        for linked in _NAME_AT_LINK.finditer(self.raw):
            name = _PROGRAM_NAME.match(linked["name"] or linked["label"])
            if name:
                url = linked["url"] or linked["of_label"]
                yield PlacedName(name["name"], url, self._names_before(linked.start()))

    def _names_before(self, end: int) -> tuple[str, ...]:
        """Return the names in code marks between the citation before an offset and it."""
        citations = [cited.end() for cited in _ANY_CITATION.finditer(self.raw, 0, end)]
        between = self.raw[max(citations, default=0) : end]
        names = (_PROGRAM_NAME.match(span.strip("`").strip()) for span in _CODE.findall(between))
        return tuple(dict.fromkeys(name["name"] for name in names if name))

    def attributes(self, quote: str) -> bool:
        """Return whether a quote stands beside a citation, as far as that can be seen."""
        start = self.raw.find(quote[:_BEGINNING])
        citations = [*_MARK.finditer(self.raw), *_ANY_LINK.finditer(self.raw)]
        if start < 0 or not citations:
            return True
        end = start + len(quote)
        return any(
            citation.start() - end <= _BESIDE and start - citation.end() <= _BESIDE
            for citation in citations
        )


def _says_something(cell: str) -> bool:
    """Return whether a cell has more than numbers and paths."""
    tokens = re.split(r"[\s,;]+", cell)
    return any(_WORD.search(token) and not _PATH.search(token) for token in tokens)


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("| ").split("|")]


def _is_citation(cell: str) -> bool:
    """Return whether a cell has nothing besides citations."""
    return len(_WORD.findall(_ANY_LINK.sub(" ", _without_marks(cell)))) == 0


def _is_signed(raw: str, kind: str) -> bool:
    """Return whether a unit is a quotation that names its source below."""
    signature = _SIGNATURE.search(raw) if kind == "quote" else None
    if signature is None:
        return False
    return bool(_ANY_LINK.search(signature[0]) or _MARK.search(signature[0]))


def _visible_text(raw: str, kind: str) -> str:
    """Return the visible text of a sentence, without its citations."""
    unmarked = _BY_LABEL.sub(r"\1", _without_marks(raw))
    if kind == "row":
        texts = [words(cell) for cell in _cells(unmarked) if not _ANY_LINK.fullmatch(cell)]
        return " | ".join(text for text in texts if text)
    text = _SPACE_BEFORE_STOP.sub("", words(unmarked))
    if _is_signed(raw, kind):
        text = _SIGNATURE.sub("", text)
    is_in_marks = text[:1] + text[-1:] in {'""', "“”"}
    return text[1:-1] if kind == "quote" and is_in_marks else text


# --- units ----------------------------------------------------------------------------------------

_BLOCKS = frozenset(
    {
        "Paragraph",
        "List",
        "BlockQuote",
        "CodeBlock",
        "HtmlBlock",
        "Table",
        "Heading",
        "Rule",
    }
)
_QUOTED_LINES = re.compile(r"(?:.|\n(?![ >]*[\"“]))+")
"""A quotation, which ends before a line that begins with a quotation mark."""
_LINE_BREAK = re.compile(r"\n[ >]*")


@dataclass(frozen=True, slots=True)
class Unit:
    """A paragraph, list item, quotation or row of a table."""

    kind: str
    start: int
    end: int
    """Its span in the body."""
    text: str
    """Its Markdown, in one line; offsets stay the same."""
    section: int = 0
    """The number of headings above it."""
    is_warning: bool = False
    """True if one of these, on the way to it, names mistakes."""
    is_leading: bool = False
    """True for an entry below a heading such as *Related pages*."""


class _Sections:
    """The sections of a page, as its headings are passed."""

    def __init__(self) -> None:
        self.number = 0
        self.lists_links = False
        """True if the last heading is that of links."""
        self._open: list[tuple[int, bool]] = []

    @property
    def is_warning(self) -> bool:
        """True if this section, or one around it, names mistakes."""
        return any(warns for _, warns in self._open)

    def enter(self, level: int, heading: str) -> None:
        """Begin a section, which ends those of its level and below."""
        self.number += 1
        self._open = [section for section in self._open if section[0] < level]
        self._open.append((level, warns_of_mistakes(heading)))
        self.lists_links = lists_links(heading)


def read_units(body: str, masked: Lines, starts: Sequence[int]) -> Iterator[Unit]:
    """Yield the units outside of headings, notes and lists of sources, in order.

    Args:
        body: the report's body.
        masked: its lines, with code masked.
        starts: the offsets of its lines.
    """
    listed = [(starts[first], starts[end]) for first, end in find_source_sections(masked)]
    quote_end = note_end = 0
    sections = _Sections()
    for node in syntax_tree(body, has_footnotes=True).descendants():
        if node.name == "Heading":
            sections.enter(node.level, body[node.start : node.end])
        elif node.name == "BlockQuote" and not is_callout(body[node.start : node.end]):
            quote_end = max(quote_end, node.end)
        elif node.name == "FootnoteDefinition":
            note_end = max(note_end, node.end)
        span = _text_span(node)
        if span is None:
            continue
        start, end = span
        is_listed = any(first <= start < last for first, last in listed)
        if start < note_end or is_listed or not masked.text[start:end].strip():
            continue
        kind = _kind_of(node, is_quoted=start < quote_end)
        for first, last in _split_parts(body, start, end, kind):
            text = _join_lines(body[first:last].rstrip())
            is_leading = kind == "item" and sections.lists_links and is_entry(text)
            section = (sections.number, sections.is_warning, is_leading)
            yield Unit(kind, first, last, text, *section)


def _split_parts(body: str, start: int, end: int, kind: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of a text that are units: quotations, and the title and text of a callout."""
    if kind == "quote":
        yield from (part.span() for part in _QUOTED_LINES.finditer(body, start, end))
        return
    closing = END_OF_CONTAINER.search(body[start:end])
    end = start + closing.start() if closing else end
    head = head_of_callout(body[start:end])
    if head is None:
        yield start, end
        return
    (first, last), text = head
    if last > first:
        yield start + first, start + last
    if body[start + text : end].strip(" \t\n>"):
        yield start + text, end


def _kind_of(node: Node, *, is_quoted: bool) -> str:
    if node.name == "TableRow":
        return "row"
    if is_quoted:
        return "quote"
    return "item" if node.name == "Item" else "text"


def _join_lines(text: str) -> str:
    """Return a text with blanks for the ends of its lines, and for the marks of quotations."""
    return _LINE_BREAK.sub(lambda match: " " * len(match[0]), text)


def _text_span(node: Node) -> tuple[int, int] | None:
    """Return the span of a node's own text; ``None`` if only nodes within it have text."""
    is_indented_code = node.name == "CodeBlock" and node.info is None
    if node.name in {"Paragraph", "TableRow", "HtmlBlock"} or is_indented_code:
        return node.start, node.end
    if node.name != "Item":
        return None
    inline = [child for child in node.children if child.name not in _BLOCKS]
    return (inline[0].start, inline[-1].end) if inline else None


def split_unit(number: int, unit: Unit) -> Iterator[ReportSentence]:
    """Yield the sentences of a unit, whose citations are moved before its full stop."""
    kind = unit.kind
    ends = [] if kind == "row" else _BEHIND_END.finditer(unit.text)
    behind = [end for end in ends if not _BEGINS_SENTENCE.match(unit.text, end.start("marks"))]
    covers_unit = _covers_unit(unit, behind)
    moved = ((match.start(), match.end(), match["marks"] + match["end"]) for match in behind)
    text = apply_edits(unit.text, moved)
    is_whole = kind == "row" or (kind == "quote" and _SIGNATURE.search(text))
    if is_whole:
        spans = [(0, len(text))]
    else:
        uncut = [match.span() for pattern in (_QUOTE, _CODE) for match in pattern.finditer(text)]
        spans = list(_split_behind_citations(text, sentence_spans(text, uncut), uncut))
    for first, last in spans:
        raw = text[first:last]
        yield ReportSentence(
            start=unit.start + first,
            unit=number,
            kind=kind,
            marked=_GLUED.sub(" ", _CODE.sub("code", raw)),
            raw=raw,
            text=_visible_text(raw, kind),
            covers_unit=covers_unit and last == len(text),
            section=unit.section,
            is_warning=unit.is_warning,
            is_leading=unit.is_leading,
        )


def _split_behind_citations(
    text: str, spans: Sequence[tuple[int, int]], uncut: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Yield the spans of sentences; one also ends at a full stop behind a citation.

    The next one may begin with a name in small letters.
    """
    for first, last in spans:
        start = first
        for end in _CITED_END.finditer(text, first, last):
            is_within = any(begin < end.end() < stop for begin, stop in uncut)
            if not is_within and end.end() < last:
                yield start, end.end()
                start = end.end() + 1
        yield start, last


def _covers_unit(unit: Unit, behind: Sequence[re.Match[str]]) -> bool:
    """Return whether the last citation behind a full stop is that of a whole paragraph or item."""
    if not behind or unit.kind == "quote":
        return False
    last = behind[-1]
    is_at_end = not unit.text[last.end() :].strip(" .")
    return is_at_end and last["marks"][0].isspace() and "(" in last["marks"]
