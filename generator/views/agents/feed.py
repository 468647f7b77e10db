"""An Atom feed of finished PARTs (RFC 4287), dated by plans and by git, never by the build."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

from generator.library import Entry, Library
from generator.model import State
from generator.views.template import render_template

FEED = "feed.xml"
MAX_ENTRIES = 100

_STAMP = re.compile(
    r"(?P<year>\d{4})[-/](?P<month>\d{1,2})[-/](?P<day>\d{1,2})"
    r"(?:[T ,]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?"
    r"\s*(?P<zone>Z|[A-Za-z]{2,5}|[+-]\d{2}:?\d{2})?)?"
)
_ZONES = {
    **{"Z": 0, "UTC": 0, "GMT": 0, "WET": 0, "BST": 60, "CET": 60, "CEST": 120, "EET": 120, "EEST": 180},
    **{"EST": -300, "EDT": -240, "CST": -360, "CDT": -300, "MST": -420, "MDT": -360, "PST": -480, "PDT": -420},
}
"""Offsets in minutes from UTC. Ambiguous zone names have the meaning of RFC 5322."""


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One entry of the feed."""

    entry: Entry
    when: datetime

    @property
    def time(self) -> str:
        """As Atom writes it."""
        return f"{self.when:%Y-%m-%dT%H:%M:%SZ}"


def feed_entries(library: Library, committed: Callable[[str], str | None] = lambda uri: None) -> tuple[FeedEntry, ...]:
    """Return the PARTs that are marked done and have their page, newest first.

    They are dated by the plan; where it has no date, `committed` gives the day of a page's first commit by its uri. A
    page without a date is left out.
    """
    found = []
    for entry in library.by_uri.values():
        if entry.state is State.DONE and entry.page:
            when = moment(entry.part.completed or "") or moment(committed(entry.uri) or "")
            if when:
                found.append(FeedEntry(entry, when))
    return tuple(sorted(found, key=lambda f: (-f.when.timestamp(), f.entry.uri)))


def moment(text: str) -> datetime | None:
    """Return the moment of a completion time; a day alone, or a time of an unknown zone, is the day's first in UTC."""
    stamp = _STAMP.search(text)
    if not stamp:
        return None
    zone = _zone(stamp["zone"] or "")
    clock = [int(stamp[name] or 0) for name in ("hour", "minute", "second")] if zone else [0, 0, 0]
    try:
        day = [int(stamp[name]) for name in ("year", "month", "day")]
        return datetime(*day, *clock, tzinfo=zone or UTC).astimezone(UTC)  # type: ignore[arg-type,misc]
    except (ValueError, OverflowError):
        return None


def feed(name: str, about: str, site_url: str, entries: Sequence[FeedEntry], url_of: Callable[[str], str]) -> str:
    """Return the feed as XML; empty where there is no entry. `url_of` gives a page's address.

    An entry's id is its page's address; where the site does not know its own, a ``tag:`` URI with the page's path.
    """
    if not entries:
        return ""
    base = site_url.rstrip("/") + "/" if site_url else ""
    tag, entries = "tag:planbook.invalid,2025:", entries[:MAX_ENTRIES]
    text = render_template("feed.xml", name=name, about=about, base=base, tag=tag, entries=entries, url_of=url_of)
    return f"{text}\n"


def _zone(name: str) -> timezone | None:
    offset = re.fullmatch(r"([+-])(\d{2}):?(\d{2})", name)
    if offset:
        minutes = int(offset[2]) * 60 + int(offset[3])
        minutes = -minutes if offset[1] == "-" else minutes
        return timezone(timedelta(minutes=minutes)) if abs(minutes) < 24 * 60 else None
    minutes_of = _ZONES.get(name.upper())
    return None if minutes_of is None else timezone(timedelta(minutes=minutes_of))
