"""The INDEX of the whole base: what it calls pages, and its size for a large base."""

from __future__ import annotations

import re

import markdown
import pytest

from planbook.library import Library, link_tree
from planbook.model import Tree
from planbook.views.folders import folder_indexes
from planbook.views.index import base_index
from planbook.views.skill import repository_index

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


def test_a_long_list_of_pages_has_headings() -> None:
    """Those of the plans, in a folder with more pages than one list may have; each page is there once."""
    parts = "\n".join(f"## PART {n}: Create a/{n}-x.md\n\n- [✓] PART {n}: Create a/{n}-x.md\n" for n in range(1, 6))
    plans = {
        "plans/one.md": f"# Rye: of the field\n\n{parts}".encode(),
        "plans/two.md": f"# Oats\n\n{parts.replace('a/', 'a/1')}".encode(),
    }
    pages = {f"a/{k}{n}-x.md": b"# X\n" for k in ("", "1") for n in range(1, 6)}
    text = index_of(link_tree(Tree(plans, {}, {**pages, "a/99-y.md": b"# Y\n"})))
    assert re.findall(r"(?m)^### (.*)$", text) == ["Rye", "Oats", "Other pages"]
    assert len(re.findall(r"(?m)^- \[", text)) == 11


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
