"""Citations and works cited in plain Markdown: as numbers linked to a list, or in the syntax of Pandoc and Quarto."""

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
from generator.markdown.front_matter import split_front_matter
from generator.markdown.lists import read_blocks
from generator.markdown.safe_markdown import code
from generator.model import Reference
from generator.page.render import render_page
from generator.views.agents import with_front_matter
from generator.views.works import is_web

_TAKEN = re.compile(r"^#{1,6}\s+References\s*#*$", re.MULTILINE | re.IGNORECASE)


def numbered_text(text: str, references: Sequence[Reference], links: Mapping[str, str]) -> str:
    """Return `text` with each citation as the number of its work, and a list of the works at the end.

    `links` has the address of each reference that is a page of the base, by id.
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
    """Return the title of the list, and the anchor that every engine generates for it."""
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
    """Return plain `text` as a link; without an address, as text."""
    shown = verbatim(" ".join(text.split()))
    return f"[{shown}](<{quote(href, safe=_KEPT)}>)" if href else shown


_KEPT = "".join(chr(n) for n in range(0x21, 0x7F) if chr(n) not in '<>"\\`{|}^')
"""Characters that an address may contain unescaped."""


_FENCE = re.compile(r"(?P<ticks>`{3,}|~{3,})[ \t]*(?P<language>[\w#.+-]+)[ \t]+(?P<rest>[^\n]*)")
_OPTION = re.compile(r'[\w-]+="[^"\n]*"')


def pandoc_text(text: str, *, has_works: bool) -> str:
    """Return `text` with unchanged citations, and at the end, if there are works, the place where Pandoc lists them.

    Fence titles and options are converted to Pandoc's syntax: it treats fences with other info strings as running text,
    including anything that looks like a citation in them.
    """
    pieces, at = [], 0
    for start, _ in read_blocks(text).fences:
        fence = _FENCE.match(text, start)
        if fence:
            options = " ".join(_OPTION.findall(fence["rest"]))
            pieces += [text[at:start], fence["ticks"], " {.", fence["language"], options and " ", options, "}"]
            at = fence.end()
    shown = "".join([*pieces, text[at:]])
    return f"{shown.rstrip()}\n\n## {list_title(text)[0]}\n\n::: {{#refs}}\n:::\n" if has_works else shown


def pandoc_head(head: str) -> str:
    """Return the front matter of a page with works: all are listed, and ``@`` in their texts is escaped."""
    head = with_front_matter(head, {"nocite": "@*"})
    meta, _ = split_front_matter(head)
    references = meta.get("references")
    escaped = _escaped(references)
    if escaped == references:
        return head
    return render_page({**meta, "references": escaped}, "").rstrip("\n") + "\n"


def _escaped(value: object, key: str = "") -> object:
    """Return a part of a work with each ``@`` escaped for Pandoc, in addresses as ``%40``; ids are unchanged."""
    if isinstance(value, Mapping):
        return {name: _escaped(inner, str(name)) for name, inner in value.items()}
    if isinstance(value, list):
        return [_escaped(inner, key) for inner in value]
    if not isinstance(value, str) or key == "id":
        return value
    is_address = re.match(r"[a-z][a-z0-9+.-]*://\S+$", value, re.IGNORECASE)
    return value.replace("@", "%40") if is_address else re.sub(r"\\?@", r"\\@", value)
