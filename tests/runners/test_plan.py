"""`planbook new --for runners`: a frame for an agent to fill in, and how `planbook check` judges the result."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from planbook.cli import main
from planbook.plan.parse import parse
from tests.files import put

BLANKS = {
    "what the pages explain together, in one sentence": "How rye becomes bread",
    "title of the page": "Sourdough",
    "what a reader knows or can do after this page": "Keep a starter alive",
    "words for a search engine, or for your documents/": "rye sourdough acidity pentosans",
    "words for another search, which finds something else": "starter hydration temperature",
    "words for a third search: a limit, a failure, a comparison": "sourdough starter mould",
    "title of a section": "Acidity",
    "a question that the section answers": "Which pH a ripe starter has",
    "another question": "Why rye needs acid and wheat does not",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A base with the frame of a plan."""
    put(tmp_path, {"mkdocs.yml": "site_name: Bread\nplugins: [planbook]\n", "docs/index.md": "# Bread\n"})
    made = CliRunner().invoke(main, ["new", "--for", "runners", "rye bread", "--root", str(tmp_path)])
    assert made.exit_code == 0
    assert "let your coding agent fill it in as its first lines say" in made.output
    return tmp_path


def codes(root: Path) -> list[str]:
    """The codes that `planbook check` reports."""
    checked = CliRunner().invoke(main, ["check", "--root", str(root)])
    return re.findall(r" ([PKD]\d{3})$", checked.output, re.MULTILINE)


def fill(text: str, blanks: dict[str, str]) -> str:
    """The frame with its blanks filled in, and without the instructions."""
    for blank, words in blanks.items():
        text = text.replace(f"<{blank}>", words)
    return re.sub(r"<!--.*?-->\n\n", "", text, flags=re.DOTALL)


def test_a_frame_is_a_plan_with_blanks(root: Path) -> None:
    """Nothing else is reported of it, and the instructions are not read as PARTs."""
    assert set(codes(root)) == {"P027"}
    text = (root / "plans/rye-bread.md").read_text(encoding="utf-8")
    plan = parse(text, "plans/rye-bread.md")[0]
    assert [part.targets for part in plan.parts] == [("rye-bread/01-first.md",)]
    assert "TITLE" not in text
    assert "SLUG" not in text


def test_a_filled_plan_is_quiet(root: Path) -> None:
    """`check` reports nothing once the agent has done what the instructions say."""
    path = root / "plans/rye-bread.md"
    path.write_text(fill(path.read_text(encoding="utf-8"), BLANKS), encoding="utf-8")
    assert codes(root) == []


@pytest.mark.parametrize(
    ("code", "blank", "words"),
    [
        (
            "P044",
            "words for a third search: a limit, a failure, a comparison",
            "the temperature and hydration of starters",
        ),
        ("P045", "another question", "Introduction to acidity"),
    ],
)
def test_a_careless_plan_is_judged(root: Path, code: str, blank: str, words: str) -> None:
    """Each report has the line of the query or point."""
    path = root / "plans/rye-bread.md"
    filled = fill(path.read_text(encoding="utf-8"), BLANKS | {blank: words})
    path.write_text(filled, encoding="utf-8")
    assert set(codes(root)) == {code}
    line = filled[: filled.index(words)].count("\n") + 1
    checked = CliRunner().invoke(main, ["check", "--root", str(root)])
    assert f"plans/rye-bread.md:{line}:1: info " in checked.output


def test_a_part_without_a_source_is_judged(root: Path) -> None:
    """Unless it is done: then somebody has found one."""
    path = root / "plans/rye-bread.md"
    filled = fill(path.read_text(encoding="utf-8"), BLANKS)
    path.write_text(re.sub(r"- \[ \] Search:.*\n", "", filled), encoding="utf-8")
    assert codes(root) == ["P043"]
    put(
        root,
        {"docs/rye-bread/01-first.md": "# Sourdough\n\nFrom [Rye](https://rye.example/a) (accessed 2026-11-20).\n"},
    )
    done = path.read_text().replace(
        "- [ ] PART 1: Create rye-bread/01-first.md",
        "- [✓] PART 1: Create rye-bread/01-first.md (Completed 2026-11-20 10:00 UTC)",
    )
    path.write_text(done, encoding="utf-8")
    assert "P043" not in codes(root)
