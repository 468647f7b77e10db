"""Which headings and labels begin a list of sources, and where it ends."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum

from generator.citations.places import find_places
from generator.markdown.line_kinds import is_row, is_rule, item_of, width
from generator.markdown.plain_text import unmarked


class Kind(Enum):
    """How sure it is that a section lists sources."""

    SOURCES = "sources"
    LINKS = "links"
    """Works with an address only: what else stands under ``Further reading`` or ``Resources`` may be anything."""


SECTION_WORDS = (
    *("source", "reference", "citation", "bibliograph", "footnotes", "endnotes", "cited", "resources", "links"),
    *("papers", "publications", "literature", "reading", "web research", "materials", "based on"),
)
"""A heading or label that begins a list of sources holds one of them."""
_SURE = frozenset({"sources", "references", "citations", "bibliography", "footnotes", "endnotes"})
_LIKELY = frozenset(
    {"resources", "links", "papers", "publications", "literature", "reading", "readings", "reference", "materials"}
)
_CITED_WORKS = ({"works", "cited"}, {"works", "referenced"})
_DOCUMENTS = frozenset({"documents", "document", "materials", "material", "list", "attribution"})
_BESIDE = frozenset(
    re.findall(
        r"\w+",
        "and key primary secondary main all web external internal additional academic research official "
        "complete full list of documents document documentation materials material consulted used cited works "
        "work source reference citation for this the page section guide file further recommended suggested "
        "online technical articles article blog books annotated credits notes original other more information "
        "with access dates accessed oracle knowledge base local code github repository repositories project "
        "existing attribution attributions detailed core numbered major on in by our we it its here these "
        "retrieved mentioned quoted checked visited searched without a link see also from following based "
        "referenced acknowledgments acknowledgements scholarly scientific industry peer reviewed inline codebase were "
        "i per topic appendix foundational seminal",
    )
)
_HEADING = re.compile(r"^ {0,3}(#{1,6})\s+(.*?)[\s#]*$")
_OWN_SOURCE = re.compile(r":[\s*_]{0,4}(?:\[[^\[\]]{1,400}\]\(|<?https?://)")
"""What a heading names that is itself the source: ``### Source: [Rye](...)``."""
_UNDERLINE = re.compile(r"^(?:={2,}|-{2,})\s*$")


def section_at(lines: Sequence[str], n: int) -> tuple[Kind, int] | None:
    """The kind and the end of the list of sources that line `n` (0-based) begins, if it begins one."""
    line = lines[n]
    may_be_heading = line.lstrip()[:1] == "#" or (n + 1 < len(lines) and lines[n + 1][:2] in {"==", "--"})
    if len(line) > 200 or not (may_be_heading or line.rstrip()[-1:] in {":", "*", "_", ")"}):
        return None
    heading = heading_of(lines, n)
    if heading and _OWN_SOURCE.search(heading[1]):
        return None
    kind = _sources_kind(heading[1]) if heading else _label_kind(line)
    return (kind, (_section_end if heading else _list_end)(lines, n)) if kind else None


def lists_sources(title: str) -> bool:
    """Whether a section with this title is one that lists sources: "References", "Further reading"."""
    return _sources_kind(title) is not None


def heading_of(lines: Sequence[str], n: int) -> tuple[int, str] | None:
    """The level and the words of the heading on line `n` (0-based), if there is one.

    Of the headings that are underlined only those that begin a list of sources count.
    """
    line = lines[n]
    if line.lstrip()[:1] == "#":
        match = _HEADING.match(line)
        return (len(match[1]), match[2]) if match else None
    if (
        n + 1 < len(lines)
        and lines[n + 1][:2] in {"==", "--"}
        and _UNDERLINE.match(lines[n + 1])
        and _sources_kind(line)
    ):
        return (1 if lines[n + 1][0] == "=" else 2), line
    return None


def _sources_kind(title: str) -> Kind | None:
    """What a heading's or label's words say of what stands below: ``None`` if it lists no sources.

    Every word has to be one that such titles are made of: "References and Further Reading", but not "References to
    tensors".
    """
    text = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", " ", title[:160].lower())
    text = re.sub(r"^\W*(?:section|part|appendix|chapter)\s[\da-z]{1,3}\b", "", text)
    words = re.findall(r"[^\W\d_]+", text)
    known = set(words)
    if not words or len(words) > 8 or not known <= _SURE | _LIKELY | _BESIDE:
        return None
    if words[0] in {"from", "based"}:  # what follows may be what is drawn from them
        return Kind.LINKS if known & _SURE or words == ["based", "on"] else None
    is_of_documents = known & {"source", "reference"} and known & _DOCUMENTS
    if (
        known & _SURE
        or words in (["source"], ["citation"])
        or is_of_documents
        or any(pair <= known for pair in _CITED_WORKS)
    ):
        return Kind.SOURCES
    if known & _LIKELY or known >= {"web", "research"}:
        return Kind.LINKS
    return None


def _label_kind(line: str) -> Kind | None:
    """What a line such as ``**Sources** (accessed D):`` says of the list below it."""
    text = unmarked(line)
    core = text.rstrip("*_ ")
    if (
        not (core.endswith(":") or (text.startswith(("**", "__")) and text.endswith(("**", "__", ")"))))
        or "](" in text
        or "://" in text
    ):
        return None
    return _sources_kind(text) if len(text) < 120 else None


def _section_end(lines: Sequence[str], start: int) -> int:
    """The line behind the section that begins on line `start`: where the next heading of its level stands."""
    heading = heading_of(lines, start)
    level = heading[0] if heading else 6
    return next(
        (n for n in range(start + 1, len(lines)) if (found := heading_of(lines, n)) and found[0] <= level), len(lines)
    )


def _list_end(lines: Sequence[str], start: int) -> int:
    """The line behind the list or table under the label on line `start`."""
    outer = width(lines[start]) if item_of(lines[start]) else None
    has_rows = False
    for n in range(start + 1, len(lines)):
        line = lines[n]
        if not line.strip():
            continue
        if outer is not None and width(line) <= outer:
            return n
        if heading_of(lines, n) or is_rule(line):
            return n
        is_part = bool(item_of(line)) or is_row(line)
        is_plain = not is_part and not line.startswith((" ", "\t"))
        if is_plain and (has_rows or lines[n - 1].strip() == "" or not find_places(line, {})):
            return n
        has_rows = has_rows or is_part
    return len(lines)
