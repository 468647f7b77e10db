"""Text fragments: how they are written, where they lead, and what leads to one place only."""

from __future__ import annotations

import re
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.citations.quotes import (
    LONGEST,
    Directive,
    SourceText,
    directive_of,
    directive_to,
    fold,
    fragment_link,
    leads_to,
    parse_directive,
    places,
)

SOURCE = SourceText(
    "Tea\n"
    "Steeping\n"
    "Then water at 80 degrees keeps the\n"
    "catechins in. And tea is tea.\n"
    "Again: water at 80 degrees, but Water at 80 degrees only once more.\n"
    "Café “crème” (well-kept)\n"
)
"""In its second and third line, one paragraph that is wrapped."""


def led_to(directive: Directive | None, source: SourceText = SOURCE) -> list[str]:
    """The words at the first two places that a directive leads to."""
    return [source.text[a:b] for a, b in islice(places(directive, source), 2)] if directive else []


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
    assert fragment_link(url, Directive("x")) == linked


def test_a_long_quote_is_given_by_its_ends() -> None:
    """From the first six words to the last six."""
    words = " ".join(f"word{n}" for n in range(60))
    assert str(directive_of(words)).endswith("%20word5,word54%20word55%20word56%20word57%20word58%20word59")
    assert directive_of("x" * 500) == Directive("x" * 500)


@pytest.mark.parametrize(
    ("words", "directive"),
    [
        ("water at 80 degrees keeps", "water%20at%2080%20degrees%20keeps"),
        ("Steeping", "Steeping"),
        # a browser would take the first line's, or make no difference between cases
        ("water at 80 degrees", "Then-,water%20at%2080%20degrees"),
        ("Water at 80 degrees", "degrees%2C%20but-,Water%20at%2080%20degrees"),
        ("tea is", "tea%20is"),
        ("is tea", "is%20tea"),
        # not across a line end, which may be that of a block
        ("keeps the catechins in.", "keeps%20the,catechins%20in."),
        # whole words
        ("eep", "Steeping"),
        ("techins in", "catechins%20in"),
        # as it stands there, though a browser would find it otherwise, too
        ("Café “crème”", "Caf%C3%A9%20%E2%80%9Ccr%C3%A8me%E2%80%9D"),
        ("(well-kept)", "%28well%2Dkept%29"),
        ("  water at\n80 degrees keeps ", "water%20at%2080%20degrees%20keeps"),
    ],
)
def test_a_directive_leads_to_one_place(words: str, directive: str) -> None:
    """The quote alone where that is enough, with as few words beside it as make it unique otherwise."""
    found = directive_to(words, SOURCE)
    assert str(found) == directive
    (only,) = led_to(found)
    assert fold(words) in only
    assert parse_directive(directive) == found


@pytest.mark.parametrize("words", ["", " ", "at 95 degrees", "water at 80 Degrees", "cafe"])
def test_words_that_are_not_there_have_no_directive(words: str) -> None:
    """A quote stands in a source to the letter, or not at all."""
    assert directive_to(words, SOURCE) is None


def test_a_suffix_helps_where_a_prefix_does_not() -> None:
    """What stands before is the same in both places."""
    source = SourceText("so it says: tea is black\nso it says: tea is green")
    assert str(directive_to("tea is green", source)) == "tea%20is%20green"
    first = directive_to("it says: tea", source)
    assert first == Directive("it says: tea", suffix="is black")
    assert directive_to("black", SourceText("all tea is black or not\nall tea is black and sweet")) == Directive(
        "black", suffix="or not"
    )


def test_context_goes_on_until_it_differs() -> None:
    """Sixteen words if need be, but not more."""
    same = "a b c d e f g h i j"
    source = SourceText(f"one {same} tea {same} one\ntwo {same} tea {same} two")
    assert directive_to("tea", source) == Directive("tea", prefix=f"one {same}")
    everywhere = SourceText("\n".join(["tea is tea"] * 9))
    assert led_to(directive_to("is", everywhere), everywhere) == ["is", "is"]


def test_a_long_quote_takes_as_many_words_as_it_needs() -> None:
    """The ends of a long quote may stand elsewhere, too."""
    same = "here it begins as any other"
    words = f"{same} but then {'goes on and on ' * 30}until it ends as it does in all"
    source = SourceText(f"{same} text.\n{words}.\nAnd {same} one.")
    found = directive_to(words, source)
    assert found is not None
    assert found.start.startswith(f"{same} but then")
    assert len(str(found)) < LONGEST * 2
    assert led_to(found, source) == [words]


@pytest.mark.parametrize(
    ("directive", "words"),
    [
        ("80%20degrees", ["80 degrees", "80 degrees"]),
        ("WATER%20at%2080%20degrees%20keeps", ["water at 80 degrees keeps"]),
        ("cafe%20%22creme%22", ["Café “crème”"]),
        ("is-,tea", ["tea"]),
        ("Tea,-is", ["tea"]),
        ("tea-,is", ["is"]),
        ("Then,catechins", ["Then water at 80 degrees keeps the catechins"]),
        ("Then-,water,the,-catechins", ["water at 80 degrees keeps the"]),
        ("And,80%20degrees,-only", ["And tea is tea. Again: water at 80 degrees, but Water at 80 degrees"]),
        ("degree", []),
        ("95%20degrees", []),
        ("catechins,Then", []),
        ("Then-,80", []),
        ("Tea-,eeping", []),
        ("Tea%20St-,eeping", ["eeping"]),
    ],
)
def test_a_directive_is_followed_as_browsers_do(directive: str, words: list[str]) -> None:
    """Prefix, start, end and suffix; whole words, in any case, with any accents and quotation marks."""
    assert led_to(parse_directive(directive)) == words


@pytest.mark.parametrize(
    ("directive", "words", "is_led"),
    [
        ("water%20at%2080%20degrees%20keeps", "water at 80 degrees", True),
        ("And-,tea", "tea", True),
        ("And-,tea", "Tea", False),
        ("80%20degrees", "80 degrees", False),
        ("Then,tea.", "keeps the catechins", True),
        ("keeps,catechins", "keeps the catechins", True),
        ("keeps%20the%20catechins", "keeps the catechins", False),
        ("keeps,the%20catechins", "keeps the catechins", False),
        ("keeps%20the%20catechins,tea.", "keeps the catechins", False),
        ("gone", "gone", False),
    ],
)
def test_a_directive_leads_to_a_quote_and_nowhere_else(directive: str, words: str, is_led: bool) -> None:
    """It holds the quote, is the only place, and none of its pieces runs over the end of a line, maybe a block's."""
    parsed = parse_directive(directive)
    assert parsed
    assert leads_to(parsed, words, SOURCE) is is_led


@pytest.mark.parametrize("written", ["", "-,", ",", "%20", ",end"])
def test_a_directive_without_words_is_none(written: str) -> None:
    """What has no start leads nowhere."""
    assert parse_directive(written) is None


WORDS = st.sampled_from(["tea", "Tea", "is", "é", "80", "a-b", "(c)", "d,", "&", "e.", "naïve", "“f”"])
TEXTS = st.lists(st.lists(WORDS, min_size=1, max_size=8).map(" ".join), min_size=1, max_size=8).map("\n".join)


@given(TEXTS, st.data())
def test_every_directive_leads_to_the_quote_first(text: str, data: st.DataObject) -> None:
    """Whatever the source and whichever of its words are quoted: the first place is where they stand first."""
    source = SourceText(text)
    words = source.text.split(" ")
    start = data.draw(st.integers(0, len(words) - 1))
    quote = " ".join(words[start : data.draw(st.integers(start + 1, len(words)))])
    found = directive_to(quote, source)
    if found is None:  # the words before and behind are the same elsewhere, as far as one looks
        return
    assert parse_directive(str(found)) == found
    (begin, end), *others = islice(places(found, source), 2)
    assert others or leads_to(found, quote, source)
    assert quote in source.text[begin:end]
    assert all(len(piece.split("\n")) == 1 for piece in (found.start, found.end, found.prefix, found.suffix))
    lines = [fold(line) for line in text.split("\n")]
    assert all(any(piece in line for line in lines) for piece in (found.start, found.end, found.prefix, found.suffix))


@given(st.text(), st.text(), st.text(), st.text())
def test_what_is_written_is_read(start: str, end: str, prefix: str, suffix: str) -> None:
    """A directive survives being written into an address, whatever its words; and it is all plain characters."""
    directive = Directive(*(fold(piece) for piece in (start, end, prefix, suffix)))
    if not directive.start:
        return
    written = str(directive)
    assert re.fullmatch(r"[\w.~%,-]+", written, re.ASCII)
    assert parse_directive(written) == directive
