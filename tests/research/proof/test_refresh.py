"""The words of a source that are most like a quote that it no longer has."""

from __future__ import annotations

import time

import pytest

from planbook.research.proof.refresh import closest_words, find_differences

FIRST = "Monique Hicks and Leonard Bell measured six teas in boiling water, bagged and loose."
SECOND = "On average, 69 percent of the caffeine was in the cup after five minutes, and all of it after fifteen."
THIRD = "Caffeine leaves small particles faster than large ones, because they have more surface."
NEW = SECOND.replace("69", "68")
OTHER = "A kettle is filled with fresh water, and only as much of it as is needed for the cups."
ITEMS = ("Black tea: 100 °C, four minutes", "Green tea: 80 °C, two minutes", "White tea: 70 °C, six minutes")
NEW_ITEMS = (ITEMS[0], "Green tea: 75 °C, two minutes", ITEMS[2])


@pytest.mark.parametrize(
    ("quote", "source", "closest"),
    [
        (f"{FIRST} {SECOND}", f"{OTHER} {FIRST} {NEW} {THIRD} {OTHER}", f"{FIRST} {NEW}"),
        (f"{FIRST} {SECOND} {THIRD}", f"# Tea\n\n{OTHER}\n\n{FIRST} {NEW}\n\n{THIRD}\n", f"{FIRST} {NEW} {THIRD}"),
        (f"{FIRST} {SECOND} {THIRD}", f"# Tea\n\n{FIRST} {SECOND}\n", f"{FIRST} {SECOND}"),  # without the heading
        (f"{FIRST}\n\n{SECOND}", f"{FIRST}\n\n{NEW}\n\n{OTHER}", f"{FIRST} {NEW}"),
        (
            f"{FIRST} {SECOND}",
            f"{OTHER}\n{FIRST[:40]}\n{FIRST[40:]} {NEW[:30]}\n{NEW[30:]}\n{OTHER}",  # hard line breaks
            f"{FIRST} {NEW}",
        ),
        (" ".join(ITEMS), "\n".join([OTHER, *(f"- {item}" for item in NEW_ITEMS), OTHER]), " ".join(NEW_ITEMS)),
        (" ".join(ITEMS), "\n".join(f"{n}. {item}" for n, item in enumerate(NEW_ITEMS, 1)), " ".join(NEW_ITEMS)),
        ("\n".join(ITEMS), "\n\n".join(f"> {item}" for item in NEW_ITEMS).replace("> ", ""), " ".join(NEW_ITEMS)),
        (SECOND, f"{OTHER} {NEW} {THIRD}", NEW),
        ("69 percent of the caffeine was in the cup", f"{OTHER} {NEW} {THIRD}", NEW),
        (f"{FIRST} {SECOND}", f"{OTHER} {OTHER} {OTHER}", ""),
        (f"{FIRST} {SECOND}", "", ""),
        ("", f"{FIRST} {SECOND}", ""),
    ],
)
def test_the_most_similar_run_of_sentences_is_found(quote: str, source: str, closest: str) -> None:
    """As many sentences, items or paragraphs as the quote has, wherever lines end; nothing where nothing is alike."""
    assert closest_words(quote, source) == closest


def test_a_run_that_was_there_before_is_about_something_else() -> None:
    """Of two alike, the one that is new is shown."""
    old = f"{FIRST} {SECOND} {THIRD} {FIRST} {SECOND.replace('69', '12')}"
    new = old.replace("69", "68")
    assert closest_words(f"{FIRST} {SECOND}", new, (old,)) == f"{FIRST} {NEW}"


def test_differences_are_the_words_that_changed() -> None:
    """A difference is a word that was replaced, removed or added."""
    assert list(find_differences("a b c d", "a x c d e")) == [("b", "x"), ("", "e")]
    assert list(find_differences("a b c", "a c")) == [("b", "")]


def test_a_long_source_takes_no_long_time() -> None:
    """A quote of 80 words in a text of 200,000 words, half of whose words the quote has, too."""
    quote = " ".join([FIRST, SECOND, THIRD, FIRST, SECOND])
    source = "\n".join(f"{OTHER} Tea {n} is measured in boiling water after {n} minutes." for n in range(7_000))
    start = time.process_time()
    assert closest_words(quote, f"{source}\n{FIRST} {NEW} {THIRD} {FIRST} {NEW}\n{source[: len(source) // 2]}")
    assert time.process_time() - start < 20
