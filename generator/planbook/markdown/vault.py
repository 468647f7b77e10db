"""Notes of Obsidian as they are published: without comments and without the ids of blocks.

https://help.obsidian.md/syntax: what stands between two `%%` is shown to the author alone, on one
line or on several; ``^id`` at the end of a block names it for links.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from planbook.markdown.document import code_ranges
from planbook.markdown.front_matter import body_start

SIGNS = "%%"
"""A comment's beginning and end."""
_COMMENT_OR_CODE = re.compile(
    r"(?P<code>^[ \t>]*+(?P<fence>`{3,}+|~{3,}+).*\n"
    r"(?:.*\n)*?(?:[ \t>]*(?P=fence)[`~]*[ \t]*$|.*\Z)"
    r"|(?<!`)(?P<ticks>`+)(?!`)"  # a code span: pieces of text, line ends and other ticks
    r"(?:[^`\n]{1,2000}+|\n(?![ \t]*\n)|(?!(?P=ticks)(?!`))`++){1,60}?(?P=ticks)(?!`)"
    r"|`+)"  # of no code span
    r"|%%[\s\S]*?%%"
    r"|(?P<open>%%)",
    re.MULTILINE,
)
"""Whichever comes first: a fence in a comment is no code, and signs in code are no comment."""
_BLOCK_ID = re.compile(r"(?:(?<=\S)[ \t]+|^[ \t]*)\^[A-Za-z0-9-]+[ \t]*$", re.MULTILINE)


def publish_page(raw: bytes) -> bytes:
    """Return a note as it is published. Lines keep their numbers; code and front matter stay."""
    if b"%%" not in raw and b"^" not in raw:
        return raw
    text = raw.decode("utf-8", errors="surrogateescape")
    start = body_start(text)
    return f"{text[:start]}{publish_note(text[start:])}".encode("utf-8", errors="surrogateescape")


def publish_note(body: str) -> str:
    """Return the Markdown of a note, without front matter, as it is published."""
    return _strip_block_ids(_strip_comments(body))


def find_comments(body: str) -> Iterator[tuple[int, int]]:
    """Yield the range of each comment outside code, in characters.

    One that is not closed ends at -1. Signs in indented text are no code: it may be the text of an
    item, and nothing is published by mistake.
    """
    for match in _COMMENT_OR_CODE.finditer(body):
        if match["open"]:
            yield match.start(), -1
            return
        if not match["code"]:
            yield match.span()


def _strip_comments(body: str) -> str:
    pieces = list[str]()
    done = 0
    for start, closed_at in find_comments(body):
        is_block = not body[:start].rpartition("\n")[2].strip()
        if closed_at < 0 and not is_block:  # Obsidian shows such signs
            break
        end = closed_at if closed_at >= 0 else len(body)
        text_before = body[done:start]
        at_end_of_line = end == len(body) or body[end] == "\n"
        pieces.append(text_before.rstrip(" \t") if at_end_of_line else text_before)
        pieces.append("\n" * body.count("\n", start, end))  # lines keep their numbers
        done = end
    return "".join([*pieces, body[done:]])


def _strip_block_ids(body: str) -> str:
    if "^" not in body:
        return body
    code = code_ranges(body)
    starts = [start for start, _ in code]

    def hidden(match: re.Match[str]) -> str:
        """Return a block's id if it is code, else nothing."""
        last_char = match.end() - 1
        nearest = bisect_right(starts, last_char) - 1
        is_code = nearest >= 0 and last_char < code[nearest][1]
        return match[0] if is_code else ""

    return _BLOCK_ID.sub(hidden, body)
