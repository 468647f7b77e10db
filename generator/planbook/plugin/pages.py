"""Changes to the text, the HTML and the metadata of a page during a build; search for readers."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from importlib.resources import files as resources
from itertools import groupby
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from mkdocs.utils import get_relative_url, write_file

from planbook.citations.citation_links import with_links
from planbook.citations.in_text import find_citations, join_groups
from planbook.citations.references import base_uri
from planbook.citations.report import SourceResult
from planbook.library import LinkedLibrary
from planbook.library.links import Names, rebase_links
from planbook.markdown import extensions, normalize
from planbook.markdown.document import edited
from planbook.model import Page, Reference
from planbook.plugin.emit import SiteAddresses
from planbook.plugin.metadata import escaped_meta
from planbook.plugin.site_base import SiteBase
from planbook.views import frame, index, search, works
from planbook.views.cards import PageCards, card_files
from planbook.views.checks import statements
from planbook_speed.cache import DiskCache, code_version, digest_of
from planbook_speed.protocols import EntryIndex, PureExtension

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page as MkDocsPage

    from planbook_speed.cache import FunctionCache


PLANNED = "planned"
"""Material's status in the navigation for a page that is not written yet."""


def published_text(  # noqa: PLR0913, PLR0917 - each is an input of its own
    markdown: str,
    rebased: dict[str, str] | None,
    references: tuple[Reference, ...],
    links: dict[str, str],
    checks: dict[str, SourceResult],
    syntax: extensions.Syntax | None,
) -> str:
    """Return a page's text with Markdown fixed, citations as links, and References.

    It is not fixed if `rebased` is ``None``. Without a `syntax`, pyromark reads the page, which
    needs no fixes but those of links and headings.
    """
    if rebased is None:
        fixed = markdown
    elif syntax is None:
        fixed = normalize.fix_links(markdown, rebased)
    else:
        fixed = normalize.fix_markdown(markdown, rebased, syntax)
    in_text = (
        find_citations(fixed, {reference.id for reference in references}) if references else ()
    )
    citations = join_groups(fixed, in_text)
    section = works.references_section(fixed, references, citations, links, checks)
    return with_links(fixed, citations, references) + section


@dataclass(frozen=True)
class PageEvents:
    """Changes to pages in MkDocs' page events.

    Each method may run twice for a page, and in another process.
    """

    base: SiteBase
    fixes_markdown: bool
    syntax: extensions.Syntax
    for_agents: frozenset[str]
    """The files generated for agents."""
    cache: FunctionCache
    addresses: SiteAddresses
    meta_of_generated: Mapping[str, object] = field(default_factory=dict)
    """Metadata of every generated page."""

    def inputs(self, page: MkDocsPage) -> tuple[object, ...]:
        """Return all that a page's events depend on.

        Its file, the site and the addresses of its files are left out.
        """
        base, uri = self.base, page.file.src_uri
        if page.is_homepage:  # it may show any numbers of the base
            return (object(),)
        planned = report_of = report = None
        entry = base.entry(uri)
        if entry:
            plan = entry.plan
            planned = plan.slug, plan.title, entry.part, entry.title, entry.is_there
            report_of = replace(entry.drop, body="") if entry.drop else None
            report = base.report_pages.get(plan.uri)
        is_of_base = uri in base.uris
        is_in = is_of_base, uri in base.generated, uri in self.for_agents
        around = self._around.get(uri) if is_of_base else None
        links = self._wikilinks(base.page(uri))
        return planned, report_of, base.checks.get(uri), *is_in, around, report, links

    def fill_metadata(self, page: MkDocsPage) -> None:
        """Complete the page's metadata from its plan, as themes may show it."""
        uri = page.file.src_uri
        entry = self.base.entry(uri)
        if uri in self.base.generated:
            page.meta = {**self.meta_of_generated, **page.meta}
        if entry:
            completed = frame.completed_meta(entry).items()
            missing = {key: value for key, value in completed if page.meta.get(key) is None}
            page.meta = {**page.meta, **missing}
            if not entry.page:
                page.meta = {"status": PLANNED, **page.meta}
        page.meta = escaped_meta(page.meta)

    def publish(self, markdown: str, page: MkDocsPage, *, is_github: bool = False) -> str:
        """Return a page's text with Markdown fixed, citations and References.

        The home page's placeholders are filled. The works are added to the page's metadata. If it
        `is_github`, pyromark reads the page.
        """
        base, uri = self.base, page.file.src_uri
        if page.is_homepage:
            trust = partial(works.trust, base.library, base.uris, base.checks)
            markdown = index.fill_home(markdown, base.library, trust)
        if uri in base.generated:
            return markdown
        known = base.page(uri)
        rebased = None
        if self.fixes_markdown:
            written = known.links if known else ()
            rebased = rebase_links(written, uri, base.known) | self._wikilinks(known)
        references = self._listed_references(page, known)
        if rebased is None and not references:
            return markdown
        links = self._links_to_works(uri, references)
        checked = base.checks.get(uri)
        checks = dict(checked.by_id) if checked else {}
        syntax = None if is_github else self.syntax
        inputs = markdown, rebased, references, links, checks, syntax
        [[text]] = self.cache.from_disk((published_text, [inputs]))
        return str(text)

    def _listed_references(self, page: MkDocsPage, known: Page | None) -> tuple[Reference, ...]:
        """Return the works that a page lists, and add all of its works to its metadata."""
        references = known.references if known else ()
        if not references:
            return ()
        is_of_base = page.file.src_uri in self.base.uris
        is_listed = is_of_base or "references" in page.meta
        page.meta["references"] = works.csl_metadata(page.meta.get("references"), references)
        # A page outside the base, such as a guide, may only happen to name works.
        return references if is_listed else ()

    def _links_to_works(self, uri: str, references: tuple[Reference, ...]) -> dict[str, str]:
        """Return the addresses of works that are pages of the base, by id."""
        url_of = self.addresses(uri)
        documents = self.base.documents
        targets = {
            work.id: base_uri(work.url, uri, self.base.known) or documents.get(work.file)
            for work in references
        }
        return {name: url_of(target) for name, target in targets.items() if target}

    @cached_property
    def _around(self) -> dict[str, Any]:
        """The neighbours of each page of the base."""
        return self.cache.from_last_build_once(
            _neighbours, self.base.linked, self.addresses, self.base.uris
        )

    @cached_property
    def _names(self) -> Names:
        return self.base.linked.names(self.addresses.urls)

    def _wikilinks(self, page: Page | None) -> dict[str, str]:
        """Return the Markdown of each wikilink on a page."""
        if page is None:
            return {}
        written = [link for link in page.links if "[[" in link]
        links = self._names.read(written, page.uri) if written else {}
        return {raw: link.markdown for raw, link in links.items()}

    def frame_html(self, page: MkDocsPage) -> dict[str, Any]:
        """Return what `with_frame` adds to a page's HTML: state above, and links below."""
        uri = page.file.src_uri
        entry = self.base.entry(uri)
        url_of = self.addresses(uri)
        around = self._around[uri] if uri in self.base.uris else ()
        said = self._statements(uri)
        reports = self.base.report_pages.get(entry.plan.uri) if entry else None
        above = frame.provenance_line(entry, said, url_of, reports) if entry or said else ""
        is_planned = entry is not None and not entry.page
        return {
            "above": above,
            "below": frame.neighbours_list(around),
            "is_planned": is_planned,
        }

    def _statements(self, uri: str) -> tuple[Any, ...]:
        """Return what is said of a page of the base: who wrote it, and what was checked."""
        page = self._of_base(uri)
        if page is None:
            return ()
        entry, checked = self.base.entry(uri), self.base.checks.get(uri)
        names_its_writer = any(page.meta_value(key) for key in ("generated", "reviewed"))
        if not entry and not checked and not names_its_writer:
            return ()
        return tuple(statements(page, entry.drop if entry else None, checked))

    def twin(self, page: MkDocsPage) -> str:
        """Return the address of a page's Markdown, relative to the page; empty if there is none."""
        twin = page.file.src_uri
        return get_relative_url(quote(twin), page.file.url) if twin in self.for_agents else ""

    def head_tags(self, page: MkDocsPage, site: frame.Site) -> str:
        """Return the metadata tags of a page of the base; empty for other pages."""
        known = self._of_base(page.file.src_uri)
        if known:
            return frame.page_head(
                known, self.base.entry(known.uri), site, page.canonical_url or ""
            )
        return ""

    def _of_base(self, uri: str) -> Page | None:
        return self.base.page(uri) if uri in self.base.uris else None


def _neighbours(
    linked: LinkedLibrary, addresses: SiteAddresses, base: frozenset[str]
) -> dict[str, Any]:
    return {uri: frame.neighbours(linked, uri, addresses(uri)) for uri in base}


# --- search for readers, and templates without indentation ----------------------------------------


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
    """Takes the place of an index of Material's search plugin.

    It writes the entries in many small files.

    Args:
        index: the index that collects the entries: Material's, or that of planbook-speed.
        config: MkDocs' configuration.
        disk: keeps the words of all pages for the next build.
        planned: the addresses of pages that are not written yet.
        words: keeps them in memory for the next build in this process.
        cards: the error messages that pages explain.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - each is an input of its own
        self,
        index: Any,
        config: MkDocsConfig,
        disk: DiskCache,
        planned: Set[str],
        words: Words,
        cards: Sequence[PageCards] = (),
    ) -> None:
        self._index, self._disk, self._words = index, disk, words
        self._cards = cards
        # A server's first build has the path as given.
        path = os.path.abspath(config.config_file_path or "")  # noqa: PTH100 - links stay
        name = f"search\n{code_version('planbook')}\n{path}"
        self._name = hashlib.sha256(name.encode()).hexdigest()
        self._boosts = dict.fromkeys(planned, PLANNED_BOOST)
        self._folder = f"{config.site_dir}/search"

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    def digest(self) -> str:
        """Return a digest of all files of the index; empty if its entries have none."""
        entries = self._index.digest() if isinstance(self._index, EntryIndex) else ""
        return entries and digest_of(
            entries, code_version("planbook"), self._boosts, list(card_files(self._cards))
        )

    def prepare(self, page: MkDocsPage) -> None:
        """Index a page ahead; planbook-speed calls this in each of its processes."""
        if isinstance(self._index, EntryIndex):
            self._index.prepare(page, search.index_page)

    def generate_search_index(self, prev: Any) -> str:
        """Write the files, and return what Material's interface still reads: the configuration."""
        index = self._words.get(self._name)
        is_new = index is None
        entries = self._index if isinstance(self._index, EntryIndex) else None
        pages = entries.prepared(search.index_page, search.IndexedPage) if entries else None
        if entries is None or pages is None:
            made = json.loads(self._index.generate_search_index(prev))
            config = made["config"]
            pages = [_indexed_page(group) for group in groupby(made["docs"], _page_of)]
            index = index or search.WordIndex()
            index.update([(name, page) for name, page, _ in pages], lambda _: None)
        else:
            config = entries.settings()
            index = index or self._disk.get(self._name, search.WordIndex) or search.WordIndex()
            earlier = entries.earlier(search.IndexedPage)
            index.update([(name, page) for name, page, _ in pages], earlier)
        write = entries.write if entries else _write_file
        texts = {name: text for name, _, text in pages}
        for file in search.search_files(index, texts, self._boosts, self._cards):
            write(f"{self._folder}/{file.path}", file.key, file.make)
        self._words[self._name] = index
        if entries and is_new:
            self._disk.put(self._name, index, is_latest=True)
        return json.dumps({"config": config | {"separator": HIGHLIGHTED}, "docs": []})


def _indexed_page(
    group: tuple[str, Iterator[Mapping[str, Any]]],
) -> tuple[str, Callable[[], search.IndexedPage], Callable[[], str]]:
    page, text = search.index_page(list(group[1]))
    return group[0], lambda: page, lambda: text


def _write_file(path: str, _key: str, make: Callable[[], str]) -> None:
    write_file(make().encode(), path)


def _page_of(entry: Mapping[str, str]) -> str:
    return entry["location"].partition("#")[0]


def take_over_search(
    config: MkDocsConfig,
    disk: DiskCache,
    planned: Set[str],
    words: Words,
    cards: Sequence[PageCards],
) -> str:
    """Replace the index of Material's search plugin.

    Return our worker's address, empty if none was replaced.
    """
    taken = ""
    plugins: list[Any] = list(config.plugins.values())
    for plugin in plugins:
        if (
            type(plugin).__module__ == MATERIAL
            and plugin.config.enabled
            and not SEGMENTED & set(plugin.config.lang)
        ):
            index = ReaderIndex(plugin.search_index, config, disk, planned, words, cards)
            plugin.search_index = index
            code = (resources("planbook") / "theme" / WORKER).read_bytes()
            taken = f"{WORKER}?{hashlib.sha256(code).hexdigest()[:8]}"
    return taken


def with_tags(html: str, tags: str, worker: str) -> str:
    """Return a page with `tags` at the end of its head, and with `worker` for its search.

    A page of Material's ends with settings that have the address of its own worker.
    """
    edits: list[tuple[int, int, str]] = []
    head = html.find("</head>")
    if head >= 0:
        edits.append((head, head, tags))
    at = html.rfind(MATERIALS_WORKER) if worker else -1
    if at >= 0:
        begin, end = html.rfind('"', 0, at) + 1, html.find('"', at)
        if html.endswith(('"search": "', '"search":"'), 0, begin):
            edits.append((at, end, worker))
    return edited(html, sorted(edits))


# --- templates ------------------------------------------------------------------------------------


INDENTATION = re.compile(r"^[ \t]+", re.MULTILINE)
LINE_OF_TAG = re.compile(
    r"""
    \n\{%(?![-+])
    ( \s*(?:if|elif|else|endif|for|endfor|set|with|endwith|macro|endmacro|import|from)\b
      (?:(?!%\}).)*(?<![-+]) )
    %\}(?=\n)
    """,
    re.VERBOSE,
)
"""A tag alone on its line.

The line's end stays: it may separate two words, or two attributes of an element.
"""
KEEPS_BLANKS = ("<pre", "<textarea")


STRIPPED = re.compile(r"striptags\s*(?P<end>-?\}\})")
"""The end of an expression whose value is shown as HTML without its tags."""


class CompactTemplates(PureExtension):
    """Compiles templates without the blanks that only make them easier to read.

    Titles are text in them: ``striptags`` turns what a heading escapes into HTML again, and an
    escaped ``<script>`` would run.
    """

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """Return the template that is compiled. Its lines keep their numbers."""
        source = STRIPPED.sub(r"striptags | e \g<end>", source)
        if any(tag in source for tag in KEEPS_BLANKS):
            return source
        return LINE_OF_TAG.sub(r"\n{%-\1%}", INDENTATION.sub("", source))
