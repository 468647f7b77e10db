"""Verdicts: what a page says of a source against what the source says."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.citations.quotes import fold
from planbook.citations.report import Content, PageResult, QuoteTotals, decode_report, merge_report
from planbook.model import Reference
from planbook.research.proof.verify import CitedReference, read_cited_references, report_page, verify_reference
from planbook.research.web.model import Fetched, Outcome

URL = "https://tea.test/steeping"
SOURCE = Fetched(
    URL,
    Outcome.OK,
    status_code=200,
    final_url=URL,
    text="# Steeping\n\nWater at **80 degrees** keeps the\ncatechins in. Tea is tea.",
    visible="Home\nSteeping\nWater at 80 degrees keeps the\ncatechins in. Tea is tea.\nCaf\u00e9 crème",
    fetched="2026-11-20T10:00:00Z",
)
PAGE = f"""---
references:
  - id: steeping
    title: Steeping
    URL: {URL}#:~:text=80%20degrees
    custom:
      sha256: {SOURCE.sha256}
      quotes: {{q1: "Water at 80 degrees", q2: "at 95 degrees"}}
  - id: kettle
    title: The kettle on our table
---

# Water

Text. See [time](02-time.md).

From [Milk](https://milk.example/) (accessed 2026-11-20): white.
"""


def claim(url: str | None = URL, sha256: str | None = None, **quotes: str) -> CitedReference:
    """A claim on one source."""
    return CitedReference(Reference("steeping", "Steeping", url, quotes=tuple(quotes.items())), sha256)


def test_claims_are_read_from_the_front_matter() -> None:
    """Address, hash and quotes of each reference; fragments are not sent."""
    steeping, kettle = (
        c for c in read_cited_references(PAGE, "tea/01-water.md") if c.reference.id in {"steeping", "kettle"}
    )
    assert (steeping.url, steeping.sha256) == (URL, SOURCE.sha256)
    assert [key for key, _ in steeping.reference.quotes] == ["q1", "q2"]
    assert (kettle.url, kettle.sha256) == (None, None)
    assert [c.reference.id for c in read_cited_references(PAGE, "tea/01-water.md")] == ["steeping", "kettle", "milk"]


@pytest.mark.parametrize(
    "page", ["", "---\nreferences: x\n---\n", "---\nreferences: [1, {id: a, custom: x}]\n---\n", "---\n{\n---\n"]
)
def test_broken_front_matter_claims_nothing(page: str) -> None:
    """What is wrong with a page is told by `planbook check`; here it stops nothing."""
    assert all(found.sha256 is None for found in read_cited_references(page, "a.md"))


@pytest.mark.parametrize("url", [None, "02-time.md", "/abs/x.md", "mailto:a@tea.test", "ftp://tea.test/x"])
def test_pages_of_the_base_and_works_without_address_are_not_checkable(url: str | None) -> None:
    """They are told as such, and are nothing to fix."""
    verdict = verify_reference(claim(url, q1="words"), None)
    assert (verdict.checkable, verdict.well, verdict.findings, verdict.outcome) == (False, True, (), None)


@pytest.mark.parametrize(
    ("quote", "is_there"),
    [
        ("Water at 80 degrees", True),
        ("keeps the catechins", True),
        ("  keeps\n\tthe\u00a0catechins ", True),
        ("Cafe\u0301", True),
        ("ea", True),
        ("water at 80 degrees", False),
        ("Water at 95 degrees", False),
        (" ", False),
    ],
)
def test_a_quote_stands_in_it_exactly(quote: str, is_there: bool) -> None:
    """To the letter and its case; white space is folded, Unicode composed, and Markdown's marks may be there or not."""
    verdict = verify_reference(claim(q1=quote), SOURCE)
    assert verdict.quotes == {"q1": is_there}
    assert verdict.well is is_there


def test_a_quote_without_escapes_has_its_paragraph() -> None:
    """Briefs show it so: with the emphasis of the source, which its visible text lacks."""
    text = "# Steeping\n\nUse the form \\<time\\>, where **time** is in minutes, for each of the cups.\n"
    source = replace(SOURCE, text=text, visible="Use the form <time>, where time is in minutes, for each of the cups.")
    found = verify_reference(claim(q1="form <time>, where **time** is"), source)
    assert found.quotes == {"q1": True}
    assert "where **time** is in minutes" in found.passages["q1"].text


def test_no_finding_hides_another() -> None:
    """A source that moved, changed and lost a quote is told as all three."""
    moved = replace(SOURCE, outcome=Outcome.MOVED, moved_to="https://tea.test/new")
    findings = verify_reference(claim(URL, "0" * 64, q1="never"), moved).findings
    assert [finding.split()[0] for finding in findings] == ["moved", "changed:", "quote"]
    gone = replace(
        SOURCE, outcome=Outcome.GONE, moved_to="https://tea.test/new", reason="the server returned 410", text=""
    )
    findings = verify_reference(claim(q1="never"), gone).findings
    assert findings == ("moved to https://tea.test/new", "gone: the server returned 410")


@pytest.mark.parametrize("outcome", [outcome for outcome in Outcome if outcome not in {Outcome.OK, Outcome.MOVED}])
def test_each_outcome_is_told_apart(outcome: Outcome) -> None:
    """The report names every way in which a source could not be read, and says nothing of its text."""
    verdict = verify_reference(claim(sha256="0" * 64, q1="x"), Fetched(URL, outcome, f"reason of {outcome}"))
    assert verdict.findings == (f"{outcome.value.replace('_', ' ')}: reason of {outcome}",)
    assert (verdict.well, verdict.content, verdict.quotes) == (False, Content.UNREAD, {})


NONE = decode_report(None)[0]
ANSWERS = {outcome.value: replace(SOURCE, outcome=outcome) for outcome in Outcome} | {"none": None}
CONCLUSIVE = {"ok", "moved", "gone"}


def run_twice(first: Fetched | None, then: Fetched | None, text: str = PAGE) -> PageResult:
    """The results for the first reference of `PAGE` and `text`, after a run on each."""
    report = NONE
    for day, page_text, fetched in (("2026-11-20", PAGE, first), ("2026-11-21", text, then)):
        claims, answers = read_cited_references(page_text, "a.md")[:1], ((fetched,) if fetched else ())
        page = report_page(claims, {claims[0].url: answers}, day, "0" * 64, offline=fetched is None)
        report = merge_report(report, {"a.md": page}, {"a.md"})
    return report.pages["a.md"]


@pytest.mark.parametrize(
    ("first", "then", "stays"),
    [(first, then, first in CONCLUSIVE and then not in CONCLUSIVE) for first in ANSWERS for then in ANSWERS if then]
    + [(first, "none", first != "none") for first in ANSWERS],
)
def test_a_source_that_could_not_be_read_keeps_its_earlier_result(first: str, then: str, stays: bool) -> None:
    """With its day; what was read, or is gone, replaces it, and no request says less than one that failed."""
    stays = stays or (then == "none" and first != "none")
    page = run_twice(ANSWERS[first], ANSWERS[then])
    (work,) = page.references
    left, day = (first, "2026-11-20") if stays else (then, "2026-11-21")
    assert (work.outcome or "none", work.checked) == (left, day)
    assert work.offline is (left == "none")
    assert page.quotes == QuoteTotals(int(left in {"ok", "moved"}), 2)
    assert page.checked == "2026-11-21"


@pytest.mark.parametrize(
    ("before", "after", "stays"),
    [
        ("the kettle", "the pot", True),
        ("title: Steeping", "title: On steeping", True),
        (URL, f"{URL}/2", False),
        ("at 95 degrees", "at 96 degrees", False),
        ("sha256: ", "sha256: 0", False),
        ("    custom:", "    custom:\n      fragments: {q1: Water}", False),
        ("    custom:", f"    custom:\n      permalink: https://github.com/a/b/blob/{'0' * 40}/c.md", False),
    ],
)
def test_a_changed_reference_keeps_no_result(before: str, after: str, stays: bool) -> None:
    """Its address, quotes and origin were checked; its title, other works and the page's text were not."""
    page = run_twice(SOURCE, None, PAGE.replace(before, after))
    assert [work.outcome for work in page.references] == ["ok" if stays else None]


@given(st.text(min_size=1), st.text(), st.text())
def test_what_is_copied_from_a_source_is_found(quote: str, before: str, after: str) -> None:
    """Any run of words, however spaced and composed, stands in the text that it was taken from."""
    words = fold(quote)
    if not words:
        return
    source = replace(SOURCE, visible=f"{before} {words} {after}", text="-")
    spaced = unicodedata.normalize("NFD", re.sub(" ", " \n ", words))
    assert verify_reference(claim(q1=spaced), source).quotes["q1"]
