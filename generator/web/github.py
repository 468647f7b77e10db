"""Files of GitHub: their raw content at a commit, so that what is cited stays what it was."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote

from generator.web.connection import origin_of, parse_url
from generator.web.model import Ask, Call, Fetched, Origin, Outcome, Reply
from generator.web.outcomes import Unfetched
from generator.web.warc import Exchange

_COMMIT = re.compile(r"[0-9a-f]{40}")
_NAME = re.compile(r"[\w.-]{1,100}")
_LINES = re.compile(r"L(\d{1,7})(?:C\d+)?(?:-L?(\d{1,7})(?:C\d+)?)?")
_NOT_OWNERS = frozenset(
    {
        *("about", "apps", "blog", "collections", "contact", "customer-stories", "enterprise", "events", "explore"),
        *(
            "features",
            "login",
            "marketplace",
            "new",
            "notifications",
            "orgs",
            "pricing",
            "readme",
            "search",
            "security",
        ),
        *("settings", "site", "solutions", "sponsors", "stars", "topics", "trending", "users"),
    }
)
"""First parts of addresses on github.com that are no owners of repositories."""
_LONGEST_REF = 3
"""Parts of a path that are tried as the name of a branch or tag: ``feature/x`` has two."""
HEAD = "HEAD"


@dataclass(frozen=True, slots=True)
class Hub:
    """Where GitHub is."""

    site: str = "https://github.com"
    raw: str = "https://raw.githubusercontent.com"
    api: str = "https://api.github.com"
    token: str = field(default="", repr=False)
    """Of a user, for more requests an hour; sent to `api` alone."""


def find_hub(environment: Mapping[str, str]) -> Hub:
    """GitHub as the environment says, whose token is taken from nowhere else."""
    given = {
        part: environment.get(f"PLANBOOK_GITHUB_{part.upper()}", "").rstrip("/") for part in ("site", "raw", "api")
    }
    token = environment.get("GITHUB_TOKEN", "").strip()
    return Hub(**{part: address for part, address in given.items() if address}, token=token)


@dataclass(frozen=True, slots=True)
class Place:
    """What an address on GitHub points to."""

    repository: str
    parts: tuple[str, ...] = ()
    """The branch, tag or commit, and then the path; where one ends and the other begins, only GitHub knows."""
    is_folder: bool = False
    """Whether the path is a folder or nothing, which stands for the README in it."""


def parse_place(url: str, hub: Hub) -> Place | None:
    """The file or repository that `url` points to; ``None`` where it is another page, or another site's."""
    try:
        given = parse_url(url)
    except Unfetched:
        return None
    origin = origin_of(given).replace("://www.", "://")
    owner, name, *rest = [*filter(None, given.path.split("/")), "", ""]
    kind, *parts = rest[:-2] or ["tree"]
    name = name.removesuffix(".git")
    is_odd = owner.lower() in _NOT_OWNERS or not (_NAME.fullmatch(owner) and _NAME.fullmatch(name))
    if is_odd or not {owner, name, kind, *parts}.isdisjoint({".", ".."}):
        return None
    if origin == hub.raw:
        return _in_repository(f"{owner}/{name}", "raw", [kind, *parts])
    return _in_repository(f"{owner}/{name}", kind, parts) if origin == hub.site else None


def _in_repository(repository: str, kind: str, parts: list[str]) -> Place | None:
    """The place, by the kind of address and what follows it."""
    # ``refs/heads/`` may stand before a branch.
    parts = parts[2:] if parts[:2] in (["refs", "heads"], ["refs", "tags"]) else parts
    if kind in {"blob", "raw"} and len(parts) > 1:
        return Place(repository, tuple(parts))
    return Place(repository, tuple(parts), is_folder=True) if kind == "tree" else None


def with_lines(fetched: Fetched, fragment: str) -> Fetched:
    """It, with the lines that the address's fragment points to, where it is a file of a repository and has them."""
    found = _LINES.fullmatch(fragment)
    if not (found and fetched.origin):
        return fetched
    first, last = sorted(max(int(line), 1) for line in (found[1], found[2] or found[1]))
    count = fetched.text.count("\n") + 1
    lines = (first, min(last, count)) if first <= count else None
    return replace(fetched, origin=replace(fetched.origin, lines=lines))


Read = Callable[[str], tuple[Fetched, list[Exchange]]]


class GitHub:
    """Reads files. Used by many threads; what it found out of a repository, it asks once in a run."""

    def __init__(self, hub: Hub, ask: Ask, read: Read) -> None:
        self._hub = hub
        self._ask = ask
        self._read = read
        self._replies: dict[str, Reply] = {}
        self._asking = threading.Lock()

    def read(self, url: str, place: Place) -> tuple[Fetched, list[Exchange]]:
        """What the file holds, where it comes from, and the responses that lead there.

        Where GitHub's API does not answer, the file is read by the name of its branch, and the commit is told as not
        known: it is never guessed. Where a folder's README cannot be found out, the page that shows the folder is read.
        """
        inquiry = Inquiry()
        ref, path, commit = self._resolve(place, inquiry)
        readme = self._readme(place.repository, path, commit or ref, inquiry) if place.is_folder else None
        path = readme or path
        is_file = readme or not place.is_folder
        raw = f"{self._hub.raw}/{place.repository}/{quote(commit or ref)}/{quote(path)}"
        fetched, exchanges = self._read(raw if is_file else url)
        about = self._about(place.repository, inquiry) if fetched.text else {}
        licence = str((about.get("license") or {}).get("spdx_id") or "") if about else ""
        origin = Origin(
            repository=str(about.get("full_name") or place.repository),
            path=path,
            ref=ref,
            commit=commit,
            licence=licence if licence not in {"", "NOASSERTION"} else None,
            note=inquiry.note,
            host=self._hub.site,
        )
        is_moved = origin.repository.lower() != place.repository.lower()
        outcome = fetched.outcome
        if outcome in {Outcome.OK, Outcome.MOVED}:
            outcome = Outcome.MOVED if is_moved else Outcome.OK
        return replace(
            fetched,
            url=url,
            outcome=outcome,
            moved_to=url.replace(place.repository, origin.repository, 1) if is_moved else None,
            title=f"{path} ({origin.repository})" if is_file else fetched.title,
            requests=fetched.requests + inquiry.requests,
            retries=fetched.retries + inquiry.retries,
            origin=origin,
        ), exchanges

    # --- what the API tells ----------------------------------------------------------------------------------------

    def _resolve(self, place: Place, inquiry: Inquiry) -> tuple[str, str, str | None]:
        """The ref, the path and the commit."""
        parts = place.parts or (HEAD,)
        ref, path = parts[0], "/".join(parts[1:])
        if _COMMIT.fullmatch(ref):
            return ref, path, ref
        longest = min(_LONGEST_REF, len(parts) if place.is_folder else len(parts) - 1)
        for length in range(1, longest + 1):
            name = "/".join(parts[:length])
            reply = self._api(f"/repos/{place.repository}/commits/{quote(name)}", inquiry, _AS_SHA)
            commit = reply.body.decode("ascii", "replace").strip()
            if reply.outcome is Outcome.OK and _COMMIT.fullmatch(commit):
                return name, "/".join(parts[length:]), commit
            if reply.status not in {404, 409, 422}:  # else there is no such ref: the next part may belong to it
                inquiry.miss("commit", reply)
                return ref, path, None
        inquiry.note = inquiry.note or f"its commit is not known: GitHub knows no branch, tag or commit {ref[:60]}"
        return ref, path, None

    def _readme(self, repository: str, folder: str, ref: str, inquiry: Inquiry) -> str | None:
        """The path of the README in a folder; ``None`` where there is none, or the API does not tell it."""
        where = f"/{quote(folder)}" if folder else ""
        reply = self._api(f"/repos/{repository}/readme{where}?ref={quote(ref, safe='')}", inquiry)
        path = _object(reply).get("path")
        if isinstance(path, str) and path and not set(path.split("/")) & {"", ".", ".."}:
            return path
        inquiry.miss("README", reply)
        return None

    def _about(self, repository: str, inquiry: Inquiry) -> dict[str, Any]:
        """What is told of the repository; nothing where it is not."""
        reply = self._api(f"/repos/{repository}", inquiry)
        about = _object(reply)
        if not _is_repository(about.get("full_name")):
            inquiry.miss("licence", reply)
            return {}
        return about if isinstance(about.get("license"), dict | None) else {**about, "license": None}

    def _api(self, path: str, inquiry: Inquiry, accept: str = "application/vnd.github+json") -> Reply:
        """The API's answer, asked for once in a run."""
        with self._asking:
            known = self._replies.get(path)
            if known:
                return known
            headers = [("Accept", accept), ("X-GitHub-Api-Version", "2022-11-28")]
            if self._hub.token:
                headers.append(("Authorization", f"Bearer {self._hub.token}"))
            reply = self._ask(Call(f"{self._hub.api}{path}", headers=tuple(headers)))
            inquiry.requests += reply.requests
            inquiry.retries += reply.retries
            self._replies[path] = reply
            return reply


_AS_SHA = "application/vnd.github.sha"
"""https://docs.github.com/en/rest/commits/commits#get-a-commit"""


@dataclass(slots=True)
class Inquiry:
    """What was asked of the API for one file."""

    requests: int = 0
    retries: int = 0
    note: str = ""
    """What is not known, and why; the first of it."""

    def miss(self, what: str, reply: Reply) -> None:
        """Notes that something could not be found out."""
        why = reply.reason or "it answers something else"
        self.note = self.note or f"its {what} is not known, because GitHub's API does not tell it: {why}"


def _object(reply: Reply) -> dict[str, Any]:
    """The JSON object in an answer; empty where it is none."""
    try:
        found = reply.json() if reply.outcome is Outcome.OK else None
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {}


def _is_repository(name: object) -> bool:
    return isinstance(name, str) and bool(re.fullmatch(rf"{_NAME.pattern}/{_NAME.pattern}", name))
