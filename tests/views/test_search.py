"""The index for readers' search."""

from __future__ import annotations

import json
from typing import Any

import pytest

from generator.views.search import SHARD_BYTES, IndexedPage, index_page, search_files, split_word


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
    pages = [(IndexedPage("", "Home", "1", {"home": 9}), lambda: '[["","Home",""]]'), (second, lambda: "[]")]
    made = list(search_files(pages, {"b/": 2}))
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
