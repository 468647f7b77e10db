"""The client that fetches pages and calls APIs."""

from __future__ import annotations

import codecs
import io
import json
import re
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing, nullcontext
from dataclasses import replace
from functools import partial
from typing import TypeVar

from generator.web.addresses import Reach, Resolver, refused
from generator.web.archive import Archive, reply_name
from generator.web.connection import (
    Client,
    Guard,
    RateLimiter,
    RequestContext,
    RequestParts,
    Response,
    Url,
    ask_system,
    host_of,
    origin_of,
    parse_url,
    user_agent,
)
from generator.web.github import GitHubClient, GitHubEndpoints, with_lines
from generator.web.model import Call, Fetched, Limits, Outcome, Reply, Unanswered, Unfetched
from generator.web.pages import PageFetcher
from generator.web.responses import check_size, checked_body


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


# --- calls to APIs ---------------------------------------------------------------------------------------------------

Read = TypeVar("Read")

_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VALUE = re.compile(r"[\x20-\x7e]*")
"""https://www.rfc-editor.org/rfc/rfc9110#section-5.5, without characters that few hosts accept."""
_OURS = frozenset({"accept-encoding", "connection", "content-length", "host", "transfer-encoding", "user-agent"})
"""Headers that the client sets; a call must not."""
_OPEN = frozenset({"accept", "accept-language", "content-type"})
"""Headers that hold no secret; any other may be a key."""
_SCHEMES = frozenset({"basic", "bearer", "token"})
"""Authentication schemes that precede a key (https://www.rfc-editor.org/rfc/rfc9110#section-11.4)."""
_SHORTEST_SECRET = 6


class ApiClient:
    """Make API calls through the client. Thread-safe."""

    def __init__(self, client: Client, reach: Reach) -> None:
        self._client = client
        self._limits = client.limits
        self._reach = reach

    def call(self, call: Call) -> Reply:
        """Return the API's reply, or the reason why there is none."""
        context = self._context(call, is_alone=True)
        try:
            reply = self._answer(call, context, self._read)
        except Unfetched as error:
            return _failed(call, error, context)
        return replace(reply, requests=context.requests, retries=context.retries)

    def stream(self, call: Call) -> Iterator[str]:
        """Yield the lines of the response, without line ends. Raises :class:`Unanswered`."""
        context = self._context(call, is_alone=False)
        try:
            with closing(self._answer(call, context, self._read_head)) as response:
                yield from _lines(response.iter_raw(), self._limits.max_bytes)
        except Unfetched as error:
            raise Unanswered(_failed(call, error, context)) from None  # its cause may quote secrets

    def _context(self, call: Call, *, is_alone: bool) -> RequestContext:
        limits = self._limits
        return RequestContext(
            call.timeout_s or limits.deadline_s,
            Reach.TRUSTED if call.is_trusted else self._reach,
            call.timeout_s or limits.timeout_s,
            spacing_s=call.spacing_s,
            is_alone=is_alone,
        )

    def _answer(self, call: Call, context: RequestContext, read: Callable[[Response], Read]) -> Read:
        """Return the result of `read` on the response after all redirects."""
        url = parse_url(call.url)
        _check(call, url, self._reach)
        url = url.copy_merge_params(call.params) if call.params else url
        parts = _parts(call, is_stream=not context.is_alone)
        return self._client.follow(url, context, read, partial(_check_redirect, call), parts)

    def _read(self, response: Response) -> Reply:
        """Read a response to its end. Raises :class:`Unfetched` for one that is an error."""
        with closing(response):
            status, headers = response.status_code, response.headers
            body = checked_body(status, headers, response.iter_raw(), self._limits.max_bytes, is_api=True)
            return Reply(Outcome.OK, "", status, dict(headers), body)

    def _read_head(self, response: Response) -> Response:
        """Return a response whose lines can be read; the caller closes it."""
        if not response.is_success:
            self._read(response)
        if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
            raise Unfetched(Outcome.WRONG_TYPE, "the stream is compressed, which was not requested")
        return response


def _check(call: Call, url: Url, reach: Reach) -> None:
    """Raise :class:`Unfetched` if the call itself must not be made."""
    for name, value in call.headers:
        if not _NAME.fullmatch(name) or name.lower() in _OURS:
            raise refused(f"{name[:40]!r} is not a header that a call may set")
        if not _VALUE.fullmatch(value):  # the value is not reported: it may be a key
            raise refused(
                f"its header {name[:40]} contains a line end, an accented letter or another invalid character"
            )
    if call.headers and url.scheme == "http" and not call.is_trusted and reach is Reach.PUBLIC:
        raise refused("its headers may contain keys, which are sent over https only")


def _parts(call: Call, *, is_stream: bool) -> RequestParts:
    """Return the method, the headers and the body to send."""
    given = {name.lower() for name, _ in call.headers}
    content = None if call.body is None else json.dumps(dict(call.body), ensure_ascii=False).encode("utf-8", "replace")
    ours = {"accept": "text/event-stream, application/json" if is_stream else "application/json, */*;q=0.1"}
    if content is not None:
        ours["content-type"] = "application/json"
    if is_stream:
        ours["accept-encoding"] = "identity"
    headers = (*call.headers, *((name, value) for name, value in ours.items() if name not in given))
    return RequestParts(call.method, headers, content)


def _check_redirect(call: Call, url: Url, redirect: Response | None) -> None:
    """Raise :class:`Unfetched` for a redirect to another host: the headers may hold keys meant for this host alone."""
    if redirect and (origin_of(url) != origin_of(redirect.url) or call.method not in {"GET", "HEAD"}):
        reason = f"it redirects to {host_of(url)[:100] or 'nowhere'}, where a call is not followed"
        raise Unfetched(Outcome.REFUSED, reason, status=redirect.status_code)


def _failed(call: Call, error: Unfetched, context: RequestContext) -> Reply:
    reason = error.reason
    for word in _secrets(call):  # a host may echo them
        reason = reason.replace(word, "[hidden]")
    return Reply(error.outcome, reason, error.status, error.headers, error.body, context.requests, context.retries)


def echoes_secret(reply: Reply, call: Call) -> bool:
    """Return whether the reply echoes a secret of the call: such a reply must not be cached."""
    return any(word.encode("ascii", "replace") in reply.body for word in _secrets(call))


def _secrets(call: Call) -> list[str]:
    """Return the words of the call's headers that may be secret, longest first."""
    values = [value for name, value in call.headers if name.lower() not in _OPEN]
    words = {word for value in values for word in (value, *value.split()) if len(word) >= _SHORTEST_SECRET}
    words = {word for word in words if word.lower() not in _SCHEMES}
    return sorted(words, key=len, reverse=True)


def _lines(chunks: Iterator[bytes], max_bytes: int) -> Iterator[str]:
    """Yield the lines of a stream, ended by CR, LF or both (https://html.spec.whatwg.org/#parsing-an-event-stream)."""
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder("utf-8")("replace"), translate=True)
    size, rest = 0, ""
    for chunk in chunks:
        size += len(chunk)
        check_size(size, max_bytes)
        *whole, rest = (rest + decoder.decode(chunk)).split("\n")
        yield from whole
    *whole, rest = (rest + decoder.decode(b"", final=True)).split("\n")
    yield from (*whole, rest) if rest else whole
