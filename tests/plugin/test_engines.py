"""The materialised tree, built by engines that know nothing of us, has what our own site has.

Hugo, Zensical and Pandoc each get the tree of one project, and the pages, headings, links and works cited that come
out are compared with those of `mkdocs build`.
"""

from __future__ import annotations

import posixpath
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote

import pytest
from click.testing import CliRunner

from planbook.cli import main
from planbook.library import RESERVED_URIS
from tests.conftest import ROOT, Once
from tests.files import put
from tests.plugin.cited import CITING
from tests.plugin.conftest import ENVIRONMENT, HARM, Built, built_strictly, command, real_builds
from tests.plugin.reading import Reading, broken_links
from tests.plugin.sound_site import sound_site


@pytest.fixture(scope="module", params=["made", pytest.param("real", marks=[pytest.mark.shared, pytest.mark.nightly])])
def site(request: pytest.FixtureRequest, once: Once) -> Built:
    """A project, built by MkDocs: one made for this, or our own pages with real plans, pages and drops."""
    if request.param == "real":
        return Built(real_builds(once, request.getfixturevalue("shared")), 0, "")
    return Built(
        once("engines", lambda folder: built_strictly(sound_site(folder / "site"), wrong=HARM)) / "site", 0, ""
    )


@pytest.fixture(scope="module")
def pages(site: Built) -> Mapping[str, Reading]:
    """Each page of our own site that every engine gets, by uri."""
    found = {}
    for path in site.site.rglob("index.html"):
        html = path.read_text("utf-8")
        twin = re.search(r'<link rel="alternate" type="text/markdown" href="([^"]+)">', html)
        assert twin, path
        uri = posixpath.normpath(posixpath.join(path.parent.relative_to(site.site).as_posix(), twin[1]))
        if not uri.startswith(("reports/", "tags.md")):
            found[uri] = Reading(html)
    assert len(found) > 25
    return found


def materialized(site: Built, folder: Path, *options: str) -> dict[str, Path]:
    """The tree of the project in `folder`: the path of each page, by uri."""
    done = CliRunner().invoke(main, ["materialize", str(folder), "--root", str(site.root), *options])
    assert done.exit_code == 0, done.output
    found = sorted(folder.rglob("*.md"))
    uris = (path.relative_to(folder).as_posix() for path in found)
    own = {"all-pages.md": "INDEX.md"}
    return {
        own.get(uri, re.sub(r"(^|/)_index\.md$", r"\1index.md", uri)): path
        for uri, path in zip(uris, found, strict=True)
    }


def same_uri(uri: str) -> str:
    """A folder's page is called alike in every tree."""
    return re.sub(r"(^|/)README\.md$", r"\1index.md", uri)


LISTS = {*RESERVED_URIS, "index.md"}
"""Pages of ours that look otherwise in the tree, where they do without drawings and folds."""
BROKEN = "bread/20-broken.md"
"""The page whose front matter is none: our site shows it as text, the tree as code."""


def assert_same(pages: Mapping[str, Reading], theirs: Mapping[str, Reading]) -> None:
    """Every page is there, with all its headings; those that cite, with all their works, in order."""
    assert {same_uri(uri) for uri in pages} == set(theirs)
    cited = 0
    for uri, ours in pages.items():
        other = theirs[same_uri(uri)]
        if uri not in LISTS | {BROKEN}:
            assert ours.headings == other.headings, uri
        assert len(ours.works) == len(other.works), uri
        assert on_web(ours) == on_web(other), uri
        cited += len(on_web(ours))
    assert cited > 2
    if BROKEN in pages:
        assert theirs[BROKEN].headings == ["Broken"]
        assert {uri: len(page.works) for uri, page in theirs.items() if page.works} == dict.fromkeys(CITING, 3)


def on_web(page: Reading) -> list[str]:
    """The addresses of the works that a page lists."""
    return [unquote(work) for work in page.works if work and "://" in work]


PLAIN = "[markup.goldmark.extensions]\ntypographer = false\n"
"""Quotes and dashes as they are written."""
LAYOUT = "<!doctype html><title>{{ .Title }}</title><meta name=d content='{{ .Description }}'>{{ .Content }}"


def hooks() -> dict[str, str]:
    """The hooks that the Guide gives to those whose theme has none, by path."""
    text = (ROOT / "docs" / "guide" / "engines.md").read_text("utf-8")
    found = dict(re.findall(r'^```text title="(layouts/[^"]+)"\n(.*?)^```$', text, re.MULTILINE | re.DOTALL))
    assert len(found) == 2
    return found


def test_hugo(site: Built, pages: Mapping[str, Reading], hugo: str, tmp_path: Path) -> None:
    """Hugo, with nothing but a layout and a hook for links, builds every page, and leaves out no HTML of ours."""
    tree = materialized(site, tmp_path / "content", "--index", "_index.md")
    kinds = '["taxonomy", "term", "RSS", "sitemap", "404"]'
    (tmp_path / "config.toml").write_text(f'baseURL = "/"\ntitle = "x"\ndisableKinds = {kinds}\n{PLAIN}', "utf-8")
    names = ("index.html", "_default/single.html", "_default/list.html")
    put(tmp_path, {f"layouts/{name}": LAYOUT for name in names} | hooks())
    done = subprocess.run([hugo], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    warnings = [line for line in (done.stdout + done.stderr).splitlines() if "WARN" in line]
    assert [line for line in warnings if "Raw HTML omitted" not in line] == []  # that of authors: see below
    public = tmp_path / "public"
    html = {
        uri: public
        / re.sub(r"(?:(?:^|(?<=/))_index)?\.md$", "", path.relative_to(tmp_path / "content").as_posix()).lower()
        / "index.html"
        for uri, path in tree.items()
    }
    lists = {path.parent.relative_to(public) for path in set(public.rglob("*.html")) - set(html.values())}
    assert [folder for folder in lists if (tmp_path / "content" / folder / "_index.md").exists()] == []  # Hugo's own
    theirs = {uri: Reading(path.read_text("utf-8")) for uri, path in html.items()}
    assert_same(pages, theirs)
    assert [(uri, link) for uri, page in theirs.items() for link in broken_links(public, html[uri], page)] == []
    omitted = {uri for uri, path in html.items() if "raw HTML omitted" in path.read_text("utf-8")}
    assert omitted <= {uri for uri in html if (site.root / "docs" / uri).is_file()}  # HTML that authors wrote


def test_zensical(site: Built, pages: Mapping[str, Reading], tmp_path: Path) -> None:
    """Zensical builds every page strictly, and what its templates do not escape does no harm."""
    tree = materialized(site, tmp_path / "docs")
    (tmp_path / "zensical.toml").write_text('[project]\nsite_name = "x"\n', "utf-8")
    done = subprocess.run(
        [command("zensical"), "build", "--strict"],
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    out = tmp_path / "site"
    html = {uri: out / re.sub(r"(?:(?:^|(?<=/))index)?\.md$", "", uri) / "index.html" for uri in tree}
    assert {path for path in out.rglob("*.html") if path.name != "404.html"} == set(html.values())
    articles = {
        uri: path.read_text("utf-8").partition("<article")[2].partition("</article")[0] for uri, path in html.items()
    }
    theirs = {uri: Reading(article) for uri, article in articles.items()}
    assert_same(pages, theirs)
    assert [(uri, link) for uri, page in theirs.items() for link in broken_links(out, html[uri], page)] == []
    if BROKEN in pages:
        head = html["bread/12-oats.md"].read_text("utf-8").partition("</head>")[0]
        assert '<meta name="description" content="What &quot;oats&quot; are">' in head
        assert "<b>" not in head


@pytest.mark.nightly
def test_pandoc_reads_every_page(site: Built, pages: Mapping[str, Reading], pandoc: str, tmp_path: Path) -> None:
    """As GitHub's Markdown, without a warning; each link leads to a file."""
    tree = materialized(site, tmp_path / "tree")
    theirs = {uri: Reading(converted(pandoc, path, "gfm+yaml_metadata_block+attributes")) for uri, path in tree.items()}
    for uri, page in theirs.items():
        links = (link for link in page.links if ".md" in link and "://" not in link)
        assert [link for link in links if not (tree[uri].parent / re.split("[#?]", link)[0]).is_file()] == [], uri
    assert_same(pages, theirs)


def converted(pandoc: str, path: Path, form: str, *options: str) -> str:
    """The page, read as Markdown of one `form`, as Pandoc's HTML; a warning is an error."""
    how = ["--from", form, "--to", "html5", "--wrap", "none", "--fail-if-warnings"]
    arguments = [*how, *options, str(path)]
    done = subprocess.run([pandoc, *arguments], capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, ""), path
    return done.stdout
