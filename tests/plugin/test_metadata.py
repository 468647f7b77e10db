"""Front matter and names of files reach themes as text, however a theme inserts them."""

from __future__ import annotations

import datetime
import re
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from zensical.config import get_theme_dir

from planbook.library.names import is_page_address
from planbook.plugin.metadata import ESCAPED_KEYS, escaped_meta, quote_edit_address, tag_text
from tests.plugin.conftest import Project, build, built_strictly

SELECTING = {"hide", "icon", "template"}
"""Keys that choose what a template shows. They are not shown themselves."""


@pytest.mark.parametrize("folder", [files("material") / "templates", get_theme_dir("material")], ids=["Material", "Z"])
def test_every_key_that_a_theme_inserts_is_known(folder: Any) -> None:
    """A theme that starts to insert another key of front matter fails this test before it shows unescaped text."""
    templates = [path.read_text("utf-8") for path in Path(str(folder)).rglob("*.html")]
    found = {key for text in templates for key in re.findall(r"\b(?:page|nav_item|item)\.meta\.([\w-]+)", text)}
    assert found - SELECTING <= ESCAPED_KEYS
    assert found >= {"title", "description", "subtitle", "status"}


def test_what_is_shown_is_escaped_once() -> None:
    """Texts of every depth are escaped, also if that is done twice; scalars and other keys stay."""
    day = datetime.date(2026, 1, 2)
    meta = {"status": 'a" onload="x', "author": ["A", {"name": "<b>"}], "subtitle": day, "own": "<i>", "title": "R&D"}
    once = escaped_meta(meta)
    assert once["status"] == "a&#34; onload=&#34;x"
    assert once["author"] == "A, &lt;b&gt;"
    assert once["subtitle"] == day
    assert once["own"] == "<i>"
    assert once["title"] == "R&amp;D"
    assert escaped_meta(once) == once


def test_a_list_within_itself_ends() -> None:
    """Aliases of YAML may lead back: the value is shown down to some depth."""
    loop: list[object] = ["a"]
    loop.append(loop)
    assert escaped_meta({"author": loop})["author"].startswith("a, a")


@pytest.mark.parametrize(
    ("tag", "shown"), [("R&D", "R&D"), ("C++", "C++"), ("C<T>", "C&lt;T&gt;"), ("&lt;b&gt;", "&lt;b&gt;"), ("é", "é")]
)
def test_tags_keep_their_addresses(tag: str, shown: str) -> None:
    """Only a tag that would not be displayed as it is changes: ids are made from tags."""
    assert tag_text(tag) == shown


@pytest.mark.parametrize(
    ("value", "is_address"),
    [
        *(("../a/", True), ("a/b.html#c", True), ("https://a.example/?b=1&c=2", True), ("HTTP://a.example", True)),
        *(("javascript:x()", False), ("JavaScript:x()", False), ("data:text/html,x", False), ("a b", False)),
        *(('"+x()+"', False), ("a\nb", False), ("</script>", False), ("", False), (None, False), (3, False)),
    ],
)
def test_addresses_run_nothing(value: object, is_address: bool) -> None:
    """A page may lead to addresses of the web and of the site, and to nothing that ends a text or runs."""
    assert is_page_address(value) is is_address


def test_a_redirect_without_an_address_is_a_page() -> None:
    """The template is left out, which would load its page again; with an address, it is used as it is."""
    wrong = escaped_meta({"template": "redirect.html", "location": "javascript:x()"})
    assert "template" not in wrong
    right = {"template": "redirect.html", "location": "a/?b=1&c=2"}
    assert escaped_meta(right) == right


@pytest.mark.parametrize(
    ("path", "template", "found"),
    [
        ("C#/100% \"x'.md", "", "https://code.example/edit/C%23/100%25%20%22x%27.md"),
        ("a/é.md", "", "https://code.example/edit/a/%C3%A9.md"),
        ("a<b>.md", "{path}", "https://code.example/edit/a%3Cb%3E.md"),
        ("100%25.md", "{path!q}", "https://code.example/edit/100%25.md"),
    ],
)
def test_addresses_for_edits_are_quoted(path: str, template: str, found: str) -> None:
    """The path of the source is quoted once, also if the site's own template does so."""
    page: Any = SimpleNamespace(file=SimpleNamespace(edit_uri=path), edit_url=f"https://code.example/edit/{path}")
    quote_edit_address(page, SimpleNamespace(edit_uri_template=template))  # type: ignore[arg-type]
    assert page.edit_url == found


CONFIG = "site_name: T\ntheme: {name: material, font: false}\nplugins: [planbook]\n"
PAGES = {"docs/index.md": "# Home\n", "docs/a <b> c/x.md": "No heading.\n", "docs/R&D <i>.md": "No heading.\n"}
ARRANGES = """
from mkdocs.plugins import BasePlugin

def on_config(config):
    config.plugins["awesome-nav"] = BasePlugin()
"""
"""A hook that acts as a plugin which arranges the navigation, and leaves it as MkDocs makes it."""


def test_sections_are_named_after_folders_as_text(project: Project) -> None:
    """Where another plugin arranges the navigation, and names sections after folders, their titles are escaped."""
    root = project({**PAGES, "mkdocs.yml": f"{CONFIG}hooks: [hook.py]\n", "hook.py": ARRANGES})
    html = built_strictly(root).html("")
    assert "a &lt;b&gt; c" in html.lower()
    assert "R&amp;D &lt;i&gt;" in html
    assert "<i>" not in html


def test_an_unsafe_address_stops_a_strict_build(project: Project) -> None:
    """A page that should lead to a script is reported with the line of its address."""
    page = "---\ntemplate: redirect.html\nlocation: javascript:x()\n---\n# X\n"
    root = project({"mkdocs.yml": CONFIG, "docs/index.md": "# Home\n", "docs/x.md": page})
    built = build(root, "--strict")
    assert built.returncode
    assert "docs/x.md:3: K004 `location: javascript:x()` is not used" in built.log
    page = page.replace("javascript:x()", "https://a.example/?b=1")
    (root / "docs/x.md").write_text(page, "utf-8")
    assert 'replace(["https://a.example/?b=1"' in built_strictly(root).html("x")
