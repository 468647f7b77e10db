"""Inputs of a page's template that are of this page alone: digests of all that it may read of it.

The inputs that the templates of all pages share are in :mod:`.template_inputs`.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from mkdocs.structure.nav import Link
from mkdocs.structure.pages import Page

from planbook_speed import digests, internals, reasons
from planbook_speed.cached_page import CachedPage, digest_html
from planbook_speed.page_records import toc_token

if TYPE_CHECKING:
    import jinja2
    from mkdocs.structure.toc import AnchorLink

MARSHAL_VERSION = 2
"""The last format without references between objects: it is the same for equal values."""


class OwnInputs(NamedTuple):
    """The digest, or its start, of each input of a page's template that is of this page alone."""

    template: str
    html: str
    source: str
    late: str
    attributes: str
    metadata: str
    added: str
    place: str
    options: str
    toc: str

    def starts(self) -> OwnInputs:
        """Return the start of each digest: it tells what has changed, and decides nothing."""
        return OwnInputs(*(digest[: reasons.START_CHARACTERS] for digest in self))

    def changed_names(self, previous: OwnInputs) -> list[str]:
        """Return the names of those that differ."""
        pairs = zip(OWN_INPUT_NAMES, previous, self, strict=True)
        return [name for name, digest_before, digest in pairs if digest_before != digest]


OWN_INPUT_NAMES = OwnInputs(
    template="its template",
    html="its HTML",
    source="its file",
    late="what a plugin changes after on_env",
    attributes="its attributes",
    metadata="its metadata",
    added="what plugins add to its context",
    place="its place in the site",
    options="the options that its template gets",
    toc="its table of contents",
)
"""The words of a verbose build for them. A page's place in the site is its title, its addresses and
the pages before and after it; its attributes are all others of MkDocs' `Page` and `File`."""


def read_own_inputs(
    page: Page,
    context: Mapping[str, Any],
    template: jinja2.Template,
    source_digest: str,
    late_digest: str,
) -> OwnInputs:
    """Return digests of all that a page's template may read of the page.

    Values that plugins added are among them.

    Args:
        page: the page.
        context: what plugins and MkDocs pass to the template.
        template: the template.
        source_digest: the digest of the page's file.
        late_digest: the digest of what plugins may have changed since `on_env`.

    Raises:
        UnclearError: a value has no canonical text.
    """
    options = [
        context[key] for key in ("base_url", "extra_css", "extra_javascript", "mkdocs_version")
    ]
    return OwnInputs(
        template=digests.digest(template.name or ""),
        html=digest_html(page),
        source=source_digest,
        late=late_digest,
        attributes=_digest_values(_attributes_of_page(page)),
        metadata=_digest_values(page.meta or {}),
        added=_digest_values(_added_to_context(context)),
        place=_digest_values({"place": _place_in_navigation(page)}),
        options=_digest_values({"usual": options}),
        toc=_digest_values({"toc": _toc(page)}),
    )


def inputs_before_context(page: Page, context: Mapping[str, Any]) -> bytes:
    """Return what a template may read of a page before plugins' last event, `on_page_context`.

    It is cheaper than `read_own_inputs`: what the events have made of the page's file is left out,
    as it depends on the inputs that the plugins declare.

    Raises:
        UnclearError: a value has no canonical text.
    """
    attributes = _digest_values(_attributes_of_page(page))
    added = digests.canonical_text(_added_to_context(context))
    return marshal.dumps([_place_in_navigation(page), attributes, added], MARSHAL_VERSION)


def _added_to_context(context: Mapping[str, Any]) -> dict[str, object]:
    """Return the variables that plugins added to a page's context."""
    return {
        name: _plain_value(value)
        for name, value in context.items()
        if name not in internals.MKDOCS_CONTEXT_KEYS
    }


def _attributes_of_page(page: Page) -> dict[str, Any]:
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
        if key not in internals.FILE_ATTRIBUTES:
            attributes[f"file {key}"] = value
    return attributes


def _digest_values(values: Mapping[Any, Any]) -> str:
    """Return the digest of values with their names."""
    return digests.digest(*_texts_of_values(values))


def _texts_of_values(values: Mapping[Any, Any]) -> Iterator[str | bytes]:
    """Yield all names and values, each as a text that is another one for another value."""
    for key, value in values.items():
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
        return [_plain_value(element) for element in value]
    if isinstance(value, Link):
        return [value.title, value.url]
    if type(value).__module__.startswith(internals.TAGS):
        return {key: _plain_value(attribute) for key, attribute in vars(value).items()}
    return value
