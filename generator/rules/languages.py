"""Whether code parses, language by language. Shell, Dockerfiles and CUDA are given to programs of the machine."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from generator.markdown.fences import code_blocks
from generator.model import Problem

TIMEOUT_S = 60
"""Seconds for one block in another program."""

_PROMPTS = re.compile(r"^\s*(?:>>>|\.\.\.|\$|#\s*\$|In \[\d+\]:)\s", re.MULTILINE)
_MAGIC = re.compile(r"^\s*(?:[%!]|\?\w)", re.MULTILINE)
_CUDA_ERROR = re.compile(r"(?:\((\d+)\)|^At end of source|:\d+)?: (?:fatal |catastrophic )?error: (.*)", re.MULTILINE)
_CUDA_SYNTAX = re.compile(r"expected |missing closing quote|unrecognized token|unterminated ")
"""How the compiler's words on syntax begin."""
_SHELL_LINE = re.compile(r"line (\d+): (.*)")


@dataclass(frozen=True, slots=True)
class Defect:
    """Why code does not parse."""

    line: int
    """1-based, in the code."""
    reason: str


Checker = Callable[[str], Defect | None]
"""Gives the first defect of some code; ``None`` where it parses."""


@dataclass(frozen=True, slots=True)
class CodeReport:
    """How many blocks were looked at."""

    checked: int = 0
    unchecked: tuple[tuple[str, int], ...] = ()
    """Blocks in languages that nothing on this machine checks, by language."""


def check_code(uri: str, text: str, checkers: Mapping[str, Checker]) -> tuple[tuple[Problem, ...], CodeReport]:
    """K030 for each block of a page that does not parse, and what was looked at."""
    found = []
    checked, unchecked = 0, Counter[str]()
    for block in code_blocks(text):
        language = ALIASES.get(block.language, block.language)
        checker = checkers.get(language)
        is_session = language in _WITH_SESSIONS and _PROMPTS.search(block.code)
        if checker is None or is_session or (language == "python" and _MAGIC.search(block.code)):
            if language in ALIASES.values():
                unchecked[language if checker is None else f"{language} session"] += 1
            continue
        checked += 1
        defect = checker(textwrap.dedent(block.code))
        if defect:
            what = f"this {language} does not parse: {defect.reason}; mend it, or name the language it is in"
            found.append(Problem(uri, block.line + defect.line, "K030", what))
    return tuple(found), CodeReport(checked, tuple(sorted(unchecked.items())))


@cache
def checkers() -> Mapping[str, Checker]:
    """The languages that can be checked on this machine."""
    found: dict[str, Checker] = {"python": _python, "json": _json, "yaml": _yaml, "toml": _toml}
    bash, hadolint, nvcc = (_program(name) for name in ("bash", "hadolint", "nvcc"))
    if bash:
        found["shell"] = lambda code: _shell(bash, code)
    if hadolint:
        found["dockerfile"] = lambda code: _dockerfile(hadolint, code)
    if nvcc:
        found["cuda"] = lambda code: _cuda(nvcc, code)
    return found


def _program(name: str) -> str | None:
    """Where a program lies: on the PATH, beside the Python that runs, or where NVIDIA puts its compiler."""
    beside = os.pathsep.join([str(Path(sys.executable).parent), "/usr/local/cuda/bin"])
    return shutil.which(name) or shutil.which(name, path=beside)


ALIASES = {
    **dict.fromkeys(("python", "python3", "py"), "python"),
    **dict.fromkeys(("bash", "sh", "shell", "zsh"), "shell"),
    **dict.fromkeys(("dockerfile", "docker"), "dockerfile"),
    **dict.fromkeys(("cuda", "cu"), "cuda"),
    **dict.fromkeys(("yaml", "yml"), "yaml"),
    **{name: name for name in ("json", "toml")},
}
"""The languages that are checked, by each name a fence may give them."""

_WITH_SESSIONS = frozenset({"python", "shell"})


def _python(code: str) -> Defect | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes parse
            ast.parse(code)
    except SyntaxError as error:
        return Defect(error.lineno or 1, error.msg)
    except ValueError as error:  # NUL
        return Defect(1, str(error))
    except (RecursionError, MemoryError):
        return Defect(1, "it nests too deeply")
    return None


def _json(code: str) -> Defect | None:
    try:
        json.loads(code)
    except json.JSONDecodeError as error:
        return Defect(error.lineno, error.msg)
    except RecursionError:
        return Defect(1, "it nests too deeply")
    return None


class _Syntax(yaml.SafeLoader):
    """YAML with any tag: only its form is looked at."""


_Syntax.add_multi_constructor("", lambda loader, suffix, node: None)


def _yaml(code: str) -> Defect | None:
    try:
        for _ in yaml.load_all(code, Loader=_Syntax):
            pass
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        return Defect(mark.line + 1 if mark else 1, getattr(error, "problem", None) or "it is no YAML")
    except (ValueError, TypeError, RecursionError) as error:
        return Defect(1, str(error) or "it nests too deeply")
    return None


def _toml(code: str) -> Defect | None:
    try:
        tomllib.loads(code)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        return Defect(int(line[1]) if line else 1, str(error))
    except RecursionError:
        return Defect(1, "it nests too deeply")
    return None


def _shell(bash: str, code: str) -> Defect | None:
    """`bash -n` reads the script and runs nothing of it."""
    run = _run([bash, "--norc", "--noprofile", "-n"], code)
    if run.returncode == 0:
        return None
    said = _SHELL_LINE.search(run.stderr)
    return Defect(int(said[1]) if said else 1, said[2] if said else "bash -n refuses it")


def _dockerfile(hadolint: str, code: str) -> Defect | None:
    """Only what cannot be parsed: advice on style is for the author's own linter."""
    run = _run([hadolint, "--no-fail", "--format", "json", "-"], code)
    try:
        said = [entry for entry in json.loads(run.stdout or "[]") if entry.get("code") == "DL1000"]
    except ValueError:
        said = [{"line": 1, "message": "hadolint cannot read it"}]
    return Defect(int(said[0]["line"]), " ".join(str(said[0]["message"]).split())) if said else None


def _cuda(nvcc: str, code: str) -> Defect | None:
    """The first error of syntax, if there are errors of no other kind, neither in a file nor in a function.

    What a page shows is often a piece, whose types and names stand elsewhere: a compiler that misses those may take
    what follows for an error of syntax too.
    """
    alone = _cuda_defect(nvcc, code)
    return alone if alone and _cuda_defect(nvcc, f"void planbook_block() {{\n#line 1\n{code}\n}}\n") else None


def _cuda_defect(nvcc: str, code: str) -> Defect | None:
    run = _run([nvcc, "-x", "cu", "-c", "-o", os.devnull, "-"], code)
    said = _CUDA_ERROR.findall(run.stdout + run.stderr) if run.returncode else []
    if not said or not all(_CUDA_SYNTAX.match(what) for _, what in said):
        return None
    line = next((int(line) for line, _ in said if line), 1)
    return Defect(min(line, code.count("\n") + 1), said[0][1])


def _run(command: list[str], code: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(  # noqa: S603 - programs of the machine, found by name; the code is their input
            command, input=code, capture_output=True, text=True, timeout=TIMEOUT_S, check=False, encoding="utf-8"
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", f"line 1: it took longer than {TIMEOUT_S} s")
