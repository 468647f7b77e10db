"""Generated files that are kept between builds: each is rendered and written again only if its inputs change."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from filelock import FileLock, Timeout
from mkdocs.structure.files import File, Files
from mkdocs_gen_files.editor import FilesEditor

from generator.cache import DiskCache, code_version, run_forked
from generator.speed.protocol import ImmutableFile

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

GENERATED = "generated"
"""The name of the folder of all generated files, in the cache's folder."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A generated file as a build left it."""

    text_sha256: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class FileGroup:
    """Files that are rendered together, from the same inputs."""

    key: str
    """The digest of the inputs; empty if they have none: then every build renders the files."""
    files: dict[str, StoredFile] = field(default_factory=dict)
    """The files by path in the documentation folder."""


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
        self.path = cache.folder.parent / GENERATED / name
        self._unfinished = self.path.with_suffix(".unfinished")
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
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
            self._temporary = tempfile.TemporaryDirectory(prefix="planbook_")
            self.path = Path(self._temporary.name)

    @property
    def is_kept(self) -> bool:
        """True if the next build can reuse the files."""
        return self._temporary is None

    def remove(self, names: Iterable[str]) -> None:
        """Remove files, by path in the folder, and empty folders."""
        for name in names:
            path = self.path / name
            with contextlib.suppress(OSError):
                path.unlink()
                while (path := path.parent) != self.path:
                    path.rmdir()

    def commit(self) -> None:
        """Mark the files as complete for the next build."""
        self._unfinished.unlink(missing_ok=True)

    def release(self) -> None:
        """Release the folder for other builds."""
        self._lock.release()
        if self._temporary is not None:
            self._temporary.cleanup()


class GeneratedFiles:
    """The generated files of one build, through mkdocs-gen-files' `FilesEditor` (design, decision 4).

    Args:
        files: the site's other files.
        config: MkDocs' configuration.
        folder: the folder of the files.
        cache: has the list of files of the last build.
        replaced: paths of generated files that replace an author's.
    """

    def __init__(
        self, files: Files, config: MkDocsConfig, folder: BuildFolder, cache: DiskCache, replaced: Iterable[str]
    ) -> None:
        hidden = frozenset(replaced)
        self._others = [file for file in files if file.src_uri not in hidden]
        self._editor = FilesEditor(Files([]), config, str(folder.path))
        self._config, self._folder, self._cache = config, folder, cache
        self._name = hashlib.sha256(f"generated\n{folder.path}".encode()).hexdigest()
        known = cache.get(self._name, dict[str, FileGroup]) if folder.is_kept else None
        self._before = known or {}
        self._stored = {uri: file for group in self._before.values() for uri, file in group.files.items()}
        self._now: dict[str, FileGroup] = {}

    @property
    def uris(self) -> list[str]:
        """The paths of the files generated so far."""
        return [uri for group in self._now.values() for uri in group.files]

    def add_all(
        self, groups: Iterable[tuple[str, object, Callable[[], Iterable[tuple[str, str]]]]]
    ) -> dict[str, tuple[str, ...]]:
        """Add groups of files; render and write those that have changed on all cores.

        Args:
            groups: the unique name of each group, everything that its texts depend on besides our code, and a function
                that renders them: it returns path and text of each file.

        Returns:
            The paths of each group's files, by its name.
        """
        keyed = [(name, self._key(name, inputs), make) for name, inputs, make in groups]
        changed = {name: make for name, key, make in keyed if not self._is_unchanged(name, key)}
        written: dict[str, dict[str, StoredFile]] = {}
        run_forked(
            list(changed.items()),
            lambda group: self._written(group[1]),
            receive=lambda group, files: written.update({group[0]: files}),
        )
        for name, key, make in keyed:
            files = written.get(name) if name in changed else self._before[name].files
            self._now[name] = FileGroup(key, self._written(make) if files is None else files)
        return {name: tuple(self._now[name].files) for name, *_ in keyed}

    def _is_unchanged(self, name: str, key: str) -> bool:
        last = self._before.get(name)
        if last is None or not key or last.key != key:
            return False
        return all(self._is_intact(uri, file) for uri, file in last.files.items())

    def _written(self, make: Callable[[], Iterable[tuple[str, str]]]) -> dict[str, StoredFile]:
        return {uri: self._write(uri, text) for uri, text in make()}

    def text(self, uri: str) -> str:
        """Return the text of a generated file."""
        return (self._folder.path / uri).read_text(encoding="utf-8")

    def text_digests(self) -> dict[str, str]:
        """Return the digest of each file's text, by path."""
        return {uri: file.text_sha256 for group in self._now.values() for uri, file in group.files.items()}

    def finish(self) -> Files:
        """Remove files that this build did not generate, record the others for the next one, and add them to the site.

        Returns:
            All files of the site.
        """
        if self._now != self._before:
            self._folder.remove(self._stored.keys() - set(self.uris))
            if self._folder.is_kept:
                self._cache.put(self._name, self._now)
        self._folder.commit()
        return FilesEditor(Files([*self._others, *map(self._file, self.uris)]), self._config).files

    def _file(self, uri: str) -> File:
        """Return the file as the editor registers it when it is opened, without opening it again."""
        config = self._config
        kind = ImmutableFile if self._folder.is_kept else File  # `_write` never changes a file
        file = kind(uri, str(self._folder.path), config.site_dir, config.use_directory_urls)
        file.generated_by = "mkdocs-gen-files"
        return file

    def _write(self, uri: str, text: str) -> StoredFile:
        raw = text.encode("utf-8")
        digest = hashlib.sha256(raw).hexdigest()
        last = self._stored.get(uri)
        if last is not None and last.text_sha256 == digest and self._is_intact(uri, last):
            return last
        with contextlib.suppress(OSError):  # the last site may have a link to it
            (self._folder.path / uri).unlink()
        with self._editor.open(uri, "wb") as file:
            file.write(raw)
            file.flush()
            stat = os.fstat(file.fileno())
        return StoredFile(digest, stat.st_size, stat.st_mtime_ns)

    def _is_intact(self, uri: str, file: StoredFile) -> bool:
        try:
            stat = os.stat(f"{self._folder.path}/{uri}")  # noqa: PTH116 - for thousands of files
        except OSError:
            return False
        return (stat.st_size, stat.st_mtime_ns) == (file.size, file.mtime_ns)

    @staticmethod
    def _key(name: str, inputs: object) -> str:
        return digest_of(name, code_version(), inputs)


def digest_of(*values: object) -> str:
    """Return the SHA-256 of values; empty if they cannot be encoded."""
    try:
        return hashlib.sha256(msgspec.msgpack.encode(values)).hexdigest()
    except (UnicodeEncodeError, OverflowError, TypeError):
        return ""
