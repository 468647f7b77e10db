"""Which Problems are wanted: by the configuration, and by comments in the files themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from generator.model import Problem
from generator.problems import CODES

_COMMENT = re.compile(r"<!--\s*planbook-ignore(?P<file>-file)?\s*:\s*(?P<codes>[PK\d,\s]+?)\s*(?:--\s.*?)?-->")
_CODE = re.compile(r"^[PK]\d{0,3}$")


@dataclass(frozen=True, slots=True)
class Selection:
    """What to tell: codes, or beginnings of codes such as ``P02``."""

    select: tuple[str, ...] = ()
    """All where it is empty."""
    ignore: tuple[str, ...] = ()

    def has(self, code: str) -> bool:
        """Whether a Problem with `code` is wanted; the longer of two beginnings wins."""
        wanted = max((len(c) for c in self.select if code.startswith(c)), default=-1 if self.select else 0)
        unwanted = max((len(c) for c in self.ignore if code.startswith(c)), default=-1)
        return wanted > unwanted


def read_selection(options: Mapping[str, object], where: str) -> Selection:
    """The ``select`` and ``ignore`` of a configuration. Raises ValueError that names the key and `where` it stands."""
    unknown = sorted(set(options) - {"select", "ignore"})
    if unknown:
        raise ValueError(f"{where}: `{unknown[0]}` is no option of check; there are `select` and `ignore`")
    return Selection(*(_codes(options.get(key), f"{where}: `{key}`") for key in ("select", "ignore")))


def parse_codes(text: str, where: str) -> tuple[str, ...]:
    """Codes with commas between them, as options of the command line have them. Raises ValueError."""
    return _codes([code for code in re.split(r"[,\s]+", text) if code], where)


def _codes(value: object, where: str) -> tuple[str, ...]:
    listed = [value] if isinstance(value, str) else value if isinstance(value, list) else [] if value is None else None
    if listed is None or not all(isinstance(code, str) for code in listed):
        raise ValueError(f"{where} is no list of codes; write for example [P022, K02]")
    for code in listed:
        if not _CODE.match(code) or not any(known.startswith(code) for known in CODES):
            raise ValueError(f"{where}: there is no code {code!r}; the Guide lists them (Problems)")
    return tuple(listed)


def wanted(problems: Iterable[Problem], selection: Selection, texts: Mapping[str, str]) -> Iterator[Problem]:
    """Those of `problems` that are selected and that no comment in their file takes back.

    ``<!-- planbook-ignore: K023 -->`` speaks for its own line and the next, ``<!-- planbook-ignore-file: K025 -->`` for
    the whole file.
    """
    ignored: dict[str, Ignored] = {}
    for problem in problems:
        if problem.uri not in ignored:
            ignored[problem.uri] = read_ignored(texts.get(problem.uri, ""))
        if selection.has(problem.code) and not ignored[problem.uri].has(problem):
            yield problem


@dataclass(frozen=True, slots=True)
class Ignored:
    """What comments in one file take back."""

    everywhere: frozenset[str] = frozenset()
    on_lines: frozenset[tuple[int, str]] = frozenset()

    def has(self, problem: Problem) -> bool:
        """Whether `problem` is taken back."""
        return problem.code in self.everywhere or (problem.line, problem.code) in self.on_lines


def read_ignored(text: str) -> Ignored:
    """What the comments in `text` take back."""
    if "planbook-ignore" not in text:
        return Ignored()
    everywhere: set[str] = set()
    on_lines: set[tuple[int, str]] = set()
    for comment in _COMMENT.finditer(text):
        codes = {code for code in re.split(r"[,\s]+", comment["codes"]) if code}
        if comment["file"]:
            everywhere |= codes
        else:
            line = text.count("\n", 0, comment.start()) + 1
            on_lines |= {(n, code) for n in (line, line + 1) for code in codes}
    return Ignored(frozenset(everywhere), frozenset(on_lines))
