"""The project of a build, before its files are read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.exceptions import PluginError

from planbook import store
from planbook.rules.project import CodeFilter, read_code_filter
from planbook.store.settings import is_vault

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

    from planbook.plugin.planbook_config import PlanbookConfig


@dataclass(frozen=True, slots=True)
class ProjectSetup:
    """A project as its configuration describes it."""

    root: Path
    """The project's folder."""
    paths: tuple[str, ...]
    """The folders, files and patterns of plans."""
    outputs: tuple[Path, ...]
    """The folders that builds write: this one's, and the configured one."""
    is_vault: bool
    """True if the pages are notes of Obsidian, whose comments are not published."""
    code_filter: CodeFilter
    """The Problems that the project wants."""


def read_setup(config: MkDocsConfig, options: PlanbookConfig) -> ProjectSetup:
    """Return the project of a build. Raises PluginError if it has no plans, or wrong codes."""
    root = Path(config.config_file_path or "mkdocs.yml").resolve().parent
    paths = store.read_plan_paths(options.plans_dir)
    outputs = Path(config.site_dir), root / _configured_site(config)
    has_notes = is_vault(Path(config.docs_dir), root, options.vault)
    for path in store.missing_plans(root, paths):
        lack = f"plans_dir {path!r} is not a folder next to mkdocs.yml"
        raise PluginError(f"planbook: {lack}; create it, or set another one")
    try:
        code_filter = read_code_filter(store.read_check_options(root))
    except ValueError as error:
        raise PluginError(f"planbook: {error}") from error
    return ProjectSetup(root, paths, outputs, has_notes, code_filter)


def _configured_site(config: MkDocsConfig) -> str:
    """Return the site's folder as the configuration file names it. Raises PluginError."""
    try:
        return store.read_site_dir(Path(config.config_file_path or "mkdocs.yml"))
    except store.RefusedError as error:
        raise PluginError(f"planbook: {error}") from error
