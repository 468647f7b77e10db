"""The documentation folder as MkDocs may list it: without links that lead out or back, and pipes.

MkDocs lists the files before any plugin can remove some, and follows every link to a folder: to
`/`, and for ever to a folder that contains the link. Where there are such entries, it lists a
temporary folder without them, which leads to all others; the files that it finds there get their
own places back.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from planbook.store.files import link_entries, writing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files


class DocsView:
    """A temporary folder that leads to the entries of the documentation folder, except some."""

    def __init__(self, config: MkDocsConfig, skipped: Iterable[str]) -> None:
        """Set the view as the documentation folder, if any of its entries are skipped.

        Args:
            config: MkDocs' configuration.
            skipped: the entries to leave out, by path relative to the folder.

        Raises:
            UnwritableError: there can be no temporary folder.
        """
        self._config, self._docs_dir = config, config.docs_dir
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        excluded = frozenset(skipped)
        if excluded:
            with writing(Path("a temporary folder")):
                self._folder = tempfile.TemporaryDirectory(prefix="planbook_docs_")
                link_entries(Path(self._docs_dir), Path(self._folder.name), excluded)
            config.docs_dir = self._folder.name

    def close(self, files: Files | None = None) -> None:
        """Set the documentation folder again, in the configuration and in the `files`."""
        if self._folder is None:
            return
        for file in files or ():
            if file.src_dir == self._folder.name:
                file.src_dir = self._docs_dir
                vars(file).pop("abs_src_path", None)  # a cached property
        self._config.docs_dir = self._docs_dir
        self._folder.cleanup()
        self._folder = None
