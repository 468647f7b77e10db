"""A page as schema.org's ``TechArticle`` with what it cites, in JSON-LD: https://schema.org/TechArticle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.views.bibliography import Item, day_in, names_of, text_of
from generator.views.metadata import Metadata

_TYPES = {
    "article": "ScholarlyArticle",
    "article-journal": "ScholarlyArticle",
    "article-magazine": "Article",
    "article-newspaper": "NewsArticle",
    "book": "Book",
    "chapter": "Chapter",
    "dataset": "Dataset",
    "entry-encyclopedia": "Article",
    "motion_picture": "Movie",
    "paper-conference": "ScholarlyArticle",
    "patent": "CreativeWork",
    "post": "SocialMediaPosting",
    "post-weblog": "BlogPosting",
    "report": "Report",
    "software": "SoftwareApplication",
    "thesis": "Thesis",
    "webpage": "WebPage",
}
"""The schema.org type for each CSL type; others map to ``CreativeWork``."""


def tech_article(metadata: Metadata) -> dict[str, Any]:
    """Return the page's known properties, without guesses."""
    site = metadata.site
    return {
        "@context": "https://schema.org",
        **_known(
            {
                "@type": "TechArticle",
                "@id": metadata.url,
                "headline": metadata.title,
                "description": metadata.description,
                "url": metadata.url,
                "inLanguage": site.language,
                "author": [{"@type": "Person", "name": name} for name in metadata.authors],
                "datePublished": metadata.published,
                "dateModified": metadata.modified,
                "keywords": list(metadata.tags),
                "isPartOf": _known({"@type": "WebSite", "@id": site.url, "name": site.name, "url": site.url}),
                "citation": [cited_work(item) for item in metadata.works],
            }
        ),
    }


def cited_work(item: Item) -> dict[str, Any]:
    """One work that a page cites."""
    url, doi = text_of(item, "URL"), text_of(item, "DOI")
    container, publisher = text_of(item, "container-title"), text_of(item, "publisher")
    return _known(
        {
            "@type": _TYPES.get(text_of(item, "type"), "CreativeWork"),
            "name": text_of(item, "title") or text_of(item, "id"),
            "url": url if url.startswith(("http://", "https://")) else "",
            "sameAs": f"https://doi.org/{doi}" if doi and not url.endswith(doi) else "",
            "author": [
                {"@type": "Person", "name": f"{given} {family}", "givenName": given, "familyName": family}
                if given
                else {"@type": "Organization", "name": family}
                for family, given in names_of(item)
            ],
            "publisher": _known({"@type": "Organization", "name": publisher}) if publisher else {},
            "isPartOf": {"@type": "CreativeWork", "name": container} if container else {},
            "datePublished": day_in(item.get("issued")),
        }
    )


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value}
