"""Calls to APIs: what comes back, what is never told, and where keys never go."""

from __future__ import annotations

import json
import logging
import threading
import time
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from planbook.research.web.client import Fetcher
from planbook.research.web.model import Call, Outcome, Unanswered
from planbook.research.web.model import Reply as ApiReply
from tests.research.web.conftest import MakeFetcher
from tests.research.web.server import HERE, Names, Reply, Web, gzipped, send, typed

KEY = "sk-4f2a9c0d1e"
HEADERS = (("Authorization", f"Bearer {KEY}"), ("X-Api-Key", KEY))
OTHER = "127.0.0.2"


def as_json(value: Any, *headers: tuple[str, str], status: int = 200) -> Reply:
    """A reply as APIs give it."""
    return typed(json.dumps(value).encode(), "application/json", *headers, status=status)


def events(*lines: str) -> Reply:
    """A reply as language models stream it."""
    return typed("".join(f"{line}\n" for line in lines).encode(), "text/event-stream")


# --- one answer ----------------------------------------------------------------------------------------------------


def test_an_api_is_asked(web: Web, fetcher: Fetcher) -> None:
    """Parameters, headers and who asks go out; body, status and headers come back; robots.txt is for crawlers."""
    url = web.put("/search?format=json&q=tea+%26+water", as_json({"results": ["good"]}, ("X-Left", "9")))
    call = Call(web.url("/search?format=json"), params=(("q", "tea & water"),), headers=HEADERS)
    reply = fetcher.call(call)
    assert (reply.outcome, reply.reason, reply.status_code, reply.requests) == (Outcome.OK, "", 200, 1)
    assert json.loads(reply.body) == {"results": ["good"]}
    assert reply.headers["x-left"] == "9"
    seen = web.seen[0].headers
    assert seen["authorization"] == f"Bearer {KEY}"
    assert seen["user-agent"].startswith("planbook/")
    assert [f"http://{one.host}{one.path}" for one in web.seen] == [url]


@pytest.mark.parametrize(
    ("status", "given", "outcome", "times"),
    [
        (204, {}, Outcome.OK, 1),
        (400, {}, Outcome.FAILED, 1),
        (401, {}, Outcome.BLOCKED, 1),
        (403, {}, Outcome.BLOCKED, 1),
        (404, {}, Outcome.GONE, 1),
        (429, {}, Outcome.RATE_LIMITED, 3),
        (403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1999999999"}, Outcome.RATE_LIMITED, 1),
        (403, {"Retry-After": "3600"}, Outcome.RATE_LIMITED, 1),
        (500, {}, Outcome.FAILED, 3),
        (529, {}, Outcome.FAILED, 3),
    ],
)
def test_each_status_has_its_outcome(  # noqa: PLR0917 - one table
    web: Web, fetcher: Fetcher, status: int, given: dict[str, str], outcome: Outcome, times: int
) -> None:
    """A refused key and a used-up allowance are told apart; what the API says comes back."""
    url = web.put("/v1", as_json({"error": "no"}, *given.items(), status=status))
    reply = fetcher.call(Call(url, headers=HEADERS))
    assert (reply.outcome, reply.status_code, web.asked("/v1")) == (outcome, status, times)
    if outcome is not Outcome.OK:
        assert str(status) in reply.reason
        assert json.loads(reply.body) == {"error": "no"}


def test_retry_after_is_honoured_by_all(web: Web, fetcher: Fetcher) -> None:
    """A host that asks to wait is asked by nobody until then, and then answers."""
    web.put("/v1", Reply(429, b"", (("Retry-After", "1"),)), as_json({}))
    web.put("/v2", as_json({}))
    threads = [threading.Thread(target=fetcher.call, args=(Call(web.url(path)),)) for path in ("/v1", "/v2")]
    threads[0].start()
    while not web.seen:
        time.sleep(0.01)
    time.sleep(0.2)
    threads[1].start()
    for thread in threads:
        thread.join()
    first, *later = (seen.began for seen in web.seen)
    assert len(later) == 2
    assert min(later) - first >= 1.0


def test_who_waits_for_a_host_hears_that_it_wants_hours(web: Web, make_fetcher: MakeFetcher) -> None:
    """Threads in the queue do not wait for what was asked of the one before them; they come back at once."""
    queued = threading.Event()

    def busy(handler: BaseHTTPRequestHandler) -> None:
        queued.wait(5)
        time.sleep(0.2)
        send(handler, Reply(429, b"", (("Retry-After", "3600"),)))

    web.put("/v1", busy)
    fetcher = make_fetcher(spacing_s=0.1)
    replies: list[ApiReply] = []
    threads = [threading.Thread(target=lambda: replies.append(fetcher.call(Call(web.url("/v1"))))) for _ in range(4)]
    for thread in threads:
        thread.start()
    queued.set()
    for thread in threads:
        thread.join(20)
    assert [reply.outcome for reply in replies] == [Outcome.RATE_LIMITED] * 4
    assert len(web.seen) == 1


def test_what_costs_is_not_asked_for_twice(web: Web, fetcher: Fetcher) -> None:
    """A POST whose answer breaks off may have been done, and is not repeated; a GET is."""

    def broken(handler: BaseHTTPRequestHandler) -> None:
        handler.close_connection = True

    web.put("/v1", broken)
    assert fetcher.call(Call(web.url("/v1"), "POST", body={})).outcome is Outcome.FAILED
    assert web.asked("/v1") == 1
    assert fetcher.call(Call(web.url("/v1"))).outcome is Outcome.FAILED
    assert web.asked("/v1") == 4


def test_a_post_that_was_not_begun_is_repeated(web: Web, fetcher: Fetcher) -> None:
    """503 says that nothing was done."""
    web.put("/v1", Reply(503), as_json({"ok": True}))
    assert json.loads(fetcher.call(Call(web.url("/v1"), "POST", body={})).body) == {"ok": True}


def test_a_call_has_its_own_time(web: Web, make_fetcher: MakeFetcher) -> None:
    """It is longer or shorter than the client's, for the whole of it."""
    web.put("/v1", lambda handler: time.sleep(0.8))
    fetcher = make_fetcher(timeout_s=0.2, deadline_s=0.2)
    began = time.monotonic()
    reply = fetcher.call(Call(web.url("/v1"), timeout_s=0.5))
    assert reply.outcome is Outcome.TIMEOUT
    assert 0.5 <= time.monotonic() - began < 3


def test_an_answer_that_is_a_bomb(web: Web, make_fetcher: MakeFetcher) -> None:
    """Answers are unpacked up to the cap; packed otherwise than asked, they are not read."""
    fetcher = make_fetcher(max_bytes=100_000)
    web.put("/bomb", gzipped(bytes(50_000_000), "application/json"))
    web.put("/good", gzipped(b"[1]", "application/json"))
    web.put("/zstd", typed(b"x", "application/json", ("Content-Encoding", "zstd")))
    outcomes = [fetcher.call(Call(web.url(path))).outcome for path in ("/bomb", "/good", "/zstd")]
    assert outcomes == [Outcome.TOO_LARGE, Outcome.OK, Outcome.WRONG_TYPE]


# --- where calls go ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_key_does_not_follow_a_redirect_to_another_host(web: Web, make_fetcher: MakeFetcher, status: int) -> None:
    """Not to another host, name or port; the redirect is told, and the key is not sent."""
    fetcher = make_fetcher(Names(api_test=[[HERE]], evil_test=[[HERE]]))
    web.put("/there", as_json({}))
    web.redirect("/v1", web.url("/there", "evil.test"), status)
    reply = fetcher.call(Call(web.url("/v1", "api.test"), headers=HEADERS))
    assert (reply.outcome, reply.status_code) == (Outcome.REFUSED, status)
    assert "evil.test" in reply.reason
    assert [seen.path for seen in web.seen] == ["/v1"]


def test_a_redirect_within_the_host_is_followed(web: Web, fetcher: Fetcher) -> None:
    """For a GET, as where a repository has another name; a POST is not sent twice."""
    web.put("/new", as_json([1]))
    web.redirect("/old", "/new", 301)
    assert json.loads(fetcher.call(Call(web.url("/old"), headers=HEADERS)).body) == [1]
    assert fetcher.call(Call(web.url("/old"), "POST", body={})).outcome is Outcome.REFUSED
    web.redirect("/circle", "/circle")
    assert "more than 5 times" in fetcher.call(Call(web.url("/circle"))).reason


@pytest.mark.parametrize("address", [HERE, "10.0.0.1", "192.168.1.5", "100.64.0.7", "fd00::7", "::1"])
def test_only_hosts_that_the_user_named_may_be_private(make_fetcher: MakeFetcher, address: str) -> None:
    """A model on this machine or in this network is asked where the user says so, and not otherwise."""
    fetcher = make_fetcher(Names(model_test=[[address]]), allow_loopback=False, attempts=1, timeout_s=0.01)
    call = Call("https://model.test:9/v1")
    assert fetcher.call(call).outcome is Outcome.REFUSED


@pytest.mark.parametrize(
    "address",
    ["169.254.169.254", "fe80::1", "fd00:ec2::254", "100.100.100.200", "224.0.0.1", "0.0.0.0", "::"],  # noqa: S104
)
def test_credentials_of_clouds_are_never_asked_for(make_fetcher: MakeFetcher, address: str) -> None:
    """They are not asked for of a host that the user named, either: its name may lead there."""
    fetcher = make_fetcher(Names(model_test=[[address]]))
    reply = fetcher.call(Call("http://model.test/latest/meta-data/", is_trusted=True))
    assert (reply.outcome, reply.requests) == (Outcome.REFUSED, 0)


def test_a_key_is_not_sent_in_the_clear(make_fetcher: MakeFetcher) -> None:
    """A key goes over https only, unless the user named the host."""
    reply = make_fetcher(Names(api_test=[["93.184.216.34"]]), allow_loopback=False).call(
        Call("http://api.test/", headers=HEADERS)
    )
    assert (reply.outcome, reply.requests) == (Outcome.REFUSED, 0)
    assert "https" in reply.reason


# --- what is not told ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [f"{KEY}\r\nX-Evil: yes", f"{KEY}é", f"{KEY}\x00", f"{KEY}\n"])
def test_a_key_that_is_no_header_is_not_told(web: Web, fetcher: Fetcher, value: str) -> None:
    """Line ends cannot put headers into a request, and the message names the header, not the key."""
    reply = fetcher.call(Call(web.put("/v1", as_json({})), headers=(("Authorization", f"Bearer {value}"),)))
    assert (reply.outcome, reply.requests) == (Outcome.REFUSED, 0)
    assert "Authorization" in reply.reason
    assert KEY not in repr(reply)


@pytest.mark.parametrize("name", ["Host", "content-length", "Transfer-Encoding", "a b", "", "X:"])
def test_a_call_does_not_set_what_is_ours(web: Web, fetcher: Fetcher, name: str) -> None:
    """Headers that say where a request goes or where it ends are not the caller's."""
    reply = fetcher.call(Call(web.put("/v1", as_json({})), headers=((name, "x"),)))
    assert (reply.outcome, reply.requests) == (Outcome.REFUSED, 0)


def test_a_key_stands_in_no_message_and_no_log(
    web: Web, make_fetcher: MakeFetcher, caplog: pytest.LogCaptureFixture
) -> None:
    """It stands in none also where the host sends it back, in a broken head or a redirect."""
    caplog.set_level(logging.DEBUG)

    def echo(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(f"HTTP/1.1 200 OK\r\n{KEY} \x01: no header\r\n\r\n".encode())
        handler.close_connection = True

    web.put("/echo", echo)
    web.redirect("/away", f"http://{KEY}.test/")
    web.put("/no", Reply(401))
    fetcher = make_fetcher()
    calls = [Call(web.url(path), headers=HEADERS) for path in ("/echo", "/away", "/no", "/missing")]
    calls.append(Call(f"http://{OTHER}:9/", headers=HEADERS))
    replies = [fetcher.call(call) for call in calls]
    assert {reply.outcome for reply in replies} == {*(Outcome.FAILED, Outcome.REFUSED, Outcome.BLOCKED, Outcome.GONE)}
    assert all(reply.reason for reply in replies)
    told = "\n".join([*map(repr, calls), *(reply.reason for reply in replies), caplog.text])
    assert KEY not in told


def test_a_password_in_an_address_is_refused(fetcher: Fetcher) -> None:
    """Keys belong into headers; the message does not tell what stood there."""
    reply = fetcher.call(Call(f"https://user:{KEY}@api.test/"))
    assert reply.outcome is Outcome.REFUSED
    assert KEY not in reply.reason


# --- an answer that comes in lines ---------------------------------------------------------------------------------


def test_lines_come_as_they_are_sent(web: Web, fetcher: Fetcher) -> None:
    """Each as soon as it is whole, before the next one is sent; letters may be split between pieces."""
    goes_on = threading.Event()

    def slowly(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.end_headers()
        tea = "data: thé\r\n".encode()
        handler.wfile.write(tea[:9])
        handler.wfile.flush()
        handler.wfile.write(tea[9:] + b"\n")
        assert goes_on.wait(5)
        handler.wfile.write(b"data: two\ndata: three")

    web.put("/v1", slowly)
    lines = fetcher.stream(Call(web.url("/v1"), "POST", body={"stream": True}))
    assert next(lines) == "data: thé"
    goes_on.set()
    assert list(lines) == ["", "data: two", "data: three"]
    assert "gzip" not in web.seen[0].headers["accept-encoding"]


def test_streams_of_one_host_run_side_by_side(web: Web, make_fetcher: MakeFetcher) -> None:
    """Three that each wait for the others come to their ends."""
    meet = threading.Barrier(3)

    def together(handler: BaseHTTPRequestHandler) -> None:
        meet.wait(5)
        handler.send_response(200)
        handler.end_headers()
        handler.wfile.write(b"data: x\n")

    web.put("/v1", together)
    fetcher = make_fetcher(spacing_s=9.0)
    found: list[list[str]] = []
    threads = [
        threading.Thread(target=lambda: found.append(list(fetcher.stream(Call(web.url("/v1")))))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [["data: x"]] * 3


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (Reply(401, b'{"error": "no"}'), Outcome.BLOCKED),
        (Reply(429, b'{"error": "no"}', (("Retry-After", "3600"),)), Outcome.RATE_LIMITED),
        (Reply(400, b'{"error": "no"}'), Outcome.FAILED),
    ],
)
def test_a_stream_that_does_not_come_says_why(web: Web, fetcher: Fetcher, reply: Reply, outcome: Outcome) -> None:
    """The message is what the API says, without the key."""
    lines = fetcher.stream(Call(web.put("/v1", reply), headers=HEADERS))
    with pytest.raises(Unanswered) as caught:
        next(lines)
    assert (caught.value.reply.outcome, json.loads(caught.value.reply.body)) == (outcome, {"error": "no"})
    assert KEY not in repr(caught.value) + str(caught.value)
    assert caught.value.__cause__ is None


def test_a_stream_that_was_busy_is_asked_again(web: Web, fetcher: Fetcher) -> None:
    """It is asked again before the first line; 429 and 503 say that nothing was begun."""
    web.put("/v1", Reply(429, b"", (("Retry-After", "0"),)), Reply(503), events("data: x"))
    assert list(fetcher.stream(Call(web.url("/v1"), "POST", body={}))) == ["data: x"]


def test_a_stream_that_breaks_off_is_not_whole(web: Web, fetcher: Fetcher) -> None:
    """What came is given, then it is told; nothing is asked for twice."""

    def half(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "5000")
        handler.end_headers()
        handler.wfile.write(b"data: one\n")
        handler.close_connection = True

    lines = fetcher.stream(Call(web.put("/v1", half)))
    assert next(lines) == "data: one"
    with pytest.raises(Unanswered):
        next(lines)
    assert web.asked("/v1") == 1


def test_a_stream_that_never_ends(web: Web, make_fetcher: MakeFetcher) -> None:
    """Neither beyond its time nor beyond the cap."""

    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        for _ in range(200):
            handler.wfile.write(b"data: x\n")
            time.sleep(0.02)

    def gush(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        for _ in range(10_000):
            handler.wfile.write(b"x" * 10_000)

    fetcher = make_fetcher(max_bytes=100_000)
    for path, answer, outcome in (("/drip", drip, Outcome.TIMEOUT), ("/gush", gush, Outcome.TOO_LARGE)):
        web.put(path, answer)
        with pytest.raises(Unanswered) as caught:
            list(fetcher.stream(Call(web.url(path), timeout_s=0.5)))
        assert caught.value.reply.outcome is outcome


def test_a_stream_may_be_left(web: Web, fetcher: Fetcher) -> None:
    """Closing it ends the connection: the server notices."""
    noticed = threading.Event()

    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        try:
            while True:
                handler.wfile.write(b"data: x\n" * 1000)
        except OSError:
            noticed.set()

    lines = fetcher.stream(Call(web.put("/v1", endless)))
    assert next(lines) == "data: x"
    lines.close()  # type: ignore[attr-defined]
    assert noticed.wait(5)
