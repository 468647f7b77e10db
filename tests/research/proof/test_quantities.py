"""Numbers of sentences and sources: the same quantity in other forms is found, another one is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.research.proof.quantities import QuantityIndex, missing_quantities, read_quantities
from planbook.research.proof.sentences import find_missing

SAME = [
    ("With 1, no data is lost.", "If it is set to one, no data can be lost"),
    ("下流タスク+2.11%", "下流タスクで2.11%向上"),
    ("with 1.5B parameters", "1.5Bモデル"),
    ("30 cups", "水を30杯"),
    ("Files are kept for 5 days.", "kept 5d"),
    ("The log is kept for 5d.", "for 5 days"),
    ("It waits two minutes.", "the timeout is 120 seconds"),
    ("It waits 120 seconds.", "Units: seconds. timeout 120.000"),
    ("It is 1.5 times faster.", "faster by a factor of 1.5"),
    ("It needs 2 GiB.", "needs 2048 MiB"),
    ("It waits 500 ms.", "waits 0.5 s"),
    ("A gain of 15 %.", "gains 15 percent"),
    ("The limit is 1,208.", "limit 1208"),
    ("Of 1,208, all are kept.", "limit 1208"),
    ("The two daemons share a socket.", "krb5kdc and kadmind share a socket"),
    ("All three commands take a path.", "`get`, `put` and `list` take a path"),
    ("There are four modes.", "it has four modes"),
    ("A 64-bit number.", "64-bit"),
    ("It earns $7,000 a month.", "That's $7K/month"),
    ("It costs $5K–$15K.", "from $5,000 to $15,000"),
    ("It has 87K+ stars.", "87,000+ stars"),
    ("It has 10,000 users.", "10k installs"),
    ("It raised $3.1M.", "raised 3.1 million dollars"),
    ("It has 8B parameters.", "eight billion parameters"),
    ("Of 10,000 entries 200 were kept.", "ten thousand entries, about two hundred of them"),
    ("It took 5 thousand runs.", "5000 runs"),
    ("It costs $1.00.", "costs a single dollar"),
    ("It came in 2025-07.", "In July 2025, it came"),
    ("It came in 2025-07.", "Jul 2025"),
    ("It came on 2025-07-31.", "July 31, 2025"),
    ("It came in July 2025.", "2025-07"),
    ("It sends 16 bytes.", "Units: bytes. size 16B"),
    ("It came with 2.12.", "New in v2.12.0"),
    ("It needs 9.0.", "built for sm_90a alone"),
    ("It needs 10.3.", "-gencode arch=compute_103"),
    ("It came with v1.18.1.", "reported since v1.16.0\nv1.18.1"),
    ("It came with 1.18.1.", "reported since 1.16.0 v1.18.1"),
    ("It waits 60 minutes.", "--interval=60m"),
    ("It waits an hour, or 60 min.", "every 60m."),
    ("It waits 3,600 seconds.", "`60m`"),
    ("It came with V3.", "either V2 or\u00a0V3, 2 V3"),
    ("It asks every 10 s.", "failureThreshold: 3 periodSeconds: 10 timeoutSeconds: 5"),
    ("It waits 2 minutes.", "`waitSeconds` | `120`"),
    ("It gives up after 0.5 s.", '"timeoutMs": "500"'),
    ("It keeps 1 KiB.", "maxBytes=1024"),
]
OTHER = [
    ("下流タスク+2.11%", "下流タスクで2.17%向上"),
    ("with 12 cups", "第12章"),
    ("It waits 60 minutes.", "with 60 MB"),
    ("It asks every 10 min.", "periodSeconds: 10"),
    ("It asks every 10 ms.", "periodSeconds: 10"),
    ("It fails after 3 s.", "failureThreshold: 3 periodSeconds: 10"),
    ("It asks every 10 s.", "periodSeconds, then 10 of them"),
    ("It asks every 10 s.", "periodsSecondary: 10"),
    ("It waits 61 minutes.", "--interval=60m"),
    ("It waits 60 minutes.", "over 60mm"),
    ("It waits 60 hours.", "--interval=60m"),
    ("There is 1 cup.", "No one has a cup, and this is one of them"),
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
    ("It earns $7,000 a month.", "That's $8K/month"),
    ("It earns $7K.", "That's $7"),
    ("It has 10,000 users.", "nine thousand users"),
    ("It came in 2025-08.", "In July 2025, it came"),
    ("It has 7 users.", "In July 2025, it came"),
    ("It came with 2.12.", "New in v2.12.1"),
    ("It came with 2.12.", "New in v2.1.20"),
    ("It came with 2.12.0.", "New in v2.12"),
    ("It came with 2.", "New in v2.0.0"),
    ("It waits 2.12 s.", "New in v2.12.0"),
    ("It needs 9.0.", "built for sm_89 alone"),
    ("It needs 9.0.", "a set of 90"),
]


@pytest.mark.parametrize(("sentence", "text"), SAME)
def test_the_same_quantity_is_found(sentence: str, text: str) -> None:
    """It may be in another unit, spelling or place."""
    assert list(missing_quantities(read_quantities(sentence), QuantityIndex(text))) == []


@pytest.mark.parametrize(("sentence", "text"), OTHER)
def test_another_quantity_is_missing(sentence: str, text: str) -> None:
    """A number, a unit of another size or dimension, a version, or a count that the text contradicts."""
    assert list(missing_quantities(read_quantities(sentence), QuantityIndex(text)))


@given(st.text())
def test_a_text_has_its_own_quantities(text: str) -> None:
    """No text lacks a quantity of its own, whatever it is."""
    assert list(missing_quantities(read_quantities(text), QuantityIndex(text))) == []


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("Kiln is built with Docker.", "built with **Docker** since"),
        ("Kiln is built with Docker.", "built with _Docker_ since"),
        ("The Route Reflector sends it.", "a Route\nReflector sends"),
        ("Set `a = b + c` first.", "set a=b+c first"),
        ("Append `_functions` to it.", "with _functions appended, and _others_"),
        ("It is 1\u20443 of it.", "defaults to <sup>1</sup>&frasl;<sub>3</sub> of it"),
        ("It is 1/3 of it.", "defaults to `1&#8260;3` of it"),
    ],
)
def test_names_and_code_are_found_in_other_forms(sentence: str, text: str) -> None:
    """In emphasis, across a line, with other blanks; marks that belong to a name stay."""
    assert find_missing(sentence, [text]) == ()


def test_short_code_with_other_blanks_is_another() -> None:
    """Too many texts would have it by chance."""
    assert find_missing("Use `a b` here.", ["use ab here"]) == ("a", "b")


@pytest.mark.parametrize(
    ("one", "other", "is_rounded"),
    [
        ("1.023", "1.02", True),
        ("1.02", "1.023", True),
        ("4.9M", "4,912,345", True),
        ("1.783", "1.75", False),
        ("260", "160", False),
        ("5 minutes", "4.9 minutes", False),
        ("47", "50", False),
        ("4.97 minutes", "5.0 minutes", False),
        ("2020", "2019", False),
        ("20%", "19.6%", False),
        ("2.0.1", "2.0.1.1", False),
    ],
)
def test_a_number_may_be_another_one_rounded(one: str, other: str, *, is_rounded: bool) -> None:
    """Either has two digits or more, and the other one has more of them."""
    (quantity,) = read_quantities(one)
    assert QuantityIndex(other).has_rounded(quantity) is is_rounded


@pytest.mark.parametrize(
    ("sentence", "quote", "is_there"),
    [
        ("It gives up after four tries.", "The fourth try is the last.", True),
        ("The 4th try is the last.", "It gives up at the fourth try.", True),
        ("It gives up after 5 tries.", "The fourth try is the last.", False),
        ("It waits 2 seconds.", "It waits for the second.", False),
    ],
)
def test_an_ordinal_has_its_number(sentence: str, quote: str, is_there: bool) -> None:
    """In words, too; a second is a unit."""
    assert (not find_missing(sentence, [quote])) == is_there
