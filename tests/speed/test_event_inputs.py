"""A page is read again if a digest of what it is read from is another; the names say which."""

from __future__ import annotations

import re
from pathlib import Path
from typing import cast

import pytest
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from planbook_speed.digests import UnclearError
from planbook_speed.event_inputs import RENDERING, EventInputs, read_event_inputs
from planbook_speed.protocols import CacheablePlugin
from planbook_speed.reasons import Reason

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
    assert INPUTS.changed_names(previous) == names
    assert (previous == INPUTS) == (not names)
    assert (previous.texts() == INPUTS.texts()) == (not names)


class Declaring:
    """A plugin that declares one value for every page."""

    def __init__(self, value: object) -> None:
        self.value = value

    def page_inputs(self, page: Page, files: Files) -> tuple[object, ...]:
        """Return it."""
        return (self.value,)


@pytest.mark.parametrize(
    ("value", "source_digest", "reason"),
    [
        (1, "2", ""),
        (object(), "2", Reason.NO_DIGEST.of("declaring")),
        (1, "", Reason.NO_SOURCE.of()),
    ],
)
def test_a_page_of_unclear_inputs_says_why(tmp_path: Path, value: object, source_digest: str, reason: str) -> None:
    """A value of a plugin that cannot be compared, or a file that cannot be read."""
    config = MkDocsConfig()
    config.load_dict({"site_name": "Bread"})
    file = File("a.md", str(tmp_path), str(tmp_path / "site"), use_directory_urls=True)
    page = Page(None, file, config)
    declaring = {"declaring": cast("CacheablePlugin", Declaring(value))}
    if reason:
        with pytest.raises(UnclearError, match=re.escape(reason)):
            read_event_inputs(page, Files([file]), "1", source_digest, declaring)
    else:
        inputs = read_event_inputs(page, Files([file]), "1", source_digest, declaring)
        assert inputs.by_name().keys() == {RENDERING, "its file", "its address", "declaring"}
