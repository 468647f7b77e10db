"""The registry of Problems: the severity and the meaning of each code.

It also has the requirements of drafts, and the comments that suppress Problems.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from planbook.model import LineBudget, Problem


class Severity(StrEnum):
    """The severity of a Problem."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class ProblemKind:
    """One kind of Problem."""

    severity: Severity
    """In builds and in `planbook check`; of ``D`` codes, in a draft."""
    title: str
    requirement: str = ""
    """The requirement for drafts that it violates, a key of `REQUIREMENTS`; empty if drafts are not
    checked for it."""


# Codes that decide more than a report.
NOT_UTF8, BAD_FRONT_MATTER, UNKNOWN_CITATION = "K002", "K001", "K012"
DOUBTFUL_SOURCE, WRONG_QUOTE, CHANGED_QUOTE = "D035", "D040", "D043"
UNKNOWN_FIGURE, UNGROUNDED, MOSTLY_DEDUCED = "D048", "D051", "D053"

_E, _W, _I = Severity.ERROR, Severity.WARNING, Severity.INFO

CODES: dict[str, ProblemKind] = {
    "P001": ProblemKind(_E, "the plan is not UTF-8"),
    "P002": ProblemKind(_W, "a line is too long to be read whole"),
    "P003": ProblemKind(_E, "a fence is never closed"),
    "P004": ProblemKind(_E, "no PART found"),
    "P008": ProblemKind(_W, "a status line names another PART"),
    "P009": ProblemKind(_W, "a PART is open, yet has a completion time"),
    "P010": ProblemKind(_W, "a PART has no status line"),
    "P011": ProblemKind(_W, "conflicting marks for one PART"),
    "P012": ProblemKind(_W, "heading, status line or labels name different pages"),
    "P013": ProblemKind(_W, "a PART number is used twice"),
    "P015": ProblemKind(_W, "a PART names no page"),
    "P016": ProblemKind(_I, "a PART is done, but has no completion time"),
    "P017": ProblemKind(_W, "section budgets do not add up to the PART's"),
    "P019": ProblemKind(_W, "a PART has no outline"),
    "P020": ProblemKind(_E, "a page's path is outside the base", "target"),
    "P021": ProblemKind(_E, "two PARTs claim one page"),
    "P022": ProblemKind(_W, "a page is planned in a folder of a blog"),
    "P027": ProblemKind(_W, "a placeholder was never filled in"),
    "P028": ProblemKind(_W, "a PART is inside a code fence"),
    "P030": ProblemKind(_W, "a PART is done, but its page does not exist"),
    "P031": ProblemKind(_W, "a PART is open, but its page exists"),
    "P032": ProblemKind(_I, "a PART is done, but its drop does not exist"),
    "P033": ProblemKind(_I, "a page that the PART builds on is not in the base"),
    "P034": ProblemKind(_W, "a drop belongs to no PART"),
    "P040": ProblemKind(_W, "a mark is not known"),
    "P041": ProblemKind(_W, "a path is not read whole"),
    "P042": ProblemKind(_W, "a line was not understood"),
    "P043": ProblemKind(_I, "a PART names no source to look in"),
    "P044": ProblemKind(_I, "two queries have the same words"),
    "P045": ProblemKind(_I, "a point asks nothing that its heading does not say"),
    "K001": ProblemKind(_E, "a page's front matter is not valid", "front-matter"),
    "K002": ProblemKind(_E, "a page is not UTF-8"),
    "K003": ProblemKind(_E, "a page has the name of a generated page", "target"),
    "K004": ProblemKind(_E, "a value in the front matter stops the build"),
    "K005": ProblemKind(_E, "an option in `mkdocs.yml` is not valid"),
    "K006": ProblemKind(_E, "a link in the base leads out of it"),
    "K007": ProblemKind(_E, "a file or folder that cannot be read"),
    "K010": ProblemKind(_W, "a search engine's results are cited as a source"),
    "K011": ProblemKind(_W, "references in the front matter are not CSL", "front-matter"),
    "K012": ProblemKind(_E, "a citation does not match any reference or quote", "citations"),
    "K013": ProblemKind(_W, "a reference is never cited", "references"),
    "K014": ProblemKind(_E, "a cited file cannot be read"),
    "K015": ProblemKind(_W, "a field of a reference has a wrong type or value"),
    "K016": ProblemKind(_E, "two references have one id"),
    "K017": ProblemKind(_E, "a cited source may be another page than was meant"),
    "K018": ProblemKind(_I, "a source, or its access date, is not understood"),
    "K019": ProblemKind(_E, "a quoted file of the repository has changed"),
    "K020": ProblemKind(_W, "a page has no sources"),
    "K021": ProblemKind(_W, "a source has no title", "references"),
    "K022": ProblemKind(_I, "a source has no access date"),
    "K023": ProblemKind(_E, "a link to a page, file or heading that does not exist", "links"),
    "K024": ProblemKind(_I, "a page misses its budget by far"),
    "K025": ProblemKind(_W, "an absolute path of a local machine"),
    "K026": ProblemKind(_E, "a possible secret", "credentials"),
    "K027": ProblemKind(_W, "nested code fences"),
    "K029": ProblemKind(_I, "a heading contains its budget"),
    "K035": ProblemKind(_W, "a link relative to the base's root"),
    "K036": ProblemKind(_W, "a page looks like a plan"),
    "K037": ProblemKind(_W, "a wikilink that leads to no page, or to several"),
    "K038": ProblemKind(_W, "a comment of a note may be published"),
    "K039": ProblemKind(_I, "a formula is shown as text"),
    "K040": ProblemKind(_W, "a page was changed since it was accepted"),
    "K041": ProblemKind(_I, "a link is shown as text"),
    "A001": ProblemKind(_E, "a cited source does not exist"),
    "A002": ProblemKind(_W, "a cited source could not be read"),
    "A003": ProblemKind(_I, "a cited source has moved"),
    "A004": ProblemKind(_E, "a quote is not in its source"),
    "A006": ProblemKind(_E, "the figures of a claim differ from its source"),
    "A007": ProblemKind(_I, "a claim is quoted inexactly, or not checked"),
    "A008": ProblemKind(_W, "a figure, a name or the cited lines of a claim are not in its source"),
    "D001": ProblemKind(_E, "the front matter lacks a required key", "front-matter"),
    "D002": ProblemKind(_E, "a required key has a wrong value", "front-matter"),
    "D003": ProblemKind(_E, "a program sets a key reserved for people", "front-matter"),
    "D010": ProblemKind(_E, "a section of the outline is missing", "sections"),
    "D011": ProblemKind(_E, "a section of the outline is empty", "sections"),
    "D012": ProblemKind(_I, "a section is out of order", "sections"),
    "D020": ProblemKind(_E, "nothing is cited", "citations"),
    "D021": ProblemKind(_E, "a cited work was not read", "citations"),
    "D030": ProblemKind(_E, "a reference has no unique id", "references"),
    "D031": ProblemKind(_E, "the URL of a reference is not a web address", "references"),
    "D032": ProblemKind(_E, "a reference is not the work that was read", "references"),
    "D034": ProblemKind(_I, "a reference is not verified", "references"),
    "D035": ProblemKind(_W, "a reference may be another page than was meant", "references"),
    "D036": ProblemKind(_I, "a source has changed since the page was written", "references"),
    "D037": ProblemKind(_I, "a quote is never cited", "references"),
    "D038": ProblemKind(_E, "a passage that is cited by its number has no quote", "citations"),
    "D039": ProblemKind(
        _W, "a passage that is cited by its number, of which nothing is needed", "citations"
    ),
    "D040": ProblemKind(_E, "a quote is not in its source", "quotes"),
    "D041": ProblemKind(_I, "a quote stands in its source several times", "quotes"),
    "D042": ProblemKind(_E, "a quote on the page has no citation", "quotes"),
    "D043": ProblemKind(_E, "a quote on the page differs from its reference", "quotes"),
    "D044": ProblemKind(_E, "a quote is too short", "quotes"),
    "D045": ProblemKind(_I, "a quote is too long", "quotes"),
    "D046": ProblemKind(_I, "a quote is not verified", "quotes"),
    "D047": ProblemKind(_W, "a sentence has a name that its quotes do not have", "quotes"),
    "D048": ProblemKind(
        _E,
        "a sentence has a number or an option that its quotes do not have, or invalid evidence",
        "quotes",
    ),
    "D049": ProblemKind(_W, "the judge does not confirm a sentence", "quotes"),
    "D050": ProblemKind(_I, "a page misses its budget", "lines"),
    "D051": ProblemKind(_W, "a sentence with a number, name or option has no ground", "grounds"),
    "D052": ProblemKind(_E, "a deduced sentence has more than it follows from", "grounds"),
    "D053": ProblemKind(_I, "a page is deduced for more than a quarter", "grounds"),
    "D054": ProblemKind(_I, "a passage may answer what a page marks as not found", "grounds"),
    "D055": ProblemKind(_E, "a measured sentence links to no file of the base", "grounds"),
    "D056": ProblemKind(_E, "an option, variable or figure that no work has", "grounds"),
    "D057": ProblemKind(_W, "a sentence has the opposite of a word of its quotes", "quotes"),
    "D058": ProblemKind(_W, "no sentence has the words of a point of the plan", "sections"),
    "D059": ProblemKind(_I, "sentences that cite nothing and have no mark", "grounds"),
    "D060": ProblemKind(_E, "HTML", "markup"),
    "D061": ProblemKind(_E, "Markdown extension syntax", "markup"),
    "D062": ProblemKind(_I, "Markdown extension syntax on a manually written page", "markup"),
    "D063": ProblemKind(_E, "a line that includes a file", "markup"),
    "D064": ProblemKind(_E, "a second front matter block", "fences"),
    "D065": ProblemKind(_E, "a fence is not closed", "fences"),
    "D066": ProblemKind(_I, "a row of a table has more cells than its head", "markup"),
    "D070": ProblemKind(
        _E, "a link to something other than the web or a file of the base", "links"
    ),
    "D071": ProblemKind(_I, "a link to a missing file on a manually written page", "links"),
    "D072": ProblemKind(_I, "a link to a page that is not written yet", "links"),
}
"""Code to kind.

``P00x`` files, ``P01x`` PARTs, ``P02x`` the base, ``P03x`` claims against the disk, ``P04x`` lines.
``K00x`` pages, ``K01x`` their citations, ``K02x`` to ``K04x`` for `planbook check` only.
``A00x`` sources, for `planbook audit` only; ``D0xx`` drafts only.
"""


def severity(code: str, *, in_draft: bool = False) -> Severity:
    """Return the severity of Problems with `code`.

    A draft with any Problem of pages is not accepted: there, each of them is an error.
    """
    is_of_pages = not code.startswith("D")
    if in_draft and is_of_pages:
        return Severity.ERROR
    return CODES[code].severity


def requirement(problem: Problem) -> str:
    """Return the name of the requirement for drafts that `problem` violates."""
    return CODES[problem.code].requirement


def is_blocking(problem: Problem) -> bool:
    """Return True if a draft with `problem` is rejected."""
    return severity(problem.code, in_draft=True) is Severity.ERROR


# --- drafts ---------------------------------------------------------------------------------------

MAX_QUOTE_WORDS = 80
"""Maximum words of prose in one quote: enough for a statement, not enough to replace the source."""
MAX_CODE_LINES = 30
"""Maximum lines of code in one quote."""
LINES_TOLERANCE = 0.25
"""Allowed deviation of a submitted page from its line budget, as a share of the budget."""
FOUND_LINES_TOLERANCE = 2 * LINES_TOLERANCE
"""The same for an existing page, whose author may have had reasons to deviate, or may not have
known the plan."""
REQUIRED_KEYS = ("title", "description", "plan", "part", "created", "reviewed", "references")
"""Required keys of a page's front matter."""

REQUIREMENTS: Mapping[str, str] = {
    "target": "The page is at the path of its PART.",
    "front-matter": "The front matter is YAML. What it lacks of "
    + ", ".join(f"`{key}`" for key in REQUIRED_KEYS)
    + " is added. `reviewed` is for a person to set. A program adds "
    "`generated: {writer: ..., date: ...}`.",
    "sections": "Every section of the outline is a heading, verbatim and in order, with text below "
    "it.",
    "citations": "Every id that is cited is a reference, and its work was read for this page.",
    "references": "Every reference has a unique id, a title and an address, and is cited.",
    "quotes": f"A quote is verbatim in its source, and has at most {MAX_QUOTE_WORDS} words or "
    f"{MAX_CODE_LINES} lines of code. Each line of code below a paragraph that ends in the "
    "citation of quotes is in one of them. The numbers, options and names of a sentence are in the "
    "quotes of its citation, which has three at most for each sentence that it holds for.",
    "grounds": "A sentence with a number, option, name or version has a citation or a mark, behind "
    "it or behind a later sentence of its paragraph. `*(deduced)*` follows from the quotes that it "
    "cites or from sentences above it in its section, and has no number or name beyond theirs. "
    "`*(advice)*` is yours. "
    "`*(example, not run)*` or `*(example, run 2026-11-20)*` is an example of your own. "
    "`*(measured)*` links to an experiment in the base. `*(not found)*` says that no work answers. "
    "At most a quarter of the sentences are deduced, and half deduced or advice. What is in no "
    "work that was read is refused: an option or variable anywhere but in an example, a figure in "
    "a sentence without a ground.",
    "lines": f"More than {LINES_TOLERANCE:.0%} off the budget is reported and accepted: points "
    "count, not lines.",
    "markup": "The body is plain Markdown, without HTML, comments, attribute lists and directives.",
    "fences": "Every fence is closed, and there is one front matter block.",
    "links": "Links lead to http(s) addresses, files of the base or planned pages; images are in "
    "the base.",
    "credentials": "There is no key, token or password.",
}
"""The requirements for a draft, by name, in the order in which they are checked."""


def lines_range(budget: LineBudget, tolerance: float = LINES_TOLERANCE) -> tuple[int, int]:
    """Return the minimum and maximum number of lines of a page with this budget."""
    return round(budget.low * (1 - tolerance)), round(budget.high * (1 + tolerance))


# --- suppressed Problems --------------------------------------------------------------------------

_COMMENT = re.compile(
    r"""
    <!--\s*planbook-ignore (?P<is_for_file>-file)? \s*:
    (?P<codes>[PK\d,\s]+)
    (?:--\s (?:(?!<!--).)*? )?     # a reason
    -->
    """,
    re.VERBOSE,
)
"""``<!-- planbook-ignore: K023, K025 -- both are examples -->``."""
_CODE = re.compile(r"[^,\s]+")
_WHOLE_FILE = 0
"""The line of a comment that applies to all lines."""


def read_ignored(text: str) -> frozenset[tuple[int, str]]:
    """Return the line and code of each Problem that comments in `text` suppress.

    Line 0 means the whole file.
    """
    ignored: set[tuple[int, str]] = set()
    if "planbook-ignore" not in text:  # as in most files
        return frozenset()
    line, lines_until = 1, 0
    for comment in _COMMENT.finditer(text):
        line += text.count("\n", lines_until, comment.start())
        lines_until = comment.start()
        lines = (_WHOLE_FILE,) if comment["is_for_file"] else (line, line + 1)
        codes = _CODE.findall(comment["codes"])
        ignored |= {(ignored_line, code) for ignored_line in lines for code in codes}
    return frozenset(ignored)


def not_ignored(problems: Sequence[Problem], files: Mapping[str, bytes]) -> list[Problem]:
    """Return the `problems` that no comment in their file suppresses; `files` has files by uri.

    ``<!-- planbook-ignore: K023 -->`` applies to its own line and the next,
    ``<!-- planbook-ignore-file: K025 -->`` to the whole file. A reason may follow after two more
    dashes.
    """
    ignored: dict[str, frozenset[tuple[int, str]]] = {}
    for uri in {problem.uri for problem in problems}:
        raw = files.get(uri, b"")
        if b"planbook-ignore" in raw:  # few files are decoded: each save of a server comes here
            ignored[uri] = read_ignored(raw.decode("utf-8", errors="replace"))
    reported = []
    for problem in problems:
        suppressing = {(_WHOLE_FILE, problem.code), (problem.line, problem.code)}
        if ignored.get(problem.uri, frozenset()).isdisjoint(suppressing):
            reported.append(problem)
    return reported


def describe_missing(error: ImportError, extra: str) -> str:
    """Describe a failed import, and name the command that installs `extra`.

    The message follows the name of what needs the package.

    Only a `ModuleNotFoundError` means that a package is missing. Any other `ImportError` comes from
    an installed package, often without naming it, and carries its own message.
    """
    if isinstance(error, ModuleNotFoundError) and error.name:
        lack = f"needs the package {error.name.partition('.')[0]}"
    else:
        lack = f"needs a package that cannot be imported ({' '.join(str(error).split())})"
    return f"{lack}; run: python -m pip install 'path/to/planbook[{extra}]'"
