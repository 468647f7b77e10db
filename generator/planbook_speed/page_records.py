"""Pages as they are kept: after rendering, for the next build, and for another process."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from markupsafe import Markup
from mkdocs.structure.toc import AnchorLink

from planbook_cache.entries import Raw, decode_raw, encode_raw
from planbook_speed.digests import UnclearError, require_finite
from planbook_speed.event_inputs import EventInputs
from planbook_speed.reasons import NotKept

FoundFile: TypeAlias = tuple[str, str, bool]
"""A file that a rendering looked up: its ``src_uri``, its address, True if it is excluded."""
LogRecord: TypeAlias = tuple[str, int, str]
"""The logger's name, the level and the message."""


NamedDigests: TypeAlias = dict[str, dict[str, str]]
"""The starts of digests, by plugin and name: they tell what has changed, and decide nothing."""


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """The attributes that rendering sets on a page."""

    content: str
    title: str | None
    toc: Raw
    """Tokens as Python-Markdown's extension ``toc`` gives them: a list, which few pages need in
    this process."""
    anchors: Raw
    links: dict[str, Any] | None
    """Links to anchors of other pages, by ``src_uri``."""
    files: dict[str, FoundFile | None]
    """The files that were looked up, by path."""
    records: list[LogRecord]


@dataclass(frozen=True, slots=True)
class KeptPage:
    """A page after its events, for the next build of this process."""

    event_inputs: EventInputs
    """Digests of all that it was read from, besides files that its rendering looked up."""
    key: str
    meta: dict[str, Any]
    rendered: RenderedPage
    """Without the HTML."""
    html_digest: str
    is_for_search: bool
    """True if the HTML may have attributes that Material's search removes."""
    named_inputs: NamedDigests = field(default_factory=dict)
    """The start of the digest of each input that a plugin names, by plugin and name."""


TypedValue: TypeAlias = tuple[list[str | int], str]
"""The place of a value in metadata, and the name of its type."""
TYPES: Mapping[str, Callable[[str], Any]] = {"Markup": Markup, "date": datetime.date.fromisoformat}
"""Functions that return values of types which are stored as text."""


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A `KeptPage` on the disk, for the next build of another process."""

    source_digest: str
    """Of its file."""
    key: str
    """The name of its entry in the cache."""
    kept: Raw
    """The `KeptPage` with places of typed values, or nothing."""
    why_not: str = ""
    """The value of a `NotKept`, if nothing is kept."""

    @staticmethod
    def of(source_digest: str, key: str, page: KeptPage | NotKept) -> StoredPage:
        """Return a page as it is stored, without what is kept of it if that cannot be restored."""
        if isinstance(page, NotKept):
            return StoredPage(source_digest, key, encode_raw(None), page.value)
        typed: list[TypedValue] = []
        try:
            require_finite(page.meta)
            plain = replace(page, meta=_to_plain_value(page.meta, [], typed))
            return StoredPage(source_digest, key, encode_raw((plain, typed)))
        except (UnclearError, UnicodeEncodeError, OverflowError):
            return StoredPage.of(source_digest, key, NotKept.METADATA)

    def page(self) -> KeptPage | None:
        """Return what is kept of the page."""
        stored = decode_raw(self.kept, tuple[KeptPage, list[TypedValue]])
        if stored is None:
            return None
        page, typed = stored
        for (*above, last), kind in typed:
            holder: Any = page.meta
            for key in above:
                holder = holder[key]
            holder[last] = TYPES[kind](holder[last])
        return page


def _to_plain_value(value: Any, path: list[str | int], typed: list[TypedValue]) -> Any:
    """Return a value of metadata with text in place of values of `TYPES`.

    They are added to `typed`.
    """
    kind = type(value)
    if kind is list:
        return [_to_plain_value(element, [*path, n], typed) for n, element in enumerate(value)]
    if kind is dict and all(type(key) is str for key in value):
        return {
            key: _to_plain_value(element, [*path, key], typed) for key, element in value.items()
        }
    if kind in {Markup, datetime.date}:
        typed.append((path, kind.__name__))
        return str(value)
    if kind not in {str, int, float, bool, type(None)}:
        raise UnclearError(kind.__name__)
    return value


def toc_token(item: AnchorLink) -> dict[str, object] | None:
    """Return an entry of a table of contents as plain data; ``None`` if a plugin extended it."""
    if vars(item).keys() - {"title", "id", "level", "children", "active"}:
        return None
    children = [toc_token(child) for child in item.children]
    if None in children:
        return None
    return {"name": item.title, "id": item.id, "level": item.level, "children": children}
