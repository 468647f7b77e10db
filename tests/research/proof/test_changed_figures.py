"""Figures of a claim that a sentence of its source has otherwise."""

from __future__ import annotations

import pytest

from planbook.research.proof.changed_figures import Statements, find_changed_version

KETTLES = """# Kettles

She runs two shops that sell $160k of kettles a month, and nobody helps her.

The rule that breaks 90% of offers is to name the kettle, the shop or any price in them. Another 10% never arrive.

Sales rose from 3 to 10M a year. The shop has 40,000 visitors, and crossed 50,000 in April 2026.
Kettles were in all shops since the 70s. The kettle needs 4.47 minutes. It is sold with an RTX 4070 card and 12 cups.

| Part of the kettle | Weight |
| --- | --- |
| Handle and grip | 25% |
| Lid and spout | 20% |

| Test | Small | Large |
| --- | --- | --- |
| Hot Pro | 19.32 | 17.22 |
"""
CHANGED = {
    "amount": ("Runs two shops that sell $260k of kettles a month", "$160k"),
    "a figure that is elsewhere": (
        "The rule that breaks 10% of offers: to name the kettle, the shop or any price in them",
        "90%",
    ),
    "a row of one figure": ("Lid and spout | 25%", "20%"),
    "the same figure": ("Runs two shops that sell $160,000 of kettles a month", ""),
    "other words": ("The owner has 260 kettles, and sells them to her friends", ""),
    "a number of a name": ("It is sold with an RTX 4060 card and cups", ""),
    "a range with one scale": ("Sales rose from $3M to $10M a year", ""),
    "a count that grows": ("The shop has 51k+ visitors, and crossed 50,000 in April 2026", ""),
    "rounded": ("The kettle needs 4.5 minutes", ""),
    "about": ("The kettle needs about 4 minutes", ""),
    "another currency": ("Runs two shops that sell €260k of kettles a month", ""),
    "a row of several figures": ("Hot Pro | 20.01 | 19.29", ""),
    "a decade": ("Kettles were in all shops since the 1970s", ""),
    "a loss": ("The rule breaks offers: -90% that name the kettle, the shop or any price", ""),
    "another model": ("The K2.5 shop sells 260k of kettles a month, and runs two shops", ""),
    "a sum": ("She sells kettles and 52 cups: 40 and 12 cups with a card", ""),
}


@pytest.mark.parametrize(("claim", "there"), CHANGED.values(), ids=CHANGED)
def test_a_changed_figure_stands_among_the_same_words(claim: str, there: str) -> None:
    """Another one of its kind is in its place; what is rounded, scaled or the number of a name is not changed."""
    absent = ["$260k", "260k", "260", "4060", "51k", "4.5 minutes", "4 minutes", "20.01", "19.29", "52", "1970s"]
    changed = Statements(KETTLES).find_changed(claim, absent)
    assert (changed.there if changed else ()) == ((there.removeprefix("$"),) if there else ())


@pytest.mark.parametrize(
    ("claim", "lines", "there"),
    [
        ("The version is 2.0.1", "version=2.1.0", ("2.1.0",)),
        ("The version is v2.1.0", "version=2.1.0", ()),
        ("The version is 2.0.1", "version=2.1.0\nkettle=1.0.0", ()),
        ("It needs 2.0.1 or 2.0.2", "version=2.1.0", ()),
        ("The version is 2.0.1", "version=2.1.0\n\n\n\n", ()),
    ],
)
def test_a_version_is_compared_with_the_only_one_in_its_lines(claim: str, lines: str, there: tuple[str, ...]) -> None:
    """Few lines, one version in them, and one in the claim."""
    changed = find_changed_version(claim, Statements(lines))
    assert (changed.there if changed else ()) == there
