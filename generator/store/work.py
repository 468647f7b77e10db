"""The working folder: fetched files, results, and the state from which a run resumes. Git ignores it."""

from __future__ import annotations

from pathlib import Path

from generator.store.files import write_atomic, writing

WORK_DIR = ".planbook"
"""The working folder, relative to the project's folder."""


def read_work(root: Path, name: str) -> bytes | None:
    """Return a file of the project's working folder, by its POSIX path there; ``None`` if it does not exist."""
    path = root / WORK_DIR / name
    return path.read_bytes() if path.is_file() else None


def write_work(root: Path, name: str, content: bytes) -> None:
    """Write `content` to a file of the project's working folder, unless it has that content already."""
    work_path(root, name)
    if read_work(root, name) != content:
        write_atomic(root / WORK_DIR / name, content)


def append_work(root: Path, name: str, line: str) -> None:
    """Append `line` to a log file in the project's working folder, without waiting for the disk."""
    path = work_path(root, name)
    with writing(path), path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")


def work_path(root: Path, name: str) -> Path:
    """Return the path of a file in the working folder, for code that writes it itself.

    Creates the folder and makes git ignore it.
    """
    ignore = root / WORK_DIR / ".gitignore"
    if not ignore.exists():
        write_atomic(ignore, b"*\n")
    path = root / WORK_DIR / name
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    return path
