"""Calls to APIs: search providers, language models, GitHub. Their headers may hold secrets.

A call goes to the host that it names and to no other. Nothing that it reports (a reason, a log, a ``repr``) contains a
value of its headers.
"""

from __future__ import annotations

import codecs
import io
import json
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import TypeVar

from generator.web.addresses import Reach, refused
from generator.web.connection import Client, RequestContext, RequestParts, Response, Url, host_of, origin_of, parse_url
from generator.web.model import Call, Outcome, Reply, Unanswered, Unfetched
from generator.web.responses import check_size, checked_body

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
