"""Fingerprint of a page's text: results of a check are shown as long as the page has not changed since."""

from __future__ import annotations

import hashlib

from generator.markdown.document import read_document


def fingerprint(text: str) -> str:
    """The SHA-256 of a page's body and of the ``references`` in its front matter.

    Line ends make no difference, and neither do the front matter's other keys: a page may get a tag, or be reviewed,
    and is still the page that was checked.
    """
    document = read_document(text)
    references = ascii(document.meta.get("references"))  # not JSON: keys may be anything, and lists hold themselves
    checked = f"{references}\n{document.body.strip()}".replace("\r\n", "\n")
    return hashlib.sha256(checked.encode("utf-8", errors="replace")).hexdigest()
