"""Changes to the text, the HTML and the metadata of one page during a build."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup
from mkdocs.utils import get_relative_url

from generator.citations.in_text import find_citations, with_links
from generator.citations.references import base_uri
from generator.library.pages import rebased_links
from generator.markdown import extensions, normalize
from generator.model import Page, Reference
from generator.plugin.emit import Build, url_from
from generator.views import agents, index, sources, works
from generator.views.checks import SourceCheck, Statement, has_word, statements
from generator.views.frame import (
    BannerValues,
    Neighbours,
    Site,
    alternates,
    attribute_text,
    banner_values,
    completed_meta,
    describe,
    neighbours,
    neighbours_list,
    page_head,
    page_status,
    with_banner,
)

if TYPE_CHECKING:
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page as MkDocsPage

    from generator.cache import FunctionCache

PLANNED = "planned"
"""Material's status in the navigation for a page that is not written yet."""


def page_text(  # noqa: PLR0913, PLR0917 - each is an input of its own
    markdown: str,
    rebased: dict[str, str] | None,
    references: tuple[Reference, ...],
    links: dict[str, str],
    checks: dict[str, SourceCheck],
    syntax: extensions.Syntax,
) -> str:
    """Return a page's text with Markdown fixed (unless `rebased` is ``None``), citations as links, and References."""
    fixed = markdown if rebased is None else normalize.mend(markdown, rebased, syntax)
    citations = find_citations(fixed) if references else ()
    section = sources.references_section(fixed, references, citations, links, checks)
    return with_links(fixed, citations, references) + section


def around_text(
    banner_values: BannerValues | None, said: tuple[Statement, ...], around: Neighbours | None
) -> tuple[str, str]:
    """Return the HTML above a page's text, and the links below it."""
    return page_status(banner_values, said), neighbours_list(around) if around else ""


@dataclass(frozen=True)
class PageEvents:
    """Changes to pages in MkDocs' page events; each method may run twice for a page, and in another process."""

    build: Build
    fixes_markdown: bool
    syntax: extensions.Syntax
    for_agents: frozenset[str]
    """The files generated for agents."""
    calls: FunctionCache

    def inputs(self, page: MkDocsPage, files: Files) -> tuple[object, ...]:
        """Return all that a page's events depend on besides its text, the site and the addresses of its files."""
        build, uri = self.build, page.file.src_uri
        if page.is_homepage:  # it may show any numbers of the base
            return (object(),)
        entry = build.entry(uri)
        is_in = tuple(uri in uris for uris in (build.base, build.generated, self.for_agents))
        around = neighbours(build.library, uri, url_from(uri, files)) if is_in[0] else None
        report = build.report_pages.get(entry.plan.uri) if entry else None
        return build.page(uri), entry, build.checks.get(uri), *is_in, around, report

    def complete(self, page: MkDocsPage) -> None:
        """Complete the page's metadata from its plan."""
        uri = page.file.src_uri
        entry = self.build.entry(uri)
        if entry:
            completed = completed_meta(entry).items()
            page.meta = {**page.meta, **{k: v for k, v in completed if page.meta.get(k) is None}}
            if not entry.page:
                page.meta = {"status": PLANNED, **page.meta}
        if page.meta.get("title") is not None:  # themes render it as HTML, in the navigation of every page
            page.meta["title"] = Markup(attribute_text(str(page.meta["title"])))  # noqa: S704 - escaped
        if uri in self.build.base and page.meta.get("description"):
            page.meta["description"] = attribute_text(str(page.meta["description"]))

    def shown(self, markdown: str, page: MkDocsPage, files: Files) -> str:
        """Return a page's text with the home page's placeholders filled, Markdown fixed, citations and References.

        The works are added to the page's metadata.
        """
        if page.is_homepage and "<!-- planbook:" in markdown:
            for name, text in index.home_parts(self.build.library).items():
                markdown = markdown.replace(f"<!-- planbook:{name} -->", text)
        uri = page.file.src_uri
        if uri in self.build.generated:
            return markdown
        known = self.build.page(uri)
        rebased = (rebased_links(known.links, uri, self.build.known) if known else {}) if self.fixes_markdown else None
        references = known.references if known else ()
        if references:
            is_shown = uri in self.build.base or "references" in page.meta
            page.meta["references"] = works.csl_metadata(page.meta.get("references"), references)
            if not is_shown:  # a page outside the base that happens to name works, such as a guide
                references = ()
        if rebased is None and not references:
            return markdown
        url_of, checked = url_from(uri, files), self.build.checks.get(uri)
        links = {r.id: url_of(target) for r in references if (target := base_uri(r.url, uri, self.build.known))}
        checks = dict(checked.by_id) if checked else {}
        return self.calls.call(page_text, markdown, rebased, references, links, checks, self.syntax)

    def framed(self, html: str, page: MkDocsPage, files: Files) -> str:
        """Return a page's HTML with its state above and incoming links below."""
        uri = page.file.src_uri
        entry = self.build.entry(uri)
        url_of = url_from(uri, files)
        if entry and not entry.page:  # the notice that nothing is written yet is the same on all such pages
            html = html.replace('<div class="admonition', '<div data-search-exclude class="admonition', 1)
        around = neighbours(self.build.library, uri, url_of) if uri in self.build.base else None
        said = self._statements(uri)
        if not (entry or said or around):
            return html
        reports = self.build.report_pages.get(entry.plan.uri) if entry else None
        values = banner_values(entry, url_of, reports) if entry else None
        above, below = self.calls.call(around_text, values, said, around)
        return with_banner(html, above, below) if above else html + below

    def alternates(self, page: MkDocsPage) -> str:
        """Return the tags that link to a page's Markdown and to the feed."""
        twin = page.file.src_uri
        if twin not in self.for_agents:
            return ""
        feed = get_relative_url(agents.FEED, page.file.url) if agents.FEED in self.for_agents else ""
        return alternates(get_relative_url(twin, page.file.url), feed)

    def described(self, page: MkDocsPage, site: Site) -> str:
        """Return the metadata tags of a page of the base; empty for other pages."""
        known = self._of_base(page.file.src_uri)
        if known is None:
            return ""
        cited = [item for item, _ in works.page_works(known)]
        described = describe(known, self.build.entry(known.uri), site, page.canonical_url or "", cited)
        return self.calls.call(page_head, described)

    def _statements(self, uri: str) -> tuple[Statement, ...]:
        """Return the statements on a page's making, review and verification; always for planned pages, else if any."""
        page, entry, checked = self._of_base(uri), self.build.entry(uri), self.build.checks.get(uri)
        if page is None or not (entry or has_word(page, checked)):
            return ()
        drop_of_page = entry.drop if entry else None
        return statements(page, drop_of_page, checked)

    def _of_base(self, uri: str) -> Page | None:
        return self.build.page(uri) if uri in self.build.base else None
