"""Commands on a terminal, as a user's shell starts them."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping
from pathlib import Path

PLANBOOK = Path(sys.executable).with_name("planbook")
"""The installed command."""


def on_terminal(
    *arguments: str, cwd: Path, columns: int = 80, only: str = "", environment: Mapping[str, str] | None = None
) -> str:
    """Return what `planbook` prints on a terminal of that width; `only` names the one stream that is a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    streams = {name: theirs if only in {"", name} else subprocess.DEVNULL for name in ("stdin", "stdout", "stderr")}
    env = {key: value for key, value in os.environ.items() if key not in {"COLUMNS", "NO_COLOR"}}
    env |= {"TERM": "xterm-256color", **(environment or {})}
    printed = b""
    with subprocess.Popen([PLANBOOK, *arguments], cwd=cwd, env=env, **streams) as process:  # type: ignore[call-overload]
        os.close(theirs)
        try:
            while piece := os.read(ours, 65_536):
                printed += piece
        except OSError:  # Linux says so at the end of a terminal
            pass
        process.wait(timeout=60)
    os.close(ours)
    return printed.decode()
