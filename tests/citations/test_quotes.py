"""When quoted words stand in a source."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.citations.quotes import contains_quote, fold, readings, words

SEEN = {
    "# Rye *bread* `now`": "Rye bread now",
    "**Flour.** Then\nwater.": "Flour. Then water.",
    "[the mill](https://rye.test/a) & \\*stars\\*": "the mill & *stars*",
    "a &amp; b &#60;c&#62;": "a & b <c>",
    "one<br>two <b>three</b>": "one two three",
    "- rye\n- oats\n    - steel-cut": "rye oats steel-cut",
    "| Grain | g |\n| --- | ---: |\n| Rye | `500` |": "Grain g Rye 500",
    "```sh\nbake  --hot\n```": "bake --hot",
    "<div>hidden</div>\n\nshown": "shown",
    "~~old~~ new": "old new",
    "> said\n> so": "said so",
}


@pytest.mark.parametrize(("markdown", "seen"), SEEN.items())
def test_what_a_reader_sees(markdown: str, seen: str) -> None:
    """Marks, tags and addresses are gone; blocks, cells and lines are blanks apart."""
    assert words(markdown) == seen


def test_a_quote_stands_as_seen_or_as_written() -> None:
    """In the visible text, in the Markdown, or in what is seen of that; to the letter but for white space."""
    texts = readings("Home\n\nRye bread rises.", "# Rye\n\nRye **bread** rises.\u00a0 \\*Slowly\\*.")
    for quote in ("Home", "Rye bread\nrises.", "Rye **bread** rises.", "rises. *Slowly*."):
        assert contains_quote(quote, texts)
    for quote in ("rye bread", "Rye bread rises!", "Ryebread", "", " \n"):
        assert not contains_quote(quote, texts)


def test_composed_letters_are_one() -> None:
    """Unicode's ways to write a letter make no difference."""
    assert contains_quote("cafe\u0301", readings("caf\u00e9", ""))


@given(st.text(), st.text(min_size=1), st.text())
def test_what_is_copied_stands(before: str, quote: str, after: str) -> None:
    """Whole words of a text stand in it, and no text is too odd to be read."""
    text = f"{before} {quote} {after}"
    assert contains_quote(quote, readings(text, "")) or not fold(quote)
    assert readings("", text)
