"""The time of what is recorded."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from planbook.model import format_time


@dataclass(frozen=True, slots=True)
class Clock:
    """The system's clock, or a fixed time: two runs at the same fixed time write the same bytes."""

    fixed: datetime | None = None

    def now(self) -> datetime:
        """Return the time in UTC."""
        return self.fixed or datetime.now(UTC)

    def stamp(self) -> str:
        """Return the time in UTC as ``YYYY-MM-DDTHH:MM:SSZ``."""
        return format_time(self.now())
