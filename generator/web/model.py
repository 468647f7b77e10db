"""Values of the web client: what is asked of hosts, and what they gave. Frozen."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any
from urllib.parse import quote


class Outcome(StrEnum):
    """What came of asking for an address."""

    OK = "ok"
    MOVED = "moved"
    """It was read at another address, to which it has moved for good."""
    GONE = "gone"
    BLOCKED = "blocked"
    """The host does not show it to programs, or to us."""
    DISALLOWED = "disallowed"
    """The host's robots.txt asks not to read it."""
    RATE_LIMITED = "rate_limited"
    REFUSED = "refused"
    """It was not asked, or not followed, because that would not be safe."""
    WRONG_TYPE = "wrong_type"
    TOO_LARGE = "too_large"
    TIMEOUT = "timeout"
    FAILED = "failed"
    """Anything else; the reason says what."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where in a repository a file comes from."""

    repository: str
    """``owner/name``."""
    path: str
    ref: str
    """The branch, tag or commit that was asked for; ``HEAD`` where none was named."""
    commit: str | None = None
    """The commit that the text is of, in full; ``None`` where it could not be found out."""
    licence: str | None = None
    """Of the repository, by its SPDX identifier; ``None`` where it has none, or it could not be found out."""
    lines: tuple[int, int] | None = None
    """First and last line that the address points to, 1-based; ``None`` where it points to the whole file."""
    note: str = ""
    """Why something of this is not known; empty where all is."""
    host: str = "https://github.com"

    @property
    def permalink(self) -> str:
        """The address of these very lines, for as long as the commit is kept."""
        ends = dict.fromkeys(self.lines or ())
        fragment = "#" + "-".join(f"L{line}" for line in ends) if ends else ""
        return f"{self.host}/{self.repository}/blob/{self.commit or self.ref}/{quote(self.path)}{fragment}"


@dataclass(frozen=True, slots=True)
class Fetched:
    """What an address gave."""

    url: str
    """As asked, without fragment."""
    outcome: Outcome
    reason: str = ""
    """Why there is no text; empty where there is."""
    status: int | None = None
    """The last HTTP status; ``None`` where no answer came."""
    final_url: str = ""
    """Where the redirects led."""
    moved_to: str | None = None
    """The address to use from now on, also where the answer there is not OK."""
    media_type: str = ""
    text: str = ""
    """The main text; Markdown where it was HTML."""
    visible: str = ""
    """All text that a reader sees."""
    title: str | None = None
    author: str | None = None
    date: str | None = None
    """When it was published, as it says itself."""
    language: str | None = None
    fetched: str = ""
    """When it was asked for, in UTC, as ``YYYY-MM-DDTHH:MM:SSZ``."""
    requests: int = 0
    """How many were made for it, with redirects, retries and robots.txt; 0 where it was kept from before."""
    retries: int = 0
    """How many of them because another had failed."""
    origin: Origin | None = None
    """For a file of a repository: where in it."""
    response: str | None = None
    """The SHA-256 of the body that the text was found in; the response is stored under it."""

    @property
    def sha256(self) -> str | None:
        """The name of its text; ``None`` where there is none."""
        return hashlib.sha256(self.text.encode("utf-8")).hexdigest() if self.text else None

    def line_at(self, offset: int) -> int:
        """The line of the text that this character stands in, 1-based: for a file of a repository, that of the file."""
        return self.text.count("\n", 0, offset) + 1


@dataclass(frozen=True, slots=True)
class Call:
    """A request to an API that the user has configured or that the project knows. Its headers may hold secrets."""

    url: str
    method: str = "GET"
    params: tuple[tuple[str, str], ...] = ()
    """No secrets: addresses are told in messages and logs."""
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    body: Mapping[str, Any] | None = field(default=None, repr=False)
    """Sent as JSON."""
    is_trusted: bool = False
    """Whether the user named the host: then it may be on this machine or in a private network."""
    timeout_s: float | None = None
    """For the whole of it, instead of the client's own limit."""
    spacing_s: float | None = None
    """Seconds from the end of it to the next request to the same host, instead of the client's own."""
    is_kept: bool = False
    """Whether a good answer is kept in the archive, and taken from there the next time: for searches."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What an API answered."""

    outcome: Outcome
    reason: str = ""
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    """By lower-case name."""
    body: bytes = b""
    """Also where the API says no, if it is short: it may say why."""
    requests: int = 0
    retries: int = 0

    def json(self) -> Any:
        """The body as JSON. Raises ValueError where it is none."""
        return json.loads(self.body)


Ask = Callable[[Call], Reply]
"""How stages that must not touch the network reach an API: the client is handed to them as this. It never raises for
what hosts do."""


class Unanswered(Exception):  # noqa: N818 - what came of a call, not an error of the program
    """A stream that does not come, or breaks off: what has come until then is not the whole of it."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(f"{reply.outcome.value}: {reply.reason}")
        self.reply = reply
        """Why; its body is what the API says where it says no, never what was streamed."""


Stream = Callable[[Call], Iterator[str]]
"""How stages read an answer while it comes, such as a language model's: the client is handed to them as this.

It gives the lines, without their ends; what they mean (``data: ...``) is for the stage to read. To leave it early,
close the iterator. Raises :class:`Unanswered` and nothing else for what hosts do. Unlike calls, streams do not wait for
each other: many may be read from one host side by side.
"""
