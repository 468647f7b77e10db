"""The drop of one attempt."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import markdown
from hypothesis import given
from hypothesis import strategies as st

from planbook.library.drops import parse_drop
from planbook.library.pages import fingerprint
from planbook.markdown.front_matter import split_front_matter
from planbook.model import Problem, Query, format_time
from planbook.research.drafts import Source, Usage
from planbook.research.evidence.rank import find_evidence
from planbook.research.recording.drop import render_drop
from planbook.research.recording.page_attempt import PageAttempt
from planbook.research.recording.verdicts import PageOutcome, PageVerdict
from planbook.research.search.api_answers import Hit, Searched
from planbook.research.web.model import Fetched, Outcome
from planbook.research.writers.page import compose_quotes
from tests.conftest import ROOT
from tests.research.documents import brief, source, sources

GOLDEN = ROOT / "tests" / "golden" / "research"
SOURCES = (
    *sources(),
    Source("gone", Fetched("https://gone.test/a", Outcome.GONE, "the server returned 410", 410), ("kiln",)),
)
SEARCHED = (
    Searched(Query("web", "kiln multi-stage build runtime image size"), "local", Outcome.OK, (Hit("x", "X"),) * 8),
    Searched(Query("github", "kilnfile runtime stage"), "github", Outcome.RATE_LIMITED, reason="429, for an hour"),
    Searched(Query("web", ""), "plan", Outcome.OK, (Hit("x", "X"),)),
)
DONE = PageAttempt(
    brief(),
    "2026-11-20T09:58:30Z",
    searched=SEARCHED,
    sources=SOURCES,
    draft=compose_quotes(brief(), sources(), find_evidence(brief(), sources()), date(2026, 11, 20)),
    findings=(Problem("a.md", 1, "D050", "143 lines of 200: no further evidence was available"),),
    usage=Usage(14),
    finished="2026-11-20T10:01:00Z",
)
REASON = "quote q1 of @kiln-build-stages is not in its source"
FAILED = replace(DONE, reason=REASON, findings=(Problem("a.md", 21, "D040", REASON),), retries=1)


def drop_of(page: PageAttempt, runner: str = "planbook extract", outcome: str = "done", reason: str = "") -> str:
    """The drop of a page."""
    return render_drop(page, runner, PageVerdict(PageOutcome(outcome), reason))


def test_golden_done(golden: Callable[[Path, str], None]) -> None:
    """What was made, from what, what was asked and not used, what stays open, what the gates remarked."""
    golden(GOLDEN / "drop-done.md", drop_of(DONE))


def test_golden_failed(golden: Callable[[Path, str], None]) -> None:
    """Of a PART that failed: why, and what was tried."""
    golden(GOLDEN / "drop-failed.md", drop_of(FAILED, outcome="failed", reason=REASON))


def test_a_page_that_is_kept_leaves_no_hash_of_ours() -> None:
    """The page that a person has changed is not the one that the drop describes."""
    assert "text_sha256" not in drop_of(DONE, outcome="held", reason="somebody has changed the page")


def test_a_page_that_was_handed_in() -> None:
    """Of a page by hand nobody looked for gaps, and no writer of ours wrote it: the drop claims neither."""
    assert DONE.draft is not None
    text = drop_of(replace(DONE, draft=replace(DONE.draft, writer="hand", gaps=())), "A. Nother")
    assert "It was submitted by A. Nother and checked from 2026-11-20 09:58 UTC to" in text
    assert "None. The page marks nothing as not found." in text
    assert "something was found on every point" not in text
    assert "by the writer" not in text


def test_a_name_is_text() -> None:
    """The name of a runner makes no element, no link, no heading and no line of its own."""
    hostile = (
        'x</p><script>a()</script> [a](https://evil.test/) ![i](https://evil.test/i.png) {{ v }} `c`\n\n# H\n--8<-- "p"'
    )
    assert DONE.draft is not None
    drop = drop_of(replace(DONE, draft=replace(DONE.draft, writer="hand")), hostile)
    title, summary, *_ = split_front_matter(drop)[1].split("\n\n")
    html = markdown.markdown(f"{title}\n\n{summary}", extensions=["attr_list", "md_in_html", "footnotes"])
    assert set(re.findall(r"<([^/][^>]*)>", html)) == {"h1", "p", "em", "code"}
    assert "x&lt;/p&gt;&lt;script&gt;" in html


RUNNERS = st.text(min_size=1).filter(str.strip)


@given(
    RUNNERS,
    st.sampled_from(["done", "failed"]),
    st.datetimes(datetime(1970, 1, 1), timezones=st.just(UTC)),
    st.text(),
    st.text(),
)
def test_what_is_written_is_read(runner: str, outcome: str, finished: datetime, reason: str, title: str) -> None:
    """The parser of drops reads each of its facts back, whatever words are in it."""
    odd = replace(
        source("stages"), fetched=replace(source("stages").fetched, title=title, url=f"https://x.test/{title}")
    )
    time = format_time(finished)
    page = replace(
        DONE,
        started=time,
        finished=time,
        sources=(odd,),
        searched=(replace(SEARCHED[1], reason=reason, provider=title or "x"),),
        findings=(Problem("a.md", 1, "D050", title),),
    )
    text = drop_of(page, runner, outcome, reason)
    drop = parse_drop(text, "plans/KNOWLEDGE-DROP-x.md")
    meta, _ = split_front_matter(text)
    assert list(meta) == [
        *("plan", "part", "runner", "started", "finished", "outcome"),
        *("page", "lines", "references", "requests", "retries"),
        *(["text_sha256"] if outcome == "done" else []),
    ]
    assert page.draft is not None
    assert drop.text_sha256 == (fingerprint(page.draft.text) if outcome == "done" else "")
    assert (drop.plan, drop.part, drop.runner) == ("small-images", 1, runner)
    assert (drop.outcome, drop.page, drop.title) == (outcome, "images/10-small-images.md", "Small images with Kiln")
    assert drop.timestamp == f"{finished:%Y-%m-%d %H:%M} UTC"
    assert drop.body.count("\n## ") == drop_of(page, "x", outcome).count("\n## ")
