"""Commands agree: a Problem that one reports, all report, and one that a plan suppresses, none reports."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from planbook.cli import main
from tests import forks
from tests.files import put
from tests.plugin.conftest import ENVIRONMENT, copied_site

PLAN = """# Rye

**Date**: 2026-11-20

## PART 1: Create rye/10-dark.md

- [✓] PART 1: Create rye/10-dark.md (Completed 2026-11-19 10:00)

**Step 0: Check existing knowledge**
- [ ] Read rye/99-none.md

- [ ] Section 1: Flour (~10 lines)

## PART 2: Create rye/10-light.md

- [ ] PART 2: Create rye/10-light.md

- [ ] Section 1: Flour (~10 lines)

<!-- a password: "hunter2Kq8Zr4Vw1Lm6Tx" -->
"""
"""A plan with Problems of its own, against the disk (P030, P031, P033), and K026."""

Run = Callable[..., Result]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A project with a plan that has Problems of every kind, and with pages that have others."""
    files = {
        "mkdocs.yml": "site_name: Rye\ndocs_dir: pages\nplugins: [planbook]\n",
        "plans/rye.md": PLAN,
        "plans/oats.md": "# Oats\n\n## PART 1: Create oats/1.md\n\n- [ ] PART 1: Create oats/1.md\n",
        "plans/KNOWLEDGE-DROP-of-nobody-2026-11-20.md": "# Drop\n",
        "pages/rye/10-light.md": "---\nreferences: [{id: a, title: A}]\n---\n# Light\n\nIt is so [@b].\n",
        "pages/top.md": "---\ntitle: [x\n---\n# Top\n",
    }
    put(tmp_path, files)
    return tmp_path


@pytest.fixture
def run(base: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A function that runs `planbook` in the project, or in a folder of it."""

    def run_planbook(*arguments: str, cwd: Path = base) -> Result:
        monkeypatch.chdir(cwd)
        result = CliRunner().invoke(main, arguments, prog_name="planbook")
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result

    return run_planbook


def checked(run: Run, *paths: str) -> list[dict[str, Any]]:
    """The Problems that `planbook check` reports."""
    problems: list[dict[str, Any]] = json.loads(run("check", "--format", "json", *paths).stdout)["problems"]
    return problems


def shown(run: Run, path: str) -> list[tuple[int, str, str]]:
    """The Problems that `planbook show` reports."""
    (plan,) = json.loads(run("show", path).stdout)
    found = [(p["line"], p["code"], p["message"]) for p in plan["problems"]]
    return found


def counted(run: Run, *paths: str) -> int:
    """The number of Problems that `planbook status` reports, in both of its forms."""
    total: int = json.loads(run("status", "--format=json", *paths).stdout)["totals"]["problems"]
    found = re.search(r"^(\d+) problems?: (planbook check.*)$", run("status", *paths).stdout, re.MULTILINE)
    assert (int(found[1]) if found else 0) == total
    if found:  # the command that it names lists them
        assert len(checked(run, *found[2].split()[2:])) == total
    return total


def assert_agreement(run: Run, *paths: str) -> None:
    """`check`, `show` and `status` agree about each of the plans, and `check` and `status` about all of them."""
    for path in paths:
        problems = checked(run, path)
        assert shown(run, path) == [(p["line"], p["code"], p["message"]) for p in problems], path
        assert counted(run, path) == len(problems), path
    assert counted(run, *paths) == len(checked(run, *paths))


def test_commands_agree_about_a_plan(run: Run) -> None:
    """Each plan has the same Problems for `check`, `show` and `status`, whatever is wrong with it or beside it."""
    assert {p["code"] for p in checked(run, "plans/rye.md")} == {"P030", "P031", "P033", "P043", "K026"}
    assert_agreement(run, "plans/rye.md", "plans/oats.md")


def test_commands_agree_about_a_whole_base(run: Run) -> None:
    """Without PATHS, `status` counts the Problems of plans and drops, and names the command that lists them."""
    assert counted(run) == len(checked(run, "plans"))
    assert {p["uri"] for p in checked(run)} - {p["uri"] for p in checked(run, "plans")} == {
        "pages/rye/10-light.md",
        "pages/top.md",
    }


@pytest.mark.parametrize("folder", ["plans", "pages/rye"])
def test_commands_agree_from_within_a_folder(run: Run, base: Path, folder: str) -> None:
    """Paths are the user's, from where they stand; so are those in the command that `status` names."""

    def run_there(*arguments: str) -> Result:
        return run(*arguments, cwd=base / folder)

    up = "../" * len(Path(folder).parts)
    assert counted(run_there) == counted(run)
    assert_agreement(run_there, f"{up}plans/rye.md")


def test_commands_agree_about_another_root(run: Run, base: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """They agree with `--root`, too; the command that `status` names carries it."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    text = run("status", "--root", str(base), cwd=elsewhere).stdout
    found = re.search(r"^(\d+) problems: (planbook check.*)$", text, re.MULTILINE)
    assert found
    assert len(checked(lambda *a: run(*a, cwd=elsewhere), *found[2].split()[2:])) == int(found[1])


def test_commands_agree_about_plans_from_elsewhere(run: Run, base: Path) -> None:
    """A plan that is not in its place yet is seen beside those of the base; a template has no Problem."""
    put(base, {"drafts/more.md": PLAN, "drafts/template.md": "# [TOPIC]\n\n## PART 1: Create a.md\n"})
    assert "P021" in {p["code"] for p in checked(run, "drafts/more.md")}
    assert_agreement(run, "drafts/more.md", "drafts/template.md")
    assert checked(run, "drafts/template.md") == []


@pytest.mark.parametrize("how", ["line", "file", "project"])
def test_what_is_taken_back_stays_unsaid(run: Run, base: Path, how: str) -> None:
    """A comment in the file and the project's `ignore` hold for every command."""
    plan, page = base / "plans" / "rye.md", base / "pages" / "rye" / "10-light.md"
    text = plan.read_text("utf-8")
    if how == "line":
        plan.write_text(re.sub(r"(?m)^- .*PART.*", r"\g<0> <!-- planbook-ignore: P030, P031 -->", text), "utf-8")
        page.write_text(page.read_text("utf-8").replace("[@b]", "[@b] <!-- planbook-ignore: K012 -->"), "utf-8")
    elif how == "file":
        plan.write_text(f"{text}\n<!-- planbook-ignore-file: P030, P031 -->\n", "utf-8")
        page.write_text(f"{page.read_text('utf-8')}\n<!-- planbook-ignore-file: K012 -- later -->\n", "utf-8")
    else:
        (base / "pyproject.toml").write_text('[tool.planbook.check]\nignore = ["P030", "P031", "K012"]\n', "utf-8")
    assert {"P030", "P031"} & {p["code"] for p in checked(run, "plans/rye.md")} == set()
    assert_agreement(run, "plans/rye.md")
    assert "K012" not in run("cite", "pages/rye/10-light.md").stdout
    assert "K013" in run("cite", "pages/rye/10-light.md").stdout


def test_a_wrong_selection_is_told_by_each(run: Run, base: Path) -> None:
    """A mistake in the project's `[tool.planbook.check]` is an error of every command that reports Problems."""
    (base / "pyproject.toml").write_text('[tool.planbook.check]\nignor = ["P021"]\n', "utf-8")
    for command in (["check"], ["show"], ["status"], ["cite", "pages/top.md"]):
        done = run(*command)
        assert done.exit_code == 2, command
        assert "unknown option `ignor`" in done.stderr


def test_commands_agree_about_every_defect(tmp_path: Path, run: Run) -> None:
    """So it is with the plans of the golden site, which have a defect of nearly every kind."""
    root = copied_site(tmp_path / "site")

    def run_there(*arguments: str) -> Result:
        return run(*arguments, cwd=root)

    paths = sorted(path.relative_to(root).as_posix() for path in (root / "plans").rglob("*.md"))
    assert_agreement(run_there, *(path for path in paths if "DROP" not in path))
    assert counted(run_there) == len(checked(run_there, "plans"))


@pytest.mark.parametrize(
    ("pages", "written", "home"),
    [([], 0, "0 of 3 planned pages"), (["1"], 0, "1 of 3 planned pages"), (["1", "2"], 1, "2 of 3 planned pages")],
)
def test_parts_are_counted_apart_from_pages(run: Run, base: Path, pages: list[str], written: int, home: str) -> None:
    """A PART that asks for two pages is one PART, which has its pages once both are there."""
    for path in base.glob("plans/*.md"):
        path.unlink()
    plan = "# Oats\n\n## PART 1: Create oats/1.md and oats/2.md\n\n- [ ] PART 1: Create oats/1.md and oats/2.md\n"
    (base / "plans/oats.md").write_text(
        f"{plan}\n## PART 2: Create oats/3.md\n\n- [ ] PART 2: Create oats/3.md\n", "utf-8"
    )
    put(base, {f"pages/oats/{name}.md": f"# Oats {name}\n" for name in pages})
    assert f"{written} of 2 PARTs have a page" in run("status").stdout
    assert run("materialize", "out").exit_code == 0
    assert f"**{written} of 2 items** ha" in (base / "out/progress.md").read_text("utf-8")
    assert home in (base / "out/index.md").read_text("utf-8")
    amiss = "1 item where the two differ is marked below." in (base / "out/progress.md").read_text("utf-8")
    assert amiss is bool(pages)


@pytest.mark.parametrize(
    ("option", "missing"),
    [
        ("plans_dir: [plans, ./more/]", ["'more'"]),
        ("plans_dir: [plans, x, mkdocs.yml]", ["'x'", "'mkdocs.yml'"]),
        ("plans_dir: [ideas.md, 'notes/*/plan.md', plans]", []),
        ("agents: true", []),
    ],
)
def test_a_missing_folder_of_plans(base: Path, run: Run, option: str, missing: list[str]) -> None:
    """`check` reports each folder at which a build stops, on the option's line; others are not reported."""
    put(base, {"mkdocs.yml": f"site_name: Rye\ndocs_dir: pages\nplugins:\n  - planbook:\n      {option}\n"})
    found = [problem for problem in checked(run) if problem["code"] == "K005"]
    places = [(problem["uri"], problem["line"], problem["message"].split()[1]) for problem in found]
    assert places == [("mkdocs.yml", 5, name) for name in missing]
    built = forks.run("mkdocs", "build", cwd=base, env=ENVIRONMENT, is_merged=True)
    assert ("is not a folder next to mkdocs.yml" in built.stdout) == bool(missing), built.stdout


@pytest.mark.parametrize("option", ["work/plans", "[x, y]", "mkdocs.yml"])
def test_no_folder_of_plans_at_all(base: Path, run: Run, option: str) -> None:
    """`check` refuses a base whose option names no folder that is there."""
    put(base, {"mkdocs.yml": f"site_name: Rye\ndocs_dir: pages\nplugins: [{{planbook: {{plans_dir: {option}}}}}]\n"})
    result = run("check")
    assert (result.exit_code, "the project has no folder" in result.stderr) == (2, True)


@pytest.mark.parametrize("command", ["brief", "claim"])
def test_a_plan_is_named_by_its_path_from_anywhere(base: Path, run: Run, command: str) -> None:
    """From a folder of the project and by the whole path, as programs write it; not that of another project."""
    more = ["--as", "ann"] if command == "claim" else []
    by_slug = run(command, "oats", "1", *more)
    by_path = [
        run(command, "../plans/oats.md", "1", *more, cwd=base / "pages"),
        run(command, str(base / "plans" / "oats.md"), "1", *more),
        run(command, str(base / "plans" / "oats.md"), "1", *more, "--root", str(base), cwd=base.parent),
    ]
    assert [result.exit_code for result in (by_slug, *by_path)] == [0] * 4
    first_lines = {result.stdout.partition(" until ")[0].splitlines()[0] for result in (by_slug, *by_path)}
    assert len(first_lines) == 1
    put(base, {"other/mkdocs.yml": "site_name: Other\n", "other/plans/oats.md": PLAN})
    other = run(command, "other/plans/oats.md", "1", *more)
    assert "there is no plan 'other/plans/oats.md'" in other.stderr


@pytest.mark.parametrize("command", ["check", "show", "status"])
def test_a_plan_is_named_by_its_slug_or_path(run: Run, command: str) -> None:
    """As by `planbook brief`; of what is neither, the message names what is near."""
    by_slug = run(command, "rye").stdout.replace("planbook check rye", "planbook check plans/rye.md")
    assert by_slug == run(command, "plans/rye.md").stdout
    wrong = run(command, "ryes")
    assert wrong.exit_code == 2
    assert "Path 'ryes' does not exist, and there is no plan 'ryes'; did you mean rye" in wrong.stderr
