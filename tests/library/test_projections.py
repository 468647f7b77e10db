"""Projections of a Library have what their views read, and nothing that is empty instead."""

from __future__ import annotations

import dataclasses

import pytest

from planbook.library import Library, link_tree
from planbook.library.projections import page_in_lists, page_to_count, page_with_links
from planbook.model import Tree

PLAN = b"# P\n\n## PART 1: Create a/1-x.md\n\n- [x] PART 1: Create a/1-x.md\n"
PAGE = (
    b"---\naliases: [Ex]\ncreated: 2026-11-01\n"
    b"references:\n- {id: local, title: L, custom: {file: documents/l.pdf}}\n---\n\n"
    b"# X\n\nWords [@local] and [a link](2-y.md).\n\n## Oven\n\nHot.\n"
)


@pytest.fixture(name="library")
def a_library() -> Library:
    """A base with a page that has something in each field."""
    return link_tree(Tree({"plans/p.md": PLAN}, {}, {"a/1-x.md": PAGE, "a/2-y.md": b"# Y\n"}))


@pytest.mark.parametrize("project", [page_in_lists, page_with_links, page_to_count])
def test_a_projected_page_has_the_values_of_the_page(library: Library, project: object) -> None:
    """Each field is one of the whole page, so that a view may get either; the length may be rounded."""
    assert callable(project)
    page = library.page_by_uri["a/1-x.md"]
    projected = project(page)
    for field in dataclasses.fields(projected):
        value, whole = getattr(projected, field.name), getattr(page, field.name)
        if field.name == "references":
            assert [(work.id, work.url, work.file) for work in value] == [(w.id, w.url, w.file) for w in whole]
        elif field.name != "words":
            assert value == whole, field.name


def test_a_projection_has_no_emptied_fields(library: Library) -> None:
    """What a projection leaves out is missing: to read it is an error, not nothing."""
    listed, linked, counted = library.listed(), library.linked(), library.counted()
    for missing in ("links", "lines", "references", "meta"):
        assert not hasattr(listed.page_by_uri["a/1-x.md"], missing)
    assert not hasattr(linked.page_by_uri["a/1-x.md"], "description")
    assert not hasattr(counted.page_by_uri["a/1-x.md"], "words")
    assert not hasattr(listed, "problems")
    assert not hasattr(listed, "edges")
    assert not hasattr(linked, "drops")


def test_a_projection_links_its_own_pages(library: Library) -> None:
    """An entry has the page that the projection has."""
    for projection in (library.listed(), library.linked(), library.counted()):
        [entry] = projection.entries
        assert entry.page is projection.page_by_uri["a/1-x.md"]
        assert entry.is_written
