"""Finding a work on the Sources page: by its site, by what came of checking it, by its words."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Reader
from tests.browser.sites import HARM, WORKS_A_SITE, Site

CHECKED = ["Steeping, a study", "An old address", "A page that went"]


def titles(page: Page) -> Locator:
    """The works that can be seen, by their titles."""
    return page.locator(".pb-site li[data-check] > :first-child > :first-child").filter(visible=True)


def sites(page: Page) -> Locator:
    """The sites that can be seen."""
    return page.locator(".pb-site > summary").filter(visible=True)


@pytest.mark.parametrize("has_scripts", [True, False])
def test_a_site_is_chosen_by_its_link(reader: Reader, cited: Site, has_scripts: bool) -> None:
    """Only its works are left, and the address holds the choice: it can be sent, and Back undoes it."""
    page = reader.open(f"{cited.url}sources/", has_scripts=has_scripts)
    expect(sites(page)).to_have_count(3)
    page.get_by_role("navigation", name="Sites").get_by_role("link", name="127.0.0.1").click()
    expect(page).to_have_url(re.compile("#site-127-0-0-1$"))
    expect(sites(page)).to_have_text(["127.0.0.1 3 2 checked"])
    expect(titles(page)).to_have_count(3)
    expect(titles(page).first).to_be_in_viewport()
    sent = reader.open(page.url, has_scripts=has_scripts)
    expect(sites(sent)).to_have_text(["127.0.0.1 3 2 checked"])
    page.go_back()
    expect(sites(page)).to_have_count(3)


def test_a_page_opens_its_quotes_from_a_work(reader: Reader, cited: Site) -> None:
    """Each quote has a link to the exact place."""
    page = reader.open(f"{cited.url}sources/")
    work = page.locator("li[data-id]", has_text=CHECKED[0])
    work.get_by_role("link", name="Water and tea").click()
    expect(page).to_have_url(re.compile("#ref-steeping$"))
    expect(page.locator("#ref-steeping")).to_be_in_viewport()
    expect(page.locator("#ref-steeping blockquote > a").first).to_have_text("Open at this line")


def test_counts_follow_the_filter(reader: Reader, cited: Site) -> None:
    """Those of sites and of statuses; without a filter, they are whole again."""
    page = reader.open(f"{cited.url}sources/")
    link = page.get_by_role("navigation", name="Sites").get_by_role("link", name="127.0.0.1")
    expect(link).to_contain_text("3")
    page.get_by_role("radio", name="moved 1").check()
    expect(sites(page)).to_have_text(["127.0.0.1 1 of 3 2 checked"])
    expect(link).to_have_text("127.0.0.1 1")
    page.get_by_role("searchbox", name="Find a work").fill("cups")
    expect(page.get_by_role("radio", name="moved 0")).to_be_checked()
    page.get_by_role("searchbox", name="Find a work").fill("")
    page.get_by_role("radio", name="all 5").check()
    expect(sites(page).filter(has_text="127.0.0.1")).to_have_text("127.0.0.1 3 2 checked")


def test_works_have_other_orders(reader: Reader, cited: Site) -> None:
    """The most cited or last checked come first, whatever their site, also of one site; then they are by site again."""
    page = reader.open(f"{cited.url}sources/")
    by_site = titles(page).all_inner_texts()
    page.get_by_label("Order").select_option("day")
    expect(titles(page)).to_have_count(5)
    assert set(titles(page).all_inner_texts()[:3]) == set(CHECKED)
    page.get_by_role("navigation", name="Sites").get_by_role("link", name="127.0.0.1").click()
    expect(titles(page)).to_have_count(3)
    page.get_by_role("link", name="Show all sites").click()
    page.get_by_label("Order").select_option("site")
    expect(titles(page)).to_have_text(by_site)


@pytest.mark.parametrize("has_scripts", [True, False])
def test_works_are_chosen_by_kind(reader: Reader, own: Site, has_scripts: bool) -> None:
    """Groups without one are hidden, and what is quoted most, which no filter changes; counts follow both filters."""
    page = reader.open(f"{own.url}sources/", 1440, has_scripts=has_scripts)
    expect(page.get_by_role("heading", name="Quoted most")).to_be_visible()
    groups = page.locator(".pb-org > h2").filter(visible=True)
    before = groups.count()
    kinds = page.get_by_role("group", name="Filter works by kind")
    discussions = kinds.get_by_role("radio", name=re.compile("discussion"))
    number = int((discussions.locator("..").text_content() or "").split()[-1])
    discussions.check()
    expect(page.get_by_role("heading", name="Quoted most")).to_be_hidden()
    assert 0 < groups.count() < before
    shown = page.locator(".pb-site li[data-kind]").evaluate_all(
        "all => all.filter(e => getComputedStyle(e).display !== 'none').map(e => e.dataset.kind)"
    )
    assert shown == ["discussion"] * number
    if has_scripts:
        statuses = page.get_by_role("group", name="Filter works by status")
        expect(statuses.get_by_role("radio", name=f"all {number}")).to_be_checked()


def test_sites_stand_below_their_organisation(reader: Reader, own: Site) -> None:
    """In columns, without the owner's name; an open one has the whole width. Orders by quotes begin with the most."""
    page = reader.open(f"{own.url}sources/", 1440)
    group = page.locator(".pb-org", has=page.get_by_role("heading", name=re.compile("^NVIDIA ")))
    expect(group.locator("h2")).to_contain_text(re.compile(r"\d+ works · \d+ checked, last on \d+\s\w+\s2026"))
    first, second = group.locator(".pb-site").nth(0), group.locator(".pb-site").nth(1)
    assert first.evaluate("e => e.offsetTop") == second.evaluate("e => e.offsetTop")
    assert "NVIDIA/" not in group.locator("summary").all_inner_texts()[1]
    narrow = first.evaluate("e => e.offsetWidth")
    first.locator("summary").click()
    assert first.evaluate("e => e.offsetWidth") > 2 * narrow
    most = page.locator(".pb-most a").first.inner_text()
    page.get_by_label("Order").select_option("quotes")
    expect(titles(page).first).to_have_text(most)


def test_sites_without_a_match_are_hidden(reader: Reader, own: Site) -> None:
    """Their links too, and the name of a forge that has none left; few that are left are not folded."""
    page = reader.open(f"{own.url}sources/", 1440)
    links = page.locator(".pb-sites li").filter(visible=True)
    before = links.all_inner_texts()
    page.get_by_role("searchbox", name="Find a work").fill("kubernetes")
    expect(page.locator(".pb-found")).to_have_text(re.compile(r"^\d+ of \d+ works$"))
    expect(links).to_have_count(sites(page).count())
    assert not [text for text in links.all_inner_texts() if re.search(r"\b0$", text)]
    page.get_by_role("searchbox", name="Find a work").fill("")
    expect(links).to_have_text(before)


def test_the_chosen_site_is_marked(reader: Reader, own: Site) -> None:
    """The way to all sites stands above the others."""
    page = reader.open(f"{own.url}sources/", 1440)
    link = page.locator(".pb-sites li a").nth(2)
    link.click()
    expect(link).to_have_attribute("aria-current", "true")
    everything = page.get_by_role("link", name="Show all sites")
    expect(everything).to_be_in_viewport()
    everything.click()
    expect(page.locator(".pb-sites [aria-current]")).to_have_count(0)


def test_back_finds_the_sites_that_were_open(reader: Reader, own: Site) -> None:
    """And the words that were sought, after a page was visited."""
    page = reader.open(f"{own.url}sources/", 1440)
    sites(page).nth(2).click()
    opened = titles(page).count()
    assert opened
    page.locator(".pb-site[open] li > div a").first.click()
    expect(page).to_have_url(re.compile("#ref-"))
    page.go_back()
    expect(titles(page)).to_have_count(opened)


def test_every_work_says_whether_it_was_checked(reader: Reader, own: Site) -> None:
    """In words, also one that was not."""
    page = reader.open(f"{own.url}sources/")
    labels = page.locator(".pb-site li[data-check] > span:nth-child(2)").all_text_contents()
    assert len(labels) > 500
    assert [label for label in labels if not re.search("checked|version|copy|verified|moved|gone|web", label)] == []


def test_on_a_phone_nothing_scrolls_sideways(reader: Reader, own: Site) -> None:
    """The filter takes the lines it needs, and the sites are those of the list."""
    page = reader.open(f"{own.url}sources/", 390, has_touch=True)
    for label in page.locator(".pb-checks label").all():
        box = label.bounding_box()
        assert box
        assert box["x"] + box["width"] <= 390
    expect(page.locator(".pb-sites li").filter(visible=True)).to_have_count(0)
    first = page.locator(".pb-most, .pb-site").first.bounding_box()
    assert first
    assert first["y"] < 900
    most = page.locator(".pb-most li").filter(visible=True)
    assert most.count() == 4


@pytest.mark.parametrize("width", [1440, 1280, 390])
def test_no_status_is_wider_than_its_column(reader: Reader, own: Site, width: int) -> None:
    """None is, with all sites unfolded."""
    page = reader.open(f"{own.url}sources/", width)
    page.evaluate("document.querySelectorAll('.pb-site').forEach(site => (site.open = true))")
    wider = """labels => labels.filter(e =>
        e.getBoundingClientRect().right > e.closest("li").getBoundingClientRect().right + 1).length"""
    assert page.locator(".pb-site .pb-check").evaluate_all(wider) == 0


def test_on_a_phone_what_was_found_is_below_the_field(reader: Reader, own: Site) -> None:
    """It is in sight, also with a keyboard over the lower half of the screen."""
    page = reader.open(f"{own.url}sources/", 390, has_touch=True)
    page.get_by_role("searchbox", name="Find a work").fill("nccl")
    expect(page.locator(".pb-found")).to_have_text(re.compile(r"^\d+ of \d+ works$"))
    page.wait_for_function("document.querySelector('.pb-site:not([hidden])').getBoundingClientRect().top < 450")
    assert page.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.parametrize("has_scripts", [pytest.param(True, marks=pytest.mark.nightly), False])
def test_works_are_chosen_by_what_came_of_checking_them(reader: Reader, cited: Site, has_scripts: bool) -> None:
    """By keyboard: Tab comes to the group, arrows go through it; each says how many there are."""
    page = reader.open(f"{cited.url}sources/", has_scripts=has_scripts)
    group = page.get_by_role("group", name="Filter works by status")
    labels = [" ".join(label.split()) for label in group.locator("label").all_inner_texts()]
    assert labels == ["all 5", "verified 1", "moved 1", "gone 1", "not checked 1", "not on the web 1"]
    group.get_by_role("radio", name="all 5").focus()
    seen = []
    for _ in labels[1:]:
        page.keyboard.press("ArrowDown")
        seen.append(titles(page).all_inner_texts())
    assert seen == [*([title] for title in CHECKED), ["Cups of clay"], [HARM]]
    expect(sites(page)).to_have_count(1)


def test_works_are_found_by_their_words(reader: Reader, cited: Site) -> None:
    """Of title, author, site or citing page, all of them, in any case; a screen reader is told how many are left."""
    page = reader.open(f"{cited.url}sources/")
    field = page.get_by_role("searchbox", name="Find a work")
    told = page.locator(".pb-found[role=status]")
    for words, found in {
        "MILLER": [CHECKED[0]],
        "water board": [CHECKED[2]],
        "cups.example": ["Cups of clay"],
        "127.0.0.1 old": [CHECKED[1]],
        "tea": ["A page that went", "An old address", "Steeping, a study", HARM],
    }.items():
        field.fill(words)
        expect(told).to_have_text(f"{len(found)} of 5 works")
        expect(titles(page)).to_have_text(found)
    field.fill("no such words")
    expect(page.get_by_text("No matching works.")).to_be_visible()
    expect(told).to_have_text("0 of 5 works")
    field.fill("")
    expect(titles(page)).to_have_count(5)
    expect(told).to_have_text("5 works")
    expect(page.get_by_text("No matching works.")).to_be_hidden()


def copied(page: Page, begins: str) -> str:
    """The text of the clipboard, once it begins so; what was copied before may still be there."""
    for _ in range(100):
        text = page.evaluate("navigator.clipboard.readText()")
        if text.startswith(begins):
            return str(text)
        page.wait_for_timeout(50)
    raise AssertionError(f"nothing that begins with {begins} was copied")


def test_one_work_is_copied_as_an_entry(reader: Reader, cited: Site) -> None:
    """As BibTeX or CSL-JSON, the same as in the downloads; the buttons are there without a pointer."""
    page = reader.open(f"{cited.url}sources/")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    work = page.locator("li[data-id]", has_text=CHECKED[0])
    expect(work.get_by_role("button")).to_have_count(2)
    work.get_by_role("button", name="Copy as BibTeX").click()
    entry = copied(page, "@")
    assert entry in (cited.folder / "references.bib").read_text("utf-8")
    assert CHECKED[0] in entry
    work.get_by_role("button", name="Copy as CSL-JSON").click()
    (item,) = json.loads(copied(page, "["))
    assert item in json.loads((cited.folder / "references.json").read_text("utf-8"))
    assert item["title"] == CHECKED[0]


def test_one_work_at_a_time_offers_its_copies(reader: Reader, cited: Site) -> None:
    """The one under the pointer or with the focus: "copy as" on each line was most of the text."""
    page = reader.open(f"{cited.url}sources/")
    shown = "all => all.filter(e => getComputedStyle(e).opacity === '1').length"
    offers = page.locator(".pb-copy")
    assert offers.count() > 2
    assert offers.evaluate_all(shown) == 0
    page.locator("li[data-id]").nth(1).hover()
    assert offers.evaluate_all(shown) == 1
    page.mouse.move(5, 5)
    offers.nth(2).get_by_role("button").first.focus()
    assert offers.evaluate_all(shown) == 1


def test_without_scripts_there_is_no_field(reader: Reader, cited: Site) -> None:
    """A field that does nothing would be a lie; the works are all there."""
    page = reader.open(f"{cited.url}sources/", has_scripts=False)
    expect(page.locator("#pb-find")).to_be_hidden()
    expect(page.locator(".md-search, .md-header__option").filter(visible=True)).to_have_count(0)
    expect(titles(page)).to_have_count(5)
    page = reader.open(f"{cited.url}404.html", has_scripts=False)
    expect(page.get_by_role("heading", name="Page not found")).to_be_visible()
    expect(page.locator("#pb-find")).to_be_hidden()


# --- a thousand works -------------------------------------------------------------------------------------------------


def test_many_works_of_a_page_are_folded_by_site(reader: Reader, many_works: Site) -> None:
    """One sees what there is, not a wall; a site opens by its link, its heading, or words that are found in it."""
    page = reader.open(f"{many_works.url}sources/2/")
    expect(titles(page)).to_have_count(0)
    on_page = sites(page).count()
    expect(page.get_by_role("navigation", name="Sites").get_by_role("link").filter(visible=True)).to_have_count(8)
    site = (sites(page).nth(1).text_content() or "").split()[0]
    work = site.removeprefix("s").removesuffix(".example") + ".3"
    page.get_by_role("searchbox", name="Find a work").fill(f"{site} {work}")
    expect(page.locator(".pb-found[role=status]")).to_have_text(re.compile(r"^1 of \d+ works$"))
    expect(titles(page)).to_have_text([f"Work {work} on water, time and leaf"])
    page.get_by_role("searchbox", name="Find a work").fill("")
    expect(titles(page)).to_have_count(0)
    page.get_by_text(f"{on_page - 8} more sites").click()
    page.get_by_role("navigation", name="Sites").get_by_role("link", name=site).click()
    expect(titles(page)).to_have_count(WORKS_A_SITE)


def test_the_filter_fills_the_left_column(reader: Reader, own: Site) -> None:
    """In a wide window, beside the works, in sight as they scroll; in a narrow one, above them."""
    page = reader.open(f"{own.url}sources/", 1440)
    filters, works = page.locator(".pb-facets > div"), page.locator(".pb-site").first
    left, right = filters.bounding_box(), works.bounding_box()
    assert left
    assert right
    assert left["x"] + left["width"] < right["x"]
    page.mouse.wheel(0, 1500)
    page.wait_for_function("scrollY > 500")
    expect(page.locator(".pb-filter label").first).to_be_in_viewport()
    page.get_by_role("searchbox", name="Find a work").fill("zzzzq")
    expect(page.locator(".pb-none")).to_be_visible()
    left, footer = filters.bounding_box(), page.locator(".md-footer").bounding_box()
    assert left
    assert footer
    assert left["y"] + left["height"] <= footer["y"]
    page.get_by_role("searchbox", name="Find a work").fill("")
    page.set_viewport_size({"width": 1000, "height": 900})
    left, right = filters.bounding_box(), works.bounding_box()
    assert left
    assert right
    assert left["y"] + left["height"] <= right["y"]
