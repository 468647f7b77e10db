"""Values, templates and versions: what output depends on has a digest, or nothing is reused."""

from __future__ import annotations

import os
import re
import shutil
import textwrap
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

import pygments
import pytest
import yaml

from planbook_speed.digests import MAX_PARTS, UnclearError, canonical_text
from tests.files import put
from tests.speed.conftest import Engine, Site

LAUGHS = "\n".join(
    [
        "a0: &a0 [x, x, x, x, x, x, x, x, x, x]",
        *(f"a{n}: &a{n} [{', '.join(10 * [f'*a{n - 1}'])}]" for n in range(1, 9)),
    ]
)


FRONT_MATTER = {
    "cyclic-map": "a: &a\n  b: *a",
    "cyclic-list": "a: &a [*a]",
    "cyclic-top": "&a\nb: *a",
    "two-cycles": "a: &a\n  b: &b\n    a: *a\n    b: *b",
    "cyclic-search": "search: &a {exclude: false, more: *a}",
    "integer": "1: 2",
    "integer-and-text": "1: 2\n'1': 3",
    "null": "~: x",
    "boolean": "true: x\nfalse: y",
    "date": "2026-01-01: x",
    "float": "1.5: x",
    "nested-integer": "x: {1: 2, b: 3}",
    "nested-tuple": "x: {[1, 2]: 3}",
    "set": "x: !!set {a, b}",
    "ordered": "x: !!omap [a: 1]",
    "binary": "x: !!binary aGVsbG8=",
    "infinite": "x: .nan\ny: .inf",
    "huge": f"x: {'9' * 400}",
    "time": "x: 2026-01-01T10:00:00Z",
    "alias": "a: &a {b: c}\nd: *a",
    "deep": f"x: {'[' * 150}{']' * 150}",
    "laughs": LAUGHS,
}


@pytest.mark.parametrize("plugins", [["search", "tags"], ["search", "tags", "planbook"]], ids=["alone", "planbook"])
def test_pages_with_odd_front_matter(site: Site, plugins: list[str]) -> None:
    """Cycles, keys that are no text, and aliases that expand to billions: the site is plain's, again and again."""
    site.config["plugins"] = plugins
    for name, front_matter in FRONT_MATTER.items():
        site.write(f"docs/odd/{name}.md", f"---\n{front_matter}\n---\n\n# {name}\n\nText.\n")
        put(site.root, {f"plans/{name}.md": f"---\n{front_matter}\n---\n\n# Plan {name}\n\n## PART 1: A\n\n- [ ] a\n"})
    site.assert_same()
    site.assert_same()
    site.write("docs/odd/integer.md", "---\n1: 3\n---\n\n# Integer\n")
    site.assert_same()


IN_CONFIGURATION = sorted(FRONT_MATTER.keys() - {"laughs", "nested-tuple"})
"""MkDocs itself expands the aliases of `laughs`."""
ENDLESS = ("cyclic-map", "cyclic-list", "cyclic-top", "two-cycles", "cyclic-search")


def assert_same_with(site: Site, extra: str) -> None:
    """Build a site with more in its configuration, and expect the same of a second build."""
    site.configure()
    for config in ("plain.yml", "speed.yml"):
        text = (site.root / config).read_text("utf-8")
        (site.root / config).write_text(f"{text}extra:\n{textwrap.indent(extra, '  ')}\n", "utf-8")
    plain = site.engine.build(site.root / "plain.yml", site.root / "site-plain")
    for _ in range(2):
        quick = site.engine.build(site.root / "speed.yml", site.root / "site")
        assert (quick.code, quick.log, quick.files) == (plain.code, plain.log, plain.files)


@pytest.mark.parametrize("names", [ENDLESS, sorted({*IN_CONFIGURATION} - {*ENDLESS})], ids=["endless", "odd"])
def test_a_configuration_with_odd_values(site: Site, names: Sequence[str]) -> None:
    """They are read, and what is unclear is not reused."""
    # An anchor of YAML is there once.
    texts = {name: re.sub(r"([&*])(\w)", rf"\g<1>{name}-\2", FRONT_MATTER[name]) for name in names}
    assert_same_with(site, "\n".join(f"{name}:\n{textwrap.indent(text, '  ')}" for name, text in texts.items()))


@pytest.mark.nightly  # the test above has all values in one configuration
@pytest.mark.parametrize("name", IN_CONFIGURATION)
def test_a_configuration_with_an_odd_value(site: Site, name: str) -> None:
    """The same holds for each value alone."""
    assert_same_with(site, FRONT_MATTER[name])


@pytest.mark.parametrize(
    "text", [FRONT_MATTER["cyclic-map"], FRONT_MATTER["two-cycles"], LAUGHS, "a: [" + "x, " * MAX_PARTS + "]"]
)
def test_a_value_without_end_has_no_text(text: str) -> None:
    """It is refused at once, whatever it would expand to."""
    with pytest.raises(UnclearError):
        canonical_text(yaml.load(text, yaml.CSafeLoader))


def test_keys_of_different_types_are_different() -> None:
    """A number is not the text of its digits."""
    assert len({canonical_text({key: 0}) for key in (1, "1", 1.5, "1.5", None, "None", True)}) == 7


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


@pytest.fixture
def other_pygments(tmp_path: Path) -> Path:
    """A folder with a Pygments of another version, which writes another class for names."""
    there = tmp_path / "other"
    shutil.copytree(Path(pygments.__file__).parent, there / "pygments", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(Path(str(metadata.distribution("pygments")._path)), there / "pygments-99.0.dist-info")  # type: ignore[attr-defined]
    for path, old, new in (
        (there / "pygments/__init__.py", pygments.__version__, "99.0"),
        (there / "pygments-99.0.dist-info/METADATA", f"Version: {pygments.__version__}", "Version: 99.0"),
        (there / "pygments/token.py", "'nf',", "'other-name',"),
    ):
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new), "utf-8")
    return there


def test_another_version_of_pygments(site: Site, other_pygments: Path) -> None:
    """What one version rendered is not used by a build with another."""
    site.quick()
    first, site.engine = (
        site.engine,
        Engine(PYTHONPATH=os.pathsep.join([os.environ["PYTHONPATH"], str(other_pygments)])),
    )
    try:
        site.assert_same()
        assert 'class="other-name"' in (site.root / "site/1/index.html").read_text("utf-8")
    finally:
        site.engine.close()
    site.engine = first
    site.assert_same()
    assert 'class="other-name"' not in (site.root / "site/1/index.html").read_text("utf-8")
