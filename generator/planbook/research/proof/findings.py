"""Compare the claims of reports with the texts of their sources, and count what was found. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

from planbook.citations.quotes import Readings, contains_quote, fold
from planbook.markdown.words import FUNCTION_WORDS, sentence_spans, stem
from planbook.model import Problem
from planbook.research.drafts import Excerpt
from planbook.research.proof.audit import CitedClaim
from planbook.research.proof.local_citations import split_place
from planbook.research.proof.sentences import (
    CitedSentence,
    Judge,
    MissingWords,
    Quotation,
    TextWords,
    find_missing,
    find_missing_words,
    find_words,
    is_identifier,
    lines_of_words,
)
from planbook.research.web.model import Fetched, Outcome


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
    """It is in other words, and no model has judged what it says."""
    UNREADABLE = "unreadable"
    """A source that might have it could not be read: it is not checked."""


FOUND = frozenset({AuditVerdict.QUOTED, AuditVerdict.SUPPORTED})


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
        if self.verdict not in FOUND:
            closest = f"; closest: “{self.evidence[0].words}”" if self.evidence else ""
            what = f"{self.verdict}: “{self.claim.text}”: {self.reason}{closest}"
            yield Problem(uri, line, self._code, what)

    @property
    def _code(self) -> str:
        if self.is_absent:
            return "A004"
        return "A006" if self.verdict is AuditVerdict.DIFFERS else "A007"


_STATES = {
    SourceState.MISSING: ("A001", "does not exist: "),
    SourceState.UNREACHABLE: ("A002", "could not be read: "),
    SourceState.NOT_READ: ("A002", "was not read: "),
    SourceState.MOVED: ("A003", "moved to "),
}
_ELISION = re.compile(
    r"(?:(?<!\s)\s+)?"
    r"(?:\[\s?(?:…|\.{3})\s?\]|…|\.{3}|(?:(?<!\w)\w+)?\[[^\W\d_][^\[\]]{0,59}\]\w*)\s*"
)
"""Words left out of a quote, or an editor's words in it: ``consider[s] [an identifier] an alias``."""
_CLOSEST = 3
"""Number of passages that a claim is compared with."""
_SIMILAR, _SAME = 0.3, 0.6
"""Share of the claim's words in a passage that is about the same, and in a sentence that says the same."""
_NEAR_LINES = 3
"""Lines around the cited ones in which a name counts as cited: a decorator, a comment."""
_SPECIFIC = re.compile(r"^(?!__)(?=.{4})(?:.*[^\W_]_.*|_\w+|.*[a-z][A-Z].*|--\w.*|\w{9,})$")
"""A name of more than one word, or a long one: others, such as ``mode``, are in every program."""

Closest = Callable[[Sequence[Excerpt], str], Sequence[tuple[Quotation, float]]]
"""Returns the excerpts that are closest to a claim, best first, each with the share of its words."""


@dataclass
class ReadSource:
    """A source's text, prepared for comparisons."""

    fetched: Fetched
    excerpts: Sequence[Excerpt]
    place: str = ""
    """The path of a file as it is cited, with its lines."""
    whole: str = ""
    """The whole file, if only lines of it are cited."""
    texts: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        fetched = self.fetched
        is_path = split_place(self.place)[0] == fetched.title
        title = "" if is_path else fold(fetched.title or "")
        self.texts = (*Readings(fetched.visible, fetched.text), title)

    def lines_of(self, quote: str) -> str:
        """Return where a quote is in the file, if only other lines are cited; else empty.

        Such as ``line 34``.
        """
        found = lines_of_words(quote, self.whole) if self.whole else None
        return _name_lines(found) if found else ""

    def has_quote(self, quote: str) -> bool:
        """Return whether the source has a quote, which may leave out words with an ellipsis."""
        if contains_quote(quote, self.texts):  # also one with the marks of Markdown
            return True
        parts = [part for part in _ELISION.split(quote) if part.strip(" ,.;")]
        return bool(parts) and all(any(find_words(part, text) for text in self.texts) for part in parts)

    def has_digits(self, number: str) -> bool:
        """Return whether the text has the digits of a number in another form.

        Such as ``main-1-31`` and ``v1.31.0`` for ``1.31``, or without its unit.
        """
        digits = re.search(r"\d+(?:[.,]\d+)*", number)
        if digits is None:
            return False
        form = re.sub(r"\\?[.,]", "[-._,]?", digits[0])
        return bool(re.search(rf"(?<!\d){form}(?!\d)", self.fetched.text))

    @cached_property
    def words(self) -> TextWords:
        """The numbers and names of the whole text, its title and its address."""
        fetched = self.fetched
        named = (fetched.title or "", self.place, fetched.url)
        return TextWords([fetched.visible, fetched.text, self.whole, *named])

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines of the whole file, if only some are cited."""
        return tuple(self.whole.split("\n")) if self.whole else ()


def _name_lines(span: tuple[int, int]) -> str:
    first, last = span
    return f"line {first}" if first == last else f"lines {first} to {last}"


def judge_findings(findings: Sequence[AuditFinding], judge: Judge | None) -> list[AuditFinding]:
    """Return the findings with the verdicts of a judge on what a program cannot decide."""
    judged = list(findings)
    asked = {
        n: CitedSentence(finding.claim.text, finding.evidence)
        for n, finding in enumerate(findings)
        if finding.verdict is AuditVerdict.NOT_JUDGED and finding.evidence
    }
    faults = judge(list(asked.values())) if judge and asked else {}
    for n, sentence in asked.items():
        if sentence in faults:
            fault = faults[sentence]
            verdict = AuditVerdict.NOT_FOUND if fault else AuditVerdict.SUPPORTED
            judged[n] = replace(findings[n], verdict=verdict, reason=fault)
    return judged


Read = Mapping[str, ReadSource | Fetched | None]
"""The text of each source by its address or path, or the reason why there is none."""


def compare_claim(claim: CitedClaim, read: Read, closest: Closest) -> AuditFinding:
    """Return what a program can find: quotes, then numbers and names.

    A claim whose source could not be read is not checked, unless another source has its words.
    """
    sources = tuple(_state(url, read.get(url)) for url in claim.urls)
    answers = [read.get(url) for url in claim.urls]
    texts = [answer for answer in answers if isinstance(answer, ReadSource)]
    if not texts:
        reason = "none of its sources could be read"
        return AuditFinding(claim, sources, AuditVerdict.UNREADABLE, reason)
    best = closest([excerpt for text in texts for excerpt in text.excerpts], claim.text)[:_CLOSEST]
    close = tuple(quotation for quotation, share in best if share >= _SIMILAR)
    found = AuditFinding(claim, sources, AuditVerdict.NOT_JUDGED, "", close)
    quotes = claim.quotes or (claim.text,)
    absent = [quote for quote in quotes if not any(text.has_quote(quote) for text in texts)]
    if not absent:
        verdict, reason = _compare_own_words(claim, texts, close)
        return replace(found, verdict=verdict, reason=reason)
    if len(texts) < len(claim.urls):
        reason = "not in the sources that could be read"
        return replace(found, verdict=AuditVerdict.UNREADABLE, reason=reason)
    attributed = [quote for quote in absent if quote in claim.attributed]
    if attributed and claim.is_of_page and not _is_altered(attributed[0], close):
        reason = f"“{attributed[0]}” may be a quote of something else than the page's sources"
        return replace(found, reason=reason)
    if attributed:
        reason = _where_else(attributed[0], texts)
        return replace(found, verdict=AuditVerdict.NOT_FOUND, reason=reason, is_absent=True)
    verdict, reason = _compare_words(claim, texts, close)
    return replace(found, verdict=verdict, reason=reason)


def _compare_own_words(
    claim: CitedClaim, texts: Sequence[ReadSource], close: Sequence[Quotation]
) -> tuple[AuditVerdict, str]:
    """Return the verdict on a claim whose quotes are all in its sources, and its reason.

    If the quotes are only listed, and the claim says it in other words, its figures and names count, too.
    """
    is_in_own_words = bool(claim.listed) and set(claim.quotes) == set(claim.listed)
    verdict, reason = _compare_words(claim, texts, close) if is_in_own_words else (None, "")
    if verdict is AuditVerdict.DIFFERS or verdict is AuditVerdict.NOT_FOUND:
        return verdict, reason
    return AuditVerdict.QUOTED, ""


def _is_altered(quote: str, close: Sequence[Quotation]) -> bool:
    """Return whether a passage has most words of a quote: it is this passage that is quoted."""
    wanted = _content_words(quote)
    shares = [len(wanted & _content_words(passage.words)) for passage in close]
    return bool(wanted) and max(shares, default=0) >= _SAME * len(wanted)


def _where_else(quote: str, texts: Sequence[ReadSource]) -> str:
    """Return that a quote is not in its sources, and in which other lines of them it is."""
    for text in texts:
        if lines := text.lines_of(quote):
            return f"“{quote}” is not in the cited lines; it is in {lines} of {text.fetched.title}"
    return f"“{quote}” is in none of its sources"


def _compare_words(
    claim: CitedClaim, texts: Sequence[ReadSource], close: Sequence[Quotation]
) -> tuple[AuditVerdict, str]:
    """Return the verdict on a claim in other words, and its reason."""
    if reason := _find_moved(claim, texts):
        return AuditVerdict.NOT_FOUND, reason
    if not close:
        return AuditVerdict.NOT_JUDGED, "no passage of its sources is similar; read them"
    near = find_missing(claim.text, [text for quotation in close for text in quotation.texts])
    missing = _missing_everywhere(claim.text, texts) if near else MissingWords((), (), ())
    if missing.quantities and (there := _other_figures(claim.text, missing, close)):
        here = _quoted(missing.quantities)
        return AuditVerdict.DIFFERS, f"the claim says {here}, the source {there}"
    sure = tuple(_sure_words(claim.text, missing, texts))
    if sure and not claim.is_of_page:
        verb = "is" if len(sure) == 1 else "are"
        return AuditVerdict.NOT_FOUND, f"{_quoted(sure)} {verb} nowhere in its sources"
    if near:
        verb = "is" if len(near) == 1 else "are"
        return AuditVerdict.NOT_JUDGED, f"{_quoted(near)} {verb} not in the closest passages"
    return AuditVerdict.NOT_JUDGED, "the closest passages have its numbers and names; read them"


_SURE_NAME = re.compile(r"[A-Za-z_][\w.]{3,}")
_SHOUTED = re.compile(r"[A-Z\d]+s?")
"""An abbreviation, which the source may spell out."""


def _sure_words(sentence: str, missing: MissingWords, texts: Sequence[ReadSource]) -> Iterator[str]:
    """Yield the missing words that a source would have if it supported the sentence.

    These are numbers of two digits, or with a unit, that are no lines, sections or issues, and
    identifiers of which the source has no part after the last dot. A sentence with lines of a file
    says more than these lines.
    """
    if any(text.lines for text in texts):
        return
    for written in dict.fromkeys(missing.quantities):
        is_reference = bool(re.search(rf"[§:#–-]\s?{re.escape(written)}", sentence))
        is_written_otherwise = any(text.has_digits(written) for text in texts)
        if len(written) > 1 and not is_reference and not is_written_otherwise:
            yield written
    for name in dict.fromkeys((*missing.code, *filter(is_identifier, missing.names))):
        last = name.strip("._").rpartition(".")[2]
        is_sure = _SURE_NAME.fullmatch(name) and not _SHOUTED.fullmatch(name)
        if is_sure and not any(text.words.has_name(last) for text in texts):
            yield name


def _missing_everywhere(sentence: str, texts: Sequence[ReadSource]) -> MissingWords:
    """Return the words of a sentence that none of its sources has anywhere."""
    every = [find_missing_words(sentence, text.words) for text in texts]

    def in_all(kind: Callable[[MissingWords], tuple[str, ...]]) -> tuple[str, ...]:
        first, *others = map(kind, every)
        return tuple(word for word in dict.fromkeys(first) if all(word in one for one in others))

    return MissingWords(
        in_all(lambda one: one.code),
        in_all(lambda one: one.quantities),
        in_all(lambda one: one.names),
    )


def _other_figures(sentence: str, missing: MissingWords, close: Sequence[Quotation]) -> str:
    """Return the figures of a source's sentence that says the same with other ones; else empty.

    Both sentences must consist of the same words for the most part: a table or a log has many
    figures, and differs from everything.
    """
    wanted = _content_words(sentence)
    for quotation in close:
        for start, end in sentence_spans(quotation.words, []):
            other = quotation.words[start:end]
            words = _content_words(other)
            shared = len(wanted & words)
            if not shared or shared < _SAME * max(len(wanted), len(words)):
                continue
            there = find_missing_words(other, TextWords([sentence])).quantities
            if there and len(there) <= len(missing.quantities) + 1:
                return _quoted(there)
    return ""


def _content_words(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that carry meaning, without its figures."""
    words = (word.casefold() for word in re.findall(r"[^\W\d_]{2,}", text))
    return frozenset(stem(word) for word in words if word not in FUNCTION_WORDS)


def _find_moved(claim: CitedClaim, texts: Sequence[ReadSource]) -> str:
    """Return where the names of programs are that are not in the lines cited for them; else empty.

    A name counts if the file defines it: others are used in many places.
    """
    of_places = {text.place: text for text in texts if text.lines}
    for name, place in claim.names:
        text = of_places.get(place)
        _, span = split_place(place)
        if text is None or span is None or not _SPECIFIC.search(name):
            continue
        first, last = span
        near = "\n".join(text.lines[max(0, first - 1 - _NEAR_LINES) : last + _NEAR_LINES])
        defined = _definitions_of(name, text.lines)
        is_within = any(_has_in_body(line, first, text.lines) for line in defined)
        if defined and not is_within and not re.search(_whole(name), near):
            what = f"“{name}” is not in the cited lines"
            return f"{what}; it is defined in line {defined[0]} of {text.fetched.title}"
    return ""


_KEYWORDS = "def|class|func|function|fn|struct|type|interface|enum|trait|const|let|var"


def _definitions_of(name: str, lines: Sequence[str]) -> list[int]:
    """Return the lines that define a name, 1-based."""
    word = _whole(name)
    pattern = re.compile(rf"\b(?:{_KEYWORDS})\s+(?:\([^()]*\)\s*)?{word}|^\s*{word}\s*(?::|=(?!=))")
    return [n for n, line in enumerate(lines, 1) if pattern.search(line)]


def _has_in_body(defined: int, line: int, lines: Sequence[str]) -> bool:
    """Return whether a line is in the body of what a line above it defines, by indentation."""
    if line <= defined:
        return False
    depth = _indent(lines[defined - 1])
    between = (one for one in lines[defined:line] if one.strip())
    return all(_indent(one) > depth or one.lstrip()[:1] in set(")]}#@") for one in between)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _whole(name: str) -> str:
    return rf"(?<![\w-]){re.escape(name)}(?![\w-])"


def _quoted(words: Iterable[str]) -> str:
    return ", ".join(f"“{word}”" for word in words)


def _state(url: str, found: ReadSource | Fetched | None) -> AuditedSource:
    if found is None:
        return AuditedSource(url, SourceState.NOT_READ, "no stored text")
    if isinstance(found, ReadSource):
        fetched = found.fetched
        if fetched.moved_to:
            return AuditedSource(url, SourceState.MOVED, fetched.moved_to)
        origin = fetched.origin
        proof = ""
        if origin and origin.committed:
            proof = f"commit {(origin.commit or '')[:12]} of {origin.committed}"
        detail = f"copy of {fetched.fetched[:10]}" if fetched.is_copy else proof
        return AuditedSource(url, SourceState.READ, detail)
    is_gone = found.outcome is Outcome.GONE
    state = SourceState.MISSING if is_gone else SourceState.UNREACHABLE
    return AuditedSource(url, state, found.reason or found.outcome.value)


# --- counts and reports ---------------------------------------------------------------------------


def count_findings(findings: Sequence[AuditFinding]) -> dict[str, dict[str, int]]:
    """Return the numbers of claims by verdict, and of sources by state."""
    states = {(source.url, source.state) for finding in findings for source in finding.sources}
    verdicts = Counter(finding.verdict for finding in findings)
    return {
        "claims": {verdict.value: n for verdict, n in verdicts.items()},
        "sources": dict(Counter(state.value for _, state in states)),
    }


@dataclass(frozen=True, slots=True)
class FileCounts:
    """The numbers of claims of one file by what became of them."""

    uri: str
    claims: int
    """Those with a source."""
    found: int
    """Found verbatim, or confirmed by a judge."""
    differs: int
    """Other figures than the source."""
    wrong: int
    """Other figures, or a quote, name or number that its sources do not have."""
    open: int
    """Not judged."""
    unread: int
    """A source could not be read: not checked."""
    unsourced: int
    """Statements without a source that the audit could read: not checked."""


def count_files(findings: Sequence[AuditFinding], statements: Mapping[str, int]) -> tuple[FileCounts, ...]:
    """Return the counts of each file, those with most wrong claims first.

    Args:
        findings: the results for the claims.
        statements: the number of statements of each file, with and without a source.
    """
    of_files: dict[str, list[AuditVerdict]] = defaultdict(list)
    for finding in findings:
        of_files[finding.claim.uri].append(finding.verdict)
    counts = []
    for uri, total in statements.items():
        every = Counter(of_files.get(uri, ()))
        differs, not_found = every[AuditVerdict.DIFFERS], every[AuditVerdict.NOT_FOUND]
        counts.append(
            FileCounts(
                uri,
                claims=every.total(),
                found=sum(every[verdict] for verdict in FOUND),
                differs=differs,
                wrong=differs + not_found,
                open=every[AuditVerdict.NOT_JUDGED],
                unread=every[AuditVerdict.UNREADABLE],
                unsourced=max(0, total - every.total()),
            )
        )
    return tuple(sorted(counts, key=lambda one: (-one.wrong, -one.unread, -one.claims, one.uri)))


def report_findings(findings: Sequence[AuditFinding], statements: Mapping[str, int]) -> dict[str, Any]:
    """Return the findings as JSON data."""
    return {
        "version": 2,
        "counts": count_findings(findings),
        "files": [asdict(counts) for counts in count_files(findings, statements)],
        "claims": [_to_json(finding) for finding in findings],
    }


def _to_json(finding: AuditFinding) -> dict[str, Any]:
    claim, best = finding.claim, next(iter(finding.evidence), None)
    return {
        "uri": claim.uri,
        "line": claim.line,
        "claim": claim.text,
        "verdict": finding.verdict.value,
        "reason": finding.reason,
        "sources": [
            {"URL": source.url, "state": source.state.value, "detail": source.detail} for source in finding.sources
        ],
        "quotes": list(claim.quotes),
        "passage": {"text": best.words, "URL": best.path} if best else None,
        "codes": [problem.code for problem in finding.problems],
    }
