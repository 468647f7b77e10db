"""Files of public repositories, and the addresses that name them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit

GITHUB = "github.com"
COMMIT = re.compile(r"[0-9a-f]{40}")
"""A full commit."""
_ABBREVIATED_COMMIT = re.compile(r"[0-9a-f]{7,39}")
_FILE_FORMS = (  # GitLab's first: its groups may be nested
    re.compile(r"/(?P<repository>[^/]+(?:/[^/]+)+?)/-/(?:blob|raw)/(?P<file>.+)"),
    re.compile(r"/(?P<repository>[^/]+/[^/]+)/(?:blob|raw)/(?P<file>.+)"),
)
_RAW_PATH = re.compile(r"/(?P<repository>[^/]+/[^/]+)/(?P<file>.+)")
_RAW_HOST = "raw.githubusercontent.com"
RENDERED_SUFFIXES = (
    *(".md", ".markdown", ".mdx", ".rst", ".adoc", ".asciidoc", ".org", ".textile"),
    *(".ipynb", ".csv", ".tsv"),
)
"""Files that hosts show rendered, without the numbers of lines."""
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
        return bool(COMMIT.fullmatch(self.ref))

    @property
    def is_abbreviated(self) -> bool:
        """True if it is named at what may be the beginning of a commit: ``blob/51ccd4e/kettle.py``.

        A branch or tag may have such a name, too.
        """
        return bool(_ABBREVIATED_COMMIT.fullmatch(self.ref))

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
        plain = "?plain=1" if self.path.lower().endswith(RENDERED_SUFFIXES) else ""
        between = "-" if self.is_gitlab else "-L"
        numbers = dict.fromkeys(self.lines)  # one, if the first is the last
        return f"{self.base_url}{plain}#L{between.join(map(str, numbers))}"

    @property
    def raw_url(self) -> str:
        """The address of the plain file, whose text a browser shows as it is."""
        if self.is_gitlab:
            return self.base_url.replace("/-/blob/", "/-/raw/")
        address = self.base_url.replace(f"{self.name}/blob/", f"{self.name}/raw/")
        return address.replace(f"{GITHUB}/{self.name}/raw", f"{_RAW_HOST}/{self.name}")


_REF_FOLDERS = (["refs", "heads"], ["refs", "tags"])
"""The beginning of the long names of branches and tags."""


def parse_file_url(url: str) -> RepositoryFile | None:
    """Return the file of a repository that a GitHub or GitLab address names.

    ``None`` for any other address.
    """
    try:
        split_url = urlsplit(url.strip())
        host = (split_url.hostname or "").removeprefix("www.")
    except ValueError:
        return None
    is_web = split_url.scheme in {"http", "https"} and bool(host)
    if not is_web or split_url.username:
        return None
    is_raw_host = host == _RAW_HOST
    forms = (_RAW_PATH,) if is_raw_host else _FILE_FORMS
    file_match = next((match for form in forms if (match := form.fullmatch(split_url.path))), None)
    if file_match is None:
        return None
    ref_and_path = _ref_and_path(file_match["file"])
    if ref_and_path is None:
        return None
    ref, path = ref_and_path
    is_on_github = is_raw_host or host == GITHUB
    repository = file_match["repository"] if is_on_github else f"{host}/{file_match['repository']}"
    is_gitlab = "/-/" in split_url.path and not is_raw_host
    return RepositoryFile(repository, ref, path, _lines_in(split_url.fragment), is_gitlab)


def _ref_and_path(written: str) -> tuple[str, str] | None:
    """Return the ref and the path in ``main/docs/rye.md``; ``None`` if there is no such file."""
    segments = [unquote(segment) for segment in written.split("/")]
    if segments[:2] in _REF_FOLDERS:
        segments = segments[2:]
    is_outside = bool({"", ".", ".."} & set(segments))
    if len(segments) < 2 or is_outside:
        return None
    ref, *path = segments
    is_commit = COMMIT.fullmatch(ref.lower())
    return ref.lower() if is_commit else ref, "/".join(path)


def _lines_in(fragment: str) -> tuple[int, int] | None:
    """Return the lines in ``L12``, ``L12-L20`` or ``L12-20``; ``None`` for another fragment."""
    lines = _LINES.fullmatch(fragment)
    if lines is None:
        return None
    begin, other = int(lines[1]), int(lines[2] or lines[1])
    first, last = sorted((max(1, begin), max(1, other)))
    return first, last
