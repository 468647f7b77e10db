"""Convert a source to a CSL item for a page's front matter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Any
from urllib.parse import urlsplit

from generator.citations.identifiers import address_of
from generator.drafts import Source
from generator.markdown.escape import UNSEEN
from generator.research.compose.quoting import Quote

_DAY = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")


def csl_item(source: Source, quotes: Mapping[str, Quote], day: date) -> dict[str, Any]:
    """Return a CSL item with what is known of the source; `day` is the access date if the fetch has none.

    A local document has no URL: a path on one machine means nothing to a reader.
    """
    fetched = source.fetched
    item: dict[str, Any] = {"id": source.id, "type": _type(fetched.url), "title": title_of(source)}
    if author := _line(fetched.author):
        item["author"] = [{"literal": author}]
    if issued := _date_parts(fetched.date or ""):
        item["issued"] = {"date-parts": [issued]}
    if fetched.language:
        item["language"] = fetched.language
    if is_on_the_web(fetched.url):
        item["URL"] = fetched.moved_to or fetched.url
    item["accessed"] = {"date-parts": [_date_parts(fetched.fetched) or [day.year, day.month, day.day]]}
    custom: dict[str, Any] = {"sha256": fetched.sha256, "status": fetched.status, **_origin(source, quotes)}
    custom["updated"] = fetched.updated
    custom["quotes"] = {key: quote.words for key, quote in quotes.items()}
    item["custom"] = {key: value for key, value in custom.items() if value not in (None, {}, "")}
    return item


def title_of(source: Source) -> str:
    """Return the work's title in one line; its id if it has none."""
    return _line(source.fetched.title) or source.id


def is_on_the_web(url: str) -> bool:
    """Return whether the URL is one that a reader can open."""
    return urlsplit(url).scheme in {"http", "https"}


def lines_of(source: Source, quote: Quote) -> tuple[int, int] | None:
    """Return the lines of a repository's file that hold the quote: ``(first, last)``, 1-based, inclusive."""
    if source.fetched.origin is None:
        return None
    first = source.fetched.line_at(quote.passage.start)
    return first, first + quote.passage.text.count("\n")


def _origin(source: Source, quotes: Mapping[str, Quote]) -> dict[str, Any]:
    """Return the source's location in a repository, and the lines of each quote."""
    origin = source.fetched.origin
    if origin is None:
        return {}
    names = ("repository", "path", "commit", "licence", "permalink")
    lines = {key: list(found) for key, quote in quotes.items() if (found := lines_of(source, quote))}
    return {**{name: getattr(origin, name) for name in names}, "lines": lines}


def _type(url: str) -> str:
    if not is_on_the_web(url):
        return "document"
    paper = address_of(url) or ""
    if "arxiv.org" in paper:
        return "article"
    return "article-journal" if paper else "webpage"


def _line(text: str | None) -> str:
    return " ".join(UNSEEN.sub("", text or "").split())


def _date_parts(text: str) -> list[int]:
    """Return the known parts of a date: year, month, day."""
    match = _DAY.match(text)
    return [int(part) for part in match.groups() if part] if match else []
