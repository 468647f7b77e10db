"""The index for readers' search: a list of pages, the pages that each word is on, and the text of each page.

The browser loads the list, the words that begin like those of a query, and the text of the pages found; so what it
loads hardly grows with the site. ``assets/planbook/search.js`` reads these files, and must split words in the same way.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

WORD = re.compile(r"[^\W_]+(?:[._-]+[^\W_]+)*")
"""A word, or a name with its marks: ``cuda-compat-13-0``."""
JOINT = re.compile(r"[._-]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""Between the parts of a name: ``Profiler|Activity``."""
DIGEST = re.compile(r"[0-9a-f]{16,}")
TAG = re.compile(r"<[^>]*>")
TAG_IN_WORD = re.compile(r"</?(?:code|sub|sup)>")
STOP_WORDS = frozenset("a an and are as at be by for from in is it of on or that the this to was with".split())  # noqa: SIM905
LONGEST_WORD = 60
TITLE, HEADING, TAGGED, MOST = 9, 3, 5, 4
"""The weight of a word in a page's title; what a heading adds; the least weight of a tag; the most for text alone."""
SHARD_BYTES = 60_000
"""Words that begin with the same letters are in one file, up to this size."""
LONGEST_PREFIX = 5
MOST_WORDS = 25_000
"""Words that a mistyped one is compared with, if it has no match."""


@dataclass(frozen=True, slots=True)
class IndexedPage:
    """A page of the index, without its text."""

    url: str
    title: str
    text_sha256: str
    words: dict[str, int]
    """The weight of each word, 1 to 9."""
    tags: list[str] = field(default_factory=list)
    boost: float | None = None
    """The factor of its scores; ``None`` if the author set none."""


@dataclass(frozen=True, slots=True)
class IndexFile:
    """A file of the index."""

    path: str
    key: str
    """A digest of all that its text depends on."""
    make: Callable[[], str]
    """Returns the text."""


@lru_cache(1 << 14)
def split_word(word: str) -> tuple[str, ...]:
    """Return the terms, in lower case, that a `WORD` is found by: the whole, without hyphens, and its parts."""
    if not word.isascii():
        word = "".join(char for char in unicodedata.normalize("NFKD", word) if not unicodedata.combining(char))
    parts = JOINT.split(word)
    found = [word] if len(word) <= LONGEST_WORD else []
    if len(parts) > 1:
        found += [word.replace("-", ""), *parts]  # multi-stage: multistage
    terms = [term.lower() for term in found]
    return tuple(t for t in dict.fromkeys(terms) if len(t) > 1 and t not in STOP_WORDS and not DIGEST.fullmatch(t))


def index_page(entries: Sequence[Mapping[str, Any]]) -> tuple[IndexedPage, str]:
    """Return a page of the index, and the sections of its text as JSON: anchor, title and text of each.

    Args:
        entries: the page's sections in Material's format, with HTML; the first is that of the page.
    """
    url = entries[0]["location"].partition("#")[0]
    tags: list[str] = entries[0].get("tags", [])
    sections = [(e["location"].partition("#")[2], _text(e["title"]), _text(e["text"])) for e in entries]
    words = word_weights([(title, text) for _, title, text in sections], tags)
    made = json.dumps(sections, ensure_ascii=False, separators=(",", ":"))
    digest = hashlib.sha256(made.encode()).hexdigest()
    return IndexedPage(url, sections[0][1], digest, words, tags, entries[0].get("boost")), made


def word_weights(sections: Sequence[tuple[str, str]], tags: Sequence[str] = ()) -> dict[str, int]:
    """Return the weight of each word, 1 to 9, from the titles and texts of a page's sections; its own is first."""
    counts: Counter[str] = Counter()
    for word, n in Counter(word for _, text in sections for word in WORD.findall(text)).items():
        counts.update(dict.fromkeys(split_word(word), n))
    words = {term: min(MOST, n.bit_length()) for term, n in counts.items()}
    for term in set(_terms(title for title, _ in sections)):
        words[term] = words.get(term, 1) + HEADING
    for term in _terms(tags):
        words[term] = max(words.get(term, 1), TAGGED)
    return words | dict.fromkeys(_terms([sections[0][0]]), TITLE)


def search_files(
    pages: Iterable[tuple[IndexedPage, Callable[[], str]]], boosts: Mapping[str, float]
) -> Iterator[IndexFile]:
    """Yield each file of the index.

    Args:
        pages: each page with a function that returns its text.
        boosts: the factors of pages without their own, by address.
    """
    where: dict[str, list[int]] = defaultdict(list)
    listed: list[tuple[str, str, Sequence[str], float]] = []
    whole = hashlib.sha256()
    for n, (page, text) in enumerate(pages):
        for word, weight in page.words.items():
            where[word].append(10 * n + weight)
        factor = page.boost if page.boost is not None else boosts.get(page.url, 1)
        listed.append((page.url, page.title, page.tags, factor))
        whole.update(f"{n} {page.text_sha256}\n".encode())
        yield IndexFile(f"text/{n}.js", f"{n} {page.text_sha256}", partial(_text_file, n, text))
    words = sorted(where)
    shards = []
    sizes = {word: len(word) + 6 * len(found) for word, found in where.items()}
    for prefix, group in _shards(words, sizes):
        shards.append(prefix)
        shard = _made(f"words/{_name(prefix)}.js", prefix, {word: where[word] for word in group})
        whole.update(shard.key.encode())
        yield shard
    common = sorted(words, key=lambda word: -len(where[word]))[:MOST_WORDS]
    yield _made("all.js", "all", {"words": " ".join(sorted(word for word in common if len(word) > 3))})
    version = whole.hexdigest()[:12]
    yield _made("pages.js", "pages", {"version": version, "pages": listed, "shards": sorted(shards)})


def _text_file(n: int, text: Callable[[], str]) -> str:
    return f'planbookSearch("{n}",{text()})'


def _text(markup: str) -> str:
    """Return the text of HTML from Material's index, which contains only tags without attributes."""
    return " ".join(html.unescape(TAG.sub(" ", TAG_IN_WORD.sub("", markup))).split())


def _terms(texts: Iterable[str]) -> Iterator[str]:
    return (term for text in texts for word in WORD.findall(text) for term in split_word(word))


def _shards(words: list[str], sizes: Mapping[str, int], depth: int = 1) -> Iterator[tuple[str, list[str]]]:
    """Group sorted words by their first letters; more letters if a file would be large, by the bytes of each word."""
    groups: dict[str, list[str]] = defaultdict(list)
    for word in words:
        groups[word[:depth]].append(word)
    for prefix, group in groups.items():
        size = sum(map(sizes.__getitem__, group))
        if size <= SHARD_BYTES or depth == LONGEST_PREFIX:
            yield prefix, group
            continue
        rest = [word for word in group if len(word) > depth]
        if short := [word for word in group if len(word) <= depth]:
            yield prefix, short
        yield from _shards(rest, sizes, depth + 1)


def _name(prefix: str) -> str:
    return "".join(char if char.isascii() and char.isalnum() else f"~{ord(char):x}" for char in prefix)


def _made(path: str, name: str, data: object) -> IndexFile:
    """Return a file that a page opened from ``file://`` can load too: a call with JSON."""
    text = f"planbookSearch({json.dumps(name)},{json.dumps(data, ensure_ascii=False, separators=(',', ':'))})"
    return IndexFile(path, hashlib.sha256(text.encode()).hexdigest(), lambda: text)
