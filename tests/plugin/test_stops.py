"""`check` reports as errors what stops a strict build, a quiet one too: front matter, options, files and anchors."""

from __future__ import annotations

import re
from pathlib import Path
from subprocess import CompletedProcess, Popen

import pytest

from planbook.cli.link_targets import theme_files
from planbook.plugin.planbook_config import PlanbookConfig
from planbook.problems import Severity, severity
from planbook.store import read_settings
from planbook.store.options import PLUGIN_OPTIONS, option_problems
from tests import forks
from tests.files import put
from tests.plugin.conftest import ENVIRONMENT, command

SITE = """site_name: Tea
theme: {name: material, font: false}
plugins:
  - search
  - tags
  - planbook:
"""
LIGHT = """site_name: Tea
theme: {name: null, custom_dir: theme}
plugins:
  - planbook:
"""
"""A site with a theme of one line."""
PLAN = "## PART 1: Create x/1.md\n\n- [ ] PART 1: Create x/1.md\n"
ZENSICAL = "planbook build --engine zensical"
BLOCKS = "markdown_extensions: [admonition, pymdownx.details, {pymdownx.tabbed: {}}, md_in_html]\n"


def run(root: Path, command: str) -> CompletedProcess[str]:
    """Run a command in the project."""
    return forks.run(*command.split(), cwd=root, env=ENVIRONMENT, is_merged=True)


def project(root: Path, options: str = "      agents: false\n", page: str = "# Tea\n", site: str = SITE) -> Path:
    """Write a project with one page and these options."""
    files = {"mkdocs.yml": site + options, "plans/x.md": PLAN, "docs/index.md": page}
    put(root, {**files, "theme/main.html": "{{ page.content }}", "theme/404.html": ""})
    return root


@pytest.mark.parametrize(
    ("values", "is_wrong"),
    [
        *(("icon: trees", True), ("hide: 3", True), ("template: none.html", True)),
        pytest.param("search: 5", True, marks=pytest.mark.nightly),
        ("icon: material/tea\nsearch: {exclude: true}\nhide: [toc]\ntags: [x, 1]\ntemplate: main.html", False),
        ("tags: water, leaf", False),
        pytest.param("tags: 5", False, marks=pytest.mark.nightly),
    ],
)
def test_values_in_front_matter(tmp_path: Path, values: str, is_wrong: bool) -> None:
    """A value that stops the build is an error with its line; the build agrees."""
    root = project(tmp_path, page=f"---\ntitle: Tea\n{values}\n---\n\n# Tea\n")
    checked = run(root, "planbook check")
    assert ("docs/index.md:3:1: error" in checked.stdout) == is_wrong, checked.stdout
    assert checked.returncode == is_wrong
    built = run(root, "mkdocs build --strict -q")
    assert (built.returncode != 0) == is_wrong, built.stdout


@pytest.mark.parametrize("command", ["mkdocs build", pytest.param(ZENSICAL, marks=pytest.mark.nightly)])
def test_tags_that_are_no_texts(tmp_path: Path, command: str) -> None:
    """Material's tags stop at them: they are left out, with an error that a strict build counts; others are shown."""
    root = project(tmp_path)
    tags = {"wiki": "[[water]]", "map": "[{a: b}, leaf]", "own": "[2026-01-02, 1.5, true, null, 7]", "one": "2026"}
    put(root, {f"docs/{name}.md": f"---\ntags: {value}\n---\n\n# {name}\n" for name, value in tags.items()})
    built = run(root, command)
    assert built.returncode == 0, built.stdout
    shown = {
        name: re.findall(r'md-tag">\s*([^<\s]+)', (root / "site" / name / "index.html").read_text("utf-8"))
        for name in tags
    }
    assert shown == {"wiki": [], "map": ["leaf"], "own": ["1.5", "2026-01-02", "7", "True"], "one": ["2026"]}
    assert sorted(re.findall(r"docs/(\w+)\.md:2: K004", built.stdout)) == ["map", "wiki"]
    strict = run(root, "mkdocs build -q --strict")
    assert (strict.returncode, "strict mode" in strict.stdout) == (1, True), strict.stdout


UNSAFE = {
    "brackets": "a: " + "[" * 100_000,
    "maps": "a: " + "{a: " * 100_000,
    "keys": "? " * 100_000 + "a",
    "circle": "tags: &a [*a]",
    "number": "title: 0x" + "f" * 5_000,
    "fraction": "title: 1:" + "59:" * 400 + "1.5",
}


@pytest.mark.parametrize("command", ["mkdocs build", pytest.param(ZENSICAL, marks=pytest.mark.nightly)])
def test_front_matter_that_mkdocs_must_not_read(tmp_path: Path, command: str) -> None:
    """MkDocs would end without a word, and templates fail on the values: such pages have none."""
    root = project(tmp_path)
    put(root, {f"docs/{name}.md": f"---\n{values}\n---\n\n# A {name}\n" for name, values in UNSAFE.items()})
    built = run(root, command)
    assert built.returncode == 0, built.stdout[-2_000:]
    for name in UNSAFE:
        assert re.search(rf"docs/{name}\.md:[12]: K001 ", built.stdout)
        assert f">A {name}</h1>" in (root / "site" / name / "index.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("options", "line", "message"),
    [
        ("      expand: {writr: llm}\n", 5, "`expand.writr` is not an option; did you mean `writer`?"),
        ("      expand:\n        workers: many\n", 6, "`expand.workers` must be a whole number from 1 to 64"),
    ],
)
def test_options(tmp_path: Path, options: str, line: int, message: str) -> None:
    """An unknown option, or one with a wrong value, is an error for `check` and stops a strict build."""
    root = project(tmp_path, options, site=LIGHT)
    (problem,) = option_problems(read_settings(root))
    assert (problem.uri, problem.line, problem.code) == ("mkdocs.yml", line, "K005")
    assert problem.message.startswith(message)
    assert severity("K005") is Severity.ERROR
    checked = run(root, "planbook check")
    assert checked.returncode == 1
    assert f"mkdocs.yml:{line}" in checked.stdout
    built = run(root, "mkdocs build --strict -q")
    assert built.returncode == 1
    assert message in built.stdout


def test_the_options_are_those_of_the_plugin(tmp_path: Path) -> None:
    """The list of known options has each that the plugin reads."""
    assert set(PLUGIN_OPTIONS) == {name for name, _ in PlanbookConfig._schema} - {"citation_style"}
    assert option_problems(read_settings(project(tmp_path, "      plan_dir: x\n")))[0].message.endswith("`plans_dir`?")
    assert theme_files(read_settings(tmp_path)) is not None


@pytest.mark.parametrize(
    ("validation", "links", "wrong"),
    [
        ("", "[a](none.pdf)\n\n![a](img/none.png)\n\n[a](../README.txt)", 3),
        (
            "",
            "[a](leaf.txt) ![b](img/le%20af.svg) [c](llms.txt) [d](mailto:a@b.example) [e](none) [f](/none.pdf) "
            "[g](<img/le af.svg>) [h](assets/images/favicon.png) [i](?a=b.c) []() [j](x/1.md) [k](progress.json)",
            0,
        ),
        (
            BLOCKS,
            '!!! note\n\n    [a](none.md)\n\n??? "B"\n    === "T"\n        [a](nor.md)\n\n'
            '<div markdown="1">\n[a](no.md)\n</div>\n\n'
            "```\n!!! note\n\n    [a](nil.md)\n```",
            3,
        ),
        ("markdown_extensions: [toc]\n", "!!! note\n\n    [a](none.md)\n\n??? note\n\n    [a](nor.md)", 1),
        ("validation: {links: {not_found: info}}\n", "[a](none.pdf) [b](none.md)", 0),
        ("      fix_pages: false\n", "[a](tea.md)", 1),  # as on the page below
        ("nav: [index.md, {A: [B: none.md, progress.md, x/1.md, 'https://a.example/b.md']}]\n", "a", 1),
        ("nav: [none.md]\nvalidation: {nav: {not_found: info}}\n", "a", 0),
        ("hooks: [hooks.py]\n", "![a](made.txt)", 0),
        ("", "[a](tea.md#none) [b](#none)", 0),
        ("validation: {links: {anchors: warn}}\n", "[a](tea.md#none)", 1),
        ("validation: {anchors: warn}\n", "[a](#none)", 1),
        (
            "validation: {links: {anchors: warn}}\nmarkdown_extensions: [attr_list, footnotes, toc]\n",
            "[a](tea.md#green-tea-sm_90) [b](tea.md#grun) [c](tea.md#grun_1) [d](tea.md#own) [e](tea.md#kept) "
            "[f](#works) [g](tea.md#setext-one) [h](progress.md) [^1] [i](#fn:1)\n\n[^1]: A note.\n\n## Works\n",
            0,
        ),
    ],
)
def test_links_to_files_and_anchors(tmp_path: Path, validation: str, links: str, wrong: int) -> None:
    """`check` reports what stops the strict build, with the line, and nothing else."""
    site = SITE if "assets/images" in links else LIGHT
    root = project(tmp_path, "      agents: true\n" + validation, f"# Home\n\n{links}\n", site)
    files = {
        "README.txt": "Text.\n",
        "docs/leaf.txt": "leaf",
        "docs/img/le af.svg": "<svg/>",
        "docs/below/leaf.md": "# Leaf\n\n[a](tea.md)\n",
        "docs/tea.md": "# Tea\n\n## Green tea: `sm_90`\n\n## Grün\n\n## Grün\n\n## Mine {#own}\n\n<a id='kept'></a>\n\n"
        "Setext *one*\n------------\n",
        "hooks.py": "from mkdocs.structure.files import File\n\n\ndef on_files(files, config):\n"
        "    files.append(File.generated(config, 'made.txt', content='x'))\n    return files\n",
    }
    put(root, files)
    checked = run(root, "planbook check --select K023")
    built = run(root, "mkdocs build --strict -q")
    assert (built.returncode != 0) == bool(wrong), built.stdout
    places = re.findall(r"^(?:docs/\S+\.md|mkdocs\.yml):\d+:\d+: error .* K023$", checked.stdout, re.MULTILINE)
    assert (len(places), checked.returncode) == (wrong, bool(wrong)), checked.stdout


def test_pages_that_are_not_published_stop_nothing(tmp_path: Path) -> None:
    """Neither those that the configuration excludes, nor drafts and templates."""
    root = project(tmp_path, site="exclude_docs: /old/\ndraft_docs: /new/\n" + LIGHT)
    put(root / "docs", dict.fromkeys(("old/a.md", "new/b.md", "templates/c.md"), "---\nhide: 3\n---\n\n[a](none.md)\n"))
    checked = run(root, "planbook check")
    assert (checked.returncode, "docs/" in checked.stdout) == (0, False), checked.stdout
    assert run(root, "mkdocs build --strict -q").returncode == 0


def test_a_readme_beside_an_index_is_an_error(tmp_path: Path) -> None:
    """MkDocs leaves it out, and a strict build stops; one that is excluded, or alone, is none."""
    root = project(tmp_path, site=LIGHT)
    put(root / "docs", dict.fromkeys(("README.md", "a/README.md"), "# About\n"))
    checked = run(root, "planbook check")
    assert re.findall(r"^docs/\S+: error .* K003$", checked.stdout, re.MULTILINE) == [checked.stdout.splitlines()[0]]
    assert checked.stdout.startswith("docs/README.md:1:1: error MkDocs leaves this page out")
    assert (checked.returncode, run(root, "mkdocs build --strict -q").returncode) == (1, 1)
    (root / "mkdocs.yml").write_text(f"exclude_docs: /README.md\n{(root / 'mkdocs.yml').read_text('utf-8')}", "utf-8")
    assert run(root, "planbook check").returncode == 0
    assert run(root, "mkdocs build --strict -q").returncode == 0


def test_a_hook_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    """MkDocs stops at it; one that exists is none."""
    root = project(tmp_path, site="hooks:\n  - bin/hook.py\n" + LIGHT)
    checked = run(root, "planbook check")
    assert "mkdocs.yml:2:1: error the script bin/hook.py under `hooks` does not exist" in checked.stdout
    assert (checked.returncode, run(root, "mkdocs build -q").returncode) == (1, 1)
    put(root, {"bin/hook.py": ""})
    assert run(root, "planbook check").returncode == 0
    assert run(root, "mkdocs build --strict -q").returncode == 0


def test_signals_reach_the_engine(tmp_path: Path) -> None:
    """The process that the command starts as is the one that builds, and ends with it."""
    root = project(tmp_path, site="hooks: [hook.py]\n" + LIGHT)
    put(root, {"hook.py": "import os\ndef on_config(config):\n    open('pid', 'w').write(str(os.getpid()))\n"})
    with Popen([command("planbook"), "build"], cwd=root, env=ENVIRONMENT) as process:
        assert process.wait() == 0
    assert (root / "pid").read_text() == str(process.pid)


def test_a_file_elsewhere_is_proposed(tmp_path: Path) -> None:
    """For a link to a file by its name, as note-taking programs write it, if there is only one."""
    root = project(tmp_path, page="![a](a.png#x) ![b](b.png)\n", site=LIGHT)
    put(root / "docs", dict.fromkeys(("img/a.png", "img/b.png", "old/b.png"), ""))
    checked = run(root, "planbook check --select K023").stdout
    assert "a.png#x does not exist, but a file of that name does; write img/a.png K023" in checked
    assert "b.png does not exist in the base; correct the path K023" in checked


@pytest.mark.parametrize("name", ["awesome-pages", "other"])
def test_plugins_arrange_the_navigation(tmp_path: Path, name: str) -> None:
    """It is left to a plugin that does so for all files; otherwise it is ours."""
    hook = "from mkdocs.plugins import BasePlugin\ndef on_config(config):\n"
    hook += f"    config.plugins[{name!r}] = BasePlugin()\n"
    hook += "def on_nav(nav, config, files):\n    open('nav.txt', 'w').write(str(config.nav))\n"
    root = project(tmp_path, site="hooks: [hook.py]\n" + LIGHT)
    (root / "hook.py").write_text(hook, encoding="utf-8")
    assert run(root, "mkdocs build -q").returncode == 0
    assert ((root / "nav.txt").read_text("utf-8") == "None") == (name == "awesome-pages")
