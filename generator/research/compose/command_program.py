"""Runs a program: no shell, few variables of the environment, a time limit, and nothing of it left at the end."""

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

from generator.store.environment import reduced

_POLL_S = 0.05
_GRACE_S = 2.0
"""What a program gets to end by itself, once it is asked to."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of a program."""

    status: int | None
    """Its exit status; below 0 where a signal ended it; ``None`` where its time was up."""
    output: str
    """What it printed, the first of it."""
    is_cut: bool
    """Whether it printed more."""


def environment(environ: Mapping[str, str], names: Sequence[str] = ()) -> dict[str, str]:
    """What a program gets of the environment: what it needs to run at all, and what `names` allow it beside."""
    return reduced(environ, names) | {"TERM": "dumb", "NO_COLOR": "1"}


def run(  # noqa: PLR0913 - what a program is run with, each by its name
    argv: Sequence[str],
    *,
    folder: Path,
    env: Mapping[str, str],
    stdin: str,
    timeout_s: float,
    max_output: int,
    check: Callable[[], None],
) -> Ran:
    """What came of the program. Raises OSError where it cannot be started, and what `check` raises while it runs.

    It runs in a group of processes of its own, all of which are ended with it. Of what it prints, `max_output` bytes
    are kept; it may print on.
    """
    process = subprocess.Popen(  # noqa: S603 - a list of arguments of the user's; no shell reads it
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
        for thread in threads:  # what has left the group may hold its pipes for ever
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
    """Ends the program and all of its group: first it is asked to, then it is not asked."""
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
    # The group has the program's number, also when the program itself is gone.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL if is_last else signal.SIGTERM)


def _feed(pipe: IO[bytes] | None, content: bytes) -> None:
    if pipe:
        with contextlib.suppress(OSError):  # it need not read
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
