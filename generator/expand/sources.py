"""What was read, as sources with ids: each work once, and each text once. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from generator.citations.identifiers import work_id, work_key
from generator.drafts import Source
from generator.search.ranking import Candidate
from generator.web.model import Fetched, Outcome

READ = frozenset({Outcome.OK, Outcome.MOVED})


def is_read(fetched: Fetched) -> bool:
    """Whether there is a text to quote from."""
    return fetched.outcome in READ and bool(fetched.text.strip())


def make_sources(fetched: Iterable[Fetched], candidates: Iterable[Candidate]) -> tuple[Source, ...]:
    """The documents that were read, in order. Of two that are one work, or have one text, the first counts."""
    by_url: Mapping[str, Candidate] = {candidate.url.partition("#")[0]: candidate for candidate in candidates}
    sources: dict[str, Source] = {}
    works: set[str] = set()
    texts: set[str | None] = set()
    for one in fetched:
        address = one.moved_to or one.url
        keys = {work_key(one.url), work_key(one.final_url or one.url), work_key(address)}
        if not is_read(one) or works & keys or one.sha256 in texts:
            continue
        works |= keys
        texts.add(one.sha256)
        candidate = by_url.get(one.url)
        title = one.title or (candidate.title if candidate else "") or one.url
        name = work_id(address, title, sources)
        sources[name] = Source(name, one, candidate.queries if candidate else ())
    return tuple(sources.values())


def others(fetched: Iterable[Fetched], sources: Iterable[Source]) -> tuple[Source, ...]:
    """What was asked for and is no source: for the account of it. These have no id."""
    urls = {source.fetched.url for source in sources}
    return tuple(Source("", one) for one in fetched if one.url not in urls)
