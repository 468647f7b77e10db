"""A web whose every answer takes a while, in a process of its own: a search engine, and hosts of pages beside it.

``python -m bench.slow_web`` prints the origins of its hosts, the search engine's first, serves until its standard
input ends, and prints how often each host was asked.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, urlsplit

from bench.text import NOUNS, sentence
from tests.research.expand.loopback import text_at
from tests.research.web.server import Reply, Web, typed

PARAGRAPHS = 60
"""Of a page: with its menu and its code, it is about as long as a page of documentation."""


@dataclass
class SlowHost(Web):
    """A host that answers after `delay_s` seconds, and serves whatever page it is asked for."""

    delay_s: float = 0.05
    pages_a_query: int = 6
    origins: list[str] = field(default_factory=list)
    """Of the hosts that have pages; empty where it is one of them."""

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        """Answers one request; `/robots.txt` is not there."""
        time.sleep(self.delay_s)
        address = urlsplit(handler.path)
        if address.path == "/search":
            query = parse_qs(address.query)["q"][0]
            found = [{"url": url, "title": f"About {url}", "content": ""} for url in self.found(query)]
            body = json.dumps({"query": query, "results": found}).encode()
            self.put(handler.path, typed(body, "application/json"))
        elif address.path != "/robots.txt":
            self.put(handler.path, Reply(200, page(handler.path).encode()))
        super().answer(handler)
        self.pages.pop(handler.path, None)

    def found(self, query: str) -> list[str]:
        """The pages that a query finds, each on the next host. A query ends in its number, and no two find one page."""
        number = int(query.rpartition(" ")[2])
        places = range(number * self.pages_a_query, (number + 1) * self.pages_a_query)
        return [f"{self.origins[n % len(self.origins)]}/water/{n}" for n in places]


def page(path: str) -> str:
    """A page of words of its own: a menu, what answers the outline, and much that does not, with code."""
    chance = random.Random(path)  # noqa: S311 - the same page for the same address
    title, *told = text_at(path).split("\n\n")
    menu = "".join(f'<li><a href="/{noun}">{noun.title()}</a></li>' for noun in NOUNS)
    parts = [f"<p>{words}</p>" for words in told]
    for n in range(PARAGRAPHS):
        parts.append(f"<p>{' '.join(sentence(chance) for _ in range(3))}</p>")
        if n % 10 == 0:
            parts.append(f"<h2>{chance.choice(NOUNS).title()}</h2><pre><code>bake({n}, '{path}')</code></pre>")
    heading = title.lstrip("# ").strip()
    return (
        f'<!doctype html><html lang="en"><head><title>{heading}</title></head><body><nav><ul>{menu}</ul></nav>'
        f"<main><article><h1>{heading}</h1>{''.join(parts)}</article></main><footer>The end.</footer></body></html>"
    )


def main() -> None:
    """Serve until nobody listens any more."""
    parser = argparse.ArgumentParser(prog="python -m bench.slow_web", description=__doc__)
    parser.add_argument("--hosts", type=int, required=True, help="hosts with pages")
    parser.add_argument("--delay", type=float, required=True, help="seconds before each answer")
    parser.add_argument("--pages", type=int, required=True, help="pages that a query finds")
    options = parser.parse_args()
    with ExitStack() as held:
        hosts = [
            SlowHost(here=f"127.0.0.{n + 1}", delay_s=options.delay, pages_a_query=options.pages)
            for n in range(options.hosts + 1)
        ]
        for host in hosts:
            held.enter_context(host)
        origins = [host.url("", host.here) for host in hosts]
        hosts[0].origins = origins[1:]
        print(json.dumps(origins), flush=True)
        sys.stdin.read()
        print(json.dumps({origin: len(host.seen) for origin, host in zip(origins, hosts, strict=True)}), flush=True)


if __name__ == "__main__":
    main()
