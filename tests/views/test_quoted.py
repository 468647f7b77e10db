"""Quotes from files with marks, as a reader sees them."""

from __future__ import annotations

import pytest

from planbook.views.quoted import quote_html

FILE = "https://github.com/kettle/steep/blob/1f0c/docs/{}"


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (
            "* **Single** has ``kettle.com/cup`` resources",
            "• <strong>Single</strong> has <code>kettle.com/cup</code> resources",
        ),
        ("a `--warm` cup\n- and another", "a <code>--warm</code> cup\n• and another"),
        ("call brew(**leaves, **water)", "call brew(**leaves, **water)"),
        ("2 ** 3 ** 4 and a * b", "2 ** 3 ** 4 and a * b"),
        ("an ` alone, and ``two", "an ` alone, and ``two"),
        ("<b>bold</b> & `<i>`", "&lt;b&gt;bold&lt;/b&gt; &amp; <code>&lt;i&gt;</code>"),
        ("-5 degrees - or *more*", "-5 degrees - or *more*"),
        (r"\**Kettle** stays", r"\**Kettle** stays"),
    ],
)
def test_marks_of_a_text_are_shown_as_what_they_mean(words: str, shown: str) -> None:
    """Code, strong emphasis and items; whatever is none of them stays as it is, as text."""
    for name in ("steep.md", "steep.rst#L10-L12"):
        assert str(quote_html(words, FILE.format(name))) == shown


@pytest.mark.parametrize("name", ["steep.py", "steep.html", "steep", "md"])
def test_other_sources_are_shown_as_they_are(name: str) -> None:
    """In code, two stars and ticks mean something else."""
    words = "**leaves** and `water`"
    assert quote_html(words, FILE.format(name)) == words
