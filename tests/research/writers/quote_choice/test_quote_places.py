"""A quote stands behind the statements that it carries."""

from __future__ import annotations

import pytest

from planbook.research.writers.quote_choice import CarriedText, CitedGroup, choose_quotes
from tests.research.writers.quote_choice.groups import cited, readings_of

SOFT, HARD = "Soft water keeps leaves bright.", "The well is hard."

PLACES = [
    # Two sentences of the citation's own block: the first has its own quote, the last the citation's place.
    ([(SOFT, 31, 0), (HARD, None, 0)], {31: [SOFT], None: [HARD]}),
    # One quote that carries both stands behind the last.
    ([("Soft water is here.", 20, 0), (SOFT, None, 0)], {None: [SOFT]}),
    # A sentence at whose end no citation may stand shares the next place.
    ([(SOFT, None, 0), (HARD, None, 0)], {None: [f"{SOFT} {HARD}"]}),
    # Items below the line of the citation.
    ([("These rules hold:", None, 0), (SOFT, 40, 1), (HARD, 60, 2)], {40: [SOFT], 60: [HARD]}),
]


@pytest.mark.parametrize(("statements", "placed"), PLACES)
def test_quotes_stand_where_they_prove(
    statements: list[tuple[str, int | None, int]], placed: dict[int | None, list[str]]
) -> None:
    """A row: the statements with the offset and block of each; the quotes by the offset of their place."""
    passages = [cited(f"{SOFT} {HARD}")]
    texts = [CarriedText(text, end=end, block=block) for text, end, block in statements]
    chosen = choose_quotes(CitedGroup(passages, texts), readings_of(*passages))
    assert {place.end: [*place.quotes[0]] for place in chosen.placed} == placed


def test_a_fixed_group_has_all_quotes_at_its_own_place() -> None:
    """Within emphasis, for example, no other citation may stand."""
    passages = [cited(f"{SOFT} {HARD}")]
    texts = [CarriedText(SOFT, end=31), CarriedText(HARD)]
    chosen = choose_quotes(CitedGroup(passages, texts, is_fixed=True), readings_of(*passages))
    assert [place.end for place in chosen.placed] == [None]
