"""Pages that cite, built with what `planbook verify` found out: what readers see of it, and what programs do."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from urllib.parse import urljoin

import pytest
from bibtexparser.entrypoint import parse_string

from planbook.views.template import reader_day
from tests import forks
from tests.files import put
from tests.plugin.conftest import ENVIRONMENT, Built, build, built_strictly
from tests.research.web.server import Reply, Web

CONFIG = """\
site_name: Tea
site_url: https://tea.example/book/
site_author: The tea people
theme: {name: material, font: false, language: en}
plugins: [planbook]
markdown_extensions: [md_in_html, tables]
"""
PLAN = """\
# Tea

## PART 1: Create tea/01-water.md (100 lines)

- [✓] PART 1: Create tea/01-water.md (Completed 2026-11-19 10:00 UTC)

## PART 2: Create tea/02-time.md (100 lines)

- [✓] PART 2: Create tea/02-time.md (Completed 2026-11-20)

## PART 3: Create tea/03-leaf.md (100 lines)

- [ ] PART 3: Create tea/03-leaf.md
"""
WATER = """\
---
title: Water
created: 2026-11-18
generated: {{writer: extract, date: 2026-11-18}}
reviewed: {{date: 2026-11-19, by: A. Person}}
references:
  - id: steeping
    type: article-journal
    title: Steeping
    author: [{{family: Miller, given: Ada}}]
    issued: 2024-08
    URL: {url}/good
    accessed: {{date-parts: [[2026, 11, 18]]}}
    custom: {{quotes: {{q1: "keeps the catechins", q2: "at 80 degrees"}}}}
  - id: gone
    type: webpage
    title: A page that went
    URL: {url}/gone
---

# Water

It is said [@steeping, q1], and elsewhere [@gone]. See [@steeping, q2].
"""
TIME = """\
---
references:
  - {{id: on-steeping, type: webpage, title: On steeping, URL: "{url}/good/"}}
---

# Time

Time goes by [@on-steeping].

## Sources

- [Another work](https://other.example/work)
"""
SOURCE = (
    "<h1>Steeping</h1>" + "<p>Water at 80 degrees keeps the catechins in the leaf, and time draws them out.</p>" * 5
)


def planbook(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line, in a project."""
    return forks.run("planbook", *arguments, cwd=root, env=ENVIRONMENT)


@pytest.fixture(scope="module")
def verified(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of two pages that cite and one that does not, the first of them checked against a server."""
    root = tmp_path_factory.mktemp("citations")
    with Web() as web:
        web.html("/good", SOURCE)
        web.put("/gone", Reply(410))
        url = f"http://127.0.0.1:{web.port}"
        files = {
            "mkdocs.yml": CONFIG,
            "plans/tea.md": PLAN,
            "docs/tea/01-water.md": WATER.format(url=url),
            "docs/tea/02-time.md": TIME.format(url=url),
            "docs/tea/04-pots.md": "# Pots\n\nOf clay.\n",
            "docs/tea/05-cups.md": "---\nreviewed: 2026-11-20\n---\n\n# Cups\n\nOf clay, too.\n",
        }
        put(root, files)
        told = planbook(root, "verify", "--allow-loopback", "--pause", "0", "docs/tea/01-water.md")
        assert "1 of 2 sources in order; 2 of 2 quotes found" in told.stdout, told.stderr
    return root


@pytest.fixture(scope="module")
def cited(verified: Path) -> Built:
    """Its site."""
    return built_strictly(verified)


@pytest.fixture
def again(verified: Path, tmp_path: Path) -> Path:
    """A copy of the project, to be changed."""
    root = tmp_path / "again"
    shutil.copytree(verified, root, ignore=shutil.ignore_patterns("site"))
    return root


def said(html: str) -> dict[str, str]:
    """The statements of a page by their kind: whether they hold."""
    return dict(re.findall(r'<span [^>]*data-statement="(\w+)" data-holds="(\w+)">', html))


def words(html: str) -> str:
    """The statements of a page as text."""
    block = re.search(r'<ul aria-label="Status of this page">.*?</ul>', html, re.DOTALL)
    rows = re.findall(r"<li>(?!<span)(.*?)</li>", block[0], re.DOTALL) if block else []
    return " ".join(re.sub(r"<[^>]+>", "", " ".join(rows)).split())


def tags(html: str) -> dict[str, str]:
    """What a page tells programs of itself, by the tag's name."""
    return dict(re.findall(r'<meta (?:name|property)="([\w.:]+)" content="([^"]*)">', html))


def day_of_check(root: Path) -> str:
    """When the project was checked."""
    report = json.loads((root / "planbook-verify.json").read_text(encoding="utf-8"))
    return str(report["pages"]["tea/01-water.md"]["checked"])[:10]


# --- statements -------------------------------------------------------------------------------------------------------


def test_a_page_that_was_not_checked_says_so(cited: Built) -> None:
    """Though another page cites the same work, and was."""
    assert said(cited.html("tea/02-time")) == {"verified": "no"}
    assert words(cited.html("tea/02-time")) == "Not reviewed by a person yet Not verified yet"


def test_other_pages_say_only_what_they_know(cited: Built) -> None:
    """A placeholder, the INDEX and a page that no plan names have no statements, unless it has a word to say."""
    for uri in ("tea/03-leaf", "INDEX", "", "sources", "progress", "tea/04-pots"):
        assert said(cited.html(uri)) == {}
    assert said(cited.html("tea/05-cups")) == {"reviewed": "yes", "verified": "no"}


def test_a_check_of_another_text_is_not_said_of_this_one(again: Path) -> None:
    """The page as a whole is not verified, nor are references that changed; the results of others stay."""
    page = again / "docs" / "tea" / "01-water.md"
    page.write_text(page.read_text("utf-8").replace("keeps the catechins", "keeps the catechins in"))
    built = built_strictly(again)
    html = built.html("tea/01-water")
    assert said(html)["verified"] == "no"
    assert f"Changed since its check on {reader_day(day_of_check(again))}".replace("\xa0", " ") in words(html)
    assert sorted(re.findall(r'data-check="(\w+)"', html)) == ["gone", "unchecked"]
    assert sorted(re.findall(r'<li data-check="(\w+)" ', built.html("sources"))) == ["gone", "unchecked", "unchecked"]


def test_a_spoilt_report_is_told(again: Path) -> None:
    """The warning says what to do; the site is built without the report."""
    (again / "planbook-verify.json").write_text("{", encoding="utf-8")
    built = build(again)
    assert built.returncode == 0
    assert "planbook-verify.json is skipped: it is not JSON; run `planbook verify` again" in built.log
    assert said(built.html("tea/01-water"))["verified"] == "no"


def test_only_a_person_says_that_a_page_is_reviewed(again: Path) -> None:
    """Neither a check nor `cite --write` sets `reviewed`, or takes it away."""
    pages = [again / "docs" / "tea" / name for name in ("01-water.md", "02-time.md")]
    planbook(again, "verify", "--offline")
    assert planbook(again, "cite", "--write", *map(str, pages)).returncode == 0
    assert "reviewed: {date: 2026-11-19, by: A. Person}\n" in pages[0].read_text("utf-8")
    assert "references:" in pages[1].read_text("utf-8")
    assert "reviewed" not in pages[1].read_text("utf-8")


# --- programs ---------------------------------------------------------------------------------------------------------


def test_written_pages_of_the_base_describe_themselves(cited: Built) -> None:
    """In the tags of reference managers, in their heads; other pages have none."""
    pages = {path.relative_to(cited.site).as_posix(): path.read_text("utf-8") for path in cited.site.rglob("*.html")}
    telling = {uri for uri, html in pages.items() if "citation_title" in html.partition("</head>")[0]}
    assert telling == {f"tea/{name}/index.html" for name in ("01-water", "02-time", "04-pots", "05-cups")}
    assert telling == {uri for uri, html in pages.items() if 'name="citation_title"' in html}


def test_a_page_tells_what_its_front_matter_and_its_plan_say(cited: Built) -> None:
    """Address, dates and people; the day of the build is not among them."""
    water, time = tags(cited.html("tea/01-water")), tags(cited.html("tea/02-time"))
    assert water["citation_public_url"] == "https://tea.example/book/tea/01-water/"
    assert (water["citation_publication_date"], water["citation_author"]) == ("2026/11/18", "The tea people")
    assert (time["citation_title"], time["citation_abstract"]) == ("Time", "Time goes by.")
    assert time["citation_publication_date"] == "2026/11/20"
    assert "citation_publication_date" not in tags(cited.html("tea/04-pots"))


def test_the_site_has_every_work_once(cited: Built) -> None:
    """With what the page says of it that says most, under an id of its own; linked from the Sources page."""
    items = json.loads((cited.site / "references.json").read_text("utf-8"))
    by_title = {item["title"]: item for item in items}
    assert set(by_title) == {"Steeping", "A page that went", "Another work"}
    assert by_title["Steeping"]["author"] == [{"family": "Miller", "given": "Ada"}]
    entries = parse_string((cited.site / "references.bib").read_text("utf-8")).entries_dict
    assert list(entries) == [item["id"] for item in items]
    for href in re.findall(r'<a href="([^"]+)" download', cited.html("sources")):
        assert (cited.site / urljoin("/sources/", href).lstrip("/")).is_file()


def test_cite_prints_the_works_of_a_page(cited: Built) -> None:
    """With the ids that the page uses, in both forms."""
    page = "docs/tea/01-water.md"
    items = json.loads(planbook(cited.root, "cite", "--format", "csl-json", page).stdout)
    entries = parse_string(planbook(cited.root, "cite", "--format", "bibtex", page).stdout)
    assert [item["id"] for item in items] == list(entries.entries_dict) == ["steeping", "gone"]


def test_a_file_of_the_authors_by_that_name_stays(again: Path) -> None:
    """An author's own references.bib is published as it is."""
    own = again / "docs" / "references.bib"
    own.write_text("% mine\n", encoding="utf-8")
    assert (built_strictly(again).site / "references.bib").read_text("utf-8") == "% mine\n"


@pytest.mark.parametrize("theme", [pytest.param("material", marks=pytest.mark.nightly), "mkdocs"])
def test_files_and_head_are_there_however_the_site_is_made(again: Path, theme: str) -> None:
    """Without directory addresses, without an address of its own, and with another theme."""
    config = CONFIG.replace("site_url: https://tea.example/book/\n", "use_directory_urls: false\n")
    config = config.replace("{name: material, font: false, language: en}", f"{{name: {theme}}}")
    (again / "mkdocs.yml").write_text(config, encoding="utf-8")
    built = build(again)
    assert built.returncode == 0, built.log
    html = (built.site / "tea" / "01-water.html").read_text("utf-8")
    assert "citation_public_url" not in tags(html)
    assert tags(html)["citation_title"] == "Water"
    for href in re.findall(r'<a href="([^"]+)" download', html):
        assert (built.site / "tea" / href).is_file()


def test_citations_that_are_a_paragraph_of_their_own(tmp_path: Path) -> None:
    """Their numbers stand in brackets, as within a sentence, in both readers of Markdown."""
    works = "references:\n  - {id: a, type: book, title: A}\n  - {id: b, type: book, title: B}\n"
    page = f"---\n{works}---\n# D\n\n[@a] [@b]\n\nText [@a; @b].\n\n[@b]\n\n[@b; @a]\n"
    for mode in ("python", "github"):
        options = f"plugins:\n  - planbook:\n      markdown: {mode}\n"
        config = f"site_name: T\ntheme: {{name: material, font: false}}\n{options}"
        root = put(tmp_path / mode, {"mkdocs.yml": config, "docs/index.md": "# Home\n", "docs/d.md": page})
        html = built_strictly(root).html("d").partition("<article")[2].partition("<h2")[0]
        text = re.sub(r"<[^>]+>", "", html)
        assert re.findall(r"\S*\[[^\]]*\]", text) == ["[1, 2]", "[1, 2]", "[2]", "[2, 1]"]
