"""The reader of a page's Markdown: pyromark, as on GitHub, or Python-Markdown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mkdocs.plugins import get_plugin_logger

from planbook.markdown import github

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page as MkDocsPage

log = get_plugin_logger("planbook")


@dataclass(frozen=True)
class Modes:
    """The modes of a site's pages.

    MkDocs gives the same extensions of Markdown to all pages. So the list in its configuration is
    another one while a page is rendered whose mode is not the site's.
    """

    default: str
    """The mode of pages whose front matter names none."""
    can_be_github: bool = True
    """False if an extension has syntax that only Python-Markdown reads."""

    @staticmethod
    def of_site(config: MkDocsConfig, wanted: str) -> Modes:
        """Return the modes of a site, and log the extensions that keep it from the `wanted` one.

        Args:
            config: MkDocs' configuration, after plugins have changed it.
            wanted: the plugin's option.
        """
        if wanted == github.PYTHON:
            return Modes(wanted)
        extensions, options = config.markdown_extensions, config.mdx_configs
        engine = github.site_engine(extensions, options, is_github=False)
        unknown = sorted(set(github.unknown_syntax(engine)))
        if unknown:
            defect = f"`{github.KEY}: {wanted}` does not read the syntax of {', '.join(unknown)}"
            log.info("%s; pages are rendered by Python-Markdown", defect)
            return Modes(github.PYTHON, can_be_github=False)
        return Modes(wanted)

    def of(self, page: MkDocsPage) -> str:
        """Return the mode of a page; one that is unknown is logged."""
        choice = page.meta.get(github.KEY)
        if choice is None or not self.can_be_github:
            return self.default
        if choice in github.MODES:
            return str(choice)
        modes = " or ".join(github.MODES)
        defect = f"`{github.KEY}` in the front matter is {choice!r}, not {modes}"
        log.warning("%s: %s; the page is read as the site's others", page.file.src_uri, defect)
        return self.default

    def use(self, mode: str, config: MkDocsConfig) -> None:
        """Set the extensions for pages of a mode. The list is new: engines are kept by theirs."""
        other_names = [name for name in config.markdown_extensions if name != github.NAME]
        final_names = [] if mode == github.PYTHON else [github.NAME]
        config.markdown_extensions = [*other_names, *final_names]
