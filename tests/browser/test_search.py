"""Search as a reader types it: names, options, error messages, questions, and words with a slip."""

from __future__ import annotations

import re
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.conftest import Reader
from tests.browser.sites import Site

QUERIES = Path(__file__).with_name("queries.txt")
FIRST, AMONG_THREE = 0.90, 0.98
"""The least part of the queries whose right page comes first, and among the first three."""


def queries() -> list[tuple[str, tuple[str, ...]]]:
    """What is typed, with the starts of the addresses of the right pages."""
    lines = [line for line in QUERIES.read_text("utf-8").splitlines() if line and not line.startswith("# ")]
    parts = [line.rpartition(" = ") for line in lines]
    return [(query, tuple(map(str.strip, right.split("|")))) for query, _, right in parts]


FRESH = Path(__file__).with_name("fresh-queries.tsv")
LEAST = {"looked at": 0.93, "kept aside": 0.92}  # the part of each half whose right page comes first


def fresh(half: str) -> list[tuple[str, tuple[str, ...]]]:
    """Every second of the fresh queries of each kind, with the addresses of their right pages; `-`: of what is gone."""
    lines = [line.split("\t") for line in FRESH.read_text("utf-8").splitlines() if "\t" in line]
    by_kind = groupby(sorted(lines, key=itemgetter(0)), itemgetter(0))
    rows = [row for _, kind in by_kind for row in list(kind)[list(LEAST).index(half) :: 2] if row[2] != "-"]
    pages = [(query, [page.partition("#")[0] for page in right.split("|")]) for _, query, right in rows]
    return [(query, tuple(f"{page}/".removesuffix("index/") for page in right)) for query, right in pages]


def results(page: Page, query: str) -> list[str]:
    """The addresses of the pages that a query finds, in order, relative to the site."""
    field_ = page.locator(".md-search__input")
    field_.fill("")
    field_.press("End")
    expect(page.locator(".md-search-result__item")).to_have_count(0)
    field_.fill(query)
    field_.press("End")
    page.locator(".md-search-result__item").first.wait_for()
    found = page.locator(".md-search-result__item").evaluate_all(
        "items => items.map(item => new URL(item.querySelector('a').href)).map(url => url.pathname)"
    )
    return [path.lstrip("/") for path in found]


def open_search(page: Page) -> Page:
    """The page with its search open."""
    page.keyboard.press("/")
    expect(page.locator(".md-search__input")).to_be_focused()
    return page


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.nightly)])
def test_the_right_page_comes_first(reader: Reader, own: Site, step: int) -> None:
    """The first result of a query is the page that answers it: for every third one, and for all of them at night."""
    page = open_search(reader.open(own.url))
    asked = queries()[::step]
    ranks = {}
    for query, right in asked:
        found = results(page, query)
        ranks[query] = next((n for n, path in enumerate(found, 1) if path.startswith(right)), None)
    wrong = {query: rank for query, rank in ranks.items() if rank != 1}
    assert len(wrong) <= (1 - FIRST) * len(asked), wrong
    assert sum(rank is None or rank > 3 for rank in wrong.values()) <= (1 - AMONG_THREE) * len(asked), wrong


@pytest.mark.nightly
@pytest.mark.parametrize("half", LEAST)
def test_the_right_page_comes_first_for_fresh_queries(reader: Reader, own: Site, half: str) -> None:
    """Written by somebody who did not know the ranking; one half was kept aside while it was changed."""
    page = open_search(reader.open(own.url))
    asked = fresh(half)
    assert len(asked) in {65, 66}
    wrong = {query: found for query, right in asked if (found := results(page, query)[:3])[0] not in right}
    assert len(wrong) <= (1 - LEAST[half]) * len(asked), wrong


@pytest.mark.parametrize(
    "query",
    [
        "--no-cache-dir",
        *(pytest.param(name, marks=pytest.mark.nightly) for name in ("TORCH_CUDA_ARCH_LIST", "libcupti.so.13")),
    ],
)
def test_a_name_is_shown_and_highlighted_whole(reader: Reader, own: Site, query: str) -> None:
    """It is marked as typed in what is found, and on the page that a click opens."""
    results(page := open_search(reader.open(own.url)), query)
    name = query.strip("-")
    expect(page.locator(".md-search-result__item mark").first).to_have_text(re.compile(re.escape(name), re.IGNORECASE))
    page.locator(".md-search-result__item a").first.click()
    expect(page).to_have_url(re.compile(r"\?h="))
    expect(page.locator("article mark").first).to_be_attached()


def test_an_excerpt_shows_the_rarest_words(reader: Reader, own: Site) -> None:
    """The excerpt is from the place with the rarest word of the query, not with the first common one."""
    page = open_search(reader.open(own.url))
    results(page, "which image variant contains nsys?")
    expect(page.locator(".md-search-result__item mark", has_text="nsys").first).to_be_visible()


def test_a_corrected_query_says_so(reader: Reader, own: Site) -> None:
    """It names the words that were searched for instead; a query that has matches as it is says nothing."""
    results(page := open_search(reader.open(own.url)), "dokcer multistage")
    expect(page.locator(".md-search-result__item").first).to_contain_text("Results for docker multistage")
    results(page, "docker multistage")
    expect(page.locator(".md-search-result__item", has_text="Results for")).to_have_count(0)


WITHIN_WORDS = """marks => marks.filter(mark => {
    const [before, after] = [mark.previousSibling, mark.nextSibling].map(near => near?.data ?? "")
    return /[\\p{L}\\p{N}]$/u.test(before) || /^[\\p{L}\\p{N}]/u.test(after)
}).map(mark => mark.parentElement.textContent)"""
"""What stands around the marks that begin or end within a word."""


def test_marks_are_whole_words(reader: Reader, own: Site) -> None:
    """In what is found, and on the page that a click opens."""
    page = open_search(reader.open(own.url))
    for query in ("kernel_o", "no kernel image", "asynchronous launch"):
        results(page, query)
        found = page.locator(".md-search-result__item mark")
        assert found.count() > 0
        assert found.evaluate_all(WITHIN_WORDS) == [], query
    page.goto(f"{own.url}cuda/12-kernel-debugging-internals-expert/?h=no+kernel+o+launch")
    marks = page.locator("article mark")
    expect(marks.filter(has_text="launch").first).to_be_attached()
    assert marks.evaluate_all(WITHIN_WORDS) == []
    assert {"no", "kernels"} <= {text.lower() for text in marks.all_text_contents()}


@pytest.mark.parametrize("query", ["terraform azure rollback", "Drucker leer", "zxqv plugh"])
def test_a_query_that_no_page_is_about_says_so(reader: Reader, own: Site, query: str) -> None:
    """With the nearest pages, if there are any, and without their number; one that a page is about has these."""
    page = open_search(reader.open(own.url))
    page.locator(".md-search__input").fill(query)
    expect(page.locator(".md-search-result__meta")).to_have_text(re.compile("^No page here (is about|has) "))
    assert page.locator(".md-search-result__item").count() <= 5
    results(page, "docker multistage")
    expect(page.locator(".md-search-result__meta")).to_have_text(re.compile("^[0-9]+ matching documents$"))


def test_a_word_that_is_on_no_page_leads_to_the_lists(reader: Reader, own: Site) -> None:
    """Of pages, messages and terms, in which a reader may find another word; nothing is added to it."""
    found = results(page := open_search(reader.open(own.url)), "flurbelwurz quonkify")
    assert found == ["reading/", "INDEX/", "messages/", "glossary/"]
    expect(page.locator(".md-search-result__meta")).to_have_text(
        "No page here has flurbelwurz quonkify. Try other words, or look here:"
    )
    first = page.locator(".md-search-result__item").first
    assert "flurbelwurz" not in first.inner_text()
    expect(page.locator(".md-search__suggest")).to_have_text("")


@pytest.mark.parametrize(("query", "word"), [("colossalai zero offload", "colossalai"), ("rocm hipify", "hipify")])
def test_a_name_that_no_page_has_is_said(reader: Reader, own: Site, query: str, word: str) -> None:
    """The sentence stands above the nearest pages to the other words, few, and without their number."""
    page = open_search(reader.open(own.url))
    assert 0 < len(results(page, query)) <= 5
    expect(page.locator(".md-search-result__meta")).to_have_text(f"No page has {word}. The nearest to the other words:")
    expect(page.locator(".pb-no-word")).to_be_hidden()
    results(page, "do i need a gradscaler wiht bfloat16")
    expect(page.locator(".pb-no-word")).to_have_count(0)


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("nvidia-smi CUDA version differs from nvcc", "cuda/48-cuda-driver"),
        ("FailedScheduling Insufficient nvidia.com/gpu", "glossary/"),
        ("0/3 nodes are available: 3 Insufficient nvidia.com/gpu.", "cuda/15-production"),
    ],
)
def test_common_trouble_is_among_the_first(reader: Reader, own: Site, query: str, place: str) -> None:
    """By the words in which people ask, which the pages do not use."""
    found = results(open_search(reader.open(own.url)), query)[:3]
    assert any(path.startswith(place) for path in found), found


def test_an_example_of_the_guide_is_below_the_subject(reader: Reader, own: Site) -> None:
    """Its page on NCCL comes first only where no other explains a name."""
    page, example = open_search(reader.open(own.url)), "guide/nccl-by-llm/"
    for query in ("NCCL", "NCCL environment variables", "nccl hang"):
        assert example not in results(page, query)[:3], query
    assert results(page, "NCCL_IB_TIMEOUT")[0] == example


def test_diagrams_are_not_text_that_is_found(own: Site) -> None:
    """The language of their labels and arrows is none that a reader types."""
    texts = [path.read_text("utf-8") for path in (own.folder / "search" / "text").glob("*.js")]
    drawn = [text for text in texts if "flowchart TD" in text and "```mermaid" not in text]
    assert len(texts) > 10
    assert drawn == []


def test_nothing_is_found_for_marks_alone(reader: Reader, own: Site) -> None:
    """A query without a word says that nothing was found."""
    page = open_search(reader.open(own.url))
    page.locator(".md-search__input").fill("--- ?")
    page.locator(".md-search__input").press("End")
    expect(page.locator(".md-search-result__meta")).to_have_text("No matching documents")


def test_what_a_page_says_of_itself_is_not_found(own: Site) -> None:
    """Neither states, filters, links, logs of runs, lists of sources nor commands are in the index."""
    texts = "".join(path.read_text("utf-8") for path in (own.folder / "search" / "text").glob("*.js"))
    runs = (
        "KNOWLEDGE DROP: report of the run",
        "PARTs planned and done over time",
        "Planned pages: ",
        "Filter by state",
    )
    pages = (
        "back to citation",
        "The plan keeps this page for reference",
        "Pages by number of incoming links",
        "Linked from",
        "Let Planbook research and write it",
    )
    for boilerplate in runs + pages:
        assert boilerplate not in texts, boilerplate


def test_enter_opens_the_section(reader: Reader, own: Site) -> None:
    """That with the words, unless the page is about them."""
    section, whole = r"/guide/expand/\?h=journal.jsonl#the-working-folder$", r"/guide/many-machines/\?h=[^#]*$"
    for query, address in {"journal.jsonl": section, "many machines": whole}.items():
        page = open_search(reader.open(own.url))
        results(page, query)
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile(address))


def test_a_term_is_found_in_the_glossary(reader: Reader, own: Site) -> None:
    """It is, if the query asks for its meaning."""
    page = open_search(reader.open(own.url))
    found = [results(page, query)[0] for query in ("what is a warp", "Fat binaries meaning?", "torch.mean")]
    assert [path == "glossary/" for path in found] == [True, True, False]


@pytest.mark.parametrize(("query", "most"), [("warp", 1), ("occupancy", 1), ("fat binary", 2), ("PTX", 3)])
def test_a_bare_term_finds_its_entry(reader: Reader, own: Site, query: str, most: int) -> None:
    """The glossary is among the first, before pages that only have the word."""
    assert "glossary/" in results(open_search(reader.open(own.url)), query)[:most]


@pytest.mark.parametrize("query", ["shared memory", "log", "docker cache"])
def test_the_subject_comes_before_what_is_beside_it(reader: Reader, own: Site, query: str) -> None:
    """Pages of the Guide and decisions, whose tab has no planned page, do not stand among the first."""
    found = results(open_search(reader.open(own.url)), query)[:5]
    assert len(found) == 5
    assert [path for path in found if path.startswith(("guide/", "decisions/"))] == []


def test_what_is_beside_the_subject_is_found(reader: Reader, own: Site) -> None:
    """First, where it is much better, and Enter opens it."""
    page = open_search(reader.open(own.url))
    assert results(page, "planbook verify")[0].startswith("guide/")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/guide/"))


def test_ctrl_k_opens_the_search_and_escape_leads_back(reader: Reader, own: Site) -> None:
    """As Cmd+K does, also on the page that was found. Letters do nothing. Until a word is typed, nothing is dimmed."""
    page = reader.open(f"{own.url}INDEX/")
    shade, link = page.locator(".md-search__overlay"), page.locator("article li a").nth(2)
    link.focus()
    page.keyboard.type("sfnp,.")
    expect(link).to_be_focused()
    page.keyboard.press("Control+k")
    expect(page.locator(".md-search__input")).to_be_focused()
    expect(shade).to_have_css("opacity", "0")
    page.keyboard.type("docker")
    expect(shade).to_have_css("opacity", "1")
    expect(page.get_by_role("status").filter(has_text=re.compile("^[0-9]+ matching"))).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    expect(link).to_be_focused()
    page.keyboard.press("Meta+k")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("h=docker"))
    page.keyboard.press("Meta+k")
    expect(page.locator("#__search")).to_be_checked()


def test_search_suggests_how_a_word_goes_on(reader: Reader, own: Site) -> None:
    """While one types, the rest of a word is suggested, and the right arrow key takes it."""
    page = open_search(reader.open(own.url))
    page.keyboard.type("profil")
    expect(page.locator(".md-search__suggest")).to_have_text(re.compile(r"^profil\w+"))
    page.keyboard.press("ArrowRight")
    expect(page.locator(".md-search__input")).to_have_value(re.compile(r"^profil\w+"))


def test_nothing_is_added_to_a_message(reader: Reader, own: Site) -> None:
    """A whole word behind others gets nothing, either: "an illegal memory" went on as "memory_format"."""
    page = open_search(reader.open(own.url))
    for query in ("an illegal memory", "CUDA error: an illegal memory access", "docker stage"):
        results(page, query)
        expect(page.locator(".md-search__suggest")).to_have_text("")
    results(page, "docker multista")
    expect(page.locator(".md-search__suggest")).to_have_text("docker multistage")


def test_nothing_is_suggested_in_a_narrow_field(reader: Reader, own: Site) -> None:
    """A message longer than the field scrolls in it; the suggestion behind it would stay, and both be illegible."""
    page = reader.open(own.url, 390)
    page.locator("label[for=__search]").first.click()
    page.locator("[data-md-component=search-query]").fill("Failed to initialize NVML: Unknown Error")
    expect(page.locator(".md-search-result__item").first).to_be_visible()
    expect(page.locator(".md-search__suggest")).to_be_hidden()


@pytest.mark.parametrize("width", [1280, pytest.param(390, marks=pytest.mark.nightly)])
def test_pasted_text_is_searched_and_enter_opens_the_section(reader: Reader, own: Site, width: int) -> None:
    """Without any key but Enter, which leads to the words themselves; a page that has them itself opens at its top."""
    page = reader.open(own.url, width)
    if width < 960:
        page.locator("label[for=__search]").first.click()
    field = page.locator("[data-md-component=search-query]")
    field.fill("unspecified launch failure")  # like a paste with the mouse: no key is pressed
    first = page.locator(".md-search-result__item").first
    expect(first.locator(".pb-card")).to_be_visible()
    section = first.locator("> a").nth(1).get_attribute("href")
    field.press("Enter")
    expect(page).to_have_url(str(section))
    assert "#" in str(section)


PASTED = Path(__file__).with_name("pasted-messages.txt")


def cards(page: Page, query: str) -> list[str]:
    """The addresses of the tables that the cards of a query lead to, relative to the site."""
    results(page, query)
    found = page.locator(".md-search-result__item:has(.pb-card) > a:has(.pb-card)")
    links = found.evaluate_all("links => links.map(link => new URL(link.href)).map(url => url.pathname + url.hash)")
    return [link.lstrip("/") for link in links]


def test_a_pasted_message_finds_its_card(reader: Reader, own: Site) -> None:
    """First, whatever stands around it in a log; also by a part, and with other paths, addresses and numbers."""
    lines = [line for line in PASTED.read_text("utf-8").splitlines() if line and not line.startswith("# ")]
    asked = [line.rpartition(" = ")[::2] for line in lines]
    page = open_search(reader.open(own.url))
    wrong = {query: found for query, right in asked if not (found := cards(page, query)) or right not in found[0]}
    assert len(asked) > 20
    assert wrong == {}


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("NCCL timeout", "cuda/23-distributed-hangs-and-timeouts/#messages-ranks"),
        ("driver mismatch", "cuda/22-nccl-hangs-and-faults/#messages-nccl"),
        ("CUDA error: an illegal memory", "cuda/12-kernel-debugging-internals-expert/#messages-fault"),
        ("cudaErrorIllegalAddress", "cuda/12-kernel-debugging-internals-expert/#messages-fault"),
        ("CUDA_ERROR_ILLEGAL_ADDRESS", "cuda/12-kernel-debugging-internals-expert/#messages-fault"),
        (
            "cudaDeviceSynchronize returned cudaErrorIllegalAddress(CUresult=700)",
            "cuda/12-kernel-debugging-internals-expert/#messages-fault",
        ),
    ],
)
def test_two_words_of_trouble_find_a_card(reader: Reader, own: Site, query: str, place: str) -> None:
    """If few messages have both; so does the beginning of a message with what stands before it."""
    assert cards(open_search(reader.open(own.url)), query)[0].startswith(place)


def test_a_card_says_what_to_do_and_when_that_was_checked(reader: Reader, own: Site) -> None:
    """With the meaning first, and the versions below; Enter opens the table, with the message marked."""
    page = open_search(reader.open(own.url))
    assert cards(page, "[rank1]: Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 3b000")
    card = page.locator(".md-search-result__item").first
    expect(card.locator("dt").first).to_have_text("It means")
    expect(card.locator("dd").filter(has_text="set_device")).to_be_visible()
    expect(card.locator(".pb-card-foot")).to_have_text(
        re.compile("^Versions: PyTorch .* · Sources checked .*20[0-9]{2}$")
    )
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/cuda/23-distributed-hangs-and-timeouts/.*#messages-ranks"))
    expect(page.locator("article mark").first).to_be_attached()


def test_a_card_keeps_the_lines_of_its_cell(reader: Reader, own: Site) -> None:
    """Where a cell has a break, "ausearch -m avc" and "Fix" are not one word."""
    page = open_search(reader.open(own.url))
    assert cards(page, "Failed to initialize NVML: Insufficient Permissions")
    fix = page.locator(".pb-card dd", has_text="ausearch").first
    assert "ausearch -m avc\nFix: SELinux" in fix.inner_text()


def test_one_error_has_one_card(reader: Reader, own: Site) -> None:
    """Of three pages that explain it, one has the card, and below it stand links to the others, each once."""
    page = open_search(reader.open(own.url))
    message = "RuntimeError: CUDA error: an illegal memory access was encountered"
    assert len(cards(page, message)) == 1
    others = page.locator(".md-search-result__item:has(.pb-card) .pb-card-also")
    expect(others).to_contain_text(["Also explained in GPUs in production"])
    others.first.click()
    expect(page.locator("tr:target")).to_contain_text("illegal memory access")


def test_a_term_is_explained_by_its_own_entry(reader: Reader, own: Site) -> None:
    """The words around the term stand in the entries of others, too."""
    page = open_search(reader.open(own.url))
    assert results(page, "warp")[0] == "glossary/"
    first = page.locator(".md-search-result__item").first
    expect(first.locator("p")).to_have_text("Warp 32 threads that are scheduled together (Tensor Cores).")


@pytest.mark.parametrize("width", [1280, 390])
def test_a_card_leads_to_its_row(reader: Reader, own: Site, width: int) -> None:
    """Below the header, in sight, also of a table of many rows, and where wide tables are lists."""
    messages = {
        "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:3384, unhandled cuda error. "
        "Cuda failure 2 'out of memory'": "out of memory",
        "RuntimeError: unable to allocate shared memory(shm) for file </torch_1_2>: No space left on device": "shm",
    }
    for message, text in messages.items():
        page = reader.open(own.url, width)
        page.wait_for_function("document.readyState === 'complete'")
        if width == 390:
            page.locator(".md-header__button[for=__search]").click()
        else:
            open_search(page)
        assert cards(page, message)
        first_line = page.locator(".pb-card-of").first.bounding_box()
        assert first_line is not None
        page.mouse.click(first_line["x"] + 5, first_line["y"] + 5)
        row = page.locator("tr:target")
        expect(row).to_contain_text(text)
        header = page.locator(".md-header").bounding_box()
        assert header is not None
        page.wait_for_function(
            "bottom => { const top = document.querySelector('tr:target')?.getBoundingClientRect().top;"
            " return top >= bottom && top < 400; }",
            arg=header["y"] + header["height"],
        )


@pytest.mark.parametrize(
    "query",
    [
        *("docker multistage cuda", "why does nccl hang at the start", "CUDA error", "TORCH_CUDA_ARCH_LIST"),
        *(
            "forward compatibility meaning cuda",
            "shared memory",
            "compiling pytorch runs out of memory at flash attention",
        ),
    ],
)
def test_a_question_finds_no_card(reader: Reader, own: Site, query: str) -> None:
    """Neither do names and a few words that many messages have."""
    assert cards(open_search(reader.open(own.url)), query) == []


def test_only_what_a_query_needs_is_loaded(browser: Browser, own: Site) -> None:
    """Nothing before a reader types; then the list of pages, words that begin alike, and the text of what is shown."""
    page = browser.new_page()
    loaded: list[str] = []
    page.context.on("request", lambda request: loaded.append(request.url.removeprefix(own.url).partition("?")[0]))
    page.goto(own.url)
    page.wait_for_load_state("networkidle")
    assert [path for path in loaded if path.startswith("search/")] == ["search/search_index.json"]
    assert (own.folder / "search" / "search_index.json").stat().st_size < 1_000
    open_search(page)
    assert results(page, "nvidia-smi driver")
    # Material adds the items to the page in parts, as a reader scrolls; its message counts them all.
    said = page.locator(".md-search-result__meta")
    expect(said).to_have_text(re.compile("^[0-9]+ matching documents$"))
    found = int(said.inner_text().split()[0])
    texts = [path for path in loaded if path.startswith("search/text/")]
    words = [path for path in loaded if path.startswith("search/words/")]
    assert len(texts) == found <= 20
    assert 0 < len(words) < len(list((own.folder / "search" / "words").iterdir())) / 4
    assert len(texts + words) == len({*texts, *words})
    page.close()


@pytest.mark.parametrize("key", ["Control+k", "/"])
def test_keys_before_the_scripts_are_there_are_not_lost(reader: Reader, own: Site, key: str) -> None:
    """On a slow line, the search opens with what was typed, and finds it."""
    page, held = reader.page(), list[Route]()

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/bundle.*.js", hold)
    page.goto(own.url, wait_until="commit")
    expect(page.locator("article h1")).to_be_visible()
    page.wait_for_timeout(300)
    assert held, "the script was not asked for"
    page.keyboard.press(key)
    page.keyboard.type("nvidia-smi")
    expect(page.locator("[data-md-component=search-query]")).to_have_value("nvidia-smi")
    for route in held:
        route.continue_()
    expect(page.locator(".md-search-result__item mark").first).to_be_visible()
    expect(page.locator("[data-md-component=search-query]")).to_have_value("nvidia-smi")


IN_GERMAN = {
    "Unterschied DDP und FSDP": "cuda/25-ddp-fsdp2-memory-and-speed/",
    "torch.compile ist langsam beim ersten Aufruf": "cuda/06-pytorch-jit-torch-compile/",
    "Was ist der Unterschied zwischen DDP und FSDP2": "cuda/25-ddp-fsdp2-memory-and-speed/",
}


@pytest.mark.parametrize("query", IN_GERMAN)
def test_a_question_in_german_is_about_its_names(reader: Reader, own: Site, query: str) -> None:
    """Words that German asks with are not looked for: the page about the names is one of the first two."""
    page = open_search(reader.open(own.url))
    page.locator(".md-search__input").fill(query)
    first = page.locator(f".md-search-result__item:nth-child(-n + 2) a[href*='{IN_GERMAN[query]}']")
    expect(first.first).to_be_visible()
    expect(page.locator(".pb-no-word")).to_have_count(0)


def test_a_number_is_not_corrected(reader: Reader, own: Site) -> None:
    """A process id, or `collect2`, is what it is, and no slip for another word that pages have."""
    page = open_search(reader.open(own.url))
    page.locator(".md-search__input").fill(
        "==12345== ERROR: collect2: error: ld returned 1 exit status ERR_NVGPUCTRPERM"
    )
    expect(page.locator(".md-search-result__item").first).to_be_visible()
    expect(page.get_by_text("Results for")).to_have_count(0)


def test_a_result_shows_the_tags_that_match(reader: Reader, own: Site) -> None:
    """The others would take a line of each result on a phone."""
    page = reader.open(own.url, 390)
    page.locator("button.pb-open-search").click()
    page.keyboard.type("docker cache")
    tags = page.locator(".md-search-result .md-tag").filter(visible=True)
    expect(tags.first).to_be_visible()
    assert {text.lower() for text in tags.all_inner_texts()} == {"docker"}
