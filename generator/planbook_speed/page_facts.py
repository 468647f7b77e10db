"""Digests of all that a template may read of a page, besides its HTML."""

from __future__ import annotations

import marshal
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from mkdocs.structure.nav import Link
from mkdocs.structure.pages import Page

from planbook_speed import digests, internals
from planbook_speed.cached_page import CachedPage
from planbook_speed.page_records import toc_token

if TYPE_CHECKING:
    from mkdocs.structure.toc import AnchorLink

MARSHAL_VERSION = 2
"""The last format without references between objects: it is the same for equal values."""


def page_facts(page: Page, context: Mapping[str, Any]) -> Iterator[str]:
    """Yield digests of all that a template may read of a page, except its HTML.

    Values that plugins added are among them. They are in the order of :data:`reasons.FACTS`.

    Raises:
        UnclearError: a value has no canonical text.
    """
    options = [
        context[key] for key in ("base_url", "extra_css", "extra_javascript", "mkdocs_version")
    ]
    groups: tuple[Mapping[Any, Any], ...] = (
        _attributes(page),
        page.meta or {},
        _added_to_context(context),
        {"place": _place_in_navigation(page)},
        {"usual": options},
        {"toc": _toc(page)},
    )
    for facts in groups:
        yield digests.digest(*_texts_of_facts(facts))


def facts_before_context(page: Page, context: Mapping[str, Any]) -> bytes:
    """Return what a template may read of a page before plugins' last event, `on_page_context`.

    It is cheaper than `page_facts`: what the events have made of the page's file is left out, as it
    depends on the inputs that the plugins declare.

    Raises:
        UnclearError: a value has no canonical text.
    """
    attributes = digests.digest(*_texts_of_facts(_attributes(page)))
    added = digests.canonical_text(_added_to_context(context))
    return marshal.dumps([_place_in_navigation(page), attributes, added], MARSHAL_VERSION)


def _added_to_context(context: Mapping[str, Any]) -> dict[str, object]:
    """Return the variables that plugins added to a page's context."""
    return {
        name: _plain_value(value) for name, value in context.items() if name not in internals.USUAL
    }


def _attributes(page: Page) -> dict[str, Any]:
    """Return a page's attributes that are not compared in another way.

    Those that plugins set on its file are among them.

    Raises:
        UnclearError: the page is of a class of a plugin, which may give it others.
    """
    if type(page) is not Page and not isinstance(page, CachedPage):
        raise digests.UnclearError(f"a page of the class {type(page).__qualname__!r}")
    compared_elsewhere = internals.COVERED_ELSEWHERE | {"meta"}
    attributes = {key: value for key, value in vars(page).items() if key not in compared_elsewhere}
    for key, value in vars(page.file).items():
        if key not in internals.OF_A_FILE:
            attributes[f"file {key}"] = value
    return attributes


def _texts_of_facts(facts: Mapping[Any, Any]) -> Iterator[str | bytes]:
    """Yield all names and values, each as a text that is another one for another value."""
    for key, value in facts.items():
        yield key if isinstance(key, str) else f"\0{digests.canonical_text(key)}"
        digests.require_finite(value)
        try:
            yield marshal.dumps(value, MARSHAL_VERSION)
        except ValueError:  # not only plain types
            yield digests.canonical_text(value)


def _place_in_navigation(page: Page) -> list[object]:
    """Return a page's title, its files and addresses, and its neighbours."""
    file = page.file
    neighbours = [page.previous_page, page.next_page]
    titles = [None if other is None else [str(other.title), other.url] for other in neighbours]
    return [
        str(page.title),
        page.url,
        page.is_homepage,
        titles,
        [file.src_uri, file.dest_uri, file.edit_uri],
    ]


def _toc(page: Page) -> list[object]:
    """Return a page's table of contents as plain data."""
    tokens = page._speed_tokens if isinstance(page, CachedPage) else list(map(toc_token, page.toc))
    if None in tokens:  # a plugin extended an entry
        return [_plain_entry(item) for item in page.toc]
    return tokens


def _plain_entry(item: AnchorLink) -> dict[str, object]:
    """Return an entry with all attributes that plugins gave it."""
    if not item.children:
        return vars(item)
    return vars(item) | {"children": [_plain_entry(child) for child in item.children]}


def _plain_value(value: object) -> object:
    """Return a value that plugins pass to templates, with tags and links as plain data."""
    if isinstance(value, list | tuple):
        return [_plain_value(part) for part in value]
    if isinstance(value, Link):
        return [value.title, value.url]
    if type(value).__module__.startswith(internals.TAGS):
        return {key: _plain_value(part) for key, part in vars(value).items()}
    return value
