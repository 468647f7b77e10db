"""Runs before a child of the tests does: it knows the hosts of the test, tells what it does, and dies where it is to.

Nothing of ours is changed: a name's addresses are the system's to tell, and what is traced is what the system is asked.

- `CHILD_HOSTS`: JSON, the answers to look-ups by host, one after another, the last one again and again. An answer is a
  list of addresses; ``null`` is a look-up that never ends.
- `CHILD_TRACE`: a file that gets a line for each connection, renaming and program started, *before* it is done, and for
  each file that is put on the disk, *after* it is.
- `CHILD_DIES`: JSON, such lines, with stars: when the last of them comes, after the others, the process is gone as by
  ``kill -9``.
- `CHILD_FAILS`: the name of an error, such as ``ENOSPC``: at that line the process lives on, and with this error the
  system refuses it, and each renaming and writing to the disk after it.
"""

from __future__ import annotations

import errno
import json
import os
import runpy
import signal
import socket
import sys
import threading
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

runpy.run_path(str(Path(__file__).parents[3] / "guard" / "sitecustomize.py"))

ask_the_system = socket.getaddrinfo
sync_for_the_system = os.fsync
hosts: dict[str, list[list[str] | None]] = json.loads(os.environ.get("CHILD_HOSTS", "{}"))
trace = os.environ.get("CHILD_TRACE")
dies: list[str] = json.loads(os.environ.get("CHILD_DIES") or "[]")
fails = os.environ.get("CHILD_FAILS")
file = os.open(trace, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644) if trace else None
asking = threading.Lock()
refuses = False


def getaddrinfo(host: Any, port: Any, *args: Any, **more: Any) -> Any:
    """As the system's, with the hosts of the test."""
    with asking:
        answers = hosts.get(host)
        answer = answers.pop(0) if answers and len(answers) > 1 else answers[0] if answers else ()
    if answers is None:
        return ask_the_system(host, port, *args, **more)
    if answer is None:
        threading.Event().wait()
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port or 0)) for address in answer or ()]


def fsync(fd: Any) -> None:
    """As the system's, and told."""
    sync_for_the_system(fd)
    tell(f"sync {Path(f'/proc/self/fd/{fd}').readlink()}")


def heed(event: str, args: tuple[Any, ...]) -> None:
    """Tells what is about to be done (https://docs.python.org/3/library/audit_events.html)."""
    if event == "os.rename":
        tell(f"rename {os.fspath(args[0])} {os.fspath(args[1])}")
    elif event == "subprocess.Popen":
        tell(" ".join(["run", *map(str, args[1])]))
    elif event == "socket.connect" and args[0].family == socket.AF_INET:
        tell(f"connect {args[1][0]}")


def tell(line: str) -> None:
    """Adds a line to the trace; dies, or fails, where it is the one to die at."""
    global refuses  # noqa: PLW0603 - a disk that is full stays full
    line = line.replace("\n", " ")
    if file is not None:
        os.write(file, line.encode() + b"\n")
    if dies and fnmatchcase(line, dies[0]):
        dies.pop(0)
        if not dies and not fails:
            os.kill(os.getpid(), signal.SIGKILL)
        refuses = not dies
    if fails and refuses and line.startswith(("rename ", "sync ")):
        number = getattr(errno, fails)
        raise OSError(number, os.strerror(number))


if hosts or trace or dies:
    socket.getaddrinfo = getaddrinfo
    os.fsync = fsync
    sys.addaudithook(heed)
