"""The subject of a page, and the sources that are about it.

A search of one's own folder, or of the web, also finds documents on another product with the same
words. Those that name something else are left out; in a folder on several products, those of the
subject count more.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

from planbook.markdown.plain_text import plain_text
from planbook.markdown.words import unique_words
from planbook.research.drafts import Brief, Source

FEW_DOCUMENTS = 12
"""The size of a folder of one's own up to which all of its documents count.

Somebody has chosen each.
"""
_OTHER_SUBJECT = 0.5
"""Factor of the scores of a document that seems to be about something else."""
_AS_MUCH = 0.5
"""Share of what those that name the subject most do, from which a folder's documents are on it."""
_FOR_CONTRIBUTORS = re.compile(
    r"(?:contribut(?:ing|e|ors?)|agenda|presenters?|slides|presentations?|talks|workshops?"
    r"|(?:meeting|presenter|speaker)[ _-]?notes|minutes)",
    re.IGNORECASE,
)
"""A folder, title or heading of what is for those who develop or present the product."""
_SEVERAL = 2
"""Number of queries from which their common words tell the subject."""
_DOCUMENTS_DEPTH = 2
"""Number of parts of a local document's path up to the folder of documents: ``/documents``."""
_FIRST_SCREEN = 1_500
"""Characters of a document's text that a reader sees first."""
_MARKDOWN_HEADING = re.compile(r"^#{1,6} .*$", re.MULTILINE)
_PROPER = re.compile(r"(?<!\w)\w*(?:[a-z0-9][A-Z]|[A-Z]{2}|[A-Za-z]\d)\w*")
"""A word that is a name wherever it is: ``FFmpeg``, ``CMake``, ``HTTP2``."""


def sources_on_subject(brief: Brief, sources: Sequence[Source]) -> list[Source]:
    """Return the sources with a text that may answer the points of a page; all if none seems to.

    Of equal excerpts, the first one is kept: so the sources that the plan names come first.
    """
    ordered = sorted(filter(_has_text, sources), key=lambda source: source.id)
    local_sources = [source for source in ordered if not source.host]
    chosen = local_sources if len(local_sources) <= FEW_DOCUMENTS else []
    manuals = _folders_about(_names_in_title(brief), local_sources)
    about = [
        source
        for source in ordered
        if source in chosen
        or _is_on_subject(source, brief)
        or (not source.host and _collection_of(source) in manuals)
    ]
    return sorted(about or ordered, key=lambda source: bool(source.queries))


def _folders_about(names: frozenset[str], local_sources: Sequence[Source]) -> frozenset[str]:
    """Return the folders within the folder of documents of which half name the subject.

    They are manuals, of which not every page repeats the product's name.
    """
    collections: dict[str, list[bool]] = defaultdict(list)
    for source in local_sources:
        if len(source.path.parts[:-1]) > _DOCUMENTS_DEPTH:
            collections[_collection_of(source)].append(is_about(source, names))
    return frozenset(
        name for name, are_about in collections.items() if 2 * sum(are_about) >= len(are_about)
    )


def _has_text(source: Source) -> bool:
    return bool(source.fetched.text)


def _is_on_subject(source: Source, brief: Brief) -> bool:
    """Return whether a document may answer the points of a page.

    A document that the plan names always may. A name in the page's title is a condition; words that
    all queries share are one for the web only: of the manual in somebody's own folder, not every
    page repeats the product's name.
    """
    if not source.queries:
        return True
    names = _names_in_title(brief)
    if names:
        return is_about(source, names)
    return not source.host or is_about(source, _shared_words(brief))


def subject_words(brief: Brief) -> frozenset[str]:
    """Return the words for what a page is about, in lower case.

    They are the names in its title, and the words that most of its queries share.
    """
    return _names_in_title(brief) | _words_of_most_queries(brief)


def _names_in_title(brief: Brief) -> frozenset[str]:
    title = plain_text(brief.title)
    names = {name.casefold() for name in _PROPER.findall(title)}
    return frozenset(names.intersection(unique_words(title)))


def _shared_words(brief: Brief) -> frozenset[str]:
    """Return the words that all queries of a page have; none for a single query."""
    queries = [frozenset(unique_words(query.text)) for query in brief.part.queries]
    return frozenset.intersection(*queries) if len(queries) > 1 else frozenset()


def factors_of(brief: Brief, sources: Sequence[Source]) -> Mapping[str, float]:
    """Return the factor of the scores of sources on another subject, by id; others have 1.

    The documents of one folder, and the pages of one host, are about the same thing: they are about
    the subject if they name it half as much as those of the folder or host that names it most. A
    document that names it as much as those do is about it, wherever it is; so is what the plan
    names. What is for contributors is on another subject, too.
    """
    subject = subject_words(brief)
    words_of = {source.id: frozenset(unique_words(_first_words(source))) for source in sources}
    rarity = {word: _rarity(word, words_of.values()) for word in subject}
    collections: dict[str, list[float]] = defaultdict(list)
    shares = {}
    for source in sources:
        shares[source.id] = sum(rarity[word] for word in subject & words_of[source.id])
        collections[_collection_of(source)].append(shares[source.id])
    means = {name: sum(factors) / len(factors) for name, factors in collections.items()}
    most = max(means.values(), default=0.0)
    by_source = {
        source.id: _OTHER_SUBJECT
        for source in sources
        if source.queries
        and shares[source.id] < most
        and means[_collection_of(source)] < most * _AS_MUCH
    }
    aside = dict.fromkeys(find_contributors_works(brief, sources), _OTHER_SUBJECT)
    return {**aside, **by_source}


def find_contributors_works(brief: Brief, sources: Sequence[Source]) -> frozenset[str]:
    """Return the ids of the works for those who develop or present a product, not for its users.

    None of them if the page is about that, and none that the plan names.
    """
    points = [point for section in brief.outline for point in (section.title, *section.points)]
    if any(map(_FOR_CONTRIBUTORS.search, (brief.title, *points))):
        return frozenset()
    return frozenset(
        source.id
        for source in sources
        if source.queries
        and any(map(_FOR_CONTRIBUTORS.fullmatch, (*source.path.parts[:-1], source.path.stem)))
    )


def _rarity(word: str, texts: Collection[frozenset[str]]) -> float:
    """Return the weight of a word of the subject: 0 if all texts have it, or none has it."""
    count = sum(word in text for text in texts)
    return math.log(len(texts) / count) if count else 0.0


def _collection_of(source: Source) -> str:
    """Return what a source is part of: a folder in the folder of documents, or a host."""
    if source.host:
        return source.host
    folders = source.path.parts[:-1]
    return "/".join(folders[: _DOCUMENTS_DEPTH + 1])


def _words_of_most_queries(brief: Brief) -> frozenset[str]:
    """Return the words that more than half of a page's queries have; none for a single query."""
    queries = [frozenset(unique_words(query.text)) for query in brief.part.queries]
    if len(queries) < _SEVERAL:
        return frozenset()
    counts = Counter(word for query in queries for word in query)
    return frozenset(word for word, count in counts.items() if 2 * count > len(queries))


def is_about(source: Source, names: frozenset[str]) -> bool:
    """Return whether a document is about one of the names, if there are any.

    Its address, title, headings or first screen says so.
    """
    if not names:
        return True
    text = _first_words(source).casefold()
    return any(name in text for name in names)


def _first_words(source: Source) -> str:
    """Return what tells the subject of a document: its address, title, headings and beginning."""
    fetched = source.fetched
    headings = _MARKDOWN_HEADING.findall(fetched.text)
    seen_first = (fetched.url, fetched.title or "", *headings, fetched.text[:_FIRST_SCREEN])
    return " ".join(seen_first)
