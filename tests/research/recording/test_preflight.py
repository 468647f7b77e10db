"""Preflight: what would keep a run from writing or committing is found before anything is researched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from planbook.cli.index_files import writable_files
from planbook.research.expand.context import find_writer
from planbook.research.expand.jobs import Job, Result
from planbook.research.recording.events import Event
from planbook.store import RefusedError, read_settings
from planbook.store.options import Options
from tests.files import git, put
from tests.research.expand.base import Base, commits, done, files_of, make_repository, part, plan

PLAN = plan(part(1), part(2))


@pytest.fixture
def base(tmp_path: Path) -> Base:
    """One plan of two PARTs, none of them written."""
    return Base(make_repository(tmp_path / "base", {"plans/tea.md": PLAN, "docs/index.md": "# Home\n"}))


def state(root: Path) -> dict[str, bytes | str]:
    """The user's files and links, by path."""
    found: dict[str, bytes | str] = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_symlink():
            found[name] = f"link to {path.readlink()}"
        elif path.is_file() and not name.startswith((".git/", ".planbook/")):
            found[name] = path.read_bytes()
    return found


def refusal(base: Base, **given: object) -> str:
    """Why the run is refused; nothing was researched, written or staged."""

    def runner(job: Job) -> Result:
        raise AssertionError(f"{job.name} was researched")

    before = state(base.root), git(base.root, "status", "--porcelain")
    with pytest.raises(RefusedError) as refused:
        base.run(runner, **given)
    assert (state(base.root), git(base.root, "status", "--porcelain")) == before
    return str(refused.value)


def link(root: Path, name: str, target: Path | str, *, is_committed: bool = False) -> None:
    """Puts a link to `target` in the place of `name`, whose files move there."""
    path = root / name
    there = path.parent / target
    if path.exists():
        path.rename(there)
    elif not there.exists():
        there.mkdir(parents=True)
    path.symlink_to(target)
    if is_committed:
        git(root, "add", "-A")
        git(root, "commit", "--quiet", "-m", "Link")


# --- links -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_committed", [False, True])
@pytest.mark.parametrize("name", ["docs", "plans", "docs/tea"])
@pytest.mark.parametrize("place", ["outside", "inside"])
def test_a_folder_that_is_a_link(base: Base, tmp_path: Path, name: str, place: str, is_committed: bool) -> None:
    """Git adds nothing that lies behind a link, wherever it leads, and whether or not git tracks the link itself."""
    link(base.root, name, tmp_path / "elsewhere" if place == "outside" else "other", is_committed=is_committed)
    leads_out = place == "outside" and name == "docs/tea"
    assert f"{'outside docs/' if leads_out else 'beyond a symbolic link'}" in refusal(base)


@pytest.mark.parametrize("commit", [True, False])
def test_a_plan_that_is_a_link(base: Base, commit: bool) -> None:
    """Marking it would put a file in the place of the link, and leave the plan itself as it is."""
    link(base.root, "plans/tea.md", base.root / "tea.md", is_committed=True)
    assert refusal(base, commit=commit) == (
        "plans/tea.md: it is a symbolic link, which would be replaced by a file; replace it with the file itself"
    )


def test_a_plan_that_is_a_link_out_of_the_base(base: Base, tmp_path: Path) -> None:
    """It is not read: a message says so, and nothing is researched."""
    link(base.root, "plans/tea.md", tmp_path / "tea.md", is_committed=True)
    assert base.run(done, commit=False).selection.briefs == ()
    (told,) = [event.message for event in base.events if event.name == "Message"]
    assert told.startswith("plans/tea.md:1: the link to ")
    assert "leads out of the base" in told


def test_a_page_that_is_a_dead_link(base: Base) -> None:
    """The page would take the place of the link."""
    link(base.root, "docs/tea/01.md", "../nowhere/x.md")
    (base.root / "docs/nowhere/x.md").rmdir()
    told = refusal(base, commit=False)
    assert "docs/tea/01.md: it is a symbolic link, which would be replaced by a file" in told


def test_a_folder_of_pages_outside_without_a_commit(base: Base, tmp_path: Path) -> None:
    """The folder of pages itself may lie elsewhere; a folder in it that leads out of it is refused."""
    link(base.root, "docs", tmp_path / "elsewhere")
    base.run(done, commit=False, part=1)
    assert (tmp_path / "elsewhere/tea/01.md").read_text() == "# Page\n\nText.\n"
    (tmp_path / "elsewhere/tea").rename(tmp_path / "tea")
    (tmp_path / "elsewhere/tea").symlink_to(tmp_path / "tea")
    assert refusal(base, commit=False) == (
        "docs/tea: it is a symbolic link that points outside docs/; replace it with the folder itself"
    )


def test_a_generated_file_that_is_a_link(base: Base, tmp_path: Path) -> None:
    """SKILL.md stays one: it is its user's."""
    link(base.root, "SKILL.md", tmp_path / "skill", is_committed=True)
    settings = read_settings(base.root)
    base.run(done, part=1, index_files=lambda library: writable_files(settings, library))
    assert (base.root / "SKILL.md").is_symlink()
    assert "A docs/INDEX.md" in files_of(base.root)


def test_pages_outside_the_project(tmp_path: Path) -> None:
    """`docs_dir` may lead to another folder of the repository, not out of it."""
    for name, config in (("in", "docs_dir: ../pages\n"), ("out", "docs_dir: ../../pages\n")):
        base = Base(make_repository(tmp_path / name, {"base/plans/tea.md": PLAN, "base/mkdocs.yml": config}) / "base")
        if name == "in":
            base.run(done, part=1)
            assert "A pages/tea/01.md" in files_of(base.root)
        else:
            assert "is outside repository" in refusal(base)


@pytest.mark.parametrize("name", [".planbook", ".planbook/answers", ".planbook/run.lock", ".planbook/journal.jsonl"])
@pytest.mark.parametrize("commit", [True, False])
def test_a_link_in_the_working_folder_that_git_tracks(base: Base, tmp_path: Path, name: str, commit: bool) -> None:
    """Whoever committed it would choose where files are written: nothing is, not even the lock."""
    target = tmp_path / "target"
    target.write_text("mine") if "." in Path(name).name[1:] else target.mkdir()
    (base.root / name).parent.mkdir(exist_ok=True)
    (base.root / name).symlink_to(target)
    git(base.root, "add", "--force", name)
    git(base.root, "commit", "--quiet", "-m", "Link")
    before = target.read_text() if target.is_file() else [*target.iterdir()]
    assert refusal(base, commit=commit) == (
        f"{name}: git tracks this symbolic link, and Planbook would write to its target; remove it: git rm {name}"
    )
    assert (target.read_text() if target.is_file() else [*target.iterdir()]) == before


def test_a_working_folder_elsewhere(base: Base, tmp_path: Path) -> None:
    """A link that git does not track is its user's own: it is followed."""
    (tmp_path / "elsewhere").mkdir()
    (base.root / ".planbook").symlink_to(tmp_path / "elsewhere")
    put(base.root, {".gitignore": ".planbook\n"})
    base.run(done, part=1)
    assert (tmp_path / "elsewhere/.gitignore").is_file()
    assert len(commits(base.root)) == 1


# --- what git would not take -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("docs/tea", "docs/tea/01.md"),
        ("*.md", "docs/tea/01.md"),
        ("plans/KNOWLEDGE-DROP-*", "plans/KNOWLEDGE-DROP-01-2026-11-20.md"),
        ("/SKILL.md", "SKILL.md"),
    ],
)
def test_a_file_that_git_ignores(base: Base, pattern: str, path: str) -> None:
    """The refusal names the line of .gitignore that says so."""
    put(base.root, {".gitignore": f"# Mine\n{pattern}\n"})
    settings = read_settings(base.root)
    assert refusal(base, index_files=lambda library: writable_files(settings, library)) == (
        f".gitignore:2: the pattern {pattern} excludes {path}; remove the pattern, or run with --no-commit"
    )


def test_a_file_that_git_ignores_but_tracks(base: Base) -> None:
    """A plan that git tracks is committed although a pattern ignores it."""
    put(base.root, {".gitignore": "plans/tea.md\n"})
    base.run(done, part=1)
    assert len(commits(base.root)) == 1


@pytest.mark.parametrize("name", ["docs", "docs/tea", "plans"])
def test_a_folder_that_is_a_repository_of_its_own(base: Base, tmp_path: Path, name: str) -> None:
    """A submodule, or one that git does not know: its files belong to it."""
    (base.root / name).mkdir(exist_ok=True)
    git(base.root / name, "init", "--quiet")
    assert refusal(base) == (
        f"{name}: it is a separate git repository, which a commit here cannot include; run planbook there, "
        "or with --no-commit"
    )


def test_a_submodule_that_is_not_checked_out(base: Base) -> None:
    """Its folder is empty, and git takes nothing there."""
    head = git(base.root, "rev-parse", "HEAD").strip()
    git(base.root, "update-index", "--add", "--cacheinfo", f"160000,{head},docs/tea")
    git(base.root, "commit", "--quiet", "-m", "A submodule")
    assert "is in submodule 'docs/tea'" in refusal(base)


def test_an_index_that_is_locked(base: Base) -> None:
    """By another git, or by one that was killed."""
    (base.root / ".git/index.lock").touch()
    told = refusal(base)
    assert told.startswith("git cannot add files here (Unable to create ")
    assert told.endswith("index.lock': File exists); fix that first, or run with --no-commit")


def test_nobody_to_commit_as(base: Base, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Git wants a name and an address."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "none"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for name in ("user.name", "user.email"):
        git(base.root, "config", "--unset", name)
    git(base.root, "config", "user.useConfigOnly", "true")
    assert refusal(base) == (
        "git has no author for the commit (no email was given and auto-detection is disabled); set user.name and "
        "user.email with git config, or run with --no-commit"
    )


def test_a_repository_without_a_commit(tmp_path: Path) -> None:
    """The run makes the first commit of the repository."""
    root = tmp_path / "new"
    put(root, {"mkdocs.yml": "site_name: Tea\nplugins: [planbook]\n", "plans/tea.md": PLAN})
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "config", "user.name", "A person")
    git(root, "config", "user.email", "person@tea.test")
    outcome = Base(root).run(done, part=1)
    assert outcome.summary.commit == git(root, "rev-parse", "--short", "HEAD").strip()
    assert git(root, "branch", "--show-current").strip() == "main"


def test_a_program_needs_a_commit(tmp_path: Path) -> None:
    """The writer `command` works in a worktree of the last one."""
    put(tmp_path, {"mkdocs.yml": "site_name: Tea\n"})
    git(tmp_path, "init", "--quiet")
    options = Options(writer="command", command=("true",))
    with pytest.raises(RefusedError, match="of the last commit, but there is none; commit first"):
        find_writer(read_settings(tmp_path), options, os.environ)


def test_a_bare_repository(base: Base) -> None:
    """It has no files to commit: the run says so, and commits nothing."""
    git(base.root, "config", "core.bare", "true")
    outcome = base.run(done, part=1)
    assert outcome.summary.commit is None
    assert (
        Event("Message", "this git repository is bare, or this folder is inside .git: nothing is committed")
        in base.events
    )


def test_a_detached_head(base: Base) -> None:
    """The commit of a run becomes the detached head."""
    git(base.root, "checkout", "--quiet", "--detach")
    assert base.run(done, part=1).summary.commit == git(base.root, "rev-parse", "--short", "HEAD").strip()


# --- what cannot be written --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("docs/tea", "docs/tea: it is a file, but a folder is needed; move it away"),
        ("docs/tea/01.md/x", "docs/tea/01.md: it is a folder, but a file is needed; move it away"),
    ],
)
@pytest.mark.parametrize("commit", [True, False])
def test_something_in_the_way(base: Base, name: str, told: str, commit: bool) -> None:
    """A file stands in the place of a folder, or the other way round."""
    put(base.root, {name: "mine\n"})
    assert refusal(base, commit=commit) == told
