"""The local documents that pages cite in ``custom.file``: their state on disk, not their text."""

from __future__ import annotations

import hashlib
import os
import stat
import time
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath

from planbook.citations.report import FileState
from planbook.markdown.words import closest
from planbook.model import Problem
from planbook.store.scan import scan_folder
from planbook.store.trees import files_below
from planbook_cache.functions import NO_CACHE, FunctionCache

PDF = "application/pdf"
MEDIA_TYPES = {
    **dict.fromkeys((".md", ".markdown", ".mdx"), "text/markdown"),
    **dict.fromkeys((".txt", ".text", ".rst"), "text/plain"),
    **dict.fromkeys((".html", ".htm", ".xhtml"), "text/html"),
    ".pdf": PDF,
}
"""The documents that are read, by suffix in lower case."""
_OTHER_FORMATS = {
    **dict.fromkeys((".bib", ".ris", ".enw", ".nbib", ".enl", ".ciw"), "export it as CSL-JSON"),
    **dict.fromkeys(
        (
            *(".doc", ".docx", ".odt", ".pages", ".rtf", ".tex", ".ipynb", ".org", ".adoc"),
            *(".ppt", ".pptx", ".odp", ".key", ".xls", ".xlsx", ".ods"),
            *(".epub", ".mobi", ".azw3", ".djvu", ".ps", ".chm", ".mht", ".mhtml", ".webarchive"),
        ),
        "convert it to Markdown or PDF",
    ),
}
"""The remedy for formats that people have works in, by suffix."""
MAX_BYTES = 10_000_000
"""Maximum size of a document."""
_MAX_PROBED_BYTES = 4_096
"""Maximum size in bytes of a file that is read to see whether it has anything but white space."""
_UNSURE_NS = 2_000_000_000
"""A file modified this recently may change again within one tick of the file system's clock."""


@dataclass(frozen=True)
class CitedFiles:
    """The files below a project's folder of documents, as references name them."""

    root: Path
    """The project's folder."""
    folder: str
    """The folder of documents, relative to the project."""
    cache: FunctionCache = NO_CACHE
    """Caches the hashes of files."""
    unread: Mapping[str, FileState] = field(default_factory=dict)
    """The files that `planbook verify` could not read, with their hashes: a text is more than a
    file."""

    def inner(self, name: str) -> str:
        """Return the path within the folder of documents that `name` means.

        It may be relative to that folder, or to the project.

        A name that differs from a file's only in the composition of its characters means that file.
        """
        path = PurePosixPath(name).as_posix().removeprefix(f"{self.folder}/")
        if "\0" in path or (self._folder / path).exists():
            return path
        return self._by_composed.get(_compose_letters(path), path)

    def state(self, name: str) -> FileState:
        """Return why the file that a reference names cannot be read, or the hash of its content."""
        defect, is_missing = self._defect(name)
        if defect:
            return FileState(f"{name} {defect}", is_missing)
        file_state, unread = FileState(sha256=self._sha256(self.inner(name))), self.unread.get(name)
        return unread if unread and unread.sha256 == file_state.sha256 else file_state

    def defect(self, name: str) -> str:
        """Return why the file that a reference names cannot be read, beginning with its name.

        The result is empty if it can.
        """
        defect, _ = self._defect(name)
        if not defect and name in self.unread:
            return self.state(name).defect
        return defect and f"{name} {defect}"

    def states(self, names: Iterable[str]) -> dict[str, FileState]:
        """Return the `state` of each of the names."""
        return {name: self.state(name) for name in dict.fromkeys(names)}

    def has(self, path: str) -> bool:
        """Return True if the project has a file at `path`, relative to its folder."""
        return ".." not in PurePosixPath(path).parts and (self.root / path).is_file()

    def has_in_folder(self, path: str) -> bool:
        """Return True if the folder has a file at `path`, relative to it."""
        return ".." not in PurePosixPath(path).parts and (self._folder / path).is_file()

    def names(self) -> tuple[str, ...]:
        """Return all files below the folder, relative to it."""
        return self._names

    @cached_property
    def _folder(self) -> Path:
        return self.root / self.folder

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return files_below(self._folder, "")

    @cached_property
    def _by_composed(self) -> dict[str, str]:
        return {_compose_letters(name): name for name in self._names}

    def _defect(self, name: str) -> tuple[str, bool]:
        """Return why a file cannot be read, empty if it can, and whether there is no such file."""
        path = PurePosixPath(self.inner(name))
        if path.is_absolute() or ".." in path.parts:
            return f"is outside {self.folder}/", False
        if any(component.startswith(".") for component in path.parts) or "\0" in name:
            return "is not the name of a file that is read", False
        try:
            return self._defect_on_disk(name, path.as_posix())
        except OSError as error:
            return f"cannot be read ({error.strerror})", False

    def _defect_on_disk(self, name: str, path_within: str) -> tuple[str, bool]:
        path = self._folder / path_within
        if not os.path.lexists(path):
            if self.has(name):
                return f"is outside {self.folder}/", False
            return self._describe_missing(path_within), True
        if not path.exists():
            return "is a link to a file that does not exist", True
        if not path.resolve().is_relative_to(self._folder.resolve()):
            return f"is a link out of {self.folder}/", False
        return _why_unreadable(path), False

    def _describe_missing(self, path_within: str) -> str:
        same_name = [
            path
            for path in self._names
            if PurePosixPath(path).name == PurePosixPath(path_within).name
        ]
        if len(same_name) == 1:
            closest_name = same_name[0]
        else:
            closest_name = closest(path_within, self._names, 0.6)
        if not closest_name:
            return "does not exist"
        return f"does not exist; did you mean {self.folder}/{closest_name}?"

    def _sha256(self, path_within: str) -> str:
        path = self._folder / path_within
        about = path.stat()
        # A file that has just been written may be written again with the same size and time.
        cache = self.cache if about.st_mtime_ns + _UNSURE_NS < time.time_ns() else NO_CACHE
        file = str(path), about.st_size, about.st_mtime_ns
        [[digest]] = cache.from_disk((content_sha256, [file]))
        return str(digest)


def unread_documents(root: Path, folder: str) -> tuple[Problem, ...]:
    """Return the Problems of unread entries of the folder of documents below `root`."""
    skipped = scan_folder(root / folder, (), within=f"{folder}/").skipped if folder else ()
    problems = [entry.problem(folder) for entry in skipped if not entry.is_repeated]
    for name in files_below(root / folder, "") if folder else ():
        fix = _OTHER_FORMATS.get(PurePosixPath(name).suffix.lower())
        if fix:
            defect = f"a file of this type is not read; {fix}"
            problems.append(Problem(f"{folder}/{name}", 1, "K018", defect))
    return tuple(problems)


def content_sha256(path: str, size: int, modified_ns: int) -> str:
    """Return the SHA-256 of the file at `path`, which has this size (bytes) and time of change."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _why_unreadable(path: Path) -> str:
    """Return why an existing file is no document that can be read; empty if it may be one."""
    about = path.stat()
    suffix, is_file = path.suffix.lower(), stat.S_ISREG(about.st_mode)
    defects: tuple[
        tuple[Callable[[], bool], str], ...
    ] = (  # each is looked at if those above it are not there
        (lambda: stat.S_ISDIR(about.st_mode), "is a folder; name a file in it"),
        (lambda: not is_file, "is not a regular file"),
        (
            lambda: suffix not in MEDIA_TYPES,
            f"is of a type that is not read; convert it to one of {', '.join(MEDIA_TYPES)}",
        ),
        (lambda: about.st_size > MAX_BYTES, f"has more than {MAX_BYTES:,} bytes"),
        (lambda: not os.access(path, os.R_OK), "cannot be read (Permission denied)"),
        (lambda: about.st_size < _MAX_PROBED_BYTES and not path.read_bytes().strip(), "is empty"),
        (lambda: suffix == ".pdf" and not _is_pdf(path), "is not a PDF, though its name says so"),
    )
    return next((defect for is_so, defect in defects if is_so()), "")


def _is_pdf(path: Path) -> bool:
    """Return True if a file has the mark of a PDF near its beginning, as readers of PDF require."""
    with path.open("rb") as file:
        return b"%PDF-" in file.read(1024)


def _compose_letters(path: str) -> str:
    return unicodedata.normalize("NFC", path)
