"""Three things a page may say of itself, which are not the same: it was generated, reviewed, verified.

A program wrote it; a person read it; its quotes were looked for in their sources. None follows from another.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from generator.model import Drop, Page
from generator.views.checks import PageCheck, SourceStatus, in_words
from generator.views.labels import count

WRITERS = {
    "extract": "by extraction from its sources",
    "llm": "by a language model",
    "command": "by a command of this base's keepers",
}
"""How a writer of `make expand` is told; another one by its own name."""
BY_HAND = frozenset({"hand", "person"})
_GOOD = frozenset({SourceStatus.LIVE, SourceStatus.STORED, SourceStatus.MOVED})
_NO_NAME = re.compile(r"(?:PART|Worker|Runner)\s*\d*", re.IGNORECASE)
"""A runner that names itself after its work."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One line of the three."""

    kind: str
    """``generated``, ``reviewed`` or ``verified``."""
    holds: str
    """``yes``, ``partly`` or ``no``."""
    label: str
    text: str


def statements(page: Page, drop: Drop | None, checked: PageCheck | None, *, is_current: bool) -> tuple[Statement, ...]:
    """What can be said of `page`: how it was made, whether a person read it, whether its sources were checked.

    `checked` is the last check of it, and `is_current` whether the page is still the one that was checked.
    """
    made = _generated(page, drop)
    return (*((made,) if made else ()), _reviewed(page), _verified(page, checked, is_current=is_current))


def has_word(page: Page, checked: PageCheck | None) -> bool:
    """Whether the page itself, or a check of it, says any of the three."""
    return checked is not None or any(page.meta_value(key) for key in ("generated", "reviewed"))


def day_of(value: object) -> str:
    """``YYYY-MM-DD`` at the beginning of a date, a time or a text; empty where there is none."""
    found = re.match(r"\d{4}-\d{2}-\d{2}", str(value)) if value else None
    try:
        return date.fromisoformat(found[0]).isoformat() if found else ""
    except ValueError:
        return ""


def generated_day(page: Page) -> str:
    """When a program wrote the page, as its front matter says."""
    return day_of(_generated_fields(page).get("date"))


def _generated(page: Page, drop: Drop | None) -> Statement | None:
    said = _generated_fields(page)
    day = day_of(said.get("date"))
    if not said and drop and drop.runner:  # the report of the attempt says who made the page
        runner = "a runner" if _NO_NAME.fullmatch(drop.runner.strip()) else drop.runner
        text = _dated(f"by {runner}, as its drop says", day_of(drop.timestamp))
        return Statement("generated", "yes", "Made", text)
    if not said:
        return None
    writer = said.get("writer", "")
    if writer in BY_HAND:
        return Statement("generated", "yes", "Written", _dated("by hand", day))
    how = WRITERS.get(writer, f"by {writer}" if writer else "by a program")
    model = f" ({said['model']})" if said.get("model") else ""
    return Statement("generated", "yes", "Generated", _dated(how + model, day))


def _reviewed(page: Page) -> Statement:
    value = page.meta_value("reviewed")
    if value in (None, "", False):
        return Statement("reviewed", "no", "Not reviewed", "by a person yet")
    said = value if isinstance(value, Mapping) else {"date": value}
    day = day_of(said.get("date"))
    person = str(said.get("by") or "")
    if not day and not person and isinstance(value, str):
        person = value
    text = _dated(f"by {person}" if person else "", day).removeprefix(", ")
    if day and generated_day(page) > day:
        return Statement("reviewed", "no", "Not reviewed", f"since it was generated; the text before was, {text}")
    return Statement("reviewed", "yes", "Reviewed", text)


def _verified(page: Page, checked: PageCheck | None, *, is_current: bool) -> Statement:
    if checked is None:
        return Statement("verified", "no", "Not verified", "yet" if page.references else "– it cites no works")
    if not is_current:
        return Statement("verified", "no", "Not verified", f"since it changed; last checked {checked.day}")
    asked = [(status, n) for status, n in checked.counts() if status is not SourceStatus.OFFWEB]
    sources = in_words(asked) if asked else "none of its works is on the web"
    if checked.is_offline and asked:
        sources += " (no host was asked)"
    is_well = checked.found == checked.quotes and all(status in _GOOD for status, _ in asked)
    if not checked.quotes:
        return Statement("verified", "yes" if is_well else "partly", "Sources checked", f"{checked.day}: {sources}")
    label = f"{checked.found} of {count(checked.quotes, 'quote')} verified"
    return Statement("verified", "yes" if is_well else "partly", label, f"on {checked.day}; {sources}")


def _dated(text: str, day: str) -> str:
    return f"{text}, {day}" if day else text


def _generated_fields(page: Page) -> Mapping[str, str]:
    """The front matter's ``generated``: a mapping, or the writer alone; YAML's own dates are texts too."""
    value = page.meta_value("generated")
    if isinstance(value, Mapping):
        return {str(name): str(given) for name, given in value.items() if given is not None}
    return {"writer": value} if isinstance(value, str) and value else {}
