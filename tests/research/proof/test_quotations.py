"""The program's part of the check of a sentence: its quotes, its numbers and its names."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from planbook.citations.quotes import fold
from planbook.research.proof.sentences import Quotation, find_fault, find_missing, find_words


@pytest.mark.parametrize(
    ("sentence", "texts", "missing"),
    [
        ("It keeps 250 entries.", ["defaults to 100"], ["250"]),
        ("The cache holds 1,000 entries and three lists.", ["at most 1000 entries, 3 lists"], []),
        ("It holds 3 lists.", ["there are three lists"], []),
        ("The timeout is 30 s.", ["timeout of 30 seconds"], []),
        ("The timeout is 30 ms.", ["timeout of 30 seconds"], ["30 ms"]),
        ("The timeout is 30 seconds.", ["timeout (in seconds) defaults to 30"], []),
        ("Python 3.9+ is required.", ["requires python 3.9 or later"], []),
        ("Python 3.8+ is required.", ["requires Python 3.9+"], ["3.8"]),
        ("It is -1.", ["it is 1"], ["-1"]),
        ("It takes 1-5.", ["from 1\u20135"], []),
        ("With `--delay-updates`, it moves.", ["--delay-updates puts"], []),
        ("`rsync --delete` deletes.", ["rsync", "the --delete option"], []),
        ("It reads /etc/fstab, foo_bar and example.com.", ["`/etc/fstab` foo_bar example.com"], []),
        ("It reads /etc/fstab2.", ["/etc/fstab"], ["/etc/fstab2"]),
        ("The server uses Linux's epoll, e.g. on Debian.", ["on linux, epoll; debian"], []),
        ("Many GPUs are used.", ["one GPU"], []),
        ("A 64-bit GPU-based tool.", ["64-bit", "gpu"], []),
        ("Read-only client/server things and/or others.", ["x"], []),
        ("It is 10ms on x86_64 with sha256.", ["10 ms, x86_64, SHA256"], []),
    ],
)
def test_numbers_and_names(sentence: str, texts: list[str], missing: list[str]) -> None:
    """Each stands in a text, whatever its spelling, or it is missing."""
    assert list(find_missing(sentence, texts)) == missing


@pytest.mark.parametrize("place", ["words", "heading", "term", "title", "path"])
def test_all_that_a_reader_sees_counts(place: str) -> None:
    """The heading, the term of a definition, the title and the path of the source, and the point that it is about."""
    facts = {"words": "moves the files at the end", "heading": "", "term": "", "title": "", "path": ""}
    quotation = Quotation(**{**facts, place: f"{facts[place]} Rsync --delay-updates 3.2.7"})
    sentence = "With `--delay-updates`, the tool Rsync 3.2.7 moves the files."
    assert find_fault(sentence, [quotation]) == ""
    assert "`" not in find_fault(sentence, [Quotation(facts["words"])])
    assert "are not in its quotes" in find_fault(sentence, [Quotation(facts["words"])])
    assert find_fault(sentence, [Quotation(facts["words"])], "Rsync 3.2.7 and --delay-updates") == ""


def test_the_number_of_quotes() -> None:
    """One to three, of three words and more."""
    quotation = Quotation("three words here")
    assert find_fault("So it is.", [quotation] * 3) == ""
    assert "0 quotes" in find_fault("So it is.", [])
    assert "4 quotes" in find_fault("So it is.", [quotation] * 4)
    assert "too short" in find_fault("So it is.", [Quotation("two words")])


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    [
        (
            "a 'cache mount' is - a folder",
            "So a \u201ccache mount\u201d is \u2014 a folder of",
            "a \u201ccache mount\u201d is \u2014 a folder",
        ),
        ("cache mount", "recache mounts, a cache mount", "cache mount"),
        ("delay-updates moves", "the --delay-updates moves it", "--delay-updates moves"),
        ("`%p` is replaced", "In names, `%p` is replaced by it", "%p` is replaced"),
        ("*.conf in order", "reads *.conf in order", "*.conf in order"),
        ("| timeout | 30 |", "name value timeout 30 retries", "timeout 30"),
        ("Call f(x) now.", "then call f(x) now, or", "call f(x) now"),
        ("not there", "there is nothing", None),
        ("", "anything", None),
        ("...", "any...thing", None),
    ],
)
def test_a_quote_is_found_whatever_its_marks(quote: str, text: str, found: str | None) -> None:
    """White space, typography and marks of code may differ; the words returned are the source's."""
    assert find_words(quote, text) == found


@example("", "\uf900", "")  # composed, it is another letter
@given(st.text(), st.text(), st.text())
def test_what_is_found_stands_in_the_text(before: str, quote: str, after: str) -> None:
    """To the letter, whatever is searched."""
    text = fold(f"{before} {quote} {after}")
    found = find_words(quote, text)
    assert found is None or found in text
    assert found is not None or not any(char.isalnum() for char in fold(quote)) or find_words(fold(quote), text) is None
