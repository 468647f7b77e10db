"""The words of a commit: how many pages, lines and works, and which PARTs failed. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from generator.expand.record import Record


def commit_message(records: Sequence[Record], docs_dir: str, verb: str = "Expand") -> str:
    """A subject line with plans, pages, lines and works; below it a line a page, and one for each PART that failed."""
    written = [record for record in records if record.content is not None]
    failed = [record for record in records if record.content is None]
    slugs = tuple(dict.fromkeys(record.plan for record in records))
    about = slugs[0] if len(slugs) == 1 else _count(len(slugs), "plan")
    sums = [
        _count(len(written), "page"),
        _count(sum(r.lines for r in written), "line"),
        f"{_count(sum(r.works for r in written), 'work')} cited",
    ]
    if not written:
        sums = [f"no page, {_count(len(failed), 'PART')} failed"]
    lines = [f"{verb} {about}: {', '.join(sums)}", ""]
    for slug in slugs:
        lines += [f"{slug}:"] if len(slugs) > 1 else []
        lines += [_line(record, docs_dir.strip("/")) for record in records if record.plan == slug]
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
