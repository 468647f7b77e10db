"""The Markdown extension that lets pyromark read a page.

Only the parser is replaced. Tree processors run as they are, such as MkDocs' for links and
Python-Markdown's for the table of contents, and so do the preprocessors of other extensions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from xml.etree.ElementTree import Element, ElementTree

import markdown
from markdown.blockparser import BlockParser
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor
from markdown.util import ETX, STX, Registry

from planbook.markdown.elements import zensical_page
from planbook.markdown.github.markdown_events import Options
from planbook.markdown.github.marks import SIGNS, wrap_marked
from planbook.markdown.github.processors import Processors
from planbook.markdown.github.renderer import (
    CONTAINERS,
    EXTENSION_OPTIONS,
    GITHUB,
    PageRenderer,
    anchor_readers,
)

NAME = "planbook.markdown.github"
"""The name of the extension in MkDocs' configuration, where it is the last one."""
GITHUB_MODE, PYTHON = "github", "python"
MODES = (GITHUB_MODE, PYTHON)
"""The readers of a page: pyromark, or Python-Markdown."""
KEY = "markdown"
"""The key of a page's mode in its front matter, and of the plugin's option."""

_FENCES = "fenced_code_block"
_REPLACED_PREPROCESSORS = ("fenced_raw_block", "html_block", "normalize_whitespace")
"""Preprocessors for what pyromark reads."""
_BLOCKS = (
    *CONTAINERS,
    *("empty", "indent", "code", "hashheader", "setextheader", "hr", "olist", "ulist", "quote"),
    *("reference", "paragraph", "table", "footnote", "deflist", "defindent"),
)
"""Names of block processors for what pyromark reads, or what `containers` finds."""
_BLOCK_PACKAGES = ("markdown.", "pymdownx.", "mdx_truly_sane_lists.")
"""Packages whose block processors with these names have no further syntax."""
_FURTHER_SYNTAX = ("pymdownx.fancylists", "pymdownx.escapeall")
"""Modules of these packages that have some."""
_CALLED_PATTERNS = ("backtick", "footnote", "arithmatex-inline", "delimiter")
"""Names of inline patterns that the renderer calls, or that have options for it."""
_READ_INLINE = frozenset(
    [
        *("markdown.inlinepatterns", "markdown.extensions.footnotes"),
        *("markdown.extensions.legacy_em", "pymdownx.arithmatex", "pymdownx.betterem"),
        *("pymdownx.inlinehilite", "pymdownx.superfences", "pymdownx.tilde"),
    ]
)
"""Modules of inline patterns for what pyromark reads, or what the renderer calls them for."""
_TEXT_PATTERN_MODULES = frozenset(
    [
        *("markdown.extensions.smarty", "markdown.extensions.wikilinks", "pymdownx.caret"),
        *("pymdownx.critic", "pymdownx.delimiterprocessor", "pymdownx.emoji", "pymdownx.keys"),
        *("pymdownx.magiclink", "pymdownx.mark", "pymdownx.progressbar", "pymdownx.smartsymbols"),
    ]
)
"""Modules of inline patterns that match within plain text: they run on it after the parse."""
_BREAK_PATTERN = "nl"
"""The name of the pattern of the extension `nl2br`, whose class is Python-Markdown's own."""
_READ_SIGNS = ("*", "_")
"""Paired signs that pyromark reads; of ``~``, it leaves those within a word, as in ``H~2~O``."""
_TREE_PRIORITY = 45
"""The priority of a tree processor after the footnotes' and before all others."""


class GithubParser(BlockParser):
    """The parser that Python-Markdown calls for a page, and other processors for parts of it."""

    def __init__(self, md: markdown.Markdown, renderer: PageRenderer) -> None:
        registered = md.parser.blockprocessors
        super().__init__(md)
        self.blockprocessors = registered
        self._renderer = renderer

    def parseDocument(self, lines: Iterable[str]) -> ElementTree:  # noqa: N802 - of Python-Markdown
        """Return the elements of a page."""
        self.root = Element(self.md.doc_tag)
        self._renderer.render_page(self.root, "\n".join(lines))
        return ElementTree(self.root)

    def parseChunk(self, parent: Element, text: str) -> None:  # noqa: N802 - of Python-Markdown
        """Add the elements of Markdown to `parent`."""
        self._renderer.render(parent, text)

    def parseBlocks(self, parent: Element, blocks: list[str]) -> None:  # noqa: N802 - as above
        """Add the elements of Markdown, split at blank lines, to `parent`."""
        self._renderer.render(parent, "\n\n".join(blocks))


class PlainLines(Preprocessor):
    """Removes the signs that Python-Markdown uses itself; unlike its own step, it keeps tabs."""

    def run(self, lines: list[str]) -> list[str]:
        """Return the lines, with line feeds as their ends.

        MkDocs would parse all of them as HTML next, whose anchors it gets from the renderer.
        """
        for reader in anchor_readers(self.md):
            reader.run = list
        text = "\n".join(lines).replace(STX, "").replace(ETX, "")
        return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


class Footnotes(Treeprocessor):
    """Puts the text of footnotes in its place, after their extension has added links to it.

    Then it wraps what signs of extensions mark.
    """

    def __init__(self, renderer: PageRenderer, signs: Mapping[str, str]) -> None:
        super().__init__()
        self._renderer, self._signs = renderer, signs

    def run(self, root: Element) -> None:
        """Change the tree."""
        self._renderer.expand_pieces(root)
        if self._signs:
            wrap_marked(root, self._signs)


class GithubExtension(Extension):
    """Replaces the parser. It must come after all extensions whose syntax is to be known."""

    def __init__(self, **options: object) -> None:
        self.config = {
            "default": [GITHUB_MODE, "The mode of pages whose front matter names none."],
            "version": ["", "Changes with our code, for engines that render a page again then."],
        }
        super().__init__(**options)

    def extendMarkdown(self, md: markdown.Markdown) -> None:  # noqa: N802 - of Python-Markdown
        """Replace parser and preprocessors, unless page or extensions need Python-Markdown's."""
        page = zensical_page(md)
        choice = page.meta.get(KEY) if page else None
        mode = choice if choice in MODES else self.getConfig("default")
        if mode == PYTHON or next(unknown_syntax(md), None):
            return
        processors = _processors(md)
        renderer = PageRenderer(md, processors)
        _replace_parser(md, GithubParser(md, renderer))
        _replace_preprocessors(md)
        _keep_patterns_within_text(md)
        known = getattr(processors.inline.get("delimiter"), "delimiters", {})
        signs = dict(pair for sign, pair in SIGNS.items() if sign in known)
        md.treeprocessors.register(Footnotes(renderer, signs), NAME, _TREE_PRIORITY)


def site_engine(
    extensions: Iterable[str | Extension], options: Mapping[str, Any], *, is_github: bool
) -> markdown.Markdown:
    """Return an engine with the extensions of a site, as MkDocs makes one for each page.

    Args:
        extensions: the configured extensions, with or without this one.
        options: their options by name.
        is_github: True to let pyromark read the pages.
    """
    other_names = [extension for extension in extensions if extension != NAME]
    final_names = [NAME] if is_github else []
    return markdown.Markdown(
        extensions=[*other_names, *final_names], extension_configs=dict(options)
    )


def unknown_syntax(md: markdown.Markdown) -> Iterator[str]:
    """Yield the names of processors for syntax of which nothing is known here, with their modules.

    Args:
        md: the engine, with the extensions of a site and without this one.
    """
    known_ids = set(map(id, _processors_named(md.parser.blockprocessors, _BLOCKS).values()))
    for processor in md.parser.blockprocessors:
        module = type(processor).__module__
        is_known = id(processor) in known_ids and module.startswith(_BLOCK_PACKAGES)
        if not is_known or module.startswith(_FURTHER_SYNTAX):
            yield _class_name(processor)
    for pattern in md.inlinePatterns:
        if type(pattern).__module__ not in _READ_INLINE | _TEXT_PATTERN_MODULES:
            yield _class_name(pattern)


def _class_name(processor: object) -> str:
    return f"{type(processor).__module__}.{type(processor).__qualname__}"


def _processors_named(registry: Any, names: Iterable[str]) -> dict[str, Any]:
    """Return the processors in a registry that have one of `names`."""
    return {name: registry[name] for name in names if name in registry}


def _processors(md: markdown.Markdown) -> Processors:
    """Return what the extensions of a site registered, before it is replaced."""
    blocks = _processors_named(md.parser.blockprocessors, _BLOCKS)
    inline = _processors_named(md.inlinePatterns, _CALLED_PATTERNS)
    preprocessors = _processors_named(md.preprocessors, (_FENCES, "html_block"))
    modules = {type(pattern).__module__ for pattern in md.inlinePatterns}
    options = GITHUB
    for name, option in EXTENSION_OPTIONS.items():
        if name in blocks or name in inline:
            options |= option
    delimiters = getattr(inline.get("delimiter"), "delimiters", {})
    if "pymdownx.tilde" in modules or "sub" in getattr(delimiters.get("~"), "tags", ()):
        options |= Options.ENABLE_SUBSCRIPT
    return Processors(
        blocks=blocks,
        inline=inline,
        fences=preprocessors[_FENCES].run if _FENCES in preprocessors else None,
        html=preprocessors["html_block"] if "markdown_block" in blocks else None,
        options=options,
        links_addresses="pymdownx.magiclink" not in modules,
    )


def _replace_parser(md: markdown.Markdown, parser: GithubParser) -> None:
    """Let all processors that parse Markdown call the parser."""
    md.parser = parser
    for processor in parser.blockprocessors:
        processor.parser = parser
    for extension in md.registeredExtensions:
        if isinstance(getattr(extension, "parser", None), BlockParser):  # that of footnotes has one
            setattr(extension, "parser", parser)  # noqa: B010 - an extension in general has none


def _replace_preprocessors(md: markdown.Markdown) -> None:
    """Remove the preprocessors for what pyromark reads."""
    for name in _REPLACED_PREPROCESSORS:
        md.preprocessors.deregister(name, strict=False)
    for processor in _processors_named(md.preprocessors, (_FENCES,)).values():
        processor.run = list  # it stays, because the validators of its options look for it
    md.preprocessors.register(PlainLines(md), "normalize_whitespace", 30)


def _keep_patterns_within_text(md: markdown.Markdown) -> None:
    """Let the tree processor for inline syntax leave what pyromark reads.

    The patterns stay in the engine: extensions look for theirs by name.
    """
    breaks = _processors_named(md.inlinePatterns, (_BREAK_PATTERN,)).get(_BREAK_PATTERN)
    patterns = Registry[Any]()
    pattern: Any
    for n, pattern in enumerate(md.inlinePatterns):
        if type(pattern).__module__ in _TEXT_PATTERN_MODULES or pattern is breaks:
            patterns.register(pattern, f"{n}", -n)
        if type(pattern).__module__ == "pymdownx.delimiterprocessor":
            for sign in _READ_SIGNS:
                pattern.remove(sign)
    inline: Any = md.treeprocessors["inline"]
    inline.inlinePatterns = patterns
    if not len(patterns):
        inline.run = lambda tree, ancestors=None: tree  # a walk through all texts for nothing


makeExtension = GithubExtension  # noqa: N816 - the name that Python-Markdown calls
