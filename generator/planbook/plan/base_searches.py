"""Searches of the base, and its pages to read, in the lines of a plan.

``Grep for "rye" AND "ash" in bread/`` and ``Read bread/10-rye.md (the basics)``.
"""

from __future__ import annotations

import re

from planbook.model import Grep, Read
from planbook.plan.forms import Meaning, words_of
from planbook.plan.paths import blank_notes, read_paths
from planbook.plan.quotations import QUOTATION, find_quoted_strings

_GREP = re.compile(rf"{words_of(Meaning.GREP)}\b", re.IGNORECASE)
_READ_WORDS = re.compile(rf"{words_of(Meaning.READ)}\b", re.IGNORECASE)
_SEARCH_INSIDE = re.compile(words_of(Meaning.INSIDE), re.IGNORECASE)
_OPERATOR = re.compile(r"\b(AND|OR)\b")
_GREP_FOR = re.compile(rf"{words_of(Meaning.GREP)}(?: for\b|:)", re.IGNORECASE)
"""``Grep for rye AND ash``: what follows are terms, though without quotation marks."""
_PLACE = re.compile(r"\b(?:in|within|across|under|inside)\b")
_SEARCH_JOINT = re.compile(r"\b(?:AND|OR)\b|,")
_SEARCH_FOLDER = re.compile(
    r"(?:search|look)\b[^:]*?(?<![\w/.-])(?:[\w.-]+/)+(?![\w.*-])", re.IGNORECASE
)
"""``Search bread/old/ for``, ``look in bread/``."""
_FOLDER = re.compile(r"(?<![\w/.-])((?:[\w.-]+/)+)(?![\w.*-])")
"""``bread/old/``, not the folders of ``bread/old/rye.md``."""


def is_base_search(text: str) -> bool:
    """Return True for a search of the base, which is no query.

    ``Grep for "a" AND "b"``, ``Search dir/ for "a"``.
    """
    plain = text.replace("**", "")
    if _GREP.match(plain):
        return True
    unquoted = " ".join(QUOTATION.sub(" ", plain).split())
    return bool(_SEARCH_FOLDER.match(unquoted) or _SEARCH_INSIDE.match(unquoted))


def read_grep(text: str) -> Grep:
    """Return the search of the base that a line asks for: terms, operator and folders.

    Terms stand in quotation marks or backticks. Without any, they are the words between ``Grep
    for`` and the place, split at ``AND``, ``OR`` and commas.
    """
    plain = text.replace("**", "")
    quoted = [term for term in find_quoted_strings(plain) if not term.endswith("/")]
    rest = plain
    for term in quoted:
        rest = rest.replace(term, " ", 1)
    terms = quoted or _unquoted_terms(plain)
    operators = set(_OPERATOR.findall(rest))
    operator = operators.pop() if len(operators) == 1 else None
    folders = dict.fromkeys(_FOLDER.findall(rest))
    return Grep(text, tuple(dict.fromkeys(terms)), operator, tuple(folders))


def _unquoted_terms(plain: str) -> list[str]:
    """Return the terms of a search without quotation marks: ``Grep for rye AND ash in bread/``."""
    grep_for = _GREP_FOR.match(plain)
    if not grep_for:
        return []
    sought = _PLACE.split(plain[grep_for.end() :], maxsplit=1)[0]
    return [term for piece in _SEARCH_JOINT.split(sought) if (term := piece.strip(" ()[]"))]


def read_reads(text: str) -> tuple[Read, ...]:
    """Return the pages of the base that ``Read a.md (note)`` names, or the folders if no page."""
    if not _READ_WORDS.match(text.replace("**", "")):
        return ()
    note = re.search(r"\(([^()]*)\)\s*$", text)
    remark = note[1] if note else ""
    plain = blank_notes(text)
    paths = [path for _, _, path in read_paths(plain)]
    if not paths:
        paths = _FOLDER.findall(plain)
    return tuple(Read(path, remark, 0) for path in dict.fromkeys(paths))
