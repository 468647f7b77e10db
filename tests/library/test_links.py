"""A page's links to other pages: all that its reader could follow, and nothing that only looks like one."""

from __future__ import annotations

from collections.abc import Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.library.links import find_links, resolve_link
from tests.growth import DRAWN, assert_linear

CASES = {
    "beside": ("See [rye](rye.md).", ("bread/rye.md",)),
    "with a dot in front": ("[rye](./rye.md)", ("bread/rye.md",)),
    "in another folder": ("[ovens](../tools/ovens.md)", ("tools/ovens.md",)),
    "from the site's root": ("[ovens](/tools/ovens.md)", ("tools/ovens.md",)),
    "in a folder below": ("[a](deep/a.md)", ("bread/deep/a.md",)),
    "anchors are dropped": ("[a](rye.md#crust) and [b](rye.md?x=1#y)", ("bread/rye.md",)),
    "order of first mention": ("[b](b.md) [a](a.md) [b again](b.md)", ("bread/b.md", "bread/a.md")),
    "a reference": ("[Rye][r] and [r].\n\n[r]: rye.md 'Rye'", ("bread/rye.md",)),
    "a reference that nothing uses": ("[r]: rye.md", ()),
    "in angle brackets, with a title": ("[a](<dark rye.md> 'Rye')", ("bread/dark rye.md",)),
    "percent-encoded": ("[a](dark%20rye.md) [b](br%C3%B6t.md)", ("bread/dark rye.md", "bread/bröt.md")),
    "to itself": ("[top](#top) [here](wheat.md#top) [too](../bread/wheat.md)", ()),
    "out of the base": ("[a](../../secret.md) [b](../../../etc/x.md)", ()),
    "to another host": ("[a](https://x.example/a.md) [b](//x.example/b.md) [c](file:///c.md)", ()),
    "no page": ("[a](a.pdf) [b](b/) [c](c.mdx) [d](data.md.txt) [e]() [f](mailto:a@b.md)", ()),
    "an image": ("![a](a.md)", ()),
    "inside a code span": ("`[a](a.md)` and ``[b](b.md)``", ()),
    "in a fence": ("```\n[a](a.md)\n```\n\n~~~md\n[b](b.md)\n~~~", ()),
    "in indented code": ("Text.\n\n    [a](a.md)", ()),
    "in a table": ("| a | b |\n| --- | --- |\n| [rye](rye.md) | x |", ("bread/rye.md",)),
    "in lists and quotes": ("- [a](a.md)\n  1. > [b](b.md)", ("bread/a.md", "bread/b.md")),
    "in emphasis and headings": ("## *[a](a.md)*", ("bread/a.md",)),
    "around code": ("[`a`](a.md)", ("bread/a.md",)),
    "in a footnote": ("x[^1]\n\n[^1]: See\n\n    [a](a.md)", ("bread/a.md",)),
    "in an admonition": ('!!! note "N"\n\n    [a](a.md)\n\n    ```\n    [b](b.md)\n    ```', ("bread/a.md",)),
    "code in an admonition's list": ("!!! note\n\n    - x\n\n            [a](a.md)\n", ()),
    "in details and tabs": ('??? note\n\n    [a](a.md)\n\n=== "T"\n\n    [b](b.md)', ("bread/a.md", "bread/b.md")),
    "in an admonition's admonition": ("!!! a\n\n    !!! b\n\n        [a](a.md)", ("bread/a.md",)),
    "in a comment": ("<!-- [a](a.md) -->", ()),
    "escaped": (r"\[a](a.md)", ()),
    "a path that is no link": ("Read tools/ovens.md first.", ()),
}


def page_links(text: str, uri: str, known: Collection[str] = frozenset()) -> tuple[str, ...]:
    """The other pages that a page links to."""
    found = (resolve_link(address, uri, known) for address in find_links(text))
    return tuple(dict.fromkeys(target for target in found if target and target != uri))


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_links_are_those_a_reader_can_follow(text: str, expected: tuple[str, ...]) -> None:
    """Links are read as seen from `bread/wheat.md`, and only those that lead to pages."""
    assert page_links(text, "bread/wheat.md") == expected


def test_a_link_written_from_the_root_is_read_so_where_only_that_page_exists() -> None:
    """It is read as the option `fix_pages` reads it; a page that lies beside comes first."""
    assert page_links("[a](tools/ovens.md)", "bread/wheat.md", {"tools/ovens.md"}) == ("tools/ovens.md",)
    both = {"tools/ovens.md", "bread/tools/ovens.md"}
    assert page_links("[a](tools/ovens.md)", "bread/wheat.md", both) == ("bread/tools/ovens.md",)
    assert page_links("[a](tools/ovens.md)", "bread/wheat.md", {"x.md"}) == ("bread/tools/ovens.md",)


def test_a_page_at_the_top_links_beside_itself() -> None:
    """Its folder is the base's root."""
    assert page_links("[a](a.md) [b](../b.md)", "index.md") == ("a.md",)


def test_addresses_come_as_written() -> None:
    """So that they can be resolved when it is known which pages there are."""
    assert find_links("[a](./a.md#x) [b](/b.md) [a](./a.md#x)") == ("./a.md#x", "/b.md")
    assert resolve_link("./a.md#x", "f/b.md") == "f/a.md"


def test_admonitions_without_end_are_read_to_an_end() -> None:
    """The reader comes to an end however deep they stand within each other."""
    text = "\n\n".join(f"{'    ' * depth}!!! note" for depth in range(1500))
    assert page_links(f"{text}\n\n[a](a.md)", "b.md") == ("a.md",)


@given(st.text(alphabet="[]()<>`!#.md/ \n\t-a:?=~&\\\ud800"), st.sampled_from(["a.md", "a/b.md"]))
def test_no_text_is_refused(text: str, uri: str) -> None:
    """Whatever the text, each link is a page of the base, another one, and mentioned once."""
    found = page_links(text, uri)
    assert_linear(lambda more: page_links(f"{more}.md", uri), text, DRAWN)
    assert len(set(found)) == len(found)
    assert all(target.endswith(".md") and not target.startswith(("/", "../")) and target != uri for target in found)
