"""Sentences whose quotes have another default, value or name: a sentence, its quote, and the words that differ."""

from __future__ import annotations

import pytest

from planbook.research.proof.contradictions import find_contradiction, find_other_subject
from planbook.research.proof.sentences import Quotation
from tests.research.proof.kiln import faults, manual, page

TRIES = "Using the default value of 30, the pause will be 60 (seconds) on the 10th try."
CASES = [
    # Figures that are defaults, where the quote has both.
    ("It waits 30 seconds by default.", TRIES, ()),
    ("It waits 60 seconds by default.", TRIES, ("60", "30")),
    ("On the 10th try it waits 60 seconds.", TRIES, ()),
    ("The default is 1500 for rulesets.", "The default is 10 for actions and 1500 for rulesets.", ()),
    ("The default is 50000.", "Default: 1000/50000", ()),
    # Values: a default or a cell, where the quote has the opposite alone.
    ("It is off by default.", "binary off no $Save", ()),
    ("It is on by default.", "binary off no $Save", ("on", "off")),
    ("It is on by default.", "It is disabled unless it is set on the kiln.", ("on", "disabled")),
    ("It is off by default.", 'The default is "false".', ()),
    ("default: on", 'binary off no $Save Set it to "on".', ("on", "off")),
    ("default: off", 'binary off no $Save Set it to "on".', ()),
    ("It is not on by default.", "binary off no $Save", ()),
    ("Set it to on; it is off by default.", "binary off no $Save", ()),
    ("lid. true. shuts it.", "lid false shuts it", ("true", "false")),
    ("Put it on the kiln.", "It is off the kiln.", ()),
    # Words of which one is meant.
    ("Ports are opened for UDP.", "It opens ports for TCP.", ("udp", "tcp")),
    ("Ports are opened for UDP.", "It opens ports for TCP and UDP.", ()),
    ("Names with uppercase letters fail.", "Names must be lowercase.", ()),
    ("It is served over HTTPS.", "Set http.tls.certificate to the path of the certificate.", ()),
    ("Secrets are stored encrypted.", "They are never stored unencrypted.", ()),
    # Names of one kind.
    ("`--cool` opens it.", "--ash opens the vents.", ("--cool", "--ash")),
    ("`--cool` opens it, not `--ash`.", "--ash opens the vents.", ()),
    ("`kiln.heat` is 0.", "The default of kiln.hold is 0.", ("kiln.heat", "kiln.hold")),
    ("`oven.heat` is 0.", "The default of kiln.hold is 0.", ()),
    ("`heat` is 0.", "The default of kiln.hold is 0.", ()),
]


@pytest.mark.parametrize(("said", "quoted", "words"), CASES)
def test_what_stands_in_the_place_of_something_else(said: str, quoted: str, words: tuple[str, str] | tuple[()]) -> None:
    """The word of the sentence and that of its quote; nothing if both may be meant."""
    told = f"“{words[0]}” stands where its quotes have “{words[1]}”" if words else ""
    assert find_contradiction(said, [Quotation(quoted)]) == told


def test_a_quote_is_about_its_term_or_heading() -> None:
    """A name of a row is compared with them alone, and not where the row has both."""
    quote = Quotation("It is 70% of kiln.size.", heading="Kilns > kiln.low")
    assert find_other_subject("`kiln.mark`", [quote], "") == "“kiln.mark” stands where its quotes have “kiln.low”"
    assert find_other_subject("`kiln.mark`", [quote], "| `kiln.mark` | like kiln.low |") == ""
    assert find_other_subject("`kiln.low`", [quote], "") == ""


@pytest.mark.parametrize(
    ("name", "is_told"),
    [("max-tries-per-kiln", True), ("tries-per-kiln", False), ("heat-per-oven", False)],
)
def test_a_hyphenated_option_is_not_one_that_is_spelled_alike(name: str, *, is_told: bool) -> None:
    """Whose default was cited for it, from below the other one's heading."""
    quote = Quotation("The default value is 10.", heading="Options > tries-per-kiln")
    told = f"“{name}” stands where its quotes have “tries-per-kiln”" if is_told else ""
    assert find_contradiction(f"`{name}` is 10.", [quote]) == told


ROW = "| Setting | Default | Effect | Source |\n| --- | --- | --- | --- |\n| pause | {} | waits | [@manual, q] |"


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        (ROW.format("30"), []),
        (ROW.format("60"), ["D048"]),
        (ROW.replace("Default", "On the 10th try").format("60"), []),
        ("It waits 60 seconds by default [@manual, q].", ["D048"]),
        ("It waits 60 seconds by default. On the 10th try it is 60 [@manual, q].", []),
    ],
)
def test_a_contradiction_is_refused(body: str, codes: list[str]) -> None:
    """Of the sentence that cites; one before it may rest on something else."""
    assert [one.code for one in faults(page(body, {"q": TRIES}), [manual()])] == codes
