"""Parse robots.txt."""

from __future__ import annotations

from dataclasses import dataclass

from protego import Protego  # type: ignore[attr-defined,unused-ignore]

TOKEN = "planbook"  # noqa: S105 - our user-agent token in robots.txt, no secret
MAX_BYTES = 500 * 1024
"""The minimum that must be parsed (https://www.rfc-editor.org/rfc/rfc9309#section-2.5)."""
MAX_DELAY_S = 30.0
"""Longest crawl delay in seconds that is respected; longer ones are cut to it."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one host."""

    parsed: Protego | None = None
    """The parsed file; ``None`` if there is none and everything is allowed."""

    def allows(self, url: str) -> bool:
        """Return whether `url` may be requested."""
        return self.parsed is None or self.parsed.can_fetch(url, TOKEN)

    @property
    def delay_s(self) -> float:
        """Seconds to wait between two requests; 0 if not stated."""
        delay = self.parsed.crawl_delay(TOKEN) if self.parsed else None
        return min(max(delay or 0.0, 0.0), MAX_DELAY_S)


def parse_rules(text: str) -> Rules:
    """Parse the rules of a robots.txt."""
    return Rules(Protego.parse(text))
