"""Quotes of files of the base's own repository: found in the working tree, and reported when they move or change."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from planbook.citations.working_tree_quotes import find_changes
from planbook.cli import main
from tests import forks
from tests.files import put
from tests.plugin.conftest import ENVIRONMENT
from tests.repositories import Repository, make_repository

KETTLE = 'LIMIT = 30\n\n\ndef boil(seconds):\n    """Boil water."""\n    return min(seconds, LIMIT)\n'
QUOTES = 'custom: {quotes: {q1: "def boil(seconds):", q2: "return min(seconds, LIMIT)"}}'
PAGE = """---
references:
  - id: kettle
    title: The kettle
    URL: ADDRESS
    QUOTES
---

# Kettle

It boils for as long as it is told. [@kettle, q1] [@kettle, q2]
"""
BASE = {"mkdocs.yml": "site_name: Tea\nplugins: [planbook]\n", "docs/index.md": "# Tea\n", "src/kettle.py": KETTLE}


def page(address: str, quotes: str = QUOTES) -> str:
    """A page that quotes the program."""
    return PAGE.replace("ADDRESS", address).replace("QUOTES", quotes)


def run(*args: str) -> Result:
    """A command in the working folder."""
    return CliRunner().invoke(main, args)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository with a program and a base that quotes it."""
    made = make_repository(tmp_path / "tea")
    made.commit({**BASE, "docs/kettle.md": page("src/kettle.py#L4-L6")})
    monkeypatch.chdir(made.root)
    return made


@pytest.mark.usefixtures("repository")
def test_what_is_in_its_lines_is_in_order() -> None:
    """`check`, `verify` and a strict build report nothing."""
    assert "K019" not in run("check").output
    done = run("verify", "--offline")
    assert done.output.endswith("1 of 1 source in order; 2 of 2 quotes found\n")
    assert done.exit_code == 0
    built = forks.run("mkdocs", "build", "--strict", "-q", cwd=Path.cwd(), env=ENVIRONMENT, is_merged=True)
    assert built.returncode == 0, built.stdout


def test_a_commit_that_moves_the_lines_is_told_where_they_are(repository: Repository) -> None:
    """Beside the page and beside the program, as GitHub shows it; and by `verify`."""
    repository.commit({"src/kettle.py": '"""A kettle."""\n\n' + KETTLE})
    done = run("check", "--format", "github", "--select", "K019")
    what = "@kettle: quote q2 moved from lines 4–6 of src/kettle.py to line 8; cite #L8"
    assert done.output.splitlines() == [
        f"::error file=docs/kettle.md,line=5,col=1,title=K019::{what}",
        f"::error file=src/kettle.py,line=8,col=1,title=K019::docs/kettle.md:5 quotes this: {what}",
    ]
    assert done.exit_code == 1
    assert "quote q2 moved from lines 4–6" in run("verify", "--offline").output


def test_a_commit_that_changes_the_words_is_shown_with_the_new_ones(repository: Repository) -> None:
    """K019 names the place in the program and the new words, and verify finds one quote less."""
    repository.commit({"src/kettle.py": KETTLE.replace("boil(seconds)", "boil(minutes)")})
    [problem] = json.loads(run("check", "--format", "json", "--select", "K019").stdout)["problems"]
    assert problem["place"] == ["src/kettle.py", 4]
    what = "@kettle: quote q1 is no longer in src/kettle.py; line 4 now: “def boil(minutes):”; quote that, or remove it"
    assert problem["message"] == what
    done = run("verify", "--offline")
    assert done.exit_code == 1
    assert "1 of 2 quotes found" in done.output


def test_a_base_in_a_folder_of_the_repository_quotes_what_is_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The path is from the top or from the page; GitHub gets paths from the top."""
    made = make_repository(tmp_path / "tea")
    base = {f"site/{name}": text for name, text in BASE.items() if name != "src/kettle.py"}
    top, beside = page("src/kettle.py#L1"), page("../../src/kettle.py#L4-L6")
    made.commit({**base, "src/kettle.py": KETTLE, "site/docs/kettle.md": top, "site/docs/well.md": beside})
    monkeypatch.chdir(made.root / "site")
    lines = run("check", "--format", "github", "--select", "K019").output.splitlines()
    places = [line.partition(",col")[0] for line in lines]
    of_page, of_program = "::error file=site/docs/kettle.md,line=5", "::error file=src/kettle.py,line="
    assert places == [of_page, f"{of_program}4", of_page, f"{of_program}6"]


@pytest.mark.usefixtures("repository")
def test_no_file_outside_the_repository_is_read(tmp_path: Path) -> None:
    """Neither a path nor a link nor a hidden name leads out."""
    put(tmp_path, {"secret.py": "word = 'secret that nobody may read'\n"})
    put(tmp_path / "tea", {".env": "word = 'secret that nobody may read'\n"})
    Path("src/out.py").symlink_to(tmp_path / "secret.py")
    for n, address in enumerate(("../secret.py", ".env", "src/out.py", ".git/config")):
        Path(f"docs/page{n}.md").write_text(page(f"{address}#L1"), encoding="utf-8")
    output = run("check").output + run("verify", "--offline").output
    assert "secret that" not in output
    assert "K019" not in output


@pytest.mark.parametrize(
    ("quote", "lines", "found"),
    [
        ("def boil(seconds):", (4, 4), []),
        ('def  boil(seconds):\n  """Boil', (4, 5), []),
        ("def boil(seconds):", (1, 3), [4]),
        ("LIMIT", (6, 6), []),
        ("LIMIT", (3, 3), [1]),
        ("nothing like any of the lines of the program", (2, 2), [2]),
        ("nothing like any of the lines of the program", (900, 901), [7]),
        ("", (1, 1), [2]),
    ],
)
def test_the_line_of_a_change(quote: str, lines: tuple[int, int], found: list[int]) -> None:
    """White space may differ; of several places, the nearest counts."""
    changes = find_changes([("q1", quote)], {"q1": lines}, "src/kettle.py", KETTLE)
    assert [change.line for change in changes] == found
