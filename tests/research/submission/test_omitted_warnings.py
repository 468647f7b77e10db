"""Warnings in the works of a page that it leaves out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planbook.research.drafts import Draft, Source
from planbook.research.proof.parsed_draft import ParsedDraft
from planbook.research.submission.omitted_warnings import find_omitted_warnings
from tests.research.documents import brief
from tests.research.expand.kiln_works import TEXT, work
from tests.research.proof.kiln import page

QUOTE = {"q1": "Kiln keeps a layer for each instruction of the build file."}


def omitted(body: str, quotes: dict[str, str] = QUOTE, *works: Source) -> list[str]:
    """The warnings that a page leaves out."""
    parsed = ParsedDraft(Draft(page(body, quotes), "hand"), brief(), (work(),), (), ())
    return [one.warning for one in find_omitted_warnings(parsed, works or (work(),))]


WARNING = "You must not delete cache mounts for pip while a build runs: the build fails."


def test_a_warning_that_a_manual_repeats_is_listed_once() -> None:
    """It stands with each option that it is about."""
    text = TEXT.replace("## Ovens", f"## Further layers\n\nLayers are kept.\n\n{WARNING}\n\n## Ovens")
    said = "Kiln keeps a layer for each instruction [@manual, q1]."
    assert omitted(said, QUOTE, work(text=text)) == [WARNING]


def test_a_warning_about_a_point_is_listed() -> None:
    """Not one about something else, and no sentence that does not warn."""
    assert omitted("Kiln keeps a layer for each instruction [@manual, q1].") == [WARNING]


@pytest.mark.parametrize(
    ("body", "quotes"),
    [
        ("It is dangerous [@manual, q1].", {"q1": "must not delete cache mounts for pip while a build runs"}),
        ("While a build runs, never delete the cache mounts for pip: it fails [@manual, q1].", QUOTE),
        (
            "| Do | Or |\n| --- | --- |\n| never delete cache mounts for pip while a build runs | x [@manual, q1] |",
            QUOTE,
        ),
    ],
)
def test_a_warning_that_is_quoted_or_said_is_not_listed(body: str, quotes: dict[str, str]) -> None:
    """In the words of the work, or in others, in prose or in a table."""
    assert omitted(body, quotes) == []


def test_works_that_the_page_cites_come_first() -> None:
    """A work that it does not cite may be about something else."""
    other = work("other", TEXT.replace("delete cache mounts", "copy cache mounts"))
    listed = omitted("Kiln keeps a layer [@manual, q1].", QUOTE, other, work())
    assert listed == [WARNING, WARNING.replace("delete", "copy")]


def test_what_two_works_say_alike_is_listed_once() -> None:
    """A reader needs it once."""
    again = replace(work("other"), id="other")
    assert omitted("Kiln keeps a layer [@manual, q1].", QUOTE, work(), again) == [WARNING]


@pytest.mark.parametrize(
    "sentence",
    [
        "A build of layers tolerates the loss of cache mounts for pip, with little effect on the build file.",
        "The limitations of cache mounts for pip in a build are described below.",
        "You must not delete these cache mounts for pip while a build runs:",
        "The maximum of cache mounts for pip in a build is a setting of the build file.",
    ],
)
def test_what_reassures_or_leads_elsewhere_is_no_warning(sentence: str) -> None:
    """Nor what introduces a list, or has a limit without a figure."""
    text = TEXT.replace(WARNING, sentence)
    assert omitted("Kiln keeps a layer for each instruction [@manual, q1].", QUOTE, work(text=text)) == []


def test_a_sentence_that_only_denies_comes_behind_a_warning() -> None:
    """Both are listed."""
    hint = "Cache mounts for pip in the build file will not be read by another build."
    text = TEXT.replace(WARNING, f"{hint}\n\n## Cache mounts\n\n{WARNING}")
    listed = omitted("Kiln keeps a layer for each instruction [@manual, q1].", QUOTE, work(text=text))
    assert listed == [WARNING, hint]
