"""The materialised tree, built by engines that know nothing of us, has what our own site has.

Hugo, Zensical and Pandoc each get the tree of one project, and the pages, headings, links and works cited that come
out are compared with those of `mkdocs build`.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote

import pytest
from click.testing import CliRunner

from generator.cli import main
from tests.conftest import ROOT
from tests.site.cited import CITING, cited_site
from tests.site.conftest import ENVIRONMENT, Built, built_strictly, command
from tests.site.reading import Reading, broken_links


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The project, built by MkDocs."""
    return built_strictly(cited_site(tmp_path_factory.mktemp("engines") / "site"))


@pytest.fixture(scope="module")
def pages(site: Built) -> Mapping[str, Reading]:
    """Each page of our own site, by uri."""
    told = json.loads((site.root / "told.json").read_text("utf-8"))
    assert len(told) > 25
    return {uri: Reading((site.site / page["url"] / "index.html").read_text("utf-8")) for uri, page in told.items()}


def materialized(site: Built, folder: Path, *options: str) -> dict[str, Path]:
    """The tree of the project in `folder`: the path of each page, by uri."""
    done = CliRunner().invoke(main, ["materialize", str(folder), "--root", str(site.root), *options])
    assert done.exit_code == 0, done.output
    found = sorted(folder.rglob("*.md"))
    uris = (path.relative_to(folder).as_posix() for path in found)
    return {re.sub(r"(^|/)_index\.md$", r"\1index.md", uri): path for uri, path in zip(uris, found, strict=True)}


def same_uri(uri: str) -> str:
    """A folder's page is called alike in every tree."""
    return re.sub(r"(^|/)README\.md$", r"\1index.md", uri)


LISTS = {"INDEX.md", "progress.md", "sources.md", "graph.md", "index.md"}
"""Pages of ours that look otherwise in the tree, where they do without drawings and folds."""
BROKEN = "bread/20-broken.md"
"""The page whose front matter is none: our site shows it as text, the tree as code."""


def assert_same(pages: Mapping[str, Reading], theirs: Mapping[str, Reading]) -> None:
    """Every page is there, with all its headings; those that cite, with all their works, in order."""
    assert {same_uri(uri) for uri in pages} == set(theirs)
    assert theirs[BROKEN].headings == ["Broken"]
    for uri, ours in pages.items():
        if uri not in LISTS | {BROKEN}:
            assert ours.headings == theirs[same_uri(uri)].headings, uri
        assert len(ours.works) == len(theirs[same_uri(uri)].works), uri
    assert {uri: len(page.works) for uri, page in theirs.items() if page.works} == dict.fromkeys(CITING, 3)
    for uri in CITING:
        on_web = [[unquote(work) for work in page[uri].works if work and "://" in work] for page in (pages, theirs)]
        assert on_web[0] == on_web[1] != []


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
    for name, text in ({f"layouts/{name}": LAYOUT for name in names} | hooks()).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    done = subprocess.run([hugo], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARN" not in done.stdout + done.stderr
    public = tmp_path / "public"
    html = {uri: public / re.sub(r"(?:(?:^|(?<=/))index)?\.md$", "", uri).lower() / "index.html" for uri in tree}
    assert len(list(public.rglob("*.html"))) == len(html)
    theirs = {uri: Reading(path.read_text("utf-8")) for uri, path in html.items()}
    assert_same(pages, theirs)
    assert [(uri, link) for uri, page in theirs.items() for link in broken_links(public, html[uri], page)] == []
    assert "raw HTML omitted" not in "".join(path.read_text("utf-8") for path in html.values())


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
    head = html["bread/12-oats.md"].read_text("utf-8").partition("</head>")[0]
    assert '<meta name="description" content="What &quot;oats&quot; are">' in head
    assert "<b>" not in head


def test_pandoc_reads_every_page(site: Built, pages: Mapping[str, Reading], pandoc: str, tmp_path: Path) -> None:
    """As its own Markdown, without a warning."""
    tree = materialized(site, tmp_path / "tree")
    theirs = {}
    for uri, path in tree.items():
        theirs[uri] = Reading(converted(pandoc, path))
        for link in theirs[uri].links:
            if ".md" in link and "://" not in link:
                assert (path.parent / re.split("[#?]", link)[0]).is_file(), f"{uri} -> {link}"
    assert_same(pages, theirs)


def test_pandoc_resolves_kept_citations(site: Built, pages: Mapping[str, Reading], pandoc: str, tmp_path: Path) -> None:
    """With `--citations keep` it lists as many works as our site, each once, and finds every id."""
    tree = materialized(site, tmp_path / "tree", "--citations", "keep")
    assert "[@miller, q1]" in tree["bread/12-oats.md"].read_text("utf-8")
    for uri in CITING:
        html = converted(pandoc, tree[uri], "--citeproc")
        assert len(re.findall(r'class="csl-entry"', html)) == len(pages[uri].works) == 3
        assert html.index('id="refs"') > html.rindex("<h2")
        assert "???" not in html


def converted(pandoc: str, path: Path, *options: str) -> str:
    """The page as Pandoc's HTML; a warning is an error."""
    arguments = [
        "--from",
        "markdown-smart",
        "--to",
        "html5",
        "--wrap",
        "none",
        "--fail-if-warnings",
        *options,
        str(path),
    ]
    done = subprocess.run([pandoc, *arguments], capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, ""), path
    return done.stdout
