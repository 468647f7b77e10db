"""Extract the text of a PDF. Runs in a process that can be killed: see `generator.web.reader`."""

from __future__ import annotations

import io
from dataclasses import dataclass

from generator.web.model import Outcome
from generator.web.outcomes import Unfetched

MAX_TEXT = 5_000_000
"""Maximum number of characters taken from one PDF."""


@dataclass(frozen=True, slots=True)
class PdfText:
    """The text and metadata of a PDF."""

    text: str
    title: str | None
    author: str | None
    date: str | None


def read_pdf(body: bytes, max_pages: int) -> PdfText:
    """Return the text of the first `max_pages` pages. Raises :class:`Unfetched`."""
    import pypdf  # noqa: PLC0415 - most documents are not PDFs

    if b"%PDF-" not in body[:1024]:
        raise Unfetched(Outcome.WRONG_TYPE, "it calls itself a PDF, but is none")
    reader = pypdf.PdfReader(io.BytesIO(body))
    pages, size = [], 0
    for page in reader.pages[:max_pages]:
        pages.append(page.extract_text())
        size += len(pages[-1])
        if size > MAX_TEXT:
            break
    about = reader.metadata
    made = about.creation_date if about else None
    return PdfText(
        "\n\n".join(pages)[:MAX_TEXT],
        about.title if about else None,
        about.author if about else None,
        made.date().isoformat() if made else None,
    )
