"""A rendering of which nothing can be kept says why, and the next build renders the page again."""

from __future__ import annotations

import warnings
from collections.abc import Callable
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
from planbook_speed.reasons import NotKept

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


def rendering_with(text: str, folder: Path, extension: Callable[[Page], Extension] | None = None) -> KeptPage | NotKept:
    """Render a page, and return what is kept of it."""
    config = MkDocsConfig()
    config.load_dict({"site_name": "Bread", "docs_dir": str(folder), "site_dir": str(folder / "site")})
    config.validate()
    file = File("a.md", str(folder), str(folder / "site"), use_directory_urls=True)
    page = Page(None, file, config)
    if extension is not None:
        config.markdown_extensions.append(cast("str", extension(page)))
    renderer = Renderer(DiskCache(folder / "cache"), "1", reuses=True, populate=lambda page: None, explain=None)
    html = HtmlFile()
    internals.replace_page_class(page, page_class(renderer, html))
    page.markdown, page.meta = text, {}
    renderer.record_text("a.md", text)
    page.render(config, Files([file]))
    kept = renderer.keep(cast("CachedPage", page), INPUTS, {})
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
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert rendering_with(text, tmp_path, extension) is cause


def test_a_page_is_kept_with_its_inputs(tmp_path: Path) -> None:
    """The next build compares them."""
    kept = rendering_with("# One\n", tmp_path)
    assert isinstance(kept, KeptPage)
    assert kept.event_inputs is INPUTS
