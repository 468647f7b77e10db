"""A site whose citations are in a CSL style, built by the command that a user types."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest

from tests.site.conftest import ENVIRONMENT, Built, Project, build, built_strictly
from tests.views.csl.pages import STYLES

FILES = {
    "mkdocs.yml": (
        "site_name: Bread\nsite_url: https://bread.example/\ntheme: {name: material, font: false, language: LANGUAGE}\n"
        "plugins:\n  - planbook: {citation_style: styles/STYLE.csl}\n"
    ),
    "plans/bread.md": "# Bread\n\n## PART 1: Create bread/1-rye.md\n\n- [x] PART 1: Create bread/1-rye.md\n",
    "docs/bread/1-rye.md": """---
references:
  - id: rye
    type: webpage
    title: Rye & its <flour>
    author: [{family: Miller, given: Anna}]
    URL: https://rye.example/a#top
    archive: https://archive.example/rye
    accessed: {date-parts: [[2026, 11, 20]]}
    custom:
      quotes: {q1: "dark, and sour"}
  - {id: oats, type: book, title: Oats, publisher: Mill}
---

# Rye

It is old [@rye, q1], and darker than oats [@rye, sec. "Colour"; @oats, p. 3].
""",
    "docs/bread/2-oats.md": "# Oats\n\nFrom [On oats](https://oats.example/) (accessed 2026-11-19):\n- light\n",
}


def bread(project: Project, style: str, language: str = "en") -> Path:
    """A small base with that style."""
    config = FILES["mkdocs.yml"].replace("STYLE", style).replace("LANGUAGE", language)
    root = project(FILES | {"mkdocs.yml": config})
    shutil.copytree(STYLES, root / "styles")
    return root


def article(built: Built, uri: str) -> str:
    """The text of a page."""
    return built.html(uri).partition("<article")[2].partition("</article>")[0]


def test_a_page_is_shown_in_the_style(project: Project) -> None:
    """Citations and entries in its words, with previews, links, quotes, copies, and the way back."""
    html = article(built_strictly(bread(project, "author-date")), "bread/1-rye/")
    assert re.sub("<[^>]*>", "", html).count("(Miller n.d.)") == 1
    assert re.sub("<[^>]*>", "", html).count("(Miller n.d., sec. “Colour”; Mill n.d., p. 3)") == 1
    assert re.findall(r'<a class="pb-cite" id="([^"]*)" href="([^"]*)"', html) == [
        ("cite-rye-1", "#ref-rye"),
        ("cite-rye-2", "#ref-rye"),
        ("cite-oats-1", "#ref-oats"),
    ]
    assert 'title="Rye & its <flour> – “dark, and sour”"' in unescape(html).replace("\u2060", "")
    section = html.partition('id="works-cited"')[2]
    assert re.findall(r'<li id="ref-(\w+)"', section) == ["oats", "rye"]
    assert "Miller, Anna. n.d. “Rye &amp; its &lt;flour&gt;.”" in section
    assert '<a href="https://rye.example/a#top">https://rye.example/a#top</a>, accessed November 20, 2026.' in section
    assert '<a href="https://archive.example/rye">archived copy</a>' in section
    assert 'href="https://rye.example/a#top:~:text=dark%2C%20and%20sour"' in section
    assert re.findall(r'href="(#cite-[^"]*)"', section) == ["#cite-oats-1", "#cite-rye-1", "#cite-rye-2"]


def test_a_finished_page_is_shown_in_the_style(project: Project) -> None:
    """Its text stays as it is; the section is the style's."""
    html = article(built_strictly(bread(project, "numeric")), "bread/2-oats/")
    assert 'From <a href="https://oats.example/">On oats</a> (accessed 2026-11-19):' in html
    assert re.search(r'1\. On oats\. Available at: <a href="https://oats\.example/">[^<]*</a> \[19 Nov 2026\]\.', html)


def test_a_style_of_notes_has_notes(project: Project) -> None:
    """Below the text, before the works; each leads back to its number."""
    html = article(built_strictly(bread(project, "note")), "bread/1-rye/")
    notes = html.partition('class="pb-notes"')[2].partition("</ol>")[0]
    assert re.findall(r'<li id="(note-\d)"', notes) == ["note-1", "note-2"]
    assert re.findall(r'href="(#[^"]*)"', notes) == [
        "#ref-rye",
        "#note-1-from",
        "#ref-rye",
        "#ref-oats",
        "#note-2-from",
    ]
    assert {"note-1-from", "note-2-from"} <= set(re.findall(r'id="([^"]*)"', html))


def test_a_style_speaks_the_language_of_the_site(project: Project) -> None:
    """Where it names no language itself."""
    root = bread(project, "author-date", "de")
    path = root / "styles" / "author-date.csl"
    path.write_text(path.read_text("utf-8").replace(' default-locale="en-US"', ""), "utf-8")
    assert "zugegriffen 20. November 2026" in article(built_strictly(root), "bread/1-rye/")


@pytest.mark.parametrize("engine", ["mkdocs", "properdocs"])
def test_what_citeproc_cannot_do_ends_the_build(project: Project, engine: str) -> None:
    """The message names the page, the style's file, the work, and what is wrong."""
    root = bread(project, "author-date")
    path = root / "styles" / "author-date.csl"
    no_date, itself = '<text term="no date" form="short"/>', '<text macro="year"/>'
    path.write_text(path.read_text("utf-8").replace(no_date, itself), "utf-8")
    built = build(root, engine=engine)
    assert built.returncode == 1
    told = "planbook: bread/1-rye.md: styles/author-date.csl: citeproc-py cannot apply it to @oats (RecursionError: "
    assert told in built.log
    assert "Traceback" not in built.log


def test_without_the_extra_the_build_says_what_to_install(project: Project) -> None:
    """And a site without a style needs none of it."""
    root = bread(project, "author-date")
    hide = "import sys; sys.modules['citeproc'] = None; from mkdocs.__main__ import cli; cli()"
    command = [sys.executable, "-c", hide, "build", "-q"]
    done = subprocess.run(command, cwd=root, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    advice = "citation_style needs the package citeproc; run: python -m pip install 'path/to/planbook[csl]'"
    assert advice in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    config = root / "mkdocs.yml"
    config.write_text(config.read_text("utf-8").replace(": {citation_style: styles/author-date.csl}", ""), "utf-8")
    done = subprocess.run(command, cwd=root, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
