"""Pages rendered ahead of MkDocs by forked processes, one per core.

A worker processes a page as MkDocs is about to, in its own copy of the build, and leaves the result in the cache, keyed
by all inputs. MkDocs then does its work in order, as usual, and finds the result. If a plugin's event returns another
text the second time, the entry is not found, and the page is rendered as if there were no workers. A page that fails or
warns does so again when its turn comes: no output of a worker is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from generator import parallel
from generator.speed import highlighting
from generator.speed.records import silence

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

EVENTS = ("pre_page", "page_read_source", "page_markdown", "page_content")
"""The plugin events between reading a page and having its HTML."""
REPEATABLE = tuple(f"material.plugins.{name}." for name in ("meta", "offline", "search", "tags"))
"""Modules of plugins whose page events have no effect outside their process, so that they may run twice. Other plugins
declare this with an attribute `has_repeatable_page_events = True`."""


def why_not(config: MkDocsConfig, trusted: Iterable[str]) -> str:
    """Return the reason why pages of this build cannot be rendered by forked processes; empty if they can."""
    reason = parallel.why_not()
    if reason:
        return reason
    name, event = unknown_listener(config, EVENTS, trusted)
    return f"the plugin {name!r} might not bear to have on_{event} run twice (see `repeatable`)" if name else ""


def unknown_listener(config: MkDocsConfig, events: Sequence[str], trusted: Iterable[str]) -> tuple[str, str]:
    """Return the first plugin with a listener to one of the events and unknown side effects, and the event."""
    named = set(trusted)
    for event in events:
        for method in config.plugins.events[event]:
            plugin = getattr(method, "__self__", None)
            name = config.plugins._event_origins.get(method, "")
            is_known = f"{type(plugin).__module__}.".startswith((*REPEATABLE, "generator.speed."))
            if not (is_known or getattr(plugin, "has_repeatable_page_events", False) or name in named):
                return name or "a hook", event
    return "", ""


def run_ahead(pages: Sequence[Page], work: Callable[[Page], None], processes: int) -> None:
    """Call `work` for every page in forked processes (0: one per core)."""
    longest_first = sorted(pages, key=_size, reverse=True)
    parallel.run_forked(longest_first, work, processes=processes, prepare=_prepare)


def process_page(page: Page, config: MkDocsConfig, files: Files) -> None:
    """Process a page as MkDocs does between reading it and having its HTML."""
    config._current_page = page
    page = config.plugins.on_pre_page(page, config=config, files=files)
    page.read_source(config)
    text = page.markdown or ""
    page.markdown = config.plugins.on_page_markdown(text, page=page, config=config, files=files)
    page.render(config, files)
    html = page.content or ""
    page.content = config.plugins.on_page_content(html, page=page, config=config, files=files)


def _prepare() -> None:
    silence()
    highlighting.prepare()


def _size(page: Page) -> int:
    path = page.file.abs_src_path
    try:
        return Path(path).stat().st_size if path else 0
    except OSError:
        return 0
