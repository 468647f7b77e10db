"""Generated, reviewed, verified: three statements, none of which follows from another."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import msgspec
import pytest

from planbook.citations.report import SourceResult, SourceStatus
from planbook.model import Drop, DropUri, Page, PageUri, Reference
from planbook.views.checks import PageCheck
from planbook.views.frame import provenance_line
from planbook.views.statements import Statement, page_statements
from tests.views.checked import result

LIVE = result(SourceStatus.VERIFIED, quotes={"q1": True, "q2": True})
PINNED = result(SourceStatus.PINNED)
UNCHECKED = result(SourceStatus.UNCHECKED, "")
UNREAD = result(SourceStatus.UNREAD)
GONE = result(SourceStatus.GONE)


def page(**meta: object) -> Page:
    """A page that cites a work, with this front matter."""
    return Page(PageUri("a.md"), "A", 3, meta=tuple(meta.items()), references=(Reference("r", "R"),))


def checked(quotes: int, **by_id: SourceResult) -> PageCheck:
    """What came of checking a page."""
    return PageCheck("2026-11-20", "", quotes, by_id)


def said(page_: Page, kind: str, drop: Drop | None = None, check: PageCheck | None = None) -> tuple[str, str] | None:
    """How a page is told of one of the three: whether it holds, and the words."""
    found = {s.kind: s for s in page_statements(page_, drop, check)}
    return (found[kind].holds, f"{found[kind].label} {found[kind].text}".strip()) if kind in found else None


# --- generated --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (
            {"writer": "llm", "model": "a model", "date": "2026-11-20"},
            "Written by a language model (a model), 2026-11-20",
        ),
        (
            {"writer": "llm", "model": "M", "judge": "J", "sentences": 44, "confirmed": 41, "rewritten": 3},
            "Written by M; each sentence carries the words it rests on; judged by J: 41 of 44 confirmed at first, "
            "3 rewritten",
        ),
        (
            {"writer": "llm", "model": "M", "judge": "J", "sentences": 44, "confirmed": 40, "rewritten": 3},
            "Written by M; each sentence carries the words it rests on; judged by J: 40 of 44 confirmed at first, "
            "3 rewritten, 1 left out",
        ),
        (
            {"writer": "llm", "model": "M", "sentences": 44, "confirmed": 44, "rewritten": 0, "date": "2026-11-20"},
            "Written by M; each sentence carries the words it rests on; sentences not judged, 2026-11-20",
        ),
        ({"writer": "llm", "model": "M", "sentences": "many"}, "Written by a language model (M)"),
        ({"writer": "command"}, "Written by a program"),
        ({"writer": "a robot"}, "Written by a robot"),
        ({"date": "2026-11-20"}, "Written by a program, 2026-11-20"),
        ({"writer": "hand", "date": "2026-11-20"}, "Written by hand, 2026-11-20"),
    ],
)
def test_who_made_a_page_is_what_its_front_matter_says(value: object, words: str) -> None:
    """The writer and the day, as far as they are named."""
    assert said(page(generated=value), "generated") == ("yes", words)


@pytest.mark.parametrize("value", [{"writer": "extract", "date": date(2026, 11, 20)}, "extract"])
def test_nobody_wrote_what_a_program_collected(value: object) -> None:
    """The head of the page says so, also on pages of which only the writer is known."""
    holds, words = said(page(generated=value), "generated") or ("", "")
    assert holds == "partly"
    assert words.startswith("Collected passages of its sources, chosen by a program: nobody has written this page")


@pytest.mark.parametrize(
    ("runner", "words"),
    [
        ("a person with a kettle", "Written by a person with a kettle, according to the report on it, 2026-11-19"),
        ("PART 2", "Written by an agent, according to the report on it, 2026-11-19"),
        ("by hand", "Written by hand, according to the report on it, 2026-11-19"),
    ],
)
def test_without_that_it_is_what_the_drop_says(runner: str, words: str) -> None:
    """A runner that only names its PART is just a runner."""
    drop = Drop(DropUri("d.md"), "D", "", runner=runner, timestamp="2026-11-19 10:00")
    assert said(page(), "generated", drop) == ("yes", words)
    assert said(page(generated="hand"), "generated", drop) == ("yes", "Written by hand")


def test_a_page_of_which_nobody_says_it_has_no_such_line() -> None:
    """That a program wrote it cannot be seen."""
    assert said(page(), "generated") is None
    assert said(page(), "generated", Drop(DropUri("d.md"), "D", "")) is None


# --- reviewed ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ("no", "Not reviewed by a person yet")),
        (False, ("no", "Not reviewed by a person yet")),
        ("", ("no", "Not reviewed by a person yet")),
        (date(2026, 11, 21), ("yes", "Reviewed 2026-11-21")),
        ({"date": date(2026, 11, 21), "by": "A. Person"}, ("yes", "Reviewed by A. Person, 2026-11-21")),
        ("A. Person", ("yes", "Reviewed by A. Person")),
        (True, ("yes", "Reviewed")),
    ],
)
def test_a_review_is_what_a_person_wrote_of_it(value: object, expected: tuple[str, str]) -> None:
    """Front matter may give a day, a person, or both."""
    assert said(page(reviewed=value), "reviewed") == expected


def test_a_review_does_not_outlive_the_text_it_was_of() -> None:
    """A page that was generated anew waits for its reader again; on the same day, the review came after."""
    generated = {"writer": "llm", "date": "2026-11-20"}
    old = page(generated=generated, reviewed={"date": "2026-11-19", "by": "A. Person"})
    words = "Not reviewed since it was written; the previous text was, by A. Person, 2026-11-19"
    assert said(old, "reviewed") == ("no", words)
    assert said(page(generated=generated, reviewed="2026-11-20"), "reviewed") == ("yes", "Reviewed 2026-11-20")


def test_no_check_makes_a_page_reviewed_and_no_review_makes_it_verified() -> None:
    """The three stand by themselves."""
    assert said(page(), "reviewed", check=checked(2, r=LIVE)) == ("no", "Not reviewed by a person yet")
    assert said(page(reviewed=True), "verified") == ("no", "Not verified yet")


# --- verified ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        (checked(2, r=LIVE), ("yes", "1 of 1 source checked on 2026-11-20, 2 of 2 quotes found")),
        (
            checked(2, r=LIVE, s=result(SourceStatus.MOVED)),
            ("yes", "2 of 2 sources checked on 2026-11-20, 1 moved, 2 of 2 quotes found"),
        ),
        (
            checked(3, r=LIVE, s=GONE, t=result(SourceStatus.OFFWEB, "")),
            ("partly", "1 of 2 sources checked on 2026-11-20, 1 gone, 1 not on the web, 2 of 3 quotes found"),
        ),
        (checked(1, r=GONE), ("no", "1 of 1 source gone on 2026-11-20, 0 of 1 quote found")),
        (checked(0, r=result(SourceStatus.VERIFIED)), ("yes", "1 of 1 source checked on 2026-11-20")),
        (checked(0, r=GONE), ("no", "1 of 1 source gone on 2026-11-20")),
        (checked(2, r=GONE, s=GONE), ("no", "2 of 2 sources gone on 2026-11-20, 0 of 2 quotes found")),
        (checked(0, r=GONE, u=UNREAD), ("no", "0 of 2 sources checked on 2026-11-20, 1 gone, 1 could not be read")),
        (checked(0, s=GONE), ("no", "1 of 1 source gone on 2026-11-20, 1 not on the web")),
        (
            checked(0, t=result(SourceStatus.OFFWEB, "")),
            ("no", "Not verified – none of its works has a web address or a file"),
        ),
        (
            checked(2, r=result(SourceStatus.COPIED, "2026-11-19", quotes=LIVE.quotes)),
            ("yes", "1 of 1 source checked on 2026-11-20, 1 in a saved copy, 2 of 2 quotes found"),
        ),
        (
            checked(0, r=PINNED, c=result(SourceStatus.CHANGED, pinned=PINNED.pinned), u=UNREAD, n=UNCHECKED),
            (
                "partly",
                "2 of 4 sources checked on 2026-11-20, 2 in a fixed version, 1 changed since, 1 could not be read",
            ),
        ),
        (checked(0, r=UNCHECKED), ("no", "0 of 1 source checked on 2026-11-20")),
    ],
)
def test_a_check_is_told_as_it_was_and_no_better(check: PageCheck, expected: tuple[str, str]) -> None:
    """How many quotes stand in their sources, when, and what became of the sources."""
    references = tuple(Reference(name, name.upper()) for name in {"r": 0, **check.by_id})
    assert said(replace(page(), references=references), "verified", check=check) == expected


def test_a_page_that_changed_is_not_verified() -> None:
    """What was found in another text is not said of this one."""
    expected = ("no", "Changed since its check on 2026-11-20")
    assert said(page(), "verified", check=replace(checked(2, r=LIVE), is_current=False)) == expected


def test_a_page_that_changed_since_it_was_accepted_is_not_verified() -> None:
    """It is not, however many of its quotes were found in their sources after the change."""
    expected = ("no", "Changed since its check – its sources were checked on 2026-11-20, its sentences were not")
    assert said(page(), "verified", check=replace(checked(2, r=LIVE), is_accepted=False)) == expected


def test_results_of_several_runs_have_the_days_of_all() -> None:
    """A result that a later run kept is not of the day of that run."""
    kept = msgspec.structs.replace(LIVE, checked="2026-11-02T10:00:00Z")
    assert said(page(), "verified", check=checked(2, r=kept)) == (
        "yes",
        "1 of 1 source checked between 2026-11-02 and 2026-11-20, 2 of 2 quotes found",
    )


def test_a_page_without_works_has_nothing_to_verify() -> None:
    """It says so, instead of promising a check."""
    assert said(Page(PageUri("a.md"), "A", 3), "verified") == ("no", "Not verified – it cites no works")


# --- shown ------------------------------------------------------------------------------------------------------------


def test_what_pages_and_drops_say_is_text() -> None:
    """A runner's name is no HTML."""
    html = provenance_line(None, [Statement("generated", "yes", "Made", "by <img src=x onerror=alert(1)>")], str, None)
    assert "<img" not in html
    assert 'data-statement="generated" data-holds="yes"' in html
    assert not provenance_line(None, [], str, None).strip()


# --- grounds ----------------------------------------------------------------------------------------------------------


def test_what_sentences_rest_on_is_told_in_a_reader_s_words() -> None:
    """The words stand below the line of the other statements; a page that names no grounds tells nothing."""
    counted = (("quoted", 12), ("deduced", 3), ("advice", 1), ("example", 2), ("not found", 1), ("none", 2))
    words = (
        "Of 21 sentences, 12 cite a quote, 3 follow from others, 1 is the writer's advice, 2 are examples, "
        "1 says that no source answers, 2 name no source"
    )
    assert said(replace(page(), grounds=counted), "grounds") == ("partly", words)
    assert said(replace(page(), grounds=counted[:3]), "grounds") == (
        "yes",
        "Of 16 sentences, 12 cite a quote, 3 follow from others, 1 is the writer's advice",
    )
    assert said(page(), "grounds") is None
    shown = provenance_line(None, page_statements(replace(page(), grounds=counted), None, None), str, None)
    summary, _, folded = shown.partition("</summary>")
    assert "21 sentences" not in summary
    assert "<strong>Of 21 sentences,</strong> 12 cite a quote" in folded
