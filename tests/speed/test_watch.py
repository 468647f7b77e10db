"""Saved files are noticed at once while a site is served."""

from __future__ import annotations

import os
import resource
import shutil
import threading
from pathlib import Path
from queue import Empty, SimpleQueue

import pytest
from mkdocs.livereload import LiveReloadServer

from planbook_speed.watch import notice_at_once
from tests.plugin.serving import LIMIT_S


@pytest.mark.parametrize(("interval_s", "most_files"), [(9e3, 1024), (0.1, 0)])
def test_a_save_is_noticed_at_once(tmp_path: Path, interval_s: float, most_files: int) -> None:
    """Each change makes one build, long before the next poll, reading none; a poll notices what no event reports."""
    page, beside, builds = tmp_path / "docs/page.md", tmp_path / "docs/.page.tmp", SimpleQueue[None]()
    page.parent.mkdir()
    server = LiveReloadServer(lambda: builds.put(None), "127.0.0.1", 0, str(tmp_path), polling_interval=interval_s)
    server.watch(str(page.parent))
    notice_at_once(server)
    free = os.dup(0)
    os.close(free)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most_files or free + 1, limits[1]))  # a folder can be read, not watched
    try:
        server.observer.start()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    server.observer.start = lambda: None  # type: ignore[method-assign]
    threading.Thread(target=server.serve).start()

    def write_whole() -> None:
        """Save as editors do: a new file takes the place of the old one."""
        beside.write_text("whole", "utf-8")
        beside.replace(page)

    def write_two() -> None:
        """Save two files at once."""
        for name in ("1.md", "2.md"):
            (page.parent / name).write_text("one of two", "utf-8")

    for change in (
        lambda: page.write_text("in place", "utf-8"),
        write_whole,
        write_two,
        lambda: shutil.copytree(page.parent, page.parent / "b"),
        page.unlink,
    ):
        change()
        builds.get(timeout=LIMIT_S)
        for path in page.parent.rglob("*.md"):
            path.read_bytes()  # reading makes no build
        with pytest.raises(Empty):
            builds.get(timeout=0.5)
    server.shutdown(wait=True)
