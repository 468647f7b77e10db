"""Run a program without a shell, with few environment variables and a timeout, and end all of its processes."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from generator.store.programs import reduced

_POLL_S = 0.05
_GRACE_S = 2.0
"""Seconds that a program has to exit after SIGTERM."""


@dataclass(frozen=True, slots=True)
class Ran:
    """Result of running a program."""

    status: int | None
    """Its exit status; negative if a signal ended it; ``None`` if it timed out."""
    output: str
    """The start of its output."""
    is_cut: bool
    """True if it printed more."""


def environment(environ: Mapping[str, str], names: Sequence[str] = ()) -> dict[str, str]:
    """Return the program's environment: the variables it needs to run at all, and those in `names`."""
    return reduced(environ, names) | {"TERM": "dumb", "NO_COLOR": "1"}


def run(  # noqa: PLR0913 - the options of a program, each by name
    argv: Sequence[str],
    *,
    folder: Path,
    env: Mapping[str, str],
    stdin: str,
    timeout_s: float,
    max_output: int,
    check: Callable[[], None],
) -> Ran:
    """Run a program and return its result.

    It runs in its own process group, which is ended with it. The first `max_output` bytes of its output are kept; it
    may print more.

    Raises:
        OSError: It cannot be started.
        Exception: Whatever `check` raises while it runs.
    """
    process = subprocess.Popen(  # noqa: S603 - a list of the user's arguments; no shell parses it
        list(argv),
        cwd=folder,
        env=dict(env),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    kept = bytearray()
    more = threading.Event()
    threads = (
        threading.Thread(target=_feed, args=(process.stdin, stdin.encode("utf-8", "replace")), daemon=True),
        threading.Thread(target=_drain, args=(process.stdout, kept, max_output, more), daemon=True),
    )
    for thread in threads:
        thread.start()
    try:
        status = _wait(process, timeout_s, check)
    finally:
        _end(process)
        for thread in threads:  # a process that left the group may keep its pipes open for ever
            thread.join(_GRACE_S)
    return Ran(status, bytes(kept).decode("utf-8", errors="replace"), more.is_set())


def _wait(process: subprocess.Popen[bytes], timeout_s: float, check: Callable[[], None]) -> int | None:
    ends = time.monotonic() + timeout_s
    while time.monotonic() < ends:
        check()
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(_POLL_S)
    return None


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the program and its group: first with SIGTERM, then with SIGKILL."""
    if process.poll() is None:
        _signal(process, is_last=False)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_S)
    _signal(process, is_last=True)
    process.wait()


def _signal(process: subprocess.Popen[bytes], *, is_last: bool) -> None:
    if sys.platform == "win32":
        if process.poll() is None:
            process.kill()
        return
    # The group has the program's id, even after the program itself has exited.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL if is_last else signal.SIGTERM)


def _feed(pipe: IO[bytes] | None, content: bytes) -> None:
    if pipe:
        with contextlib.suppress(OSError):  # the program need not read its input
            pipe.write(content)
        with contextlib.suppress(OSError):
            pipe.close()


def _drain(pipe: IO[bytes] | None, kept: bytearray, max_bytes: int, more: threading.Event) -> None:
    if pipe is None:
        return
    with pipe:
        while chunk := os.read(pipe.fileno(), 65_536):
            room = max_bytes - len(kept)
            kept += chunk[:room]
            if len(chunk) > room:
                more.set()
