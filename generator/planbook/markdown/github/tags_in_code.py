"""Tags that code mentions, which Python-Markdown's reader of HTML would take for elements."""

from __future__ import annotations

import re
from collections import Counter

from markdown.util import ETX, STX

from planbook.markdown.github.line_kinds import INDENT, MARKERS, fence_after, indent_of

_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(?:(?!\n[ \t]*\n).)+?(?<!`)\1(?!`)", re.DOTALL)
_INDENTED_OPENING = re.compile(rf"(?P<before>{MARKERS})(?:!!!|\?{{3}}|===)")
_ITEM = re.compile(r"[ \t]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)+")
_NESTED_BEGINNING = re.compile(rf"[ ]{{0,3}}>|{_ITEM.pattern}")
"""The beginning of a line of a quote, or of an item."""
_END_TAG = re.compile(r"[ \t]*</(?P<tag>[A-Za-z][\w-]*)>[ \t]*$")
"""A line that only ends an element."""
_TAG = re.compile(r"<(/?)([A-Za-z][\w-]*)\b[^<>]*?(/?)>")
_LITERAL_TAG = f"{STX}lt{ETX}"
"""Stands for ``<`` in code, where it begins no tag."""


def mask_tags_in_code(text: str) -> str:
    """Return Markdown in HTML with another sign for ``<`` in code and after a backslash.

    Tags in lists, quotes and indented bodies are masked, too: these are read when their block is.
    """
    prose, out = list[str](), list[str]()
    fence, column, open_tags = "", 0, Counter[str]()
    for line in text.split("\n"):
        previous_fence, fence = fence, fence_after(line, fence)
        if previous_fence or fence:
            out += [*_masked_spans(prose), line.replace("<", _LITERAL_TAG)]
            prose = []
        else:
            is_indented = column > 0 and (not line.strip() or indent_of(line) >= column)
            end = _END_TAG.match(line)
            # ``  </div>`` below ``- a`` may end an element that began before the item.
            is_of_item = end is None or open_tags[end["tag"].lower()] > 0
            is_inside = is_indented and is_of_item
            if not is_inside:
                column, open_tags = _body_column(line), Counter()
            open_tags.update(_depths_of_tags(line))
            is_masked = is_inside or _NESTED_BEGINNING.match(line) is not None
            prose.append(line.replace("<", _LITERAL_TAG) if is_masked else line)
    return "\n".join([*out, *_masked_spans(prose)])


def _depths_of_tags(line: str) -> Counter[str]:
    """Return by how much a line changes the number of open elements, by the names of tags."""
    depths = Counter[str]()
    for end, name, empty in _TAG.findall(line):
        if not empty:
            depths[name.lower()] += -1 if end else 1
    return depths


def _body_column(line: str) -> int:
    """Return the column of the lines that belong to the block that `line` begins; 0 for none."""
    item, indented = _ITEM.match(line), _INDENTED_OPENING.match(line)
    if indented:
        return len(indented["before"].expandtabs(INDENT)) + INDENT
    return len(item[0].expandtabs(INDENT)) if item else 0


def _masked_spans(lines: list[str]) -> list[str]:
    if not lines:
        return []
    text = "\n".join(lines).replace("\\<", f"\\{_LITERAL_TAG}")
    return _CODE_SPAN.sub(lambda span: span[0].replace("<", _LITERAL_TAG), text).split("\n")


def unmask_tags(text: str) -> str:
    """Return text of `mask_tags_in_code` as it was."""
    return text.replace(_LITERAL_TAG, "<")
