"""Numbers of sentences and sources: the same quantity in other forms is found, another one is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.research.proof.quantities import QuantityIndex, missing_quantities
from planbook.research.proof.sentences import find_missing

SAME = [
    ("Files are kept for 5 days.", "kept 5d"),
    ("The log is kept for 5d.", "for 5 days"),
    ("It waits two minutes.", "the timeout is 120 seconds"),
    ("It waits 120 seconds.", "Units: seconds. timeout 120.000"),
    ("It is 1.5 times faster.", "faster by a factor of 1.5"),
    ("It needs 2 GiB.", "needs 2048 MiB"),
    ("It waits 500 ms.", "waits 0.5 s"),
    ("A gain of 15 %.", "gains 15 percent"),
    ("The limit is 1,208.", "limit 1208"),
    ("The two daemons share a socket.", "krb5kdc and kadmind share a socket"),
    ("All three commands take a path.", "`get`, `put` and `list` take a path"),
    ("There are four modes.", "it has four modes"),
    ("A 64-bit number.", "64-bit"),
]
OTHER = [
    ("It waits 3 minutes.", "the timeout is 120 seconds"),
    ("It needs 16 GiB.", "needs 16 GB"),
    ("It sends 8 bits.", "sends 8 bytes"),
    ("The default is 41.", "the default is 40"),
    ("There are three checkpoint modes.", "it has four checkpoint modes"),
    ("The five commands.", "the two commands"),
    ("Since version 1.10.", "since version 1.1"),
    ("Since version 1.2.3.", "since version 1.2"),
    ("It gains -5 %.", "gains 5 %"),
    ("It takes twenty runs.", "it takes some runs"),
]


@pytest.mark.parametrize(("sentence", "text"), SAME)
def test_the_same_quantity_is_found(sentence: str, text: str) -> None:
    """In another unit, spelling or place."""
    assert list(missing_quantities(sentence, QuantityIndex(text))) == []


@pytest.mark.parametrize(("sentence", "text"), OTHER)
def test_another_quantity_is_missing(sentence: str, text: str) -> None:
    """A number, a unit of another size or dimension, a version, or a count that the text contradicts."""
    assert list(missing_quantities(sentence, QuantityIndex(text)))


@given(st.text())
def test_a_text_has_its_own_quantities(text: str) -> None:
    """Whatever it is."""
    assert list(missing_quantities(text, QuantityIndex(text))) == []


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("Kiln is built with Docker.", "built with **Docker** since"),
        ("Kiln is built with Docker.", "built with _Docker_ since"),
        ("The Route Reflector sends it.", "a Route\nReflector sends"),
        ("Set `a = b + c` first.", "set a=b+c first"),
        ("Append `_functions` to it.", "with _functions appended, and _others_"),
    ],
)
def test_names_and_code_are_found_in_other_forms(sentence: str, text: str) -> None:
    """In emphasis, across a line, with other blanks; marks that belong to a name stay."""
    assert find_missing(sentence, [text]) == ()


def test_short_code_with_other_blanks_is_another() -> None:
    """Too many texts would have it by chance."""
    assert find_missing("Use `a b` here.", ["use ab here"]) == ("a", "b")
