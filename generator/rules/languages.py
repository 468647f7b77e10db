"""Check that code blocks parse: Python, JSON, YAML and TOML here, shell by `bash -n`, which runs nothing."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import textwrap
import tomllib
import warnings
from collections.abc import Callable, Mapping
from functools import cache

import yaml

from generator.markdown.document import read_document
from generator.model import Problem

TIMEOUT_S = 60
_PROMPTS = re.compile(r"^\s*(?:>>>|\.\.\.|\$|#\s*\$|In \[\d+\]:)\s", re.MULTILINE)
_MAGIC = re.compile(r"^\s*(?:[%!]|\?\w)", re.MULTILINE)
_SHELL_LINE = re.compile(r"line (\d+): (.*)")


def check_code(raw: bytes, uri: str, bash: tuple[str, str] | None) -> tuple[Problem, ...]:
    """Return K030 for each code block of a page that does not parse.

    Args:
        raw: the page.
        uri: its path.
        bash: the path of bash and its version, which is part of the cache's key; without it, shell is not checked.
    """
    problems = []
    for block in read_document(raw.decode("utf-8", errors="replace")).code_blocks:
        language, code = _ALIASES.get(block.language, block.language), textwrap.dedent(block.code)
        is_session = language in {"python", "shell"} and _PROMPTS.search(code)
        if is_session or (language == "python" and _MAGIC.search(code)):
            continue
        defect = _shell_defect(bash[0], code) if bash and language == "shell" else _defect(language, code)
        if defect:
            what = f"this {language} does not parse: {defect[1]}; fix it or correct the language of the fence"
            problems.append(Problem(uri, block.line + defect[0], "K030", what))
    return tuple(problems)


@cache
def find_bash() -> tuple[str, str] | None:
    """Return the path and the version of bash; ``None`` if it is not installed."""
    path = shutil.which("bash")
    return (path, _run([path, "--version"], "").stdout) if path else None


_ALIASES = {
    **{"python3": "python", "py": "python", "bash": "shell", "sh": "shell", "zsh": "shell"},
    "yml": "yaml",
}
"""The names of languages in fences, if they are not our own."""


class _Syntax(yaml.SafeLoader):
    """YAML with any tag: only the syntax matters."""


_Syntax.add_multi_constructor("", lambda loader, suffix, node: None)


def _parse_python(code: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes parse
        ast.parse(code)


_PARSERS: Mapping[str, Callable[[str], object]] = {
    "python": _parse_python,
    "json": json.loads,
    "yaml": lambda code: [*yaml.load_all(code, Loader=_Syntax)],
    "toml": tomllib.loads,
}


def _defect(language: str, code: str) -> tuple[int, str] | None:
    """Return the line of the code that cannot be parsed, 1-based, and why."""
    try:
        _PARSERS.get(language, str)(code)
    except (RecursionError, MemoryError):
        return 1, "it is nested too deeply"
    except (SyntaxError, json.JSONDecodeError) as error:
        return error.lineno or 1, error.msg
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        return int(line[1]) if line else 1, str(error)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        return mark.line + 1 if mark else 1, getattr(error, "problem", None) or "it is not YAML"
    except (ValueError, TypeError) as error:  # NUL, or a key that YAML cannot hash
        return 1, str(error) or "it cannot be parsed"
    return None


def _shell_defect(bash: str, code: str) -> tuple[int, str] | None:
    run = _run([bash, "--norc", "--noprofile", "-n"], code)
    said = _SHELL_LINE.search(run.stderr)
    reason = (int(said[1]), said[2]) if said else (1, "bash -n rejects it")
    return reason if run.returncode else None


def _run(command: list[str], code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - found by name; the code is its input
        command, input=code, capture_output=True, text=True, timeout=TIMEOUT_S, check=False, encoding="utf-8"
    )
