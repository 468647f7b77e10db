"""CSL items as citeproc-py takes them. Pages are written by hand: what is off is read tolerantly or left out.

Variables: https://docs.citationstyles.org/en/stable/specification.html#appendix-iv-variables
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from citeproc import DATES, NAMES, VARIABLES

from generator.views.csl.markup import unmarked

_GENERATED = frozenset(
    {"citation_label", "citation_number", "first_reference_note_number", "locator", "page_first", "year_suffix"}
)
_NAME_PARTS = ("family", "given", "dropping-particle", "non-dropping-particle", "suffix")
_ISO_DATE = re.compile(r"^(-?\d{1,4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$")


def readable_item(item: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The item under the id `key`, with all that citeproc-py knows and can read."""
    found: dict[str, Any] = {"id": key, "type": text_of(item.get("type")) or "document"}
    for name, value in item.items():
        variable = str(name).replace("-", "_")
        if variable not in VARIABLES or variable in _GENERATED:
            continue
        read = _names(value) if variable in NAMES else _date(value) if variable in DATES else text_of(value)
        if read:
            found[str(name)] = read
    return found


def text_of(value: object) -> str:
    """A scalar as one line of text; empty for anything else."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    return " ".join(unmarked(str(value)).split())


def _names(value: object) -> list[dict[str, str]]:
    """A list of names; a name that is plain text is that of an institution."""
    names = value if isinstance(value, list) else [value]
    return [name for name in map(_name, names) if name]


def _name(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        text = text_of(value)
        return {"literal": text} if text else {}
    parts = {part: text for part in (*_NAME_PARTS, "literal") if (text := text_of(value.get(part)))}
    if "literal" in parts or "family" not in parts:
        literal = parts.get("literal") or parts.get("given", "")
        return {"literal": literal} if literal else {}
    return parts


def _date(value: object) -> dict[str, Any] | None:
    """A date in parts where it can be had so, else as it is written."""
    if not isinstance(value, dict):
        return _written_date(str(value)) if value else None
    parts = value.get("date-parts")
    dates = [date for date in map(_parts, parts if isinstance(parts, list) else ()) if date][:2]
    if not dates:
        return _written_date(str(value.get("raw") or value.get("literal") or ""))
    found: dict[str, Any] = {"date-parts": dates}
    if value.get("circa"):
        found["circa"] = 1
    season = text_of(value.get("season"))
    if season in {"1", "2", "3", "4"}:
        found["season"] = int(season)
    return found


def _written_date(text: str) -> dict[str, Any] | None:
    text = text_of(text)
    iso = _ISO_DATE.match(text.partition("T")[0])
    parts = _parts([part for part in iso.groups() if part]) if iso else []
    return {"date-parts": [parts]} if parts else {"literal": text} if text else None


def _parts(value: object) -> list[int]:
    """Year, month and day as far as they are numbers that a calendar has."""
    found: list[int] = []
    for part, (low, high) in zip(value if isinstance(value, Sequence) else (), _CALENDAR, strict=False):
        number = text_of(part)
        if not re.fullmatch(r"-?\d{1,4}", number) or not low <= int(number) <= high:
            break
        found.append(int(number))
    return found


_CALENDAR = ((-9999, 9999), (1, 12), (1, 31))
