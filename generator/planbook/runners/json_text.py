"""Edit a JSON text so that all of it but one entry stays, byte for byte."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True, slots=True)
class _Member:
    """A member of an object or an item of a list, by offsets into the text."""

    key: str | None
    start: int
    value: int
    """The start of its value; `start` for an item."""
    end: int


def put(text: str, path: Sequence[str], value: object) -> str:
    """Return the text with `value` at `path`, whose last name must be missing.

    Objects on the way are made.

    Raises ValueError if the text is not JSON, or something on the way is not an object.
    """
    return _insert_member(text or "{}\n", path, value, is_item=False)


def append(text: str, path: Sequence[str], value: object) -> str:
    """Return the text with `value` as the last item of the list at `path`.

    What is missing on the way is made.
    """
    return _insert_member(text or "{}\n", path, value, is_item=True)


def remove(text: str, path: Sequence[str], item: object = None) -> str:
    """Return the text without the member at `path`, or the first `item` of the list there."""
    start = _find(text, path if item is not None else path[:-1])
    if start is None:
        return text
    members = [*_members(text, start)]
    if item is None:
        indices = [n for n, member in enumerate(members) if member.key == path[-1]]
    else:
        indices = [n for n, member in enumerate(members) if _member_value(text, member) == item]
    return _remove_member(text, start, members, indices[0]) if indices else text


def _remove_member(text: str, start: int, members: Sequence[_Member], n: int) -> str:
    """Return the text without the n-th member of what starts at `start`, and without its comma."""
    if len(members) == 1:
        return text[: start + 1] + text[_closing_bracket(text, start) :]
    # The last one goes with the comma before it, any other with the one behind it.
    if n == len(members) - 1:
        return text[: members[n - 1].end] + text[members[n].end :]
    return text[: members[n].start] + text[members[n + 1].start :]


def depth_of(text: str, path: Sequence[str]) -> int:
    """Return the number of names of `path` that are there."""
    return _deepest(text, path)[1] if text.strip() else 0


def value_at(text: str, path: Sequence[str]) -> Any:
    """Return the value at `path`; ``None`` if there is none.

    Raises ValueError if the text is not JSON.
    """
    value: Any = json.loads(text)
    for name in path:
        if not isinstance(value, dict) or name not in value:
            return None
        value = value[name]
    return value


def _insert_member(text: str, path: Sequence[str], value: object, *, is_item: bool) -> str:
    """Return the text with a value at `path`, or as an item of the list there."""
    json.loads(text)
    start, depth = _deepest(text, path)
    if is_item and depth == len(path):
        if text[start] != "[":
            raise ValueError(f"{'.'.join(path)} is not a list")
        return _add_member(text, start, value)
    if text[start] != "{" or depth == len(path):
        raise ValueError(f"{'.'.join(path[:depth]) or 'the file'} cannot take {path[-1]}")
    # The names that are missing on the way become objects around the value, the last one innermost.
    nested = [value] if is_item else value
    for name in reversed(path[depth + 1 :]):
        nested = {name: nested}
    return _add_member(text, start, nested, path[depth])


def _add_member(text: str, start: int, value: object, key: str | None = None) -> str:
    """Return the text with a last member in the object or list that starts at `start`."""
    members, step = [*_members(text, start)], _indentation_step(text)
    outer_indent = _indentation(text, start)
    inner_indent = outer_indent + step
    if members and "\n" in text[start : members[0].start]:
        inner_indent = _indentation(text, members[0].start)
    newline = "\r\n" if "\r\n" in text else "\n"
    added = json.dumps(value, ensure_ascii=False, indent=step).replace(
        "\n", f"{newline}{inner_indent}"
    )
    if key is not None:
        added = f"{json.dumps(key, ensure_ascii=False)}: {added}"
    if not members:
        opening, closing = text[: start + 1], text[_closing_bracket(text, start) :]
        return f"{opening}{newline}{inner_indent}{added}{newline}{outer_indent}{closing}"
    members_end = members[-1].end
    is_one_line = "\n" not in text[start:members_end] and "\n" not in added
    between = ", " if is_one_line else f",{newline}{inner_indent}"
    return f"{text[:members_end]}{between}{added}{text[members_end:]}"


def _find(text: str, path: Sequence[str]) -> int | None:
    """Return the offset of the value at `path`; ``None`` if there is none."""
    start, depth = _deepest(text, path)
    return start if depth == len(path) else None


def _deepest(text: str, path: Sequence[str]) -> tuple[int, int]:
    """Return the offset of the last value on `path` that is there, and its depth.

    The depth is the number of names that lead to it.
    """
    at = _skip_blanks(text, 0)
    for depth, name in enumerate(path):
        is_object = text[at] == "{"
        members = _members(text, at) if is_object else ()
        member = next((member for member in members if member.key == name), None)
        if member is None:
            return at, depth
        at = member.value
    return at, len(path)


def _members(text: str, start: int) -> Iterator[_Member]:
    """Yield the members of the object, or the items of the list, that starts at `start`."""
    is_object = text[start] == "{"
    at = _skip_blanks(text, start + 1)
    while text[at] not in "]}":
        key, value = None, at
        if is_object:
            key, end = _DECODER.raw_decode(text, at)
            value = _skip_blanks(text, _skip_blanks(text, end) + 1)
        _, end = _DECODER.raw_decode(text, value)
        yield _Member(key, at, value, end)
        at = _skip_blanks(text, end)
        if text[at] == ",":
            at = _skip_blanks(text, at + 1)


def _member_value(text: str, member: _Member) -> Any:
    return _DECODER.raw_decode(text, member.value)[0]


def _closing_bracket(text: str, start: int) -> int:
    """Return the offset of the bracket that closes what starts at `start`."""
    return _DECODER.raw_decode(text, start)[1] - 1


def _skip_blanks(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _indentation(text: str, at: int) -> str:
    """Return the blanks at the start of the line of `at`."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def _indentation_step(text: str) -> str:
    """Return the blanks by which the text indents a level; two spaces if it does not show it."""
    first_line = re.search(r"^[{\[][ \t]*\r?\n([ \t]+)", text.lstrip())
    return first_line[1] if first_line else "  "
