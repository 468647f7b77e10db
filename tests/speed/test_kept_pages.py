"""Pages of the last build come back as they were, and a file is read again only if it has changed."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from markupsafe import Markup
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File
from mkdocs.structure.pages import Page

from planbook_cache.entries import encode_raw
from planbook_speed.event_inputs import EventInputs
from planbook_speed.kept_pages import KeptPages
from planbook_speed.page_records import KeptPage, RenderedPage, StoredPage
from tests.speed.conftest import Engine, Site

INPUTS = EventInputs("1", "2", "3", (("tags", "4"),))
RENDERED = RenderedPage("", "A", encode_raw([]), encode_raw([]), None, {}, [])


@pytest.mark.parametrize(
    "meta",
    [
        {},
        {"title": "A", "tags": ["x", 1, None, 2.5]},
        {"head": Markup("<b>x</b>")},
        {"date": {"created": datetime.date(2026, 11, 29), "more": [datetime.date(2026, 1, 1), Markup("&")]}},
    ],
)
def test_a_page_comes_back_from_the_disk(meta: dict[str, object]) -> None:
    """Also values of types that MessagePack does not know."""
    kept = KeptPage(INPUTS, "ab", meta, RENDERED, "cd", False)
    page = StoredPage.of("source", "ab", kept).page()
    assert page == kept
    assert repr(page.meta) == repr(meta)


@pytest.mark.parametrize("value", [object(), {1: "x"}, datetime.time(1), "\ud800", 1 << 80])
def test_a_page_that_cannot_be_stored_is_missing(value: object) -> None:
    """It is read again in the next process."""
    kept = KeptPage(INPUTS, "ab", {"own": value}, RENDERED, "cd", False)
    assert StoredPage.of("source", "ab", kept).page() is None


def test_a_file_is_read_again_if_it_has_changed(tmp_path: Path) -> None:
    """Its size and its time tell; a missing file has no digest."""
    path = tmp_path / "a.md"
    path.write_text("# One\n", "utf-8")
    pages = KeptPages()
    first = pages.read_sources([page_of(tmp_path)])["a.md"]
    assert pages.read_sources([page_of(tmp_path)])["a.md"] is first
    assert first.size == len("# One\n")
    path.write_text("# Two two\n", "utf-8")
    assert pages.read_sources([page_of(tmp_path)])["a.md"].digest != first.digest
    path.unlink()
    missing = pages.read_sources([page_of(tmp_path)])["a.md"]
    assert (missing.stamp, missing.digest, missing.size) == (None, "", 0)


def page_of(folder: Path) -> Page:
    """Return the page `a.md` of a folder."""
    config = MkDocsConfig()
    config.load_dict({"site_name": "Bread"})
    return Page(None, File("a.md", str(folder), str(folder / "site"), use_directory_urls=True), config)


HOOKS = {
    "of-the-page": """\
def on_page_markdown(markdown, page, config, files):
    page.file.src_uri = 'other/' + page.file.src_uri
""",
    "of-another": """\
import copy

def on_page_content(html, page, config, files):
    if not page.file.src_uri.startswith('copies/'):
        other = copy.copy(page)
        other.file = copy.copy(page.file)
        other.file.src_uri = 'copies/' + page.file.src_uri
        other.render(config, files)
        return html + other.content
""",
}


@pytest.mark.parametrize("name", sorted(HOOKS))
def test_a_page_that_is_rendered_under_another_name(site: Site, name: str) -> None:
    """A hook may give a page another `src_uri`, or render one that is in no list: nothing is stored of it."""
    site.write("hook.py", HOOKS[name])
    site.config["hooks"] = ["hook.py"]
    for _ in range(2):
        site.assert_same()


def test_a_process_whose_first_build_has_failed(site: Site) -> None:
    """The next one takes from memory what the failed build has read, which is not on the disk."""
    process = Engine()
    template = site.root / "theme/partials/nav-item.html"
    site.write("theme/partials/nav-item.html", "{% if %}")
    site.configure()
    failed = process.build(site.root / "speed.yml", site.root / "site", command="rebuild")
    assert failed.code
    template.unlink()
    built = process.build(site.root / "speed.yml", site.root / "site", command="rebuild")
    process.close()
    assert (built.code, built.files) == (0, site.plain().files), built.log[-3:]
