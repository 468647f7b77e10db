"""Digests of all that a page's HTML and its template's output depend on."""

from __future__ import annotations

import datetime
import enum
import functools
import hashlib
import importlib
import os
import platform
import types
from collections.abc import Iterable, Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
import markdown
import material
import mkdocs
import pygments
import pymdownx.__meta__
from jinja2 import meta, nodes

from planbook_speed.internals import url_filter
from planbook_speed.protocols import PureExtension

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.nav import Navigation


PLAIN = (bytes, int, float, bool, type(None), datetime.date, datetime.time)


class UnclearError(Exception):
    """A value without canonical text, such as an object with internal state."""


_SIMPLE = frozenset({str, *PLAIN})
"""The types of most parts of values: looking for them first spares tests of abstract classes."""
MOST_PARTS, MOST_LEVELS = 200_000, 200
"""Parts and levels of a value that is compared: aliases of YAML may repeat parts without end, or
contain themselves."""


def require_finite(value: object) -> None:
    """Raise UnclearError for a value that is too large or too deep to be compared.

    One that contains itself is too deep.
    """
    level = [value]
    seen = 0
    for _ in range(MOST_LEVELS):
        below: list[object] = []
        for part in level:
            if type(part) in _SIMPLE:
                continue
            if isinstance(part, Mapping):
                below += part.keys()
                below += part.values()
            elif isinstance(part, list | tuple | set | frozenset):
                below += part
            if seen + len(below) > MOST_PARTS:
                raise UnclearError("a value with too many parts")
        if not below:
            return
        seen += len(below)
        level = below
    raise UnclearError("a value that contains itself, or has too many levels")


def canonical_text(value: object) -> str:
    """Return the value as text, with the keys of mappings in order.

    Functions and classes by their names.

    Raises:
        UnclearError: part of it has no canonical text.
    """
    require_finite(value)
    return _text_of_value(value)


def _text_of_value(value: object) -> str:  # noqa: PLR0911 - a kind of value each
    kind = type(value)
    if kind is not str and isinstance(value, enum.Enum):
        return f"{kind.__qualname__}.{value.name}"
    if isinstance(value, str):
        # Delimited by its length: quoting a page's HTML would be slow.
        return f"{len(value)}'{value}"
    if isinstance(value, PLAIN):
        return repr(value)
    if isinstance(value, dict | Mapping):
        pairs = sorted((_text_of_value(key), _text_of_value(part)) for key, part in value.items())
        return "{" + ",".join(f"{key}:{part}" for key, part in pairs) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_text_of_value, value)) + "]"
    if isinstance(value, set | frozenset):
        return "{" + ",".join(sorted(map(_text_of_value, value))) + "}"
    if isinstance(value, os.PathLike):
        return repr(os.fspath(value))
    return _code(value)


def _code(value: object) -> str:
    """Return the name of a function or a class. Raises UnclearError for any other object."""
    if isinstance(value, functools.partial):
        arguments = canonical_text(value.args)
        keywords = canonical_text(value.keywords)
        return f"partial({_code(value.func)},{arguments},{keywords})"
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
    "abbr",
    "admonition",
    "attr_list",
    "codehilite",
    "def_list",
    "extra",
    "fenced_code",
    "footnotes",
    "legacy_attrs",
    "legacy_em",
    "md_in_html",
    "meta",
    "nl2br",
    "sane_lists",
    "smarty",
    "tables",
    "toc",
    "wikilinks",
)
OF_PYMDOWNX = (
    "arithmatex",
    "betterem",
    "blocks.admonition",
    "blocks.caption",
    "blocks.definition",
    "blocks.details",
    "blocks.html",
    "blocks.tab",
    "caret",
    "critic",
    "details",
    "emoji",
    "escapeall",
    "extra",
    "fancylists",
    "highlight",
    "inlinehilite",
    "keys",
    "magiclink",
    "mark",
    "progressbar",
    "quotes",
    "saneheaders",
    "smartsymbols",
    "striphtml",
    "superfences",
    "tabbed",
    "tasklist",
    "tilde",
)
PURE = frozenset(
    [
        *OF_MARKDOWN,
        *(f"markdown.extensions.{name}" for name in OF_MARKDOWN),
        *(f"pymdownx.{name}" for name in OF_PYMDOWNX),
    ]
)
"""Extensions whose output depends only on the text, their options and their version. Excluded are
extensions that read other files (snippets, b64, pathconverter), count across pages, or depend on
the current page."""
OWN = frozenset({"planbook.markdown.elements", "planbook.markdown.github"})
"""Extensions of `planbook` that are pure; their code is part of the digest, as that of the user's
is."""
PURE_CODE = ("markdown.", "pymdownx.", "pygments.", "material.extensions.emoji")
"""Modules whose functions may occur in options of extensions, such as a slug function or the emoji
index."""
BUILTIN = frozenset({"builtins", "functools"})


def extensions_parts(config: MkDocsConfig, pure: Iterable[str]) -> dict[str, str]:
    """Return a digest of each input that rendering shares across pages.

    `pure` names further pure extensions.

    Raises:
        UnclearError: an extension, or a function in its options, may have unknown inputs.
    """
    pure = {*pure, *(name for name in OWN if name in config.markdown_extensions)}
    allowed = PURE | pure
    for extension in config.markdown_extensions:
        if not isinstance(extension, str):
            raise UnclearError(
                f"the extension {type(extension).__module__}.{type(extension).__qualname__}"
            )
        if extension not in allowed:
            raise UnclearError(f"the extension {extension}")
    # First: a value that has no canonical text may contain itself, and have modules without end.
    options = {name: canonical_text(own) for name, own in config.mdx_configs.items()}
    for module in sorted(modules_of(config.mdx_configs)):
        if module not in allowed | BUILTIN and not f"{module}.".startswith(PURE_CODE):
            raise UnclearError(f"a function of {module} in the options of an extension")
    if (config.mdx_configs.get("pymdownx.emoji") or {}).get("options", {}).get("custom_icons"):
        raise UnclearError("custom icons for pymdownx.emoji")
    links = {name: int(level) for name, level in config.validation.links.items()}
    parts = {
        "the list of Markdown extensions": canonical_text(config.markdown_extensions),
        **{f"the options of the extension {name!r}": text for name, text in options.items()},
        **{
            f"the code of the extension {name!r}": digest(_source_digest(name))
            for name in sorted(pure)
        },
        "the option 'validation'": canonical_text(links),
        "the option 'use_directory_urls'": str(config.use_directory_urls),
        "the version of a package": packages(),
    }
    return {name: digest(text) for name, text in parts.items()}


def options_of_page(config: MkDocsConfig) -> str:
    """Return the options of a page's rendering as text: a plugin may change them for each page.

    Raises:
        UnclearError: one has no canonical text.
    """
    links = {name: int(level) for name, level in config.validation.links.items()}
    extensions = [str(extension) for extension in config.markdown_extensions]
    return canonical_text([extensions, config.mdx_configs, links, config.use_directory_urls])


def digest_of_parts(parts: Mapping[str, str]) -> str:
    """Return the digest of all parts with their names."""
    return digest(*(text for pair in parts.items() for text in pair))


@functools.cache
def packages() -> str:
    """Return the versions of all packages that take part in rendering, as text."""
    versions = {
        "Python": platform.python_version(),
        "engine": f"{mkdocs.__name__} {mkdocs.__version__}",
        "markdown": markdown.__version__,
        "pymdownx": pymdownx.__meta__.__version__,
        "pygments": pygments.__version__,
    }
    for name in ("mkdocs-material", "jinja2", "markupsafe"):
        versions[name] = metadata.version(name)
    for group in ("pygments.lexers", "pygments.styles", "pygments.filters", "pygments.formatters"):
        for point in metadata.entry_points(group=group):
            version = point.dist.version if point.dist else ""
            versions[f"{group} {point.name}"] = f"{point.value} {version}"
    return canonical_text(versions)


def _source_digest(module: str) -> bytes:
    """Return the digest of a module's code; of a package's, all its modules."""
    path = Path(importlib.import_module(module).__file__ or "")
    paths = sorted(path.parent.rglob("*.py")) if path.name == "__init__.py" else [path]
    return hashlib.sha256(b"\0".join(part.read_bytes() for part in paths)).digest()


NOT_FOR_TEMPLATES = frozenset(
    {"plugins", "hooks", "theme", "exclude_docs", "draft_docs", "not_in_nav", "watch", "nav"}
)
"""Options that are included in another way, or only determine the set of files."""
BEYOND = frozenset({"nav", "pages", "build_date_utc"})
"""Variables through which a template may read other pages, or the date."""
ABOUT_OTHERS = frozenset(
    {
        "next_page",
        "previous_page",
        "parent",
        "ancestors",
        "children",
        "plugins",
        "hooks",
        "config_file_path",
        "markdown",
        "update_date",
    }
)
"""Attributes through which it may read other pages, state of plugins, or what is not included or
read as written."""
BY_NAME = frozenset({"attr", "groupby", "map", "rejectattr", "selectattr", "sort", "sum", "unique"})
"""Filters that read attributes whose names they are given."""
OF_A_PAGE = frozenset({"content", "toc", "meta", "file"})
PLANBOOKS_THEME = Path(__file__).resolve().parents[1] / "planbook" / "theme"
"""Templates that read only their own page, though a table of contents has `children`, too."""
SHOWN_IN_NAV = ("title", "icon", "status", "subtitle")
"""Metadata of pages that Material reads in the navigation."""


def site_parts(config: MkDocsConfig, env: jinja2.Environment, nav: Navigation) -> dict[str, str]:
    """Return a digest of each input of a page's template besides the page.

    Raises:
        UnclearError: there may be further inputs.
    """
    of_templates = {f"the template {name}": digest(text) for name, text in _templates(config, env)}
    return {
        "the version of a package": digest(packages()),
        **{name: digest(text) for name, text in _config(config)},
        **of_templates,
        "the folders of templates": digest(*of_templates),
        "the functions of templates": digest(*_environment(config, env)),
        "the navigation": digest(*_nav(nav.items)),
    }


def late_facts(
    config: MkDocsConfig, env: jinja2.Environment, nav: Navigation, known: Mapping[str, object]
) -> str:
    """Return the digest of those of the inputs that plugins can change between two pages.

    Args:
        config: the configuration.
        env: the environment of templates.
        nav: the navigation.
        known: the environment's global names and their values before the first page.

    Raises:
        UnclearError: there may be further inputs.
    """
    if any(value is not known.get(name) for name, value in env.globals.items()):
        raise UnclearError("a template function of a plugin")
    return digest(*(text for _, text in _config(config)), *_nav(nav.items))


def _config(config: MkDocsConfig) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each part of the configuration."""
    # The first build of `mkdocs serve` has the path as given, all others have the absolute path.
    options = {**config, "config_file_path": config_path(config)}
    for key, value in options.items():
        if key not in NOT_FOR_TEMPLATES:
            yield f"the option {key!r}", f"{key} {canonical_text(value)}"
    # A locale is an object of Babel, which has no canonical text.
    locale = str(config.theme.get("locale"))
    theme = {**config.theme, "locale": locale, "name": config.theme.name}
    yield "the option 'theme'", canonical_text(theme)
    for name, plugin in config.plugins.items():  # hooks are plugins without options
        yield (
            f"the plugin {name!r} or its options",
            f"{name} {canonical_text(dict(getattr(plugin, 'config', {})))}",
        )


def config_path(config: MkDocsConfig) -> str:
    """Return the absolute path of the configuration file."""
    return str(Path(config.config_file_path or "mkdocs.yml").resolve())


def _templates(config: MkDocsConfig, env: jinja2.Environment) -> Iterator[tuple[str, str]]:
    """Yield the theme's folders, and the path and the digest of their files.

    Files of Material's and MkDocs' folders are left out.

    Raises:
        UnclearError: a template that is not planbook's may read more than its own page.
    """
    if type(env.loader) is not jinja2.FileSystemLoader or list(env.loader.searchpath) != list(
        config.theme.dirs
    ):
        raise UnclearError("a template loader of a plugin")
    own = {
        Path(module.__file__ or "").parent.resolve() / "templates" for module in (material, mkdocs)
    }
    # As for the configuration's path: the first build of `mkdocs serve` may have relative folders.
    for folder in (Path(name).resolve() for name in config.theme.dirs):
        if folder in own:
            yield str(folder), folder.name
            continue
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            name = path.relative_to(folder).as_posix()
            raw = path.read_bytes()
            yield str(folder / name), f"{name} {digest(raw)}"
            is_template = b"{{" in raw or b"{%" in raw
            if is_template and folder != PLANBOOKS_THEME:
                _require_own_page(name, raw.decode("utf-8", "replace"), env)


def _require_own_page(template: str, text: str, env: jinja2.Environment) -> None:
    """Raise UnclearError for a template that may read more than its own page."""
    try:
        tree = env.parse(text)
    except jinja2.TemplateSyntaxError:  # not a template, or one that fails the build if used
        return
    undeclared = meta.find_undeclared_variables(tree) & BEYOND
    # The name of each attribute that it reads, and of what: `page.title`, `page["title"]`,
    # `pages | map(attribute="title")`.
    attributes: list[tuple[object, nodes.Expr]] = [
        *((node.attr, node.node) for node in tree.find_all(nodes.Getattr)),
        *((getattr(node.arg, "value", None), node.node) for node in tree.find_all(nodes.Getitem)),
    ]
    for used in tree.find_all(nodes.Filter):
        if used.name not in BY_NAME or used.node is None:
            continue
        arguments = [*used.args, *(word.value for word in used.kwargs)]
        attributes += [(getattr(argument, "value", ""), used.node) for argument in arguments]
        are_constant = all(isinstance(argument, nodes.Const) for argument in arguments)
        if used.name == "attr" and not are_constant:
            undeclared.add("an attribute by its name")
    for name, owner in attributes:
        is_of_page = isinstance(owner, nodes.Name) and owner.name in {"page", "config"}
        if name in ABOUT_OTHERS or (name in OF_A_PAGE and not is_of_page):
            undeclared.add(str(name))
    if undeclared:
        raise UnclearError(f"the template {template}, which reads {sorted(undeclared)[0]!r},")


def _environment(config: MkDocsConfig, env: jinja2.Environment) -> Iterator[str]:
    """Yield the functions that a template can call. Raises UnclearError if plugins added any."""
    fresh = config.theme.get_env()
    if not has_usual_settings(env, fresh):
        raise UnclearError("a setting of the environment of templates")
    other_filters = {
        name for name, value in env.filters.items() if value is not fresh.filters.get(name)
    }
    has_filters = bool(other_filters - {"url"})  # that one is ours
    has_globals = env.globals.keys() != fresh.globals.keys() or any(
        not _is_same_function(value, fresh.globals.get(name)) for name, value in env.globals.items()
    )
    if has_filters or has_globals or env.tests != fresh.tests:
        raise UnclearError("a template function of a plugin")
    extensions = [value for name, value in env.extensions.items() if name not in fresh.extensions]
    are_pure = all(isinstance(extension, PureExtension) for extension in extensions)
    has_their_filter = url_filter is not None and fresh.filters["url"] is url_filter
    if not has_their_filter or not are_pure:
        raise UnclearError("a Jinja extension")
    modules = sorted({type(extension).__module__ for extension in extensions})
    code = [_source_digest(module) for module in modules]
    yield canonical_text([sorted(env.globals), sorted(env.extensions), code])


OF_ONE_ENVIRONMENT = frozenset(
    {
        "bytecode_cache",
        "cache",
        "context_class",
        "extensions",
        "filters",
        "globals",
        "list_templates",
        "loader",
        "template_class",
        "tests",
    }
)
"""Attributes of an environment that each has its own of, or that are compared in another way."""


def has_usual_settings(env: jinja2.Environment, fresh: jinja2.Environment) -> bool:
    """Return True if an environment treats templates as a new one of the theme does."""
    names = {*vars(env), *vars(fresh)} - OF_ONE_ENVIRONMENT
    pairs = [(getattr(env, name, None), getattr(fresh, name, None)) for name in names]
    return type(env) is type(fresh) and all(
        setting == usual or _is_same_method(setting, usual) for setting, usual in pairs
    )


def _is_same_method(method: object, other: object) -> bool:
    """Return True for the same method of two objects.

    Each environment has extensions of its own.
    """
    functions = {getattr(bound, "__func__", None) for bound in (method, other)}
    return len(functions) == 1 and None not in functions


def _is_same_function(function: object, other: object) -> bool:
    """Return True for one object, or two functions of one definition.

    Each environment makes some of its own.
    """
    places = [
        (getattr(value, "__module__", None), getattr(value, "__qualname__", None))
        for value in (function, other)
    ]
    return function is other or (places[0] == places[1] and None not in places[0])


def _nav(entries: list[Any]) -> Iterator[str]:
    """Yield all that the navigation shows of each entry. Raises UnclearError."""
    for entry in entries:
        metadata_of_page = getattr(entry, "meta", None) or {}
        facts = {
            key: metadata_of_page[key]
            for key in SHOWN_IN_NAV
            if metadata_of_page.get(key) is not None
        }
        if hasattr(entry, "pages") or hasattr(entry, "typeset") or hasattr(entry, "encrypted"):
            raise UnclearError(f"the entry {entry.title!r} of the navigation")
        about = canonical_text(facts) if facts else ""
        yield from (type(entry).__name__, str(entry.title), str(getattr(entry, "url", None)), about)
        if entry.children:
            yield from ("(", *_nav(entry.children), ")")
