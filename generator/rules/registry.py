"""Run the rules: on a project for `planbook check`, on a library for builds.

`generator.problems` has the table of all codes. Problems of one plan are found by its parser (`plan.lint`), differences
between plans and disk by the linker (`library.claims`), and all others by the modules of this package.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType

from generator.cache import UNCACHED, FunctionCache
from generator.library import Library, link_tree
from generator.markdown.extensions import PLAIN, Syntax
from generator.markdown.front_matter import unread_end
from generator.model import Problem, State, Tree
from generator.plan.mark import mark
from generator.problems import CODES, not_ignored, read_ignored
from generator.rules.languages import OPTIONAL, CodeReport, Program, check_code
from generator.rules.pages import PAGE_RULES, LinkTargets, ThemeFiles, check_page, check_pages, check_values, read_links
from generator.rules.plans import check_plan, silent_parts

_CODE = re.compile(r"^[PK]\d{0,3}$")


# --- selection ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Selection:
    """The codes to report, or prefixes such as ``P02``."""

    select: tuple[str, ...] = ()
    """All if it is empty."""
    ignore: tuple[str, ...] = ()
    files: frozenset[str] | None = None
    """The files to report, pages by their path in the project; ``None`` for all."""
    programs: tuple[str, ...] = ()
    """Optional programs to check code with."""

    def has(self, code: str) -> bool:
        """Return whether Problems with `code` are reported; the longer of two prefixes wins."""
        wanted = max((len(c) for c in self.select if code.startswith(c)), default=-1 if self.select else 0)
        unwanted = max((len(c) for c in self.ignore if code.startswith(c)), default=-1)
        return wanted > unwanted

    def has_file(self, path: str) -> bool:
        """Return whether Problems of the file at `path`, in the project, are reported."""
        return self.files is None or path in self.files


def read_selection(options: Mapping[str, object], where: str = "pyproject.toml: [tool.planbook.check]") -> Selection:
    """Return the selection in a configuration. Raises ValueError, which names the key and `where` it is."""
    unknown = sorted(set(options) - {"select", "ignore", "programs"})
    if unknown:
        raise ValueError(f"{where}: unknown option `{unknown[0]}`; the options are `select`, `ignore` and `programs`")
    select, ignore = (_codes(options.get(key), f"{where}: `{key}`") for key in ("select", "ignore"))
    programs = options.get("programs", [])
    if not isinstance(programs, list) or not set(map(str, programs)) <= OPTIONAL:
        raise ValueError(f"{where}: `programs` must be a list of {', '.join(sorted(OPTIONAL))}")
    return Selection(select, ignore, programs=tuple(programs))


def parse_codes(text: str, where: str) -> tuple[str, ...]:
    """Return comma-separated codes, as in command-line options. Raises ValueError."""
    return _codes([code for code in re.split(r"[,\s]+", text) if code], where)


def _codes(value: object, where: str) -> tuple[str, ...]:
    listed = [value] if isinstance(value, str) else value if isinstance(value, list) else [] if value is None else None
    if listed is None or not all(isinstance(code, str) for code in listed):
        raise ValueError(f"{where} must be a list of codes, such as [P022, K02]")
    for code in listed:
        if not _CODE.match(code) or not any(known.startswith(code) for known in CODES):
            raise ValueError(f"{where}: unknown code {code!r}; see the Guide, Problems")
    return tuple(listed)


def wanted(problems: Iterable[Problem], selection: Selection, texts: Mapping[str, str]) -> Iterator[Problem]:
    """Yield the `problems` that are selected and that no comment in their file suppresses."""
    return (problem for problem in not_ignored(problems, texts) if selection.has(problem.code))


# --- check -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Checked:
    """Result of a check."""

    problems: tuple[Problem, ...]
    """By file, line and column; pages by their path in the project."""
    code: CodeReport
    library: Library


def check(  # noqa: PLR0913, PLR0917 - each is an input of its own
    tree: Tree,
    docs_dir: str,
    selection: Selection,
    now: datetime,
    programs: Mapping[str, Program],
    calls: FunctionCache = UNCACHED,
    syntax: Syntax = PLAIN,
    theme: ThemeFiles | None = None,
    targets: LinkTargets | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> Checked:
    """Return the Problems of a project; rules whose codes are not selected do not run.

    Args:
        tree: the project's files.
        docs_dir: the folder that pages' paths begin with.
        selection: the codes and files to report.
        now: the time, with its zone.
        programs: those that parse code, by language.
        calls: caches the results for unchanged files.
        syntax: the blocks of the Markdown extensions that the site has switched on.
        theme: the files of the theme, if it is Material.
        targets: what links can lead to besides pages.
        progress: called with a description of the current step.
    """
    progress("reading plans and pages")
    library = with_problems(link_tree(tree, calls), tree, selection, now, calls, theme)
    raw = {uri: text for uri, text in tree.pages.items() if selection.has_file(f"{docs_dir}/{uri}")}
    pages = _texts(raw)
    progress("checking pages")
    codes = tuple(code for code in PAGE_RULES if selection.has(code))
    linking = raw if selection.has("K023") or selection.has("K035") else {}
    links = dict(zip(linking, calls.map(read_links, [(text, syntax) for text in linking.values()]), strict=True))
    found = [*library.problems, *check_pages(library, pages, links, targets)]
    for problems in calls.map(check_page, [(text, uri, codes, syntax) for uri, text in raw.items()] if codes else []):
        found += problems
    code = CodeReport()
    if selection.has("K030"):
        of_code, code = check_code(raw, programs, calls, progress)
        found += of_code
    placed = (_placed(problem, docs_dir, tree.pages) for problem in wanted(found, selection, pages))
    reported = (problem for problem in placed if selection.has_file(problem.uri))
    return Checked(tuple(dict.fromkeys(sorted(reported, key=_order))), code, library)


def with_problems(  # noqa: PLR0913, PLR0917 - each is an input of its own
    library: Library,
    tree: Tree,
    selection: Selection,
    now: datetime | None,
    calls: FunctionCache = UNCACHED,
    theme: ThemeFiles | None = None,
) -> Library:
    """Return `library` with the Problems that every command reports: its own, all of plans and drops, and K004.

    Those that `selection` or a comment excludes are omitted. A build passes no `now`, so that its output does not
    depend on the time.
    """
    files = {**tree.plans, **tree.drops}
    texts, found = _texts(files), [*library.problems, *check_values(library, tree.pages, theme)]
    if selection.has("K026"):
        for problems in calls.map(check_page, [(raw, uri, ("K026",), PLAIN) for uri, raw in files.items()]):
            found += problems
    for plan in library.plans:
        found += check_plan(plan, texts[plan.uri], now)
    reported = dict.fromkeys(wanted(found, selection, texts))
    return replace(library, problems=tuple(sorted(reported, key=_order)))


def _texts(files: Mapping[str, bytes]) -> dict[str, str]:
    return {uri: raw.decode("utf-8", errors="replace") for uri, raw in files.items()}


def _order(problem: Problem) -> tuple[str, int, int, str]:
    return problem.uri, problem.line, problem.column, problem.code


def _placed(problem: Problem, docs_dir: str, pages: Container[str]) -> Problem:
    """Return a page's Problem with the page's path in the project."""
    is_of_page = problem.code.startswith("K") and problem.uri in pages
    return replace(problem, uri=f"{docs_dir}/{problem.uri}") if is_of_page else problem


# --- fix ---------------------------------------------------------------------------------------------------------


def fix_page(text: str, selection: Selection, syntax: Syntax = PLAIN) -> str:
    """Return a page's `text` with the selected Problems fixed, as far as their fix is unambiguous."""
    ignored = read_ignored(text)
    for code, rule in PAGE_RULES.items():
        if rule.fix and selection.has(code) and (0, code) not in ignored:
            text = rule.fix(text, syntax)
    return text


def fix_plan(text: str, uri: str, selection: Selection, moved: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return a plan's `text` with status lines added and paths corrected.

    Each PART with a page but without mark and date gets a status line; paths that are keys of `moved` become their
    values.
    """
    ignored = read_ignored(text)
    unread = unread_end(text)
    fixed = {code for code in ("P010", "P030", "P033") if selection.has(code) and (0, code) not in ignored}
    if fixed & {"P030", "P033"}:
        for path, page in moved.items():
            written = re.compile(rf"(?<![\w./@+~-]){re.escape(path)}(?![\w/-]|\.\w)")
            text = text[:unread] + written.sub(page.replace("\\", r"\\"), text[unread:])
    if "P010" in fixed:
        for part in reversed(silent_parts(text, uri)):  # from the end, so that earlier line numbers stay valid
            text = mark(text, part, State.OPEN)
    return text
