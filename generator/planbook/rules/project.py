"""A project as its rules see it, and the filter of the codes to report."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from planbook.library import Library
from planbook.markdown.extensions import PLAIN_SYNTAX, Syntax
from planbook.model import Problem, Tree
from planbook.problems import CODES, not_ignored
from planbook_cache.functions import NO_CACHE, FunctionCache

_CODE = re.compile(r"^[PK]\d{0,3}$")


@dataclass(frozen=True, slots=True)
class CodeFilter:
    """The codes to report, or prefixes such as ``P02``."""

    select: tuple[str, ...] = ()
    """All if it is empty."""
    ignore: tuple[str, ...] = ()
    files: frozenset[str] | None = None
    """The files to report, pages by their path in the project; ``None`` for all."""

    def has(self, code: str) -> bool:
        """Return whether Problems with `code` are reported; the longer of two prefixes wins."""
        selected = _longest_prefix(code, self.select)
        if not self.select:
            selected = 0  # all are selected, by a prefix without a character
        return selected > _longest_prefix(code, self.ignore)

    def has_file(self, path: str) -> bool:
        """Return whether Problems of the file at `path`, in the project, are reported."""
        return self.files is None or path in self.files


def _longest_prefix(code: str, prefixes: Iterable[str]) -> int:
    """Return the length of the longest prefix of a code; -1 if there is none."""
    return max((len(prefix) for prefix in prefixes if code.startswith(prefix)), default=-1)


def read_code_filter(
    options: Mapping[str, object], where: str = "pyproject.toml: [tool.planbook.check]"
) -> CodeFilter:
    """Return the filter of codes in a configuration.

    Raises ValueError, which names the key and `where` it is.
    """
    unknown = sorted(set(options) - {"select", "ignore"})
    if unknown:
        raise ValueError(
            f"{where}: unknown option `{unknown[0]}`; the options are `select` and `ignore`"
        )
    select, ignore = (_codes(options.get(key), f"{where}: `{key}`") for key in ("select", "ignore"))
    return CodeFilter(select, ignore)


def parse_codes(text: str, where: str) -> tuple[str, ...]:
    """Return comma-separated codes, as in command-line options. Raises ValueError."""
    return _codes([code for code in re.split(r"[,\s]+", text) if code], where)


def _codes(value: object, where: str) -> tuple[str, ...]:
    if value is None:
        return ()
    codes = [value] if isinstance(value, str) else value
    if not isinstance(codes, list) or not all(isinstance(code, str) for code in codes):
        raise ValueError(f"{where} must be a list of codes, such as [P021, K02]")
    for code in codes:
        is_known = any(known_code.startswith(code) for known_code in CODES)
        if not _CODE.match(code) or not is_known:
            raise ValueError(f"{where}: unknown code {code!r}; see the Guide, Problems")
    return tuple(codes)


@dataclass(frozen=True, slots=True)
class ThemeFiles:
    """The parts of Material, and the author's additions, that front matter names."""

    has: Callable[[str], bool]
    """Returns whether a template or icon exists, by its path in the theme."""
    has_tags: bool
    """True if the plugin `tags` reads the key of this name."""


@dataclass(frozen=True, slots=True)
class LinkTargets:
    """The files and anchors that a strict build requires of links."""

    has_file: Callable[[str], bool]
    """Returns whether the documentation has a file at this path, or may have."""
    are_required: bool
    """False if other plugins may add files, or missing ones are accepted."""
    are_rebased: bool
    """True if links relative to the base's root lead to their pages."""
    in_nav: Mapping[str, Problem]
    """The Problem of each page in the hand-written navigation, by path, if it does not exist."""
    pages: Mapping[str, bytes]
    """The pages whose anchors it checks."""
    files: Callable[[], Iterable[str]] = tuple
    """Returns all files of the documentation."""


@dataclass(frozen=True, slots=True)
class SourceFiles:
    """The local files that references may name."""

    folder: str
    """The folder of documents."""
    defect: Callable[[str], str]
    """Returns why the document that ``custom.file`` names cannot be read; empty if it can."""
    has_page_file: Callable[[str], bool]
    """Returns whether the documentation folder has a file at this path."""
    has_file: Callable[[str], bool]
    """Returns whether the project has a file at this path."""
    read_working_file: Callable[[str, str], tuple[str, str] | None] = lambda path, page: None
    """Returns the path and the text of the repository's file that a page names by a path."""
    documents: Callable[[], Iterable[str]] = tuple
    """Returns all files below the folder of documents, relative to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """All that a rule may read."""

    tree: Tree
    library: Library
    code_filter: CodeFilter = field(default_factory=CodeFilter)
    docs_dir: str = "docs"
    """The folder that pages' paths begin with."""
    cache: FunctionCache = NO_CACHE
    """Caches the results for unchanged files."""
    syntax: Syntax = PLAIN_SYNTAX
    """The blocks of the Markdown extensions that the site has switched on."""
    is_vault: bool = False
    """True if the pages are notes of Obsidian, whose comments are not published."""
    theme: ThemeFiles | None = None
    """The files of the theme, if it is Material."""
    targets: LinkTargets | None = None
    """The possible targets of links besides pages."""
    sources: SourceFiles | None = None
    """The local files that references may name; ``None`` if they are not looked at."""
    doubts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Why sources that `planbook verify` read are doubtful, by page and reference."""

    @property
    def pages(self) -> dict[str, bytes]:
        """The selected pages."""
        has_file = self.code_filter.has_file
        return {
            uri: raw for uri, raw in self.tree.pages.items() if has_file(f"{self.docs_dir}/{uri}")
        }


Rule = Callable[[Project], Iterator[Problem]]
"""Yields the Problems of one kind."""


def select_problems(
    problems: Iterable[Problem], code_filter: CodeFilter, files: Mapping[str, bytes]
) -> list[Problem]:
    """Return the `problems` that are selected and that no comment in their file suppresses."""
    reported = not_ignored(list(problems), files)
    codes = set(filter(code_filter.has, {problem.code for problem in reported}))
    return [problem for problem in reported if problem.code in codes]
