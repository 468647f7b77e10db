"""Private parts of other packages: what is needed of them, and how sites are built without."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

import pytest

from planbook_speed import internals
from planbook_speed.search_index import indexes_as_material
from tests.conftest import ROOT
from tests.plugin.serving import serving, wait_for
from tests.speed.conftest import Site
from tests.speed.releases import assert_same_after_changes, building_with, other_release, path_with

CHECKED = {"mkdocs": "1.6.1", "properdocs": "1.6.7", "mkdocs-material": "9.8.1", "Jinja2": "3.1.6"}
"""The versions that the module was compared with."""


def test_the_versions_are_checked() -> None:
    """With another version of a package: compare `internals` with its code and its changelog, then note the version."""
    assert {name: metadata.version(name) for name in CHECKED} == CHECKED


def test_all_parts_are_there() -> None:
    """With the versions that this suite runs with, nothing is slower."""
    assert list(internals.missing_parts(internals.BUILD_INTERNALS + internals.SERVER_INTERNALS)) == []


def test_the_code_of_material_is_known() -> None:
    """Our index of a page is that of Material's version that we test with."""
    assert indexes_as_material()


PRIVATE = re.compile(
    r"^from (?!planbook)[\w.]+ import .*\b_[a-z]\w*|\b(?:config|server|plugins|page|file)\._(?!speed)[a-z]\w*",
    re.MULTILINE,
)
ON_PAGES = {"page._title_from_render", "last._title_from_render"}
"""The private name that a page's rendering sets, which is restored with the others; see `internals.MADE`."""


@pytest.mark.parametrize("path", sorted((ROOT / "generator/planbook_speed").glob("*.py")), ids=lambda path: path.stem)
def test_private_names_are_used_in_one_module(path: Path) -> None:
    """No other module reads a private name of another package."""
    private = {*PRIVATE.findall(path.read_text("utf-8"))} - ON_PAGES
    assert private == set() or path.stem == "internals"


WRITES = "        if output.strip():\n            utils.write_file(\n"
OTHER_ARGUMENT = {
    "excluded: bool = False,\n) ->": "is_left_out: bool = False,\n) ->",
    "        if excluded:\n            page.content": "        if is_left_out:\n            page.content",
    "excluded=file.inclusion.is_excluded()": "is_left_out=file.inclusion.is_excluded()",
}
HIDDEN: dict[str, tuple[str, Mapping[str, str], internals.PrivatePart]] = {
    "populate": ("mkdocs", {"_populate_page": "_read_page"}, internals.STEPS),
    "build": ("mkdocs", {"_build_page": "_write_page"}, internals.STEPS),
    "context": ("mkdocs", {"get_context": "context_of"}, internals.STEPS),
    "argument": ("mkdocs", OTHER_ARGUMENT, internals.STEPS),
    "empty-pages": ("mkdocs", {WRITES: WRITES.replace("output.strip()", "True")}, internals.STEPS),
    "current-page": ("mkdocs", {"_current_page": "_page_now"}, internals.CURRENT_PAGE),
    "events": ("mkdocs", {"self.events": "self.listeners"}, internals.EVENTS),
    "origins": ("mkdocs", {"_event_origins": "_plugins_by_event"}, internals.EVENTS),
    "title": ("mkdocs", {"_title_from_render": "_heading"}, internals.PAGES),
    "anchors": ("mkdocs", {"present_anchor_ids": "own_anchors"}, internals.PAGES),
    "copying": ("mkdocs", {"copy_file(": "copy_into_site("}, internals.FILES),
    "environment": (
        "mkdocs",
        {"config.theme.get_env()": "type(config.theme).get_env(config.theme)"},
        internals.TEMPLATES,
    ),
    "filter": ("mkdocs", {"url_filter": "address_filter"}, internals.TEMPLATES),
    "search": ("material", {"class SearchIndex": "class TextIndex", "SearchIndex(": "TextIndex("}, internals.SEARCH),
}
"""By name: a package, what its modules have in another release, and the part that is missing."""
BY_DAY = ("build", "title", "search")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in BY_DAY else pytest.mark.nightly) for name in HIDDEN]
)
def test_a_release_without_a_part(site: Site, tmp_path: Path, name: str) -> None:
    """The site is the same, and one line says what its build does without."""
    package, changes, part = HIDDEN[name]
    with building_with(site, tmp_path / "other", package, changes):
        first = site.assert_same()
        assert_same_after_changes(site)
    assert first.code == 0, first.log
    said = first.said
    assert [part.lost in line for line in said].count(True) == 1


OF_SERVERS: dict[str, tuple[Mapping[str, str], internals.PrivatePart]] = {
    "epoch": ({"_visible_epoch": "_shown_epoch"}, internals.RELOAD),
    "condition": ({"_epoch_cond": "_epoch_lock"}, internals.RELOAD),
    "observer": (
        {"PollingObserver(timeout=polling_interval)": "PollingObserver(timeout=float(polling_interval))"},
        internals.WATCHER,
    ),
}


@pytest.mark.nightly
@pytest.mark.parametrize("name", OF_SERVERS)
def test_a_server_without_a_part(site: Site, tmp_path: Path, name: str) -> None:
    """A saved page is shown, as late as by MkDocs alone, and one line says so."""
    changes, part = OF_SERVERS[name]
    other_release(tmp_path / "other", "mkdocs", changes)
    site.configure()
    with serving(site.root, "speed.yml", "base/", PYTHONPATH=path_with(tmp_path / "other")) as server:
        for n in range(2):
            (site.root / "docs/1.md").write_text(f"# Saved {n}\n", "utf-8")
            wait_for(lambda n=n: f"Saved {n}" in server.page("1/"), server)  # type: ignore[misc]
        wait_for(lambda: server.reloads == 2, server)
        assert "".join(server.log).count(part.lost) == 1
