"""Check each page of the base by itself: values in front matter, sizes, budgets, text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping

from planbook.citations.mentions import find_unread_sources, read_mentions
from planbook.library.names import is_page_address
from planbook.markdown.budgets import MAYBE_BUDGET
from planbook.markdown.document import (
    blank_code,
    read_document,
)
from planbook.markdown.edits import line_starts
from planbook.markdown.extensions import PLAIN_SYNTAX, Syntax
from planbook.markdown.front_matter import body_start
from planbook.markdown.lists import list_blocks
from planbook.markdown.normalize import budget_edits
from planbook.model import Page, Problem
from planbook.problems import FOUND_LINES_TOLERANCE, lines_range
from planbook.rules.credentials import check_credentials
from planbook.rules.project import Project, ThemeFiles

_LOCAL_PATH = re.compile(
    r"(?<![\w./:-])(?:file://\S+|/(?:home|Users)/(?!(?:your|user|name))[\w.-]+(?:/[\w.-]+)+"
    r"|[A-Za-z]:\\(?!Users\\(?:[Yy]our|[Uu]ser|[Nn]ame))(?:[\w.-]+\\)+[\w.-]+)"
)
_FENCE = re.compile(r"`{3,}|~{3,}")
_INNER_FENCE = re.compile(r"^[ ]{0,3}(`{3,}|~{3,})[ \t]*[\w+#.-]+", re.MULTILINE)


def check_page(raw: bytes, uri: str, codes: tuple[str, ...]) -> tuple[Problem, ...]:
    """Return the Problems with `codes`, keys of `PAGE_RULES`, of the page in a file's bytes."""
    text = raw.decode("utf-8", errors="replace")
    return tuple(problem for code in codes for problem in PAGE_RULES[code](text, uri))


def pages_with_texts(project: Project) -> Iterator[tuple[Page, str]]:
    """Yield the selected pages that could be parsed, with their texts."""
    raw = project.pages
    for page in project.library.pages:
        if page.uri in raw:
            yield page, raw[page.uri].decode("utf-8", errors="replace")


def check_sizes(project: Project) -> Iterator[Problem]:
    """Yield K024 for pages much shorter or longer than their budget."""
    for page, _ in pages_with_texts(project):
        entry = project.library.by_uri.get(page.uri)
        budget = entry.part.lines_budget if entry else None
        if entry is None or budget is None:
            continue
        low, high = lines_range(budget, FOUND_LINES_TOLERANCE)
        if not low <= page.lines <= high:
            fix = "shorter" if page.lines < budget.low else "longer"
            defect = (
                f"it has {page.lines} lines, "
                f"much {fix} than its budget of {budget} in {entry.plan.uri}"
            )
            yield Problem(page.uri, 1, "K024", defect)


def check_values(project: Project) -> Iterator[Problem]:
    """Yield K004 for each value in front matter that MkDocs or Material cannot use.

    Without a theme, only types are checked.
    """
    pages, theme = project.tree.pages, project.theme
    for page in project.library.pages:
        if page.uri not in pages:
            continue
        for key, value in page.meta:
            expected = "" if value is None else _expected_value(key, value, theme)
            is_redirect = key == "template" and value == "redirect.html" and theme is not None
            if not expected and not is_redirect:
                continue
            text = pages[page.uri].decode("utf-8", errors="replace")
            if expected:
                effect = "is not used as it is" if key == "tags" else "stops the build"
                defect = f"`{key}: {value}` {effect}; `{key}` must be {expected}"
                yield Problem(page.uri, line_of(text, f"{key}:"), "K004", defect)
            if is_redirect:
                yield from _check_location(page, text)


def _check_location(page: Page, text: str) -> Iterator[Problem]:
    """Yield K004 if a page with Material's template of redirects names no address to lead to."""
    location = page.meta_value("location")
    if not is_page_address(location):
        wanted = "the address of a page, relative or of http(s), without quotes and blanks"
        defect = (
            f"`location: {location}` is not used, nor is the template; `location` must be {wanted}"
        )
        yield Problem(
            page.uri, line_of(text, "location:" if location else "template:"), "K004", defect
        )


def _expected_value(key: str, value: object, theme: ThemeFiles | None) -> str:
    """Return the description of a valid value if `value` is none.

    The result is empty if it is, or is not used.
    """
    match key:
        case "hide" if not isinstance(value, str | list):
            return "a list, such as [navigation, toc]"
        case "search" if value and not isinstance(value, dict):
            return "a mapping, such as {exclude: true}"
        case "template" if not isinstance(value, str) or (theme and not theme.has(value)):
            return "the name of a template of the theme"
        case "icon" if value and theme and not theme.has(f".icons/{value}.svg"):
            return "the name of an icon of the theme, such as material/tea"
        case "tags" if theme and theme.has_tags and not _is_list_of_texts(value):
            return "a list of texts, such as [tea, water]"
        case _:
            return ""


def _is_list_of_texts(value: object) -> bool:
    """Return False for a list with lists or mappings in it, of which builds leave these out."""
    return not (isinstance(value, list) and any(isinstance(tag, list | dict) for tag in value))


def line_of(text: str, words: str) -> int:
    """Return the line on which words first stand; the first line if they are nowhere."""
    at = text.find(words)
    return text.count("\n", 0, at) + 1 if at >= 0 else 1


# --- budgets in headings --------------------------------------------------------------------------


def check_budgets(project: Project) -> Iterator[Problem]:
    """Yield K029 for headings with a budget, such as ``## Section 1: Layers (~100 lines)``."""
    pages = project.pages
    texts = [(raw, project.syntax) for raw in pages.values()]
    [budgets_of_pages] = project.cache.from_disk((find_budgets, texts))
    fix = "remove it (`--fix` does, and keeps the heading's address)"
    defect = f"this heading contains a line budget, which is for writers only; {fix}"
    for uri, edits in zip(pages, budgets_of_pages, strict=True):
        for line, *_ in edits:
            yield Problem(uri, line, "K029", defect)


def find_budgets(
    raw: bytes, syntax: Syntax = PLAIN_SYNTAX
) -> tuple[tuple[int, int, int, str], ...]:
    """Return the line and edit of each budget in a heading.

    It is empty if the page's front matter is not valid.
    """
    text = raw.decode("utf-8", errors="replace")
    if not MAYBE_BUDGET.search(text) or read_document(text).error:
        return ()
    above, starts = body_start(text), line_starts(text.split("\n"))
    edits = sorted(budget_edits(text[above:], list_blocks(text[above:], syntax)))
    return tuple(
        (bisect_right(starts, above + at), above + at, above + end, new) for at, end, new in edits
    )


# --- rules of one page ----------------------------------------------------------------------------


def _local_paths(text: str, uri: str) -> Iterator[Problem]:
    for n, line in enumerate(blank_code(text).all, 1):
        path = _LOCAL_PATH.search(line)
        if path:
            defect = (
                f"{path[0]} is an absolute path of a local machine; name the file, or link to it"
            )
            yield Problem(uri, n, "K025", defect, path.start() + 1)


def _inner_fences(text: str, uri: str) -> Iterator[Problem]:
    document = read_document(text)
    for node in document.outline:
        opening = _FENCE.search(document.body, node.start) if node.info is not None else None
        if not opening:
            continue
        code = node.all_text()
        closing = [m for m in _INNER_FENCE.finditer(code) if m[1].startswith(opening[0])]
        if closing:
            inner_fence, first = closing[0], document.line(node.start)
            longer = inner_fence[1][0] * (len(inner_fence[1]) + 1)
            defect = f"this fence closes the one from line {first}; open that one with {longer}"
            line = first + code.count("\n", 0, inner_fence.start()) + 1
            yield Problem(uri, line, "K027", defect)


def _unread_sources(text: str, uri: str) -> Iterator[Problem]:
    """Yield K018 for entries of lists of sources, and access dates, that are not read."""
    document = read_document(text)
    references = document.meta.get("references")
    if document.meta.get("generated"):
        mentions, _ = read_mentions(document.body)
        first = next((mention for mention in mentions if mention.is_cited), None)
        if first and not references:
            defect = "the page says that a program wrote it, so sources are not read from its text"
            fix = "list them under `references`, or remove `generated`"
            yield Problem(uri, document.lines_above + first.line, "K018", f"{defect}; {fix}")
        return
    for line, defect in find_unread_sources(document.body, references):
        yield Problem(uri, document.lines_above + line, "K018", defect)


PAGE_RULES: Mapping[str, Callable[[str, str], Iterator[Problem]]] = {
    "K018": _unread_sources,
    "K025": _local_paths,
    "K026": check_credentials,
    "K027": _inner_fences,
}
"""The rules that depend only on one page's text and uri, by code."""
