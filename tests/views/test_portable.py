"""The base as plain Markdown: citations, links, front matter, and a golden tree."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from pathlib import Path

import pyromark
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.cli.materialize import tree_files
from planbook.library import RESERVED_URIS, TOP_PAGES, link_tree
from planbook.markdown.escape import CONTROL_CHARACTERS
from planbook.markdown.front_matter import split_front_matter
from planbook.model import Reference, Tree
from planbook.store import read_settings
from planbook.views.frame import Site
from planbook.views.portable import Form, move_links, numbered_text, places, portable_tree
from tests.conftest import ROOT
from tests.plugin.cited import cited_site

GOLDEN = ROOT / "tests" / "golden" / "portable"
SHOWN = (
    *("bread/12-oats.md", "bread/13-barley.md", "bread/19-sourdough.md", "bread/20-broken.md", "harm/10-odd.md"),
    *("index.md", "old/index.md", "tools/index.md"),
    *RESERVED_URIS,
)


def test_the_tree_is_what_was_reviewed(tmp_path: Path, golden: Callable[[Path, str], None]) -> None:
    """A page of each kind is the same to the letter."""
    files = tree_files(read_settings(cited_site(tmp_path / "project")))
    for uri in SHOWN:
        golden(GOLDEN / uri, files[uri].decode("utf-8"))


@pytest.fixture(scope="module")
def full_tree() -> dict[str, str]:
    """The tree of a base that has every page of the table, also those that are made if there is need."""
    plan = b"# P\n\n## PART 1: Create a/1-x.md\n\n## PART 2: Create a/2-y.md\n"
    page = (
        b"# X\n\n| Message { .messages } | Meaning { .meaning } |\n| --- | --- |\n| `rye: no flour` | none is left |\n"
    )
    library = link_tree(Tree({"plans/p.md": plan}, {}, {"a/1-x.md": page}))
    site = Site("S", lists_tags=True)
    return portable_tree(library, {"a/1-x.md": page.decode()}, frozenset(), site, Form("index.md"))


@pytest.mark.parametrize("uri", [page.uri for page in TOP_PAGES])
def test_a_generated_page_has_no_html(full_tree: dict[str, str], uri: str) -> None:
    """A view that returns HTML for the site has another form for the tree, where an engine may show tags as text."""
    assert re.findall(r"</\w+>", full_tree[uri]) == []


# --- links -------------------------------------------------------------------------------------------------------

PLACE = places(["index.md", "INDEX.md", "a/README.md", "a/b.md", "a/c d.md", "x/index.md", "x/y.md"], "_index.md")

LINKS = [
    ("[b](b.md)", "[b](b.md)"),
    ("[b](a/b.md)", "[b](b.md)"),
    ("[b](/a/b.md#x)", "[b](b.md#x)"),
    ("[b](./b.md?q=1#x)", "[b](./b.md?q=1#x)"),
    ("[x](../x/index.md)", "[x](../x/_index.md)"),
    ("[x](<../x/index.md> 'index.md')", "[x](<../x/_index.md> 'index.md')"),
    ("[a](README.md) and [a](README.md)", "[a](_index.md) and [a](_index.md)"),
    ("[home](../index.md), [all](../INDEX.md)", "[home](../_index.md), [all](../all-pages.md)"),
    ("[c](/a/c%20d.md)", "[c](c%20d.md)"),
    ("[x][x] is\n\n[x]: ../x/index.md 'title'", "[x][x] is\n\n[x]: ../x/_index.md 'title'"),
    ("[x]\n\n[x]: </x/index.md>", "[x]\n\n[x]: <../x/_index.md>"),
    ("`[x](../x/index.md)`", "`[x](../x/index.md)`"),
    ("```\n[x]: ../x/index.md\n```", "```\n[x]: ../x/index.md\n```"),
    ("[x](https://x.example/x/index.md)", "[x](https://x.example/x/index.md)"),
    ("[x](//x.example/x/index.md)", "[x](//x.example/x/index.md)"),
    ("[x](../none.md), [x](../../x.md), ![x](../x.svg)", "[x](../none.md), [x](../../x.md), ![x](../x.svg)"),
    ("é [é](/x/index.md) é", "é [é](../x/_index.md) é"),
]


@pytest.mark.parametrize(("text", "expected"), LINKS)
def test_links_lead_to_where_pages_stand(text: str, expected: str) -> None:
    """From the root, with a slash, to a folder's page by another name; what is right or elsewhere stays."""
    assert move_links(text, "a/b.md", PLACE) == expected


def test_hugo_finds_no_second_index() -> None:
    """Hugo takes a file for a folder's own page however its name is capitalized; the INDEX gets another name there."""
    assert places(["index.md", "INDEX.md"], "_index.md") == {"index.md": "_index.md", "INDEX.md": "all-pages.md"}
    assert places(["index.md", "INDEX.md"], "README.md") == {"index.md": "README.md", "INDEX.md": "INDEX.md"}


NAMES = st.sampled_from(["index.md", "a.md", "x/index.md", "x/README.md", "x/b.md", "x/y/c.md", "y/d.md"])


@given(
    st.sets(NAMES, min_size=1).filter(lambda uris: not {"x/index.md", "x/README.md"} <= uris),
    st.sampled_from(["index.md", "_index.md", "README.md"]),
    st.lists(st.tuples(st.sampled_from(["[a]({})", "[a](/{})", "[a](<{}#b>)", "- [a]({})\n"]), NAMES), max_size=6),
)
def test_every_link_to_a_page_leads_there(uris: set[str], index: str, links: list[tuple[str, str]]) -> None:
    """Whatever the form of a link from the root: it leads to a file of the tree, and a second time stays."""
    place = places(uris, index)
    for uri in uris:
        text = "\n\n".join(form.format(target) for form, target in links if target in uris)
        once = move_links(text, uri, place)
        assert move_links(once, place[uri], {path: path for path in place.values()}) == once
        found = re.findall(r"\]\(<?([^)>#]+)", once)
        folder = Path("/r") / Path(place[uri]).parent
        assert {(folder / link).resolve() for link in found} <= {Path("/r") / path for path in place.values()}


# --- citations ---------------------------------------------------------------------------------------------------

WORKS = (
    Reference("a", "A *work*", "https://a.example/x?(1)", "2026-11-20", quotes=(("q1", "its [words]"),)),
    Reference("b", "B", None, author="Ada, & Co", issued="2024", archive="https://web.example/b"),
    Reference("c", "C", "c.md"),
    Reference("d", "D", "javascript:alert(1)"),
)


def test_citations_are_numbers() -> None:
    """In the order of their first use; a quote's key is not told, another locator is; unknown ids are shown as such."""
    text = "Two [@b], one [@a, q1; @b, p. 3], none [@x], code `[@a]`.\n"
    assert numbered_text(text, WORKS, {"c": "../c.md"}) == (
        "Two [&#91;1&#93;](#references), one [&#91;2; 1, p. 3&#93;](#references), none "
        "[&#91;&#64;x?&#93;](#references), code `[@a]`.\n\n## References\n\n"
        "1. B · Ada, & Co · 2024 · [archived copy](<https://web.example/b>)\n"
        "2. [A \\*work\\*](<https://a.example/x?(1)>) · accessed 2026-11-20\n"
        "    - “its &#91;words\\]” ([Open at this line](<https://a.example/x?(1)#:~:text=its%20%5Bwords%5D>))\n"
        "3. [C](<../c.md>)\n"
        "4. D `javascript:alert(1)`\n"
    )


def test_a_list_of_that_name_stays_the_authors() -> None:
    """The works stand below another heading, and citations lead there."""
    text = numbered_text("One [@b].\n\n## References\n\nMine.", WORKS[1:2], {})
    assert "[&#91;1&#93;](#works-cited)" in text
    assert text.count("## References") == 1
    assert "\n\n## Works cited\n\n1. B" in text


@given(st.text(max_size=30), st.text(max_size=30))
def test_no_title_or_quote_is_markup(title: str, words: str) -> None:
    """Whatever a work is called: its entry is one item of one list, and shows those words."""
    work = Reference("a", title, "https://a.example/", quotes=(("q1", words),))
    body = numbered_text("x", (work,), {}).partition("## References\n\n")[2]
    shown = pyromark.html(body)
    assert shown.count("<ol>") == 1
    assert shown.count("<li>") == 2
    assert "<script" not in shown
    plain = html.unescape(re.sub(r"<[^>]+>", "", shown))
    assert "".join(CONTROL_CHARACTERS.sub("", title).split()) in "".join(plain.split())


# --- front matter ------------------------------------------------------------------------------------------------


def tree(pages: dict[str, str]) -> dict[str, str]:
    """The tree of a base without plans."""
    library = link_tree(Tree({}, {}, {uri: text.encode() for uri, text in pages.items()}))
    return portable_tree(library, pages, frozenset(), Site("Tea"), Form())


HARM = 'x"><img src=y onerror=alert(1)>'


def test_titles_and_descriptions_do_no_harm() -> None:
    """Some engines put them into HTML as they stand; a page without such signs keeps its front matter to the letter."""
    files = tree(
        {
            "a/1.md": f"---\ntitle: '<b>{HARM}'\ndescription: '{HARM}'\n# mine\n---\n\n# A\n",
            "a/2.md": '---\n# mine\ntitle: "A & \\"B\\""\n---\n\n# A\n',
        }
    )
    head = files["a/1.md"].partition("\n---\n")[0]
    assert "<" not in head
    assert 'x"' not in head.partition("description")[2]
    assert files["a/2.md"].startswith('---\n# mine\ntitle: "A & \\"B\\""\n')


FILES = ["# A\n\nText.", "", "\ufeff# A\r\n\r\nText.\r\n", "---\n\n# A\n", "---\na: [\n---\n# A\n"]


@pytest.mark.parametrize("text", FILES)
def test_every_page_has_front_matter_that_engines_read(text: str) -> None:
    """Also where its author wrote none, or none that can be read; lines end in one way."""
    file = tree({"a/1.md": text})["a/1.md"]
    assert file.startswith("---\ntitle: ")
    assert "\r" not in file
    assert "\ufeff" not in file
    assert file.count("# A") == text.count("# A")


PIECES = st.sampled_from(
    [
        *("---\n", "title: x\n", "a: [\n", "references:\n  - {id: a, title: '<'}\n", "\n", "\r\n", "\ufeff", "\t", "é"),
        *("# A\n", "## References\n", "[a](b.md)", "[x]: c/index.md\n", "[@a]", "- [@b, q1]\n", "```\n", "<b>"),
        *("{{< x >}}", "<!-- planbook:state -->"),
    ]
)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_no_page_breaks_the_tree(text: str) -> None:
    """Whatever stands in a page, its file has front matter with a title, and is the same each time."""
    pages = {"index.md": text, "c/b.md": text, "c/d.md": f"---\nplan: x\n---\n\n{text}"}
    files = tree(pages)
    for uri in pages:
        assert split_front_matter(files[uri])[0].get("title") not in (None, "")
    assert tree(pages) == files
