"""The one client: asks for an address and gives what came of it."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import httpx

from generator.research.fetch import robots
from generator.research.fetch.addresses import Address, check_address, checked, literal
from generator.research.fetch.body import read_body, too_large
from generator.research.fetch.connection import (
    Cut,
    NotConnected,
    Resolver,
    SystemResolver,
    host_of,
    look_up,
    make_client,
    parse_url,
    trouble_with,
    user_agent,
)
from generator.research.fetch.documents import HTML, check_media_type, decode, read_document
from generator.research.fetch.limits import Limits
from generator.research.fetch.outcomes import GOOD, PERMANENT, REDIRECTS, Unfetched, trouble_of
from generator.research.fetch.pace import Deadline, Pace
from generator.research.model import Fetched, Outcome

_TRIED_ADDRESSES = 3
_PEEK_BYTES = 64 * 1024
"""How much of a refusal's body is read, to see whether it is a challenge."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one hop gave: a body, or where to go on."""

    url: httpx.URL
    status: int
    headers: httpx.Headers
    body: bytes = b""

    @property
    def media_type(self) -> str:
        """Such as ``text/html``."""
        return str(self.headers.get("content-type", "")).partition(";")[0].strip().lower()


@dataclass(slots=True)
class Trail:
    """Where a request has come to."""

    deadline: Deadline
    url: str
    moved_to: str | None = None
    requests: int = 0


class Fetcher:
    """Fetches addresses. Give it back with :meth:`close`, or use it in a ``with``. Used by many threads."""

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        contact: str = "",
        resolver: Resolver | None = None,
        allow_loopback: bool = False,
    ) -> None:
        self.limits = limits or Limits()
        self.user_agent = user_agent(contact)
        self._resolver = resolver or SystemResolver()
        self._allow_loopback = allow_loopback
        self._pace = Pace(self.limits.spacing_s)
        self._robots: dict[str, robots.Rules | Unfetched] = {}
        self._robots_locks: dict[str, threading.Lock] = defaultdict(threading.Lock)
        self._client = make_client(self.user_agent)

    def __enter__(self) -> Fetcher:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends all connections."""
        self._client.close()

    def fetch(self, url: str) -> Fetched:
        """What the address gave: its text, or why there is none. Never raises for what hosts do."""
        asked = url.partition("#")[0]
        trail = Trail(Deadline(self.limits.deadline_s), asked)
        fetched = Fetched(asked, Outcome.FAILED, fetched=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
        try:
            answer = self._follow(asked, trail, with_robots=True)
            charset = answer.headers.get("content-type", "").lower().partition("charset=")[2].partition(";")[0]
            found = read_document(answer.body, answer.media_type, charset, str(answer.url), self.limits)
        except Unfetched as error:
            fetched = replace(fetched, outcome=error.outcome, reason=error.reason, status=error.status)
        else:
            fetched = replace(
                fetched,
                outcome=Outcome.MOVED if trail.moved_to else Outcome.OK,
                status=answer.status,
                media_type=answer.media_type,
                text=found.text,
                visible=found.visible,
                title=found.title,
                author=found.author,
                date=found.date,
                language=found.language,
            )
        return replace(fetched, final_url=trail.url, moved_to=trail.moved_to, requests=trail.requests)

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

    # --- hops ------------------------------------------------------------------------------------------------------

    def _follow(self, start: str, trail: Trail, *, with_robots: bool) -> Answer:
        """The answer at the end of the redirects; each hop is checked as the first one."""
        url, is_permanent, seen = parse_url(start), True, set()
        for _ in range(self.limits.max_redirects + 1):
            check_address(url.scheme, host_of(url), url.userinfo)
            if with_robots:
                self._heed_robots(url, trail)
            answer = self._persist(url, trail, is_page=with_robots)
            if answer.status not in REDIRECTS:
                return answer
            seen.add(str(url))
            url = _next_hop(answer)
            is_permanent = is_permanent and answer.status in PERMANENT
            if with_robots:
                trail.url = str(url)
                trail.moved_to = str(url) if is_permanent else trail.moved_to
            if str(url) in seen:
                raise Unfetched(Outcome.FAILED, "its redirects lead in a circle", status=answer.status)
        raise Unfetched(Outcome.FAILED, f"it redirects more than {self.limits.max_redirects} times")

    def _heed_robots(self, url: httpx.URL, trail: Trail) -> None:
        """Raises :class:`Unfetched` where the host's robots.txt forbids `url`, or cannot be read.

        Without one (4xx) everything is allowed; with one that fails, nothing is
        (https://www.rfc-editor.org/rfc/rfc9309#section-2.3.1).
        """
        origin = f"{url.scheme}://{url.netloc.decode('ascii')}"
        with self._robots_locks[origin]:
            if origin not in self._robots:
                self._robots[origin] = self._read_robots(origin, trail)
            rules = self._robots[origin]
        if isinstance(rules, Unfetched):
            # Without a status no answer came, and it is the host that is wrong, not its robots.txt.
            where = "" if rules.status is None else "its host's robots.txt: "
            raise Unfetched(rules.outcome, f"{where}{rules.reason}", status=rules.status)
        if not rules.allows(str(url)):
            raise Unfetched(Outcome.DISALLOWED, "its host's robots.txt asks programs not to read it")
        self._pace.widen(host_of(url), rules.delay_s)

    def _read_robots(self, origin: str, trail: Trail) -> robots.Rules | Unfetched:
        try:
            answer = self._follow(f"{origin}/robots.txt", trail, with_robots=False)
        except Unfetched as error:
            is_missing = error.status is not None and 400 <= error.status < 500 and error.status != 429
            return robots.Rules() if is_missing else error
        return robots.parse_rules(decode(answer.body, None, is_html=False))

    def _persist(self, url: httpx.URL, trail: Trail, *, is_page: bool) -> Answer:
        """The answer to the first attempt that is not spoilt by something passing."""
        wait_s = self.limits.backoff_s
        for attempt in range(self.limits.attempts):
            try:
                return self._ask(url, trail, is_page=is_page)
            except Unfetched as error:
                pause_s = wait_s if error.wait_s is None else error.wait_s
                is_last = attempt + 1 == self.limits.attempts
                if is_last or not error.is_transient or pause_s > min(self.limits.max_wait_s, trail.deadline.left_s):
                    raise
                threading.Event().wait(pause_s)
                wait_s *= 2
        raise AssertionError("attempts is at least 1")

    # --- one request -----------------------------------------------------------------------------------------------

    def _ask(self, url: httpx.URL, trail: Trail, *, is_page: bool) -> Answer:
        with self._pace.turn(host_of(url)) as waited_s:
            trail.deadline.extend(waited_s)
            addresses = self._addresses(host_of(url), trail.deadline)[:_TRIED_ADDRESSES]
            for address in addresses[:-1]:
                try:
                    return self._ask_at(address, url, trail, is_page=is_page)
                except NotConnected:
                    continue
            return self._ask_at(addresses[-1], url, trail, is_page=is_page)

    def _addresses(self, host: str, deadline: Deadline) -> tuple[Address, ...]:
        """The addresses to connect to. They are looked up once, checked, and used: no later look-up can change them."""
        given = literal(host)
        found = [str(given)] if given else look_up(deadline.left_s, self._resolver, host)
        return checked(host, found, allow_loopback=self._allow_loopback)

    def _ask_at(self, address: Address, url: httpx.URL, trail: Trail, *, is_page: bool) -> Answer:
        """The answer of the host at `address`. The request, and the certificate wanted, name the host itself."""
        left_s = trail.deadline.left_s
        if left_s <= 0:
            raise self._out_of_time()
        cut = Cut()
        request = self._client.build_request(
            "GET",
            url.copy_with(host=str(address)),
            headers={"Host": url.netloc.decode("ascii")},
            timeout=min(self.limits.timeout_s, left_s),
            extensions={"sni_hostname": host_of(url), "trace": cut.trace},
        )
        trail.requests += 1
        timer = threading.Timer(left_s, cut)
        timer.daemon = True
        timer.start()
        try:
            response = self._client.send(request, stream=True)
            try:
                answer = self._read(response, url, is_page=is_page)
            finally:
                response.close()
            if cut.is_cut:  # a body without a length ends where the connection does, as if it were whole
                raise self._out_of_time()
            return answer
        except httpx.HTTPError as error:
            raise self._out_of_time() if cut.is_cut else trouble_with(error) from error
        finally:
            timer.cancel()

    def _read(self, response: httpx.Response, url: httpx.URL, *, is_page: bool) -> Answer:
        answer = Answer(url, response.status_code, response.headers)
        if answer.status in REDIRECTS and "location" in answer.headers:
            return answer
        encoding = response.headers.get("content-encoding", "")
        if answer.status not in GOOD:
            raise trouble_of(answer.status, response.headers, _peek(response, encoding, answer)) or Unfetched(
                Outcome.FAILED, f"the server answers {answer.status}", status=answer.status
            )
        max_bytes = self.limits.max_bytes if is_page else robots.MAX_BYTES
        if is_page:
            check_media_type(answer.media_type)
        length = response.headers.get("content-length", "")
        if length.isascii() and length.isdigit() and int(length) > max_bytes:
            raise too_large(max_bytes)
        body = read_body(response.iter_raw(), encoding, max_bytes)
        page = decode(body, None, is_html=True) if answer.media_type in HTML else ""
        trouble = trouble_of(answer.status, response.headers, page)
        if trouble:
            raise trouble
        return replace(answer, body=body)

    def _out_of_time(self) -> Unfetched:
        return Unfetched(Outcome.TIMEOUT, f"it took longer than {self.limits.deadline_s:g} s")


def _next_hop(answer: Answer) -> httpx.URL:
    try:
        return answer.url.join(answer.headers["location"]).copy_with(fragment=None)
    except (httpx.InvalidURL, ValueError) as error:
        raise Unfetched(Outcome.FAILED, "it redirects to what is no address", status=answer.status) from error


def _peek(response: httpx.Response, encoding: str, answer: Answer) -> str:
    """The start of a refusal's page, where it can be read."""
    if answer.media_type not in HTML:
        return ""
    try:
        return decode(read_body(response.iter_raw(), encoding, _PEEK_BYTES), None, is_html=True)
    except Unfetched:
        return ""  # what the refusal says besides its status and headers makes no difference then
