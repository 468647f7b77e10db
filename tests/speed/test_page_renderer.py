"""A rendering of which nothing can be kept says why, and the next build renders the page again."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast
from xml.etree.ElementTree import Element

import pytest
from markdown import Markdown
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from planbook_cache.disk import DiskCache
from planbook_speed import internals
from planbook_speed.cached_page import CachedPage, page_class
from planbook_speed.event_inputs import EventInputs
from planbook_speed.page_html import HtmlFile
from planbook_speed.page_records import KeptPage
from planbook_speed.page_renderer import Renderer
from planbook_speed.reasons import NotKept, Reason

INPUTS = EventInputs("1", "2", "3", ())


class Odd(Extension):
    """An extension that does something while a page is rendered that others do not."""

    def __init__(self, act: Callable[[], object]) -> None:
        super().__init__()
        self.act = act

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Python-Markdown's name
        """Do it after the page is parsed."""
        md.treeprocessors.register(OddProcessor(md, self.act), "odd", -1)


class OddProcessor(Treeprocessor):
    """Leaves the tree as it is."""

    def __init__(self, md: Markdown, act: Callable[[], object]) -> None:
        super().__init__(md)
        self.act = act

    def run(self, root: Element) -> None:
        """Do what is odd."""
        self.act()


class FileList(Extension):
    """An extension that lists all files of the site, which MkDocs' processor of links has."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Python-Markdown's name
        """Do it after the page is parsed."""
        links: Any = lambda: md.treeprocessors["relpath"]  # noqa: E731 - MkDocs adds it later
        md.treeprocessors.register(OddProcessor(md, lambda: links().files.src_uris), "files", -1)


@dataclass
class Rendering:
    """One page, `a.md`, with a renderer and what it says."""

    folder: Path
    text: str = "# One\n"
    said: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.config = MkDocsConfig()
        options = {"site_name": "Bread", "docs_dir": str(self.folder), "site_dir": str(self.folder / "site")}
        self.config.load_dict(options)
        self.config.validate()
        file = File("a.md", str(self.folder), str(self.folder / "site"), use_directory_urls=True)
        self.files = Files([file])
        self.page = Page(None, file, self.config)
        self.cache = DiskCache(self.folder / "cache")
        self.renderer = Renderer(
            self.cache, "1", reuses=True, populate=lambda page: None, explain=lambda _, line: self.said.append(line)
        )

    def render(self) -> KeptPage | NotKept:
        """Render the page, and return what is kept of it."""
        html = HtmlFile()
        internals.replace_page_class(self.page, page_class(self.renderer, html))
        self.page.markdown, self.page.meta = self.text, {}
        self.renderer.record_text("a.md", self.text)
        self.page.render(self.config, self.files)
        kept = self.renderer.keep(cast("CachedPage", self.page), INPUTS, {})
        html._file.close()
        return kept


def warning(_: Page) -> Extension:
    """Warn, as Python does of old functions."""
    return Odd(lambda: warnings.warn("flour", stacklevel=1))


def setting(page: Page) -> Extension:
    """Set an attribute of the page."""
    return Odd(lambda: setattr(page, "flour", "rye"))


@pytest.mark.parametrize(
    ("text", "extension", "cause"),
    [
        ("# One\n", warning, NotKept.WARNING),
        ("# One\n", setting, NotKept.MORE_SET),
        ("# One\n", lambda _: FileList(), NotKept.MORE_READ),
        ("# \ud800\n", None, NotKept.CHARACTERS),
        ("", None, NotKept.NO_TEXT),
    ],
)
def test_a_page_that_is_not_kept_names_one_cause(
    tmp_path: Path, text: str, extension: Callable[[Page], Extension] | None, cause: NotKept
) -> None:
    """It is the one that a verbose build says of the page."""
    rendering = Rendering(tmp_path, text)
    if extension is not None:
        rendering.config.markdown_extensions.append(cast("str", extension(rendering.page)))
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        assert rendering.render() is cause


def test_a_page_is_kept_with_its_inputs(tmp_path: Path) -> None:
    """The next build compares them; without its HTML in the cache, it reads the page again, and says so."""
    rendering = Rendering(tmp_path)
    kept = rendering.render()
    assert isinstance(kept, KeptPage)
    assert kept.event_inputs is INPUTS
    assert rendering.said == [f"rendered again: {Reason.NO_HTML.of()}"]
    assert rendering.renderer.why_not_reused(kept, rendering.files) == ""
    without_html = replace(kept, html_digest="0" * 64)
    assert rendering.renderer.why_not_reused(without_html, rendering.files) == Reason.HTML_IS_GONE.of()


def test_a_page_with_an_option_that_cannot_be_compared_is_rendered(tmp_path: Path) -> None:
    """A plugin has set it for this page; nothing is kept."""
    rendering = Rendering(tmp_path)
    rendering.config.markdown_extensions.append("toc")
    rendering.config.mdx_configs["toc"] = {"slugify": lambda text, separator: text}
    assert rendering.render() is NotKept.UNCLEAR
    assert rendering.said == [f"rendered again: {Reason.UNCLEAR_OPTIONS.of()}"]
