"""Our own configuration with real plans and pages, and our own base under both engines."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.conftest import Once
from tests.plugin.conftest import Built, assert_same_site, own_builds, real_builds, recorded


@pytest.fixture(scope="module")
def built(once: Once, shared: Path) -> Built:
    """A project with our `mkdocs.yml` and Guide, real plans, pages and drops, built strictly: without a warning."""
    root = real_builds(once, shared)
    return Built(root, 0, recorded(root)[0].log)


def test_real_plans_and_pages(built: Built) -> None:
    """22 PARTs, 19 done and 3 disabled, 6 of them with their page, each of the others with a placeholder."""
    progress = json.loads((built.site / "progress.json").read_text("utf-8"))
    assert progress["totals"]["plans"] == 5
    assert progress["totals"]["states"] == {"disabled": 3, "done": 19}
    parts = [part for plan in progress["plans"] for part in plan["parts"]]
    pages = [page for part in parts for page in part["pages"]]
    assert len(parts) == 22
    assert sum(page["exists"] for page in pages) == 5
    assert sum(part["drop"] is not None for part in parts) == 4
    for page in pages:
        assert re.search("pb-banner|pb-head", built.html(page["uri"].removesuffix(".md")))
    assert "5 of 19 planned pages are written, from 5 plans; 3 more are left out." in built.log


@pytest.mark.nightly
def test_both_engines_build_our_own_base_alike(once: Once) -> None:
    """`mkdocs build --strict` and `properdocs build --strict` give the same site, page by page."""
    made = [Built(own_builds(once, engine), 0, "") for engine in ("mkdocs", "properdocs")]
    assert len([*made[0].site.rglob("*.html")]) > 50
    assert_same_site(*made)
