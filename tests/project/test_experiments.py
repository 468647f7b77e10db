"""Experiments: no result is kept back, and each is found by its page."""

from __future__ import annotations

from tests.conftest import ROOT

DOCS = ROOT / "docs"
RESULTS = DOCS / "assets" / "experiments" / "results"


def test_each_result_is_on_a_page() -> None:
    """A page links to each output, also to those that show no effect."""
    pages = "".join(page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md"))
    kept = sorted(path.name for path in RESULTS.iterdir())
    assert kept
    assert [name for name in kept if f"experiments/results/{name}" not in pages] == []
