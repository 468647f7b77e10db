"""The files of the repository that a base is in, as they are in the working tree."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from planbook.store.cited_files import MAX_BYTES


@dataclass(frozen=True)
class WorkingTree:
    """The files below the folder with ``.git``, or below the project's if there is none.

    Pages and documents are not among them: other rules read these. Hidden files and links that
    lead out are never read.
    """

    root: Path
    """The project's folder."""
    docs_dir: str
    documents: str
    """The folder of documents, relative to the project."""

    @property
    def folder(self) -> str:
        """The project's folder from the top of the repository, or empty if it is that."""
        path = self.root.resolve().relative_to(self._top).as_posix()
        return "" if path == "." else f"{path}/"

    def read(self, path: str, page: str) -> tuple[str, str] | None:
        """Return a file's path from the project's folder and its text.

        The result is ``None`` if there is no such file.

        Args:
            path: as the page names it: from the project's folder, from the top of the repository,
                or from the page.
            page: the page, from the folder of pages.
        """
        for name in self._candidates(path, page) if path else ():
            file = self.root / name
            if self._is_own(name, file):
                try:
                    return name, file.read_bytes().decode("utf-8", errors="replace")
                except OSError:
                    return None
        return None

    def _candidates(self, path: str, page: str) -> Iterator[str]:
        beside = posixpath.join(self.docs_dir, posixpath.dirname(page), path)
        from_top = posixpath.join(Path(os.path.relpath(self._top, self.root)).as_posix(), path)
        yield from dict.fromkeys(map(posixpath.normpath, (path, beside, from_top)))

    def _is_own(self, name: str, file: Path) -> bool:
        components = [component for component in PurePosixPath(name).parts if component != ".."]
        is_hidden = any(component.startswith(".") for component in components) or "\0" in name
        is_of_base = any(
            name.startswith(f"{top}/") for top in (self.docs_dir, self.documents) if top
        )
        if is_hidden or is_of_base or PurePosixPath(name).is_absolute() or not file.is_file():
            return False
        is_inside = file.resolve().is_relative_to(self._top)
        return is_inside and file.stat().st_size <= MAX_BYTES

    @cached_property
    def _top(self) -> Path:
        root = self.root.resolve()
        return next((above for above in (root, *root.parents) if (above / ".git").exists()), root)
