"""The progress page, as a reader uses it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Reader
from tests.browser.sites import Site

CHOICES = ("all", "done", "partial", "open", "unmarked", "skipped", "disabled")
"""The filter's, in the order they are shown."""


def test_the_filter_works_by_keyboard_alone(reader: Reader, lived_in: Site) -> None:
    """The arrow keys walk through the states, and only PARTs in the chosen one stay."""
    page = reader.open(f"{lived_in.url}progress/")
    every = states_shown(page)
    assert set(every) == set(CHOICES[1:])
    page.get_by_role("radio", name="all").focus()
    for state in CHOICES[1:]:
        page.keyboard.press("ArrowRight")
        assert states_shown(page) == [state] * every.count(state)
    page.keyboard.press("ArrowRight")
    assert states_shown(page) == every


def test_a_finished_plan_is_one_line(reader: Reader, own: Site) -> None:
    """It opens, also by a link to it; bars of finished plans, all alike, made the page 6,600 pixels long."""
    page = reader.open(f"{own.url}progress/", 1440)
    plans = page.locator(".pb-finished")
    assert plans.count() > 5
    assert all(height < 90 for height in plans.evaluate_all("all => all.map(e => e.offsetHeight)"))
    expect(page.locator(".pb-finished .pb-bar")).to_have_count(0)
    expect(page.locator(".pb-finished tr").first).to_be_hidden()
    name = plans.nth(2).locator(".pb-plan").get_attribute("id")
    page.evaluate("name => (location.hash = name)", name)
    expect(plans.nth(2).locator("tbody tr").first).to_be_visible()
    page.get_by_role("radio", name="disabled").check()
    expect(plans.locator("visible=true")).to_have_count(1)


def test_one_base_has_one_share_of_checked_works(reader: Reader, own: Site) -> None:
    """On home, Sources and the page of what is here, the same works are counted."""
    said = [
        re.search(r"([\d,]+) of ([\d,]+) works checked", reader.open(own.url + path).locator("article").inner_text())
        for path in ("", "sources/")
    ]
    assert said[0]
    assert said[1]
    assert said[0].groups() == said[1].groups()
    page = reader.open(f"{own.url}status/")
    checked, works = said[0].groups()
    expect(page.locator(".pb-figures")).to_contain_text(f"{checked} of {works}")


def test_a_page_has_one_count_of_checked_works(reader: Reader, own: Site) -> None:
    """What is here says of each page what the page says; no work counts twice for two references to it."""
    page = reader.open(f"{own.url}status/")
    lines = page.locator(".pb-status li li").evaluate_all(
        "lines => lines.map(e => [new URL(e.querySelector('a').href).pathname.slice(1), e.textContent])"
    )
    assert len(lines) > 30
    compared = 0
    for path, line in lines:
        said = re.search(r"(\d+) of (\d+) works? checked", line)
        head = (own.folder / path / "index.html").read_text("utf-8")
        assert said, line
        head_says = re.search(r'data-statement="verified"[^>]*>(\d+) of (\d+)<i> source', head)
        if head_says:  # else the page has changed since its check, and says so
            compared += 1
            assert head_says.groups() == said.groups(), line
    assert compared > 10


def test_squares_are_links_in_the_order_of_the_list(reader: Reader, own: Site) -> None:
    """Each kind that occurs has its legend."""
    page = reader.open(f"{own.url}status/")
    subject = page.locator(".pb-status > ul > li").first
    hrefs = "links => links.map(e => e.href)"
    squares = subject.locator(".pb-squares a").evaluate_all(hrefs)
    assert squares == subject.locator("li a").evaluate_all(hrefs)
    legend = page.locator(".pb-status figcaption .pb-square").evaluate_all("all => all.map(e => e.dataset.kind)")
    drawn = page.locator(".pb-status > ul .pb-square").evaluate_all("all => all.map(e => e.dataset.kind)")
    assert set(legend) == set(drawn)
    subject.locator(".pb-squares a").first.click()
    expect(page).to_have_url(squares[0])


def test_what_is_open_has_one_unit_each(reader: Reader, own: Site) -> None:
    """No sum of pages, questions and works; each fact stands once, and Sources has as many works."""
    page = reader.open(f"{own.url}status/")
    figures = page.locator(".pb-figures > span").all_inner_texts()
    assert [re.sub(r"[\d,]+", "N", text.replace("\n", " ").partition(" ")[2])[:13] for text in figures] == [
        "of N planned ",
        "of N works ch",
        "new pages in ",
        "questions tha",
    ]
    article = page.locator("article").inner_text()
    assert article.count("planned pages are written") == 1
    unchecked = re.search(r"([\d,]+) works not checked yet", article)
    assert unchecked
    page.goto(f"{own.url}sources/")
    expect(page.get_by_role("radio", name=f"not checked {unchecked[1]}")).to_be_visible()


@pytest.mark.parametrize("width", [1440, 390])
def test_an_opened_subject_has_room(reader: Reader, own: Site, width: int) -> None:
    """Its pages fill the width, and no day hangs outside the chart."""
    page = reader.open(f"{own.url}status/", width)
    subject = page.locator(".pb-status > ul > li").nth(1)
    subject.locator("summary").click()
    boxes = [line.bounding_box() for line in subject.locator("li").all()]
    columns = {round(box["x"]) for box in boxes if box}
    assert len(columns) == (2 if width == 1440 else 1)
    chart = page.locator("svg.pb-when").bounding_box()
    assert chart
    for tick in page.locator("svg.pb-when .pb-tick").all():
        box = tick.bounding_box()
        assert box
        assert chart["x"] - 1 <= box["x"] <= box["x"] + box["width"] <= chart["x"] + chart["width"] + 1


def test_the_last_days_are_a_picture(reader: Reader, own: Site) -> None:
    """With its numbers, in sight and for a screen reader; each subject opens its pages."""
    page = reader.open(f"{own.url}status/")
    picture = page.locator("svg.pb-when")
    expect(picture).to_have_attribute("aria-label", re.compile(r"\d+ pages?, \d+ works?"))
    assert picture.locator("text:not(.pb-tick)").count() >= 4
    whole, share = page.locator(".pb-meter").first.locator("rect").all()
    fill = "e => getComputedStyle(e).fill"
    assert whole.evaluate(fill) != share.evaluate(fill)
    subject = page.locator(".pb-status details").first
    subject.locator("summary").click()
    expect(subject.locator("li a").first).to_be_visible()
    expect(subject.locator("li").first).to_contain_text(re.compile(r"\d+ of \d+ works checked"))


def test_a_plan_without_a_part_in_the_chosen_state_says_so(reader: Reader, lived_in: Site) -> None:
    """A plan that has nothing to show under the filter says it in words, and only then."""
    page = reader.open(f"{lived_in.url}progress/")
    plans = page.locator(".pb-plan")
    expect(plans.locator(".pb-none").filter(visible=True)).to_have_count(0)
    page.get_by_role("radio", name="skipped").check()
    expect(plans.locator(".pb-none").filter(visible=True)).to_have_count(plans.count() - 1)
    expect(plans.locator(".pb-parts").filter(visible=True)).to_have_count(1)


def test_without_scripts_everything_is_shown(reader: Reader, lived_in: Site) -> None:
    """A reader whose browser runs no scripts sees every PART, and can fold out the steps."""
    page = reader.open(f"{lived_in.url}progress/", 390, has_scripts=False)
    rows = page.locator(".pb-parts tbody tr")
    assert rows.count() == len(states_shown(page)) > 22
    steps = page.locator(".pb-steps").first
    steps.locator("summary").click()
    expect(steps.locator("li").first).to_be_visible()


def test_the_filter_works_after_instant_navigation(reader: Reader, lived_in: Site) -> None:
    """Coming from another page without a reload, and going and coming back, the filter still filters."""
    page = reader.page()
    with page.expect_response("**/sitemap.xml"):  # Material goes by it from then on
        page.goto(lived_in.url)
    page.evaluate("window.stillHere = true")
    for _ in range(2):
        page.locator(".md-tabs").get_by_text("Progress", exact=True).click()
        page.locator(".md-sidebar--primary").get_by_role("link", name="Plans").click()
        expect(page.get_by_role("heading", level=1, name="Plans")).to_be_visible()
        assert "skipped" in states_shown(page)
        page.get_by_role("radio", name="disabled").check()
        assert set(states_shown(page)) == {"disabled"}
        page.locator(".md-tabs").get_by_text("Home", exact=True).click()
        expect(page.get_by_role("heading", level=1, name="CUDA, PyTorch")).to_be_visible()
    assert page.evaluate("window.stillHere") is True


def test_no_state_is_told_by_colour_alone(reader: Reader, lived_in: Site) -> None:
    """Every chip carries the word of its state, and no two states are drawn alike in a bar.

    Done PARTs whose page is missing are drawn apart from those whose page is there.
    """
    page = reader.open(f"{lived_in.url}progress/")
    chips = page.locator(".pb-parts .pb-chip")
    assert chips.evaluate_all("chips => chips.every(chip => chip.innerText === chip.dataset.state)")
    lines = page.locator(".pb-fill").evaluate_all(
        "lines => lines.map(e => [e.className.baseVal, e.dataset.state, "
        "getComputedStyle(e).strokeDasharray + getComputedStyle(e).strokeWidth])"
    )
    drawn = set(map(tuple, lines))
    assert len(drawn) == len({how for _, _, how in drawn}) == len(CHOICES)
    assert "pb-fill pb-missing" in {name for name, _, _ in drawn}


def states_shown(page: Page) -> list[str]:
    """The state of every visible row, from top to bottom."""
    rows = page.locator(".pb-parts tbody tr").filter(visible=True)
    return [row.get_attribute("data-state") or "" for row in rows.all()]
