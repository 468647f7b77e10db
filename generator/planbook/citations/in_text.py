"""Find the citations in a page's text: ``[@rye, p. 3]`` and ``@rye [p. 3]``."""

from __future__ import annotations

import difflib
import re
from bisect import bisect_right
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from planbook.markdown.document import code_ranges

_QUOTED_TEXT = r'"(?:[^"\n]|\n(?![ \t]*\n)){0,200}"'
_ID = r"(?:\{(?P<braced>[^\s{}\[\]]{1,200})\}|(?P<id>[A-Za-z0-9_](?:[\w:.#$%&+?~/-]*[\w/])?))"
"""The id of a work, as Pandoc reads it (https://pandoc.org/MANUAL.html#citation-syntax)."""
_GROUP = re.compile(rf'\[(?P<inside>(?:[^\[\]"]|{_QUOTED_TEXT}){{1,1000}})\](?![(\[])')
_QUOTED_OR_SEMICOLON = re.compile(rf"{_QUOTED_TEXT}|(?P<semicolon>;)")
_PASSAGE_ID = re.compile(r"[^#]+#\d+(?:-\d+)?")
"""The id of passages of a work, which words of them may follow: ``[@rye#3 "sown in autumn"]``."""
_QUOTED_OR_AT = re.compile(rf"{_QUOTED_TEXT}|(?P<at>(?<![\w@])-?@(?=[\w{{]))")
_WORK_JOINT = re.compile(r"(?:[,\s]|\band\b|&){0,20}$")
"""Text between two works that no semicolon parts."""
_WORDS_BEFORE = re.compile(r"\b(?:(?:see|also|cf\.)\s{1,3}){1,2}$")
"""Words that belong to the work behind them."""
_PIECE = re.compile(
    rf"""
    (?P<prefix>(?:(?!(?<![\w@])-?@[\w{{])[^\n])*?)
    (?<![\w@])-?@{_ID}
    (?:(?P<comma>\s*,)|\s+(?=\S)|$)
    (?P<locator>.*)
    """,
    re.DOTALL | re.VERBOSE,
)
"""A part of a group: words, an id, and a locator; ``see @rye, p. 3``."""
_CITATION_IN_TEXT = re.compile(
    rf"""
    (?<![\w@.\-/\[:;\\])
    (?P<no_author>-)?@{_ID}
    (?:[ ]?\[(?P<locator>[^\[\]@^\n][^\[\]@\n]{{0,200}})\](?![(\[:]))?
    """,
    re.VERBOSE,
)
"""A work named in a sentence: ``@rye``, ``@rye [p. 3]``.

``-@rye`` if its author is in the sentence already.
"""
_TAG_OR_LINK = re.compile(
    r"<[A-Za-z/!][^<>]{0,1000}>|\[[^\[\]]{0,1000}\](?=[(\[])|\]\([^()\s]{0,1000}\)"
)
"""Tags, and links with their addresses: no work is named in them."""


@dataclass(frozen=True, slots=True)
class Citation:
    """One place in a text that points to a reference."""

    reference_id: str
    """The reference's id."""
    locator: str | None
    """A location in the work, or the key of one of its quotes."""
    line: int
    """The line of its group."""
    group_start: int
    group_end: int
    """Character offsets of its group, with the brackets."""
    prefix: str = ""
    """The words before it in its group, such as ``see``."""
    is_in_text: bool = False
    """True if it is not in brackets: a sentence names the work."""

    @property
    def group(self) -> tuple[int, int]:
        """The offsets of its group, which all citations in one pair of brackets share."""
        return self.group_start, self.group_end


QUOTE_KEY = re.compile(r"q\d+")
"""The locator of a citation that names a quote."""
_UNKNOWN_LINE = 0
"""The line of a citation before `_number_lines`."""
_MIN_LIKENESS = 0.6
"""Minimum likeness of an unknown id to a known one for a group in a form that other texts have,
too."""


def find_citations(text: str, ids: Collection[str] = ()) -> tuple[Citation, ...]:
    """Return the citations in a page's body, in order.

    ``[@rye]``, ``[@rye, p. 3; @oats]`` and ``[-@rye]`` are citations whatever they name.
    ``[see @rye]``, ``[@rye p. 3]`` and, without brackets, ``@rye`` and ``@rye [p. 3]`` are
    citations if they name one of the `ids`; groups also if an id is like one of them. Other text
    with ``@`` is none.
    """
    if "@" not in text:
        return ()
    citations: list[Citation] = []
    for group in _GROUP.finditer(text):
        if "@" in group["inside"]:
            citations += _citations_of(group, ids)
    if ids:
        # Brackets that are groups: the names in them are read. Those in others are in the text.
        groups = {citation.group for citation in citations}
        citations += _citations_outside_brackets(text, ids, groups)
    code = code_ranges(text)
    code_starts = [start for start, _ in code]

    def is_code(offset: int) -> bool:
        """Return True for an offset in code."""
        nearest = bisect_right(code_starts, offset) - 1
        return nearest >= 0 and offset < code[nearest][1]

    outside_code = [citation for citation in citations if not is_code(citation.group_start)]
    return tuple(
        _number_lines(text, sorted(outside_code, key=lambda citation: citation.group_start))
    )


def _number_lines(text: str, citations: Iterable[Citation]) -> Iterator[Citation]:
    """Yield citations in order of their places, with their lines."""
    line, lines_until = 1, 0
    for citation in citations:
        line += text.count("\n", lines_until, citation.group_start)
        lines_until = citation.group_start
        yield replace(citation, line=line)


def _citations_of(group: re.Match[str], ids: Collection[str]) -> list[Citation]:
    """Return the citations in a bracket, without their lines.

    It is empty if it is not a group of citations, or in a form that other texts have, too, without
    an id that is known or like a known one.
    """
    citations = []
    is_certain = True
    parts = _split_at_semicolons(group["inside"])
    pieces = [piece for part in parts for piece in _split_at_ids(part)]
    for piece in pieces:
        match = _PIECE.fullmatch(piece.strip())
        if match is None:
            return []
        locator = " ".join(match["locator"].split()) or None
        prefix = " ".join(match["prefix"].split())
        name = match["id"] or match["braced"]
        has_plain_locator = bool(match["comma"]) or locator is None
        names_passage = _PASSAGE_ID.fullmatch(name) is not None
        # These forms are Pandoc's, too, but other texts have them: `[mail to @ann]`.
        if prefix or match["braced"] or not (has_plain_locator or names_passage):
            is_certain = False
        citations.append(Citation(name, locator, _UNKNOWN_LINE, *group.span(), prefix))
    if is_certain or any(_is_like_id(citation.reference_id, ids) for citation in citations):
        return citations
    return []


def _split_at_semicolons(text: str) -> list[str]:
    """Return a text of a group, split at each semicolon that is not in quotation marks."""
    cuts = [m.start() for m in _QUOTED_OR_SEMICOLON.finditer(text) if m["semicolon"]]
    starts = [0, *(cut + 1 for cut in cuts)]
    return [text[start:end] for start, end in zip(starts, [*cuts, len(text)], strict=True)]


def _split_at_ids(text: str) -> list[str]:
    """Return a text of a group, split before each further id: ``@rye, p. 3, @oats and @barley``."""
    places = [match.start() for match in _QUOTED_OR_AT.finditer(text) if match["at"]]
    cuts = [offset for offset in places[1:] if text[offset - 1] in ", \t\n"]
    # Words such as *see* belong to the id behind them, and not to the locator before.
    words = (_WORDS_BEFORE.search(text, max(0, offset - 40), offset) for offset in cuts)
    cuts = [
        words_before.start() if words_before else offset
        for words_before, offset in zip(words, cuts, strict=True)
    ]
    ends = [*cuts, len(text)]
    pieces = [text[start:end] for start, end in zip([0, *cuts], ends, strict=True)]
    return [*(_WORK_JOINT.sub("", piece) for piece in pieces[:-1]), pieces[-1]]


def _is_like_id(name: str, ids: Collection[str]) -> bool:
    return name in ids or bool(difflib.get_close_matches(name, ids, 1, _MIN_LIKENESS))


def _citations_outside_brackets(
    text: str, ids: Collection[str], groups: Container[tuple[int, int]]
) -> Iterator[Citation]:
    """Yield the citations outside brackets, without their lines."""
    names = [
        match
        for match in _CITATION_IN_TEXT.finditer(text)
        if (match["id"] or match["braced"]) in ids
    ]
    if not names:
        return
    brackets = [bracket.span() for bracket in _GROUP.finditer(text)]
    excluded = [span for span in brackets if span in groups]
    excluded += [tag_or_link.span() for tag_or_link in _TAG_OR_LINK.finditer(text)]
    excluded.sort()
    ends = list(accumulate((end for _, end in excluded), max))
    for name in names:
        # The last excluded span that begins before the name: do any up to it reach beyond?
        nearest = bisect_right(excluded, (name.start(), len(text))) - 1
        is_inside = nearest >= 0 and ends[nearest] > name.start()
        if not is_inside:
            locator = " ".join((name["locator"] or "").split()) or None
            is_in_text = not name["no_author"]
            yield Citation(
                name["id"] or name["braced"],
                locator,
                _UNKNOWN_LINE,
                *name.span(),
                is_in_text=is_in_text,
            )


def join_groups(text: str, citations: Sequence[Citation]) -> tuple[Citation, ...]:
    """Return the citations with brackets that follow each other as one group.

    ``[@rye] [@oats]`` is shown like ``[@rye; @oats]``.
    """
    groups: list[list[Citation]] = []
    for citation in citations:
        if groups and _continues_group(text, groups[-1][-1], citation):
            groups[-1].append(citation)
        else:
            groups.append([citation])
    joined = []
    for group in groups:
        start, end = group[0].group_start, group[-1].group_end
        joined += [replace(citation, group_start=start, group_end=end) for citation in group]
    return tuple(joined)


def _continues_group(text: str, previous: Citation, citation: Citation) -> bool:
    """Return True if only blanks stand between two citations in brackets."""
    if previous.is_in_text or citation.is_in_text:
        return False
    return not text[previous.group_end : citation.group_start].strip(" ")
