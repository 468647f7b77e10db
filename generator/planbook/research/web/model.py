"""Values of the web client: limits, requests to hosts, and their results."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from enum import StrEnum
from typing import Any
from urllib.parse import quote


class Outcome(StrEnum):
    """Outcome of requesting a URL."""

    OK = "ok"
    MOVED = "moved"
    """It was read at another URL, to which it has moved permanently."""
    GONE = "gone"
    BLOCKED = "blocked"
    """The host does not serve it to programs, or to us."""
    DISALLOWED = "disallowed"
    """The host's robots.txt forbids reading it."""
    RATE_LIMITED = "rate_limited"
    REFUSED = "refused"
    """The request or a redirect was refused because it would not be safe."""
    WRONG_TYPE = "wrong_type"
    TOO_LARGE = "too_large"
    TIMEOUT = "timeout"
    FAILED = "failed"
    """Any other failure, described by the reason."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a fetch; the defaults are those of `planbook verify`."""

    timeout_s: float = 15.0
    """Timeout of one step: connecting, or waiting for the next bytes."""
    deadline_s: float = 60.0
    """Timeout of one URL with its redirects and retries.

    The wait for the host's turn does not count.
    """
    spacing_s: float = 1.0
    """Seconds between the end of a request and the next one to the same host."""
    attempts: int = 3
    backoff_s: float = 1.0
    """Seconds before the second attempt, unless the server names a time.

    Doubled for each further one.
    """
    max_wait_s: float = 30.0
    """Longest wait that a server may ask for; beyond it, the server is left alone."""
    max_redirects: int = 5
    max_bytes: int = 10_000_000
    """Maximum size of a body, decompressed."""
    pdf_pages: int = 400
    """Maximum number of pages read from a PDF."""
    reading_s: float = 60.0
    """Timeout of extracting the text of a page or PDF."""


_UNPROCESSED_STATUSES = frozenset({403, 408, 425, 429, 503, 529})
"""Statuses that say that the request was not processed. 529 is the answer of overloaded APIs."""


@dataclass(eq=False)
class Unfetched(Exception):  # noqa: N818 - an outcome on its way up, not an error of the program
    """The reason why there is no text.

    It is raised where it is found, and returned as a value by :meth:`Fetcher.fetch`.
    """

    outcome: Outcome
    reason: str
    _: KW_ONLY
    status_code: int | None = None
    is_transient: bool = False
    """True if the same request may succeed in a moment."""
    is_undone: bool = False
    """True if the host has certainly not processed the request."""
    wait_s: float | None = None
    """Seconds that the server asks to wait before the next attempt."""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    """The body of an error response if it is short: an API may give the reason there."""

    def __post_init__(self) -> None:
        self.is_undone = self.is_undone or self.status_code in _UNPROCESSED_STATUSES

    def __str__(self) -> str:
        return self.reason


@dataclass(frozen=True, slots=True)
class Origin:
    """Origin of a file in a repository."""

    repository: str
    """``owner/name``."""
    path: str
    ref: str
    """The branch, tag or commit in the URL; ``HEAD`` if it names none."""
    commit: str | None = None
    """The full hash of the commit that the text is from; ``None`` if unknown."""
    lines: tuple[int, int] | None = None
    """First and last line that the URL points to, 1-based; ``None`` for the whole file."""
    host: str = "https://github.com"
    committed: str | None = None
    """The date of the commit, ``YYYY-MM-DD``, if a local mirror has verified it.

    Then a branch or tag contains the commit.
    """
    is_gitlab: bool = False

    @property
    def permalink(self) -> str:
        """The URL of exactly these lines, valid for as long as the commit exists."""
        form = "-/blob" if self.is_gitlab else "blob"
        file = f"{form}/{self.commit or self.ref}/{quote(self.path)}"
        return f"{self.host}/{self.repository}/{file}{self._fragment}"

    @property
    def _fragment(self) -> str:
        """The lines in a URL: ``#L3``, ``#L3-L7``, and ``#L3-7`` at GitLab."""
        if not self.lines:
            return ""
        ends = dict.fromkeys(self.lines)  # one line is named once
        between = "-" if self.is_gitlab else "-L"
        return f"#L{between.join(map(str, ends))}"


@dataclass(frozen=True, slots=True)
class Fetched:
    """Result of fetching a URL."""

    url: str
    """The URL requested, without its fragment."""
    outcome: Outcome
    reason: str = ""
    """Reason why there is no text; empty if there is one."""
    status_code: int | None = None
    """The last HTTP status; ``None`` if there was no response."""
    final_url: str = ""
    """The URL after all redirects."""
    moved_to: str | None = None
    """The URL to use from now on, even if its response is an error."""
    media_type: str = ""
    text: str = ""
    """The main text; Markdown if it was HTML."""
    visible: str = ""
    """All text visible to a reader."""
    title: str | None = None
    author: str | None = None
    date: str | None = None
    """The date of publication according to the page."""
    language: str | None = None
    updated: str | None = None
    """The date of the last update according to the page."""
    fetched: str = ""
    """Time of the request, in UTC, as ``YYYY-MM-DDTHH:MM:SSZ``."""
    requests: int = 0
    """Number of requests made, with redirects, retries and robots.txt.

    0 if the text was archived.
    """
    origin: Origin | None = None
    """Origin of the text if it is a file of a repository."""
    response: str | None = None
    """SHA-256 of the body that the text was extracted from; the response is stored under it."""
    work: Mapping[str, Any] | None = None
    """The work that it is according to an export of a reference manager, as a CSL item."""
    doubt: str = ""
    """Why it may not be the page that its address names; empty if there is no doubt."""
    is_copy: bool = False
    """True if it is a copy that the user saved, and `fetched` is its date."""
    is_local: bool = False
    """True if it was read from a file of the folder of documents."""
    is_from_working_tree: bool = False
    """True if it is a file of the base's own repository, as it is in the working tree."""

    @property
    def sha256(self) -> str | None:
        """The hash that names its text; ``None`` if there is none."""
        return hashlib.sha256(self.text.encode("utf-8")).hexdigest() if self.text else None

    @property
    def is_read(self) -> bool:
        """True if the document has a text to quote from."""
        return self.outcome in {Outcome.OK, Outcome.MOVED} and bool(self.text.strip())

    @property
    def is_usable(self) -> bool:
        """True if the document may be quoted without a person's decision.

        It was read, and is not doubtful.
        """
        return self.is_read and not self.doubt

    @property
    def has_lines(self) -> bool:
        """True if the lines of its text are those of a repository's file.

        HTML and PDF are converted.
        """
        converted = {"text/html", "application/xhtml+xml", "application/pdf"}
        return self.origin is not None and self.media_type not in converted


@dataclass(frozen=True, slots=True)
class Call:
    """A request to an API that the user configured or the project knows.

    Its headers may hold secrets.
    """

    url: str
    method: str = "GET"
    params: tuple[tuple[str, str], ...] = ()
    """Query parameters. They must hold no secrets: URLs appear in messages and logs."""
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    body: Mapping[str, Any] | None = field(default=None, repr=False)
    """Sent as JSON."""
    is_trusted: bool = False
    """True if the user configured the host.

    Then it may be on this machine or in a private network.
    """
    timeout_s: float | None = None
    """Total timeout, instead of the client's own limit."""
    spacing_s: float | None = None
    """Seconds from its end to the next request to the same host, instead of the client's own."""
    accepts: Callable[[Reply], bool] | None = field(default=None, repr=False)
    """Returns whether a reply is an answer: then it is archived and reused.

    ``None`` archives none.
    """


@dataclass(frozen=True, slots=True)
class Reply:
    """Result of an API call."""

    outcome: Outcome
    reason: str = ""
    status_code: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers by lower-case name."""
    body: bytes = b""
    """The body, also of an error response if it is short: it may give the reason."""
    requests: int = 0


Ask = Callable[[Call], Reply]
"""The function by which stages without network access call an API: the client passes
:meth:`Fetcher.call`.

It does not raise for a host's failures.
"""


class Unanswered(Exception):  # noqa: N818 - the result of a call, not an error of the program
    """A stream that does not start, or breaks off: the lines received so far are incomplete."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(f"{reply.outcome.value}: {reply.reason}")
        self.reply = reply
        """The reason; its body is that of the API's error response, never the streamed text."""


Stream = Callable[[Call], Iterator[str]]
"""The function by which stages read a response as it arrives, such as a language model's.

The client passes it to them.

It yields the lines without their ends; the stage interprets them (``data: ...``). Close the
iterator to stop early. It raises :class:`Unanswered` and nothing else for a host's failures. Unlike
calls, streams do not wait for each other: many can be read from one host in parallel.
"""
