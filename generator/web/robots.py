"""What a host's robots.txt asks of us."""

from __future__ import annotations

from dataclasses import dataclass

from protego import Protego  # type: ignore[attr-defined,unused-ignore]

TOKEN = "planbook"  # noqa: S105 - what robots.txt calls us by, no secret
MAX_BYTES = 500 * 1024
"""At least as much must be read (https://www.rfc-editor.org/rfc/rfc9309#section-2.5)."""
MAX_DELAY_S = 30.0
"""Seconds between requests that we are ready to keep; a host that asks for more gets these."""


@dataclass(frozen=True, slots=True)
class Rules:
    """One host's wishes."""

    parsed: Protego | None = None
    """``None`` where there is no robots.txt: everything is allowed."""

    def allows(self, url: str) -> bool:
        """Whether `url` may be asked for."""
        return self.parsed is None or self.parsed.can_fetch(url, TOKEN)

    @property
    def delay_s(self) -> float:
        """Seconds to leave between two requests; 0 where nothing is said."""
        delay = self.parsed.crawl_delay(TOKEN) if self.parsed else None
        return min(max(delay or 0.0, 0.0), MAX_DELAY_S)


def parse_rules(text: str) -> Rules:
    """The rules in a robots.txt."""
    return Rules(Protego.parse(text))
