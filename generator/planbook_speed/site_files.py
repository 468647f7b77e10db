"""The files of a site: those that the last build left, and those that this one writes.

MkDocs empties the site's folder at the start of every build, except for hidden files. So the files
of the last build are moved into a hidden folder (:class:`PreviousSite`), and unchanged ones are
moved back before plugins work on the whole site. :class:`SiteFiles` knows from which inputs each
file was written, and :class:`ReadyFiles` has what workers write into the site meanwhile.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from mkdocs.structure.files import File

from planbook_cache.disk import stamp_of_source
from planbook_cache.entries import Raw
from planbook_speed.digests import InputDigests
from planbook_speed.own_inputs import OwnInputs
from planbook_speed.reasons import NotRecorded

HIDDEN_FOLDER = ".planbook-speed"
"""The folder in the site for the files of the last build: MkDocs leaves hidden files alone."""
SEARCH = "search/"
"""The folder of the search index, in which an author may have pages, too."""


def size_and_mtime(path: str) -> list[int] | None:
    """Return a file's size and modification time in nanoseconds; ``None`` if there is no file."""
    try:
        file_stat = os.stat(path)
    except OSError:
        return None
    return [file_stat.st_size, file_stat.st_mtime_ns]


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file of the site as a build left it."""

    key: str
    """The digest of all inputs that it was written from."""
    html_digest: str = ""
    """The digest of the page's HTML before it was built."""
    output_digest: str = ""
    """The digest of the output, if other plugins changed it."""
    stamp: list[int] = field(default_factory=list)
    """Its size and modification time; empty until they are read."""
    event_key: str = ""
    """The digest of the same inputs, those of its events in place of what the events added; empty
    if unknown."""
    own_inputs: OwnInputs | None = None
    """The start of each digest, which tells what has changed; ``None`` for other files than
    pages."""
    is_of_search: bool = False
    """True for a file of the search index: Material's, and those that another plugin divides it
    into."""


@dataclass(frozen=True)
class PreviousBuild:
    """The record of a build for the next one: on the disk, or in memory while serving."""

    files: Mapping[str, WrittenFile] = field(default_factory=dict)
    all_files: frozenset[str] | None = None
    """All files of the site; ``None`` if another plugin may have written some."""
    template_inputs: InputDigests = field(default_factory=dict)
    """Of the inputs that all templates share; empty if pages were not reused."""
    rendering_inputs: InputDigests = field(default_factory=dict)
    """Of the inputs that the rendering of all pages shares."""
    plugin_inputs: Mapping[str, Raw] = field(default_factory=dict)
    """The inputs of all pages that plugins name, by plugin: values by name."""
    not_recorded: Mapping[str, NotRecorded] = field(default_factory=dict)
    """The causes for which pages are not among `files`, by address, as far as they are known."""

    def why_not_recorded(self, dest_uri: str) -> NotRecorded:
        """Return the cause for which the file of a page is in the site, but not among `files`."""
        if not self.template_inputs:
            return NotRecorded.ALL_UNCLEAR
        return self.not_recorded.get(dest_uri, NotRecorded.FOREIGN)


class PreviousSite:
    """The files that the last build left in the site's folder.

    They are treated in one of two ways. If only builds of this server write the site
    (`is_exclusive`), all files are known: they are as they were written, and are moved back
    together before the outdated ones are removed. Else each file is looked at, and those that are
    up to date are moved back one by one.
    """

    def __init__(self, site: Path) -> None:
        self._site = site
        self._aside = site / HIDDEN_FOLDER
        self._approved: set[str] = set()
        """The files that are up to date: `restore_approved` moves them back."""
        self._all_files: frozenset[str] | None = None
        """All files, if nobody else can have changed or added one; else ``None``."""
        self._new: set[str] = set()
        """The files of this build that were there when all others were moved back."""
        self._shown_ns = 0
        """The time of that; 0 before."""

    @property
    def is_exclusive(self) -> bool:
        """True if nobody else has written into the site since the last build."""
        return self._all_files is not None

    def set_aside(self, all_files: frozenset[str] | None) -> None:
        """Move all files that are not hidden aside; if that fails, MkDocs deletes them.

        Args:
            all_files: All files that the last build left; ``None`` if others may be there.
        """
        self.drop()
        if not self._site.is_dir():
            return
        entries = [path for path in self._site.iterdir() if not path.name.startswith(".")]
        with contextlib.suppress(OSError):  # what was not moved is written again
            self._aside.mkdir()
            for path in entries:
                path.rename(self._aside / path.name)
            self._all_files = all_files

    def stamp(self, dest_uri: str) -> list[int] | None:
        """Return the size and the time of a file that was moved aside, if it exists."""
        return size_and_mtime(f"{self._aside}/{dest_uri}")

    def has_unchanged(self, dest_uri: str, written: WrittenFile) -> bool:
        """Return True if a file is as it was written, and there is no other in its place."""
        if self.is_exclusive:
            return True
        is_as_written = written.stamp == self.stamp(dest_uri)
        return is_as_written and not os.path.lexists(f"{self._site}/{dest_uri}")

    def approve(self, dest_uri: str) -> None:
        """Have a file moved back in the end, if no newer one is in its place."""
        self._approved.add(dest_uri)

    def restore_approved(self) -> None:
        """Have the approved files in their places, and no others of the last build; once.

        A file written since then stays.
        """
        if self._all_files is not None:
            self._restore_all_but_outdated(self._all_files)
        elif self._approved and self._aside.is_dir():  # else this build has written all files
            self._move(f"{self._aside}/", f"{self._site}/", "")
        self._approved = set()
        self._shown_ns = 0
        self.end_exclusive_use()

    def _restore_all_but_outdated(self, all_files: frozenset[str]) -> None:
        """Move all files back, and remove those that are not approved: most files stay."""
        are_shown = self._shown_ns > 0
        if not are_shown and not self._approved:
            return  # this build has written all files
        if not are_shown:
            self.restore_all()
        for dest_uri in all_files - self._approved - self._new:
            self._remove_unless_written(f"{self._site}/{dest_uri}")

    def end_exclusive_use(self) -> None:
        """Look at each file from now on: anybody may change one, or this build has failed."""
        self._all_files = None

    def _remove_unless_written(self, path: str) -> None:
        """Remove a file of the last build, and empty folders, unless this build has written it."""
        with contextlib.suppress(OSError):  # it is gone, or its folder contains others
            written_ns = os.stat(path).st_mtime_ns
            if written_ns < self._shown_ns:  # else MkDocs has written it since `restore_all`
                os.unlink(path)
                os.removedirs(os.path.dirname(path))

    def restore_all(self) -> None:
        """Move this build's files among those of the last one, and all back.

        Some may be out of date: `restore_approved` removes those that this build does not have.
        """
        aside = f"{self._aside}/"
        site = f"{self._site}/"
        tops = [entry.path for entry in os.scandir(site) if not entry.name.startswith(".")]
        new = set(filter(os.path.isfile, tops))
        for top in tops:
            for folder, _, names in os.walk(top):
                new |= {f"{folder}/{name}" for name in names}
        self._new = {path.removeprefix(site) for path in new}
        # The few files of this build go among the many of the last one, not the other way round:
        # whole folders are then moved back, and the site is incomplete only for a moment.
        for dest_uri in self._new:
            self._clear_place(aside, dest_uri)
            os.makedirs(os.path.dirname(aside + dest_uri), exist_ok=True)
            os.replace(site + dest_uri, aside + dest_uri)
        for path in filter(os.path.isdir, tops):
            shutil.rmtree(path)  # empty folders
        for entry in os.scandir(aside):
            os.rename(entry.path, site + entry.name)
        self._shown_ns = os.stat(site).st_mtime_ns  # by the clock of the files

    def _clear_place(self, top: str, dest_uri: str) -> None:
        """Remove a folder that has become this file, or a file that has become a folder."""
        path = top + dest_uri
        while not os.path.lexists(path):
            path = os.path.dirname(path)
        is_own_place = path == top + dest_uri
        is_folder = os.path.isdir(path)
        if is_folder and is_own_place:
            shutil.rmtree(path)
        elif not is_folder and not is_own_place:
            os.unlink(path)

    def _move(self, source: str, target: str, folder: str) -> bool:
        """Return True if the whole folder may be moved; otherwise move back what may be of it.

        A rename of a folder with a thousand files costs as much as that of one file.
        """
        with os.scandir(f"{source}{folder}") as entries:
            is_folder_by_uri = {
                f"{folder}{entry.name}": entry.is_dir(follow_symlinks=False) for entry in entries
            }
        movable = []
        for dest_uri, is_folder in is_folder_by_uri.items():
            may_move = (
                self._move(source, target, f"{dest_uri}/")
                if is_folder
                else dest_uri in self._approved
            )
            if may_move:
                movable.append(dest_uri)
        may_move_folder = 0 < len(movable) == len(is_folder_by_uri)
        if may_move_folder and not os.path.lexists(f"{target}{folder}"):
            return True
        if movable:
            os.makedirs(f"{target}{folder}", exist_ok=True)
        for dest_uri in movable:
            if not os.path.lexists(f"{target}{dest_uri}"):
                os.rename(f"{source}{dest_uri}", f"{target}{dest_uri}")
        with contextlib.suppress(OSError):  # something is left
            os.rmdir(f"{source}{folder}")
        return False

    def drop(self) -> None:
        """Delete the files that were not moved back."""
        if self._aside.exists():
            shutil.rmtree(self._aside, ignore_errors=True)


WorkerResults: TypeAlias = Iterator[tuple[object, dict[str, WrittenFile]]]
"""Items of work, each with the files that a worker wrote for it."""


class ReadyFiles:
    """The files of this build that are in the site before MkDocs comes to them.

    Workers write them, or this process did: it builds changed pages first while serving. Where
    MkDocs then asks for such a file, it is found as one of the last build.
    """

    def __init__(self) -> None:
        self._files: dict[str, WrittenFile] = {}
        self._results: WorkerResults | None = None

    def expect(self, results: WorkerResults | None) -> None:
        """Take what workers write, as their results come."""
        self._results = results

    def add(self, files: Mapping[str, WrittenFile]) -> None:
        """Take files that are written."""
        self._files |= files

    def receive(self, dest_uri: str) -> None:
        """Wait for workers until the file `dest_uri` is there, or no more come."""
        while self._results is not None and dest_uri not in self._files:
            _, files = next(self._results, (None, None))
            if files is None:
                self._results = None
            else:
                self.add(files)

    def receive_all(self) -> None:
        """Wait until the workers have ended."""
        for _, files in self._results or ():
            self.add(files)
        self._results = None

    def find(self, dest_uri: str) -> WrittenFile | None:
        """Return the record of a file, if it is there."""
        return self._files.get(dest_uri)

    def all(self) -> Mapping[str, WrittenFile]:
        """Return the records of all files."""
        return self._files


class SiteFiles:
    """The files that one build writes into the site's folder, or takes from the last build.

    Args:
        folder: The site's folder.
        previous_build: The record of the last build.
        previous_site: Its files.
        all_files: All files that MkDocs may write; ``None`` if another plugin may write some.
    """

    def __init__(
        self,
        folder: Path,
        previous_build: PreviousBuild,
        previous_site: PreviousSite,
        all_files: frozenset[str] | None,
    ) -> None:
        self.folder = folder
        self.previous_build = previous_build
        self.previous_site = previous_site
        self.ready = ReadyFiles()
        self.written: dict[str, WrittenFile] = {}
        """The files of this build, by address, whether they are new or reused."""
        self.not_recorded: dict[str, NotRecorded] = {}
        """The causes for which pages of this build are not among them, by address."""
        self._all_files = all_files

    def previous(self, dest_uri: str) -> WrittenFile | None:
        """Return the newest record of a file: that of this build, if it is ready."""
        return self.ready.find(dest_uri) or self.previous_build.files.get(dest_uri)

    def previous_search_files(self) -> Mapping[str, WrittenFile]:
        """Return the newest record of each file of the search index, all from one build."""
        for files in (self.ready.all(), self.previous_build.files):
            of_search = {dest_uri: file for dest_uri, file in files.items() if file.is_of_search}
            if of_search:
                return of_search
        return {}

    def reusable(self, dest_uri: str, key: str) -> WrittenFile | None:
        """Return the record of a file that was written from the same inputs and is unchanged."""
        file = self.previous(dest_uri)
        if file is None or file.key != key:
            return None
        is_there = self.previous_site.has_unchanged(dest_uri, file) or self._is_ready(
            dest_uri, file
        )
        return file if is_there else None

    def _is_ready(self, dest_uri: str, file: WrittenFile) -> bool:
        is_of_this_build = self.ready.find(dest_uri) is file
        return is_of_this_build and file.stamp == size_and_mtime(f"{self.folder}/{dest_uri}")

    def reuse(self, dest_uri: str, file: WrittenFile) -> None:
        """Take a file that is `reusable`."""
        self.previous_site.approve(dest_uri)
        self.written[dest_uri] = file

    def reuse_if_same(self, dest_uri: str, key: str) -> bool:
        """Take a file if it was written from the same inputs; return True if so."""
        file = self.reusable(dest_uri, key)
        if file is None:
            return False
        self.reuse(dest_uri, file)
        return True

    def add_of_search(self, dest_uri: str, key: str) -> None:
        """Record a file of the search index that was written now."""
        stamp = size_and_mtime(f"{self.folder}/{dest_uri}") or []
        self.written[dest_uri] = WrittenFile(key, stamp=stamp, is_of_search=True)

    def take_written(self) -> dict[str, WrittenFile]:
        """Return the files written so far, and have them be none of this process's any more."""
        files = self.written
        self.written = {}
        return files

    def copy_file(self, file: File, dirty: bool = False) -> None:
        """Do the same as MkDocs' `File.copy_file`, unless the last build copied the same file."""
        is_new = file.dest_uri not in self.written
        source = stamp_of_source(file.abs_src_path) if file.abs_src_path and is_new else None
        key = f"{file.abs_src_path} {source}"
        if source is None:
            File.copy_file(file, dirty)
        elif not self.reuse_if_same(file.dest_uri, key):
            File.copy_file(file, dirty)
            self.written[file.dest_uri] = WrittenFile(key)

    def read_stamps(self) -> None:
        """Read the size and the time of each new file: other plugins may change them at the end."""
        self.written |= self.with_stamps(self.written)

    def with_stamps(self, files: Mapping[str, WrittenFile]) -> dict[str, WrittenFile]:
        """Return files with their sizes and times."""
        return dict(self._with_stamps(files))

    def _with_stamps(self, files: Mapping[str, WrittenFile]) -> Iterator[tuple[str, WrittenFile]]:
        for dest_uri, file in files.items():
            if file.stamp:
                yield dest_uri, file
            else:
                stamp = size_and_mtime(f"{self.folder}/{dest_uri}") or []
                yield dest_uri, replace(file, stamp=stamp)

    def intact(self) -> dict[str, WrittenFile]:
        """Return the files that have not changed since they were written."""
        is_alone = self._all_files is not None  # no other plugin changes any
        return {
            dest_uri: file
            for dest_uri, file in self.written.items()
            if file.stamp
            and (is_alone or file.stamp == size_and_mtime(f"{self.folder}/{dest_uri}"))
        }

    def record(self) -> PreviousBuild:
        """Return the record of this build's files for the next one, with all in their places."""
        self.previous_site.restore_approved()
        files = self.intact()
        changed = dict.fromkeys(self.written.keys() - files.keys(), NotRecorded.CHANGED)
        return PreviousBuild(
            files=files,
            all_files=None if self._all_files is None else self._all_files.union(files),
            not_recorded=self.not_recorded | changed,
        )

    def discard_ready(self) -> None:
        """Remove ready files that this build has not taken, and move the approved ones back.

        After an error, both are left.
        """
        self.previous_site.end_exclusive_use()
        self.ready.receive_all()
        for dest_uri, file in self.ready.all().items():
            taken_file = self.written.get(dest_uri)
            is_taken = taken_file is not None and taken_file.key == file.key
            path = f"{self.folder}/{dest_uri}"
            if is_taken or file.stamp != size_and_mtime(path):
                continue
            Path(path).unlink()
            with contextlib.suppress(OSError):  # its folder contains others
                os.removedirs(os.path.dirname(path))
        self.previous_site.restore_approved()
