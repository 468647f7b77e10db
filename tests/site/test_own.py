"""Our own configuration with real plans and pages, under both engines."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from mkdocs.utils.yaml import yaml_load

from tests.conftest import ROOT
from tests.site.conftest import Built, assert_same_site, built_strictly, hashes, real_site


@pytest.fixture(scope="module")
def real(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with our `mkdocs.yml` and assets, the seeds as plans, and the sample pages and drops."""
    return real_site(tmp_path_factory.mktemp("real") / "project", shared)


@pytest.fixture(scope="module", params=["mkdocs", "properdocs"])
def built(request: pytest.FixtureRequest, real: Path) -> Built:
    """The project, built strictly by each engine: without a warning, and without a change of its files."""
    before = hashes(real / "docs"), hashes(real / "plans")
    result = built_strictly(real, engine=request.param)
    assert (hashes(real / "docs"), hashes(real / "plans")) == before
    return result


def test_real_plans_and_pages(built: Built) -> None:
    """22 PARTs, 19 done and 3 disabled, 6 of them with their page, each of the others with a placeholder."""
    progress = json.loads((built.site / "progress.json").read_text("utf-8"))
    assert progress["totals"]["plans"] == 5
    assert progress["totals"]["states"] == {"disabled": 3, "done": 19}
    parts = [part for plan in progress["plans"] for part in plan["parts"]]
    pages = [page for part in parts for page in part["pages"]]
    assert len(parts) == 22
    assert sum(page["exists"] for page in pages) == 6
    assert sum(part["drop"] is not None for part in parts) == 4
    for page in pages:
        assert re.search("pb-banner|pb-head", built.html(page["uri"].removesuffix(".md")))
    assert "6 of 19 planned pages are written, from 5 plans; 3 more are disabled." in built.log


def test_every_page_is_in_the_navigation(built: Built) -> None:
    """INDEX, progress, each folder and each page of the base have a link in the INDEX of the whole base or the nav."""
    index = built.html("INDEX")
    progress = json.loads((built.site / "progress.json").read_text("utf-8"))
    uris = {page["uri"] for plan in progress["plans"] for part in plan["parts"] for page in part["pages"]}
    for uri in uris:
        assert f'href="../{uri.removesuffix(".md")}/"' in index


def test_our_own_site_asks_no_other_host(built: Built) -> None:
    """Neither scripts nor styles, fonts or images come from elsewhere."""
    site_url = yaml_load((ROOT / "mkdocs.yml").read_text("utf-8"))["site_url"]
    html = built.html("progress")
    for tag in ("<script src=", '<link rel="stylesheet" href=', "<img src="):
        for piece in html.split(tag)[1:]:
            address = piece[1:].partition('"')[0]
            assert not address.startswith(("http", "//")) or address.startswith(site_url), address


def test_both_engines_build_our_own_base_alike(tmp_path: Path) -> None:
    """`mkdocs build --strict` and `properdocs build --strict` give the same site, page by page."""
    made = []
    for engine in ("mkdocs", "properdocs"):
        root = tmp_path / engine / "project"
        root.mkdir(parents=True)
        for name in ("docs", "plans"):
            shutil.copytree(ROOT / name, root / name)
        shutil.copy(ROOT / "mkdocs.yml", root)
        made.append(built_strictly(root, engine=engine))
    assert len([*made[0].site.rglob("*.html")]) > 50
    assert_same_site(*made)
