"""Dates of works, in every form that CSL items have.

They are read once, shown, and written as CSL-JSON and BibLaTeX. Read `WorkDate` and `read_date`
first.

Sources: https://docs.citationstyles.org/en/stable/specification.html#date-variables, the CSL-JSON
schema 1.0.2, https://www.loc.gov/standards/datetime/ (EDTF). Pandoc also writes lists of maps and
``{year: 1950, month: 2}``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

_MONTHS = tuple(
    (name, index % 12 + 1)
    for index, name in enumerate(
        re.findall(
            r"\w+",
            "january february march april may june july august september october november december "
            "januar februar märz april mai juni juli august september oktober november dezember "
            "janvier février mars avril mai juin juillet août septembre octobre novembre décembre "
            "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
            "diciembre",
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
_MONTH_AND_DAY = r"[-/.](?P<month>\d{1,2})(?:[-/.](?P<day>\d{1,2})(?:[T ]\d.*)?)?"
_FORMS = tuple(
    re.compile(
        r"(?:a\.?d\.?\s?)?"
        rf"{form}"
        r"(?:\s?(?P<bc>b\.?c\.?(?:e\.?)?)|\s?(?:a\.?d\.?|c\.?e\.?))?",
        re.IGNORECASE,
    )
    for form in (
        rf"{_YEAR}(?:{_MONTH_AND_DAY})?",  # 2020, 2020-03, 2020/3/30
        r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)",  # 20200330
        r"(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.\s?(?P<year>\d{4})",  # 30.3.2020
        r"(?P<month>\d{1,2})/(?P<year>\d{4})",  # 03/2020
        rf"{_YEAR}[-\s]{_WORD}(?:[-\s]{_DAY})?",  # 2020 March 30, 2020 spring
        rf"(?:{_DAY}[-\s](?:of\s)?)?{_WORD},?[-\s]{_YEAR}",  # March 2019, 30-Mar-2020, Spring 2020
        rf"{_WORD}\s{_DAY},?\s{_YEAR}",  # March 30, 2020
    )
)
"""The forms of a day, a month or a year; ``44 BC`` and ``AD 79`` in each of them."""
_CIRCA = re.compile(
    r"""
    ^(?:c\.?|ca\.?|circa|about|around|approx\.?|~)\s*(?=[\d-])   # c. 1796
    | [~?%]$                                                    # 1796?
    | ^\[(?=\d) | (?<=[\d?~])\]$                                # [1796]
    """,
    re.IGNORECASE | re.VERBOSE,
)
_RANGE = re.compile(
    r"""
    (?:(?<!\s)\s+)?/\s*                     # 2019/2021
    | \s(?:-|–|—|to)\s                      # 2019 to 2021
    | (?<=\d{4})\s?[-–—]\s?(?=\d{4}$)       # 2019-2021
    """,
    re.VERBOSE,
)
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
            known = [f"{number:02}" for number in (self.month, self.day) if number]
            return "-".join([str(self.year), *known])
        return self.in_words

    @property
    def in_words(self) -> str:
        """The day, month and year as in prose: ``20 August 2026``."""
        words = [str(self.day)] if self.day else []
        words += [_NAMES[self.month - 1]] if self.month else []
        return " ".join([*words, self._year])

    @property
    def parts(self) -> list[int]:
        """The known parts, as in CSL's ``date-parts``."""
        return [self.year, *(n for n in (self.month, self.day) if n)]

    @property
    def is_plain_year(self) -> bool:
        """True for a year of four digits without a month or a season."""
        return self.parts == [self.year] and self.year > 999 and not self.season

    @property
    def edtf(self) -> str:
        """The date in EDTF, whose year 0 is 1 BC."""
        if self.year > 0:
            year = f"{self.year:04}"
        else:
            before_year_0 = -self.year - 1
            year = f"-{before_year_0:04}" if before_year_0 else "0000"
        month = self.season + _FIRST_SEASON - 1 if self.season else self.month
        known = [f"{number:02}" for number in (month, self.day) if number]
        return "-".join([year, *known])

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
        between = "–" if all(day.is_plain_year for day in self.dates) else " to "
        text = between.join(map(str, self.dates))
        if self.is_open:
            text += "–"
        return f"c. {text}" if self.is_circa else text

    @property
    def iso(self) -> str:
        """The first date as ``2024``, ``2024-08`` or ``2024-08-05``.

        It is empty for words and years before 1000.
        """
        if not self.dates or self.dates[0].year <= 999:
            return ""
        first = self.dates[0]
        return str(first.year) if first.season else str(first)

    @property
    def csl(self) -> dict[str, Any]:
        """The date as CSL-JSON."""
        is_range = len(self.dates) > 1
        has_season = any(day.season for day in self.dates)
        if not self.dates or self.is_open or (is_range and has_season):  # CSL-JSON has no such date
            return {"literal": str(self)}
        item: dict[str, Any] = {"date-parts": [day.parts for day in self.dates]}
        if has_season:
            item["season"] = self.dates[0].season
        if self.is_circa:
            item["circa"] = True
        return item

    @property
    def biblatex(self) -> dict[str, str]:
        """The field for BibLaTeX: ``date``, or ``year`` for words."""
        if not self.dates:
            return {"year": self.literal}
        mark = "~" if self.is_circa else ""
        days = "/".join(f"{day.edtf}{mark}" for day in self.dates)
        return {"date": f"{days}/" if self.is_open else days}


def read_date(value: object) -> WorkDate | None:
    """Return the date in a CSL item, or a plain one; ``None`` if there is none to be read."""
    if value is None or isinstance(value, bool) or value in ("", [], {}):
        return None
    if isinstance(value, datetime | date):
        return WorkDate((PartialDate(value.year, value.month, value.day),))
    if isinstance(value, int | float):
        is_whole_date = value > 9999  # 20200330
        return _single(_date_in(str(value)) if is_whole_date else _valid_date(value))
    if isinstance(value, str):
        return _read_date_text(value)
    if isinstance(value, Mapping):
        return _read_date_map(value)
    return _read_date_list(value) if isinstance(value, list | tuple) else None


def _single(day: PartialDate | None) -> WorkDate | None:
    return WorkDate((day,)) if day else None


_WORD_KEYS = ("edtf", "raw", "literal", "other", "text")
"""Keys of a CSL date that have it in words, the most exact first."""


def _read_date_map(value: Mapping[Any, Any]) -> WorkDate | None:
    """Return the date in a map: ``{date-parts: [[2024, 8]]}``, ``{literal: in press}``."""
    is_circa = str(value.get("circa") or "").lower() not in {"", "0", "false", "no"}
    work_date = _read_date_parts(value)
    if work_date is None or not work_date.dates:
        words = next((value[key] for key in _WORD_KEYS if value.get(key)), None)
        work_date = None if isinstance(words, Mapping) else read_date(words)
        if work_date is None or not work_date.dates:
            literal = " ".join(str(words).split()) if isinstance(words, str | int | float) else ""
            return WorkDate(literal=literal) if literal else None
    return WorkDate(work_date.dates, is_circa or work_date.is_circa, work_date.is_open)


def _read_date_parts(value: Mapping[Any, Any]) -> WorkDate | None:
    """Return the date that a CSL date has in numbers; ``None`` if there is none."""
    date_parts = value.get("date-parts", value.get("date_parts"))
    if date_parts is None and value.get("year") is not None:
        date_parts = [[value.get(key) for key in ("year", "month", "day")]]
    if date_parts in (None, [], [[]]):
        return None
    work_date = _read_date_list(
        date_parts if isinstance(date_parts, list | tuple) else [date_parts]
    )
    season = _season(value.get("season"))
    is_year = work_date is not None and len(work_date.dates) == 1 and not work_date.dates[0].month
    if work_date and season and is_year:
        return _single(PartialDate(work_date.dates[0].year, season=season))
    return work_date


_OPEN_ENDS: tuple[Any, ...] = ([], [0], [None], [""], "", None, {}, 0)
"""The second date of a range that is open, as programs write it."""


def _read_date_list(value: Sequence[Any]) -> WorkDate | None:
    """Return the date in a list.

    ``[2024, 8]``, ``[[2024, 8], [2025]]``, ``[{year: 2024}]`` or ``["2024-08"]``.
    """
    is_flat = not any(isinstance(member, list | tuple | Mapping) for member in value)
    begins_with_number = bool(value) and re.fullmatch(r"-?\d+", str(value[0])) is not None
    is_one_day = is_flat and begins_with_number and len(value) <= 3
    if is_one_day and not _is_pair_of_years(value):
        return _single(_valid_date(*value))
    if len(value) > 2:
        return None
    is_open = len(value) == 2 and value[1] in _OPEN_ENDS
    ends: list[WorkDate] = []
    for member in value[:1] if is_open else value:
        end = _range_end(member)
        if end is None:
            return None
        ends.append(end)
    if not ends:
        return None
    days = tuple(day for end in ends for day in end.dates)
    if len(days) != len(ends):  # words
        return ends[0] if len(ends) == 1 else None
    return WorkDate(days, any(end.is_circa for end in ends), is_open)


def _is_pair_of_years(value: Sequence[Any]) -> bool:
    return len(value) == 2 and all(re.fullmatch(r"\d{4}", str(member)) for member in value)


def _range_end(value: Any) -> WorkDate | None:
    """Return one of the dates in a list: itself a list of numbers, a map or a text."""
    if isinstance(value, list | tuple):
        return _single(_valid_date(*value)) if 0 < len(value) <= 3 else None
    return read_date(value)


def _read_date_text(text: str) -> WorkDate | None:
    """Return the date that a text is: a day, a range, or words."""
    words = " ".join(text.split())
    bare = words
    for _ in range(2):  # [1796?]
        bare = _CIRCA.sub("", bare).strip()
    is_circa = bare != words
    is_short = _YEAR_AND_SHORT.fullmatch(bare) is not None
    is_two_years = is_short and int(bare.partition("/")[2]) > 12  # not EDTF's 2020-21, a season
    day = None if is_two_years else _date_in(bare)
    if day:
        return WorkDate((day,), is_circa)
    ends = [] if is_short else _RANGE.split(bare)
    if len(ends) == 2:
        first, last = _date_in(ends[0]), _date_in(ends[1])
        is_open = ends[1] in {"", ".."}
        if first and last:
            return WorkDate((first, last), is_circa, is_open)
        if first and is_open:
            return WorkDate((first,), is_circa, is_open)
    return WorkDate(literal=words) if words else None


def _date_in(text: str) -> PartialDate | None:
    """Return the date that a text is; ``None`` if it is none."""
    for form in _FORMS:
        match = form.fullmatch(text.strip())
        if match is None:
            continue
        groups = match.groupdict()  # each form has some of the groups
        year = int(groups["year"] or 0)
        is_minus = bool(groups.get("minus"))
        if is_minus or groups["bc"]:
            is_astronomical = is_minus and len(groups["year"]) == 4  # in ISO 8601, year 0 is 1 BC
            year = -year - 1 if is_astronomical else -year
        season = _season(groups.get("word"))
        if season:
            has_no_day = not groups.get("day")
            return PartialDate(year, season=season) if year and has_no_day else None
        day = _valid_date(year, groups.get("word") or groups.get("month"), groups.get("day"))
        if day:
            return day
    return None


def _valid_date(year: object, month: object = None, day: object = None) -> PartialDate | None:
    """Return the date with these parts, numbers or texts; ``None`` if there is no such day."""
    y, m, d = _number(year), _month(month), _number(day)
    if y is None or m is None or d is None:
        return None
    if m > 12:
        return None if d else _season_of_year(y, m)
    has_day_without_month = bool(d) and not m
    if not y or not -9999 <= y <= 9999 or m < 0 or has_day_without_month:
        return None
    try:
        date(y if y > 0 else 2000, m or 1, d or 1)  # before Christ, any leap year
    except ValueError:
        return None
    return PartialDate(y, m, d)


def _season_of_year(year: int, month: int) -> PartialDate | None:
    """Return a season that is written as a month: 21 or 13 for spring."""
    season = _season(month)
    return PartialDate(year, season=season) if year and season else None


def _number(value: object) -> int | None:
    """Return a whole number, 0 for nothing; ``None`` for anything else."""
    if value in (None, ""):
        return 0
    if isinstance(value, bool) or not re.fullmatch(r"-?\d{1,4}(?:\.0)?", str(value).strip()):
        return None
    return int(float(str(value)))


def _month(value: object) -> int | None:
    """Return the number of a month by its name, or by at least three letters of it."""
    name = str(value).strip(" .").lower() if isinstance(value, str) else ""
    if len(name) > 2:
        for month, number in _MONTHS:
            if month.startswith(name):
                return number
    return _number(value)


def _season(value: object) -> int:
    """Return 1 for spring to 4 for winter, from a number or a name; 0 for none."""
    name = str(value or "").strip().lower().replace("fall", "autumn")
    if name in _SEASONS:
        return _SEASONS.index(name) + 1
    season_code = _number(value) or 0
    if season_code >= _FIRST_SEASON:
        season_code -= _FIRST_SEASON - 1
    elif season_code > 12:
        season_code -= 12
    return season_code if 1 <= season_code <= 4 else 0
