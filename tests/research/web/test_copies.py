"""Saved copies and stored texts that were damaged: none is read as if it were whole."""

from __future__ import annotations

import gzip
import hashlib
import random
from pathlib import Path

import pytest

from planbook.research.web.archive import CopiesError, Exchange, read_copies, stored_text, text_name, write_warc
from planbook.store import write_work

URL = "https://tea.example/steeping"
SENTENCES = "".join(f"<p>Water at {n} degrees keeps the catechins in the leaf.</p>" for n in range(200))
HTML = f"<html><head><title>T</title></head><body><main><h1>Steeping</h1>{SENTENCES}</main></body></html>".encode()
HEADERS = (("content-type", "text/html; charset=utf-8"),)
WARC = write_warc([Exchange(URL, 200, HEADERS, HTML, "2026-11-02T10:00:00Z")])


def copy_of(folder: Path, name: str, content: bytes) -> str | None:
    """The text of the copy in a folder with this file; ``None`` if there is none."""
    (folder / name).write_bytes(content)
    copy = read_copies(folder, [URL]).get(URL)
    return copy.text if copy else None


@pytest.mark.parametrize(("name", "content"), [("a.warc.gz", WARC), ("a.warc", gzip.decompress(WARC))])
def test_a_damaged_copy_is_refused(tmp_path: Path, name: str, content: bytes) -> None:
    """Cut off at any place or with any bit of its body changed, it is an error, or no copy; never another text."""
    whole = copy_of(tmp_path, name, content)
    assert whole
    assert "Water at 199 degrees" in whole
    draw = random.Random(7)  # noqa: S311 - which bits are changed is no secret
    damaged = [content[: len(content) * part // 12] for part in range(12)]
    for _ in range(12):
        changed = bytearray(content)
        changed[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
        damaged.append(bytes(changed))
    found = list[str | None]()
    for each in damaged:
        try:
            found.append(copy_of(tmp_path, name, each))
        except CopiesError:
            found.append(None)
    assert set(found) <= {None, whole}
    assert found.count(None) > 20


def test_a_damaged_text_is_not_the_stored_one(tmp_path: Path) -> None:
    """Its name is its hash."""
    text = b"Water at 80 degrees."
    sha256 = hashlib.sha256(text).hexdigest()
    write_work(tmp_path, text_name(sha256), text)
    assert stored_text(tmp_path, sha256) == text.decode()
    write_work(tmp_path, text_name(sha256), text.replace(b"80", b"95"))
    assert not stored_text(tmp_path, sha256)
