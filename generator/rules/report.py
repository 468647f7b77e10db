"""Machine-readable reports of Problems: JSON, GitHub annotations, SARIF."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any
from urllib.parse import quote

from generator.model import Problem
from generator.problems import CODES, Severity, severity
from generator.rules.languages import CodeReport

GUIDE = "https://planbook.example/guide/problems/"
SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_LINES = re.compile(r"\bline \d+|\b\d+ (?:lines|more)\b")

_GITHUB = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_SARIF = {**_GITHUB, Severity.INFO: "note"}


def as_json(problems: Sequence[Problem], code: CodeReport) -> Mapping[str, Any]:
    """Return the Problems and the number of files and code blocks checked."""
    listed = [{**asdict(problem), "severity": severity(problem.code).value} for problem in problems]
    return {"problems": listed, "code_blocks": {"checked": code.checked, "unchecked": dict(code.unchecked)}}


def read_baseline(report: bytes) -> Counter[tuple[object, ...]]:
    """Return the number of each Problem in a report by `as_json`. Raises ValueError for anything else."""
    try:
        return Counter(_identity(p["uri"], p["code"], p["message"]) for p in json.loads(report)["problems"])
    except (KeyError, TypeError) as error:
        raise ValueError(f"no {error} in it") from error


def without_baseline(problems: Iterable[Problem], known: Counter[tuple[object, ...]]) -> tuple[Problem, ...]:
    """Return those of `problems` that are not `known`; of identical ones in one file, the last are new."""
    left, new = known.copy(), []
    for problem in problems:
        identity = _identity(problem.uri, problem.code, problem.message)
        left[identity] -= 1
        if left[identity] < 0:
            new.append(problem)
    return tuple(new)


def _identity(uri: str, code: str, message: str) -> tuple[object, ...]:
    """Return a key that identifies a Problem even if lines move: without its line and other line numbers."""
    return uri, code, _LINES.sub("", message)


def as_github(problem: Problem) -> str:
    """Return a workflow command, which GitHub shows next to the line.

    https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
    """
    place = f"file={_property(problem.uri)},line={problem.line},col={problem.column},title={problem.code}"
    return f"::{_GITHUB[severity(problem.code)]} {place}::{_message(problem.message)}"


def as_sarif(problems: Sequence[Problem], version: str) -> Mapping[str, Any]:
    """Return a SARIF 2.1.0 log (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html)."""
    used = sorted({p.code for p in problems})
    driver = {"name": "planbook", "version": version, "informationUri": GUIDE, "rules": [*map(_rule, used)]}
    results = [{**_result(problem), "ruleIndex": used.index(problem.code)} for problem in problems]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: str) -> Mapping[str, Any]:
    kind = CODES[code]
    level = {"level": _SARIF[kind.severity]}
    what = {"text": kind.title}
    return {"id": code, "shortDescription": what, "defaultConfiguration": level, "helpUri": f"{GUIDE}#{code.lower()}"}


def _result(problem: Problem) -> Mapping[str, Any]:
    file = {"uri": quote(problem.uri), "uriBaseId": "%SRCROOT%"}
    place = {"artifactLocation": file, "region": {"startLine": problem.line, "startColumn": problem.column}}
    level, message = _SARIF[severity(problem.code)], {"text": problem.message}
    return {"ruleId": problem.code, "level": level, "message": message, "locations": [{"physicalLocation": place}]}


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
