"""A source as a CSL item, as it stands in a page's front matter."""

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
    """The work with what is known of it, and no more; `day` is when it was read, where the fetch does not say.

    A document of a local folder has no address: paths of a machine say nothing to a reader.
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
    custom["quotes"] = {key: quote.words for key, quote in quotes.items()}
    item["custom"] = {key: value for key, value in custom.items() if value not in (None, {}, "")}
    return item


def title_of(source: Source) -> str:
    """What the work calls itself, in one line; its id where it does not."""
    return _line(source.fetched.title) or source.id


def is_on_the_web(url: str) -> bool:
    """Whether the address is one that a reader can ask."""
    return urlsplit(url).scheme in {"http", "https"}


def lines_of(source: Source, quote: Quote) -> tuple[int, int] | None:
    """The lines of a repository's file that the quote stands in: ``(first, last)``, 1-based, inclusive."""
    if source.fetched.origin is None:
        return None
    first = source.fetched.line_at(quote.passage.start)
    return first, first + quote.passage.text.count("\n")


def _origin(source: Source, quotes: Mapping[str, Quote]) -> dict[str, Any]:
    """Where in a repository the source lies, and in which of its lines each quote stands."""
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
    """As much of a date as there is: year, month, day."""
    match = _DAY.match(text)
    return [int(part) for part in match.groups() if part] if match else []
