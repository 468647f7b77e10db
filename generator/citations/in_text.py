"""Citations in a page's text: ``[@id]``, ``[@id, q1]``, ``[@id, sec. "Title"; @other]`` (Pandoc's form).

They are found outside code, numbered in order of first use, and rendered as links to the References section. An
unknown id is a Problem that suggests the nearest ids.
"""

from __future__ import annotations

import difflib
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, groupby

from generator.markdown.document import code_ranges, edited
from generator.markdown.escape import inline_text
from generator.model import Problem, Reference

_GROUP = re.compile(r'\[(?P<inside>-?@(?:[^\[\]"]|"(?:[^"\n]|\n(?![ \t]*\n)){0,200}"){1,400})\](?![(\[])')
_PIECE = re.compile(r"^\s*-?@(?P<id>[A-Za-z0-9_](?:[\w:.#$%&+?~/-]*[\w/])?)\s*(?:,\s*(?P<locator>.+?))?\s*$", re.DOTALL)
MAX_HINTS = 20
"""Maximum number of unknown ids for which suggestions are computed: each is compared with all known ids."""


@dataclass(frozen=True, slots=True)
class Citation:
    """One place in a text that points to a reference."""

    reference: str
    """The reference's id."""
    locator: str | None
    """A location in the work, or the key of one of its quotes."""
    line: int
    start: int
    end: int
    """Character offsets of its group."""


def find_citations(text: str) -> tuple[Citation, ...]:
    """Return the citations in a page's body, in order; invalid groups (``[@ me]``) are skipped."""
    if "[@" not in text and "[-@" not in text:
        return ()
    code = code_ranges(text)
    code_starts = [start for start, _ in code]
    line, at = 1, 0
    found: list[Citation] = []
    for group in _GROUP.finditer(text):
        before = bisect_right(code_starts, group.start()) - 1
        if before >= 0 and group.start() < code[before][1]:
            continue
        pieces = [_PIECE.match(piece) for piece in group["inside"].split(";")]
        line, at = line + text.count("\n", at, group.start()), group.start()
        if all(pieces):
            found += [
                Citation(piece["id"], _folded(piece["locator"]), line, *group.span()) for piece in pieces if piece
            ]
    return tuple(found)


def check_citations(
    citations: Sequence[Citation], references: Sequence[Reference], uri: str, skipped: int = 0
) -> tuple[Problem, ...]:
    """Return K012 for each unknown id, and K013 for each reference that a citing page never cites.

    `skipped` is the number of lines above the text, in the front matter.
    """
    known = {reference.id for reference in references}
    unknown = list(dict.fromkeys(citation.reference for citation in citations if citation.reference not in known))
    hints = dict.fromkeys(unknown, "")
    for name in unknown[:MAX_HINTS]:
        near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
        hints[name] = f"; did you mean {' or '.join(f'@{other}' for other in near)}?" if near else ""
    problems = [
        Problem(uri, c.line + skipped, "K012", f"no reference has the id @{c.reference}{hints[c.reference]}")
        for c in citations
        if c.reference in hints
    ]
    used = {citation.reference for citation in citations}
    if citations:
        what = "is in the references but never cited in the text; cite it or remove it"
        unused = [r for r in references if r.id not in used and not r.lines]
        problems += [Problem(uri, 1, "K013", f"@{reference.id} {what}") for reference in unused]
    return tuple(problems)


def numbered(references: Sequence[Reference], citations: Sequence[Citation]) -> dict[str, int]:
    """Return each reference's number: cited ones in order of first use, then the rest in their own order."""
    known = {reference.id for reference in references}
    order = dict.fromkeys([c.reference for c in citations if c.reference in known])
    order |= dict.fromkeys(reference.id for reference in references)
    return {name: n for n, name in enumerate(order, 1)}


def with_links(text: str, citations: Sequence[Citation], references: Sequence[Reference]) -> str:
    """Return `text` with each citation as a link to its quote or entry; an unknown one is shown as it was written."""
    by_id = {reference.id: reference for reference in references}
    numbers = numbered(references, citations)
    places = count(1)
    return with_shown(
        text, citations, [_numbers(group, by_id, numbers, places) for group in citation_groups(citations)]
    )


def citation_groups(citations: Sequence[Citation]) -> tuple[tuple[Citation, ...], ...]:
    """Return the citations grouped by their brackets, in order."""
    return tuple(tuple(group) for _, group in groupby(citations, key=lambda c: (c.start, c.end)))


def with_shown(text: str, citations: Sequence[Citation], shown: Sequence[str]) -> str:
    """Return `text` with each group of citations replaced by its HTML."""
    pairs = zip(citation_groups(citations), shown, strict=True)
    return edited(text, ((group[0].start, group[0].end, html) for group, html in pairs))


def quoted(reference: Reference, citation: Citation) -> str | None:
    """Return the quote that a citation's locator names, if any."""
    return dict(reference.quotes).get(citation.locator or "")


def cite_anchor(n: int) -> str:
    """Return the HTML id of the `n`-th citation of a known work on its page, counted from 1; no heading has it."""
    return f"c.{n}"


def quote_anchor(work: int, key: str) -> str:
    """Return the HTML id of a quote in the References section; `work` is its reference's number on the page."""
    return f"r{work}.{key}"


def _numbers(
    group: Sequence[Citation], by_id: dict[str, Reference], numbers: dict[str, int], places: Iterator[int]
) -> str:
    links = []
    for citation in group:
        reference = by_id.get(citation.reference)
        if reference is None:
            links.append(f'<span class="pb-cite-unknown">&#91;{_safe(f"@{citation.reference}?")}&#93;</span>')
            continue
        number, locator = numbers[reference.id], citation.locator or ""
        target = quote_anchor(number, locator) if quoted(reference, citation) else f"ref-{reference.id}"
        anchor, shown = cite_anchor(next(places)), rf"\[{number}\]"
        links.append(f'<a id="{anchor}" href="#{_safe(target)}">{shown}</a>')
    return "".join(links)


def _safe(text: str) -> str:
    """Return `text` escaped and on one line, for an attribute or element within Markdown."""
    return inline_text(" ".join(text.split()))


def _folded(text: str | None) -> str | None:
    return " ".join(text.split()) if text else None
