"""Markdown as plain text, line by line: the text of a line, and its kind."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape

ENTRY_NUMBER = r"\[(?:\^[\w-]{1,20}|\d{1,3}[a-z]?|\d{4}\.\d{4,5}|[A-Za-z+]{1,16}\s?\d{2,4}[a-z]?)\]"
"""A pattern for the label of a bibliography entry: ``[3]``, ``[^rye]``, ``[Miller22]``,
``[2205.14135]``."""
_MARKUP = re.compile(r"[*`_<~\[\\&]")
_INLINE_MARKUP = re.compile(
    r"(`{1,9})(?P<code>.{1,2000}?)\1|\\(?P<escaped>[^\w\s]|_)"
    r"|!?\[(?P<link>[^\]`]{0,400}+(?:`[^`]{0,400}`[^\]`]{0,400}+){0,4}+)\](?:\([^)]{0,2000}\)"
    r"|\[[^\]]{0,400}\])"
    r"|(?P<entity>&(?:#[xX]?[0-9a-fA-F]{1,6}|[A-Za-z]\w{1,30});)"
    r"|\*+|~~|(?<![\w/])_+(?!\w*\.\w)|(?<!_)_++(?![\w/.])|</?[a-zA-Z][^>]{0,2000}>"
    r"| ?\[(?:(?:see|cf\.|e\.g\.|compare)[^\[\]@]{0,60}\s)?-?@[^\]]{0,2000}\]"
)
"""``_so_``, but not ``torch/_inductor`` nor ``__init__.py``.

Bounded: otherwise each unclosed character would scan to the end of the text."""
_SPAN = re.compile(
    r"\\[`\\]|(?<!`)(?P<ticks>`{2,9})(?!`)(?s:.{1,2000}?)(?P=ticks)(?!`)"
    r"|(?P<role>(?<![\w:}])(?::[a-zA-Z][\w.+:-]{0,60}:|\{[a-zA-Z][\w.+:-]{0,60}\}))?"
    r"`(?P<title>(?:[^`\n]|\n(?![ \t]*\n)){1,1000})`(?P<link>__?(?!\w))?"
)
"""A code span, role or named link; spans are matched so that their ends begin none."""
_TEXT_ROLES = frozenset(
    {"ref", "doc", "term", "any", "numref", "abbr", "guilabel", "menuselection", "download"}
)
"""Roles whose content is text; that of others is code."""
_MARKER = re.compile(
    r"^\s*(?:>\s?){0,3}(?:#{1,6}\s+)?(?:(?:[-*+•–]|\*{0,2}\d{1,3}[.)]"
    rf"|\*{{0,2}}{ENTRY_NUMBER}\*{{0,2}}:?"
    r"|\(\d{1,3}\))\s+)?(?:\[[ xX✓/]\]\s+)?"
)


def number(value: int) -> str:
    """Return ``1612`` as ``1,612``."""
    return f"{value:,}"


def count(value: int, noun: str, plural: str | None = None) -> str:
    """Return ``1 page`` or ``2 pages``."""
    return f"{number(value)} {noun if value == 1 else plural or noun + 's'}"


def is_or_are(value: int) -> str:
    """Return the verb behind a number: ``1 is open``, ``2 are open``."""
    return "is" if value == 1 else "are"


def plain_text(markdown: str) -> str:
    """Return inline Markdown as plain text on one line; the content of code is kept verbatim."""
    return " ".join(
        (
            _INLINE_MARKUP.sub(_text_of_match, markdown) if _MARKUP.search(markdown) else markdown
        ).split()
    )


def _text_of_match(match: re.Match[str]) -> str:
    if match["link"] or match["entity"]:
        return plain_text(match["link"]) if match["link"] else unescape(match["entity"])
    return match["escaped"] or (match["code"] or "").strip()


def replace_roles(text: str) -> str:
    """Return text with each role of reStructuredText or MyST as its title.

    So is each named link of the former. ``:ref:`pots <target>` `` becomes ``pots``. The titles of
    roles for code become code spans.
    """
    return (
        _SPAN.sub(_title_of_role, text)
        if any(mark in text for mark in (":`", "}`", "`_"))
        else text
    )


def _title_of_role(span: re.Match[str]) -> str:
    if not (span["role"] or span["link"]):
        return span[0]
    title = re.sub(r"(?<!\s)\s+<[^<>]*>\Z", "", span["title"]).removeprefix("!")
    title = title.rpartition(".")[2] if title.startswith("~") else title.strip("<>")
    role = (span["role"] or "ref").strip(":{}").rpartition(":")[2]
    return title if role in _TEXT_ROLES else f"`{title}`"


def strip_marker(line: str) -> str:
    """Return the line without its list, quote, heading or entry marker."""
    return _MARKER.sub("", line, count=1).strip()


# --- kinds of lines -------------------------------------------------------------------------------

_ITEM = re.compile(
    rf"^(?P<indent>\s*)(?P<marker>[-*+•–]|\d{{1,3}}[.)]|{ENTRY_NUMBER}:?|\(\d{{1,3}}\)"
    r"|\*\*\[\d{1,3}\]\*\*:?)\s+(?P<text>\S.*)$"
)
_NUMBER = re.compile(r"\W*(\d{1,3})\W*$")
_RULE = re.compile(r"^\s{0,3}(?:[-*_]\s?){3,80}$")
ROW_RULE = re.compile(r"^\s*(?:\|\s*)?:?--[\s:|-]*$")


@dataclass(frozen=True, slots=True)
class ListLine:
    """A line that begins an item of a list."""

    text: str
    """Without the marker."""
    number: str | None
    """The number of a numbered item: ``3.``, ``[3]``."""


def item_of(line: str) -> ListLine | None:
    """Return the list item that the line begins, if any."""
    match = _ITEM.match(line)
    if not match:
        return None
    number = _NUMBER.match(match["marker"])
    return ListLine(match["text"], number[1] if number else None)


def width(line: str) -> int:
    """Return the line's indentation in columns."""
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip())


def is_rule(line: str) -> bool:
    """Return whether the line is a thematic break."""
    return bool(_RULE.match(line))


def is_row(line: str) -> bool:
    """Return whether the line is a table row with outer pipes."""
    return line.lstrip()[:1] == "|"


def cells_of(row: str) -> list[str]:
    """Return the cells of a table row."""
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def is_label(line: str) -> bool:
    """Return whether the line labels the text below it: in bold, or with a colon at its end."""
    text = line.strip()
    return (
        text.startswith(("**", "__")) and "://" not in text and "](" not in text
    ) or text.endswith((":", ":**"))
