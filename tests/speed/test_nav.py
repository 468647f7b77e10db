"""An entry of the navigation, written once, has the addresses that MkDocs gives it on each page."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from mkdocs.utils.templates import url_filter

from generator.speed.outputs import OPEN, SHUT, MarkedHtml

names = st.sampled_from(["a", "b", "c", "a.b", "%20", "ä"])
folders = st.lists(names, max_size=4).map("/".join)
pages = st.one_of(
    folders.map(lambda folder: f"{folder}/" if folder else ""),
    st.tuples(folders, names).map(lambda parts: f"{parts[0]}/{parts[1]}.html".lstrip("/")),
)
addresses = st.one_of(pages, st.sampled_from([".", "./", "../a/", "a//b/", "a/./b/", "a/../b/", "a/b?x#y"]))


@given(st.lists(addresses, min_size=1, max_size=4), st.lists(pages, min_size=1, max_size=8))
def test_addresses_are_those_of_mkdocs(targets: list[str], urls: list[str]) -> None:
    """Whatever pages were served before from what was kept."""
    entry = MarkedHtml(" ".join(f"{OPEN}{target}{SHUT}" for target in targets))
    for url in urls:
        page: Any = SimpleNamespace(url=url)
        context: Any = {"page": page, "base_url": "."}
        assert entry.for_page(context, page) == " ".join(url_filter(context, target) for target in targets)
