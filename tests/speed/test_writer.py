"""Pages written by a thread are there in the end, or the build says why not."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from generator.speed.writer import AHEAD, PageWriter
from tests.speed.conftest import Site


def test_all_is_written(tmp_path: Path) -> None:
    """In folders that are made, in the encoding that MkDocs has; and Python switches threads as before."""
    before = sys.getswitchinterval()
    writer = PageWriter()
    for n in range(5 * AHEAD):
        writer.write(str(tmp_path / f"{n % 3}" / f"{n}.html"), f"Page {n}: Käse \ud800 " + n * "long ")
    writer.finish()
    assert writer.error is None
    for n in range(5 * AHEAD):
        assert (tmp_path / f"{n % 3}" / f"{n}.html").read_text("utf-8") == f"Page {n}: Käse &#55296; " + n * "long "
    assert sys.getswitchinterval() == before
    assert "planbook-speed" not in {thread.name for thread in threading.enumerate()}


def test_an_error_comes_with_a_later_page_or_the_end(tmp_path: Path) -> None:
    """Nothing is written behind it."""
    (tmp_path / "file").write_text("in the way")
    writer = PageWriter()
    writer.write(str(tmp_path / "file" / "1.html"), "no")
    writer.finish()
    assert isinstance(writer.error, OSError)
    with pytest.raises(OSError, match="file"):
        writer.write(str(tmp_path / "2.html"), "no more")
    assert not (tmp_path / "2.html").exists()


def test_a_build_that_cannot_write_fails(site: Site) -> None:
    """As one without planbook-speed does: a folder of the author's stands where a page is to be."""
    site.write("docs/wheat/3/index.html/taken.txt", "in the way")
    assert site.plain().code == 1
    quick = site.quick()
    assert quick.code == 1
    assert "wheat/3/index.html" in "".join(quick.log)
