"""A page that is the same as in the last build keeps its file; every other is written, and what is gone is gone."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.speed.conftest import Site

POST_PAGE = """
from pathlib import Path

def on_post_page(output, **_):
    return output.replace("</head>", Path(__file__).with_name("word").read_text() + "</head>")
"""
HTML = """
from pathlib import Path

def on_env(env, config, files):
    pages = [file.page for file in files.documentation_pages()]
    for page, other in zip(pages, pages[1:]):
        page.content += f"<p>Before {len(other.content)}</p>"
    config.extra["all"] = pages

def on_page_context(context, page, config, nav):
    page.content = page.content.replace("Last words", "Words")
    return context

def on_post_build(config):
    total = sum(len(page.content) for page in config.extra.pop("all"))
    Path(config.site_dir, "total.txt").write_text(str(total))
"""


def written(site: Site) -> dict[str, int]:
    """The pages of the site with the numbers of their files, which a new file has none of."""
    folder = site.root / "site"
    return {path.relative_to(folder).as_posix(): path.stat().st_ino for path in folder.rglob("index.html")}


def kept(site: Site, change: Callable[[], object] = lambda: None) -> tuple[set[str], set[str]]:
    """The pages that a build after a change leaves as they are, and those that it writes."""
    site.quick()
    # A new file may get the number of one that was deleted: hold on to the old ones by another name.
    for n, path in enumerate((site.root / "site").rglob("index.html")):
        (site.root / f"held-{n}").hardlink_to(path)
    before = written(site)
    change()
    site.assert_same()
    after = written(site)
    for path in site.root.glob("held-*"):
        path.unlink()
    same = {uri for uri in after if before.get(uri) == after[uri]}
    return same, after.keys() - same


def test_nothing_is_written_without_a_change(site: Site) -> None:
    """Every page keeps its file, and the search its index."""
    index, held = site.root / "site/search/search_index.json", site.root / "index"
    same, new = kept(site, lambda: held.hardlink_to(index))
    assert len(same) > 12
    assert new == set()
    assert index.samefile(held)


def test_the_configuration_by_another_path_is_the_same(site: Site) -> None:
    """Nothing is written: `mkdocs serve` names the file as it was given first, and by its whole path then."""
    site.quick()
    before = written(site)
    site.engine.build(Path(os.path.relpath(site.root / "speed.yml", ROOT)), site.root / "site")
    assert written(site) == before


def test_only_the_changed_page_is_written(site: Site) -> None:
    """A change of its text leaves all others as they are."""
    page = site.root / "docs/rye/1.md"
    _, new = kept(site, lambda: page.write_text(page.read_text("utf-8") + "\nMore.\n", "utf-8"))
    assert new == {"rye/1/index.html"}


def test_a_title_is_on_every_page(site: Site) -> None:
    """A change of it writes all, for the navigation shows it."""
    page = site.root / "docs/rye/1.md"
    same, _ = kept(site, lambda: page.write_text(page.read_text("utf-8").replace("# Page", "# Sheet"), "utf-8"))
    assert same == set()


def test_what_is_gone_is_deleted(site: Site) -> None:
    """Files that no build wrote, and those of pages that are no more, do not stay; nor does anything hidden."""
    site.quick()
    site.write("site/rye/old/index.html", "old")
    site.write("site/old.txt", "old")
    (site.root / "docs/wheat/3.md").unlink()
    site.assert_same()
    assert not [path for path in (site.root / "site").iterdir() if path.name.startswith(".")]


def test_files_that_are_no_pages(site: Site) -> None:
    """A file is copied where it has changed, be it in the documentation or in the site, and kept otherwise."""
    for name in ("same", "edited", "touched"):
        site.write(f"docs/data/{name}.txt", "old")
    site.quick()
    files = {name: site.root / f"site/data/{name}.txt" for name in ("same", "edited", "touched")}
    before = files["same"].stat().st_ino
    site.write("docs/data/edited.txt", "new")
    files["touched"].write_text("bad", "utf-8")
    site.write("docs/rye/1/index.html", "in the place of a page")
    for _ in range(2):
        site.assert_same()
    assert files["same"].stat().st_ino == before
    assert files["edited"].read_text("utf-8") == "new"
    (site.root / "docs/data/same.txt").unlink()
    site.assert_same()


def test_a_file_that_someone_changed_is_written(site: Site) -> None:
    """What stands in the site's folder is believed only as far as it is what the last build left."""
    site.quick()
    (site.root / "site/rye/1/index.html").write_text("changed", "utf-8")
    (site.root / "site/rye/2/index.html").unlink()
    site.assert_same()


def test_another_plugin_may_change_pages(site: Site) -> None:
    """What it gives is compared: only where it is another, the page is written."""
    site.write("hook.py", POST_PAGE)
    site.write("word", "<!-- one -->")
    site.config["hooks"] = ["hook.py"]
    same, new = kept(site)
    assert len(same) > 12
    assert new == set()
    same, _ = kept(site, lambda: site.write("word", "<!-- two -->"))
    assert same == set()


@pytest.mark.parametrize(
    ("template", "what"),
    [
        ("{% for file in pages %}{{ file.page.title }}{{ file.page.content | length }}{% endfor %}", "pages"),
        *(
            pytest.param(*row, marks=pytest.mark.nightly)
            for row in (
                ("{{ nav.pages[3].content | length }}", "nav"),
                ("{{ build_date_utc.second }}", "build_date_utc"),
                ("{% if page.next_page %}{{ page.next_page.content | length }}{% endif %}", "content"),
            )
        ),
    ],
)
def test_templates_that_look_around(site: Site, template: str, what: str) -> None:
    """A template that reads other pages has all pages made anew, and the build says so."""
    site.write("theme/main.html", '{% extends "base.html" %}{% block announce %}' + template + "{% endblock %}")
    said = site.quick().said
    assert [line for line in said if "the template main.html, which reads" in line]
    if what == "pages":
        page = site.root / "docs/rye/1.md"
        page.write_text(page.read_text("utf-8") + "\nMore.\n", "utf-8")
        site.assert_same()


def test_a_failed_build_leaves_nothing_hidden(site: Site) -> None:
    """After an error in a template there is the folder that a plain build leaves; the next build is whole."""
    site.quick()
    site.write("theme/main.html", '{% extends "base.html" %}{% block announce %}{{ 1 / 0 }}{% endblock %}')
    plain, quick = site.plain(), site.quick()
    assert plain.code == quick.code == 1
    assert plain.files == quick.files
    assert not (site.root / "site/.planbook-speed").exists()
    site.write("theme/main.html", '{% extends "base.html" %}\n')
    assert site.assert_same().code == 0


def test_a_build_that_cannot_write_fails(site: Site) -> None:
    """As one without planbook-speed does: a folder of the author's stands where a page is to be."""
    site.write("docs/wheat/3/index.html/taken.txt", "in the way")
    plain, quick = site.plain(), site.quick()
    assert plain.code == quick.code == 1
    assert "wheat/3/index.html" in "".join(quick.log)
    assert plain.files == quick.files


@pytest.mark.nightly
def test_a_page_that_fails_leaves_those_before_it(site: Site) -> None:
    """Pages behind it were templated ahead, but are not in the site's folder."""
    fails = '{% if page.url == "wheat/2/" %}{{ 1 / 0 }}{% endif %}'
    site.write("theme/main.html", '{% extends "base.html" %}{% block announce %}' + fails + "{% endblock %}")
    for _ in range(2):
        plain, quick = site.plain(), site.quick()
        assert plain.code == quick.code == 1
        assert plain.files == quick.files
        assert "wheat/1/index.html" in quick.files
        assert "wheat/3/index.html" not in quick.files


@pytest.mark.nightly
def test_html_in_a_file_is_seen_by_plugins(site: Site) -> None:
    """A plugin that reads or changes the HTML of any page, at any time, does as without planbook-speed."""
    site.write("hook.py", HTML)
    site.config["hooks"] = ["hook.py"]
    for _ in range(2):
        site.assert_same()
    page = site.root / "docs/rye/1.md"
    page.write_text(page.read_text("utf-8") + "\nMore.\n", "utf-8")
    site.assert_same()
