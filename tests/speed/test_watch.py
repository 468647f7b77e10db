"""Saved files are noticed at once while a site is served."""

from __future__ import annotations

import os
import resource
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue

import pytest
from mkdocs.livereload import LiveReloadServer

from planbook_speed.watch import notice_at_once
from tests.plugin.serving import LIMIT_S


@dataclass(frozen=True)
class Watched:
    """A folder with one page that a server watches, and the builds that it has made."""

    page: Path
    builds: SimpleQueue[None]


def start_watching(server: LiveReloadServer, most_files: int | None) -> None:
    """Start the observer of a server while the process may open so many files; ``None`` if just one more."""
    free = os.dup(0)
    os.close(free)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    # With one more file, a folder can be read, and not watched.
    resource.setrlimit(resource.RLIMIT_NOFILE, (most_files or free + 1, limits[1]))
    try:
        server.observer.start()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    server.observer.start = lambda: None  # type: ignore[method-assign]


@pytest.fixture(params=[(9e3, 1024), (0.1, None)], ids=["by the system", "by polls"])
def watched(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Watched]:
    """A server whose next poll is far away, or to which the system reports nothing."""
    interval_s, most_files = request.param
    made = Watched(tmp_path / "docs/page.md", SimpleQueue())
    made.page.parent.mkdir()
    made.page.write_text("before", "utf-8")
    server = LiveReloadServer(lambda: made.builds.put(None), "127.0.0.1", 0, str(tmp_path), polling_interval=interval_s)
    server.watch(str(made.page.parent))
    notice_at_once(server)
    start_watching(server, most_files)
    threading.Thread(target=server.serve).start()
    yield made
    server.shutdown(wait=True)


def save_in_place(page: Path) -> None:
    """Write into the file."""
    page.write_text("in place", "utf-8")


def save_whole(page: Path) -> None:
    """Save as editors do: a new file takes the place of the old one."""
    beside = page.with_name(".page.tmp")
    beside.write_text("whole", "utf-8")
    beside.replace(page)


def save_two(page: Path) -> None:
    """Save two files at once."""
    for name in ("1.md", "2.md"):
        page.with_name(name).write_text("one of two", "utf-8")


def copy_folder(page: Path) -> None:
    """Add a folder with files."""
    shutil.copytree(page.parent, page.parent / "b")


def delete(page: Path) -> None:
    """Remove the file."""
    page.unlink()


@pytest.mark.parametrize("save", [save_in_place, save_whole, save_two, copy_folder, delete])
def test_a_save_is_noticed_at_once(watched: Watched, save: Callable[[Path], None]) -> None:
    """Each makes one build, long before the next poll; a poll notices what no event reports."""
    save(watched.page)
    watched.builds.get(timeout=LIMIT_S)
    with pytest.raises(Empty):
        watched.builds.get(timeout=0.5)


def test_reading_makes_no_build(watched: Watched) -> None:
    """Also where the system reports that a file was read."""
    watched.page.read_bytes()
    with pytest.raises(Empty):
        watched.builds.get(timeout=0.5)
