"""Choose the exact quotes of passages that carry the statements of a page. Pure.

Start with ``chosen_quotes``: its `choose_quotes` takes a group of citations and returns quotes.

::

    passages         ─> quotable_units: sentences, items, rows, lines of code
    words of them    ─> named_units: the units that the writer names
    statements, code ─> unit_choice: the units that have their words      (unit_search)
                     ─> quote_places: the statements that each unit carries (unit_search)
                     ─> verbatim_quotes: adjacent units together, as their source has them

A quote is as few and as short units as have the figures, names and options of the statements, and
nearly all of their words that the passages have; what a statement denies and the values that it
gives are words of their own (``telling_words``). It is verbatim in its source, as the rules for
drafts compare it. It stands behind the statements that it carries: see
docs/decisions/0063-quotes-where-they-prove.md. ``cited_group`` has what goes in.
"""

from planbook.research.writers.quote_choice.chosen_quotes import ChosenQuotes as ChosenQuotes
from planbook.research.writers.quote_choice.chosen_quotes import choose_quotes as choose_quotes
from planbook.research.writers.quote_choice.cited_group import CarriedText as CarriedText
from planbook.research.writers.quote_choice.cited_group import CitedGroup as CitedGroup
from planbook.research.writers.quote_choice.cited_group import CitedPassages as CitedPassages
from planbook.research.writers.quote_choice.named_units import (
    find_named_sentence as find_named_sentence,
)
from planbook.research.writers.quote_choice.named_units import (
    find_nearest_unit as find_nearest_unit,
)
from planbook.research.writers.quote_choice.named_units import (
    units_of_citation as units_of_citation,
)
from planbook.research.writers.quote_choice.quote_places import PlacedQuotes as PlacedQuotes
