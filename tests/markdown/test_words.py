"""The telling words of a text."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.markdown.words import STOPWORDS, closest, stem, tokens, unique_words

TERMS = {
    "How the layers are cached": ["layers", "cached"],
    "What it is for": ["what", "it", "is", "for"],
    "The DataLoader and max_bytes": ["dataloader", "data", "loader", "max", "bytes"],
    "HTTPServer": ["httpserver", "http", "server"],
    "RUN --mount=type=cache,target=/root": ["run", "mount", "cache", "target", "root"],
    "CUDA 12.4 on sm_90": ["cuda", "12.4", "sm", "90"],
    "Café au lait, CAFÉ": ["cafe", "au", "lait"],
    "構築と再利用 in Docker": ["構築", "築と", "と再", "再利", "利用", "docker"],
    "5 g": ["5"],
    "": [],
    "… – !": [],
}

ONE_STEM = [
    ("cache", "caches", "cached", "caching"),
    ("copy", "copies", "copied", "copying"),
    ("run", "runs", "running"),
    ("class", "classes"),
    ("box", "boxes"),
    ("library", "libraries"),
    ("install", "installs", "installed", "installing"),
    ("size", "sizes"),
]

ITS_OWN_STEM = ["bring", "string", "speed", "need", "bus", "analysis", "12.4", "ss", "s"]


@pytest.mark.parametrize(("text", "expected"), TERMS.items())
def test_telling_words(text: str, expected: list[str]) -> None:
    """Small letters, no accents, names by their parts, each once; stop words only where nothing else is."""
    assert list(unique_words(text)) == expected


@pytest.mark.parametrize("forms", ONE_STEM, ids=lambda forms: forms[0])
def test_forms_of_a_word_compare(forms: tuple[str, ...]) -> None:
    """Plurals and verb forms have one stem."""
    assert len({stem(form) for form in forms}) == 1


@pytest.mark.parametrize("word", ITS_OWN_STEM)
def test_what_only_looks_like_a_form_stays(word: str) -> None:
    """Short words and other endings are left alone."""
    assert stem(word) == word


@given(st.text())
def test_any_text_has_its_words(text: str) -> None:
    """Terms are tokens, in their order, and no stop words unless there is nothing else."""
    found, all_of_them = unique_words(text), tokens(text)
    assert [word for word in dict.fromkeys(all_of_them) if word in found] == list(found)
    assert not STOPWORDS & set(found) or set(found) == set(all_of_them)
    assert all(stem(word) for word in found)


@given(st.text("abé", max_size=12), st.lists(st.text("abé", max_size=12), max_size=9))
def test_the_closest_name_is_that_of_difflib(name: str, known: list[str]) -> None:
    """Names that share too few letters are left out ahead, and none that difflib would choose."""
    assert [closest(name, known)] == (difflib.get_close_matches(name, known, 1, 0.8) or [""])
