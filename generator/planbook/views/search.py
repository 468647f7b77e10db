"""The index for readers' search.

A list of pages, the pages that each word is on, and the text of each page.

The browser loads the list, the words that begin like those of a query, and the text of the pages
found; so what it loads hardly grows with the site. ``assets/planbook/search.js`` reads these files,
and must split words in the same way.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
import unicodedata
from bisect import bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import accumulate, chain
from typing import Any

import msgspec

from planbook.views.cards import PageCards, card_files

WORD = re.compile(r"[^\W_]+(?:[._-]+[^\W_]+)*")
"""A word, or a name with its marks: ``cuda-compat-13-0``."""
NAME_JOINT = re.compile(r"[._-]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""Between the parts of a name: ``Profiler|Activity``."""
DIGEST = re.compile(r"[0-9a-f]{16,}")
TAG = re.compile(r"<[^>]*>")
TAG_IN_WORD = re.compile(r"</?(?:code|sub|sup)>")
STOP_WORDS = frozenset(
    re.findall(
        r"\w+", "a an and are as at be by for from in is it of on or that the this to was with"
    )
)
MAX_WORD_CHARS = 60
MAX_CACHED_TEXTS = 1 << 16
"""The texts whose terms are kept, which pages have in common."""
TITLE_WEIGHT, HEADING_WEIGHT, MIN_TAG_WEIGHT, MAX_FREQUENCY_WEIGHT = 9, 3, 5, 4
"""The weight of a word in a page's title; what a heading adds; the least weight of a tag; the most
for text alone."""
SHARD_BYTES = 60_000
"""Words that begin with the same letters are in one file, up to this size."""
MAX_PREFIX_CHARS = 5
MAX_COMPARED_WORDS = 25_000
"""Words that a mistyped one is compared with, if it has no match."""
MAX_CHANGED_PAGES = 50
"""Pages that are replaced in an index one by one; if more have changed, all are indexed again."""


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


@dataclass(slots=True)
class WordIndex:
    """The words of all pages, which the next build updates."""

    pages: list[tuple[str, IndexedPage | None]] = field(default_factory=list)
    """The name of each page's content, and the page without its words; ``None`` for one that is not
    in the index."""
    where: dict[str, list[int]] = field(default_factory=dict)
    """For each word, the numbers of its pages, each times 10 plus the word's weight."""
    shards: dict[str, str] = field(default_factory=dict)
    """The key of each file of words, by the letters that they begin with."""

    def weights_of(self, word: str) -> dict[int, int]:
        """Return the weight of a word on each page that has it, by the page's number."""
        return dict(divmod(code, 10) for code in self.where.get(word, ()))

    @property
    def included(self) -> list[tuple[str, IndexedPage]]:
        """The pages in the index, in the order of their numbers."""
        return [(name, page) for name, page in self.pages if page is not None]

    def update(
        self,
        pages: Sequence[tuple[str, Callable[[], IndexedPage | None]]],
        earlier: Callable[[str], IndexedPage | None],
    ) -> None:
        """Replace the pages that have changed.

        If these are many, or others than before, index all again.

        Args:
            pages: the name of each page's content, and a function that returns the page.
            earlier: returns the page that a name stood for in an earlier build; ``None`` if it is
                no longer known.
        """
        pairs = enumerate(zip(self.pages, pages, strict=False))
        places = [n for n, (old, new) in pairs if old[0] != new[0]]
        is_alike = len(self.pages) == len(pages) and len(places) <= MAX_CHANGED_PAGES
        replaced = (
            [(n, earlier(self.pages[n][0]), pages[n][1]()) for n in places] if is_alike else []
        )
        changed = [(n, old, new) for n, old, new in replaced if old is not None and new is not None]
        numbers = list(accumulate((page is not None for _, page in self.pages), initial=0))
        if is_alike and len(changed) == len(places):
            for n, old, new in changed:
                self._replace(numbers[n], old.words, new.words)
                self.pages[n] = (pages[n][0], replace(new, words={}))
            return
        where: defaultdict[str, list[int]] = defaultdict(list)
        self.pages, self.shards, page_index = [], {}, 0
        for name, read_page in pages:
            page = read_page()
            self.pages.append((name, page and replace(page, words={})))
            if page is not None:
                for word, weight in page.words.items():
                    where[word].append(10 * page_index + weight)
                page_index += 1
        # Sorting the words of the next builds is quick then.
        self.where = dict(sorted(where.items()))

    def _replace(self, page_index: int, old: Mapping[str, int], new: Mapping[str, int]) -> None:
        for word, weight in old.items() - new.items():
            self.where[word].remove(10 * page_index + weight)
            if not self.where[word]:
                del self.where[word]
            self._forget_shards(word)
        for word, weight in new.items() - old.items():
            insort(self.where.setdefault(word, []), 10 * page_index + weight)
            self._forget_shards(word)

    def _forget_shards(self, word: str) -> None:
        for length in range(1, MAX_PREFIX_CHARS + 1) if self.shards else ():
            self.shards.pop(word[:length], None)


@dataclass(frozen=True, slots=True)
class IndexFile:
    """A file of the index."""

    path: str
    key: str
    """A digest of all that its text depends on."""
    make: Callable[[], str]
    """Returns the text."""


class _Terms(dict[str, tuple[str, ...]]):
    """The terms of texts without spaces, those of each word in them."""

    def __missing__(self, text: str) -> tuple[str, ...]:
        if len(self) >= MAX_CACHED_TEXTS:
            self.clear()
        self[text] = terms = tuple(
            [term for word in WORD.findall(text) for term in split_word(word)]
        )
        return terms


_TERMS = _Terms()


@lru_cache(MAX_CACHED_TEXTS)
def split_word(word: str) -> tuple[str, ...]:
    """Return the terms, in lower case, that a `WORD` is found by.

    They are the whole, without hyphens, and its parts.
    """
    if not word.isascii():
        word = "".join(
            char for char in unicodedata.normalize("NFKD", word) if not unicodedata.combining(char)
        )
    pieces = NAME_JOINT.split(word)
    forms = [word] if len(word) <= MAX_WORD_CHARS else []
    if len(pieces) > 1:
        forms += [word.replace("-", ""), *pieces]  # multi-stage: multistage
    terms = dict.fromkeys([term.lower() for term in forms])
    return tuple(
        [t for t in terms if len(t) > 1 and t not in STOP_WORDS and not DIGEST.fullmatch(t)]
    )


def index_page(entries: Sequence[Mapping[str, Any]]) -> tuple[IndexedPage, str]:
    """Return a page of the index, and the sections of its text as JSON.

    Anchor, title and text of each.

    Args:
        entries: the page's sections in Material's format, with HTML; the first is that of the page.
    """
    url = entries[0]["location"].partition("#")[0]
    tags: list[str] = entries[0].get("tags", [])
    texts = [
        (_tokens_of_markup(entry["title"]), _tokens_of_markup(entry["text"])) for entry in entries
    ]
    words = word_weights(texts, tags)
    anchors = [entry["location"].partition("#")[2] for entry in entries]
    sections = [
        (anchor, " ".join(title), " ".join(text))
        for anchor, (title, text) in zip(anchors, texts, strict=True)
    ]
    made = msgspec.json.encode(sections)
    digest = hashlib.sha256(made).hexdigest()
    return IndexedPage(
        url, sections[0][1], digest, words, tags, entries[0].get("boost")
    ), made.decode()


def word_weights(
    sections: Sequence[tuple[list[str], list[str]]], tags: Sequence[str] = ()
) -> dict[str, int]:
    """Return the weight of each word, 1 to 9, from the titles and texts of a page's sections.

    Its own is first.
    """
    counts: dict[str, int] = {}
    for token, n in Counter(chain.from_iterable([text for _, text in sections])).items():
        for term in _TERMS[token]:
            counts[term] = counts.get(term, 0) + n
    # By the logarithm: a word that stands there forty times is not ten times as near to the query.
    words = {
        term: n if n < 3 else min(MAX_FREQUENCY_WEIGHT, n.bit_length())
        for term, n in counts.items()
    }
    for term in {term for title, _ in sections for token in title for term in _TERMS[token]}:
        words[term] = words.get(term, 1) + HEADING_WEIGHT
    for term in [term for tag in tags for token in tag.split() for term in _TERMS[token]]:
        words[term] = max(words.get(term, 1), MIN_TAG_WEIGHT)
    return words | {term: TITLE_WEIGHT for token in sections[0][0] for term in _TERMS[token]}


def search_files(
    index: WordIndex,
    texts: Mapping[str, Callable[[], str]],
    boosts: Mapping[str, float],
    cards: Sequence[PageCards] = (),
    beside: Container[str] = (),
) -> Iterator[IndexFile]:
    """Yield each file of the index.

    Args:
        index: the words of all pages; the keys of its files are added to it.
        texts: functions that return the text of a page, by the name of its content.
        boosts: the factors of pages without their own, by address.
        cards: the error messages of each page that explains some.
        beside: the addresses of pages that are not on the subject of the base.
    """
    version = hashlib.sha256()
    for file in _text_files(index, texts):
        version.update(f"{file.key}\n".encode())
        yield file
    for file in _word_files(index):
        version.update(file.key.encode())
        yield file
    yield _frequent_words_file(index.where)
    for name, data in card_files(cards):
        file = _search_file(f"{name}.js", _call(name, data))
        version.update(file.key.encode())
        yield file
    pages = [
        (
            page.url,
            page.title,
            page.tags,
            boosts.get(page.url, 1) if page.boost is None else page.boost,
            *([1] if page.url in beside else []),
        )
        for _, page in index.included
    ]
    about = {
        "version": version.hexdigest()[:12],
        "pages": pages,
        "shards": sorted(index.shards),
        "messages": sum(len(page.messages) for page in cards),
    }
    yield _search_file("pages.js", _call("pages", about))


def _text_files(index: WordIndex, texts: Mapping[str, Callable[[], str]]) -> Iterator[IndexFile]:
    """Yield a file for the text of each page."""
    for n, (name, page) in enumerate(index.included):
        key = f"{n} {page.text_sha256}"
        yield IndexFile(f"text/{n}.js", key, partial(_text_file, n, texts[name]))


def _word_files(index: WordIndex) -> Iterator[IndexFile]:
    """Yield the files with the pages of words, each for the words that begin alike.

    Their keys are those of the index from then on; a file of an index with its key is not made.
    """
    where, shards_before = index.where, index.shards
    words = sorted(where)
    # The words follow each other as in one file, each with its pages behind it, at about six bytes
    # for each page. The bytes of the words from `begin` up to `end` are `ends[end] - ends[begin]`:
    #
    #     words     ash      barley      oats
    #     ends    0        a           b       c
    sizes = [len(word) + 6 * len(where[word]) for word in words]
    ends = [0, *accumulate(sizes)]
    index.shards = {}
    for prefix, begin, end in _shards(words, ends, 0, len(words)):
        path = f"words/{_file_of_prefix(prefix)}.js"
        make = partial(_words_file, prefix, words[begin:end], where)
        if prefix in shards_before:
            shard = IndexFile(path, shards_before[prefix], make)
        else:
            shard = _search_file(path, make())
        index.shards[prefix] = shard.key
        yield shard


def _frequent_words_file(where: Mapping[str, Sequence[int]]) -> IndexFile:
    """Return the file with the most frequent words, which a mistyped one is compared with."""
    most_frequent = sorted(sorted(where), key=lambda word: len(where[word]), reverse=True)
    words = sorted(word for word in most_frequent[:MAX_COMPARED_WORDS] if len(word) > 3)
    return _search_file("all.js", _call("all", {"words": " ".join(words)}))


def _text_file(n: int, text: Callable[[], str]) -> str:
    return f'planbookSearch("{n}",{text()})'


def _tokens_of_markup(markup: str) -> list[str]:
    """Return what blanks separate in HTML from Material's index.

    It contains only tags without attributes.
    """
    tagged, end, text = TAG_IN_WORD.sub("", markup).rpartition(">")  # behind it, no tag ends
    return html.unescape(f"{TAG.sub(' ', tagged + end)}{text}").split()


def _shards(
    words: Sequence[str], ends: Sequence[int], begin: int, end: int, depth: int = 1
) -> Iterator[tuple[str, int, int]]:
    """Group sorted words by their first letters; more letters if a file would be large.

    Args:
        words: the words; those between `begin` and `end` are grouped.
        ends: the bytes of the words before each, and of all.
        begin: the first word.
        end: the word after the last.
        depth: the number of letters.

    Yields:
        The letters, the first word, and the word after the last.
    """
    while begin < end:
        prefix = words[begin][:depth]
        next_start = bisect_right(words, prefix, begin, end, key=lambda word: word[:depth])
        if ends[next_start] - ends[begin] <= SHARD_BYTES or depth == MAX_PREFIX_CHARS:
            yield prefix, begin, next_start
        else:
            is_word = words[begin] == prefix
            if is_word:
                yield prefix, begin, begin + 1
            yield from _shards(words, ends, begin + is_word, next_start, depth + 1)
        begin = next_start


def _file_of_prefix(prefix: str) -> str:
    return "".join(
        char if char.isascii() and char.isalnum() else f"~{ord(char):x}" for char in prefix
    )


def _words_file(prefix: str, words: Sequence[str], where: Mapping[str, list[int]]) -> str:
    return _call(prefix, {word: where[word] for word in words})


def _call(name: str, data: object) -> str:
    """Return a file that a page opened from ``file://`` can load too: a call with JSON."""
    return f"planbookSearch({json.dumps(name)},{msgspec.json.encode(data).decode()})"


def _search_file(path: str, text: str) -> IndexFile:
    return IndexFile(path, hashlib.sha256(text.encode()).hexdigest(), lambda: text)
