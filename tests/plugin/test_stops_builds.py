"""Errors of `planbook check` that stop a strict build, a quiet one too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_CONFIG = "site_name: Tea\ntheme: {name: material, font: false}\nplugins: [planbook, search]\n"
_WITH_BLOCKS = f"{_CONFIG}markdown_extensions: [admonition, pymdownx.details, {{pymdownx.tabbed: {{}}}}, md_in_html]\n"
_PLAN = "# Tea\n\n## PART 1: Create tea/10-green.md\n\n- [ ] Write\n"


def _project(folder: Path, files: dict[str, str]) -> Path:
    every = {"mkdocs.yml": _CONFIG, "plans/tea.md": _PLAN, "docs/index.md": "# Tea\n\nText.\n"} | files
    for name, text in every.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def _check(root: Path) -> subprocess.CompletedProcess[str]:
    planbook = Path(sys.executable).with_name("planbook")
    return subprocess.run([planbook, "check"], cwd=root, capture_output=True, text=True, check=False, timeout=120)


def _build(root: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", *options]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False, timeout=240)


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"docs/a.md": "---\ntags: [a\n---\n# A\n"}, "K001"),
        ({"docs/a.md": "---\nicon: trees\n---\n# A\n"}, "K004"),
        ({"docs/a.md": "# A\n\n[Gone](gone.md)\n"}, "K023"),
        ({"docs/a.md": "# A\n\n![Gone](img/none.png)\n"}, "K023"),
        ({"docs/b/a.md": "# A\n\n[Gone](../files/none%20here.pdf#page=2)\n"}, "K023"),
        ({"docs/a.md": "# A\n\n[Outside](../README.txt)\n", "README.txt": "Text.\n"}, "K023"),
        ({"mkdocs.yml": f"{_CONFIG}validation: {{anchors: warn}}\n", "docs/a.md": "# A\n\n[Gone](#gone)\n"}, "K023"),
        ({"mkdocs.yml": _WITH_BLOCKS, "docs/a.md": "# A\n\n!!! note\n\n    [Gone](gone.md)\n"}, "K023"),
        ({"mkdocs.yml": _WITH_BLOCKS, "docs/a.md": '# A\n\n??? "B"\n    === "T"\n        [Gone](gone.md)\n'}, "K023"),
        ({"mkdocs.yml": _WITH_BLOCKS, "docs/a.md": '# A\n\n<div markdown="1">\n[Gone](gone.md)\n</div>\n'}, "K023"),
    ],
    ids=["front matter", "value", "page", "image", "file", "outside", "anchor", "admonition", "tab", "html"],
)
def test_an_error_of_check_stops_a_quiet_strict_build(tmp_path: Path, files: dict[str, str], code: str) -> None:
    """`check` exits with 1 and names the code; `mkdocs build --strict -q` fails."""
    root = _project(tmp_path, files)
    checked, built = _check(root), _build(root, "--strict", "-q")
    assert (checked.returncode, code in checked.stdout) == (1, True), checked.stdout + checked.stderr
    assert built.returncode != 0, built.stdout + built.stderr


def test_links_that_exist_are_no_errors(tmp_path: Path) -> None:
    """Files beside pages, of the theme and of our generator, other addresses and paths without a dot are accepted."""
    links = ["img/a%20b.png", "img/a b.png", "assets/images/favicon.png", "progress.json", "llms.txt", "progress.md"]
    links += [
        "c%20d.md",
        "https://example.org/none.png",
        "mailto:a@example.org",
        "#tea",
        "?a=b.c",
        "",
        "tea/10-green.md",
    ]
    text = "# A\n\n" + "".join(f"- [Link](<{link}>)\n" for link in links)
    root = _project(tmp_path, {"docs/a.md": text, "docs/img/a b.png": "png", "docs/c d.md": "# C\n"})
    assert not {"K023", "K035"} & set((checked := _check(root)).stdout.split()), checked.stdout
    assert "K0" not in (built := _build(root, "--strict", "-q")).stderr, built.stderr


def test_links_in_code_that_shows_blocks_are_no_errors(tmp_path: Path) -> None:
    """An admonition in a fence is code, and so is indented text where the site has no admonitions."""
    shown = "# A\n\n```\n!!! note\n\n    [Gone](gone.md)\n```\n"
    root = _project(tmp_path, {"mkdocs.yml": _WITH_BLOCKS, "docs/a.md": shown})
    assert "K023" not in (checked := _check(root)).stdout, checked.stdout
    root = _project(tmp_path, {"docs/a.md": "# A\n\n!!! note\n\n    [Gone](gone.md)\n"})
    assert "K023" not in (checked := _check(root)).stdout, checked.stdout


@pytest.mark.parametrize("more", ["validation: {links: {not_found: info}}\n", "hooks: [hook.py]\n"])
def test_missing_files_are_no_errors_where_builds_may_accept_them(tmp_path: Path, more: str) -> None:
    """With `not_found: info`, or a hook that may add files, `check` reports no missing image."""
    root = _project(tmp_path, {"mkdocs.yml": _CONFIG + more, "hook.py": "", "docs/a.md": "# A\n\n![Gone](none.png)\n"})
    assert "K023" not in (checked := _check(root)).stdout, checked.stdout


def test_a_build_names_the_value_that_stops_it(tmp_path: Path) -> None:
    """The message has the file, the line and the code, without `--strict` too."""
    root = _project(tmp_path, {"docs/a.md": "---\ntitle: A\nicon: trees\n---\n# A\n"})
    assert "docs/a.md:3: K004" in (built := _build(root)).stderr, built.stderr


def test_a_project_without_errors_passes_a_quiet_strict_build(tmp_path: Path) -> None:
    """Nothing stops the build of a base without errors."""
    assert (built := _build(_project(tmp_path, {}), "--strict", "-q")).returncode == 0, built.stderr
