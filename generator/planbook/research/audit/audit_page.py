"""The page that an audit ends with: each place that needs a reader, and the counts of each file.

Pure.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import quote

from planbook.markdown.plain_text import count
from planbook.markdown.safe_markdown import inline
from planbook.research.audit.findings import (
    FOUND,
    AuditFinding,
    AuditVerdict,
    FileCounts,
    SourceState,
    count_files,
)
from planbook.research.audit.unchecked import count_unchecked

_COLUMNS = (
    "File",
    "Statements",
    "With a source",
    "Found",
    "Inexact",
    "Figures differ",
    "Other lines",
    "Not found",
    "Not judged",
    "Unreadable",
    "Without a source",
)
_WRONG = (
    (AuditVerdict.DIFFERS, "Figures differ"),
    (AuditVerdict.NOT_FOUND, "Not found"),
    (AuditVerdict.MOVED, "In other lines than the cited ones"),
    (AuditVerdict.INEXACT, "Inexact quotes"),
)
"""The verdicts of which each is a defect, the worst first. They stand before the long table."""
_NOT_CHECKED = (
    (AuditVerdict.UNREADABLE, "Not checked: a source could not be read"),
    (AuditVerdict.NOT_JUDGED, "Not checked: in other words than the source"),
)
"""The verdicts that leave a claim to a reader."""
_AUDIT_PAGE = re.compile(r"\s*# Audit of .*\n\n[\d,]+ statements? in [\d,]+ files?: ")
"""The beginning of such a page."""
_MOST_SOURCES = 3
"""Sources that are named where none has a similar passage."""
_MOST_CHARS = 300
"""Length to which claims and passages are cut."""


def audit_page(
    findings: Sequence[AuditFinding],
    statements: Mapping[str, int],
    folder: str,
    title: str,
    unstated: int = 0,
) -> str:
    """Return the page as Markdown.

    Args:
        findings: the results for the claims of all files.
        statements: the number of statements of each file.
        folder: the folder of the page, from which links to the files lead.
        title: the name of what was audited.
        unstated: the number of citations in items, rows and sentences that state nothing.
    """
    counts = count_files(findings, statements)
    total = sum(statements.values())
    with_source = len(findings)
    found_count = sum(finding.verdict in FOUND for finding in findings)
    lines = [
        f"# Audit of {inline(title)}",
        "",
        f"{count(total, 'statement')} in {count(len(counts), 'file')}: {with_source} with a source,"
        f" {found_count} found in it. What could not be read, or is in other words, is not checked;"
        " it is not right, nor wrong.",
        "",
        *_verdict_sections(findings, _WRONG, folder),
        "## Files",
        "",
        f"| {' | '.join(_COLUMNS)} |",
        f"|{' --- |' * len(_COLUMNS)}",
        *(_file_row(file, folder) for file in counts if file.claims),
        "",
        *_describe_silent([file for file in counts if not file.claims]),
        *([f"{describe_unstated(unstated)}.", ""] if unstated else []),
        *_unchecked_rows(findings),
        *_verdict_sections(findings, _NOT_CHECKED, folder),
    ]
    return "\n".join(lines).rstrip() + "\n"


def describe_unstated(number: int) -> str:
    """Return how many citations are no claims, and why."""
    return f"No statement: {count(number, 'citation')} in pointers, names and titles"


def is_audit_page(text: str) -> bool:
    """Return whether a text is the page of an audit, which is no page of what it audited."""
    return _AUDIT_PAGE.match(text) is not None


def _verdict_sections(
    findings: Sequence[AuditFinding], headings: Sequence[tuple[AuditVerdict, str]], folder: str
) -> Iterator[str]:
    """Yield the lines of a section for each of some verdicts that claims have."""
    by_verdict: dict[AuditVerdict, list[AuditFinding]] = defaultdict(list)
    for finding in findings:
        by_verdict[finding.verdict].append(finding)
    for verdict, heading in headings:
        if by_verdict[verdict]:
            yield from (f"## {heading}", "")
            for finding in by_verdict[verdict]:
                yield from (*_finding_entry(finding, folder), "")


def _unchecked_rows(findings: Sequence[AuditFinding]) -> Iterator[str]:
    """Yield the table of the reasons why claims are not checked."""
    kinds = count_unchecked(findings)
    if kinds:
        yield from ("## Not checked, by reason", "", "| Reason | Claims |", "| --- | --- |")
        yield from (f"| {kind} | {number} |" for kind, number in kinds.items())
        yield ""


def _describe_silent(files: Sequence[FileCounts]) -> Iterator[str]:
    """Yield the line on the files that cite nothing."""
    if files:
        statements = count(sum(file.unsourced for file in files), "statement")
        yield f"Not checked: {count(len(files), 'file')} without a citation, with {statements}."
        yield ""


def _file_row(file: FileCounts, folder: str) -> str:
    """Return the row of a file, with a number for each of the columns."""
    numbers = (
        file.claims + file.unsourced,
        file.claims,
        file.found,
        file.inexact,
        file.differs,
        file.moved,
        file.wrong - file.differs - file.moved,
        file.open,
        file.unread,
        file.unsourced,
    )
    cells = [_file_link(file.uri, file.uri, folder), *(str(number) for number in numbers)]
    return f"| {' | '.join(cells)} |"


def _finding_entry(finding: AuditFinding, folder: str) -> Iterator[str]:
    claim = finding.claim
    location = _file_link(f"{claim.uri}:{claim.line}", claim.uri, folder, f"#L{claim.line}")
    yield f"- {location}: {_cut_inline(claim.text)}"
    yield f"    - {_cut_inline(finding.reason)}"
    for source in finding.sources:
        if source.state is not SourceState.READ:
            yield f"    - {_cut_inline(source.url)} {source.state}: {_cut_inline(source.detail)}"
    if finding.closest:
        best = finding.closest[0]
        yield f"    - closest, in {_cut_inline(best.path)}: {_cut_inline(best.words)}"
    else:
        read = [source.url for source in finding.sources if source.state is SourceState.READ]
        if read:
            yield f"    - nothing similar in {', '.join(map(_cut_inline, read[:_MOST_SOURCES]))}"


def _file_link(label: str, uri: str, folder: str, fragment: str = "") -> str:
    return f"[{inline(label)}]({quote(posixpath.relpath(uri, folder or '.'))}{fragment})"


def _cut_inline(text: str) -> str:
    text = " ".join(text.split())
    if len(text) > _MOST_CHARS:
        text = f"{text[:_MOST_CHARS].rstrip()}…"
    return inline(text)
