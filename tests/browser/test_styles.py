"""Citations in a CSL style, as a reader uses them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import Reader
from tests.browser.sites import FINISHED, Site, build, copy_with_every_state, served
from tests.site.test_styles import FILES
from tests.views.csl.pages import STYLES

HARM = '<img src=x onerror="document.title=0">'
"""A title that would run, were it ever taken for HTML."""


@pytest.fixture(scope="module", params=["author-date", "note", "numeric"])
def styled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Our own site, with a page that cites and one of our styles."""
    with served(request.param, tmp_path_factory.mktemp("styled")) as site:
        project = copy_with_every_state(tmp_path_factory.mktemp("project"), site.url)
        shutil.copytree(STYLES, project / "styles")
        text = FILES["docs/bread/1-rye.md"].replace("title: Oats,", f"title: '{HARM}',")
        (project / "docs" / f"{FINISHED}.md").write_text(text, encoding="utf-8")
        config = project / "mkdocs.yml"
        option = f"  - planbook: {{citation_style: styles/{request.param}.csl}}\n"
        config.write_text(config.read_text("utf-8").replace("  - planbook\n", option), encoding="utf-8")
        build(project, site.folder)
        yield site


def target(page: Page) -> str | None:
    """The element that was led to; it must be in view."""
    found = page.locator(":target")
    expect(found).to_be_in_viewport()
    return found.get_attribute("id")


def test_a_citation_shows_its_work_and_leads_there_and_back(reader: Reader, styled: Site) -> None:
    """A preview under the pointer; a click to the work, through its note where the style has notes; an arrow back."""
    page = reader.open(f"{styled.url}{FINISHED}/")
    cite = page.locator("#cite-rye-2")
    cite.hover()
    preview = "Ibid., sec. “Colour”" if styled.name == "note" else "Rye & its <\u2060flour>"
    expect(page.get_by_role("tooltip")).to_contain_text(preview)
    cite.click()
    if styled.name == "note":
        assert target(page) == "note-2"
        page.locator("#note-2").get_by_role("link").first.click()
    assert target(page) == "ref-rye"
    page.locator("#ref-rye").get_by_role("link", name="back to citation 2 of Rye & its <flour>").click()
    assert target(page) == "cite-rye-2"


def test_a_title_under_the_pointer_runs_nothing(reader: Reader, styled: Site) -> None:
    """It is shown to the letter, also by a theme that takes titles for HTML."""
    page = reader.open(f"{styled.url}{FINISHED}/")
    page.locator(".pb-cites").last.get_by_role("link").last.hover()
    tooltip = page.get_by_role("tooltip")
    expect(tooltip).to_contain_text(re.compile(r"<\W?img src=x onerror="))
    expect(tooltip.locator("img")).to_have_count(0)
    assert page.title() != "0"


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_styled_page_can_be_read_by_everybody(reader: Reader, styled: Site, width: int, scheme: str) -> None:
    """No barrier that axe finds, and nothing to scroll sideways for."""
    page = reader.open(f"{styled.url}{FINISHED}/", width, scheme)
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
