"""A page's citations and its References section: the works cited, each with its details and links back to the text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from generator.citations.in_text import Citation, cite_anchor, numbered, with_links
from generator.citations.quotes import directive_of, fragment_link, parse_directive
from generator.model import Reference
from generator.views.checks import SourceCheck, SourceStatus
from generator.views.template import render_template

_TAKEN = re.compile(r"^#{1,6}\s+References\s*#*$", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Extras:
    """Additions to a References section."""

    checks: Mapping[str, SourceCheck] = field(default_factory=dict)
    """The results of checking the references, by id."""
    files: tuple[tuple[str, str], ...] = ()
    """Downloads of the works: label and address."""


def cited_text(
    text: str, references: Sequence[Reference], citations: Sequence[Citation], links: Mapping[str, str], extras: Extras
) -> str:
    """Return a page's `text` with each citation as a link to its entry, followed by the section with the entries."""
    return with_links(text, citations, references) + references_section(text, references, citations, links, extras)


def references_section(
    text: str,
    references: Sequence[Reference],
    citations: Sequence[Citation],
    links: Mapping[str, str],
    extras: Extras = Extras(),
) -> str:
    """Return the section to append to a page's `text`, as Markdown with HTML; empty without references.

    `links` has the address of each reference that is a page of the base, by id.
    """
    if not references:
        return ""
    numbers = numbered(references, citations)
    uses = Counter(citation.reference for citation in citations)
    rows = [
        {**_row(reference, uses[reference.id], links), **_checked(extras.checks.get(reference.id))}
        for reference in sorted(references, key=lambda reference: numbers[reference.id])
    ]
    html = render_template("references.html", rows=rows, files=extras.files)
    title = "Works cited" if _TAKEN.search(text) else "References"
    body = "\n".join(line for line in html.splitlines() if line.strip())
    return f"\n\n## {title} {{ #works-cited data-search-exclude }}\n\n{body}\n"


def _checked(check: SourceCheck | None) -> dict[str, Any]:
    """Return a row's fields for the check; empty for unchecked works and for those without a web address."""
    if check is None or check.status in {SourceStatus.OFFWEB, SourceStatus.UNCHECKED}:
        return {"check": None, "missing": ()}
    missing = [key for key, is_there in check.quotes if not is_there]
    return {"check": check, "missing": missing, "is_unverified": False}


def _row(reference: Reference, uses: int, links: Mapping[str, str]) -> dict[str, Any]:
    is_web = bool(reference.url and re.match(r"https?://", reference.url))
    return {
        "id": reference.id,
        "title": reference.title,
        "href": reference.url if is_web else links.get(reference.id, ""),
        "path": "" if is_web or reference.id in links else reference.url or "",
        "by": ", ".join(part for part in (reference.author, reference.publisher) if part),
        "site": (urlsplit(reference.url or "").hostname or "").removeprefix("www.") if is_web else "",
        "issued": reference.issued,
        "accessed": reference.accessed,
        "archive": reference.archive if reference.archive and reference.archive.startswith("https://") else "",
        "quotes": [(key, words, _link_to(reference, key, words) if is_web else "") for key, words in reference.quotes],
        "is_unverified": reference.is_unverified,
        "back": [f"#{cite_anchor(reference.id, n)}" for n in range(1, uses + 1)],
    }


def _link_to(reference: Reference, key: str, words: str) -> str:
    """Return the address of an exact quote: its lines, else the fragment that the page stores for it, else its text."""
    if lines := dict(reference.line_links).get(key):
        return lines
    kept = parse_directive(dict(reference.fragments).get(key, ""))
    return fragment_link(reference.url or "", kept or directive_of(words))
