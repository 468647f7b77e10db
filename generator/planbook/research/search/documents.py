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

from planbook.citations.dates import read_date
from planbook.citations.fields import DATES
from planbook.citations.references import name_list
from planbook.citations.repository_files import RepositoryFile
from planbook.markdown.dialects import common_markdown
from planbook.model import format_time
from planbook.research.mirrors import Mirror, MirrorError
from planbook.research.search.answers import plain, web_address
from planbook.research.web.model import Fetched, Limits, Origin, Outcome, Unfetched
from planbook.research.web.readers import SHARED
from planbook.research.web.responses import check_size, clean, decode
from planbook.store.documents import MEDIA_TYPES, PDF
from planbook.store.scan import scan_folder

_UNSURE_NS = 2_000_000_000
"""A file modified this recently may change again within one tick of the file system's clock."""


def own_address(folder: str, path: str) -> str:
    """Return the address of a document without a source: ``file:///`` and its path from the project's folder.

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
    """Documents that are works in an export of a reference manager, by path; set by :meth:`files`."""
    messages: list[str] = field(default_factory=list)
    """Unread files and defects of exports, each with file and line; set by :meth:`files`."""

    def files(self) -> dict[str, str]:
        """Return the version of every readable file by POSIX path: size and time, or empty if they may not be reliable.

        Hidden files are skipped. The version includes the work that it is.
        """
        now, found, exports = time.time_ns(), {}, []
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
                found[inner] = f"{about.st_size} {about.st_mtime_ns}" if is_sure else ""
        self._match(exports, found)
        self.messages.extend(unread)
        return found

    def _match(self, exports: Iterable[str], found: dict[str, str]) -> None:
        """Find the works that the documents are, and add them to their versions."""
        read: list[Work | str] = []
        for name in exports:
            try:
                read += read_export(name, decode(self._body(name), None, is_html=False))
            except (OSError, Unfetched) as error:
                read.append(f"{name}:1: {error.strerror if isinstance(error, OSError) else error.reason}")
        matched, unsure = match_works([work for work in read if isinstance(work, Work)], found)
        self.works.clear()
        self.works.update(matched)
        self.messages[:] = [*(message for message in read if isinstance(message, str)), *unsure]
        for path, work in matched.items():
            found[path] = found[path] and f"{found[path]} {hashlib.sha256(repr(work).encode()).hexdigest()}"

    def read(self, path: str) -> Fetched:
        """Return the text of the file at `path`, cited as the work that it is, by the address it names, or by its own.

        Raises `Unfetched` and OSError if it cannot be read.
        """
        url = own_address(self.title, path)
        media_type = MEDIA_TYPES[Path(path).suffix.lower()]
        found = Fetched(url, Outcome.OK, media_type=media_type, is_local=True)
        texts = SHARED.read(self._body(path), self.limits, media_type=found.media_type, url=url, is_local=True)
        url = web_address(texts.pop("address", "")) or url
        return self._cited(path, replace(found, **{"title": Path(path).stem, **texts, "url": url}))

    def _body(self, path: str) -> bytes:
        with (self.path / path).open("rb") as file:
            body = file.read(self.limits.max_bytes + 1)
        check_size(len(body), self.limits.max_bytes)
        return body

    def _cited(self, path: str, found: Fetched) -> Fetched:
        if path not in self.works:
            return found
        item = {**self.works[path].csl_item(), "custom": {"file": f"{self.title}/{path}"}}
        return replace(found, url=item.get("URL", found.url), title=item.get("title", found.title), work=item)


# --- files of repositories, from local mirrors -----------------------------------------------------------------------


DOCUMENTS = frozenset({".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc", ".html", ".htm"})
"""Suffixes of documentation."""
_FRONT_TITLE = re.compile(r"\A---\n(?:.*\n){0,20}?title:\s*+[\"']?(.+?)[\"']?\n")
_MARKDOWN_TITLE = re.compile(r"^#[^\S\n]+(.{1,300}?)[^\S\n]*+#*+[^\S\n]*+$", re.MULTILINE)
_RST_TITLE = re.compile(r"^(?!\s)(?=.*\w)(.*)\n([=\-~^\"'`#*+])\2{2,}\s*$", re.MULTILINE)
_BINARY = 8_192
"""Number of bytes at the beginning of a file that are searched for a NUL, which means that it is binary."""


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
        """Return the mirror of the file's repository; ``None`` if there is none. Raises MirrorError."""
        path = self._paths.get(file.key)
        if path is None:
            return None
        with self._opening:
            if file.key not in self._open:
                self._open[file.key] = self._stack.enter_context(closing(Mirror(path)))
            return self._open[file.key]

    def read_pins(self, files: Iterable[RepositoryFile]) -> Iterator[tuple[RepositoryFile, Fetched]]:
        """Yield files at commits with their text, or with the reason why a mirror does not have them.

        Files of other repositories are skipped. Raises MirrorError for a mirror that cannot be read.
        """
        mirrored = [(file, mirror) for file in dict.fromkeys(files) if (mirror := self.find(file))]
        every = {mirror: {file.ref for file, of in mirrored if of is mirror} for _, mirror in mirrored}
        refused = {mirror: mirror.unreachable(commits) for mirror, commits in every.items()}
        for file, mirror in mirrored:
            if file.ref in refused[mirror]:
                yield file, Fetched(file.url, Outcome.REFUSED, _why_refused(mirror, file.ref))
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
        new = mirror.renamed(file.path, file.ref, head) if newest.outcome is Outcome.GONE else None
        return read_file(mirror, replace(file, ref=head, path=new)) if new else newest

    def at_commit(self, file: RepositoryFile) -> RepositoryFile:
        """Return a file of a branch or tag at its commit. Raises MirrorError if its mirror has no such ref."""
        mirror = self.find(file)
        segments = f"{file.ref}/{file.path}".split("/")
        for end in range(1, len(segments)):
            if mirror and (commit := mirror.resolve("/".join(segments[:end]))):
                return replace(file, ref=commit, path="/".join(segments[end:]))
        raise MirrorError(f"the mirror of {file.repository} has no branch or tag {file.ref}")


def read_file(mirror: Mirror, file: RepositoryFile) -> Fetched:
    """Return the text of a file at a commit, or the reason why there is none. Its commit must be reachable."""
    found = Fetched(file.url, Outcome.OK, fetched=format_time(), final_url=file.url)
    try:
        day = mirror.day_of(file.ref)
        body = mirror.read(file.ref, file.path)
    except MirrorError as error:
        return replace(found, outcome=Outcome.GONE, reason=str(error))
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
        text, visible, media_type = file_text(file.path, body, found.url)
    except Unfetched as error:
        return replace(found, outcome=error.outcome, reason=error.reason)
    heading = file_title(file.path, text)
    title = f"{file.path} ({origin.repository})"
    title = f"{heading} – {title}" if heading else title
    return replace(found, text=text, visible=visible, media_type=media_type, title=title, origin=origin)


def file_text(path: str, body: bytes, url: str = "") -> tuple[str, str, str]:
    """Return the main text, the visible text and the media type of a file's content. Raises Unfetched.

    Text keeps its lines. HTML and PDF are converted to Markdown.
    """
    kind = MEDIA_TYPES.get(PurePosixPath(path).suffix.lower(), "text/plain")
    if kind in {"text/html", PDF}:
        read = SHARED.read(body, Limits(), media_type=kind, url=url)
        return read["text"], read["visible"], kind
    if b"\0" in body[:_BINARY]:
        raise Unfetched(Outcome.WRONG_TYPE, "it is not text")
    text = clean(decode(body, None, is_html=False)).rstrip()
    return text, text, kind


def file_title(path: str, text: str) -> str:
    """Return the title of documentation: of its front matter, or its first heading; empty for a program."""
    suffix = PurePosixPath(path).suffix.lower()
    forms = (_RST_TITLE,) if suffix == ".rst" else (_FRONT_TITLE, _MARKDOWN_TITLE)
    beginning = text[:5_000]
    if suffix != ".rst":
        beginning = common_markdown(beginning)
    titles = (match[1] for form in forms if (match := form.search(beginning)))
    return plain(next(titles, ""), 200) if suffix in DOCUMENTS else ""


def _why_refused(mirror: Mirror, commit: str) -> str:
    if mirror.has_commit(commit):
        why = "it may belong to a fork or pull request, which has the same address"
        return f"no branch or tag of the mirror contains its commit {commit[:12]}: {why}"
    return f"the mirror has no commit {commit[:12]}; update the mirror, or cite a commit of this repository"


# --- exports of reference managers -----------------------------------------------------------------------------------

SUFFIXES = frozenset({".json"})
_MOST_NAMES = 200
_DOI = re.compile(r"10\.\d{4,9}/[^\s\"{}]+")
_FIELDS = (
    *("container-title", "collection-title", "volume", "issue", "number", "page", "publisher", "publisher-place"),
    *("edition", "ISBN", "ISSN", "language", "version"),
)
"""Variables of CSL that are kept as they are."""
_NAME_PARTS = ("family", "given", "literal", "suffix", "dropping-particle", "non-dropping-particle")


@dataclass(frozen=True, slots=True)
class Work:
    """A work in an export, as written there."""

    place: str
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
        found = _DOI.search(_text(self.fields.get("DOI")))
        return found[0].rstrip(".,;") if found else ""

    @property
    def title(self) -> str:
        """The letters of the title."""
        return _letters(re.sub(r"<[^<>]*>", "", _text(self.fields.get("title"))))

    def csl_item(self) -> dict[str, Any]:
        """Return what is known of the work as a CSL item with its citation key as id."""
        item, kind = self.fields, _text(self.fields.get("type"))
        read = {name: read_date(item.get(name)) for name in DATES}
        dates = {name: _cleaned(one.csl) for name, one in read.items() if one}
        address = f"https://doi.org/{quote(self.doi, safe='/:;()._-')}" if self.doi else web_address(item.get("URL"))
        found = {
            "id": self.key,
            "type": kind if re.fullmatch(r"[a-z_-]{3,30}", kind) else "document",
            **{name: plain(_text(item.get(name)), 500, is_html=True) for name in ("title", *_FIELDS)},
            **{role: list(_names(item.get(role))) for role in ("author", "editor")},
            **dates,
            "DOI": self.doi,
            "URL": address,
        }
        return {name: value for name, value in found.items() if value}


def read_export(uri: str, text: str) -> Iterator[Work | str]:
    """Yield the works of an export, or a message with file and line if it is not JSON."""
    try:
        items = json.loads(text)
    except (ValueError, RecursionError) as error:
        yield f"{uri}:{getattr(error, 'lineno', 1)}: not JSON ({error}); export it again"
        return
    line, at = 1, 0
    for raw in items if isinstance(items, list) else ():  # other JSON is not an export
        if isinstance(raw, dict) and isinstance(raw.get("type"), str) and isinstance(raw.get("id"), str | int):
            item = {name: value if isinstance(value, list | dict) else _text(value) for name, value in raw.items()}
            found = max(at, text.find(json.dumps(raw["id"], ensure_ascii=False), at))  # items are in order: linear
            line, at = line + text.count("\n", at, found), found
            key = plain(_text(raw.get("citation-key")) or _text(raw["id"]), 200)
            yield Work(f"{uri}:{line}", key, item, tuple(_files(uri, _text(raw.get("file")))))


def _text(value: object) -> str:
    """Return a number or text as text, anything else as none: `str` would recurse into what is nested."""
    return str(value) if isinstance(value, str | int | float) else ""


def _files(uri: str, value: str) -> Iterator[str]:
    """Yield the paths in a `file` field; several are separated by semicolons."""
    for written in filter(None, map(str.strip, value.split(";"))):
        path = unquote(written.removeprefix("file://")) if written.startswith("file:") else written.replace("\\", "/")
        yield posixpath.normpath(posixpath.join(posixpath.dirname(uri), path))


# --- CSL -------------------------------------------------------------------------------------------------------------


def _names(value: object) -> Iterator[dict[str, str]]:
    for name in name_list(value)[:_MOST_NAMES]:
        parts = {part: plain(name.get(part), 200) for part in _NAME_PARTS}
        if any(parts[part] for part in ("family", "given", "literal")):
            yield {part: text for part, text in parts.items() if text}


def _cleaned(written: Mapping[str, Any]) -> dict[str, Any]:
    """Return a CSL date with its words, which are from a file of somebody else, as plain text."""
    return {key: plain(value, 200) if isinstance(value, str) else value for key, value in written.items()}


# --- matching --------------------------------------------------------------------------------------------------------


def match_works(works: Collection[Work], paths: Collection[str]) -> tuple[dict[str, Work], list[str]]:
    """Return the work that each document is, by path, and a message on each document that may be several works.

    A work's file is found by its path, else by its name wherever it is now; other documents by their citation key. Of
    several files of one work, only the first is matched: PDFs before others.
    """
    named: dict[str, list[Work]] = defaultdict(list)
    for work in works:
        ends = (end for file in work.files for end in _ends(file))
        for name in {*work.files, *ends, work.key.casefold()} - {""}:
            named[name].append(work)
    alike = Counter(end for path in paths for end in set(_ends(path)))
    found: dict[str, Work] = {}
    messages, taken = [], set[str]()
    for path in sorted(paths, key=lambda path: (not path.lower().endswith(".pdf"), path)):
        moved = ([end] for end in _ends(path) if alike[end] == 1)  # no other document has its name
        stem = posixpath.splitext(posixpath.basename(path))[0].casefold()
        claims = ([work for name in group for work in named[name]] for group in ([path], *moved, [stem]))
        claimed = next(filter(None, claims), [])
        same = {work.doi.lower() or work.title or work.place for work in claimed}  # the same for entries of one work
        if len(same) > 1:
            which = " or ".join(sorted({work.key for work in claimed})[:3])
            place = min(work.place for work in claimed)
            messages.append(f"{place}: {path} may be {which}; name it in the `file` field of one entry")
        elif same and not same & taken:
            taken |= same
            found[path] = max(claimed, key=lambda work: (len(work.fields), work.place))
    return found, messages


def _ends(path: str) -> tuple[str, str]:
    """Return a path's name with its folder, and without, to compare: accents are written in several ways."""
    path = unicodedata.normalize("NFKC", path).casefold()
    return "/".join(path.split("/")[-2:]), posixpath.basename(path)


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text)).casefold()
