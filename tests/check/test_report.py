"""What programs read: JSON, GitHub's annotations, SARIF."""

from __future__ import annotations

import json
import re

from generator.check.languages import CodeReport
from generator.check.report import as_github, as_json, as_sarif
from generator.model import Problem

PROBLEMS = (
    Problem("docs/a,b: 100%.md", 3, "K023", "no\npage, 100%", 7),
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
        "code": "K023",
        "message": "no\npage, 100%",
    }
    assert report["code_blocks"] == {"checked": 4, "unchecked": {"dockerfile": 2}}


def test_github() -> None:
    """One line a Problem, with what GitHub reads as marks escaped, as its toolkit does."""
    lines = [as_github(problem) for problem in PROBLEMS]
    assert lines[0] == "::warning file=docs/a%2Cb%3A 100%25.md,line=3,col=7,title=K023::no%0Apage, 100%25"
    assert [line.partition(" ")[0] for line in lines] == ["::warning", "::error", "::notice"]
    assert all(re.fullmatch(r"::\w+ [^:\n]*::[^\n]*", line) for line in lines)


def test_sarif() -> None:
    """Version 2.1.0: every result has a rule of the run, a level, and a place whose address is a URI."""
    log = json.loads(json.dumps(as_sarif(PROBLEMS, "1.2.3")))
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert (log["version"], run["tool"]["driver"]["version"]) == ("2.1.0", "1.2.3")
    assert [rule["id"] for rule in rules] == ["K023", "K031", "P015"]
    for result, problem in zip(run["results"], PROBLEMS, strict=True):
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == problem.code
        place = result["locations"][0]["physicalLocation"]
        assert place["region"] == {"startLine": problem.line, "startColumn": problem.column}
        assert re.fullmatch(r"[\w./%-]+", place["artifactLocation"]["uri"])
    assert [result["level"] for result in run["results"]] == ["warning", "error", "note"]
