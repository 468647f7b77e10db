"""Inputs that the templates of all pages share: configuration, navigation, templates.

Those of one page are in :mod:`.own_inputs`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
import material
import mkdocs
from jinja2 import meta, nodes

from planbook_speed.digests import (
    InputDigests,
    UnclearError,
    canonical_text,
    code_digest,
    config_path,
    digest,
)
from planbook_speed.internals import url_filter
from planbook_speed.protocols import PureExtension
from planbook_speed.rendering_inputs import packages

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.nav import Navigation

    from planbook_speed.event_inputs import EventInputs


NOT_FOR_TEMPLATES = frozenset(
    {"plugins", "hooks", "theme", "exclude_docs", "draft_docs", "not_in_nav", "watch", "nav"}
)
"""Options that are included in another way, or only determine the set of files."""
VARIABLES_BEYOND_PAGE = frozenset({"nav", "pages", "build_date_utc"})
"""Variables through which a template may read other pages, or the date."""
ATTRIBUTES_OF_OTHER_PAGES = frozenset(
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
_FIRST_ARGUMENT_FILTERS = frozenset({"rejectattr", "selectattr"})
"""Filters whose first argument is the name of an attribute, before values to compare it with."""
ATTRIBUTE_FILTERS = _FIRST_ARGUMENT_FILTERS | {
    *("attr", "groupby", "join", "map", "max", "min", "sort", "sum", "unique"),
}
"""Filters that read attributes whose names they are given."""
PAGE_ATTRIBUTES = frozenset({"content", "toc", "meta", "file"})
"""Attributes that it may read of its own page; of anything else, they may be another page's."""
PLANBOOKS_THEME = Path(__file__).resolve().parents[1] / "planbook" / "theme"
"""Templates that read only their own page, though a table of contents has `children`, too."""
SHOWN_IN_NAV = ("title", "icon", "status", "subtitle")
"""Metadata of pages that Material reads in the navigation."""


@dataclass(frozen=True, slots=True)
class TemplateInputs:
    """All that templates read besides a page, and what is known of each page before its template.

    It is complete when the last plugin has handled `on_env`.
    """

    shared: InputDigests
    """Of the inputs that all templates share."""
    shared_digest: str
    """The digest of all of them."""
    late_digest: Callable[[], str]
    """Returns the digest of what plugins may have changed since then, page by page. Raises
    UnclearError."""
    event_inputs: Mapping[str, EventInputs]
    """The inputs of each page's events, by ``src_uri``, as far as they are known."""
    source_digests: Mapping[str, str]
    """Of each page's file, by ``src_uri``: templates may show it."""
    html_digests: Mapping[str, str]
    """Of each page's HTML before its template, by address, for a build that is made ahead."""
    changed_by: str
    """The plugin that changes the output of templates, as a reason to build pages again; empty if
    none does."""


def read_shared_inputs(
    config: MkDocsConfig, env: jinja2.Environment, nav: Navigation
) -> dict[str, str]:
    """Return the digest of each input of a page's template besides the page, by name.

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


def read_late_digest(
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
    folders_of_packages = {
        Path(module.__file__ or "").parent.resolve() / "templates" for module in (material, mkdocs)
    }
    # As for the configuration's path: the first build of `mkdocs serve` may have relative folders.
    for folder in (Path(name).resolve() for name in config.theme.dirs):
        if folder in folders_of_packages:
            yield str(folder), folder.name
            continue
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            name = path.relative_to(folder).as_posix()
            raw = path.read_bytes()
            yield str(folder / name), f"{name} {digest(raw)}"
            is_template = b"{{" in raw or b"{%" in raw
            if is_template and folder != PLANBOOKS_THEME:
                require_own_page(name, raw.decode("utf-8", "replace"), env)


def require_own_page(template: str, text: str, env: jinja2.Environment) -> None:
    """Raise UnclearError for a template that may read more than its own page.

    Args:
        template: its name, for the message.
        text: its source.
        env: the environment that it is for.
    """
    try:
        tree = env.parse(text)
    except jinja2.TemplateSyntaxError:  # not a template, or one that fails the build if used
        return
    unclear = meta.find_undeclared_variables(tree) & VARIABLES_BEYOND_PAGE
    for name, owner in _attributes_read(tree):
        is_of_page = isinstance(owner, nodes.Name) and owner.name in {"page", "config"}
        if name is None:
            unclear.add("an attribute by its name")
        elif name in ATTRIBUTES_OF_OTHER_PAGES or (name in PAGE_ATTRIBUTES and not is_of_page):
            unclear.add(name)
    if unclear:
        raise UnclearError(f"the template {template}, which reads {sorted(unclear)[0]!r},")


def _attributes_read(tree: nodes.Template) -> Iterator[tuple[str | None, nodes.Expr | None]]:
    """Yield the name of each attribute that a template reads, and of what.

    `page.title`, `page["title"]` and `pages | map(attribute="title")` read one of the same name.
    The name is ``None`` if it is known only when the template runs.
    """
    for attribute in tree.find_all(nodes.Getattr):
        yield attribute.attr, attribute.node
    for item in tree.find_all(nodes.Getitem):
        yield from ((name, item.node) for name in _names_of_item(item))
    for used in tree.find_all(nodes.Filter):
        if used.name in ATTRIBUTE_FILTERS and used.node is not None:
            yield from _names_of_filter(used)


def _names_of_item(item: nodes.Getitem) -> Iterator[str | None]:
    """Yield the key in brackets, unless it is a number, a range, or that of a loop."""
    key = item.arg
    if isinstance(key, nodes.Const):
        yield str(key.value)
        return
    is_of_loop = isinstance(key, nodes.Getattr) and getattr(key.node, "name", "") == "loop"
    if not is_of_loop and not isinstance(key, nodes.Slice):
        yield None


def _names_of_filter(used: nodes.Filter) -> Iterator[tuple[str | None, nodes.Expr | None]]:
    """Yield the names of attributes that a filter is given; dots divide them, as Jinja does."""
    arguments = [*used.args, *(word.value for word in used.kwargs)]
    names = arguments[:1] if used.name in _FIRST_ARGUMENT_FILTERS else arguments
    is_unpacked = used.dyn_args is not None or used.dyn_kwargs is not None
    if is_unpacked or not all(isinstance(name, nodes.Const) for name in names):
        yield None, None
    for argument in arguments:
        if isinstance(argument, nodes.Const):
            first, *later_names = str(argument.value).split(".")
            yield first, used.node
            yield from ((name, None) for name in later_names)


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
    code = [code_digest(module) for module in modules]
    yield canonical_text([sorted(env.globals), sorted(env.extensions), code])


ENVIRONMENT_ATTRIBUTES = frozenset(
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
    names = {*vars(env), *vars(fresh)} - ENVIRONMENT_ATTRIBUTES
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
        shown = {
            key: metadata_of_page[key]
            for key in SHOWN_IN_NAV
            if metadata_of_page.get(key) is not None
        }
        if hasattr(entry, "pages") or hasattr(entry, "typeset") or hasattr(entry, "encrypted"):
            raise UnclearError(f"the entry {entry.title!r} of the navigation")
        about = canonical_text(shown) if shown else ""
        yield from (type(entry).__name__, str(entry.title), str(getattr(entry, "url", None)), about)
        if entry.children:
            yield from ("(", *_nav(entry.children), ")")
