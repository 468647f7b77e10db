"""GitHub's workflows: their form, what they may do, and that their commands are those of the Makefile."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from importlib import metadata
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
    return [step for job in read(path.stem)["jobs"].values() for step in job["steps"]]


def read(name: str) -> dict[Any, Any]:
    """A workflow, parsed."""
    workflow: dict[Any, Any] = yaml.safe_load((FOLDER / f"{name}.yml").read_text(encoding="utf-8"))
    return workflow


def test_workflows_meet_the_schema() -> None:
    """GitHub's own schema, which check-jsonschema holds."""
    done = run("check-jsonschema", "--builtin-schema", "vendor.github-workflows", *map(str, PATHS))
    assert done.returncode == 0, done.stdout + done.stderr


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


def test_every_ci_runs_the_same_command() -> None:
    """The job of the code runs `.ci/run`, which runs `make test`; one entry of its matrix leaves no test out."""
    job = read("check")["jobs"]["code"]
    assert [step["run"] for step in job["steps"] if "run" in step] == [".ci/run"]
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()[-1] == 'make "${1:-test}"'
    matrix = job["strategy"]["matrix"]
    assert {entry["python"] for entry in matrix["include"] if entry.get("tests")} < set(matrix["python"])


def test_what_runs_in_ci_is_what_is_claimed() -> None:
    """The classifiers and the README name the versions of Python and the system that the matrix runs, and no other."""
    job = read("check")["jobs"]["code"]
    versions = job["strategy"]["matrix"]["python"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    claimed = [name.rpartition(" :: ")[2] for name in project["classifiers"] if re.search(r"Python :: 3\.\d+$", name)]
    assert claimed == versions
    assert project["requires-python"] == f">={versions[0]}"
    assert job["runs-on"].startswith("ubuntu-")
    systems = [name for name in project["classifiers"] if name.startswith("Operating System")]
    assert systems == ["Operating System :: POSIX :: Linux"]
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert re.findall(r"Python 3(?:[^.,;()]|\.\d)*", readme) == [f"Python {versions[0]} to {versions[-1]} on Linux"]


def test_a_release_publishes_what_was_checked() -> None:
    """On the tag of a version only; the files that `make dist` built for this tag, after the tests; with no secret."""
    workflow = read("release")
    assert workflow[True] == {"push": {"tags": ["v[0-9]+.[0-9]+.[0-9]+"]}}  # YAML 1.1 reads `on` as true
    jobs = workflow["jobs"]
    assert [step["run"] for step in jobs["build"]["steps"] if "run" in step] == [
        ".ci/run",
        'make dist TAG="$GITHUB_REF_NAME"',
        'docker run --rm "$(docker build --quiet .)" --version',
    ]
    assert jobs["publish"]["needs"] == "build"
    assert jobs["publish"]["environment"] == {"name": "pypi"}
    assert "secrets." not in (FOLDER / "release.yml").read_text(encoding="utf-8")


def test_the_image_is_built_well() -> None:
    """Hadolint finds nothing in the Dockerfile; its Python is one of the tested versions."""
    done = run("hadolint", "Dockerfile")
    assert (done.returncode, done.stdout) == (0, "")
    image = re.search(r"^FROM python:(3\.\d+)-slim$", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    assert image
    assert image[1] in read("check")["jobs"]["code"]["strategy"]["matrix"]["python"]


def test_a_newcomer_is_tried_each_week() -> None:
    """The README's two commands, as they stand there, and `make expand` in a namespace without a network."""
    workflow, readme = read("newcomer"), (ROOT / "README.md").read_text(encoding="utf-8")
    assert workflow[True]["schedule"] == [{"cron": "7 5 * * 1"}]
    scripts = [step["run"] for step in steps(FOLDER / "newcomer.yml") if "run" in step]
    assert scripts[:2] == ["make site", "make test"]
    assert all(f"`{command}`" in readme for command in scripts[:2])
    assert "unshare --net" in scripts[2]
    assert "make expand" in scripts[2]


def test_the_image_is_used_before_it_is_published() -> None:
    """It starts, fills, checks and builds a base without a network; it is published on a tag only."""
    steps_of_image = steps(FOLDER / "image.yml")
    names = [step["name"].partition(" ")[0] for step in steps_of_image if "run" in step]
    assert names == ["Build", "Start", "Publish"]
    assert "--network none" in steps_of_image[-2]["run"]
    assert steps_of_image[-1]["if"] == "github.ref_type == 'tag' && vars.IMAGE != ''"


def test_everything_runs_on_main_and_every_night() -> None:
    """Nightly tests, packages and fresh installs run with the oldest and the newest Python."""
    workflow, versions = read("scheduled"), read("check")["jobs"]["code"]["strategy"]["matrix"]["python"]
    assert workflow[True]["push"] == {"branches": ["main"]}
    assert workflow[True]["schedule"] == [{"cron": "41 3 * * *"}]
    job = workflow["jobs"]["all"]
    assert [step["run"] for step in job["steps"] if "run" in step] == [".ci/run test-all"]
    assert job["strategy"]["matrix"]["python"] == [versions[0], versions[-1]]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = makefile.partition("\ntest-all:")[2].partition("\n\n")[0]
    assert "--nightly --hypothesis-profile=fresh" in recipe
    assert "$(MAKE) dist installs" in recipe


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_scripts_parse_and_call_targets(path: Path) -> None:
    """Each `run` is a shell script, and each `make` in it names a target."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for script in [step["run"] for step in steps(path) if "run" in step]:
        done = subprocess.run(["/bin/bash", "-n"], input=script, text=True, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        assert set(re.findall(r"^\s*make ([a-z-]+)", script, re.MULTILINE)) <= targets


@pytest.mark.nightly
def test_the_action_checks_and_builds_a_base(tmp_path: Path) -> None:
    """GitHub's schema holds for it, and its steps, run in its order by the shell, check and build a new base."""
    done = run("check-jsonschema", "--builtin-schema", "vendor.github-actions", "action.yml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert run("planbook", "init", str(tmp_path / "base")).returncode == 0
    output = tmp_path / "output"
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    scripts = {step["name"]: step["run"] for step in action["runs"]["steps"] if "run" in step}
    assert (ROOT / "requirements.txt").name in scripts["Install"]
    for name in ("Check", "Build"):
        environment = os.environ | {
            "BASE": str(tmp_path / "base"),
            "SITE_URL": "https://example.org/base/",
            "RUNNER_TEMP": str(tmp_path),
            "GITHUB_OUTPUT": str(output),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }
        done = subprocess.run(
            ["/bin/bash", "-e", "-c", scripts[name]],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    site = Path(output.read_text(encoding="utf-8").strip().removeprefix("site="))
    assert "https://example.org/base/" in (site / "sitemap.xml").read_text(encoding="utf-8")


def test_the_summary_of_newer_engines_says_what_broke(tmp_path: Path) -> None:
    """The version that was tested, the end of the build's log, and the tests that failed."""
    (tmp_path / ".venv").symlink_to(sys.prefix)
    (tmp_path / "build.txt").write_text("first\n" + "line\n" * 30 + "no such template\n", encoding="utf-8")
    (tmp_path / "tests.txt").write_text("...F\nE   assert 1 == 2\nFAILED tests/a.py::test_b\n", encoding="utf-8")
    script = read("scheduled")["jobs"]["newest"]["steps"][-1]["run"]
    environment = os.environ | {"ENGINE": "zensical", "GITHUB_STEP_SUMMARY": str(tmp_path / "summary")}
    subprocess.run(["/bin/bash", "-eo", "pipefail", "-c", script], cwd=tmp_path, env=environment, check=True)
    summary = (tmp_path / "summary").read_text(encoding="utf-8")
    assert summary.startswith(f"## zensical {metadata.version('zensical')}\n")
    assert "no such template" in summary
    assert "first" not in summary
    assert summary.splitlines()[-3:] == ["E   assert 1 == 2", "FAILED tests/a.py::test_b", "```"]


def test_hooks_of_pre_commit_run(tmp_path: Path) -> None:
    """Each hook's command accepts a new base, and finds what is wrong in a broken one."""
    assert run("planbook", "init", str(tmp_path)).returncode == 0
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert [hook["id"] for hook in hooks] == ["planbook-check", "planbook-fix"]
    for hook in hooks:
        assert re.search(hook["files"], "docs/tea.md")
        assert run(*hook["entry"].split(), "--root", str(tmp_path)).returncode == 0
    (tmp_path / "docs" / "tea.md").write_text("# Tea\n\n[Gone](gone.md)\n", encoding="utf-8")
    assert run(*hooks[0]["entry"].split(), "--root", str(tmp_path)).returncode == 1
