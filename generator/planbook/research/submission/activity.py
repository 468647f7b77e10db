"""The work on PARTs, for `planbook status --watch`: who is at which, and how far.

Pure, but for `read_activity`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from planbook.library import Entry, Library
from planbook.markdown.plain_text import count
from planbook.model import FINISHED_STATES, WAITING_STATES, Part, Plan, State
from planbook.research.git import shared_folder
from planbook.research.leases import Lease, LeaseBook
from planbook.research.submission.refusals import Refusal, RefusalLog
from planbook.store import Settings


@dataclass(frozen=True, slots=True)
class PartActivity:
    """A PART as it is now."""

    plan: str
    """The plan's slug."""
    part: int
    state: State
    pages: tuple[str, ...]
    """Its pages by uri."""
    lease: Lease | None = None
    """The claim of its runner, if somebody works on it."""
    refusals: tuple[Refusal, ...] = ()
    """The submissions of its pages that were refused, oldest first."""
    drop: str = ""
    """The path of its last drop."""
    outcome: str = ""
    """The outcome of that drop: ``done``, ``partial`` or ``failed``."""

    @property
    def name(self) -> str:
        """The PART's name for users."""
        return f"{self.plan} PART {self.part}"

    @property
    def tries(self) -> int:
        """The number of submissions."""
        return len(self.refusals) + (self.state in FINISHED_STATES)

    @property
    def is_left(self) -> bool:
        """True if somebody has to work on it, or does."""
        return self.lease is not None or (self.state in WAITING_STATES and self.outcome != "failed")


def read_activity(settings: Settings, library: Library, now: datetime) -> tuple[PartActivity, ...]:
    """Return the counted PARTs of the plans, in their order."""
    leases = LeaseBook(settings.root).current(now)
    log = RefusalLog(shared_folder(settings.root))
    return tuple(
        _activity(library, plan, part, leases, log)
        for plan in library.plans
        for part in library.parts_with_pages(plan)
    )


def _activity(
    library: Library,
    plan: Plan,
    part: Part,
    leases: Mapping[tuple[str, int], Lease],
    log: RefusalLog,
) -> PartActivity:
    """Return one PART."""
    entries: Sequence[Entry] = library.entries_of(plan, part)
    uris = tuple(str(entry.uri) for entry in entries)
    refusals = tuple(
        refusal for uri in uris for refusal in log.read_of(plan.slug, part.number, uri)
    )
    key = (plan.slug, part.number)
    drops = [drop for drop in library.drops if (drop.plan, drop.part) == key]
    latest = max(drops, key=lambda drop: drop.timestamp or "", default=None)
    return PartActivity(
        plan.slug,
        part.number,
        part.state,
        uris,
        lease=leases.get(key),
        refusals=refusals,
        drop=str(latest.uri) if latest else "",
        outcome=(latest.outcome or "") if latest else "",
    )


def activity_to_json(part: PartActivity) -> dict[str, object]:
    """Return a PART as JSON data."""
    lease = part.lease
    return {
        "part": part.part,
        "state": part.state.value,
        "pages": list(part.pages),
        "is_left": part.is_left,
        "runner": lease.runner if lease else None,
        "since": lease.since if lease else None,
        "tries": part.tries,
        "outcome": part.outcome or None,
        "drop": part.drop or None,
    }


def describe_activity_changes(
    before: Sequence[PartActivity], after: Sequence[PartActivity]
) -> Iterator[str]:
    """Yield a line for each thing that happened between two moments."""
    known = {(part.plan, part.part): part for part in before}
    for now in after:
        was = known.get((now.plan, now.part))
        if was is not None:
            for change in _changes_of_part(was, now):
                yield f"{now.name}: {change}"


def _changes_of_part(was: PartActivity, now: PartActivity) -> Iterator[str]:
    """Yield each thing that happened to one PART."""
    last_runner = was.lease.runner if was.lease else None
    if now.lease and now.lease.runner != last_runner:
        yield f"claimed by {now.lease.runner}"
    for refusal in now.refusals[len(was.refusals) :]:
        yield f"refused, {refusal.runner}: {count(len(refusal.failures), 'failure')}"
    has_new_drop = (now.drop, now.outcome) != (was.drop, was.outcome)
    is_reported = has_new_drop or now.state is not was.state
    if is_reported and now.outcome == "failed":
        yield f"given up; {now.drop}"
    elif is_reported and now.state in FINISHED_STATES:
        yield f"accepted, {now.state}; {', '.join(now.pages)}"
    elif was.lease and now.lease is None:
        yield f"free again: {was.lease.runner} ended without an accepted page"


def describe_activity(parts: Sequence[PartActivity]) -> str:
    """Return what is done and left, in one line."""
    finished = sum(part.state in FINISHED_STATES for part in parts)
    held = sum(part.lease is not None for part in parts)
    waiting = sum(part.is_left for part in parts) - held
    given_up = [part for part in parts if part.outcome == "failed" and not part.lease]
    failed = sum(part.state in WAITING_STATES for part in given_up)
    texts = [
        f"{finished} of {count(len(parts), 'PART')} accepted",
        f"{held} in work",
        f"{waiting} left",
    ]
    if failed:
        texts.append(f"{failed} given up")
    return ", ".join(texts)
