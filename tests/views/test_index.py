"""The INDEX of the whole base: what it calls pages, and its size for a large base."""

from __future__ import annotations

import re

import markdown
import pytest
from markupsafe import escape

from planbook.library import Library, link_tree
from planbook.model import Tree
from planbook.views.index import base_index, fill_home, folder_index, folder_indexes, repository_index, with_tree

MOST_ELEMENTS = 10_000
FOLDERS = 125


def base(pages: int, marks: str = "✓ ") -> Library:
    """A base with as many PARTs, in turn with each of the marks; those marked as done are written."""
    written, parts = {}, []
    for n in range(pages):
        mark, uri = marks[n % len(marks)], f"folder-{n % FOLDERS}/{n:04}-page.md"
        state, box = (" (DISABLED)", " ") if mark == "D" else ("", mark)
        parts.append(f"## PART {n + 1}: Create {uri} (100 lines){state}\n\n- [{box}] PART {n + 1}: Create {uri}\n")
        if mark == "✓":
            written[uri] = f"# The page number {n}\n\nThis describes what the page number {n} has.\n".encode()
    plans = {
        f"plans/plan-{k}.md": (f"# Plan number {k}\n\n---\n\n" + "\n".join(parts[k::20])).encode() for k in range(20)
    }
    return link_tree(Tree(plans, {}, written))


def index_of(library: Library) -> str:
    """The Markdown of its INDEX."""
    return base_index(library, folder_indexes(library))


def sections(text: str) -> dict[str, str]:
    """The text below each heading of level two."""
    found = re.split(r"(?m)^## (.*)$", text)
    return dict(zip(found[1::2], found[2::2], strict=True))


def test_pages_are_called_what_they_are() -> None:
    """A disabled page is not open, and a skipped one is neither."""
    library = base(8, "✓ -D")
    found = sections(index_of(library))
    assert list(found) == ["Written pages", "Open pages", "Skipped pages", "Pages left out"]
    listed = {title: re.findall(r"/(\d{4})-page.md\)", text) for title, text in found.items()}
    assert listed["Written pages"] == ["0000", "0004"]
    assert listed["Open pages"] == ["0001", "0005"]
    assert listed["Skipped pages"] == ["0002", "0006"]
    assert listed["Pages left out"] == ["0003", "0007"]
    in_repository = sections(repository_index(library, folder_indexes(library)))
    assert list(in_repository) == list(found)


@pytest.mark.parametrize("pages", [1_300, 4_000])
def test_the_index_of_a_large_base_is_small(pages: int) -> None:
    """At most 10,000 elements together with a page's frame, for its headings are in the table of contents."""
    html = markdown.markdown(index_of(base(pages)))
    assert len(re.findall("<[a-z]", html)) + 4 * len(re.findall("<h[23]", html)) < MOST_ELEMENTS - 1_000


def test_every_page_is_listed() -> None:
    """However large the base is, on the site and for programs, with description and length if it is written."""
    library = base(1_300)
    for text in (index_of(library), repository_index(library, folder_indexes(library))):
        assert len(set(re.findall(r"folder-\d+/\d{4}-page\.md", text))) == 1_300
        assert (
            "\n- [The page number 0](folder-0/0000-page.md) (1 min): This describes what the page number 0 has.\n"
            in text
        )


# --- the home page and the INDEX of a folder ---------------------------------------------------------------------


PLACES = {"New": "newest", "Next": "next", "Why": "trust"}
HOME = "# Home\n" + "".join(f"\n## {title}\n\n<!-- planbook:{name} -->\n" for title, name in PLACES.items())


def two_plans(pages: int, *days: str, title: str = "Rye & <b>oats</b>") -> Library:
    """A base with this number of pages in `grain`, from two plans; all are written, those of each plan on one day."""
    plans: dict[str, bytes] = {}
    for n, name in enumerate((title, "Wheat")):
        numbers = range(n * (pages // 2), (n + 1) * (pages // 2))
        day = days[n] if days else "2026-11-20"
        parts = "".join(
            f"\n## PART {i}: A\n\n- [✓] PART {i}: Create grain/{i:02}.md (Completed {day})\n" for i in numbers
        )
        plans[f"plans/{n}.md"] = f"# {name}\n{parts}".encode()
    texts = {f"grain/{i:02}.md": f"# Page {i}\n\nAbout {i}.\n\n## One\n\n## Two\n".encode() for i in range(pages)}
    return link_tree(Tree(plans, {}, texts))


def test_the_newest_pages_come_first() -> None:
    """Five, each with its day and description, and a link to all of them."""
    home = fill_home(HOME, two_plans(12, "2026-11-20", "2026-11-22"), lambda: "Checked.\n")
    assert "- [Page 6](grain/06.md), 22\xa0Nov\xa02026 – About 6.\n- [Page 7](grain/07.md)" in home
    assert home.count("22\xa0Nov\xa02026") == 5
    assert "- [All 12 written pages by folder](INDEX.md#written-pages)" in home
    single = Tree(
        {"plans/x.md": b"# X\n\n## PART 1: A\n\n- [ ] PART 1: Create a/1.md\n"}, {}, {"a/1.md": b"# A\n\nB c.\n"}
    )
    assert "- [A](a/1.md) – B c.\n" in fill_home(HOME, link_tree(single), str)


def test_an_empty_part_of_the_home_page_has_no_heading() -> None:
    """The author's heading above it goes, and no other."""
    home = fill_home(HOME, two_plans(12), lambda: "Checked.\n")
    assert re.findall("^#+ .*", home, re.MULTILINE) == ["# Home", "## New", "## Why"]
    assert "planbook:" not in home
    assert fill_home("# Home\n", two_plans(2), str) == "# Home\n"


def test_a_long_folder_is_grouped_by_plan() -> None:
    """In its INDEX, with descriptions, and in the navigation; a short one is not, nor one with a single plan."""
    library = two_plans(12)
    folders = folder_indexes(library)
    text = folder_index(library, folders[0], [])
    assert re.findall("^## .*", text, re.MULTILINE) == ["## Rye & &lt;b&gt;oats&lt;/b&gt;", "## Wheat"]
    assert "**[Page 0](00.md)**  \nAbout 0.\n" in text
    (grain,) = [entry for entry in with_tree(None, folders) if isinstance(entry, dict)]
    index, *groups = grain["Grain"]
    assert index == "grain/index.md"
    assert groups == [
        {"Rye &amp; &lt;b&gt;oats&lt;/b&gt;": [f"grain/{i:02}.md" for i in range(6)]},
        {"Wheat": [f"grain/{i:02}.md" for i in range(6, 12)]},
    ]
    assert folder_indexes(two_plans(8))[0].groups == ()
    assert folder_indexes(two_plans(12, title="Wheat"))[0].groups == ()


@pytest.mark.parametrize(
    ("pages", "titles", "expected"),
    [
        ({}, {}, "Rye bread"),
        ({"rye-bread/index.md": b"# Bread of rye\n"}, {}, "Bread of rye"),
        ({"rye-bread/README.md": b"---\ntitle: Rye\n---\n\ntext\n"}, {"rye-bread": "Rye & oats"}, "Rye & oats"),
        ({}, {"wheat": "Wheat"}, "Rye bread"),
    ],
    ids=["as MkDocs shows its name", "its own page's", "the configured one first", "of another folder"],
)
def test_a_folder_has_a_title_for_readers(pages: dict[str, bytes], titles: dict[str, str], expected: str) -> None:
    """In the navigation and INDEX: as configured, that of its own page, or a name that reads like a title."""
    library = link_tree(Tree({}, {}, {"rye-bread/flour.md": b"# Flour\n", **pages}))
    (folder,) = [each for each in folder_indexes(library, titles=titles.items()) if each.path]
    assert folder.title == expected
    (section,) = [entry for entry in with_tree(None, [folder]) if isinstance(entry, dict)]
    assert list(section) == [str(escape(expected))]


def test_a_name_with_capitals_stays() -> None:
    """As MkDocs leaves it."""
    pages = {f"{name}/a.md": b"# A\n" for name in ("CUDA_basics", "c", "PyTorch")}
    assert [each.title for each in folder_indexes(link_tree(Tree({}, {}, pages))) if each.path] == [
        "C",
        "CUDA basics",
        "PyTorch",
    ]
