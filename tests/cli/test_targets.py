"""What names a plan, a PART or a page means the same to every command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from planbook.cli import main
from tests.files import git, put

Run = Callable[..., Result]
PART = "\n## PART {n}: Create tea/{n}.md\n\n- [{mark}] PART {n}: Create tea/{n}.md\n\n### Boiling {n}\n"
PLAN = "# Tea\n" + PART.format(n=1, mark=" ") + PART.format(n=2, mark=" ") + PART.format(n=3, mark=" ")
REFERENCE = "{{id: a, title: A, custom: {{file: documents/a.md, quotes: {{q1: Water boils at {n}00 degrees}}}}}}"
PAGE = f"---\ntitle: Tea\nreferences: [{REFERENCE}]\n---\n# Tea {{n}}\n\nIt boils. [@a, q1]\n\n[gone](gone-{{n}}.md)\n"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A function that runs `planbook` in a project with a plan of three PARTs, of which two have pages."""
    files = {
        "mkdocs.yml": "site_name: Tea\nplugins: [planbook: {expand: {search: {providers: [local]}}}]\n",
        "plans/tea.md": PLAN,
        "documents/a.md": "# A\n\nWater boils at 100 degrees.\n\nWater boils at 200 degrees.\n",
        "docs/tea/1.md": PAGE.format(n=1),
        "docs/tea/2.md": PAGE.format(n=2),
    }
    put(tmp_path, files)
    git(tmp_path, "init", "-q")
    monkeypatch.chdir(tmp_path)

    def run_planbook(*arguments: str) -> Result:
        result = CliRunner().invoke(main, arguments, prog_name="planbook")
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result

    return run_planbook


@pytest.mark.parametrize(
    ("names", "sources"),
    [
        (("tea",), 2),
        (("plans/tea.md",), 2),
        (("tea", "2"), 1),
        (("plans/tea.md", "2"), 1),
        (("tea", "1", "2"), 2),
        (("docs/tea/2.md",), 1),
        (("docs/tea/1.md", "tea", "2"), 2),
    ],
)
def test_verify_checks_the_pages_that_plans_and_parts_name(run: Run, names: tuple[str, ...], sources: int) -> None:
    """A plan by its slug or its path is its pages; a number behind it is the page of that PART."""
    last = run("verify", "--offline", *names).stdout.splitlines()[-1]
    assert last.startswith(f"{sources} of {sources} source")


@pytest.mark.parametrize(
    ("names", "pages"),
    [
        (("tea", "2"), {"docs/tea/2.md"}),
        (("plans/tea.md", "1"), {"docs/tea/1.md"}),
        (("tea", "1", "2"), {"docs/tea/1.md", "docs/tea/2.md"}),
    ],
)
def test_check_reports_on_the_pages_of_parts(run: Run, names: tuple[str, ...], pages: set[str]) -> None:
    """Each page has a link that leads nowhere; only the chosen ones are reported."""
    lines = run("check", "--select", "K023", *names).stdout.splitlines()
    assert {line.partition(":")[0] for line in lines if "K023" in line} == pages


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("verify", "tea", "7"), "tea has no PART 7; its PARTs are 1, 2, 3"),
        (("check", "tea", "3"), "tea PART 3 has no page yet"),
        (("check", "7"), "Path '7' does not exist, and there is no plan '7'"),
        (("status", "tea", "2"), "this command shows whole plans: leave out 2 behind tea"),
        (("brief", "tea"), "name a plan and the number of a PART, or a page that a plan names"),
        (("claim", "docs/none.md", "--as", "ann"), "name a plan and the number of a PART, or a page"),
    ],
)
def test_a_name_that_means_nothing_is_refused(run: Run, arguments: tuple[str, ...], message: str) -> None:
    """With what is wrong, before anything is done."""
    refused = run(*arguments)
    assert (refused.exit_code, message in " ".join(refused.stderr.split())) == (2, True), refused.stderr


def test_a_number_that_is_a_file_is_that_file(run: Run, tmp_path: Path) -> None:
    """A plan may be named like a PART."""
    put(tmp_path, {"7": "# Seven\n"})
    assert "has no PART 7" not in run("check", "tea", "7").stderr


def test_the_path_of_a_page_stands_for_plan_and_part(run: Run) -> None:
    """`finish` takes it as well: who has the page open need not look up the plan."""
    assert "tea PART 2: claimed by ann" in run("claim", "docs/tea/2.md", "--as", "ann").stdout
    assert run("brief", "docs/tea/2.md").stdout == run("brief", "tea", "2").stdout
    gathered = run("gather", "docs/tea/2.md").stdout
    assert "tea PART 2" in gathered
    assert "tea PART 1" not in gathered
    planned = run("expand", "--dry-run", "docs/tea/3.md").output
    assert "PART 3" in planned
    assert "PART 1" not in planned
