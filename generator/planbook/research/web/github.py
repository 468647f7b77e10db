"""Files on GitHub, read as raw content at a commit, so that citations do not change."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated
from urllib.parse import quote

import msgspec

from planbook.research.web.archive import Exchange
from planbook.research.web.connection import origin_of, parse_url
from planbook.research.web.model import Ask, Call, Fetched, Origin, Outcome, Reply, Unfetched

_COMMIT = re.compile(r"[0-9a-f]{40}")
_NAME = re.compile(r"[\w.-]{1,100}")
_LINES = re.compile(r"L(\d{1,7})(?:C\d+)?(?:-L?(\d{1,7})(?:C\d+)?)?")
_MAX_REF_SEGMENTS = 3
"""Maximum number of path segments tried as the name of a branch or tag: ``feature/x`` has two."""


@dataclass(frozen=True, slots=True)
class GitHubEndpoints:
    """The addresses of GitHub, and the token to use there."""

    site: str = "https://github.com"
    raw: str = "https://raw.githubusercontent.com"
    api: str = "https://api.github.com"
    token: str = field(default="", repr=False)
    """A user's token, for a higher rate limit; sent to `api` alone."""


def find_endpoints(environment: Mapping[str, str]) -> GitHubEndpoints:
    """Return the endpoints configured in the environment, the only source of the token."""
    names = {
        endpoint: environment.get(f"PLANBOOK_GITHUB_{endpoint.upper()}", "")
        for endpoint in ("site", "raw", "api")
    }
    addresses = {
        endpoint: address.rstrip("/") for endpoint, address in names.items() if address.rstrip("/")
    }
    return GitHubEndpoints(**addresses, token=environment.get("GITHUB_TOKEN", "").strip())


@dataclass(frozen=True, slots=True)
class GitHubTarget:
    """A file or folder that a GitHub URL points to."""

    repository: str
    ref_and_path: tuple[str, ...] = ()
    """The branch, tag or commit, then the path; only GitHub knows where the path begins."""
    is_folder: bool = False
    """True if the path is a folder or empty: then its README is read."""


def parse_github_url(url: str, endpoints: GitHubEndpoints) -> GitHubTarget | None:
    """Return the file or repository that `url` points to.

    ``None`` for other pages and other sites.
    """
    try:
        split_url = parse_url(url)
    except Unfetched:
        return None
    origin = origin_of(split_url).replace("://www.", "://")
    owner, name, *rest = [*filter(None, split_url.path.split("/")), "", ""]
    kind, *segments = rest[:-2] or ["tree"]
    name = name.removesuffix(".git")
    is_named = _NAME.fullmatch(owner) and _NAME.fullmatch(name)
    if not is_named or not {owner, name, kind, *segments}.isdisjoint({".", ".."}):
        return None
    if origin == endpoints.raw:
        kind, segments = "raw", [kind, *segments]
    elif origin != endpoints.site:
        return None
    if segments[:2] in (["refs", "heads"], ["refs", "tags"]):  # a branch or tag, by its full name
        segments = segments[2:]
    is_file = kind in {"blob", "raw"} and len(segments) > 1
    if not is_file and kind != "tree":
        return None
    return GitHubTarget(f"{owner}/{name}", tuple(segments), not is_file)


def add_named_lines(fetched: Fetched, fragment: str) -> Fetched:
    """Add the lines that the URL's fragment points to.

    Only if the text is a file of a repository, and has these lines.
    """
    match = _LINES.fullmatch(fragment)
    if not (match and fetched.origin):
        return fetched
    first, last = sorted(max(int(line), 1) for line in (match[1], match[2] or match[1]))
    count = fetched.text.count("\n") + 1
    lines = (first, min(last, count)) if first <= count else None
    return replace(fetched, origin=replace(fetched.origin, lines=lines))


ReadFiles = Callable[[str], tuple[Fetched, list[Exchange]]]
_SEGMENT = r"(?!\.{1,2}(?:/|\Z))[^/]+"


class _Readme(msgspec.Struct):
    path: Annotated[str, msgspec.Meta(pattern=rf"\A{_SEGMENT}(?:/{_SEGMENT})*\Z")]


class GitHubClient:
    """Read files from GitHub.

    Thread-safe; API results for a repository are requested once per run.
    """

    def __init__(self, endpoints: GitHubEndpoints, ask: Ask, read: ReadFiles) -> None:
        self._endpoints = endpoints
        self._ask = ask
        self._read = read
        self._replies: dict[str, Reply] = {}
        self._asking = threading.Lock()

    def read(self, url: str) -> tuple[Fetched, list[Exchange]] | None:
        """Return a file's text and origin, and the responses that led to it.

        The result is ``None`` if `url` is not a file's. If GitHub's API does not answer, the file
        is read at its branch and the commit is unknown, never guessed. If the README of a folder
        cannot be determined, the page that shows the folder is read.
        """
        target = parse_github_url(url, self._endpoints)
        if target is None:
            return None
        asked: list[Reply] = []
        ref, path, commit = self._resolve(target, asked)
        is_file = not target.is_folder
        if target.is_folder:
            api = f"{target.repository}/readme"
            readme = self._readme(api, path, commit or ref, asked)
            if readme:
                is_file = True
                path = readme
        raw = f"{self._endpoints.raw}/{target.repository}/{quote(commit or ref)}/{quote(path)}"
        page, exchanges = self._read(raw if is_file else url)
        fetched = replace(
            page,
            url=url,
            outcome=Outcome.OK if page.outcome is Outcome.MOVED else page.outcome,
            moved_to=None,
            requests=page.requests + sum(reply.requests for reply in asked),
            origin=None,
        )
        if is_file:
            title = f"{path} ({target.repository})"
            origin = Origin(target.repository, path, ref, commit, host=self._endpoints.site)
            fetched = replace(fetched, title=title, origin=origin)
        return fetched, exchanges

    # --- GitHub's API -----------------------------------------------------------------------------

    def _resolve(self, target: GitHubTarget, asked: list[Reply]) -> tuple[str, str, str | None]:
        """Return the ref, the path and the commit."""
        segments = target.ref_and_path or ("HEAD",)
        ref, path = segments[0], "/".join(segments[1:])
        if _COMMIT.fullmatch(ref):
            return ref, path, ref
        longest = min(_MAX_REF_SEGMENTS, len(segments) if target.is_folder else len(segments) - 1)
        for length in range(1, longest + 1):
            name = "/".join(segments[:length])
            api = f"{target.repository}/commits/{quote(name)}"
            reply = self._api(api, asked, "application/vnd.github.sha")
            commit = reply.body.decode("ascii", "replace").strip()
            if reply.outcome is Outcome.OK and _COMMIT.fullmatch(commit):
                return name, "/".join(segments[length:]), commit
            # If there is no such ref, the next segment may belong to it.
            is_no_ref = reply.status_code in {404, 409, 422}
            if not is_no_ref:
                break
        return ref, path, None

    def _readme(self, api: str, folder: str, ref: str, asked: list[Reply]) -> str | None:
        """Return the path of the README in a folder.

        The result is ``None`` if there is none or the `api` does not say.
        """
        where = f"/{quote(folder)}" if folder else ""
        reply = self._api(f"{api}{where}?ref={quote(ref, safe='')}", asked)
        if reply.outcome is not Outcome.OK:
            return None
        try:
            return msgspec.json.decode(reply.body, type=_Readme).path
        except msgspec.DecodeError:
            return None

    def _api(
        self, path: str, asked: list[Reply], accept: str = "application/vnd.github+json"
    ) -> Reply:
        """Return the API's reply about a repository, requested once per run.

        Only when it is requested is it added to `asked`.
        """
        with self._asking:
            if path not in self._replies:
                headers = [("Accept", accept), ("X-GitHub-Api-Version", "2022-11-28")]
                if self._endpoints.token:
                    headers.append(("Authorization", f"Bearer {self._endpoints.token}"))
                call = Call(f"{self._endpoints.api}/repos/{path}", headers=tuple(headers))
                self._replies[path] = self._ask(call)
                asked.append(self._replies[path])
            return self._replies[path]
