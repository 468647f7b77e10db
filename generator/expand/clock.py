"""What time it is, as a value that is handed on: two runs that are told the same time write the same bytes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

FORMAT = "%Y-%m-%dT%H:%M:%SZ"


@dataclass(frozen=True, slots=True)
class Clock:
    """The system's clock, or one that stands still."""

    fixed: datetime | None = None

    def time(self) -> datetime:
        """The time, in UTC."""
        return self.fixed or datetime.now(UTC)

    def now(self) -> str:
        """The time in UTC, as ``YYYY-MM-DDTHH:MM:SSZ``."""
        return self.time().strftime(FORMAT)
