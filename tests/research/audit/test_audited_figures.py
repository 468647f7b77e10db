"""Numbers of a claim that an audit takes for figures, and those that it does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from planbook.cli import main
from tests.files import put

SOURCE = """# Tea

The kettle of the tea room holds the heat for an hour, with count: 41 in its log.

The paper on kettles (Tea '24) was read on 2026-06-09 by all.
"""
QUOTE = '"The kettle of the tea room holds the heat"'

FIGURES = {
    "behind a colon": (f"The manual says {QUOTE} (count: 433).", "not found"),
    "behind a dash": (f"The manual says {QUOTE} – 43 of them.", "not judged"),
    "the same behind a colon": (f"The manual says {QUOTE} (count: 41).", "found verbatim"),
    "a line": (f"The manual says {QUOTE} (tea.md: 43).", "found verbatim"),
    "a line in words": (f"The manual says {QUOTE} (line: 43).", "found verbatim"),
    "a time": (f"The manual says {QUOTE} (at 12:43).", "found verbatim"),
    "a range": (f"The manual says {QUOTE} (2018 – 19).", "not judged"),
    "a day of a month": (f"The manual says {QUOTE} (Jun 9).", "found verbatim"),
    "another day": (f"The manual says {QUOTE} (Jun 10).", "not judged"),
    "days of a month": (f"The manual says {QUOTE} (read Jun 16-17).", "not judged"),
    "a day before the month": (f"The manual says {QUOTE} on 10 June.", "found verbatim"),
    "a year in two digits": (f"The manual says {QUOTE} at Tea 2024.", "found verbatim"),
    "another year": (f"The manual says {QUOTE} at Tea 2023.", "not judged"),
}


@pytest.mark.parametrize(("claim", "verdict"), FIGURES.values(), ids=FIGURES)
def test_a_number_is_a_figure_unless_it_names_a_place_or_a_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, claim: str, verdict: str
) -> None:
    """Lines of a file, times and days count nothing; what stands behind a colon or a dash does."""
    put(tmp_path, {"raw/tea.md": SOURCE, "page.md": f"# Tea\n\n{claim} ^[raw/tea.md]\n"})
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["audit", "page.md", "--offline", "--format", "json"])
    (found,) = json.loads(done.stdout)["claims"]
    assert found["verdict"] == verdict, found["reason"]


DERIVED = {
    "a ratio as a percentage": ("The score rose from 36.81 to 48.34 (+31%).", "not judged"),
    "another percentage": ("The score rose from 36.81 to 48.34 (444.4%).", "not found"),
    "a ratio": ("The score of 36.81 became 48.34, or 1.31 times.", "not judged"),
    "miles": ("The score has winds of 175 km/h (109 mph).", "not judged"),
    "degrees": ("The score of the soil is 30 °C (86 °F).", "not judged"),
    "an approximation": ("The score costs 48.34 rupees (approximately $12,000).", "not judged"),
    "another amount": ("The score costs 48.34 rupees ($12,000).", "not found"),
    "the year of a date": ("The score was set on August 26, 2023.", "not judged"),
    "the year of another date": ("The score was set on August 27, 2023.", "not judged"),
}


@pytest.mark.parametrize(("claim", "verdict"), DERIVED.values(), ids=DERIVED)
def test_a_figure_may_follow_from_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, claim: str, verdict: str
) -> None:
    """A ratio, another unit, an approximation in brackets, or the year of a day that the source has."""
    source = "# Scores\n\nThe score rose from 36.81 to 48.34, with winds of 175 km/h, on August 26, at 30 degrees.\n"
    put(tmp_path, {"raw/tea.md": source, "page.md": f"# Tea\n\n{claim} ^[raw/tea.md]\n"})
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["audit", "page.md", "--offline", "--format", "json"])
    (found,) = json.loads(done.stdout)["claims"]
    assert found["verdict"] == verdict, found["reason"]


def test_a_row_of_many_figures_is_that_which_has_one_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another row of the same name, with other figures, says something else."""
    head = "| Leaf | Cups | Pots | Rooms |\n| --- | --- | --- | --- |\n"
    put(tmp_path, {"raw/tea.md": f"# Tea\n\n{head}| Green leaves of tea | 445 | 63.3 | 0.98 |\n"})
    rows = "| Green leaves of tea | 343 | 25.0 | 1.92 |\n| Green leaves of tea | 343 | 63.3 | 0.98 |\n"
    put(tmp_path, {"page.md": f"---\nsources: [raw/tea.md]\n---\n# Tea\n\n{head}{rows}"})
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["audit", "page.md", "--offline", "--format", "json"])
    first, second = json.loads(done.stdout)["claims"]
    assert first["verdict"] == "not judged", first["reason"]
    assert second["verdict"] in {"figures differ", "not found"}, second["reason"]


CHANGED = {
    "a cell": ("| Sencha of May | 12.5 | 81.75 |", "figures differ"),
    "of two": ("| Sencha leaves | 29% |", "figures differ"),
    "of two, with one word": ("| Gyokuro | 29% |", "not judged"),
    "as it is": ("| Sencha of May | 12.5 | 51.75 |", "found verbatim"),
    "rounded": ("| Sencha of May | 12.5 | 51.8 |", "not judged"),
    "two cells": ("| Sencha of May | 19.5 | 81.75 |", "not judged"),
    "another row": ("| Sencha of June | 12.5 | 51.75 |", "not judged"),
    "the very words around it": ("Up to 700 pots are kept in the house for guests.", "figures differ"),
    "at the edge of a cell": ("19% of all the pots of the tea house are blue.", "not judged"),
    "about it": ("One more pot costs ~23 minutes of the day.", "figures differ"),
    "of a name": ("The kettle Leaf 300 is kept in the house for guests.", "not judged"),
}


@pytest.mark.parametrize(("claim", "verdict"), CHANGED.values(), ids=CHANGED)
def test_a_figure_differs_among_the_same_words_or_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, claim: str, verdict: str
) -> None:
    """Though the source has it elsewhere; a row says the same if its first cell and all others do."""
    source = (
        "| Leaf | Minutes | Share |\n| --- | --- | --- |\n| Sencha of May | 12.5 | 51.75 |\n"
        "| Sencha of May | 12.9 | 51.95 (+2) |\n\n| Leaf | Share |\n| --- | --- |\n| Sencha leaves | 21% |\n"
        "| Gyokuro | 23% |\n\nThe cup holds 29 leaves. Up to 300 pots are kept in the house for guests.\n\n"
        "Of 700 cups.\n\n"
        "Of all, one more pot costs ~20 minutes of the day; 12.5, 19.5 and 81.75 are other figures.\n\n"
        "The kettle Leaf 200 is kept in the house for guests.\n\n"
        "| Cups | 1.5K |\n| of all the pots of the tea house are blue | 12% |\n\nOther 19% are red.\n"
    )
    head = "| A | B | C |\n| --- | --- | --- |\n" if claim.startswith("|") else ""
    text = claim.removesuffix(" |") + " ^[raw/tea.md]" + " |" * claim.startswith("|")
    put(tmp_path, {"raw/tea.md": source, "page.md": f"# Tea\n\n{head}{text}\n"})
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["audit", "page.md", "--offline", "--format", "json"])
    (found,) = json.loads(done.stdout)["claims"]
    assert found["verdict"] == verdict, found["reason"]


THERE = {
    "cut": ("The log was seen by 9.9M people.", "not judged"),
    "a share that is cut": ("The kettle went from 32.73 to 47.63 (+45%).", "not judged"),
    "another share": ("The kettle went from 32.73 to 47.63 (149%).", "not found"),
    "a day that is numbered": ("After 30 days the kettle knows the house.", "not judged"),
    "another day": ("After 900 days the kettle knows the house.", "not found"),
}


@pytest.mark.parametrize(("claim", "verdict"), THERE.values(), ids=THERE)
def test_a_figure_may_be_written_or_cut_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, claim: str, verdict: str
) -> None:
    """9.9M of 9,952,669, a ratio without its decimals, and *30 days* of *day 30*."""
    source = (
        "The log was seen by 9,952,669 people. The kettle went from 32.73 to 47.63 in a day.\n\n"
        "Day 30: the kettle knows the house.\n"
    )
    put(tmp_path, {"raw/tea.md": source, "page.md": f"# Tea\n\n{claim} ^[raw/tea.md]\n"})
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["audit", "page.md", "--offline", "--format", "json"])
    (found,) = json.loads(done.stdout)["claims"]
    assert found["verdict"] == verdict, found["reason"]


PLACES = {
    "the slide of the next item": ("Built into all pots, cups and kettles (s. 10).", "not judged"),
    "a page": ("Every lid is made of the best steel and sings (p. 10).", "not judged"),
    "a figure": ("Built into all pots, cups and kettles of 10 guests.", "not judged"),
    "another figure": ("Every leaf of the garden is dried for 10 days.", "figures differ"),
}


@pytest.mark.parametrize(("claim", "verdict"), PLACES.values(), ids=PLACES)
def test_a_number_of_a_page_or_of_the_next_item_is_no_other_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, claim: str, verdict: str
) -> None:
    """It says where something is said, or belongs to something else."""
    source = (
        "# Tea\n\n- **(s. 10)** The kitchen:\n  - Built into all pots, cups and kettles.\n- **(s. 11)** Gardens.\n"
        "\nEvery lid is made of the best steel and sings (p. 12).\n\nEvery leaf of the garden is dried for 12 days.\n"
    )
    put(tmp_path, {"raw/tea.md": source, "page.md": f"# Tea\n\n{claim} ^[raw/tea.md]\n"})
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["audit", "page.md", "--offline", "--format", "json"])
    (found,) = json.loads(done.stdout)["claims"]
    assert found["verdict"] == verdict, found["reason"]


METHODS = {
    "a class of the source": ("It is done by `GreenKettle.__call__`, as above.", "not judged"),
    "another class": ("It is done by `BlackKettle.__call__`, as above.", "not judged"),
}


@pytest.mark.parametrize(("claim", "verdict"), METHODS.values(), ids=METHODS)
def test_a_method_that_every_class_may_have_is_named_by_its_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, claim: str, verdict: str
) -> None:
    """The source defines both, but not in one word."""
    source = "class GreenKettle:\n    def __call__(self):\n        pass  # it is done by this, as above\n"
    put(tmp_path, {"raw/tea.py": source, "page.md": f"# Tea\n\n{claim} ^[raw/tea.py]\n"})
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["audit", "page.md", "--offline", "--format", "json"])
    (found,) = json.loads(done.stdout)["claims"]
    assert found["verdict"] == verdict, found["reason"]


WRITTEN = """# Tea

Since the 70s, kettles at Leaf 2 cost \u221221% per pot, and a note may have 8191 chars.

The limits are `top\\_p` and Node 18, with 36.4 million pots, and 11.4333 mm or 5.7167 mm of steel.

| Leaf | Points |
| --- | --- |
| Sencha | 28.57 |
| Bancha | 41.23 |
"""
FORMS = {
    "a sign behind a tilde": ("The kettles at Leaf 2 cost ~\u221221% per pot.", "not judged"),
    "no sign": ("The kettles at Leaf 2 cost 21% less for each pot.", "not judged"),
    "another percentage": ("The kettles at Leaf 2 cost ~\u221223% per pot.", "figures differ"),
    "a decade": ("The kettles have been sold widely since the 1970s.", "not judged"),
    "another decade": ("The kettles at Leaf 2 have been sold since the 1950s.", "not found"),
    "a short word for a unit": ("A note on the kettles may have 8191 characters at most.", "not judged"),
    "an escaped name": ("The limits of kettles are `top_p` and others.", "not judged"),
    "a product with its end": ("The limits of the kettles are those of Node.js alone.", "not judged"),
    "a scale of another script": ("The limits are those of 3640 万 pots of steel.", "not judged"),
    "a cell in percent": ("Sencha leaves reach 28.57% of the points.", "not judged"),
    "rounded, beside another figure": ("The steel of the limits has 11.43 mm of the pots.", "not judged"),
    "rounded down": ("The steel of the limits has 5.72 mm of the pots.", "not judged"),
    "an index of a formula": ("Of the kettles at Leaf 2, $H_{11}$ and $H_0$ are true per pot.", "not judged"),
    "a year in wide brackets": ("The kettles of Leaf 2\uff082024\uff09cost less per pot.", "not judged"),
    "the name of a file": ("The kettles of Leaf 2 (4.25.md) cost less for each pot.", "not judged"),
    "a date in a cell": (
        "| Leaf | Day |\n| --- | --- |\n| Kettles at Leaf 2 ^[raw/tea.md] | 2026-04-22 |\n",
        "not judged",
    ),
}


def _verdict(root: Path, monkeypatch: pytest.MonkeyPatch, source: str, claim: str) -> tuple[str, str]:
    """The verdict on a claim of one source, and its reason."""
    cited = claim if "^[" in claim else f"{claim} ^[raw/tea.md]"
    put(root, {"raw/tea.md": source, "page.md": f"# Tea\n\n{cited}\n"})
    monkeypatch.chdir(root)
    done = CliRunner().invoke(main, ["audit", "page.md", "--offline", "--format", "json"])
    (found,) = json.loads(done.stdout)["claims"]
    return found["verdict"], found["reason"]


@pytest.mark.parametrize(("claim", "verdict"), FORMS.values(), ids=FORMS)
def test_a_figure_or_name_in_another_form_is_not_absent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, claim: str, verdict: str
) -> None:
    """With another sign, unit, scale or escape, rounded; nor is what is no figure of the sentence."""
    found, reason = _verdict(tmp_path, monkeypatch, WRITTEN, claim)
    assert found == verdict, reason


LISTED = (
    "# Pots\n\nThe branch of pots has a score of 2.95, and the other branch of pots one of 3.44.\n\n"
    "Post for 15 minutes, answer for 20 minutes, and write for 5 minutes. Of all, 9 of 10 whistle, and half sing.\n\n"
    "## Kettles\n\n" + "".join(f"- Kettle {chr(97 + n)} for the pots\n" for n in range(17)) + "\n"
    "| Pot | Use |\n| --- | --- |\n" + "".join(f"| pot {chr(97 + n)} | tea |\n" for n in range(23))
)
RECKONED = {
    "a difference": ("The branch of pots is 0.49 better (2.95 against 3.44).", "not judged"),
    "another difference": ("The branch of pots is 0.531 better (2.95 against 3.44).", "not found"),
    "a difference of the source's figures": (
        "The branch of pots has a score 0.49 better than the other.",
        "not judged",
    ),
    "a sum": ("It takes 40 minutes: 15 minutes to post, 20 minutes to answer, 5 minutes to write.", "not judged"),
    "another sum": ("It takes 145 minutes: 15 minutes to post, 20 minutes to answer, 5 minutes to write.", "not found"),
    "a count of items": ("The branch has 17 kettles for the pots.", "not judged"),
    "another count of items": ("The branch has 180 kettles for the pots.", "not found"),
    "a count of rows": ("The branch has 20+ uses of the pots.", "not judged"),
    "a count with words": ("The branch has more than 20 uses of the pots.", "not judged"),
    "too high a count": ("The branch has 500+ uses of the pots.", "not found"),
    "a proportion": ("Of the pots of the branch, 90% whistle.", "not judged"),
    "a share in words": ("Of the pots of the branch, 50% sing.", "not judged"),
    "another share": ("Of the pots of the branch, 60% sing.", "not found"),
    "a count beside a quote": (
        'The manual says "the branch of pots has a score of 2.95" for 17 kettles.',
        "not judged",
    ),
}


@pytest.mark.parametrize(("claim", "verdict"), RECKONED.values(), ids=RECKONED)
def test_what_can_be_reckoned_is_left_to_a_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, claim: str, verdict: str
) -> None:
    """Sums, differences, counts and shares of what the source has are neither found nor absent."""
    found, reason = _verdict(tmp_path, monkeypatch, LISTED, claim)
    assert found == verdict, reason


def test_a_number_with_a_suffix_is_no_score(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """675M parameters are not the 2.27 beside the same name."""
    source = "# Tea\n\n| Leaf | Score |\n| --- | --- |\n| DiT-XL kettle of leaves | 2.27 |\n"
    found, reason = _verdict(tmp_path, monkeypatch, source, "The DiT-XL kettle of leaves (675M) sings.")
    assert found == "not found", reason
