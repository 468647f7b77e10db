"""Code that is wider than its block: it is broken where there is room, and copied as it was written."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Reader
from tests.browser.sites import Site

KERNELS, METRICS, FOLDED = (
    "cuda/05-tensor-core-programming-wmma-mma/",
    "cuda/27-gpu-metrics-with-dcgm-exporter/",
    "cuda/12-kernel-debugging-internals-expert/",
)
CODE = "article .highlight > pre > code"
SCROLLING = (
    f"() => [...document.querySelectorAll('{CODE}')].filter(code => code.scrollWidth > code.clientWidth + 1).length"
)
READ = "performance.getEntriesByType('resource').some(each => each.name.includes('/code.js') && each.responseEnd)"
"""True once the script has come. Under load, Playwright may wait forever for an idle network."""
TEXTS = f"() => [...document.querySelectorAll('{CODE}')].map(code => code.textContent)"
COPIED = f"""() => [...document.querySelectorAll('{CODE}')].map(code => {{
    getSelection().selectAllChildren(code)
    return [getSelection().toString(), code.innerText]
}})"""


def loaded(page: Page) -> Page:
    """The page, once its code was broken."""
    page.wait_for_function(READ)
    page.wait_for_timeout(300)  # it runs, and breaks all blocks at once
    return page


@pytest.mark.parametrize("path", [KERNELS, METRICS, "guide/first-page/"])
@pytest.mark.parametrize("width", [1440, 768, pytest.param(1280, marks=pytest.mark.nightly)])
def test_no_code_scrolls_where_there_is_room(reader: Reader, own: Site, path: str, width: int) -> None:
    """On page 05, eleven of eleven blocks did so at 1280 pixels, and five at 1440."""
    page = loaded(reader.open(own.url + path, width))
    assert page.evaluate(SCROLLING) == 0


@pytest.mark.parametrize("path", [KERNELS, METRICS])
def test_what_is_copied_has_no_breaks(reader: Reader, own: Site, path: str) -> None:
    """By the button, which takes the text as it is shown, or by a selection; without scripts it is the same text."""
    page = loaded(reader.open(own.url + path))
    texts = page.evaluate(TEXTS)
    assert texts == reader.open(own.url + path, has_scripts=False).evaluate(TEXTS)
    for text, (selected, shown) in zip(texts, page.evaluate(COPIED), strict=True):
        assert selected.rstrip("\n") == shown.rstrip("\n") == text.rstrip("\n")


def test_breaks_follow_the_window(reader: Reader, own: Site) -> None:
    """A wider window needs fewer; a phone has none, and its code scrolls."""
    page = loaded(reader.open(own.url + KERNELS, 800))
    breaks = page.locator(".pb-break")
    narrow = breaks.count()
    page.set_viewport_size({"width": 1440, "height": 900})
    expect(breaks).not_to_have_count(narrow)
    assert 0 < breaks.count() < narrow
    page.set_viewport_size({"width": 390, "height": 900})
    expect(breaks).to_have_count(0)
    assert page.evaluate(SCROLLING) > 0


def test_on_a_phone_code_has_the_whole_width(reader: Reader, own: Site) -> None:
    """The button that copies it stands above it, and neither covers it nor takes a strip beside it."""
    page = loaded(reader.open(own.url + METRICS, 390, has_touch=True))
    code = page.locator(CODE).first
    box, button = code.bounding_box(), page.locator("article .md-code__nav").first.bounding_box()
    assert box
    assert button
    assert box["x"] + box["width"] >= 390 - 17
    assert button["y"] + button["height"] <= box["y"] + 4


def test_all_blocks_are_measured_before_one_is_broken(reader: Reader, own: Site) -> None:
    """Else the whole page is laid out for each: with half a megabyte of text, most of the time of loading it."""
    page = loaded(reader.open(f"{own.url}cuda/53-tiles-and-tensor-core-kernels/"))
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")

    def layouts() -> int:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return int(next(metric["value"] for metric in metrics if metric["name"] == "LayoutCount"))

    layouts_at_first = layouts()
    page.set_viewport_size({"width": 1100, "height": 900})
    page.wait_for_timeout(300)
    assert page.locator(".pb-break").count() > 2
    folded = page.locator(".pb-references > li > details:not([open])").count()  # the browser lays each out apart
    assert (
        layouts() - layouts_at_first < 25 + folded
    )  # 44 with eleven blocks, when each was measured after the last was broken


def test_code_that_is_unfolded_is_broken(reader: Reader, own: Site) -> None:
    """Folded code has no width yet."""
    page = loaded(reader.open(own.url + FOLDED))
    for summary in page.locator("article details:has(.highlight) > summary").all():
        summary.click()
    page.wait_for_function(f"({SCROLLING})() === 0")


def test_a_link_to_a_heading_below_code_lands_on_it(reader: Reader, own: Site) -> None:
    """It lands there although the code above it has more lines than when the page was read."""
    page = loaded(reader.open(f"{own.url}{KERNELS}#putting-it-to-use-a-vision-language-training-job", 800))
    box = page.locator("#putting-it-to-use-a-vision-language-training-job").bounding_box()
    assert box is not None
    assert 0 <= box["y"] < 300
