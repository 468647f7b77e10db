"""Check that code blocks parse, by language. Shell, Dockerfiles and CUDA are checked by installed programs."""

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
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from generator.cache import FunctionCache
from generator.markdown.document import read_document
from generator.model import Problem

TIMEOUT_S = 60
"""Timeout in seconds for one block in another program."""

_PROMPTS = re.compile(r"^\s*(?:>>>|\.\.\.|\$|#\s*\$|In \[\d+\]:)\s", re.MULTILINE)
_MAGIC = re.compile(r"^\s*(?:[%!]|\?\w)", re.MULTILINE)
_CUDA_ERROR = re.compile(r"(?:\((\d+)\)|^At end of source|:\d+)?: (?:fatal |catastrophic )?error: (.*)", re.MULTILINE)
_CUDA_SYNTAX = re.compile(r"expected |missing closing quote|unrecognized token|unterminated ")
"""Beginnings of the compiler's syntax errors."""
_SHELL_LINE = re.compile(r"line (\d+): (.*)")


@dataclass(frozen=True, slots=True)
class Defect:
    """Why code does not parse."""

    line: int
    """1-based, in the code."""
    reason: str


@dataclass(frozen=True, slots=True)
class Program:
    """An installed program that parses code."""

    path: str
    version: str
    """Its output for ``--version``."""


@dataclass(frozen=True, slots=True)
class PageCode:
    """The code blocks of one page."""

    problems: tuple[Problem, ...]
    """K030 for blocks in languages that need no program."""
    checked: int
    blocks: tuple[tuple[str, int, str], ...]
    """Other blocks: ``(language, line of the fence, code)``; no program parses a ``python session``."""


@dataclass(frozen=True, slots=True)
class CodeReport:
    """Number of blocks that were checked."""

    checked: int = 0
    unchecked: tuple[tuple[str, int], ...] = ()
    """Number of blocks that cannot be checked on this machine, by language."""


def check_code(
    pages: Mapping[str, bytes], programs: Mapping[str, Program], calls: FunctionCache, progress: Callable[[str], None]
) -> tuple[list[Problem], CodeReport]:
    """Return K030 for each code block that does not parse, and the number of blocks checked.

    Args:
        pages: the files, by uri.
        programs: the programs to run, by language.
        calls: caches the results for unchanged pages and blocks.
        progress: called with the number of blocks that the programs have parsed.
    """
    read = dict(zip(pages, calls.map(parse_code, [(raw, uri) for uri, raw in pages.items()]), strict=True))
    problems = [problem for code in read.values() for problem in code.problems]
    unchecked: Counter[str] = Counter()
    places = defaultdict[tuple[str, str], list[tuple[str, int]]](list)
    for uri, page in read.items():
        for language, line, code in page.blocks:
            if language in programs:
                places[language, code].append((uri, line))
            else:
                unchecked[language] += 1
    with ThreadPoolExecutor() as pool:
        answers = pool.map(lambda block: _ask(programs[block[0]], block[0], block[1], calls), places)
        for n, (block, defects) in enumerate(zip(places, answers, strict=True), 1):
            progress(f"{n} of {len(places)} code blocks")
            problems += [_problem(*place, block[0], defect) for place in places[block] for defect in defects]
    checked = sum(page.checked for page in read.values()) + sum(map(len, places.values()))
    return problems, CodeReport(checked, tuple(sorted(unchecked.items())))


def parse_code(raw: bytes, uri: str) -> PageCode:
    """Return a page's code blocks, those in Python, JSON, YAML and TOML parsed."""
    problems, checked, blocks = [], 0, []
    for block in read_document(raw.decode("utf-8", errors="replace")).code_blocks:
        language = _ALIASES.get(block.language, block.language)
        code = textwrap.dedent(block.code)
        is_session = language in _WITH_SESSIONS and _PROMPTS.search(block.code)
        if is_session or (language == "python" and _MAGIC.search(block.code)):
            blocks.append((f"{language} session", block.line, ""))
        elif language in _PROGRAMS:
            blocks.append((language, block.line, code))
        elif language in _PARSERS:
            checked += 1
            defect = _parse(language, code)
            problems += [_problem(uri, block.line, language, defect)] if defect else []
    return PageCode(tuple(problems), checked, tuple(blocks))


@cache
def find_programs(optional: tuple[str, ...] = ()) -> Mapping[str, Program]:
    """Return the installed programs that parse code, by language; `OPTIONAL` ones only if they are in `optional`."""
    found = {}
    beside = os.pathsep.join([str(Path(sys.executable).parent), "/usr/local/cuda/bin"])
    for language, (name, _) in _PROGRAMS.items():
        path = shutil.which(name) or shutil.which(name, path=beside)
        if path and (name not in OPTIONAL or name in optional):
            found[language] = Program(path, _run([path, "--version"], "").stdout)
    return found


def run_program(language: str, path: str, version: str, code: str) -> tuple[Defect, ...]:
    """Return the first defect of `code` by the program at `path`, whose `version` is part of the cache key."""
    defect = _PROGRAMS[language][1](path, code)
    return (defect,) if defect else ()


def _ask(program: Program, language: str, code: str, calls: FunctionCache) -> tuple[Defect, ...]:
    try:
        return calls.call(run_program, language, program.path, program.version, code)
    except subprocess.SubprocessError:  # it may succeed the next time
        return (Defect(1, f"{Path(program.path).name} did not finish within {TIMEOUT_S} s"),)


def _problem(uri: str, line: int, language: str, defect: Defect) -> Problem:
    what = f"this {language} does not parse: {defect.reason}; fix it or correct the language of the fence"
    return Problem(uri, line + defect.line, "K030", what)


_ALIASES = {
    **{"python3": "python", "py": "python", "bash": "shell", "sh": "shell", "zsh": "shell"},
    **{"docker": "dockerfile", "cu": "cuda", "yml": "yaml"},
}
"""The names of languages in fences, if they are not our own."""

_WITH_SESSIONS = frozenset({"python", "shell"})


class _Syntax(yaml.SafeLoader):
    """YAML with any tag: only the syntax matters."""


_Syntax.add_multi_constructor("", lambda loader, suffix, node: None)


def _parse_python(code: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes parse
        ast.parse(code)


def _parse_yaml(code: str) -> None:
    for _ in yaml.load_all(code, Loader=_Syntax):
        pass


def _parse(language: str, code: str) -> Defect | None:
    """Return why `code` cannot be parsed."""
    try:
        _PARSERS[language](code)
    except (RecursionError, MemoryError):
        return Defect(1, "it is nested too deeply")
    except (SyntaxError, json.JSONDecodeError) as error:
        return Defect(error.lineno or 1, error.msg)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        return Defect(int(line[1]) if line else 1, str(error))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        return Defect(mark.line + 1 if mark else 1, getattr(error, "problem", None) or "it is not YAML")
    except (ValueError, TypeError) as error:  # NUL, or a key that YAML cannot hash
        return Defect(1, str(error) or "it cannot be parsed")
    return None


def _shell(bash: str, code: str) -> Defect | None:
    """Parse with `bash -n`, which runs nothing."""
    run = _run([bash, "--norc", "--noprofile", "-n"], code)
    if run.returncode == 0:
        return None
    said = _SHELL_LINE.search(run.stderr)
    return Defect(int(said[1]) if said else 1, said[2] if said else "bash -n rejects it")


def _dockerfile(hadolint: str, code: str) -> Defect | None:
    """Report only parse errors, not advice on style."""
    run = _run([hadolint, "--no-fail", "--format", "json", "-"], code)
    try:
        said = [entry for entry in json.loads(run.stdout or "[]") if entry.get("code") == "DL1000"]
    except ValueError:
        said = [{"line": 1, "message": "hadolint cannot parse it"}]
    return Defect(int(said[0]["line"]), " ".join(str(said[0]["message"]).split())) if said else None


def _cuda(nvcc: str, code: str) -> Defect | None:
    """Return the first syntax error, if there are only syntax errors both at file level and inside a function.

    Pages often show fragments whose types and names are defined elsewhere; without them, a compiler may report syntax
    errors too.
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
    """Run an installed program on `code`. Raises subprocess.SubprocessError if it times out or is killed."""
    done = subprocess.run(  # noqa: S603 - found by name; the code is its input
        command, input=code, capture_output=True, text=True, timeout=TIMEOUT_S, check=False, encoding="utf-8"
    )
    if done.returncode < 0:
        raise subprocess.CalledProcessError(done.returncode, command)
    return done


_PARSERS: Mapping[str, Callable[[str], object]] = {
    "python": _parse_python,
    "json": json.loads,
    "yaml": _parse_yaml,
    "toml": tomllib.loads,
}
_PROGRAMS: Mapping[str, tuple[str, Callable[[str, str], Defect | None]]] = {
    "shell": ("bash", _shell),
    "dockerfile": ("hadolint", _dockerfile),
    "cuda": ("nvcc", _cuda),
}
OPTIONAL = frozenset({"nvcc"})
"""Programs that run only if the project enables them: nvcc compiles each block twice, at a second each."""
