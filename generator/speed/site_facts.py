"""Inputs that the template of any page may read besides the page: configuration, templates, navigation.

Material's own templates are known: of other pages they read titles, addresses and a few metadata of the navigation.
An author's template may read anything; one that reads more than its page is reported, and pages are then rendered
again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
import material
import mkdocs
from jinja2 import meta, nodes
from mkdocs.utils.templates import url_filter

from generator.speed.fingerprint import UnclearError, canonical_text, digest
from generator.speed.versions import packages

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.nav import Navigation

NOT_FOR_TEMPLATES = frozenset({"plugins", "hooks", "theme", "exclude_docs", "draft_docs", "not_in_nav", "watch", "nav"})
"""Parts of the configuration that are included in another way, or only determine which files there are."""
BEYOND = frozenset({"nav", "pages", "build_date_utc"})
"""Variables through which a template may read other pages, or the date."""
ABOUT_OTHERS = frozenset(
    {"next_page", "previous_page", "parent", "ancestors", "children", "plugins", "hooks", "config_file_path"}
)
"""Attributes through which it may read other pages, state of plugins, or a path that is not included as written."""
OF_A_PAGE = frozenset({"content", "toc", "markdown", "meta", "file", "update_date"})
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
        yield canonical_text(dict(getattr(plugin, "config", {})))  # hooks are among the plugins, and have none


def config_path(config: MkDocsConfig) -> str:
    """Return the absolute path of the configuration file."""
    return str(Path(config.config_file_path or "mkdocs.yml").resolve())


def _templates(config: MkDocsConfig, env: jinja2.Environment) -> Iterator[str]:
    """Yield the theme's folders, and all files of those that are not Material's or MkDocs' own."""
    if type(env.loader) is not jinja2.FileSystemLoader or list(env.loader.searchpath) != list(config.theme.dirs):
        raise UnclearError("a plugin's loader of templates")
    own = {Path(module.__file__ or "").parent.resolve() / "templates" for module in (material, mkdocs)}
    for folder in map(Path, config.theme.dirs):
        if folder.resolve() in own:
            yield folder.name
            continue
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            uri, raw = path.relative_to(folder).as_posix(), path.read_bytes()
            yield from (uri, digest(raw))
            if b"{{" in raw or b"{%" in raw:
                _check(uri, raw.decode("utf-8", "replace"), env)


def _check(uri: str, text: str, env: jinja2.Environment) -> None:
    """Refuse a template that may read more than its own page."""
    try:
        tree = env.parse(text)
    except jinja2.TemplateSyntaxError:  # no template, or one that ends the build when it is used
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
        raise UnclearError("a function that a plugin gave to templates")
    if fresh.filters["url"] is not url_filter or env.extensions.keys() != fresh.extensions.keys():
        raise UnclearError("an extension of templates")
    yield canonical_text(sorted(env.globals))


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
