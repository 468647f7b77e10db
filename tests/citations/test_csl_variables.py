"""The variables of CSL, and the names that people write for them."""

from __future__ import annotations

import pytest

from planbook.citations.csl_variables import DATES, NAMES, NUMBERS, TEXTS, find_variable_meant

MEANT = {
    "url": "URL",
    "container_title": "container-title",
    "authors": "author",
    "link": "URL",
    "publsher": "publisher",
    "zygote": "",
}


@pytest.mark.parametrize("name", MEANT)
def test_a_name_that_is_nearly_a_variable_means_it(name: str) -> None:
    """In another case, with underscores, misspelled, or as people say it; others may be of any program."""
    assert find_variable_meant(name) == MEANT[name]


def test_a_variable_has_one_kind_of_value() -> None:
    """So one check applies to it."""
    kinds = (set(DATES), NAMES, NUMBERS, TEXTS)
    assert len(set().union(*kinds)) == sum(len(kind) for kind in kinds)
