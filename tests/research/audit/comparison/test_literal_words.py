"""What a source has as it is if it says the same, and what it may have in another form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from planbook.cli import main
from planbook.research.audit.comparison.literal_words import literal_figures
from tests.files import put

FIGURES = {
    "money": ("The kettle costs $58 in May", "58", True),
    "a scale": ("It has 27K leaves", "27K", True),
    "a percentage": ("It has 30% of the leaves", "30%", True),
    "a size": ("It has 12 GB of leaves", "12 GB", True),
    "three digits": ("It has 420 leaves", "420", True),
    "decimals": ("It weighs 24.5 kg", "24.5", True),
    "a small number": ("It has 42 leaves", "42", False),
    "one year": ("It lasts for 1 year", "1 year", False),
    "a year": ("It was made in 1997", "1997", False),
    "a version": ("It needs 5.1.3", "5.1.3", False),
    "a difference": ("It rose by +$3B", "3B", False),
    "a number of a name": ("It is in Phase 145", "145", False),
    "a number behind an article": ("The 145 leaves", "145", True),
    "a power of two": ("It holds 4096 leaves", "4096", False),
}


@pytest.mark.parametrize(("sentence", "figure", "is_literal"), FIGURES.values(), ids=FIGURES)
def test_a_figure_is_literal_with_a_unit_or_three_digits(sentence: str, figure: str, is_literal: bool) -> None:
    """Others may be there in words, be reckoned, or name something else."""
    assert list(literal_figures([figure], sentence)) == [figure] * is_literal


SOURCE = """# Kettles

The owner of the tea house keeps the water in the kettle hot, and never boils it twice for the guests of a day.

They ordered 120 eggs for the kettles of the house on a sunny morning. The second round will last one year for all.

She has not typed a line of the recipe since December, and is glad.

The kettle doesn't hit a wall because of water. It hits a wall because of steam.

Kettles 2.0 view. Kettles 1.0 easily heats what you can specify.

| Part of the kettle | Weight | Cost |
| --- | --- | --- |
| Lid of steel | 310 | 28 |

"""
CITE = "^[raw/tea.md]"
CODE = "src/kettle.py"
CLAIMS = {
    "the opposite": (
        f'The manual says "keeps the water in the kettle not hot, and never boils it". {CITE}',
        "not found",
    ),
    "a not that was left out": (f'She says "has typed a line of the recipe since December". {CITE}', "not found"),
    "another word at the edge": (f'She says "hasn\'t typed a line since December". {CITE}', "not judged"),
    "a passage left out": (f'It says "The kettle hits a wall because of steam". {CITE}', "not judged"),
    "another number of a name": (f'It says "Kettles 7.0 easily heats what you can specify". {CITE}', "figures differ"),
    "nothing of it": (f'The manual says "cold rain fell on a tin roof of sheds". {CITE}', "not found"),
    "another script": (f'The manual says "水壶放在屋顶上 是 不对 的 做法 因为 下雨". {CITE}', "not judged"),
    "a hypothetical": (f'If a guest came and said "cold rain fell on a tin roof of sheds", wait. {CITE}', "not judged"),
    "a contrast": (
        f'The lesson: "cold rain fell on a tin roof of sheds" is not the same as that. {CITE}',
        "not judged",
    ),
    "words of its own history": (
        f'Prior editions of this page said "cold rain fell on a tin roof of sheds". {CITE}',
        "not judged",
    ),
    "an absent figure": (
        f"The owner of the tea house keeps 420 guests in the house of the kettle. {CITE}",
        "not found",
    ),
    "an absent small figure": (
        f"The owner of the tea house keeps 42 guests in the house of the kettle. {CITE}",
        "not judged",
    ),
    "a figure in words": (f"The second round lasts about 1 year for the guests of the house. {CITE}", "not judged"),
    "a figure of its own history": (
        f"Prior editions of this page had 54,300 guests in the house of the kettle. {CITE}",
        "not judged",
    ),
    "another figure": (
        f"They ordered 420 eggs for the kettles of the house on a sunny morning. {CITE}",
        "figures differ",
    ),
    "a cell of another source": (
        f"| Part | Weight | Cost | Price |\n| --- | --- | --- | --- |\n| Lid of the kettle {CITE} | 310 | 430 | 28% |",
        "not judged",
    ),
    "a name": (f"The owner of the tea house calls `boil_all` in the kettle of the house. {CITE}", "not judged"),
    "lines that do not exist": (f"The kettle has a lid that is hot (`{CODE}:90`).", "unreadable"),
    "a name that is nowhere": (f"The kettle calls `steep_leaves` for hot tea (`{CODE}:90`).", "not found"),
    "a name in other lines": (f"The kettle calls `boil_water` for hot tea (`{CODE}:90`).", "other lines"),
    "a name of a plan": (f"The kettle will call `steep_leaves` to be hot (`{CODE}:90`).", "unreadable"),
    "a name that is to be added": (f"Add `steep_leaves` to the kettle (`{CODE}:90`).", "unreadable"),
}


@pytest.mark.parametrize(("claim", "expected"), CLAIMS.values(), ids=CLAIMS)
def test_a_verdict_that_accuses_can_be_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, claim: str, expected: str
) -> None:
    """What may be there in other words or in another form is not checked."""
    put(
        tmp_path,
        {"raw/tea.md": SOURCE, CODE: "def boil_water():\n    pass\n", "page.md": f"# Tea\n\n## Pot\n\n{claim}\n"},
    )
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["audit", "page.md", "--offline", "--format", "json"])
    (found,) = json.loads(done.stdout)["claims"]
    assert found["verdict"] == expected, found["reason"]


def test_a_quote_may_leave_out_the_citations_of_its_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers in brackets, and the folder of a page that a link names."""
    source = "# Tea\n\nThe kettle [12] keeps the water hot [3, 4], as in [[notes/kettle-of-steel]] of the house.\n"
    quote = "The kettle keeps the water hot, as in kettle-of-steel of the house"
    put(tmp_path, {"raw/tea.md": source, "page.md": f'# Tea\n\nIt says "{quote}". {CITE}\n'})
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["audit", "page.md", "--offline", "--format", "json"])
    assert [claim["verdict"] for claim in json.loads(done.stdout)["claims"]] == ["found verbatim"]


def test_a_year_that_another_source_has_was_cited_from_the_wrong_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its passage is similar, and the cited source has nothing similar; a difference is reckoned."""
    other = "# Pots\n\nThe first album of the whistling kettles of Utrecht was sold in 1999 to 3 shops of the town.\n"
    claims = (
        "The whistling kettles of Utrecht sold their first album in 1999.",
        "The whistling kettles of Utrecht sold their first album in shops (+3).",
    )
    page = "".join(f"{claim} {CITE}\n\n" for claim in claims)
    put(
        tmp_path,
        {"raw/tea.md": SOURCE, "raw/pots.md": other, "page.md": f"{page}The pots are in town. ^[raw/pots.md]\n"},
    )
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["audit", "page.md", "--offline", "--format", "json"])
    first, second, _ = json.loads(done.stdout)["claims"]
    assert (first["verdict"], first["reason"]) == ("not found", "“1999” is nowhere in its sources; see raw/pots.md")
    assert second["verdict"] == "not judged", second["reason"]
