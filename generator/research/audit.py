"""Audit a report: find its claims with their citations, and compare them with the texts of the sources. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate
from typing import Any

from generator.citations.identifiers import is_definition, is_navigation, is_search_page, is_web, work_key
from generator.citations.in_text import find_citations
from generator.citations.mentions import read_mentions, source_sections
from generator.citations.quotes import fold, readings, words
from generator.citations.references import read_references
from generator.drafts import Excerpt
from generator.markdown.document import read_document, without_code
from generator.markdown.escape import verbatim
from generator.markdown.plain_text import is_row, is_row_rule, item_of
from generator.markdown.sentences import sentences_of
from generator.model import Problem
from generator.rules.evidence import CitedSentence, Judge, Quotation, find_missing, find_words
from generator.web.model import Fetched, Outcome

# --- claims ----------------------------------------------------------------------------------------------------------

_NUMBER = r"\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,8}"
_PADDED = re.compile(
    rf"\\\[(?P<a>{_NUMBER})\\\](?!\()|(?:<sup>)?\[\\?\[?(?P<b>{_NUMBER})\\?\]?\]\(#[^()\s]{{0,200}}\)(?:</sup>)?"
    rf"|<sup>(?:<a\s[^<>]{{0,200}}>)?\s?\[?(?P<c>{_NUMBER})\]?\s?(?:</a>)?</sup>"
)
"""Other forms of ``[1]``: escaped, linked to its entry, superscript."""
_LINK = (
    r"!?\[(?:[^\[\]]|\[[^\[\]]{0,200}\]){0,400}\]\(<?(?:[^()\s]|\([^()\s]{0,200}\)){0,2000}(?:\s\"[^\"]{0,200}\")?\)"
)
_LINK_OF_NUMBER = rf"\[\\?\[?{_NUMBER}\\?\]?\]\(<?[^()\s]{{1,2000}}\)"
_LABELLED = r"(?:(?:see|via|from|sources?|refs?|references?)\b:?\s)?"
_MARK = re.compile(
    rf"\s{{0,3}}(?:\[{_NUMBER}\](?![(\[])|\[\^[^\s\[\]^]{{1,40}}\](?!:)|\[@[^\[\]]{{1,400}}\]|{_LINK_OF_NUMBER}"
    rf"|\(\s?(?i:{_LABELLED}){_LINK}(?:(?:[,;]|\sand)\s?{_LINK}){{0,8}}\s?\)"
    r"|(?<!\])(?<!\]\()(?<!\]\(<)[(\[]?<?https?://[^\s<>()\[\]]{3,2000}>?[)\]]?)"
)
"""A citation that is not part of a sentence."""
_BEHIND_END = re.compile(rf"(?P<end>[.!?][”\"\u2019)]?)(?P<marks>(?:{_MARK.pattern}){{1,9}})(?P<more>\.?)(?=\s|$)")
_CLOSING = re.compile(r"[\"'”\u2019)\]]*")
_ANY_LINK = re.compile(_LINK)
_BY_LABEL = re.compile(r"(?<!!)\[([^\[\]\n]{1,400})\]\[[^\[\]\n]{0,80}\]")
_GLUED = re.compile(rf"(?<=[^\W\d_]{{2}})(?=\[{_NUMBER}\](?:[\s.,;:)]|$))")
_SIGNATURE = re.compile(r"(?:(?<=[\"”»])\s(?:—|–|--(?=\s)).{0,300}|\s(?:—|–|--(?=\s))\s?[^—–]{0,300})$")
"""The source below a quotation."""
_CODE_SPAN = re.compile(r"(`[^`]*`)")
_SOURCE_LINE = re.compile(r"\W*(?:data )?sources?(?: of (?:the )?(?:data|table|figures))?\W*:", re.IGNORECASE)
"""The beginning of a line that names the source of the table, quotation or paragraph above it."""
_NOTE = re.compile(r" {0,3}\[\^[^\s\[\]^]{1,40}\]:")
_QUOTED = re.compile(r"^(?:\s{0,3}>\s?)+")
_PROMPT = re.compile(
    r"(?:\W|and |also |please )*(?:see|read|visit|refer to|check|learn more|downloads?|click|join|follow|report|open an"
    r"|for (?:more|further|details|full|additional|information)|more (?:info|details|on)|further reading|go to"
    r"|head (?:over )?to)\b",
    re.IGNORECASE,
)
"""The beginning of a sentence that refers readers elsewhere and makes no claim."""
_POINTS = re.compile(r"\brefer to\W*$|\[(?:here|this (?:page|link)|link)\]\(", re.IGNORECASE)
"""A sentence that ends in an address, or whose link text names a place."""
_FIELDS = re.compile(r"\W*[A-Z][\w ]{2,30}:\s.*?\b[A-Z]\w{2,20}(?: \w{2,20})?:\s")
"""The beginning of a page's metadata: ``Released: 2026-10-02 Repository: ...``."""
_ALERT = re.compile(r"^\s*\[![A-Z]{3,12}\]\s*")
_QUOTE = re.compile(r"“([^“”]{1,1500})”|(?<![\w.,;:!?)])\"(?=\S)([^\"]{1,1500})(?<=\S)\"(?!\w)|«([^«»]{1,1500})»")
_MIN_WORDS, _MIN_QUOTE_WORDS = 3, 5
"""Minimum number of words of a claim, without citations, and of a quote."""


@dataclass(frozen=True, slots=True)
class CitedClaim:
    """A sentence, list item or table row with its citations."""

    uri: str
    line: int
    text: str
    """Its visible text, without citations."""
    urls: tuple[str, ...]
    quotes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Sentence:
    line: int
    unit: int
    marked: str
    """Markdown, in one line, with code masked; a list's or quote's marker is kept before the first of its unit."""
    raw: str
    kind: str
    """``text``, ``item``, ``quote``, ``row``, or ``other`` if it can make no claim."""
    covers_unit: bool = False
    """True if its citation stands in brackets of its own at the end of a paragraph or item: ``... stop. (https://...)``."""


def read_cited_claims(text: str, uri: str) -> tuple[CitedClaim, ...]:
    """Return the claims of a Markdown report that cite a source on the web, in order. Lines are 1-based."""
    document = read_document(text)
    found = list(_read_sentences(document.body.replace("\r\n", "\n").replace("\r", " ")))
    marked = "\n".join(sentence.marked for sentence in found)
    mentions = ((mention.line - 1, mention.url or "") for mention in read_mentions(marked)[0])
    named = [(n, url) for n, url in mentions if not is_search_page(url) and not _is_code(url, found[n].raw)]
    if citations := find_citations(marked):
        urls = {reference.id: reference.url or "" for reference in read_references(text, uri)[0]}
        named += [(citation.line - 1, urls.get(citation.reference, "")) for citation in citations]
    cited: dict[int, dict[str, str]] = defaultdict(dict)
    for n, url in named:
        if is_web(url):
            cited[n].setdefault(work_key(url), url)
    return tuple(_claims(found, cited, uri, document.lines_above))


def _is_code(url: str, raw: str) -> bool:
    """Return whether an address occurs on a line in code only, without a scheme."""
    name = url.partition("://")[2]
    return name in raw and name not in re.sub(r"`[^`]*`", "", raw)


def _claims(
    found: Sequence[_Sentence], cited: Mapping[int, Mapping[str, str]], uri: str, above: int
) -> Iterator[CitedClaim]:
    """Yield the claims: sentences with citations, or with a separate citation above or below."""
    extra: dict[int, dict[str, str]] = defaultdict(dict)
    attributed: set[int] = set()
    for n, sentence in enumerate(found):
        urls = cited.get(n)
        if not urls or sentence.kind in {"other", "row"}:
            continue
        for above_it in _covered(found, cited, n):
            extra[above_it] |= urls
        last = next((m for m in range(n - 1, -1, -1) if found[m].marked.strip("> ")), 0)
        before = found[last]
        if sentence.marked.rstrip(" *_").endswith(":"):
            for later in range(n + 1, len(found)):
                if found[later].kind not in {"item", "quote"} or found[later].unit == sentence.unit:
                    break
                extra[later] |= {} if cited.get(later) else urls
                attributed.add(later)
        elif (
            n > last
            and not _is_claim(sentence)
            and not _points_elsewhere(_visible(sentence), sentence.raw)
            and (before.unit == sentence.unit or before.kind == "quote")
        ):
            extra[last] |= urls
            attributed |= {last} if before.unit != sentence.unit else set()
    for n, sentence in enumerate(found):
        urls = {**cited.get(n, {}), **extra.get(n, {})}
        if urls and sentence.kind != "other" and _is_claim(sentence):
            text = _visible(sentence)
            is_quote = sentence.kind == "quote" and (n in attributed or _is_signed(sentence))
            whole = (text,) if is_quote and len(text.split()) >= _MIN_QUOTE_WORDS else ()
            parts = tuple("".join(match.groups("")) for match in _QUOTE.finditer(text))
            quotes = whole or tuple(quote for quote in parts if len(quote.split()) >= _MIN_QUOTE_WORDS)
            yield CitedClaim(uri, sentence.line + above, text, tuple(urls.values()), quotes)


def _covered(found: Sequence[_Sentence], cited: Mapping[int, Mapping[str, str]], n: int) -> Iterator[int]:
    """Yield the sentences above that the citation of sentence `n` covers: the rows of a table, or its paragraph."""
    is_of_table = _SOURCE_LINE.match(found[n].raw)
    above = (m for m in range(n - 1, -1, -1) if found[m].marked.strip()) if is_of_table or found[n].covers_unit else ()
    for m in above:
        is_covered = found[m].kind == "row" if is_of_table else found[m].unit == found[n].unit
        if not is_covered or cited.get(m):
            return
        yield m


def _is_claim(sentence: _Sentence) -> bool:
    """Return whether a sentence says anything besides its citations."""
    bare = _ANY_LINK.sub(" ", _without_marks(sentence.raw))
    text = _visible(sentence)
    if sentence.kind == "row":
        return len([cell for cell in text.split(" | ") if cell.strip()]) > 1
    said = len(re.findall(r"[^\W\d_]{2,}", bare))
    is_other = _FIELDS.match(text) or text.rstrip(" *_.").endswith(("?", ":")) or is_navigation(sentence.raw)
    is_said = not is_other and not _points_elsewhere(text, sentence.raw)
    return is_said and (said >= _MIN_WORDS or (said > 1 and len(text.split()) > _MIN_WORDS + 1))


def _points_elsewhere(text: str, raw: str) -> bool:
    """Return whether a sentence only sends a reader elsewhere."""
    return bool(_PROMPT.match(text) or _SOURCE_LINE.match(text) or _POINTS.search(text) or _POINTS.search(raw))


def _is_signed(sentence: _Sentence) -> bool:
    """Return whether a quotation names its source below."""
    signature = _SIGNATURE.search(sentence.raw)
    return bool(signature and (_ANY_LINK.search(signature[0]) or _MARK.search(signature[0])))


def _visible(sentence: _Sentence) -> str:
    raw = _BY_LABEL.sub(r"\1", _without_marks(sentence.raw))
    if sentence.kind == "row":
        cells = [cell for cell in raw.strip().strip("|").split("|") if not _ANY_LINK.fullmatch(cell.strip())]
        return " | ".join(filter(None, map(words, cells)))
    text = re.sub(r"\s+(?=[.,;:!?](?:\s|$))", "", words(_ALERT.sub("", raw)))
    if sentence.kind == "quote":
        text = _SIGNATURE.sub("", text) if _is_signed(sentence) else text
        text = text[1:-1] if text[:1] + text[-1:] in {'""', "“”"} else text
    return text


def _without_marks(raw: str) -> str:
    """Remove the citations, but no address in code: ``pip install git+https://...`` is part of the sentence."""
    return "".join(part if part[:1] == "`" else _MARK.sub("", part) for part in _CODE_SPAN.split(raw))


def _read_sentences(body: str) -> Iterator[_Sentence]:
    """Yield the sentences of the text; lines of lists of sources, headings and notes unchanged."""
    masked, lines = without_code(body), body.split("\n")
    is_listed = {n for start, stop, _ in source_sections(masked) for n in range(start, stop)}
    unit: list[int] = []
    kind, count = "text", 0
    for n, line in enumerate([*masked.all, ""]):
        quote = _QUOTED.match(line)
        inside = line[quote.end() :] if quote else line
        is_apart = n in is_listed or not inside.strip() or inside.lstrip()[:1] == "#" or bool(_NOTE.match(line))
        in_table = is_row(inside) or inside.count(" | ") > 1
        is_apart = is_apart or is_definition(line) or in_table or is_row_rule(inside)
        is_next = kind == "quote" and unit and _ANY_LINK.search((_SIGNATURE.search(lines[unit[-1]]) or [""])[0])
        starts = is_apart or item_of(inside) or bool(quote) != (kind == "quote") or is_next
        if unit and starts:
            yield from _split(masked.all, lines, unit, kind, count)
            unit, count = [], count + 1
        if is_apart:
            is_head = n + 1 < len(masked.all) and is_row_rule(masked.all[n + 1])
            is_data = in_table and not is_row_rule(inside) and not is_head and n not in is_listed
            if n < len(lines):
                yield _Sentence(n + 1, count, line, lines[n], "row" if is_data else "other")
            kind, count = "text", count + 1
            continue
        kind = ("quote" if quote else "item" if item_of(inside) else "text") if not unit else kind
        unit.append(n)


def _split(
    masked: Sequence[str], lines: Sequence[str], unit: Sequence[int], kind: str, number: int
) -> Iterator[_Sentence]:
    """Yield the sentences of a paragraph, list item or quotation, whose citations are moved before its full stop."""
    starts = [_begin(masked[unit[0]], lines[unit[0]], kind)]
    unquoted = ((_QUOTED.match(masked[n]), lines[n]) for n in unit[1:])
    starts += [len(quoted[0]) if quoted else len(line) - len(line.lstrip()) for quoted, line in unquoted]
    both = [" ".join(text[n][start:] for n, start in zip(unit, starts, strict=True)) for text in (masked, lines)]
    changes = [(m, f"[{m['a'] or m['b'] or m['c']}]".rjust(len(m[0]))) for m in _PADDED.finditer(both[0])]
    both = [_changed(text, changes) for text in both]
    behind = [
        (m, f"{both[1][m.start('marks') : m.end('marks')]}{m['end']}".ljust(len(m[0])))
        for m in _BEHIND_END.finditer(both[0])
    ]
    last = behind[-1][0] if behind and not both[0][behind[-1][0].end() :].strip() else None
    covers_unit = kind != "quote" and last is not None and last["marks"][0].isspace() and "(" in last["marks"]
    both = [_changed(text, behind) for text in both]
    ends = list(accumulate(len(masked[n]) - start + 1 for n, start in zip(unit, starts, strict=True)))
    at, prefix = 0, masked[unit[0]][: starts[0]]
    is_whole = kind == "quote" and _SIGNATURE.search(both[0])
    for sentence in [both[0]] if is_whole else _with_whole_quotes(sentences_of(both[0]), both[0]):
        start = both[0].index(sentence, at)
        closing = _CLOSING.match(both[0], start + len(sentence))
        at = closing.end() if closing else len(both[0])
        first = start + len(sentence) - len(sentence.lstrip())
        start = len(both[1][:start].rstrip("`"))  # code is masked with its backticks
        line = unit[min(bisect_right(ends, first), len(unit) - 1)] + 1
        is_end = covers_unit and not both[0][at:].strip()
        marked, raw = prefix + _GLUED.sub(" ", sentence.strip()), both[1][start:at].strip()
        yield _Sentence(line, number, marked, raw, kind, is_end)
        prefix = ""


def _begin(masked: str, line: str, kind: str) -> int:
    """Return where the text of the first line of a paragraph, list item or quotation begins."""
    if kind == "quote":
        match = _QUOTED.match(masked)
        return match.end() if match else 0
    item = item_of(masked) if kind == "item" else None
    return len(line[: len(masked) - len(item.text)].rstrip("`")) if item else 0


def _changed(text: str, changes: Iterable[tuple[re.Match[str], str]]) -> str:
    """Return a text with other characters, as many, at the places of matches in a text of the same length."""
    for match, instead in changes:
        text = text[: match.start()] + instead + text[match.end() :]
    return text


def _with_whole_quotes(sentences: Sequence[str], text: str) -> Iterator[str]:
    """Yield the sentences of a text, joined where a quote goes on."""
    at, start = 0, 0
    is_paired = text.count('"') % 2 == 0 and text.count("“") == text.count("”")
    for sentence in sentences:
        at = text.index(sentence, at) + len(sentence)
        is_open = text.count('"', start, at) % 2 or text.count("“", start, at) > text.count("”", start, at)
        closing = _CLOSING.match(text, at)
        is_closed = closing and is_open and (text.count('"', start, closing.end()) % 2 == 0)
        if not (is_paired and is_open) or is_closed:
            yield text[start:at].lstrip()
            start = closing.end() if closing else at
    if text[start:at].strip():
        yield text[start:at].lstrip()


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

    QUOTED = "quote found"
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
_ELISION = re.compile(r"\s*(?:\[\s?(?:…|\.{3})\s?\]|…|\.{3}|\w*\[[^\[\]]{1,60}\]\w*)\s*")
"""Words left out of a quote, or an editor's words in it: ``consider[s] [an identifier] an alias``."""
_CLOSEST = 3
"""Number of passages that a claim is compared with."""
_SIMILAR, _SAME = 0.3, 0.6
"""Share of the claim's words in a passage that is about the same, and in one that says the same with other figures."""

Closest = Callable[[Sequence[Excerpt], str], Sequence[tuple[Quotation, float]]]
"""Returns the excerpts that are closest to a claim, best first, each with the share of its words that it has."""


class ReadSource:
    """A source's text, prepared for comparisons."""

    def __init__(self, fetched: Fetched, every: Sequence[Excerpt]) -> None:
        self.fetched, self.excerpts = fetched, every
        self.texts = (*readings(fetched.visible, fetched.text), fold(fetched.title or ""))

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


def report_findings(findings: Sequence[AuditFinding]) -> dict[str, Any]:
    """Return the findings as JSON data."""
    return {
        "version": 2,
        "counts": count_findings(findings),
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


def findings_table(findings: Sequence[AuditFinding]) -> str:
    """Return the findings as a table in Markdown; claims and passages are escaped."""
    rows = ["| Place | Claim | Sources | Verdict | Closest passage |", "| --- | --- | --- | --- | --- |"]
    for finding in findings:
        sources = "; ".join(f"{s.url} ({s.state}{f': {s.detail}' if s.detail else ''})" for s in finding.sources)
        verdict = f"{finding.verdict}: {finding.reason}" if finding.reason else finding.verdict.value
        place = f"{finding.claim.uri}:{finding.claim.line}"
        closest = finding.evidence[0].words if finding.evidence else "–"
        rows.append(f"| {' | '.join(map(verbatim, (place, finding.claim.text, sources, verdict, closest)))} |")
    return "\n".join(rows)
