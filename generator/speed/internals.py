"""Digests of inputs, and everything that depends on internals of MkDocs, Material, Jinja, Markdown and Pygments.

These are not public interfaces and may change with any version. A test lists the versions that this module was checked
against, and fails if others are installed. A build compares our search index with Material's on a sample.
"""

from __future__ import annotations

import datetime
import enum
import functools
import gc
import hashlib
import importlib
import inspect
import logging
import os
import platform
import re
import types
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import jinja2
import markdown
import material
import mkdocs
import pygments
import pymdownx.__meta__
from jinja2 import meta, nodes
from markdown.blockparser import BlockParser
from markdown.blockprocessors import HashHeaderProcessor
from markdown.extensions import Extension
from markdown.extensions.attr_list import AttrListTreeprocessor
from markdown.extensions.toc import TocTreeprocessor
from markdown.treeprocessors import InlineProcessor, PrettifyTreeprocessor, UnescapeTreeprocessor
from markdown.util import STX, AtomicString, Registry
from material.plugins.search import plugin as material_search
from mkdocs.commands.build import _build_page as build_page
from mkdocs.commands.build import _populate_page as populate_page
from mkdocs.commands.build import get_context
from mkdocs.commands.build import log as log_of_build
from mkdocs.structure.pages import log as log_of_pages
from mkdocs.utils.templates import url_filter
from pygments.formatters.html import HtmlFormatter
from pygments.lexer import RegexLexer
from pygments.token import Error, Whitespace, _TokenType
from pymdownx.superfences import SuperFencesBlockPreprocessor

from generator.speed import PureExtension

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.nav import Navigation
    from mkdocs.structure.pages import Page


PLAIN = (bytes, int, float, bool, type(None), datetime.date, datetime.time)


class UnclearError(Exception):
    """A value without canonical text, such as an object with internal state."""


def canonical_text(value: object) -> str:  # noqa: PLR0911 - a kind of value each
    """Return the value as text, with the keys of mappings in order; functions and classes by their names.

    Raises:
        UnclearError: part of it has no canonical text.
    """
    kind = type(value)
    if isinstance(value, str) and (kind is str or not isinstance(value, enum.Enum)):
        return f"{len(value)}'{value}"  # delimited by its length: quoting a page's HTML would be slow
    if isinstance(value, enum.Enum):
        return f"{kind.__qualname__}.{value.name}"
    if isinstance(value, PLAIN):
        return repr(value)
    if isinstance(value, dict | Mapping):
        pairs = sorted((canonical_text(key), canonical_text(part)) for key, part in value.items())
        return "{" + ",".join(f"{key}:{part}" for key, part in pairs) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(canonical_text, value)) + "]"
    if isinstance(value, set | frozenset):
        return "{" + ",".join(sorted(map(canonical_text, value))) + "}"
    if isinstance(value, os.PathLike):
        return repr(os.fspath(value))
    return _code(value)


def _code(value: object) -> str:
    if isinstance(value, functools.partial):
        return f"partial({_code(value.func)},{canonical_text(value.args)},{canonical_text(value.keywords)})"
    if isinstance(value, types.FunctionType | types.BuiltinFunctionType | type):
        name = f"{value.__module__}.{value.__qualname__}"
        if "<" not in name and not getattr(value, "__closure__", None):
            return name
    raise UnclearError(f"{type(value).__module__}.{type(value).__qualname__}")


def modules_of(value: object) -> set[str]:
    """Return the modules of all functions and classes in a value."""
    if isinstance(value, Mapping):
        return set().union(*map(modules_of, value.values()))
    if isinstance(value, list | tuple | set | frozenset):
        return set().union(*map(modules_of, value))
    if isinstance(value, functools.partial):
        return modules_of(value.func) | modules_of(value.args) | modules_of(value.keywords)
    if isinstance(value, types.FunctionType | types.BuiltinFunctionType | type):
        return {value.__module__}
    return set()


def digest(*parts: str | bytes) -> str:
    """Return the SHA-256 of the parts, delimited by their lengths, as 64 hexadecimal digits."""
    made = hashlib.sha256()
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        made.update(b"%d:" % len(raw))
        made.update(raw)
    return made.hexdigest()


OF_MARKDOWN = (
    *("abbr", "admonition", "attr_list", "codehilite", "def_list", "extra", "fenced_code", "footnotes"),
    *("legacy_attrs", "legacy_em", "md_in_html", "meta", "nl2br", "sane_lists", "smarty", "tables", "toc", "wikilinks"),
)
OF_PYMDOWNX = (
    *("arithmatex", "betterem", "blocks.admonition", "blocks.caption", "blocks.definition", "blocks.details"),
    *("blocks.html", "blocks.tab", "caret", "critic", "details", "emoji", "escapeall", "extra", "fancylists"),
    *("highlight", "inlinehilite", "keys", "magiclink", "mark", "progressbar", "quotes", "saneheaders", "smartsymbols"),
    *("striphtml", "superfences", "tabbed", "tasklist", "tilde"),
)
PURE = frozenset(
    {*OF_MARKDOWN, *(f"markdown.extensions.{name}" for name in OF_MARKDOWN)} | {f"pymdownx.{n}" for n in OF_PYMDOWNX}
)
"""Extensions whose output depends only on the text, their options and their version. Excluded are extensions that read
other files (snippets, b64, pathconverter), count across pages, or depend on the current page."""
OWN = frozenset({"generator.markdown.elements"})
"""An extension of `planbook` that is pure; its code is part of the digest, as that of the user's is."""
PURE_CODE = ("markdown.", "pymdownx.", "pygments.", "material.extensions.emoji")
"""Modules whose functions may occur in options of extensions, such as a slug function or the emoji index."""
BUILTIN = frozenset({"builtins", "functools"})


def extensions_digest(config: MkDocsConfig, pure: Iterable[str]) -> str:
    """Return the digest of the inputs that rendering shares across pages. `pure` names further pure extensions.

    Raises:
        UnclearError: an extension, or a function in its options, may have unknown inputs.
    """
    pure = {*pure, *OWN & set(config.markdown_extensions)}
    allowed = PURE | pure
    for extension in config.markdown_extensions:
        if not isinstance(extension, str):
            raise UnclearError(f"the extension {type(extension).__module__}.{type(extension).__qualname__}")
        if extension not in allowed:
            raise UnclearError(f"the extension {extension}")
    options = canonical_text(config.mdx_configs)  # before looking for modules: it refuses values without any
    for module in sorted(modules_of(config.mdx_configs)):
        if module not in allowed | BUILTIN and not f"{module}.".startswith(PURE_CODE):
            raise UnclearError(f"a function of {module} in the options of an extension")
    if (config.mdx_configs.get("pymdownx.emoji") or {}).get("options", {}).get("custom_icons"):
        raise UnclearError("custom icons for pymdownx.emoji")
    sources = [digest(_source(name)) for name in sorted(pure)]
    links = canonical_text({name: int(level) for name, level in config.validation.links.items()})
    return digest(
        canonical_text(config.markdown_extensions), options, links, str(config.use_directory_urls), *sources, packages()
    )


@functools.cache
def packages() -> str:
    """Return the versions of all packages that take part in rendering, as text."""
    found = {
        "Python": platform.python_version(),
        "engine": f"{mkdocs.__name__} {mkdocs.__version__}",
        "markdown": markdown.__version__,
        "pymdownx": pymdownx.__meta__.__version__,
        "pygments": pygments.__version__,
    }
    for name in ("mkdocs-material", "jinja2", "markupsafe"):
        found[name] = metadata.version(name)
    for group in ("pygments.lexers", "pygments.styles", "pygments.filters", "pygments.formatters"):
        for point in metadata.entry_points(group=group):
            found[f"{group} {point.name}"] = f"{point.value} {point.dist.version if point.dist else ''}"
    return canonical_text(found)


def _source(module: str) -> bytes:
    """Return the digest of a module's code; of a package's, all its modules."""
    path = Path(importlib.import_module(module).__file__ or "")
    paths = sorted(path.parent.rglob("*.py")) if path.name == "__init__.py" else [path]
    return hashlib.sha256(b"\0".join(part.read_bytes() for part in paths)).digest()


NOT_FOR_TEMPLATES = frozenset({"plugins", "hooks", "theme", "exclude_docs", "draft_docs", "not_in_nav", "watch", "nav"})
"""Options that are included in another way, or only determine the set of files."""
BEYOND = frozenset({"nav", "pages", "build_date_utc"})
"""Variables through which a template may read other pages, or the date."""
ABOUT_OTHERS = frozenset(
    {"next_page", "previous_page", "parent", "ancestors", "children", "plugins", "hooks", "config_file_path"}
)
"""Attributes through which it may read other pages, state of plugins, or a path that is not included as written."""
OF_A_PAGE = frozenset({"content", "toc", "markdown", "meta", "file", "update_date"})
PLANBOOKS_THEME = Path(__file__).resolve().parents[1] / "theme"
"""Templates that read only their own page, though a table of contents has `children`, too."""
SHOWN_IN_NAV = ("title", "icon", "status", "subtitle")
"""Metadata of pages that Material reads in the navigation."""


def site_facts(config: MkDocsConfig, env: jinja2.Environment, nav: Navigation) -> str:
    """Return the digest of all inputs of a page's template besides the page.

    Raises:
        UnclearError: there may be further inputs.
    """
    return digest(packages(), *_config(config), *_templates(config, env), *_environment(config, env), *_nav(nav.items))


def _config(config: MkDocsConfig) -> Iterator[str]:
    parts = {key: value for key, value in config.items() if key not in NOT_FOR_TEMPLATES}
    # The first build of `mkdocs serve` has the path as given, all others have the absolute path.
    yield canonical_text(parts | {"config_file_path": config_path(config)})
    theme = {key: value for key, value in config.theme.items() if key != "locale"}
    yield canonical_text(theme | {"name": config.theme.name, "locale": str(config.theme.get("locale"))})
    for name, plugin in config.plugins.items():
        yield name
        yield canonical_text(dict(getattr(plugin, "config", {})))  # hooks are plugins without one


def config_path(config: MkDocsConfig) -> str:
    """Return the absolute path of the configuration file."""
    return str(Path(config.config_file_path or "mkdocs.yml").resolve())


def _templates(config: MkDocsConfig, env: jinja2.Environment) -> Iterator[str]:
    """Yield the theme's folders, and all files of those that are not Material's or MkDocs' own.

    Raises:
        UnclearError: a template that is not planbook's may read more than its own page.
    """
    if type(env.loader) is not jinja2.FileSystemLoader or list(env.loader.searchpath) != list(config.theme.dirs):
        raise UnclearError("a template loader of a plugin")
    own = {Path(module.__file__ or "").parent.resolve() / "templates" for module in (material, mkdocs)}
    for folder in map(Path, config.theme.dirs):
        if folder.resolve() in own:
            yield folder.name
            continue
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            uri, raw = path.relative_to(folder).as_posix(), path.read_bytes()
            yield from (uri, digest(raw))
            if folder.resolve() != PLANBOOKS_THEME and (b"{{" in raw or b"{%" in raw):
                _check(uri, raw.decode("utf-8", "replace"), env)


def _check(uri: str, text: str, env: jinja2.Environment) -> None:
    """Raise UnclearError for a template that may read more than its own page."""
    try:
        tree = env.parse(text)
    except jinja2.TemplateSyntaxError:  # not a template, or one that fails the build if used
        return
    read = meta.find_undeclared_variables(tree) & BEYOND
    found: list[tuple[object, nodes.Expr]] = [(node.attr, node.node) for node in tree.find_all(nodes.Getattr)]
    found += [(getattr(node.arg, "value", None), node.node) for node in tree.find_all(nodes.Getitem)]
    for name, owner in found:
        is_of_page = isinstance(owner, nodes.Name) and owner.name in {"page", "config"}
        if name in ABOUT_OTHERS or (name in OF_A_PAGE and not is_of_page):
            read.add(str(name))
    if read:
        raise UnclearError(f"the template {uri}, which reads {sorted(read)[0]!r},")


def _environment(config: MkDocsConfig, env: jinja2.Environment) -> Iterator[str]:
    """Yield the functions that a template can call. Raises UnclearError if plugins added any."""
    fresh = config.theme.get_env()
    filters = {name: value for name, value in env.filters.items() if value is not fresh.filters.get(name)}
    filters.pop("url", None)  # ours
    if filters or env.tests != fresh.tests or env.globals.keys() != fresh.globals.keys():
        raise UnclearError("a template function of a plugin")
    added = [found for name, found in env.extensions.items() if name not in fresh.extensions]
    if fresh.filters["url"] is not url_filter or not all(isinstance(found, PureExtension) for found in added):
        raise UnclearError("a Jinja extension")
    code = sorted({type(found).__module__ for found in added})
    yield canonical_text([sorted(env.globals), sorted(env.extensions), [_source(module) for module in code]])


def _nav(entries: list[Any]) -> Iterator[str]:
    for entry in entries:
        words = getattr(entry, "meta", None)
        shown = {key: words.get(key) for key in SHOWN_IN_NAV} if isinstance(words, Mapping) else {}
        url = getattr(entry, "url", None)
        if hasattr(entry, "pages") or hasattr(entry, "typeset") or hasattr(entry, "encrypted"):
            raise UnclearError(f"the entry {entry.title!r} of the navigation")
        yield canonical_text([type(entry).__name__, str(entry.title), url, shown])
        if entry.children:
            yield from ("(", *_nav(entry.children), ")")


# --- internals of other packages -----------------------------------------------------------------------------------


__all__ = ["build_page", "get_context", "log_of_build", "log_of_pages", "material_search", "populate_page"]

MADE = frozenset({"content", "toc", "_title_from_render", "present_anchor_ids", "links_to_anchors"})
"""Attributes that MkDocs' `Page.render` sets. A page with any other change is not cached."""
COVERED_ELSEWHERE = frozenset(
    {*("file", "previous_page", "next_page", "parent", "children", "toc", "render", "title", "active", "_Page__active")}
    | {*("_StructureItem__parent", "_parent", "markdown", "update_date", "present_anchor_ids", "links_to_anchors")}
    | {"content"}
)
"""Attributes of a page that no template of Material reads, or that are included in another way."""
USUAL = frozenset(
    {*("nav", "pages", "base_url", "extra_css", "extra_javascript", "mkdocs_version", "properdocs_version")}
    | {*("build_date_utc", "config", "page")}
)
"""Variables in the context of every page's template; plugins added all others."""
SKIPPED = "Page skipped: '"
"""The start of MkDocs' message about a page with empty output, before the page's path."""
TAGS = "material.plugins.tags."
"""The modules of Material's tags, which are plain data."""

PARSER: Any = importlib.import_module("re._parser")
COMPILER: Any = importlib.import_module("re._compiler")
ASCII = frozenset(range(128))
ANY = len(ASCII)
"""In place of a character: one that is not ASCII, or none."""


@functools.cache
def code_of_search() -> str:
    """Return the digest of the code of Material's search index and of its parser of pages."""
    parts = (
        *(material_search.SearchPlugin.on_page_context, material_search.SearchPlugin.on_post_build),
        *(material_search.SearchIndex, material_search.Parser, material_search.Section, material_search.Element),
    )
    return digest(*map(inspect.getsource, parts), repr(sorted(material_search.void)))


def populate_late(config: MkDocsConfig, files: Files, page: Page) -> None:
    """Read and render a page while MkDocs is at another one, or at the template of the same."""
    current = config._current_page
    populate_page(page, config, files)
    config._current_page = current


def replace_listener(config: MkDocsConfig, event: str, old: Callable[..., Any], new: Callable[..., Any]) -> None:
    """Replace a plugin's listener to an event, in its place."""
    methods = config.plugins.events[event]
    methods[methods.index(old)] = new
    config.plugins._event_origins[new] = plugin_of(config, old)


def plugin_of(config: MkDocsConfig, listener: Callable[..., Any]) -> str:
    """Return the name of the plugin or the hook that a listener to an event belongs to."""
    return config.plugins._event_origins.get(listener, "")


class QuickExtension(Extension):
    """Speeds up the process whose configuration lists it, and changes no page."""

    def extendMarkdown(self, md: markdown.Markdown) -> None:  # noqa: N802 - a name of Python-Markdown
        """Add nothing."""
        gc.set_threshold(100_000)
        quicken()


@functools.cache
def quicken() -> None:
    """Speed up Pygments and Python-Markdown for the rest of this process: a worker, or Zensical.

    For each code block, pymdownx looks for a lexer by its name among 600, and creates a formatter, which computes an
    unused style sheet from a few options. A lexer tries all rules of its state at each position; most cannot match
    there because of the next character.
    """
    engine: Any = RegexLexer
    highlight: Any = importlib.import_module("pymdownx.highlight")
    create, known = HtmlFormatter._create_stylesheet, dict[tuple[Any, ...], tuple[dict[Any, Any], ...]]()
    find, classes = highlight.get_lexer_by_name, dict[str, Callable[..., Any]]()

    def create_stylesheet(self: Any) -> None:
        """Do the same as Pygments' method, once for each style and prefix."""
        key = (self.style, self.classprefix, type(self), self.noclasses, self.debug_token_types)
        if key not in known:
            create(self)
            known[key] = (self.ttype2class, self.class2style, {})
        self.ttype2class, self.class2style = map(dict, known[key][:2])
        self.span_element_openers = known[key][2]

    def get_lexer_by_name(name: str, **options: Any) -> Any:
        """Do the same as Pygments' function."""
        if name in classes:
            return classes[name](**options)
        lexer = find(name, **options)
        classes[name] = type(lexer)
        return lexer

    highlight.get_lexer_by_name = get_lexer_by_name
    HtmlFormatter._create_stylesheet = create_stylesheet
    engine.get_tokens_unprocessed = by_character(engine.get_tokens_unprocessed)
    quicken_markdown()


def by_character(read: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
    """Return a method that does the same as `RegexLexer.get_tokens_unprocessed`, with fewer attempts to match."""

    def get_tokens_unprocessed(self: Any, text: str, stack: Iterable[str] = ("root",)) -> Iterator[Any]:
        """Yield the position, the type and the text of each token."""
        if vars(type(self)).get("_tokens") is not self._tokens:
            yield from read(self, text, stack)  # the rules are those of one instance
            return
        lexer: Any = type(self)
        states, position, end = list(stack), 0, len(text)
        rules = _rules(lexer, states[-1])
        while True:
            number = ord(text[position]) if position < end else ANY
            for match, action, moves in rules[min(number, ANY)]:
                if not (found := match(text, position)):
                    continue
                if type(action) is _TokenType:
                    yield position, action, found.group()
                elif action is not None:
                    yield from action(self, found)
                position = found.end()
                if moves:
                    _move(states, moves)
                    rules = _rules(lexer, states[-1])
                break
            else:
                if position >= end:
                    return
                is_line_end = text[position] == "\n"
                yield position, Whitespace if is_line_end else Error, text[position]
                position += 1
                if is_line_end:
                    states = ["root"]
                    rules = _rules(lexer, "root")

    return get_tokens_unprocessed


def _move(states: list[str], moves: tuple[str, ...]) -> None:
    """Change a lexer's stack of states."""
    for move in moves:
        if move != "#pop":
            states.append(states[-1] if move == "#push" else move)
        elif len(states) > 1:
            states.pop()


@functools.cache
def _rules(lexer: Any, state: str) -> list[list[tuple[Any, Any, tuple[str, ...]]]]:
    """Return the rules of a lexer's state that can match before each ASCII character, and all of them at `ANY`."""
    every = []
    for match, action, moves in lexer._tokens[state]:
        pattern = getattr(match, "__self__", None)
        starts = first_characters(pattern) if isinstance(pattern, re.Pattern) else ASCII
        steps = ("#pop",) * -moves if isinstance(moves, int) else (moves,) if isinstance(moves, str) else moves or ()
        every.append((starts, (match, action, steps)))
    return [*([rule for starts, rule in every if number in starts] for number in ASCII), [rule for _, rule in every]]


KNOWN = "_planbook_speed"
"""The attribute in which objects of the engine keep what is derived from them."""
PLAIN_BLOCK = re.compile(
    r"(?! )(?>[ ]*(?:[\w(\"'`]|[^\0-\x7f]|\*(?!\[)|[-+](?= ))[^\n]*?[^\W\d_][^\n]*(?:\n|\Z))++|(#)[^\n]*"
)
"""Lines of text or of a list, each with a letter: none begins or underlines another kind of block. Or one heading."""
NOT_PLAIN = frozenset(
    {f"markdown.blockprocessors.{name}Processor" for name in ("BlockQuote", "CodeBlock", "EmptyBlock", "HR")}
    | {
        f"markdown.blockprocessors.{name}Processor"
        for name in ("HashHeader", "ListIndent", "Reference", "SetextHeader")
    }
    | {f"markdown.extensions.{name}Processor" for name in ("admonition.Admonition", "def_list.DefList", "tables.Table")}
    | {"markdown.extensions.abbr.AbbrBlockprocessor", "markdown.extensions.def_list.DefListIndentProcessor"}
    | {"markdown.extensions.footnotes.FootnoteBlockProcessor", "markdown.extensions.md_in_html.MarkdownInHtmlProcessor"}
    | {"pymdownx.details.DetailsProcessor", "pymdownx.quotes.QuotesProcessor", "pymdownx.tabbed.TabbedProcessor"}
    | {"pymdownx.saneheaders.SaneHeadersProcessor", "pymdownx.superfences.SuperFencesCodeBlockProcessor"}
)
"""Processors that do nothing with such a block."""
OF_PLAIN = frozenset(
    {f"markdown.blockprocessors.{name}Processor" for name in ("OList", "UList", "Paragraph")}
    | {f"markdown.extensions.sane_lists.Sane{name}Processor" for name in ("OList", "UList")}
)


def quicken_markdown() -> None:
    """Have Python-Markdown skip what cannot match, for the rest of this process.

    It searches every piece of text for each of its patterns, and most need a text that is not there. It asks each
    processor about every block, and most blocks are plain.
    """
    engine: Any = InlineProcessor
    apply = engine._InlineProcessor__applyPattern

    def handle_inline(self: Any, data: str, patternIndex: int = 0) -> str:  # noqa: N803 - a name of the engine
        """Do as the engine's method does."""
        if isinstance(data, AtomicString):
            return data
        patterns = vars(self).get(KNOWN)
        if patterns is None:
            compiled = [(item.getCompiledRegExp(), item) for item in self.inlinePatterns]
            signs = [required_sign(pattern) for pattern, _ in compiled]
            may_match = re.compile(f"[{re.escape(''.join(signs))}]").search if all(signs) else bool
            patterns = may_match, [(required_text(pattern), item) for pattern, item in compiled]
            setattr(self, KNOWN, patterns)
        may_match, patterns = patterns
        if not may_match(data):
            return data
        for index in range(patternIndex, len(patterns)):
            text, pattern = patterns[index]
            matched, start = text in data, 0
            while matched:
                data, matched, start = apply(self, pattern, data, index, start)
        return data

    engine._InlineProcessor__handleInline = handle_inline
    _quicken_blocks()
    _quicken_trees()


def _quicken_blocks() -> None:
    def parse_blocks(self: Any, parent: Any, blocks: list[str]) -> None:
        """Do as the engine's method does."""
        registry = self.blockprocessors
        if KNOWN not in vars(registry):
            every = list(registry)
            names = [f"{type(item).__module__}.{type(item).__qualname__}" for item in every]
            plain = [item for item, name in zip(every, names, strict=True) if name not in NOT_PLAIN]
            heading = [item for item in every if item in plain or isinstance(item, HashHeaderProcessor)]
            is_known = self.md.tab_length > 0 and set(names) <= OF_PLAIN | NOT_PLAIN
            setattr(registry, KNOWN, (every, plain, heading) if is_known else 3 * (every,))
        lists = getattr(registry, KNOWN)
        while blocks:
            match = PLAIN_BLOCK.fullmatch(blocks[0])
            for processor in lists[0 if match is None else 1 + (match.lastindex or 0)]:
                if processor.test(parent, blocks[0]) and processor.run(parent, blocks) is not False:
                    break

    def forgetting(change: Callable[..., None]) -> Callable[..., None]:
        def changed(self: Any, *arguments: Any, **named: Any) -> None:
            vars(self).pop(KNOWN, None)
            change(self, *arguments, **named)

        return changed

    registries: Any = Registry
    registries.register, registries.deregister = map(forgetting, (registries.register, registries.deregister))
    BlockParser.parseBlocks = parse_blocks  # type: ignore[method-assign]


def _quicken_trees() -> None:
    replace, unescape = TocTreeprocessor.replace_marker, UnescapeTreeprocessor.unescape
    convert = markdown.Markdown.convert

    def convert_text(self: Any, source: str) -> str:
        """Do as the engine's method does, and let go of the tree, which only a search for garbage would free."""
        html = convert(self, source)
        self.parser.root = None
        for item in self.treeprocessors:
            if type(item) is InlineProcessor:
                item.parent_map, item.stashed_nodes = {}, {}
        return html

    def with_set(run: Callable[..., None]) -> Callable[..., None]:
        def with_set(self: Any, root: Any) -> None:
            """Do as the engine's method does, which looks for each tag in a list."""
            names, self.md.block_level_elements = self.md.block_level_elements, frozenset(self.md.block_level_elements)
            try:
                run(self, root)
            finally:
                self.md.block_level_elements = names

        return with_set

    def unescape_text(self: Any, text: str) -> str:
        """Do as the engine's method does."""
        return unescape(self, text) if STX in text else str(text)

    def parse_whitespace(self: Any, line: str) -> str:
        """Do as the engine's method does, which reads one character after the other."""
        found = line[: len(line) - len(line.lstrip("> \t"))]
        spaces: str = self.normalize_ws(found) if found else ""
        self.ws_len, self.ws_virtual_len = len(found), len(spaces)
        return spaces

    def replace_marker(self: Any, root: Any, elem: Any) -> None:
        """Do as the engine's method does, which joins the text in each element."""
        if self.marker in "".join(root.itertext()):
            replace(self, root, elem)

    trees: tuple[Any, ...] = (PrettifyTreeprocessor, AttrListTreeprocessor, TocTreeprocessor, UnescapeTreeprocessor)
    markdown.Markdown.convert = convert_text  # type: ignore[method-assign]
    for kind in trees[:2]:
        kind.run = with_set(kind.run)
    trees[2].replace_marker, trees[3].unescape = replace_marker, unescape_text
    SuperFencesBlockPreprocessor.parse_whitespace = parse_whitespace


@functools.cache
def first_characters(pattern: re.Pattern[str]) -> frozenset[int]:
    """Return the ASCII characters that everything which `pattern` matches may begin with, or stand before."""
    found, may_be_empty = _first(PARSER.parse(pattern.pattern, pattern.flags))
    return ASCII if may_be_empty else found


def _first(tokens: Any) -> tuple[frozenset[int], bool]:
    """Return the ASCII characters that a parsed pattern can begin with, and whether it can match the empty text."""
    found: frozenset[int] = frozenset()
    for kind, value in tokens:
        least, options = 1, [value]
        match str(kind), value:
            case (("LITERAL" | "NOT_LITERAL" | "IN" | "ANY"), _):
                one = COMPILER.compile(PARSER.SubPattern(tokens.state, [(kind, value)]), tokens.state.flags)
                return found | {number for number in ASCII if one.match(chr(number))}, False
            case (("AT" | "ASSERT" | "ASSERT_NOT"), _):
                continue
            case "SUBPATTERN", (_, 0, 0, inner):  # no flags of its own
                options = [inner]
            case "BRANCH", (_, inner):
                options = inner
            case (("MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT"), (least, _, inner)):
                options = [inner]
            case "ATOMIC_GROUP", _:
                pass
            case _:
                return ASCII, True
        firsts = list(map(_first, options))
        found = found.union(*(first for first, _ in firsts))
        if least and not any(may_be_empty for _, may_be_empty in firsts):
            return found, False
    return found, True


@functools.cache
def required_text(pattern: re.Pattern[str]) -> str:
    """Return a text that everything which `pattern` matches contains; empty if none is known."""
    if pattern.flags & re.IGNORECASE:
        return ""
    tokens = PARSER.parse(pattern.pattern, pattern.flags)
    return max(_required(tokens), key=lambda text: (len(text), text))


def required_sign(pattern: re.Pattern[str]) -> str:
    """Return characters of which everything that `pattern` matches contains one; empty if none are known."""
    if text := required_text(pattern):
        return min(text, key=lambda char: (char.isalnum(), char == " "))
    tokens = PARSER.parse(pattern.pattern, pattern.flags)
    kind, chars = tokens[0] if len(tokens) == 1 and not pattern.flags & re.IGNORECASE else ("", [])
    is_one_of = str(kind) == "IN" and all(str(each) == "LITERAL" for each, _ in chars)
    return "".join(chr(char) for _, char in chars) if is_one_of else ""


def _required(tokens: Any) -> set[str]:
    """Return the texts that a match of a parsed pattern contains, the empty one among them."""
    found, run = {""}, ""
    for kind, value in tokens:
        if str(kind) == "LITERAL":
            run += chr(value)
            continue
        found.add(run)
        run = ""
        match str(kind), value:
            case "SUBPATTERN", (_, 0, 0, inner):  # no flags of its own
                found |= _required(inner)
            case (("MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT"), (least, _, inner)) if least:
                found |= _required(inner)
            case "BRANCH", (_, options):
                found |= set.intersection(*map(_required, options))
            case ("ASSERT", (1, inner)) | ("ATOMIC_GROUP", inner):
                found |= _required(inner)
    return found | {run}


class LogRecorder(logging.Handler):
    """Records all log records, and whether Python issued a warning, while entered."""

    def __init__(self) -> None:
        super().__init__(logging.NOTSET)
        self.records: list[tuple[str, int, str]] = []
        self.has_warned = False
        self._last: logging.LogRecord | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Record the logger's name, the level and the message."""
        if record is not self._last:  # it comes once for each logger above
            self._last = record
            self.records.append((record.name, record.levelno, record.getMessage()))

    def __enter__(self) -> LogRecorder:
        self._show = warnings.showwarning
        warnings.showwarning = self._warned
        for logger in _tops():
            logger.addHandler(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for logger in _tops():
            logger.removeHandler(self)
        warnings.showwarning = self._show

    def _warned(self, *args: Any, **named: Any) -> None:
        self.has_warned = True
        self._show(*args, **named)


def _tops() -> list[logging.Logger]:
    """Return the loggers that do not propagate: the root, and those that the engine separates from it."""
    known: Any = logging.Logger.manager.loggerDict.values()
    return [logging.getLogger(), *(logger for logger in known if not getattr(logger, "propagate", True))]


def levels() -> str:
    """Return the effective log levels: a cached rendering is valid only for levels at which it was recorded."""
    names = ("", "mkdocs", "properdocs")
    return " ".join(str(logging.getLogger(name).getEffectiveLevel()) for name in names)


def tell(records: list[tuple[str, int, str]]) -> None:
    """Log the records again, as if they occurred now."""
    for name, level, message in records:
        logger = logging.getLogger(name)
        if logger.isEnabledFor(level):
            logger.handle(logger.makeRecord(name, level, "", 0, message, (), None))


def silence() -> None:
    """Silence all loggers of this process; a LogRecorder still records them."""
    loggers = [logging.getLogger(), *map(logging.getLogger, list(logging.Logger.manager.loggerDict))]
    for logger in loggers:
        for handler in list(logger.handlers):
            logger.removeHandler(handler)
    for logger in _tops():
        logger.addHandler(logging.NullHandler())  # without any, Python writes to the standard error
    warnings.showwarning = lambda *_args, **_named: None
