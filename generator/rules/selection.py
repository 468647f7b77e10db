"""Select Problems by configuration, and by comments in the files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from generator.model import Problem
from generator.problems import CODES, not_ignored
from generator.rules.languages import OPTIONAL

_CODE = re.compile(r"^[PK]\d{0,3}$")


@dataclass(frozen=True, slots=True)
class Selection:
    """Codes to report: or beginnings of codes such as ``P02``."""

    select: tuple[str, ...] = ()
    """All where it is empty."""
    ignore: tuple[str, ...] = ()
    files: frozenset[str] | None = None
    """Those of which to tell, pages by their path in the project; ``None`` for all."""
    programs: tuple[str, ...] = ()
    """Optional programs to check code with."""

    def has(self, code: str) -> bool:
        """Return whether a Problem with `code` is wanted; the longer of two beginnings wins."""
        wanted = max((len(c) for c in self.select if code.startswith(c)), default=-1 if self.select else 0)
        unwanted = max((len(c) for c in self.ignore if code.startswith(c)), default=-1)
        return wanted > unwanted

    def has_file(self, path: str) -> bool:
        """Return whether Problems of the file at `path`, in the project, are wanted."""
        return self.files is None or path in self.files


def read_selection(options: Mapping[str, object], where: str = "pyproject.toml: [tool.planbook.check]") -> Selection:
    """Return what a configuration selects. Raises ValueError that names the key and `where` it stands."""
    unknown = sorted(set(options) - {"select", "ignore", "programs"})
    if unknown:
        raise ValueError(f"{where}: `{unknown[0]}` is no option of check; there are `select`, `ignore` and `programs`")
    select, ignore = (_codes(options.get(key), f"{where}: `{key}`") for key in ("select", "ignore"))
    programs = options.get("programs", [])
    if not isinstance(programs, list) or not set(map(str, programs)) <= OPTIONAL:
        raise ValueError(f"{where}: `programs` is no list of {', '.join(sorted(OPTIONAL))}")
    return Selection(select, ignore, programs=tuple(programs))


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
    """Those of `problems` that are selected and that no comment in their file takes back."""
    return (problem for problem in not_ignored(problems, texts) if selection.has(problem.code))
