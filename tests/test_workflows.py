"""GitHub's workflows: their form, what they may do, and that their commands are those of the Makefile."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import ROOT

FOLDER = ROOT / ".github" / "workflows"
PATHS = sorted(FOLDER.glob("*.yml"))


def run(*command: str) -> subprocess.CompletedProcess[str]:
    """A tool of the environment of the tests, which needs no network."""
    program = Path(sys.executable).with_name(command[0])
    environment = os.environ | {"NO_COLOR": "1"}
    return subprocess.run(
        [str(program), *command[1:]],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def steps(path: Path) -> list[dict[str, Any]]:
    """All steps of all jobs of a workflow."""
    jobs: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    return [step for job in jobs.values() for step in job["steps"]]


def test_there_are_three() -> None:
    """One publishes, one checks pull requests, one expands."""
    assert [path.stem for path in PATHS] == ["check", "expand", "pages"]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_workflow_meets_the_schema(path: Path) -> None:
    """GitHub's own schema, which check-jsonschema holds."""
    done = run("check-jsonschema", "--builtin-schema", "vendor.github-workflows", str(path))
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_wrong_workflow_does_not(tmp_path: Path) -> None:
    """The schema that is asked says no, too."""
    path = tmp_path / "x.yml"
    path.write_text("on: push\njobs:\n  a:\n    runs-on: x\n    step: []\n", encoding="utf-8")
    assert run("check-jsonschema", "--builtin-schema", "vendor.github-workflows", str(path)).returncode != 0


def test_nothing_in_them_is_unsafe(tmp_path: Path) -> None:
    """Zizmor finds nothing: permissions, pins, injected expressions, credentials that stay."""
    done = run("zizmor", "--offline", "--pedantic", "--no-progress", str(FOLDER))
    assert done.returncode == 0, done.stdout + done.stderr
    path = tmp_path / ".github" / "workflows" / "x.yml"
    path.parent.mkdir(parents=True)
    wrong = "on: issues\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: echo ${{ github.event.issue.title }}\n"
    path.write_text(wrong, encoding="utf-8")
    assert run("zizmor", "--offline", "--no-progress", str(path)).returncode != 0


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_actions_are_pinned_by_commit(path: Path) -> None:
    """Each with the version that the commit is, for people."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if "uses:" in line]
    assert lines
    for line in lines:
        assert re.search(r"uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line), line


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_permissions_are_the_least(path: Path) -> None:
    """None for the workflow; each job names its own; only the job that must writes."""
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {}
    assert workflow["concurrency"]["group"]
    written = {
        right for job in workflow["jobs"].values() for right, how in job["permissions"].items() if how == "write"
    }
    expected = {"pages": {"pages", "id-token"}, "check": set(), "expand": {"contents", "pull-requests"}}
    assert written == expected[path.stem]
    assert all(job["timeout-minutes"] <= 120 for job in workflow["jobs"].values())


def test_every_ci_runs_the_same_command() -> None:
    """The job of the code runs `.ci/run`, and that runs `make test`."""
    jobs = yaml.safe_load((FOLDER / "check.yml").read_text(encoding="utf-8"))["jobs"]
    assert [step["run"] for step in jobs["code"]["steps"] if "run" in step] == [".ci/run"]
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()[-1] == "make test"


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_scripts_parse_and_call_targets(path: Path) -> None:
    """Each `run` is a shell script, and each `make` in it names a target."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    scripts = [step["run"] for step in steps(path) if "run" in step]
    for script in scripts:
        done = subprocess.run(["/bin/bash", "-n"], input=script, text=True, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        assert set(re.findall(r"^\s*make ([a-z-]+)", script, re.MULTILINE)) <= targets
