"""Find the lists of sources on a page: the headings and labels that begin them, and their ends."""

from __future__ import annotations

import re
from collections.abc import Sequence

from planbook.citations.addresses import find_urls
from planbook.markdown.plain_text import (
    is_row,
    is_rule,
    item_of,
    strip_marker,
    width,
)

SECTION_WORDS = (
    *("source", "reference", "citation", "bibliograph", "footnotes", "endnotes", "cited"),
    *("resources", "links", "papers", "publications", "literature", "reading", "web research"),
    *("materials", "based on"),
)
"""A heading or label that begins a list of sources contains one of these."""
_TOPICS = frozenset(
    re.findall(
        r"\w+",
        "sources references citations bibliography footnotes endnotes resources links papers "
        "publications literature reading readings reference materials",
    )
)
"""Words of which such a heading has one: "Further reading"."""
_FURTHER_HEADING_WORDS = frozenset(
    re.findall(
        r"\w+",
        "and key primary secondary main all web external internal additional academic research "
        "official complete full list of documents document documentation materials material "
        "consulted used cited works work source reference citation for this the page section "
        "guide file further recommended suggested online technical articles article blog books "
        "annotated credits notes original other more information with access dates accessed "
        "oracle knowledge base local code github repository repositories project existing "
        "attribution attributions detailed core numbered major on in by our we it its here these "
        "retrieved mentioned quoted checked visited searched without a link see also from "
        "following based referenced acknowledgments acknowledgements scholarly scientific "
        "industry peer reviewed inline codebase were i per topic appendix foundational seminal",
    )
)
"""Other words in such headings. With any further word, a heading has another topic."""
_HEADING = re.compile(r"^ {0,3}(#{1,6})\s(.*)")
_HEADING_CLOSE = re.compile(r"[\s#]*")
"""The end of a heading that closes it, read backwards: from the front, each place would be tried to
the end."""
_OWN_SOURCE = re.compile(r":[\s*_]{0,4}(?:\[[^\[\]]{1,400}\]\(|<?https?://)")
"""A heading that itself names the source: ``### Source: [Rye](...)``."""
_UNDERLINE = re.compile(r"^(?:={2,}|-{2,})\s*$")


def section_end(lines: Sequence[str], n: int) -> int | None:
    """Return the line after the end of the list of sources that begins on line `n`, if one does.

    Lines are 0-based.
    """
    heading = heading_at(lines, n)
    if heading is None:
        return _list_end(lines, n) if _is_label_of_sources(lines[n]) else None
    level, words = heading
    if _OWN_SOURCE.search(words) or not lists_sources(words):
        return None
    below = range(n + 1, len(lines))
    return next((m for m in below if _ends_section(lines, m, level)), len(lines))


def _ends_section(lines: Sequence[str], n: int, level: int) -> bool:
    """Return whether line `n` is a heading of this level, or a thematic break.

    Links to the next pages follow a break.
    """
    heading = heading_at(lines, n)
    if heading:
        return heading[0] <= level
    return is_rule(lines[n]) and not lines[n - 1].strip()


def heading_at(lines: Sequence[str], n: int) -> tuple[int, str] | None:
    """Return level and text of the heading on line `n`.

    Underlined ones only if they begin a list of sources.
    """
    line = lines[n]
    if line.lstrip()[:1] == "#":
        match = _HEADING.match(line)
        if match is None:
            return None
        closing = _HEADING_CLOSE.match(match[2][::-1])
        text = match[2][: len(match[2]) - len(closing[0])] if closing else match[2]
        return len(match[1]), text.lstrip()
    below = lines[n + 1] if n + 1 < len(lines) else ""
    if below[:2] in {"==", "--"} and _UNDERLINE.match(below) and lists_sources(line):
        return (1 if below[0] == "=" else 2), line
    return None


_MAX_HEADING_WORDS = 8
"""Maximum number of words of such a heading."""
_MAX_LABEL_CHARS = 120
"""Maximum length of such a label in characters."""


def lists_sources(title: str) -> bool:
    """Return whether a section with this title lists sources: "References and Further Reading".

    Every word must be one that such headings consist of: "References to tensors" is another topic.
    """
    text = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", " ", title[:160].lower())
    words = re.findall(r"[^\W\d_]+", text)
    used = set(words)
    if not words or len(words) > _MAX_HEADING_WORDS or not used <= _TOPICS | _FURTHER_HEADING_WORDS:
        return False
    has_topic = bool(used & _TOPICS) or used >= {"web", "research"}
    has_cited_works = "works" in used and bool(used & {"cited", "referenced"})
    is_known_heading = words in (["source"], ["citation"], ["based", "on"])
    return has_topic or has_cited_works or is_known_heading


def _is_label_of_sources(line: str) -> bool:
    """Return the same for a label such as ``**Sources** (accessed D):``."""
    text = strip_marker(line)
    has_link = "](" in text or "://" in text
    if len(text) >= _MAX_LABEL_CHARS or has_link:
        return False
    is_bold = text.startswith(("**", "__")) and text.endswith(("**", "__", ")"))
    ends_in_colon = text.rstrip("*_ ").endswith(":")
    return (is_bold or ends_in_colon) and lists_sources(text)


def _list_end(lines: Sequence[str], start: int) -> int:
    """Return the line after the list or table under the label on line `start`."""
    label_indent = width(lines[start]) if item_of(lines[start]) else None
    for n in range(start + 1, len(lines)):
        line = lines[n]
        if not line.strip():
            continue
        if label_indent is not None and width(line) <= label_indent:
            return n
        if heading_at(lines, n) or is_rule(line):
            return n
        is_entry = item_of(line) is not None or is_row(line)
        is_plain = not is_entry and not line.startswith((" ", "\t"))
        begins_paragraph = lines[n - 1].strip() == ""
        if is_plain and (begins_paragraph or not find_urls(line, {})):
            return n
    return len(lines)
