"""The values that each step of a build gets: configuration, files, project, and a cache."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from planbook.views import frame

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

    from planbook.plugin.planbook_config import PlanbookConfig
    from planbook.plugin.setup import ProjectSetup
    from planbook.store.scan import FolderScan
    from planbook_cache.functions import DiskFunctionCache


@dataclass(frozen=True)
class BuildContext:
    """The configuration, files and project of one build."""

    config: MkDocsConfig
    options: PlanbookConfig
    """The options of the plugin."""
    setup: ProjectSetup
    files: Files
    """The files that MkDocs has found and other plugins have added; plans and drops are removed
    from them."""
    scan: FolderScan
    """The entries of the documentation folder that are not published."""
    cache: DiskFunctionCache

    @cached_property
    def docs_dir(self) -> str:
        """The documentation folder, relative to the project's."""
        return Path(os.path.relpath(self.config.docs_dir, self.setup.root)).as_posix()

    @cached_property
    def site(self) -> frame.Site:
        """The facts that pages give about their site."""
        config = self.config
        return frame.Site(
            name=config.site_name,
            url=config.site_url or "",
            author=config.site_author or "",
            language=config.theme.get("language") or "",
            description=config.site_description or "",
            docs_dir=self._authors_docs_dir,
            folder_titles=tuple(self.options.folder_titles.items()),
        )

    @property
    def _authors_docs_dir(self) -> str:
        """The folder that an author writes pages in, as pages and lists name it.

        It is the one of the configuration if a plugin such as monorepo reads a copy elsewhere.
        """
        if not self.docs_dir.startswith("../"):
            return self.docs_dir
        user_configs = self.config.user_configs
        docs_dirs = (options["docs_dir"] for options in user_configs if "docs_dir" in options)
        return next(docs_dirs, "docs")

    @property
    def folder_name(self) -> str:
        """The name of the folder of generated files: each configuration has its own."""
        config_file = Path(self.config.config_file_path or "mkdocs.yml").name
        return hashlib.sha256(os.fsencode(config_file)).hexdigest()[:16]
