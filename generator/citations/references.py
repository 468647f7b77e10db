"""All references of a page: those in its front matter, then the works that only its prose cites."""

from __future__ import annotations

import posixpath
from collections.abc import Container, Mapping
from dataclasses import replace
from typing import Any

from generator.citations.cited import find_references
from generator.citations.in_text import check_citations, find_citations
from generator.citations.works import free_name, work_key
from generator.markdown.front_matter import split_page
from generator.model import Problem, Reference


def read_references(text: str, uri: str) -> tuple[tuple[Reference, ...], tuple[Problem, ...]]:
    """The references of the page in `text`, and what is wrong with its citations.

    A work that both front matter and prose name has the id, title and date of the one and the lines of the other. The
    lines of its citations count, too. Lines are 1-based in the file. Ids are unlike each other. Problems are K010 for
    search pages, K011 for front matter that is no CSL, and those of `check_citations`.

    A page that a program ``generated`` names all its works in its front matter: its prose is full of other people's
    words, and what these cite is not cited by the page.
    """
    try:
        meta, body, skipped = split_page(text)
    except ValueError:
        meta, body, skipped = {}, text, 0  # K001 is the page parser's to tell
    written, problems = _written(meta.get("references"), uri)
    found, more = ((), ()) if _is_by_program(meta.get("generated")) else find_references(body, uri)
    merged = {_key(reference): reference for reference in written}
    taken = {reference.id: 2 for reference in merged.values()}
    for reference in found:
        lines = tuple(line + skipped for line in reference.lines)
        old = merged.get(_key(reference))
        if old:
            merged[_key(reference)] = replace(old, accessed=old.accessed or reference.accessed, lines=lines)
        else:
            merged[_key(reference)] = replace(reference, id=free_name(reference.id, taken), lines=lines)
    moved = tuple(Problem(p.uri, p.line + skipped, p.code, p.message) for p in more)
    references = tuple(merged.values())
    citations = find_citations(body)
    problems = (*problems, *moved, *check_citations(citations, references, uri, skipped))
    at = {reference.id: set(reference.lines) for reference in references}
    for citation in citations:
        if citation.reference in at:
            at[citation.reference].add(citation.line + skipped)
    return tuple(replace(r, lines=tuple(sorted(at[r.id]))) for r in references), problems


def base_uri(address: str | None, page: str, known: Container[str]) -> str | None:
    """The page of the base that a reference of `page` means, written from here or from the root; `known` holds all."""
    path = (address or "").partition("#")[0].partition(":")[0]
    if not path.endswith(".md"):
        return None
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
    return next((uri for uri in (beside, posixpath.normpath(path)) if uri in known), None)


def _is_by_program(generated: object) -> bool:
    """Whether the front matter's ``generated`` names a writer that is no person."""
    writer = generated.get("writer") if isinstance(generated, dict) else generated
    return bool(generated) and writer not in ("hand", "person")  # a list may stand there, too


def _written(value: object, uri: str) -> tuple[list[Reference], tuple[Problem, ...]]:
    """The front matter's ``references``; what is no CSL item is passed over with a Problem."""
    if value is None:
        return [], ()
    entries = value if isinstance(value, list) else [value]
    good = [entry for entry in entries if isinstance(entry, dict) and entry.get("id")]
    problems: tuple[Problem, ...] = ()
    if len(good) != len(entries) or not isinstance(value, list):
        what = "`references` must be a list of CSL items, each with an `id`; see the Guide, Pages"
        problems = (Problem(uri, 1, "K011", what),)
    return [_reference(entry) for entry in good], problems


def _reference(item: Mapping[str, Any]) -> Reference:
    custom = item.get("custom")
    return Reference(
        id=str(item["id"]),
        title=str(item.get("title") or item["id"]),
        url=_text(item.get("URL")),
        accessed=_day(item.get("accessed")),
        author=_names(item.get("author")),
        publisher=_text(item.get("publisher") or item.get("container-title")),
        issued=_day(item.get("issued")),
        archive=_text(item.get("archive") or item.get("archive_location")),
        quotes=_texts(custom, "quotes"),
        fragments=_texts(custom, "fragments"),
        is_unverified=isinstance(custom, dict) and custom.get("verified") is False,
    )


def _texts(custom: object, name: str) -> tuple[tuple[str, str], ...]:
    """The texts by key that ``custom`` holds under `name`."""
    texts = custom.get(name) if isinstance(custom, dict) else None
    return tuple((str(key), str(text)) for key, text in texts.items()) if isinstance(texts, dict) else ()


def _text(value: object) -> str | None:
    return str(value) if value else None


def _names(value: object) -> str | None:
    """CSL names as one line: ``A. Author, B. Author``; an institution is its ``literal``."""
    names = value if isinstance(value, list) else []
    said = [
        str(name.get("literal") or " ".join(str(name[key]) for key in ("given", "family") if name.get(key)))
        for name in names
        if isinstance(name, dict)
    ]
    return ", ".join(name for name in said if name) or None


def _day(value: object) -> str | None:
    """A CSL date, or a plain one, as ``YYYY-MM-DD``, or as much of it as there is."""
    if isinstance(value, dict):
        parts = value.get("date-parts")
        first = parts[0] if isinstance(parts, list) and parts and isinstance(parts[0], list) else []
        return "-".join(f"{part:02d}" if isinstance(part, int) else str(part) for part in first) or None
    return str(value)[:10] if value else None


def _key(reference: Reference) -> str:
    return work_key(reference.url) if reference.url else f"title:{reference.title.casefold()}"
