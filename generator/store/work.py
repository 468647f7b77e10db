"""The working folder: what was fetched and found out, and what a run goes on from. Git passes over it."""

from __future__ import annotations

from pathlib import Path

from generator.store.files import write_atomic, writing

WORK_DIR = ".planbook"
"""Where, below the project's folder, it lies."""


def read_work(root: Path, name: str) -> bytes | None:
    """A file of the project's working folder by its POSIX name there; ``None`` where there is none."""
    path = root / WORK_DIR / name
    return path.read_bytes() if path.is_file() else None


def write_work(root: Path, name: str, content: bytes) -> None:
    """`content` as a file of the project's working folder; not twice if it is there."""
    work_path(root, name)
    if read_work(root, name) != content:
        write_atomic(root / WORK_DIR / name, content)


def append_work(root: Path, name: str, line: str) -> None:
    """`line` at the end of a file of the project's working folder. A log: not awaited until it is on the disk."""
    path = work_path(root, name)
    with writing(path), path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")


def work_path(root: Path, name: str) -> Path:
    """Where a file of the working folder lies, for what writes itself. Its folder is there, and git passes over it."""
    ignore = root / WORK_DIR / ".gitignore"
    if not ignore.exists():
        write_atomic(ignore, b"*\n")
    path = root / WORK_DIR / name
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    return path
