"""The syntax tree of a page."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from planbook.library.links import find_links
from planbook.markdown.document import code_ranges, visible_text
from planbook.markdown.syntax import Node, outline, syntax_tree
from tests.growth import DRAWN, assert_linear

TEXT = "# Dark *rye*\n\nÉpis, `au lait`<br>of [Oats](oats.md).\n\n3. one\n\n   ~~~ py x\n   é = 1\n   ~~~\n"


def names(root: Node) -> list[tuple[str, int]]:
    """All nodes below the root, each with its depth."""
    return [(node.name, node.depth) for node in root.descendants()]


def test_nodes_have_places_in_characters() -> None:
    """Places hold for text beyond ASCII, and details are typed."""
    nodes = {node.name: node for node in syntax_tree(TEXT).descendants()}
    assert nodes["Heading"].level == 1
    assert nodes["Heading"].all_text() == "Dark rye"
    assert TEXT[nodes["Link"].start : nodes["Link"].end] == "[Oats](oats.md)"
    assert nodes["Link"].address == "oats.md"
    assert nodes["List"].number == 3
    assert (nodes["CodeBlock"].info, nodes["CodeBlock"].all_text()) == ("py x", "é = 1\n")
    assert [TEXT[start:end].split(maxsplit=1)[0] for start, end in code_ranges(TEXT)] == ["`au", "~~~"]


def test_extensions_are_asked_for() -> None:
    """Footnotes and front matter are text unless they are asked for."""
    text = "---\na: b\n---\nRye[^1].\n\n[^1]: Oats.\n"
    assert ("FootnoteReference", 1) not in names(syntax_tree(text))
    found = names(syntax_tree(text, has_footnotes=True, has_metadata=True))
    assert [name for name, depth in found if not depth] == ["MetadataBlock", "Paragraph", "FootnoteDefinition"]


def test_a_mail_address_is_no_page() -> None:
    """A domain may end in ``.md``."""
    assert find_links("Ask <baker@bread.md> or [him](baker.md).") == ("baker.md",)


@given(st.text(st.sampled_from("#*_`~[]()<>!-|>1. \n\r\té\U0001f35e:&\\a"), max_size=60))
def test_every_text_has_a_tree(text: str) -> None:
    """Nodes lie within those that contain them, in order; an outline has some of them, with the same text."""
    assert_linear(syntax_tree, text, DRAWN)
    for node in [syntax_tree(text), *syntax_tree(text).descendants()]:
        assert 0 <= node.start <= node.end <= len(text)
        assert [child.start for child in node.children] == sorted(child.start for child in node.children)
        assert all(child.depth == node.depth + 1 for child in node.children)
    assert isinstance(visible_text(text), str)
    every = (outline(text), syntax_tree(text, has_footnotes=True).descendants())
    some, all_ = ([(*node[:4], node.all_text()) for node in nodes if node.name == "Heading"] for nodes in every)
    assert some == all_
