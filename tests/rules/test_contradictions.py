"""Statements on two pages with another value for one point are reported, those that only look so are not."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.rules.contradictions import find_contradictions, read_statements

DIFFERENT = [
    ("The Kyusu teapot holds 300 MB of leaves.", "The Kyusu teapot holds 3 GB of leaves."),
    ("A build of SenchaPot takes 5 minutes.", "A build of SenchaPot takes 10 minutes (see the log)."),
    ("`tea.pot.max_cups` (default: 3).", "The server reads `tea.pot.max_cups`, which defaults to 5."),
    ("Brewing with KyusuPot requires Python 3.9 or later.", "Brewing with KyusuPot requires Python 3.10 or later."),
    ("SenchaPot knows 4 kinds of leaf.", "SenchaPot knows 5 kinds of leaf."),
    ("Port `TEA_PORT` is set (default: 80).\n", "| Option | Default |\n| --- | --- |\n| `TEA_PORT` | 8080 |\n"),
]
ALIKE = [
    ("The Kyusu teapot holds 1,024 MiB of leaves.", "The Kyusu teapot holds 1 GiB of leaves."),
    ("The Kyusu teapot holds 2,841 MiB of leaves.", "The Kyusu teapot holds 2.8 GiB of leaves."),
    ("A build of SenchaPot takes 1.5 minutes.", "A build of SenchaPot takes 90,000 ms."),
    ("The Kyusu teapot holds 300 MB of leaves.", "The Kyusu teapot holds up to 400 MB of leaves."),
    ("The Kyusu teapot holds 300 MB of leaves.", "The Hojicha teapot holds 400 MB of leaves."),
    ("The Kyusu teapot holds 2 to 4 litres of tea.", "The Kyusu teapot holds 3 litres of tea."),
    ("The Kyusu teapot held 3 cups until 1.2.", "The Kyusu teapot holds 5 cups until 1.3."),
    ("The Kyusu teapot was sold for 3 days.", "The Kyusu teapot is sold for 5 days."),
    ("This pot of KyusuWare holds 3 litres.", "This pot of KyusuWare holds 5 litres."),
    ("The Kyusu of 2024-01 holds 3 litres of tea.", "The Kyusu of 2024-01 holds 3.0 litres of tea."),
    ("In KyusuPot 2.1, brewing takes 3 minutes.", "In KyusuPot 2.2, brewing takes 5 minutes."),
    ("For example, write `KyusuPot 1.2` in the file.", "For example, write `KyusuPot 1.3` in the file."),
    ("Brewing with KyusuPot requires Python 3.9.0.", "Brewing with KyusuPot requires Python 3.9."),
    ("Table 3 shows what KyusuPot brews.", "Table 4 shows what KyusuPot brews."),
]


def told(*texts: str) -> list[str]:
    """What is reported of a base with a page for each text."""
    titles = ("Water", "Time", "Leaf", "Cup")
    pages = [f"# {title}\n\n{text}\n" for title, text in zip(titles, texts, strict=False)]
    read = {f"{n}.md": read_statements(page.encode()) for n, page in enumerate(pages)}
    return [f"{problem.uri}:{problem.line} {problem.message}" for problem in find_contradictions(read)]


@pytest.mark.parametrize(("one", "two"), DIFFERENT)
def test_another_value_is_reported(one: str, two: str) -> None:
    """Once, at the later page; not if both are on one page, nor if both give the same value."""
    assert len(told(one, two)) == 1
    assert told(f"{one}\n\n{two}") == told(one, one) == []


@pytest.mark.parametrize(("one", "two"), ALIKE)
def test_what_only_looks_like_another_value_is_not(one: str, two: str) -> None:
    """In either order."""
    assert told(one, two) == told(two, one) == []


def test_the_message_has_both_places_and_values() -> None:
    """So that both can be opened."""
    assert told("Tea.\n\nThe Kyusu teapot holds 3 cups.", "The Kyusu teapot holds 4 cups.") == [
        "1.md:3 `4 cups` here, but `3 cups` in 0.md:5; correct one, or say why they differ"
    ]


def test_pages_of_one_template_do_not_contradict_each_other() -> None:
    """A sentence with three values, or two pages that differ in three sentences, are about different things."""
    assert told(*(f"The Kyusu teapot holds {n} cups." for n in (3, 4, 5))) == []
    page = "The Kyusu pot holds {0} cups.\n\nThe Sencha pot brews {0} minutes.\n\nThe Hojicha pot gets {0} spoons."
    assert told(page.format(3), page.format(4)) == []


def test_lists_of_sources_and_quoted_lines_keep_their_lines() -> None:
    """A quotation is a statement of the page; an entry in a list of sources is none."""
    assert told("The Kyusu teapot holds 3 cups.", "> Kettles.\n> The Kyusu teapot holds 4 cups.")[0].startswith(
        "1.md:4 "
    )
    assert told("The Kyusu teapot holds 3 cups.", "## Sources\n\n- The Kyusu teapot holds 4 cups.") == []


@given(st.text(string.printable + "°µ–≥²٣", max_size=300))
def test_no_text_breaks_it(text: str) -> None:
    """Any text is read, and a page never contradicts its copy."""
    read = read_statements(text.encode())
    assert list(find_contradictions({"a.md": read, "b.md": read})) == []
