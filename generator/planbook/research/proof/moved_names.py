"""Names of programs that are defined elsewhere than in the lines that a claim cites. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from planbook.research.proof.cited_claims import CitedClaim
from planbook.research.proof.local_citations import split_place
from planbook.research.proof.read_source import ReadSource

_NEAR_LINES = 3
"""Lines around the cited ones in which a name counts as cited: a decorator, a comment."""
_SPECIFIC = re.compile(r"^(?!__)(?=.{4})(?:.*[^\W_]_.*|_\w+|.*[a-z][A-Z].*|--\w.*|\w{9,})$")
"""A name of more than one word, or a long one: others, such as ``mode``, are in every program."""


def find_moved_name(claim: CitedClaim, texts: Sequence[ReadSource]) -> str:
    """Return where the names of programs are that are not in the lines cited for them; else empty.

    A name counts if the file defines it: others are used in many places.
    """
    of_urls = {text.url: text for text in texts if text.lines}
    for name, url in claim.names:
        text = of_urls.get(url)
        span = split_place(text.place)[1] if text else None
        if text is None or span is None or not _SPECIFIC.search(name):
            continue
        first, last = span
        near = "\n".join(text.lines[max(0, first - 1 - _NEAR_LINES) : last + _NEAR_LINES])
        defined = _definitions_of(name, text.lines)
        is_within = any(
            _has_in_body(line, first, text.lines) or _has_in_body(first, line, text.lines)
            for line in defined
        )
        if defined and not is_within and not re.search(_whole_name(name), near):
            defect = f"“{name}” is not in the cited lines"
            return f"{defect}; it is defined in line {defined[0]} of {text.path}"
    return ""


_KEYWORDS = "def|class|func|function|fn|struct|type|interface|enum|trait|const|let|var"


def _definitions_of(name: str, lines: Sequence[str]) -> list[int]:
    """Return the lines that define a name, 1-based."""
    word = _whole_name(name)
    pattern = re.compile(rf"\b(?:{_KEYWORDS})\s+(?:\([^()]*\)\s*)?{word}|^\s*{word}\s*(?::|=(?!=))")
    return [n for n, line in enumerate(lines, 1) if pattern.search(line)]


def _has_in_body(defined: int, line: int, lines: Sequence[str]) -> bool:
    """Return whether a line is in the body of what a line above it defines, by indentation."""
    if line <= defined:
        return False
    depth = _indent_of(lines[defined - 1])
    between = [text for text in lines[defined:line] if text.strip()]
    return all(_indent_of(text) > depth or text.lstrip().startswith(_CLOSERS) for text in between)


_CLOSERS = (")", "]", "}", "#", "@")
"""The beginnings of lines that end no body, whatever their indentation."""


def _indent_of(line: str) -> int:
    return len(line) - len(line.lstrip())


def _whole_name(name: str) -> str:
    return rf"(?<![\w-]){re.escape(name)}(?![\w-])"
