"""The files beside a report that it may cite.

They are those of the audited folder or project, without hidden ones.
"""

from __future__ import annotations

import hashlib
import posixpath
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path, PurePosixPath

from planbook.research.audit.claims.local_citations import (
    SOURCE_FOLDERS,
    GuessedPath,
    Resolve,
    is_source_file,
    split_place,
)
from planbook.research.search.document_folder import file_text
from planbook.research.web.model import Fetched, Outcome, Unfetched
from planbook.store.cited_files import MAX_BYTES
from planbook.store.trees import files_below


@dataclass(frozen=True, slots=True)
class WithoutLines(Fetched):
    """A file that was read, and ends before the cited lines."""

    whole: str = ""
    """Its text."""


class LocalFiles:
    """The files below a folder. A link that leads out of it is not followed."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()

    def resolver(self, report: Path) -> Resolve:
        """Return the function that finds the files that a report names.

        It returns their paths from the folder.

        A path is relative to the report, to a folder above it, or is the end of exactly one path,
        as in a wikilink. Of several such paths, that right below a folder of sources counts, or
        the only one that does not begin as the report's. No report names itself.
        """
        folder = self._folder_of(report)
        report_path = f"{folder}/{report.name}".removeprefix("./").lstrip("/")
        return partial(self._resolve, folder, report_path)

    def _resolve(self, folder: str, report_path: str, written: str) -> str | None:
        """Return the path of the file that a report names; ``None`` if there is none, or several.

        Args:
            folder: the folder of the report.
            report_path: the path of the report.
            written: the path as the report has it.
        """
        for path in _candidates(folder, written):
            for name in (path, f"{path}.md"):
                if name in self.names and name != report_path:
                    return name
        return self._by_end(written, report_path)

    def beside(self, report: Path) -> tuple[str, ...]:
        """Return the paths of the files in the folder of a report, then in those above it."""
        folder = PurePosixPath(self._folder_of(report))
        folders = [above.as_posix() for above in (folder, *folder.parents)]
        return tuple(name for parent in folders for name in self._by_folder.get(parent, ()))

    def source_named(self, name: str) -> str:
        """Return the only source with a name, whatever its suffix; empty if there is no such."""
        paths = self._sources_by_stem.get(name.lower(), ())
        return paths[0] if len(paths) == 1 else ""

    def read(self, address: str) -> Fetched:
        """Return the text of a file, or of its cited lines, or the reason why there is none."""
        path, span = split_place(address)
        if path not in self.names:
            missing_work = self._missing_work(address)
            if missing_work:
                return missing_work
        whole = self.read_whole(path)
        if span is None or not whole.text:
            return whole
        return replace(cut_lines(whole, path, span), url=address)

    def read_whole(self, path: str) -> Fetched:
        """Return the text of a file, or the reason why there is none."""
        if path not in self.names:
            return Fetched(path, Outcome.GONE, "there is no such file below the audited folder")
        file = self._root / path
        if not file.resolve().is_relative_to(self._root):
            reason = "it is a link that leads out of the audited folder"
            return Fetched(path, Outcome.FAILED, reason)
        try:
            if file.stat().st_size > MAX_BYTES:
                return Fetched(path, Outcome.FAILED, f"it has more than {MAX_BYTES:,} bytes")
            text, visible, kind = file_text(path, file.read_bytes())
        except OSError as error:
            return Fetched(path, Outcome.FAILED, error.strerror or "it cannot be read")
        except Unfetched as error:
            return Fetched(path, error.outcome, error.reason)
        return Fetched(path, Outcome.OK, text=text, visible=visible, media_type=kind, title=path)

    def head(self, path: str, length: int) -> str:
        """Return the beginning of a text; empty if it cannot be read, or is out of the folder."""
        file = self._root / path
        if path not in self.names or not file.resolve().is_relative_to(self._root):
            return ""
        try:
            with file.open(encoding="utf-8", errors="replace") as opened:
                return opened.read(length)
        except OSError:
            return ""

    def digest(self, path: str) -> str:
        """Return the SHA-256 of a file's bytes.

        The result is empty if it cannot be read, or leads out of the folder.
        """
        file = self._root / path
        if path not in self.names or not file.resolve().is_relative_to(self._root):
            return ""
        try:
            with file.open("rb") as opened:
                return hashlib.file_digest(opened, "sha256").hexdigest()
        except OSError:
            return ""

    @cached_property
    def names(self) -> frozenset[str]:
        """The paths of all files, from the folder."""
        below = files_below(self._root, "")
        return frozenset(name for name in below if (self._root / name).is_file())

    def _folder_of(self, report: Path) -> str:
        """Return the folder of a report from the audited one; empty if it is outside."""
        file = report.resolve()
        is_inside = file.is_relative_to(self._root)
        return file.parent.relative_to(self._root).as_posix() if is_inside else ""

    def _missing_work(self, address: str) -> Fetched | None:
        """Return why a work of a bibliography cannot be read, if a place is one.

        Such a place is ``refs.bib@rye``, or ``@rye``, which no bibliography has.
        """
        bibliography, at, key = address.rpartition("@")
        if not at:
            return None
        if bibliography in self.names:
            reason = f"{bibliography} has neither an address nor a file of {key}"
            return Fetched(address, Outcome.FAILED, reason)
        if not bibliography and key:
            return Fetched(address, Outcome.GONE, "no bibliography of the page has this key")
        return None

    @cached_property
    def _by_folder(self) -> dict[str, list[str]]:
        paths = defaultdict(list)
        for path in sorted(self.names):
            paths[PurePosixPath(path).parent.as_posix()].append(path)
        return paths

    @cached_property
    def _sources_by_stem(self) -> dict[str, list[str]]:
        paths = defaultdict(list)
        for path in sorted(self.names):
            file = PurePosixPath(path)
            is_in_sources = any(folder.lower() in SOURCE_FOLDERS for folder in file.parts[:-1])
            if is_in_sources and file.suffix.lower() not in {".bib", ".json"}:
                paths[file.stem.lower()].append(path)
        return paths

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        paths = defaultdict(list)
        for path in sorted(self.names):
            paths[PurePosixPath(path).name.lower()].append(path)
        return paths

    def _by_end(self, written: str, report_path: str) -> str | None:
        """Return the only file whose path ends in `written`, with or without ``.md``.

        See `resolver`.
        """
        end = posixpath.normpath(written).lower()
        if end.startswith(".."):
            return None
        name = PurePosixPath(end).name
        wanted = f"/{end.removesuffix('.md')}"
        paths = []
        for path in (*self._by_name.get(name, ()), *self._by_name.get(f"{name}.md", ())):
            stem = f"/{path.lower()}".removesuffix(".md")
            if stem.endswith(wanted) and path != report_path:
                paths.append(path)
        if not paths:
            return None
        if len(paths) == 1:
            return _as_written(paths[0], written)
        top = report_path.partition("/")[0]
        of_sources = [path for path in paths if _is_right_below_sources(path, wanted)]
        elsewhere = [path for path in paths if path.partition("/")[0] != top]
        for candidates in (of_sources, elsewhere):
            if len(candidates) == 1:
                return _as_chosen(candidates[0])
        return None


def _as_written(path: str, written: str) -> str:
    """Return a path, as a guess if its letters are others than those of the name with a suffix.

    ``AGENTS.md`` is hardly ``ui/agents.md``. A wikilink (``[[Tea]]``) has no suffix, and any case.
    """
    name = PurePosixPath(written).name
    is_other_case = PurePosixPath(path).name != name and bool(PurePosixPath(name).suffix)
    return GuessedPath(path) if is_other_case else path


def _as_chosen(path: str) -> str:
    """Return the path that was chosen of several, as a guess unless it is a note among sources."""
    is_note = path.lower().endswith((".md", ".markdown")) and is_source_file(path)
    return path if is_note else GuessedPath(path)


def _is_right_below_sources(path: str, wanted: str) -> bool:
    """Return whether what stands before the wanted end of a path is a folder of sources."""
    above = f"/{path.lower()}".removesuffix(".md").removesuffix(wanted)
    return PurePosixPath(above).name in SOURCE_FOLDERS


def cut_lines(whole: Fetched, path: str, span: tuple[int, int]) -> Fetched:
    """Return the cited lines of a file, or the reason why it does not have them.

    Args:
        whole: the file.
        path: its path, for the reason.
        span: first and last line, 1-based.
    """
    lines = whole.text.split("\n")
    first, last = span
    number = len(lines) - (not lines[-1])
    # Many count the empty line behind the last one.
    if not (1 <= first <= last <= number + 1 and first <= len(lines)):
        which = f"line {first}" if first == last else f"lines {first} to {last}"
        reason = f"{path} has {number} lines, and no {which}"
        if number < first <= last:
            return WithoutLines(whole.url, Outcome.GONE, reason, whole=whole.text)
        return Fetched(whole.url, Outcome.GONE, reason)
    text = "\n".join(lines[first - 1 : last])
    return replace(whole, text=text, visible=text)


def _candidates(folder: str, written: str) -> Iterator[str]:
    """Yield the paths that a name may mean, from the report's folder upwards."""
    above = PurePosixPath(folder)
    for base in (above, *above.parents):
        path = posixpath.normpath(f"{base.as_posix()}/{written}")
        if not path.startswith(".."):
            yield path.removeprefix("./").lstrip("/")
