"""What an audit takes for words, figures, lines and names of a source, and what it leaves to a reader."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from planbook.cli import main
from planbook.research.audit.claims.cited_claims import read_cited_claims
from planbook.research.audit.comparison.languages import is_partly_in_another, language_of_line
from planbook.research.audit.comparison.near_wording import WordText
from planbook.research.proof.phrases import is_presented, why_unclaimed
from tests.files import put

SOURCE = """# Tea

Water at 80 degrees keeps the bitter compounds in the leaf.

A kettle of steel holds the heat for an hour, and it sings when the water is ready for the pot.

| Leaf | Minutes | Share |
| --- | --- | --- |
| Sencha | 61.16 | 51.75 |
| Bancha leaves of autumn | 12.5 | 20% |

The new Leaf-9 kettle holds 300 cups at the same time, triple what a Leaf-5 kettle could do.

What is it that you brew in the old pot? It is what you can do for us and what we can do for you.
"""


def audited(root: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], page: str) -> list[dict[str, Any]]:
    """The claims of a page beside some files."""
    put(root, {**files, "page.md": page})
    monkeypatch.chdir(root)
    done = CliRunner().invoke(main, ["audit", "page.md", "--offline", "--format", "json"])
    claims: list[dict[str, Any]] = json.loads(done.stdout)["claims"]
    return claims


QUOTES = {
    "said": ('The manual says "water of any kind is bad"', "not found"),
    "a colon after its name": ('The Tea Manual: "water of any kind is bad"', "not found"),
    "alone": ('"Water of any kind is bad for leaves"', "not found"),
    "nobody says so": ('It is all about the "water of any kind is bad" of tea', "not judged"),
    "most of its words": ('It is about "water at 80 degrees keeps bitter compounds in leaves" today', "inexact quote"),
    "the words in another order": ('It is the "leaf in the compounds bitter keeps degrees" of tea', "not judged"),
    "denied": ('These are not "water at 80 degrees keeps compounds in the leaf" at all', "not judged"),
    "a contrast": (
        "The point is not “water at 80 degrees” but “water keeps the bitter compounds in a leaf”",
        "not judged",
    ),
    "a relation": ('Extends: the pot ON "water at 80 degrees keeps compounds in the leaf"', "not judged"),
    "an example": ('Labels differ, e.g. "water at 80 degrees keeps compounds in the leaf" here', "not judged"),
    "a named example": ('Example (green tea): "water at 80 degrees keeps compounds in the leaf"', "not judged"),
    "a gloss": ('Where it means "water at 80 degrees keeps compounds in the leaf", wait', "not judged"),
    "what somebody could say": ('A label can say "water at 80 degrees keeps compounds in the leaf"', "not judged"),
    "a question of the source": ('It asks "what is it that you brew in the old pot today?" again', "inexact quote"),
    "few words with a meaning": ('It is of "what you can do for us and what we can do for it" now', "inexact quote"),
    "a title": ('A page is titled "water at 80 degrees keeps compounds in the leaf"', "not judged"),
    "a question": ('Both answer "how much did the water keep the compounds in the leaf"', "not judged"),
}


@pytest.mark.parametrize(("claim", "verdict"), QUOTES.values(), ids=QUOTES)
def test_a_quote_is_of_its_source_if_the_page_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, claim: str, verdict: str
) -> None:
    """Or if the source has most of its words in their order; what is denied, asked or an example is none."""
    (found,) = audited(tmp_path, monkeypatch, {"raw/tea.md": SOURCE}, f"# Tea\n\n{claim}. ^[raw/tea.md]\n")
    assert found["verdict"] == verdict, found["reason"]
    assert verdict != "not judged" or "may not be the source's" in found["reason"]


def test_the_nearest_words_are_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are shown for a quote that says the opposite, and for one in other words."""
    page = 'The manual says "a kettle of steel never holds the heat for an hour, and it sings". ^[raw/tea.md]\n'
    (found,) = audited(tmp_path, monkeypatch, {"raw/tea.md": SOURCE}, page)
    assert found["verdict"] == "not found"
    assert "the nearest words are “A kettle of steel holds the heat for an hour, and it sings" in found["reason"]
    page = 'The manual says "a steel kettle never holds the heat for hours, sings when water is ready". ^[raw/tea.md]\n'
    (found,) = audited(tmp_path, monkeypatch, {"raw/tea.md": SOURCE}, page)
    assert found["verdict"] == "not judged"
    assert "in other words than its source: “A kettle of steel holds the heat for an hour" in found["reason"]


def test_words_that_a_quote_has_instead_are_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside what the source says there."""
    page = 'The manual says "a kettle of steel keeps the heat for an hour". ^[raw/tea.md]\n'
    (found,) = audited(tmp_path, monkeypatch, {"raw/tea.md": SOURCE}, page)
    assert "it has “keeps”; the source says “A kettle of steel holds the heat" in found["reason"]


def test_a_quote_is_no_translation_if_the_source_has_most_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In its language, whatever the language of the rest."""
    page = 'She says "a kettle of steel never holds the heat for an hour, and it sings". ^[raw/hilo.md]\n'
    (found,) = audited(tmp_path, monkeypatch, {"raw/hilo.md": f"{SPANISH}{SOURCE}"}, page)
    assert found["verdict"] != "not judged", found["reason"]


CONDENSED = {
    "shortened": ("Turn weak leaves into 30 cards. Export for Anki", "inexact quote"),
    "in another order": ("Weak leaves turn into 30 cards, as a list to export, paste into Anki", "inexact quote"),
    "a list": ("Quiz me. One cup at a time. Don't say I'm right until I drink", "inexact quote"),
    "another figure": ("Turn weak leaves into 40 cards. Export for Anki", "not judged"),
    "figures exchanged": ("Pots 5 and cups 9 of the garden kettle whistle", "not judged"),
    "another name": ("Turn weak leaves into 30 cards. Export for Mnemosyne", "not judged"),
    "a denial": ("Turn weak leaves into 30 cards. Never export for Anki", "not judged"),
    "a denial left out": ("Quiz me. One cup at a time. Say I'm right until I drink", "not judged"),
    "a limit": ("Turn only weak leaves into 30 cards. Export for Anki", "not judged"),
    "half of it": ("Turn weak leaves into 30 cards, then hang the posters around the blue garden", "not found"),
}


@pytest.mark.parametrize(("quote", "verdict"), CONDENSED.values(), ids=CONDENSED)
def test_a_quote_that_condenses_one_place_is_inexact(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quote: str, verdict: str
) -> None:
    """In order or not, with its figures, names and denials; what it has otherwise is left to a reader."""
    source = (
        "# Tea\n\nTurn my weak leaves into 30 cards. Export as a list that I paste into Anki.\n\n"
        "Quiz me on this leaf. Rules:\n- One cup at a time.\n- Do NOT say if I'm right until I drink it all.\n\n"
        "The garden kettle whistles over 9 pots and 5 cups.\n"
    )
    (found,) = audited(tmp_path, monkeypatch, {"raw/tea.md": source}, f'The manual says "{quote}". ^[raw/tea.md]\n')
    assert found["verdict"] == verdict, found["reason"]
    assert ("condenses “" in found["reason"]) == (verdict == "inexact quote")


INEXACT = {
    "a word put in": ("The kettle of steel holds all the heat for an hour", "not judged"),
    "another article": ("The kettle of steel holds the heat for the hour", "inexact quote"),
    "an accent": ("A kettle of stéel holds the heat for an hour", "inexact quote"),
    "an inflection": ("A kettle of steel holding the heat for an hour", "inexact quote"),
    "its middle left out": ("A kettle of steel holds the heat, and it sings when ready", "inexact quote"),
    "in another order": ("A kettle of steel sings, and it holds the heat when ready", "inexact quote"),
    "another word": ("A kettle of steel keeps the heat for an hour", "inexact quote"),
    "a word before it": ("Why a kettle of steel holds the heat for an hour", "inexact quote"),
    "the opposite": ("The kettle of iron sings after the cup is cold", "not found"),
    "another name": ("The kettle of Bancha sings before the cup is cold", "not judged"),
    "a word such as often": ("A kettle of steel often holds the heat for an hour", "not judged"),
    "whole sentences left out": ("The lid sings. It is for the pot of the house", "inexact quote"),
    "a condition left out with an ellipsis": ("The lad sings … the water is cold and old", "inexact quote"),
    "a figure in words": ("The house has ≥3 kettles for guests", "inexact quote"),
    "a negation left out": ("The pot does keep the heat for a whole hour", "not found"),
    "a condition left out": ("The lid sings the water is cold and old", "not judged"),
    "with an ellipsis": ("A kettle of steel holds the heat … and it sings", "found verbatim"),
}


@pytest.mark.parametrize(("quote", "verdict"), INEXACT.values(), ids=INEXACT)
def test_a_quote_that_is_nearly_verbatim_is_inexact(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quote: str, verdict: str
) -> None:
    """With another article or inflection, or without words that change nothing. It is no *not found*."""
    source = (
        f"{SOURCE}\nThe pot does not keep the heat for a whole hour.\n\nThe lid sings if the water is cold and old.\n"
        "\nThe kettle of Sencha and iron sings before the cup is cold.\n\nThe lid sings. You must not"
        " leave. It is for the pot of the house.\n\nThe house has at least three kettles for guests.\n"
    )
    (found,) = audited(tmp_path, monkeypatch, {"raw/tea.md": source}, f'The manual says "{quote}". ^[raw/tea.md]\n')
    assert found["verdict"] == verdict, found["reason"]
    assert (found["codes"] == ["A007"]) == (verdict in {"inexact quote", "not judged"})
    assert ("is not verbatim" in found["reason"]) == (verdict == "inexact quote")


ONE_FIGURE = {
    "another number": ("Water at 90 degrees keeps the bitter compounds in the leaf", "90", "80"),
    "the first word": ("70% of leaves are green and all are dry", "70", "60"),
    "the last word": ("The pots of the house were sold for 4.5", "4.5", "3.5"),
    "of millions": ("All new kettles of the company cost 7M in total", "7M", "9M"),
    "with a word that is before it, too": ("at all of the hours 90 cups are left in the new pot", "90", "70"),
    "in words": ("The steamer needs seven cups before it sings", "seven", "three"),
    "a day": ("The kettle was sold again on 2026-06-09 at home", "", ""),
    "and an article": ("Water at 90 degrees keeps bitter compounds in the leaf", "90", "80"),
    "rounded": ("The tea of the house weighs 12.3 grams in the pot", "", ""),
    "written otherwise": ("The garden of the house has 1500 plants in a row", "", ""),
    "two figures": ("In the year 1999 there were 45 rooms of tea", "", ""),
    "a figure and a word": ("Water at 90 degrees keeps all bitter compounds from the leaf", "", ""),
    "a figure that is not there": ("Water at 80 degrees keeps 9 bitter compounds in the leaf", "", ""),
}


@pytest.mark.parametrize(("quote", "here", "there"), ONE_FIGURE.values(), ids=ONE_FIGURE)
def test_a_quote_with_another_figure_alone_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quote: str, here: str, there: str
) -> None:
    """It is no longer the source's if two figures, or a word that matters, are others."""
    more = (
        "60% of leaves are green and all are dry.",
        "The pots of the house were sold for 3.5.",
        "All new kettles of the company cost 9M in total.",
        "The steamer needs three cups before it sings.",
        "At noon, at dawn, and at all of the hours 70 cups are left in the new pot.",
        "The kettle was sold again on 2026-06-10 at home.",
        "The tea of the house weighs 12.34 grams in the pot.",
        "The garden of the house has 1,500 plants in a row.",
        "In the year 1998 there were 43 rooms of tea.",
    )
    source = "\n\n".join((SOURCE, *more))
    (found,) = audited(tmp_path, monkeypatch, {"raw/tea.md": source}, f'The manual says "{quote}". ^[raw/tea.md]\n')
    reason = f"the quote says “{here}”, the source “{there}”: “"
    assert (found["verdict"] == "figures differ") == bool(here), found["reason"]
    assert not here or found["reason"].startswith(reason), found["reason"]
    assert not here or there in found["reason"].partition("”: “")[2]
    assert not here or found["codes"] == ["A006"]


def test_a_quote_may_stand_in_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose lines were read one after the other: nobody knows. So it is for one with another word."""
    lines = (
        "In general the kettle is quite",
        "class B? What is it that you brew in the pot of",
        "useful for tea, but sometimes",
        "subjects were shown brief sketches of an old room and",
    )
    more = ("it leads to severe errors.", "profiles of all the rooms.")
    page = "".join(
        f'The manual says "in general the kettle is quite {word} for tea, but sometimes it leads to severe errors". '
        "^[raw/tea.md]\n\n"
        for word in ("useful", "useless")
    )
    found = audited(tmp_path, monkeypatch, {"raw/tea.md": "\n".join((*lines, *more))}, page)
    assert [claim["verdict"] for claim in found] == ["not judged", "not judged"]
    assert "as in columns" in found[0]["reason"]


def test_a_figure_beside_an_inexact_quote_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is nowhere in the source."""
    page = 'The manual says "the kettle of steel holds the heat for the hour" in 433 words. ^[raw/tea.md]\n'
    (found,) = audited(tmp_path, monkeypatch, {"raw/tea.md": SOURCE}, page)
    assert (found["verdict"], "“433”" in found["reason"]) == ("not found", True)


def test_a_quote_may_begin_or_end_in_the_cited_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line beside them it does not."""
    file = "A kettle of steel\nholds the heat for an hour.\nIt sings.\n"
    page = "".join(
        f'The manual says "a kettle of steel holds the heat". ^[raw/tea.md:{lines}]\n\n' for lines in ("2-3", "3-3")
    )
    found = audited(tmp_path, monkeypatch, {"raw/tea.md": file}, page)
    assert [claim["verdict"] for claim in found] == ["found verbatim", "other lines"]
    assert found[1]["codes"] == ["A008"]  # its source has it


def test_examples_are_those_that_a_sentence_introduces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind it in the paragraph, and in the list below it; not in the next paragraph."""
    near = '"Water at 80 degrees keeps compounds in the leaf"'
    page = (
        f"---\nsources: [raw/tea.md]\n---\n# Tea\n\nExamples: one is short. {near} is one.\n\n"
        f"{near} is no such thing.\n\n"
        f"Examples:\n\n- {near}\n\nText of its own.\n\n- {near}\n"
    )
    found = audited(tmp_path, monkeypatch, {"raw/tea.md": SOURCE}, page)
    assert [claim["verdict"] for claim in found] == ["not judged", "inexact quote"] * 2


def test_times_of_a_transcript_interrupt_no_quote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that link to the recording do not, either."""
    lines = "\n".join(f"[0{n}:45](#t={n * 60 + 45}) tea number {n} steeps for us and" for n in range(1, 8))
    page = 'She says "tea number 2 steeps for us and tea number 3 steeps". ^[raw/talk.md]\n'
    (found,) = audited(tmp_path, monkeypatch, {"raw/talk.md": f"# Talk\n\n{lines}\n"}, page)
    assert found["verdict"] == "found verbatim"


SPANISH = "# Hilo\n\n" + "El agua de la tetera conserva los compuestos de la hoja para el té.\n\n" * 4
GERMAN = "Das Wasser in der Kanne ist nicht heiß und die Blätter sind auf dem Boden."


def test_a_quote_may_be_a_translation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a part of the source is in another language than the claim."""
    page = 'She says "the water of the kettle keeps the compounds of the leaf". ^[raw/hilo.md]\n'
    (found,) = audited(
        tmp_path, monkeypatch, {"raw/hilo.md": f"{SPANISH}A summary of what it says in the end.\n"}, page
    )
    assert (found["verdict"], "translation" in found["reason"]) == ("not judged", True)
    assert language_of_line(GERMAN) == "German"
    assert language_of_line("Tea Kettle Pot") == ""
    assert language_of_line("水在壶里保持热度") == "another script"
    assert not is_partly_in_another(SOURCE, "This is the water of the kettle that is for the tea.")


def test_lines_that_do_not_exist_are_not_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file was read, and ends before them; one that ends within them could not be read in full."""
    page = (
        "The kettle `steep_leaves` is for hot water (`src/kettle.py:9`).\n\n"
        "The kettle `steep_leaves` is for hot water (`src/kettle.py:2-9`).\n\n"
        "The kettle `steep_leaves` is for hot water (`src/none.py:9`).\n"
    )
    program = "LIMIT = 3\ndef boil():\n    pass\n"
    first, second = audited(tmp_path, monkeypatch, {"src/kettle.py": program}, page)
    reason = "the cited lines do not exist: src/kettle.py has 3 lines, and no line 9"
    reason += ", and “steep_leaves” is nowhere in it"
    assert (first["verdict"], first["reason"]) == ("not found", reason)
    assert second["verdict"] == "unreadable"


def test_another_citation_may_have_what_missing_lines_do_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A claim that another of its sources has word for word is found."""
    page = "Water at 80 degrees keeps the bitter compounds in the leaf. ^[raw/tea.md] ^[raw/tea.md:99]\n"
    (found,) = audited(tmp_path, monkeypatch, {"raw/tea.md": SOURCE}, page)
    assert found["verdict"] == "found verbatim"


def test_a_figure_of_a_row_of_the_source_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the source has the rest of the row; other figures of a page may be from anywhere."""
    page = (
        "---\nsources: [raw/tea.md]\n---\n# Tea\n\n| Leaf | Minutes | Share |\n| --- | --- | --- |\n"
        "| Sencha | 61.16 | 81.75 |\n| Gyokuro | 61.16 | 93.75 |\n\nIt has been shown in 1,234 pots.\n"
    )
    found = audited(tmp_path, monkeypatch, {"raw/tea.md": SOURCE}, page)
    verdicts = {claim["claim"].partition(" ")[0]: claim["verdict"] for claim in found}
    assert verdicts == {"Sencha": "figures differ", "Gyokuro": "not judged", "It": "not judged"}


UNITS = {
    "another unit": ("Bancha leaves of autumn take 20x of all", "figures differ"),
    "the same": ("Bancha leaves of autumn take 20% of all", "not judged"),
    "another time": ("A kettle of steel holds the heat for 45 minutes and sings", "figures differ"),
    "a name that is compared": ("A Leaf-5 kettle holds 100 cups at the same time", "not judged"),
}


@pytest.mark.parametrize(("claim", "verdict"), UNITS.values(), ids=UNITS)
def test_a_unit_is_that_of_the_same_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, claim: str, verdict: str
) -> None:
    """Among the same words. A sentence that compares two things has the figure of either."""
    source = SOURCE.replace("for an hour", "for 45 hours")
    page = f"---\nsources: [raw/tea.md]\n---\n# Tea\n\n{claim}.\n"
    (found,) = audited(tmp_path, monkeypatch, {"raw/tea.md": source}, page)
    assert (found["verdict"] == "figures differ") == (verdict == "figures differ"), found["reason"]


def test_digits_of_a_hash_are_no_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A figure beside a quote that only a hash has is nowhere in the source."""
    source = f"sha256: 94d627df46d43cdd17c9974db7c34d7e\n\n{SOURCE}"
    page = 'The manual says "water at 80 degrees keeps the bitter compounds" in 433 words. ^[raw/tea.md]\n'
    (found,) = audited(tmp_path, monkeypatch, {"raw/tea.md": source}, page)
    assert (found["verdict"], "“433”" in found["reason"]) == ("not found", True)


def test_an_identifier_may_have_a_shorter_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That of a variable is no other name."""
    text = "The water of the kettle comes from kettContext.get() at once.\n"
    page = "".join(
        f"The water of the kettle comes from the `{name}` at once. ^[raw/a.md]\n\n"
        for name in ("KettleContext", "KettleFactory")
    )
    first, second = audited(tmp_path, monkeypatch, {"raw/a.md": text}, page)
    assert (first["reason"] != second["reason"], second["verdict"]) == (True, "not judged")


def test_a_figure_may_be_of_another_page_that_a_row_links_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two files of its name, nobody knows which one."""
    head = "| Pot | Source | Report | Share |\n| --- | --- | --- | --- |\n"
    page = f"{head}| Sencha | [[sources/tea]] | [[report]] | 81.023 |\n| Sencha | [[sources/tea]] | none | 81.023 |\n"
    files = {"wiki/sources/tea.md": SOURCE, "wiki/sources/report.md": "Share: 81.023\n", "wiki/old/report.md": "Old\n"}
    found = audited(tmp_path, monkeypatch, files, page)
    assert [claim["verdict"] for claim in found] == ["not judged", "not judged"]


def test_lines_in_the_text_of_a_link_count() -> None:
    """If the address names the first one alone; other addresses stay as they are."""
    base = "https://code.test/leaf/tea/blob/main/kettle.ts"
    text = (
        f"`boil` at [kettle.ts:8-22]({base}#L8) and `cool` at [kettle.ts:19]({base}#L59) heat [k:1-2]({base}#L40) up.\n"
    )
    (claim,) = read_cited_claims(text, "page.md")
    assert claim.urls == (f"{base}#L8-L22", f"{base}#L59", f"{base}#L40")


def test_nearest_words_stand_in_one_place() -> None:
    """Words far apart are none; those of a longer text are found where they are."""
    text = WordText(f"{'Oats are sown in the spring of each year. ' * 50}{SOURCE}")
    found = text.nearest("water of 80 degrees kept the compounds in its leaf")
    assert found.text == "Water at 80 degrees keeps the bitter compounds in the leaf"
    assert found.share == 0.7
    assert text.nearest("kettle Sencha oats cups pots autumn bitter").share < 0.4
    assert text.nearest("").share == 0
    assert WordText("It is 4-3-3 today.").nearest("4-3-3 today").text == "4-3-3 today"


def test_quotes_are_presented_by_what_stands_before_them() -> None:
    """Words far from a quote say nothing of it."""
    quote = "keep the water in the pot"
    assert is_presented(f'She writes "{quote}" and more of what they all did.', quote)
    far = f'She writes of tea. {"It is green and good. " * 6}It is "{quote}" and more.'
    assert not is_presented(far, quote)
    assert why_unclaimed(f'He did not drink, and writes "{quote}".', quote) == ""


OTHER_WORDS = {
    "words around it": ("a maker of kettles that hold the heat for an hour", "not judged"),
    "left out: some": ("it gives the leaf oversight of people", "inexact quote"),
    "left out: should": ("unknown leaves are not allowed in the pot, derive a leaf from the box", "inexact quote"),
    "left out: may": ("young leaves face greater heat in the pot of steel", "not judged"),
    "an absent figure": ("a maker of 77 kettles that hold the heat for an hour", "not judged"),
    "an absent name": ("a maker in Utrecht of kettles that hold the heat for an hour", "not judged"),
    "nothing of it": ("cold rain on the tin roof of a garden shed", "not found"),
    "a long one with another word": ("it holds the heat for an hour, and then it whistles in the pot", "inexact quote"),
}
OTHERWISE = """# Tea

We are makers of steel kettles. They hold heat for nearly an hour, says the maker.

It gives the leaf some oversight of people. Unknown leaves are not allowed in the pot, so you should derive a leaf
from the box. Young leaves may face greater heat in the pot of steel. It holds the heat for an hour, and then it sings
in the pot.
"""


@pytest.mark.parametrize(("quote", "verdict"), OTHER_WORDS.values(), ids=OTHER_WORDS)
def test_a_quotation_in_other_words_is_left_to_a_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quote: str, verdict: str
) -> None:
    """It is not found if nearly all of it is absent, or it says the opposite."""
    page = f'# Tea\n\nThe manual says "{quote}". ^[raw/tea.md]\n'
    (found,) = audited(tmp_path, monkeypatch, {"raw/tea.md": OTHERWISE}, page)
    assert found["verdict"] == verdict, found["reason"]


WARNED = {
    "told not to": 'Do not confuse "a kettle of iron holds the heat" with "a kettle of steel holds the cold"',
    "a gerund": 'Calling it "a kettle of iron holds the heat for an hour" is common',
    "people": 'Of pots, people sometimes write "a kettle of iron holds the heat for an hour"',
}


@pytest.mark.parametrize("claim", WARNED.values(), ids=WARNED)
def test_what_a_page_warns_of_is_nobodys_quotation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, claim: str) -> None:
    """Unless the source has all of its words."""
    (found,) = audited(tmp_path, monkeypatch, {"raw/tea.md": SOURCE}, f"# Tea\n\n{claim}. ^[raw/tea.md]\n")
    assert (found["verdict"], "the page warns of them" in found["reason"]) == ("not judged", True)


FENCED = """<!--
URL: https://tea.example/steeping
-->

```
# Steeping

A [kettle](#kettles) of **steel** holds the [heat](#heat-and-cold) for an hour.

```python
boil(80)
```

It **sings** when it is ready.
```
"""


def test_a_page_saved_as_one_block_of_code_is_read_as_markdown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The targets of its links are no words of it, and its lines stay where they are."""
    page = "".join(
        f'The manual says "a kettle of steel holds the heat for an hour". ^[raw/tea.md{lines}]\n\n'
        for lines in ("", ":8", ":14")
    )
    found = audited(tmp_path, monkeypatch, {"raw/tea.md": FENCED}, page)
    assert [claim["verdict"] for claim in found] == ["found verbatim", "found verbatim", "other lines"]
    assert "it is in line 8" in found[2]["reason"]
