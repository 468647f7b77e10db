"""With planbook-speed and without it, a build gives the same files and says the same."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import pytest

from tests.speed.conftest import Outcome, Site


def add_page(site: Site) -> None:
    """A link to it was broken before."""
    site.write("docs/lost.md", "# Found\n\n[Home](index.md)\n")


def rename_page(site: Site) -> None:
    """Its address changes, and what it links to does not."""
    (site.root / "docs/rye/dark/0.md").rename(site.root / "docs/rye/dark/first.md")


def break_anchor(site: Site) -> None:
    """A link of an unchanged page leads to a place that is no more."""
    path = site.root / "docs/rye/2.md"
    path.write_text(path.read_text("utf-8").replace("## Second part", "## Gone"), "utf-8")


def set_nav(site: Site) -> None:
    """The same pages in another order, with titles of their own, a link and a section in a section."""
    rye = {"Rye": ["rye/index.md", "rye/0.md", {"Dark": ["rye/dark/0.md"]}]}
    site.config["nav"] = [
        {"Start": "index.md"},
        {"All": [rye, {"Shop": "https://shop.example/"}]},
        {"Wheat": ["wheat/0.md", {"Named": "wheat/1.md"}]},
    ]


def set_nav_twice(site: Site) -> None:
    """One page stands in two sections."""
    site.config["nav"] = ["index.md", {"A": ["rye/0.md", "rye/1.md"]}, {"B": ["rye/1.md", "wheat/0.md"]}]


def change_template(site: Site) -> None:
    """A block of the author's own."""
    site.write("theme/main.html", '{% extends "base.html" %}{% block announce %}New: {{ page.title }}{% endblock %}\n')


def show_text(site: Site) -> None:
    """A template that shows the Markdown of each page above its HTML."""
    site.write("theme/main.html", '{% extends "base.html" %}{% block hero %}{{ page.markdown }}{% endblock %}\n')


def add_partial(site: Site) -> None:
    """A partial template of Material's that the author replaces."""
    site.write("theme/partials/copyright.html", "<p>{{ config.site_name }} {{ page.url }}</p>\n")


def replace_nav_item(site: Site) -> None:
    """The template of the navigation is the author's."""
    text = "{% macro render(nav_item, path, level, parent) %}<li>{{ nav_item.title }} {{ page.url }}</li>{% endmacro %}"
    site.write("theme/partials/nav-item.html", text)


def replace_tabs(site: Site) -> None:
    """The template of the tabs is the author's, and shows of each page what is no address."""
    text = "{% macro render(nav_item, ref) %}<li>{{ nav_item.title }} {{ page.url }}</li>{% endmacro %}"
    site.write("theme/partials/tabs-item.html", text)


def set_name(site: Site) -> None:
    """Another name of the site."""
    site.config["site_name"] = "Loaves"


def set_extension(site: Site) -> None:
    """Another option of an extension of Markdown."""
    site.config["markdown_extensions"][-2] = {"pymdownx.highlight": {"linenums": False}}


def set_prune(site: Site) -> None:
    """Another form of navigation."""
    site.config["theme"]["features"] = ["navigation.prune", "navigation.expand", "toc.integrate"]


def set_file_urls(site: Site) -> None:
    """Another form of addresses."""
    site.config["use_directory_urls"] = False


CHANGES = [
    *(add_page, break_anchor, set_nav, change_template, show_text, set_name, set_extension),
    *(
        pytest.param(change, marks=pytest.mark.nightly)
        for change in (
            *(rename_page, set_nav_twice, add_partial, replace_nav_item, replace_tabs, set_prune, set_file_urls),
        )
    ),
]


@pytest.fixture(scope="session")
def warm(tmp_path_factory: pytest.TempPathFactory, engine: object) -> list[Site]:
    """A place for a site that has been built, made by the first test that asks for it."""
    return []


@pytest.fixture
def built(site: Site, warm: list[Site], tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A site that has been built with planbook-speed."""
    if not warm:
        kept = Site(tmp_path_factory.mktemp("warm") / "project", site.engine)
        shutil.copytree(site.root, kept.root)
        assert kept.quick().code == 0
        warm.append(kept)
    shutil.rmtree(site.root)
    shutil.copytree(warm[0].root, site.root)
    return site


def test_cold_and_unchanged(site: Site) -> None:
    """The first build and the next are the same as a plain one, with its warnings; pages are rendered ahead."""
    first = site.assert_same()
    assert [line for line in first.log if "WARNING" in line and "lost.md" in line]
    assert first.said == []
    assert_equal(first, site.quick())


def assert_equal(one: Outcome, other: Outcome) -> None:
    """Both say and give the same."""
    assert (one.log, one.code, one.files) == (other.log, other.code, other.files)


@pytest.mark.parametrize("change", CHANGES)
def test_after_a_change(built: Site, change: Callable[[Site], None]) -> None:
    """What another build left makes no difference to one after a change."""
    change(built)
    built.assert_same()


def test_strict(built: Site) -> None:
    """A strict build fails at the same warnings, whether pages are rendered or found."""
    assert built.assert_same("--strict").code == 1
    (built.root / "docs/index.md").write_text("# Home\n", "utf-8")
    assert built.assert_same("--strict").code == 0
    assert built.quick("--strict").code == 0
