"""Readers of answers: no JSON, XML or bytes break them, and what they give is fit to be kept."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from planbook.research.search.api_answers import MAX_URL, Hit, make_hit, read_json, web_address
from planbook.research.search.catalogue import CATALOGUE
from planbook.research.web.model import Call, Outcome, Reply, Unfetched
from tests.research.search.conftest import make


def nobody(call: Call) -> Reply:
    """A network that is not there."""
    return Reply(Outcome.FAILED, f"no connection to {call.url}")


APIS = {api.name: make(api.name, nobody, (api.url, False)) for api in CATALOGUE}


def answering(body: bytes) -> Reply:
    """A good reply with this body."""
    return Reply(Outcome.OK, "", 200, {}, body)


KEYS = st.sampled_from(
    [
        *("results", "pages", "items", "web", "organic", "unresponsive_engines", "url", "link", "html_url", "key"),
        *("title", "content", "description", "excerpt", "full_name", "repository", "path", "message", "detail"),
        *("error",),
    ]
)
TEXTS = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        ["https://x.example/a", "http://u:p@x.example", "//x", "\ud800", "<b>&#xD800;</b>", "https://x/\u202e"]
    ),
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS | st.text(max_size=3), inner, max_size=5),
    max_leaves=25,
)
ENTRIES = st.lists(st.dictionaries(KEYS, VALUES, max_size=6) | VALUES, max_size=4)
ANSWERS = VALUES | st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("results", "pages", "items", "organic", "unresponsive_engines"), ENTRIES | VALUES)
    | {"web": st.fixed_dictionaries({"results": ENTRIES}) | VALUES},
)  # fmt: skip
REPLIES = st.builds(
    Reply,
    st.sampled_from(list(Outcome)),
    st.text(max_size=20),
    st.none() | st.integers(100, 599),
    st.dictionaries(
        st.sampled_from(["retry-after", "x-ratelimit-remaining", "x-brd-error", "cf-mitigated"]), st.text()
    ),
    st.binary(max_size=200)
    | st.sampled_from([b"<html>", b"<feed xmlns='http://www.w3.org/2005/Atom'/>", b"{}", b"[]"]),
)


def is_fit(hit: Hit) -> bool:
    """Whether a hit can be asked for, written to a file, and shown in one line."""
    texts = (hit.url, hit.title)
    "".join(texts).encode("utf-8")
    return web_address(hit.url) == hit.url and all(text == " ".join(text.split()) for text in texts)


def came_of(read: Callable[[], tuple[Hit, ...]]) -> tuple[Hit, ...] | Unfetched:
    """What a reader gave, or the one thing that it may raise."""
    try:
        return read()
    except Unfetched as error:
        return error


def is_well(came: tuple[Hit, ...] | Unfetched) -> bool:
    """Whether hits are fit to be kept, or the reason is words that can be written."""
    if isinstance(came, Unfetched):
        return came.outcome in Outcome and bool(came.reason.strip()) and bool(came.reason.encode("utf-8"))
    return all(is_fit(hit) for hit in came)


@pytest.mark.parametrize("name", [name for name in APIS if name != "arxiv"])
@given(answer=ANSWERS)
def test_no_json_breaks_a_reader(name: str, answer: object) -> None:
    """Whatever the JSON, there are hits that are fit to be kept, or one outcome with a reason in words."""
    assert is_well(came_of(lambda: APIS[name].read(answering(json.dumps(answer).encode()))))


@pytest.mark.parametrize("name", APIS)
@given(reply=REPLIES)
def test_no_reply_breaks_a_reader(name: str, reply: Reply) -> None:
    """The same for whole replies: any outcome, status, headers and bytes; and no hits without a good answer."""
    came = came_of(lambda: APIS[name].read(reply))
    assert is_well(came)
    assert isinstance(came, Unfetched) or reply.outcome is Outcome.OK


@given(st.binary(max_size=400))
@example(b"<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>x</id></entry></feed>")
@example(b"<?xml version='1.0'?><feed xmlns='http://www.w3.org/2005/Atom'><entry/></feed>")
def test_no_bytes_break_the_reader_of_feeds(body: bytes) -> None:
    """A feed cut anywhere, or none at all, is an outcome."""
    assert is_well(came_of(lambda: APIS["arxiv"].read(answering(body))))


@pytest.mark.parametrize(
    ("value", "address"),
    [
        ("https://tea.example/a?b=c#d", "https://tea.example/a?b=c#d"),
        (" http://tea.example ", "http://tea.example"),
        ("HTTPS://Tea.example/ü", "HTTPS://Tea.example/ü"),
        ("https://tea.example/a#:~:text=words", "https://tea.example/a"),
        ("https://tea.example/Tea_(plant)", "https://tea.example/Tea_(plant)"),
        ("file:///etc/passwd", ""),
        ("javascript:alert(1)", ""),
        ("https://user:secret@tea.example/", ""),
        ("https://tea.example@evil.example/", ""),
        ("https://tea.example/a b", ""),
        ("https://tea.example/<b>", ""),
        ("https://tea.example/\u202egpj.exe", ""),
        ("https://tea.example/\ud800", ""),
        ("https://tea.example\\@evil.example/", ""),
        ("https://tea.example/" + "a" * MAX_URL, ""),
        (7, ""),
        (None, ""),
    ],
)
def test_addresses(value: object, address: str) -> None:
    """Only whole http(s) addresses without passwords and hidden marks are taken from answers."""
    assert web_address(value) == address


def test_a_hit_without_title_is_a_hit() -> None:
    """Only the address is needed."""
    assert make_hit("https://tea.example/", 7) == Hit("https://tea.example/", "")
    assert make_hit(None, "Tea") is None


def test_json_or_not() -> None:
    """JSON is read; for a web page in its place, the reason says so."""
    assert read_json(b'{"a": [1]}') == {"a": [1]}
    with pytest.raises(Unfetched, match="a web page"):
        read_json(b"\n<!DOCTYPE HTML><html>")
    with pytest.raises(Unfetched, match="not JSON"):
        read_json(b"1" * 10_000)
