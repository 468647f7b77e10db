"""A web on loopback: a real server with real sockets, and the names that lead to it."""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

HERE = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server returned."""

    status: int = 200
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "text/html; charset=utf-8"),)


@dataclass(frozen=True, slots=True)
class Seen:
    """A request, as the server got it."""

    path: str
    host: str
    headers: dict[str, str]
    began: float
    """By the server's clock."""
    method: str = "GET"
    body: bytes = b""


Answer = Reply | Callable[[BaseHTTPRequestHandler], None]


class Server:
    """A server on a free port of `here`, while its context lasts; a subclass answers."""

    here: str = HERE
    """The address that it listens at; on Linux each of 127.0.0.0/8 is one of this machine."""

    def __enter__(self) -> Self:
        web = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                web.answer(self)

            def do_POST(self) -> None:
                web.answer(self)

            def log_message(self, *args: object) -> None:
                """Keep quiet."""

        self.server = ThreadingHTTPServer((self.here, 0), Handler)
        self.server.daemon_threads = True
        self.server.block_on_close = False
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.server.server_address[1])

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        """Answer one request."""
        raise NotImplementedError


@dataclass
class Web(Server):
    """Pages by path; a list of answers is given one after another, the last one again and again."""

    pages: dict[str, list[Answer]] = field(default_factory=dict)
    seen: list[Seen] = field(default_factory=list)
    here: str = HERE
    own: threading.local = field(default_factory=threading.local)
    """``body``: of the request that a thread answers."""

    def url(self, path: str, host: str = HERE) -> str:
        """The address of a page."""
        return f"http://{host}:{self.port}{path}"

    def put(self, path: str, *answers: Answer) -> str:
        """Serves `answers` at `path`; gives the address."""
        self.pages[path] = list(answers)
        return self.url(path)

    def html(self, path: str, body: str, *, status: int = 200, title: str = "A page") -> str:
        """Serves a page whose body is `body`."""
        text = f'<!doctype html><html lang="en"><head><title>{title}</title></head><body>{body}</body></html>'
        return self.put(path, Reply(status, text.encode()))

    def redirect(self, path: str, location: str, status: int = 302) -> str:
        """Serves a redirect."""
        return self.put(path, Reply(status, b"", (("Location", location),)))

    def asked(self, path: str) -> int:
        """How often a path was asked for."""
        return sum(seen.path == path for seen in self.seen)

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        """Answers one request."""
        headers = {name.lower(): value for name, value in handler.headers.items()}
        began = time.monotonic()
        body = handler.rfile.read(int(headers.get("content-length", "0")))
        self.own.body = body
        self.seen.append(Seen(handler.path, headers.get("host", ""), headers, began, handler.command, body))
        answers = self.pages.get(handler.path) or [Reply(404)]
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        try:
            if callable(answer):
                answer(handler)
            else:
                send(handler, answer)
        except OSError:
            handler.close_connection = True  # the client had enough


def send(handler: BaseHTTPRequestHandler, reply: Reply) -> None:
    """Sends a reply as it is."""
    handler.send_response(reply.status)
    for name, value in reply.headers:
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(reply.body)))
    handler.end_headers()
    handler.wfile.write(reply.body)


def typed(body: bytes, media_type: str, *more: tuple[str, str], status: int = 200) -> Reply:
    """A reply of a type, with more headers."""
    return Reply(status, body, (("Content-Type", media_type), *more))


def gzipped(body: bytes, media_type: str = "text/html; charset=utf-8") -> Reply:
    """A reply packed with gzip."""
    return typed(gzip.compress(body, 1), media_type, ("Content-Encoding", "gzip"))


class Names:
    """A resolver: answers by host, one after another, the last one again and again; it counts."""

    def __init__(self, **answers: Sequence[Sequence[str]]) -> None:
        self.answers = {host.replace("_", "."): list(found) for host, found in answers.items()}
        self.asked: list[str] = []

    def __call__(self, host: str) -> Sequence[str]:
        """See `Resolver`."""
        self.asked.append(host)
        found = self.answers.get(host, [()])
        return found.pop(0) if len(found) > 1 else found[0]


def make_pdf(*pages: str, title: str = "") -> bytes:
    """A PDF with one content stream a page: the operators of its text, as PDF writes them."""
    bodies = ["<< /Type /Catalog /Pages 2 0 R >>"]
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    bodies.append(f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>")
    bodies.append("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for n, operators in enumerate(pages):
        bodies.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * n} 0 R >>"
        )
        bodies.append(f"<< /Length {len(operators)} >>\nstream\n{operators}\nendstream")
    bodies.append(f"<< /Title ({title}) /CreationDate (D:20240506070809Z) >>")
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(bodies, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    tail = f"xref\n0 {len(bodies) + 1}\n0000000000 65535 f \n{table}trailer\n"
    tail += f"<< /Size {len(bodies) + 1} /Root 1 0 R /Info {len(bodies)} 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"
    return out + tail.encode()


def shown(words: str) -> str:
    """The operators that show words on a page of a PDF."""
    return f"BT /F1 12 Tf 72 720 Td ({words}) Tj ET"
