"""Leases of PARTs: who works on which, so that two runners do not write one page.

The leases of all worktrees are in one file, which is changed under a lock of its own. An expired
lease is free.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import msgspec
from filelock import FileLock

from planbook.model import Part, Plan, format_time
from planbook.research.git import shared_folder
from planbook.store.files import RefusedError, read_own_json, write_atomic, writing

_LEASES, _LOCK = "claims.json", "claims.lock"
_IF_DAMAGED = "if nobody is at work, delete it, and all PARTs are free"


class ClaimedError(RefusedError):
    """Somebody else has the PART; the message says who, and until when."""


class Lease(msgspec.Struct, frozen=True):
    """A PART that somebody works on, until a time."""

    plan: str
    """The plan's slug."""
    part: int
    runner: str = msgspec.field(name="name")
    """The name of whoever has it; `name` in the file."""
    since: str
    until: str
    """Both in UTC, as ``YYYY-MM-DDTHH:MM:SSZ``."""

    @property
    def key(self) -> tuple[str, int]:
        """The plan's slug and the PART's number."""
        return self.plan, self.part

    def __str__(self) -> str:
        return f"claimed by {self.runner} until {self.until}"


class LeaseBook:
    """The leases of a project."""

    def __init__(self, root: Path) -> None:
        self._folder = shared_folder(root)

    def current(self, now: datetime) -> Mapping[tuple[str, int], Lease]:
        """Return the leases that have not expired, by plan and PART.

        Raises RefusedError if their file cannot be read: to take it for empty would free all PARTs.
        """
        stored = read_own_json(self._folder / _LEASES, tuple[Lease, ...], _IF_DAMAGED) or ()
        moment = format_time(now)
        return {lease.key: lease for lease in stored if moment < lease.until}

    def claim(self, plan: Plan, part: Part, runner: str, now: datetime, minutes: float) -> Lease:
        """Lease a PART, or renew the lease of the same runner, and return the lease.

        Raises:
            ClaimedError: somebody else has it.
            RefusedError: the leases cannot be read.
            UnwritableError: the leases cannot be written.
        """
        with self._changing(now) as leases:
            check_unclaimed(leases, plan, part, runner)
            older = leases.get((plan.slug, part.number))
            since = older.since if older else format_time(now)
            until = format_time(now + timedelta(minutes=minutes))
            lease = Lease(plan.slug, part.number, runner, since, until)
            leases[lease.key] = lease
        return lease

    def release(self, plan: Plan, part: Part, runner: str, now: datetime) -> bool:
        """Give up the lease of this runner, and return whether there was one.

        Raises RefusedError and UnwritableError.
        """
        with self._changing(now) as leases:
            return _end_lease(leases, plan, part, runner)

    @contextmanager
    def finishing(self, plan: Plan, part: Part, runner: str, now: datetime) -> Iterator[None]:
        """Let nobody claim a PART while its page is recorded, then end the lease of this runner.

        The lease stays if recording fails.

        Raises:
            ClaimedError: somebody else has it.
            RefusedError: the leases cannot be read.
            UnwritableError: the leases cannot be written.
        """
        with self._changing(now) as leases:
            check_unclaimed(leases, plan, part, runner)
            yield
            _end_lease(leases, plan, part, runner)

    @contextmanager
    def _changing(self, now: datetime) -> Iterator[dict[tuple[str, int], Lease]]:
        """Yield the current leases to change, while nobody else changes them.

        They are written at the end.
        """
        with writing(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
        with writing(self._folder / _LOCK), FileLock(self._folder / _LOCK):
            earlier_leases = dict(self.current(now))
            leases = dict(earlier_leases)
            yield leases
            if leases != earlier_leases:
                content = msgspec.json.encode(tuple(leases.values()))
                write_atomic(self._folder / _LEASES, content + b"\n")


def _end_lease(leases: dict[tuple[str, int], Lease], plan: Plan, part: Part, runner: str) -> bool:
    """Remove the lease of this runner, and return whether there was one."""
    key = (plan.slug, part.number)
    is_held = key in leases and leases[key].runner == runner
    if is_held:
        del leases[key]
    return is_held


def check_unclaimed(
    leases: Mapping[tuple[str, int], Lease], plan: Plan, part: Part, runner: str
) -> None:
    """Raise :class:`ClaimedError` if somebody else has the PART."""
    lease = leases.get((plan.slug, part.number))
    if lease is not None and lease.runner != runner:
        raise ClaimedError(
            f"PART {part.number} of {plan.uri} is {lease}; take another PART, or wait until then"
        )
