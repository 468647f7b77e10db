"""An Atom feed of finished PARTs (RFC 4287). Its dates are those of plans and of git, never the build's."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

from generator.library import Entry, Library
from generator.model import State
from generator.views.agents.xml_text import xml_attribute, xml_text

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
"""Minutes from UTC. Names that stand for several zones elsewhere mean those of RFC 5322 here."""


@dataclass(frozen=True, slots=True)
class Finished:
    """One entry of the feed."""

    entry: Entry
    when: datetime


def finished(library: Library, committed: Callable[[str], str | None] = lambda uri: None) -> tuple[Finished, ...]:
    """The PARTs whose page is there and that are marked done, newest first.

    When they were finished says the plan; where it does not, `committed` gives the day of a page's first commit by its
    uri. One of which nobody knows the day is left out.
    """
    found = []
    for entry in library.by_uri.values():
        if entry.state is State.DONE and entry.page:
            when = moment(entry.part.completed or "") or moment(committed(entry.uri) or "")
            if when:
                found.append(Finished(entry, when))
    return tuple(sorted(found, key=lambda f: (-f.when.timestamp(), f.entry.uri)))


def moment(text: str) -> datetime | None:
    """The moment of a completion time; a day alone, and a time of an unknown zone, is the day's first in UTC."""
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


def atom(name: str, about: str, site_url: str, entries: Sequence[Finished], url_of: Callable[[str], str]) -> str:
    """The feed as XML; empty where there is no entry. `url_of` gives a page's address, absolute if the site knows it.

    An entry's id is its page's address; where the site does not know its own, a ``tag:`` URI with the page's path.
    """
    if not entries:
        return ""
    base = site_url.rstrip("/") + "/" if site_url else ""
    tag = "tag:planbook.invalid,2025:"
    own = f'  <link rel="self" href={xml_attribute(base + FEED)}/>'
    links = [own, f"  <link href={xml_attribute(base)}/>"] if base else []
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        f"  <title>{xml_text(name)}</title>",
        *([f"  <subtitle>{xml_text(about)}</subtitle>"] if about else []),
        f"  <id>{xml_text(base or tag)}</id>",
        f"  <updated>{_stamp(entries[0].when)}</updated>",
        f"  <author><name>{xml_text(name)}</name></author>",
        *links,
    ]
    for item in entries[:MAX_ENTRIES]:
        entry, page = item.entry, item.entry.page
        lines += [
            "  <entry>",
            f"    <title>{xml_text(page.title if page else entry.title)}</title>",
            f"    <id>{xml_text(url_of(entry.uri) if base else tag + entry.uri)}</id>",
            f"    <link href={xml_attribute(url_of(entry.uri))}/>",
            f"    <updated>{_stamp(item.when)}</updated>",
            *([f"    <summary>{xml_text(entry.description)}</summary>"] if entry.description else []),
            f"    <category term={xml_attribute(entry.plan.slug)} label={xml_attribute(entry.plan.title)}/>",
            "  </entry>",
        ]
    return "\n".join([*lines, "</feed>", ""])


def _zone(name: str) -> timezone | None:
    offset = re.fullmatch(r"([+-])(\d{2}):?(\d{2})", name)
    if offset:
        minutes = int(offset[2]) * 60 + int(offset[3])
        minutes = -minutes if offset[1] == "-" else minutes
        return timezone(timedelta(minutes=minutes)) if abs(minutes) < 24 * 60 else None
    minutes_of = _ZONES.get(name.upper())
    return None if minutes_of is None else timezone(timedelta(minutes=minutes_of))


def _stamp(when: datetime) -> str:
    return f"{when:%Y-%m-%dT%H:%M:%SZ}"
