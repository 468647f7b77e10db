"""A page that was edited since it was accepted stays so, whatever `planbook verify` finds in its sources."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from planbook.cli import main, project
from planbook.library.pages import fingerprint
from planbook.store import read_tree

MANUAL = "# Kettle\n\nThe kettle boils water within 300 seconds.\n"
PAGE = """\
---
title: Kettle
references:
  - id: manual
    title: Kettle
    custom:
      file: documents/kettle.md
      quotes:
        q1: The kettle boils water within 300 seconds.
---

# Kettle

It boils within 300 seconds [@manual, q1].
"""
PLAN = "# Tea\n\n## PART 1: Create tea/01-kettle.md\n\n- [✓] PART 1: Create tea/01-kettle.md\n"
DROP = """\
---
plan: tea
part: 1
finished: 2026-11-20 10:00 UTC
outcome: done
page: tea/01-kettle.md
text_sha256: {}
---

# Kettle
"""
NAMED = "1 page was changed since `planbook finish` accepted it: docs/tea/01-kettle.md"


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A base with an accepted page."""
    files = {
        "mkdocs.yml": "site_name: Tea\n",
        "documents/kettle.md": MANUAL,
        "docs/tea/01-kettle.md": PAGE,
        "plans/tea.md": PLAN,
        "plans/KNOWLEDGE-DROP-kettle.md": DROP.format(fingerprint(PAGE)),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shell(*args: str) -> tuple[int, str]:
    """The exit code and output of a command."""
    done = CliRunner().invoke(main, args)
    return done.exit_code, " ".join(done.output.split())


def is_accepted(root: Path) -> bool:
    """Whether the site may say that the page was checked."""
    settings = project.project_settings(root, ())
    tree = read_tree(settings)
    checks = project.valid_checks(settings, tree, project.project_library(settings, tree))
    return checks["tea/01-kettle.md"].is_accepted


def test_an_accepted_page_that_is_gone_is_reported(base: Path) -> None:
    """It is not "0 of 0"."""
    (base / "docs/tea/01-kettle.md").unlink()
    status, output = shell("finish", "--check", "--offline")
    assert (status, "docs/tea/01-kettle.md: the page was accepted, and is not there" in output) == (1, True), output


@pytest.mark.parametrize(
    ("command", "code", "named"),
    [
        (("help", "finish"), 0, "Submit a page"),
        (("find", "tea", "how hot?"), 2, "name a PART and a question: planbook find tea 1"),
        (("read", "kettle#9"), 1, "`--for PLAN PART`"),
    ],
)
def test_a_command_says_what_is_missing(base: Path, command: tuple[str, ...], code: int, named: str) -> None:
    """It does not say that something else is unknown."""
    status, output = shell(*command)
    assert (status, named in output) == (code, True), output


def test_verify_does_not_accept_an_edit(base: Path) -> None:
    """The quotes are in their source still; nobody has compared the sentence with them."""
    assert shell("verify", "--offline")[0] == 0
    assert is_accepted(base)
    for command in ("status", "verify --offline", "check --deny K040"):
        status, output = shell(*command.split())
        assert (status, NAMED in output) == (0, False), output
    page = base / "docs/tea/01-kettle.md"
    page.write_text(PAGE.replace("It boils within 300", "It boils within 400"))
    for command in ("verify --offline", "status"):
        status, output = shell(*command.split())
        assert (status, NAMED in output) == (0, True), output
    assert not is_accepted(base)
    assert shell("check")[0] == 0
    assert shell("check", "--deny", "K040")[0] == 1
    assert shell("check", "--deny", "K04")[0] == 1
    assert shell("check", "--deny", "Z9")[0] == 2
