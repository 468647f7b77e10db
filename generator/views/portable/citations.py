"""Citations and works cited as plain Markdown: numbers that lead to a list at the end of the page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from generator.citations.in_text import (
    Citation,
    citation_groups,
    find_citations,
    numbered,
    quoted,
    with_shown,
)
from generator.citations.quotes import directive_of, fragment_link, parse_directive
from generator.markdown.escape import inline_text, verbatim
from generator.markdown.safe_markdown import code
from generator.model import Reference
from generator.views.works import is_web

_TAKEN = re.compile(r"^#{1,6}\s+References\s*#*$", re.MULTILINE | re.IGNORECASE)


def numbered_text(text: str, references: Sequence[Reference], links: Mapping[str, str]) -> str:
    """`text` with each citation as the number of its work, and the works behind it as a list.

    `links` gives the address of a reference that is a page of the base, by id.
    """
    citations = find_citations(text)
    numbers = numbered(references, citations)
    title, anchor = list_title(text)
    by_id = {reference.id: reference for reference in references}
    groups = [_group(group, by_id, numbers, anchor) for group in citation_groups(citations)]
    ordered = sorted(references, key=lambda reference: numbers[reference.id])
    entries = "".join(_entry(n, reference, links) for n, reference in enumerate(ordered, 1))
    return f"{with_shown(text, citations, groups).rstrip()}\n\n## {title}\n\n{entries}"


def list_title(text: str) -> tuple[str, str]:
    """Return the title of the list, and the anchor that every engine gives a heading of this title."""
    return ("Works cited", "works-cited") if _TAKEN.search(text) else ("References", "references")


def _group(group: Sequence[Citation], by_id: Mapping[str, Reference], numbers: Mapping[str, int], anchor: str) -> str:
    shown = []
    for citation in group:
        reference = by_id.get(citation.reference)
        if reference is None:
            shown.append(inline_text(f"@{citation.reference}?"))
            continue
        locator = None if quoted(reference, citation) else citation.locator
        shown.append(f"{numbers[reference.id]}{f', {inline_text(locator)}' if locator else ''}")
    return f"[&#91;{'; '.join(shown)}&#93;](#{anchor})"


def _entry(n: int, reference: Reference, links: Mapping[str, str]) -> str:
    """Return one work as a list item, with its quotes below it."""
    has_address = is_web(reference.url)
    href = reference.url or "" if has_address else links.get(reference.id, "")
    name = linked(reference.title, href)
    path = "" if href or not reference.url or reference.url == reference.title else f" {code(reference.url)}"
    has_copy = reference.archive and reference.archive.startswith("https://")
    copy = [linked("archived copy", reference.archive or "")] if has_copy else []
    lines = [f"{n}. {' · '.join([name + path, *facts(reference), *copy])}\n"]
    for key, words in reference.quotes:
        kept = parse_directive(dict(reference.fragments).get(key, ""))
        very = (
            f" ({linked('the exact quote', fragment_link(href, kept or directive_of(words)))})" if has_address else ""
        )
        indent = " " * max(4, len(f"{n}. "))  # four for Python-Markdown, the text's column for CommonMark
        lines.append(f"{indent}- “{verbatim(' '.join(words.split()))}”{very}\n")
    return "".join(lines)


def facts(reference: Reference) -> list[str]:
    """Return a work's details other than title and address: people, date, access date."""
    by = ", ".join(verbatim(part) for part in (reference.author, reference.publisher) if part)
    day = f"accessed {verbatim(reference.accessed)}" if reference.accessed else ""
    return [fact for fact in (by, verbatim(reference.issued or ""), day) if fact]


def linked(text: str, href: str) -> str:
    """Plain `text` as a link; without one where there is no address."""
    shown = verbatim(" ".join(text.split()))
    return f"[{shown}](<{quote(href, safe=_KEPT)}>)" if href else shown


_KEPT = "".join(chr(n) for n in range(0x21, 0x7F) if chr(n) not in '<>"\\`{|}^')
"""Characters that an address may contain unescaped."""
