"""The listeners of plugins to MkDocs' events: which are known, and which may do less.

What a plugin or a hook reads and changes in an event is unknown, unless it declares that
(:class:`CacheablePlugin`), is one of those below, or is named in the option `repeatable`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from planbook_speed import internals
from planbook_speed.protocols import CacheablePlugin

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

PAGE_EVENTS = ("pre_page", "page_read_source", "page_markdown", "page_content")
"""The events from reading a page to its HTML."""
CHANGING_PAGES = (*PAGE_EVENTS, "env", "page_context", "post_page")
"""The events that may read or change the pages of a build."""
TEMPLATE_EVENTS = ("pre_template", "template_context", "post_template", "post_page")
"""The events between `on_env` and a page's template in which a plugin may change what templates
read."""

REPEATABLE = tuple(f"material.plugins.{name}." for name in ("meta", "offline", "search", "tags"))
"""Modules of plugins whose page events have no effect outside their process, so that they may run
twice."""
READING_NO_OTHER = tuple(f"material.plugins.{name}." for name in ("offline", "search", "tags"))
"""Modules of plugins that read no file for a page but its own."""
WRITING_NO_OTHER = tuple(f"material.plugins.{name}." for name in ("search", "tags"))
"""Modules of plugins that write no files of their own into folders of the site."""
OUR_PREFIX = "planbook_speed."


@dataclass(frozen=True, slots=True)
class UndeclaredListener:
    """A plugin's or a hook's listener whose effects are unknown."""

    plugin: str
    event: str

    def __str__(self) -> str:
        return f"the plugin {self.plugin!r} in on_{self.event}"


def undeclared_listener(
    config: MkDocsConfig,
    events: Sequence[str],
    trusted: Iterable[str],
    known: Sequence[str] = REPEATABLE,
) -> UndeclaredListener | None:
    """Return the first listener to one of the events whose effects are unknown.

    Args:
        config: The configuration, with all plugins.
        events: The events, without `on_`.
        trusted: The names of plugins that the user knows.
        known: The modules of plugins that we know.
    """
    names = set(trusted)
    for event in events:
        for listener in config.plugins.events[event]:
            name = internals.plugin_of(config, listener)
            if name not in names and not _is_declared(listener, known):
                return UndeclaredListener(name or "a hook", event)
    return None


def _is_declared(listener: Callable[..., object], known: Sequence[str]) -> bool:
    plugin = getattr(listener, "__self__", None)
    if isinstance(plugin, CacheablePlugin):
        return True
    return f"{type(plugin).__module__}.".startswith((*known, OUR_PREFIX))


def changing_outputs(config: MkDocsConfig) -> list[Callable[..., object]]:
    """Return the listeners to `on_post_page` that may change the output of a template.

    Ours does not, and a `CacheablePlugin` adds at most values of the page's context.
    """
    listeners = config.plugins.events["post_page"]
    return [listener for listener in listeners if not _is_declared(listener, ())]


def last_plugin(config: MkDocsConfig, event: str) -> object:
    """Return the plugin whose listener to an event is called after all others."""
    *_, last = config.plugins.events[event]
    return getattr(last, "__self__", None)


def skip_for_reused_pages(
    config: MkDocsConfig, event: str, is_reused: Callable[[Page], bool]
) -> None:
    """Have each `CacheablePlugin` change the text of only those pages that are not reused."""

    def listen(
        method: Callable[..., Any], text: str, *, page: Page, config: MkDocsConfig, files: Files
    ) -> str | None:
        """Return what `method` does; for a reused page, nothing changes."""
        return None if is_reused(page) else method(text, page=page, config=config, files=files)

    _replace_declared(config, event, listen)


def call_if_rendered(
    config: MkDocsConfig,
    call_later: Callable[[Callable[[], object]], None],
    is_nested: Callable[[], bool],
) -> None:
    """Have each `CacheablePlugin` complete the context of only those pages that are rendered.

    Args:
        config: The configuration, with all plugins.
        call_later: Keeps a function until the page's template is rendered.
        is_nested: Returns True in a build within this one, which is left alone.
    """

    def listen(method: Callable[..., Any], context: dict[str, Any], **about: Any) -> Any:
        """Have `method` wait, unless it is called by a build within this one."""
        if is_nested():
            return method(context, **about)
        call_later(partial(method, context, **about))
        return None

    _replace_declared(config, "page_context", listen)


def _replace_declared(config: MkDocsConfig, event: str, listen: Callable[..., Any]) -> None:
    """Replace the listeners of each `CacheablePlugin` by `listen`, which is given the old one."""
    for method in list(config.plugins.events[event]):
        plugin = getattr(method, "__self__", None)
        if isinstance(plugin, CacheablePlugin):
            internals.replace_listener(config, event, method, _Listener(plugin, method, listen))


class _Listener:
    """A listener in place of a plugin's own, which is known as the plugin's as a method is."""

    def __init__(
        self, plugin: object, method: Callable[..., Any], listen: Callable[..., Any]
    ) -> None:
        self.__self__ = plugin
        self._method = method
        self._listen = listen

    def __call__(self, *arguments: Any, **kwargs: Any) -> Any:
        """Return what the replaced listener does, or nothing."""
        return self._listen(self._method, *arguments, **kwargs)
