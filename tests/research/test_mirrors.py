"""Files of a repository at a commit, with real git; nothing of the repository runs or decides."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from planbook.research.mirrors import Mirror, MirrorError
from tests.growth import assert_linear
from tests.repositories import Repository, git, make_repository

TEA = "Steep for three minutes.\n"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A repository with one commit."""
    made = make_repository(tmp_path / "tea")
    made.commit({"docs/steep.md": TEA, "README.md": "# Tea\n"})
    return made


@pytest.fixture
def mirror(repository: Repository, tmp_path: Path) -> Iterator[Mirror]:
    """Its bare mirror."""
    with open_mirror(repository.mirror(tmp_path / "tea.git")) as opened:
        yield opened


def open_mirror(path: Path) -> closing[Mirror]:
    """The mirror at `path`, to be closed."""
    return closing(Mirror(path))


def head(repository: Repository) -> str:
    """The commit that is checked out."""
    return git(repository.root, "rev-parse", "HEAD")


def test_a_file_at_a_commit(repository: Repository, tmp_path: Path) -> None:
    """Each commit has its own content and date; the main branch is found."""
    first = head(repository)
    second = repository.commit({"docs/steep.md": "Two minutes.\n"}, day="2026-10-05")
    with open_mirror(repository.mirror(tmp_path / "tea.git")) as mirror:
        assert (mirror.read(first, "docs/steep.md"), mirror.day_of(first)) == (TEA.encode(), "2026-10-02")
        assert (mirror.read(second, "docs/steep.md"), mirror.day_of(second)) == (b"Two minutes.\n", "2026-10-05")
        assert mirror.resolve() == mirror.resolve("main") == second
        assert [file.path for file in mirror.files(second)] == ["README.md", "docs/steep.md"]
        assert {file.path: body for file, body in mirror.blobs(mirror.files(second))}["README.md"] == b"# Tea\n"


def test_a_clone_is_a_mirror_of_its_origin(repository: Repository, tmp_path: Path) -> None:
    """Its own commits are not those of the repository; its origin's are."""
    clone = Repository(tmp_path / "clone")
    git(tmp_path, "clone", "--quiet", str(repository.root), str(clone.root))
    own = clone.commit({"own.md": "Mine.\n"})
    with open_mirror(clone.root) as mirror:
        assert mirror.resolve() == head(repository)
        assert mirror.unreachable([own, head(repository)]) == {own}


@pytest.mark.parametrize("remote", ["origin", "upstream"])
@pytest.mark.parametrize("is_bare", [True, False])
@pytest.mark.parametrize("own", ["ref: refs/heads/gone", "the commit", "0" * 40])
def test_a_mirror_with_remote_branches_only(
    repository: Repository, tmp_path: Path, remote: str, is_bare: bool, own: str
) -> None:
    """Its main branch is that of the remote, even if its own HEAD leads nowhere; its own commits do not count."""
    clone = Repository(tmp_path / "clone")
    git(tmp_path, "clone", "--quiet", "--origin", remote, str(repository.root), str(clone.root))
    other = clone.commit({"own.md": "Mine.\n"})
    git(clone.root, "update-ref", "-d", "refs/heads/main")
    (clone.root / f".git/refs/remotes/{remote}/HEAD").unlink()
    (clone.root / ".git/HEAD").write_text(own.replace("the commit", head(repository)) + "\n")
    path = (clone.root / ".git").rename(tmp_path / "tea.git") if is_bare else clone.root
    with open_mirror(path) as mirror:
        assert mirror.resolve() == mirror.resolve("main") == head(repository)
        assert mirror.unreachable([other, head(repository)]) == {other}


def test_a_fork_s_commit_is_not_the_repository_s(repository: Repository, tmp_path: Path) -> None:
    """The refs of pull requests lead to it, and under the parent's address it resolves."""
    fork = Repository(tmp_path / "fork")
    git(tmp_path, "clone", "--quiet", str(repository.root), str(fork.root))
    theirs = fork.commit({"docs/steep.md": "Steep for an hour.\n"})
    git(repository.root, "fetch", "--quiet", str(fork.root), "main:refs/pull/1/head")
    with open_mirror(repository.mirror(tmp_path / "tea.git")) as mirror:
        assert mirror.has_commit(theirs)
        assert mirror.unreachable([theirs, head(repository), "0" * 40]) == {theirs, "0" * 40}


def test_tags_count_and_are_peeled(repository: Repository, tmp_path: Path) -> None:
    """A release that no branch leads to is reachable by its tag, whether annotated or not; a tagged file is none."""
    git(repository.root, "switch", "--quiet", "--detach")
    release = repository.commit({"docs/steep.md": "As released.\n"})
    git(repository.root, "tag", "light")
    git(repository.root, "tag", "-a", "-m", "One", "v1.0")
    git(repository.root, "tag", "blob", git(repository.root, "rev-parse", "HEAD:README.md"))
    git(repository.root, "switch", "--quiet", "main")
    with open_mirror(repository.mirror(tmp_path / "tea.git")) as mirror:
        assert mirror.resolve("v1.0") == mirror.resolve("light") == mirror.resolve(release) == release
        assert mirror.unreachable([release]) == frozenset()
        assert mirror.resolve("blob") is mirror.resolve("none") is mirror.resolve("0" * 40) is None


def test_many_refs_are_read_in_linear_time(repository: Repository, tmp_path: Path) -> None:
    """A mirror has a ref for each pull request: tens of thousands."""
    commit = repository.commit({"a.md": "one\n"})
    path = repository.mirror(tmp_path / "mirror")

    def read_tips(refs: str) -> None:
        """Read the branches beside a pull request for each character."""
        lines = [f"{commit} refs/pull/{n}/head\n" for n in range(len(refs))]
        (path / "packed-refs").write_text("".join([f"{commit} refs/heads/main\n", *lines]))
        with open_mirror(path) as mirror:
            assert mirror.tips == {"refs/heads/main": commit}

    assert_linear(read_tips, "x", (500, 2_000, 8_000))


def test_wrong_clocks_do_not_hide_a_commit(repository: Repository, tmp_path: Path) -> None:
    """A commit dated long after its descendants is reachable."""
    early = repository.commit({"a.md": "a\n"}, day="2038-01-01")
    for n in range(12):
        repository.commit({"b.md": f"{n}\n"}, day="2001-01-01")
    with open_mirror(repository.mirror(tmp_path / "tea.git")) as mirror:
        assert mirror.unreachable([early]) == frozenset()


def test_a_shallow_clone_has_what_it_has(repository: Repository, tmp_path: Path) -> None:
    """Its oldest commit is the end of its history."""
    first = head(repository)
    second = repository.commit({"a.md": "a\n"})
    shallow = tmp_path / "shallow.git"
    git(tmp_path, "clone", "--quiet", "--bare", "--depth=1", f"file://{repository.root}", str(shallow))
    with open_mirror(shallow) as mirror:
        assert mirror.unreachable([first, second]) == {first}
        assert mirror.read(second, "docs/steep.md") == TEA.encode()


def test_a_partial_clone_lacks_files_and_asks_nobody(repository: Repository, tmp_path: Path) -> None:
    """A file that was not cloned is missing, though its remote could be asked."""
    git(repository.root, "config", "uploadpack.allowFilter", "true")
    partial = tmp_path / "partial.git"
    git(tmp_path, "clone", "--quiet", "--bare", "--filter=blob:none", f"file://{repository.root}", str(partial))
    with open_mirror(partial) as mirror:
        with pytest.raises(MirrorError, match="lacks the blob"):
            mirror.read(head(repository), "docs/steep.md")
        assert list(mirror.blobs(mirror.files(head(repository)))) == []
    assert not list((partial / "objects/pack").glob("*.promisor"))[1:]


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("docs/none.md", "no file docs/none.md"),
        ("docs", "docs is a folder"),
        ("docs/steep.md/x", "no file"),
        ("link.md", "a symbolic link"),
        ("outside", "a symbolic link"),
        ("outside/passwd", "no file"),
        ("sub", "a submodule"),
        ("../tea/README.md", "no file"),
        ("", "no file"),
        ("big.bin", "too large"),
    ],
)
def test_what_is_no_file(repository: Repository, tmp_path: Path, path: str, why: str) -> None:
    """Folders, links, submodules, and files over the limit are refused; no link is followed."""
    (repository.root / "link.md").symlink_to("README.md")
    (repository.root / "outside").symlink_to("/etc")
    git(repository.root, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    (repository.root / "sub").mkdir()
    commit = repository.commit({"big.bin": b"\0" * 10_000_001})
    with open_mirror(repository.mirror(tmp_path / "tea.git")) as mirror:
        assert {"link.md", "outside", "sub"}.isdisjoint(file.path for file in mirror.files(commit))
        with pytest.raises(MirrorError, match=why):
            mirror.read(commit, path)


def test_odd_paths(repository: Repository, tmp_path: Path) -> None:
    """Blanks, globs, options and other scripts are names like any; what cannot be named in an address is left out."""
    names = ["a b.md", "*.md", "-x.md", ":(top)x.md", "日本.md", "a\\b.md"]
    (repository.root / os.fsdecode(b"\xff.md")).write_text("no UTF-8\n")
    commit = repository.commit({**{name: f"{name}\n" for name in names}, "new\nline.md": "x\n"})
    with open_mirror(repository.mirror(tmp_path / "tea.git")) as mirror:
        assert all(mirror.read(commit, name) == f"{name}\n".encode() for name in names)
        assert {file.path for file in mirror.files(commit)} == {*names, "README.md", "docs/steep.md"}


def test_a_hostile_mirror_runs_nothing(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its settings, hooks, attributes, replacements and remotes do not exist for us."""
    commit, trap = head(repository), tmp_path / "trapped"
    bare = repository.mirror(tmp_path / "tea.git")
    run = f"sh -c 'touch {trap}'"
    for key in ("core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "diff.external", "alias.rev-list"):
        git(bare, "config", key, run if not key.startswith("alias") else f"!{run}")
    for key, value in {
        "diff.x.textconv": run,
        "filter.x.smudge": run,
        "remote.origin.url": f"ext::{run}",
        "remote.origin.promisor": "true",
        "protocol.ext.allow": "always",
        "extensions.partialClone": "origin",
        "core.hooksPath": str(bare / "hooks"),
        "core.attributesFile": "/dev/zero",
    }.items():
        git(bare, "config", key, value)
    (bare / "config").write_text((bare / "config").read_text() + "[include]\n\tpath = /dev/zero\n[broken\n")
    (bare / "info").mkdir(exist_ok=True)
    (bare / "info/attributes").write_text("* diff=x filter=x\n")
    (bare / "info/grafts").write_text(f"{commit} {'1' * 40}\n")
    lie = git(repository.root, "hash-object", "-w", "--stdin", stdin="Steep for an hour.\n")
    truth = git(repository.root, "rev-parse", f"{commit}:docs/steep.md")
    shutil.copytree(repository.root / ".git/objects" / lie[:2], bare / "objects" / lie[:2], dirs_exist_ok=True)
    (bare / "refs/replace").mkdir(parents=True)
    (bare / "refs/replace" / truth).write_text(f"{lie}\n")
    for name in ("post-checkout", "reference-transaction", "post-index-change"):
        (bare / "hooks").mkdir(exist_ok=True)
        (bare / "hooks" / name).write_text(f"#!/bin/sh\ntouch {trap}\n")
        (bare / "hooks" / name).chmod(0o755)
    monkeypatch.setenv("GIT_DIR", str(bare))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.pager")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", run)
    with open_mirror(bare) as mirror:
        assert mirror.resolve() == commit
        assert mirror.read(commit, "docs/steep.md") == TEA.encode()
        assert mirror.unreachable([commit, "2" * 40]) == {"2" * 40}
        assert len(mirror.files(commit)) == 2
        with pytest.raises(MirrorError):
            mirror.read("2" * 40, "docs/steep.md")
    assert not trap.exists()


def test_a_damaged_object_is_not_believed(repository: Repository, tmp_path: Path) -> None:
    """Content that is not what its hash says is as good as missing."""
    commit = head(repository)
    blob = git(repository.root, "rev-parse", f"{commit}:docs/steep.md")
    other = git(repository.root, "hash-object", "-w", "--stdin", stdin="Steep for an hour.\n")
    objects = repository.root / ".git/objects"
    place = objects / blob[:2] / blob[2:]
    place.chmod(0o644)
    place.write_bytes((objects / other[:2] / other[2:]).read_bytes())
    with open_mirror(repository.root) as mirror, pytest.raises(MirrorError):
        mirror.read(commit, "docs/steep.md")


def test_what_is_no_mirror(repository: Repository, tmp_path: Path) -> None:
    """Not a folder without git, a worktree, or a repository that borrows objects from another one."""
    git(repository.root, "worktree", "add", "--quiet", "--detach", str(tmp_path / "worktree"))
    git(tmp_path, "clone", "--quiet", "--shared", "--bare", str(repository.root), str(tmp_path / "second.git"))
    (tmp_path / "empty").mkdir()
    for name, why in {"empty": "not a git repository", "worktree": "a worktree", "second.git": "uses objects"}.items():
        with pytest.raises(MirrorError, match=why):
            Mirror(tmp_path / name)


def test_names_are_hashes(mirror: Mirror) -> None:
    """Nothing but a full hash reaches git."""
    for name in ("HEAD", "main", "--help", "0" * 40 + "\nHEAD"):
        with pytest.raises(MirrorError):
            mirror.has_commit(name)


def test_an_abbreviated_commit_is_one(repository: Repository, tmp_path: Path) -> None:
    """Unless a branch has its name, no branch contains it, or it is the beginning of another object."""
    first = repository.commit({"tea.md": "green\n"})
    repository.commit({"tea.md": "black\n"})
    alone = git(repository.root, "commit-tree", f"{first}^{{tree}}", "-m", "alone")
    tree = git(repository.root, "rev-parse", f"{first}^{{tree}}")
    with closing(Mirror(repository.mirror(tmp_path / "mirror"))) as mirror:
        assert mirror.resolve(first[:7]) == mirror.resolve(first[:12]) == first
        refused = [first[:6], alone[:9], tree[:9], "abcdef0"]
        assert [mirror.resolve(ref) for ref in refused] == [None] * len(refused)
    git(repository.root, "branch", first[:7])
    repository.commit({"tea.md": "white\n"})
    git(repository.root, "branch", "--force", first[:7])
    with closing(Mirror(repository.mirror(tmp_path / "other"))) as mirror:
        assert mirror.resolve(first[:7]) == git(repository.root, "rev-parse", "main")
