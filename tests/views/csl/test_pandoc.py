"""What a style makes of a page, beside what Pandoc makes of it. The Guide lists where the two are to differ."""

from __future__ import annotations

import re

import pytest

from tests.views.csl.pages import REFERENCES, STYLES, TEXT, differing, pandoc_words, shown, words_of

NAMES = ("author-date", "note", "numeric")

PROSE = """# Bread

From [On rye](https://rye.example/a) (accessed 2026-11-20):
- dark

From [On oats](https://oats.example/) (accessed 2026-11-19):
- light
"""

WRITTEN = """---
references:
- {id: rye, type: webpage, title: On rye, URL: "https://rye.example/a", accessed: {date-parts: [[2026, 11, 20]]}}
- {id: oats, type: webpage, title: On oats, URL: "https://oats.example/", accessed: {date-parts: [[2026, 11, 19]]}}
nocite: '[@*]'
---

Text.
"""


def test_every_style_is_compared() -> None:
    """A style that is added is compared, too."""
    assert tuple(sorted(path.stem for path in STYLES.glob("*.csl"))) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_citations_read_as_pandoc_has_them(pandoc: str, name: str) -> None:
    """Names, years and letters, locators, "ibid.", short forms and numbers of notes, substitutes, suppressed authors.

    One difference is meant: a style without locators loses them in Pandoc, and here they follow as they are written.
    """
    ours = words_of(shown(REFERENCES + TEXT, name)).citations
    theirs = pandoc_words(pandoc, REFERENCES + TEXT, STYLES / f"{name}.csl").citations
    if name == "numeric":
        ours = tuple(re.sub(r", (?:p\. |chap\. )?[\d-]+(?= and|,\d|$)", "", words) for words in ours)
    assert differing(ours, theirs) == []


@pytest.mark.parametrize("name", NAMES)
def test_entries_read_as_pandoc_has_them(pandoc: str, name: str) -> None:
    """The same words in the same order, with the same punctuation."""
    ours = words_of(shown(REFERENCES + TEXT, name)).entries
    theirs = pandoc_words(pandoc, REFERENCES + TEXT, STYLES / f"{name}.csl").entries
    assert len(ours) == 8
    assert differing(ours, theirs) == []


@pytest.mark.parametrize("name", NAMES)
def test_works_cited_in_prose_read_as_those_in_front_matter(pandoc: str, name: str) -> None:
    """A finished page without front matter has the same entries, in the style's order."""
    ours = words_of(shown(PROSE, name)).entries
    theirs = pandoc_words(pandoc, WRITTEN, STYLES / f"{name}.csl").entries
    assert len(ours) == 2
    assert differing(ours, theirs) == []
