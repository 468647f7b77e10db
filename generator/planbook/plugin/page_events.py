"""Changes to the text, the HTML and the metadata of a page during a build."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING
from urllib.parse import quote

from mkdocs.utils import get_relative_url

from planbook.citations.citation_links import NumberedCitations, link_citations
from planbook.citations.in_text import find_citations, join_groups
from planbook.citations.references import base_uri
from planbook.citations.report import SourceResult
from planbook.library import LinkedLibrary
from planbook.library.links import Names, rebase_links
from planbook.markdown import extensions, normalize
from planbook.markdown.elements import PageFrame
from planbook.model import Drop, Page, PageUri, Part, Reference
from planbook.plugin.metadata import escaped_meta
from planbook.plugin.site_addresses import SiteAddresses
from planbook.plugin.site_base import SiteBase
from planbook.store.files import REPORT
from planbook.views import frame
from planbook.views.bibliography.csl import csl_metadata
from planbook.views.bibliography.reference_list import references_section
from planbook.views.checks import PageCheck
from planbook.views.home import fill_home
from planbook.views.statements import Statement, page_statements
from planbook.views.trust import trust

if TYPE_CHECKING:
    from mkdocs.structure.pages import Page as MkDocsPage

    from planbook_cache.functions import FunctionCache


PLANNED_STATUS = "planned"
"""Material's status in the navigation for a page that is not written yet."""


@dataclass(frozen=True, slots=True)
class LinkFixes:
    """Corrections for a page that pyromark reads: it needs none but those of links."""

    links: Mapping[str, str]
    """The links to replace, as written."""


@dataclass(frozen=True, slots=True)
class MarkdownFixes:
    """Corrections for a page that Python-Markdown reads, and would partly misread."""

    links: Mapping[str, str]
    """The links to replace, as written."""
    syntax: extensions.Syntax
    """The blocks of extensions, which are left as they are."""


@dataclass(frozen=True, slots=True)
class Publication:
    """All that a page's text is published with."""

    fixes: LinkFixes | MarkdownFixes | None
    """``None`` if the text stays as it is."""
    references: tuple[Reference, ...]
    work_links: Mapping[str, str]
    """The addresses of works that are pages of the base, by id."""
    checks: Mapping[str, SourceResult]
    """The results of `planbook verify`, by id."""


def published_text(markdown: str, publication: Publication) -> str:
    """Return a page's text with Markdown fixed, citations as links, and References."""
    fixed, references = _fix(markdown, publication.fixes), publication.references
    if not references:
        return fixed
    in_text = find_citations(fixed, {reference.id for reference in references})
    numbered = NumberedCitations.of(references, join_groups(fixed, in_text))
    section = references_section(fixed, numbered, publication.work_links, publication.checks)
    return link_citations(fixed, numbered) + section


def _fix(markdown: str, fixes: LinkFixes | MarkdownFixes | None) -> str:
    match fixes:
        case MarkdownFixes(links, syntax):
            return normalize.fix_markdown(markdown, links, syntax)
        case LinkFixes(links):
            return normalize.fix_links(markdown, links)
        case None:
            return markdown


@dataclass(frozen=True, slots=True)
class PageInputs:
    """All that a page's events depend on, but for its file, the site and the files' addresses."""

    is_of_base: bool
    is_generated: bool
    is_for_agents: bool
    check: PageCheck | None
    neighbours: frame.NeighboursByKind
    wikilinks: Mapping[str, str]
    plan: tuple[str, str] | None = None
    """Slug and title of its plan."""
    part: Part | None = None
    title: str = ""
    """Its title: that of the page, or in the plan if nobody has written it."""
    is_written: bool = False
    drop: Drop | None = None
    """Its drop, without the text."""
    report_page: PageUri | None = None
    """The page of its plan's reports."""


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

    def inputs(self, page: MkDocsPage) -> PageInputs | None:
        """Return all that a page's events depend on; ``None`` for the home page.

        It may show any numbers of the base.
        """
        if page.is_homepage:
            return None
        base, uri = self.base, page.file.src_uri
        is_of_base = uri in base.uris
        inputs = PageInputs(
            is_of_base=is_of_base,
            is_generated=uri in base.generated,
            is_for_agents=uri in self.for_agents,
            check=base.checks.get(uri),
            neighbours=self._neighbours[uri] if is_of_base else (),
            wikilinks=self._wikilinks(base.page(uri)),
        )
        entry = base.entry(uri)
        if entry is None:
            return inputs
        return replace(
            inputs,
            plan=(entry.plan.slug, entry.plan.title),
            part=entry.part,
            title=entry.title,
            is_written=entry.is_written,
            drop=replace(entry.drop, body="") if entry.drop else None,
            report_page=base.report_pages.get(entry.plan.uri),
        )

    def named_inputs(self, page: MkDocsPage) -> dict[str, object]:
        """Return the values of `inputs` by the files that they come from."""
        inputs, uri = self.inputs(page), page.file.src_uri
        if inputs is None:
            return {}
        values: defaultdict[str, list[object]] = defaultdict(list)
        values["the list of generated pages"] = [
            inputs.is_of_base,
            inputs.is_generated,
            inputs.is_for_agents,
        ]
        values[REPORT].append(inputs.check)
        if inputs.is_of_base:
            linked = self.base.linked
            into = (edge.source for edge in linked.backlinks.get(uri, ()))
            onward = (edge.target for edge in linked.onward.get(uri, ()))
            for uris, neighbours in zip((into, onward), inputs.neighbours, strict=True):
                for linked_uri, neighbour in zip(uris, neighbours, strict=True):
                    values[linked_uri].append(neighbour)
        for raw, markdown in inputs.wikilinks.items():
            values[f"where {raw} leads"].append(markdown)
        entry = self.base.entry(uri)
        if entry is not None:
            plan = str(entry.plan.uri)
            values[plan] += [inputs.plan, inputs.part]
            values[uri].append(inputs.is_written)
            values[uri if inputs.is_written else plan].append(inputs.title)
            if inputs.drop is not None:
                values[str(inputs.drop.uri)].append(inputs.drop)
            if inputs.report_page is not None:
                values[str(inputs.report_page)].append(inputs.report_page)
        return dict(values)

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
            if not entry.page:  # an author's own status of a placeholder stays
                page.meta = {"status": PLANNED_STATUS, **page.meta}
        page.meta = escaped_meta(page.meta)

    def publish(self, markdown: str, page: MkDocsPage, *, is_github: bool = False) -> str:
        """Return a page's text with Markdown fixed, citations and References.

        The home page's placeholders are filled. The works are added to the page's metadata. If it
        `is_github`, pyromark reads the page.
        """
        base, uri = self.base, page.file.src_uri
        if page.is_homepage:
            describe_trust = partial(trust, base.library, base.uris, base.checks)
            markdown = fill_home(markdown, base.library, describe_trust)
        if uri in base.generated:
            return markdown
        known_page = base.page(uri)
        fixes = self._fixes(uri, known_page, is_github) if self.fixes_markdown else None
        references = self._listed_references(page, known_page)
        if fixes is None and not references:
            return markdown
        checked = base.checks.get(uri)
        publication = Publication(
            fixes=fixes,
            references=references,
            work_links=self._links_to_works(uri, references),
            checks=dict(checked.by_id) if checked else {},
        )
        [[text]] = self.cache.from_disk((published_text, [(markdown, publication)]))
        return str(text)

    def _fixes(
        self, uri: str, known_page: Page | None, is_github: bool
    ) -> LinkFixes | MarkdownFixes:
        links_in_text = known_page.links if known_page else ()
        links = rebase_links(links_in_text, uri, self.base.known) | self._wikilinks(known_page)
        return LinkFixes(links) if is_github else MarkdownFixes(links, self.syntax)

    def _listed_references(
        self, page: MkDocsPage, known_page: Page | None
    ) -> tuple[Reference, ...]:
        """Return the works that a page lists, and add all of its works to its metadata."""
        references = known_page.references if known_page else ()
        if not references:
            return ()
        is_of_base = page.file.src_uri in self.base.uris
        is_listed = is_of_base or "references" in page.meta
        page.meta["references"] = csl_metadata(page.meta.get("references"), references)
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
    def _neighbours(self) -> dict[str, frame.NeighboursByKind]:
        """The neighbours of each page of the base."""
        return self.cache.from_last_build_once(
            _find_neighbours, self.base.linked, self.addresses, self.base.uris
        )

    @cached_property
    def _names(self) -> Names:
        return self.base.linked.names(self.addresses.urls)

    def _wikilinks(self, page: Page | None) -> dict[str, str]:
        """Return the Markdown of each wikilink on a page."""
        if page is None:
            return {}
        wikilinks = [link for link in page.links if "[[" in link]
        links = self._names.read(wikilinks, page.uri) if wikilinks else {}
        return {raw: link.markdown for raw, link in links.items()}

    def frame_html(self, page: MkDocsPage) -> PageFrame:
        """Return what stands around a page's HTML: its state above, and links below."""
        uri = page.file.src_uri
        entry = self.base.entry(uri)
        url_of = self.addresses(uri)
        neighbours = self._neighbours[uri] if uri in self.base.uris else ()
        statements_on_page = self._statements(uri)
        reports = self.base.report_pages.get(entry.plan.uri) if entry else None
        above = ""
        if entry or statements_on_page:
            above = frame.provenance_line(entry, statements_on_page, url_of, reports)
        return PageFrame(
            above=above,
            below=frame.neighbours_list(neighbours),
            is_planned=entry is not None and not entry.page,
        )

    def _statements(self, uri: str) -> tuple[Statement, ...]:
        """Return what is said of a page of the base: who wrote it, and what was checked."""
        page = self._of_base(uri)
        if page is None:
            return ()
        entry, checked = self.base.entry(uri), self.base.checks.get(uri)
        names_its_writer = any(page.meta_value(key) for key in ("generated", "reviewed"))
        if not entry and not checked and not names_its_writer:
            return ()
        return page_statements(page, entry.drop if entry else None, checked)

    def twin(self, page: MkDocsPage) -> str:
        """Return the address of a page's Markdown, relative to the page; empty if there is none."""
        twin_uri = page.file.src_uri
        return (
            get_relative_url(quote(twin_uri), page.file.url) if twin_uri in self.for_agents else ""
        )

    def head_tags(self, page: MkDocsPage, site: frame.Site) -> str:
        """Return the metadata tags of a page of the base; empty for other pages."""
        known_page = self._of_base(page.file.src_uri)
        if known_page:
            return frame.page_head(
                known_page, self.base.entry(known_page.uri), site, page.canonical_url or ""
            )
        return ""

    def _of_base(self, uri: str) -> Page | None:
        return self.base.page(uri) if uri in self.base.uris else None


def _find_neighbours(
    linked: LinkedLibrary, addresses: SiteAddresses, base_uris: frozenset[str]
) -> dict[str, frame.NeighboursByKind]:
    return {uri: frame.neighbours(linked, uri, addresses(uri)) for uri in base_uris}
