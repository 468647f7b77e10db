"""Run the rules: on a project for `planbook check`, on a library for builds.

`planbook.problems` has the table of all codes. Problems of one plan are found by its parser
(`plan.lint`), differences between plans and disk by the linker (`library.conflicts`), and all
others by the rules in the tables below.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import chain
from operator import attrgetter
from typing import Any

from planbook.library import Library
from planbook.markdown.document import read_document
from planbook.markdown.edits import apply_edits, blank_out
from planbook.markdown.extensions import PLAIN_SYNTAX, Syntax
from planbook.markdown.front_matter import body_start
from planbook.markdown.syntax import syntax_tree
from planbook.model import Plan, Problem, State, Tree
from planbook.problems import Severity, severity
from planbook.rules import accepted, links, notes, pages, research, sources
from planbook.rules.project import CodeFilter, Project, Rule, select_problems
from planbook.rules.working_tree_quotes import check_working_tree_quotes
from planbook_cache.functions import CallBatch

_BLANK = re.compile(r"\[(?:TIME|DATE|HHMM|YYYY-MM-DD)\]")


def check_plans(project: Project) -> Iterator[Problem]:
    """Yield P027 for blanks of a template, and of a finished PART."""
    plans, files = project.library.plans, project.tree.plans
    files_by_plan = {plan.uri: (plan, files[plan.uri]) for plan in plans}
    return chain.from_iterable(project.cache.from_last_build(_check_parsed_plan, files_by_plan))


def _check_parsed_plan(plan: Plan, raw: bytes) -> list[Problem]:
    lines = raw.decode("utf-8", errors="replace").splitlines()
    problems = []
    for line_number, line in enumerate(lines, 1):
        blank = research.BLANK.search(line)
        if blank:
            defect = f"{blank[0]} was never filled in; replace it"
            problems.append(Problem(plan.uri, line_number, "P027", defect, blank.start() + 1))
    done = [part for part in plan.parts if part.state is State.DONE]
    for part in done:
        for line_number, line in enumerate(lines[part.line - 1 : part.end_line], part.line):
            blank = _BLANK.search(line)
            if blank:
                defect = f"{blank[0]} was never filled in although PART {part.number} is done"
                fix = "write the actual file name"
                column = blank.start() + 1
                problems.append(Problem(plan.uri, line_number, "P027", f"{defect}; {fix}", column))
                break
    return problems


def error_checks(tree: Tree, code_filter: CodeFilter) -> CallBatch:
    """Return the calls that find the errors of each file.

    What links a tree calls them together with the parsers, before any rule needs the results.
    """
    return _checks_batch(
        code_filter, [*tree.pages.items(), *tree.plans.items(), *tree.drops.items()], _ERRORS
    )


def _errors_of_files(project: Project) -> Iterator[Problem]:
    [problems_of_files] = project.cache.from_disk(error_checks(project.tree, project.code_filter))
    return chain.from_iterable(problems_of_files)


def _other_problems_of_pages(project: Project) -> Iterator[Problem]:
    checks = _checks_batch(project.code_filter, project.pages.items(), _OTHER_CODES)
    [problems_of_pages] = project.cache.from_disk(checks)
    return chain.from_iterable(problems_of_pages)


def _checks_batch(
    code_filter: CodeFilter, files: Iterable[tuple[str, bytes]], codes: Iterable[str]
) -> CallBatch:
    codes = tuple(filter(code_filter.has, codes))
    return pages.check_page, [(raw, uri, codes) for uri, raw in files]


_ERRORS = [code for code in pages.PAGE_RULES if severity(code) is Severity.ERROR]
_OTHER_CODES = [code for code in pages.PAGE_RULES if severity(code) is not Severity.ERROR]
COMMON_RULES: Mapping[str, Rule] = {
    "K004": pages.check_values,
    "K014": sources.check_source_files,
    "K017": sources.check_doubts,
    "K019": check_working_tree_quotes,
    " ".join(_ERRORS): _errors_of_files,
    "P027": check_plans,
    "P043 P044 P045": research.check_research,
}
"""The rules that every command and each build applies, by their codes: of errors all, except K023,
MkDocs' own."""
CHECK_RULES: Mapping[str, Rule] = {
    "K018": sources.check_document_names,
    "K020 K021 K022": sources.check_sources,
    "K023 K035": links.check_links,
    "K024": pages.check_sizes,
    "K029": pages.check_budgets,
    "K037": links.check_wikilinks,
    "K038 K039 K041": notes.check_notes,
    "K040": accepted.check_accepted_pages,
    " ".join(_OTHER_CODES): _other_problems_of_pages,
}
"""The rules that `planbook check` applies, too."""


def check(project: Project) -> tuple[Problem, ...]:
    """Return the Problems of a project by file, line and column.

    Pages have their path in the project.

    Rules whose codes are not selected do not run.
    """
    problems = list(apply_common_rules(project).problems)
    for codes, rule in CHECK_RULES.items():
        if any(map(project.code_filter.has, codes.split())):
            problems += select_problems(rule(project), project.code_filter, project.tree.files)
    placed = (_place_in_project(problem, project) for problem in problems)
    reported = (problem for problem in placed if project.code_filter.has_file(problem.uri))
    return tuple(dict.fromkeys(sorted(reported, key=_order)))


def apply_common_rules(project: Project) -> Library:
    """Return the library with all Problems that every command reports, those of `COMMON_RULES` too.

    Those that the filter or a comment excludes are omitted.
    """
    problems = list(project.library.problems)
    for codes, rule in COMMON_RULES.items():
        if any(map(project.code_filter.has, codes.split())):
            problems += rule(project)
    reported = dict.fromkeys(select_problems(problems, project.code_filter, project.tree.files))
    return replace(project.library, problems=tuple(sorted(reported, key=_order)))


_order = attrgetter("uri", "line", "column", "code")


def _place_in_project(problem: Problem, project: Project) -> Problem:
    """Return a page's Problem with the page's path in the project."""
    is_of_page = problem.code.startswith("K") and problem.uri in project.tree.pages
    return replace(problem, uri=f"{project.docs_dir}/{problem.uri}") if is_of_page else problem


# --- fixes ----------------------------------------------------------------------------------------


def fix_file(raw: bytes, problems: Sequence[Problem], syntax: Syntax = PLAIN_SYNTAX) -> bytes:
    """Return a file with those of its `problems` fixed that have one certain fix.

    Every other byte is as it was.

    A file that is not UTF-8, or whose front matter is not valid, is returned unchanged.
    """
    text = raw.decode("utf-8", errors="replace")
    lines = {problem.line for problem in problems if problem.code == "K029"}
    moved = dict(problem.fix for problem in problems if problem.fix)
    # Bytes that are not UTF-8 would be replaced; without its end, front matter may go on anywhere.
    if text.encode("utf-8") != raw or read_document(text).error:
        return raw
    edits = [
        (at, end, new) for line, at, end, new in pages.find_budgets(raw, syntax) if line in lines
    ]
    return apply_edits(text, [*edits, *(_path_edits(text, moved) if moved else ())]).encode("utf-8")


def _path_edits(text: str, moved: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    """Yield the edits that replace the keys of `moved` in a plan.

    Only whole paths count, below the front matter and outside fences.
    """
    above = body_start(text)
    fences = [
        (above + n.start, above + n.end)
        for n in syntax_tree(text[above:]).descendants()
        if n.info is not None
    ]
    # Blanks of the same length: what is found is at its place in the text.
    new_text = apply_edits(
        text, ((start, end, blank_out(text[start:end])) for start, end in [(0, above), *fences])
    )
    for path in re.finditer(
        rf"(?<![\w./@+~-])(?:{'|'.join(map(re.escape, moved))})(?![\w/-]|\.\w)", new_text
    ):
        yield *path.span(), moved[path[0]]


# --- reports --------------------------------------------------------------------------------------

_GITHUB = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def problems_to_json(problems: Sequence[Problem]) -> Mapping[str, Any]:
    """Return the Problems as JSON data."""
    return {
        "problems": [
            {**asdict(problem), "severity": severity(problem.code).value} for problem in problems
        ]
    }


def problem_to_github(problem: Problem, folder: str = "") -> str:
    """Return a workflow command, which GitHub shows next to the line.

    If the line of another file is the cause, a second one stands beside that.
    https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions

    Args:
        problem: the Problem.
        folder: the project's folder from the top of the repository, with a slash at the end.
    """
    command = _github_command(replace(problem, uri=posixpath.normpath(folder + problem.uri)))
    if problem.place is None:
        return command
    file, line = problem.place
    defect = f"{problem.uri}:{problem.line} quotes this: {problem.message}"
    of_file = Problem(posixpath.normpath(folder + file), line, problem.code, defect)
    return f"{command}\n{_github_command(of_file)}"


def _github_command(problem: Problem) -> str:
    file = _message(problem.uri).replace(":", "%3A").replace(",", "%2C")
    location = f"file={file},line={problem.line},col={problem.column},title={problem.code}"
    return f"::{_GITHUB[severity(problem.code)]} {location}::{_message(problem.message)}"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
