"""Marks of Markdown's dialects, which must not enter quotes."""

from __future__ import annotations

import pytest

from planbook.citations.quotes import words
from planbook.markdown.dialects import common_markdown, strip_front_matter
from planbook.research.web.document_text import document_text
from tests.growth import assert_linear

CASES = {
    "a footnote": ("It carries `40 kg`[^1].\n\n[^1]: Mill, p. 3.", "It carries `40 kg`.\n\nMill, p. 3."),
    "a footnote with lines": ("A [^a].\n\n[^a]: One.\n\n    Two.\n\nThree.", "A.\n\nOne.\n\nTwo.\n\nThree."),
    "a footnote in its place": ("It is hard^[see [1]] and soft.", "It is hard and soft."),
    "an admonition": ('!!! note "Title"\n    Hard.\n\n    Soft.\nOut.', "\nHard.\n\nSoft.\nOut."),
    "within another": ("??? tip\n\n    !!! note inline end\n        Deep.\n    Back.", "\n\n\nDeep.\nBack."),
    "a collapsible": ('???+ "Title"\n    Hard.', "\nHard."),
    "tabs": ('=== "A"\n    One.\n=== "B"\n    Two.', "\nOne.\n\nTwo."),
    "an alert": ("> [!NOTE]\n> Hard.", ">\n> Hard."),
    "a callout": ("> [!tip]- Title\n> Hard.", ">\n> Hard."),
    "a directive": (":::{note} Title\nHard.\n:::", "\nHard.\n"),
    "a container with indented text": (
        ":::info[Important]\n    Hard.\n\n    Soft.\n:::\n\n    code",
        "\nHard.\n\nSoft.\n\n\n    code",
    ),
    "a container with a list": (":::tip\n- Hard\n    - Soft\n:::", "\n- Hard\n    - Soft\n"),
    "a block": ("/// details | More\nHard.\n///", "\nHard.\n"),
    "attributes": ("## Hard {#hard .x}\n[a](b){ .y } ![c](d){ width=9 }\n{: .z }", "## Hard\n[a](b) ![c](d)\n"),
    "a highlight": ("Use ==hard== water, a == b == c.", "Use hard water, a == b == c."),
    "a comment": ("Hard %%not sure%% water.\n%%\nhidden\n%%\nSoft.", "Hard water.\n\n\n\nSoft."),
    "an id": ("Hard water. ^abc-1\n\n^table\n\nx ^2", "Hard water.\n\n\n\nx ^2"),
    "wikilinks": ("See [[Water|hard water]], [[Tea]]. ![[tea.png]]", "See hard water, Tea. "),
    "a citation": ("It is hard [@mill2017, p. 3].", "It is hard."),
    "keys": ("Press ++ctrl+c++ in C++ and i++.", "Press ctrl+c in C++ and i++."),
    "edits": ("A {++new++} {--old--}{==high==}{>>why<<} text.", "A new high text."),
    "an abbreviation": ("*[HTML]: Hyper Text\n\nHTML", "\n\nHTML"),
    "shortcodes": ("{% include x %}\nHard {{< ref a >}}water.", "\nHard water."),
    "code": (
        "```\n!!! note[^1]\n```\n`==a==[^1]`\n\n    x[^1] {#a}",
        "```\n!!! note[^1]\n```\n`==a==[^1]`\n\n    x[^1] {#a}",
    ),
    "text": ("a^2 + {b} = {c=1} 50 %% x [1] [a] {x}", "a^2 + {b} = {c=1} 50 %% x [1] [a] {x}"),
}


@pytest.mark.parametrize(("text", "plain"), CASES.values(), ids=CASES)
def test_marks_of_dialects_are_left_out(text: str, plain: str) -> None:
    """The text stays, on its line; code and what only looks like a mark stay as they are."""
    assert common_markdown(text) == plain
    assert text.count("\n") == plain.count("\n")
    assert common_markdown(plain) == plain


def test_a_quote_reads_as_without_marks() -> None:
    """The words of a passage with a footnote are those of the passage without it."""
    assert words("A **shelf** of [carbide](x.md) carries `40 kg`[^1].") == "A shelf of carbide carries 40 kg."


@pytest.mark.parametrize("front", ["---\ntitle: [open\n---\n", "+++\ntitle = 1\n+++\n", "---\ntitle: Hard\n---\n"])
def test_front_matter_is_no_text(front: str) -> None:
    """Front matter in YAML or TOML is left out, valid or not."""
    assert strip_front_matter(f"{front}# Hard\n") == "# Hard\n"
    text = f"{front}# Hard\n\n!!! note\n    Hard water[^1].\n"
    document = document_text(text.encode(), "text/markdown", None, "file:///x.md", 1, is_local=True)
    assert document.text == "# Hard\n\nHard water."


@pytest.mark.parametrize(
    "piece",
    [
        "[^",
        "^[",
        "{>>",
        "{--",
        "==a",
        "%% ",
        "{.",
        "`",
        "``` ",
        "[[",
        "++a",
        "^^a",
        "[@",
        " ^",
        "!!! a ",
        ":a-",
        "{%",
        "  ",
    ],
)
def test_time_grows_with_length(piece: str) -> None:
    """Unclosed marks cost no more than their length."""
    assert_linear(lambda text: common_markdown(f"{text}[^1]"), piece)
