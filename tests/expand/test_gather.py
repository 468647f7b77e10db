"""`planbook gather`, `brief`, `read` and `find`: the evidence reaches whoever writes, also that of the web."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.expand.loopback import SearchWeb, make_base, planbook
from tests.files import git


@pytest.fixture
def root(tmp_path: Path, web: SearchWeb) -> Path:
    """A base whose plan is searched for on a web of loopback."""
    return make_base(tmp_path / "base", web)


def test_what_the_web_answers_is_in_the_brief(root: Path) -> None:
    """After `gather`, the brief has passages of pages of the web; no page is written, nothing is marked."""
    before = git(root, "status", "--porcelain")
    done = planbook("gather", "tea", "--root", str(root))
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 3
    assert "passages for" in done.stdout
    brief = planbook("brief", "tea", "1", "--root", str(root)).stdout
    assert "could not be read" in brief or " read. " in brief
    assert "127.0.0.1" in brief
    assert git(root, "status", "--porcelain") == before
    assert not (root / "docs/tea/1.md").exists()


def test_gathering_again_asks_nobody(root: Path, web: SearchWeb) -> None:
    """Answers are kept, so a second `gather` sends no request, and says the same."""
    first = planbook("gather", "tea", "1", "--root", str(root), "--format=json")
    asked = len(web.seen)
    again = planbook("gather", "tea", "1", "--root", str(root), "--format=json")
    assert len(web.seen) == asked
    one, other = (json.loads(done.stdout)[0] for done in (first, again))
    assert one.pop("gathered") <= other.pop("gathered")
    assert one == other
    assert all(point["passages"] for point in one["points"] if point["is_found"])


def test_a_worktree_shares_the_dossier(root: Path, web: SearchWeb, tmp_path: Path) -> None:
    """A brief in another worktree of the repository has the evidence, without a request."""
    planbook("gather", "tea", "1", "--root", str(root))
    asked = len(web.seen)
    git(root, "worktree", "add", "--quiet", "--detach", str(tmp_path / "other"))
    brief = planbook("brief", "tea", "1", "--root", str(tmp_path / "other")).stdout
    assert "127.0.0.1" in brief
    assert len(web.seen) == asked


def test_a_page_is_read_for_a_part(root: Path, web: SearchWeb) -> None:
    """It is fetched once, printed with its reference and numbered passages, and is a work of the PART from then on."""
    address = web.url("/a1")
    told = planbook("read", address, "--for", "tea", "1", "--root", str(root))
    assert told.returncode == 0, told.stderr
    assert f"URL: {address}" in told.stdout
    assert "sha256: " in told.stdout
    name = told.stdout.partition("- id: ")[2].partition("\n")[0]
    assert f"`{name}#1`" in told.stdout
    asked = len(web.seen)
    again = planbook("read", name, "--for", "tea", "1", "--root", str(root)).stdout
    assert again.partition("#1`")[2] == told.stdout.partition("#1`")[2]
    assert f"- `{name}`: " in planbook("brief", "tea", "1", "--root", str(root)).stdout
    assert len(web.seen) == asked


def test_passages_are_found_by_a_question(root: Path) -> None:
    """Those of the gathered works; a question in other words says what to do."""
    planbook("gather", "tea", "1", "--root", str(root))
    found = planbook("find", "tea", "1", "water for the leaves", "--root", str(root))
    assert found.returncode == 0, found.stderr
    assert "#" in found.stdout.partition("`")[2].partition("`")[0]
    assert not found.stdout.startswith("The best passage")
    partly = planbook("find", "tea", "1", "water for the leaves in fathoms", "--root", str(root))
    assert partly.stdout.startswith("The best passage does not mention “fathoms”.\n\n`")
    nothing = planbook("find", "tea", "1", "xylophone", "--root", str(root))
    assert nothing.returncode == 1
    assert "add one with `planbook read`" in nothing.stdout


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("nowhere.md", "is neither a web address, nor a file, nor a work"),
        ("http://127.0.0.1:9/x", "cannot be read"),
        ("mkdocs.yml", "is outside documents/"),
    ],
)
def test_what_cannot_be_read_is_named(root: Path, place: str, why: str) -> None:
    """With the reason; nothing is added to the dossier."""
    told = planbook("read", place, "--for", "tea", "1", "--root", str(root))
    assert told.returncode == 1
    assert why in told.stderr
