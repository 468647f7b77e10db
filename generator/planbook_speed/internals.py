"""Digests of inputs, and everything that depends on internals of MkDocs, Material, Jinja, Markdown and Pygments.

These are not public interfaces and may change with any version. A test lists the versions that this module was checked
against, and fails if others are installed. A build compares our search index with Material's on a sample.
"""

from __future__ import annotations

import collections
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
from html import escape
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element

import jinja2
import markdown
import material
import mkdocs
import mkdocs.structure.pages
import pygments
import pymdownx.__meta__
from jinja2 import meta, nodes
from markdown import inlinepatterns, util
from markdown.blockparser import BlockParser
from markdown.extensions import Extension, toc
from markdown.postprocessors import RawHtmlPostprocessor
from markdown.preprocessors import NormalizeWhitespace
from markdown.treeprocessors import InlineProcessor, UnescapeTreeprocessor
from markdown.util import STX, AtomicString
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
from pygments.util import html_escape
from pymdownx import highlight

from planbook_speed.protocols import PureExtension

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
OWN = frozenset({"planbook.markdown.elements"})
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
    | {"markdown"}
)
"""Attributes through which it may read other pages, state of plugins, or what is not included or read as written."""
OF_A_PAGE = frozenset({"content", "toc", "meta", "file", "update_date"})
PLANBOOKS_THEME = Path(__file__).resolve().parents[1] / "planbook" / "theme"
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
        words = getattr(entry, "meta", None) or {}
        shown = {key: words[key] for key in SHOWN_IN_NAV if words.get(key) is not None}
        if hasattr(entry, "pages") or hasattr(entry, "typeset") or hasattr(entry, "encrypted"):
            raise UnclearError(f"the entry {entry.title!r} of the navigation")
        about = canonical_text(shown) if shown else ""
        yield from (type(entry).__name__, str(entry.title), str(getattr(entry, "url", None)), about)
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
ANY = 128
"""In place of a character: one that is not ASCII, or none."""
CHARACTERS = frozenset(range(ANY + 1))


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


REPLACEMENTS: list[tuple[Any, str, Any]] = []
"""Objects of other packages, the name of a function in each, and the quicker one of ours."""


def instead_of(owner: Any, name: str) -> Callable[[Any], Any]:
    """Return a decorator for a function that does the same as another one, which becomes its attribute `old`."""

    def register(function: Any) -> Any:
        function.old = getattr(owner, name)
        REPLACEMENTS.append((owner, name, function))
        return function

    return register


@functools.cache
def quicken() -> None:
    """Speed up Pygments and Python-Markdown for the rest of this process: a worker, or Zensical."""
    for owner, name, function in REPLACEMENTS:
        setattr(owner, name, function)


KNOWN = "_planbook_speed"
"""The attribute in which objects of the engine keep what is derived from them."""


# Code: pymdownx looks for each block's lexer by its name among 600, and creates a formatter, which computes an unused
# style sheet from a few options, and passes each line through five generators. A lexer tries all rules of its state at
# each position; most cannot match there because of the next character.


LEXERS: dict[str, Callable[..., Any]] = {}
FORMATTERS: dict[tuple[Any, ...], dict[str, Any]] = {}
EMPTY_SPAN = re.compile(r'<span class="[^"]*"></span>')


@instead_of(highlight, "get_lexer_by_name")
def find_lexer(name: str, **options: Any) -> Any:
    """Return a new lexer."""
    if name not in LEXERS:
        LEXERS[name] = type(find_lexer.old(name, **options))
    return LEXERS[name](**options)


@instead_of(highlight.BlockHtmlFormatter, "__init__")
def create_formatter(self: Any, **options: Any) -> None:
    """Set the options, and once for all formatters with the same ones what is derived from them."""
    own = {name: html_escape(options.pop(name, "")) for name in ("filename", "lineanchors", "linespans")}
    options["hl_lines"] = tuple(options.get("hl_lines", ()))
    key = (type(self), *options.items())
    if key not in FORMATTERS:
        create_formatter.old(self, **options)
        FORMATTERS[key] = dict(vars(self))
    vars(self).update(FORMATTERS[key] | own)


@instead_of(HtmlFormatter, "_format_lines")
def format_tokens(self: Any, tokens: Any) -> Iterator[tuple[int, str]]:
    """Yield 1 and the HTML of all lines, or of each one if they differ in more than their tokens."""
    by_line = self.linenos or self.hl_lines or self.lineanchors or self.linespans or self.lineseparator != "\n"
    if by_line or self.noclasses or self.tagsfile or self.debug_token_types:
        yield from format_tokens.old(self, tokens)
        return
    parts, openers, opened, end = list[str](), self.span_element_openers, None, ""
    for kind, code in tokens:
        if (opener := openers.get(kind)) is None:
            names = self._get_css_classes(kind)
            opener = openers[kind] = f'<span class="{names}">' if names else ""
        html = escape(code, quote=False) if "&" in code or "<" in code or ">" in code else code
        if opener and "\n" in code:
            html = html.replace("\n", f"</span>\n{opener}")
        if opener == opened:
            parts.append(html)
        elif code:
            parts += (end, opener, html)
            opened, end = opener, opener and "</span>"
    html = EMPTY_SPAN.sub("", "".join((*parts, end)))
    yield 1, html if html.endswith("\n") else html and f"{html}\n"


@instead_of(RegexLexer, "get_tokens_unprocessed")
def read_code(self: Any, text: str, stack: Iterable[str] = ("root",)) -> Iterator[Any]:
    """Yield the position, the type and the text of each token, with fewer attempts to match."""
    if vars(type(self)).get("_tokens") is not self._tokens:
        yield from read_code.old(self, text, stack)  # the rules are those of one instance
        return
    lexer: Any = type(self)
    states, position, end = list(stack), 0, len(text)
    rules = _rules(lexer, states[-1])
    while True:
        for match, action, moves in rules.get(text[position : position + 1]) or rules[""]:
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


def _move(states: list[str], moves: tuple[str, ...]) -> None:
    """Change a lexer's stack of states."""
    for move in moves:
        if move != "#pop":
            states.append(states[-1] if move == "#push" else move)
        elif len(states) > 1:
            states.pop()


@functools.cache
def _rules(lexer: Any, state: str) -> dict[str, list[tuple[Any, Any, tuple[str, ...]]]]:
    """Return the rules of a lexer's state that can match before each ASCII character, and before others at ""."""
    every = []
    for match, action, moves in lexer._tokens[state]:
        pattern = getattr(match, "__self__", None)
        starts = first_characters(pattern) if isinstance(pattern, re.Pattern) else CHARACTERS
        steps = ("#pop",) * -moves if isinstance(moves, int) else (moves,) if isinstance(moves, str) else moves or ()
        every.append((starts, (match, action, steps)))
    return {
        "" if number == ANY else chr(number): [rule for starts, rule in every if number in starts]
        for number in range(ANY + 1)
    }


@functools.cache
def first_characters(pattern: re.Pattern[str]) -> frozenset[int]:
    """Return the characters that all that `pattern` matches may begin with, or stand before; `ANY` if not in ASCII."""
    found, may_be_empty = _first(PARSER.parse(pattern.pattern, pattern.flags))
    return CHARACTERS if may_be_empty else found


def _first(tokens: Any) -> tuple[frozenset[int], bool]:
    """Return the characters that a parsed pattern can begin with, and whether it can match the empty text."""
    found: frozenset[int] = frozenset()
    for kind, value in tokens:
        least, options = 1, [value]
        match str(kind), value:
            case (("LITERAL" | "NOT_LITERAL" | "IN" | "ANY"), _):
                one = COMPILER.compile(PARSER.SubPattern(tokens.state, [(kind, value)]), tokens.state.flags)
                members = [(str(of), part) for of, part in (value if str(kind) == "IN" else [(kind, value)])]
                is_ascii = not tokens.state.flags & re.IGNORECASE and all(
                    (of == "LITERAL" and part < ANY) or (of == "RANGE" and part[1] < ANY) for of, part in members
                )
                others = frozenset() if is_ascii else frozenset({ANY})
                return found | others | {number for number in range(ANY) if one.match(chr(number))}, False
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
                return CHARACTERS, True
        firsts = list(map(_first, options))
        found = found.union(*(first for first, _ in firsts))
        if least and not any(may_be_empty for _, may_be_empty in firsts):
            return found, False
    return found, True


# The engine of a page: MkDocs creates one for each.


IDLE: list[Any] = []
"""The last page's engine."""


def engine_with(**options: Any) -> Any:
    """Return the last page's engine if its options are the same and its extensions keep nothing of a page."""
    if IDLE and getattr(found := IDLE.pop(), KNOWN) == options:
        return found.reset()
    made = markdown.Markdown(**options)
    if {*map(str, options["extensions"])} <= PURE | OWN and "UNIQUE_IDS" not in str(options):
        setattr(made, KNOWN, options)
    return made


REPLACEMENTS.append((mkdocs.structure.pages, "markdown", types.SimpleNamespace(Markdown=engine_with)))


@instead_of(markdown.Markdown, "convert")
def convert(self: Any, source: str) -> str:
    """Return the HTML, and let go of the tree, which only a search for garbage would free."""
    self.is_block_level = functools.cache(functools.partial(type(self).is_block_level, self))
    vars(self.parser.blockprocessors).pop(KNOWN, None)
    html: str = convert.old(self, source)
    self.parser.root = None
    if hasattr(self, KNOWN):
        IDLE[:] = [self]
    return html


@instead_of(NormalizeWhitespace, "run")
def normalize(self: Any, lines: list[str]) -> list[str]:
    """Return the lines; few texts have blank lines with spaces."""
    text = "\n".join(lines).replace(STX, "").replace(util.ETX, "").replace("\r\n", "\n").replace("\r", "\n")
    text = f"{text}\n\n".expandtabs(self.md.tab_length)
    return (re.sub(r"(?<=\n) +\n", "\n", text) if " \n" in text else text).split("\n")


# Blocks: each processor is asked about every one, and most are plain.


PLAIN_BLOCK = re.compile(
    r"(?=([^\W\d_])|)(?! )"
    r"(?>[ ]*(?:[\w(\"'`]|[^\0-\x7f]|\*(?!\[)|[-+](?= ))[^\n]*?[^\W\d_][^\n]*(?:\n|\Z))++"
    r"|(#)[^\n]*|(\x02wzxhzdk:[0-9]+\x03)|()"
)
"""Lines of text or of a list, each with a letter: none begins or underlines another kind of block.

The first group is a letter that such text begins with. Or one heading, the placeholder of code or HTML, or nothing.
"""
LISTS = frozenset({"OListProcessor", "UListProcessor", "SaneOListProcessor", "SaneUListProcessor"})
SIGNS = {
    **{"HashHeaderProcessor": "#", "SaneHeadersProcessor": "#", "BlockQuoteProcessor": ">", "QuotesProcessor": ">"},
    **{"TableProcessor": "|", "MarkdownInHtmlProcessor": STX, "DefListProcessor": ":", "FootnoteBlockProcessor": "["},
    **{"AdmonitionProcessor": "!!!", "DetailsProcessor": "???", "TabbedProcessor": "==="},
}
"""The text that each block of a processor contains. Those with three signs go on after a block of theirs, too."""
NOT_PLAIN = frozenset(
    {*SIGNS, *("AbbrBlockprocessor", "CodeBlockProcessor", "DefListIndentProcessor", "EmptyBlockProcessor")}
    | {*("HRProcessor", "ListIndentProcessor", "ReferenceProcessor", "SetextHeaderProcessor")}
    | {"SuperFencesCodeBlockProcessor"}
)
"""Processors that do nothing with such a block, except for three with a heading, a placeholder and nothing."""


@instead_of(BlockParser, "parseBlocks")
def parse_blocks(self: Any, parent: Any, blocks: list[str]) -> None:
    """Add the blocks to `parent`."""
    registry = self.blockprocessors
    if KNOWN not in vars(registry):
        of_engine = ("markdown.", "pymdownx.")
        names = {item: type(item).__qualname__ * type(item).__module__.startswith(of_engine) for item in registry}
        others = ({"HashHeaderProcessor", "SaneHeadersProcessor"}, {"MarkdownInHtmlProcessor"}, {"EmptyBlockProcessor"})
        is_known = self.md.tab_length > 0 and {*names.values()} <= {*LISTS, *NOT_PLAIN, "ParagraphProcessor"}
        left_out = [frozenset(), NOT_PLAIN, NOT_PLAIN | LISTS, *(NOT_PLAIN - more for more in others)]
        lists = [[(item, SIGNS.get(names[item], "")) for item in names if names[item] not in out] for out in left_out]
        lists.append([(item, sign * (len(sign) == 1)) for item, sign in lists[0]])
        setattr(registry, KNOWN, lists if is_known else [[(item, "") for item in names]] * len(lists))
    lists = getattr(registry, KNOWN)
    while blocks:
        match = PLAIN_BLOCK.fullmatch(block := blocks[0])
        goes_on = match is None and block[0] == " " and len(parent) > 0 and parent[-1].tag in {"div", "details"}
        for processor, sign in lists[1 + (match.lastindex or 0) if match is not None else -goes_on]:
            if sign in block and processor.test(parent, block) and processor.run(parent, blocks) is not False:
                break


# Text: every piece is searched for each pattern, and most hold no character that one begins with.


ENGINE: Any = InlineProcessor
apply_pattern, place_nodes = ENGINE._InlineProcessor__applyPattern, ENGINE._InlineProcessor__processPlaceholders


def _patterns(self: Any) -> Any:
    """Return the patterns to try for a text with given signs, a search for them all, and one for any of them."""
    if KNOWN not in vars(self):
        line_break, every = inlinepatterns.LINE_BREAK_RE, [item.getCompiledRegExp() for item in self.inlinePatterns]
        starts = [{ord("\n")} if item.pattern == line_break else first_characters(item) for item in every]
        signs = [frozenset() if ANY in found else frozenset(map(chr, found)) for found in starts]
        find = re.compile(f"[{re.escape(''.join({STX}.union(*signs)))}]")
        of_placeholder = {*util.INLINE_PLACEHOLDER, *"0123456789"}

        @functools.cache
        def to_try(found: frozenset[str]) -> list[Any]:
            found |= of_placeholder
            return [
                (n, self.inlinePatterns[n]) for n, sign in enumerate(signs) if not (sign and sign.isdisjoint(found))
            ]

        setattr(self, KNOWN, (to_try, find.findall, find.search if all(signs) else bool))
    return getattr(self, KNOWN)


@instead_of(InlineProcessor, "_InlineProcessor__handleInline")
def handle_inline(self: Any, data: str, patternIndex: int = 0) -> str:  # noqa: N803 - a name of the engine
    """Return the text with placeholders for what the patterns match."""
    if isinstance(data, AtomicString):
        return data
    to_try, signs, _ = _patterns(self)
    for index, pattern in to_try(frozenset(signs(data))):
        start, matched = 0, index >= patternIndex
        while matched:
            data, matched, start = apply_pattern(self, pattern, data, index, start)
    return data


@instead_of(InlineProcessor, "run")
def read_texts(self: Any, tree: Any, ancestors: list[str] | None = None) -> Any:
    """Return the tree with elements for what the patterns match in its texts."""
    self.stashed_nodes = {}
    _, _, may_match = _patterns(self)
    stack = collections.deque([(tree, [*(ancestors or ()), tree.tag.lower()])])
    while stack:
        element, self.ancestors = stack.popleft()
        if element is not tree:
            self.ancestors.append(element.tag.lower())
        queue = []
        for child in element:
            text, tail = child.text, child.tail
            if text and may_match(text) and not isinstance(text, AtomicString):
                self.ancestors.append(child.tag.lower())
                child.text = None
                found = place_nodes(self, handle_inline(self, text), child)
                stack += found
                queue.append((child, found))
                self.ancestors.pop()
            if tail and may_match(tail):
                text, child.tail, holder = handle_inline(self, tail), None, Element("d")
                found = place_nodes(self, text, holder, False)
                child.tail, after = holder.tail or None, list(element).index(child) + 1
                element[after:after] = [node for node, _ in found]
            if len(child):
                stack.append((child, self.ancestors[:]))
        for child, found in queue:
            child[:0] = [node for node, _ in found]
    return tree


@instead_of(inlinepatterns.DelimiterProcessor, "handleMatch")
def pair_delimiters(self: Any, m: re.Match[str], data: str) -> Any:
    """Return the element for a delimiter; most are a pair of one or two asterisks without any others within."""
    if KNOWN not in vars(self):
        star, others = self.delimiters.get("*"), re.escape("".join(self.delimiters))
        is_known = star is not None and star.tag_count == 2 and not star.smart
        pattern = rf"(\*\*?)(?![*\s])([^{others}]*[^{others}\s])\1(?!\*)" if is_known else "(?!)"
        setattr(self, KNOWN, re.compile(pattern).match)
    if self.regions or (match := getattr(self, KNOWN)(data, m.start())) is None:
        return pair_delimiters.old(self, m, data)
    element = Element(self.delimiters["*"].tags[len(match[1]) == 1])
    element.text = match[2]
    return element, *match.span()


# Trees: walks through all elements for what few have.


@instead_of(UnescapeTreeprocessor, "run")
def unescape(self: Any, root: Any) -> None:
    """Restore escaped characters."""
    for element in root.iter():
        if (text := element.text) and STX in text and element.tag != "code":
            element.text = self.unescape(text)
        if (tail := element.tail) and STX in tail:
            element.tail = self.unescape(tail)


@instead_of(toc.TocTreeprocessor, "run")
def read_headings(self: Any, doc: Any) -> None:
    """Read the headings; the engine looks at all elements twice."""
    found = [e for e in doc.iter() if e.get("id") or (isinstance(e.tag, str) and e.tag[:1] in {"h", "H"})]
    read_headings.old(self, types.SimpleNamespace(iter=lambda: found, root=doc))


@instead_of(toc, "render_inner_html")
def render_heading(el: Any, md: markdown.Markdown) -> str:
    """Return the HTML within an element; most are plain text."""
    is_plain = hasattr(md, KNOWN) and el.text and not len(el) and not re.search("[&<>\x02]", el.text)
    return str(el.text.strip() if is_plain else render_heading.old(el, md))


@instead_of(toc.TocTreeprocessor, "build_toc_div")
def build_toc_later(self: Any, toc_list: Any) -> Any:
    """Return an empty element in place of the table of contents, which few pages show."""
    setattr(self, KNOWN, toc_list)
    return Element("div")


@instead_of(toc.TocTreeprocessor, "replace_marker")
def replace_marker(self: Any, root: Any, _: Any) -> None:
    """Put the table of contents in place of the marker; the engine joins the text in each element."""
    if self.marker in "".join(root.root.itertext()):
        replace_marker.old(self, root.root, build_toc_later.old(self, getattr(self, KNOWN)))


@instead_of(RawHtmlPostprocessor, "run")
def restore_html(self: Any, text: str) -> str:
    """Return the text with HTML in place of its placeholders; the pattern begins with its rarest character."""
    parts, end = list[str](), 0
    for match in util.HTML_PLACEHOLDER_RE.finditer(text):
        (start, stop), number = match.span(), int(match[1])
        if number >= self.md.htmlStash.html_counter:
            continue
        html = self.stash_to_string(self.md.htmlStash.rawHtmlBlocks[number])
        if text.startswith("</p>", stop) and text.endswith("<p>", end, start):
            start, stop = start - 3, stop + 4
            html = html if self.isblocklevel(html) else f"<p>{html}</p>"
        parts += (text[end:start], restore_html(self, html) if STX in html else html)
        end = stop
    return "".join((*parts, text[end:]))


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
