"""Notes of Obsidian: what its author does not publish is nowhere on the site, and the rest is."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from planbook.cli import main
from planbook.markdown.vault import publish_note, publish_page
from tests.growth import assert_linear
from tests.plugin.conftest import Project, built_strictly

CASES = {
    "on one line": ("Boil it. %%Ask Ann.%% Wait.", "Boil it.  Wait."),
    "at the end of a line": ("Boil it. %%Ask Ann.%%\nWait.", "Boil it.\nWait."),
    "within a word": ("un%%not%%seen", "unseen"),
    "over several lines": ("a\n\n%%\nb\n\nc\n%%\n\nd", "a\n\n\n\n\n\n\n\nd"),
    "two on one line": ("a %%b%% c %%d%% e", "a  c  e"),
    "in code": ("`%%a%%` and `%%`", "`%%a%%` and `%%`"),
    "in a fence": ("```\n%%a%%\n```", "```\n%%a%%\n```"),
    "a fence in a comment": ("%%\n```\na\n```\n%%\nb `%%`", "\n\n\n\n\nb `%%`"),
    "half a fence in a comment": ("%% ``` %%\n\nb\n\n%%c%%", "\n\nb\n\n"),
    "half a code span in a comment": ("a %%it`s%% b `%%c%%`", "a  b `%%c%%`"),
    "a comment that is not closed": ("a\n\n%% b\nc", "a\n\n\n"),
    "signs within a line that are not closed": ("100 %% of it", "100 %% of it"),
    "an id": ("Boil it. ^water-1\n\nWait.", "Boil it.\n\nWait."),
    "an id of an item": ("- Boil it. ^a1\n- Wait.", "- Boil it.\n- Wait."),
    "an id below a table": ("|a|\n|-|\n|b|\n\n^t1\n", "|a|\n|-|\n|b|\n\n\n"),
    "an id in code": ("    a ^b\n\n`c ^d`", "    a ^b\n\n`c ^d`"),
    "powers": ("2 ^2 and x^2", "2 ^2 and x^2"),
}


@pytest.mark.parametrize(("written", "published"), CASES.values(), ids=CASES)
def test_notes_as_published(written: str, published: str) -> None:
    """Lines keep their numbers."""
    assert publish_note(written) == published
    assert written.count("\n") == published.count("\n")


def test_front_matter_stays() -> None:
    """Signs in it are values; bytes that are not UTF-8 stay for the Problem that reports them."""
    assert publish_page(b"---\ntitle: 5 %% of %%\n---\na %%b%% \xff\n") == b"---\ntitle: 5 %% of %%\n---\na  \xff\n"


def test_many_signs_take_linear_time() -> None:
    """Hostile text of many signs is published in linear time."""
    for piece in ("%%", "%% ", "%%a", "`%%", "%%`", " ^a", "%%\n"):
        assert_linear(publish_note, piece)


HIDDEN = "Zanzibar"
CONFIG = """site_name: x
theme: {name: material, font: false}
plugins:
  - planbook: {markdown: MODE}
  - search
"""
FILES = {
    "docs/index.md": "# Home\n\nSee [[water#^boil]].\n",
    "docs/water.md": f"""---
title: Water
---

%%{HIDDEN} in a lead%%

Water boils at ==100 degrees==. %%{HIDDEN} on a line%% ^boil

%%
{HIDDEN} in a block, with [[{HIDDEN}]]

## {HIDDEN} in a heading
%%

- An item %%{HIDDEN} in an item%%

`%%code%%`
""",
}


def every_text(folder: Path) -> dict[str, str]:
    """The texts of all files below a folder, by path."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes().decode("utf-8", "replace") for path in files}


@pytest.mark.parametrize("mode", ["github", "python"])
def test_no_comment_is_published(project: Project, mode: str) -> None:
    """Not on pages, in twins, in the search, in INDEX, nor in the files for programs; the rest is."""
    root = project({"mkdocs.yml": CONFIG.replace("MODE", mode), "docs/.obsidian/app.json": "{}", **FILES})
    built = built_strictly(root)
    site = every_text(root / "site")
    assert [path for path, text in site.items() if HIDDEN.lower() in text.lower()] == []
    water = built.html("water")
    assert "<mark>100 degrees</mark>" in water
    assert "<code>%%code%%</code>" in water
    assert "^boil" not in water
    assert "Water boils at ==100 degrees==." in site["water.md"]


def test_no_comment_is_exported(project: Project, tmp_path: Path) -> None:
    """Other engines get the published text; the option counts where the folder is missing."""
    config = CONFIG.replace("markdown: MODE", "vault: true")
    root = project({"mkdocs.yml": config, **FILES})
    done = CliRunner().invoke(main, ["materialize", str(tmp_path / "out"), "--root", str(root)], prog_name="planbook")
    assert done.exit_code == 0, done.output
    exported = every_text(tmp_path / "out")
    assert [path for path, text in exported.items() if HIDDEN in text] == []
    assert "Water boils at ==100 degrees==." in exported["water.md"]


def test_comments_are_text_elsewhere(project: Project) -> None:
    """A base that is no vault may mean the signs; `check` says so."""
    root = project({"mkdocs.yml": CONFIG.replace("MODE", "github"), "docs/index.md": "# Home\n\nA %%b%% c.\n"})
    assert "A %%b%% c." in built_strictly(root).html("")
    done = CliRunner().invoke(main, ["check", "--root", str(root)], prog_name="planbook")
    assert "docs/index.md:3:3: warning the text between `%%` and `%%` is published" in done.stdout


def test_check_reports_a_comment_that_is_not_closed(project: Project) -> None:
    """It hides the rest of its page; `check --fix` changes none of it."""
    written = "# Home\n\n%% never closed\n\nMore.\n"
    root = project({"mkdocs.yml": CONFIG.replace("MODE", "github"), "docs/.obsidian/a": "", "docs/index.md": written})
    done = CliRunner().invoke(main, ["check", "--fix", "--root", str(root)], prog_name="planbook")
    assert "docs/index.md:3:1: warning `%%` begins a comment that is not closed" in done.stdout
    assert (root / "docs/index.md").read_text("utf-8") == written
