"""References of a page to its own parts, whose numbers are no figures: ``step 2 above``. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from planbook.markdown.plain_text import cells_of
from planbook.markdown.syntax import Node

_SECTION = r"sections?|parts?|chapters?|abschnitt(?:en?|s)?|teil(?:en?|s)?|kapiteln?"
_STEP = r"steps?|points?|items?|schritt(?:en?|s)?|punkt(?:en?|s)?"
_TABLE = r"tables?|tabellen?"
_ROW = r"rows?|zeilen?"
_NUMBER = r"\d{1,2}(?:\.\d{1,2}){0,3}(?!\.?\d|\s?%|\w)"
_NUMBER_JOINT = r"(?:\s?[-\u2013,/]\s?|,?\s(?:and|or|to|und|oder|bis)\s)"
_REFERENCE = re.compile(
    rf"\b(?:(?P<section>{_SECTION})|(?P<step>{_STEP})|(?P<table>{_TABLE})|(?P<row>{_ROW}))"
    rf"\s+(?P<numbers>{_NUMBER}(?:{_NUMBER_JOINT}{_NUMBER})*)",
    re.IGNORECASE,
)
"""A part of a page by its number: ``Steps 3 and 4``, ``Abschnitt 2``."""
_NUMBER_OF_HEADING = re.compile(
    rf"(?:(?:{_SECTION}|{_STEP})\s)?(?P<number>\d{{1,2}}(?:\.\d{{1,2}})*)(?!\w)", re.IGNORECASE
)
"""The number that a heading begins with: ``2. Heat``, ``Step 2: light it``."""
_COUNTED_LEVEL = 2
"""The level of the headings that are counted as the sections of a page."""


class PageParts:
    """The numbers of the parts that a page has itself."""

    def __init__(self, body: str, nodes: Sequence[Node]) -> None:
        headings = [node for node in nodes if node.name == "Heading"]
        starts = (_NUMBER_OF_HEADING.match(node.all_text().strip()) for node in headings)
        numbered = {start["number"] for start in starts if start}
        lists = [node for node in nodes if node.name == "List" and node.number is not None]
        items = {
            str(number)
            for node in lists
            for number in range(node.number or 0, (node.number or 0) + len(node.children))
        }
        tables = [node for node in nodes if node.name == "Table"]
        rows = [line for node in tables for line in body[node.start : node.end].split("\n")]
        labels = {cells[0].strip(" *.") for row in rows if (cells := cells_of(row))}
        longest = max((len(node.children) - 1 for node in tables), default=0)
        sections = sum(node.level == _COUNTED_LEVEL for node in headings)
        steps = numbered | items | {name for name in labels if name.isdigit()}
        self._parts = {
            "section": numbered | _up_to(sections),
            "step": steps,
            "table": _up_to(len(tables)),
            "row": steps | _up_to(longest),
        }

    def without_references(self, text: str) -> str:
        """Return a text without the numbers by which it refers to parts that the page has."""
        return _REFERENCE.sub(self._without_numbers, text)

    def _without_numbers(self, reference: re.Match[str]) -> str:
        """Return a reference without its numbers if the page has all of them."""
        part_numbers = self._parts[_kind_of_reference(reference)]
        numbers = re.findall(r"\d+(?:\.\d+)*", reference["numbers"])
        start = reference.start("numbers") - reference.start()
        return reference[0][:start].rstrip() if part_numbers.issuperset(numbers) else reference[0]


def _kind_of_reference(reference: re.Match[str]) -> str:
    """Return the kind of part that a reference names."""
    return next(kind for kind in ("section", "step", "table", "row") if reference[kind])


def _up_to(last: int) -> set[str]:
    """Return the numbers from one to the last."""
    return {str(number) for number in range(1, last + 1)}
