"""INDEX.md and SKILL.md of the repository."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.library import Library, link_tree
from planbook.markdown.front_matter import split_front_matter
from planbook.model import Tree
from planbook.views.folders import folder_indexes
from planbook.views.skill import is_made, repository_index, skill, skill_name

PLAN = """# Tea

## PART 1: Create tea/01-water.md (120 lines)

- [✓] PART 1: Create tea/01-water.md

## PART 2: Create tea/02-time.md (100-120 lines)

- [ ] PART 2: Create tea/02-time.md

**Goal**: How <b>long</b> | to steep

## PART 3: Create tea/03-cups.md

- [✓] PART 3: Create tea/03-cups.md
"""


def library(pages: Sequence[str] = ("tea/01-water.md", "about.md", "INDEX.md")) -> Library:
    """One plan, with one page written and one page besides."""
    made = {uri: f"# Page {uri}\n\nThis page is about *{uri}*.\n".encode() for uri in pages}
    return link_tree(Tree({"plans/tea.md": PLAN.encode()}, {}, made))


def test_the_index_stands_in_no_index() -> None:
    """One that was made before changes nothing, so that a second run gives the same bytes."""
    without = library(["tea/01-water.md"])
    once = repository_index(without, folder_indexes(without))
    again = link_tree(
        Tree({"plans/tea.md": PLAN.encode()}, {}, {"tea/01-water.md": without_page(), "INDEX.md": once.encode()})
    )
    assert repository_index(again, folder_indexes(again)) == once
    assert again.linked().edges == ()


def without_page() -> bytes:
    """The one page of the base above."""
    return b"# Page tea/01-water.md\n\nThis page is about *tea/01-water.md*.\n"


def test_an_empty_base_says_so() -> None:
    """INDEX says that there are no pages, and the skill has no table of folders."""
    empty = link_tree(Tree({}, {}, {}))
    assert "There are no pages yet." in repository_index(empty, folder_indexes(empty))
    assert "## Folders" not in skill(empty, folder_indexes(empty), "Tea", "", "docs")


def test_the_skill_says_what_when_and_how() -> None:
    """Name and description by the specification; where the INDEX is; the folders with their pages."""
    found = library()
    text = skill(found, folder_indexes(found), "Tea & more", "All about tea.", "pages")
    meta, body = split_front_matter(text)
    assert meta == {
        "name": "tea-more",
        "description": "All about tea. 2 pages with cited sources on tea. Use for questions on these subjects "
        "before searching elsewhere, and when adding a page.",
        "metadata": {"made-by": "planbook index"},
    }
    assert body.startswith("# Tea & more\n\nAll about tea.\n")
    assert "Read `pages/INDEX.md`" in body
    assert body.endswith("## Folders\n\n- `pages/tea/`: 1 of 3 planned pages is written.")


@given(st.text(), st.text(max_size=3_000))
def test_name_and_description_are_always_valid(title: str, about: str) -> None:
    """They are valid whatever the site is called and says of itself."""
    found = library()
    text = skill(found, folder_indexes(found), title, about, "docs")
    meta = split_front_matter(text)[0]
    assert 0 < len(str(meta["name"])) <= 64
    assert 0 < len(str(meta["description"]).strip()) <= 1_024
    assert is_made(text)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", skill_name(title))


@pytest.mark.parametrize("text", ["", "# Tea\n", "---\nname: tea\n---\n", "---\n: [\n---\n", "---\nmetadata: x\n---\n"])
def test_what_someone_else_wrote_is_known(text: str) -> None:
    """Only what names its maker was made here."""
    assert not is_made(text)
