"""What a hostile host, page or network tries, each by its name, against a real server."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import ssl
import threading
import time
import tracemalloc
import zlib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_address
from pathlib import Path
from socket import create_server

import pytest

from planbook.research.web.archive import Archive
from planbook.research.web.client import Fetcher, read_by_host
from planbook.research.web.connection import parse_url
from planbook.research.web.model import Call, Outcome, Unfetched
from planbook.research.web.reach import Reach, is_public, is_within
from planbook.research.web.readers import Reader
from planbook.research.web.responses import read_body
from tests.conftest import ROOT
from tests.guard.loopback_only import BeyondLoopbackError
from tests.research.web.conftest import MakeFetcher
from tests.research.web.server import HERE, Names, Reply, Web, gzipped, make_pdf, typed

PUBLIC = "93.184.216.34"
METADATA = "169.254.169.254"
"""Where cloud machines keep their credentials."""

NOT_PUBLIC = [
    "0.0.0.0",  # noqa: S104 - asked, not bound to
    *("10.0.0.1", "100.64.0.1", "127.0.0.1", "127.9.9.9", "169.254.169.254", "172.16.0.1", "172.31.255.255"),
    *("192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.0.1", "198.18.0.1", "198.51.100.1", "203.0.113.1"),
    *("224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "::a9fe:a9fe"),
    *("64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::"),
    *("2002:a9fe:a9fe::1", "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1"),
    *("ff02::1", "ff0e::1"),
    # services of clouds for their own machines, wrapped ones too
    *("168.63.129.16", "64:ff9b::a83f:8110", "64:ff9b::168.63.129.16", "::ffff:168.63.129.16", "192.0.0.192"),
    *("100.100.100.200", "64:ff9b::100.100.100.200", "169.254.170.2", "169.254.42.42", "fd20:ce::254", "fd00:ec2::23"),
    *("fd00:42::42", "fd00:c1::a9fe:a9fe", "fd00:a9fe:a9fe::1", "fd00:100::100:200", "fe80::a9fe:a9fe"),
    *("199.36.153.4", "199.36.153.11", "161.26.0.10", "166.8.0.1", "183.60.83.19", "192.80.8.124"),
]
CLOUD_ONLY = ["168.63.129.16", "100.100.100.200", "fd00:ec2::254", "fd20:ce::254", "fd00:42::42", "fd00:c1::a9fe:a9fe"]
"""Among them, those that a host which the user configured must not have either."""
ARE_PUBLIC = [
    "168.63.129.15",
    "168.63.129.17",
    "199.36.153.12",
    "64:ff9b::a83f:8111",
    "1.1.1.1",
    "93.184.216.34",
    "172.15.0.1",
    "2606:4700::1111",
    "::ffff:1.1.1.1",
    "64:ff9b::1.1.1.1",
]


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_server_side_request_forgery_by_address(make_fetcher: MakeFetcher, address: str) -> None:
    """Private, link-local, reserved, multicast and wrapped addresses are refused, as they stand and behind a name."""
    assert not is_public(ip_address(address))
    fetcher = make_fetcher(Names(tea_test=[[address]]), allow_loopback=False)
    host = f"[{address}]" if ":" in address else address
    urls = ["http://tea.test/"] if "%" in address else ["http://tea.test/", f"http://{host}/", f"https://{host}:8443/x"]
    for url in urls:
        fetched = fetcher.fetch(url)
        assert (fetched.outcome, fetched.requests) == (Outcome.REFUSED, 0)


@pytest.mark.parametrize("address", ARE_PUBLIC)
def test_public_addresses_may_be_asked(address: str) -> None:
    """The rule does not refuse everything."""
    assert is_public(ip_address(address))


@pytest.mark.parametrize("address", CLOUD_ONLY)
def test_a_configured_host_is_no_service_of_a_cloud(address: str) -> None:
    """Private networks are trusted for such a host, but not the addresses in them that hold credentials."""
    assert not is_within(ip_address(address), Reach.TRUSTED)
    assert is_within(ip_address("10.0.0.1"), Reach.TRUSTED)
    assert is_within(ip_address("fd00:1::1"), Reach.TRUSTED)


@pytest.mark.parametrize("host", ["metadata", "METADATA.google.internal", "metadata.goog", "instance-data"])
def test_names_of_metadata_services(make_fetcher: MakeFetcher, host: str) -> None:
    """They are refused before they are looked up, even where they lead to a public address."""
    names = Names(metadata=[[PUBLIC]])
    fetched = make_fetcher(names).fetch(f"http://{host}/computeMetadata/v1/")
    assert (fetched.outcome, fetched.requests, names.asked) == (Outcome.REFUSED, 0, [])


AMBIGUOUS = [
    *(
        "http://8.8.8.8#@127.0.0.1",
        "http://8.8.8.8#@127.0.0.1/",
        "http://tea.test#\\@inner.test/",
        "http://tea.test?@inner.test/",
    ),
    *(
        "http://tea.test\\@inner.test/",
        "http://tea.test\\.inner.test/",
        "http:\\\\tea.test/",
        "http:/\\tea.test/",
        "\\\\tea.test",
    ),
    *(
        "http://user@tea.test/",
        "http://@tea.test/",
        "http://:@tea.test/",
        "http://tea.test@/",
        "http://tea.test;@inner.test",
    ),
    *("http://te\ta.test/", "http://tea\n.test/", "http://tea.test\r/", "\thttp://tea.test/", "http\t://tea.test/"),
    *("http://tea\u200b.test/", "http://tea\u00ad.test/", "http://tea.test\u2028/", "http://tea\u202e.test/"),
    *(
        "http://tea\u3002test/",
        "http://\uff54ea.test/",
        "http://\u24e3ea.test/",
        "http://tea\uff0etest/",
        "http://tea.test\uff0fx",
        "http://tea\u2100.test/",
    ),
    *(
        "http://stra\u00dfe.test/",
        "http://fa\u0301cil.test/",
        "http://tea.test\uff20inner.test/",
        "http://\u212aea.test/",  # the sign of the kelvin
        "http://\u212bea.test/",  # of the angstrom
        "http://tea.\u0130nner.test/",
        "http://tea.test\uff03/",
    ),
    *("http://%74ea.test/", "http://tea%2etest/", "http://tea.test%00.inner.test/", "http://127.0.0.1%2f.test/"),
    *(
        "http://0177.0.0.1/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://0x/",
        "http://1.2.3.4.5/",
        "http://01.2.3.4/",
    ),
    *(
        "http://[::1%25lo]/",
        "http://[fe80::1%eth0]/",
        "http://[127.0.0.1]/",
        "http://[::1]x/",
        "http://[v1.x]/",
        "http://[[::1]]/",
    ),
    *("http://xn--a", "http://xn--a.tea.test/", "http://tea.xn--0/", "http://xn--zzzzzzzz99999/", "http://xn--tea-/"),
    *("http://XN--BCHER-KVA1.test/"),
    *("http://tea.test./", "http://8.8.8.8./", "http://tea..test/", "http://.tea.test/", "http://-tea.test/"),
    *(
        "http://tea.test:80:80/",
        "http://tea.test:+80/",
        "http://tea.test:\uff18\uff10/",
        "http://tea.test:99999/",
        "http://tea.test:0/",
    ),
    *("http://tea.test,inner.test/", "http://tea.test;x/", "http://tea|x.test/", "http://*.test/", "http://te a.test/"),
]


@pytest.mark.parametrize("url", AMBIGUOUS)
def test_an_address_with_two_readings(make_fetcher: MakeFetcher, url: str) -> None:
    """Where programs could read two hosts, none is looked up and none asked."""
    names = Names(tea_test=[[PUBLIC]], inner_test=[["10.0.0.1"]])
    fetcher = make_fetcher(names)
    fetched = fetcher.fetch(url)
    assert (fetched.outcome, fetched.requests, names.asked) == (Outcome.REFUSED, 0, []), fetched
    assert fetched.reason
    reply = fetcher.call(Call(url))
    assert (reply.outcome, names.asked) == (Outcome.REFUSED, [])


@pytest.mark.parametrize(
    "url",
    [
        *("http://tea.test", "HTTP://TEA.TEST/", "http://tea.test:8080/a", "http://tea.test:/", "http://te_a.test/"),
        *("http://tea.test/@user/#@x", "http://tea.test/?q=a@b\\c", "http://tea.test/a b", "http://tea.test#part"),
        *(
            "http://b\u00fccher.test/",
            *("http://xn--bcher-kva.test/", "http://xn--strae-oqa.test/"),
            *("http://XN--BCHER-KVA.test/", "http://xn--r8jz45g.xn--zckzah/", "http://xn--11b2ezc.test/"),
            "http://\u4f8b\u3048.test/",
            "http://tea.test?q=1",
            "http://7.tea.test/",
        ),
        *("http://93.184.216.34/", "http://[2606:4700::1111]:8080/", "http://tea.test/%2f%00", "http://3com.test/"),
    ],
)
def test_an_address_with_one_reading(url: str) -> None:
    """Ordinary addresses, and those in other scripts, are not refused."""
    assert parse_url(url).host


@pytest.mark.parametrize(
    "location",
    [
        *(
            "http://tea.test\\@inner.test/",
            "\\\\inner.test/",
            "/\\inner.test/",
            "\\/inner.test/",
            "http:///inner.test/",
        ),
        *("//tea.test@inner.test/", "http://tea.test#@inner.test", "//inner.test./"),
    ],
)
def test_a_redirect_with_two_readings(web: Web, make_fetcher: MakeFetcher, location: str) -> None:
    """A redirect is read like an address, before the next host is looked up."""
    names = Names(tea_test=[["127.0.0.1"]], inner_test=[["127.0.0.1"]])
    fetched = make_fetcher(names).fetch(web.redirect("/start", location))
    assert (fetched.outcome, fetched.text, names.asked) == (Outcome.REFUSED, "", [])


@pytest.mark.parametrize(
    "host", ["2130706433", "017700000001", "0x7f000001", "0x7f.0.0.1", "127.1", "127.0.1", "0177.0.0.1", "127.0.0.1."]
)
def test_server_side_request_forgery_by_odd_spelling(make_fetcher: MakeFetcher, host: str) -> None:
    """Spellings that C libraries take for IPv4 addresses are refused before anything is looked up."""
    names = Names()
    fetched = make_fetcher(names).fetch(f"http://{host}/latest/meta-data/")
    assert (fetched.outcome, fetched.requests, names.asked) == (Outcome.REFUSED, 0, [])


@pytest.mark.parametrize(
    "url",
    [
        *("file:///etc/passwd", "ftp://tea.test/", "gopher://tea.test/", "data:text/html,x", "javascript:alert(1)"),
        *("//tea.test/x", "tea.test", "", "http://", "http:///x", "http://[::1", "http://tea.test:99999/"),
        *("http://user:secret@tea.test/", "http://tea.test@127.0.0.1/", "http://te\x00a.test/", "http://te a.test/"),
        "http://" + "a" * 300 + ".test/",
        *("http://tea.test/\r\nX-Evil: yes", "http://tea.test\r\nX-Evil: yes/", "http://tea.test/\tx"),
        *("http://tea\\.test/", "http://tea.test:80:80/", "http://[::1%25eth0]/", "http://[fe80::1%25eth0]/"),
    ],
)
def test_other_schemes_and_malformed_addresses(make_fetcher: MakeFetcher, url: str) -> None:
    """Only whole http(s) addresses without passwords are asked; the rest comes back as an outcome."""
    fetched = make_fetcher(Names()).fetch(url)
    assert fetched.outcome in {Outcome.REFUSED, Outcome.FAILED}
    assert fetched.requests == 0
    assert fetched.reason


@pytest.mark.parametrize("host", ["127\u30020\u30020\u30021", "\uff11\uff12\uff17.0.0.1", "\u2460\u2461\u2466.0.0.1"])
def test_server_side_request_forgery_by_other_scripts(make_fetcher: MakeFetcher, host: str) -> None:
    """Digits and dots of other scripts, which mean those of an IP address, are seen through."""
    fetched = make_fetcher(Names(), allow_loopback=False).fetch(f"http://{host}/")
    assert (fetched.outcome, fetched.requests) == (Outcome.REFUSED, 0)


def test_loopback_is_refused_without_the_switch(web: Web, make_fetcher: MakeFetcher) -> None:
    """This machine's own services are no sources."""
    url = web.html("/tea", "secret")
    assert make_fetcher(allow_loopback=False).fetch(url).outcome is Outcome.REFUSED
    assert web.seen == []


def test_the_loopback_switch_opens_loopback_only(make_fetcher: MakeFetcher) -> None:
    """With it, private networks and metadata services stay closed."""
    fetcher = make_fetcher()
    assert {fetcher.fetch(f"http://{host}/").outcome for host in (METADATA, "10.0.0.1", "[fd00::1]")} == {
        Outcome.REFUSED
    }


@pytest.mark.parametrize("status", [301, 302, 307])
@pytest.mark.parametrize(
    "location", [f"http://{METADATA}/latest/", "http://[::ffff:a9fe:a9fe]/", "file:///etc/passwd", "http://inner.test/"]
)
def test_a_redirect_to_a_forbidden_address(web: Web, make_fetcher: MakeFetcher, status: int, location: str) -> None:
    """Every hop is checked as the first one."""
    fetcher = make_fetcher(Names(inner_test=[["10.0.0.1"]]))
    fetched = fetcher.fetch(web.redirect("/tea", location, status))
    assert (fetched.outcome, fetched.text) == (Outcome.REFUSED, "")
    assert web.asked("/tea") == 1


def test_a_forbidden_redirect_of_robots_txt(web: Web, fetcher: Fetcher) -> None:
    """robots.txt is fetched by the same rules."""
    web.redirect("/robots.txt", f"http://{METADATA}/latest/")
    assert fetcher.fetch(web.html("/tea", "x")).outcome is Outcome.REFUSED


def test_redirect_loops(web: Web, fetcher: Fetcher) -> None:
    """A circle, and a chain that never ends, are left."""
    web.redirect("/a", "/b")
    web.redirect("/b", "/a")
    assert "loop" in fetcher.fetch(web.url("/a")).reason
    for n in range(9):
        web.redirect(f"/{n}", f"/{n + 1}")
    assert "more than 5 times" in fetcher.fetch(web.url("/0")).reason
    assert web.asked("/6") == 0


def test_dns_rebinding_between_check_and_connection(make_fetcher: MakeFetcher) -> None:
    """A name is looked up once, and the address that was checked is the one connected to."""
    names = Names(tea_test=[[PUBLIC], [HERE]])
    with pytest.raises(BeyondLoopbackError, match=PUBLIC):  # the guard of these tests sees where it connects
        make_fetcher(names, allow_loopback=False).fetch("http://tea.test/")
    assert names.asked == ["tea.test"]


def test_dns_rebinding_between_requests(web: Web, make_fetcher: MakeFetcher) -> None:
    """A name that changes its address after robots.txt, or in a redirect to itself, is checked again."""
    web.html("/tea", "x")
    names = Names(tea_test=[[HERE], [METADATA]])
    assert make_fetcher(names).fetch(web.url("/tea", "tea.test")).outcome is Outcome.REFUSED
    assert [seen.path for seen in web.seen] == ["/robots.txt"]

    names = Names(tea_test=[[HERE], [HERE], ["10.0.0.1"]])
    web.redirect("/old", web.url("/tea", "tea.test"))
    assert make_fetcher(names).fetch(web.url("/old", "tea.test")).outcome is Outcome.REFUSED
    assert web.asked("/tea") == 0


def test_a_name_with_a_public_and_a_private_address(make_fetcher: MakeFetcher) -> None:
    """One bad address among good ones refuses the host."""
    fetched = make_fetcher(Names(tea_test=[[PUBLIC, "10.0.0.1"]])).fetch("http://tea.test/")
    assert (fetched.outcome, fetched.requests) == (Outcome.REFUSED, 0)


def test_the_host_is_named_though_its_address_is_dialled(web: Web, make_fetcher: MakeFetcher) -> None:
    """The Host header is that of the address asked for, with its port."""
    web.html("/tea", "<p>x</p>")
    make_fetcher(Names(tea_test=[[HERE]])).fetch(web.url("/tea", "TEA.test"))
    assert {seen.host for seen in web.seen} == {f"tea.test:{web.port}"}


@contextlib.contextmanager
def tls_server() -> Iterator[tuple[int, list[str]]]:
    """A server without a certificate that notes the names it is asked for in the handshake."""
    named: list[str] = []
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.sni_callback = lambda sock, name, _: named.append(name or "")
    with create_server((HERE, 0)) as listening:

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    with connection, contextlib.suppress(OSError):
                        context.wrap_socket(connection, server_side=True)

        threading.Thread(target=serve, daemon=True).start()
        yield listening.getsockname()[1], named


def test_a_certificate_is_wanted_for_the_name(make_fetcher: MakeFetcher) -> None:
    """The handshake asks for the host's name, not for its address, and one that fails gives no text."""
    with tls_server() as (port, named):
        fetched = make_fetcher(Names(tea_test=[[HERE]]), attempts=1).fetch(f"https://tea.test:{port}/")
    assert (fetched.outcome, fetched.text) == (Outcome.FAILED, "")
    assert set(named) == {"tea.test"}


def test_proxies_and_passwords_of_the_environment(
    web: Web, make_fetcher: MakeFetcher, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Neither a proxy nor a .netrc is used: both would take our requests where nothing is checked."""
    (tmp_path / ".netrc").write_text(f"machine {HERE} login me password secret\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    web.html("/tea", "<p>x</p>")
    assert make_fetcher().fetch(web.url("/tea")).outcome is Outcome.OK
    assert all("authorization" not in seen.headers for seen in web.seen)


# --- too much ------------------------------------------------------------------------------------------------------


def test_a_huge_body(web: Web, make_fetcher: MakeFetcher) -> None:
    """A body is left as soon as it is too long: by what it says, or by what comes where it says nothing."""

    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/html")
        handler.end_headers()
        for _ in range(100_000):
            handler.wfile.write(b"x" * 10_000)

    fetcher = make_fetcher(max_bytes=100_000)
    web.put("/said", typed(b"x" * 100_001, "text/plain"))
    web.put("/unsaid", endless)
    assert fetcher.fetch(web.url("/said")).outcome is Outcome.TOO_LARGE
    assert fetcher.fetch(web.url("/unsaid")).outcome is Outcome.TOO_LARGE


def test_a_gzip_bomb(web: Web, make_fetcher: MakeFetcher) -> None:
    """A small body that unpacks to a hundred megabytes takes no more memory than the cap allows."""
    web.put("/tea", gzipped(bytes(100_000_000)))
    fetcher = make_fetcher(max_bytes=1_000_000)
    tracemalloc.start()
    try:
        fetched = fetcher.fetch(web.url("/tea"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert fetched.outcome is Outcome.TOO_LARGE
    assert peak < 6_000_000


def test_a_bomb_within_a_bomb() -> None:
    """Members of a gzip file count together, and packing that is broken or cut off is told."""
    member = zlib.compressobj(wbits=31)
    packed = member.compress(bytes(60_000)) + member.flush()
    assert read_body([packed], "gzip", 60_000) == bytes(60_000)
    for chunks, outcome in (
        ([packed, packed], Outcome.TOO_LARGE),
        ([packed[:-9]], Outcome.FAILED),
        ([b"no gzip at all"], Outcome.FAILED),
    ):
        with pytest.raises(Unfetched) as caught:
            read_body(chunks, "gzip", 100_000)
        assert caught.value.outcome is outcome


@pytest.mark.parametrize("encoding", ["zstd", "br", "deflate", "gzip, gzip", "x" * 500])
def test_a_packing_that_was_not_asked_for(web: Web, fetcher: Fetcher, encoding: str) -> None:
    """Only gzip is unpacked: libraries unpack the others without a limit."""
    web.put("/tea", typed(b"\x28\xb5\x2f\xfd\x00\x00", "text/html", ("Content-Encoding", encoding)))
    fetched = fetcher.fetch(web.url("/tea"))
    assert fetched.outcome is Outcome.WRONG_TYPE
    assert len(fetched.reason) < 120


@pytest.mark.parametrize("part", ["headers", "body"])
def test_a_server_that_drips(web: Web, make_fetcher: MakeFetcher, part: str) -> None:
    """A byte now and then keeps no connection open beyond the deadline, in headers or body."""

    def drip(handler: BaseHTTPRequestHandler) -> None:
        start = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
        handler.wfile.write(start + (b"\r\n" if part == "body" else b"X-Slow: "))
        for _ in range(100):
            handler.wfile.write(b"x")
            time.sleep(0.05)

    web.html("/robots.txt", "")
    web.put("/tea", drip)
    began = time.monotonic()
    fetched = make_fetcher(timeout_s=1, deadline_s=0.6).fetch(web.url("/tea"))
    assert fetched.outcome is Outcome.TIMEOUT
    assert time.monotonic() - began < 3


@pytest.mark.parametrize(
    "head",
    [
        pytest.param(b"X-Long: " + b"x" * 5_000_000, id="one long header"),
        pytest.param(b"".join(b"X-%d: %s\r\n" % (n, b"x" * 900) for n in range(5_000)), id="many headers"),
        pytest.param(b"Content-Length: 10\r\nContent-Length: 99\r\n\r\nx", id="two lengths"),
        pytest.param(b"Content-Length: 1e9\r\n\r\nx", id="a length that is no number"),
        pytest.param(b"\x00\xff: x\r\n\r\nx", id="a name that is none"),
    ],
)
def test_huge_and_broken_headers(web: Web, make_fetcher: MakeFetcher, head: bytes) -> None:
    """A head is read up to 100 kB, and one that is no HTTP is no answer."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + head)
        handler.close_connection = True

    web.html("/robots.txt", "")
    web.put("/tea", answer)
    fetcher = make_fetcher(attempts=1)
    fetcher.fetch(web.html("/first", "<p>x</p>"))
    tracemalloc.start()
    try:
        fetched = fetcher.fetch(web.url("/tea"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (fetched.outcome, fetched.text) == (Outcome.FAILED, "")
    assert len(fetched.reason) < 300
    assert peak < 3_000_000 + len(head)  # the server is in this process too, and holds what it sends


def test_hints_without_end(web: Web, make_fetcher: MakeFetcher) -> None:
    """Answers before the answer (103) do not hold us beyond the deadline."""

    def hint(handler: BaseHTTPRequestHandler) -> None:
        for _ in range(10_000):
            handler.wfile.write(b"HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n" * 50)
            time.sleep(0.01)

    web.html("/robots.txt", "")
    web.put("/tea", hint)
    assert make_fetcher(deadline_s=0.6, attempts=1).fetch(web.url("/tea")).outcome is Outcome.TIMEOUT


def test_a_look_up_that_hangs(make_fetcher: MakeFetcher) -> None:
    """A name server that does not answer costs no more than the deadline."""
    release = threading.Event()

    class Hanging:
        def __call__(self, host: str) -> tuple[str, ...]:
            release.wait(5)
            return ()

    began = time.monotonic()
    fetched = make_fetcher(Hanging(), deadline_s=0.3, attempts=1).fetch("http://tea.test/")
    release.set()
    assert fetched.outcome is Outcome.TIMEOUT
    assert time.monotonic() - began < 3


def readers() -> set[int]:
    """The processes that this one keeps to read documents."""
    found = set()
    for status in Path("/proc/self/task").glob("*/children"):
        for pid in status.read_text().split():
            with contextlib.suppress(OSError):
                if "planbook.research.web.reader" in Path(f"/proc/{pid}/cmdline").read_text():
                    found.add(int(pid))
    return found


SLOW_PDF = make_pdf("BT /F1 12 Tf\n" + "1 0 0 1 0 0 Tm (x) Tj\n" * 400_000 + "ET")
SLOW_HTML = b"<p>word <b>word</b> <code>word</code></p>" * 200_000


@pytest.mark.parametrize(("body", "media_type"), [(SLOW_PDF, "application/pdf"), (SLOW_HTML, "text/html")])
def test_a_document_that_hangs_is_killed(web: Web, make_fetcher: MakeFetcher, body: bytes, media_type: str) -> None:
    """One that takes minutes to read is given up in time, its process does not live on, and the next one is read."""
    web.put("/slow", typed(body, media_type))
    make_fetcher().fetch(web.html("/first", "<p>a process is there</p>"))
    before = readers()
    fetched = make_fetcher(reading_s=1.0).fetch(web.url("/slow"))
    assert (fetched.outcome, fetched.text) == (Outcome.TIMEOUT, "")
    assert "reading it" in fetched.reason
    assert before
    assert before - readers()  # of several that wait for work, the one that read it is gone
    assert make_fetcher().fetch(web.html("/next", "<p>read</p>")).outcome is Outcome.OK


def test_a_process_that_was_killed_is_replaced(web: Web, fetcher: Fetcher) -> None:
    """One that somebody ended while it waited, such as the system for want of memory, costs no document."""
    url = web.html("/tea", "<p>tea</p>")
    assert fetcher.fetch(url).outcome is Outcome.OK
    for pid in readers():
        os.kill(pid, signal.SIGKILL)
    time.sleep(0.2)
    assert fetcher.fetch(url).outcome is Outcome.OK


def test_a_pdf_bomb(web: Web, fetcher: Fetcher) -> None:
    """A PDF whose text unpacks to hundreds of megabytes is given up, within the memory that its process may have."""
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(bytes(1_000_000)) for _ in range(300)) + packer.flush()
    body = make_pdf("").replace(b"<< /Length 0 >>\nstream\n\nendstream", b"BOMB")
    assert b"BOMB" in body
    stream = b"<< /Length %d /Filter /FlateDecode >>\nstream\n%b\nendstream" % (len(packed), packed)
    web.put("/tea.pdf", typed(body.replace(b"BOMB", stream), "application/pdf"))
    fetched = fetcher.fetch(web.url("/tea.pdf"))
    assert fetched.outcome is Outcome.FAILED
    assert fetched.text == ""


@pytest.mark.parametrize(
    ("body", "outcome"), [(b"no PDF at all", Outcome.WRONG_TYPE), (b"%PDF-1.4\nnothing more", Outcome.FAILED)]
)
def test_a_broken_pdf(web: Web, fetcher: Fetcher, body: bytes, outcome: Outcome) -> None:
    """What calls itself a PDF and is none, or is broken, is told."""
    web.put("/tea.pdf", typed(body, "application/pdf"))
    assert fetcher.fetch(web.url("/tea.pdf")).outcome is outcome


def test_secrets_do_not_reach_the_process_that_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process that reads hostile bytes has no keys in its environment, and imports nothing from the folder."""
    monkeypatch.setenv("PYTHONSTARTUP", "/nowhere")
    monkeypatch.setenv("API_KEY", "secret")
    before = readers()
    reader = Reader()
    try:
        while not readers() - before:  # the system shows it a moment later
            time.sleep(0.01)
        (pid,) = readers() - before
        names = {line.partition("=")[0] for line in Path(f"/proc/{pid}/environ").read_text().split("\x00")}
        arguments = Path(f"/proc/{pid}/cmdline").read_text().split("\x00")
    finally:
        reader.end()
    assert "PATH" in names
    assert not {"API_KEY", "PYTHONSTARTUP"} & names
    assert "-P" in arguments


@pytest.mark.parametrize(
    "html", ["<div>" * 60_000 + "deep", "<p " + "a='b' " * 50_000 + ">wide", "<!--" * 50_000, "\x00<p>\x00nul"]
)
def test_hostile_html(web: Web, fetcher: Fetcher, html: str) -> None:
    """Nesting, attributes and bytes that break parsers give an outcome in time."""
    fetched = fetcher.fetch(web.put("/tea", typed(html.encode(), "text/html")))
    assert fetched.outcome in {Outcome.OK, Outcome.FAILED}
    assert "\x00" not in fetched.visible


def test_binary_that_calls_itself_text(web: Web, fetcher: Fetcher) -> None:
    """An archive served as text is no source."""
    web.put("/tea", typed(b"PK\x03\x04\x00\x00\x00", "text/plain"))
    assert fetcher.fetch(web.url("/tea")).outcome is Outcome.WRONG_TYPE


# --- pages that are not what they seem -----------------------------------------------------------------------------

CHALLENGE = (
    "<script>window._cf_chl_opt={cvId:'3'}</script><noscript>Enable JavaScript and cookies to continue</noscript>"
)


def challenge(status: int, title: str, body: str, *headers: tuple[str, str]) -> Reply:
    """A page that asks for proof."""
    page = f"<html><head><title>{title}</title></head><body>{body}</body></html>"
    return typed(page.encode(), "text/html", *headers, status=status)


@pytest.mark.parametrize(
    "reply",
    [
        challenge(403, "Just a moment...", CHALLENGE),
        challenge(503, "Just a moment...", CHALLENGE),
        challenge(200, "Just a moment...", CHALLENGE),
        challenge(200, "Making sure you&#39;re not a bot!", "<p>Loading...</p>"),
        challenge(200, "Vercel Security Checkpoint", "<p>We're verifying your browser</p>"),
        challenge(429, "Tea", "<p>x</p>", ("cf-mitigated", "challenge")),
        challenge(202, "", "", ("x-amzn-waf-action", "challenge")),
    ],
)
def test_a_challenge_page_is_no_source(web: Web, fetcher: Fetcher, reply: Reply) -> None:
    """Whatever its status, a test for people is told as blocked, is asked once, and leaves no text."""
    web.html("/robots.txt", "")
    fetched = fetcher.fetch(web.put("/tea", reply))
    assert (fetched.outcome, fetched.text, web.asked("/tea")) == (Outcome.BLOCKED, "", 1)


def test_an_article_about_challenges_is_a_source(web: Web, fetcher: Fetcher) -> None:
    """Words and scripts of challenges in a page of its own do not make it one."""
    article = f"<h1>Just a moment</h1><p>How challenges work</p><pre>{CHALLENGE.replace('<', '&lt;')}</pre>"
    web.html("/tea", article, title="How Cloudflare's challenges work")
    assert fetcher.fetch(web.url("/tea")).outcome is Outcome.OK


def test_script_and_hidden_text_are_not_read(web: Web, fetcher: Fetcher) -> None:
    """What no reader sees is no part of a source."""
    unseen = (
        "<script>one</script><style>two</style><template>three</template><p hidden>four</p><noscript>five</noscript>"
    )
    web.html("/tea", f"{unseen}<p>seen</p><!-- six -->")
    assert fetcher.fetch(web.url("/tea")).visible == "seen"


def test_a_location_with_line_ends(web: Web, fetcher: Fetcher) -> None:
    """A redirect cannot put headers into our next request."""
    web.html("/robots.txt", "")
    fetched = fetcher.fetch(web.redirect("/tea", "/x%0d%0aX-Evil:%20yes"))
    assert fetched.outcome is Outcome.GONE
    assert "x-evil" not in web.seen[-1].headers


def test_header_injection_by_an_address(web: Web, fetcher: Fetcher) -> None:
    """What an address says stays in the first line of the request, whatever it is made of."""
    web.html("/robots.txt", "")
    for path in ("/x%0d%0aX-Evil:%20yes", "/x?q=%0d%0aX-Evil:%20yes", "/x%00", "/x%20HTTP/1.1%0d%0aX-Evil:yes", "/é茶"):
        assert fetcher.fetch(web.url(path)).outcome is Outcome.GONE
    assert not any("x-evil" in seen.headers for seen in web.seen)
    assert {seen.host for seen in web.seen} == {f"{HERE}:{web.port}"}


def test_hostile_caching_headers(web: Web, make_fetcher: MakeFetcher, tmp_path: Path) -> None:
    """Whatever a host says of how long to keep its answer, there is an outcome, also when it is asked again."""
    values = [
        "max-age=" + "9" * 400,
        'no-cache="a,b',
        "max-age=-1",
        ",,=,",
        "x" * 9_000,
        "Thu, 01 Jan 99999 00:00:00 GMT",
    ]
    names = ["Cache-Control", "Expires", "Date", "Age", "ETag", "Last-Modified", "Vary"]
    urls = []
    for n, name in enumerate(names):
        for m, value in enumerate(values):
            status = (200, 200, 304)[(n + m) % 3]
            page = typed(b"<p>tea</p>" if status == 200 else b"", "text/html", (name, value), status=status)
            urls.append(web.put(f"/{n}/{m}", page, typed(b"", "text/html", (name, value), status=304)))
    for max_age_s in (None, 1e-9):
        fetcher = make_fetcher(archive=Archive(tmp_path, max_age_s=max_age_s))
        assert {fetcher.fetch(url).outcome for url in urls} <= {Outcome.OK, Outcome.FAILED}
        fetcher.close()


def test_a_contact_with_line_ends() -> None:
    """A configured contact cannot put headers into our requests."""
    with Fetcher(contact="a@b\r\nX-Evil: yes") as fetcher:
        assert fetcher.user_agent.endswith("(+a@bX-Evil: yes)")


def test_outcomes_do_not_hide_each_other(web: Web, make_fetcher: MakeFetcher) -> None:
    """Twelve ways to fail in one run give each its own outcome, whatever the others do."""
    fetcher = make_fetcher(max_bytes=10_000, attempts=1, timeout_s=0.3)
    web.put("/robots.txt", typed(b"User-agent: *\nDisallow: /shy\n", "text/plain"))
    expected = {
        web.html("/ok", "<p>x</p>"): Outcome.OK,
        web.redirect("/moved", "/ok", 301): Outcome.MOVED,
        web.put("/gone", Reply(410)): Outcome.GONE,
        web.put("/blocked", Reply(403)): Outcome.BLOCKED,
        web.html("/shy", "x"): Outcome.DISALLOWED,
        web.put("/busy", Reply(429)): Outcome.RATE_LIMITED,
        web.redirect("/unsafe", f"http://{METADATA}/"): Outcome.REFUSED,
        web.put("/picture", typed(b"x", "image/png")): Outcome.WRONG_TYPE,
        web.put("/huge", typed(b"x" * 20_000, "text/html")): Outcome.TOO_LARGE,
        web.put("/slow", lambda handler: time.sleep(1)): Outcome.TIMEOUT,
        web.put("/broken", Reply(500)): Outcome.FAILED,
    }
    assert {url: one.outcome for url, one in read_by_host(expected, fetcher.fetch)} == expected
    assert set(expected.values()) == set(Outcome)


# --- what the Guide says of it -------------------------------------------------------------------------------------

SAFETY = ROOT / "docs/guide/safety.md"


def test_every_threat_is_in_the_guide() -> None:
    """The page names each test of this module, and no test that does not exist."""
    named = set(re.findall(r"`(test_\w+)`", SAFETY.read_text(encoding="utf-8")))
    tests = {
        path: set(re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE))
        for path in (ROOT / "tests").rglob("test_*.py")
    }
    assert named <= set().union(*tests.values())
    assert tests[Path(__file__)] - named == {"test_every_threat_is_in_the_guide"}
