"""The Guide's page on searching says what the code does."""

from __future__ import annotations

from dataclasses import fields

import yaml
from msgspec import convert

from planbook.research.search.catalogue import APIS
from planbook.store.options import PROVIDERS, SearchOptions
from tests.conftest import ROOT
from tests.project.guide import codes, fences, rows, sections

PAGE = (ROOT / "docs" / "guide" / "search.md").read_text(encoding="utf-8")


def table(heading: str) -> list[list[str]]:
    """The rows of the table below a heading."""
    return rows(sections(PAGE, "##")[heading])


def test_every_provider_is_documented() -> None:
    """The table has each provider in the order in which it is asked, with its host, its keys and a cost."""
    told = table("Providers")
    assert [codes(cells[0])[0] for cells in told] == list(PROVIDERS)
    for cells, entry in zip(told[len(PROVIDERS) - len(APIS) :], APIS.values(), strict=True):
        host = entry.url.removeprefix("https://")
        assert not host or codes(cells[1])[0] == host
        assert codes(cells[2]) == [name for name in (entry.key, entry.optional_key) if name]
        assert cells[3]


def test_every_option_is_documented() -> None:
    """The table has each option, and the example holds the values that hold when nothing is said."""
    assert [codes(cells[0])[0] for cells in table("Options")] == [option.name for option in fields(SearchOptions)]
    (example,) = [fence.body for fence in fences(sections(PAGE, "##")["Options"])]
    said = yaml.safe_load(example)["plugins"][0]["planbook"]["expand"]["search"]
    assert list(said) == [option.name for option in fields(SearchOptions)]
    assert convert(said, SearchOptions) == SearchOptions()
