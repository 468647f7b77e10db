"""Names of programs that are defined elsewhere than in the lines that a claim cites. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from planbook.research.audit.claims.cited_claims import CitedClaim
from planbook.research.audit.claims.local_citations import split_place
from planbook.research.audit.comparison.read_source import ReadSource

_NEAR_LINES = 3
"""Lines around the cited ones in which a name counts as cited: a decorator, a comment."""
_SPECIFIC = re.compile(r"^(?!__)(?=.{4})(?:.*[^\W_]_.*|_\w+|.*[a-z][A-Z].*|--\w.*|\w{9,})$")
"""A name of more than one word, or a long one: others, such as ``mode``, are in every program."""
_NAME = re.compile(r"[A-Za-z_][\w.]*")


def is_cited(name: str, text: ReadSource) -> bool:
    """Return whether a source has a name of a program, or next to its cited lines.

    What may as well be a name of other things counts as cited.
    """
    if not (_NAME.fullmatch(name) and _SPECIFIC.search(name)):
        return True
    span = split_place(text.place)[1] if text.lines else None
    return _is_near(name, span, text.lines) if span else text.words.has_name(name)


def specific_names(code: str) -> tuple[str, ...]:
    """Return the names in a piece of code that are not in every program; none in a path."""
    names = () if "/" in code else _NAME.findall(code)
    return tuple(name for name in names if _SPECIFIC.search(name))


def line_of_name(name: str, text: str) -> int:
    """Return the number of the first line of a text with a name; 0 if none has it."""
    last = name.rpartition(".")[2] or name
    lines = text.split("\n")
    pattern = re.compile(_whole_name(last))
    return next((n for n, line in enumerate(lines, 1) if pattern.search(line)), 0)


def find_moved_name(claim: CitedClaim, texts: Sequence[ReadSource]) -> str:
    """Return where the names of programs are that are not in the lines cited for them; else empty.

    A name counts if the file defines it: others are used in many places.
    """
    of_urls = {text.url: text for text in texts if text.lines}
    for placed in claim.names:
        name, text = placed.name, of_urls.get(placed.place)
        if text is None or not _SPECIFIC.search(name):
            continue
        defined = _definitions_of(name, text.lines)
        spans = [
            span
            for other in of_urls.values()
            if other.path == text.path and (span := split_place(other.place)[1])
        ]
        if any(is_cited(other, text) for other in placed.beside if _SPECIFIC.search(other)):
            continue
        if defined and not any(_has_name(name, defined, span, text.lines) for span in spans):
            defect = f"“{name}” is not in the cited lines"
            return f"{defect}; it is defined in line {defined[0]} of {text.path}"
    return ""


def _has_name(
    name: str, defined: Sequence[int], span: tuple[int, int], lines: Sequence[str]
) -> bool:
    """Return whether lines have a name, are of what it names, or are around a definition of it."""
    first, _ = span
    is_of_body = any(
        _has_in_body(line, first, lines) or _has_in_body(first, line, lines) for line in defined
    )
    return is_of_body or _is_near(name, span, lines)


def _is_near(name: str, span: tuple[int, int], lines: Sequence[str]) -> bool:
    """Return whether a name stands in lines, or next to them."""
    first, last = span
    near = "\n".join(lines[max(0, first - 1 - _NEAR_LINES) : last + _NEAR_LINES])
    return re.search(_whole_name(name), near) is not None


_KEYWORDS = "def|class|func|function|fn|struct|type|interface|enum|trait|const|let|var"


def _definitions_of(name: str, lines: Sequence[str]) -> list[int]:
    """Return the lines that define a name, 1-based.

    A key (``boil_water: 3``) defines it if nothing else does, and there is no other one.
    """
    word = _whole_name(name)
    defining = re.compile(rf"\b(?:{_KEYWORDS})\s+(?:\([^()]*\)\s*)?{word}|^\s*{word}\s*=(?!=)")
    key = re.compile(rf"^\s*{word}\s*:")
    definitions = [n for n, line in enumerate(lines, 1) if defining.search(line)]
    keys = [n for n, line in enumerate(lines, 1) if key.search(line)]
    return definitions or (keys if len(keys) == 1 else [])


def _has_in_body(defined: int, line: int, lines: Sequence[str]) -> bool:
    """Return whether a line is in the body of what a line above it defines.

    That ends at the next definition that stands no deeper: the text of a string may.
    """
    if line <= defined:
        return False
    depth = _indent_of(lines[defined - 1])
    return not any(
        _indent_of(text) <= depth and _DEFINITION.match(text) for text in lines[defined:line]
    )


_DEFINITION = re.compile(
    rf"\s*(?:@\w|(?:(?:export|default|public|private|protected|static|abstract|async|pub|override)"
    rf"(?:\([^()]*\))?\s+)*(?:{_KEYWORDS})\s|\w+\s*=(?!=))"
)
"""A line that begins a definition."""


def _indent_of(line: str) -> int:
    return len(line) - len(line.lstrip())


def _whole_name(name: str) -> str:
    return rf"(?<![\w-]){re.escape(name)}(?![\w-])"
