"""The working folder: fetched documents, reports, and the state of unfinished runs. Git ignores it."""

from __future__ import annotations

from pathlib import Path

from generator.store.files import write_atomic, writing

WORK_DIR = ".planbook"
"""Its name in the project's folder."""


def read_work(root: Path, name: str) -> bytes | None:
    """Return a file of the working folder by its POSIX path there; ``None`` if there is none."""
    path = root / WORK_DIR / name
    return path.read_bytes() if path.is_file() else None


def write_work(root: Path, name: str, content: bytes) -> None:
    """Write a file of the working folder, unless it has this content already."""
    work_path(root, name)
    if read_work(root, name) != content:
        write_atomic(root / WORK_DIR / name, content)


def append_work(root: Path, name: str, line: str) -> None:
    """Append a line to a log in the working folder, without waiting for the disk."""
    path = work_path(root, name)
    with writing(path), path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")


def work_path(root: Path, name: str) -> Path:
    """Return the path of a file of the working folder, and make its folder, which git ignores."""
    ignore = root / WORK_DIR / ".gitignore"
    if not ignore.exists():
        write_atomic(ignore, b"*\n")
    path = root / WORK_DIR / name
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    return path
