"""Dates of works: every form of CSL, Pandoc and people is read, or kept in its words."""

from __future__ import annotations

import json
import subprocess
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.citations.dates import read_date
from planbook.views.bibliography.bibtex import bibtex

FORMS: list[tuple[Any, str, str]] = [
    ([{"year": 1950, "month": 2}], "1950-02", "1950-02"),
    ({"year": 1951}, "1951", "1951"),
    ({"year": "1951", "month": "Feb.", "day": "03"}, "1951-02-03", "1951-02-03"),
    ({"literal": "c. 1796"}, "c. 1796", "1796~"),
    ({"raw": "30-Mar-2020"}, "2020-03-30", "2020-03-30"),
    ({"date-parts": [[-44, 3, 15]]}, "15 March 44 BC", "-0043-03-15"),
    ({"date-parts": [[-44]]}, "44 BC", "-0043"),
    ({"date-parts": [[-1]]}, "1 BC", "0000"),
    ({"date-parts": [[79, 8]]}, "August 79 AD", "0079-08"),
    ("March 2019", "2019-03", "2019-03"),
    ("mars 2019", "2019-03", "2019-03"),
    ("15. Dezember 1999", "1999-12-15", "1999-12-15"),
    ("May 5th, 2021", "2021-05-05", "2021-05-05"),
    ("5 of May 2021", "2021-05-05", "2021-05-05"),
    ("2021 May 5", "2021-05-05", "2021-05-05"),
    ("30.3.2020", "2020-03-30", "2020-03-30"),
    ("2020/3/30", "2020-03-30", "2020-03-30"),
    ("03/2020", "2020-03", "2020-03"),
    ("20200330", "2020-03-30", "2020-03-30"),
    (20200330, "2020-03-30", "2020-03-30"),
    ("2021-05-05T10:00:00Z", "2021-05-05", "2021-05-05"),
    (date(2020, 1, 2), "2020-01-02", "2020-01-02"),
    (datetime(2020, 1, 2, 3), "2020-01-02", "2020-01-02"),
    (2019, "2019", "2019"),
    (-44, "44 BC", "-0043"),
    ("44 BCE", "44 BC", "-0043"),
    ("AD 79", "79 AD", "0079"),
    ("-0044", "45 BC", "-0044"),
    ("ca. 1796", "c. 1796", "1796~"),
    ("[1796?]", "c. 1796", "1796~"),
    ({"edtf": "1796~"}, "c. 1796", "1796~"),
    ({"date-parts": [[1796]], "circa": True}, "c. 1796", "1796~"),
    ({"year": 1796, "circa": "true"}, "c. 1796", "1796~"),
    ({"date-parts": [[2019]], "season": 1}, "Spring 2019", "2019-21"),
    ({"year": 2019, "season": "Fall"}, "Autumn 2019", "2019-23"),
    ({"date-parts": [[2019, 13]]}, "Spring 2019", "2019-21"),
    ({"date-parts": [[2019, 24]]}, "Winter 2019", "2019-24"),
    ("summer 2020", "Summer 2020", "2020-22"),
    ({"date-parts": [[2019], [2021]]}, "2019–2021", "2019/2021"),
    ([[2019, 3], [2020]], "2019-03 to 2020", "2019-03/2020"),
    ([{"year": 2019}, {"year": 2021}], "2019–2021", "2019/2021"),
    ("2019-03/2019-05", "2019-03 to 2019-05", "2019-03/2019-05"),
    ("1999-2001", "1999–2001", "1999/2001"),
    ("May 2019 – June 2020", "2019-05 to 2020-06", "2019-05/2020-06"),
    ({"date-parts": [[2019], [0]]}, "2019–", "2019/"),
    ({"date-parts": [2019, 3]}, "2019-03", "2019-03"),
    ({"date-parts": [["2019", "03"]]}, "2019-03", "2019-03"),
    ({"date-parts": [[2024, 0, 0]]}, "2024", "2024"),
    ([2019, 3], "2019-03", "2019-03"),
]
WORDS = [
    "in press",
    "n.d.",
    "2019/20",
    "2020/21",
    "2019-13-45",
    "2023-02-31",
    "2026-02-29",
    "03/04/2020",
    "Trinity term",
    "Marketing 2020",
]
NONE: list[Any] = [None, "", [], {}, True, 2024.1, {"foo": 1}, [5, 6, 7, 8], {"date-parts": [[None]]}, [[]], 0]


@pytest.mark.parametrize(("written", "shown", "biblatex"), FORMS)
def test_a_date_is_read_shown_and_exported(written: object, shown: str, biblatex: str) -> None:
    """Pages, BibLaTeX and CSL-JSON have it; the latter is read back as the same date."""
    found = read_date(written)
    assert found is not None
    assert (str(found), found.biblatex) == (shown, {"date": biblatex})
    again = read_date(json.loads(json.dumps(found.csl)))
    assert again is not None
    assert str(again) == shown


@pytest.mark.parametrize("words", WORDS)
def test_what_is_no_date_is_kept_in_its_words(words: str) -> None:
    """Nothing is guessed, and nothing is lost."""
    for written in (words, {"literal": words}, {"raw": words}, [words]):
        found = read_date(written)
        assert found is not None
        assert (str(found), found.csl, found.biblatex) == (words, {"literal": words}, {"year": words})


@pytest.mark.parametrize("written", NONE)
def test_no_date_is_none(written: object) -> None:
    """Neither nothing nor a value of another kind is a date."""
    assert read_date(written) is None


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | st.dates()
KEYS = st.sampled_from(["date-parts", "year", "month", "day", "season", "circa", "raw", "literal", "edtf"])
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4))


@given(VALUES)
def test_no_value_stops_it(value: object) -> None:
    """Any value that YAML may have in its place is read as a date or as none."""
    found = read_date(value)
    if found:
        assert str(found)
        assert json.dumps(found.csl)
        assert found.biblatex


def test_pandoc_reads_the_same_dates(pandoc: str, tmp_path: Path) -> None:
    """Our CSL-JSON and BibLaTeX files have the year that Pandoc shows for both."""
    dates = [(f"w{n}", found) for n, (written, *_) in enumerate(FORMS) if (found := read_date(written)) and found.dates]
    dates = [(id_, found) for id_, found in dates if found.dates[0].year != -1]  # Pandoc does not read EDTF's year 0
    items = [{"id": id_, "type": "book", "title": id_, "issued": found.csl} for id_, found in dates]
    (tmp_path / "works.json").write_text(json.dumps(items), encoding="utf-8")
    (tmp_path / "works.bib").write_text(bibtex(items), encoding="utf-8")
    shown = {}
    for name in ("works.json", "works.bib"):
        (tmp_path / "page.md").write_text("".join(f"@{id_}\n\n" for id_, _ in dates), encoding="utf-8")
        command = [pandoc, "--citeproc", f"--bibliography={name}", "--to=plain", "--wrap=none", "page.md"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True, text=True)
        shown[name] = done.stdout.split("\n\n")[: len(dates)]
    for n, (id_, found) in enumerate(dates):
        year = str(abs(found.dates[0].year))
        assert year in shown["works.json"][n], (id_, shown["works.json"][n])
        assert year in shown["works.bib"][n], (id_, shown["works.bib"][n])
