"""In a wide window, the evidence of the sentence that is read stands beside the text."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import Reader
from tests.browser.sites import CITED, Site

CITATION = "a[id^='c.']"
MARGIN = ".pb-margin"
WIDE = 1280


EDGE_OF_TEXT = """block => {
    const range = document.createRange()
    range.selectNodeContents(block)
    return range.getBoundingClientRect().right
}"""


def test_the_evidence_stands_beside_the_sentence(reader: Reader, cited: Site) -> None:
    """Without a click: the quote, then its source, right of the text, below the contents; and no box opens."""
    page = reader.open(f"{cited.url}{CITED}/", WIDE)
    margin = page.locator(MARGIN)
    expect(margin.locator("blockquote").first).to_be_in_viewport(ratio=1)
    expect(margin).to_contain_text("Steeping, a study")
    beside, text = margin.bounding_box(), page.locator("article p").first.evaluate(EDGE_OF_TEXT)
    contents = page.locator(".md-sidebar--secondary .md-sidebar__scrollwrap").bounding_box()
    assert beside
    assert contents
    assert beside["x"] >= text
    assert beside["y"] >= contents["y"]
    page.locator(CITATION).first.hover()
    page.wait_for_timeout(300)
    expect(page.locator(".pb-evidence")).to_have_count(0)


def test_it_follows_the_pointer_and_the_page(reader: Reader, cited: Site) -> None:
    """One sentence at a time, whose marker stands out."""
    page = reader.open(f"{cited.url}{CITED}/", WIDE)
    margin, citations = page.locator(MARGIN), page.locator(CITATION)
    citations.nth(0).hover()
    expect(margin.locator("blockquote")).to_contain_text(["keeps the catechins in"])
    expect(page.locator(".pb-read")).to_have_count(1)
    citations.nth(1).hover()
    expect(margin.locator("blockquote")).to_contain_text(["time draws them out"])
    page.mouse.move(2, 400)
    page.evaluate("document.querySelectorAll('.pb-references details').forEach(each => (each.open = true))")
    last = citations.last  # now, the page goes on below it
    last.evaluate("e => scrollTo({top: e.getBoundingClientRect().top + scrollY - 360, behavior: 'instant'})")
    expect(last).to_have_class("pb-read")
    marker, beside = last.bounding_box(), margin.bounding_box()
    assert marker
    assert beside
    assert abs(marker["y"] - beside["y"]) < 40


def test_it_is_reached_by_keyboard(reader: Reader, cited: Site) -> None:
    """Enter leads from a citation into its evidence, Tab through it, and Escape back."""
    page = reader.open(f"{cited.url}{CITED}/", WIDE)
    first, margin = page.locator(CITATION).first, page.locator(MARGIN)
    page.keyboard.press("Tab")
    first.focus()
    page.keyboard.press("Enter")
    expect(margin.locator("a, summary").first).to_be_focused()
    assert page.url == f"{cited.url}{CITED}/"
    page.keyboard.press("Tab")
    expect(margin.locator(":focus")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(first).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator(CITATION).nth(1)).to_be_focused()


def test_it_is_there_in_a_wide_window_alone(reader: Reader, cited: Site) -> None:
    """In a narrower one a box opens at the citation; paper has the references, and other pages have no margin."""
    page = reader.open(f"{cited.url}{CITED}/", WIDE)
    expect(page.locator(MARGIN)).to_be_visible()
    page.emulate_media(media="print")
    expect(page.locator(MARGIN)).to_be_hidden()
    page.emulate_media(media="screen")
    page.set_viewport_size({"width": WIDE - 1, "height": 900})
    expect(page.locator(MARGIN)).to_be_hidden()
    page.locator(CITATION).first.hover()
    expect(page.locator(".pb-evidence")).to_be_visible()
    page.set_viewport_size({"width": WIDE, "height": 900})
    page.get_by_role("link", name="Cups").first.click()
    expect(page.locator("h1")).to_contain_text("Cups")
    expect(page).not_to_have_url(re.compile(CITED))
    expect(page.locator(MARGIN)).to_have_count(0)


LONG_CONTENTS = "cuda/23-distributed-hangs-and-timeouts/"


def test_the_contents_end_above_the_evidence(reader: Reader, own: Site) -> None:
    """They keep all the room above it, fade where they go on below, and are whole where there is none."""
    page = reader.open(f"{own.url}{LONG_CONTENTS}", WIDE)
    contents, margin = page.locator(".md-sidebar--secondary .md-sidebar__scrollwrap"), page.locator(MARGIN)
    for n in (0, 7, 20):
        page.locator(CITATION).nth(n).focus()
        expect(page.locator(CITATION).nth(n)).to_have_class(re.compile("pb-read"))
        above, beside = contents.bounding_box(), margin.bounding_box()
        assert above
        assert beside
        gap = beside["y"] - above["y"] - above["height"]
        assert 8 <= gap <= 20
        expect(contents).to_have_class(re.compile("pb-cut"))
    page.set_viewport_size({"width": WIDE - 1, "height": 900})
    expect(contents).not_to_have_class(re.compile("pb-cut"))


OF_CODE = "cuda/07-mixed-precision-training-internals/"
CITES_CODE = f"""() => [...document.querySelectorAll("article {CITATION}")].findIndex(
    link => document.getElementById(link.hash.slice(1))?.querySelector(".pb-code")?.scrollWidth > 300)"""


def test_code_keeps_its_lines(reader: Reader, own: Site) -> None:
    """In the type of code; one that is wider than the margin goes on further in, so that all of it is in sight."""
    page = reader.open(f"{own.url}{OF_CODE}", WIDE)
    page.evaluate("document.querySelectorAll('.pb-references details').forEach(each => (each.open = true))")
    page.locator(CITATION).nth(page.evaluate(CITES_CODE)).focus()
    code = page.locator(f"{MARGIN} .pb-code").first
    expect(code).to_have_css("font-family", re.compile("mono", re.IGNORECASE))
    assert code.evaluate("code => code.scrollWidth <= code.clientWidth + 1")
    source = page.locator(".pb-references .pb-code").all_text_contents()
    assert code.text_content() in source
    lines = code.locator(".pb-line")
    expect(lines).to_have_count((code.text_content() or "").count("\n") + 1)
    assert any(
        line.evaluate("e => e.offsetHeight > 1.6 * parseFloat(getComputedStyle(e).lineHeight)") for line in lines.all()
    )


def test_a_click_pins_the_evidence(reader: Reader, cited: Site) -> None:
    """It stays, whatever is read, until a second click, Escape or another citation; the page does not move."""
    page = reader.open(f"{cited.url}{CITED}/", 1440)
    margin, citations = page.locator(MARGIN), page.locator(CITATION)
    first, quotes = citations.first, page.locator(f"{MARGIN} blockquote")
    first.click()
    expect(margin).to_contain_text("Pinned")
    assert page.url == f"{cited.url}{CITED}/"
    assert page.evaluate("scrollY") == 0
    citations.nth(1).hover()
    page.mouse.wheel(0, 3000)
    page.wait_for_function("scrollY > 900")
    expect(first).not_to_be_in_viewport()
    expect(quotes).to_contain_text(["keeps the catechins in"])
    expect(quotes.first).to_be_in_viewport(ratio=1)
    page.keyboard.press("Escape")
    expect(margin).not_to_contain_text("Pinned", use_inner_text=True)
    first.click()
    citations.nth(1).click()
    expect(page.locator(".pb-pinned")).to_have_count(1)
    expect(quotes).to_contain_text(["time draws them out"])
    citations.nth(1).click()
    expect(page.locator(".pb-pinned")).to_have_count(0)


def test_the_evidence_takes_the_room_that_is_free(reader: Reader, own: Site) -> None:
    """Beside prose, it is wider than its column; nothing of the text is below it, and a title has two lines."""
    page = reader.open(f"{own.url}cuda/26-mig-in-kubernetes/", 1440)
    page.locator(f"#what-training-loses ~ ul {CITATION}").nth(1).click()
    margin = page.locator(MARGIN)
    place = margin.bounding_box()
    assert place
    assert place["width"] > 320
    covered = page.evaluate(
        """place => [...document.querySelectorAll("article :is(p, pre, table, h2)")].filter(block => {
        const range = document.createRange()
        range.selectNodeContents(block)
        const own = (block.matches("pre, table") ? block : range).getBoundingClientRect()
        return own.top < place.y + place.height && own.bottom > place.y && own.right > place.x
    }).map(block => block.textContent)""",
        place,
    )
    assert covered == []
    title = margin.locator("[data-pb=title]").first
    assert title.evaluate("e => e.offsetHeight / parseFloat(getComputedStyle(e).lineHeight)") < 2.3


def test_the_margin_has_one_width_while_one_reads(reader: Reader, own: Site) -> None:
    """That of its column, whatever is beside it; no rule of a heading runs below evidence that a click has widened."""
    page = reader.open(f"{own.url}cuda/26-mig-in-kubernetes/", 1440)
    margin, widths = page.locator(MARGIN), set[int]()
    for _ in range(12):
        page.mouse.wheel(0, 500)
        page.wait_for_timeout(60)
        if margin.is_visible():
            widths.add(int(margin.evaluate("e => e.offsetWidth")))
    assert len(widths) == 1
    page.locator(f"#what-training-loses ~ ul {CITATION}").nth(1).click()
    left = margin.evaluate("e => e.getBoundingClientRect().left")
    rules = page.locator("article > :is(h2, hr, .pb-head)").evaluate_all(
        "all => all.map(e => e.getBoundingClientRect().right)"
    )
    assert max(rules) <= left


def test_a_pinned_cell_is_named_by_its_lines(reader: Reader, own: Site) -> None:
    """What a break divides is not joined to one word: "libcudaFix:"."""
    page = reader.open(f"{own.url}cuda/15-production-deployment-troubleshooting-expert/", 1440)
    page.locator(f"td:has(br) {CITATION}").first.click()
    name = page.locator(MARGIN).get_by_title("Back to the sentence")
    expect(name).to_contain_text(" Fix:")


ALONE = """() => {
    const isAlone = cell => /^(\\s*\\[\\d+\\])+\\s*$/.test(cell.innerText)
    ;[...document.querySelectorAll('td')].find(isAlone).querySelector('a').click()
}"""


def test_a_citation_alone_in_a_cell_is_named_by_its_row(reader: Reader, own: Site) -> None:
    """A column of sources has no sentence of its own."""
    page = reader.open(f"{own.url}cuda/02-pytorch-build-system-compilation/", 1440)
    page.evaluate(ALONE)
    name = page.locator(MARGIN).get_by_title("Back to the sentence")
    expect(name).to_have_text(re.compile(r"^for “\w.+ .+”$"))


SENTENCE = "() => [...(CSS.highlights.get('pb-sentence') ?? [])].join('')"


def test_pinned_evidence_names_its_sentence(reader: Reader, cited: Site) -> None:
    """The sentence is marked in the text and named in the card, from where a click leads back to it."""
    page = reader.open(f"{cited.url}{CITED}/", 1440)
    margin, second = page.locator(MARGIN), page.locator(CITATION).nth(1)
    second.click()
    sentence = str(page.evaluate(SENTENCE))
    assert re.sub(r"\s*\[\d+\]", "", sentence) == "Heat decides what a cup holds, and so does time "
    name = margin.get_by_title("Back to the sentence")
    expect(name).to_have_text("for “Heat decides what a cup holds, and so does time”")
    page.mouse.wheel(0, 3000)
    expect(second).not_to_be_in_viewport()
    name.click()
    expect(second).to_be_in_viewport()
    page.keyboard.press("Escape")
    assert page.evaluate(SENTENCE) == ""


def test_beside_pinned_evidence_others_open_at_their_citation(reader: Reader, cited: Site) -> None:
    """So that two quotes can be compared; the box covers nothing of the margin."""
    page = reader.open(f"{cited.url}{CITED}/", 1440)
    page.locator(CITATION).first.click()
    page.locator(CITATION).nth(1).hover()
    box = page.locator(".pb-evidence")
    expect(box).to_contain_text("time draws them out")
    expect(page.locator(MARGIN)).to_contain_text("keeps the catechins in")
    over, beside = box.bounding_box(), page.locator(MARGIN).bounding_box()
    assert over
    assert beside
    assert over["x"] + over["width"] <= beside["x"]
    page.locator(CITATION).nth(1).click()
    expect(box).to_be_hidden()
    expect(page.locator(f"{MARGIN} blockquote")).to_contain_text(["time draws them out"])


def test_the_state_of_the_check_stays_in_sight(reader: Reader, own: Site) -> None:
    """In a low window, long quotes scroll above the source and its check, and fade there."""
    page = reader.open(f"{own.url}{LONG_CONTENTS}", 1440)
    page.set_viewport_size({"width": 1440, "height": 640})
    longest = page.evaluate(f"""() => {{
        const links = [...document.querySelectorAll("article p {CITATION}")]
        const lengthOf = link => document.getElementById(link.hash.slice(1))?.textContent.length ?? 0
        return links.indexOf(links.toSorted((a, b) => lengthOf(b) - lengthOf(a))[0])
    }}""")
    page.locator(f"article p {CITATION}").nth(longest).click()
    margin = page.locator(MARGIN)
    margin.locator("summary").first.click()
    page.wait_for_function("e => e.scrollHeight > e.clientHeight + 20", arg=margin.element_handle())
    state = margin.locator(".pb-source > p").last
    expect(state).to_be_in_viewport(ratio=1)
    edge, last = margin.bounding_box(), state.bounding_box()
    assert edge
    assert last
    assert last["y"] + last["height"] <= edge["y"] + edge["height"] + 1 <= 640


def test_a_pinned_card_has_all_quotes_and_the_way_to_the_reference(reader: Reader, cited: Site) -> None:
    """Those of the marker; its button closes it."""
    page = reader.open(f"{cited.url}{CITED}/", 1440)
    margin, several = page.locator(MARGIN), page.locator("a[data-also]")
    several.click()
    expect(margin.locator("blockquote")).to_contain_text(["time draws them out", "keeps the catechins in"])
    margin.get_by_role("link", name="Reference 1").click()
    expect(page.locator("#ref-steeping")).to_be_in_viewport()
    expect(page).to_have_url(re.compile("#ref-steeping$"))
    margin.get_by_role("button", name="Close").click()
    expect(page.locator(".pb-pinned")).to_have_count(0)
    expect(several).to_be_focused()


def test_enter_pins_the_evidence(reader: Reader, cited: Site) -> None:
    """Escape lets go of it."""
    page = reader.open(f"{cited.url}{CITED}/", 1440)
    first = page.locator(CITATION).first
    page.keyboard.press("Tab")
    first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(MARGIN)).to_contain_text("Pinned", use_inner_text=True)
    expect(first).to_have_attribute("aria-expanded", "true")
    assert Axe().run(page).violations_count == 0
    page.keyboard.press("Escape")
    expect(first).to_be_focused()
    expect(page.locator(".pb-pinned")).to_have_count(0)


def test_a_link_to_a_quote_leads_to_the_work(reader: Reader, own: Site) -> None:
    """Its title is below the header, with the quote."""
    page = reader.open(f"{own.url}cuda/26-mig-in-kubernetes/", 1440)
    page.evaluate(f"""location.hash = document.querySelector("{CITATION}").hash""")
    work = page.locator(".pb-references > li:has(blockquote:target)")
    header = page.locator(".md-header").bounding_box()
    assert header
    page.wait_for_function(
        "bottom => document.querySelector('.pb-references > li:has(blockquote:target)')"
        ".getBoundingClientRect().top >= bottom",
        arg=header["y"] + header["height"],
    )
    expect(work.locator("blockquote:target")).to_be_in_viewport()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_the_margin(reader: Reader, cited: Site, scheme: str) -> None:
    """It finds nothing at the marker that stands out, either."""
    page: Page = reader.open(f"{cited.url}{CITED}/", WIDE, scheme)
    expect(page.locator(".pb-read")).to_be_visible()
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()


def test_days_do_not_break(reader: Reader, cited: Site) -> None:
    """Neither in the narrow margin nor in a reference: each is one word for the browser."""
    page = reader.open(f"{cited.url}{CITED}/")
    texts = page.locator(".pb-references, .pb-margin").all_inner_texts()
    assert not [text for text in texts if re.search(r"\d{4}-\d\d-\d\d", text)]
    day = re.compile("[0-9]\N{NO-BREAK SPACE}[A-Z][a-z]{2}\N{NO-BREAK SPACE}20[0-9]{2}")
    assert any(day.search(text) for text in texts)
