"""All rules together: a project's texts go in, its Problems come out."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from generator.cache import UNCACHED, FunctionCache
from generator.library import Library, link_tree
from generator.model import Problem, Tree
from generator.rules.languages import CodeReport, Program, check_code
from generator.rules.pages import PAGE_RULES, check_page, check_pages, read_links
from generator.rules.plans import check_plan
from generator.rules.selection import Selection, wanted


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
    progress: Callable[[str], None] = lambda text: None,
) -> Checked:
    """Return the Problems of a project; rules whose codes are not selected do not run.

    Args:
        tree: the project's files.
        docs_dir: the folder that pages' paths begin with.
        selection: the codes and files to report.
        now: the time, with its zone.
        programs: those that parse code, by language.
        calls: knows what unchanged files gave before.
        progress: told what is going on.
    """
    progress("reading plans and pages")
    library = with_problems(link_tree(tree, calls), tree, selection, now, calls)
    raw = {uri: text for uri, text in tree.pages.items() if selection.has_file(f"{docs_dir}/{uri}")}
    pages = _texts(raw)
    progress("checking pages")
    codes = tuple(code for code in PAGE_RULES if selection.has(code))
    linking = raw if selection.has("K023") else {}
    links = dict(zip(linking, calls.map(read_links, [(text,) for text in linking.values()]), strict=True))
    found = [*library.problems, *check_pages(library, pages, links)]
    for problems in calls.map(check_page, [(text, uri, codes) for uri, text in raw.items()] if codes else []):
        found += problems
    code = CodeReport()
    if selection.has("K030"):
        of_code, code = check_code(raw, programs, calls, progress)
        found += of_code
    placed = (_placed(problem, docs_dir, tree.pages) for problem in wanted(found, selection, pages))
    meant = (problem for problem in placed if selection.has_file(problem.uri))
    in_order = sorted(meant, key=_order)
    return Checked(tuple(dict.fromkeys(in_order)), code, library)


def with_problems(
    library: Library, tree: Tree, selection: Selection, now: datetime | None, calls: FunctionCache = UNCACHED
) -> Library:
    """Return `library` with the Problems that every command reports: all of plans and drops, and what it has of pages.

    Those that `selection` or a comment takes back are left out. A build has no `now`, and gives the same site whenever
    it runs.
    """
    files = {**tree.plans, **tree.drops}
    texts, found = _texts(files), [*library.problems]
    if selection.has("K026"):
        for problems in calls.map(check_page, [(raw, uri, ("K026",)) for uri, raw in files.items()]):
            found += problems
    for plan in library.plans:
        found += check_plan(plan, texts[plan.uri], now)
    told = dict.fromkeys(wanted(found, selection, texts))
    return replace(library, problems=tuple(sorted(told, key=_order)))


def _texts(files: Mapping[str, bytes]) -> dict[str, str]:
    return {uri: raw.decode("utf-8", errors="replace") for uri, raw in files.items()}


def _order(problem: Problem) -> tuple[str, int, int, str]:
    return problem.uri, problem.line, problem.column, problem.code


def _placed(problem: Problem, docs_dir: str, pages: Container[str]) -> Problem:
    """A page's Problem with the page's path in the project."""
    is_of_page = problem.code.startswith("K") and problem.uri in pages
    return replace(problem, uri=f"{docs_dir}/{problem.uri}") if is_of_page else problem
