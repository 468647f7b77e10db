"""Describe where a line of code differs from the quotes that it is to show. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from planbook.citations.quotes import fold

_MAX_SHOWN, _MAX_BEFORE, _MAX_BEHIND = 80, 24, 40
"""Number of characters shown of a line, and before and behind the place where two texts differ."""
_MAX_WORD = 12
"""Number of characters up to which the word that differs is shown from its beginning."""
_WORD = re.compile(r"\w{2}")


def describe_difference(line: str, quotes: Sequence[str]) -> str:
    """Return that no quote has a line, and where it departs from the nearest one.

    For example ``the line “make -j 4” is not in it: after “make -j”, the page has “4” and the quote
    has “8”``. The nearest quote is that which has most of the line's beginning.
    """
    texts = [fold(quote) for quote in quotes]
    excerpt = line if len(line) <= _MAX_SHOWN else f"{line[:_MAX_BEHIND].rstrip()} …"
    pronoun = "it" if len(texts) == 1 else "them"
    defect = f"the line “{excerpt}” is not in {pronoun}"
    shared, rest = max((_split_at_difference(line, text) for text in texts), default=(0, ""))
    shared_start = line[:shared].rstrip()
    if not _WORD.search(shared_start):
        return defect
    context = (
        shared_start
        if len(shared_start) <= _MAX_BEFORE
        else f"… {shared_start[-_MAX_BEFORE:].lstrip()}"
    )
    on_page, in_quote = _first_shown_words(line[shared:]), _first_shown_words(rest)
    page = f"the page has “{on_page}”" if on_page else "the line ends on the page"
    quote = f"the quote has “{in_quote}”" if in_quote else "the quote ends"
    return f"{defect}: after “{context}”, {page} and {quote}"


def _split_at_difference(line: str, text: str) -> tuple[int, str]:
    """Return how many characters of a line a text has in one place, and what it has behind them."""
    low, high = 0, len(line)
    while low < high:  # a text that has more of the beginning also has less of it
        middle = (low + high + 1) // 2
        if _find_end(line[:middle], text) is None:
            high = middle - 1
        else:
            low = middle
    word_start = line.rfind(" ", 0, low)
    if word_start > 0 and low - word_start <= _MAX_WORD:
        low = word_start
    return low, text[_find_end(line[:low], text) or 0 :]


def _find_end(wanted: str, text: str) -> int | None:
    """Return the offset behind `wanted` in a text, whatever the blanks; ``None`` without it."""
    places = [at for at, char in enumerate(text) if not char.isspace()]
    letters = "".join(wanted.split())
    at = "".join(text.split()).find(letters)
    if at < 0 or not letters:
        return None
    return places[at + len(letters) - 1] + 1


def _first_shown_words(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _MAX_BEHIND else f"{text[:_MAX_BEHIND].rstrip()} …"


def is_cut_by_yaml(quote: str, page: str) -> bool:
    """Return whether YAML takes the rest of a quote in a page's front matter for a comment.

    An example is ``q1: archive_mode = on # for backups``.
    """
    lines = quote.strip().splitlines()
    if not lines:
        return False
    return re.search(rf"(?<![\"']){re.escape(lines[-1])}[ \t]+#", page) is not None
