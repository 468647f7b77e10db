"""A local folder of documents: its files and their texts. Sends no requests."""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from generator.citations.pins import RepositoryFile
from generator.citations.quotes import contains_quote, readings
from generator.search.answers import plain, web_address
from generator.search.exports import SUFFIXES, Work, match_works, read_export
from generator.store.mirrors import Mirror, MirrorError
from generator.web.model import NOTEBOOK, Fetched, Limits, Origin, Outcome, Unfetched
from generator.web.readers import SHARED
from generator.web.responses import PDF, check_size, clean, decode

MEDIA_TYPES = {
    **dict.fromkeys((".md", ".markdown"), "text/markdown"),
    **dict.fromkeys((".txt", ".text", ".rst"), "text/plain"),
    **dict.fromkeys((".html", ".htm", ".xhtml"), "text/html"),
    ".pdf": PDF,
}
"""The files that are read, by suffix in lower case."""
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
    """Defects of exports, each with file and line; set by :meth:`files`."""

    def files(self) -> dict[str, str]:
        """Return the version of every readable file by POSIX path: size and time, or empty if they may not be reliable.

        Hidden files and links that point outside the folder are skipped. The version includes the work that it is.
        """
        root, now, found, exports = self.path.resolve(), time.time_ns(), {}, []
        for directory, names, files in os.walk(self.path):
            names[:] = (name for name in names if not name.startswith("."))
            for name in files:
                path = Path(directory, name)
                inner = path.relative_to(self.path).as_posix()
                is_nameable = inner.isprintable()  # else an address cannot contain its path
                suffix = path.suffix.lower()
                if name.startswith(".") or not is_nameable or suffix not in {*MEDIA_TYPES, *SUFFIXES}:
                    continue
                if path.is_file() and path.resolve().is_relative_to(root):
                    if suffix in SUFFIXES:
                        exports.append(inner)
                        continue
                    about = path.stat()
                    is_sure = about.st_mtime_ns + _UNSURE_NS < now
                    found[inner] = f"{about.st_size} {about.st_mtime_ns}" if is_sure else ""
        self._match(sorted(exports), found)
        return found

    def _match(self, exports: Iterable[str], found: dict[str, str]) -> None:
        """Find the works that the documents are, and add them to their versions."""
        read: list[Work | str] = []
        for name in exports:
            try:
                with (self.path / name).open("rb") as file:
                    body = file.read(self.limits.max_bytes + 1)
                check_size(len(body), self.limits.max_bytes)
                read += read_export(name, decode(body, None, is_html=False))
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
        limits = self.limits
        with (self.path / path).open("rb") as file:
            body = file.read(limits.max_bytes + 1)
        check_size(len(body), limits.max_bytes)
        url = own_address(self.title, path)
        found = Fetched(url, Outcome.OK, media_type=MEDIA_TYPES[Path(path).suffix.lower()])
        texts = SHARED.read(body, limits, media_type=found.media_type, url=url, is_local=True)
        url = web_address(texts.pop("address", "")) or url
        return self._cited(path, replace(found, **{"title": Path(path).stem, **texts, "url": url}))

    def csl_item(self, path: str) -> dict[str, Any]:
        """Return the work that the document at `path` is as a CSL item, with its file."""
        return {**self.works[path].csl_item(), "custom": {"file": f"{self.title}/{path}"}}

    def _cited(self, path: str, found: Fetched) -> Fetched:
        if path not in self.works:
            return found
        item = self.csl_item(path)
        return replace(found, url=item.get("URL", found.url), title=item.get("title", found.title), work=item)


# --- files of repositories, from local mirrors -----------------------------------------------------------------------


MARKDOWN = frozenset({".md", ".markdown", ".mdx"})
DOCUMENTS = frozenset({*MARKDOWN, ".rst", ".txt", ".adoc", ".html", ".htm", ".ipynb"})
"""Suffixes of documentation."""
_FRONT_TITLE = re.compile(r"\A---\n(?:.*\n){0,20}?title:\s*[\"']?(.+?)[\"']?\n")
_MARKDOWN_TITLE = re.compile(r"^#\s+(.+?)\s*#*\s*$", re.MULTILINE)
_RST_TITLE = re.compile(r"^(?!\s)(.*\w.*)\n([=\-~^\"'`#*+])\2{2,}\s*$", re.MULTILINE)
_CONVERTED = {".html": "text/html", ".htm": "text/html", ".pdf": PDF}
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

    def read_versions(self, file: RepositoryFile) -> Iterator[Fetched]:
        """Yield the file at the main branch's newest commit, then at each later commit that changed it, newest first.

        At the newest commit, a file that was renamed is read from its new path. Nothing without a mirror or a main
        branch.
        """
        mirror = self.find(file)
        head = mirror.resolve() if mirror else None
        if mirror and head:
            newest = read_file(mirror, replace(file, ref=head))
            new = mirror.renamed(file.path, file.ref, head) if newest.outcome is Outcome.GONE else None
            yield read_file(mirror, replace(file, ref=head, path=new)) if new else newest
            for commit in mirror.changes(file.path, head, file.ref):
                yield read_file(mirror, replace(file, ref=commit))

    def find_version(self, file: RepositoryFile, quotes: Sequence[str], until: str = "") -> RepositoryFile:
        """Return a file of a branch at the last commit up to a date that has every quote, or of a tag at its commit.

        Raises MirrorError if there is no mirror, ref or such commit.
        """
        mirror = self.find(file)
        if mirror is None:
            raise MirrorError(f"there is no mirror of {file.repository}, and no record of what was read")
        segments = f"{file.ref}/{file.path}".split("/")
        refs = ("/".join(segments[:end]) for end in range(1, len(segments)))
        ref, commit = next(((ref, commit) for ref in refs if (commit := mirror.resolve(ref))), ("", ""))
        if not commit:
            raise MirrorError(f"the mirror of {file.repository} has no branch or tag {file.ref}")
        path = file.at(ref, commit).path
        is_tag = mirror.tips.get(f"refs/tags/{ref}") is not None
        for version in [commit] if is_tag else mirror.changes(path, commit):
            found = read_file(mirror, file.at(ref, version))
            texts = readings(found.visible, found.text)
            is_in_time = is_tag or not until or mirror.day_of(version) <= until
            if is_in_time and found.origin and all(contains_quote(quote, texts) for quote in quotes):
                return file.at(ref, version)
        before = f" up to {until}" if until else ""
        raise MirrorError(f"no commit of {ref}{before} has {path}{' with its quotes' if quotes else ''}")


def read_file(mirror: Mirror, file: RepositoryFile) -> Fetched:
    """Return the text of a file at a commit, or the reason why there is none. Its commit must be reachable."""
    found = Fetched(file.url, Outcome.OK, fetched=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), final_url=file.url)
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
        text, visible, media_type = read_body(file.path, body, found.url)
    except Unfetched as error:
        return replace(found, outcome=error.outcome, reason=error.reason)
    heading = title_of(file.path, text)
    title = f"{file.path} ({origin.repository})"
    title = f"{heading} – {title}" if heading else title
    return replace(found, text=text, visible=visible, media_type=media_type, title=title, origin=origin)


def read_body(path: str, body: bytes, url: str = "", limits: Limits | None = None) -> tuple[str, str, str]:
    """Return the main text, the visible text and the media type of a file's content. Raises Unfetched.

    Text keeps its lines. HTML, PDF and notebooks are converted to Markdown.
    """
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in _CONVERTED:
        kind = _CONVERTED[suffix]
        read = SHARED.read(body, limits or Limits(), media_type=kind, url=url)
        return read["text"], read["visible"], kind
    if b"\0" in body[:_BINARY]:
        raise Unfetched(Outcome.WRONG_TYPE, "it is not text")
    text = clean(decode(body, None, is_html=False)).rstrip()
    if suffix == ".ipynb":
        cells = _read_notebook(text)
        return cells, cells, NOTEBOOK
    return text, text, "text/markdown" if suffix in MARKDOWN else "text/plain"


def title_of(path: str, text: str) -> str:
    """Return the title of documentation: of its front matter, or its first heading; empty for a program."""
    suffix = PurePosixPath(path).suffix.lower()
    forms = (_RST_TITLE,) if suffix == ".rst" else (_FRONT_TITLE, _MARKDOWN_TITLE)
    titles = (match[1] for form in forms if (match := form.search(text[:5_000])))
    return plain(next(titles, ""), 200) if suffix in DOCUMENTS else ""


def _read_notebook(text: str) -> str:
    """Return the cells as Markdown; code is fenced, and outputs are omitted."""
    try:
        notebook = json.loads(text)
        about = notebook.get("metadata", {})
        language = str(about.get("language_info", {}).get("name") or "python").split()[0]
        cells = [(cell["cell_type"], "".join(cell["source"])) for cell in notebook["cells"]]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, IndexError) as error:
        raise Unfetched(Outcome.FAILED, "it is not a Jupyter notebook of version 4") from error
    shown = (
        f"````{language}\n{source}\n````" if kind == "code" else source for kind, source in cells if source.strip()
    )
    return clean("\n\n".join(shown)).strip()


def _why_refused(mirror: Mirror, commit: str) -> str:
    if mirror.has_commit(commit):
        why = "it may belong to a fork or pull request, which has the same address"
        return f"no branch or tag of the mirror contains its commit {commit[:12]}: {why}"
    return f"the mirror has no commit {commit[:12]}; update the mirror, or cite a commit of this repository"
