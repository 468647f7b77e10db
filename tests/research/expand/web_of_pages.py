"""A web of many hosts on loopback: a search engine, good pages of all kinds, and such as make trouble."""

from __future__ import annotations

import gzip
import json
import threading
import zlib
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from tests.research.web.server import HERE, Reply, Web, make_pdf, send, shown, typed

METADATA = "169.254.169.254"
"""Where cloud machines keep their credentials."""
PRIVATE = "10.0.0.7"
PAGES = Path(__file__).parent / "pages"
SHA = "0123456789abcdef0123456789abcdef01234567"
HTML = "text/html; charset=utf-8"

HOSTS = (
    *("search.test", "tavily.test", "docs.ferry.test", "old.ferry.test", "notes.otter.test", "copy.otter.test"),
    *("papers.heron.test", "blog.heron.test", "plain.heron.test", "site.hub.test", "raw.hub.test", "api.hub.test"),
    *("busy.test", "ill.test", "silent.test", "lead.test", "bomb.test", "gate.test", "sly.test", "walled.test"),
    *("gone.test", "slow.test", "shut.test", "void.test", "sick.test"),
)


@dataclass
class HostedWeb(Web):
    """A web whose pages are known by host and path: ``docs.ferry.test/leases``; a search by its query."""

    held: threading.Event = field(default_factory=threading.Event)
    """What hangs, hangs until then."""

    def __exit__(self, *given: object) -> None:
        self.held.set()
        super().__exit__(*given)  # type: ignore[arg-type]

    @property
    def names(self) -> dict[str, list[list[str] | None]]:
        """The addresses of its hosts. One of them changes its address after the first look-up."""
        return {**{host: [[HERE]] for host in HOSTS}, "rebind.test": [[HERE], [PRIVATE]]}

    def at(self, place: str) -> str:
        """The address of a page."""
        host, _, path = place.partition("/")
        return self.url(f"/{path}", host)

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        """Answers one request, under its host's name."""
        host = handler.headers.get("host", "").partition(":")[0]
        address = urlsplit(handler.path)
        query = parse_qs(address.query).get("q")
        handler.path = host + (f"/search {query[0]}" if host == "search.test" and query else handler.path)
        super().answer(handler)

    def hang(self, handler: BaseHTTPRequestHandler) -> None:
        """Says nothing."""
        self.held.wait()
        handler.close_connection = True

    def finds(self, query: str, *places: str) -> None:
        """Lets the search engine answer a query as SearXNG does."""
        found = [{"url": self.at(place), "title": f"About {place}", "content": "A result."} for place in places]
        body = json.dumps({"query": query, "results": found, "unresponsive_engines": []})
        self.put(f"search.test/search {query}", typed(body.encode(), "application/json"))

    def asked_at(self, place: str) -> list[float]:
        """When a page was asked for, by the server's clock."""
        return [seen.began for seen in self.seen if seen.path == place]

    def places(self) -> list[str]:
        """What was asked for, in order; robots.txt left aside."""
        return [seen.path for seen in self.seen if not seen.path.endswith("/robots.txt")]


def html(name: str) -> str:
    """A page of the folder `pages`."""
    return (PAGES / f"{name}.html").read_text(encoding="utf-8")


PAPER = (
    shown("Measured with 64 workers, a lease of 30 seconds costs 0.4 percent of throughput."),
    shown("Renewals add one request for each job and ten seconds of work."),
)

CODE = (
    "# SPDX-License-Identifier: MIT\n\n\nclass Lease:\n"
    '    """The lease of a client of the server, as the method `take` of its queue gives it."""\n\n'
    "    def renew(self) -> bool:\n"
    '        """Renew the lease; False where the server returned that the client has lost it."""\n'
    '        answer = self.server.post("/renew", job=self.job)\n        return answer.status == 200\n'
)
README = (
    "# Ferry\n\nFerry is a queue of jobs. A worker takes a job under a lease, and renews the lease while it works.\n"
)


def zstd_bomb() -> bytes:
    """A frame of zstd that unpacks to a gigabyte: blocks that repeat one byte (RFC 8878, 3.1.1.2)."""
    blocks = b"".join((0b010 | 131_072 << 3).to_bytes(3, "little") + b"x" for _ in range(8_191))
    return b"\x28\xb5\x2f\xfd\x00\x58" + blocks + (0b011 | 131_072 << 3).to_bytes(3, "little") + b"x"


def gzip_bomb() -> bytes:
    """A hundred megabytes of nothing, packed."""
    packer = zlib.compressobj(9, wbits=31)
    return b"".join([*(packer.compress(bytes(1_000_000)) for _ in range(100)), packer.flush()])


def fill(web: HostedWeb) -> None:
    """Puts everything there."""
    _good(web)
    _troubled(web)
    web.finds("nobody tells this", "shut.test/secret", "void.test/nothing", "sick.test/words")
    for host in ("walled.test", "shut.test"):
        web.put(f"{host}/robots.txt", typed(b"User-agent: *\nDisallow: /\n", "text/plain"))
    web.put("sick.test/words", Reply(503))


def _good(web: HostedWeb) -> None:
    web.finds(
        "ferry queue lease",
        *("docs.ferry.test/leases", "copy.otter.test/leases", "notes.otter.test/lease", "papers.heron.test/lease.pdf"),
    )
    web.finds(
        "renew a lease",
        *("old.ferry.test/renew", "site.hub.test/ferry/ferry", "blog.heron.test/clocks", "plain.heron.test/faq.txt"),
    )
    web.put("docs.ferry.test/leases", typed(html("leases").encode(), HTML))
    web.put("copy.otter.test/leases", typed(html("leases").encode(), HTML))
    web.put("docs.ferry.test/renewing", typed(html("renewing").encode(), HTML))
    web.redirect("old.ferry.test/renew", web.at("docs.ferry.test/renewing"), 301)
    web.put("notes.otter.test/lease", typed(html("cafe").encode("cp1252"), "text/html; charset=iso-8859-1"))
    packed = gzip.compress(html("clocks").encode("cp1252"), mtime=0)
    web.put("blog.heron.test/clocks", typed(packed, "text/html", ("Content-Encoding", "gzip")))
    web.put(
        "plain.heron.test/faq.txt",
        typed(b"\xff\xfe" + (PAGES / "faq.txt").read_text().encode("utf-16-le"), "text/plain"),
    )
    web.put("papers.heron.test/lease.pdf", typed(make_pdf(*PAPER, title="What a lease costs"), "application/pdf"))
    for ref in ("main", "HEAD"):
        web.put(f"api.hub.test/repos/ferry/ferry/commits/{ref}", typed(SHA.encode(), "application/vnd.github.sha"))
    web.put(f"api.hub.test/repos/ferry/ferry/readme?ref={SHA}", typed(b'{"path": "README.md"}', "application/json"))
    web.put(f"raw.hub.test/ferry/ferry/{SHA}/src/lease.py", typed(CODE.encode(), "text/plain; charset=utf-8"))
    web.put(f"raw.hub.test/ferry/ferry/{SHA}/README.md", typed(README.encode(), "text/plain; charset=utf-8"))


def _troubled(web: HostedWeb) -> None:
    web.finds(
        "ferry dead letters",
        *("busy.test/dead", "ill.test/retries", "silent.test/dead", "lead.test/metadata", "lead.test/private"),
        *("rebind.test/dead", "bomb.test/gzip", "bomb.test/zstd", "gate.test/dead", "gate.test/said"),
        *("sly.test/revive", "walled.test/dead", "gone.test/dead", "slow.test/watch", "slow.test/faq"),
    )
    dead = typed(html("dead").encode(), HTML)
    web.put("busy.test/dead", Reply(429, b"", (("Retry-After", "1"),)), dead)
    web.put("ill.test/retries", Reply(503), typed(html("retries").encode(), HTML))
    web.put("silent.test/dead", web.hang)
    web.redirect("lead.test/metadata", f"http://{METADATA}/latest/meta-data/")
    web.redirect("lead.test/private", f"http://{PRIVATE}/dead")
    web.put("rebind.test/dead", dead)
    web.put("bomb.test/gzip", typed(gzip_bomb(), HTML, ("Content-Encoding", "gzip")))
    web.put("bomb.test/zstd", typed(zstd_bomb(), HTML, ("Content-Encoding", "zstd")))
    web.put("gate.test/dead", typed(html("challenge").encode(), HTML, status=403))
    web.put("gate.test/said", typed(html("challenge").encode(), HTML))
    web.put("sly.test/revive", typed(html("sly").encode(), HTML, ("Set-Cookie", "session=1")))
    web.put("walled.test/dead", dead)
    web.put("gone.test/dead", Reply(410))
    web.put("slow.test/robots.txt", typed(b"User-agent: *\nCrawl-delay: 1\n", "text/plain"))
    web.put("slow.test/watch", typed(html("watching").encode(), HTML))
    web.put("slow.test/faq", Reply(404))


def echo(web: HostedWeb) -> None:
    """Lets the provider that gets a key send it back, in its answer and in what it finds."""

    def tavily(handler: BaseHTTPRequestHandler) -> None:
        key = handler.headers["Authorization"].removeprefix("Bearer ")
        hit = {"url": web.at(f"docs.ferry.test/leases?key={key}"), "title": f"A lease for {key}", "content": "A lease."}
        send(handler, typed(json.dumps({"results": [hit], "asked_with": key}).encode(), "application/json"))

    web.put("tavily.test/search", tavily)
