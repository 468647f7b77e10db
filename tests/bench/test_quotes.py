"""The set for checkers of quotes: its labels follow from how each case is made, and our checkers keep their rates."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from bench.quotes.__main__ import main
from bench.quotes.cases import KINDS, Case, Maker, letters
from bench.quotes.checkers import checkers
from bench.quotes.documents import read_documents
from planbook.citations.quotes import undo_typesetting

ALWAYS = {kind for kind in KINDS if kind != "translated"}
"""The kinds that need no package of Debian."""
WANTED = 20


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    """A small set."""
    return Maker(read_documents()).cases(WANTED)


def test_each_kind_has_its_cases_and_the_same_seed_gives_the_same(cases: list[Case]) -> None:
    """Also without the documents of Debian."""
    sizes = Counter(case.kind for case in cases)
    assert {kind: sizes[kind] for kind in ALWAYS} == dict.fromkeys(ALWAYS, WANTED)
    assert Maker(read_documents()).cases(WANTED) == cases
    own = [one for one in read_documents() if one.licence in {"MIT", "PSF-2.0"}]
    assert {case.kind for case in Maker(own).cases(WANTED)} >= ALWAYS


def test_what_is_no_quote_is_nowhere_in_its_source(cases: list[Case]) -> None:
    """Not even without its marks; what is one has its letters there, before the source was set."""
    for case in cases:
        has_letters = letters(case.quote) in letters(case.source)
        if not case.is_quote:
            assert not has_letters, case
        elif case.kind in {"verbatim", "hyphenated"}:
            assert has_letters, case
        if case.kind == "moved-lines":
            first, last = case.lines
            assert letters(case.quote) in letters("\n".join(case.whole.split("\n")[first - 1 : last]))


def test_our_checkers_take_no_other_words_for_a_quote(cases: list[Case]) -> None:
    """Every case that is no quote is refused, and nine of ten that are one are found."""
    for name, check in list(checkers())[:2]:
        wrong = [case for case in cases if not case.is_quote and check(case.quote, case.source)]
        assert wrong == [], name
        quotes = [case for case in cases if case.is_quote]
        assert sum(check(case.quote, case.source) for case in quotes) >= 0.9 * len(quotes), name


def test_the_set_is_written_as_json_lines(tmp_path: Path) -> None:
    """Each line is a case of a kind, and names the licence of its text."""
    main(["--write", str(tmp_path / "cases.jsonl"), "--per-kind", "2"])
    lines = [json.loads(line) for line in (tmp_path / "cases.jsonl").read_text("utf-8").splitlines()]
    assert {line["kind"] for line in lines} >= ALWAYS
    assert all(line["licence"] for line in lines)


def test_a_text_is_read_as_it_was_before_it_was_set() -> None:
    """Divided words, ligatures, and two columns; a table of few rows and code stay as they are."""
    assert (
        undo_typesetting("The kettle has a ther-\nmometer, well-known\nto all.")
        == "The kettle has a thermometer, well-known\nto all."
    )
    assert undo_typesetting("The \ufb01rst o\ufb03ce \ufb02oor") == "The first office floor"
    rows = [f"left {n}    right {n}" for n in range(6)]
    assert undo_typesetting("\n".join(rows)).split("\n")[5:8] == ["left 5", "", "right 0"]
    assert undo_typesetting("\n".join(rows[:5])) == "\n".join(rows[:5])
    assert undo_typesetting("--a-\n-b and X-\nRay") == "--a-\n-b and X-\nRay"
