"""Generated files that stay between builds.

Their folder, its lock, and the list of what was written.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import posixpath
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout
from mkdocs.plugins import get_plugin_logger
from mkdocs.structure.files import File, Files
from mkdocs_gen_files.editor import FilesEditor

from planbook.library import RESERVED_URIS
from planbook.views import agents
from planbook.views.progress import DATA, SCHEMA
from planbook_cache.disk import DiskCache, open_regular, stamp_of_source
from planbook_cache.entries import digest_of
from planbook_cache.versions import code_version
from planbook_cache.workers import start_forked
from planbook_speed import reasons

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig


log = get_plugin_logger("planbook")
REPLACED_URIS = frozenset({*map(str, RESERVED_URIS), DATA, SCHEMA})
"""Generated files that replace an author's."""
TWIN = ".twin"
"""The suffix of a Markdown twin until it is published: MkDocs would treat the file as a page."""


@lru_cache(1 << 16)
def _position_in_site(uri: str) -> tuple[str, ...]:
    """Return the key by which mkdocs-gen-files sorts a file.

    It takes five times as long to compute the key.
    """
    *folders, name = uri.split("/")
    is_index = posixpath.splitext(name)[0] in {"index", "README"}
    return *map("\x02".__add__, folders), chr(not is_index) + name


@lru_cache(1 << 16)
def site_file(uri: str, folder: str, site: str, use_directory_urls: bool) -> File:
    """Return a file of which each build takes a copy, a page with its addresses.

    Computing them takes longer.
    """
    file = File(uri, folder, site, use_directory_urls)
    file.generated_by = "mkdocs-gen-files"
    file.dest_uri = file.dest_uri.removesuffix(TWIN)
    if uri.endswith(".md"):
        _ = file.url, file.abs_src_path  # cached properties
    return file


TABLE = "all files of the kind "
"""The start of the name of an input that has many files, which have a table for all groups."""
VERSION = "the version of planbook"
"""The name of an input of all groups."""
DIGEST_CHARACTERS = reasons.START_CHARACTERS
"""The length of the start of a digest that tells what has changed."""
GENERATED_FOLDER = "generated"
"""The name of the folder of all generated files, in the cache's folder."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A generated file as a build left it."""

    text_sha256: str
    stamp: list[int]
    """Its `stamp_of_source`: with another one, its text is compared."""
    about: tuple[str, str]
    """Title and description of a page."""


@dataclass(frozen=True, slots=True)
class FileGroup:
    """Files that are rendered together, from the same inputs."""

    key: str
    """The digest of the inputs; empty if they have none: then every build renders the files."""
    files: dict[str, StoredFile] = field(default_factory=dict)
    """The files by path in the documentation folder."""
    input_digests: dict[str, str] = field(default_factory=dict)
    """The start of the digest of each input, by its name."""


@dataclass(frozen=True, slots=True)
class GroupToMake:
    """Files to render together, if what they are rendered from has changed."""

    name: str
    """Unique in a build."""
    inputs: object
    """Everything that the texts depend on besides our code."""
    render: Callable[[], Iterable[tuple[str, str]]]
    """Returns path and text of each file."""
    digest_inputs: Callable[[], Mapping[str, str]] = dict
    """Returns the start of the digest of each input by its name, such as that of a file. They tell
    what has changed, and decide nothing."""


class WhyRendered(Enum):
    """The reasons to render files again, as a verbose build gives them."""

    CHANGED = "changed: {}"
    NEW = "no earlier build has generated it"
    NO_DIGEST = "one of the values that it is made from cannot be compared"
    NOT_INTACT = "its file in the cache, or that of another page made with it, was changed"
    UNNAMED = "one of the values that it is made from has changed"


class BuildFolder:
    """A folder for the files of one build at a time, which the next build reuses.

    If another build uses it, or it cannot be written, a temporary folder is used instead.

    Args:
        cache: the cache whose folder it is in.
        name: its name among the cache's folders of this kind, such as a digest.

    Raises:
        OSError: a temporary folder cannot be created either.
    """

    def __init__(self, cache: DiskCache, name: str) -> None:
        self.path = cache.folder.parent / GENERATED_FOLDER / name
        self._unfinished = self.path.with_suffix(".unfinished")
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self.is_kept = True
        """True if the next build can reuse the files."""
        self._lock = FileLock(self.path.with_suffix(".lock"))
        try:
            cache.prepare()
            self.path.parent.mkdir(exist_ok=True)
            self._lock.acquire(blocking=False)
            if self._unfinished.exists():  # a killed build left files that are not in any list
                shutil.rmtree(self.path, ignore_errors=True)
            self._unfinished.touch()
            self.path.mkdir(exist_ok=True)
        except (Timeout, NotImplementedError, OSError):
            self._lock.release()
            self.is_kept = False
            self._temporary = tempfile.TemporaryDirectory(prefix="planbook_")
            self.path = Path(self._temporary.name)
            self._unfinished = self.path / "unfinished"

    def remove(self, names: Iterable[str]) -> None:
        """Remove files, by path in the folder, and empty folders."""
        for name in names:
            with contextlib.suppress(OSError):
                (self.path / name).unlink()
                os.removedirs((self.path / name).parent)

    def commit(self) -> None:
        """Mark the files as complete for the next build."""
        self._unfinished.unlink(missing_ok=True)

    def release(self) -> None:
        """Release the folder for other builds."""
        self._lock.release()
        if self._temporary is not None:
            self._temporary.cleanup()


class GeneratedFiles:
    """The generated files of one build.

    They are written through mkdocs-gen-files' `FilesEditor` (`docs/decisions`: 0002, 0027).

    Args:
        files: the site's other files.
        config: MkDocs' configuration.
        folder: the folder of the files.
        cache: has the list of files of the last build.
    """

    def __init__(
        self, files: Files, config: MkDocsConfig, folder: BuildFolder, cache: DiskCache
    ) -> None:
        self._others = [file for file in files if file.src_uri not in REPLACED_URIS]
        self._editor = FilesEditor(Files([]), config, str(folder.path))
        self._config, self._folder, self._cache = config, folder, cache
        self._name = hashlib.sha256(f"generated\n{folder.path}".encode()).hexdigest()
        last_groups = cache.get(self._name, dict[str, FileGroup]) if folder.is_kept else None
        self._before = last_groups or {}
        self._stored = {
            uri: file for group in self._before.values() for uri, file in group.files.items()
        }
        self._now: dict[str, FileGroup] = {}
        self._name_of_tables = hashlib.sha256(f"tables\n{folder.path}".encode()).hexdigest()
        self.tables: Callable[[], dict[str, dict[str, str]]] = dict
        """Returns the start of the digest of each file, by the name of an input with many files."""

    def add_all(self, groups: Iterable[GroupToMake]) -> dict[str, tuple[str, ...]]:
        """Add groups of files; render and write those that have changed on all cores.

        Returns:
            The paths of each group's files, by its name.
        """
        keys = dict[str, str]()
        unchanged = dict[str, dict[str, StoredFile]]()
        changed = dict[str, GroupToMake]()
        why_changed = dict[str, WhyRendered]()
        for group in groups:
            name = group.name
            keys[name] = digest_of(name, code_version("planbook"), group.inputs)
            files, why = self._reusable_files(name, keys[name])
            if why is None:
                unchanged[name] = files
            else:
                changed[name], why_changed[name] = group, why
        ended = start_forked(list(changed.values()), self._render_and_write)
        rendered = {group.name: files for group, files in ended or ()}
        for name, key in keys.items():
            if name in unchanged:
                self._now[name] = replace(self._before[name], files=unchanged[name])
                continue
            # Without a result, there was no other process, or it has failed.
            files = rendered[name] if name in rendered else self._render_and_write(changed[name])
            input_digests = {
                VERSION: code_version("planbook")[:DIGEST_CHARACTERS],
                **changed[name].digest_inputs(),
            }
            self._now[name] = FileGroup(key, files, input_digests)
            self._explain(name, why_changed[name])
        return {name: tuple(self._now[name].files) for name in keys}

    def _reusable_files(
        self, name: str, key: str
    ) -> tuple[dict[str, StoredFile], WhyRendered | None]:
        """Return the files of a group as the last build left them; or why they are rendered."""
        previous = self._before.get(name)
        if not key:
            return {}, WhyRendered.NO_DIGEST
        if previous is None:
            return {}, WhyRendered.NEW
        if previous.key != key:
            return {}, WhyRendered.CHANGED
        files = self._intact(previous.files)
        return ({}, WhyRendered.NOT_INTACT) if files is None else (files, None)

    def _explain(self, name: str, why: WhyRendered) -> None:
        """Say of the files of a group why they were rendered again, in a verbose build."""
        if not log.isEnabledFor(logging.DEBUG):
            return
        reason = self._describe_change(name) if why is WhyRendered.CHANGED else why.value
        for uri in dict.fromkeys(uri.removesuffix(TWIN) for uri in self._now[name].files):
            log.debug("%s: generated again: %s", uri, reason)

    def _describe_change(self, name: str) -> str:
        """Return which inputs of a group have changed since the last build."""
        names = [
            name_of_file
            for input_name in reasons.changed_names(
                self._before[name].input_digests, self._now[name].input_digests
            )
            for name_of_file in self._names_in(input_name)
        ]
        return reasons.describe_changed_inputs([*dict.fromkeys(names)]) or WhyRendered.UNNAMED.value

    def _names_in(self, input_name: str) -> list[str]:
        """Return the names of the files that have changed in an input with many; else its own."""
        if not input_name.startswith(TABLE):
            return [input_name]
        previous = self._cache.get(self._name_of_tables, dict[str, dict[str, str]]) or {}
        current = self.tables()
        return reasons.changed_names(previous.get(input_name, {}), current.get(input_name, {})) or [
            input_name
        ]

    def _render_and_write(self, group: GroupToMake) -> dict[str, StoredFile]:
        """Render a group and write its files."""
        return {uri: self._write(uri, text) for uri, text in group.render()}

    def files_so_far(self) -> dict[str, StoredFile]:
        """Return the generated files that were added, by path."""
        return {uri: file for group in self._now.values() for uri, file in group.files.items()}

    def finish(self) -> Files:
        """Add the files to the site, and remove those that this build did not generate.

        The others are recorded for the next build.

        Returns:
            All files of the site.
        """
        uris = [uri for group in self._now.values() for uri in group.files]
        if self._now != self._before:
            self._folder.remove(self._stored.keys() - set(uris))
            if self._folder.is_kept:
                self._cache.put(self._name, self._now, is_latest=True)
                self._cache.put(self._name_of_tables, self.tables(), is_latest=True)
        self._folder.commit()
        files = {file.src_uri: file for file in (*self._others, *map(self._file, uris))}
        return Files(sorted(files.values(), key=lambda file: _position_in_site(file.src_uri)))

    def _file(self, uri: str) -> File:
        """Return the file as the editor registers one that it opens, without opening it again."""
        config = self._config
        return copy(
            site_file(uri, str(self._folder.path), config.site_dir, config.use_directory_urls)
        )

    def _write(self, uri: str, text: str) -> StoredFile:
        """Write a file, unless the last build's has the same text."""
        raw = text.encode("utf-8")
        digest = hashlib.sha256(raw).hexdigest()
        previous = self._stored.get(uri)
        if previous is not None and previous.text_sha256 == digest:
            intact = self._intact({uri: previous})
            if intact is not None:
                return intact[uri]
        path = self._folder.path / uri
        _make_way(path, self._folder.path)
        with self._editor.open(uri, "wb") as file:
            file.write(raw)
        about = agents.title_and_description(text, uri) if uri.endswith(".md") else ("", "")
        return StoredFile(digest, stamp_of_source(str(path)) or [], about)

    def _intact(self, files: dict[str, StoredFile]) -> dict[str, StoredFile] | None:
        """Return the files of a group as they are found.

        The result is ``None`` if one is missing, or is not as it was written.
        """
        intact = dict[str, StoredFile]()
        for uri, file in files.items():
            path = f"{self._folder.path}/{uri}"
            stamp = stamp_of_source(path)
            if stamp is None:
                return None
            if stamp == file.stamp:
                intact[uri] = file
                continue
            # Another file, perhaps a copy, or one that was written since.
            try:
                with open(path, "rb", opener=open_regular) as stored_file:
                    digest = hashlib.sha256(stored_file.read()).hexdigest()
            except OSError:
                return None
            if digest != file.text_sha256:
                self._cache.record_damage()
                return None
            intact[uri] = replace(file, stamp=stamp)
        return intact


def _make_way(path: Path, top: Path) -> None:
    """Remove what is at the place of a generated file, and what is no folder above it, below `top`.

    A last file is removed, too: whoever has it open keeps it.
    """
    for above in reversed(path.relative_to(top).parents[:-1]):
        obstacle = top / above
        if obstacle.is_symlink() or (obstacle.exists() and not obstacle.is_dir()):
            obstacle.unlink()
    with contextlib.suppress(OSError):
        path.unlink()
    if path.is_dir():
        shutil.rmtree(path)
