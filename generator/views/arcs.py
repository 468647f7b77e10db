"""Arc diagrams as inline SVG: a column of rows, each a link, with arcs for links between them.

One column, no wider than a phone, so that the font size is the same everywhere. Arcs are to the left of the rows;
incoming arcs end in an arrowhead, and a row's outgoing arcs are in its group, so that CSS can highlight them.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import escape

WIDTH = 360
"""Units of the drawing; each is about one CSS pixel on a phone."""
TEXT = 12
"""The font size, in units."""
ROW = 24
HEADING = 28
STRIP = 54
"""Heights of a page's row, of a folder's name above its pages, and of a folder with its pages as marks."""

_GUTTER, _MARGIN, _TOP = 104, 4, 6
_LABEL = _GUTTER + 20
_ROOM = WIDTH - _LABEL - _MARGIN
_NARROW = frozenset("iljtfrI.,:;|!'()[]{}/ -`\"")
_WIDE = frozenset("mwMW@%—…&")


@dataclass(frozen=True, slots=True)
class Dot:
    """One page."""

    label: str
    href: str
    said: str
    """The label with its numbers, for assistive technology."""
    weight: int
    """The number of pages that link to it."""
    is_written: bool


@dataclass(frozen=True, slots=True)
class ArcGroup:
    """Pages that are drawn as a group, such as a folder's."""

    title: str
    dots: Sequence[Dot]
    href: str = ""
    said: str = ""


@dataclass(frozen=True, slots=True)
class Arc:
    """An arc from one row to another, by their 0-based numbers."""

    source: int
    target: int
    weight: float = 0.0
    """Its thickness, from 0 to 1."""
    is_dashed: bool = False


def every_page(groups: Sequence[ArcGroup], arcs: Sequence[Arc], name: str, title: str, described: str) -> str:
    """Return a drawing with a row for each page, below its group's title. Arcs connect pages, numbered globally."""
    places, y = [], _TOP
    for group in groups:
        y += HEADING if group.title else 0
        places += [y + ROW * n + ROW // 2 for n in range(len(group.dots))]
        y += ROW * len(group.dots)
    paths, arrows = _paths(arcs, places), {arc.target for arc in arcs}
    body, n = [], 0
    for group in groups:
        if group.title:
            body.append(_heading(group.title, places[n] - ROW // 2 - 8))
        rows = []
        for dot in group.dots:
            rows.append(_page(dot, places[n], paths.get(n, ""), n in arrows))
            n += 1
        body.append(f'<g role="list" aria-label="{escape(group.title or title)}">{"".join(rows)}</g>')
    return _svg(name, title, described, y + _TOP, "".join(body))


def every_group(groups: Sequence[ArcGroup], arcs: Sequence[Arc], name: str, title: str, described: str) -> str:
    """Return a drawing with a row for each group: title, pages as bars, most linked page. Arcs connect groups."""
    places = [_TOP + STRIP * n + 16 for n in range(len(groups))]
    paths, arrows = _paths(arcs, places), {arc.target for arc in arcs}
    top = max((dot.weight for group in groups for dot in group.dots), default=0)
    rows = [_strip(group, places[n], paths.get(n, ""), n in arrows, top) for n, group in enumerate(groups)]
    body = f'<g role="list" aria-label="{escape(title)}">{"".join(rows)}</g>'
    return _svg(name, title, described, 2 * _TOP + STRIP * len(groups), body)


# --- text width --------------------------------------------------------------------------------------------------


def text_width(text: str, is_bold: bool = False) -> float:
    """Return an upper estimate of the width of `text` in units."""
    return sum(map(_advance, text)) * TEXT * (1.08 if is_bold else 1.0)


def fitted(text: str, room: float, is_bold: bool = False) -> str:
    """Return `text`, truncated to `room` units with an ellipsis."""
    if text_width(text, is_bold) <= room:
        return text
    room -= text_width("…", is_bold)
    for n in range(len(text)):
        room -= text_width(text[n], is_bold)
        if room < 0:
            return text[:n].rstrip(" -–,;:") + "…"
    return text


def _advance(character: str) -> float:
    """Return the width of a character in ems, in the widest system font."""
    if character in _NARROW:
        return 0.39
    if unicodedata.combining(character):
        return 0.0
    if character in _WIDE or unicodedata.east_asian_width(character) in "WF":
        return 1.02
    return 0.73 if character.isupper() else 0.62


# --- pieces ------------------------------------------------------------------------------------------------------


def _heading(title: str, y: float) -> str:
    label = escape(fitted(title, _ROOM + 10, is_bold=True))
    return f'<text class="pb-graph-folder" aria-hidden="true" x="{_LABEL - 10}" y="{y}">{label}</text>'


def _page(dot: Dot, y: float, path: str, has_arrow: bool) -> str:
    """Return a page's row: arcs, dot, name."""
    missing = "" if dot.is_written else " pb-graph-missing"
    radius = min(7.0, 3.5 + math.sqrt(dot.weight))
    return (
        f'<g role="listitem" class="pb-graph-row">{path}{_arrow(y, radius) if has_arrow else ""}'
        f"{_link(dot.href, dot.said)}"
        f'<rect class="pb-graph-hit" x="{_GUTTER + 1}" y="{y - ROW / 2 + 1:g}" width="{WIDTH - _GUTTER - 2}" '
        f'height="{ROW - 2}" rx="3"/>'
        f'<circle class="pb-graph-dot{missing}" cx="{_GUTTER + 9}" cy="{y}" r="{radius:.1f}"/>'
        f'<text class="pb-graph-label" x="{_LABEL}" y="{y + 4}">{escape(fitted(dot.label, _ROOM))}</text>'
        f"</a></g>"
    )


def _strip(group: ArcGroup, y: float, path: str, has_arrow: bool, top: int) -> str:
    """Return a group's row: arcs, title, a bar for each page, the most linked page."""
    title = escape(fitted(group.title, _ROOM, is_bold=True))
    step = min(6.0, _ROOM / max(len(group.dots), 1))
    marks = {"": "", " pb-graph-missing": ""}
    for n, dot in enumerate(group.dots):
        high = 2 + 9 * dot.weight / max(top, 1)
        marks["" if dot.is_written else " pb-graph-missing"] += f"M{_LABEL + (n + 0.5) * step:.1f},{y + 19}v{-high:.1f}"
    drawn = "".join(
        f'<path class="pb-graph-marks{missing}" d="{d}" stroke-width="{step * 0.6:.1f}"/>'
        for missing, d in marks.items()
        if d
    )
    best = max(group.dots, key=lambda dot: dot.weight)
    most = (
        f'{_link(best.href, best.said)}<rect class="pb-graph-hit" '
        f'x="{_LABEL - 4}" y="{y + 20}" width="{_ROOM + 6}" height="16" rx="3"/>'
        f'<text class="pb-graph-label" x="{_LABEL}" y="{y + 32}">{escape(fitted(best.label, _ROOM))}</text></a>'
        if best.weight
        else ""
    )
    return (
        f'<g role="listitem" class="pb-graph-row">{path}{_arrow(y - 4, 4) if has_arrow else ""}'
        f'{_link(group.href, group.said)}<rect class="pb-graph-hit" '
        f'x="{_GUTTER + 1}" y="{y - 14}" width="{WIDTH - _GUTTER - 2}" height="20" rx="3"/>'
        f'<rect class="pb-graph-dot" x="{_GUTTER + 5}" y="{y - 8}" width="8" height="8"/>'
        f'<text class="pb-graph-folder" x="{_LABEL}" y="{y}">{title}</text>'
        f"</a>{drawn}{most}</g>"
    )


def _link(href: str, said: str) -> str:
    """Return the opening tag of a link with the label `said`.

    It uses ``xlink:href``, which every browser follows: Material's instant navigation sets the property ``href`` of
    every element with that attribute, which is read-only on SVG links and would break its scripts.
    """
    return f'<a role="link" xlink:href="{escape(href)}" aria-label="{escape(said)}">'


def _arrow(y: float, radius: float) -> str:
    """Return the arrowhead of the arcs that end at a row."""
    x = _GUTTER + 9 - radius
    return f'<path class="pb-graph-arrow" d="M{x - 7:.1f},{y - 3.5}L{x - 1:.1f},{y}L{x - 7:.1f},{y + 3.5}z"/>'


def _paths(arcs: Sequence[Arc], places: Sequence[float]) -> Mapping[int, str]:
    """Return each row's outgoing arcs as SVG; longer arcs are deeper, thin ones of one kind share a path."""
    longest = max((abs(places[arc.target] - places[arc.source]) for arc in arcs), default=1)
    pieces: dict[int, dict[str, str]] = defaultdict(lambda: defaultdict(str))
    for arc in arcs:
        start, end = places[arc.source], places[arc.target]
        depth = 16 + (_GUTTER - 14 - 16) * (abs(end - start) / longest) ** 0.7
        pull = _GUTTER - depth / 0.75
        attributes = ' class="pb-graph-arc pb-graph-plan"' if arc.is_dashed else ' class="pb-graph-arc"'
        if arc.weight:
            attributes += f' style="stroke-width:{0.8 + 3.2 * arc.weight:.1f}"'
        d = f"M{_GUTTER},{start}C{pull:.1f},{start} {pull:.1f},{end} {_GUTTER},{end}"
        pieces[arc.source][attributes] += d
    return {row: "".join(f'<path{a} d="{d}"/>' for a, d in drawn.items()) for row, drawn in pieces.items()}


def _svg(name: str, title: str, described: str, height: float, body: str) -> str:
    return (
        f'<svg class="pb-graph-drawing" viewBox="0 0 {WIDTH} {height}" role="group" '
        f'aria-labelledby="{name}-title" aria-describedby="{name}-desc">'
        f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-desc">{escape(described)}</desc>{body}</svg>'
    )


def heaviest(counts: Counter[tuple[int, int]], limit: int) -> list[Arc]:
    """Return the `limit` most frequent arcs, with thickness by frequency, in the order of their rows."""
    kept = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]
    top = max((n for _, n in kept), default=1)
    return [Arc(source, target, n / top) for (source, target), n in sorted(kept)]
