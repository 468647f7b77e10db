"""Finding a page and reading it."""

from __future__ import annotations

import base64
import json
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Reader
from tests.browser.sites import FINISHED, Site

WATCH = """() => {
    const isSeen = place => {
        const box = place.getBoundingClientRect()
        return place.checkVisibility({visibilityProperty: true, opacityProperty: true})
            && box.width * box.height > 0 && box.right > 0 && box.left < innerWidth
    }
    window.reached = new Set(), window.unseen = []
    addEventListener("focusin", ({target}) => {
        reached.add(target)
        if (!target.matches("[name=__palette]") && !isSeen(target)) unseen.push(target.outerHTML)
    })
    window.missed = () => [...document.querySelectorAll(".md-header__button[for], article :is(a, button, summary)")]
        .filter(place => isSeen(place) && !reached.has(place) && !place.htmlFor?.startsWith("__palette"))
        .map(place => place.outerHTML)
}"""


TABLET = 730
"""The width of a window in which a wide table scrolls; on a phone it is a list."""


def test_the_head_of_a_page_is_one_line(reader: Reader, own: Site) -> None:
    """Who wrote it, how many of its sources were checked, how old they are, and its quotes: on a phone fewer words."""
    page = reader.open(f"{own.url}cuda/15-production-deployment-troubleshooting-expert/")
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        tops = page.locator(".pb-head > summary [data-statement]").evaluate_all(
            "all => all.filter(e => e.checkVisibility()).map(e => Math.round(e.getBoundingClientRect().top))"
        )
        assert len(tops) == (4 if width == 1280 else 3)
        assert len(set(tops)) == 1
        assert page.locator(".pb-head > summary").evaluate("e => e.getBoundingClientRect().height") < 30


@pytest.mark.parametrize("has_scripts", [True, False])
def test_a_narrow_page_has_its_table_of_contents(reader: Reader, own: Site, has_scripts: bool) -> None:
    """In the drawer, also after instant navigation; without scripts above the text. The HTML has it once."""
    path = "cuda/12-kernel-debugging-internals-expert/"
    html = (own.folder / path / "index.html").read_text("utf-8")
    sections = re.findall(r'<h[23][^>]* id="([^"]+)"', html)
    assert [html.count(f'<a href="#{name}" class="md-nav__link"') for name in sections] == [1] * len(sections)
    page = reader.open(own.url + ("INDEX/" if has_scripts else path), 390, has_scripts=has_scripts)
    contents = page.get_by_role("navigation", name=re.compile("Table of contents|On this page"))
    if has_scripts:
        page.get_by_role("article").get_by_role("link", name="Debugging CUDA kernels").click()
        expect(page.locator("h1")).to_contain_text("Debugging CUDA kernels")
        page.locator("header label[for=__drawer]").click()
        page.locator("label.md-nav__link[for=__toc]").click()
    links = contents.locator("a").filter(visible=True)
    expect(links).to_have_count(len(sections))
    assert [href.partition("#")[2] for href in links.evaluate_all("all => all.map(a => a.href)")] == sections
    links.last.click()
    expect(page).to_have_url(re.compile(f"#{re.escape(sections[-1])}$"))
    expect(page.locator(f"[id='{sections[-1]}']")).to_be_in_viewport()


@pytest.mark.parametrize("width", [pytest.param(1280, marks=pytest.mark.nightly), 390])
def test_a_finished_page_says_its_state_in_one_line(reader: Reader, lived_in: Site, width: int) -> None:
    """The line unfolds by keyboard, and links to the report of the run, on the page of the plan."""
    page = reader.open(f"{lived_in.url}{FINISHED}/", width)
    head = page.locator(".pb-head")
    assert head.evaluate("e => e.getBoundingClientRect().height") < (45 if width == 1280 else 65)
    head.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(head).to_contain_text("Planned in Docker images")
    expect(head.locator(".pb-chip")).to_have_text("done")
    expect(page.locator("article")).not_to_contain_text("One page was written.")
    head.get_by_role("link", name="report of the research").click()
    expect(page.get_by_text("One page was written.")).to_be_visible()
    expect(page.locator("#knowledge-drop-docker-multistage-2026-11-21")).to_be_in_viewport()


def test_the_list_of_pages_begins_with_a_whole_line(reader: Reader, own: Site) -> None:
    """Below its title, wherever it is scrolled to: half a line looked like a fault."""
    page = reader.open(f"{own.url}cuda/58-watch-gpu-memory/", 1440)
    page.wait_for_function("document.querySelector('.md-sidebar--primary .md-sidebar__scrollwrap').scrollTop > 0")
    page.wait_for_timeout(300)
    cut = page.evaluate("""() => {
        const shown = [...document.querySelectorAll(".md-sidebar--primary .md-nav__link")].filter(e => e.offsetHeight)
        const title = shown.find(e => e.textContent.trim() === "Knowledge").getBoundingClientRect()
        const isCut = ({ top, bottom }) => top < title.bottom - 1 && bottom > title.bottom + 1
        return shown.filter(e => e.childElementCount < 2 && isCut(e.getBoundingClientRect())).map(e => e.textContent)
    }""")
    assert cut == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_open_pages_look_open_in_the_navigation(reader: Reader, lived_in: Site, scheme: str) -> None:
    """They are dimmed and marked; the written ones are not. The page's plan is open, and the others are closed."""
    page = reader.open(f"{lived_in.url}{FINISHED}/", scheme=scheme)
    nav = page.locator(".md-sidebar--primary")
    marked = nav.locator(".md-nav__link:has(.md-status--planned)")
    plans = json.loads((lived_in.folder / "progress.json").read_text("utf-8"))["plans"]
    uris = [[each["uri"] for part in plan["parts"] for each in part["pages"]] for plan in plans]
    (siblings,) = [some for some in uris if f"{FINISHED}.md" in some]
    expect(marked).to_have_count(len(siblings) - 1)
    expect(marked.first.locator(".md-status")).to_have_attribute("title", "Not written yet")
    name = pages_of(lived_in, is_written=True)[0].removesuffix(".md").rpartition("/")[2]
    written = nav.locator(f'a[href$="{name}/"]')
    expect(written.locator(".md-status")).to_have_count(0)
    colour = "e => getComputedStyle(e).color"
    assert marked.first.evaluate(colour) != written.evaluate(colour)


def test_counts_agree_everywhere(reader: Reader, own: Site) -> None:
    """One definition: the pages that the plans ask for, without disabled PARTs."""
    written = total = len(pages_of(own, is_written=True))  # all are
    page = reader.page()
    for path in ("", "INDEX/", "cuda/"):
        page.goto(own.url + path)
        expect(page.locator("article")).to_contain_text(f"{written} of {total} planned pages are written")
    page.goto(f"{own.url}progress/")
    expect(page.locator("article")).to_contain_text(f"{written} of {total} items have a page")
    page.goto(f"{own.url}graph/")
    expect(page.locator("article")).to_contain_text(f"{total} pages")


@pytest.mark.parametrize("width", [pytest.param(1280, marks=pytest.mark.nightly), 390])
def test_an_unknown_address_leads_on(reader: Reader, own: Site, width: int) -> None:
    """With a search for its words, the INDEX, and the pages whose addresses are nearest. Its head can be skipped."""
    page = reader.page(width)
    page.goto(f"{own.url}cuda/13-nvidia-container-packaging/")
    expect(page).to_have_title("Page not found - Planbook")
    page.keyboard.press("Tab")
    expect(page.locator(".md-skip")).to_be_focused()
    expect(page.locator("article li a").first).to_have_text("cuda/13-nvidia-container-cuda-packaging/")
    expect(page.get_by_label("Search this site")).to_have_value("13 nvidia container packaging")
    expect(page.locator("article").get_by_role("link", name="INDEX")).to_be_visible()
    page.locator("article li a").first.click()
    expect(page).to_have_url(f"{own.url}cuda/13-nvidia-container-cuda-packaging/")
    page.go_back()
    page.get_by_label("Search this site").press("Enter")
    # Zensical's search wants each word on the page, and "13" is only in its address.
    expect(page.get_by_text(re.compile(r"^([\d,]+ matching documents?|[\d,]+ results?|No results)$"))).to_be_visible()
    reader.errors = [error for error in reader.errors if "404" not in error]


def test_the_home_page_says_what_there_is(reader: Reader, own: Site) -> None:
    """A stranger sees without scrolling what it is about, how to search, why to trust it, and where to start."""
    page = reader.open(own.url)
    expect(page.locator(".look-lead")).to_be_in_viewport()
    expect(page.locator("article").locator("li a").first).to_be_in_viewport()
    expect(page.locator("article h1")).to_contain_text("CUDA, PyTorch and Docker engineering")
    expect(page.locator("article").get_by_text("quotes found word for word")).to_be_in_viewport()
    headings = [text.rstrip("¶").strip() for text in page.locator("article h2").all_inner_texts()]
    assert headings == ["What do you see?", "Where to start", "What is new", "Progress", "How to read a page"]
    expect(page.locator("article")).to_contain_text("quotes found word for word")
    expect(page.locator("article")).to_contain_text("No page has been reviewed by a person yet")


def test_the_home_page_opens_the_search(reader: Reader, own: Site) -> None:
    """By its button, into the field; without scripts there is none."""
    page = reader.open(own.url)
    page.get_by_role("button", name="Search: an error message").click()
    page.keyboard.type("quincunx")
    expect(page.get_by_text(re.compile("^No (matching documents|results)$"))).to_be_visible()
    page = reader.open(own.url, has_scripts=False)
    expect(page.locator(".pb-open-search")).to_be_hidden()


def test_the_state_of_the_base_is_a_picture_with_its_numbers(reader: Reader, lived_in: Site) -> None:
    """A square for each page, by subject; then what is new and what is open, each with links."""
    page = reader.open(f"{lived_in.url}status/")
    rows = page.locator(".pb-status > ul > li")
    plans = json.loads((lived_in.folder / "progress.json").read_text("utf-8"))["plans"]
    parts = [part for plan in plans for part in plan["parts"] if part["state"] != "disabled"]
    waiting = [page for part in parts for page in part["pages"] if not page["exists"]]
    assert 1 < rows.count() <= len(plans)
    assert rows.locator(".pb-squares rect[data-kind=open]").count() == len(waiting)
    expect(page.locator(".pb-status figcaption")).to_contain_text(re.compile("it cites no work.*to be written"))
    expect(rows.first).to_contain_text(re.compile("[0-9]+ (of [0-9]+ )?pages?"))
    page.locator("article > ul a", has_text="Docker multi-stage builds").first.click()
    expect(page.locator("h1")).to_contain_text("Docker multi-stage")


def test_the_picture_shows_the_share_of_sources_that_were_checked(reader: Reader, starter: Site) -> None:
    """With its number, and the questions that no source answered."""
    page = reader.open(f"{starter.url}status/")
    row, others = page.locator(".pb-status > ul > li").all()
    expect(others).to_contain_text("Pages without a plan")
    expect(page.locator(".pb-figures")).to_contain_text("2 new")
    expect(page.locator("article")).to_contain_text("2 of 3 pages are written, 1 without a plan")
    expect(page.locator("article > ul a", has_text="A pot of tea")).to_be_visible()
    expect(row).to_contain_text("1 of 2 pages, newest")
    expect(row).to_contain_text("2 of 2 works checked")
    squares = row.locator(".pb-squares .pb-square").evaluate_all("all => all.map(one => one.dataset.kind)")
    assert squares == ["checked", "open"]
    row.locator("summary").click()
    row.get_by_role("link", name="Water").click()
    expect(page.locator("article h1")).to_contain_text("Water")
    page.goto(f"{starter.url}status/")
    expect(page.locator("article")).to_contain_text("Water, 1 question")


def test_without_scripts_pages_can_be_read(reader: Reader, lived_in: Site) -> None:
    """Text, state and INDEX are there for a reader whose browser runs no scripts."""
    page = reader.open(f"{lived_in.url}{FINISHED}/", 390, has_scripts=False)
    expect(page.get_by_text("The word to search for is quincunx")).to_be_visible()
    page.locator(".pb-head > summary").focus()
    expect(page.locator(".pb-head > summary")).to_have_css("outline-style", "auto")
    page.locator(".md-sidebar--primary a").filter(visible=True).first.focus()
    expect(page.locator(".md-sidebar--primary")).to_be_in_viewport()
    page.goto(f"{lived_in.url}INDEX/")
    expect(page.locator("article li").first).to_be_visible()


def pages_of(site: Site, *, is_written: bool) -> list[str]:
    """The pages that the plans ask for, written or not."""
    progress = json.loads((site.folder / "progress.json").read_text("utf-8"))
    every = [page for plan in progress["plans"] for part in plan["parts"] for page in part["pages"]]
    return [page["uri"] for page in every if page["exists"] is is_written]


def test_code_in_tables_breaks_between_words_only(reader: Reader, own: Site) -> None:
    """On a tablet the table scrolls; on paper a long name breaks, as a wide table would shrink the print."""
    page = reader.open(f"{own.url}cuda/12-kernel-debugging-internals-expert/", TABLET)
    assert page.locator("td code").count() > 40
    expect(page.locator(".md-typeset__scrollwrap[tabindex='0']").first).to_be_visible()
    assert page.locator("td code").evaluate_all(BROKEN_WORDS) == []
    page.emulate_media(media="print")
    assert [word for word in page.locator("td code").evaluate_all(BROKEN_WORDS) if len(word) < 16] == []


BROKEN_WORDS = """codes => codes.flatMap(code => {
            const found = [], walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT)
            for (let node; (node = walker.nextNode()); )
                for (const word of node.data.matchAll(/\\w+/g)) {
                    const range = document.createRange()
                    range.setStart(node, word.index)
                    range.setEnd(node, word.index + word[0].length)
                    const lines = new Set([...range.getClientRects()].map(box => Math.round(box.top)))
                    if (lines.size > 1) found.push(word[0])
                }
            return found
        })"""
"""Words of the elements that stand in more than one line."""


@pytest.mark.parametrize("width", [1280, 390])
def test_tab_leads_to_all_that_is_seen_and_to_nothing_else(reader: Reader, cited: Site, width: int) -> None:
    """Past the search, which closes behind the reader, and in a narrow window past the menu."""
    page = reader.open(f"{cited.url}sources/", width)
    page.evaluate(WATCH)
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            break
    assert page.evaluate("[reached.size > 25, unseen, missed(), __search.checked]") == [True, [], [], False]


def test_the_menu_of_a_narrow_window_opens_and_closes(reader: Reader, own: Site) -> None:
    """The focus goes into it, to its lists and back, and returns to its button."""
    page = reader.open(f"{own.url}cuda/13-nvidia-container-cuda-packaging/", 390)
    button, name = page.locator(".md-header__button[for=__drawer]"), re.compile("Docker and profilers")
    button.press("Enter")
    expect(page.locator(".md-nav__title:focus")).to_have_text(name)
    page.keyboard.press("Space")
    expect(page.locator(".md-nav__link:focus")).to_have_text(name)
    page.keyboard.press("Escape")
    expect(button).to_be_focused()
    expect(page.locator(".md-sidebar--primary")).to_be_hidden()


def test_a_shadow_shows_where_a_table_goes_on(reader: Reader, own: Site) -> None:
    """On a tablet at the end, and at the beginning once it is scrolled; nowhere if all of it is seen."""
    page = reader.open(f"{own.url}overview/what-broke/", TABLET)
    tables = page.locator(".md-typeset__scrollwrap")
    expect(tables.first).to_be_attached()
    wide = tables.evaluate_all("all => all.findIndex(e => e.scrollWidth > e.clientWidth)")
    assert wide >= 0
    table = tables.nth(wide)
    table.scroll_into_view_if_needed()
    assert [is_shaded(page, table, at) for at in ("left", "right")] == [False, True]
    table.evaluate("e => { e.scrollLeft = e.scrollWidth }")
    assert [is_shaded(page, table, at) for at in ("left", "right")] == [True, False]
    page.set_viewport_size({"width": 1600, "height": 900})
    table.scroll_into_view_if_needed()
    assert [is_shaded(page, table, at) for at in ("left", "right")] == [False, False]


def is_shaded(page: Page, table: Locator, at: str) -> bool:
    """Return true if a pixel at that edge of a table, between its text and its end, is darker than the page."""
    box = table.bounding_box()
    assert box
    x = box["x"] + 1 if at == "left" else box["x"] + box["width"] - 2
    assert page.viewport_size
    y = min(box["y"] + box["height"], page.viewport_size["height"]) - 5
    image = page.screenshot(clip={"x": x, "y": y, "width": 1, "height": 1})
    pixel = base64.b64encode(image).decode()
    shade = page.evaluate(
        """async pixel => {
            const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${pixel}`)).blob())
            const drawn = new OffscreenCanvas(1, 1).getContext("2d")
            drawn.drawImage(image, 0, 0)
            return drawn.getImageData(0, 0, 1, 1).data[0]
        }""",
        pixel,
    )
    return bool(shade < 250)


OF_AUTHORS = ("guide/", "decisions/", "progress/", "reports/")
INSIDERS = re.compile(
    r"\bPARTs?\b|KNOWLEDGE DROP|\bdisabled pages?|more (?:is|are) disabled|program of this base|\b\d+ of \d+ lines\b"
)


def test_readers_meet_no_words_of_authors(own: Site) -> None:
    """On pages, lists and references; pages that are not written yet are for their authors."""
    found = {}
    for path in own.folder.rglob("*.html"):
        place = path.relative_to(own.folder).as_posix()
        text = re.sub(r"(?s)<(pre|code|script|style|blockquote)\b.*?</\1>", " ", path.read_text("utf-8"))
        is_of_readers = not place.startswith(OF_AUTHORS) and "Fill this page" not in text
        if is_of_readers and (words := INSIDERS.findall(re.sub(r"<[^>]*>", " ", text))):
            found[place] = words
    assert found == {}


@pytest.mark.parametrize("width", [1280, 390])
def test_the_neighbours_of_a_page_are_a_picture_where_there_is_room(reader: Reader, own: Site, width: int) -> None:
    """Pages that link to it on the left, those that it links to on the right; on a phone, lines of links."""
    page = reader.open(f"{own.url}cuda/05-tensor-core-programming-wmma-mma/", width)
    before, after = page.locator(".pb-near > div").all()
    here, boxes = page.locator(".pb-here"), [one.bounding_box() for one in (before, after)]
    assert boxes[0]
    assert boxes[1]
    if width < 720:
        expect(here).to_be_hidden()
        assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"]
        return
    middle = here.bounding_box()
    assert middle
    assert boxes[0]["x"] + boxes[0]["width"] < middle["x"] < middle["x"] + middle["width"] < boxes[1]["x"]
