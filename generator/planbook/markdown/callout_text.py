"""Callouts: block quotes with a marker, whose words are those of the page's writer. Pure.

Forms of callouts::

    > [!WARNING]                    as on GitHub
    > Do not move a kiln that is hot.

    > [!tip]- A title               as in Obsidian, here folded
    > The door is heavy.
"""

from __future__ import annotations

import re

from planbook.markdown.edits import apply_edits
from planbook.markdown.syntax import syntax_tree

_MARKER = re.compile(
    r"(?P<lead>>[ \t]?)\[!(?P<kind>[\w-]{1,30})(?:\|[^\[\]\n]{0,100})?\][-+]?[ \t]*"
    r"(?P<title>[^\n]*)"
)
_QUOTE_SIGN = re.compile(r"^[ \t]*(>)", re.MULTILINE)
_QUOTING_KINDS = frozenset({"quote", "cite"})
"""Kinds of callouts that quote somebody else."""
_ENDS_SENTENCE = re.compile(r"[.!?:]\Z")


def unwrap_callouts(body: str) -> str:
    """Return a page's body with the text of each callout as paragraphs of the page.

    All offsets and lines stay: the signs of the quote become blanks. Callouts that quote stay as
    they are, and so do those whose title has brackets, such as a citation.
    """
    if "[!" not in body:
        return body
    edits: list[tuple[int, int, str]] = []
    for node in syntax_tree(body, has_footnotes=True).descendants():
        is_nested = bool(edits) and node.start < edits[-1][1]
        if node.name != "BlockQuote" or is_nested:
            continue
        marker = _MARKER.match(body, node.start)
        if marker is None or marker["kind"].lower() in _QUOTING_KINDS or "[" in marker["title"]:
            continue
        first = _to_sentence(marker["title"].strip()).ljust(len(marker[0]))
        rest = _QUOTE_SIGN.sub(_blank_last, body[marker.end() : node.end])
        edits.append((node.start, node.end, first + rest))
    return apply_edits(body, edits)


def _to_sentence(title: str) -> str:
    """Return a title with a full stop, so that it is no part of the sentence below it."""
    return f"{title}." if title and not _ENDS_SENTENCE.search(title) else title


def _blank_last(sign: re.Match[str]) -> str:
    return sign[0][:-1] + " "
