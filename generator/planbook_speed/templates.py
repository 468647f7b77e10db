"""Templates: compiled once while a site is served, and rendered only for pages that changed."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import jinja2
from jinja2.bccache import Bucket, BytecodeCache
from jinja2.environment import TemplateModule

from planbook_speed import digests, internals, rendering_inputs
from planbook_speed.cached_navigation import LANGUAGE, MarkedHtml
from planbook_speed.internals import LISTS_THEME
from planbook_speed.page_outputs import ERROR_PAGE
from planbook_speed.site_files import size_and_mtime

if TYPE_CHECKING:
    from mkdocs.theme import Theme

    from planbook_cache.disk import DiskCache
    from planbook_speed.page_outputs import PageOutputs

RECENT_NS = 2_000_000_000
"""The time in which a folder may change again and keep its time."""


def page_template_class(outputs: PageOutputs, has_own_language: bool) -> type[jinja2.Template]:
    """Return the class of a build's templates.

    Args:
        outputs: Decides for each page if its template is rendered.
        has_own_language: True if the theme's translations are Material's.
    """
    modules: dict[str | None, TemplateModule] = {}

    class PageTemplate(jinja2.Template):
        """A template that is rendered for a page only if the page has changed."""

        def render(self, *arguments: Any, **kwargs: Any) -> str:
            """The template's text; empty for a page whose file of the last build is reused."""
            context = arguments[0] if len(arguments) == 1 and not kwargs else {}
            if self.name == ERROR_PAGE and _is_without_page(context):
                return outputs.render_error(context, functools.partial(super().render, context))
            if not _is_of_page(context):
                outputs.complete_context()
                return super().render(*arguments, **kwargs)
            return outputs.render(self, context, functools.partial(super().render, context))

        def make_module(self, *arguments: Any, **kwargs: Any) -> TemplateModule:
            """Return what a template imports.

            The translations are the same for every template.
            """
            module = modules.get(self.name) or super().make_module(*arguments, **kwargs)
            if self.name == LANGUAGE and has_own_language and not modules:
                modules[LANGUAGE] = module
                vars(module)["t"] = functools.cache(vars(module)["t"])
            return module

    return PageTemplate


def _is_of_page(context: object) -> bool:
    """Return True for the context that MkDocs passes to the template of a page.

    Plugins render templates of their own with a page, too, but without the navigation.
    """
    page = context.get("page") if isinstance(context, dict) else None
    return page is not None and page.active and "nav" in context  # type: ignore[operator]


def _is_without_page(context: object) -> bool:
    """Return True for the context of a template of the theme to which no plugin added anything."""
    if not isinstance(context, dict) or not context:
        return False
    return context.get("page") is None and context.keys() <= internals.MKDOCS_CONTEXT_KEYS


class CompiledTemplates(BytecodeCache):
    """Caches compiled templates in memory while a site is served.

    Jinja checks by their source if an entry is valid. The HTML of the navigation is kept with them,
    as long as all inputs of templates are the same.
    """

    def __init__(self) -> None:
        self._code: dict[str, bytes] = {}
        self._shared_digest = ""
        self._navigation: dict[tuple[object, ...], MarkedHtml | None] = {}

    def navigation_of(self, shared_digest: str) -> dict[tuple[object, ...], MarkedHtml | None]:
        """Return the HTML of navigation entries that builds with these inputs have rendered."""
        if self._shared_digest != shared_digest:
            self._shared_digest = shared_digest
            self._navigation = {}
        return self._navigation

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load a template's bytecode, if it is cached."""
        if bucket.key in self._code:
            bucket.bytecode_from_string(self._code[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store a template's compiled bytecode."""
        self._code[bucket.key] = bucket.bytecode_to_string()

    def share(self, theme: Theme, cache: DiskCache) -> None:
        """Have the theme's environments share compiled templates and the list of its files."""

        def prepare(env: jinja2.Environment) -> None:
            """Give a new environment the shared templates."""
            env.bytecode_cache = self
            vars(env)["list_templates"] = functools.partial(_list_templates, theme, cache, env)

        internals.prepare_environments(theme, prepare)


def _list_templates(
    theme: Theme,
    cache: DiskCache,
    env: jinja2.Environment,
    extensions: list[str] | None = None,
    filter_func: Callable[[str], bool] | None = None,
) -> list[str]:
    """Do the same as Jinja's `Environment.list_templates`.

    The files that MkDocs copies are listed again only if a folder of the theme has changed.
    """
    choice = getattr(filter_func, "__qualname__", "")
    if choice != LISTS_THEME or extensions is not None:  # another choice of files
        return jinja2.Environment.list_templates(env, extensions, filter_func)
    choices = [theme.dirs, theme.static_templates, choice]
    key = digests.digest(rendering_inputs.packages(), digests.canonical_text(choices))
    stored = cache.get(key, tuple[dict[str, list[int]], list[str]])
    if stored is not None:
        stamps, names = stored
        if all(size_and_mtime(folder) == stamp for folder, stamp in stamps.items()):
            return names
    names = jinja2.Environment.list_templates(env, extensions, filter_func)
    folders = {
        path: size_and_mtime(path)
        for top in theme.dirs
        for path in (top, *(path for path, *_ in os.walk(top)))
    }
    if _are_settled(folders):
        cache.put(key, (folders, names), is_latest=True)
    return names


def _are_settled(folders: Mapping[str, list[int] | None]) -> bool:
    """Return True if all folders are there, and none has changed just now."""
    latest_ns = time.time_ns() - RECENT_NS
    return all(stamp is not None and stamp[1] < latest_ns for stamp in folders.values())
