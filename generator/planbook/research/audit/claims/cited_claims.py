"""The claims of a report, with their citations. Pure.

A claim is a sentence that cites. A citation may also stand for sentences around it: for the table
above a line that names its source, for the list below a sentence that introduces it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from planbook.citations.identifiers import is_search_page, is_web, work_key
from planbook.citations.in_text import find_citations
from planbook.citations.mentions import find_source_sections, read_mentions
from planbook.citations.references import read_references
from planbook.markdown.document import blank_code, read_document
from planbook.markdown.edits import line_starts
from planbook.model import Reference
from planbook.research.audit.claims.local_citations import (
    MENTION,
    Resolve,
    has_only_mentions,
    is_source_file,
    read_local_citations,
    split_place,
)
from planbook.research.audit.claims.placeholders import is_placeholder
from planbook.research.audit.claims.report_sentences import (
    MIN_QUOTE_WORDS,
    PlacedName,
    ReportSentence,
    Unit,
    quotes_in,
    read_units,
    split_unit,
    unify_keys,
    unify_lines,
    unify_numbers,
)
from planbook.research.proof.phrases import EXAMPLES_FOLLOW, SOURCES_OF_SECTION

_WIKILINK = re.compile(r"\[\[[^\[\]\n]{1,300}\]\]")
_DRAWING = re.compile(r"<svg\b.*?</svg>", re.DOTALL | re.IGNORECASE)
"""A drawing within the page: its words are labels, and its namespace is an address."""
_HEADING = re.compile(r"#{1,6}\s")
_LOCAL_ID = re.compile(r"@(local-\d+)")
_LINE_OF_ADDRESS = re.compile(r"#L\d+(?:-L?\d+)?$")
"""Two lines of a file are two sources of a claim."""


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
    """Those of `quotes` that are not in the text.

    The claim is in other words. Its entries in the list of sources give them, or the page's
    references by key (``[@tea, q1]``).
    """
    names: tuple[PlacedName, ...] = ()
    """Each name of a program that stands before a citation of lines: ``boil``
    (`src/kettle.py:10`)."""
    code: tuple[str, ...] = ()
    """The names in code marks in it."""
    scope: str = ""
    """The part that its citations are for: of a row, the cells with one; else all of its text."""
    guessed: tuple[str, ...] = ()
    """Those of `urls` that may be other files than the page means."""
    is_of_page: bool = False
    """True if its sources are those of the whole page or section, and it has none of its own."""
    links_elsewhere: bool = False
    """True if a wikilink in it names a page or file that is none of its sources."""
    is_mention: bool = False
    """True if the files that it names are words of it: ``pairs with [[raw/tea]] in its colour``."""
    is_example: bool = False
    """True if the words before it introduce examples: its quotes may be made up."""
    is_warning: bool = False
    """True if its section names mistakes: its quotes may be made up, too."""


@dataclass(frozen=True, slots=True)
class ReadReport:
    """The claims of a report."""

    claims: tuple[CitedClaim, ...]
    statements: int
    """The number of its statements, with and without a source."""
    unstated: int = 0
    """The number of its items, rows and sentences that cite, and make no statement."""


def read_cited_claims(
    text: str,
    uri: str,
    resolve: Resolve = lambda _: None,
    bibliography: Mapping[str, str] | None = None,
) -> tuple[CitedClaim, ...]:
    """Return the claims of a Markdown report that cite the web or a file, in order.

    See `read_page_claims`.
    """
    return read_page_claims(text, uri, resolve, bibliography).claims


def read_page_claims(
    text: str,
    uri: str,
    resolve: Resolve = lambda _: None,
    bibliography: Mapping[str, str] | None = None,
) -> ReadReport:
    """Return the claims of a Markdown report that cite the web or a file, in order.

    Lines are 1-based. If no statement of it cites anything, those with a quote or a figure are
    claims of the sources that its front matter lists.

    Args:
        text: the report.
        uri: its name.
        resolve: finds the files that it names; without it, only documents of its `references`
            are cited.
        bibliography: the address or path of each work that it may cite by a key: ``[@rye2019]``.
    """
    return _ClaimReader(text, uri, resolve, bibliography or {}).read()


@dataclass(frozen=True, slots=True)
class _SentenceCitations:
    """The sources and quotes of the sentences of a report, by their numbers."""

    sources: Mapping[int, Mapping[str, str]]
    """Addresses and paths, by what identifies their work."""
    quotes: Mapping[int, Sequence[str]]
    """The quotes that entries of lists of sources give."""


class _ClaimReader:
    """Reads the claims of one report."""

    def __init__(
        self, text: str, uri: str, resolve: Resolve, bibliography: Mapping[str, str]
    ) -> None:
        self._text, self._uri, self._bibliography = text, uri, bibliography
        self._document = read_document(text)
        body = self._document.body.replace("\r\n", "\n").replace("\r", " ")
        body = _DRAWING.sub(lambda drawing: re.sub(r"[^\n]", " ", drawing[0]), body)
        body = unify_numbers(unify_lines(body))
        if bibliography:
            body = unify_keys(body, bibliography)
        self._local = read_local_citations(
            body, self._document.meta, resolve, is_source=is_source_file(uri)
        )
        self._body = self._local.text
        self._masked = blank_code(self._body)
        self._starts = line_starts(self._masked.all)
        self._examples: frozenset[int] = frozenset()
        """The offsets of the sentences that are examples."""

    def read(self) -> ReadReport:
        """Return the claims, and the number of statements."""
        units = list(read_units(self._body, self._masked, self._starts))
        sentences = [
            part_of_unit for n, unit in enumerate(units) for part_of_unit in split_unit(n, unit)
        ]
        citations = self._read_citations(self._sentence_lines(sentences, units))
        shared = _SharedSources(sentences, citations.sources, self._lists_below_sections())
        self._examples = frozenset(_examples_among(sentences))
        claims = []
        unstated = 0
        for n, sentence in enumerate(sentences):
            sources = shared.sources_of(n)
            unstated += n in citations.sources and not sentence.is_claim
            if sources and sentence.is_claim:
                quotes = shared.quotes_of(n)
                entries = citations.quotes.get(n, ())
                is_of_page = shared.are_of_section(n)
                claims.append(
                    self._claim(sentence, sources, quotes, entries, is_of_page=is_of_page)
                )
        statements = [sentence for sentence in sentences if sentence.is_claim]
        if not citations.sources and self._local.of_page:
            claims += self._claims_of_page(statements)
        return ReadReport(tuple(claims), len(statements), unstated)

    def _sentence_lines(self, sentences: Sequence[ReportSentence], units: Sequence[Unit]) -> str:
        """Return the report with a line for each sentence, then the lines outside of units.

        So a citation in line `n` is that of the sentence with this number.
        """
        of_units: set[int] = set()
        for unit in units:
            first, last = (bisect_right(self._starts, at) for at in (unit.start, unit.end - 1))
            of_units.update(range(first, last + 1))
        other_lines = [line for n, line in enumerate(self._masked.all, 1) if n not in of_units]
        return "\n".join([*(sentence.marked for sentence in sentences), "", *other_lines])

    def _read_citations(self, page: str) -> _SentenceCitations:
        """Return what a page with a line for each sentence cites."""
        cited = [
            (mention.line, mention.url)
            for mention in read_mentions(page)[0]
            if is_web(mention.url)
            and not is_search_page(mention.url)
            and not is_placeholder(mention.url)
        ]
        quotes: dict[int, list[str]] = defaultdict(list)
        if "@" in page:
            for line, source, quote in self._read_keys(page):
                cited.append((line, source))
                if quote:
                    quotes[line - 1].append(quote)
        sources: dict[int, dict[str, str]] = defaultdict(dict)
        for line, source in cited:
            if source:
                sources[line - 1].setdefault(_key_of_source(source), source)
        return _SentenceCitations(sources, quotes)

    def _lists_below_sections(self) -> Iterator[_SourcesOfSection]:
        """Yield the lists of sources that are those of the section above them."""
        lines = self._masked.all
        start = 0
        for first, last in find_source_sections(self._masked):
            if not SOURCES_OF_SECTION.fullmatch(lines[first]):
                continue
            headings = [n for n in range(first) if _HEADING.match(lines[n])]
            start = max(start, self._starts[headings[-1]] if headings else 0)
            page = "\n".join(lines[first + 1 : last])
            written = [self._local.places.get(id_, "") for id_ in _LOCAL_ID.findall(page)]
            written += [mention.url for mention in read_mentions(page)[0] if is_web(mention.url)]
            sources = {_key_of_source(source): source for source in written if source}
            yield _SourcesOfSection(start, self._starts[first], sources)
            start = self._starts[first]

    def _read_keys(self, page: str) -> Iterator[tuple[int, str, str]]:
        """Yield line, source and listed quote of each citation by a key; either may be empty."""
        works = read_references(self._text, self._uri)[0]
        places = {**self._bibliography, **_places_of(works), **self._local.places}
        if not places:
            return
        has_list = bool(self._bibliography or self._document.meta.get("references"))
        of_works = {(work.id, key): quote for work in works for key, quote in work.quotes}
        for citation in find_citations(page, places):
            name = citation.reference_id
            is_unknown_key = has_list and not citation.is_in_text  # no bibliography has it
            source = places.get(name, f"@{name}" if is_unknown_key else "")
            entry = of_works.get((name, citation.locator or ""), "")
            yield citation.line, source, self._local.quotes.get(name) or entry

    def _claims_of_page(self, statements: Sequence[ReportSentence]) -> Iterator[CitedClaim]:
        """Yield the statements with a quote or a figure as claims of the page's sources."""
        for sentence in statements:
            quotes = quotes_in(sentence.text)
            if quotes or re.search(r"\d", sentence.text):
                yield self._claim(sentence, self._local.of_page, quotes, (), is_of_page=True)

    def _claim(
        self,
        sentence: ReportSentence,
        sources: tuple[str, ...],
        quotes: tuple[str, ...],
        entries: Sequence[str],
        *,
        is_of_page: bool = False,
    ) -> CitedClaim:
        of_list = tuple(dict.fromkeys(entries))
        attributed = [quote for quote in quotes if sentence.attributes(quote)]
        return CitedClaim(
            uri=self._uri,
            line=bisect_right(self._starts, sentence.start) + self._document.lines_above,
            text=sentence.text,
            urls=sources,
            quotes=(*quotes, *of_list),
            attributed=(*attributed, *of_list),
            listed=of_list,
            names=tuple(dict.fromkeys(sentence.names_of(self._local.places))),
            code=sentence.code,
            scope=sentence.scope,
            guessed=tuple(url for url in sources if url in self._local.guessed),
            is_of_page=is_of_page,
            links_elsewhere=bool(_WIKILINK.search(sentence.raw) or MENTION.search(sentence.raw)),
            is_mention=has_only_mentions(sentence.raw),
            is_example=sentence.start in self._examples,
            is_warning=sentence.is_warning,
        )


def _key_of_source(source: str) -> str:
    """Return what identifies a source; two places of a file are two sources of a claim."""
    has_lines = split_place(source)[1] or _LINE_OF_ADDRESS.search(source)
    return source if has_lines else work_key(source)


def _examples_among(sentences: Sequence[ReportSentence]) -> Iterator[int]:
    """Yield the offsets of the sentences and items that words such as ``Examples:`` introduce."""
    is_of_unit = is_of_list = False
    unit = section = -1
    for sentence in sentences:
        if sentence.unit != unit:
            unit, is_of_unit = sentence.unit, False
            is_list = sentence.kind in {"item", "quote"} and sentence.section == section
            is_of_list = is_of_list and is_list
            section = sentence.section
        if is_of_unit or is_of_list:
            yield sentence.start
        if EXAMPLES_FOLLOW.search(sentence.text):
            is_of_unit = True
            is_of_list = sentence.introduces_list


def _places_of(works: Sequence[Reference]) -> dict[str, str]:
    """Return the address or file of each work, by its id."""
    return {work.id: work.url if work.url and is_web(work.url) else work.file for work in works}


@dataclass(frozen=True, slots=True)
class _SourcesOfSection:
    """The sources that are listed below a section, under a line such as *Section sources*."""

    start: int
    end: int
    """The span of the section in the body."""
    sources: Mapping[str, str]
    """Addresses and paths, by what identifies their work."""


class _SharedSources:
    """The sources of each sentence: its own, and those that sentences around it share with it."""

    def __init__(
        self,
        sentences: Sequence[ReportSentence],
        cited: Mapping[int, Mapping[str, str]],
        lists: Iterable[_SourcesOfSection] = (),
    ) -> None:
        self._sentences, self._cited = sentences, cited
        self._shared: dict[int, dict[str, str]] = defaultdict(dict)
        self._attributed: set[int] = set()
        """The numbers of quotations whose source a sentence beside them names."""
        self._of_section: dict[int, dict[str, str]] = {}
        """The sources that are listed below the section of a sentence without one of its own."""
        for n, sentence in enumerate(sentences):
            if cited.get(n) and sentence.kind != "row":
                self._share(n, sentence)
        for section in lists:
            self._share_with_section(section)

    def sources_of(self, n: int) -> tuple[str, ...]:
        """Return the sources of the sentence with this number."""
        sources = self._sources_beside(n) or self._of_section.get(n, {})
        return tuple(sources.values())

    def are_of_section(self, n: int) -> bool:
        """Return whether the sources of a sentence are those of its section, by its number."""
        return n in self._of_section

    def _sources_beside(self, n: int) -> dict[str, str]:
        """Return the sources of a sentence itself, and those of the sentences around it."""
        return {**self._cited.get(n, {}), **self._shared.get(n, {})}

    def quotes_of(self, n: int) -> tuple[str, ...]:
        """Return its quotes, or all of it if it is a quotation with a source."""
        sentence = self._sentences[n]
        # A block quotation right below the title is what the page says of itself.
        is_lead = sentence.unit == 0 and sentence.section == 1
        is_sourced = n in self._attributed or sentence.is_signed
        is_quote = sentence.kind == "quote" and is_sourced and not is_lead
        is_long_enough = len(sentence.text.split()) >= MIN_QUOTE_WORDS
        return (sentence.text,) if is_quote and is_long_enough else quotes_in(sentence.text)

    def _share(self, n: int, sentence: ReportSentence) -> None:
        """Give the sources of a sentence to those around it that they are the sources of, too."""
        if sentence.is_source_line or sentence.covers_unit:
            self._share_with_block_above(n, sentence)
        if sentence.introduces_list:
            self._share_with_list_below(n, sentence)
        elif n and not sentence.is_claim and sentence.cites_previous:
            self._share_with_previous(n, sentence)

    def _share_with_section(self, section: _SourcesOfSection) -> None:
        """Share listed sources with the statements of their section that have none."""
        for n, sentence in enumerate(self._sentences):
            is_in_section = section.start <= sentence.start < section.end
            if is_in_section and sentence.is_claim and not self._sources_beside(n):
                self._of_section[n] = dict(section.sources)

    def _share_with_block_above(self, n: int, sentence: ReportSentence) -> None:
        """Share with the rows of the table above, or the paragraph, up to the next citation."""
        for m in range(n - 1, -1, -1):
            above = self._sentences[m]
            is_of_table = sentence.is_source_line and above.kind == "row"
            is_of_unit = not sentence.is_source_line and above.unit == sentence.unit
            if self._cited.get(m) or not (is_of_table or is_of_unit):
                return
            self._shared[m] |= self._cited[n]

    def _share_with_list_below(self, n: int, sentence: ReportSentence) -> None:
        """Share with the items or quotations below that have no source of their own."""
        for m in range(n + 1, len(self._sentences)):
            below = self._sentences[m]
            first = self._sentences[n + 1]
            is_list = below.kind in {"item", "quote"} and below.section == sentence.section
            # A block quote behind the items is nobody's who is named before them.
            is_list = is_list and below.kind == first.kind
            if not is_list or below.unit == sentence.unit:
                return
            self._attributed.add(m)
            if not self._cited.get(m):
                self._shared[m] |= self._cited[n]

    def _share_with_previous(self, n: int, sentence: ReportSentence) -> None:
        """Share with the sentence before one that is nothing but a citation."""
        previous = self._sentences[n - 1]
        if previous.unit == sentence.unit:
            self._shared[n - 1] |= self._cited[n]
        elif previous.kind == "quote":
            self._shared[n - 1] |= self._cited[n]
            self._attributed.add(n - 1)
