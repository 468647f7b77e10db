"""Blocks of the Markdown extensions that a site has switched on stay as their author wrote them.

Python-Markdown renders the fixed text and the original; inside such blocks, both give the same bytes.
"""

from __future__ import annotations

import markdown
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.markdown.extensions import Syntax, read_syntax
from planbook.markdown.normalize import fix_markdown
from tests.rules.project import fixed_page

CONFIGS: dict[str, dict[str, object]] = {
    "sane_lists": {},
    "attr_list": {},
    "md_in_html": {},
    "pymdownx.arithmatex": {"generic": True},
    "pymdownx.superfences": {"custom_fences": [{"name": "mermaid", "class": "mermaid"}, {"name": "vegalite"}]},
    "pymdownx.tabbed": {"alternate_style": True},
    "pymdownx.blocks.admonition": {},
    "pymdownx.blocks.details": {},
    "pymdownx.blocks.tab": {"alternate_style": True},
    "pymdownx.blocks.html": {},
    "pymdownx.blocks.definition": {},
    "pymdownx.blocks.caption": {},
}
SITE = read_syntax(CONFIGS)

BLOCKS = {
    "a formula": "$$\nx\n- y\n+ z\n1. w\n$$",
    "a formula on the dollars' lines": "$$x\n- y\n  - z$$",
    "a formula in brackets": "\\[\nx\n- y\n    + z\n\\]",
    "an environment": "\\begin{align}\nx &= y \\\\\n- z &= 1\n\\end{align}",
    "a formula with a link's form": "$$\nx[a](b/z.md)\n- y\n$$",
    "a block": "/// note | Title\n- a\n  - b\n\nText\n- c\n///",
    "a block with options": "/// admonition | Title\n    type: warning\n\nText\n1. c\n   - d\n///",
    "a block in a block": "//// details | Title\n/// html | div.x\nText\n- c\n  - d\n///\n- e\n  - f\n////",
    "tabs": '=== "A"\n    Text\n    - a\n      - b\n\n=== "B"\n\n    1. c\n      - d\n    [x](b/z.md)',
    "a custom fence": "``` mermaid\ngraph TD\n- a\n  - b\n```",
    "a custom fence with options": '```vegalite width="3" zoom\n- a\n```',
    "a table's caption": "/// table-caption\nText\n- a\n  - b\n///",
}
FRAMES = {"alone": "{}\n", "text above and below": "Text\n\n{}\n\nText\n", "at the end of a list": "- x\n- y\n\n{}\n"}


def rendered(text: str) -> str:
    """The HTML of `text`, as a site with `CONFIGS` gives it."""
    return markdown.Markdown(extensions=list(CONFIGS), extension_configs=CONFIGS).convert(text)


@pytest.mark.parametrize("frame", FRAMES.values(), ids=list(FRAMES))
@pytest.mark.parametrize("block", BLOCKS.values(), ids=list(BLOCKS))
def test_blocks_are_those_of_plain_mkdocs(block: str, frame: str) -> None:
    """A block of an extension comes through the build and `--fix` to the letter, and gives the same HTML."""
    text = frame.format(block)
    fixed = fix_markdown(text, {"b/z.md": "../b/z.md"}, SITE)
    assert block in fixed
    headed = "# A (~9 lines)\n\n" + text
    assert fixed_page(headed, SITE) == headed.replace(" (~9 lines)", ' <a id="a-9-lines"></a>', 1)
    assert rendered(fixed) == rendered(text)


@pytest.mark.parametrize("block", BLOCKS.values(), ids=list(BLOCKS))
def test_blocks_in_items_are_indented_as_a_whole(block: str) -> None:
    """In an item of a list, all lines of a block move with the item's text; nothing else about them changes."""
    inner = "\n".join("  " + line if line else "" for line in block.split("\n"))
    fixed = fix_markdown(f"- x\n\n{inner}\n- y\n", {"b/z.md": "../b/z.md"}, SITE)
    wanted = "\n".join("    " + line if line else "" for line in block.split("\n"))
    assert f"\n{wanted}\n" in fixed
    opening = fix_markdown(f"- {inner.lstrip()}\n- y\n", {"b/z.md": "../b/z.md"}, SITE)
    if not block.startswith("`"):
        assert opening.startswith(f"-   {wanted.lstrip()}\n")


@pytest.mark.parametrize("block", [block for name, block in BLOCKS.items() if "fence" not in name])
def test_an_extension_that_is_off_has_no_blocks(block: str) -> None:
    """Without the extension, the lines are text: lists among them are fixed as elsewhere."""
    links = {"b/z.md": "../b/z.md"}
    assert fix_markdown(f"{block}\n", links, Syntax()) == fix_markdown(f"{block}\n", links)


@pytest.mark.parametrize(
    "text",
    [
        "`$a` text\n- b `$` x",
        "$$ is a process\n\nGood is\n- soft\n\n`$$` too $$",
        "costs $5\n- soft: $6",
        "\\$a\n- b$",
        "$a\n\n- b$",
        "- x $5\n- y (US$6)",
        "$a\n```\n$",
    ],
)
def test_dollars_elsewhere_change_nothing(text: str) -> None:
    """Dollars in code, prices, escaped ones, and those in two blocks or items, are text."""
    assert fix_markdown(text, {}, SITE) == fix_markdown(text)


OTHERS = ["Text", "- a\n- b", "1. c", "> d", "```\n$$\n- f\n```", "| g |\n|---|", "<div>\n</div>"]
PIECES = st.lists(st.sampled_from([*BLOCKS.values(), *OTHERS]), min_size=1, max_size=5)


@given(PIECES)
def test_blocks_between_others_stay(pieces: list[str]) -> None:
    """Whatever comes before and after a block, its lines are kept, and a second time changes nothing."""
    text = "\n\n".join(pieces) + "\n"
    once = fix_markdown(text, {}, SITE)
    for piece in pieces:
        if piece in BLOCKS.values():
            assert piece in once
    assert fix_markdown(once, {}, SITE) == once
