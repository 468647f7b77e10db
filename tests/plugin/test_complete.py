"""A small complete site, from plans of every state and pages of every kind, one of the plans meaning harm.

Its input is `tests/golden/site`; what is generated from it is compared with `tests/golden/made`.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from planbook.cli import main
from planbook.library import MESSAGES, TOP_PAGES, link_tree
from planbook.store import Settings, read_tree
from tests.conftest import ROOT
from tests.markdown.outline import lists_of
from tests.plugin.conftest import HARM, SITE, Built, Project, assert_same_site, build, built_strictly, copied_site

MADE = ROOT / "tests" / "golden" / "made"
NAMES = sorted(path.relative_to(MADE).as_posix() for path in MADE.rglob("*") if path.is_file())


@pytest.fixture(scope="session")
def told(complete: Built) -> dict[str, dict[str, Any]]:
    """What MkDocs knew of each page, by its path."""
    pages: dict[str, dict[str, Any]] = json.loads((complete.root / "told.json").read_text(encoding="utf-8"))
    return pages


def made(complete: Built) -> dict[str, str]:
    """Every generated file, and the nav."""
    folder = complete.root / "made"
    files = {p.relative_to(folder).as_posix(): p.read_text("utf-8") for p in sorted(folder.rglob("*")) if p.is_file()}
    return files | {"nav.txt": (complete.root / "nav.txt").read_text("utf-8")}


# ---------------------------------------------------------------------------------------------- golden


def test_generated_files(complete: Built, golden: Callable[[Path, str], None]) -> None:
    """Each placeholder, INDEX, the progress page, its JSON and the nav are what was reviewed."""
    for uri, text in made(complete).items():
        golden(MADE / uri, text)


def test_no_other_files_are_generated(complete: Built) -> None:
    """Nothing of a template, of a plan's notes, of drops, or outside the base."""
    assert sorted(made(complete)) == NAMES


def test_json_is_that_of_the_command_line(complete: Built) -> None:
    """`progress.json` on the site holds what `planbook status --format=json` prints."""
    site = json.loads((complete.site / "progress.json").read_text("utf-8"))
    done = CliRunner().invoke(main, ["status", "--format=json", "--root", str(complete.root)], prog_name="planbook")
    assert site == json.loads(done.stdout)


# ---------------------------------------------------------------------------------------------- finished pages


def test_metadata_is_completed(told: dict[str, dict[str, Any]]) -> None:
    """A page without front matter has what its plan and the disk say of it."""
    meta = told["bread/10-dark-rye.md"]["meta"]
    assert {key: meta[key] for key in ("plan", "part", "state", "lines_budget", "lines", "completed")} == {
        "plan": "bread",
        "part": 1,
        "state": "done",
        "lines_budget": [20, 20],
        "lines": 18,
        "completed": "2024-05-07 08:09 UTC",
    }
    assert meta["description"] == "Rye is a grain of the north, and its bread is dark."
    assert told["bread/10-dark-rye.md"]["title"] == "Dark rye, from flour to crust"


def test_written_metadata_is_never_overruled(told: dict[str, dict[str, Any]]) -> None:
    """What its author wrote stays, whatever the plan says; only what is missing is added."""
    text = (SITE / "docs" / "bread" / "10-light-wheat.md").read_text("utf-8")
    written = yaml.safe_load(text.split("---")[1])
    meta = told["bread/10-light-wheat.md"]["meta"]
    assert {key: meta[key] for key in written} == written | {"created": "2024-05-20"}
    assert set(meta) - set(written) == {"lines_budget", "completed"}
    assert told["bread/10-light-wheat.md"]["title"] == "Wheat, light"


def test_edit_links(told: dict[str, dict[str, Any]]) -> None:
    """They lead to the page where there is one, to the plan for a placeholder, and to nothing for what nobody wrote."""
    base = "https://git.example/bread/book/edit/main/"
    edit = {uri: page["edit_url"] for uri, page in told.items()}
    assert edit["bread/10-dark-rye.md"] == f"{base}docs/bread/10-dark-rye.md"
    assert edit["about.md"] == f"{base}docs/about.md"
    assert edit["tools/index.md"] == f"{base}docs/tools/index.md"
    assert edit["bread/13-barley.md"] == f"{base}plans/bread.md"
    assert edit["tools/1-ovens.md"] == f"{base}plans/old/oven/ingestion.md"
    assert {edit[uri] for uri in ("INDEX.md", "progress.md", "bread/index.md")} == {None}


def test_lists_links_and_fences_of_a_page_are_fixed(complete: Built) -> None:
    """The built page has CommonMark's lists, and the link from the root leads to the page."""
    html = complete.html("bread/10-dark-rye/")
    article = html.partition("<article")[2].partition("</article>")[0]
    article = re.sub(r'<details class="pb-head".*?</details>', "", article, flags=re.DOTALL)
    found = [item for item in lists_of(article) if item[1] and "Knowledge" not in item[1]]
    assert found[:4] == [
        ("first of ul", "rye flour", (("first of ul", "coarse", ()), ("next of ul", "fine", ()))),
        ("next of ul", "water see wheat", ()),
        ("first of ol 1", "mix", ()),
        ("next of ol 1", "bake", ()),
    ]
    assert 'href="../10-light-wheat/"' in article


def test_the_banner_tells_claim_and_disk(complete: Built) -> None:
    """Each PART's page says its state below its title; where the disk differs, it says so."""
    assert "min to read" in complete.html("bread/10-dark-rye/")
    for uri, words in {
        "bread/10-dark-rye/": "done",
        "bread/12-oats/": "open",
        "bread/11-spelt/": "done",
        "bread/18-sawdust/": "disabled",
    }.items():
        html = complete.html(uri)
        banner = re.search(r'<(p class="pb-banner|details class="pb-head).*?</(p|details)>', html, re.DOTALL)
        assert banner, uri
        assert words in banner[0]
        assert ("pb-verdict" in banner[0]) is (uri in {"bread/12-oats/", "bread/11-spelt/"})
    for uri in ("about/", "tools/9-notes/", "tools/", "", "INDEX/", "bread/"):
        assert not re.search("pb-banner|pb-head", complete.html(uri)), uri


# ---------------------------------------------------------------------------------------------- drops


def test_drops_show_on_the_page_of_their_plan_only(complete: Built) -> None:
    """A PART's page links to its report; HTML in a report is text."""
    pages = {
        path.relative_to(complete.site).as_posix(): path.read_text("utf-8") for path in complete.site.rglob("*.html")
    }
    showing = {uri for uri, html in pages.items() if 'class="pb-drop"' in html}
    assert showing == {"reports/bread/index.html", "reports/old/oven/index.html"}
    assert 'href="../../reports/bread/#knowledge-drop-' in pages["bread/10-dark-rye/index.html"]
    assert 'href="../reports/bread/#knowledge-drop-' in pages["progress/index.html"]
    html = pages["reports/bread/index.html"]
    assert "https://mill.example/rye" in html
    assert "&lt;script&gt;alert(&quot;drop&quot;)&lt;/script&gt;" in html
    assert "The kiln's pages asked for a password." in pages["reports/old/oven/index.html"].replace("&#39;", "'")
    assert not [uri for uri in pages if "KNOWLEDGE" in uri.upper() and "DROP" in uri.upper()]


# ---------------------------------------------------------------------------------------------- harm


class Page(HTMLParser):
    """Reads what a browser would run or fetch from a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.runs: list[str] = []
        self.fetches: list[str] = []
        self._in_script = False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take what an element runs and fetches."""
        self._in_script = tag in {"script", "style"}
        for name, value in attrs:
            if name.startswith("on") or (name in {"href", "src", "action"} and "script:" in (value or "").lower()):
                self.runs.append(f"{tag} {name}={value}")
            if name in {"src", "srcset", "poster"} or (tag == "link" and name == "href"):
                self.fetches.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        """Leave a script."""
        self._in_script = False

    def handle_data(self, data: str) -> None:
        """Take what a script says."""
        if self._in_script:
            self.runs.append(data)


def test_no_plan_runs_anything(complete: Built) -> None:
    """Not a word of a plan or drop is run, styled or fetched, on any page of the site."""
    for path in complete.site.rglob("*.html"):
        page = Page(path.read_text("utf-8"))
        assert not [run for run in page.runs if "alert" in run or "display:none" in run], path
        other_hosts = [url for url in page.fetches if re.match(r"(https?:)?//", url)]
        assert not [url for url in other_hosts if not url.startswith("https://bread.example/book/")], path


def test_no_description_leaves_its_attribute(project: Project) -> None:
    """Themes print a page's description between quotes as it is: of a plan and of a page, it is text there too."""
    harm = 'x"><img src=x onerror=alert(1) y="'
    root = project(
        {
            "mkdocs.yml": "site_name: Bread\ntheme: {name: material, font: false}\nplugins: [planbook]\n",
            "plans/bread.md": "".join(
                f"## PART {n}: Create bread/{n}.md\n\n- [ ] PART {n}: Create bread/{n}.md\n\n**Goal**: {harm}\n\n"
                for n in (1, 2)
            ),
            "docs/bread/2.md": "# Rye\n\n- a list\n",
            "docs/bread/3.md": f"---\ndescription: '{harm} &amp; more'\n---\n\n# Oats\n\nText.\n",
        }
    )
    built = built_strictly(root)
    for name in ("1", "2", "3"):
        found = re.findall(r'<meta name="description" content="([^"]*)">', built.html(f"bread/{name}"))
        assert len(found) == 1
        assert '"><img' in unescape(found[0])
        runs = Page(built.html(f"bread/{name}")).runs
        assert not [run for run in runs if "alert" in run and not run.startswith('{"@context"')]
    assert "&amp; more" in built.html("bread/3")
    assert "&amp;amp;" not in built.html("bread/3")


def test_no_plan_writes_elsewhere(complete: Built) -> None:
    """Targets that lead out of the base, or onto generated pages, make no page; the Problems say so."""
    assert not (complete.root.parent / "etc").exists()
    assert not Path("/abs.md").exists()
    codes = {(p.line, p.code) for p in link_tree(read_tree(Settings(SITE))).problems if p.uri == "plans/harm.md"}
    assert {(12, "P020"), (16, "P020"), (18, "P021"), (24, "K003")} <= codes
    assert "PART 4" not in complete.html("progress/").partition("pb-plan")[0]


# ---------------------------------------------------------------------------------------------- builds


def test_both_engines_build_the_same(complete: Built, tmp_path: Path) -> None:
    """ProperDocs gives what MkDocs gives, but for the line in which each names itself."""
    other = built_strictly(copied_site(tmp_path / "other"), engine="properdocs", wrong=HARM)
    assert_same_site(complete, other)


def test_pages_that_no_plan_names_stay_as_they_are(complete: Built, tmp_path: Path) -> None:
    """Their article is that of a build without the plugin, without the indentation of the theme's templates."""
    root = copied_site(tmp_path / "plain")
    config = (root / "mkdocs.yml").read_text("utf-8")
    config = config.replace("  - planbook\n", "").partition("validation:")[0]
    (root / "mkdocs.yml").write_text(config, "utf-8")
    shutil.rmtree(root / "plans")
    plain = build(root)
    assert plain.returncode == 0, plain.log
    for uri in ("about/", "tools/9-notes/"):
        ours, theirs = (
            [re.sub(r"\n\s*", "\n", article) for article in re.findall(r"<article.*?</article>", html, re.DOTALL)]
            for html in (complete.html(uri), plain.html(uri))
        )
        assert len(ours) == 1
        assert ours == theirs
    assert (complete.site / "about" / "index.html").read_text("utf-8").count("planbook.css") == 1


def test_nothing_is_left_behind(complete: Built) -> None:
    """Beside the project's files there are the site, the cache and what the hook wrote; no temporary folder is kept."""
    names = {path.name for path in complete.root.iterdir()} - {"__pycache__"}
    assert names == {".cache", "docs", "hooks", "made", "mkdocs.yml", "nav.txt", "plans", "site", "told.json"}


# ---------------------------------------------------------------------------------------------- options


def test_a_base_without_home_and_nav(tmp_path: Path) -> None:
    """Both are generated: home says what the base is and how far it has come, the nav holds every page."""
    root = copied_site(tmp_path / "site")
    (root / "docs" / "index.md").unlink()
    config = (root / "mkdocs.yml").read_text("utf-8").partition("nav:")[0]
    (root / "mkdocs.yml").write_text(config, "utf-8")
    built = built_strictly(root, wrong=HARM)
    home = built.html("")
    for words in ("The bread book", "How bread is made, page by page.", "Dark rye, from flour to crust", "Corn"):
        assert words in home
    nav = (root / "nav.txt").read_text("utf-8")
    assert nav.startswith("-  (index.md)\n- Bread (section)\n")
    views = [page.uri for page in TOP_PAGES if page.uri != MESSAGES]  # no page of this base has messages
    assert "".join(f"-  ({uri})\n" for uri in views) in nav
    assert {line.rpartition("(")[2] for line in nav.splitlines()} >= {
        "about.md)",
        "tools/9-notes.md)",
        "harm/10-odd.md)",
    }


def test_pages_are_left_as_they_are_on_demand(tmp_path: Path) -> None:
    """`fix_pages: false` gives Python-Markdown the page as it is written."""
    root = copied_site(tmp_path / "site")
    config = (root / "mkdocs.yml").read_text("utf-8").replace("  - planbook\n", "  - planbook: {fix_pages: false}\n")
    (root / "mkdocs.yml").write_text(config, "utf-8")
    article = build(root).html("bread/10-dark-rye/").partition("<article")[2].partition("</article>")[0]
    assert "- rye flour" in article


def test_alerts_become_admonitions(project: Project) -> None:
    """`> [!NOTE]` is an admonition as on GitHub, and `> [!tip] Title` as in a vault; another quote stays one."""
    root = project(
        {
            "mkdocs.yml": "site_name: x\ntheme: {name: material, font: false}\nplugins: [planbook]\n",
            "docs/index.md": "# Home\n\n> [!NOTE]\n> Mind the **oven**.\n\n> [!tip] Rye\n> - dark\n\n> Said a baker.\n",
        }
    )
    html = build(root).html("")
    assert "[!" not in html.partition("<article")[2]
    assert 'class="admonition note"' in html
    assert "<strong>oven</strong>" in html
    assert 'class="admonition tip"' in html
    assert '<p class="admonition-title">Rye</p>' in html
    assert html.count("<blockquote>") == 1


def test_no_page_leaves_a_site_for_what_it_holds(project: Project) -> None:
    """Without plans, every address of plain MkDocs is built; a page that looks like a plan gives a Problem."""
    files = {
        "mkdocs.yml": "site_name: x\ntheme: {name: material, font: false}\n",
        "docs/index.md": "# Home\n",
        "docs/notes/rye.md": "# Rye\n\n## PART 1: Create bread/1.md\n\n- [ ] PART 1: Create bread/1.md\n",
        "docs/notes/KNOWLEDGE-DROP-rye-2024-05-06.md": "# Drop\n",
        "docs/specs/1/tasks.md": "# Tasks\n\n- [x] a\n- [x] b\n- [ ] c\n",
        "docs/specs/1/list.md": "# List\n\n- [x] a\n- [x] b\n- [ ] c\n",
    }
    root = project(files)
    plain = {path.relative_to(root / "site") for path in build(root).site.rglob("*.html")}
    (root / "mkdocs.yml").write_text(files["mkdocs.yml"] + "plugins:\n  - planbook: {problems: list}\n", "utf-8")
    built = build(root, "-v")
    assert plain <= {path.relative_to(root / "site") for path in built.site.rglob("*.html")}
    found = [line for line in built.log.splitlines() if "K036" in line]
    assert len(found) == 2
    assert "docs/notes/rye.md:1: K036" in found[0]
    assert "add `docs/notes` to `plans_dir`" in found[0]
    assert "docs/specs/1/tasks.md:1: K036" in found[1]
    assert "(0 PARTs, 3 boxes)" in found[1]


def test_plans_in_the_documentation_are_no_pages(project: Project) -> None:
    """What `plans_dir` names below `docs_dir` is read as plan and not published; other files there are pages."""
    root = project(
        {
            "mkdocs.yml": "site_name: x\ntheme: {name: material, font: false}\n"
            "plugins:\n  - planbook: {plans_dir: [plans, docs/*/plans]}\n",
            "docs/index.md": "# Home\n",
            "docs/bread/plans/rye.md": "# Rye\n\n## PART 1: Create bread/1.md\n\n- [ ] PART 1: Create bread/1.md\n",
            "docs/bread/plans/KNOWLEDGE-DROP-rye-2024-05-06.md": "# Drop\n",
            "docs/bread/plans/README.md": "# About\n",
        }
    )
    built = build(root)
    pages = {path.relative_to(root / "site").as_posix() for path in built.site.rglob("*.html")}
    assert {page for page in pages if "plans" in page} == {"bread/plans/index.html"}
    assert "docs/bread/plans/rye.md" in built.html("progress/")
    assert "bread/1/index.html" in pages


def test_a_link_to_a_folders_index_leads_there(project: Project) -> None:
    """`index.md` is the INDEX of the page's own folder, though it is generated, and not the home page."""
    root = project(
        {
            "mkdocs.yml": "site_name: x\ntheme: {name: material, font: false}\nplugins: [planbook]\n",
            "plans/bread.md": "## PART 1: Create bread/1.md\n\n- [ ] PART 1: Create bread/1.md\n",
            "docs/index.md": "# Home\n",
            "docs/bread/2.md": "# Rye\n\nSee [bread](index.md) and [home](../index.md).\n",
        }
    )
    article = built_strictly(root).html("bread/2").partition("<article")[2]
    assert '<a href="../">bread</a>' in article
    assert '<a href="../../">home</a>' in article
