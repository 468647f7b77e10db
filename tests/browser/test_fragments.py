"""From a quote on a page to the very words in the source, as Chromium follows a text fragment."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from planbook.citations.quotes import directive_of, fragment_link
from planbook.model import Reference
from planbook.views.bibliography.quote_links import quote_link
from tests.browser.conftest import Reader
from tests.browser.sites import Site, build, served
from tests.research.web.server import Reply, Web

GAP = '<div style="height: 3000px"></div>'
WORDS = " ".join(f"word{n}" for n in range(90))
HTML = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,"><title>Water</title></head><body>
<p id="lower">Then water at 80 degrees keeps it.</p>{GAP}
<p id="same">And Water at 80 degrees keeps it too.</p>{GAP}
<h2 id="head">Rye</h2>
<p id="next">Water at 80 degrees, once more; a café “quoted” well-kept, a &amp; b, 100% #1.</p>{GAP}
<ul id="list"><li>first milk is poured</li><li>then the tea follows</li></ul>{GAP}
<p id="long">{WORDS} and an end.</p>{GAP}
<p id="wrapped">This is kept in
a wrapped <em>source</em> line.</p>{GAP}
<pre id="code">docker build \\
  --target runtime --no-cache</pre>{GAP}
<table id="table"><tr><td id="first">cell of a row</td><td id="second">cell of a row too</td></tr></table>{GAP}
<p id="again">Rye, after all. cell of a row</p>
</body></html>
"""
"""A page whose paragraphs stand far apart, so that only one of them is ever in view."""

QUOTES = [
    ("water at 80 degrees", "lower"),
    ("Water at 80 degrees keeps it too", "same"),
    ("Water at 80 degrees, once", "next"),
    ("a café “quoted” well-kept, a & b, 100% #1.", "next"),
    ("well-kept, a & b", "next"),
    ("Rye", "head"),
    ("Rye, after all.", "again"),
    (" ".join(WORDS.split()[3:80]), "long"),
    ("kept in a wrapped source line.", "wrapped"),
    ("--target runtime", "code"),
    ("docker build \\\n  --target runtime", "code"),
    ("cell of a row", "first"),
]
"""Words, and the element that they stand in first."""

PAGE = """---
title: Water
references:
  - id: water
    title: Water
    URL: URL
    custom:
      quotes:
        q1: Water at 80 degrees keeps it too
        q2: well-kept, a & b
---

# Water

It keeps [@water, q1], and milk [@water, q2].
"""


@pytest.fixture
def web() -> Iterator[Web]:
    """A server on loopback that has the source."""
    with Web() as running:
        running.put("/water", Reply(200, HTML.encode()))
        yield running


def target(page: Page) -> str | None:
    """The element that the browser went to; it must be in view."""
    page.wait_for_function("document.querySelector(':target') !== null")
    found = page.locator(":target")
    expect(found).to_be_in_viewport()
    return found.get_attribute("id")


@pytest.mark.parametrize(("words", "place"), QUOTES, ids=[f"{n}-{place}" for n, (_, place) in enumerate(QUOTES)])
def test_a_directive_leads_to_the_words_that_are_quoted(reader: Reader, web: Web, words: str, place: str) -> None:
    """The browser goes to the first place with these words."""
    assert target(reader.open(fragment_link(web.url("/water"), directive_of(words)))) == place


PLAIN = f"""# Water

{"Nothing here." + chr(10) * 200}
- Keeps `catechins` in, and **time**
  draws [them](out.md) out.
{chr(10) * 200}"""
"""A file as a repository's host serves it: plain text, in which markup is text."""


@pytest.mark.parametrize("words", ["Keeps `catechins` in", "**time**\n  draws [them](out.md) out."])
def test_a_quote_with_markup_is_found_in_the_plain_file(reader: Reader, web: Web, words: str) -> None:
    """Its address is that of the plain file; the browser goes to the words, also in a sandbox and across lines."""
    guard = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    headers = {"Content-Type": "text/plain; charset=utf-8", "Content-Security-Policy": guard}
    web.put("/leaf/brew/main/water.md", Reply(200, PLAIN.encode(), tuple(headers.items())))
    work = Reference("water", "Water", "https://github.com/leaf/brew/blob/main/water.md", quotes=(("q1", words),))
    raw, _, fragment = quote_link(work, "q1", words).partition("#")
    assert raw == "https://raw.githubusercontent.com/leaf/brew/main/water.md"
    page = reader.open(f"{web.url('/leaf/brew/main/water.md')}#{fragment}")
    page.wait_for_function("scrollY > 1000 && scrollY < 6000")


@pytest.fixture
def site(tmp_path: Path, web: Web) -> Iterator[Site]:
    """A base of one page that quotes the source, verified and built by the commands that a user types."""
    project = tmp_path / "project"
    (project / "docs").mkdir(parents=True)
    (project / "plans").mkdir()
    (project / "docs" / "water.md").write_text(PAGE.replace("URL: URL", f"URL: {web.url('/water')}"), encoding="utf-8")
    (project / "mkdocs.yml").write_text("site_name: Tea\ntheme: {name: material, font: false}\nplugins: [planbook]\n")
    command = [str(Path(sys.executable).with_name("planbook")), "verify", "--allow-loopback", "--pause", "0"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    with served("water", tmp_path / "site") as built:
        build(project, built.folder)
        yield built


def test_a_reader_follows_a_quote_to_its_words(reader: Reader, site: Site) -> None:
    """The way begins in References, at the link beside the quote."""
    for quote, place in {"q1": "same", "q2": "next"}.items():
        page = reader.open(f"{site.url}water/")
        page.locator("#ref-water > details > summary").click()
        page.locator(f"#r1\\.{quote}").get_by_role("link", name="Open at this line").click()
        assert target(page) == place


def test_a_reader_sees_the_paragraph_around_a_quote(reader: Reader, site: Site) -> None:
    """In the box beside the citation and in the reference, with the quote marked, and when it was read."""
    page = reader.open(f"{site.url}water/", 1200)
    for place, day in (
        (page.locator(".pb-evidence"), page.locator(".pb-evidence details small")),
        (page.locator("#r1\\.q1"), page.locator("#ref-water > details > small")),
    ):
        if place.count() == 0:
            page.locator("[id='c.1']").hover()
        else:
            page.locator("#ref-water > details > summary").click()
        place.locator("summary", has_text="in its paragraph").click()
        around = place.locator("details p")
        expect(around).to_be_visible()
        expect(around).to_contain_text("And Water at 80 degrees keeps it too. Rye")
        expect(around.locator("mark")).to_have_text("Water at 80 degrees keeps it too")
        expect(day).to_contain_text("as read on")
        page.keyboard.press("Escape")  # closes the box, which may lie above the reference
