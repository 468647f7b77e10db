"""Pages of the web that a browser saved beside a report, and the links in brackets that cite them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from planbook.cli import main
from planbook.research.audit.claims.cited_claims import read_cited_claims
from tests.files import put

URL = "https://tea.test/steeping?a=1&b=2"
BODY = "<body><p>Water at 80 degrees keeps the catechins in the leaf of the house.</p></body></html>"
HEADS = {
    "saved from": "<!-- saved from url=(0033)https://tea.test/steeping?a=1&b=2 -->\n<html><head></head>",
    "SingleFile": "<html><!--\n Page saved with SingleFile \n url: https://tea.test/steeping?a=1&b=2 \n-->",
    "canonical": '<html><head><link href="https://tea.test/steeping?a=1&amp;b=2" rel="canonical"></head>',
    "og:url": '<html><head><meta property="og:url" content="https://tea.test/steeping?a=1&amp;b=2"></head>',
}
REPORT = f"""# Tea

Water at 80 degrees keeps the catechins in the leaf of the house [1].

## References

[1] Steeping. {URL}
"""


def audited(root: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str]) -> dict[str, Any]:
    """The only claim of a report with files beside it."""
    put(root, {**files, "report.md": REPORT})
    monkeypatch.chdir(root)
    done = CliRunner().invoke(main, ["audit", "report.md", "--offline", "--format", "json"])
    claims: list[dict[str, Any]] = json.loads(done.stdout)["claims"]
    (claim,) = claims
    return claim


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
def test_a_saved_page_is_read_for_its_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, head: str) -> None:
    """In any folder; what saved it says from where, or its own head does."""
    claim = audited(tmp_path, monkeypatch, {"saved/Steeping.html": f"{head}{BODY}"})
    assert claim["verdict"] == "found verbatim", claim["reason"]
    assert claim["sources"][0]["detail"] == "saved in saved/Steeping.html"


def test_a_page_without_an_address_and_one_of_two_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody knows what they are."""
    assert audited(tmp_path, monkeypatch, {"saved/Steeping.html": f"<html>{BODY}"})["verdict"] == "unreadable"
    pages = {f"saved/{name}.html": f"{HEADS['canonical']}{BODY}" for name in ("one", "two")}
    assert audited(tmp_path, monkeypatch, pages)["verdict"] == "unreadable"


@pytest.mark.parametrize(
    "citation",
    [
        "\\[[Rye' 2024-02-28](https://tea.test/a)\\]",
        "[[Rye, 2024](https://tea.test/a)]",
        "\\[[Rye' 2024-02-28](https://tea.test/a)\\]\\[[Mill' 2023](https://tea.test/b)\\]",
    ],
)
def test_a_link_in_brackets_is_a_citation_and_no_word_of_its_sentence(citation: str) -> None:
    """So research tools cite: an author and a date, linked, in brackets."""
    (claim,) = read_cited_claims(f"# Tea\n\nThe kettle keeps the water hot {citation}.\n", "report.md")
    assert claim.text == "The kettle keeps the water hot."
    assert claim.urls[0] == "https://tea.test/a"
