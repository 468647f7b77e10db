"""The table of forms: the example of each form gives what its row says, and the Guide shows the rows."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planbook.model import LineBudget
from planbook.plan.as_json import plan_to_json
from planbook.plan.forms import FORMS, FormKind, LineForm, Meaning
from planbook.plan.parse import parse
from tests.cases import differences
from tests.conftest import ROOT

GUIDE = ROOT / "docs/guide/plan-forms.md"
BEGIN = "<!-- The table below is generated from FORMS in generator/planbook/plan/forms.py: `make golden`. -->"
END = "<!-- End of the generated table. -->"


def shown(form: LineForm) -> dict[str, Any]:
    """What `planbook show` says of the PART that consists of the form's example, with its page's title and gaps."""
    plan, problems = parse(f"# Bread\n\n## PART 1: Starter\n\n{form.example}\n", "plans/x.md")
    (part,) = plan.parts
    more = {"page_title": part.page_title, "gaps": list(part.gaps)}
    return {**plan_to_json(plan, problems)["parts"][0], **more}


@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"{form.meaning}: {form.name}")
def test_an_example_gives_what_its_row_says(form: LineForm) -> None:
    """Each form is read from its own example."""
    assert form.gives, "a row without a claim tests nothing"
    assert list(differences(shown(form), form.gives)) == []


@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"{form.meaning}: {form.name}")
def test_the_name_is_one_of_the_words(form: LineForm) -> None:
    """What suggestions and messages call a form is recognized as that form."""
    find = {FormKind.LABEL: re.fullmatch, FormKind.TOPIC: re.search, FormKind.LINE: re.match}[form.kind]
    assert find(form.words, form.name, re.IGNORECASE)


def table_of(forms: tuple[LineForm, ...]) -> str:
    """The rows as a Markdown table, labels first."""
    lines = ["| Written | Meaning |", "| --- | --- |"]
    for form in sorted(forms, key=lambda form: list(FormKind).index(form.kind)):
        written = "<br>".join(f"`{line.strip()}`" for line in form.example.splitlines())
        lines.append(f"| {written} | {form.says} |")
    return "\n".join(lines)


def test_the_guide_shows_the_table(golden: Callable[[Path, str], None]) -> None:
    """The table in plan-forms.md has a line for each row."""
    before, _, rest = GUIDE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    golden(GUIDE, f"{before}{BEGIN}\n\n{table_of(FORMS)}\n\n{END}{after}")


def test_every_meaning_has_a_row() -> None:
    """A meaning without a form could never be read."""
    assert {form.meaning for form in FORMS} == set(Meaning)


@pytest.mark.parametrize(
    "label",
    ["Content", "Contents", "Expected Content", "Content Target", "Content goals", "Planned content"],
)
def test_every_label_of_the_content_gives_the_budget(label: str) -> None:
    """Each label is read with the words that people put behind it."""
    text = f"# Felt\n\n## PART 1: Create felt/1.md\n\n**{label} (~250 lines):**\n- Needles\n"
    (part,) = parse(text, "plans/felt.md")[0].parts
    assert part.lines_budget == LineBudget(250, 250)
