"""Each reason that there is to make a page again is told by some build, and no other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from planbook_speed.reasons import Reason
from tests.conftest import ROOT
from tests.speed.cache_entries import entries
from tests.speed.conftest import Engine, Site
from tests.speed.releases import building_with

PAGE = "wheat/1.md"
DECLARING = """
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File
from mkdocs.structure.pages import Page

class Declaring(BasePlugin):
    def page_inputs(self, page, files):
        return (INPUTS,)

    def on_page_read_source(self, page, config):
        return "# Without a file" if page.file.abs_src_path == "/nowhere/wheat/1.md" else None

def on_config(config):
    config.plugins["declaring"] = Declaring()
    listeners = config.plugins.events["config"]
    listeners[:] = [listener for listener in listeners if hasattr(listener, "__self__")]  # not this one
"""
WITHOUT_FILE = """
def on_files(files, config):
    files.remove(files.src_uris["wheat/1.md"])
    files.append(File("wheat/1.md", "/nowhere", config.site_dir, config.use_directory_urls))
"""
OTHER_KIND = """
from mkdocs.structure.pages import Page

class Own(Page):
    pass

def on_nav(nav, config, files):
    files.src_uris["wheat/1.md"].page.__class__ = Own
"""
UNCLEAR_OPTIONS = """
def on_page_markdown(markdown, page, config, files):
    config.mdx_configs["toc"] = {**config.mdx_configs["toc"], "slugify": lambda text, separator: text}
"""
APPENDING = """
from pathlib import Path

def on_post_build(config):
    with Path(config.site_dir, "wheat/1/index.html").open("a") as file:
        file.write("<!-- more -->")
"""
OUTPUT = "def on_post_page(output, page, config):\n    return output\n"
MARKDOWN = "def on_page_markdown(markdown, page, config, files):\n    return markdown\n"


def with_hook(code: str) -> Callable[[Site], None]:
    """A site with a hook."""

    def prepare(site: Site) -> None:
        site.write("hook.py", code)
        site.config["hooks"] = ["hook.py"]
        site.quick()

    return prepare


def with_text(text: str) -> Callable[[Site], None]:
    """A site that is built with another text of the page."""

    def prepare(site: Site) -> None:
        site.write(f"docs/{PAGE}", text)
        site.quick()

    return prepare


def with_snippets(site: Site) -> None:
    """An extension that reads other files."""
    site.config["markdown_extensions"].append("pymdownx.snippets")
    site.quick()


def with_list_of_pages(site: Site) -> None:
    """A template that reads other pages."""
    site.write("theme/main.html", '{% extends "base.html" %}\n{# of #}{{ pages | length }}\n')
    site.quick()


def edited(site: Site) -> None:
    """A page that is edited after a build."""
    site.quick()
    site.write(f"docs/{PAGE}", "# Other\n")


def without_file(site: Site) -> None:
    """A file of the site that is deleted."""
    site.quick()
    (site.root / "site/wheat/1/index.html").unlink()


def without_html(site: Site) -> None:
    """A cache that has lost all but the records of the last build."""
    engine, site.engine = site.engine, Engine()  # that of all tests would remember where entries are
    site.quick()
    site.engine.close()
    site.engine = engine
    for index in [path for path in entries(site) if path.suffix == ".index"]:
        index.unlink()
        index.with_suffix(".data").unlink()


def without_templates(site: Site) -> None:
    """The same, beside a hook that may change the output of templates."""
    site.write("hook.py", OUTPUT)
    site.config["hooks"] = ["hook.py"]
    without_html(site)


@dataclass(frozen=True)
class Case:
    """A way to bring a reason about."""

    prepare: Callable[[Site], object]
    """Builds the site before the build that says why."""
    line: str
    """What is done with the page, before the reason."""
    pattern: str = ""
    """What the reason has in place of what it names."""
    is_by_day: bool = False


CASES = {
    Reason.CHANGED: Case(edited, "read again", "its file"),
    Reason.NEW: Case(lambda _: None, "built again"),
    Reason.OTHER_KIND: Case(with_hook(OTHER_KIND), "read again", is_by_day=True),
    Reason.NO_DIGEST: Case(
        with_hook(DECLARING.replace("INPUTS", "object()")), "read again", "'declaring'", is_by_day=True
    ),
    Reason.NO_SOURCE: Case(with_hook(DECLARING.replace("INPUTS", "1") + WITHOUT_FILE), "read again"),
    Reason.NOT_KEPT: Case(with_text(""), "read again"),
    Reason.HTML_IS_GONE: Case(without_html, "read again"),
    Reason.NOT_CACHED: Case(with_snippets, "read again", ".*snippets may depend on more than a page.*"),
    Reason.UNDECLARED: Case(with_hook(MARKDOWN), "read again", "'.*hook.py' in on_page_markdown"),
    Reason.OTHER_RELEASE: Case(Site.quick, "read again", "mkdocs [0-9.]+ has another function for a step of a build"),
    Reason.NO_HTML: Case(edited, "rendered again"),
    Reason.UNCLEAR_OPTIONS: Case(with_hook(UNCLEAR_OPTIONS), "rendered again"),
    Reason.UNCLEAR: Case(with_hook(OTHER_KIND), "built again", "a page of the class 'Own'"),
    Reason.NO_RECORD: Case(with_hook(APPENDING), "built again", is_by_day=True),
    Reason.NO_FILE: Case(without_file, "built again"),
    Reason.TEMPLATE_IS_CACHED: Case(with_hook(OUTPUT), "given to plugins again"),
    Reason.NO_TEMPLATE_CACHED: Case(without_templates, "built again"),
    Reason.MAY_CHANGE_OTHERS: Case(with_list_of_pages, "built again", "the template main.html, .*"),
    Reason.SAME: Case(Site.quick, "reused"),
}


@pytest.mark.parametrize(
    "reason",
    [
        pytest.param(reason, id=reason.name, marks=() if case.is_by_day else pytest.mark.nightly)
        for reason, case in CASES.items()
    ],
)
def test_a_build_tells_the_reason(site: Site, tmp_path: Path, reason: Reason) -> None:
    """The build is one without planbook-speed, and says this of the page, in a form that all reasons have."""
    case = CASES[reason]
    with _release_of(reason, site, tmp_path / "other"):
        case.prepare(site)
        plain = site.plain("-v")
        told = site.quick("-v")
    lines = [line.partition(f": {PAGE}: ")[2] for line in told.said if f": {PAGE}: " in line]
    assert (told.code, told.files) == (plain.code, plain.files), told.log
    start = re.escape(f"{case.line}: ")
    text = "|".join(re.escape(part) for part in re.split(r"\{[^}]*\}", reason.value) if part.strip())
    assert any(re.match(f"{start}.*(?:{text})", line) and re.search(case.pattern, line) for line in lines), lines
    assert all(_is_known(line) for line in lines), lines


def test_there_is_a_case_for_each_reason() -> None:
    """A new reason needs a site that shows it."""
    assert [*CASES] == [*Reason]


def test_the_guide_has_each_reason() -> None:
    """A reader finds the words of a verbose build in its table."""
    guide = (ROOT / "docs/guide/speed-details.md").read_text("utf-8")
    parts = {reason: re.split(r"\{[^}]*\}|: ", reason.value) for reason in Reason}
    words = {reason: [part.strip() for part in parts[reason] if part.strip()] for reason in Reason}
    assert [reason for reason in Reason if not any(part in guide for part in words[reason])] == []


def _is_known(line: str) -> bool:
    """Return True for a line whose reason is one of `Reason`, with something in each of its gaps."""
    told = line.partition(": ")[2]
    forms = ["(.+)".join(map(re.escape, re.split(r"\{[^}]*\}", reason.value))) for reason in Reason]
    return any(re.match(form, told) for form in forms)


@contextmanager
def _release_of(reason: Reason, site: Site, folder: Path) -> Iterator[None]:
    """Have the site be built with a release of MkDocs that brings the reason about."""
    if reason is Reason.OTHER_RELEASE:
        with building_with(site, folder, "mkdocs", {"_populate_page": "_read_page"}):
            yield
    else:
        yield
