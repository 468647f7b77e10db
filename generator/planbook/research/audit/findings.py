"""The results for the claims of reports, their counts, and their form in JSON. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from planbook.model import Problem
from planbook.research.audit.claims.cited_claims import CitedClaim
from planbook.research.proof.sentences import CitedSentence, Judge, Quotation


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
    INEXACT = "inexact quote"
    """A quote leaves out words of its source without an ellipsis, or has another article or
    inflection."""
    DIFFERS = "figures differ"
    NOT_FOUND = "not found"
    MOVED = "other lines"
    """A quote, or the definition of a name, is in other lines of the file than the cited ones."""
    NOT_JUDGED = "not judged"
    """It is in other words, and no model has judged what it says."""
    UNREADABLE = "unreadable"
    """A source that might have it could not be read: it is not checked."""


FOUND = frozenset({AuditVerdict.QUOTED, AuditVerdict.SUPPORTED})


def list_quoted(words: Iterable[str]) -> str:
    """Return words for a reason, each in quotation marks."""
    return ", ".join(f"“{word}”" for word in words)


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
    closest: tuple[Quotation, ...] = ()
    """The closest passages of its sources, best first; empty if none is close."""
    is_absent: bool = False
    """True if a quote is in none of its sources, all of which were read."""

    @property
    def problems(self) -> Iterator[Problem]:
        """Yield its problems, the verdict last."""
        uri, line = self.claim.uri, self.claim.line
        for source in self.sources:
            if source.state in _SOURCE_PROBLEMS:
                code, defect = _SOURCE_PROBLEMS[source.state]
                yield Problem(uri, line, code, f"{source.url} {defect}{source.detail}")
        if self.verdict not in FOUND:
            nearest = f"; closest: “{self.closest[0].words}”" if self.closest else ""
            defect = f"{self.verdict}: “{self.claim.text}”: {self.reason}{nearest}"
            yield Problem(uri, line, self._code, defect)

    @property
    def _code(self) -> str:
        if self.is_absent:
            return "A004"
        return _VERDICT_CODES.get(self.verdict, "A007")


_VERDICT_CODES = {
    AuditVerdict.DIFFERS: "A006",
    AuditVerdict.NOT_FOUND: "A008",
    AuditVerdict.MOVED: "A008",
}
_SOURCE_PROBLEMS = {
    SourceState.MISSING: ("A001", "does not exist: "),
    SourceState.UNREACHABLE: ("A002", "could not be read: "),
    SourceState.NOT_READ: ("A002", "was not read: "),
    SourceState.MOVED: ("A003", "moved to "),
}
"""The code of a Problem for each state that is one, and what it says of the source."""


def judge_findings(findings: Sequence[AuditFinding], judge: Judge | None) -> list[AuditFinding]:
    """Return the findings with the verdicts of a judge on what a program cannot decide."""
    judged = list(findings)
    asked = {
        n: CitedSentence(finding.claim.text, finding.closest)
        for n, finding in enumerate(findings)
        if finding.verdict is AuditVerdict.NOT_JUDGED and finding.closest
    }
    faults = judge(list(asked.values())) if judge and asked else {}
    for n, sentence in asked.items():
        if sentence in faults:
            fault = faults[sentence]
            verdict = AuditVerdict.NOT_FOUND if fault else AuditVerdict.SUPPORTED
            judged[n] = replace(findings[n], verdict=verdict, reason=fault)
    return judged


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
    inexact: int
    """Quoted inexactly."""
    differs: int
    """Other figures than the source."""
    moved: int
    """In other lines than the cited ones."""
    wrong: int
    """All three: other figures or lines, or a quote, name or number that its sources do not
    have."""
    open: int
    """Not judged."""
    unread: int
    """A source could not be read: not checked."""
    unsourced: int
    """Statements without a source that the audit could read: not checked."""


def count_files(
    findings: Sequence[AuditFinding], statements: Mapping[str, int]
) -> tuple[FileCounts, ...]:
    """Return the counts of each file, those with most wrong claims first.

    Args:
        findings: the results for the claims.
        statements: the number of statements of each file, with and without a source.
    """
    verdicts: dict[str, list[AuditVerdict]] = defaultdict(list)
    for finding in findings:
        verdicts[finding.claim.uri].append(finding.verdict)
    counts = []
    for uri, total in statements.items():
        of_verdict = Counter(verdicts.get(uri, ()))
        differs, not_found = of_verdict[AuditVerdict.DIFFERS], of_verdict[AuditVerdict.NOT_FOUND]
        moved = of_verdict[AuditVerdict.MOVED]
        counts.append(
            FileCounts(
                uri,
                claims=of_verdict.total(),
                found=sum(of_verdict[verdict] for verdict in FOUND),
                inexact=of_verdict[AuditVerdict.INEXACT],
                differs=differs,
                moved=moved,
                wrong=differs + moved + not_found,
                open=of_verdict[AuditVerdict.NOT_JUDGED],
                unread=of_verdict[AuditVerdict.UNREADABLE],
                unsourced=max(0, total - of_verdict.total()),
            )
        )
    return tuple(
        sorted(
            counts,
            key=lambda of_file: (-of_file.wrong, -of_file.unread, -of_file.claims, of_file.uri),
        )
    )


def report_findings(
    findings: Sequence[AuditFinding], statements: Mapping[str, int], unstated: int = 0
) -> dict[str, Any]:
    """Return the findings as JSON data, with the number of citations that state nothing."""
    return {
        "version": 2,
        "counts": count_findings(findings),
        "no_statement": unstated,
        "files": [asdict(counts) for counts in count_files(findings, statements)],
        "claims": [_finding_to_json(finding) for finding in findings],
    }


def _finding_to_json(finding: AuditFinding) -> dict[str, Any]:
    claim, best = finding.claim, next(iter(finding.closest), None)
    return {
        "uri": claim.uri,
        "line": claim.line,
        "claim": claim.text,
        "verdict": finding.verdict.value,
        "reason": finding.reason,
        "sources": [
            {"URL": source.url, "state": source.state.value, "detail": source.detail}
            for source in finding.sources
        ],
        "quotes": list(claim.quotes),
        "passage": {"text": best.words, "URL": best.path} if best else None,
        "codes": [problem.code for problem in finding.problems],
    }
