"""The one client: asks for addresses and calls APIs, and gives what came of it."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace

from generator.web.addresses import Reach
from generator.web.api import Api, tells_secret
from generator.web.archive import Archive
from generator.web.connection import Cache, Client, Guard, user_agent
from generator.web.github import GitHub, Hub, parse_place, with_lines
from generator.web.limits import Limits
from generator.web.model import Call, Fetched, Reply
from generator.web.names import Resolver, SystemResolver
from generator.web.pace import Pace
from generator.web.pages import Pages
from generator.web.snapshots import reply_name


class Fetcher:
    """Fetches addresses. Give it back with :meth:`close`, or use it in a ``with``. Used by many threads."""

    def __init__(  # noqa: PLR0913 - what a run may set, each by its name
        self,
        limits: Limits | None = None,
        *,
        contact: str = "",
        resolver: Resolver | None = None,
        allow_loopback: bool = False,
        archive: Archive | None = None,
        hub: Hub | None = None,
    ) -> None:
        self.limits = limits or Limits()
        self.user_agent = user_agent(contact)
        reach = Reach.LOOPBACK if allow_loopback else Reach.PUBLIC
        self._pace = pace = Pace(self.limits.spacing_s, self.limits.max_wait_s)
        self._guard = Guard(resolver or SystemResolver(), pace)
        self._archive = archive
        self._hub = hub or Hub()
        file = archive.cache_file if archive else None
        cache = Cache(self._guard, file, self.limits.max_bytes) if file else self._guard
        self._clients = (Client(self.user_agent, cache), Client(self.user_agent, self._guard))
        self._pages = Pages(self._clients[0], pace, self.limits, reach)
        self._api = Api(self._clients[1], pace, self.limits, reach)
        self._github = GitHub(self._hub, self.call, self._pages.read)
        self._once: dict[str, threading.Lock] = defaultdict(threading.Lock)

    def __enter__(self) -> Fetcher:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends all connections."""
        for client in self._clients:
            client.close()

    def stop(self) -> None:
        """Ends what is under way in other threads: it fails at once, and so does what is asked later."""
        self._pace.stop()

    def share(self, workers: int) -> None:
        """Leaves hosts alone for so many times as long: as many clients ask them."""
        self._pace.share(workers)

    def call(self, call: Call) -> Reply:
        """What an API answered. Never raises for what hosts do: an :data:`~generator.drafts.Ask`."""
        if self._archive is None or not call.is_kept:
            return self._api.call(call)
        with self._once[reply_name(call)]:
            reply = self._archive.get_reply(call)
            if reply is None:
                reply = self._api.call(call)
                if not tells_secret(reply, call):
                    self._archive.put_reply(call, reply)
        return reply

    def stream(self, call: Call) -> Iterator[str]:
        """The lines of an API's answer as they come: a :data:`~generator.drafts.Stream`."""
        return self._api.stream(call)

    def fetch(self, url: str) -> Fetched:
        """What the address gave: its text, or why there is none. Never raises for what hosts do.

        Where the archive holds it, nobody is asked; where two threads want it at once, one of them asks.
        """
        asked, _, fragment = url.partition("#")
        if self._archive is None:
            return with_lines(self._ask(asked), fragment)
        with self._once[asked]:
            kept = self._archive.get(asked)
            fetched = replace(kept, requests=0, retries=0) if kept else self._ask(asked)
        return with_lines(fetched, fragment)

    def fetch_all(self, urls: Sequence[str], workers: int = 8) -> Iterator[Fetched]:
        """What each address gave, as it comes; hosts side by side, the addresses of one host one after another."""
        by_host: dict[str, list[str]] = defaultdict(list)
        for url in dict.fromkeys(urls):
            by_host[url.partition("://")[2].partition("/")[0].lower()].append(url)
        pool = ThreadPoolExecutor(workers, thread_name_prefix="fetch")
        try:
            waiting = {pool.submit(self.fetch, group.pop(0)): group for group in by_host.values()}
            while waiting:
                done = next(as_completed(waiting))
                group = waiting.pop(done)
                if group:
                    waiting[pool.submit(self.fetch, group.pop(0))] = group
                yield done.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _ask(self, url: str) -> Fetched:
        place = parse_place(url, self._hub)
        fetched, exchanges = self._github.read(url, place) if place else self._pages.read(url)
        if self._archive:
            self._archive.put(fetched, exchanges)
        return fetched
