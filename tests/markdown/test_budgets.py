"""One grammar for line budgets: the plan's parser and headings on the site, the linter and its fixes read the same."""

from __future__ import annotations

import re

import pytest

from planbook.library.pages import parse_page
from planbook.markdown.budgets import may_have_budget, read_budget, strip_budget
from planbook.markdown.normalize import fix_links, fix_markdown
from planbook.plan.parse import parse
from planbook.rules.pages import find_budgets
from tests.markdown.outline import built
from tests.rules.project import fixed_page

KEPT = [
    "A mill in one file (300 lines)",
    "2. A mill in one file (300 lines)",
    "Section 2: Rye (100 lines)",
    "Hello world (2 lines of code)",
    "Hello world (about 2 lines of code)",
    "The poem (100 lines of it)",
    "Minimal setup (3 Lines)",
    "Section 2: A mill (~300 lines of C)",
    "Section 3: The first 20 lines",
    "Over 300 lines (3 lines over limit)",
    "Log context (20 lines before + 80 lines after)",
    "Notes (section 8, ~70 lines)",
    "A mill (~300 lines, no dependencies)",
    "Reading `head (~10 lines)`",
    "nanoGPT in ~600 lines",
    "A table (14 rows)",
    "Version 1.400 lines",
]
"""Headings of pages in which a number of lines is what the text speaks of."""

SHOWN = [
    ("Rye (~400 lines)", "Rye"),
    ("Rye (≈1,200 lines each)", "Rye"),
    ("Rye (approx. 120 lines)", "Rye"),
    ("Rye (target: ~400 lines)", "Rye"),
    ("Rye - ~60 lines", "Rye"),
    ("Section 2: Rye [80-100 lines]", "Section 2: Rye"),
    ("2. Rye (80–100 lines)", "2. Rye"),
    ("Section 2 (~80 lines): Rye", "Section 2: Rye"),
]
"""Headings with a budget, and what readers see of them."""


@pytest.mark.parametrize(("heading", "shown"), [*SHOWN, *((heading, heading) for heading in KEPT)])
def test_a_heading_loses_its_budget_and_nothing_else(heading: str, shown: str) -> None:
    """On the site, in the title of a page, for the linter and after its fix: all four agree."""
    page = f"# Bread\n\n## {heading}\n"
    assert strip_budget(heading) == shown
    fixed = fix_markdown(page)
    assert re.sub(r' <a id="[^"]+"></a>', "", fixed) == f"# Bread\n\n## {shown}\n"
    assert fixed_page(page) == fixed
    assert [n for n, *_ in find_budgets(page.encode())] == ([] if heading == shown else [3])
    assert re.findall(r'id="([^"]+)"', built(page))[1] in re.findall(r'id="([^"]+)"', built(fixed))
    assert parse_page(f"# {heading}\n", "x.md")[0].title == shown.replace("`", "")


FORMS = ["# {}", "  ## {} ##", "> - ### {}", "{}\n===", "> {}\n> ---", "A mill\n{}\n-"]
"""Headings of every form of CommonMark."""


@pytest.mark.parametrize("form", FORMS)
def test_a_budget_is_seen_in_every_form_of_heading(form: str) -> None:
    """A quick look at the whole text spares most pages a parse, and misses none."""
    page = f"Bread\n\n{form.format('Rye (~400 lines)')}\n\nText.\n"
    assert may_have_budget(page)
    assert "400" not in re.sub(r"<a [^>]*>", "", fix_links(page))
    assert not may_have_budget("# Bread\n\nAbout ~400 lines of rye, `5 lines`.\n")


PLANNED = [
    ("Flour (400 lines)", "Flour", "400"),
    ("A mill in one file (300 lines)", "A mill in one file", "300"),
    ("Flour (~300-500 lines total)", "Flour", "300-500"),
    ("Flour (target: 1,200 lines)", "Flour", "1200"),
    ("Flour - 400 lines", "Flour", "400"),
    ("Hello world (2 lines of code)", "Hello world (2 lines of code)", "None"),
    ("Count 400 lines of rye", "Count 400 lines of rye", "None"),
    ("Flour (14 kinds, ~400 lines)", "Flour (14 kinds, ~400 lines)", "400"),
    ("Flour (~400 lines, 4 sections)", "Flour (~400 lines, 4 sections)", "400"),
    ("Flour (400 lines, no yeast)", "Flour (400 lines, no yeast)", "400"),
    ("Flour (14 kinds) (~400 lines) ✅", "Flour (14 kinds)", "400"),
]
"""What a PART's heading says behind its number, its title and its budget."""


@pytest.mark.parametrize(("heading", "title", "budget"), PLANNED)
def test_a_part_heading_ends_in_its_budget(heading: str, title: str, budget: str) -> None:
    """A plan gives exact numbers, too; what else stands in the parentheses is the author's, and stays."""
    part = parse(f"## PART 1: {heading}\n", "plans/x.md")[0].parts[0]
    assert (part.title, str(part.lines_budget)) == (title, budget)


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("Create bread/flour.md (~400 lines with many examples)", "400"),
        ("Create bread/flour.md (300 to 500 lines)", "300-500"),
        ("Completed 2024-05-06 (actual: 512 lines)", "None"),
        ("Write a mill (300 lines of C)", "None"),
        ("Write about the first 20 lines of the log", "None"),
    ],
)
def test_a_line_of_a_plan(text: str, budget: str) -> None:
    """Lines of code, lines that were written, and lines of which a sentence speaks are no budget."""
    assert str(read_budget(text)) == budget
