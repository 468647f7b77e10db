"""The message of a run's commit. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from planbook.markdown.plain_text import count
from planbook.research.recording.record import Record


def commit_message(records: Sequence[Record], docs: str, verb: str = "Expand") -> str:
    """Return the message of a commit.

    Its subject has the plans and the numbers of pages, lines and works; below it is a line for each
    page or failed PART.
    """
    subject = f"{verb} {_describe_subject(records)}: {', '.join(_sums(records))}"
    lines = [_describe_record(record, docs) for record in records]
    return "\n".join([subject, "", *lines]) + "\n"


def _describe_subject(records: Sequence[Record]) -> str:
    """Return what a commit is about: a PART again, a plan, or a number of plans."""
    names = {record.name for record in records}
    if len(names) == 1 and all(record.is_again for record in records):
        return f"{records[0].name} again"
    slugs = {record.plan for record in records}
    return records[0].plan if len(slugs) == 1 else count(len(slugs), "plan")


def _sums(records: Sequence[Record]) -> list[str]:
    """Return the numbers of pages, lines and works or, without any page, of what failed."""
    written = [record for record in records if record.content is not None and not record.is_held]
    if written:
        lines = sum(record.lines for record in written)
        works = sum(record.works for record in written)
        return [
            count(len(written), "page"),
            count(lines, "line"),
            f"{count(works, 'work')} cited",
        ]
    held = sum(record.is_held for record in records)
    failed = len(records) - held
    sums = ["no page"]
    if failed:
        sums.append(f"{count(failed, 'PART')} failed")
    if held:
        sums.append(f"{count(held, 'changed page')} kept")
    return sums


def _describe_record(record: Record, docs: str) -> str:
    """Return what became of a page, in one line."""
    became = f"{count(record.lines, 'line')}, {count(record.works, 'work')} cited"
    if record.is_held:
        became = f"kept, {record.reason}"
    elif record.content is None:
        became = f"failed, {record.reason}"
    return f"- {record.name}, {docs}/{record.page}: {became}"
