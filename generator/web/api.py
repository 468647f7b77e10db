"""Calls to APIs: search providers, language models, GitHub. Their headers may hold secrets.

A call goes to the host that it names and to no other. Nothing that it reports (a reason, a log, a ``repr``) contains a
value of its headers.
"""

from __future__ import annotations

import codecs
import io
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import closing

from generator.web.addresses import Reach, refused
from generator.web.body import peek, read_body, too_large
from generator.web.charsets import decode
from generator.web.connection import Client, RequestContext, Response, Url, host_of, join_url, origin_of, parse_url
from generator.web.deadline import Deadline
from generator.web.limits import Limits
from generator.web.media_types import HTML
from generator.web.model import Call, Outcome, Reply, Unanswered
from generator.web.outcomes import ANSWERED, REDIRECTS, Unfetched, api_trouble_of
from generator.web.rate_limiter import RateLimiter
from generator.web.retries import persist

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

    def __init__(self, client: Client, limiter: RateLimiter, limits: Limits, reach: Reach) -> None:
        self._client = client
        self._limiter = limiter
        self._limits = limits
        self._reach = reach

    def call(self, call: Call) -> Reply:
        """Return the API's reply, or the reason why there is none."""
        context = self._context(call, is_alone=True)
        try:
            with closing(self._answer(call, context)) as response:
                encoding = response.headers.get("content-encoding", "")
                body = read_body(response.iter_raw(), encoding, self._limits.max_bytes)
                trouble = api_trouble_of(response.status_code, response.headers, _page(response, body))
                if trouble:
                    raise trouble
        except Unfetched as error:
            return _failed(call, error, context)
        return Reply(Outcome.OK, "", response.status_code, _lowered(response), body, context.requests, context.retries)

    def stream(self, call: Call) -> Iterator[str]:
        """Yield the lines of the response, without line ends. Raises :class:`Unanswered`."""
        context = self._context(call, is_alone=False)
        try:
            with closing(self._answer(call, context)) as response:
                if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
                    raise Unfetched(Outcome.WRONG_TYPE, "its lines are packed, which was not asked for")
                yield from _lines(response.iter_raw(), self._limits.max_bytes)
        except Unfetched as error:
            raise Unanswered(_failed(call, error, context)) from None  # its cause may quote secrets

    def _context(self, call: Call, *, is_alone: bool) -> RequestContext:
        limits = self._limits
        return RequestContext(
            Deadline(call.timeout_s or limits.deadline_s),
            Reach.TRUSTED if call.is_trusted else self._reach,
            call.timeout_s or limits.timeout_s,
            spacing_s=call.spacing_s,
            is_alone=is_alone,
        )

    def _answer(self, call: Call, context: RequestContext) -> Response:
        """Return the head of a successful response; the caller reads its body and closes it."""
        url = parse_url(call.url)
        _check(call, url, self._reach)
        url = url.copy_merge_params(call.params) if call.params else url
        for _ in range(self._limits.max_redirects + 1):
            response = self._persist(call, url, context)
            if response.status_code not in REDIRECTS:
                return response
            response.close()
            url = _next_hop(call, url, response)
        raise Unfetched(Outcome.FAILED, f"it redirects more than {self._limits.max_redirects} times")

    def _persist(self, call: Call, url: Url, context: RequestContext) -> Response:
        headers, content = _sent(call, is_stream=not context.is_alone)

        def ask() -> Response:
            """Send the request once."""
            response = self._client.send(url, context, method=call.method, headers=headers, content=content)
            try:
                _check_answer(response)
            except BaseException as error:
                response.close()
                if isinstance(error, Unfetched):
                    self._limiter.back_off(host_of(url), error)
                raise
            return response

        return persist(ask, self._limits, context, self._limiter.sleep, may_repeat=call.method in {"GET", "HEAD"})


class Rejected(Unfetched):
    """An error response, with its headers and body."""

    def __init__(self, why: Unfetched, headers: Mapping[str, str], body: bytes) -> None:
        super().__init__(why.outcome, why.reason, status=why.status, is_transient=why.is_transient, wait_s=why.wait_s)
        self.headers = headers
        self.body = body


def _check(call: Call, url: Url, reach: Reach) -> None:
    """Raise :class:`Unfetched` if the call itself must not be made."""
    for name, value in call.headers:
        if not _NAME.fullmatch(name) or name.lower() in _OURS:
            raise refused(f"{name[:40]!r} is no header that a call may set")
        if not _VALUE.fullmatch(value):  # the value is not reported: it may be a key
            raise refused(
                f"its header {name[:40]} holds what no header may, such as a line end or a letter with accents"
            )
    if call.headers and url.scheme == "http" and not call.is_trusted and reach is Reach.PUBLIC:
        raise refused("its headers may hold keys, and only https hides them on the way")


def _sent(call: Call, *, is_stream: bool) -> tuple[tuple[tuple[str, str], ...], bytes | None]:
    """Return the headers and the body to send."""
    given = {name.lower() for name, _ in call.headers}
    content = None if call.body is None else json.dumps(dict(call.body), ensure_ascii=False).encode("utf-8", "replace")
    ours = {"accept": "text/event-stream, application/json" if is_stream else "application/json, */*;q=0.1"}
    if content is not None:
        ours["content-type"] = "application/json"
    if is_stream:
        ours["accept-encoding"] = "identity"
    return (*call.headers, *((name, value) for name, value in ours.items() if name not in given)), content


def _check_answer(response: Response) -> None:
    """Raise :class:`Rejected` unless the response is a success or a redirect."""
    status, headers = response.status_code, response.headers
    if status in REDIRECTS and "location" in headers:
        return
    body = b"" if status in ANSWERED else peek(response.iter_raw(), headers.get("content-encoding", ""))
    trouble = api_trouble_of(status, headers, _page(response, body))
    if trouble:
        raise Rejected(trouble, _lowered(response), body)


def _page(response: Response, body: bytes) -> str:
    """Return the body as text if it is HTML, else an empty string."""
    media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return decode(body, None, is_html=True) if media_type in HTML else ""


def _next_hop(call: Call, url: Url, response: Response) -> Url:
    """Return the redirect target if it is on the same host: the headers may hold keys meant for that host alone."""
    try:
        there = join_url(url, response.headers["location"])
    except ValueError as error:
        reason = "it redirects to what is no address"
        raise Unfetched(Outcome.FAILED, reason, status=response.status_code) from error
    if origin_of(there) != origin_of(url) or call.method not in {"GET", "HEAD"}:
        reason = f"it redirects to {host_of(there)[:100] or 'nowhere'}, where a call is not followed"
        raise Unfetched(Outcome.REFUSED, reason, status=response.status_code)
    return there


def _failed(call: Call, error: Unfetched, context: RequestContext) -> Reply:
    headers, body = (error.headers, error.body) if isinstance(error, Rejected) else ({}, b"")
    reason = _without_secrets(error.reason, call)
    return Reply(error.outcome, reason, error.status, headers, body, context.requests, context.retries)


def _without_secrets(text: str, call: Call) -> str:
    """Return `text` without the secrets in the call's headers: a host may echo them."""
    for word in _secrets(call):
        text = text.replace(word, "[hidden]")
    return text


def tells_secret(reply: Reply, call: Call) -> bool:
    """Return whether the reply echoes a secret of the call: such a reply must not be cached."""
    return any(word.encode("ascii", "replace") in reply.body for word in _secrets(call))


def _secrets(call: Call) -> list[str]:
    """Return the words of the call's headers that may be secret, longest first."""
    values = [value for name, value in call.headers if name.lower() not in _OPEN]
    words = {word for value in values for word in (value, *value.split()) if len(word) >= _SHORTEST_SECRET}
    words = {word for word in words if word.lower() not in _SCHEMES}
    return sorted(words, key=len, reverse=True)


def _lowered(response: Response) -> dict[str, str]:
    return {name.lower(): value for name, value in response.headers.items()}


def _lines(chunks: Iterator[bytes], max_bytes: int) -> Iterator[str]:
    """Yield the lines of a stream, ended by CR, LF or both (https://html.spec.whatwg.org/#parsing-an-event-stream)."""
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder("utf-8")("replace"), translate=True)
    size, rest = 0, ""
    for chunk in chunks:
        size += len(chunk)
        if size > max_bytes:
            raise too_large(max_bytes)
        *whole, rest = (rest + decoder.decode(chunk)).split("\n")
        yield from whole
    *whole, rest = (rest + decoder.decode(b"", final=True)).split("\n")
    yield from (*whole, rest) if rest else whole
