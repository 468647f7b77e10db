"""Read the files of a local git repository at a commit.

Neither its settings are used, nor do its programs run.

Git runs in a separate empty repository that shares the mirror's objects. So it never sees the
mirror's settings, hooks, attributes, replacement objects or remotes, and does not fetch objects
missing from a partial clone. Branches and tags are read as text, and every object is compared with
its hash.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from planbook.research.git import reduce_environment
from planbook.store.files import RefusedError

COMMIT = re.compile(r"[0-9a-f]{40}")
"""The full hash of a commit."""
_ABBREVIATED_COMMIT = re.compile(r"[0-9a-f]{7,39}")
MAX_BYTES = 10_000_000
"""Maximum size of a file that is read."""
_COMMITTER = re.compile(rb"^committer .*> (\d{1,12}) [-+]\d{4}$", re.MULTILINE)
"""The line of a commit with its time in Unix seconds: ``committer A <a@b.c> 1764400000 +0100``."""
_BATCH = 256
"""Number of objects requested at once.

Their hashes fit into a pipe's buffer, so that writing never blocks.
"""
_MAX_TREE_BYTES = 100_000_000
_FOLDER, _SYMLINK = "40000", "120000"
_NO_FILES = {_SYMLINK: "a symbolic link", "160000": "a submodule", _FOLDER: "a folder"}
_ISOLATED_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "LC_ALL": "C",
}


class MirrorError(RefusedError):
    """A repository cannot be read, or an object is missing; the message says which."""


class NoSuchFileError(MirrorError):
    """A commit has nothing at a path."""


@dataclass(frozen=True, slots=True)
class MirrorFile:
    """A regular file at a commit."""

    path: str
    blob: str
    """The hash of its content."""
    size: int


class Mirror:
    """A clone or bare mirror of a repository on this machine. Thread-safe; close it after use."""

    def __init__(self, path: Path) -> None:
        self.path = path
        program = shutil.which("git")
        if program is None:
            raise MirrorError("git is not installed")
        self._folder = folder = _git_folder(path)
        self._home = TemporaryDirectory(prefix="planbook-mirror-")
        home = Path(self._home.name)
        (home / "refs").mkdir()
        (home / "HEAD").write_text("ref: refs/heads/none\n")
        (home / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = true\n")
        if (folder / "shallow").is_file():
            edges = COMMIT.findall((folder / "shallow").read_text("ascii", "replace"))
            (home / "shallow").write_text("".join(f"{edge}\n" for edge in edges))
        self._command = (program, f"--git-dir={home}")
        places = {"GIT_OBJECT_DIRECTORY": str(folder / "objects")}
        self._environ = {**reduce_environment(os.environ), **_ISOLATED_ENVIRONMENT, **places}
        self._lock = threading.Lock()
        self._batch: subprocess.Popen[bytes] | None = None

    def close(self) -> None:
        """Stop git and remove its empty repository."""
        if self._batch:
            self._batch.communicate()
        self._home.cleanup()

    # --- branches and tags ------------------------------------------------------------------------

    @cached_property
    def tips(self) -> dict[str, str]:
        """The targets of the repository's own branches and tags, by the ref's full name.

        A clone with a working tree has its origin's branches under ``refs/remotes/origin/``; its
        local branches may contain anything. Without local branches, those of the origin or the only
        remote count. Refs of pull requests are excluded: they point to commits of forks.
        """
        refs = {**self._packed_refs(), **self._loose_refs()}
        prefixes = (self._branches(refs), "refs/tags/")
        return {
            name: commit
            for name, commit in refs.items()
            if name.startswith(prefixes) and COMMIT.fullmatch(commit)
        }

    def _packed_refs(self) -> dict[str, str]:
        """Return the refs that git has packed into one file: a hash and a name a line."""
        packed = self._folder / "packed-refs"
        if not packed.is_file():
            return {}
        refs = {}
        for line in packed.read_text("utf-8", "replace").splitlines():
            commit, _, name = line.partition(" ")
            refs[name] = commit
        return refs

    def _loose_refs(self) -> dict[str, str]:
        """Return the refs in files of their own, which are newer than the packed ones."""
        paths = sorted((self._folder / "refs").rglob("*"))
        return {
            path.relative_to(self._folder).as_posix(): _first_line_of_file(path)
            for path in paths
            if path.is_file()
        }

    def _branches(self, refs: Iterable[str]) -> str:
        """Return where the repository's own branches are among `refs`: ``refs/heads/``."""
        remotes = {name.split("/")[2] for name in refs if name.startswith("refs/remotes/")}
        is_clone = self._folder.name == ".git" and "origin" in remotes
        if not is_clone and any(name.startswith("refs/heads/") for name in refs):
            return "refs/heads/"
        if "origin" in remotes:
            return "refs/remotes/origin/"
        if len(remotes) == 1:
            return f"refs/remotes/{remotes.pop()}/"
        return "refs/heads/"

    def resolve(self, ref: str = "") -> str | None:
        """Return the commit of a branch, tag or hash; ``None`` if there is none.

        A hash may be abbreviated, unless several objects begin so. The default is the commit of
        the main branch.
        """
        branches = self._branches(self.tips)
        if not ref:
            return self._resolve_main(branches)
        if COMMIT.fullmatch(ref):
            return None if self.unreachable([ref]) else ref
        tip = self.tips.get(f"{branches}{ref}") or self.tips.get(f"refs/tags/{ref}")
        if tip:
            return self._commit_of(tip)
        commit = self._commit_of(ref) if _ABBREVIATED_COMMIT.fullmatch(ref) else None
        return None if commit and self.unreachable([commit]) else commit

    def _commit_of(self, name: str) -> str | None:
        """Return the commit of a hash; ``None`` if it is of something else, or of several."""
        try:
            commit = self._run("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        except MirrorError:
            return None
        return commit.decode("ascii").strip()

    @property
    def checked_out(self) -> str | None:
        """The commit that the working tree is at, pushed or not; ``None`` before the first."""
        target = _first_line_of_file(self._folder / "HEAD").removeprefix("ref: ")
        refs = {**self._packed_refs(), **self._loose_refs()}
        commit = refs.get(target, target)
        return commit if COMMIT.fullmatch(commit) else None

    def _resolve_main(self, branches: str) -> str | None:
        """Return the commit of the main branch.

        It is what HEAD of the remote names, else HEAD of the repository, else one of a usual name.
        """
        names = []
        for head in (self._folder / branches / "HEAD", self._folder / "HEAD"):
            target = _first_line_of_file(head).removeprefix("ref: ")
            names.append(target.removeprefix("refs/heads/").removeprefix(branches))
        for name in (*names, "main", "master"):
            commit = self.resolve(name) if name else None
            if commit:
                return commit
        return None

    def unreachable(self, commits: Iterable[str]) -> frozenset[str]:
        """Return those of `commits` that no branch or tag of the mirror contains."""
        ids = sorted(commits)
        existing = [commit for commit in ids if self.has_commit(commit)]
        tips = sorted(set(self.tips.values()))
        doubtful = set(self._rev_list([*existing, *(f"^{tip}" for tip in tips)])).intersection(
            existing
        )
        if doubtful:  # git stops early and fails on wrong clocks; a full walk does not
            doubtful -= set(self._rev_list(tips))
        return frozenset(ids) - (frozenset(existing) - doubtful)

    def has_commit(self, commit: str) -> bool:
        """Return whether the mirror has the commit, reachable or not."""
        git_object = self._objects([commit], MAX_BYTES)[0]
        return git_object is not None and git_object[0] == "commit"

    def renamed(self, path: str, since: str, until: str) -> str | None:
        """Return the path at `until` of the file that was at `path` at `since`.

        The result is ``None`` if git finds none.
        """
        form = ("-r", "-z", "--name-status")
        output = self._run("diff-tree", *form, "-M", "--diff-filter=R", since, until)
        fields = output.decode("utf-8", "surrogateescape").split("\0")  # status, old, new, ...
        for old, new in zip(fields[1::3], fields[2::3], strict=False):
            if old == path:
                return new
        return None

    def _rev_list(self, revisions: Sequence[str]) -> list[str]:
        if not revisions:
            return []
        stdin = "".join(f"{line}\n" for line in revisions).encode("utf-8", "surrogateescape")
        output = self._run("rev-list", "--ignore-missing", "--stdin", stdin=stdin)
        return output.decode("ascii").split()

    # --- files ------------------------------------------------------------------------------------

    def day_of(self, commit: str) -> str:
        """Return the date of a commit in UTC, ``YYYY-MM-DD``. Raises MirrorError."""
        committer = _COMMITTER.search(self._get(commit, "commit"))
        if not committer:
            raise MirrorError(f"commit {commit[:12]} has no date")
        return datetime.fromtimestamp(int(committer[1]), UTC).date().isoformat()

    def read(self, commit: str, path: str) -> bytes:
        """Return the content of the file at `path`.

        Raises MirrorError if it is missing or not a regular file.
        """
        root = re.match(rb"tree ([0-9a-f]{40})\n", self._get(commit, "commit"))
        mode = _FOLDER
        name = root[1].decode() if root else ""
        for component in path.encode("utf-8", "surrogateescape").split(b"/"):
            entries = dict(_entries(self._get(name, "tree"))) if mode == _FOLDER else {}
            if component not in entries:
                raise NoSuchFileError(f"there is no file {path} at that commit")
            mode, name = entries[component]
        if mode in _NO_FILES:
            raise MirrorError(f"{path} is {_NO_FILES[mode]} at that commit")
        return self._get(name, "blob")

    def files(self, commit: str) -> list[MirrorFile]:
        """Return the regular files at a commit that an address can name, by path."""
        output = self._run("ls-tree", "-r", "-z", "-l", commit).decode("utf-8", "surrogateescape")
        files = []
        for line in output.split("\0"):
            about, _, path = line.partition("\t")
            mode, _, blob, size = [*about.split(), "", "", "", ""][:4]
            if size.isdigit() and mode != _SYMLINK and path.isprintable():
                files.append(MirrorFile(path, blob, int(size)))
        return sorted(files, key=lambda file: file.path)

    def blobs(self, files: Sequence[MirrorFile]) -> Iterator[tuple[MirrorFile, bytes]]:
        """Yield files with their content; those missing from the mirror are skipped."""
        for start in range(0, len(files), _BATCH):
            batch = files[start : start + _BATCH]
            objects = self._objects([file.blob for file in batch], MAX_BYTES)
            for file, blob in zip(batch, objects, strict=True):
                if blob:
                    yield file, blob[1]

    # --- git --------------------------------------------------------------------------------------

    def _get(self, name: str, kind: str) -> bytes:
        """Return the content of an object of this kind. Raises MirrorError."""
        max_bytes = MAX_BYTES if kind == "blob" else _MAX_TREE_BYTES
        git_object = self._objects([name], max_bytes)[0]
        if git_object is None or git_object[0] != kind:
            raise MirrorError(f"the mirror lacks the {kind} {name[:12]}, or it is too large")
        return git_object[1]

    def _objects(self, names: Sequence[str], max_bytes: int) -> list[tuple[str, bytes] | None]:
        """Return type and content of up to `_BATCH` objects.

        ``None`` stands for one that is missing, too large or damaged.
        """
        if not all(map(COMMIT.fullmatch, names)):
            raise MirrorError("an object needs its full hash")
        with self._lock:
            if self._batch is None:
                self._batch = subprocess.Popen(  # noqa: S603 - an argument list; no shell reads it
                    [*self._command, "cat-file", "--batch"],
                    env=self._environ,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )
            stdin, stdout = self._batch.stdin, self._batch.stdout
            assert stdin is not None  # noqa: S101 - both are pipes
            assert stdout is not None  # noqa: S101
            stdin.write("".join(f"{name}\n" for name in names).encode("ascii"))
            stdin.flush()
            return [self._next_object(stdout, name, max_bytes) for name in names]

    def _next_object(
        self, stdout: IO[bytes], name: str, max_bytes: int
    ) -> tuple[str, bytes] | None:
        """Read what ``git cat-file --batch`` prints for one object.

        That is a header, its content and a newline.
        """
        header = stdout.readline().split()  # its name, its type, its size
        if not header:
            raise MirrorError(f"git cannot read the objects of {self.path}")
        if len(header) != 3:  # ``<name> missing``
            return None
        kind, size = header[1].decode("ascii"), int(header[2])
        excess = max(0, size - max_bytes)
        content = stdout.read(size - excess)
        while excess:  # too large: skipped in pieces
            excess -= len(stdout.read(min(excess, 1_000_000)))
        stdout.read(1)
        digest = hashlib.sha1(f"{kind} {size}\0".encode("ascii") + content, usedforsecurity=False)
        return (kind, content) if digest.hexdigest() == name else None

    def _run(self, *args: str, stdin: bytes = b"") -> bytes:
        done = subprocess.run(  # noqa: S603 - an argument list; no shell reads it
            [*self._command, *args],
            env=self._environ,
            input=stdin,
            capture_output=True,
            check=False,
        )
        if done.returncode:
            why = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
            raise MirrorError(f"git {args[0]} in {self.path}: {why or 'it failed'}")
        return done.stdout


def _git_folder(path: Path) -> Path:
    """Return the folder with the objects and refs of the repository at `path`.

    Raises MirrorError.
    """
    folder = path / ".git" if (path / ".git").exists() else path
    if folder.is_file():
        raise MirrorError(f"{path} is a worktree or a submodule; use the repository itself")
    if not ((folder / "objects").is_dir() and (folder / "HEAD").is_file()):
        raise MirrorError(f"{path} is not a git repository")
    if (folder / "objects/info/alternates").exists():
        raise MirrorError(
            f"{path} uses objects of another repository; "
            "run `git repack -a -d` and remove its alternates"
        )
    if (folder / "reftable").exists():
        raise MirrorError(
            f"{path} stores its refs as reftable; run `git refs migrate --ref-format=files`"
        )
    return folder.absolute()


def _first_line_of_file(path: Path) -> str:
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return file.read(500).decode("utf-8", "replace").partition("\n")[0].strip()


def _entries(tree: bytes) -> Iterator[tuple[bytes, tuple[str, str]]]:
    """Yield the name, mode and hash of each entry of a tree object."""
    at = 0
    while at < len(tree):
        end = tree.index(b"\0", at)
        mode, _, name = tree[at:end].partition(b" ")
        yield name, (mode.decode("ascii"), tree[end + 1 : end + 21].hex())
        at = end + 21
