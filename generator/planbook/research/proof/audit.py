"""Audit a report: find its claims with their citations. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from planbook.citations.identifiers import is_search_page, is_web, work_key
from planbook.citations.in_text import find_citations
from planbook.citations.mentions import read_mentions, source_sections
from planbook.citations.quotes import words
from planbook.citations.references import read_references
from planbook.markdown.document import Lines, Node, edited, line_starts, read_document, syntax_tree, without_code
from planbook.markdown.words import sentence_spans
from planbook.model import Reference
from planbook.research.proof.local_citations import Resolve, read_local_citations, split_place

_NUMBER = r"\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,8}"
_OTHER_FORMS = re.compile(
    rf"\\\[(?P<a>{_NUMBER})\\\](?!\()|(?:<sup>)?\[\\?\[?(?P<b>{_NUMBER})\\?\]?\]\(#[^()\s]{{0,200}}\)(?:</sup>)?"
    rf"|<sup>(?:<a\s[^<>]{{0,200}}>)?\s?\[?(?P<c>{_NUMBER})\]?\s?(?:</a>)?</sup>"
)
"""Other forms of ``[1]``: escaped, linked to its entry, superscript."""
_LINK = (
    r"!?\[(?:[^\[\]]|\[[^\[\]]{0,200}\]){0,400}\]\(<?(?:[^()\s]|\([^()\s]{0,200}\)){0,2000}(?:\s\"[^\"]{0,200}\")?\)"
)
_LABELLED = r"(?:(?:see|via|from|sources?|refs?|references?)\b:?\s)?"
_MARK = re.compile(
    rf"\s{{0,3}}(?:\[{_NUMBER}\](?![(\[])|\[\^[^\s\[\]^]{{1,40}}\](?!:)|\[@[^\[\]]{{1,400}}\]"
    rf"|\[\\?\[?{_NUMBER}\\?\]?\]\(<?[^()\s]{{1,2000}}\)"
    rf"|\(\s?(?i:{_LABELLED}){_LINK}(?:(?:[,;]|\sand)\s?{_LINK}){{0,8}}\s?\)"
    r"|(?<!\])(?<!\]\()(?<!\]\(<)[(\[]?<?https?://[^\s<>()\[\]]{3,2000}>?[)\]]?)"
)
"""A citation that is not part of a sentence."""
_BEHIND_END = re.compile(rf"(?P<end>[.!?][”\"\u2019)]?)(?P<marks>(?:{_MARK.pattern}){{1,9}})(?=\.?(?:\s|$))")
_ANY_LINK = re.compile(_LINK)
_BY_LABEL = re.compile(r"(?<!!)\[([^\[\]\n]{1,400})\]\[[^\[\]\n]{0,80}\]")
_QUOTED_LINES, _ANY_LINES = re.compile(r"(?:.|\n(?![ >]*[\"“]))+"), re.compile(r"(?s:.)+")
"""A quotation ends before a line that begins with a quotation mark."""
_CODE = re.compile(r"`[^`]*`")
_GLUED = re.compile(rf"(?<=[^\W\d_]{{2}})(?=\[{_NUMBER}\](?:[\s.,;:)]|$))")
_SIGNATURE = re.compile(r"(?:(?<=[\"”»])\s(?:—|–|--(?=\s)).{0,300}|\s(?:—|–|--(?=\s))\s?[^—–]{0,300})$")
"""The source below a quotation."""
_SOURCE_LINE = re.compile(r"\W*(?:data )?sources?(?: of (?:the )?(?:data|table|figures))?\W*:", re.IGNORECASE)
"""The beginning of a line that names the source of the table, quotation or paragraph above it."""
_PROMPT = re.compile(
    r"(?:\W|and |also |please )*(?:see|read|visit|refer to|check|learn more|downloads?|click|join|follow|report|open an"
    r"|for (?:more|further|details|full|additional|information)|more (?:info|details|on)|further reading|go to"
    r"|head (?:over )?to)\b|.*(?:\brefer to\W*$|\[(?:here|this (?:page|link)|link)\]\()",
    re.IGNORECASE,
)
"""A sentence that refers readers elsewhere and makes no claim."""
_QUOTE = re.compile(r"“([^“”]{1,1500})”|(?<![\w.,;:!?)])\"(?=\S)([^\"]{1,1500})(?<=\S)\"(?!\w)|«([^«»]{1,1500})»")
_BEGINNING = 16
"""Characters of a quote by which it is found in the Markdown."""
_BESIDE = 40
"""Number of characters between a quote and the citation that it belongs to, at most."""
_PROGRAM_NAME = re.compile(r"(?:[A-Za-z_]\w*\.){0,6}(?P<name>--?[a-z][\w-]+|[A-Za-z_]\w*)(?:\([^()]*\))?$")
"""``boil``, ``kettle.boil(seconds)``, ``--hot``."""
_NAME_BEFORE = re.compile(r"`(?P<name>[^`\n]{1,80})`[^`\[\]@.;]{0,16}\[@(?P<id>local-\d+)")
"""Code right before a citation of a file: ```boil` at [@local-1]``."""
_MIN_WORDS, _MIN_QUOTE_WORDS = 3, 5
"""Minimum number of words of a claim, without citations, and of a quote."""
_BLOCKS = frozenset({"Paragraph", "List", "BlockQuote", "CodeBlock", "HtmlBlock", "Table", "Heading", "Rule"})


@dataclass(frozen=True, slots=True)
class CitedClaim:
    """A sentence, list item or table row with its citations."""

    uri: str
    line: int
    text: str
    """Its visible text, without citations."""
    urls: tuple[str, ...]
    """Addresses on the web, and paths of documents."""
    quotes: tuple[str, ...] = ()
    attributed: tuple[str, ...] = ()
    """The quotes beside a citation. Others may be of somebody else, or be no quotes."""
    listed: tuple[str, ...] = ()
    """Those of `quotes` that its entries in the list of sources give, or its page's references by key (``[@tea, q1]``).

    The claim is in other words.
    """
    names: tuple[tuple[str, str], ...] = ()
    """Each name of a program that stands before a citation of lines, with these: ``boil`` (`src/kettle.py:10`)."""
    is_of_page: bool = False
    """True if its sources are those of the whole page, and it has none of its own."""


@dataclass(frozen=True, slots=True)
class ReadReport:
    """The claims of a report."""

    claims: tuple[CitedClaim, ...]
    statements: int
    """The number of its statements, with and without a source."""


class _Sentence(NamedTuple):
    start: int
    unit: int
    kind: str
    """``text``, ``item``, ``quote`` or ``row``."""
    marked: str
    """Markdown, in one line, with code masked."""
    raw: str
    text: str
    """Its visible text, without citations."""
    covers_unit: bool = False
    """True if its citation stands in brackets of its own at the end of a paragraph or item: ``... stop. (https://...)``."""

    @property
    def points_elsewhere(self) -> bool:
        """True if it only sends a reader elsewhere."""
        return any(_PROMPT.match(text) or _SOURCE_LINE.match(text) for text in (self.text, self.raw))

    @property
    def is_claim(self) -> bool:
        """True if it says anything besides its citations."""
        if self.kind == "row":
            return " | " in self.text
        said = len(re.findall(r"[^\W\d_]{2,}", _ANY_LINK.sub(" ", _without_marks(self.raw))))
        is_other = self.text.rstrip(" *_.").endswith(("?", ":")) or self.points_elsewhere
        return not is_other and (said >= _MIN_WORDS or (said > 1 and len(self.text.split()) > _MIN_WORDS + 1))

    def names_of(self, places: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """Yield the names of programs that stand before a citation, with the place that it names; `places` are by id.

        A name has no arguments of a call, and none of the names before its last dot.
        """
        for cited in _NAME_BEFORE.finditer(self.raw):
            name, place = _PROGRAM_NAME.match(cited["name"]), places.get(cited["id"], "")
            if name and split_place(place)[1]:
                yield name["name"], place

    def attributes(self, quote: str) -> bool:
        """Return whether a quote stands beside a citation, as far as that can be seen."""
        at = self.raw.find(quote[:_BEGINNING])
        marks = [match.span() for pattern in (_MARK, _ANY_LINK) for match in pattern.finditer(self.raw)]
        if at < 0 or not marks:
            return True
        end = at + len(quote)
        return any(start - end <= _BESIDE and at - stop <= _BESIDE for start, stop in marks)

    @property
    def is_signed(self) -> bool:
        """True for a quotation that names its source below."""
        signature = _SIGNATURE.search(self.raw) if self.kind == "quote" else None
        return bool(signature and (_ANY_LINK.search(signature[0]) or _MARK.search(signature[0])))


def read_cited_claims(
    text: str, uri: str, resolve: Resolve = lambda _: None, bibliography: Mapping[str, str] | None = None
) -> tuple[CitedClaim, ...]:
    """Return the claims of a Markdown report that cite the web or a file, in order. See `read_page_claims`."""
    return read_page_claims(text, uri, resolve, bibliography).claims


def read_page_claims(
    text: str, uri: str, resolve: Resolve = lambda _: None, bibliography: Mapping[str, str] | None = None
) -> ReadReport:
    """Return the claims of a Markdown report that cite the web or a file, in order. Lines are 1-based.

    If no statement of it cites anything, those with a quote or a figure are claims of the sources that its front
    matter lists.

    Args:
        text: the report.
        uri: its name.
        resolve: finds the files that it names; without it, only documents of its `references` are cited.
        bibliography: the address or path of each work that it may cite by a key: ``[@rye2019]``.
    """
    document = read_document(text)
    local = read_local_citations(document.body.replace("\r\n", "\n").replace("\r", " "), document.meta, resolve)
    body = local.text
    body = _OTHER_FORMS.sub(lambda m: f"[{m['a'] or m['b'] or m['c']}]".rjust(len(m[0])), body)
    masked = without_code(body)
    starts = line_starts(masked.all)
    units = list(_units(body, masked, starts))
    found = [sentence for n, unit in enumerate(units) for sentence in _split(n, *unit)]
    used = {n for unit in units for n in range(bisect_right(starts, unit[1]), bisect_right(starts, unit[2] - 1) + 1)}
    rest = (line for n, line in enumerate(masked.all, 1) if n not in used)
    page = "\n".join([*(sentence.marked for sentence in found), "", *rest])  # a line for each sentence
    named = [(m.line, m.url) for m in read_mentions(page)[0] if is_web(m.url) and not is_search_page(m.url)]
    works = read_references(text, uri)[0] if "@" in page else ()
    own_quotes = {(work.id, key): quote for work in works for key, quote in work.quotes}
    places = _places(works, local.places, bibliography or {}) if "@" in page else {}
    has_list = bool(bibliography or document.meta.get("references"))
    given: dict[int, list[str]] = defaultdict(list)
    for citation in find_citations(page, places) if places else ():
        is_certain = has_list and not citation.is_in_text  # a key that no bibliography has
        unknown = f"@{citation.reference}" if is_certain else ""
        named.append((citation.line, places.get(citation.reference, unknown)))
        quote = local.quotes.get(citation.reference) or own_quotes.get((citation.reference, citation.locator or ""))
        if quote:
            given[citation.line - 1].append(quote)
    cited: dict[int, dict[str, str]] = defaultdict(dict)
    for line, source in named:
        if source:
            key = source if split_place(source)[1] else work_key(source)
            cited[line - 1].setdefault(key, source)
    numbers = {sentence: n for n, sentence in enumerate(found)}

    def make_claim(sentence: _Sentence, sources: tuple[str, ...], quotes: tuple[str, ...]) -> CitedClaim:
        line = bisect_right(starts, sentence.start) + document.lines_above
        listed = tuple(dict.fromkeys(given.get(numbers[sentence], ())))
        attributed = (*(quote for quote in quotes if sentence.attributes(quote)), *listed)
        names = tuple(dict.fromkeys(sentence.names_of(local.places)))
        every = (*quotes, *listed)
        return CitedClaim(uri, line, sentence.text, sources, every, attributed, listed, names, is_of_page=not cited)

    claims = [make_claim(*claim) for claim in _claims(found, cited)]
    statements = [sentence for sentence in found if sentence.is_claim]
    if not cited and local.of_page:
        for sentence in statements:
            quotes = _quotes_in(sentence.text)
            if quotes or re.search(r"\d", sentence.text):
                claims.append(make_claim(sentence, local.of_page, quotes))
    return ReadReport(tuple(claims), len(statements))


def _places(works: Sequence[Reference], local: Mapping[str, str], bibliography: Mapping[str, str]) -> dict[str, str]:
    """Return the address or path of each work that a report may cite by an id; empty if it has none."""
    own = {work.id: work.url if work.url and is_web(work.url) else work.file for work in works}
    return {**bibliography, **own, **local}


def _claims(
    found: Sequence[_Sentence], cited: Mapping[int, Mapping[str, str]]
) -> Iterator[tuple[_Sentence, tuple[str, ...], tuple[str, ...]]]:
    """Yield the claims with their sources and quotes: sentences that cite, or with a citation above or below."""
    extra: dict[int, dict[str, str]] = defaultdict(dict)
    attributed: set[int] = set()
    for n, sentence in enumerate(found):
        urls = cited.get(n)
        if not urls or sentence.kind == "row":
            continue
        before = found[n - 1] if n else sentence
        is_of_table = _SOURCE_LINE.match(sentence.raw)
        for m in range(n - 1, -1, -1) if is_of_table or sentence.covers_unit else ():
            if cited.get(m) or (found[m].kind != "row" if is_of_table else found[m].unit != sentence.unit):
                break
            extra[m] |= urls
        if sentence.marked.rstrip(" *_").endswith(":"):
            for later in range(n + 1, len(found)):
                if found[later].kind not in {"item", "quote"} or found[later].unit == sentence.unit:
                    break
                extra[later] |= {} if cited.get(later) else urls
                attributed.add(later)
        elif n and not sentence.is_claim and not sentence.points_elsewhere and before.unit == sentence.unit:
            extra[n - 1] |= urls
        elif n and not sentence.is_claim and not sentence.points_elsewhere and before.kind == "quote":
            extra[n - 1] |= urls
            attributed.add(n - 1)
    for n, sentence in enumerate(found):
        sources = {**cited.get(n, {}), **extra.get(n, {})}
        if sources and sentence.is_claim:
            is_quote = sentence.kind == "quote" and (n in attributed or sentence.is_signed)
            is_whole = is_quote and len(sentence.text.split()) >= _MIN_QUOTE_WORDS
            quotes = (sentence.text,) if is_whole else _quotes_in(sentence.text)
            yield sentence, (*sources.values(),), quotes


def _quotes_in(text: str) -> tuple[str, ...]:
    """Return the quotes of a visible text that are long enough to be compared."""
    every = ("".join(match.groups("")) for match in _QUOTE.finditer(text))
    return tuple(quote for quote in every if len(quote.split()) >= _MIN_QUOTE_WORDS)


def _units(body: str, masked: Lines, starts: Sequence[int]) -> Iterator[tuple[str, int, int, str]]:
    """Yield kind, span and text of each paragraph, item and row outside headings, notes and lists of sources."""
    listed = [(starts[first], starts[end]) for first, end in source_sections(masked)]
    quote_end = note_end = 0
    for node in syntax_tree(body, has_footnotes=True).descendants():
        quote_end = max(quote_end, node.end) if node.name == "BlockQuote" else quote_end
        note_end = max(note_end, node.end) if node.name == "FootnoteDefinition" else note_end
        span = _text_span(node)
        is_listed = span and any(start <= span[0] < end for start, end in listed)
        if span and span[0] >= note_end and not is_listed and masked.text[slice(*span)].strip():
            kind = {"TableRow": "row", "Item": "item"}.get(node.name, "text")
            kind = "quote" if span[0] < quote_end and kind != "row" else kind
            for part in (_QUOTED_LINES if kind == "quote" else _ANY_LINES).finditer(body, *span):
                yield kind, *part.span(), re.sub(r"\n[ >]*", lambda m: " " * len(m[0]), part[0].rstrip())


def _text_span(node: Node) -> tuple[int, int] | None:
    if node.name in {"Paragraph", "TableRow", "HtmlBlock"} or (node.name == "CodeBlock" and node.info is None):
        return node.start, node.end
    inline = [child for child in node.children if child.name not in _BLOCKS] if node.name == "Item" else []
    return (inline[0].start, inline[-1].end) if inline else None


def _split(unit: int, kind: str, start: int, _: int, text: str) -> Iterator[_Sentence]:
    """Yield the sentences of a unit, whose citations are moved before its full stop."""
    behind = [] if kind == "row" else list(_BEHIND_END.finditer(text))
    is_last = behind and not text[behind[-1].end() :].strip(" .") and kind != "quote"
    covers_unit = bool(is_last) and behind[-1]["marks"][0].isspace() and "(" in behind[-1]["marks"]
    text = edited(text, ((m.start(), m.end(), m["marks"] + m["end"]) for m in behind))
    is_whole = kind == "row" or (kind == "quote" and _SIGNATURE.search(text))
    whole = [match.span() for pattern in (_QUOTE, _CODE) for match in pattern.finditer(text)]
    for first, last in [(0, len(text))] if is_whole else sentence_spans(text, whole):
        raw = text[first:last]
        marked = _GLUED.sub(" ", _CODE.sub("code", raw))
        sentence = _Sentence(start + first, unit, kind, marked, raw, "", covers_unit and last == len(text))
        yield sentence._replace(text=_visible(sentence))


def _visible(sentence: _Sentence) -> str:
    raw = _BY_LABEL.sub(r"\1", _without_marks(sentence.raw))
    if sentence.kind == "row":
        cells = [cell for cell in raw.strip("| ").split("|") if not _ANY_LINK.fullmatch(cell.strip())]
        return " | ".join(filter(None, map(words, cells)))
    text = re.sub(r"(?<!\s)\s+(?=[.,;:!?](?:\s|$))", "", words(re.sub(r"^\[![A-Z]{3,12}\]\s*", "", raw)))
    text = _SIGNATURE.sub("", text) if sentence.is_signed else text
    return text[1:-1] if sentence.kind == "quote" and text[:1] + text[-1:] in {'""', "“”"} else text


def _without_marks(raw: str) -> str:
    """Remove the citations, but no address in code: ``pip install git+https://...`` is part of the sentence."""
    return "".join(part if part[:1] == "`" else _MARK.sub("", part) for part in re.split(r"(`[^`]*`)", raw))
