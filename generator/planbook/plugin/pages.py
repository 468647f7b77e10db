"""Changes to the text, the HTML and the metadata of a page during a build; search for readers."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from importlib.resources import files as resources
from itertools import groupby
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from mkdocs.utils import get_relative_url, write_file

from planbook.citations.citation_links import with_links
from planbook.citations.in_text import find_citations, joined_groups
from planbook.citations.references import base_uri
from planbook.citations.report import SourceResult
from planbook.library.links import Names, rebased_links
from planbook.markdown import extensions, normalize
from planbook.markdown.document import edited
from planbook.model import Page, Reference
from planbook.plugin.build import Build
from planbook.plugin.emit import SiteAddresses
from planbook.plugin.metadata import shown_meta
from planbook.views import frame, index, search, works
from planbook.views.checks import statements
from planbook_speed import cache
from planbook_speed.protocols import EntryIndex, PureExtension

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page as MkDocsPage

    from planbook_speed.cache import FunctionCache


PLANNED = "planned"
"""Material's status in the navigation for a page that is not written yet."""


def shown_text(  # noqa: PLR0913, PLR0917 - each is an input of its own
    markdown: str,
    rebased: dict[str, str] | None,
    references: tuple[Reference, ...],
    links: dict[str, str],
    checks: dict[str, SourceResult],
    syntax: extensions.Syntax | None,
) -> str:
    """Return a page's text with Markdown fixed (unless `rebased` is ``None``), citations as links, and References.

    Without a `syntax`, pyromark reads the page, which needs no fixes but those of links and headings.
    """
    fixed = markdown
    if rebased is not None and syntax is None:
        fixed = normalize.fix_links(markdown, rebased)
    elif rebased is not None and syntax is not None:
        fixed = normalize.fix_markdown(markdown, rebased, syntax)
    found = find_citations(fixed, {reference.id for reference in references}) if references else ()
    citations = joined_groups(fixed, found)
    section = works.references_section(fixed, references, citations, links, checks)
    return with_links(fixed, citations, references) + section


@dataclass(frozen=True)
class PageEvents:
    """Changes to pages in MkDocs' page events; each method may run twice for a page, and in another process."""

    build: Build
    fixes_markdown: bool
    syntax: extensions.Syntax
    for_agents: frozenset[str]
    """The files generated for agents."""
    calls: FunctionCache
    addresses: SiteAddresses
    meta_of_generated: Mapping[str, object] = field(default_factory=dict)
    """Metadata of every generated page."""

    def inputs(self, page: MkDocsPage) -> tuple[object, ...]:
        """Return all that a page's events depend on besides its file, the site and the addresses of its files."""
        build, uri = self.build, page.file.src_uri
        if page.is_homepage:  # it may show any numbers of the base
            return (object(),)
        entry = build.entry(uri)
        plan, drop = (entry.plan, entry.drop) if entry else (None, None)
        planned = entry and plan and (plan.slug, plan.title, entry.part, entry.title, entry.is_there)
        is_in = tuple(uri in uris for uris in (build.base, build.generated, self.for_agents))
        around = self._around.get(uri) if is_in[0] else None
        report = build.report_pages.get(entry.plan.uri) if entry else None
        report_of = drop and replace(drop, body="")
        checked, links = build.checks.get(uri), self._wikilinks(build.page(uri))
        return planned, report_of, checked, *is_in, around, report, links

    def complete(self, page: MkDocsPage) -> None:
        """Complete the page's metadata from its plan, as themes may show it."""
        uri = page.file.src_uri
        entry = self.build.entry(uri)
        if uri in self.build.generated:
            page.meta = {**self.meta_of_generated, **page.meta}
        if entry:
            completed = frame.completed_meta(entry).items()
            page.meta = {**page.meta, **{k: v for k, v in completed if page.meta.get(k) is None}}
            if not entry.page:
                page.meta = {"status": PLANNED, **page.meta}
        page.meta = shown_meta(page.meta)

    def shown(self, markdown: str, page: MkDocsPage, *, is_github: bool = False) -> str:
        """Return a page's text with the home page's placeholders filled, Markdown fixed, citations and References.

        The works are added to the page's metadata. If it `is_github`, pyromark reads the page.
        """
        if page.is_homepage:
            build = self.build
            trust = partial(works.trust, build.library, build.base, build.checks)
            markdown = index.fill_home(markdown, build.library, trust)
        uri = page.file.src_uri
        if uri in self.build.generated:
            return markdown
        known = self.build.page(uri)
        written = known.links if known else ()
        rebased = (
            rebased_links(written, uri, self.build.known) | self._wikilinks(known) if self.fixes_markdown else None
        )
        references = known.references if known else ()
        if references:
            is_shown = uri in self.build.base or "references" in page.meta
            page.meta["references"] = works.csl_metadata(page.meta.get("references"), references)
            if not is_shown:  # a page outside the base that happens to name works, such as a guide
                references = ()
        if rebased is None and not references:
            return markdown
        url_of, checked = self.addresses(uri), self.build.checks.get(uri)
        links = {r.id: url_of(target) for r in references if (target := base_uri(r.url, uri, self.build.known))}
        checks = dict(checked.by_id) if checked else {}
        syntax = None if is_github else self.syntax
        return self.calls.call(shown_text, markdown, rebased, references, links, checks, syntax)

    @cached_property
    def _around(self) -> dict[str, Any]:
        """The neighbours of each page of the base."""
        of: tuple[Any, ...] = (self.build.linked, self.addresses)
        return self.calls.of_same(_neighbours, of, self.build.base)

    @cached_property
    def _names(self) -> Names:
        return self.build.linked.names(self.addresses.urls)

    def _wikilinks(self, page: Page | None) -> dict[str, str]:
        """Return the Markdown of each wikilink on a page."""
        written = [link for link in page.links if "[[" in link] if page else []
        found = self._names.read(written, page.uri) if page and written else {}
        return {raw: link.markdown for raw, link in found.items()}

    def frame_html(self, shown: MkDocsPage) -> dict[str, Any]:
        """Return what `with_frame` adds to a page's HTML: its state above, and its links below."""
        uri = shown.file.src_uri
        entry = self.build.entry(uri)
        url_of = self.addresses(uri)
        around = self._around[uri] if uri in self.build.base else ()
        page, checked = self._of_base(uri), self.build.checks.get(uri)
        is_known = page and (entry or checked or any(page.meta_value(key) for key in ("generated", "reviewed")))
        said = statements(page, entry.drop if entry else None, checked) if page and is_known else ()
        reports = self.build.report_pages.get(entry.plan.uri) if entry else None
        above = frame.page_status(entry, said, url_of, reports) if entry or said else ""
        return {"above": above, "below": frame.neighbours_list(around), "is_planned": bool(entry and not entry.page)}

    def twin(self, page: MkDocsPage) -> str:
        """Return the address of a page's Markdown, relative to the page; empty if there is none."""
        twin = page.file.src_uri
        return get_relative_url(quote(twin), page.file.url) if twin in self.for_agents else ""

    def described(self, page: MkDocsPage, site: frame.Site) -> str:
        """Return the metadata tags of a page of the base; empty for other pages."""
        known = self._of_base(page.file.src_uri)
        return frame.page_head(known, self.build.entry(known.uri), site, page.canonical_url or "") if known else ""

    def _of_base(self, uri: str) -> Page | None:
        return self.build.page(uri) if uri in self.build.base else None


def _neighbours(of: tuple[Any, ...], base: frozenset[str]) -> dict[str, Any]:
    return {uri: frame.neighbours(of[0], uri, of[1](uri)) for uri in base}


# --- search for readers, and templates without indentation ------------------------------------------------------------


MATERIAL = "material.plugins.search.plugin"
SEGMENTED = frozenset({"hi", "ja", "ko", "th", "zh"})
"""Languages whose words Material's search finds with dictionaries; they keep its index."""
WORKER = "assets/planbook/search.js"
MATERIALS_WORKER = "assets/javascripts/workers/search."
"""The beginning of the address of Material's worker, in the settings that each page ends with."""
PLANNED_BOOST = 0.6
"""The boost of a page that is not written yet."""
HIGHLIGHTED = r"[\s\"]+"
"""Between the words that Material highlights on a page."""


Words = dict[str, search.WordIndex]


class ReaderIndex:
    """Takes the place of an index of Material's search plugin, and writes its entries in many small files.

    Args:
        index: the index that collects the entries: Material's, or that of planbook-speed.
        config: MkDocs' configuration.
        disk: keeps the words of all pages for the next build.
        planned: the addresses of pages that are not written yet.
        words: keeps them in memory for the next build in this process.
    """

    def __init__(
        self, index: Any, config: MkDocsConfig, disk: cache.DiskCache, planned: Set[str], words: Words
    ) -> None:
        self._index, self._disk, self._words = index, disk, words
        path = os.path.abspath(config.config_file_path or "")  # noqa: PTH100 - a server's first build has it as given
        name = f"search\n{cache.code_version('planbook')}\n{path}"
        self._name = hashlib.sha256(name.encode()).hexdigest()
        self._boosts = dict.fromkeys(planned, PLANNED_BOOST)
        self._folder = f"{config.site_dir}/search"

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    def prepare(self, page: MkDocsPage) -> None:
        """Index a page ahead; planbook-speed calls this in each of its processes."""
        if isinstance(self._index, EntryIndex):
            self._index.prepare(page, search.index_page)

    def generate_search_index(self, prev: Any) -> str:
        """Write the files, and return what Material's interface still reads: the configuration."""
        entries = self._index if isinstance(self._index, EntryIndex) else None
        pages = entries.prepared(search.index_page, search.IndexedPage) if entries else None
        last = self._words.get(self._name)
        index = last or (self._disk.get(self._name, search.WordIndex) if pages else None) or search.WordIndex()
        if pages is None or entries is None:
            made = json.loads(self._index.generate_search_index(prev))
            config, pages = made["config"], [_indexed(group) for group in groupby(made["docs"], _page_of)]
            index.update([(name, page) for name, page, _ in pages], lambda _: None)
        else:
            config = entries.settings()
            index.update([(name, page) for name, page, _ in pages], entries.earlier(search.IndexedPage))
        write = entries.write if entries else _write
        for file in search.search_files(index, {name: text for name, _, text in pages}, self._boosts):
            write(f"{self._folder}/{file.path}", file.key, file.make)
        self._words[self._name] = index
        if entries and last is None:
            self._disk.put(self._name, index, is_latest=True)
        return json.dumps({"config": config | {"separator": HIGHLIGHTED}, "docs": []})


def _indexed(
    group: tuple[str, Iterator[Mapping[str, Any]]],
) -> tuple[str, Callable[[], search.IndexedPage], Callable[[], str]]:
    page, text = search.index_page(list(group[1]))
    return group[0], lambda: page, lambda: text


def _write(path: str, _key: str, make: Callable[[], str]) -> None:
    write_file(make().encode(), path)


def _page_of(entry: Mapping[str, str]) -> str:
    return entry["location"].partition("#")[0]


def take_over_search(config: MkDocsConfig, disk: cache.DiskCache, planned: Set[str], words: Words) -> str:
    """Replace the index of Material's search plugin; return our worker's address, empty if none was replaced."""
    taken = ""
    plugins: list[Any] = list(config.plugins.values())
    for plugin in plugins:
        if type(plugin).__module__ == MATERIAL and plugin.config.enabled and not SEGMENTED & set(plugin.config.lang):
            plugin.search_index = ReaderIndex(plugin.search_index, config, disk, planned, words)
            code = (resources("planbook") / "theme" / WORKER).read_bytes()
            taken = f"{WORKER}?{hashlib.sha256(code).hexdigest()[:8]}"
    return taken


def with_tags(html: str, tags: str, worker: str) -> str:
    """Return a page with `tags` at the end of its head, and one of Material's with `worker` as its search worker."""
    head, at = html.find("</head>"), html.rfind(MATERIALS_WORKER) if worker else -1
    edits = [(head, head, tags)] if head >= 0 else []
    begin, end = html.rfind('"', 0, at) + 1, html.find('"', at)
    edits += [(at, end, worker)] * (at >= 0 and html.endswith(('"search": "', '"search":"'), 0, begin))
    return edited(html, sorted(edits))


# --- templates -----------------------------------------------------------------------------------------------------


INDENTATION = re.compile(r"^[ \t]+", re.MULTILINE)
LINE_OF_TAG = re.compile(
    r"\n\{%(?![-+])(\s*(?:if|elif|else|endif|for|endfor|set|with|endwith|macro|endmacro|import|from)\b"
    r"(?:(?!%\}).)*(?<![-+]))%\}(?=\n)"
)
"""A tag alone on its line. The line's end stays: it may separate two words, or two attributes of an element."""
KEEPS_BLANKS = ("<pre", "<textarea")


STRIPPED = re.compile(r"striptags\s*(?P<end>-?\}\})")
"""The end of an expression whose value is shown as HTML without its tags."""


class CompactTemplates(PureExtension):
    """Compiles templates without the blanks that only make them easier to read, and with titles as text.

    ``striptags`` turns what a heading escapes into HTML again: an escaped ``<script>`` would run.
    """

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """Return the template that is compiled. Its lines keep their numbers."""
        source = STRIPPED.sub(r"striptags | e \g<end>", source)
        if any(tag in source for tag in KEEPS_BLANKS):
            return source
        return LINE_OF_TAG.sub(r"\n{%-\1%}", INDENTATION.sub("", source))
