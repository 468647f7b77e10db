"""Files that tests write, web archives among them, and git as they call it."""

from __future__ import annotations

import io
import subprocess
from collections.abc import Mapping
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from planbook.research.git import Git, find_git


def put(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files by their paths below `root`, byte for byte, and return it."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def git(root: Path, *args: str) -> str:
    """Run git in `root` and return what it prints."""
    return subprocess.run(["git", "-C", root, *args], check=True, capture_output=True, text=True).stdout  # noqa: S607


def found(root: Path) -> Git:
    """The repository around `root`, which must be one."""
    there = find_git(root)
    assert isinstance(there, Git), there
    return there


def warc(*records: tuple[str, str, str, bytes]) -> bytes:
    """A WARC file with responses: address, date, status line, body, which is HTML if it has a tag."""
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=True)
    for url, day, status, body in records:
        kind = "text/html" if b"<" in body else "text/plain"
        http = StatusAndHeaders(status, [("Content-Type", f"{kind}; charset=utf-8")], protocol="HTTP/1.1")
        writer.write_record(
            writer.create_warc_record(
                url,
                "response",
                io.BytesIO(body),
                length=len(body),
                http_headers=http,
                warc_headers_dict={"WARC-Date": f"{day}T10:00:00Z"},
            )
        )
    return out.getvalue()
