"""The site as it is published: pushed to a branch and read below a path, or unpacked and read from a folder."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import lxml.html
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Reader
from tests.browser.faults import broken, fetch, look, unreached
from tests.browser.sites import FINISHED, Site, copy_with_every_state, recipe, run
from tests.conftest import Once

LOADED = {"stylesheet", "icon", "preload", "prefetch", "modulepreload", "manifest"}
"""Kinds of `<link>` whose addresses are loaded with the page."""


def test_the_branch_holds_the_site_and_nothing_else(lived_in: Site) -> None:
    """Pages takes it as it is (`.nojekyll`); no plan, no work folder, no configuration is lived_in."""
    names = {path.name for path in lived_in.folder.iterdir()}
    assert {".nojekyll", "index.html", "404.html", "sitemap.xml", "llms.txt"} <= names
    assert not names & {"plans", "docs", "mkdocs.yml", ".planbook", "generator"}


@pytest.mark.nightly
def test_every_page_holds_below_a_path(reader: Reader, lived_in: Site) -> None:
    """Each page is there below ``/repo/``, and each link on it; the navigation leads to every page.

    Of each folder one page is opened, with all it loads: `test_every_page` opens the others.
    """
    page = reader.page()
    for path in {path.partition("/")[0]: path for path in lived_in.paths}.values():
        look(page, lived_in.url + path)
    seen = fetch(page, [lived_in.url + path for path in lived_in.paths])
    assert broken(page, lived_in, seen) == []
    assert unreached(lived_in.url, seen) == set()
    outside = {link for one in seen.values() for link in one.links if urlsplit(link).hostname == "127.0.0.1"}
    assert {link for link in outside if not link.startswith(lived_in.url)} == set()


@pytest.fixture(scope="module")
def unpacked(once: Once) -> Path:
    """What `make offline` packs of a project, unpacked elsewhere."""

    def packed(folder: Path) -> None:
        project = copy_with_every_state(folder / "project", "https://planbook.example/")
        run(*recipe("offline", "--site-dir"), cwd=project, OFFLINE="true")
        run(*recipe("offline", "zipfile"), cwd=project)
        with zipfile.ZipFile(project / "offline.zip") as archive:
            archive.extractall(folder)

    return once("offline", packed) / "offline"


@pytest.mark.nightly
def test_the_site_is_read_from_a_folder(reader: Reader, unpacked: Path) -> None:
    """Every page loads files that are there, and no others; every link leads to a file.

    Of each folder one page is opened from ``file://``, without an error or a request to a host.
    """
    paths = sorted(path for path in unpacked.rglob("*.html") if path.name != "404.html")
    assert len(paths) > 30
    for path in paths:
        for element, _, link, _ in lxml.html.parse(path, base_url=path.as_uri()).getroot().iterlinks():
            url = urljoin(path.as_uri(), link)
            if element.tag != "a" and (element.tag != "link" or LOADED & set(element.get("rel").split())):
                assert url.startswith(("file:", "data:")), f"{path} loads {link}"
            if url.startswith("file:"):
                assert Path(unquote(urlsplit(urldefrag(url).url).path)).is_file(), f"{path} -> {link}"
    page = reader.page()
    for path in {path.relative_to(unpacked).parts[0]: path for path in paths}.values():
        page.goto(path.as_uri())


@pytest.mark.nightly
def test_search_works_in_a_folder(reader: Reader, unpacked: Path) -> None:
    """Also on a page deeper down, and with a slip; the console stays empty."""
    page = reader.page()
    page.goto((unpacked / "guide" / "cli.html").as_uri())
    page.keyboard.press("/")
    page.keyboard.type("qiuncunx")
    found = page.locator(".md-search-result__item a").first
    expect(found).to_contain_text("Docker multi-stage builds for ML images")
    found.click()
    expect(page).to_have_url(re.compile(r"^file:.*/cuda/10-docker"))


@pytest.mark.nightly
def test_code_and_diagrams_are_there_in_a_folder(reader: Reader, unpacked: Path) -> None:
    """Their scripts come after the theme has said that the page is loaded, and run all the same."""
    page = reader.page(width=800)
    page.goto((unpacked / f"{FINISHED}.html").as_uri())
    expect(page.locator(".pb-break")).not_to_have_count(0)
    page.evaluate("document.querySelector('.pb-diagram').scrollIntoView()")  # it is replaced there
    expect(page.locator("figure.pb-diagram svg")).to_be_visible()
