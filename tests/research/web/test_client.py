"""What comes of an address: each outcome by itself, from a real server."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from itertools import pairwise

import pytest

from planbook import __version__
from planbook.research.web.client import Fetcher, read_by_host
from planbook.research.web.model import Outcome
from planbook.research.web.responses import retry_after_s
from tests.research.web.conftest import MakeFetcher
from tests.research.web.server import HERE, Names, Reply, Web, gzipped, make_pdf, send, shown, typed

TEA = (
    "<h1>Steeping</h1><p>Water at <b>80 degrees</b> keeps the catechins in the leaf for two minutes or more.</p>"
    "<p>Hotter water draws them out within the first minute, and the infusion turns bitter and dark in the cup.</p>"
    "<p>Softer water does the same at a lower temperature, because nothing in it binds what the leaf gives away.</p>"
)
WORDS = "Water at 80 degrees keeps the catechins in the leaf for two minutes or more."


def test_a_live_page_is_read(web: Web, fetcher: Fetcher) -> None:
    """Main text as Markdown, all that is visible, title, language, status; two requests, one for robots.txt."""
    url = web.html("/tea", f"<nav>Home</nav><article>{TEA}</article>", title="Tea")
    fetched = fetcher.fetch(f"{url}#:~:text=Water")
    assert (fetched.outcome, fetched.reason, fetched.status_code) == (Outcome.OK, "", 200)
    assert "**80 degrees**" in fetched.text
    assert WORDS in fetched.visible
    assert (fetched.title, fetched.language, fetched.media_type) == ("Tea", "en", "text/html")
    assert (fetched.url, fetched.final_url, fetched.moved_to, fetched.requests) == (url, url, None, 2)
    assert [seen.path for seen in web.seen] == ["/robots.txt", "/tea"]


def test_it_says_who_asks(web: Web, fetcher: Fetcher) -> None:
    """A user agent of our own with a contact, gzip as the only packing, no cookies, no leftovers of a library."""
    answer = typed(TEA.encode(), "text/html", ("Set-Cookie", "a=b"))
    web.put("/tea", answer)
    fetcher.fetch(web.url("/tea"))
    fetcher.fetch(web.url("/tea"))
    headers = web.seen[-1].headers
    assert headers["user-agent"] == f"planbook/{__version__} (+mail@tea.test)"
    assert headers["accept-encoding"] == "gzip"
    assert "cookie" not in headers


def test_a_packed_page_is_unpacked(web: Web, fetcher: Fetcher) -> None:
    """A page packed by gzip is unpacked whole, also of several members."""
    packed = gzipped(f"<p>{WORDS}</p>".encode())
    more = gzipped(b"<p>And a second member of the same file.</p>")
    web.put("/tea", Reply(200, packed.body + more.body, packed.headers))
    visible = fetcher.fetch(web.url("/tea")).visible
    assert WORDS in visible
    assert "second member" in visible


@pytest.mark.parametrize(("status", "is_moved"), [(301, True), (308, True), (302, False), (303, False), (307, False)])
def test_a_permanent_redirect_is_a_move(web: Web, fetcher: Fetcher, status: int, is_moved: bool) -> None:
    """The new address is told for permanent redirects only; the text is read in either case."""
    new = web.html("/new", TEA)
    fetched = fetcher.fetch(web.redirect("/old", "/new", status))
    assert fetched.outcome is (Outcome.MOVED if is_moved else Outcome.OK)
    assert (fetched.moved_to, fetched.final_url) == (new if is_moved else None, new)
    assert WORDS in fetched.visible


@pytest.mark.parametrize("location", ["mailto:tea@leaf.test", "javascript:alert(1)", "data:text/html,x", "http:x"])
def test_a_redirect_to_no_web_address(web: Web, fetcher: Fetcher, location: str) -> None:
    """A location that no request can be made for is reported; the run goes on."""
    fetched = fetcher.fetch(web.redirect("/old", location))
    assert (fetched.outcome, fetched.text, web.asked("/old")) == (Outcome.FAILED, "", 1)
    assert "redirects to an invalid address" in fetched.reason


def test_a_move_ends_where_a_detour_begins(web: Web, fetcher: Fetcher) -> None:
    """After a permanent and a passing redirect, the address to use is the one between them."""
    web.html("/today", TEA)
    web.redirect("/new", "/today", 302)
    fetched = fetcher.fetch(web.redirect("/old", "/new", 301))
    assert (fetched.moved_to, fetched.final_url) == (web.url("/new"), web.url("/today"))


def test_a_move_to_what_is_gone_tells_both(web: Web, fetcher: Fetcher) -> None:
    """The outcome is of the last hop, and where it moved to is told too."""
    fetched = fetcher.fetch(web.redirect("/old", "/new", 301))
    assert (fetched.outcome, fetched.status_code, fetched.moved_to) == (Outcome.GONE, 404, web.url("/new"))


@pytest.mark.parametrize(
    ("status", "outcome", "times"),
    [
        (404, Outcome.GONE, 1),
        (410, Outcome.GONE, 1),
        (401, Outcome.BLOCKED, 1),
        (403, Outcome.BLOCKED, 1),
        (451, Outcome.BLOCKED, 1),
        (418, Outcome.FAILED, 1),
        (204, Outcome.FAILED, 1),
        (429, Outcome.RATE_LIMITED, 3),
        (500, Outcome.FAILED, 3),
        (503, Outcome.FAILED, 3),
    ],
)
def test_each_status_has_its_outcome(web: Web, fetcher: Fetcher, status: int, outcome: Outcome, times: int) -> None:
    """Only what may pass is asked again, three times in all; the status is told."""
    web.html("/robots.txt", "")
    fetched = fetcher.fetch(web.put("/tea", Reply(status)))
    assert (fetched.outcome, fetched.status_code, web.asked("/tea")) == (outcome, status, times)
    assert str(status) in fetched.reason
    assert fetched.text == ""


def test_a_long_retry_after_is_not_waited_for(web: Web, fetcher: Fetcher) -> None:
    """A server that asks for an hour is left alone at once, and not asked again."""
    web.put("/tea", Reply(429, b"", (("Retry-After", "3600"),)))
    began = time.monotonic()
    fetched = fetcher.fetch(web.url("/tea"))
    assert (fetched.outcome, web.asked("/tea")) == (Outcome.RATE_LIMITED, 1)
    assert "3600 s" in fetched.reason
    assert time.monotonic() - began < 10


def test_a_back_off_beyond_the_deadline_is_not_begun(web: Web, make_fetcher: MakeFetcher) -> None:
    """There would be no time for another request: the outcome is that of the last response, not a timeout."""
    web.html("/robots.txt", "")
    fetcher = make_fetcher(backoff_s=60.0, max_wait_s=90.0, deadline_s=30.0)
    began = time.monotonic()
    fetched = fetcher.fetch(web.put("/tea", Reply(503)))
    assert (fetched.outcome, fetched.status_code, web.asked("/tea")) == (Outcome.FAILED, 503, 1)
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(("value", "seconds"), [("7", 7.0), (" 0 ", 0.0), ("soon", None), ("", None), (None, None)])
def test_retry_after_is_read(value: str | None, seconds: float | None) -> None:
    """The header gives seconds; what is no number gives none."""
    assert retry_after_s(value, datetime.now(UTC)) == seconds


@pytest.mark.parametrize("media_type", ["text/plain", "text/x-python; charset=utf-8", "application/json"])
def test_plain_text_and_source_stay_as_they_are(web: Web, fetcher: Fetcher, media_type: str) -> None:
    """Markup in it is text; line ends are made one."""
    web.put("/leaf.py", typed(b"def steep():\r\n    return '<b>80</b>'\n", media_type))
    fetched = fetcher.fetch(web.url("/leaf.py"))
    assert fetched.text == fetched.visible == "def steep():\n    return '<b>80</b>'"


def test_a_pdf_is_read(web: Web, fetcher: Fetcher) -> None:
    """Text, title and date of a PDF; no more pages than allowed."""
    web.put("/tea.pdf", typed(make_pdf(shown(WORDS), shown("Page two"), title="On tea"), "application/pdf"))
    fetched = fetcher.fetch(web.url("/tea.pdf"))
    assert (fetched.outcome, fetched.title, fetched.date) == (Outcome.OK, "On tea", "2024-05-06")
    assert WORDS in fetched.text
    assert "Page two" in fetched.text


@pytest.mark.parametrize(
    ("body", "media_type"),
    [
        ("Thé à 80 °C".encode("cp1252"), "text/plain; charset=iso-8859-1"),
        ("Thé à 80 °C".encode("cp1252"), "text/plain"),
        ("\ufeffThé à 80 °C".encode("utf-16-le"), "text/plain"),
        ("<meta charset='windows-1252'><p>Thé à 80 °C</p>".encode("cp1252"), "text/html"),
        ("<p>Thé à 80 °C</p>".encode(), "text/html; charset=no-such-charset"),
    ],
)
def test_a_page_that_is_not_utf8_is_read(web: Web, fetcher: Fetcher, body: bytes, media_type: str) -> None:
    """By mark, header, `<meta>`, or as Windows-1252; a charset that nobody knows is passed over."""
    web.put("/tea", typed(body, media_type))
    assert fetcher.fetch(web.url("/tea")).visible == "Thé à 80 °C"


@pytest.mark.parametrize("body", ["", "<div id=app></div><script>tea()</script>"])
def test_a_page_without_text_is_told(web: Web, fetcher: Fetcher, body: str) -> None:
    """A page that scripts would fill is not taken for an empty source."""
    fetched = fetcher.fetch(web.put("/tea", typed(body.encode(), "text/html")))
    assert fetched.outcome is Outcome.FAILED
    assert "no text" in fetched.reason


def test_a_host_without_address_is_told(make_fetcher: MakeFetcher) -> None:
    """A name that leads nowhere is a failure with its own reason."""
    fetched = make_fetcher(Names()).fetch("http://nowhere.test/tea")
    assert fetched.outcome is Outcome.FAILED
    assert "nowhere.test cannot be resolved" in fetched.reason


def test_a_host_that_does_not_listen_is_told(web: Web, make_fetcher: MakeFetcher) -> None:
    """No connection is a failure; the next address of the host is tried."""
    names = Names(tea_test=[["127.0.0.2", HERE]])
    web.html("/tea", TEA)
    assert make_fetcher(names).fetch(web.url("/tea", "tea.test")).outcome is Outcome.OK
    fetched = make_fetcher(attempts=1).fetch("http://127.0.0.2:9/tea")
    assert fetched.outcome is Outcome.FAILED
    assert "no connection" in fetched.reason


def test_a_body_cut_off_is_asked_for_again(web: Web, fetcher: Fetcher) -> None:
    """Half a page is never taken for the page."""

    def half(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/html")
        handler.send_header("Content-Length", "5000")
        handler.end_headers()
        handler.wfile.write(b"<p>half a page</p>")
        handler.close_connection = True

    web.put("/tea", half, typed(TEA.encode(), "text/html"))
    assert WORDS in fetcher.fetch(web.url("/tea")).visible
    web.put("/half", half)
    assert fetcher.fetch(web.url("/half")).outcome is Outcome.FAILED


# --- robots.txt, pace ----------------------------------------------------------------------------------------------


def test_robots_txt_is_heeded(web: Web, fetcher: Fetcher) -> None:
    """What it forbids to us is not asked for; the rest is; it is read once."""
    web.put(
        "/robots.txt", typed(b"User-agent: planbook\nDisallow: /private\n\nUser-agent: *\nDisallow: /\n", "text/plain")
    )
    web.html("/private/tea", TEA)
    web.html("/public/tea", TEA)
    assert fetcher.fetch(web.url("/private/tea")).outcome is Outcome.DISALLOWED
    assert fetcher.fetch(web.url("/public/tea")).outcome is Outcome.OK
    assert [seen.path for seen in web.seen] == ["/robots.txt", "/public/tea"]


def test_robots_txt_is_heeded_after_a_redirect(web: Web, make_fetcher: MakeFetcher) -> None:
    """Each host of a chain of redirects is asked for its wishes."""

    def robots(handler: BaseHTTPRequestHandler) -> None:
        is_shy = handler.headers["Host"].startswith("shy.test")
        send(handler, typed(b"User-agent: *\nDisallow: /\n" if is_shy else b"", "text/plain"))

    web.put("/robots.txt", robots)
    web.html("/new", TEA)
    web.redirect("/old", web.url("/new", "shy.test"), 301)
    names = Names(open_test=[[HERE]], shy_test=[[HERE]])
    fetched = make_fetcher(names).fetch(web.url("/old", "open.test"))
    assert fetched.outcome is Outcome.DISALLOWED
    assert web.asked("/new") == 0


def test_robots_txt_that_fails_forbids(web: Web, fetcher: Fetcher) -> None:
    """Where a host cannot tell its wishes, nothing is asked; the outcome is that of its robots.txt, told as such."""
    web.put("/robots.txt", Reply(500))
    web.html("/tea", TEA)
    for _ in range(2):
        fetched = fetcher.fetch(web.url("/tea"))
        assert fetched.outcome is Outcome.FAILED
        assert "robots.txt" in fetched.reason
    assert (web.asked("/robots.txt"), web.asked("/tea")) == (3, 0)


def test_requests_to_one_host_keep_their_distance(web: Web, make_fetcher: MakeFetcher) -> None:
    """By the server's clock, and with redirects and robots.txt counted; another host does not wait for it."""
    names = Names(one_test=[[HERE]], two_test=[[HERE]])
    for n in range(3):
        web.html(f"/{n}", TEA)
    web.redirect("/2", "/1")
    urls = [web.url(f"/{n}", host) for host in ("one.test", "two.test") for n in range(3)]
    fetched = [one for _, one in read_by_host(urls, make_fetcher(names, spacing_s=0.15).fetch)]
    assert {one.outcome for one in fetched} == {Outcome.OK}
    assert sorted(one.url for one in fetched) == sorted(urls)
    for host in ("one.test", "two.test"):
        times = [seen.began for seen in web.seen if seen.host.startswith(host)]
        assert len(times) == 5
        assert min(b - a for a, b in pairwise(times)) >= 0.15
        others = [seen.began for seen in web.seen if not seen.host.startswith(host)]
        assert min(times) < max(others)


def test_waiting_for_a_turn_is_not_slowness(web: Web, make_fetcher: MakeFetcher) -> None:
    """Pauses that we make for politeness do not eat up the time of an address."""
    web.html("/a", TEA)
    web.html("/b", TEA)
    fetcher = make_fetcher(spacing_s=1.6, deadline_s=1.5)
    assert {one.outcome for _, one in read_by_host([web.url("/a"), web.url("/b")], fetcher.fetch)} == {Outcome.OK}
