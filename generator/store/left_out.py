"""Files that a commit left out, as something else than Planbook changed them during the run."""

from __future__ import annotations

from collections.abc import Collection

from generator.store.git import Git
from generator.store.work import WORK_DIR, read_work, write_work

_NAME = "left-out"
"""The paths, each with a NUL behind it."""


def leave_out(git: Git, paths: Collection[str]) -> str | None:
    """Keeps in mind that `paths` were left out of a commit; a word on it for the user, where there are any."""
    if not paths:
        return None
    write_work(git.root, _NAME, "".join(f"{path}\0" for path in sorted(paths)).encode("utf-8", "surrogateescape"))
    return (
        f"{', '.join(sorted(paths))}: changed by something other than Planbook during the run, and left out of the "
        "commit; look at the changes (git diff), and commit or undo them"
    )


def left_out(git: Git) -> tuple[str, ...]:
    """The files that an earlier commit left out, and that are still not committed."""
    raw = read_work(git.root, _NAME)
    paths = git.changed((raw or b"").decode("utf-8", "surrogateescape").split("\0")[:-1])
    if raw and not paths:
        (git.root / WORK_DIR / _NAME).unlink()
    return paths
