"""Start programs without API keys, and run git only if its settings and hooks have not changed since.

A program that writes pages may leave behind a hook, or a setting that names another program: a filter, a file monitor,
a signer. Git would run it with Planbook's permissions and environment.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from generator.store.files import WORK_DIR, read_work, write_work

_USUAL = ("PATH", "HOME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LOGNAME", "SHELL", "TMPDIR", "TZ", "USER")
_USUAL_ON_WINDOWS = ("APPDATA", "COMSPEC", "LOCALAPPDATA", "PATHEXT", "SYSTEMROOT", "TEMP", "TMP", "USERPROFILE")
_KEPT = "git-trusted.json"
"""The file in the working folder with the fingerprints to restore after a change."""
_PASSED = (
    *("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE", "EMAIL"),
    *("GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE"),
    *("GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM"),
    *("GIT_ALLOW_PROTOCOL", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM"),
    *("DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "GNUPGHOME", "GPG_TTY", "SSH_AUTH_SOCK", "TERM", "WAYLAND_DISPLAY"),
    *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"),
)
"""Author, location of the user's configuration, limits for git, and settings for signing. No ``GIT_DIR`` and no
``GIT_INDEX_FILE``: they would select another repository, such as that of a hook which starts Planbook."""


def reduced(environ: Mapping[str, str], names: Sequence[str] = ()) -> dict[str, str]:
    """Return the variables of `environ` that every program needs, and those in `names`: no API keys."""
    usual = _USUAL + (_USUAL_ON_WINDOWS if sys.platform == "win32" else ())
    return {name: environ[name] for name in (*usual, *names) if name in environ}


def run_git(
    program: str, folder: Path, *args: str, stdin: str = "", timeout_s: float | None = None, **more: str
) -> subprocess.CompletedProcess[str]:
    """Run a git command in `folder` and return its result; `more` is added to the environment."""
    # Paths are literal, whatever characters they contain; the user's other settings apply.
    env = {**reduced(os.environ, _PASSED), "GIT_LITERAL_PATHSPECS": "1", **more}
    return subprocess.run(  # noqa: S603 - an argument list; no shell reads it
        [program, "-C", str(folder), "-c", "core.fsmonitor=false", *args],
        env=env,
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="surrogateescape",
        check=False,
        timeout=timeout_s,
    )


def trusted_now(program: str, root: Path) -> Mapping[str, str]:
    """Return a fingerprint of each setting and hook that git uses in `root`, by name, without running any."""
    return {name: hashlib.sha256(value).hexdigest() for name, value in _parts(program, root)}


def changes(before: Mapping[str, str], now: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of new, changed and removed settings and hooks."""
    names = sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
    return tuple(f"{name}{'' if name in before else ' (new)'}{'' if name in now else ' (gone)'}" for name in names)


def keep_trusted(root: Path, trusted: Mapping[str, str]) -> str:
    """Save the trusted fingerprints for later runs; return the file's path relative to the project's folder."""
    write_work(root, _KEPT, json.dumps(trusted, indent=1).encode() + b"\n")
    return f"{WORK_DIR}/{_KEPT}"


def read_trusted(root: Path) -> Mapping[str, str] | None:
    """Return the fingerprints that an earlier run saved; ``None`` if there are none, empty if they cannot be read."""
    raw = read_work(root, _KEPT)
    try:
        return None if raw is None else msgspec.json.decode(raw, type=dict[str, str])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return {}


def forget_trusted(root: Path) -> None:
    """Delete the saved fingerprints once the change is undone: the next run trusts the current settings."""
    (root / WORK_DIR / _KEPT).unlink(missing_ok=True)


def _parts(program: str, root: Path) -> Iterator[tuple[str, bytes]]:
    places = run_git(program, root, "rev-parse", "--show-toplevel", "--git-common-dir").stdout.splitlines()
    top, common = (root / place for place in places) if len(places) == 2 else (root, root)
    yield "the repository's folder", f"{top}\0{common.resolve()}".encode("utf-8", "surrogateescape")
    settings: dict[str, str] = {}
    for entry in run_git(program, root, "config", "--list", "-z").stdout.split("\0"):
        key, _, value = entry.partition("\n")
        if not key.startswith("branch."):  # editors write there by themselves, and git runs nothing of it
            settings[key] = f"{settings.get(key, '')}{value}\0"
    yield from ((key, value.encode("utf-8", "surrogateescape")) for key, value in settings.items())
    hooks = common / "hooks"
    if "core.hookspath" in settings:  # relative to the top, where hooks run
        hooks = top / run_git(program, top, "rev-parse", "--git-path", "hooks").stdout.rstrip("\n")
    for path in sorted(hooks.rglob("*")) if hooks.is_dir() else ():
        if path.is_file():
            mode = "runs" if os.access(path, os.X_OK) else "rests"
            yield f"hooks/{path.relative_to(hooks).as_posix()}", mode.encode() + path.read_bytes()
