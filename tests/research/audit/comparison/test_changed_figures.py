"""Figures of a claim that a sentence of its source has otherwise."""

from __future__ import annotations

import pytest

from planbook.research.audit.comparison.changed_figures import Statements, find_changed_version

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


BOARDS = """# Boards

The RTX 3080 board moves 6 MB in a cache, and the RTX 3080 has 760 GB/s of bandwidth.
The blue kettle of the tea room heats 2 liters of water within 90 seconds on the stove.
A pot with the RTX 4090 is faster than the fastest kettle of 2007.
The tea room needs Kettle 4.5 for the new pots of the house.
The shop sold 40 cups and 12 pots of steel in the first week of the year.

| Method | Pour | Lift | Mean |
| --- | --- | --- | --- |
| Steep and stir | 95 | 85 | 81.7 |
"""
OF_ANOTHER = {
    "another model": ("RTX 3090 | board | 936 GB/s", ["936 GB"]),
    "a rate and an amount": ("RTX 3080 board in cache | 936 GB/s", ["936 GB"]),
    "a name that the sentence lacks": (
        "The blue kettle of the Leaf room heats water within 70 seconds",
        ["70 seconds"],
    ),
    "a comparison of another year": ("A pot with the RTX 4090 is the fastest kettle of 2010", ["2010"]),
    "another version of a thing": ("The tea room needs Kettle 4.7 for the new pots of the house", ["4.7"]),
    "two figures that the source lacks": (
        "The shop sold 45 cups, 12 pots and 319 lids of steel in the first week of the year",
        ["45", "319"],
    ),
    "another unit of a range": ("The shop sold pots | 5-40%", ["5-40%"]),
}


@pytest.mark.parametrize(("claim", "absent"), OF_ANOTHER.values(), ids=OF_ANOTHER)
def test_a_figure_of_another_thing_is_not_compared(claim: str, absent: list[str]) -> None:
    """Of another model, kind, name, version or year, or beside another figure that the source lacks."""
    statements = Statements(BOARDS)
    assert (statements.find_changed(claim, absent), statements.find_changed_unit(claim)) == (None, None)


def test_a_rate_of_the_same_thing_is_compared() -> None:
    """A figure with the same unit, among the same names, is another one."""
    changed = Statements(BOARDS).find_changed("The RTX 3080 board has 960 GB/s of bandwidth", ["960 GB"])
    assert changed is not None
    assert changed.there == ("760 GB",)


def test_a_cell_of_another_column_is_not_compared() -> None:
    """A row of two cells may have any column of a longer one."""
    statements = Statements(BOARDS)
    assert statements.find_changed_cell("Steep and stir | 81.7") is None
    assert statements.find_changed_cell("Steep and stir | 95 | 85 | 61.7") is not None
