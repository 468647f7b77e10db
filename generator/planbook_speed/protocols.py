"""The interfaces that plugins may implement so that planbook-speed can reuse and share their work.

A plugin that implements none of them makes builds slower, never wrong::

    CacheablePlugin   a MkDocs plugin whose page events depend on declared inputs only
    NamedInputs       one that can name these inputs, for a verbose build
    EntryIndex        an index of Material's search whose entries are cached by page
    PureExtension     a Jinja extension that changes a template in the same way every time
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

from jinja2.ext import Extension

if TYPE_CHECKING:
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page


T = TypeVar("T")


@runtime_checkable
class CacheablePlugin(Protocol):
    """A plugin whose page events may be skipped, run twice, and run in another process.

    Its `on_page_context` changes the context that it is given, and its `on_post_page` adds nothing
    to the HTML that is not in that context. It writes files into the site only by adding them to
    MkDocs' files, or with an `EntryIndex`.
    """

    def page_inputs(self, page: Page, files: Files) -> tuple[object, ...]:
        """Return values that are the last build's if the plugin's events would do the same.

        They are values for MessagePack. They include all that the events depend on besides the
        page's file, its address, and options of the site.
        """
        ...


@runtime_checkable
class NamedInputs(Protocol):
    """A `CacheablePlugin` whose inputs have names, such as those of files.

    Verbose builds say which of them have changed. No page is reused because of them.
    """

    def named_inputs(self, page: Page) -> Mapping[str, object]:
        """Return the values that `page_inputs` has for this page, by their names."""
        ...

    def shared_inputs(self) -> Mapping[str, object]:
        """Return the values that it has for every page, by their names.

        It is called once a build. The values are compared in the next verbose build.
        """
        ...


@runtime_checkable
class EntryIndex(Protocol):
    """An index of Material's search whose entries are cached by page."""

    def prepare(
        self, page: Page, function: Callable[[list[Any]], tuple[object, str]] | None = None
    ) -> None:
        """Cache a page's entries, or what `function` returns for them."""
        ...

    def prepared(
        self, function: Callable[[list[Any]], tuple[T, str]], kind: type[T]
    ) -> list[tuple[str, Callable[[], T | None], Callable[[], str]]] | None:
        """Return the name of each page's content, and functions that return its parts.

        The parts are the value and the text that `function` returns. The value is ``None`` if the
        whole page is excluded.

        Returns:
            ``None`` if another plugin has accessed the entries, and may have changed them.
        """
        ...

    def earlier(self, kind: type[T]) -> Callable[[str], T | None]:
        """Return a function from the name of any build's content to its value.

        The value is ``None`` if it is not cached any more.
        """
        ...

    def digest(self) -> str:
        """Return a digest of all entries; empty if other plugins have accessed them."""
        ...

    def settings(self) -> dict[str, Any]:
        """Return the settings of Material's search, which its index begins with."""
        ...

    def write(self, path: str, key: str, make: Callable[[], str]) -> None:
        """Write a file of the index, unless the last build's has the same `key`."""
        ...


class PureExtension(Extension):
    """A Jinja extension whose effect on a template depends on nothing else."""
