"""Values of front matter, and names of files, as themes may insert them into HTML.

The templates of Material and Zensical, like most themes, insert metadata, titles and addresses
without escaping them. What comes from a file is text, so it is escaped here, before any template or
other plugin reads it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from markupsafe import Markup

from planbook.library.names import is_page_address
from planbook.views.frame import attribute_text

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import File
    from mkdocs.structure.nav import Navigation
    from mkdocs.structure.pages import Page as MkDocsPage

ESCAPED_KEYS = frozenset(
    {
        *("title", "description", "author", "subtitle", "status", "location"),
        *("revision_date", "git_revision_date_localized", "git_creation_date_localized"),
    }
)
"""Keys of front matter whose values templates of Material or Zensical insert as HTML. Those that
only select something, such as `hide`, `icon` and `template`, are not among them; `tags` has a
function of its own."""
_MAX_METADATA_LEVELS = 3
"""The number of levels of lists and mappings whose texts are shown."""
REDIRECT = "redirect.html"
"""Material's template of a page that leads to the address in `location`, which it inserts into a
script, too."""
_ESCAPED_CHARACTER = re.compile("[<>\"'&]|%[0-9A-Fa-f]{2}")
"""Characters that are not themselves in HTML, and encoded ones, which Zensical decodes."""
_INVALID_IN_ADDRESS = re.compile(r"[<>\"'`\s\\]")
"""Characters that no address has."""
_UNUSUAL_CHARACTER = re.compile(r"[^\w/.:~-]", re.ASCII)
"""Characters that most paths do not have."""
_MARKUP_IN_TAG = re.compile(r"[<>]|&#?\w+;")
"""Parts of a tag that would not be displayed as they are: tags are inserted between elements, never
in attributes."""


def escaped_meta(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Return front matter with the values that are shown escaped.

    It has no unsafe address to redirect to.
    """
    plain = dict(meta)
    for key in ESCAPED_KEYS & meta.keys():
        plain[key] = text_in_html(meta[key])
    if plain.get("title") is not None:
        plain["title"] = Markup(plain["title"])  # noqa: S704 - escaped, or a number
    if meta.get("template") == REDIRECT:
        if is_page_address(meta.get("location")):
            plain["location"] = meta["location"]
        else:
            del plain["template"]  # without an address, it would load its page again and again
    if meta.get("tags") is not None:
        plain["tags"] = _escaped_tags(meta["tags"])
    return plain


def _escaped_tags(tags: Any) -> list[Any]:
    """Return tags as they are inserted into HTML, those alone that Material's plugin `tags` reads.

    It stops the build at any other value. Dates are read as texts; lists and mappings among tags
    are left out (K004).
    """
    if isinstance(tags, str):  # as in Obsidian
        names = re.split(r"[,\s]+", tags.strip())
    else:
        names = list(tags) if isinstance(tags, list | Mapping) else [tags]
    return [_escaped_tag(tag) for tag in names if not isinstance(tag, list | Mapping | None)]


def _escaped_tag(tag: Any) -> str | int | float:
    if isinstance(tag, str):
        return tag_text(tag)
    return tag if isinstance(tag, int | float) else str(tag)


def text_in_html(value: Any) -> Any:
    """Return a value of front matter as HTML text that is safe in attributes.

    Several values are a list with commas.

    Numbers, dates and other scalars stay as they are.
    """
    if isinstance(value, str):
        return Markup(attribute_text(value))  # noqa: S704 - escaped
    if isinstance(value, list | Mapping):
        return Markup(attribute_text(", ".join(_texts_in_value(value))))  # noqa: S704 - escaped
    return value


def _texts_in_value(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield the texts in a value: items of lists, and the names or values of mappings.

    Levels below `_MAX_METADATA_LEVELS` are left out.
    """
    if depth > _MAX_METADATA_LEVELS:  # aliases of YAML may lead back up
        return
    if isinstance(value, Mapping):
        values = value["name"] if "name" in value else list(value.values())
        yield from _texts_in_value(values, depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from _texts_in_value(item, depth + 1)
    elif value is not None:
        yield str(value)


def tag_text(tag: str) -> str:
    """Return a tag as it is inserted into HTML.

    One that is displayed as it is stays, such as *R&D*: the ids and addresses of tags are made from
    it.
    """
    return attribute_text(tag) if _MARKUP_IN_TAG.search(tag) else tag


def escape_names(files: Iterable[File]) -> None:
    """Escape the titles that pages without another one have from the names of their files."""
    for file in files:
        if file.page is not None and _ESCAPED_CHARACTER.search(file.src_uri):
            file.page.title = title_of_name(file.page) or file.page.title


def title_of_name(page: MkDocsPage) -> str:
    """Return the escaped title that MkDocs has made from the name of a page's file.

    The result is empty if it needs no escaping.

    Titles from headings are HTML already.
    """
    title = page.title
    if not _ESCAPED_CHARACTER.search(page.file.src_uri) or not isinstance(title, str):
        return ""
    is_from_name = title.lower() == re.sub("[-_]", " ", page.file.name).lower()
    return attribute_text(title) if is_from_name else ""


def escape_sections(nav: Navigation) -> None:
    """Escape the titles of sections, which MkDocs makes from the names of folders."""
    for section in nav.items:
        _escape_section(section)


def _escape_section(item: Any) -> None:
    if item.is_section:
        item.title = attribute_text(item.title)
        for child in item.children:
            _escape_section(child)


def quote_edit_addresses(files: Iterable[File], config: MkDocsConfig) -> None:
    """Quote the addresses for edits of all pages whose paths need it."""
    for file in files:
        if (
            file.page is not None
            and file.page.edit_url
            and _UNUSUAL_CHARACTER.search(file.page.edit_url)
        ):
            quote_edit_address(file.page, config)


def quote_edit_address(page: MkDocsPage, config: MkDocsConfig) -> None:
    """Quote the path of a page's source in the address for its edits.

    MkDocs inserts it there as it is.
    """
    path = page.file.edit_uri
    if page.edit_url and path:
        if not config.edit_uri_template:  # a template may quote it, by `{path!q}`
            page.edit_url = page.edit_url.replace(path, quote(path))
        page.edit_url = _INVALID_IN_ADDRESS.sub(lambda match: quote(match[0]), page.edit_url)
