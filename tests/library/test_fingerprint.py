"""When a page is still the one that was checked."""

from __future__ import annotations

import pytest

from planbook.library.pages import fingerprint

PAGE = """---
title: Water
reviewed: null
references:
  - id: hard
    URL: https://tea.example/hard
    custom: {quotes: {q1: "lime"}}
---

# Water

Text.
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("reviewed: null", "reviewed: {date: 2026-11-21, by: A. Person}"),
        ("title: Water", "title: Waters\ntags: [tea]"),
        ("\n", "\r\n"),
        ("Text.\n", "Text.\n\n"),
        ('custom: {quotes: {q1: "lime"}}', "custom:\n      quotes:\n        q1: lime"),
    ],
)
def test_a_page_stays_the_same(old: str, new: str) -> None:
    """A review, a tag, line ends and the spelling of YAML are not what was checked."""
    assert PAGE.replace(old, new) != PAGE
    assert fingerprint(PAGE.replace(old, new)) == fingerprint(PAGE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Text.", "Other text."),
        ("# Water", "# Waters"),
        ("lime", "chalk"),
        ("/hard", "/soft"),
        ("id: hard", "id: soft"),
    ],
)
def test_a_page_is_another(old: str, new: str) -> None:
    """Its text, an address, a quote and an id are."""
    assert fingerprint(PAGE.replace(old, new)) != fingerprint(PAGE)


@pytest.mark.parametrize(
    "text", ["", "---\n{\n---\n", "---\nreferences: &a [*a]\n---\n", "---\nreferences: [{1: 2}]\n---\n"]
)
def test_any_page_has_one(text: str) -> None:
    """Front matter that is no YAML, or holds itself, stops nothing."""
    assert len(fingerprint(text)) == 64
