"""`planbook build --engine zensical` and `serve`: the site that MkDocs builds, by another engine."""

from __future__ import annotations

import html
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urljoin

import lxml.html
import pytest

from bench.served import SiteServer
from planbook.plugin.generated_files import BuildFolder
from planbook.plugin.zensical import ZensicalTree
from planbook.store.files import RefusedError
from planbook_cache.disk import CACHE_DIR, DiskCache
from tests import forks
from tests.conftest import Once
from tests.plugin.conftest import ENVIRONMENT, HARM, Built, Project, built_strictly, command, hashes, own_site
from tests.plugin.sound_site import sound_site


def zensical(root: Path, *arguments: str | Path) -> Built:
    """Build the project at `root` with Zensical."""
    done = forks.run("planbook", "build", "--engine", "zensical", *arguments, cwd=root, env=ENVIRONMENT, is_merged=True)
    return Built(root, done.returncode, re.sub(r"\x1b\[[0-9;]*m", "", done.stdout))


def started(root: Path) -> Path:
    """The project that `planbook init` writes."""
    root.mkdir(parents=True)
    assert forks.run("planbook", "init", ".", cwd=root, env=ENVIRONMENT).returncode == 0
    return root


def both(make: Callable[[Path], Path], wrong: str = " ") -> Callable[[Path], None]:
    """Return a function that builds a project with both engines in a folder, strictly if no plan is `wrong`."""

    def build(folder: Path) -> None:
        root = make(folder / "project")
        built_strictly(root, wrong=wrong)
        before = hashes(root / "docs"), hashes(root / "plans")
        built = zensical(root, "--site-dir", folder / "zensical", *(["--strict"] if wrong == " " else []))
        assert built.returncode == 0, built.log
        assert "No issues found" in built.log
        assert (hashes(root / "docs"), hashes(root / "plans")) == before

    return build


@pytest.fixture(
    scope="module", params=["made", "started", pytest.param("own", marks=pytest.mark.nightly)], name="sites"
)
def build_both(request: pytest.FixtureRequest, once: Once) -> tuple[Path, Path]:
    """A project's site by MkDocs, and by Zensical: with pages of every kind, as `init` writes it, and our own."""
    make, wrong = {"made": (sound_site, HARM), "started": (started, " "), "own": (own_site, " ")}[request.param]
    folder = once(f"zensical-{request.param}", both(make, wrong))
    return folder / "project" / "site", folder / "zensical"


def pages(site: Path) -> dict[str, str]:
    """The HTML of each page, by its address in the site."""
    return {path.relative_to(site).as_posix(): path.read_text("utf-8") for path in site.rglob("*.html")}


OF_THEIRS = re.compile(
    r'<a id="__skip".*?</a>|<a [^>]*class="(?:md-content__button|headerlink).*?</a>'
    r'| data-search-exclude(?:="")?',
    re.DOTALL,
)
"""What the engines put on pages in ways of their own, none of which a reader misses."""


def article(text: str, address: str) -> str:
    """The text of a page as HTML, with whole addresses in its links, and without what is the engine's own."""
    text = OF_THEIRS.sub("", text.partition("<article")[2].partition("</article")[0])
    text = re.sub(r'(?<= )(href|src|action)="([^"]*)"', lambda link: f'{link[1]}="{whole(link[2], address)}"', text)
    return re.sub(r"\s+", " ", re.sub(r"(?<=>)\s+|\s+(?=<)", "", text)).replace("&#39;", "'")


def whole(link: str, address: str) -> str:
    """The address that a link on a page leads to."""
    return urljoin(f"https://site.example/{address.removesuffix('index.html')}", html.unescape(link))


def test_every_address_and_anchor_exists(sites: tuple[Path, Path]) -> None:
    """Each page, each id on it, and each other file that MkDocs publishes, byte for byte."""
    ours, theirs = map(pages, sites)
    assert ours.keys() == theirs.keys()
    ids = re.compile(r'\bid="([^"]*)"')
    for address, text in ours.items():
        missing = {name for name in set(ids.findall(text)) - set(ids.findall(theirs[address])) if name[:2] != "__"}
        assert not missing, address
    files, others = map(hashes, sites)
    for name, digest in files.items():
        is_of_engine = name.startswith(("assets/", "search/", "sitemap.xml", "tags.json")) or name.endswith(".html")
        assert is_of_engine or others.get(name) == digest, name
    assert {name for name in files if name.startswith("assets/planbook/")} <= others.keys()


def test_pages_are_the_same(sites: tuple[Path, Path]) -> None:
    """Their text with heads, citations, references and neighbours, and their tags for programs."""
    ours, theirs = map(pages, sites)
    head = re.compile(r'<meta (?!name="generator")[^>]+>|<link rel="(?:canonical|alternate)"[^>]+>|<title>.*?</title>')
    for address, text in ours.items():
        other = theirs[address]
        assert article(text, address) == article(other, address), address
        if address != "bread/20-broken/index.html":  # Zensical takes its heading for a title
            tags = {tag for tag in head.findall(other) if 'canonical" href="/' not in tag}  # of a site without address
            assert {html.unescape(tag) for tag in head.findall(text)} == {html.unescape(tag) for tag in tags}, address
    assert any('class="pb-head"' in text for text in theirs.values())


def test_search_has_no_word_of_heads(sites: tuple[Path, Path]) -> None:
    """Neither states nor neighbours, as in our own index, and no apostrophe that is escaped for HTML."""
    text = (sites[1] / "search.json").read_text("utf-8")
    assert "Linked from" not in text
    assert "&#39;" not in text
    assert "md-tag" not in text


MKDOCS = "site_name: A\ntheme: {name: material, font: false, custom_dir: own}\nplugins: [planbook]\n"
PROJECT = {
    "mkdocs.yml": MKDOCS,
    "plans/tea.md": "# Tea\n\n## PART 1: Create tea/1-water.md\n\n- [ ] PART 1: Create tea/1-water.md\n",
    "docs/index.md": '# Home\n\n<p><a href="tea/1-water/">Water</a></p>\n',
    "docs/old.md": '# Old\n\nSee <a href="../tea/1-water/">water</a>, [home](index.md).\n',
    "own/main.html": '{% extends "base.html" %}\n{% block announce %}Good news{% endblock %}\n',
}


def test_a_second_build_follows_the_project(project: Project) -> None:
    """What is gone from it goes; hidden files of the site's folder stay, and so do the author's templates."""
    root = project(PROJECT)
    assert zensical(root).returncode == 0
    html = (root / "site" / "old" / "index.html").read_text("utf-8")
    assert "Good news" in html
    assert '<link rel="alternate" type="text/markdown" href="../old.md">' in html
    assert html.count('href="../tea/1-water/">water') == 1  # HTML is relative to the page's address, as in MkDocs
    (root / "docs" / "old.md").unlink()
    (root / "site" / ".nojekyll").touch()
    assert zensical(root).returncode == 0
    assert not (root / "site" / "old").exists()
    assert not (root / "site" / "old.md").exists()
    assert (root / "site" / ".nojekyll").exists()


def test_only_an_edited_page_is_rendered_again(project: Project) -> None:
    """Zensical keeps all others, as no count of ours is in what the navigation of every page depends on."""
    plan = PROJECT["plans/tea.md"].replace("[ ]", "[x]")
    root = project(PROJECT | {"plans/tea.md": plan, "docs/tea/1-water.md": "# Water\n\nBoil it.\n"})
    kept = root / CACHE_DIR / "generated/zensical/.cache"
    before = built_cache(root, kept)
    (root / "docs" / "tea" / "1-water.md").write_text("# Water\n\nBoil it.\n\nTwice.\n", "utf-8")
    assert 2 <= len(before.items() ^ built_cache(root, kept).items()) // 2 < len(before) / 2


def test_two_builds_at_once_do_not_meet(project: Project, tmp_path: Path) -> None:
    """A build takes another folder while one is held, as by a server, and publishes the whole site."""
    root = project(PROJECT)
    held = BuildFolder(DiskCache(root / CACHE_DIR), "zensical")
    assert zensical(root, "--site-dir", tmp_path / "site").returncode == 0
    assert not list(held.path.iterdir())
    assert held.path.with_suffix(".unfinished").exists()
    held.release()
    assert (tmp_path / "site" / "tea" / "1-water" / "index.html").exists()


def built_cache(root: Path, kept: Path) -> dict[str, int]:
    """The time of each entry of Zensical's cache, after a build."""
    assert zensical(root).returncode == 0
    return {path.name: path.stat().st_mtime_ns for path in kept.iterdir() if path.stem.isdigit()}


def test_a_folder_can_be_read_without_a_server(project: Project) -> None:
    """With the plugin `offline`, links lead to files, as in MkDocs."""
    root = project(PROJECT | {"mkdocs.yml": MKDOCS.replace("[planbook]", "[planbook, offline]")})
    assert zensical(root).returncode == 0
    assert 'href="../progress.html#plan-tea"' in (root / "site" / "tea" / "1-water.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("plugins: [planbook]", "plugins: [search]", "add `- planbook` to `plugins`"),
        ("name: material", "name: mkdocs", "set `theme: material`"),
    ],
)
def test_what_zensical_cannot_build_is_refused(project: Project, old: str, new: str, what: str) -> None:
    """The refusal names the file, and what to write there."""
    root = project(PROJECT | {"mkdocs.yml": MKDOCS.replace(old, new)})
    built = zensical(root)
    assert built.returncode == 1
    assert f"Error: {root / 'mkdocs.yml'}: " in built.log
    assert what in built.log
    with pytest.raises(RefusedError, match=re.escape(what)):
        ZensicalTree(root / "mkdocs.yml")


def test_a_strict_build_stops_at_warnings(project: Project) -> None:
    """Those of plans, which Zensical does not see, and those of links; no site is published."""
    root = project(PROJECT | {"plans/tea.md": f"{PROJECT['plans/tea.md']}\n```\n"})
    assert "the warnings above stop a strict build" in zensical(root, "--strict").log
    root = project(PROJECT | {"docs/old.md": "# Old\n\n[gone](gone.md)\n"})
    assert zensical(root, "--strict").returncode != 0
    assert not (root / "site").exists()


def test_materialize_leaves_a_project_for_zensical(project: Project, tmp_path: Path) -> None:
    """Zensical alone builds it, wherever it lies."""
    root, folder = project(PROJECT), tmp_path / "elsewhere"
    done = forks.run("planbook", "materialize", folder, "--for", "zensical", cwd=root, env=ENVIRONMENT)
    assert done.returncode == 0, done.stderr
    shutil.move(folder, folder := tmp_path / "moved")
    subprocess.run([command("zensical"), "build"], cwd=folder, env=ENVIRONMENT, check=True, capture_output=True)
    assert "pb-banner" in (folder / "site" / "tea" / "1-water" / "index.html").read_text("utf-8")


def test_serve_shows_what_was_saved(project: Project) -> None:
    """A page, a mark in a plan, and the site after a broken configuration; Zensical ends with the command."""
    root = project(PROJECT | {"mkdocs.yml": MKDOCS.replace(", custom_dir: own", "")})
    with SiteServer([command("planbook"), "serve", "--engine", "zensical"], root) as server:
        server.seconds_until("old/", "See", 0)
        server.seconds_until("old.md", "See", 0)
        (root / "docs" / "old.md").write_text("# Old\n\nNew words.\n", "utf-8")
        server.seconds_until("old/", "New words", 0)
        config = (root / "mkdocs.yml").read_text("utf-8")
        (root / "mkdocs.yml").write_text("site_name: [\n", "utf-8")
        (root / "plans" / "tea.md").write_text(PROJECT["plans/tea.md"].replace("[ ]", "[/]"), "utf-8")
        (root / "mkdocs.yml").write_text(config, "utf-8")
        server.seconds_until("progress/", "1 partial", 0)
    tree = str(root / CACHE_DIR / "zensical")
    left = [path for path in Path("/proc").glob("[0-9]*/cmdline") if tree.encode() in read(path)]
    assert not left


def read(path: Path) -> bytes:
    """What is in a file, if it still is there."""
    return path.read_bytes() if os.access(path, os.R_OK) else b""


def test_a_heading_does_not_end_the_title(tmp_path: Path) -> None:
    """What a heading escapes is text in the page's `<title>`, too."""
    root = started(tmp_path / "base")
    heading = r"# Rye \</title>\<script>evil()\</script> & more"
    (root / "docs" / "rye.md").write_text(f"{heading}\n\nText.\n", encoding="utf-8")
    built = zensical(root)
    assert built.returncode == 0, built.log
    tree = lxml.html.fromstring(built.html("rye"))
    assert tree.findtext(".//title").startswith("Rye </title><script>evil()</script> & more - ")
    assert [script for script in tree.xpath("//script/text()") if script.startswith("evil(")] == []
