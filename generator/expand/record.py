"""Records: the files that the end of one page puts on disk, and the commit message about them. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from generator.citations.references import read_references
from generator.expand.events import TIME_FORMAT, JobOutcome, Result
from generator.model import State
from generator.page.parse import parse_page
from generator.research.drop import Attempt, render_drop


@dataclass(frozen=True, slots=True)
class Record:
    """The files to write for one page. Stored in the ledger as JSON, so field names must not change."""

    plan: str
    """The plan's slug."""
    number: int
    targets: tuple[str, ...]
    """The PART's targets as written in the plan: with the number, they identify the PART."""
    page: str
    """The page's uri."""
    drop: str
    """The drop's path in the project."""
    report: str
    """The drop's text."""
    when: str
    """In UTC, as ``YYYY-MM-DDTHH:MM:SSZ``."""
    content: str | None = None
    """The page's text; ``None`` if there is no page to write."""
    before: str | None = None
    """The SHA-256 of the page when the PART was begun; ``None`` if there was no page."""
    mark: State | None = None
    """The PART's new mark; ``None`` leaves it as it is."""
    reason: str = ""
    """Why there is no page."""
    lines: int = 0
    works: int = 0
    """Number of works that the page cites."""

    @property
    def name(self) -> str:
        """The PART's name for users."""
        return f"{self.plan} PART {self.number}"

    def paths(self, docs: str) -> tuple[str, ...]:
        """Return the page, if there is one, and the drop, by path from the project's folder."""
        return (*([f"{docs}/{self.page}"] if self.content is not None else []), self.drop)


def make_record(attempt: Attempt) -> Record:
    """Return the record of an attempt, without `before` and `mark`."""
    brief = attempt.brief
    text = attempt.draft.text if attempt.draft and attempt.outcome == "done" else None
    return Record(
        plan=brief.plan.slug,
        number=brief.part.number,
        targets=brief.part.targets,
        page=str(brief.page),
        drop=str(brief.drop),
        report=render_drop(attempt),
        when=attempt.finished.strftime(TIME_FORMAT),
        content=text,
        reason=attempt.reason,
        lines=parse_page(text, brief.page)[0].lines if text else 0,
        works=len(read_references(text, brief.page)[0]) if text else 0,
    )


def record_result(result: Result, runner: str) -> Record:
    """Return the record of a job's result; `runner` is named in the drop."""
    return make_record(
        Attempt(
            brief=result.job.brief,
            runner=runner,
            started=datetime.fromisoformat(result.job.started),
            finished=datetime.fromisoformat(result.finished),
            outcome="done" if result.outcome is JobOutcome.DONE else "failed",
            reason=result.reason,
            draft=result.draft,
            sources=result.sources,
            searched=result.searched,
            findings=result.findings,
            requests=result.usage.requests,
            retries=result.job.attempt - 1,
        )
    )


def sha256(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def file_sha256(path: Path) -> str | None:
    """Return the SHA-256 of a file; ``None`` if there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def commit_message(records: Sequence[Record], docs: str, verb: str = "Expand") -> str:
    """Return a subject with plans, pages, lines and works, and a line for each page or failed PART."""
    written = [record for record in records if record.content is not None]
    slugs = tuple(dict.fromkeys(record.plan for record in records))
    about = slugs[0] if len(slugs) == 1 else _count(len(slugs), "plan")
    sums = [
        _count(len(written), "page"),
        _count(sum(record.lines for record in written), "line"),
        f"{_count(sum(record.works for record in written), 'work')} cited",
    ]
    if not written:
        sums = [f"no page, {_count(len(records), 'PART')} failed"]
    lines = [f"{verb} {about}: {', '.join(sums)}", ""]
    for slug in slugs:
        lines += [f"{slug}:"] if len(slugs) > 1 else []
        lines += [_line(record, docs) for record in records if record.plan == slug]
    return "\n".join(lines) + "\n"


def _line(record: Record, docs: str) -> str:
    if record.content is None:
        return f"- PART {record.number}, {docs}/{record.page}: failed, {record.reason}"
    return (
        f"- PART {record.number}, {docs}/{record.page}: {_count(record.lines, 'line')}, "
        f"{_count(record.works, 'work')} cited"
    )


def _count(value: int, noun: str) -> str:
    return f"{value:,} {noun}{'' if value == 1 else 's'}"
