"""The look of pages: where they begin, how wide they are, and what stays legible in a narrow window."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import FloatRect, Page, expect

from tests.browser.conftest import Reader
from tests.browser.sites import FINISHED, Site

CODE = "cuda/05-tensor-core-programming-wmma-mma/"
"""A page with long lines of code and wide tables."""
LEFT = "document.querySelector('article h1').getBoundingClientRect().left"


@pytest.mark.parametrize("width", [1280, pytest.param(1440, marks=pytest.mark.nightly)])
def test_every_page_begins_at_the_same_place(reader: Reader, own: Site, width: int) -> None:
    """It does not matter if its tab has a list of pages."""
    page, found = reader.page(width), {}
    for path in ("", CODE, "progress/", "sources/", "guide/", "tags/"):
        page.goto(own.url + path)
        found[path] = round(page.evaluate(LEFT))
    assert len(set(found.values())) == 1, found


def test_code_uses_the_width_of_a_window(reader: Reader, own: Site) -> None:
    """On a desk, code is wider than prose, and ends before the button that copies it."""
    page = reader.open(own.url + CODE, 1440)
    buttons = page.locator(".highlight > pre > .md-code__nav")
    expect(buttons.first).to_be_attached()
    text, code = (
        page.locator(selector).first.evaluate("e => e.getBoundingClientRect().width")
        for selector in ("article > p", "article > .highlight")
    )
    assert code > text + 100
    covered = buttons.evaluate_all(
        "all => all.filter(nav => nav.getBoundingClientRect().left < nav.parentElement.querySelector('code')"
        ".getBoundingClientRect().right).length"
    )
    assert covered == 0


MEASURES = """all => all.map(code => [
    Math.max(...code.textContent.split('\\n').map(line => line.length)), code.scrollWidth > code.clientWidth + 1
])"""


@pytest.mark.parametrize(("width", "fitting"), [(1440, 109), (1920, 118)])
def test_lines_of_code_fit_where_there_is_room(reader: Reader, own: Site, width: int, fitting: int) -> None:
    """At 1440 pixels those of 109 characters, in a wider window longer ones; the right column is not covered."""
    page = reader.open(own.url + CODE, width)
    expect(page.locator(".highlight > pre > .md-code__nav").first).to_be_attached()
    measured = page.locator("article > .highlight > pre > code").evaluate_all(MEASURES)
    assert any(100 < longest <= fitting for longest, _ in measured)
    assert [longest for longest, is_cut in measured if longest <= fitting and is_cut] == []
    block, column = box(page, "article > .highlight"), box(page, ".md-sidebar--secondary")
    assert block["x"] + block["width"] <= column["x"]


WITHIN_WORDS = """all => all.flatMap(code => {
    const [found, walker] = [[], document.createTreeWalker(code, NodeFilter.SHOW_TEXT)]
    let [before, line] = [" ", null]
    while (walker.nextNode()) [...walker.currentNode.data].forEach((sign, i) => {
        const range = document.createRange()
        range.setStart(walker.currentNode, i), range.setEnd(walker.currentNode, i + 1)
        const place = [...range.getClientRects()].at(-1)
        const isWord = /[a-z0-9]/i
        if (isWord.test(before + sign) && isWord.test(before) && isWord.test(sign) && place.top > line + 6)
            found.push(code.textContent)
        before = sign
        line = place?.width ? place.top : line
    })
    return found
})"""


@pytest.mark.parametrize("path", [CODE, "overview/what-broke/", "cuda/23-distributed-hangs-and-timeouts/"])
def test_code_in_a_list_breaks_at_signs(reader: Reader, own: Site, path: str) -> None:
    """Not `OpType=BROADCA|ST`; in a wider window, only that of a table that would be too wide for it."""
    page = reader.open(own.url + path, 390)
    expect(page.locator("table.pb-stacked").first).to_be_visible()
    assert page.locator("table.pb-stacked td code").evaluate_all(WITHIN_WORDS) == []
    page.set_viewport_size({"width": 1440, "height": 900})
    expect(page.locator("table.pb-stacked")).to_have_count(0)
    assert page.locator("article table td code").evaluate_all(WITHIN_WORDS) == []


def test_a_wide_table_is_a_list_on_a_phone(reader: Reader, own: Site) -> None:
    """Each value has the name of its column, its parts keep their roles, and a wider window has the table again."""
    page = reader.open(own.url + CODE, 390)
    stacked = page.locator("table.pb-stacked")
    expect(stacked.first).to_be_visible()
    wide = "all => all.filter(box => box.scrollWidth > box.clientWidth + 1).length"
    assert page.locator(".md-typeset__scrollwrap:not(.pb-values)").evaluate_all(wide) == 0
    first = page.locator("table.pb-stacked:has(th:nth-child(3))").first
    names = first.locator("thead th").all_inner_texts()
    cell = first.locator("tbody tr").first.locator("td").nth(1)
    label = cell.evaluate("e => getComputedStyle(e, '::before').content")
    assert label.strip('"') in names
    expect(first.get_by_role("row")).to_have_count(first.locator("tr").count())
    expect(first.get_by_role("columnheader")).to_have_count(len(names))
    page.set_viewport_size({"width": 1280, "height": 900})
    expect(stacked).to_have_count(0)


def test_a_table_of_values_stays_a_table_on_a_phone(reader: Reader, own: Site) -> None:
    """It scrolls in its frame, below a first column that stays and leaves room for values; none is in two lines."""
    page = reader.open(f"{own.url}cuda/28-ddp-fsdp2-measurements/", 390)
    frame = page.locator(".pb-values", has_text="CPU has issued the step").last
    expect(frame.locator("table.pb-stacked")).to_have_count(0)
    first = frame.locator("tbody tr").first.locator("td").first
    frame.evaluate("box => box.scrollLeft = 60")
    assert frame.evaluate("box => box.scrollLeft") == 60
    assert first.evaluate("cell => cell.getBoundingClientRect().left") >= 0
    assert first.evaluate("cell => cell.getBoundingClientRect().width") < 390 / 2
    wraps = "all => all.filter(cell => getComputedStyle(cell).whiteSpace !== 'nowrap').length"
    assert frame.locator("td.pb-value").evaluate_all(wraps) == 0
    expect(frame).to_have_attribute("tabindex", "0")
    assert page.locator("table.pb-stacked").count() > 0  # that of sentences is a list


def test_a_long_name_does_not_widen_its_column(reader: Reader, own: Site) -> None:
    """It breaks at a sign, so that a column of sentences has room beside it and the table needs no scrolling."""
    page = reader.open(f"{own.url}cuda/15-nvidia-deep-learning-examples/", 1440)
    table = page.locator(".md-typeset__scrollwrap", has=page.locator("th", has_text="Fix")).first
    expect(table.locator("code wbr").first).to_be_attached()
    assert table.evaluate("box => box.scrollWidth <= box.clientWidth + 1")


@pytest.mark.parametrize("width", [768, 390])
def test_no_button_covers_code_in_a_narrow_window(reader: Reader, own: Site, width: int) -> None:
    """Of no block, whether its lines are scrolled or not."""
    page = reader.open(own.url + CODE, width)
    expect(page.locator(".highlight > pre > .md-code__nav").first).to_be_attached()
    covered = """all => all.filter(code => {
        const button = code.parentElement.querySelector("button").getBoundingClientRect()
        const box = code.getBoundingClientRect()
        return button.left < box.right - 1 && button.bottom > box.top + 4 // above it, on a phone
    }).length"""
    assert page.locator("article .highlight > pre:has(> .md-code__nav) > code").evaluate_all(covered) == 0


def test_values_of_a_stacked_row_have_names_of_their_own(reader: Reader, own: Site) -> None:
    """Of several columns named "Becomes", each says of which group; names and values begin at the same edge."""
    page = reader.open(f"{own.url}cuda/17-nvidia-performance-optimization-patterns/", 390)
    expect(page.locator("table.pb-stacked").first).to_be_visible()
    rows = page.locator("table.pb-stacked tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].map(cell => cell.dataset.label).filter(Boolean))"
    )
    assert [names for names in rows if len(names) != len(set(names))] == []
    assert any("Good: Becomes" in names for names in rows)
    sides = page.locator("table.pb-stacked td").evaluate_all(
        "cells => [...new Set(cells.map(cell => getComputedStyle(cell).textAlign))]"
    )
    assert sides == ["start"]


def test_the_buttons_of_the_home_page_end_where_its_text_does(reader: Reader, own: Site) -> None:
    """And not at the edge of the window, 150 pixels beside it."""
    page = reader.open(own.url, 1440)
    text, button = box(page, ".look-home"), box(page, "article > .md-content__button")
    assert text["x"] < button["x"]
    assert button["x"] + button["width"] <= text["x"] + text["width"] + 1


def test_the_whole_card_is_a_link(reader: Reader, own: Site) -> None:
    """A click beside its text opens its first link; a second link keeps its own place."""
    page = reader.open(own.url)
    card = page.locator(".look-cards li").first
    second = card.locator("a").nth(1)
    place = box(page, ".look-cards li")
    page.mouse.click(place["x"] + place["width"] - 6, place["y"] + place["height"] - 6)
    expect(page).to_have_url(re.compile("/cuda/10-docker"))
    page.go_back()
    second.click()
    expect(page).to_have_url(re.compile("/reading/#you-build-images"))


def test_no_heading_has_an_empty_line_below(reader: Reader, own: Site) -> None:
    """The link to a heading takes no room in it."""
    page = reader.open(own.url + CODE, 768)
    grown = """all => all.filter(heading => {
        const before = heading.offsetHeight
        heading.querySelector(".headerlink").style.display = "none"
        return heading.offsetHeight < before
    }).map(heading => heading.textContent)"""
    assert page.locator("article :is(h1, h2, h3):has(.headerlink)").evaluate_all(grown) == []


@pytest.mark.parametrize("width", [390, 1280])
def test_tags_and_buttons_share_a_line(reader: Reader, lived_in: Site, width: int) -> None:
    """They stand above the title, which both leave free."""
    page = reader.open(f"{lived_in.url}{FINISHED}/", width)
    boxes = [box(page, selector) for selector in (".md-tag", ".md-content__button[rel=edit]", "article h1")]
    tag, button, title = boxes
    assert abs(tag["y"] + tag["height"] / 2 - button["y"] - button["height"] / 2) < 4
    assert title["y"] >= button["y"] + button["height"] - 1


def box(page: Page, selector: str) -> FloatRect:
    """Return the box of the first element that matches."""
    found = page.locator(selector).first.bounding_box()
    assert found
    return found


def test_folded_text_has_the_colours_of_the_site(reader: Reader, own: Site) -> None:
    """No note or folded text has Material's blue."""
    page = reader.open(f"{own.url}guide/pages/")
    page.evaluate(
        "document.querySelector('article').insertAdjacentHTML('beforeend', "
        "'<details class=\"note\"><summary>More</summary><p>Text</p></details>')"
    )
    summary = page.locator("article > details.note > summary")
    colours = summary.evaluate(
        "e => [getComputedStyle(e).backgroundColor, getComputedStyle(e, '::before').backgroundColor,"
        " getComputedStyle(e.parentElement).borderColor]"
    )
    assert not any("68, 138, 255" in each for each in colours), colours


def test_the_buttons_of_a_page_keep_their_names(reader: Reader, own: Site) -> None:
    """They keep them also while a tooltip shows the name of the one that has the focus."""
    page = reader.open(own.url + CODE)
    button = page.locator(".md-content__button[rel=edit]")
    name = button.get_attribute("title")
    assert name
    button.focus()
    page.wait_for_timeout(300)
    expect(button).to_have_accessible_name(name)


def test_code_that_scrolls_is_reached_by_keyboard(reader: Reader, own: Site) -> None:
    """On a phone, where most blocks are wider than the window."""
    page = reader.open(own.url + CODE, 390)
    expect(page.locator(".highlight > pre > code[tabindex='0']").first).to_be_attached()
    missed = page.locator(".highlight > pre > code").evaluate_all(
        "all => all.filter(code => code.scrollWidth > code.clientWidth + 1 && code.tabIndex < 0).length"
    )
    assert missed == 0


def test_a_new_base_has_the_look_of_this_one(reader: Reader, own: Site, starter: Site) -> None:
    """The same colours and the same faces, from one style sheet that comes with Planbook."""
    style = "e => [getComputedStyle(e).backgroundColor, getComputedStyle(e.querySelector('.md-ellipsis')).fontFamily]"
    ours, theirs = (reader.open(site.url).locator(".md-header").evaluate(style) for site in (own, starter))
    assert theirs == ours


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_arrow_of_a_folded_note_has_the_schemes_colour(reader: Reader, own: Site, scheme: str) -> None:
    """Material's is blue, whatever the accent."""
    page = reader.open(f"{own.url}cuda/07-mixed-precision-training-internals/", scheme=scheme)
    note = page.locator("article details[class]:not([class*='pb-']) > summary").first
    arrow, quiet = note.evaluate(
        "e => [getComputedStyle(e, '::after').color, getComputedStyle(document.querySelector('.pb-head')).color]"
    )
    assert arrow == quiet
