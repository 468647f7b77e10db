"""The INDEX of the whole base: what it calls pages, and its size for a large base."""

from __future__ import annotations

import re

import markdown
import pytest

from generator.library import Library, link_tree
from generator.model import Tree
from generator.views.index import MOST_DETAILED, MOST_LISTED, folder_indexes, index_page
from generator.views.skill import repository_index

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


def index_of(library: Library, *, is_plain: bool = False) -> str:
    """The Markdown of its INDEX."""
    return index_page(library, folder_indexes(library), is_plain=is_plain)


def sections(text: str) -> dict[str, str]:
    """The text below each heading of level two."""
    found = re.split(r"(?m)^## (.*)$", text)
    return dict(zip(found[1::2], found[2::2], strict=True))


def test_pages_are_called_what_they_are() -> None:
    """A disabled page is not open, and a skipped one is neither."""
    library = base(8, "✓ -D")
    found = sections(index_of(library))
    assert list(found) == ["Written pages", "Open pages", "Skipped pages", "Disabled pages"]
    listed = {title: re.findall(r"/(\d{4})-page.md\)", text) for title, text in found.items()}
    assert listed["Written pages"] == ["0000", "0004"]
    assert listed["Open pages"] == ["0001", "0005"]
    assert listed["Skipped pages"] == ["0002", "0006"]
    assert listed["Disabled pages"] == ["0003", "0007"]
    in_repository = sections(repository_index(library, folder_indexes(library)))
    assert list(in_repository) == list(found)


@pytest.mark.parametrize("pages", [MOST_DETAILED, MOST_DETAILED + 1, 1_300, MOST_LISTED, MOST_LISTED + 1, 4_000])
def test_the_index_of_a_large_base_is_small(pages: int) -> None:
    """At most 10,000 elements together with a page's frame, for its headings are in the table of contents."""
    html = markdown.markdown(index_of(base(pages)), extensions=["tables"])
    assert len(re.findall("<[a-z]", html)) + 4 * len(re.findall("<h[23]", html)) < MOST_ELEMENTS - 1_000


def test_a_large_index_lists_titles() -> None:
    """Each page is a link, without its description and size."""
    text = index_of(base(MOST_DETAILED + 1))
    assert len(set(re.findall(r"\]\((\S*-page\.md)\)", text))) == MOST_DETAILED + 1
    assert "This describes" not in text
    assert len(markdown.markdown(index_of(base(MOST_LISTED)), extensions=["tables"]).encode()) < 200_000
    assert "| Page |" not in text


def test_a_very_large_index_lists_folders_and_plans() -> None:
    """Each with its number of pages and a link to them."""
    text = index_of(base(MOST_LISTED + 1, "✓✓ "))
    assert "-page.md" not in text
    assert text.count("/index.md): ") == FOLDERS
    assert text.count("](progress.md#plan-plan-") == 20
    assert sum(int(n.replace(",", "")) for n in re.findall(r"\): ([\d,]+) page", text)) == MOST_LISTED + 1


def test_files_for_programs_list_every_page() -> None:
    """However large the base is."""
    library = base(MOST_LISTED + 1)
    for text in (index_of(library, is_plain=True), repository_index(library, folder_indexes(library))):
        assert len(set(re.findall(r"folder-\d+/\d{4}-page\.md", text))) == MOST_LISTED + 1
