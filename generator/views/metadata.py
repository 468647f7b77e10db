"""Metadata of a page for the head of its HTML, in the forms that programs read: authors, title, dates, address.

Dates come from the page or its plan, never from the day of the build, which says nothing about the page.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import escape

from generator.library import Entry
from generator.model import Page
from generator.views.statements import day_of, generated_day


@dataclass(frozen=True, slots=True)
class Site:
    """The site that a page belongs to."""

    name: str
    url: str = ""
    author: str = ""
    language: str = ""
    description: str = ""
    docs_dir: str = "docs"
    """The folder of its pages, relative to the project's folder."""


@dataclass(frozen=True, slots=True)
class Metadata:
    """One page, described."""

    title: str
    site: Site
    url: str = ""
    """Absolute; empty where the site does not know its own."""
    description: str = ""
    authors: tuple[str, ...] = ()
    published: str = ""
    """``YYYY-MM-DD``, or empty."""
    modified: str = ""
    """Likewise, and later than `published`."""
    tags: tuple[str, ...] = ()
    works: tuple[Mapping[str, Any], ...] = ()
    """The cited works, as CSL-JSON."""


def describe(
    page: Page, entry: Entry | None, site: Site, url: str, works: Sequence[Mapping[str, Any]] = ()
) -> Metadata:
    """The metadata of a written page; `entry` is the PART that it was written for."""
    finished = day_of(entry.part.completed) if entry else ""
    generated = generated_day(page)
    published = day_of(page.meta_value("created")) or generated or finished
    modified = day_of(page.meta_value("updated")) or generated
    return Metadata(
        page.title,
        site,
        url,
        html.unescape(page.description or (entry.description if entry else "")),
        _texts(page.meta_value("author") or page.meta_value("authors") or site.author),
        published,
        modified if modified > published else "",
        _texts(page.meta_value("tags")),
        tuple(works),
    )


def attribute_text(text: str) -> str:
    """`text` as themes can put it between quotes, which they do without escaping it; twice does no harm."""
    return str(escape(html.unescape(text)))


def _texts(value: object) -> tuple[str, ...]:
    """One text or many; of mappings, the ``name``."""
    values = value if isinstance(value, list) else [value]
    texts = (given.get("name") if isinstance(given, Mapping) else given for given in values)
    return tuple(" ".join(str(text).split()) for text in texts if text)
