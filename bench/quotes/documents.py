"""The documents that cases are made from, as plain text: of this project, of Python, of Debian's packages."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from pydoc_data.topics import topics

from planbook.citations.quotes import words
from planbook.markdown.front_matter import body_start

ROOT = Path(__file__).parents[2]
GIT = Path("/usr/share/doc/git/RelNotes")
APACHE = Path("/usr/share/doc/apache2-doc/manual")
_MOST = 80
"""Number of documents of each collection, at most."""


@dataclass(frozen=True)
class Document:
    """A document."""

    name: str
    licence: str
    text: str
    """Its paragraphs, separated by blank lines."""
    translation: str = ""
    """Its text in German."""


def read_documents() -> list[Document]:
    """Return the documents of all collections that are on this machine, in a fixed order."""
    return [*_guide(), *_python(), *_git(), *_apache()]


def _guide() -> Iterator[Document]:
    for path in sorted((ROOT / "docs/guide").glob("*.md"))[:_MOST]:
        text = path.read_text(encoding="utf-8")
        blocks = re.split(r"\n\s*\n", re.sub(r"```.*?```", "", text[body_start(text) :], flags=re.DOTALL))
        prose = (words(block) for block in blocks if not block.lstrip().startswith(("|", "#", "-", "*", "<")))
        yield Document(f"planbook/{path.name}", "MIT", "\n\n".join(filter(None, prose)))


def _python() -> Iterator[Document]:
    for name, text in sorted(topics.items())[:_MOST]:
        yield Document(f"python/{name}", "PSF-2.0", _paragraphs(re.sub(r"[*`]+", "", text)))


def _git() -> Iterator[Document]:
    for path in sorted(GIT.glob("2.*.txt"))[:_MOST]:
        yield Document(
            f"git/{path.name}", "GPL-2.0-only", _paragraphs(path.read_text(encoding="utf-8", errors="replace"))
        )


def _apache() -> Iterator[Document]:
    for path in sorted((APACHE / "en").rglob("*.html"))[: 2 * _MOST]:
        name = path.relative_to(APACHE / "en")
        german = APACHE / "de" / name
        text = _of_html(path)
        translation = _of_html(german) if german.is_file() else ""
        yield Document(f"apache/{name}", "Apache-2.0", text, "" if translation == text else translation)


def _paragraphs(text: str) -> str:
    blocks = (" ".join(block.split()) for block in re.split(r"\n\s*\n", text))
    return "\n\n".join(filter(None, blocks))


def _of_html(path: Path) -> str:
    raw = path.read_text(encoding="utf-8", errors="replace")
    found = re.findall(r"<p>(.{40,2000}?)</p>", raw, re.DOTALL)
    plain = (html.unescape(re.sub(r"<[^<>]*>", "", one)) for one in found)
    return "\n\n".join(" ".join(one.split()) for one in plain)
