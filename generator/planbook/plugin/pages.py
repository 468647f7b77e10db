"""Changes to the text, the HTML and the metadata of a page during a build."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from mkdocs.utils import get_relative_url

from planbook.citations.citation_links import link_citations
from planbook.citations.in_text import find_citations, join_groups
from planbook.citations.references import base_uri
from planbook.citations.report import SourceResult
from planbook.library import LinkedLibrary
from planbook.library.links import Names, rebase_links
from planbook.markdown import extensions, normalize
from planbook.model import Page, Reference
from planbook.plugin.emit import SiteAddresses
from planbook.plugin.metadata import escaped_meta
from planbook.plugin.site_base import SiteBase
from planbook.views import frame
from planbook.views.checks import statements
from planbook.views.csl import csl_metadata
from planbook.views.home import fill_home
from planbook.views.reference_list import references_section
from planbook.views.trust import trust

if TYPE_CHECKING:
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
    section = references_section(fixed, references, citations, links, checks)
    return link_citations(fixed, citations, references) + section


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
        neighbours = self._around.get(uri) if is_of_base else None
        links = self._wikilinks(base.page(uri))
        return planned, report_of, base.checks.get(uri), *is_in, neighbours, report, links

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
            describe_trust = partial(trust, base.library, base.uris, base.checks)
            markdown = fill_home(markdown, base.library, describe_trust)
        if uri in base.generated:
            return markdown
        known_page = base.page(uri)
        rebased = None
        if self.fixes_markdown:
            links_in_text = known_page.links if known_page else ()
            rebased = rebase_links(links_in_text, uri, base.known) | self._wikilinks(known_page)
        references = self._listed_references(page, known_page)
        if rebased is None and not references:
            return markdown
        links = self._links_to_works(uri, references)
        checked = base.checks.get(uri)
        checks = dict(checked.by_id) if checked else {}
        syntax = None if is_github else self.syntax
        inputs = markdown, rebased, references, links, checks, syntax
        [[text]] = self.cache.from_disk((published_text, [inputs]))
        return str(text)

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
        wikilinks = [link for link in page.links if "[[" in link]
        links = self._names.read(wikilinks, page.uri) if wikilinks else {}
        return {raw: link.markdown for raw, link in links.items()}

    def frame_html(self, page: MkDocsPage) -> dict[str, Any]:
        """Return what `add_frame` adds to a page's HTML: state above, and links below."""
        uri = page.file.src_uri
        entry = self.base.entry(uri)
        url_of = self.addresses(uri)
        neighbours = self._around[uri] if uri in self.base.uris else ()
        statements_on_page = self._statements(uri)
        reports = self.base.report_pages.get(entry.plan.uri) if entry else None
        above = (
            frame.provenance_line(entry, statements_on_page, url_of, reports)
            if entry or statements_on_page
            else ""
        )
        is_planned = entry is not None and not entry.page
        return {
            "above": above,
            "below": frame.neighbours_list(neighbours),
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


def _neighbours(
    linked: LinkedLibrary, addresses: SiteAddresses, base_uris: frozenset[str]
) -> dict[str, Any]:
    return {uri: frame.neighbours(linked, uri, addresses(uri)) for uri in base_uris}
