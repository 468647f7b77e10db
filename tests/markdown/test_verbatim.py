"""Words of anybody as Markdown that shows them to the letter."""

from __future__ import annotations

import re

import markdown
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from planbook.citations.in_text import find_citations
from planbook.citations.quotes import fold, words
from planbook.markdown.escape import CONTROL_CHARACTERS, fence_code, inline_words, make_link, verbatim
from planbook.markdown.normalize import fix_markdown
from tests.markdown.hostile_texts import EXTENSIONS, HOSTILE, Reader

MORE = ["abbr", "smarty", "pymdownx.arithmatex", "pymdownx.betterem", "pymdownx.caret", "pymdownx.critic"]
MORE += ["pymdownx.keys", "pymdownx.magiclink", "pymdownx.mark", "pymdownx.tilde"]

LITERAL = {
    "salt & water": "salt & water",
    "&amp; and &#38;": "&amp;amp; and &amp;\\#38;",
    "`": "\\`",
    "snake_case": "snake\\_case",
    "12:30": "12:30",
    "std::vector": "std::vector",
    "a-b": "a-b",
    "# a": "\\# a",
    "[a]": "&#91;a\\]",
    "<b>": "&lt;b&gt;",
    "C++": "C\\+\\+",
    "3.5 GB": "3.5 GB",
    "1. May": "1\\. May",
    "“Rye”, said he (twice).": "“Rye”, said he (twice).",
}


def seen(text: str) -> str:
    """`text` as `verbatim` is to show it."""
    return fold(CONTROL_CHARACTERS.sub("", text))


class Shown(Reader):
    """The elements, the attributes and the text of a piece of HTML."""

    @property
    def tags(self) -> list[str]:
        """The elements."""
        return [tag for tag, _ in self.elements]

    @property
    def attributes(self) -> set[str]:
        """The names of all attributes."""
        return {name for _, attributes in self.elements for name in attributes}


def by_python_markdown(source: str, extensions: list[str]) -> Shown:
    """What our engine makes of it, after what the plugin does to pages."""
    return Shown(markdown.markdown(fix_markdown(source), extensions=extensions))


def by_commonmark(source: str) -> Shown:
    """What GitHub and its kin make of it."""
    return Shown(MarkdownIt("gfm-like", {"linkify": False}).render(source))


@pytest.mark.parametrize(("text", "written"), LITERAL.items())
def test_plain_words_stay_readable(text: str, written: str) -> None:
    """Only what might be taken for markup is escaped."""
    assert verbatim(text) == written


PLACES = {
    "a paragraph": ("{}\n", "", ["p"]),
    "a quote": ("> {}\n", "", ["blockquote", "p"]),
    "a heading": ("### {}\n", "", ["h3"]),
    "an item": ("- {}\n", "", ["ul", "li"]),
    "behind words": ("*Rye* {}\n", "Rye ", ["p", "em"]),
}
"""What stands around it, the words of that, and the elements of both."""


@pytest.mark.parametrize("place", PLACES)
@given(st.one_of(st.sampled_from(HOSTILE), st.text(), st.lists(st.sampled_from(HOSTILE), min_size=2).map(" ".join)))
def test_anything_is_shown_to_the_letter_and_does_nothing(place: str, text: str) -> None:
    """In each place, by our engine and by CommonMark: the very words, and no element that they brought along."""
    if not seen(text):
        return
    frame, before, tags = PLACES[place]
    source, expected = frame.format(verbatim(text)), before + seen(text)
    for shown in (by_python_markdown(source, EXTENSIONS), by_commonmark(source)):
        assert (shown.tags, fold(shown.text)) == (tags, expected)
        assert shown.attributes <= {"id"}
    assert words(source) == expected
    assert find_citations(source) == ()


@pytest.mark.parametrize("text", [text for text in HOSTILE if text.strip()])
def test_no_other_dialect_makes_anything_of_it(text: str) -> None:
    """Nor with the extensions that other sites switch on, which make links of bare addresses too."""
    assert by_python_markdown(f"> {verbatim(text)}\n", EXTENSIONS + MORE).tags == ["blockquote", "p"]


@given(st.one_of(st.sampled_from(HOSTILE), st.text()))
def test_a_cell_stays_one_cell(text: str) -> None:
    """In a table, no pipe or mark of it reaches the row."""
    source = f"| a | b |\n| --- | --- |\n| {verbatim(text)} | x |\n"
    for shown in (by_python_markdown(source, EXTENSIONS), by_commonmark(source)):
        assert shown.tags == ["table", "thead", "tr", "th", "th", "tbody", "tr", "td", "td"]
        assert fold(shown.text) == fold(f"a b {seen(text)} x")


@given(st.text() | st.lists(st.sampled_from(["```", "~~~~", "````sh", "    ", "\n", "x", "</code>"])).map("".join))
@example("``` \n# out\n")
@example("a\n---\ntitle: x\n---\n")
def test_code_stays_in_its_fence(code: str) -> None:
    """Nothing in it closes the fence; its lines are shown as they are, less a common indent."""
    source = f"{fence_code(code)}\nafter\n"
    tokens = [t for t in MarkdownIt("commonmark").parse(source) if t.nesting >= 0]
    assert [t.type for t in tokens] == ["fence", "paragraph_open", "inline"]
    assert fold(tokens[0].content) == seen(code)
    shown = by_python_markdown(source, EXTENSIONS)
    assert shown.tags[-1] == "p"
    assert not {"script", "h1", "a", "hr", "blockquote"} & set(shown.tags)
    assert fold(shown.text).endswith("after")


@pytest.mark.parametrize(
    ("language", "shown"), [("python", "python"), ("c++", "c++"), ("", ""), ("{.x onclick=a}", ""), ("a b", "")]
)
def test_a_language_is_a_plain_word(language: str, shown: str) -> None:
    """What is no name of a language does not stand behind the fence."""
    assert fence_code("x", language).splitlines()[0] == f"```{shown}"


@pytest.mark.parametrize(
    ("address", "target"),
    [
        ("https://rye.test/a_b?q=1&r=2#c", "https://rye.test/a_b?q=1&amp;r=2#c"),
        ("https://rye.test/a(b)\"onclick='x", "https://rye.test/a%28b%29%22onclick=%27x"),
        ("https://rye.test/ü]", "https://rye.test/%C3%BC%5D"),
        ("javascript:alert(1)", None),
        ("//evil.test", None),
        ("https://rye.test/a b", None),
        ("", None),
    ],
)
def test_only_web_addresses_are_linked(address: str, target: str | None) -> None:
    """Whatever an address holds, it stays within the link; what is no http(s) address is no link."""
    for shown in (markdown.markdown(make_link("a]b", address)), MarkdownIt().render(make_link("a]b", address))):
        found = re.findall(r'href="([^"]*)"', shown)
        assert found == ([] if target is None else [target])
        assert Shown(shown).text.strip() == "a]b"


@pytest.mark.parametrize(
    ("plan", "written"),
    [
        ("Use `RUN --mount` **now**, see [x](https://rye.test)", "Use `RUN --mount` now, see x"),
        ("`torch.profiler` and `std::x`", "`torch.profiler` and `std::x`"),
        ("a `b|c` d", "a b&#124;c d"),
        ("a `#!py x` b", "a \\#!py x b"),
        ("# 1. <b>x</b>", "\\# 1. x"),
    ],
)
def test_a_plans_words_keep_their_code(plan: str, written: str) -> None:
    """Code spans stay; emphasis and links become words, and nothing else is markup."""
    assert inline_words(plan) == written


@given(st.one_of(st.sampled_from(HOSTILE), st.text(alphabet=st.sampled_from(list("`|\\#!:ab c<>*[]()\n"))), st.text()))
def test_a_plans_words_bring_no_element_but_code(text: str) -> None:
    """They bring none in a heading, by our engine and by CommonMark."""
    source = f"### x{inline_words(text)}x\n"
    for shown in (by_python_markdown(source, EXTENSIONS), by_commonmark(source)):
        assert set(shown.tags) <= {"h3", "code"}
        assert shown.attributes <= {"id"}
