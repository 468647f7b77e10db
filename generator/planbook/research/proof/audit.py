"""Audit a report: find its claims with their citations, and compare them with the texts of the sources. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple

from planbook.citations.identifiers import is_search_page, is_web, work_key
from planbook.citations.in_text import find_citations
from planbook.citations.mentions import read_mentions, source_sections
from planbook.citations.quotes import Readings, fold, words
from planbook.citations.references import read_references
from planbook.markdown.document import Lines, Node, edited, line_starts, read_document, syntax_tree, without_code
from planbook.markdown.words import sentence_spans
from planbook.model import Problem
from planbook.research.drafts import Excerpt
from planbook.research.proof.local_citations import Resolve, read_local_citations
from planbook.research.proof.sentences import CitedSentence, Judge, Quotation, find_missing, find_words, lines_of_words
from planbook.research.web.model import Fetched, Outcome

# --- claims ----------------------------------------------------------------------------------------------------------

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

    @property
    def is_signed(self) -> bool:
        """True for a quotation that names its source below."""
        signature = _SIGNATURE.search(self.raw) if self.kind == "quote" else None
        return bool(signature and (_ANY_LINK.search(signature[0]) or _MARK.search(signature[0])))


def read_cited_claims(
    text: str, uri: str, resolve: Resolve = lambda _: None, bibliography: Mapping[str, str] | None = None
) -> tuple[CitedClaim, ...]:
    """Return the claims of a Markdown report that cite the web or a file, in order. Lines are 1-based.

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
    places = _places(text, uri, local.places, bibliography or {}) if "@" in page else {}
    has_list = bool(bibliography or document.meta.get("references"))
    for citation in find_citations(page, places) if places else ():
        is_certain = has_list and not citation.is_in_text  # a key that no bibliography has
        unknown = f"@{citation.reference}" if is_certain else ""
        named.append((citation.line, places.get(citation.reference, unknown)))
    cited: dict[int, dict[str, str]] = defaultdict(dict)
    for line, source in named:
        if source:
            cited[line - 1].setdefault(work_key(source), source)
    return tuple(
        CitedClaim(uri, bisect_right(starts, sentence.start) + document.lines_above, sentence.text, sources, quotes)
        for sentence, sources, quotes in _claims(found, cited)
    )


def _places(text: str, uri: str, local: Mapping[str, str], bibliography: Mapping[str, str]) -> dict[str, str]:
    """Return the address or path of each work that a report may cite by an id; empty if it has none."""
    works = read_references(text, uri)[0]
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
            parts = ("".join(match.groups("")) for match in _QUOTE.finditer(sentence.text))
            whole = [sentence.text] if is_quote and len(sentence.text.split()) >= _MIN_QUOTE_WORDS else parts
            yield sentence, (*sources.values(),), tuple(q for q in whole if len(q.split()) >= _MIN_QUOTE_WORDS)


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


# --- verdicts --------------------------------------------------------------------------------------------------------


class SourceState(StrEnum):
    """The state of a cited source."""

    READ = "read"
    MOVED = "moved"
    MISSING = "missing"
    UNREACHABLE = "unreachable"
    NOT_READ = "not read"


class AuditVerdict(StrEnum):
    """The result of comparing a claim with its sources."""

    QUOTED = "found verbatim"
    SUPPORTED = "supported"
    """A model has judged it against the closest passages."""
    DIFFERS = "figures differ"
    NOT_FOUND = "not found"
    NOT_JUDGED = "not judged"
    """The closest passages have its numbers and names; no model has judged what it says."""
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class AuditedSource:
    """A source of a claim, as it was read."""

    url: str
    state: SourceState
    detail: str = ""
    """The reason, the new address, or what was read instead: a commit, a copy."""


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """The result for one claim."""

    claim: CitedClaim
    sources: tuple[AuditedSource, ...]
    verdict: AuditVerdict
    reason: str = ""
    """The reason for the verdict."""
    evidence: tuple[Quotation, ...] = ()
    """The closest passages of its sources, best first; empty if none is close."""
    is_absent: bool = False
    """True if a quote is in none of its sources, all of which were read."""

    @property
    def problems(self) -> Iterator[Problem]:
        """Yield its problems, the verdict last."""
        uri, line = self.claim.uri, self.claim.line
        for source in self.sources:
            if source.state in _STATES:
                code, what = _STATES[source.state]
                yield Problem(uri, line, code, f"{source.url} {what}{source.detail}")
        if self.verdict not in {AuditVerdict.QUOTED, AuditVerdict.SUPPORTED}:
            code = "A004" if self.is_absent else "A006" if self.verdict is AuditVerdict.DIFFERS else "A007"
            closest = f"; closest: “{self.evidence[0].words}”" if self.evidence else ""
            yield Problem(uri, line, code, f"{self.verdict}: “{self.claim.text}”: {self.reason}{closest}")


_STATES = {
    SourceState.MISSING: ("A001", "does not exist: "),
    SourceState.UNREACHABLE: ("A002", "could not be read: "),
    SourceState.NOT_READ: ("A002", "was not read: "),
    SourceState.MOVED: ("A003", "moved to "),
}
_ELISION = re.compile(r"(?:(?<!\s)\s+)?(?:\[\s?(?:…|\.{3})\s?\]|…|\.{3}|(?:(?<!\w)\w+)?\[[^\[\]]{1,60}\]\w*)\s*")
"""Words left out of a quote, or an editor's words in it: ``consider[s] [an identifier] an alias``."""
_CLOSEST = 3
"""Number of passages that a claim is compared with."""
_SIMILAR, _SAME = 0.3, 0.6
"""Share of the claim's words in a passage that is about the same, and in one that says the same with other figures."""

Closest = Callable[[Sequence[Excerpt], str], Sequence[tuple[Quotation, float]]]
"""Returns the excerpts that are closest to a claim, best first, each with the share of its words that it has."""


class ReadSource:
    """A source's text, prepared for comparisons."""

    def __init__(self, fetched: Fetched, every: Sequence[Excerpt], whole: str = "") -> None:
        """Take a source, its excerpts, and the whole file if only lines of it are cited."""
        self.fetched, self.excerpts, self._whole = fetched, every, whole
        self.texts = (*Readings(fetched.visible, fetched.text), fold(fetched.title or ""))

    def lines_of(self, quote: str) -> str:
        """Return where a quote is in the file, if only other lines are cited: ``line 34``; empty if it is not there."""
        found = lines_of_words(quote, self._whole) if self._whole else None
        if found is None:
            return ""
        first, last = found
        return f"line {first}" if first == last else f"lines {first} to {last}"

    def has_quote(self, quote: str) -> bool:
        """Return whether the source has a quote, which may leave out words with an ellipsis."""
        parts = [part for part in _ELISION.split(quote) if part.strip(" ,.;")]
        return bool(parts) and all(any(find_words(part, text) for text in self.texts) for part in parts)


def audit_claims(
    claims: Sequence[CitedClaim],
    read: Mapping[str, ReadSource | Fetched | None],
    closest: Closest,
    judge: Judge | None = None,
) -> list[AuditFinding]:
    """Return the finding for each claim, given the texts of its sources, or the reasons why there are none."""
    findings = [_compare(claim, read, closest) for claim in claims]
    unjudged = [n for n, finding in enumerate(findings) if finding.verdict is AuditVerdict.NOT_JUDGED]
    asked = {n: CitedSentence(findings[n].claim.text, findings[n].evidence) for n in unjudged}
    faults = judge(list(asked.values())) if judge and asked else {}
    for n, sentence in asked.items():
        if sentence in faults:
            verdict = AuditVerdict.NOT_FOUND if faults[sentence] else AuditVerdict.SUPPORTED
            findings[n] = replace(findings[n], verdict=verdict, reason=faults[sentence])
    return findings


def _compare(claim: CitedClaim, read: Mapping[str, ReadSource | Fetched | None], closest: Closest) -> AuditFinding:
    """Return what a program can find: quotes, then numbers and names in the closest passages."""
    sources = tuple(_state(url, read.get(url)) for url in claim.urls)
    texts = [found for url in claim.urls if isinstance(found := read.get(url), ReadSource)]
    if not texts:
        return AuditFinding(claim, sources, AuditVerdict.UNREADABLE, "none of its sources could be read")
    best = closest([excerpt for text in texts for excerpt in text.excerpts], claim.text)[:_CLOSEST]
    close = tuple(quotation for quotation, share in best if share >= _SIMILAR)
    absent = [quote for quote in claim.quotes or (claim.text,) if not any(text.has_quote(quote) for text in texts)]
    if not absent:
        return AuditFinding(claim, sources, AuditVerdict.QUOTED, "", close)
    if claim.quotes:
        is_whole, reason = len(texts) == len(claim.urls), f"“{absent[0]}” is in none of its sources"
        moved = [(text.fetched.title, lines) for text in texts if (lines := text.lines_of(absent[0]))]
        if moved:
            reason = f"“{absent[0]}” is not in the cited lines; it is in {moved[0][1]} of {moved[0][0]}"
        return AuditFinding(claim, sources, AuditVerdict.NOT_FOUND, reason, close, is_absent=is_whole)
    missing = find_missing(claim.text, [text for quotation in close for text in quotation.texts])
    here, there = _figures(missing), _figures(find_missing(close[0].words, [claim.text])) if close else ""
    verdict, reason = AuditVerdict.NOT_JUDGED, "the closest passages have its numbers and names; read them"
    if not close:
        verdict, reason = AuditVerdict.NOT_FOUND, "no passage of its sources is similar"
    elif here and there and best[0][1] >= _SAME:
        verdict, reason = AuditVerdict.DIFFERS, f"the claim says {here}, the source {there}"
    elif missing:
        verdict, reason = AuditVerdict.NOT_FOUND, f"“{missing[0]}” is not in the closest passages"
    return AuditFinding(claim, sources, verdict, reason, close)


def _figures(words: Iterable[str]) -> str:
    return ", ".join(f"“{word}”" for word in words if re.search(r"\d", word))


def _state(url: str, found: ReadSource | Fetched | None) -> AuditedSource:
    if found is None:
        return AuditedSource(url, SourceState.NOT_READ, "no stored text")
    if isinstance(found, ReadSource):
        fetched = found.fetched
        if fetched.moved_to:
            return AuditedSource(url, SourceState.MOVED, fetched.moved_to)
        origin = fetched.origin
        proof = f"commit {(origin.commit or '')[:12]} of {origin.committed}" if origin and origin.committed else ""
        return AuditedSource(url, SourceState.READ, f"copy of {fetched.fetched[:10]}" if fetched.is_copy else proof)
    state = SourceState.MISSING if found.outcome is Outcome.GONE else SourceState.UNREACHABLE
    return AuditedSource(url, state, found.reason or found.outcome.value)


# --- reports ---------------------------------------------------------------------------------------------------------


def count_findings(findings: Sequence[AuditFinding]) -> dict[str, dict[str, int]]:
    """Return the numbers of claims by verdict, and of sources by state."""
    states = {(source.url, source.state) for finding in findings for source in finding.sources}
    return {
        "claims": {verdict.value: n for verdict, n in Counter(finding.verdict for finding in findings).items()},
        "sources": dict(Counter(state.value for _, state in states)),
    }


@dataclass(frozen=True, slots=True)
class FileCounts:
    """The numbers of claims of one file by what became of them."""

    uri: str
    claims: int
    found: int
    """Found verbatim, or confirmed by a judge."""
    wrong: int
    """Other figures, or a quote or passage that its sources do not have."""
    open: int
    """Not judged."""
    unread: int
    """None of its sources could be read."""


def count_files(findings: Sequence[AuditFinding]) -> tuple[FileCounts, ...]:
    """Return the counts of each file that has claims, those with most wrong ones first."""
    of_files: dict[str, list[AuditVerdict]] = defaultdict(list)
    for finding in findings:
        of_files[finding.claim.uri].append(finding.verdict)
    counts = [
        FileCounts(
            uri,
            len(verdicts),
            sum(verdict in {AuditVerdict.QUOTED, AuditVerdict.SUPPORTED} for verdict in verdicts),
            sum(verdict in {AuditVerdict.DIFFERS, AuditVerdict.NOT_FOUND} for verdict in verdicts),
            verdicts.count(AuditVerdict.NOT_JUDGED),
            verdicts.count(AuditVerdict.UNREADABLE),
        )
        for uri, verdicts in of_files.items()
    ]
    return tuple(sorted(counts, key=lambda one: (-one.wrong, -one.unread, one.uri)))


def report_findings(findings: Sequence[AuditFinding]) -> dict[str, Any]:
    """Return the findings as JSON data."""
    return {
        "version": 2,
        "counts": count_findings(findings),
        "files": [asdict(counts) for counts in count_files(findings)],
        "claims": [
            {
                "uri": finding.claim.uri,
                "line": finding.claim.line,
                "claim": finding.claim.text,
                "verdict": finding.verdict.value,
                "reason": finding.reason,
                "sources": [{"URL": s.url, "state": s.state.value, "detail": s.detail} for s in finding.sources],
                "quotes": list(finding.claim.quotes),
                "passage": {"text": finding.evidence[0].words, "URL": finding.evidence[0].path}
                if finding.evidence
                else None,
                "codes": [problem.code for problem in finding.problems],
            }
            for finding in findings
        ],
    }
