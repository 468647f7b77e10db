"""A page whose output is certain to be the same keeps its file; the template of every other is rendered."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jinja2
import pytest
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import TableOfContents

from planbook_cache.disk import DiskCache
from planbook_speed import internals
from planbook_speed.page_outputs import PageOutputs
from planbook_speed.reasons import NotRecorded, Reason
from planbook_speed.site_files import PreviousBuild, PreviousSite, SiteFiles
from planbook_speed.template_inputs import TemplateInputs
from tests.conftest import ROOT
from tests.files import put
from tests.speed.conftest import Site, kept, written

POST_PAGE = """
from pathlib import Path

def on_post_page(output, **_):
    return output.replace("</head>", Path(__file__).with_name("word").read_text() + "</head>")
"""


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


class Bench:
    """The outputs of one page, `a.md`, in build after build."""

    def __init__(self, folder: Path) -> None:
        self.site = folder / "site"
        self.cache = DiskCache(folder / "cache")
        self.previous_build = PreviousBuild()
        self.text = "<p>One</p>"
        self.inputs = TemplateInputs({"option": "1"}, "1", lambda: "", {}, {}, {}, "")

    def build(self, *, message: str = "", added: str = "", **context_of_plugins: object) -> tuple[str, str]:
        """Return what is said of the page, and the output that MkDocs is to write; empty if none.

        The template logs a message, and something is added to the file after the build.
        """
        previous_site = PreviousSite(self.site)
        previous_site.set_aside(None)
        files = SiteFiles(self.site, self.previous_build, previous_site, None)
        said: list[str] = []
        outputs = PageOutputs(self.cache, files, self.inputs, lambda _, sentence: said.append(sentence))
        context: dict[str, Any] = dict.fromkeys(internals.MKDOCS_CONTEXT_KEYS, "")
        page = context["page"] = self.page()
        template = jinja2.Template("{{ page.content }}")

        def make() -> str:
            """Render the template."""
            if message:
                logging.getLogger("mkdocs.bread").warning(message)
            return str(template.render(page=page))

        output = outputs.render(template, context | context_of_plugins, make)
        output = outputs.finish(page, output)
        if output:
            put(self.site, {"a/index.html": output})
        previous_site.restore_approved()
        files.read_stamps()
        if added:
            put(self.site, {"a/index.html": output + added})
        self.previous_build = replace(files.record(), template_inputs=self.inputs.shared)
        previous_site.drop()
        [sentence] = said
        return sentence, output

    def forget_files(self, *, of_clear_templates: bool) -> None:
        """Have no record of any file: no page of the last build was clear, or it wrote none."""
        self.previous_build = PreviousBuild(template_inputs=self.inputs.shared if of_clear_templates else {})

    def page(self) -> Page:
        """Return the page as MkDocs has read it."""
        config = MkDocsConfig()
        config.load_dict({"site_name": "Bread"})
        page = Page("A", File("a.md", "docs", str(self.site), use_directory_urls=True), config)
        page.content, page.toc, page.meta = self.text, TableOfContents([]), {}
        return page


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A page that has been built once."""
    made = Bench(tmp_path)
    assert made.build() == (f"built again: {Reason.NEW.of()}", "<p>One</p>")
    return made


def test_a_decision_names_its_reason(bench: Bench) -> None:
    """The page is reused, or the reason says what has changed since the last build."""
    assert bench.build() == (f"reused: {Reason.SAME.of()}", "")
    bench.text = "<p>Two</p>"
    assert bench.build() == ("built again: changed: its HTML", "<p>Two</p>")
    bench.inputs = replace(bench.inputs, shared={"option": "2"}, shared_digest="2")
    assert bench.build() == ("built again: changed: option", "<p>Two</p>")
    assert bench.build() == (f"reused: {Reason.SAME.of()}", "")
    assert bench.build(own=1) == ("built again: changed: what plugins add to its context", "<p>Two</p>")
    (bench.site / "a/index.html").unlink()
    assert bench.build(own=1) == (f"built again: {Reason.NO_FILE.of()}", "<p>Two</p>")


def test_a_value_that_cannot_be_compared_is_named(bench: Bench) -> None:
    """The page is rendered each time, and leaves no record."""
    for _ in range(2):
        sentence, output = bench.build(own=object())
        assert sentence == "built again: builtins.object, which cannot be compared"
        assert output == "<p>One</p>"
        assert dict(bench.previous_build.files) == {}


UNRECORDED: dict[NotRecorded, Callable[[Bench], object]] = {
    NotRecorded.UNCLEAR: lambda bench: bench.build(own=object()),
    NotRecorded.ALL_UNCLEAR: lambda bench: bench.forget_files(of_clear_templates=False),
    NotRecorded.MESSAGE: lambda bench: bench.build(message="Flour is missing"),
    NotRecorded.CHANGED: lambda bench: bench.build(added="<!-- more -->"),
    NotRecorded.FOREIGN: lambda bench: bench.forget_files(of_clear_templates=True),
}
"""Ways to have a page's file in the site of which the last build has left no record."""


def test_each_cause_for_no_record_has_a_case() -> None:
    """A new cause needs one."""
    assert [*UNRECORDED] == [*NotRecorded]


@pytest.mark.parametrize("cause", NotRecorded)
def test_a_page_without_a_record_says_why(bench: Bench, cause: NotRecorded) -> None:
    """It is built again, and a verbose build names this one cause."""
    bench.text = "<p>Two</p>"
    UNRECORDED[cause](bench)
    assert bench.build() == (f"built again: {Reason.NO_RECORD.of(cause.value)}", "<p>Two</p>")


def test_an_output_that_a_plugin_changes_is_in_the_cache(bench: Bench) -> None:
    """The template is not rendered again; the file is reused if the plugin made the same of it."""
    bench.inputs = replace(bench.inputs, changed_by="a hook")
    assert bench.build() == (f"built again: {Reason.NO_TEMPLATE_CACHED.of()}; a hook", "<p>One</p>")
    assert bench.build() == (f"given to plugins again: {Reason.TEMPLATE_IS_CACHED.of()}; a hook", "")
    assert (bench.site / "a/index.html").read_text("utf-8") == "<p>One</p>"
