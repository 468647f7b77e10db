"""Record: what one page's end puts on the disk, in this order: page, drop, mark. Each step may be done twice.

What is to be written is fixed first, as a `Record` in the ledger. A run that is killed in between is followed by one
that writes the same again, and what is there already it leaves.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from generator.model import Part, Plan, PlanUri, State
from generator.plan.mark import mark
from generator.plan.parse import parse_bytes
from generator.store import Settings, read_plans, write_atomic, write_work

HELD = "held"
"""Where, in the working folder, a page lies that could not go to its place."""


@dataclass(frozen=True, slots=True)
class Record:
    """What is to be written for one page."""

    plan: str
    """The plan's slug."""
    number: int
    targets: tuple[str, ...]
    """The PART's, as its plan writes them: with the number, they tell it from others."""
    page: str
    """The page's uri."""
    drop: str
    """The drop's path in the project."""
    report: str
    """The drop's text."""
    when: str
    """In UTC, as ``YYYY-MM-DDTHH:MM:SSZ``."""
    content: str | None = None
    """The page's text; ``None`` where there is no page to write."""
    before: str | None = None
    """The SHA-256 of what lay in the page's place when the PART was begun; ``None`` where nothing did."""
    mark: State | None = None
    """How to mark the PART; ``None`` leaves its mark as it is."""
    reason: str = ""
    """Why there is no page."""
    lines: int = 0
    works: int = 0
    """How many works the page cites."""


def places(settings: Settings, record: Record, plan: Plan | None) -> tuple[str, ...]:
    """The files that `record` writes, by path from the project's folder."""
    page = [f"{settings.docs_dir.strip('/')}/{record.page}"] if record.content is not None else []
    marked = [str(plan.uri)] if plan and record.mark else []
    return (*page, record.drop, *marked)


def write_report(settings: Settings, record: Record, uri: str | None) -> str | None:
    """Writes drop and mark; the trouble that there was, in words. `uri` is where the plan lies, as far as is known."""
    drop = settings.root / record.drop
    if not drop.exists():
        write_atomic(drop, record.report.encode("utf-8"))
    return _write_mark(settings, record, uri) if record.mark else None


def fingerprint(path: Path) -> str | None:
    """The SHA-256 of a file; ``None`` where there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def find_plan_file(settings: Settings, slug: str) -> Mapping[str, bytes]:
    """The plan of this slug, by path: none or one, but for two plans of one slug."""
    folder = settings.plans_dir.strip("/")
    plans, _ = read_plans(settings.root / folder, folder)
    return {uri: raw for uri, raw in plans.items() if Plan(PlanUri(uri), "", (), (), (), folder=folder).slug == slug}


def write_page(settings: Settings, record: Record) -> str | None:
    """Writes the page, where there is one; the trouble that there was, in words.

    A page that someone else has written in the meantime is left as it is; what was made lies in the working folder.
    """
    if record.content is None:
        return None
    docs = (settings.root / settings.docs_dir).resolve()
    path = settings.root / settings.docs_dir / record.page
    if not path.resolve().is_relative_to(docs):
        return f"{record.page} leads out of {settings.docs_dir}/ by a link; nothing was written"
    content = record.content.encode("utf-8")
    there = fingerprint(path)
    if there == hashlib.sha256(content).hexdigest():
        return None
    if there != record.before:
        write_work(settings.root, f"{HELD}/{record.page}", content)
        return (
            f"{settings.docs_dir}/{record.page} was written by someone else in the meantime, and is left as it is; "
            f"what was made lies in .planbook/{HELD}/{record.page}"
        )
    write_atomic(path, content)
    return None


def _write_mark(settings: Settings, record: Record, uri: str | None) -> str | None:
    if uri is None or not (settings.root / uri).is_file():
        uri = next(iter(find_plan_file(settings, record.plan)), None)
    if uri is None:
        return f"the plan {record.plan} is not there any more; PART {record.number} could not be marked"
    path = settings.root / uri
    raw = path.read_bytes()
    part = _same_part(parse_bytes(raw, uri)[0], record)
    if part is None:
        return f"{uri} has no PART {record.number} with this page any more; it could not be marked"
    if part.state in {State.DISABLED, State.SKIPPED} or record.mark is None:
        return None
    when = datetime.fromisoformat(record.when)
    # Bytes that are no UTF-8 come out as they went in.
    text = raw.decode("utf-8", errors="surrogateescape")
    marked = mark(text, part, record.mark, when, record.reason or None).encode("utf-8", errors="surrogateescape")
    if marked != raw:
        write_atomic(path, marked)
    return None


def _same_part(plan: Plan, record: Record) -> Part | None:
    """The PART that `record` is about, in the plan as it is now."""
    named = [part for part in plan.parts if part.number == record.number and part.targets == record.targets]
    live = [part for part in named if part.state is not State.DISABLED]
    return next(iter(live or named), None)
