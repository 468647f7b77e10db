"""Dates of works, in every form that CSL items have: read once, shown, and written as CSL-JSON and BibLaTeX.

Sources: https://docs.citationstyles.org/en/stable/specification.html#date-variables, the CSL-JSON schema 1.0.2,
https://www.loc.gov/standards/datetime/ (EDTF). Pandoc also writes lists of maps and ``{year: 1950, month: 2}``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

_MONTHS = tuple(
    (name, n % 12 + 1)
    for n, name in enumerate(
        re.findall(
            r"\w+",
            "january february march april may june july august september october november december "
            "januar februar märz april mai juni juli august september oktober november dezember "
            "janvier février mars avril mai juin juillet août septembre octobre novembre décembre "
            "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        )
    )
)
"""The names of months in English, German, French and Spanish; three letters of one are enough."""
_NAMES = tuple(f"{date(2000, n, 1):%B}" for n in range(1, 13))
_SEASONS = ("spring", "summer", "autumn", "winter")
_FIRST_SEASON = 21
"""EDTF's month for spring; older programs write 13."""

_YEAR = r"(?P<minus>-)?(?P<year>\d{1,4})"
_WORD = r"(?P<word>[^\W\d_]{3,10})\.?"
"""The name of a month or a season."""
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?\.?"
_FORMS = tuple(
    re.compile(rf"(?:a\.?d\.?\s?)?{form}(?:\s?(?P<bc>b\.?c\.?(?:e\.?)?)|\s?(?:a\.?d\.?|c\.?e\.?))?", re.IGNORECASE)
    for form in (
        rf"{_YEAR}(?:[-/.](?P<month>\d{{1,2}})(?:[-/.](?P<day>\d{{1,2}})(?:[T ]\d.*)?)?)?",  # 2020, 2020-03, 2020/3/30
        r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)",  # 20200330
        r"(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.\s?(?P<year>\d{4})",  # 30.3.2020
        r"(?P<month>\d{1,2})/(?P<year>\d{4})",  # 03/2020
        rf"{_YEAR}[-\s]{_WORD}(?:[-\s]{_DAY})?",  # 2020 March 30, 2020 spring
        rf"(?:{_DAY}[-\s](?:of\s)?)?{_WORD},?[-\s]{_YEAR}",  # March 2019, 30-Mar-2020, Spring 2020
        rf"{_WORD}\s{_DAY},?\s{_YEAR}",  # March 30, 2020
    )
)
_CIRCA = re.compile(r"^(?:c\.?|ca\.?|circa|about|around|approx\.?|~)\s*(?=[\d-])|[~?%]$|^\[(?=\d)|(?<=[\d?~])\]$", re.I)
_RANGE = re.compile(r"(?:(?<!\s)\s+)?/\s*|\s(?:-|–|—|to)\s|(?<=\d{4})\s?[-–—]\s?(?=\d{4}$)")
_YEAR_AND_SHORT = re.compile(r"\d{1,4}/\d{1,2}")
"""A month that does not exist, or two years: 2019/20."""


@dataclass(frozen=True, slots=True)
class PartialDate:
    """A year, month or day."""

    year: int
    """Negative before Christ: -44 is 44 BC. There is no year 0."""
    month: int = 0
    """1 to 12; 0 if it is unknown."""
    day: int = 0
    """1 to 31; 0 if it is unknown."""
    season: int = 0
    """1 for spring to 4 for winter; 0 for none."""

    def __str__(self) -> str:
        if self.season:
            return f"{_SEASONS[self.season - 1].capitalize()} {self._year}"
        if self.year > 999:
            return "-".join([str(self.year), *(f"{n:02}" for n in (self.month, self.day) if n)])
        words = [str(self.day)] if self.day else []
        words += [_NAMES[self.month - 1]] if self.month else []
        return " ".join([*words, self._year])

    @property
    def parts(self) -> list[int]:
        """The known parts, as in CSL's ``date-parts``."""
        return [self.year, *(n for n in (self.month, self.day) if n)]

    @property
    def edtf(self) -> str:
        """The date in EDTF, whose year 0 is 1 BC."""
        year = f"{self.year:04}" if self.year > 0 else f"-{-self.year - 1:04}" if self.year < -1 else "0000"
        month = self.season + _FIRST_SEASON - 1 if self.season else self.month
        return "-".join([year, *(f"{n:02}" for n in (month, self.day) if n)])

    @property
    def _year(self) -> str:
        if self.year < 0:
            return f"{-self.year} BC"
        return str(self.year) if self.year > 999 else f"{self.year} AD"


@dataclass(frozen=True, slots=True)
class WorkDate:
    """The date of a work: a day, a range, or words."""

    dates: tuple[PartialDate, ...] = ()
    """One, or the first and the last of a range; empty if it is known in words only."""
    is_circa: bool = False
    is_open: bool = False
    """True for a range without an end."""
    literal: str = ""
    """The words, if there is no date in numbers."""

    def __str__(self) -> str:
        if not self.dates:
            return self.literal
        years_only = all(one.parts == [one.year] and one.year > 999 and not one.season for one in self.dates)
        joined = ("–" if years_only else " to ").join(map(str, self.dates)) + ("–" if self.is_open else "")
        return f"c. {joined}" if self.is_circa else joined

    @property
    def iso(self) -> str:
        """The first date as ``2024``, ``2024-08`` or ``2024-08-05``; empty for words and years before 1000."""
        one = self.dates[0] if self.dates else None
        if one is None or one.year <= 999:
            return ""
        return str(one.year) if one.season else str(one)

    @property
    def csl(self) -> dict[str, Any]:
        """The date as CSL-JSON."""
        if not self.dates or self.is_open or (len(self.dates) > 1 and any(one.season for one in self.dates)):
            return {"literal": str(self)}
        found: dict[str, Any] = {"date-parts": [one.parts for one in self.dates]}
        if self.dates[0].season:
            found["season"] = self.dates[0].season
        return {**found, "circa": True} if self.is_circa else found

    @property
    def biblatex(self) -> dict[str, str]:
        """The field for BibLaTeX: ``date``, or ``year`` for words."""
        if not self.dates:
            return {"year": self.literal}
        mark = "~" if self.is_circa else ""
        return {"date": "/".join(f"{one.edtf}{mark}" for one in self.dates) + ("/" if self.is_open else "")}


def read_date(value: object) -> WorkDate | None:
    """Return the date in a CSL item, or a plain one; ``None`` if there is none or it cannot be read."""
    if isinstance(value, bool) or value is None or value in ("", [], {}):
        return None
    if isinstance(value, datetime | date):
        return WorkDate((PartialDate(value.year, value.month, value.day),))
    if isinstance(value, int | float):
        one = _date_in(str(value)) if value > 9999 else _checked(value)
        return WorkDate((one,)) if one else None
    if isinstance(value, str):
        return _from_text(value)
    if isinstance(value, Mapping):
        return _from_map(value)
    return _from_list(value) if isinstance(value, list | tuple) else None


def _from_map(value: Mapping[Any, Any]) -> WorkDate | None:
    is_circa = str(value.get("circa") or "").lower() not in {"", "0", "false", "no"}
    season = _season(value.get("season"))
    parts = value.get("date-parts", value.get("date_parts"))
    if parts is None and value.get("year") is not None:
        parts = [[value.get(key) for key in ("year", "month", "day")]]
    found = _from_list(parts if isinstance(parts, list | tuple) else [parts]) if parts not in (None, [], [[]]) else None
    if found and season and len(found.dates) == 1 and not found.dates[0].month:
        found = WorkDate((PartialDate(found.dates[0].year, season=season),))
    if found and found.dates:
        return WorkDate(found.dates, is_circa or found.is_circa, found.is_open)
    words = next((value[key] for key in ("edtf", "raw", "literal", "other", "text") if value.get(key)), None)
    read = read_date(words) if not isinstance(words, Mapping) else None
    if read and read.dates:
        return WorkDate(read.dates, is_circa or read.is_circa, read.is_open)
    literal = " ".join(str(words).split()) if isinstance(words, str | int | float) else ""
    return WorkDate(literal=literal) if literal else None


def _from_list(value: Sequence[Any]) -> WorkDate | None:
    """Return the date in ``[2024, 8]``, ``[[2024, 8], [2025]]``, ``[{year: 2024}]`` or ``["2024-08"]``."""
    is_flat = not any(isinstance(part, list | tuple | Mapping) for part in value)
    as_parts = is_flat and value and re.fullmatch(r"-?\d+", str(value[0])) and len(value) <= 3
    if as_parts and not _is_pair_of_years(value):
        one = _checked(*value)
        return WorkDate((one,)) if one else None
    if len(value) > 2:
        return None
    is_open = len(value) == 2 and value[1] in ([], [0], [None], [""], "", None, {}, 0)
    found = [_one(part) for part in (value[:1] if is_open else value)]
    if not found or not all(found):
        return None
    dates = tuple(date for one in found if one for date in one.dates)
    if len(dates) != len(found):  # words
        return found[0] if len(found) == 1 else None
    return WorkDate(dates, any(one.is_circa for one in found if one), is_open)


def _is_pair_of_years(value: Sequence[Any]) -> bool:
    return len(value) == 2 and all(re.fullmatch(r"\d{4}", str(part)) for part in value)


def _one(part: Any) -> WorkDate | None:
    """Return one of the dates in a list: itself a list of numbers, a map or a text."""
    if isinstance(part, list | tuple):
        one = _checked(*part) if 0 < len(part) <= 3 else None
        return WorkDate((one,)) if one else None
    return read_date(part)


def _from_text(text: str) -> WorkDate | None:
    words = " ".join(text.split())
    bare = words
    for _ in range(2):  # [1796?]
        bare = _CIRCA.sub("", bare).strip()
    is_circa = bare != words
    one = _date_in(bare)
    if one:
        return WorkDate((one,), is_circa)
    ends = [] if _YEAR_AND_SHORT.fullmatch(bare) else _RANGE.split(bare)
    if len(ends) == 2:
        first, last = _date_in(ends[0]), _date_in(ends[1])
        is_open = ends[1] in {"", ".."}
        if first and (last or is_open):
            return WorkDate((first, last) if last else (first,), is_circa, is_open)
    return WorkDate(literal=words) if words else None


def _date_in(text: str) -> PartialDate | None:
    """Return the date that a text is; ``None`` if it is none."""
    for form in _FORMS:
        found = form.fullmatch(text.strip())
        if found:
            part = {"minus": None, "word": None, "month": None, "day": None, **found.groupdict()}
            year = int(part["year"] or 0)
            if part["minus"] or part["bc"]:
                is_astronomical = part["minus"] and len(part["year"] or "") == 4  # in ISO 8601, year 0 is 1 BC
                year = -year - 1 if is_astronomical else -year
            season = _season(part["word"])
            if season:
                return PartialDate(year, season=season) if year and not part["day"] else None
            if one := _checked(year, part["word"] or part["month"], part["day"]):
                return one
    return None


def _checked(year: object, month: object = None, day: object = None) -> PartialDate | None:
    """Return the date with these parts, numbers or texts; ``None`` if there is no such day."""
    numbers = [_number(year), _month(month), _number(day)]
    if any(number is None for number in numbers):
        return None
    y, m, d = (number or 0 for number in numbers)
    if m > 12:
        season = m - (_FIRST_SEASON - 1) if m >= _FIRST_SEASON else m - 12
        return PartialDate(y, season=season) if y and 1 <= season <= 4 and not d else None
    if not y or not -9999 <= y <= 9999 or m < 0 or (d and not m):
        return None
    try:
        date(y if y > 0 else 2000, m or 1, d or 1)  # before Christ, any leap year
    except ValueError:
        return None
    return PartialDate(y, m, d)


def _number(value: object) -> int | None:
    """Return a whole number, 0 for nothing; ``None`` for anything else."""
    if value in (None, ""):
        return 0
    is_number = not isinstance(value, bool) and re.fullmatch(r"-?\d{1,4}(?:\.0)?", str(value).strip())
    return int(float(str(value))) if is_number else None


def _month(value: object) -> int | None:
    name = str(value).strip(" .").lower() if isinstance(value, str) else ""
    found = next((n for month, n in _MONTHS if month.startswith(name)), None) if len(name) > 2 else None
    return found or _number(value)


def _season(value: object) -> int:
    """Return 1 for spring to 4 for winter, from a number or a name; 0 for none."""
    name = str(value or "").strip().lower().replace("fall", "autumn")
    if name in _SEASONS:
        return _SEASONS.index(name) + 1
    number = _number(value) or 0
    number -= _FIRST_SEASON - 1 if number >= _FIRST_SEASON else 12 if number > 12 else 0
    return number if 1 <= number <= 4 else 0
