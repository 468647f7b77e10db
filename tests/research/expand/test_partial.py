"""A partial PART is open work: `planbook expand` writes its page again when something of it changed, and says why."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.files import git, put
from tests.research.expand.base import make_repository
from tests.research.expand.loopback import planbook
from tests.research.expand.small_base import CONFIG, DOCUMENT, DOCUMENTS, HELD, PAGE, PLAN, WORDS, commit, expand, mark

MORE = "Rooibos leaves are bruised and fermented in the sun after the harvest, which turns the rooibos red and sweet."


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A base whose PART is partial: its page answers one of two points."""
    files = {"mkdocs.yml": CONFIG, "plans/tea.md": PLAN, "docs/index.md": "# Home\n", **DOCUMENTS}
    root = make_repository(tmp_path / "base", files)
    done = expand(root)
    assert (done.returncode, "- [/] PART 1" in mark(root)) == (0, True), done.stdout + done.stderr
    assert WORDS in (root / PAGE).read_text("utf-8")
    return root


def test_a_page_of_which_nothing_changed_is_left_and_the_reason_is_given(root: Path) -> None:
    """The command that writes it again all the same stands beside it; a fresh clone says the same."""
    before = (root / PAGE).read_bytes()
    git(root, "clone", "--quiet", ".", str(root.parent / "clone"))
    for base in (root, root.parent / "clone"):
        done = expand(base)
        assert (done.returncode, (base / PAGE).read_bytes()) == (4, before)
        first, *rest = done.stdout.splitlines()
        assert first == "Nothing to do: 1 PART partial, and nothing has changed since the pages were made."
        again = "planbook expand tea 1 --redo"
        assert f"its page exists, and nothing that it was made from has changed; to write it again: {again}" in rest[0]
    assert expand(root, "tea", "1", "--redo").returncode == 0


def add_document(root: Path) -> None:
    """A document answers the other point."""
    put(root, {DOCUMENT: f"# Rooibos\n\n{MORE}\n"})


def change_document(root: Path) -> None:
    """A document has other words."""
    put(root, {"documents/green.md": DOCUMENTS["documents/green.md"].replace("two", "three")})


def change_plan(root: Path) -> None:
    """The PART asks something else."""
    path = root / "plans/tea.md"
    path.write_text(
        path.read_text("utf-8").replace("Where rooibos leaves are fermented", "What the moon does"), "utf-8"
    )


def change_options(root: Path) -> None:
    """Fewer points are enough."""
    put(root, {"mkdocs.yml": CONFIG.replace("expand:\n", "expand:\n        min_answered: 40\n")})


CHANGES: dict[Callable[[Path], None], str] = {
    add_document: "the documents have changed",
    change_document: "the documents have changed",
    change_plan: "its plan has changed",
    change_options: "the options of the search have changed",
}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_page_whose_inputs_changed_is_written_again(root: Path, change: Callable[[Path], None]) -> None:
    """The dry run and the run say which page is replaced, and why; the next run has nothing to do."""
    change(root)
    commit(root)
    why = CHANGES[change]
    before = (root / PAGE).read_bytes()
    forecast = json.loads(expand(root, "--dry-run", "--format", "json").stdout)
    assert [(page["page"], page["replaces"]) for page in forecast["pages"]] == [("tea/1.md", why)]
    assert f"replaces the page: {why}" in expand(root, "--dry-run").stdout
    assert (root / PAGE).read_bytes() == before
    done = expand(root)
    assert (done.returncode, f"{PAGE} will be replaced: {why}" in done.stderr) == (0, True), done.stderr
    if change is add_document:
        assert MORE in (root / PAGE).read_text("utf-8")
        assert "- [✓] PART 1" in mark(root)
    if change is change_document:
        assert "three minutes" in (root / PAGE).read_text("utf-8")
    if change is change_options:
        assert "- [✓] PART 1" in mark(root)
    assert expand(root).returncode == 4


def test_another_writer_writes_it_again(root: Path) -> None:
    """The reason names both."""
    forecast = json.loads(expand(root, "--dry-run", "--format", "json", "--writer", "llm").stdout)
    assert [page["replaces"] for page in forecast["pages"]] == ["the writer was extract, and is llm"]


def test_a_page_that_somebody_changed_is_kept(root: Path) -> None:
    """Ours lies beside it, the PART stays partial, a drop reports it, and the next run does not do it again."""
    path = root / PAGE
    mine = path.read_text("utf-8").replace("# ", "# My ", 1) + "\nA remark of mine.\n"
    path.write_text(mine, "utf-8")
    commit(root)
    assert expand(root).returncode == 4
    add_document(root)
    commit(root)
    (forecast,) = json.loads(expand(root, "--dry-run", "--format", "json").stdout)["pages"]
    assert (forecast["replaces"], forecast["is_kept"]) == ("the documents have changed", True)
    assert "keeps the page, which somebody has changed since it was made" in expand(root, "--dry-run").stdout
    done = expand(root)
    assert done.returncode == 1
    assert "kept as it is: somebody has changed it since it was made" in done.stderr
    assert f"{PAGE} was changed since it was made, and is kept; our version is {HELD}" in done.stdout
    assert path.read_text("utf-8") == mine
    assert MORE in (root / HELD).read_text("utf-8")
    assert "- [/] PART 1" in mark(root)
    assert "1 page written" not in done.stdout
    assert next(" held " in line for line in done.stdout.splitlines() if "tea/1.md" in line)
    assert any("\noutcome: held\n" in drop.read_text("utf-8") for drop in (root / "plans").glob("KNOWLEDGE-DROP-*"))
    assert git(root, "status", "--porcelain") == ""
    assert expand(root).returncode == 4
    path.write_bytes((root / HELD).read_bytes())  # taken over by hand, it is ours again
    commit(root)
    change_document(root)
    commit(root)
    assert expand(root).returncode == 0
    assert "three minutes" in path.read_text("utf-8")


def test_a_page_of_which_no_drop_knows_is_left(root: Path) -> None:
    """It may be the work of a person; `--redo` replaces it."""
    for drop in (root / "plans").glob("KNOWLEDGE-DROP-*"):
        drop.unlink()
    add_document(root)
    commit(root)
    done = expand(root)
    assert (done.returncode, "no drop says what it was made from" in done.stdout) == (4, True)
    assert expand(root, "--plan", "tea", "--redo").returncode == 0
    assert MORE in (root / PAGE).read_text("utf-8")


def test_reopening_takes_a_partial_part_too(root: Path) -> None:
    """`verify --reopen` marks it, with the reason, and the next run replaces the page."""
    change_document(root)
    commit(root)
    done = planbook("verify", "--root", str(root), "--offline", "--reopen")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1].endswith("PART 1 is open again")
    assert ": reopened, 1 quote changed at the source)" in mark(root)
    commit(root)
    done = expand(root)
    assert (done.returncode, "will be replaced: its PART is open again" in done.stderr) == (0, True), done.stderr
    assert "three minutes" in (root / PAGE).read_text("utf-8")
    assert "reopened" not in mark(root)


def test_what_verify_found_is_a_change(root: Path) -> None:
    """A source that changed by its last check makes the page open work, once."""
    change_document(root)
    planbook("verify", "--root", str(root), "--offline")
    commit(root)
    done = expand(root)
    assert (done.returncode, "`planbook verify` found that its sources have changed" in done.stderr) == (0, True)
    assert expand(root).returncode == 4
