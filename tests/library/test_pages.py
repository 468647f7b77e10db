"""A page's front matter, title, description and size."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.library.names import title_from_path
from planbook.library.pages import parse_page
from planbook.model import Page, Problem
from tests.growth import DRAWN, assert_linear

URI = "bread/10-dark-rye.md"


def page_of(text: str) -> Page:
    """The page in a text in which nothing is wrong."""
    page, problems = parse_page(text, URI)
    assert problems == ()
    return page


def problem_of(text: str) -> tuple[Page, Problem]:
    """The page in a text in which one thing is wrong, and that."""
    page, (problem,) = parse_page(text, URI)
    return page, problem


# ---------------------------------------------------------------------------------------------- front matter


@pytest.mark.parametrize(
    ("uri", "title"),
    [
        ("Daily/2026-11-20.md", "2026-11-20"),
        ("Daily/2026-11-20-kiln_log.md", "2026-11-20 Kiln log"),
        ("2026-11 Glazes.md", "2026-11 Glazes"),
        ("cuda/10-docker-multistage.md", "Docker multistage"),
        ("cuda/2026-words.md", "Words"),
        ("SQL.md", "SQL"),
        ("10.md", "10"),
    ],
)
def test_a_title_is_derived_from_the_path(uri: str, title: str) -> None:
    """The title has no number that orders pages; the day of a dated note stays whole."""
    assert title_from_path(uri) == title


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("---\ntitle: [Rye\n---\n# Dark rye\n", 2),
        ("---\ntitle: Rye\nplan: a: b\n---\n# Dark rye\n", 3),
        ("---\ntitle: Rye\n\tplan: x\n---\n# Dark rye\n", 3),
        ("---\nonly words\n---\n# Dark rye\n", 2),
        ("---\n- a\n- b\n---\n# Dark rye\n", 2),
        ("---\ntitle: !!python/object:os.system {}\n---\n# Dark rye\n", 2),
        ("---\ntitle: *none\n---\n# Dark rye\n", 2),
        ("---\na: 1\nb: &x [*x, {? : }\n---\n# Dark rye\n", 3),
    ],
)
def test_broken_front_matter_is_told_and_kept_as_text(text: str, line: int) -> None:
    """One K001 with its line; the page keeps its title, and every line counts."""
    page, problem = problem_of(text)
    assert (problem.uri, problem.line, problem.code) == (URI, line, "K001")
    assert "front matter" in problem.message
    assert page.meta == ()
    assert page.title == "Dark rye"
    assert page.lines == text.count("\n")


# ---------------------------------------------------------------------------------------------- title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: Given\n---\n# Heading\n", "Given"),
        ("# Dark rye (~400 lines)\n", "Dark rye"),
        ("# A mill in one file (300 lines)\n", "A mill in one file (300 lines)"),
        ("# Heading\n", "Heading"),
        ("Text first.\n\n# Heading ##\n", "Heading"),
        ("# The `rye` **book** by [Ann](a.md)\n", "The rye book by Ann"),
        ("## Only a second level\n", "Dark rye"),
        ("```\n# a remark in code\n```\n", "Dark rye"),
        ("", "Dark rye"),
        ("---\ntitle:\n---\n", "Dark rye"),
    ],
)
def test_title(text: str, title: str) -> None:
    """It is the front matter's, else the first heading's, else one made of the path."""
    assert page_of(text).title == title


# ---------------------------------------------------------------------------------------------- description, size


@pytest.mark.parametrize(
    ("text", "description"),
    [
        ("---\ndescription: Given.\n---\n# Rye\n\nRye is a grain.\n", "Given."),
        ("# Rye\n\nRye is a grain of the north [@rye; @oats]. More.\n", "Rye is a grain of the north."),
        (
            "# Rye\n\n- a list\n\n> a quote\n\n| a | b |\n\n1. more\n\nRye is a grain at last.\n",
            "Rye is a grain at last.",
        ),
        ("# Rye\n\n**Overview**\n\n## Part\n\nRye [is](a.md) a **grain** here.\n", "Rye is a grain here."),
        ("# Rye\n\nRye is a grain\nof the far north.\n", "Rye is a grain of the far north."),
        ("# Rye\n\n```\ncode only. really.\n```\n", ""),
        ("Words without a heading stand here.\n", "Words without a heading stand here."),
        ("# Rye\n", ""),
        ("", ""),
    ],
)
def test_description(text: str, description: str) -> None:
    """It is the front matter's, else the first sentence of the first paragraph of prose."""
    assert page_of(text).description == description


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", 0),
        ("\n\n", 0),
        ("# Rye\n", 1),
        ("# Rye\n\nText.\n", 3),
        ("---\na: 1\n---\n\n# Rye\n\nText.\n", 3),
        ("\n\n# Rye\n\n\n", 1),
    ],
)
def test_lines_are_those_of_the_body(text: str, lines: int) -> None:
    """Front matter, and blank lines around the text, do not count."""
    assert page_of(text).lines == lines


@given(st.text() | st.text().map("---\n{}\n---\n".format) | st.text().map("---\na: {}\n---\n# T\n".format))
def test_no_text_crashes(text: str) -> None:
    """Any text is a page; what is wrong with its front matter is told with one of its lines."""
    page, problems = parse_page(text, URI)
    assert_linear(lambda more: parse_page(f"# {more}", URI), text, DRAWN)
    assert page.title
    assert page.lines >= 0
    for problem in problems:
        assert (problem.uri, problem.code) == (URI, "K001")
        assert 1 <= problem.line <= max(1, len(text.splitlines()))
