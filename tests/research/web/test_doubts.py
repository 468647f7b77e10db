"""Pages with status 200 that are none: consent walls and error pages are doubted, documentation is not."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from planbook.research.web.document_text import document_text
from planbook.research.web.doubts import repeated_on_host
from planbook.research.web.model import Fetched, Outcome, Unfetched
from tests.conftest import lacks

URL = "https://tea.example/guide/soda-firing"
BODY = "<p>Wir konnten nichts finden, was dazu passt. Bitte gehen Sie zurueck.</p>"
LONG = f"<p>{'Soda reacts with silica at high heat. ' * 60}</p>"
WALL = "<p>Wir und unsere Partner verarbeiten Daten.</p><button>Alle annehmen</button>"


def doubt(html: str, url: str = URL, *, is_local: bool = False) -> str | None:
    """Why the page is doubted."""
    return document_text(html.encode(), "text/html", None, url, 1, is_local=is_local).doubt


@pytest.mark.parametrize(
    ("html", "why"),
    [
        (f"<title>Soda firing</title><h1>Soda firing</h1>{WALL}", "asks for an answer"),
        (f"<title>Soda firing</title><div role='dialog'>{WALL}</div>", "asks for an answer"),
        (f"<title>Anmelden</title><form><input type=password></form>{BODY}", "asks for an answer"),
        (f"<title>Seite nicht gefunden</title>{BODY}", "no word of its address is on it"),
        (
            "<title>Nichts da</title><h1>Nichts da</h1><p>Soda firing gibt es nicht.</p>",
            "its title has no word of its address",
        ),
        (f"<title>404 - Soda firing</title><h1>Soda firing</h1>{BODY}", "the number of an error"),
        (f"<meta name=robots content='noindex, follow'><title>Soda firing</title>{BODY}", "not to list it"),
        (f"<link rel=canonical href='https://tea.example/'><title>Soda firing</title>{BODY}", "another address"),
        (f"<meta property='og:url' content='/errors/404'><title>Soda firing</title>{BODY}", "another address"),
        (f"<meta http-equiv=refresh content='0; url=/login'><title>Soda firing</title>{BODY}", "leads on"),
    ],
)
def test_a_page_that_is_none_is_doubted(html: str, why: str) -> None:
    """By what it says to programs, its size, its controls and its address, in any language; a long one is not."""
    assert why in (doubt(html) or "")
    assert doubt(html.replace("</title>", f"</title>{LONG}")) is None


FILLER = "<p>" + "Vielleicht hilft Ihnen die Startseite oder ein Blick in unser Verzeichnis weiter. " * 7 + "</p>"
"""Text of an error page: 77 words."""


@pytest.mark.parametrize(
    "said",
    [
        "Die Adresse /guide/soda-firing gibt es nicht.",
        "https://tea.example/guide/soda-firing wurde nicht gefunden.",
        "Not found: tea.example/guide/soda-firing?from=mail",
        "<code>GET /guide/soda-firing</code>",
        "Keine Treffer: soda firing.",
        "Keine Treffer: \u201esoda-firing\u201c.",
    ],
)
def test_an_error_page_that_repeats_its_address_is_doubted(said: str) -> None:
    """It has more than 60 words: what it repeats is no sign that it is the page; an article's words are."""
    assert "of its address" in (doubt(f"<title>Hoppla</title><h1>Hoppla</h1><p>{said}</p>{FILLER}") or "")
    article = "<p>Soda reacts with silica. Soda firing needs 1300 degrees; a firing takes a day.</p>"
    assert doubt(f"<title>Hoppla</title><h1>Hoppla</h1><p>{said}</p>{article}{FILLER}") is None
    assert doubt(f"<title>Soda firing</title><h1>Soda firing</h1><p>{said}</p>{FILLER}") is None


@pytest.mark.parametrize(
    ("name", "title", "is_doubted"),
    [
        ("seite.html", "Seite nicht gefunden", True),
        ("die-seite", "Seite nicht gefunden | Ton und Feuer", True),
        ("found", "Page not found", True),
        ("kein-brot.html", "Kein Brot gefunden", False),
        ("sodafiring", "Soda firing | Clay and Fire", False),
        ("soda-firing", "Clay and Fire - Soda", False),
    ],
)
def test_a_title_that_shares_a_word_with_its_address_by_chance_is_no_sign(
    name: str, title: str, *, is_doubted: bool
) -> None:
    """On a page with hardly any text, half of a title's words are in the address; the site's name does not count."""
    page = f"<title>{title}</title><h1>{title.partition(' | ')[0]}</h1><p>{title}: nichts weiter.</p>"
    found = doubt(page, f"https://tea.example/{name}") or ""
    assert bool(found) is is_doubted
    assert not is_doubted or "most words of its title are not of its address" in found


@pytest.mark.parametrize("url", ["https://tea.example/page", "https://tea.example/p/8431", "https://tea.example/"])
def test_an_address_without_words_is_no_sign(url: str) -> None:
    """A short page at such an address is not doubted for its words."""
    assert doubt("<title>Notes</title><h1>Notes</h1><p>Soda reacts with silica.</p>", url) is None


def test_a_saved_page_is_doubted_too() -> None:
    """By the same signs, with the address that it names; the name of a file is the user's own."""
    assert "asks for an answer" in (
        doubt(f"<title>Soda</title>{WALL}", "file:///documents/soda.html", is_local=True) or ""
    )
    own = "<title>Soda</title><p>Soda firing.</p>"
    assert doubt(own, "file:///documents/soda.html", is_local=True) is None
    assert doubt(own, "file:///documents/copied-from-the-kiln.html", is_local=True) is None
    saved = f"<link rel='canonical' href='https://kiln.example/copied-from-the-kiln.html'>{own}"
    assert "no word of its address" in (doubt(saved, "file:///documents/a.html", is_local=True) or "")


@pytest.mark.parametrize("name", ["prerender-status-code", "status"])
@pytest.mark.parametrize("status", ["404", "410 Gone", "500"])
def test_a_status_in_the_head_counts_as_one(name: str, status: str) -> None:
    """A page of any length that says that it is an error is none."""
    with pytest.raises(Unfetched, match="the page says that its status is"):
        doubt(f"<meta name='{name}' content='{status}'><title>Soda firing</title>{LONG}")
    assert doubt(f"<meta name='{name}' content='200'><title>Soda firing</title>{LONG}") is None


def test_short_pages_with_one_text_on_a_host_are_doubted() -> None:
    """The same few words at two addresses of a host; not the versions of one page, nor two hosts."""

    def page(url: str, text: str = "Nothing here.") -> Fetched:
        return Fetched(url, Outcome.OK, media_type="text/html", text=text, visible=text)

    missing = [page("https://tea.example/soda"), page("https://tea.example/salt")]
    versions = [page("https://tea.example/1.0/wood.html", "Wood."), page("https://tea.example/2.0/wood/", "Wood.")]
    others = [page("https://a.example/x", "Ash."), page("https://b.example/y", "Ash.")]
    long = [page("https://tea.example/l", "word " * 300), page("https://tea.example/m", "word " * 300)]
    assert repeated_on_host([*missing, *versions, *others, *long]) == {one.url for one in missing}
    three = [page(f"https://tea.example/{name}", "word " * 100) for name in ("ash", "oak", "elm")]
    assert repeated_on_host(three[:2]) == frozenset()
    assert repeated_on_host(three) == {one.url for one in three}


PLACES = {
    "git-doc": ("https://git-scm.com/docs/", "**/*.html"),
    "cmake-doc": ("https://cmake.org/cmake/help/latest/", "html/**/*.html"),
    "sqlite3": ("https://sqlite.org/", "**/*.html"),
    "postgresql-doc-15": ("https://www.postgresql.org/docs/15/", "html/*.html"),
    "apache2-doc": ("https://httpd.apache.org/docs/2.4/", "manual/**/*.html*"),
}


@pytest.mark.parametrize(
    ("package", "number"),
    [*((name, 25) for name in PLACES), *(pytest.param(name, 250, marks=pytest.mark.nightly) for name in PLACES)],
)
def test_documentation_is_not_doubted(package: str, number: int) -> None:
    """Of real pages, many of which are short, at most one in a hundred is."""
    base, pattern = PLACES[package]
    top = Path("/usr/share/doc") / package
    pages = sorted(top.glob(pattern))
    if not pages:
        lacks(f"needs the documents of Debian's package for {package}")
    chosen = random.Random(number).sample(pages, min(number, len(pages)))  # noqa: S311 - not for security
    doubted = []
    for path in chosen:
        url = base + path.relative_to(top).as_posix()
        if document_text(path.read_bytes(), "text/html", None, url, 1).doubt:
            doubted.append(url)
    assert len(doubted) <= len(chosen) // 50 + 1, doubted
