"""Folders of the base: their titles and groups, in the navigation and in their INDEX."""

from __future__ import annotations

import re

import pytest
from markupsafe import escape

from planbook.library import link_tree
from planbook.model import Tree
from planbook.views.folders import folder_indexes
from planbook.views.index import folder_index
from planbook.views.navigation import insert_tree
from tests.views.two_plans import two_plans


def test_a_long_folder_is_grouped_by_plan() -> None:
    """In its INDEX, with descriptions, and in the navigation; a short one is not, nor one with a single plan."""
    library = two_plans(12)
    folders = folder_indexes(library)
    text = folder_index(library, folders[0], [])
    assert re.findall("^## .*", text, re.MULTILINE) == ["## Rye & &lt;b&gt;oats&lt;/b&gt;", "## Wheat"]
    assert "**[Page 0](00.md)**  \nAbout 0.\n" in text
    (grain,) = [entry for entry in insert_tree(None, folders) if isinstance(entry, dict)]
    index, *groups = grain["Grain"]
    assert index == "grain/index.md"
    assert groups == [
        {"Rye &amp; &lt;b&gt;oats&lt;/b&gt;": [f"grain/{i:02}.md" for i in range(6)]},
        {"Wheat": [f"grain/{i:02}.md" for i in range(6, 12)]},
    ]
    assert folder_indexes(two_plans(8))[0].groups == ()
    assert folder_indexes(two_plans(12, title="Wheat"))[0].groups == ()


def plan_of(title: str, folder: str, header: str = "") -> bytes:
    """A plan of five pages."""
    parts = "".join(f"## PART {n}: Create {folder}/{n}.md\n\n- [ ] PART {n}\n\n" for n in range(1, 6))
    return f"# {title}\n\n{header}\n{parts}".encode()


@pytest.mark.parametrize(
    ("title", "header", "expected"),
    [
        ("Rye: what it is, and when to leave it out", "", "Rye"),
        ("Rye: what it is", "**Nav Title**: Rye & oats\n", "Rye &amp; oats"),
        ("Wheat: again", "", "Wheat: again"),
    ],
    ids=["before the colon", "of the header", "whole, as another has the same"],
)
def test_plans_have_short_titles_in_the_navigation(title: str, header: str, expected: str) -> None:
    """A title of four lines leaves no room for others. Pages have that of their front matter."""
    plans = {
        "plans/a.md": plan_of(title, "grain/a", header).replace(b"grain/a/", b"grain/a"),
        "plans/b.md": plan_of("Wheat: and how", "grain/b").replace(b"grain/b/", b"grain/b"),
    }
    pages = {"grain/a1.md": b"---\nnav_title: One & only\n---\n\n# The first page of all\n"}
    library = link_tree(Tree(plans, {}, pages))
    (grain,) = [entry for entry in insert_tree(None, folder_indexes(library)) if isinstance(entry, dict)]
    _, first, _ = grain["Grain"]
    ((name, uris),) = first.items()
    assert name == expected
    assert uris[:2] == [{"One &amp; only": "grain/a1.md"}, "grain/a2.md"]


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
    (section,) = [entry for entry in insert_tree(None, [folder]) if isinstance(entry, dict)]
    assert list(section) == [str(escape(expected))]


def test_a_name_with_capitals_stays() -> None:
    """MkDocs leaves it so, too."""
    pages = {f"{name}/a.md": b"# A\n" for name in ("CUDA_basics", "c", "PyTorch")}
    folders = folder_indexes(link_tree(Tree({}, {}, pages)))
    assert {each.path: each.title for each in folders if each.path} == {
        "CUDA_basics": "CUDA basics",
        "c": "C",
        "PyTorch": "PyTorch",
    }
