"""A page is read again if a digest of what it is read from is another; the names say which."""

from __future__ import annotations

import pytest

from planbook_speed.event_inputs import RENDERING, EventInputs

INPUTS = EventInputs("1", "2", "3", (("tags", "4"), ("planbook", "5")))


@pytest.mark.parametrize(
    ("previous", "names"),
    [
        (INPUTS, []),
        (INPUTS._replace(rendering="x"), [RENDERING]),
        (INPUTS._replace(source="x", address="x"), ["its file", "its address"]),
        (INPUTS._replace(plugins=(("tags", "x"), ("planbook", "5"))), ["tags"]),
        (INPUTS._replace(plugins=(("gone", "4"), ("planbook", "5"))), ["tags", "gone"]),
        (INPUTS._replace(plugins=INPUTS.plugins[::-1]), ["the order of the plugins"]),
    ],
)
def test_what_has_changed_is_named(previous: EventInputs, names: list[str]) -> None:
    """Plugins by their names, with those that are new or gone, and their order if nothing else differs."""
    assert INPUTS.changed(previous) == names
    assert (previous == INPUTS) == (not names)
    assert (previous.texts() == INPUTS.texts()) == (not names)
