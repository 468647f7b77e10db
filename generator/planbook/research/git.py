"""Git: staged changes, and commits of named paths. Configuration, hooks and signing are the user's.

Never ``add -A``, never a push. Paths are relative to the project's folder, which may be anywhere in
a repository. Git gets no API keys, and nothing is committed once settings or hooks have changed: a
program that writes pages may leave behind a hook, or a setting that names another program (a
filter, a file monitor, a signer), which git would run with Planbook's permissions and environment.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from subprocess import CompletedProcess

from planbook.store.files import (
    WORK_DIR,
    RefusedError,
    UserError,
    work_path,
    write_atomic,
    writing,
)

_OPERATION_FILES = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
}
"""Files of a repository with an operation in progress, which a commit of ours would disturb."""

_COMMON_VARIABLES = (
    *("PATH", "HOME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE"),
    *("LOGNAME", "SHELL", "TMPDIR", "TZ", "USER"),
)
"""Variables that every program needs."""
_GIT_VARIABLES = (
    *("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE", "EMAIL"),
    *("GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE"),
    *("GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM"),
    *("GIT_ALLOW_PROTOCOL", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM"),
    *("GNUPGHOME", "GPG_TTY", "SSH_AUTH_SOCK", "TERM"),
    *("DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY"),
    *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"),
)
"""Variables for git: author, location of the user's configuration, limits, and signing.

No ``GIT_DIR`` and no ``GIT_INDEX_FILE``: they would select another repository, such as that of a
hook which starts Planbook.
"""


_LINK_MODE = "120000"
"""The mode of a symbolic link in git's index."""

_SHARED_FOLDER = "shared"
"""In the working folder of a project without a repository, what a repository's worktrees share."""


class GitError(UserError):
    """A git command failed or was refused; the message says why."""


@dataclass(frozen=True, slots=True)
class Git:
    """The repository that contains a project's folder."""

    root: Path
    """The project's folder."""
    prefix: str
    """Its path within the repository: empty, or with a slash at the end."""
    program: str
    trusted: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The settings and hooks that git may use: fingerprints by name."""

    def check_trusted(self) -> None:
        """Raise :class:`GitError` if git's settings or hooks have changed.

        They are compared with those when the repository was opened.
        """
        was_trusted = self.trusted
        now = dict(_fingerprints(self.program, self.root))
        changed = []
        for name in sorted(was_trusted.keys() | now.keys()):
            if name not in was_trusted:
                changed.append(f"{name} (new)")
            elif name not in now:
                changed.append(f"{name} (gone)")
            elif was_trusted[name] != now[name]:
                changed.append(name)
        if changed:
            raise GitError(
                "git's settings or hooks have changed during the run, so nothing is committed: "
                f"{', '.join(changed)}; "
                "undo the change unless it is yours: the next run uses them as they are then"
            )

    def staged(self) -> tuple[str, ...]:
        """Return the staged paths, relative to the project's folder.

        Paths outside of it start with ``../``.
        """
        self.check_trusted()
        top = self._lines("diff", "--cached", "--name-only", "--no-renames", "-z")
        return tuple(os.path.relpath(path, self.prefix or ".") for path in top)

    def changed(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Return those of `paths` that differ from the last commit or are untracked."""
        pathspecs = tuple(paths)
        if not pathspecs:
            return ()
        self.check_trusted()
        form = ("--porcelain=v1", "--no-renames", "-z")
        which = ("--untracked-files=all", "--ignore-submodules=all")
        lines = self._lines("status", *form, *which, "--", *pathspecs)
        return tuple(os.path.relpath(line[3:], self.prefix or ".") for line in lines)

    def untracked(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Return the files at or below `paths` that git does not have and does not ignore.

        A folder of which git has nothing is one entry, which ends in a slash.
        """
        existing = [path for path in paths if (self.root / path).exists()]
        if not existing:
            return ()
        self.check_trusted()
        which = ("--porcelain=v1", "-z", "--untracked-files=normal")
        lines = self._lines("status", *which, "--", *existing)
        new = [line[3:] for line in lines if line.startswith("??")]
        folders = {path for path in new if path.endswith("/")}
        names = {path: os.path.relpath(path, self.prefix or ".") for path in new}
        return tuple(f"{names[path]}/" if path in folders else names[path] for path in new)

    def unfinished(self) -> str | None:
        """Return the operation in progress in this repository, such as ``a merge``."""
        folder = Path(self._text("rev-parse", "--absolute-git-dir"))
        return next(
            (operation for name, operation in _OPERATION_FILES.items() if (folder / name).exists()),
            None,
        )

    def has_commit(self) -> bool:
        """Return True if the branch has a commit."""
        return self._run("rev-parse", "--verify", "--quiet", "HEAD").returncode == 0

    def branch(self) -> str | None:
        """Return the current branch; ``None`` if HEAD is detached."""
        return self._text("symbolic-ref", "--quiet", "--short", "HEAD", may_fail=True) or None

    def identity_problem(self) -> str | None:
        """Return why a commit would have no author or committer; ``None`` if git knows them."""
        for name in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
            asked = self._run("var", name)
            if asked.returncode:
                why = _fatal(asked.stderr)
                return (
                    f"git has no author for the commit ({why}); "
                    "set user.name and user.email with git config"
                )
        return None

    def add_problem(self, paths: Iterable[str]) -> str | None:
        """Return why git would not add files at `paths`, existing or not; ``None`` if it would."""
        pathspecs = "\0".join(paths)
        asked = ("check-ignore", "--verbose", "--stdin", "-z")  # does not support literal paths
        ignored = run_git(
            self.program, self.root, *asked, stdin=pathspecs, GIT_LITERAL_PATHSPECS="0"
        )
        fields = iter(ignored.stdout.split("\0"))
        for source, line, pattern, path in zip(fields, fields, fields, fields, strict=False):
            if not pattern.startswith("!"):
                return f"{source}:{line}: the pattern {pattern} excludes {path}; remove the pattern"
        files = ("--pathspec-from-file=-", "--pathspec-file-nul")
        tried = self._run("add", "--dry-run", "--ignore-missing", *files, stdin=pathspecs)
        if tried.returncode:
            return f"git cannot add files here ({_fatal(tried.stderr)}); fix that first"
        return None

    def commit(self, paths: Sequence[str], message: str) -> str | None:
        """Commit the current state of `paths`, including deletions, and nothing else.

        Returns the short id; ``None`` if nothing has changed. Raises :class:`GitError` with git's
        message, and leaves none of `paths` staged.
        """
        self.check_trusted()
        tracked = self._tracked_paths(paths)
        existing = [path for path in paths if (self.root / path).is_file()]
        gone = [path for path in paths if path in tracked and path not in existing]
        pathspecs = [*existing, *gone]
        try:
            if existing:
                self._text("add", "--", *existing)
            if gone:
                self._text("rm", "--cached", "--quiet", "--ignore-unmatch", "--", *gone)
            if (
                not pathspecs
                or not self._run("diff", "--cached", "--quiet", "--", *pathspecs).returncode
            ):
                return None
            # Changes staged by others in the meantime stay staged and are not part of this commit.
            self._text("commit", "--quiet", "--only", "--file=-", "--", *pathspecs, stdin=message)
        except GitError:
            self._text("reset", "--quiet", "--", *pathspecs, may_fail=True)
            raise
        return self._text("rev-parse", "--short", "HEAD")

    def tracked(self, path: str) -> dict[str, str]:
        """Return the tracked files at and below `path` with their modes.

        The mode of a symbolic link is ``120000``.
        """
        modes = {}
        for line in self._lines("ls-files", "--stage", "-z", "--", path):
            about, _, name = line.partition("\t")
            modes[name] = about.split(" ")[0]
        return modes

    def _tracked_paths(self, paths: Sequence[str]) -> set[str]:
        """Return those of `paths` that are in the index or in the last commit.

        A file whose removal is staged is only in the last commit.
        """
        if not paths:
            return set()
        # Before the first commit, this fails and lists nothing.
        output = self._run("ls-tree", "-r", "--name-only", "-z", "HEAD", "--", *paths)
        in_commit = [path for path in output.stdout.split("\0") if path]
        return {*self._lines("ls-files", "-z", "--", *paths), *in_commit}

    def copy_commit(self, folder: Path) -> None:
        """Check out the last commit to `folder`, as a repository with a detached HEAD.

        Raises :class:`GitError`.

        It shares the objects of this repository, but not its settings, hooks and branches: changes
        to those stay there.
        """
        self.check_trusted()
        commit = self._text("rev-parse", "--verify", "--end-of-options", "HEAD^{commit}")
        form = self._text("rev-parse", "--show-object-format")
        self._text("init", "--quiet", "--template=", f"--object-format={form}", str(folder))
        write_atomic(folder / ".git/objects/info/alternates", f"{self.path('objects')}\n".encode())
        if self.path("shallow").is_file():
            write_atomic(folder / ".git/shallow", self.path("shallow").read_bytes())
        # Hooks are for the user's checkouts, not for this one.
        Git(folder, "", self.program)._text(
            "-c", f"core.hooksPath={os.devnull}", "checkout", "--quiet", "--detach", commit
        )

    def path(self, name: str) -> Path:
        """Return the path of a file of the repository, such as ``objects``."""
        return (self.root / self._text("rev-parse", "--git-path", name)).resolve()

    # --- running git ------------------------------------------------------------------------------

    def _lines(self, *args: str) -> list[str]:
        return [line for line in self._text(*args).split("\0") if line]

    def _text(self, *args: str, stdin: str = "", may_fail: bool = False) -> str:
        done = self._run(*args, stdin=stdin)
        if done.returncode and not may_fail:
            told = done.stderr.strip() or done.stdout.strip()
            why = told or f"it ended with {done.returncode}"
            command = args[2] if args[0] == "-c" else args[0]
            raise GitError(f"git {command}: {why.rstrip('.')}")
        return done.stdout.rstrip("\n")

    def _run(self, *args: str, stdin: str = "") -> CompletedProcess[str]:
        return run_git(self.program, self.root, *args, stdin=stdin)


def reduce_environment(environ: Mapping[str, str], names: Sequence[str] = ()) -> dict[str, str]:
    """Return the variables of `environ` that every program needs, and those in `names`.

    API keys are not among them.
    """
    return {name: environ[name] for name in (*_COMMON_VARIABLES, *names) if name in environ}


def run_git(
    program: str, folder: Path, *args: str, stdin: str = "", **more: str
) -> CompletedProcess[str]:
    """Run a git command in `folder` and return its result; `more` is added to the environment."""
    # Paths are literal, whatever characters they contain; the user's other settings apply.
    env = {**reduce_environment(os.environ, _GIT_VARIABLES), "GIT_LITERAL_PATHSPECS": "1", **more}
    return subprocess.run(  # noqa: S603 - an argument list; no shell reads it
        [program, "-C", str(folder), "-c", "core.fsmonitor=false", *args],
        env=env,
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="surrogateescape",
        check=False,
    )


def _fatal(output: str) -> str:
    """Return the error message in git's output."""
    lines = [line for line in output.splitlines() if line.strip()]
    if not lines:
        return "no reason given"
    message = next((line for line in lines if line.startswith("fatal: ")), lines[0])
    return message.removeprefix("fatal: ").rstrip(".")


@dataclass(frozen=True, slots=True)
class NoGit:
    """No repository of git can be used."""

    reason: str
    """Why, in a few words for a message."""

    def __str__(self) -> str:
        return self.reason


def find_git(root: Path) -> Git | NoGit:
    """Return the repository that contains `root`, or why none can be used."""
    program = shutil.which("git")
    if program is None:
        return NoGit("git is not installed")
    facts = ("--is-inside-work-tree", "--show-prefix")
    asked = run_git(program, root, "rev-parse", *facts, LC_ALL="C")
    is_inside, prefix, *_ = [*asked.stdout.split("\n"), "", ""]
    if not asked.returncode and is_inside == "false":
        return NoGit("this git repository is bare, or this folder is inside .git")
    if asked.returncode or is_inside != "true":
        output = asked.stderr.strip()
        if not output or "not a git repository" in output:
            return NoGit("this is not a git repository")
        return NoGit(f"git cannot read this repository: {output}")
    return Git(root, prefix, program, dict(_fingerprints(program, root)))


def shared_folder(root: Path) -> Path:
    """Return the folder for what all worktrees of the project's repository share.

    It is in git's common folder, one for each project in the repository; outside a repository, it
    is in the project's working folder, and moves when the project becomes one. See
    https://git-scm.com/docs/git-worktree#_details.
    """
    outside = root / WORK_DIR / _SHARED_FOLDER
    program = shutil.which("git")
    if program is None:
        return outside
    asked = run_git(program, root, "rev-parse", "--git-common-dir", "--show-prefix", LC_ALL="C")
    lines = asked.stdout.split("\n")
    is_in_worktree = not asked.returncode and len(lines) > 1
    if not is_in_worktree:
        return outside
    folder = (root / lines[0]).resolve() / "planbook" / lines[1]
    _move_entries(outside, folder)
    return folder


def _move_entries(source: Path, target: Path) -> None:
    """Move what `source` has and `target` has not, if there is such a folder."""
    if source.is_symlink() or not source.is_dir():
        return
    with writing(target):
        target.mkdir(parents=True, exist_ok=True)
        for entry in sorted(source.iterdir()):
            if not (target / entry.name).exists():
                with suppress(FileNotFoundError):  # another process has moved it meanwhile
                    shutil.move(entry, target / entry.name)


def _fingerprints(program: str, root: Path) -> Iterator[tuple[str, str]]:
    """Yield each setting and hook that git uses in `root`, by name, with its SHA-256.

    None of them runs.
    """
    for name, value in _settings_and_hooks(program, root):
        yield name, hashlib.sha256(value).hexdigest()


def _settings_and_hooks(program: str, root: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the repository's place, each setting and each hook, by name."""
    asked = run_git(program, root, "rev-parse", "--show-toplevel", "--git-common-dir")
    places = asked.stdout.splitlines()
    top = common = root
    if len(places) == 2:
        top, common = (root / folder for folder in places)
    yield "the repository's folder", f"{top}\0{common.resolve()}".encode("utf-8", "surrogateescape")
    settings = _settings(program, root)
    for key, value in settings.items():
        yield key, value.encode("utf-8", "surrogateescape")
    hooks = common / "hooks"
    if "core.hookspath" in settings:  # relative to the top, where hooks run
        hooks = top / run_git(program, top, "rev-parse", "--git-path", "hooks").stdout.rstrip("\n")
    yield from _hooks(hooks)


def _settings(program: str, root: Path) -> dict[str, str]:
    """Return git's settings; a key may have several values, each of which ends with a NUL."""
    settings: dict[str, str] = {}
    for entry in run_git(program, root, "config", "--list", "-z").stdout.split("\0"):
        key, _, value = entry.partition("\n")
        # Editors write below `branch.` by themselves, and git runs nothing of it.
        if not key.startswith("branch."):
            settings[key] = f"{settings.get(key, '')}{value}\0"
    return settings


def _hooks(hooks: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a folder of hooks, each with whether it may run."""
    if not hooks.is_dir():
        return
    for path in sorted(hooks.rglob("*")):
        if path.is_file():
            mode = "runs" if os.access(path, os.X_OK) else "rests"
            yield f"hooks/{path.relative_to(hooks).as_posix()}", mode.encode() + path.read_bytes()


def check_working_folder(root: Path) -> None:
    """Raise :class:`RefusedError` if git tracks a symbolic link in the working folder."""
    git = find_git(root)
    tracked = git.tracked(WORK_DIR) if isinstance(git, Git) else {}
    for name, mode in tracked.items():
        if mode == _LINK_MODE and (root / name).is_symlink():
            defect = "git tracks this symbolic link, and Planbook would write to its target"
            raise RefusedError(f"{name}: {defect}; remove it: git rm {name}")


def find_usable_git(root: Path) -> Git | None:
    """Return the repository that contains `root`; ``None`` if none can be used."""
    git = find_git(root)
    return git if isinstance(git, Git) else None


# --- scratch copies of the last commit ------------------------------------------------------------


_SCRATCH = "scratch"


class NotTakenError(Exception):
    """A file of a scratch copy was rejected; the message says why."""


@contextmanager
def scratch_copy(git: Git) -> Iterator[Path]:
    """Yield a copy of the whole last commit in the working folder, and remove it at the end.

    Raises GitError.
    """
    folder = work_path(git.root, f"{_SCRATCH}/{uuid.uuid4().hex[:12]}").resolve()
    try:
        git.copy_commit(folder)
        yield folder
    finally:
        _remove(folder)


def remove_scratch_copies(root: Path) -> None:
    """Remove the copies of killed runs. Call it only while no run is active."""
    folders = work_path(root, _SCRATCH)
    if not folders.is_dir():
        return
    for folder in folders.iterdir():
        _remove(folder)


def put_files(root: Path, files: Mapping[str, str]) -> None:
    """Write texts as files in `root`, by path."""
    for path, text in files.items():
        write_atomic(root / path, text.encode("utf-8", errors="replace"))


def take_file(root: Path, path: str, max_bytes: int) -> bytes | None:
    """Return the content of the file at `path` in `root`; ``None`` if there is none.

    Raises:
        NotTakenError: it is not a regular file, is behind a link, or is too large.
    """
    at = root
    components = PurePosixPath(path).parts
    if not components or ".." in components or PurePosixPath(path).is_absolute():
        raise NotTakenError(f"{path!r} is not in the project")
    for name in components:
        at = at / name
        if at.is_symlink():
            raise NotTakenError(f"{at.relative_to(root).as_posix()} is a link")
    if not at.exists():
        return None
    if not at.is_file():
        raise NotTakenError(f"{path} is not a file")
    handle = os.open(at, os.O_RDONLY | os.O_NOFOLLOW)
    with os.fdopen(handle, "rb") as file:
        content = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise NotTakenError(f"{path} has more than {max_bytes:,} bytes")
    return content


def _remove(folder: Path) -> None:
    """Remove a folder, even if a program took away permissions in it."""
    for folder_path, folders, _ in os.walk(folder):
        for path in (Path(folder_path, name) for name in folders):
            if not path.is_symlink():
                path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)
