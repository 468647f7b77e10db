"""Text fragments: how the link to a quote is written."""

from __future__ import annotations

import pytest

from planbook.citations.quotes import directive_of, fragment_link


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
    """From the first six words to the last six."""
    words = " ".join(f"word{n}" for n in range(60))
    assert directive_of(words).endswith("%20word5,word54%20word55%20word56%20word57%20word58%20word59")
    assert directive_of("x" * 500) == "x" * 500
