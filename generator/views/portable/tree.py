"""All pages of the site as files of plain Markdown, by their path in the tree, with links rewritten to these paths."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from generator.citations.references import base_uri
from generator.library import Library
from generator.markdown.extensions import PLAIN, Syntax
from generator.markdown.front_matter import dashed_span, split_front_matter
from generator.markdown.lists import read_blocks
from generator.markdown.normalize import link_edits, mend
from generator.model import Page, PageUri
from generator.page.links import SCHEME, rebased_links, resolved
from generator.page.render import render_page
from generator.views.agents import twin
from generator.views.banner import completed_meta
from generator.views.generated import generated_pages
from generator.views.index import FOLDER_INDEXES, INDEX, folder_indexes, home_parts
from generator.views.labels import relative
from generator.views.metadata import Site
from generator.views.portable.citations import numbered_text, pandoc_head, pandoc_text, top_pages
from generator.views.works import site_downloads, works

_TITLE = str.maketrans({"<": "&lt;"})
_ATTRIBUTE = _TITLE | str.maketrans({'"': "&quot;"})
_ODD = re.compile(
    r"(?P<code>`[^`\n]+`|^```.*?^```$)|</?(?:code|em|strong)>|\\?(?P<sign>[$]|(?<=\\)[()\[\]])", re.M | re.S
)
"""Tags that some engines remove, and characters that start math in others."""
_OF_OUR_SITE = (
    (re.compile(r'^!!! \w+ "([^"\n]*)"\n\n {4}', re.M), r"> **\1.** "),
    (re.compile(r'^<div class="pb-bar".*\n\n?', re.M), ""),
    (re.compile(r" \{ data-search-exclude \}$|(?<=\]\(progress\.md)#plan-[\w-]*", re.M), ""),
)
"""Admonitions, charts, attributes, and links to places on the progress page, with what replaces them."""


class Citations(StrEnum):
    """The form of citations in the text of pages."""

    NUMBERED = "numbered"
    """``[1]``, and a list of the works at the end of the page."""
    KEEP = "keep"
    """``[@id]`` unchanged, for Pandoc and Quarto, which render the list themselves."""


@dataclass(frozen=True, slots=True)
class Form:
    """Options for the exported tree."""

    citations: Citations = Citations.NUMBERED
    index: str = "index.md"
    """The file name of a folder's own page."""
    syntax: Syntax = PLAIN
    """The blocks of Markdown extensions that are left as they are."""


def portable_tree(
    library: Library, texts: Mapping[str, str], named: frozenset[str], site: Site, form: Form
) -> dict[str, str]:
    """Return the files of all pages, and data files, by path.

    `texts` maps uris to existing pages; `named` are the pages in a hand-written navigation. Raises ValueError if two
    pages would have the same path.
    """
    every = folder_indexes(library, named)
    base = frozenset(uri for folder in every for uri in folder.uris)
    cited = works(library, base)
    pages = generated_pages(library, every, texts, site)
    made = {uri: page.make() for uri, page in pages.items()}
    made |= top_pages(library, every, cited)
    place = places({*texts, *made}, form.index)
    writer = _Writer(library, base, place, form)
    home = next((uri for uri in FOLDER_INDEXES if uri in texts), "")
    own = {uri: text for uri, text in texts.items() if uri not in made}
    files = {place[uri]: writer.written(uri, text, is_home=uri == home) for uri, text in own.items()}
    files |= {place[uri]: writer.generated(uri, text) for uri, text in made.items()}
    return files | dict(site_downloads(cited))


@dataclass(frozen=True, slots=True)
class _Writer:
    """Everything that page files are rendered from."""

    library: Library
    base: frozenset[PageUri]
    place: Mapping[str, str]
    form: Form

    def generated(self, uri: str, text: str) -> str:
        """Return the file of a generated page."""
        head, body = _split(text)
        return _safe(head) + relinked(_plain(body), uri, self.place)

    def written(self, uri: str, text: str, *, is_home: bool) -> str:
        """Return the file of a page by an author: front matter completed, Markdown fixed, works listed."""
        page, entry = self.library.page_by_uri.get(uri), self.library.by_uri.get(PageUri(uri))
        head, body = _split(twin(_sound(text), page, completed_meta(entry) if entry else {}))
        if is_home:
            for name, shown in home_parts(self.library).items():
                body = body.replace(f"<!-- planbook:{name} -->", _plain(shown))
        rebased = rebased_links(page.links, uri, self.place) if page else {}
        head, body = _safe(head), relinked(mend(body, rebased, self.form.syntax), uri, self.place)
        has_works = page is not None and bool(page.references) and (uri in self.base or "references" in dict(page.meta))
        if self.form.citations is Citations.KEEP:
            return (pandoc_head(head) if has_works else head) + pandoc_text(body, has_works=has_works)
        if page is None or not has_works:
            return head + body
        return head + numbered_text(body, page.references, self._links(page))

    def _links(self, page: Page) -> dict[str, str]:
        """Return the links to the cited works that are pages of the base, by id."""
        targets = {r.id: base_uri(r.url, page.uri, self.place) for r in page.references}
        here = self.place[page.uri]
        return {name: relative(self.place[uri], here) for name, uri in targets.items() if uri}


def _safe(head: str) -> str:
    """Return front matter that does no harm in engines which insert it into HTML, or look for links in it."""
    meta, _ = split_front_matter(head)
    safe = dict(meta)
    for key, signs in (("title", _TITLE), ("description", _ATTRIBUTE)):
        if isinstance(value := meta.get(key), str):
            safe[key] = value.translate(signs)
    has_links = bool(meta) and "](" in head
    if safe == meta and not has_links:
        return head
    return render_page(safe, "", has_links_masked=True).rstrip("\n") + "\n"


def _plain(text: str) -> str:
    """Return `text` of a view without charts, admonitions, attributes, tags and other special characters."""
    for pattern, new in _OF_OUR_SITE:
        text = pattern.sub(new, text)
    return _ODD.sub(lambda found: found["code"] or "".join(f"&#{ord(sign)};" for sign in found["sign"] or ""), text)


def _sound(text: str) -> str:
    """Return `text` with our line endings; invalid front matter, on which other engines would fail, becomes code."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    try:
        split_front_matter(text)
    except ValueError:
        head, body = _split(text)
        fence = "`" * (max((len(ticks) for ticks in re.findall("`+", head)), default=0) + 3)
        return f"{fence}yaml\n{head}{fence}\n\n{body}"
    return text


def _split(text: str) -> tuple[str, str]:
    """Split `text` into front matter, with its delimiters, and body."""
    span = dashed_span(text)
    end = text.index("\n", span[1]) + 1 if span else 0
    return text[:end], text[end:]


_DEFINITION = re.compile(r"^ {0,3}\[[^\]\n]+\]:[ \t]*<?(?P<address>[^\s<>]+)", re.MULTILINE)
"""The address in a link reference definition (``[water]: ../tea/01-water.md``)."""
_OF_HUGO = "_index.md"
_INDEX_IN_HUGO = "all-pages.md"
"""Hugo since 0.123 treats `INDEX.md` as `index.md`, which would turn all other pages into its resources."""

_Edit = tuple[int, int, str]
"""A replacement: ``(start, end, new)``."""


def places(uris: Iterable[str], index: str) -> dict[str, str]:
    """Return the path of each page by its uri: the same, except for a folder's own page, which is called `index`.

    Raises ValueError if two pages would have the same path.
    """
    place: dict[str, str] = {}
    taken: dict[str, str] = {}
    for uri in sorted(uris):
        folder, slash, name = uri.rpartition("/")
        path = f"{folder}{slash}{index}" if name in FOLDER_INDEXES else uri
        if uri == INDEX and index == _OF_HUGO:
            path = _INDEX_IN_HUGO
        if path in taken:
            raise ValueError(f"{uri} and {taken[path]} would both be {path}; rename or remove one of them")
        place[uri], taken[path] = path, uri
    return place


def relinked(text: str, uri: str, place: Mapping[str, str]) -> str:
    """Rewrite the links in `text`, the Markdown of page `uri`, for the new paths in `place`.

    Links are made relative to the page's own path; correct links, and links to other targets, are left unchanged.
    """
    if ".md" not in text:
        return text
    edits = sorted(set(_edits(text, uri, place)))
    pieces, at = [], 0
    for start, end, new in edits:
        if start >= at:
            pieces += [text[at:start], new]
            at = end
    return "".join([*pieces, text[at:]])


def _edits(text: str, uri: str, place: Mapping[str, str]) -> Iterator[_Edit]:
    blocks = read_blocks(text)
    yield from link_edits(text, blocks.links, lambda address: _address(address, uri, place))
    for found in _DEFINITION.finditer(text):
        is_code = any(start <= found.start() < end for start, end in blocks.fences)
        new = None if is_code else _address(found["address"], uri, place)
        if new is not None:
            yield *found.span("address"), new


def _address(address: str, uri: str, place: Mapping[str, str]) -> str | None:
    """Return the new address of a link; ``None`` if it is correct already, or does not point to a page of the tree."""
    if SCHEME.match(address) or ".md" not in address:
        return None
    path = re.split(r"[#?]", address, maxsplit=1)[0]
    target = resolved(address, uri, place)
    if target is None or target not in place:
        return None
    here = posixpath.dirname(place.get(uri, uri))
    if not path.startswith("/") and posixpath.normpath(posixpath.join(here, path)) == place[target]:
        return None
    return posixpath.relpath(place[target], here or ".").replace(" ", "%20") + address[len(path) :]
