"""Changes to the text, the HTML and the metadata of one page during a build."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mkdocs.utils import get_relative_url

from generator.citations.in_text import find_citations
from generator.citations.references import base_uri
from generator.markdown.normalize import mend
from generator.model import Page, Reference
from generator.page.links import rebased_links
from generator.plugin.build import Build
from generator.plugin.emit import url_from
from generator.views.agents.feed import FEED
from generator.views.banner import backlinks_line, banner, completed_meta, folded_drop, statements_list, with_banner
from generator.views.bibliography import csl_metadata
from generator.views.downloads import BIB, JSON, beside
from generator.views.head import alternates, page_head
from generator.views.index import home_parts
from generator.views.metadata import Site, attribute_text, describe
from generator.views.references import Extras, cited_text
from generator.views.statements import has_word, statements
from generator.views.tables import without_empty_headers
from generator.views.works import page_works

if TYPE_CHECKING:
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page as MkDocsPage

    from generator.cache import FunctionCache


def cited_page(markdown: str, references: tuple[Reference, ...], links: dict[str, str], extras: Extras) -> str:
    """Return a page's text with its citations as links, and its References section."""
    return cited_text(markdown, references, find_citations(markdown), links, extras)


@dataclass(frozen=True)
class PageEvents:
    """Changes to pages in MkDocs' page events; each method may run twice for a page, and in another process."""

    build: Build
    fixes_markdown: bool
    for_agents: frozenset[str]
    """The files generated for agents."""
    calls: FunctionCache

    def complete(self, page: MkDocsPage) -> None:
        """Complete the page's metadata from its plan."""
        uri = page.file.src_uri
        entry = self.build.entry(uri)
        if entry:
            completed = completed_meta(entry).items()
            page.meta = {**page.meta, **{k: v for k, v in completed if page.meta.get(k) is None}}
        if page.meta.get("title") is not None:  # themes show it as HTML, in the navigation of every page
            page.meta["title"] = attribute_text(str(page.meta["title"]))
        if uri in self.build.base and page.meta.get("description"):
            page.meta["description"] = attribute_text(str(page.meta["description"]))

    def fixed(self, markdown: str, page: MkDocsPage) -> str:
        """Return a page's text with placeholders on the home page filled and Markdown fixed for Python-Markdown."""
        if page.is_homepage and "<!-- planbook:" in markdown:
            for name, text in home_parts(self.build.library).items():
                markdown = markdown.replace(f"<!-- planbook:{name} -->", text)
        uri = page.file.src_uri
        if uri in self.build.generated or not self.fixes_markdown:
            return markdown
        known = self.build.page(uri)
        rebased = rebased_links(known.links, uri, self.build.known) if known else {}
        return self.calls.call(mend, markdown, rebased)

    def cited(self, markdown: str, page: MkDocsPage, files: Files) -> str:
        """Return a page's text with citations as links and References below; add the works to its metadata."""
        known = self.build.page(page.file.src_uri)
        if known is None or not known.references or known.uri in self.build.generated:
            return markdown
        is_shown = known.uri in self.build.base or "references" in page.meta
        page.meta["references"] = csl_metadata(page.meta.get("references"), known.references)
        if not is_shown:  # a page beside the base that happens to name works, such as a guide
            return markdown
        url_of = url_from(known.uri, files)
        links = {r.id: url_of(uri) for r in known.references if (uri := base_uri(r.url, known.uri, self.build.known))}
        checked = self.build.current.get(known.uri)
        names = (("BibTeX", BIB), ("CSL-JSON", JSON)) if known.uri in self.build.cited else ()
        extras = Extras(
            checked.by_id if checked else {}, tuple((said, url_of(beside(known.uri, name))) for said, name in names)
        )
        return self.calls.call(cited_page, markdown, known.references, links, extras)

    def framed(self, html: str, page: MkDocsPage, files: Files) -> str:
        """Return a page's HTML with its PART's state above, and incoming links and its drop below."""
        uri = page.file.src_uri
        entry = self.build.entry(uri)
        url_of = url_from(uri, files)
        below = backlinks_line(self.build.library, uri, url_of) if uri in self.build.base else ""
        above = self._statements(uri)
        if self.fixes_markdown:
            html = without_empty_headers(html)
        if entry is None:
            return with_banner(html, above, below) if above else html + below
        report = self.calls.call(folded_drop, entry.drop) if entry.drop else ""
        return with_banner(html, banner(entry, url_of) + above, below + report)

    def alternates(self, page: MkDocsPage) -> str:
        """Return the tags that link to a page's Markdown and to the feed."""
        twin = page.file.src_uri
        if twin not in self.for_agents:
            return ""
        feed = get_relative_url(FEED, page.file.url) if FEED in self.for_agents else ""
        return alternates(get_relative_url(twin, page.file.url), feed)

    def described(self, page: MkDocsPage, site: Site) -> str:
        """Return the metadata tags of a page of the base; empty for other pages."""
        known = self._of_base(page.file.src_uri)
        if known is None:
            return ""
        cited = [item for item, _ in page_works(known)]
        return page_head(describe(known, self.build.entry(known.uri), site, page.canonical_url or "", cited))

    def _statements(self, uri: str) -> str:
        """Return the statements on a page's making, review and verification; always for planned pages, else if any."""
        page, entry, checked = self._of_base(uri), self.build.entry(uri), self.build.checks.get(uri)
        if page is None or not (entry or has_word(page, checked)):
            return ""
        drop_of_page = entry.drop if entry else None
        return statements_list(statements(page, drop_of_page, checked, is_current=uri in self.build.current))

    def _of_base(self, uri: str) -> Page | None:
        return self.build.page(uri) if uri in self.build.base else None
