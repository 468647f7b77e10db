"""Sections of the works of a page from which it cites nothing."""

from __future__ import annotations

from dataclasses import replace

from planbook.research.drafts import Draft, Source
from planbook.research.proof.parsed_draft import ParsedDraft
from planbook.research.submission.unused_sections import find_unused_sections
from tests.research.documents import brief
from tests.research.expand.kiln_works import TEXT, work
from tests.research.proof.kiln import page

LOST = """\
## Layers that are lost

A layer of a small image is lost when its cache mount fails. You must not build a small image with pip meanwhile:
the registry rejects its digest, and a mirror never repairs it. Restore each from a mirror.
"""
QUOTE = {"q1": "Kiln keeps a layer for each instruction of the build file."}
BODY = "Kiln keeps a layer for each instruction [@manual, q1]."


def unused(*works: Source, quotes: dict[str, str] = QUOTE) -> list[tuple[str, str]]:
    """The work and heading of each section."""
    parsed = ParsedDraft(Draft(page(BODY, quotes), "hand"), brief(), works, (), ())
    return [(section.excerpt.source, section.heading) for section in find_unused_sections(parsed, works)]


def titled(source: Source, title: str) -> Source:
    """A document with a title."""
    return replace(source, fetched=replace(source.fetched, title=title))


def test_a_section_about_a_point_is_listed() -> None:
    """Its heading is listed; one that is about something else is not."""
    assert unused(work(text=TEXT + LOST)) == [("manual", "Kiln / Layers that are lost")]


def test_a_section_with_a_quote_on_the_page_is_used() -> None:
    """Its writer has read it."""
    quotes = {**QUOTE, "q2": "You must not build a small image with pip meanwhile"}
    assert unused(work(text=TEXT + LOST), quotes=quotes) == []


def test_a_work_that_is_not_cited_is_listed_by_its_title() -> None:
    """Once; not if it is for others, such as developers, and no change log."""
    lost = work("lost", LOST)
    assert unused(work(), titled(lost, "Lost layers")) == [("lost", "Lost layers")]
    assert unused(work(), titled(lost, "Developing layers")) == []
    assert unused(work(), work("changes", f"# Changelog\n\n## 1.2.0\n\n{LOST}\n## 1.1.0\n\n{LOST}")) == []


def test_what_the_page_says_is_not_listed() -> None:
    """The page may say it in its own words, too; a short section says nothing."""
    assert unused(work(text=f"{TEXT}\n## Layers that are lost\n\nA layer is lost.\n")) == []
