"""Add the keys of a page's front matter that its plan knows, where the writer gave none. Pure.

A writer may begin a page with its title::

    # Which water            ---
                             title: Which water
                             description: Soft water is best.
                             plan: tea
    Soft water is best.  ->  part: 1
                             created: 2026-11-20
                             reviewed: null
                             references: []
                             ---

                             # Which water
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date

from planbook.citations.completion import read_meta
from planbook.library.pages import parse_page
from planbook.markdown.front_matter import (
    FrontMatterError,
    front_matter_span,
    split_front_matter,
    yaml_lines,
)
from planbook.problems import REQUIRED_KEYS
from planbook.research.drafts import Brief

_REFERENCES = re.compile(r"^references[ \t]*:", re.MULTILINE)
_CITATION = re.compile(r"\s*\[@[^\]\n]*\]")


def add_missing_keys(text: str, brief: Brief, day: date) -> str:
    """Return a page's `text` with all keys that a page must have in its front matter.

    What the page gives stays as it is. The new keys are above its references, else at the end.
    Front matter that cannot be read, or is no YAML, stays as it is: the rules report it.

    Args:
        text: the page; its line ends stay as they are.
        brief: the brief that it was written for.
        day: the day of a page that gives none.
    """
    try:
        meta, _ = split_front_matter(text)
    except FrontMatterError:
        return text
    missing = {
        key: value for key, value in _known_keys(text, brief, day).items() if key not in meta
    }
    span = front_matter_span(text)
    if not missing or (meta and span is None):
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = yaml_lines(missing).replace("\n", newline)
    if span is None:
        bom = "\ufeff" if text.startswith("\ufeff") else ""
        body = text.removeprefix(bom).lstrip("\r\n")
        return f"{bom}---{newline}{lines}---{newline}{newline}{body}"
    result = _insert_keys(text, span, lines)
    return result if read_meta(result) == {**meta, **missing} else text


def _known_keys(text: str, brief: Brief, day: date) -> Mapping[str, object]:
    """Return all keys that a page must have, as its title, its first sentence and its plan say."""
    page, _ = parse_page(text, brief.page)
    values: tuple[object, ...] = (
        *(page.title, _CITATION.sub("", page.description) or brief.title),
        *(str(brief.plan.slug), brief.part.number, day, None, []),
    )
    return dict(zip(REQUIRED_KEYS, values, strict=True))


def _insert_keys(text: str, span: tuple[int, int], lines: str) -> str:
    """Return `text` with more `lines` in its front matter, above its references or at the end."""
    start, end = span
    references = _REFERENCES.search(text, start, end)
    at = references.start() if references else end
    newline = "" if text[at - 1] == "\n" else lines[len(lines.rstrip("\r\n")) :]
    return f"{text[:at]}{newline}{lines}{text[at:]}"
