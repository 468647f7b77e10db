"""The index for readers' search."""

from __future__ import annotations

import json
import random
from typing import Any

import msgspec
import pytest

from planbook.views.search import SHARD_BYTES, IndexedPage, WordIndex, index_page, search_files, split_word


@pytest.mark.parametrize(
    ("word", "terms"),
    [
        ("TORCH_CUDA_ARCH_LIST", ("torch_cuda_arch_list", "torch", "cuda", "arch", "list")),
        ("cuda-compat-13-0", ("cuda-compat-13-0", "cudacompat130", "cuda", "compat", "13")),
        ("libcupti.so.13", ("libcupti.so.13", "libcupti", "so", "13")),
        ("CUDAExtension", ("cudaextension", "cuda", "extension")),
        ("H100", ("h100",)),
        ("Café", ("cafe",)),
        ("the", ()),
        ("x", ()),
        ("4d213f0117e848e4826a1b0714c0829e9f3a04c1", ()),
    ],
)
def test_words_are_found_whole_and_by_their_parts(word: str, terms: tuple[str, ...]) -> None:
    """Marks and capitals separate parts; articles, single letters and digests are not indexed."""
    assert split_word(word) == terms


def test_titles_weigh_more_than_headings_tags_and_text() -> None:
    """In this order, however often the text has a word."""
    text = "kernel " * 100 + "once"
    first = {"location": "a/", "title": "Title &amp; <code>name</code>", "text": text, "tags": ["label"], "boost": 2}
    page, sections = index_page([first, {"location": "a/#a", "title": "Heading", "text": ""}])
    assert json.loads(sections) == [["", "Title & name", text.strip()], ["a", "Heading", ""]]
    assert (page.url, page.tags, page.boost) == ("a/", ["label"], 2)
    weights = [page.words[word] for word in ("name", "label", "heading", "kernel", "once")]
    assert weights == [9, 5, 4, 4, 1]
    assert page.title == "Title & name"


def read(text: str) -> Any:
    """The data in a file."""
    assert text.startswith("planbookSearch(")
    assert text.endswith(")")
    return json.loads(text[text.index(",") + 1 : -1])


def test_each_word_is_in_the_file_of_its_first_letters() -> None:
    """A file with many words is divided; each page is under its number with its weight."""
    words = {f"{a}{b}{n}": 1 for a in "ab" for b in "cd" for n in range(3_000)}
    second = IndexedPage("b/", "B", "2", {**words, "ünder": 2}, ["tag"])
    index = indexed({"a": IndexedPage("", "Home", "1", {"home": 9}), "b": second})
    made = list(search_files(index, {"a": lambda: '[["","Home",""]]', "b": lambda: "[]"}, {"b/": 2}))
    assert len({file.key for file in made}) == len(made)
    files = {file.path: file.make() for file in made}
    listed = read(files["pages.js"])
    assert listed["pages"] == [["", "Home", [], 1], ["b/", "B", ["tag"], 2]]
    found: dict[str, list[int]] = {}
    for prefix in listed["shards"]:
        name = "".join(char if char.isascii() else f"~{ord(char):x}" for char in prefix)
        shard = read(files[f"words/{name}.js"])
        assert all(word.startswith(prefix) for word in shard)
        assert len(files[f"words/{name}.js"]) < 2 * SHARD_BYTES
        found |= shard
    assert found == {**{word: [11] for word in words}, "home": [9], "ünder": [12]}
    assert read(files["text/0.js"]) == [["", "Home", ""]]
    assert set(read(files["all.js"])["words"].split()) == {word for word in found if len(word) > 3}


def indexed(pages: dict[str, IndexedPage]) -> WordIndex:
    """An index of pages."""
    index = WordIndex()
    update(index, pages)
    return index


def update(index: WordIndex, pages: dict[str, IndexedPage], earlier: dict[str, IndexedPage] | None = None) -> None:
    """Update an index to these pages."""
    index.update([(name, lambda page=page: page) for name, page in pages.items()], (earlier or {}).get)  # type: ignore[misc]


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize("seed", range(2))
def test_an_updated_index_has_the_same_files_as_a_new_one(seed: int, is_known: bool) -> None:
    """Files of words grow, shrink, are divided and joined; with and without the pages of the last build."""
    chance = random.Random(seed)  # noqa: S311 - not for secrets
    vocabulary = [f"{a}{b}{n:x}" for a in "abé" for b in "acdef" for n in range(1_500)]
    names = iter(map(str, range(1_000)))

    def page(n: int) -> IndexedPage:
        words = chance.sample(
            vocabulary[: chance.choice((4_500, 9_000, len(vocabulary)))], chance.choice((3, 40, 4_000))
        )
        return IndexedPage(f"{n}/", f"Page {n}", chance.randbytes(4).hex(), {w: chance.randint(1, 9) for w in words})

    pages = {next(names): page(n) for n in range(30)}
    index = indexed(pages)
    texts = dict.fromkeys(map(str, range(1_000)), lambda: "[]")
    list(search_files(index, texts, {}))
    for _ in range(3):
        replaced = set(chance.sample(sorted(pages), 3))
        every = pages
        pages = {
            next(names) if k in replaced else k: page(n) if k in replaced else p
            for n, (k, p) in enumerate(pages.items())
        }
        update(index, pages, every if is_known else None)
        files = [(file.path, file.key, file.make()) for file in search_files(index, texts, {})]
        assert files == [(file.path, file.key, file.make()) for file in search_files(indexed(pages), texts, {})]
        assert msgspec.convert(msgspec.to_builtins(index), WordIndex) == index
