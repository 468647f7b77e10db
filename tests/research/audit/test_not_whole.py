"""What is *not found* only in a source that was read whole, and that is about the same thing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from planbook.cli import main
from planbook.research.audit.comparison.read_source import ReadSource
from planbook.research.web.model import Fetched, Outcome
from tests.files import put

SOURCE = """# Kettles

The kettle of the shop costs $100 for 4 h of heat, and 27% of the kettles whistle in the morning.

The blue kettle follows ISO 9001 in all shops. Ask: here is question one what do you think a kettle may be
in the house of tea.

| Kettle | Lid | Pot | Cup |
| --- | --- | --- | --- |
| Blue kettle | 6/10 | 4/10 | 9/10 |
"""
CITE = "^[raw/tea.md]"


def verdict(root: Path, monkeypatch: pytest.MonkeyPatch, page: str, source: str = SOURCE) -> tuple[str, str]:
    """The verdict on the only claim of a page that cites a source, and its reason."""
    put(root, {"raw/tea.md": source, "raw/Cups, Pots & Lids.md": "# Cups\n\nA cup weighs 671 g.\n", "page.md": page})
    monkeypatch.chdir(root)
    done = CliRunner().invoke(main, ["audit", "page.md", "--offline", "--format", "json"])
    (claim,) = json.loads(done.stdout)["claims"]
    return claim["verdict"], claim["reason"]


CLAIMS = {
    "a price by the hour": (f"The kettle of the shop costs $300 for 12 h of heat. {CITE}", "not judged"),
    "another price": (f"The kettle of the shop costs $333 for 12 h of heat. {CITE}", "not found"),
    "a proportion": (f"A share of 0.27 of the kettles whistle in the morning. {CITE}", "not judged"),
    "another proportion": (f"A share of 0.617 of the kettles whistle in the morning. {CITE}", "not found"),
    "a share of a row": (
        f"| Kettle | Lid | Pot | All |\n| --- | --- | --- | --- |\n| Blue kettle {CITE} | 6/10 | 4/10 | 50.0 |",
        "not judged",
    ),
    "the number of a standard": (f"The blue kettle follows ISO 8601 in all shops. {CITE}", "not judged"),
    "the time of an item": (f"- **15 min — The blue kettle** {CITE} of the shop whistles for all shops.", "not judged"),
    "a figure of another clause": (
        f'It says "here is question one what do you think" {CITE} — and 770 people like it.',
        "not judged",
    ),
    "places of a work": (
        f"The kettle of the shop costs heat, and kettles whistle in the morning: §§6.1–6.5, pp. 90–138 and 155. {CITE}",
        "not judged",
    ),
    "clauses of a work": (
        f"The kettle of the shop costs heat, and kettles whistle in the morning: clauses 5.1.3 and 5.2.1–5.2.4. {CITE}",
        "not judged",
    ),
    "a place in laws": (
        f"The kettle of the shop costs heat per 47 CFR 64.1200(a)(2), and kettles whistle in the morning. {CITE}",
        "not judged",
    ),
    "the length of a work": (
        f"The kettle of the shop costs heat, by a 54-page review: kettles whistle in the morning. {CITE}",
        "not judged",
    ),
    "a figure that the page derives": (
        f"By the same calculation, the kettle of the shop costs heat, and 8123 kettles whistle in the morning. {CITE}",
        "not judged",
    ),
    "a figure beside a quote that the page derives": (
        f'It says "here is question one what do you think", for 8123 people by our own estimate. {CITE}',
        "not judged",
    ),
    "a name that the page derives": (
        f"By the same calculation, the kettle of the shop costs heat, and `boil_all` whistles in the morning. {CITE}",
        "not judged",
    ),
    "what somebody implies": (
        f'The implied "if we boil the kettle of the shop we have all the tea" is wrong. {CITE}',
        "not judged",
    ),
    "few of its words": (
        f"Ceramic teapots of Utrecht survive firing furnaces at 8123 degrees daily. {CITE}",
        "not judged",
    ),
    "a question by its number": (
        f'It asks: "Question 1 what do you think a kettle may be in the house" {CITE}',
        "inexact quote",
    ),
    "another figure of a quote": (
        f'The manual says "The kettle of the shop costs $150 for 4 h of heat". {CITE}',
        "figures differ",
    ),
    "nothing of a quote": (f'The manual says "cold rain fell on a tin roof of sheds". {CITE}', "not found"),
    "a link in the midst": ("The kettle uses `boil_all` and is set in [[raw/tea]] **after** the lid.", "not judged"),
    "a file with signs in its name": (
        f"The kettle of the shop costs 671 g of heat. {CITE} ^[raw/Cups, Pots & Lids.md]",
        "not judged",
    ),
    "a note with a stop": (
        f"> **Notes.** The kettle {CITE} is the latest kettle of the shop that anybody has seen.",
        "not judged",
    ),
}


@pytest.mark.parametrize(("claim", "expected"), CLAIMS.values(), ids=CLAIMS)
def test_a_reader_would_sign_what_is_not_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, claim: str, expected: str
) -> None:
    """What may be reckoned, belongs to a name or is of another clause or thing is left to a reader."""
    found, reason = verdict(tmp_path, monkeypatch, f"# Tea\n\n{claim}\n")
    assert found == expected, reason


@pytest.mark.parametrize("end", ["and the water is ho...", "[+1200 chars]", "Continue reading", "(truncated at 9 kB)"])
def test_nothing_is_absent_from_a_text_that_was_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    """Neither a figure nor a quote: the audit says that it did not read all."""
    page = f"# Tea\n\nAll kettles of the shop in the morning follow {CITE} 8123 teapots.\n"
    found, reason = verdict(tmp_path, monkeypatch, page, f"{SOURCE}\n{end}\n")
    assert (found, "its text seems to be cut" in reason) == ("not judged", True)


def test_a_text_may_lack_parts() -> None:
    """A PDF may lack columns, and a page may be one that shows its text with scripts."""
    pdf = Fetched("raw/tea.pdf", Outcome.OK, text=SOURCE, media_type="application/pdf")
    page = Fetched("https://tea.test/", Outcome.OK, text=SOURCE, media_type="text/html", doubt="it asks for scripts")
    gaps = [ReadSource(fetched, ()).gap for fetched in (pdf, page)]
    assert gaps == [
        "the text of a PDF may lack columns, tables and pictures",
        "the page may lack text: it asks for scripts",
    ]
