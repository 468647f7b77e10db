"""The client that fetches pages and calls APIs."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import nullcontext
from dataclasses import replace

from generator.web.addresses import Reach, Resolver, ask_system
from generator.web.api import ApiClient, echoes_secret
from generator.web.archive import Archive, reply_name
from generator.web.connection import Client, Guard, user_agent
from generator.web.github import GitHubClient, GitHubEndpoints, with_lines
from generator.web.model import Call, Fetched, Limits, Reply
from generator.web.pages import PageFetcher
from generator.web.rate_limiter import RateLimiter


class Fetcher:
    """Fetch pages and call APIs. Close it with :meth:`close`, or use it in a ``with``. Thread-safe."""

    def __init__(  # noqa: PLR0913 - the options of a run, each by name
        self,
        limits: Limits | None = None,
        *,
        contact: str = "",
        resolver: Resolver = ask_system,
        allow_loopback: bool = False,
        archive: Archive | None = None,
        github: GitHubEndpoints | None = None,
    ) -> None:
        self.limits = limits or Limits()
        self.user_agent = user_agent(contact)
        reach = Reach.LOOPBACK if allow_loopback else Reach.PUBLIC
        self._limiter = limiter = RateLimiter(self.limits.spacing_s, self.limits.max_wait_s)
        self._archive = archive
        self._client = Client(self.user_agent, Guard(resolver, limiter), self.limits, limiter)
        self._pages = PageFetcher(self._client, reach)
        self._api = ApiClient(self._client, reach)
        self._github = GitHubClient(github or GitHubEndpoints(), self.call, self._pages.read)
        self._once: dict[str, threading.Lock] = defaultdict(threading.Lock)

    def __enter__(self) -> Fetcher:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def stop(self) -> None:
        """Abort the requests under way in other threads; these and all later ones fail at once."""
        self._limiter.stop()

    def share(self, workers: int) -> None:
        """Multiply the pauses between requests by the number of workers, as many clients contact the same hosts."""
        self._limiter.share(workers)

    def call(self, call: Call) -> Reply:
        """Return an API's reply, an :data:`~generator.web.model.Ask`. Does not raise for a host's failures."""
        if self._archive is None or call.accepts is None:
            return self._api.call(call)
        with self._once[reply_name(call)]:
            reply = self._archive.get_reply(call)
            if reply is None:
                reply = self._api.call(call)
                if call.accepts(reply) and not echoes_secret(reply, call):
                    self._archive.put_reply(call, reply)
        return reply

    def stream(self, call: Call) -> Iterator[str]:
        """Yield the lines of an API's response as they arrive, a :data:`~generator.web.model.Stream`."""
        return self._api.stream(call)

    def fetch(self, url: str) -> Fetched:
        """Return the text at the URL, or the reason why there is none. Does not raise for a host's failures.

        An archived text needs no request. If two threads want the same URL at once, one of them requests it.
        """
        asked, _, fragment = url.partition("#")
        with self._once[asked] if self._archive else nullcontext():
            kept = self._archive.get(asked) if self._archive else None
            fetched = replace(kept, requests=0, retries=0) if kept else self._ask(asked)
        return with_lines(fetched, fragment)

    def fetch_all(self, urls: Sequence[str], workers: int = 8) -> Iterator[Fetched]:
        """Yield the result for each URL as it arrives: hosts in parallel, the URLs of one host one after another."""
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
        fetched, exchanges = self._github.read(url) or self._pages.read(url)
        if self._archive:
            self._archive.put(fetched, exchanges)
        return fetched
