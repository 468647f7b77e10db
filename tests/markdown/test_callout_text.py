"""Callouts are text of the page's writer; other block quotes stay."""

from __future__ import annotations

import pytest

from planbook.markdown.callout_text import unwrap_callouts
from planbook.markdown.syntax import syntax_tree


def names(body: str) -> list[str]:
    """The blocks of a body, in order."""
    return [node.name for node in syntax_tree(body, has_footnotes=True).children]


@pytest.mark.parametrize(
    ("body", "blocks", "text"),
    [
        ("> [!WARNING]\n> It is hot.\n", ["Paragraph"], "It is hot."),
        ("Above.\n> [!note]\n> It is hot.\n> - A\n", ["Paragraph", "Paragraph", "List"], "It is hot."),
        ("> [!tip]- A title\n> It is hot.\n", ["Paragraph"], "A title."),
        ("> [!tip] Is it hot?\n>\n> Yes.\n", ["Paragraph", "Paragraph"], "Is it hot? "),
        ("- Item\n\n  > [!tip]\n  > It is hot.\n", ["List"], "It is hot."),
        ("> [!quote] Of the manual\n> It is hot.\n", ["BlockQuote"], "> It is hot."),
        ("> [!tip] See [@manual, q1]\n> It is hot.\n", ["BlockQuote"], "> It is hot."),
        ("> It is hot. [!tip]\n", ["BlockQuote"], "> It is hot."),
        ("```\n> [!tip]\n> It is hot.\n```\n", ["CodeBlock"], "> It is hot."),
    ],
)
def test_the_text_of_a_callout_is_text_of_the_page(body: str, blocks: list[str], text: str) -> None:
    """It stands where it stood: offsets and lines are those of the file."""
    unwrapped = unwrap_callouts(body)
    assert len(unwrapped) == len(body)
    assert [at for at, char in enumerate(unwrapped) if char == "\n"] == [
        at for at, char in enumerate(body) if char == "\n"
    ]
    assert names(unwrapped) == blocks
    assert text in unwrapped
