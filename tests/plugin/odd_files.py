"""Entries of a folder that are no files to read: links out of the base and back, pipes, sockets."""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

LINKS = {
    "host.md": "/etc/hostname",
    "host.txt": "/etc/hostname",
    "zero.md": "/dev/zero",
    "everything": "/",
    "outside": "../../outside",
    "config.txt": "../.git/config",
    "gone.md": "nothing.md",
    "gone.png": "nothing.png",
    "loop.md": "pool.md",
    "pool.md": "loop.md",
    "me": ".",
    "me-too": ".",
    "base": "..",
}
"""By name: what the links in each folder lead to."""
PIPES = ("pipe.md", "pipe.png")
ODD = (*LINKS, *PIPES, r"latin-\xe9.md")
"""The names of the entries, as they are shown."""


def put_odd_files(folder: Path) -> None:
    """Put one entry of each kind into a folder of a base, and a file beside the base."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, target in LINKS.items():
        (folder / name).symlink_to(target)
    for name in PIPES:
        os.mkfifo(folder / name)
    Path(os.fsdecode(os.fsencode(folder) + b"/latin-\xe9.md")).write_text("# Name\n", encoding="utf-8")
    outside = folder.parents[1] / "outside"
    outside.mkdir(exist_ok=True)
    (outside / "secret.md").write_text("# Secret of the neighbour\n", encoding="utf-8")


def obeying_modes(command: Sequence[str | Path], cwd: Path) -> str:
    """Run a command that may read only what the modes of files permit, root's too, and return what it prints."""
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, timeout=120, check=False, preexec_fn=_obey_modes
    )
    return done.stdout + done.stderr


def _obey_modes() -> None:
    """Take root's right to read everything, which it has whatever a file's mode says (`man 7 capabilities`)."""
    if os.geteuid() == 0:
        prctl = ctypes.CDLL(None).prctl
        for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
            prctl(24, capability)  # PR_CAPBSET_DROP: it ends with the program that is started
