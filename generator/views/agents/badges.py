"""Badges: how far a plan, or the base, has come, as a small SVG for a README."""

from __future__ import annotations

from collections.abc import Iterator

from generator.library import COUNTED, Library
from generator.model import Plan, State
from generator.views.agents.xml_text import one_line, xml_attribute, xml_text

_WIDTHS = {**dict.fromkeys("ijl.,:;|!'I ", 3.6), **dict.fromkeys("frt()[]/-", 4.8), **dict.fromkeys("mwMW%", 10.2)}
_WIDTH = 6.9
"""Pixels of a letter at 11 pixels in Verdana or DejaVu Sans; the text is fitted to the sum."""
_PAD, _HEIGHT = 6, 20

_NONE, _SOME, _ALL = "#586069", "#1f6feb", "#1a7f37"
"""Grey, blue and green on which white text has a contrast of at least 4.5."""


def badges(library: Library) -> Iterator[tuple[str, str]]:
    """Each badge's path in the site and its SVG: ``badges/base.svg``, and one for each plan."""
    yield "badges/base.svg", badge("pages written", *_progress(library, library.plans))
    for plan in library.plans:
        yield f"badges/{plan.slug}.svg", badge(plan.slug.rsplit("/", 1)[-1], *_progress(library, (plan,)))


def badge(label: str, done: int, total: int) -> str:
    """An SVG that says ``label | done of total``."""
    label = one_line(label)
    value = f"{done} of {total}" if total else "no PARTs"
    colour = _ALL if total and done == total else _SOME if done else _NONE
    left, right = _width(label) + 2 * _PAD, _width(value) + 2 * _PAD
    title = xml_text(f"{label}: {value}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right:.0f}" height="{_HEIGHT}" role="img" '
        f"aria-label={xml_attribute(f'{label}: {value}')}><title>{title}</title>"
        f'<clipPath id="r"><rect width="{left + right:.0f}" height="{_HEIGHT}" rx="3"/></clipPath>'
        f'<g clip-path="url(#r)"><rect width="{left:.0f}" height="{_HEIGHT}" fill="#24292f"/>'
        f'<rect x="{left:.0f}" width="{right:.0f}" height="{_HEIGHT}" fill="{colour}"/></g>'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">'
        f'<text x="{left / 2:.1f}" y="14" textLength="{_width(label):.0f}">{xml_text(label)}</text>'
        f'<text x="{left + right / 2:.1f}" y="14" textLength="{_width(value):.0f}">{xml_text(value)}</text></g></svg>\n'
    )


def _progress(library: Library, plans: tuple[Plan, ...]) -> tuple[int, int]:
    """PARTs that are done and have their page, and PARTs that count."""
    counted = [(plan, part) for plan in plans for part in plan.parts if part.state in COUNTED]
    done = sum(
        part.state is State.DONE and any(entry.page for entry in library.of(plan, part)) for plan, part in counted
    )
    return done, len(counted)


def _width(text: str) -> float:
    return sum(_WIDTHS.get(letter, _WIDTH) for letter in text)
