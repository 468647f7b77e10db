"""Text fragments: how the link to a quote is written."""

from __future__ import annotations

import pytest

from planbook.citations.quotes import directive_of, fragment_link
from planbook.model import Reference
from planbook.views.bibliography.quote_links import quote_link


@pytest.mark.parametrize(
    ("words", "fragment"),
    [
        ("dark, and sour", "dark%2C%20and%20sour"),
        ("well-kept & old", "well%2Dkept%20%26%20old"),
        ("  two   spaces ", "two%20spaces"),
        ("Brot für alle", "Brot%20f%C3%BCr%20alle"),
        ("100% #1 a/b?c=d", "100%25%20%231%20a%2Fb%3Fc%3Dd"),
    ],
)
def test_a_quote_links_to_the_very_words(words: str, fragment: str) -> None:
    """Dashes, commas and ampersands mean something in a text fragment, so they are encoded."""
    assert fragment_link("https://rye.example/a", directive_of(words)) == f"https://rye.example/a#:~:text={fragment}"


@pytest.mark.parametrize(
    ("url", "linked"),
    [
        ("https://rye.example/a?b=1", "https://rye.example/a?b=1#:~:text=x"),
        ("https://rye.example/#top", "https://rye.example/#top:~:text=x"),
        ("https://rye.example/#/docs/rye", "https://rye.example/#/docs/rye:~:text=x"),
        ("https://rye.example/#top:~:text=old", "https://rye.example/#top:~:text=x"),
        ("https://rye.example/#:~:text=old&text=older", "https://rye.example/#:~:text=x"),
    ],
)
def test_an_address_keeps_its_own_fragment(url: str, linked: str) -> None:
    """A browser goes to the element where it does not find the words; a directive that was there gives way."""
    assert fragment_link(url, "x") == linked


def test_a_long_quote_is_given_by_its_ends() -> None:
    """The fragment has its first six words and its last six."""
    words = " ".join(f"word{n}" for n in range(60))
    assert directive_of(words).endswith("%20word5,word54%20word55%20word56%20word57%20word58%20word59")
    assert directive_of("x" * 500) == "x" * 500


@pytest.mark.parametrize(
    ("url", "words", "fragment"),
    [
        ("https://rye.example/a", "Set `rye.time`, **not** *temp*.", "Set%20rye.time%2C%20not%20temp."),
        ("https://rye.example/a", "Knead `<dough>` by [hand](b.md)", "Knead%20%3Cdough%3E%20by%20hand"),
        ("https://github.com/rye/bread/blob/main/a.md", "Set `rye.time`", "Set%20%60rye.time%60"),
        ("https://rye.example/a", "bake(`rye`)\nrest(2)", "bake%28%60rye%60%29,rest%282%29"),
    ],
    ids=["marks", "a placeholder", "a plain file", "lines of code"],
)
def test_a_web_page_shows_no_marks_of_markdown(url: str, words: str, fragment: str) -> None:
    """So its fragment has none either; a plain file and lines of code are as they are written."""
    assert quote_link(Reference("rye", "Rye", url), "q1", words).endswith(f":~:text={fragment}")
