"""Check what pages written as notes show that their author may not expect (K038, K039, K041)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from planbook.markdown.document import Document, blank_code, read_document
from planbook.markdown.vault import SIGNS, find_comments
from planbook.model import Problem
from planbook.rules.project import Project

_FORMULA = "$$"
_LINK_WITH_BLANKS = re.compile(
    r"\]\((?P<address>[^\s()<>\"']{1,200}(?: {1,2}[^\s()<>\"']{1,200}){1,40}"
    r"\.\w{2,5}(?:#[^\s()<>]{0,200})?)\)"
)
"""``[a](../tea/green leaf.md)``, which CommonMark reads as text."""


def check_notes(project: Project) -> Iterator[Problem]:
    """Yield K038, K039 and K041 for the selected pages."""
    for uri, raw in project.pages.items():
        may_have_comment, may_have_formula = SIGNS.encode() in raw, _FORMULA.encode() in raw
        may_have_blanks = _LINK_WITH_BLANKS.search(raw.decode("utf-8", errors="replace"))
        if not (may_have_comment or may_have_formula or may_have_blanks):
            continue
        document = read_document(raw.decode("utf-8", errors="replace"))
        if may_have_comment:
            yield from _check_comments(document, uri, is_vault=project.is_vault)
        if may_have_formula and not project.syntax.has_math:
            yield from _check_formulas(document, uri)
        if may_have_blanks:
            yield from _check_links_with_blanks(document, uri)


def _check_links_with_blanks(document: Document, uri: str) -> Iterator[Problem]:
    """Yield K041 for each link whose address has blanks."""
    for match in _LINK_WITH_BLANKS.finditer(blank_code(document.body).text):
        address = match["address"]
        defect = f"`{address}` has blanks, so GitHub and `markdown: github` show the link as text"
        yield _problem(document, uri, match.start(), "K041", f"{defect}; write `<{address}>`")


def _check_comments(document: Document, uri: str, *, is_vault: bool) -> Iterator[Problem]:
    for start, end in find_comments(document.body):
        is_open = end < 0
        if is_vault and is_open:
            defect = f"`{SIGNS}` begins a comment that is not closed; close it with `{SIGNS}`"
            yield _problem(document, uri, start, "K038", defect)
        elif not is_vault and not is_open and _looks_like_comment(document.body, start, end):
            fix = f"if `{SIGNS}` marks comments, set `vault: true` in the plugin's options"
            defect = f"the text between `{SIGNS}` and `{SIGNS}` is published; {fix}"
            yield _problem(document, uri, start, "K038", defect)


def _looks_like_comment(body: str, start: int, end: int) -> bool:
    """Return whether signs stand around words, not behind a number as in `100%%`."""
    before, after = body[:start][-1:], body[end : end + 1]
    return not before.isalnum() and not after.isalnum() and bool(body[start:end].strip("% \n"))


def _check_formulas(document: Document, uri: str) -> Iterator[Problem]:
    """Yield K039 for the first block between two lines that begin or end with `$$`."""
    text = blank_code(document.body).text
    match = re.search(r"^[ \t]*\$\$(?=[^$]+\$\$[ \t]*$)", text, re.MULTILINE)
    if match is not None:
        fix = "add `pymdownx.arithmatex` and the script of a renderer, as Material's manual shows"
        yield _problem(document, uri, match.start(), "K039", f"`$$` is shown as text; {fix}")


def _problem(document: Document, uri: str, offset: int, code: str, defect: str) -> Problem:
    column = offset - document.body.rfind("\n", 0, offset)
    return Problem(uri, document.line(offset), code, defect, column)
