"""What is kept of a fetch."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from planbook.research.web.archive import kept_files, read_kept, read_reply, record_name, text_name
from planbook.research.web.model import Fetched, Outcome
from tests.research.web.conftest import MakeFetcher
from tests.research.web.server import HERE, Names, Web

TEA = Fetched(
    "https://tea.test/a",
    Outcome.OK,
    status_code=200,
    final_url="https://tea.test/a",
    media_type="text/html",
    text="**Tea** at 80 °C",
    visible="Home\nTea at 80 °C",
    title="Tea",
    language="en",
    fetched="2026-11-20T10:00:00Z",
    requests=2,
)


def test_a_text_is_named_by_its_bytes() -> None:
    """The name of a snapshot is the SHA-256 of what it holds, and of what a page's `sha256` says."""
    files = kept_files(TEA)
    texts = {name: content for name, content in files.items() if name.startswith("snapshots/")}
    assert [content.decode() for content in texts.values()] == [TEA.text, TEA.visible]
    for name, content in texts.items():
        assert name == text_name(hashlib.sha256(content).hexdigest())
    assert text_name(TEA.sha256 or "") in texts


MOVED = replace(TEA, outcome=Outcome.MOVED, final_url="https://tea.test/c", moved_to="https://tea.test/b")


@pytest.mark.parametrize("fetched", [TEA, MOVED])
def test_what_is_kept_is_read_back(fetched: Fetched) -> None:
    """The fetch comes back whole; a fragment makes no other address."""
    files = kept_files(fetched)
    assert read_kept("https://tea.test/a#:~:text=Tea", files.get) == fetched
    assert read_kept("https://tea.test/c", files.get) is None


def test_what_has_moved_is_found_at_its_new_address() -> None:
    """Pages cite it by that one, and there it is well; a redirect that is not for good gives no address."""
    kept = read_kept("https://tea.test/b#steep", kept_files(MOVED).get)
    assert kept == replace(MOVED, url="https://tea.test/b", outcome=Outcome.OK, moved_to=None)
    assert read_kept("https://tea.test/b", kept_files(TEA).get) is None


@pytest.mark.parametrize("spoilt", [b"", b"null", b"{}", b'{"text": 1}', b"\xff"])
def test_a_spoilt_record_is_as_good_as_none(spoilt: bytes) -> None:
    """What cannot be read is fetched again, not trusted."""
    files = {**kept_files(TEA), record_name(TEA.url): spoilt}
    assert read_kept(TEA.url, files.get) is None


@pytest.mark.parametrize("spoilt", [None, b"", b"null", b"{}", b"[]", b'{"body": "%%", "asked": "", "status": 1}'])
def test_a_spoilt_answer_is_as_good_as_none(spoilt: bytes | None) -> None:
    """What an API is said to have answered is asked again where it cannot be read."""
    assert read_reply(spoilt) is None


def test_a_text_that_was_changed_is_not_trusted() -> None:
    """A snapshot that does not have its name's hash is no proof of anything."""
    files = {**kept_files(TEA), text_name(TEA.sha256 or ""): b"Tea at 100 degrees"}
    assert read_kept(TEA.url, files.get) is None


def test_snapshots_are_reproducible(web: Web, make_fetcher: MakeFetcher) -> None:
    """The same page, fetched twice and under another name, is the same text in one file."""
    body = (
        "<h1>Tea</h1>" + "<p>Water at <b>80</b> degrees keeps the catechins in the leaf, says the sour\u0301ce.</p>" * 5
    )
    web.html("/tea", body)
    names = Names(one_test=[[HERE]], two_test=[[HERE]])
    fetched = [make_fetcher(names).fetch(web.url("/tea", host)) for host in ("one.test", "one.test", "two.test")]
    kept = [{name for name in kept_files(one) if name.startswith("snapshots/")} for one in fetched]
    assert kept[0] == kept[1] == kept[2]
    assert "sou\u0155ce" in fetched[0].text
