"""The sentences that name no ground: those that a page's head counts."""

from __future__ import annotations

import pytest

from planbook.library import link_tree
from planbook.model import Tree
from planbook.rules.project import CodeFilter, Project
from planbook.rules.ungrounded import ungrounded_sentences

HEAD = "---\ntitle: Rye\nreferences:\n  - {id: mill, title: The mill, URL: 'https://rye.example/'}\n---\n\n# Rye\n\n"
"""Ten lines with the blank one at the end."""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "It rises [@mill, q1]. So wait *(advice)*.\n\nIt is brown. It smells:\n\n- good\n",
            [(11, "It is brown."), (13, "good")],
        ),
        ("It rises [@mill, q1]. It is brown.\n", []),
        ("It rises. So wait *(advice)*.\n", []),
        ("It is brown.\n", []),
    ],
    ids=["each, but what announces", "nothing is marked", "the mark holds for what is before it", "nothing is cited"],
)
def test_sentences_without_a_ground_are_listed(body: str, expected: list[tuple[int, str]]) -> None:
    """With their lines, if the page says of others what they rest on."""
    tree = Tree({}, {}, {"rye.md": f"{HEAD}{body}".encode()})
    sentences = list(ungrounded_sentences(Project(tree=tree, library=link_tree(tree))))
    assert [(each.line, each.sentence) for each in sentences] == expected
    assert all(each.uri == "docs/rye.md" for each in sentences)
    none = CodeFilter(files=frozenset({"docs/oats.md"}))
    assert list(ungrounded_sentences(Project(tree=tree, library=link_tree(tree), code_filter=none))) == []
