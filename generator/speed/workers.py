"""Render and build pages ahead of MkDocs in forked processes, one per core.

A worker processes a page as MkDocs will, in its own copy of the build, and stores the result where MkDocs finds it
later: in the cache, keyed by all inputs, or with the last build's output. If a plugin's event returns another text the
second time, the result is not found, and the page is rendered as if there were no workers. Errors and warnings occur
again in the main process: no output of a worker is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from generator import parallel
from generator.speed.internals import origin_of, quicken_markdown, quicken_pygments, silence
from generator.speed.pages import CachedPage
from generator.speed.protocol import CacheablePlugin

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

T = TypeVar("T")

EVENTS = ("pre_page", "page_read_source", "page_markdown", "page_content")
"""The plugin events from reading a page to its HTML."""
REPEATABLE = tuple(f"material.plugins.{name}." for name in ("meta", "offline", "search", "tags"))
"""Modules of plugins whose page events have no effect outside their process, so that they may run twice."""
ANY_PAGE = (*EVENTS, "env", "page_context", "post_page")
"""The plugin events that may read or change the pages of a build."""
REUSING = tuple(f"material.plugins.{name}." for name in ("offline", "search", "tags"))
"""Modules of plugins that read no file for a page but its own; others may be a `CacheablePlugin`."""


def why_not(config: MkDocsConfig, events: Sequence[str], trusted: Iterable[str]) -> str:
    """Return the reason why events of this build's pages cannot run in forked processes; empty if they can."""
    reason = parallel.why_not()
    if reason:
        return reason
    name, event = unknown_listener(config, events, trusted)
    return f"the plugin {name!r} may not support running on_{event} twice (see `repeatable`)" if name else ""


def unknown_listener(
    config: MkDocsConfig, events: Sequence[str], trusted: Iterable[str], known: Sequence[str] = REPEATABLE
) -> tuple[str, str]:
    """Return the first plugin with a listener to one of the events and unknown side effects, and the event."""
    named = set(trusted)
    for event in events:
        for method in config.plugins.events[event]:
            plugin = getattr(method, "__self__", None)
            name = origin_of(config, method)
            is_known = f"{type(plugin).__module__}.".startswith((*known, "generator.speed."))
            if not (is_known or isinstance(plugin, CacheablePlugin) or name in named):
                return name or "a hook", event
    return "", ""


def run_ahead(
    pages: Sequence[Page],
    work: Callable[[Page], T | None],
    receive: Callable[[Page, T], object],
    processes: int,
    *,
    current: Page | None = None,
) -> None:
    """Call `work` for every page in forked processes (0: one per core), while MkDocs is at the `current` one.

    `receive` is called here with each page and its result, unless that is ``None``.
    """

    def prepare() -> None:
        """Silence this process, protect the shared HTML file, and mark no page as active."""
        silence()
        quicken_pygments()
        quicken_markdown()
        for page in pages:
            if isinstance(page, CachedPage):
                page.file_of_html.is_closed = True
        if current is not None:
            current.active = False

    by_size = sorted(pages, key=_size, reverse=True)
    parallel.run_forked(by_size, work, receive=receive, processes=processes, prepare=prepare)


def process_page(page: Page, config: MkDocsConfig, files: Files) -> None:
    """Process a page as MkDocs does, from reading it to its HTML."""
    config._current_page = page
    page = config.plugins.on_pre_page(page, config=config, files=files)
    page.read_source(config)
    text = page.markdown or ""
    page.markdown = config.plugins.on_page_markdown(text, page=page, config=config, files=files)
    page.render(config, files)
    html = page.content or ""
    page.content = config.plugins.on_page_content(html, page=page, config=config, files=files)


def _size(page: Page) -> int:
    path = page.file.abs_src_path
    try:
        return Path(path).stat().st_size if path else 0
    except OSError:
        return 0
