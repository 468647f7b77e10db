"""Rows, items and titles that name something, and say nothing of it. Pure.

Such text makes no claim, whatever it cites: its words stand in each source with these names::

    - **Tea Standard 53** — [tea-standard-53.md](raw/tea-standard-53.md)
    | Teapot 90 (Steel) | ✓ |
    ## Related
    - [[raw/tea]] -- similar titles (55%)
"""

from __future__ import annotations

import re

from planbook.markdown.words import FUNCTION_WORDS
from planbook.research.proof.quantities import read_quantities

MARKS = "✓✔✗✘✅❌☑☒●○◯◐◑★☆⭕\u00d7✕✖"
_MARK_CELL = re.compile(
    rf"[\s*_()]*(?:[{MARKS}\ufe0f]+|[-\u2013\u2014]+|\?"
    r"|(?i:yes|no|y|n|n/a|none|true|false|x))[\s*_()]*"
)
"""A cell that says yes, no, or nothing."""
_NO_SENTENCE = frozenset(
    re.findall(
        r"\w+",
        "ed eds edn vol vols no pp ch chap chapter chapters isbn doi arxiv et al von van de der la "
        "le inc ltd llc corp vs md pdf html txt via cf",
    )
)
"""Words in small letters of names, works and files."""
_PLACE_OR_FILE = re.compile(
    r"[!-~]{0,200}(?:[\w-]/[\w-]|\.(?:md|pdf|txt|html?|json|ya?ml|csv|py|ts|js|rs|go)\b|://|[@_#])"
    r"[!-~]{0,200}|\b[a-z]+(?:-[\w.]+)*-?\d[\w.-]*|\b[^\W\d]\w*(?:-\w+){2,}\b"
)
"""Paths, addresses and names of files: ``raw/tea.md``, ``arxiv-2307.13702``, ``api-rp-7g``."""
_TELLING = re.compile(r"(?<![^\W_])[^\W\d_A-Z]\w*(?!\w)")
_BESIDE_LATIN = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{4}")
"""Letters of a script without capitals or blanks that may be a sentence."""
_FIGURE_FIRST = re.compile(r"\W*(?:(?:about|and|at|by|in|on|of|over|under|up to)\s)?v?\d")
"""A figure at the beginning of a cell; within a name it stands behind others."""
_VERBS = frozenset(
    re.findall(
        r"\w+",
        "is are was were be has have had can cannot could do does did will would may might must",
    )
)
_CURRENCY = re.compile(r"[$\u20ac\u00a3\u00a5]\s?\d|\d\s?(?:%|[x\u00d7]\b)")
_HEADING_OF_LINKS = re.compile(
    r"\W*(?:\d+[.)]?\s)?(?:see also|related|cross[- ]?(?:references?|links?)|back-?links?"
    r"|(?:(?:public|key|external|internal|selected|main|primary|other|more|useful|source) )?"
    r"(?:references?|links?|sources?|citations?|bibliography)|further reading|read(?:ing)? more"
    r"|reading list|navigation|connections"
    r"|相关\w{0,4}|关联\w{0,4}|關聯\w{0,4}|参见|參見|另见|延伸阅读|参考\w{0,4}|参照|関連\w{0,4}|出处|来源|來源)"
    r"(?:\s(?:pages?|notes?|concepts?|entities|topics?|reading|articles?|documents?|works?|terms?"
    r"|materials?|links?|resources?|and \w+|& \w+|to \w+))?\W*",
    re.IGNORECASE,
)
_ENTRY = re.compile(r"\W*(?:\[|\*\*|\*|_|<|`|https?:)")


def names_only(text: str, *, is_row: bool) -> bool:
    """Return whether a text has names, files and marks alone: no word that says anything of them.

    A figure with a unit says something; in a row, any figure does, under the title of its column.

    Args:
        text: the visible text of a sentence, item or row, without its citations.
        is_row: its cells are divided by ``|``.
    """
    if is_row:
        cells = [cell.strip() for cell in text.split("|")]
        return all(_MARK_CELL.fullmatch(cell) or _is_name(cell, is_row=True) for cell in cells)
    return _is_name(text, is_row=False)


def has_marks(row: str) -> bool:
    """Return whether a cell of a row says yes or no by a mark, which its letters do not show."""
    return any(cell.strip() and _MARK_CELL.fullmatch(cell) for cell in row.split("|"))


def lists_links(heading: str) -> bool:
    """Return whether the items below a heading lead readers on: *Related pages*, *References*."""
    return _HEADING_OF_LINKS.fullmatch(heading.strip().lstrip("#").strip()) is not None


def is_entry(item: str) -> bool:
    """Return whether an item begins with what it names: a link, a title or a name in bold."""
    return _ENTRY.match(item) is not None


def _is_name(text: str, *, is_row: bool) -> bool:
    plain = _PLACE_OR_FILE.sub(" ", text)
    if _BESIDE_LATIN.search(plain) or _CURRENCY.search(plain):
        return False
    quantities = list(read_quantities(plain))
    if any(quantity.dimension for quantity in quantities):
        return False
    if is_row and _FIGURE_FIRST.match(plain):
        return False
    words = {match[0].casefold() for match in _TELLING.finditer(plain)}
    return not words & _VERBS and words <= FUNCTION_WORDS | _NO_SENTENCE
