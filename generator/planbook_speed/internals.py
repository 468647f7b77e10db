"""The private parts of MkDocs and Material that planbook-speed uses, all in one place.

They may change with any release. So each is checked when a build begins: that it is there, and that
it does what is needed. Without one, a build is slower, and the same; decision 0055 says for each
what MkDocs could offer instead, and tests build with releases that lack it. Other modules use what
is public, and what stands here.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import markdown
import mkdocs
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor
from mkdocs.commands import build as commands
from mkdocs.plugins import BasePlugin, PluginCollection
from mkdocs.structure.files import File
from mkdocs.structure.pages import Page
from mkdocs.theme import Theme
from mkdocs.utils import templates

from planbook_speed.reasons import Reason

if TYPE_CHECKING:
    import jinja2
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.livereload import LiveReloadServer
    from mkdocs.structure.files import Files

log_of_build = logging.getLogger(commands.__name__)
log_of_pages = logging.getLogger(Page.__module__)


@dataclass(frozen=True, slots=True)
class PrivatePart:
    """A private part."""

    name: str
    """As MkDocs calls it."""
    works: Callable[[], bool]
    """Returns True if it is there, and does what is needed. An exception means that it does not."""
    lost: str
    """The effect of its absence, for the log."""

    @property
    def why_not(self) -> str | None:
        """Return why the part cannot be used; ``None`` if it can."""
        if _part_works(self):
            return None
        return Reason.OTHER_RELEASE.of(f"{mkdocs.__name__} {mkdocs.__version__}", self.name)


@functools.cache
def _part_works(part: PrivatePart) -> bool:
    try:
        return part.works()
    except (AttributeError, TypeError, ValueError, LookupError, ImportError):
        return False  # it is gone, or takes and returns something else


def missing_parts(parts: Iterable[PrivatePart]) -> Iterator[PrivatePart]:
    """Yield those of the parts that are missing, or do something else."""
    return (part for part in parts if part.why_not)


# --- the steps of a build: a worker reads and writes a page as MkDocs will ------------------------


build_page: Any = getattr(commands, "_build_page", None)
populate_page: Any = getattr(commands, "_populate_page", None)
get_context: Any = getattr(commands, "get_context", None)
SKIPPED_MESSAGE = "Page skipped: '"
"""The start of MkDocs' message about a page with empty output, before the page's path."""


def _has_steps() -> bool:
    """Check that the functions take what they are given here."""
    if build_page is None or populate_page is None or get_context is None:
        return False
    inspect.signature(build_page).bind(*[None] * 5, excluded=False)
    inspect.signature(populate_page).bind(*[None] * 3)
    inspect.signature(get_context).bind(*[None] * 4)
    # A page without output is left as it is.
    return "if output.strip():" in inspect.getsource(build_page)


STEPS = PrivatePart(
    "function for a step of a build", _has_steps, "pages are read and written in one process"
)


def _has_current_page() -> bool:
    """Check that the configuration knows the page that is being built.

    YAML's `!relative` reads it.
    """
    defaults: Any = importlib.import_module("mkdocs.config.defaults")
    return hasattr(defaults.MkDocsConfig, "_current_page")


CURRENT_PAGE = PrivatePart(
    "name for the current page", _has_current_page, "each page is read in each build"
)


def populate_late(config: MkDocsConfig, files: Files, page: Page) -> None:
    """Read and render a page while MkDocs is at another one, or at the template of the same."""
    current = config._current_page
    populate_page(page, config, files)
    config._current_page = current


# --- events: a listener is replaced by one that does less for a page that is reused ---------------


class _Sample(BasePlugin):  # type: ignore[type-arg]
    """A plugin with one listener."""

    def on_page_markdown(self, markdown: str, **_: object) -> str:
        """Return another text."""
        return f"{markdown} by a plugin"


def _has_events() -> bool:
    """Check that MkDocs calls the listeners in a collection's lists, and knows their plugins."""
    collection: Any = PluginCollection()
    collection["sample"] = plugin = _Sample()
    [listener] = collection.events["page_markdown"]
    is_known = (
        listener == plugin.on_page_markdown and collection._event_origins[listener] == "sample"
    )
    collection.events["page_markdown"][0] = lambda markdown, **_: f"{markdown} by another"
    return bool(is_known and collection.run_event("page_markdown", "text") == "text by another")


EVENTS = PrivatePart("list of the listeners to an event", _has_events, "nothing is cached")


def replace_listener(
    config: MkDocsConfig, event: str, old: Callable[..., Any], new: Callable[..., Any]
) -> None:
    """Replace a plugin's listener to an event, in its place."""
    methods = config.plugins.events[event]
    methods[methods.index(old)] = new
    config.plugins._event_origins[new] = plugin_of(config, old)


def plugin_of(config: MkDocsConfig, listener: Callable[..., Any]) -> str:
    """Return the name of the plugin or the hook that a listener to an event belongs to."""
    return config.plugins._event_origins.get(listener, "")


# --- pages: their class is replaced by one that looks them up, and whose HTML is in a file --------


SET_BY_RENDERING = frozenset(
    {"content", "toc", "_title_from_render", "present_anchor_ids", "links_to_anchors"}
)
"""Attributes that MkDocs' `Page.render` sets. A page with any other change is not cached."""
COVERED_ELSEWHERE = frozenset(
    {
        "file",
        "previous_page",
        "next_page",
        "parent",
        "children",
        "toc",
        "render",
        "title",
        "active",
        "_Page__active",
        "_StructureItem__parent",
        "_parent",
        "markdown",
        "update_date",
        "present_anchor_ids",
        "links_to_anchors",
        "content",
    }
)
"""Attributes of a page that no template of Material reads, or that are included in another way."""


FILE_ATTRIBUTES = frozenset(
    {
        "abs_src_path",
        "dest_dir",
        "dest_uri",
        "edit_uri",
        "name",
        "page",
        "src_dir",
        "src_uri",
        "url",
        "use_directory_urls",
        "_content",
    }
)
"""Attributes of a page's file that are included in another way; plugins set all others."""


def _has_pages() -> bool:
    """Check that a page has these attributes, and no place for others than its own dictionary."""
    code = inspect.unwrap(Page.render).__code__
    is_made_here = {*code.co_names} >= SET_BY_RENDERING
    inspect.signature(Page.render).bind(*[None] * 3)
    inspect.signature(Page.read_source).bind(*[None] * 2)
    return (
        is_made_here
        and "_title_from_render" in Page.__init__.__code__.co_names
        and Page.__dictoffset__ != 0
    )


PAGES = PrivatePart("way to render a page", _has_pages, "pages are not cached")


LAST_PRIORITY = -(10**9)
"""The priority of a processor of Python-Markdown after all others."""


class _KeepLinks(Extension):
    """Has MkDocs keep a page's links to anchors, which a verbose build of it does not check.

    They are for the next build, which may not be verbose. MkDocs looks at the level of its logger
    when the page is converted. It is changed after the last message about the page.
    """

    def extendMarkdown(self, md: markdown.Markdown) -> None:  # noqa: N802 - its name
        """Add the last processor of the page's tree."""
        md.treeprocessors.register(_UsualLevel(md), "planbook_speed_links", LAST_PRIORITY)


class _UsualLevel(Treeprocessor):
    def run(self, root: object) -> None:
        """Set the level of a build that is not verbose."""
        if log_of_pages.getEffectiveLevel() <= logging.DEBUG:
            log_of_pages.setLevel(logging.INFO)


@contextmanager
def keep_links() -> Iterator[Extension]:
    """Give an extension for one page, and have its logger the same level afterwards as before."""
    level = log_of_pages.level
    try:
        yield _KeepLinks()
    finally:
        log_of_pages.setLevel(level)


def drops_links() -> bool:
    """Return True if this build does not check links to anchors, as MkDocs' verbose one.

    That of ProperDocs does.
    """
    is_verbose = log_of_pages.getEffectiveLevel() <= logging.DEBUG
    return is_verbose and "getEffectiveLevel" in inspect.unwrap(Page.render).__code__.co_names


def _has_files() -> bool:
    """Check that a file is copied by a method that an attribute of one file may replace."""
    inspect.signature(File.copy_file).bind(None, False)
    return "copy_file" in inspect.getsource(
        importlib.import_module("mkdocs.structure.files").Files.copy_static_files
    )


def replace_page_class(page: Page, kind: type[Page]) -> None:
    """Make a page one of another class: MkDocs has no way to make pages of a class of ours."""
    page.__class__ = kind


FILES = PrivatePart("way to copy a file", _has_files, "all static files are copied")


def replace_copying(file: File, copy: Callable[[bool], None]) -> None:
    """Have MkDocs copy one file in another way."""
    vars(file)["copy_file"] = copy


# --- templates: compiled ones are shared, and the navigation is rendered once ---------------------


url_filter: Any = getattr(templates, "url_filter", None)
"""MkDocs' filter for addresses in templates."""
MKDOCS_CONTEXT_KEYS = frozenset(
    {
        "nav",
        "pages",
        "base_url",
        "extra_css",
        "extra_javascript",
        "mkdocs_version",
        "properdocs_version",
        "build_date_utc",
        "config",
        "page",
    }
)
"""Variables in the context of every page's template; plugins added all others."""
LISTS_THEME = "Files.add_files_from_theme.<locals>.filter"
"""MkDocs' choice of the files of a theme to copy: few of Material's 14,500. Another one lists them
itself."""


def _has_templates() -> bool:
    """Check that an attribute of a theme may replace the method that makes environments."""
    inspect.signature(Theme.get_env).bind(None)
    is_listed = "config.theme.get_env()" in inspect.getsource(commands.build)
    return url_filter is not None and is_listed and Theme.__dictoffset__ != 0


TEMPLATES = PrivatePart(
    "environment of templates", _has_templates, "templates are compiled and rendered again"
)


def prepare_environments(theme: Theme, prepare: Callable[[jinja2.Environment], None]) -> None:
    """Have each new environment of one theme be changed by `prepare`."""
    make = theme.get_env

    def get_env() -> jinja2.Environment:
        """Return a new environment."""
        env = make()
        prepare(env)
        return env

    vars(theme)["get_env"] = get_env


# --- Material's search: its index is made by page -------------------------------------------------


def _search() -> Any:
    """Return the module of Material's search, if it has what is used of it."""
    try:
        module: Any = importlib.import_module("material.plugins.search.plugin")
        parts = (
            module.SearchPlugin.on_page_context,
            module.SearchPlugin.on_post_build,
            module.SearchIndex,
        )
        if all((*parts, module.Parser, module.Section, module.Element, module.void)):
            return module
    except (AttributeError, ImportError):  # another Material, or none
        pass
    return None


material_search: Any = _search()
SearchIndex: Any = material_search.SearchIndex if material_search is not None else object
TAGS = "material.plugins.tags."
"""The modules of Material's tags, which are plain data."""
SEARCH = PrivatePart(
    "index of Material's search",
    lambda: material_search is not None,
    "Material's search reads each page",
)


# --- the server: saved files are noticed at once, and shown before the build ends -----------------


def _has_reload() -> bool:
    """Check that a server compares two numbers to know that browsers wait for a build.

    All of them must be set by name.
    """
    livereload: Any = importlib.import_module("mkdocs.livereload")
    made = inspect.getsource(livereload.LiveReloadServer)
    of_epochs = "wait_for(lambda: self._visible_epoch == self._wanted_epoch)" in made
    of_build = (
        "self._visible_epoch = self._wanted_epoch" in made
        and "self._wanted_epoch = _timestamp()" in made
    )
    return (
        of_epochs
        and of_build
        and "with self._epoch_cond:" in made
        and "self.set_app(self.serve_request)" in made
    )


RELOAD = PrivatePart(
    "way to reload browsers", _has_reload, "browsers reload when a build has ended"
)


def reload_browsers(server: LiveReloadServer) -> None:
    """Have browsers reload, though the build goes on."""
    with server._epoch_cond:
        server._visible_epoch = server._wanted_epoch
        server._epoch_cond.notify_all()


def hold_browsers(server: LiveReloadServer) -> None:
    """Have browsers wait until the server shows the build that ends, and reload again."""
    server._wanted_epoch += 1


def _has_watcher() -> bool:
    """Check that a server watches by watchdog's polling emitters.

    These queue events when their thread asks.
    """
    livereload: Any = importlib.import_module("mkdocs.livereload")
    polling: Any = importlib.import_module("watchdog.observers.polling")
    made = inspect.getsource(livereload.LiveReloadServer.__init__)
    inspect.signature(polling.PollingEmitter.queue_events).bind(None, 0.1)
    inspect.signature(polling.PollingEmitter.on_thread_start).bind(None)
    is_polling = (
        "PollingObserver(timeout=polling_interval)" in made and "self.build_delay = " in made
    )
    return (
        is_polling
        and hasattr(polling.PollingObserver, "emitters")
        and hasattr(polling.PollingEmitter, "watch")
    )


def replace_emitters(server: LiveReloadServer, kind: type[Any]) -> None:
    """Make the emitters of a server that is not started yet ones of a subclass."""
    for emitter in server.observer.emitters:
        if type(emitter) is kind.__base__:
            emitter.__class__ = kind


WATCHER = PrivatePart("watcher of files", _has_watcher, "saved files are noticed every half second")


BUILD_INTERNALS = (STEPS, CURRENT_PAGE, EVENTS, PAGES, FILES, TEMPLATES, SEARCH)
SERVER_INTERNALS = (RELOAD, WATCHER)
