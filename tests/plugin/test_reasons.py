"""A verbose build names the files for which a page of a base is read again."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

from planbook.library.pages import fingerprint
from planbook.markdown.extensions import Syntax
from planbook.plugin import PlanbookPlugin
from planbook.plugin.page_events import PageEvents, PageInputs
from planbook.plugin.site_build import SharedInputs
from planbook.views.frame import Site as SiteFacts
from planbook_speed.protocols import CacheablePlugin, NamedInputs
from planbook_speed.reasons import ALL_PAGES, changed_names
from tests.files import put
from tests.plugin.conftest import copied_site
from tests.speed.conftest import Engine

RYE, OATS, PLAN = "bread/10-dark-rye.md", "bread/12-oats.md", "plans/bread.md"
LINKING = "tools/10-linking.md"
DROP = "plans/KNOWLEDGE-DROP-rye-2031-01-01.md"


@pytest.fixture(scope="module")
def builds() -> Iterator[Engine]:
    """A process that builds."""
    engine = Engine()
    yield engine
    engine.close()


@pytest.fixture
def root(tmp_path: Path, builds: Engine) -> Path:
    """The small complete site, built."""
    root = copied_site(tmp_path / "base")
    config = yaml.safe_load((root / "mkdocs.yml").read_text("utf-8"))
    config |= {"plugins": ["search", "tags", "planbook", "planbook-speed"], "hooks": []}
    put(
        root,
        {"mkdocs.yml": yaml.safe_dump(config, sort_keys=False), f"docs/{LINKING}": "# L\n\n[](../bread/12-oats.md)\n"},
    )
    builds.build(root / "mkdocs.yml", root / "site")
    return root


def said(builds: Engine, root: Path) -> dict[str, str]:
    """The reason why each page is read again, of those that are, by a verbose build."""
    outcome = builds.build(root / "mkdocs.yml", root / "site", "-v")
    lines = [line.partition("planbook-speed: ")[2] for line in outcome.said]
    pairs = [line.partition(": read again: ") for line in lines]
    return {uri: reason for uri, is_read, reason in pairs if is_read}


def rename_plan(root: Path) -> None:
    """Change the title of a plan."""
    text = (root / PLAN).read_text("utf-8")
    put(root, {PLAN: text.replace("# The bread plan", "# The loaf plan")})


def add_drop(root: Path) -> None:
    """Add a drop for a page that is there."""
    put(root, {DROP: "---\nplan: bread\npart: 1\nfinished: 2031-01-01\n---\n\n# KNOWLEDGE DROP: Rye\n\n- A `mill`\n"})


def write_report(root: Path) -> None:
    """Record that a page was checked."""
    digest = fingerprint((root / "docs" / RYE).read_text("utf-8"))
    page = {"checked": "2031-01-02", "offline": False, "text_sha256": digest, "quotes": {"total": 0}, "references": []}
    put(root, {"planbook-verify.json": json.dumps({"version": 1, "pages": {RYE: page}})})


def change_title(root: Path) -> None:
    """Change the title of a page that others link to."""
    lines = (root / "docs" / OATS).read_text("utf-8").splitlines()
    put(root, {f"docs/{OATS}": "\n".join(["# Groats" if line.startswith("# ") else line for line in lines])})


def add_page(root: Path) -> None:
    """Add a page."""
    put(root, {"docs/flour/mills.md": "# Mills\n\nOn mills.\n"})


CHANGES: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "plan": (rename_plan, RYE, PLAN),
    "drop": (add_drop, RYE, DROP),
    "report": (write_report, RYE, "planbook-verify.json"),
    "title": (change_title, LINKING, OATS),
    "page": (add_page, RYE, "flour/mills.md"),
}
"""A change, a page that it concerns, and the file that is named."""


def test_a_title_is_that_of_the_page(root: Path, builds: Engine) -> None:
    """The plan has not changed if the page has another title than there."""
    change_title(root)
    assert said(builds, root)[OATS] == f"changed: its file, {OATS}"


@pytest.mark.parametrize("change", CHANGES)
def test_the_file_is_named(root: Path, builds: Engine, change: str) -> None:
    """The reason is not that `planbook` reads something that has changed, whatever the page."""
    act, uri, expected = CHANGES[change]
    act(root)
    reasons = said(builds, root)
    assert expected in reasons[uri], reasons
    assert not any(
        "what the plugin 'planbook' reads" in reason for reason in reasons.values() if "cannot" not in reason
    )


def test_what_all_pages_share_is_named_once(root: Path, builds: Engine) -> None:
    """A page more, to which any other may link: all are read again."""
    add_page(root)
    assert "flour/mills.md" in said(builds, root)[ALL_PAGES]
    rename_plan(root)
    assert ALL_PAGES not in said(builds, root)


def test_each_input_of_all_pages_has_a_name() -> None:
    """The digest by which pages are reused, and the names, are made of the same values."""
    inputs = SharedInputs("1", True, False, "github", Syntax(), SiteFacts("Bread"), {"a.md": ("a/", True)})
    others: dict[str, Any] = {"files": {"b.md": ("a/", True)}, "site": SiteFacts("Cakes"), "syntax": Syntax(("x",))}
    others |= {"fixes_pages": False, "is_vault": True}
    for name in (field.name for field in dataclasses.fields(SharedInputs)):
        other = dataclasses.replace(inputs, **{name: others.get(name, "other")})
        assert other.digest() != inputs.digest()
        assert len(changed_names(inputs.named(), other.named())) == (2 if name == "files" else 1)


def test_each_input_of_a_page_has_a_name() -> None:
    """All of them are read where they are named."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(PageEvents.named_inputs)))
    attributes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    named = {node.attr for node in attributes if isinstance(node.value, ast.Name) and node.value.id == "inputs"}
    assert named == {field.name for field in dataclasses.fields(PageInputs)}


class Declaring(BasePlugin):  # type: ignore[type-arg]
    """A plugin of others, which declares what its pages depend on, without names."""

    def page_inputs(self, page: Page, files: Files) -> tuple[object, ...]:
        """Nothing else."""
        return (page, files)


def test_planbook_beside_it_does_not_lend_a_plugin_its_names() -> None:
    """Only that which has both methods is asked for names: another one ended verbose builds with an error."""
    assert isinstance(Declaring(), CacheablePlugin)
    assert not isinstance(Declaring(), NamedInputs)
    assert isinstance(PlanbookPlugin(), CacheablePlugin)
    assert isinstance(PlanbookPlugin(), NamedInputs)
