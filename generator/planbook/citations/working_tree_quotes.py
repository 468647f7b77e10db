"""Quotes of files of the base's own repository: where they are in a text, and what became of them.

A reference cites such a file by its path, with or without lines::

    - id: kettle
      title: The kettle
      URL: src/kettle.py#L4-L5
      custom: {quotes: {q1: "def boil(seconds):"}}

The text is that of the working tree: a change that moves or alters a quote is seen before it is
committed.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planbook.citations.pins import read_recorded_lines
from planbook.citations.quotes import find_spans, fold

Lines = tuple[int, int]
"""A first and a last line, 1-based."""
_CITED_LINES = re.compile(r"(?:#L|:)(\d{1,7})(?:-L?(\d{1,7}))?$")
_MAX_LINES = 20_000
"""Number of lines of a file up to which the lines that are most like a quote are looked for."""
_MIN_LIKENESS = 0.5
"""Minimum likeness of lines that are shown as the closest ones."""
_MAX_CHARS = 200


@dataclass(frozen=True, slots=True)
class QuoteChange:
    """A quote that is not where a page says."""

    key: str
    line: int
    """The line of the file to look at: where the quote is now, or was."""
    message: str
    """A sentence on its new place or words, with the fix."""


def read_cited_lines(
    quotes: Sequence[tuple[str, str]], item: Mapping[str, Any]
) -> dict[str, Lines]:
    """Return the lines that a CSL item gives for each quote, or for all of them in its address."""
    match = _CITED_LINES.search(str(item.get("URL") or ""))
    lines_by_key: dict[str, Lines] = {}
    if match:
        first, last = sorted((int(match[1]), int(match[2] or match[1])))
        lines_by_key = {key: (first, last) for key, _ in quotes}
    return lines_by_key | read_recorded_lines(item)


def find_changes(
    quotes: Sequence[tuple[str, str]], lines: Mapping[str, Lines], path: str, text: str
) -> Iterator[QuoteChange]:
    """Yield the quotes that a file no longer has, or has in other lines.

    Args:
        quotes: the quotes by key.
        lines: the lines that are cited, by the quote's key.
        path: the file, for messages.
        text: its content.
    """
    length = text.count("\n") + 1

    def line_of(offset: int) -> int:
        """Return the line of an offset, 1-based."""
        return text.count("\n", 0, offset) + 1

    for key, quote in quotes:
        cited = lines.get(key)
        places = [(line_of(start), line_of(end - 1)) for start, end in find_spans(quote, text)]
        if not places:
            yield _describe_changed_quote(key, quote, path, text, cited)
        elif cited and not any(cited[0] <= first and last <= cited[1] for first, last in places):
            now = min(places, key=lambda lines_of_copy: abs(lines_of_copy[0] - cited[0]))
            length_note = "" if cited[1] <= length else f"; the file has {length} lines"
            change = f"quote {key} moved from {_name(cited)} of {path} to {_name(now)}{length_note}"
            yield QuoteChange(key, now[0], f"{change}; cite {_line_fragment(now)}")


def _describe_changed_quote(
    key: str, quote: str, path: str, text: str, cited: Lines | None
) -> QuoteChange:
    """Return that a file has no such words, with the lines that are most like them."""
    lines = text.split("\n")
    size = quote.strip().count("\n") + 1
    closest_lines = _closest(quote, lines, size) if len(lines) <= _MAX_LINES else None
    change = f"quote {key} is no longer in {path}"
    if closest_lines is None:
        line = min(cited[0], len(lines)) if cited else 1
        return QuoteChange(key, line, f"{change}; quote what is there now, or remove it")
    line_range = closest_lines, closest_lines + size - 1
    now = fold("\n".join(lines[closest_lines - 1 : closest_lines - 1 + size]))[:_MAX_CHARS]
    return QuoteChange(
        key, closest_lines, f"{change}; {_name(line_range)} now: “{now}”; quote that, or remove it"
    )


def _closest(quote: str, lines: Sequence[str], size: int) -> int | None:
    """Return the first of `size` lines that are most like a quote, 1-based; `None` if none is."""
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(fold(quote))
    best, best_ratio = None, _MIN_LIKENESS
    for n in range(len(lines)):
        matcher.set_seq1(fold("\n".join(lines[n : n + size])))
        if matcher.real_quick_ratio() <= best_ratio or matcher.quick_ratio() <= best_ratio:
            continue
        ratio = matcher.ratio()
        if ratio > best_ratio:
            best, best_ratio = n + 1, ratio
    return best


def _name(lines: Lines) -> str:
    first, last = lines
    return f"line {first}" if first == last else f"lines {first}–{last}"


def _line_fragment(lines: Lines) -> str:
    first, last = lines
    return f"#L{first}" if first == last else f"#L{first}-L{last}"
