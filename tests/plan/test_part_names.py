"""The forms in which a plan names its PARTs, and which of them counts."""

from itertools import combinations

import pytest

from planbook.markdown.plan_blocks import read_plan_blocks
from planbook.plan.part_names import NAME_FORMS, NameForm, find_part_names
from planbook.plan.parts import find_parts

PAIRS = list(combinations(NAME_FORMS, 2))


@pytest.mark.parametrize("form", NAME_FORMS, ids=lambda form: form.example)
def test_the_example_of_a_form_is_in_no_form_above_it(form: NameForm) -> None:
    """The row of an example is the first that finds it, so each row of the table is needed."""
    blocks = read_plan_blocks(form.example)
    finders = [other for other in NAME_FORMS if other.find(blocks)]
    assert finders[0] is form
    assert [(name.number, name.rest.strip("*")) for name in find_part_names(blocks)] == [(1, "Create tea/01-water.md")]


@pytest.mark.parametrize(("above", "below"), PAIRS, ids=lambda form: form.example)
def test_the_first_form_of_a_plan_is_that_of_all_its_parts(above: NameForm, below: NameForm) -> None:
    """A name in a later form is none, but for bold beside headings, which may be of another PART."""
    text = f"{below.example.replace('1', '2')}\n\n{above.example}\n"
    numbers = [name.number for name in find_part_names(read_plan_blocks(text))]
    assert numbers == ([2, 1] if {above, below} == set(NAME_FORMS[:2]) else [1])


def test_a_plan_without_names_has_no_parts() -> None:
    """A mention of a PART in a sentence is no name."""
    assert find_parts(read_plan_blocks("See PART 3 of the other plan.\n")) == ()
