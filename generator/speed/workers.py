"""Pages rendered ahead of MkDocs, by processes forked from the build, one a core.

A worker does to a page what MkDocs is about to do to it, in its own copy of the build, and leaves what comes out in the
cache, by everything that went in. MkDocs then does its work in order, as ever, and finds it done. Where an event of a
plugin gives another text the second time, the entry is not found, and the page is rendered as if there were no workers.
A page that fails or warns fails or warns again when its turn comes: nothing of a worker is shown.
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
"""What MkDocs asks of plugins between reading a page and having its HTML."""
REPEATABLE = tuple(f"material.plugins.{name}." for name in ("meta", "offline", "search", "tags"))
"""Where plugins come from whose events for pages touch nothing outside their process, so that they may run twice.
Another plugin says so of itself by an attribute `has_repeatable_page_events = True`."""


def why_not(config: MkDocsConfig, trusted: Iterable[str]) -> str:
    """Why pages of this build cannot be rendered by forked processes; empty if they can."""
    reason = parallel.why_not()
    if reason:
        return reason
    name, event = stranger(config, EVENTS, trusted)
    return f"the plugin {name!r} might not bear to have on_{event} run twice (see `repeatable`)" if name else ""


def stranger(config: MkDocsConfig, events: Sequence[str], trusted: Iterable[str]) -> tuple[str, str]:
    """The first plugin that is asked in one of the events and may do in it what is not seen, and the event."""
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
    """Do `work` on every page, in as many processes (0: one a core)."""
    longest_first = sorted(pages, key=_size, reverse=True)
    parallel.run_forked(longest_first, work, processes=processes, prepare=_prepare)


def foresee(page: Page, config: MkDocsConfig, files: Files) -> None:
    """Do to a page what MkDocs does between reading it and having its HTML."""
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
