"""The exact quotes for a group of citations of passages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from planbook.citations.quotes import Readings
from planbook.research.writers.quote_choice.cited_group import CitedGroup
from planbook.research.writers.quote_choice.quote_places import PlacedQuotes, QuotePlacement
from planbook.research.writers.quote_choice.unit_choice import choose_units


@dataclass(frozen=True, slots=True)
class ChosenQuotes:
    """The quotes for the citations of a group."""

    placed: tuple[PlacedQuotes, ...]
    """The quotes at each place, in order."""
    unrelated: tuple[int, ...] = ()
    """The numbers of the citations whose passages share no word with the statements."""
    unused: tuple[int, ...] = ()
    """The numbers of those of whose passages nothing is needed."""

    def has_quotes_of(self, citation: int) -> bool:
        """Return whether a citation has a quote, by its number."""
        return any(at_offset.quotes[citation] for at_offset in self.placed)


def choose_quotes(group: CitedGroup, readings: Mapping[str, Readings]) -> ChosenQuotes:
    """Return the quotes of passages that carry the statements of a group, and its code.

    Args:
        group: the citations of passages, with what they hold for.
        readings: the forms of the text of each source, by its id.
    """
    choice = choose_units(group)
    placement = QuotePlacement(group, choice, readings)
    placed = placement.at_citation() if group.is_fixed else placement.behind_statements()
    spare = tuple(
        index
        for index in range(len(group.citations))
        if choice.has_units_of(index) and index not in placement.used
    )
    return ChosenQuotes(placed, choice.unrelated, (*choice.unused, *spare))
