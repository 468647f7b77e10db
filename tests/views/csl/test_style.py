"""Styles are read, or refused with a word on what is wrong and what would be right."""

from __future__ import annotations

import pytest

from generator.views.csl.style import StyleError, read_style
from tests.views.csl.pages import STYLES, style

NS = 'xmlns="http://purl.org/net/xbiblio/csl"'
INFO = "<info>\n<title>x</title><id>x</id><updated>2026-11-20T00:00:00+00:00</updated>{}</info>"
LAYOUT = '<citation><layout><text variable="title"/></layout></citation>'
DEPENDENT = INFO.format('\n<link href="https://styles.example/apa" rel="independent-parent"/>')


def csl(inside: str, attributes: str = 'version="1.0" class="in-text"') -> str:
    """A style in some lines."""
    return f"<style {NS} {attributes}>\n{inside}\n</style>"


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ("", r"x\.csl:1: it is not XML \(.+\); set a CSL style, such as those at https://www\.zotero\.org/styles"),
        ("author, year", r"x\.csl:1: it is not XML"),
        (csl("<info>\n<title>x</info>"), r"x\.csl:3: it is not XML \(Opening and ending tag mismatch"),
        ("<html>\n</html>", r"x\.csl:1: it is no CSL style: it begins with <html>, and a style with <style xmlns="),
        ("<style><info/></style>", r"x\.csl:1: it is no CSL style: it begins with <style>"),
        (
            csl(DEPENDENT),
            r"x\.csl:4: it only names another style, https://styles\.example/apa, to be used in its place; set",
        ),
        (
            csl(INFO.format("") + "\n<macro name='a'>\n<txt/></macro>"),
            r"x\.csl:5: CSL has no element <txt>; check it at",
        ),
        (
            csl(INFO.format("") + "\n<macro name='a'/><macro name='b'/>\n" + LAYOUT.replace("variable", "macro")),
            r"x\.csl:5: there is no macro 'title'; name one of a, b",
        ),
        (csl(INFO.format("")), r"x\.csl:\d: it is not valid CSL 1\.0 \(.+\); check it at https://validator\."),
        (csl(INFO.format("") + LAYOUT, 'class="in-text"'), r"x\.csl:\d: it is not valid CSL 1\.0"),
        (csl(INFO.format("") + LAYOUT.replace("text ", "text colour='red' ")), r"x\.csl:\d: it is not valid CSL 1\.0"),
        (
            "<!DOCTYPE style [<!ENTITY a SYSTEM 'file:///etc/hostname'>]>"
            + csl(INFO.format("") + "<macro name='&a;'/>"),
            r"x\.csl:\d: ",
        ),
    ],
)
def test_a_style_that_cannot_be_used_is_refused(raw: str, told: str) -> None:
    """File and line, what is wrong, and what would be right."""
    with pytest.raises(StyleError, match=f"^{told}"):
        read_style(raw.encode(), "x.csl")


def test_a_style_says_what_it_can() -> None:
    """Its language, whether it has notes, a bibliography, locators, and letters behind years."""
    told = {
        name: (s.locale, s.is_note, s.has_bibliography, s.has_locators, s.tells_years_apart, s.has_year_suffix)
        for name in ("author-date", "note", "numeric")
        for s in [style(name)]
    }
    assert told == {
        "author-date": ("en-US", False, True, True, True, False),
        "note": ("en-US", True, True, True, False, False),
        "numeric": ("en-GB", False, True, False, False, False),
    }
    bare = read_style(csl(INFO.format("") + LAYOUT).encode(), "x.csl", "de")
    assert (bare.locale, bare.has_bibliography, bare.has_locators) == ("de", False, False)


@pytest.mark.parametrize(
    ("language", "word"),
    [("de", "zugegriffen"), ("de-AT", "zugegriffen"), ("fr", "consulté le"), ("en", "accessed"), ("xx", "accessed")],
)
def test_terms_are_in_the_language_of_the_site(language: str, word: str) -> None:
    """Where the style has none of its own; one that is not known gives English."""
    raw = csl(INFO.format("") + LAYOUT.replace('variable="title"', 'term="accessed"')).encode()
    assert str(read_style(raw, "x.csl", language).processor().root.get_single_term(name="accessed")) == word


def test_a_style_may_hold_comments_and_any_encoding() -> None:
    """As files are found."""
    raw = (STYLES / "numeric.csl").read_bytes().decode().replace("<citation>", "<!-- <txt/> é -->\n<citation>")
    latin = raw.replace('encoding="utf-8"', 'encoding="iso-8859-1"').encode("latin-1")
    assert read_style(raw.encode(), "x.csl").processor().has_bibliography()
    assert read_style(latin, "x.csl").processor().has_bibliography()
