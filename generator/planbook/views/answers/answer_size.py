"""Answers for programs, as JSON that fits a number of characters, the `room`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any, TypeVar

T = TypeVar("T")

CHARS_PER_TOKEN = 4
"""A token of a language model has about as many characters: of English more, of code and addresses
fewer."""
TOKENS, MIN_ANSWER_TOKENS, MAX_ANSWER_TOKENS = 2_000, 250, 20_000
"""The size of an answer, unless the caller gives another one, and its limits."""
MAX_FIELD, MAX_LINK = 1_000, 2_000
"""The most characters of a title or quote, and of an address."""
Answer = dict[str, Any]


def to_json(value: object) -> str:
    """Return the JSON of an answer, of which sizes are the characters."""
    return json.dumps(value, ensure_ascii=False)


def json_size(value: object) -> int:
    """Return the number of characters of a value as JSON."""
    return len(to_json(value))


def shortened_to(value: Any, room: int) -> Any:
    """Return a value whose JSON has at most `room` characters.

    Its longest texts and lists are cut, as far as they can be.
    """
    if isinstance(value, str):
        while value and json_size(value) > room:
            if room > 3:  # two quotation marks and the ellipsis
                # By proportion, as JSON escapes some characters; by one at least, so that it ends.
                value = (
                    value[: min(len(value) - 2, (room - 3) * len(value) // json_size(value))] + "…"
                )
            else:
                value = ""
    elif isinstance(value, list):
        while len(value) > 1 and json_size(value) > room:
            value = value[:-1]
        value = (
            [shortened_to(element, room - 2) for element in value]
            if json_size(value) > room
            else value
        )
    elif isinstance(value, dict):
        for key in sorted(value, key=lambda key: json_size(value[key]), reverse=True):
            if (over := json_size(value) - room) > 0:
                value = value | {key: shortened_to(value[key], json_size(value[key]) - over)}
    return value


def _more(remaining: int, noun: str, offset: int) -> Answer:
    if remaining:
        return {
            "more": f"{remaining:,} more {noun}: ask again with offset={offset}, or with a larger "
            "max_tokens"
        }
    return {}


def fit_text(
    head: Answer, text: str, offset: int, room: int, cited: Callable[[int, int], Sequence[Answer]]
) -> Answer:
    """Return a part of a text that ends with a line if it can.

    The citations that `cited` finds there come with it.
    """
    head = shortened_to(head, room // 3)
    room -= json_size(head) + 300
    end, most = min(offset + room, len(text)), room * 3 // 4 if cited(0, len(text)) else room
    while (over := json_size(text[offset:end]) - most) > 0:
        end -= (over + 1) // 2
    if end < len(text):
        end = text.rfind("\n", offset + (end - offset) // 2, end) + 1 or end
    excerpt, citations = text[offset:end], cited(offset, end)
    room -= json_size(excerpt)
    sizes = accumulate(json_size(citation) + 2 for citation in citations)
    fitting = list(citations[: sum(size <= room for size in sizes)])
    omitted = {"citations_left_out": n} if (n := len(citations) - len(fitting)) else {}
    continuation = {
        "offset": offset,
        "total_chars": len(text),
        "next_offset": end if end < len(text) else None,
    }
    next_part = _more(max(0, len(text) - end), "characters", end)
    return {**head, "text": excerpt, **continuation, "citations": fitting, **omitted, **next_part}


def fit_rows(  # noqa: PLR0913, PLR0917 - a page of any list
    head: Answer, name: str, items: Sequence[T], show: Callable[[T], Answer], offset: int, room: int
) -> Answer:
    """Return as many items from `offset` as fit, at least one, each as `show` returns it."""
    rows: list[Answer] = []
    room -= json_size(head) + 200
    for item in items[offset:]:
        row = show(item)
        if rows and json_size(row) > room:
            break
        rows.append(shortened_to(row, room))
        room -= json_size(row) + 2
    end = offset + len(rows)
    continuation = {
        "total": len(items),
        "offset": offset,
        "next_offset": end if end < len(items) else None,
    }
    return {**head, **continuation, name: rows, **_more(max(0, len(items) - end), name, end)}


def short_field(text: str | None) -> str:
    """Return a title or quote on one line, cut if it is long."""
    text = " ".join((text or "").split())
    return text if len(text) <= MAX_FIELD else f"{text[: MAX_FIELD - 1]}…"


def omit_empty(answer: Answer) -> Answer:
    """Return an answer without the fields that have no value."""
    return {key: value for key, value in answer.items() if value not in (None, "", [], {})}
