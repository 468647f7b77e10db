"""The drop of one attempt."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import markdown
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from generator.drafts import Draft, Source
from generator.library import link
from generator.library.pages import parse_drop
from generator.markdown.front_matter import split_front_matter
from generator.model import Problem, Query
from generator.research.compose.page import ExtractWriter
from generator.research.drop import Attempt, render_drop
from generator.research.rank import evidence
from generator.search.answers import Found, Hit, Searched
from generator.web.model import Fetched, Outcome
from tests.conftest import ROOT
from tests.research.documents import brief, plan, source, sources

GOLDEN = ROOT / "tests" / "golden" / "research"
SOURCES = (
    *sources(),
    Source("gone", Fetched("https://gone.test/a", Outcome.GONE, "the server returned 410", 410), ("kiln",)),
)
SEARCHED = (
    Searched(Query("web", "kiln multi-stage build runtime image size", 1), "local", Found.FOUND, (Hit("x", "X"),) * 8),
    Searched(Query("github", "kilnfile runtime stage", 1), "github", Found.RATE_LIMITED, reason="429, for an hour"),
    Searched(Query("web", "", 1), "plan", Found.FOUND, (Hit("x", "X"),)),
)
DONE = Attempt(
    brief=brief(),
    runner="planbook extract",
    started=datetime(2026, 11, 20, 9, 58, 30, tzinfo=UTC),
    finished=datetime(2026, 11, 20, 11, 1, tzinfo=timezone(timedelta(hours=1))),
    outcome="done",
    draft=ExtractWriter().write(brief(), sources(), evidence(brief(), sources()), date(2026, 11, 20)),
    sources=SOURCES,
    searched=SEARCHED,
    findings=(Problem("a.md", 1, "D050", "143 lines of 200: no further evidence was available"),),
    requests=14,
)
FAILED = replace(
    DONE,
    outcome="failed",
    reason="quote q1 of @kiln-build-stages is not in its source",
    findings=(Problem("a.md", 21, "D040", "quote q1 of @kiln-build-stages is not in its source"),),
    retries=1,
)


def test_golden_done(golden: Callable[[Path, str], None]) -> None:
    """What was made, from what, what was asked and not used, what stays open, what the gates remarked."""
    golden(GOLDEN / "drop-done.md", render_drop(DONE))


def test_golden_failed(golden: Callable[[Path, str], None]) -> None:
    """Of a PART that failed: why, and what was tried."""
    golden(GOLDEN / "drop-failed.md", render_drop(FAILED))


def test_an_attempt_that_came_to_nothing() -> None:
    """Without a draft, a search or a source, it is told what is known."""
    text = render_drop(Attempt(brief(2), "a person", DONE.started, DONE.started, "failed"))
    meta, body = split_front_matter(text)
    assert (meta["lines"], meta["references"], meta["requests"], meta["retries"]) == (0, 0, 0, 0)
    assert "has no page." in body
    assert "- Where signing keys are kept" in body


def test_a_page_that_was_handed_in() -> None:
    """Of a page by hand nobody looked for gaps, and no writer of ours wrote it: the drop claims neither."""
    assert DONE.draft is not None
    text = render_drop(replace(DONE, draft=replace(DONE.draft, writer="hand", gaps=())))
    assert "and checked from 2026-11-20 09:58 UTC to" in text
    assert "Not checked. The page was submitted, and its author did the research." in text
    assert "something was found on every point" not in text
    assert "by the writer" not in text


def by_hand(front_matter: str, runner: str = "by hand") -> str:
    """The body of the drop of a page with this front matter that was submitted."""
    draft = Draft(f"---\ntitle: Stages\n{front_matter}\n---\n\n# Stages\n\nText.\n", "hand")
    return split_front_matter(render_drop(replace(DONE, draft=draft, runner=runner)))[1]


@pytest.mark.parametrize(
    ("front_matter", "told"),
    [
        (
            "generated: {writer: an agent of the authors, date: 2026-11-22}",
            "The page states that it was written by an agent of the authors, 2026-11-22.",
        ),
        ("generated: {writer: hand, date: 2026-11-22}", "The page states that it was written by hand, 2026-11-22."),
        ("generated: {writer: robot, model: r-2}", "The page states that it was written by robot (r-2)."),
        ("generated: A. Person", "The page states that it was written by A. Person."),
        ("reviewed: null", "The page does not state who wrote it."),
        ("generated: [1]", "The page states that it was written by &#91;1\\]."),
    ],
)
def test_of_a_page_by_hand_its_own_word_is_told(front_matter: str, told: str) -> None:
    """Who wrote it stands in the page; the runner is who handed it in. The writer `hand` is no name."""
    body = by_hand(front_matter, "A. Nother")
    assert told in body
    assert "It was submitted by A. Nother and checked from" in body
    assert "the writer `hand`" not in body
    assert "It was submitted by hand and checked from" in by_hand(front_matter)


def test_a_page_that_says_it_was_reviewed() -> None:
    """The drop does not say the opposite."""
    assert "It has not been reviewed." in by_hand("reviewed: null")
    assert "The page states that it was reviewed." in by_hand("reviewed: {by: A. Person, date: 2026-11-22}")


def test_a_name_is_text() -> None:
    """What a page or a runner calls a writer makes no element, no link, no heading and no line of its own."""
    hostile = (
        'x</p><script>a()</script> [a](https://evil.test/) ![i](https://evil.test/i.png) {{ v }} `c`\n\n# H\n--8<-- "p"'
    )
    name = yaml.safe_dump({"generated": {"writer": hostile, "date": f"2026 {hostile}"}})
    for body in (by_hand(name), by_hand("reviewed: null", hostile)):
        title, summary, *_ = body.split("\n\n")
        html = markdown.markdown(f"{title}\n\n{summary}", extensions=["attr_list", "md_in_html", "footnotes"])
        assert set(re.findall(r"<([^/][^>]*)>", html)) == {"h1", "p", "em", "code"}
        assert "x&lt;/p&gt;&lt;script&gt;" in html
    assert len(by_hand(f"generated: {'x' * 10_000}")) < 3_000


def test_the_library_takes_it() -> None:
    """It is found to be the drop of its PART, and no other's."""
    drop = parse_drop(render_drop(DONE), "plans/KNOWLEDGE-DROP-x.md")
    library = link([plan()], [], [drop])
    assert [entry.drop for entry in library.entries] == [drop, None]


RUNNERS = st.text(min_size=1).filter(str.strip)


@given(RUNNERS, st.sampled_from(["done", "failed"]), st.datetimes(timezones=st.just(UTC)), st.text(), st.text())
def test_what_is_written_is_read(runner: str, outcome: str, finished: datetime, reason: str, title: str) -> None:
    """The parser of drops reads each of its facts back, whatever words are in it."""
    odd = replace(
        source("stages"), fetched=replace(source("stages").fetched, title=title, url=f"https://x.test/{title}")
    )
    attempt = replace(
        DONE,
        runner=runner,
        outcome=outcome,
        started=finished,
        finished=finished,
        reason=reason,
        sources=(odd,),
        searched=(replace(SEARCHED[1], reason=reason, provider=title or "x"),),
        findings=(Problem("a.md", 1, "D050", title),),
    )
    text = render_drop(attempt)
    drop = parse_drop(text, "plans/KNOWLEDGE-DROP-x.md")
    meta, _ = split_front_matter(text)
    assert list(meta) == [
        *("plan", "part", "runner", "started", "finished", "outcome"),
        *("page", "lines", "references", "requests", "retries"),
    ]
    assert (drop.plan, drop.part, drop.runner) == ("small-images", 1, runner)
    assert (drop.outcome, drop.page, drop.title) == (outcome, "images/10-small-images.md", "Small images with Kiln")
    assert drop.timestamp == finished.strftime("%Y-%m-%d %H:%M UTC")
    assert drop.body.count("\n## ") == render_drop(replace(attempt, reason="", runner="x")).count("\n## ")
