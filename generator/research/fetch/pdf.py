"""A PDF's text, read in a process of its own that is killed when it takes too long or too much memory.

``python -m generator.research.fetch.pdf PAGES`` reads a PDF from its standard input and writes JSON.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

from generator.research.fetch.outcomes import Unfetched
from generator.research.model import Outcome

MAX_MEMORY = 1 << 30
"""Bytes of address space that the process may use, where the system can limit it."""
MAX_TEXT = 5_000_000
"""Characters of text that are taken from one PDF."""
_KEPT_ENVIRONMENT = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "SYSTEMROOT")
"""What Python needs to start."""


@dataclass(frozen=True, slots=True)
class PdfText:
    """What a PDF holds."""

    text: str
    title: str | None
    author: str | None
    date: str | None


def read_pdf(body: bytes, max_pages: int, timeout_s: float) -> PdfText:
    """The text of the first `max_pages` pages. Raises :class:`Unfetched`."""
    if b"%PDF-" not in body[:1024]:
        raise Unfetched(Outcome.WRONG_TYPE, "it calls itself a PDF, but is none")
    # -P: the current folder, which may hold anything, is no place to import from.
    command = [sys.executable, "-P", "-m", "generator.research.fetch.pdf", str(max_pages)]
    try:
        run = subprocess.run(  # noqa: S603 - our own module, with a number
            command, input=body, capture_output=True, timeout=timeout_s, check=False, env=environment()
        )
    except subprocess.TimeoutExpired as error:
        raise Unfetched(Outcome.TIMEOUT, f"reading the PDF took longer than {timeout_s:g} s") from error
    if run.returncode:
        lines = run.stderr.decode("utf-8", "replace").strip().splitlines()
        raise Unfetched(Outcome.FAILED, f"the PDF cannot be read ({lines[-1][:200] if lines else 'no reason told'})")
    return PdfText(**json.loads(run.stdout))


def environment() -> dict[str, str]:
    """What the process knows of ours: no keys, no tokens."""
    return {name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ}


def extract(body: bytes, max_pages: int) -> dict[str, Any]:
    """The fields of :class:`PdfText`."""
    import pypdf  # noqa: PLC0415 - only the process that reads the PDF needs it

    reader = pypdf.PdfReader(io.BytesIO(body))
    pages, size = [], 0
    for page in reader.pages[:max_pages]:
        pages.append(page.extract_text())
        size += len(pages[-1])
        if size > MAX_TEXT:
            break
    about = reader.metadata
    made = about.creation_date if about else None
    return {
        "text": "\n\n".join(pages)[:MAX_TEXT],
        "title": about.title if about else None,
        "author": about.author if about else None,
        "date": made.date().isoformat() if made else None,
    }


def limit_memory() -> None:
    """Lets this process use no more than `MAX_MEMORY`; on Windows there is no such limit."""
    try:
        import resource  # noqa: PLC0415 - it is not there on Windows
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))


def main() -> None:
    """Reads standard input, writes standard output."""
    limit_memory()
    found = extract(sys.stdin.buffer.read(), int(sys.argv[1]))
    # Half of a surrogate pair is no character; pypdf gives such for broken fonts.
    sys.stdout.buffer.write(json.dumps(found).encode("utf-8", "replace"))


if __name__ == "__main__":
    main()
