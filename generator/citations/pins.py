"""Addresses of files in public repositories, at a branch, tag or commit. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, unquote, urlsplit

GITHUB = "github.com"
_COMMIT = re.compile(r"[0-9a-f]{40}")
_FORMS = (  # GitLab's first: its groups may be nested
    re.compile(r"/(?P<repository>[^/]+(?:/[^/]+)+?)/-/(?:blob|raw)/(?P<file>.+)"),
    re.compile(r"/(?P<repository>[^/]+/[^/]+)/(?:blob|raw)/(?P<file>.+)"),
)
_RAW = re.compile(r"/(?P<repository>[^/]+/[^/]+)/(?P<file>.+)")
_RAW_HOST = "raw.githubusercontent.com"
_RENDERED = (".md", ".markdown", ".rst", ".adoc")
_LINES = re.compile(r"L(\d{1,7})(?:C\d+)?(?:-L?(\d{1,7})(?:C\d+)?)?")


@dataclass(frozen=True, slots=True)
class RepositoryFile:
    """A file of a repository, as an address or the origin recorded in a reference names it."""

    repository: str
    """``OWNER/NAME`` on github.com, ``HOST/GROUP/NAME`` elsewhere."""
    ref: str
    """A commit, branch or tag; of a branch with slashes, the first segment only."""
    path: str
    lines: tuple[int, int] | None = None
    """First and last line, 1-based."""
    is_gitlab: bool = False

    @property
    def is_pinned(self) -> bool:
        """True if it is named at a full commit."""
        return bool(_COMMIT.fullmatch(self.ref))

    @property
    def key(self) -> str:
        """The repository's name for comparison."""
        return self.repository.lower()

    @property
    def host(self) -> str:
        """The host that people read it at."""
        return self.repository.partition("/")[0] if self.repository.count("/") > 1 else GITHUB

    @property
    def name(self) -> str:
        """The repository's name on its host."""
        return self.repository.removeprefix(f"{self.host}/")

    @property
    def base_url(self) -> str:
        """The address at which people read it, without lines."""
        form = "-/blob" if self.is_gitlab else "blob"
        return f"https://{self.host}/{self.name}/{form}/{quote(self.ref)}/{quote(self.path)}"

    @property
    def url(self) -> str:
        """The address with the lines, of the source where it would be rendered."""
        if self.lines is None:
            return self.base_url
        plain = "?plain=1" if self.path.lower().endswith(_RENDERED) else ""
        return f"{self.base_url}{plain}#L{('-' if self.is_gitlab else '-L').join(map(str, dict.fromkeys(self.lines)))}"

    def at(self, ref: str, commit: str) -> RepositoryFile:
        """Return the file at a commit of the branch or tag `ref`, which may take segments with it from the path."""
        path = f"{self.ref}/{self.path}".removeprefix(f"{ref}/")
        return replace(self, ref=commit, path=path)


def parse_file_url(url: str) -> RepositoryFile | None:
    """Return the file of a repository that a GitHub or GitLab address names; ``None`` for any other address."""
    try:
        parts = urlsplit(url.strip())
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or parts.username or not host:
        return None
    forms = (_RAW,) if host == _RAW_HOST else _FORMS
    found = next((match for form in forms if (match := form.fullmatch(parts.path))), None)
    if not found:
        return None
    segments = [unquote(segment) for segment in found["file"].split("/")]
    segments = segments[2:] if segments[:2] in (["refs", "heads"], ["refs", "tags"]) else segments
    if len(segments) < 2 or {"", ".", ".."} & set(segments):
        return None
    ref = segments[0].lower() if _COMMIT.fullmatch(segments[0].lower()) else segments[0]
    lines = _LINES.fullmatch(parts.fragment)
    first, last = sorted(max(1, int(line)) for line in (lines[1], lines[2] or lines[1])) if lines else (0, 0)
    return RepositoryFile(
        found["repository"] if host in {GITHUB, _RAW_HOST} else f"{host}/{found['repository']}",
        ref,
        "/".join(segments[1:]),
        (first, last) if lines else None,
        is_gitlab="/-/" in parts.path and host != _RAW_HOST,
    )


def line_links(item: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the key of each quote of a CSL item whose lines in the file at its URL are recorded, and their address."""
    file = parse_file_url(str(item.get("URL") or ""))
    custom = item.get("custom")
    lines = custom.get("lines") if isinstance(custom, dict) else None
    for key, span in lines.items() if isinstance(lines, dict) and file and file.is_pinned else ():
        match span:
            case [int(first), int(last)] if 0 < first <= last and file:
                yield str(key), replace(file, lines=(first, last)).url


def read_pin(item: Mapping[str, Any]) -> RepositoryFile | None:
    """Return the file at a commit that a CSL item cites: by its URL, or by the origin recorded under ``custom``."""
    kept = item.get("custom")
    custom: Mapping[str, Any] = kept if isinstance(kept, dict) else {}
    for address in (item.get("URL"), custom.get("permalink")):
        file = parse_file_url(str(address or ""))
        if file and file.is_pinned:
            return file
    repository, path, commit = (str(custom.get(key) or "").strip("/") for key in ("repository", "path", "commit"))
    is_whole = "/" in repository and path and _COMMIT.fullmatch(commit.lower())
    return RepositoryFile(repository, commit.lower(), path) if is_whole else None
