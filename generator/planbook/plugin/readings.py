"""The pages of a project as on GitHub and by Python-Markdown, for those who choose between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.config import load_config

from planbook.markdown import extensions, github, normalize
from planbook.markdown.document import read_document
from planbook.markdown.github.compare import Difference, differences
from planbook.plugin import PlanbookPlugin
from planbook.store.files import RefusedError

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig


@dataclass(frozen=True, slots=True)
class MarkdownReaders:
    """Renders pages by both readers of Markdown."""

    config: MkDocsConfig
    syntax: extensions.Syntax

    @staticmethod
    def of_project(config_file: Path) -> MarkdownReaders:
        """Return the readers of a project.

        Raises RefusedError if an extension has syntax that only Python-Markdown reads.
        """
        config = load_config(str(config_file))
        plugin = config.plugins.get("planbook")
        if not isinstance(plugin, PlanbookPlugin):
            defect = f"{config_file}: the plugin is missing; add `- planbook` to `plugins`"
            raise RefusedError(defect)
        config = plugin.on_config(config)
        names_of_extensions, options = config.markdown_extensions, config.mdx_configs
        engine = github.site_engine(names_of_extensions, options, is_github=False)
        unknown = sorted(set(github.unknown_syntax(engine)))
        if unknown:
            defect = f"only Python-Markdown reads the syntax of {', '.join(unknown)}"
            raise RefusedError(f"{config_file}: {defect}; such a site stays as it is")
        return MarkdownReaders(
            config, extensions.read_syntax(extensions.named_options(names_of_extensions, options))
        )

    def differences(self, pages: Mapping[str, bytes]) -> Iterator[tuple[str, Difference]]:
        """Yield each difference with the page's path, in order. Line numbers are the file's."""
        names_of_extensions, options = self.config.markdown_extensions, self.config.mdx_configs
        by_python = github.site_engine(names_of_extensions, options, is_github=False)
        as_on_github = github.site_engine(names_of_extensions, options, is_github=True)
        for uri, raw in sorted(pages.items()):
            document = read_document(raw.decode("utf-8", "replace"))
            body = document.body
            python = by_python.reset().convert(normalize.fix_markdown(body, {}, self.syntax))
            ours = as_on_github.reset().convert(normalize.fix_links(body))
            for difference in differences(body, ours, python):
                line = difference.line + document.lines_above
                yield uri, Difference(line, difference.github, difference.python)
