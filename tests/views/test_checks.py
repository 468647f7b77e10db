"""What the site takes from the report of `planbook verify`, which is written here by the command's own code."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from planbook.citations.references import read_references
from planbook.citations.report import (
    VERSION,
    SourceStatus,
    decode_report,
    encode_report,
    make_page_result,
    merge_report,
)
from planbook.library.pages import fingerprint, parse_page
from planbook.model import Reference
from planbook.research.proof.verify import Answers, CitedReference, read_cited_references, report_page, verify_reference
from planbook.research.web.model import Fetched, Outcome
from planbook.views.checks import read_checks, status_label, still_valid_checks

URL = "https://tea.test/steeping"
WORDS = "Water at 80 degrees."
OK = Fetched(URL, Outcome.OK, text=WORDS, visible=WORDS, fetched="2026-11-19T10:00:00Z")
UNREAD = set(Outcome) - {Outcome.OK, Outcome.MOVED, Outcome.GONE, Outcome.REFUSED}


def written(*pairs: tuple[CitedReference, Fetched | None], offline: bool = False) -> bytes:
    """The report of one page."""
    time, wanted = "2026-11-20T10:00:00Z", sum(len(claim.reference.quotes) for claim, _ in pairs)
    works = tuple(verify_reference(claim, fetched, time, offline=offline) for claim, fetched in pairs)
    page = make_page_result(works, time, "f" * 64, wanted, offline=offline)
    return encode_report(merge_report(decode_report(None)[0], {"a.md": page}, ["a.md"]))


def claim(name: str, url: str | None = URL, sha256: str | None = None, **quotes: str) -> CitedReference:
    """A claim on one source."""
    return CitedReference(Reference(name, name, url, quotes=tuple(quotes.items())), sha256)


def test_the_report_is_the_one_that_is_written() -> None:
    """The report that verify writes has the version that views read."""
    assert json.loads(written())["version"] == VERSION


def test_each_status_is_told_apart() -> None:
    """The status follows from what hosts answered and from what the texts hold."""
    moved = replace(OK, outcome=Outcome.MOVED, moved_to="https://tea.test/new")
    raw = written(
        (claim("live", q1="80 degrees"), OK),
        (claim("moved"), moved),
        (claim("doubtful", q1="80 degrees"), replace(OK, doubt="it asks for an answer")),
        (replace(claim("decided"), is_reviewed=True), replace(OK, doubt="it asks for an answer")),
        (claim("changed", sha256="0" * 64), OK),
        (claim("missing", q1="80 degrees", q2="95 degrees"), OK),
        (claim("gone"), replace(OK, outcome=Outcome.GONE, reason="410")),
        *((claim(outcome.value), replace(OK, outcome=outcome)) for outcome in UNREAD),
        (claim("refused"), replace(OK, outcome=Outcome.REFUSED)),
        (claim("unasked"), None),
        (claim("kettle", None), None),
    )
    checks, wrong = read_checks(raw)
    page = checks["a.md"]
    statuses = {name: check.status for name, check in page.by_id.items()}
    assert "doubtful: it asks for an answer" in page.by_id["doubtful"].findings[0]
    assert not page.by_id["doubtful"].well
    named = {"live": "verified", "doubtful": "doubtful", "decided": "verified", "moved": "moved"}
    named |= {"changed": "changed", "missing": "missing"}
    assert wrong == ""
    assert {name: statuses[name] for name in named} == {name: SourceStatus(value) for name, value in named.items()}
    assert statuses["gone"] is SourceStatus.GONE
    assert {statuses[outcome.value] for outcome in UNREAD} == {SourceStatus.UNREAD}
    assert (statuses["unasked"], statuses["kettle"]) == (SourceStatus.UNCHECKED, SourceStatus.OFFWEB)
    assert statuses["refused"] is SourceStatus.UNCHECKED
    assert page.by_id["moved"].moved_to == "https://tea.test/new"
    assert page.by_id["missing"].quotes == {"q1": True, "q2": False}


def test_a_stored_copy_is_not_a_live_source() -> None:
    """Offline, no host was asked; the day is that on which the copy was made."""
    checks, _ = read_checks(written((claim("a", q1="80 degrees"), OK), offline=True))
    check = checks["a.md"].by_id["a"]
    assert (check.status, status_label(check)) == (SourceStatus.COPIED, "in a saved copy of 2026-11-19")


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (None, ""),
        *(
            (b"{", "not JSON"),
            (b"\xff\xfe", "not JSON"),
            (b"[]", "version"),
            (b'{"version": 2, "pages": {}}', "version"),
        ),
        (b'{"version": 1, "pages": {"a.md": {"references": 3}}}', "version"),
    ],
)
def test_a_spoilt_report_is_told_and_claims_nothing(raw: bytes | None, words: str) -> None:
    """`planbook verify` makes it anew; no report is nothing wrong."""
    checks, wrong = read_checks(raw)
    assert checks == {}
    assert words in wrong


TEXT = f"""---
references:
- {{id: a, title: A, URL: "{URL}", custom: {{quotes: {{q1: 80 degrees}}}}}}
- {{id: b, title: B, URL: "{URL}/b"}}
---

# Tea

From [Milk](https://milk.test/white) (accessed 2026-11-20).
"""


@pytest.mark.parametrize(
    ("old", "new", "left", "is_current"),
    [
        ("# Tea", "# Tea", {"a", "b", "milk"}, True),
        ("---\n\n", "tags: [tea]\n---\n\n", {"a", "b", "milk"}, True),
        ("# Tea", "# Green tea", {"a", "b", "milk"}, False),
        ("80 degrees", "80 degree", {"b", "milk"}, False),
        (f"{URL}/b", f"{URL}/c", {"a", "milk"}, False),
        ("milk.test/white", "milk.test/brown", {"a", "b"}, False),
    ],
)
def test_an_edit_keeps_the_results_of_other_references(old: str, new: str, left: set[str], is_current: bool) -> None:
    """The check of the page is no longer current; what was found in sources for references that stayed still is."""
    claims = read_cited_references(TEXT, "a.md")
    answers: Answers = {claim.url: (OK,) for claim in claims}
    report = {"a.md": report_page(claims, answers, "2026-11-20T10:00:00Z", fingerprint(TEXT), offline=False)}
    checks, _ = read_checks(encode_report(merge_report(decode_report(None)[0], report, ["a.md"])))
    text = TEXT.replace(old, new, 1)
    page = replace(parse_page(text, "a.md")[0], references=read_references(text, "a.md")[0])
    found = still_valid_checks(checks, {"a.md": text.encode()}, {"a.md": page})["a.md"]
    assert ({*found.by_id}, found.is_current) == (left, is_current)
    assert still_valid_checks(checks, {}, {}) == {}


def test_a_pin_and_a_saved_copy_are_told() -> None:
    """What a mirror has proven is pinned, unless a quote is missing; a copy that the user saved is a stored one."""
    well = {
        "checkable": True,
        "outcome": "ok",
        "pinned": {"commit": "0" * 40, "date": "2026-10-02"},
        "quotes": {"q1": True},
    }
    works = [
        {**well, "id": "pinned"},
        {**well, "id": "lacks", "quotes": {"q1": False}},
        {**well, "id": "copied", "pinned": None, "copy": "2026-11-02", "fetched": "2026-11-02T00:00:00Z"},
    ]
    page = {"checked": "2026-11-20T08:00:00Z", "offline": True, "quotes": {"total": 3}, "references": works}
    checks, _ = read_checks(json.dumps({"version": 1, "pages": {"a.md": page}}).encode())
    assert {name: (status_label(check), check.committed) for name, check in checks["a.md"].by_id.items()} == {
        "pinned": ("in the fixed version of 2026-10-02", "2026-10-02"),
        "lacks": ("quote not found", ""),
        "copied": ("in a saved copy of 2026-11-02", ""),
    }
