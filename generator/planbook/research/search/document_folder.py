"""A local folder of documents: its files and their texts. Sends no requests."""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
import threading
import time
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote, unquote

from planbook.citations.csl_variables import DATES
from planbook.citations.dates import read_date
from planbook.citations.references import name_list
from planbook.citations.repository_files import RepositoryFile
from planbook.markdown.dialects import common_markdown, strip_outer_fence
from planbook.model import format_time
from planbook.research.mirrors import Mirror, MirrorError, NoSuchFileError
from planbook.research.search.api_answers import value_on_line, web_address
from planbook.research.web.model import Fetched, Limits, Origin, Outcome, Unfetched
from planbook.research.web.readers import SHARED_READERS
from planbook.research.web.responses import check_size, clean, decode
from planbook.store.cited_files import MEDIA_TYPES, PDF
from planbook.store.scan import scan_folder

_UNSURE_NS = 2_000_000_000
"""A file modified this recently may change again within one tick of the file system's clock."""


def own_address(folder: str, path: str) -> str:
    """Return the address of a document without a source.

    It is ``file:///`` and its path from the project's folder.

    It contains no absolute path, so that it is the same for everyone who works on the project.
    """
    return f"file:///{quote(folder.strip('/'))}/{quote(path)}"


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of documents."""

    path: Path
    title: str
    """Its path from the project's folder: documents are cited by it."""
    limits: Limits = field(default_factory=Limits)
    works: dict[str, Work] = field(default_factory=dict)
    """Documents that are works in an export of a reference manager, by path.

    Set by :meth:`files`.
    """
    messages: list[str] = field(default_factory=list)
    """Unread files and defects of exports, each with file and line; set by :meth:`files`."""

    def files(self) -> dict[str, str]:
        """Return the version of every readable file by POSIX path.

        A version is size and time, or empty if they may not be reliable; it includes the work that
        the file is. Hidden files are skipped.
        """
        now = time.time_ns()
        versions: dict[str, str] = {}
        exports = []
        scan = scan_folder(self.path, (), within=f"{self.title}/")
        skipped = [entry for entry in scan.skipped if not entry.is_repeated]
        unread = [f"{entry.name}:1: {entry.message}" for entry in skipped]
        for inner in scan.files:
            path = self.path / inner
            suffix = path.suffix.lower()
            if not inner.isprintable():
                unread.append(f"{inner!a}:1: no address can contain this name; rename it")
            elif suffix in SUFFIXES:
                exports.append(inner)
            elif suffix in MEDIA_TYPES:
                about = path.stat()
                is_sure = about.st_mtime_ns + _UNSURE_NS < now
                versions[inner] = f"{about.st_size} {about.st_mtime_ns}" if is_sure else ""
        self._match(exports, versions)
        self.messages.extend(unread)
        return versions

    def _match(self, exports: Iterable[str], versions: dict[str, str]) -> None:
        """Find the works that the documents are, and add them to their versions."""
        works: list[Work] = []
        self.messages.clear()
        for name in exports:
            for document in self._read_export(name):
                if isinstance(document, Work):
                    works.append(document)
                else:
                    self.messages.append(document)
        matched, unsure = match_works(works, versions)
        self.works.clear()
        self.works.update(matched)
        self.messages.extend(unsure)
        for path, work in matched.items():
            if versions[path]:
                versions[path] += f" {hashlib.sha256(repr(work).encode()).hexdigest()}"

    def _read_export(self, name: str) -> Iterator[Work | str]:
        """Yield the works of an export, or why it cannot be read."""
        try:
            text = decode(self._body(name), None, is_html=False)
        except OSError as error:
            yield f"{name}:1: {error.strerror}"
        except Unfetched as error:
            yield f"{name}:1: {error.reason}"
        else:
            yield from read_export(name, text)

    def read(self, path: str) -> Fetched:
        """Return the text of the file at `path`.

        It is cited as the work that it is, by the address it names, or by its own. Raises
        `Unfetched` and OSError if it cannot be read.
        """
        own_url = own_address(self.title, path)
        media_type = MEDIA_TYPES[Path(path).suffix.lower()]
        fields = SHARED_READERS.read(
            self._body(path), self.limits, media_type=media_type, url=own_url, is_local=True
        )
        url = web_address(fields.pop("address", "")) or own_url
        own_title = file_title(path, fields["text"]) if path.lower().endswith(".rst") else ""
        if own_title:
            fields["title"] = own_title
        fields.setdefault("title", Path(path).stem)
        document = Fetched(url, Outcome.OK, media_type=media_type, is_local=True, **fields)
        return self._cited_file(path, document)

    def _body(self, path: str) -> bytes:
        with (self.path / path).open("rb") as file:
            body = file.read(self.limits.max_bytes + 1)
        check_size(len(body), self.limits.max_bytes)
        return body

    def _cited_file(self, path: str, document: Fetched) -> Fetched:
        """Return a document as the work that it is, if an export has it."""
        if path not in self.works:
            return document
        item = {**self.works[path].csl_item(), "custom": {"file": f"{self.title}/{path}"}}
        url = item.get("URL", document.url)
        title = item.get("title", document.title)
        return replace(document, url=url, title=title, work=item)


# --- files of repositories, from local mirrors ----------------------------------------------------


DOCUMENTS = frozenset({".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc", ".html", ".htm"})
"""Suffixes of documentation."""
_FRONT_TITLE = re.compile(r"\A---\n(?:.*\n){0,20}?title:\s*+[\"']?(.+?)[\"']?\n")
"""The title in front matter: ``title: Kilns``."""
_MARKDOWN_TITLE = re.compile(r"^#[^\S\n]+(.{1,300}?)[^\S\n]*+#*+[^\S\n]*+$", re.MULTILINE)
_RST_TITLE = re.compile(r"^(?!\s|\.\.\s)(?=.*\w)(.*)\n([=\-~^\"'`#*+])\2{2,}\s*$", re.MULTILINE)
"""A line above a line of one sign."""
_BINARY = 8_192
"""Number of bytes at the beginning of a file that are searched for a NUL.

With one, it is binary.
"""


class Mirrors:
    """Local mirrors of repositories, by name; opened when first used. Thread-safe."""

    def __init__(self, paths: Mapping[str, Path]) -> None:
        self._paths = {name.lower(): path for name, path in paths.items()}
        self._open: dict[str, Mirror] = {}
        self._stack = ExitStack()
        self._opening = threading.Lock()

    def close(self) -> None:
        """Close the mirrors."""
        self._stack.close()

    def find(self, file: RepositoryFile) -> Mirror | None:
        """Return the mirror of the file's repository; ``None`` if there is none.

        Raises MirrorError.
        """
        path = self._paths.get(file.key)
        if path is None:
            return None
        with self._opening:
            if file.key not in self._open:
                self._open[file.key] = self._stack.enter_context(closing(Mirror(path)))
            return self._open[file.key]

    def read_pins(
        self, files: Iterable[RepositoryFile]
    ) -> Iterator[tuple[RepositoryFile, Fetched]]:
        """Yield files at commits with their text, or why a mirror does not have them.

        Files of other repositories are skipped. Raises MirrorError for a mirror that cannot be
        read.
        """
        mirrored: list[tuple[RepositoryFile, Mirror]] = []
        commits: dict[Mirror, set[str]] = defaultdict(set)
        for file in dict.fromkeys(files):
            mirror = self.find(file)
            if mirror:
                mirrored.append((file, mirror))
                commits[mirror].add(file.ref)
        refused = {mirror: mirror.unreachable(ids) for mirror, ids in commits.items()}
        for file, mirror in mirrored:
            if file.ref in refused[mirror]:
                yield file, Fetched(file.url, Outcome.REFUSED, _why_file_refused(mirror, file.ref))
            else:
                yield file, read_file(mirror, file)

    def read_newest(self, file: RepositoryFile) -> Fetched | None:
        """Return the file at the main branch's newest commit, from its new path if it was renamed.

        ``None`` without a mirror or a main branch.
        """
        mirror = self.find(file)
        head = mirror.resolve() if mirror else None
        if mirror is None or head is None:
            return None
        newest = read_file(mirror, replace(file, ref=head))
        if newest.outcome is not Outcome.GONE:
            return newest
        path = mirror.renamed(file.path, file.ref, head)
        return read_file(mirror, replace(file, ref=head, path=path)) if path else newest

    def at_commit(self, file: RepositoryFile) -> RepositoryFile:
        """Return a file of a branch or tag at its commit.

        Raises MirrorError if its mirror has no such ref.
        """
        mirror = self.find(file)
        # A ref may contain slashes, and only the mirror knows where it ends.
        segments = f"{file.ref}/{file.path}".split("/")
        for end in range(1, len(segments)):
            commit = mirror.resolve("/".join(segments[:end])) if mirror else None
            if commit:
                return replace(file, ref=commit, path="/".join(segments[end:]))
        kinds = "branch, tag or commit" if file.is_abbreviated else "branch or tag"
        raise MirrorError(f"the mirror of {file.repository} has no {kinds} {file.ref}")


def read_file(mirror: Mirror, file: RepositoryFile) -> Fetched:
    """Return the text of a file at a commit, or the reason why there is none.

    Its commit must be reachable.
    """
    fetched = Fetched(file.url, Outcome.OK, fetched=format_time(), final_url=file.url)
    try:
        day = mirror.day_of(file.ref)
        body = mirror.read(file.ref, file.path)
    except NoSuchFileError as error:
        return replace(fetched, outcome=Outcome.GONE, reason=str(error))
    except MirrorError as error:  # a folder, or an object that a partial clone lacks
        return replace(fetched, outcome=Outcome.FAILED, reason=str(error))
    origin = Origin(
        file.name,
        file.path,
        file.ref,
        file.ref,
        lines=file.lines,
        host=f"https://{file.host}",
        committed=day,
        is_gitlab=file.is_gitlab,
    )
    try:
        text, visible, media_type = file_text(file.path, body, fetched.url)
    except Unfetched as error:
        return replace(fetched, outcome=error.outcome, reason=error.reason)
    title = f"{file.path} ({origin.repository})"
    heading = file_title(file.path, text)
    if heading:
        title = f"{heading} – {title}"
    with_text = replace(fetched, text=text, visible=visible, media_type=media_type)
    return replace(with_text, title=title, origin=origin)


def file_text(path: str, body: bytes, url: str = "") -> tuple[str, str, str]:
    """Return the main text, the visible text and the media type of a file's content.

    Raises Unfetched.

    Text keeps its lines. HTML and PDF are converted to Markdown.
    """
    kind = MEDIA_TYPES.get(PurePosixPath(path).suffix.lower(), "text/plain")
    if kind in {"text/html", PDF}:
        converted = SHARED_READERS.read(body, Limits(), media_type=kind, url=url)
        return converted["text"], converted["visible"], kind
    if b"\0" in body[:_BINARY]:
        raise Unfetched(Outcome.WRONG_TYPE, "it is not text")
    text = clean(decode(body, None, is_html=False)).rstrip()
    if kind == "text/markdown":
        text = strip_outer_fence(text)
    return text, text, kind


def file_title(path: str, text: str) -> str:
    """Return the title of documentation: of its front matter, or its first heading.

    The result is empty for a program.
    """
    suffix = PurePosixPath(path).suffix.lower()
    if suffix not in DOCUMENTS:
        return ""
    beginning = text[:5_000]
    if suffix == ".rst":
        title = _RST_TITLE.search(beginning)
    else:
        beginning = common_markdown(beginning)
        title = _FRONT_TITLE.search(beginning) or _MARKDOWN_TITLE.search(beginning)
    return value_on_line(title[1], 200) if title else ""


def _why_file_refused(mirror: Mirror, commit: str) -> str:
    """Return why a file at this commit is not read."""
    if mirror.has_commit(commit):
        why = "it may belong to a fork or pull request, which has the same address"
        return f"no branch or tag of the mirror contains its commit {commit[:12]}: {why}"
    instead = "update the mirror, or cite a commit of this repository"
    return f"the mirror has no commit {commit[:12]}; {instead}"


# --- exports of reference managers ----------------------------------------------------------------

SUFFIXES = frozenset({".json"})
_MAX_NAMES = 200
_DOI = re.compile(r"10\.\d{4,9}/[^\s\"{}]+")
_FIELDS = (
    "container-title",
    "collection-title",
    "volume",
    "issue",
    "number",
    "page",
    "publisher",
    "publisher-place",
    "edition",
    "ISBN",
    "ISSN",
    "language",
    "version",
)
"""Variables of CSL that are kept as they are."""
_NAME_FIELDS = (
    "family",
    "given",
    "literal",
    "suffix",
    "dropping-particle",
    "non-dropping-particle",
)


@dataclass(frozen=True, slots=True)
class Work:
    """A work in an export, as written there."""

    location: str
    """File and line, for messages."""
    key: str
    """Its citation key."""
    fields: Mapping[str, Any]
    """The CSL item."""
    files: tuple[str, ...] = ()
    """Paths of its files: normalized, and relative to the folder of documents unless absolute."""

    @property
    def doi(self) -> str:
        """The DOI without its resolver; empty if there is none."""
        doi = _DOI.search(_text_or_empty(self.fields.get("DOI")))
        return doi[0].rstrip(".,;") if doi else ""

    @property
    def title(self) -> str:
        """The letters of the title."""
        return _letters_and_digits(
            re.sub(r"<[^<>]*>", "", _text_or_empty(self.fields.get("title")))
        )

    def csl_item(self) -> dict[str, Any]:
        """Return what is known of the work as a CSL item with its citation key as id."""
        item = self.fields
        kind = _text_or_empty(item.get("type"))
        known: dict[str, Any] = {"id": self.key, "type": "document"}
        if re.fullmatch(r"[a-z_-]{3,30}", kind):
            known["type"] = kind
        for name in ("title", *_FIELDS):
            known[name] = value_on_line(_text_or_empty(item.get(name)), 500, is_html=True)
        for role in ("author", "editor"):
            known[role] = list(_names(item.get(role)))
        for name in DATES:
            date = read_date(item.get(name))
            if date:
                known[name] = _clean_metadata(date.csl)
        known["DOI"] = self.doi
        known["URL"] = web_address(item.get("URL"))
        if self.doi:
            known["URL"] = f"https://doi.org/{quote(self.doi, safe='/:;()._-')}"
        return {name: value for name, value in known.items() if value}


def read_export(uri: str, text: str) -> Iterator[Work | str]:
    """Yield the works of an export, or a message with file and line if it is not JSON."""
    try:
        items = json.loads(text)
    except (ValueError, RecursionError) as error:
        yield f"{uri}:{getattr(error, 'lineno', 1)}: not JSON ({error}); export it again"
        return
    if not isinstance(items, list):  # other JSON is not an export
        return
    line = 1
    at = 0
    for raw in filter(_is_csl_item, items):
        # Items are in order, so that the text is gone through once.
        offset = max(at, text.find(json.dumps(raw["id"], ensure_ascii=False), at))
        line += text.count("\n", at, offset)
        at = offset
        key = value_on_line(
            _text_or_empty(raw.get("citation-key")) or _text_or_empty(raw["id"]), 200
        )
        files = tuple(_files_of_work(uri, _text_or_empty(raw.get("file"))))
        yield Work(f"{uri}:{line}", key, _flat_fields(raw), files)


def _is_csl_item(item: object) -> bool:
    """Return whether an entry of a file of JSON is a work."""
    if not isinstance(item, dict):
        return False
    return isinstance(item.get("type"), str) and isinstance(item.get("id"), str | int)


def _flat_fields(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a CSL item, those that are neither lists nor mappings as text."""
    is_nested = {name: isinstance(value, list | dict) for name, value in item.items()}
    return {
        name: value if is_nested[name] else _text_or_empty(value) for name, value in item.items()
    }


def _text_or_empty(value: object) -> str:
    """Return a number or text as text, anything else as none.

    ``str`` would recurse into what is nested.
    """
    return str(value) if isinstance(value, str | int | float) else ""


def _files_of_work(uri: str, value: str) -> Iterator[str]:
    """Yield the paths in a `file` field; several are separated by semicolons."""
    for written in filter(None, map(str.strip, value.split(";"))):
        if written.startswith("file:"):
            path = unquote(written.removeprefix("file://"))
        else:
            path = written.replace("\\", "/")
        yield posixpath.normpath(posixpath.join(posixpath.dirname(uri), path))


# --- CSL ------------------------------------------------------------------------------------------


def _names(value: object) -> Iterator[dict[str, str]]:
    """Yield the names of authors or editors, those that have one."""
    for name in name_list(value)[:_MAX_NAMES]:
        fields = {key: value_on_line(name.get(key), 200) for key in _NAME_FIELDS}
        if any(fields[key] for key in ("family", "given", "literal")):
            yield {key: text for key, text in fields.items() if text}


def _clean_metadata(written: Mapping[str, Any]) -> dict[str, Any]:
    """Return a CSL date with its words, which are from a file of somebody else, as plain text."""
    return {
        key: value_on_line(value, 200) if isinstance(value, str) else value
        for key, value in written.items()
    }


# --- matching -------------------------------------------------------------------------------------


def match_works(
    works: Collection[Work], paths: Collection[str]
) -> tuple[dict[str, Work], list[str]]:
    """Return the work that each document is, by path.

    Beside them are messages on documents that may be several works.

    A work's file is found by its path, else by its name wherever it is now; other documents by
    their citation key. Of several files of one work, only the first is matched: PDFs before others.
    """
    works_by_name: dict[str, list[Work]] = defaultdict(list)
    for work in works:
        ends = (end for file in work.files for end in _ends(file))
        for name in {*work.files, *ends, work.key.casefold()} - {""}:
            works_by_name[name].append(work)
    alike = Counter(end for path in paths for end in set(_ends(path)))
    matched: dict[str, Work] = {}
    messages: list[str] = []
    matched_works: set[str] = set()
    for path in sorted(paths, key=lambda path: (not path.lower().endswith(".pdf"), path)):
        moved = [end for end in _ends(path) if alike[end] == 1]  # no other document has its name
        stem = posixpath.splitext(posixpath.basename(path))[0].casefold()
        claims = [works_by_name[name] for name in (path, *moved, stem)]
        claimed = next(filter(None, claims), [])
        claimed_identities = {_identity(work) for work in claimed}
        if len(claimed_identities) > 1:
            which = " or ".join(sorted({work.key for work in claimed})[:3])
            offset = min(work.location for work in claimed)
            instead = "name it in the `file` field of one entry"
            messages.append(f"{offset}: {path} may be {which}; {instead}")
        elif claimed_identities and not claimed_identities & matched_works:
            matched_works |= claimed_identities
            matched[path] = max(claimed, key=lambda work: (len(work.fields), work.location))
    return matched, messages


def _identity(work: Work) -> str:
    """Return what entries of one work share."""
    return work.doi.lower() or work.title or work.location


def _ends(path: str) -> tuple[str, str]:
    """Return a path's name with its folder, and without, to compare.

    Accents are written in several ways.
    """
    path = unicodedata.normalize("NFKC", path).casefold()
    return "/".join(path.split("/")[-2:]), posixpath.basename(path)


def _letters_and_digits(text: str) -> str:
    """Return only the letters and digits of a text, to compare."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text)).casefold()
