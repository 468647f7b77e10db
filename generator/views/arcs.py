"""Arc diagrams as inline SVG: a column of rows, each a link, with arcs for links between them.

One column, as wide as a phone or as a desktop page; CSS shows the one that fits, so that the font size is the same
everywhere. Labels wrap. Arcs are to the left of the rows; incoming arcs end in an arrowhead, and a row's outgoing arcs
are in its group, so that CSS can highlight them.
"""

from __future__ import annotations

import math
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

NARROW, WIDE = 360, 560
"""Widths of drawings in units; each is at least one CSS pixel."""
TEXT = 12
"""The font size, in units."""
ROW = 24
HEADING = 28
LINE = 16
"""Heights of a row, of a group's name above its rows, and of each further line of a label."""

_GUTTER, _MARGIN, _TOP = 104, 4, 6
_LABEL = _GUTTER + 20
_THIN = frozenset("iljtfrI.,:;|!'()[]{}/ -`\"")
_BROAD = frozenset("mwMW@%—…&")


@dataclass(frozen=True, slots=True)
class Dot:
    """One row: a page, or a folder."""

    label: str
    href: str
    """Its address; empty for the page that the drawing is on."""
    said: str
    """The label with its numbers, for assistive technology."""
    weight: int
    """The number of pages that link to it."""
    is_written: bool


@dataclass(frozen=True, slots=True)
class ArcGroup:
    """Rows with a name above them, if it is not empty."""

    title: str
    dots: Sequence[Dot]


@dataclass(frozen=True, slots=True)
class Arc:
    """An arc from one row to another, by their 0-based numbers."""

    source: int
    target: int
    weight: float = 0.0
    """Its thickness, from 0 to 1."""
    is_dashed: bool = False


def arc_diagram(
    groups: Sequence[ArcGroup], arcs: Sequence[Arc], title: str, described: str, widths: Sequence[int] = (NARROW, WIDE)
) -> str:
    """Return drawings with a row for each dot, below its group's title. Arcs connect rows, numbered globally."""
    made = []
    for width in widths:
        kind = "" if len(widths) == 1 else " pb-graph-narrow" if width == NARROW else " pb-graph-wide"
        height, body = _drawn(groups, arcs, title, width)
        made.append(
            f'<svg class="pb-graph-drawing{kind}" viewBox="0 0 {width} {height:g}" role="group" '
            f'aria-label="{escape(title)}: {escape(described)}">{body}</svg>'
        )
    return "".join(made)


def _drawn(groups: Sequence[ArcGroup], arcs: Sequence[Arc], title: str, width: int) -> tuple[float, str]:
    """Return the height and the contents of a drawing."""
    rows, y, body = [], float(_TOP), ""
    for group in groups:
        if lines := _lines(group.title, width, is_bold=True):
            body += _label(lines, y + HEADING - 8, _LABEL - 10, ' class="pb-graph-folder" aria-hidden="true"')
            y += HEADING + LINE * (len(lines) - 1)
        for dot in group.dots:
            lines = _lines(dot.label, width, is_bold=not dot.href)
            high = ROW + LINE * (len(lines) - 1)
            rows.append((group, dot, lines, y + high / 2))
            y += high
    arrows, paths = {arc.target for arc in arcs}, _paths(arcs, [at for *_, at in rows])
    for group in groups:
        items = [
            _row(dot, lines, at, width, paths.get(k, ""), has_arrow=k in arrows)
            for k, (of, dot, lines, at) in enumerate(rows)
            if of is group
        ]
        body += f'<g role="list" aria-label="{escape(group.title or title)}">{"".join(items)}</g>'
    return y + _TOP, body


# --- text width --------------------------------------------------------------------------------------------------


def text_width(text: str, is_bold: bool = False) -> float:
    """Return an upper estimate of the width of `text` in units."""
    return sum(map(_advance, text)) * TEXT * (1.08 if is_bold else 1.0)


def _lines(text: str, width: int, *, is_bold: bool = False) -> list[Markup]:
    """Return `text` in lines that fit a drawing of `width` units; a longer word is broken."""
    lines, room = [""], width - _LABEL - _MARGIN
    for word in text.split():
        rest = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(rest, is_bold) > room:
            lines.append("")
            rest = word
        while text_width(rest, is_bold) > room:
            end = next(n for n in range(len(rest), 0, -1) if n == 1 or text_width(rest[:n], is_bold) <= room)
            lines[-1], rest = rest[:end], rest[end:]
            lines.append("")
        lines[-1] = rest
    return [escape(line) for line in lines] if text else []


def _advance(character: str) -> float:
    """Return the width of a character in ems, in the widest system font."""
    if character in _THIN:
        return 0.39
    if unicodedata.combining(character):
        return 0.0
    if character in _BROAD or unicodedata.east_asian_width(character) in "WF":
        return 1.02
    return 0.73 if character.isupper() else 0.62


# --- pieces ------------------------------------------------------------------------------------------------------


def _label(lines: Sequence[Markup], y: float, x: int = _LABEL, attributes: str = "") -> str:
    """Return the lines of a label; `y` is the first one's."""
    more = "".join(f' <tspan x="{x}" dy="{LINE}">{line}</tspan>' for line in lines[1:])
    return f'<text{attributes} x="{x}" y="{y:g}">{lines[0]}{more}</text>' if lines else ""


def _row(dot: Dot, lines: Sequence[Markup], y: float, width: int, path: str, *, has_arrow: bool) -> str:  # noqa: PLR0913
    """Return a row: arcs, dot, name."""
    missing = "" if dot.is_written else ' class="pb-graph-missing"'
    radius = min(7.0, 3.5 + math.sqrt(dot.weight))
    high = ROW + LINE * (len(lines) - 1)
    row = f'<circle{missing} cx="{_GUTTER + 9}" cy="{y:g}" r="{radius:.1f}"/>' + _label(
        lines, y + 4 - LINE / 2 * (len(lines) - 1), attributes="" if dot.href else ' class="pb-graph-folder"'
    )
    if dot.href:
        area = f'<rect x="{_GUTTER + 1}" y="{y - high / 2 + 1:g}" width="{width - _GUTTER - 2}" height="{high - 2}"/>'
        row = f"{_link(dot.href, dot.said, lines)}{area}{row}</a>"
    return f'<g role="listitem" class="pb-graph-row">{path}{_arrow(y, radius) if has_arrow else ""}{row}</g>'


def _link(href: str, said: str, lines: Sequence[Markup]) -> str:
    """Return the opening tag of a link with the label `said`, unless that is its text, in `lines`.

    It uses ``xlink:href``, which every browser follows: Material's instant navigation sets the property ``href`` of
    every element with that attribute, which is read-only on SVG links and would break its scripts.
    """
    label = "" if escape(said) == Markup(" ").join(lines) else f' aria-label="{escape(said)}"'
    return f'<a role="link" xlink:href="{escape(href)}"{label}>'


def _arrow(y: float, radius: float) -> str:
    """Return the arrowhead of the arcs that end at a row."""
    x = _GUTTER + 9 - radius
    return f'<path class="pb-graph-arrow" d="M{x - 7:.1f},{y - 3.5:g}l6,3.5l-6,3.5z"/>'


def _paths(arcs: Sequence[Arc], places: Sequence[float]) -> Mapping[int, str]:
    """Return each row's outgoing arcs as SVG; longer arcs are deeper, thin ones of one kind share a path."""
    longest = max((abs(places[arc.target] - places[arc.source]) for arc in arcs), default=1)
    pieces: dict[int, dict[str, str]] = defaultdict(lambda: defaultdict(str))
    for arc in arcs:
        start, end = places[arc.source], places[arc.target]
        depth = 16 + (_GUTTER - 14 - 16) * (abs(end - start) / longest) ** 0.7
        pull = _GUTTER - depth / 0.75
        attributes = ' class="pb-graph-plan"' if arc.is_dashed else ""
        if arc.weight:
            attributes += f' style="stroke-width:{0.8 + 3.2 * arc.weight:.1f}"'
        d = f"M{_GUTTER},{start:g}C{pull:.0f},{start:g} {pull:.0f},{end:g} {_GUTTER},{end:g}"
        pieces[arc.source][attributes] += d
    return {row: "".join(f'<path{a} d="{d}"/>' for a, d in drawn.items()) for row, drawn in pieces.items()}
