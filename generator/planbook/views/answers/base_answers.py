"""Answers to the tools of `planbook mcp`, which limits their arguments.

Each lists the citations of the text that it holds, with their states.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

from planbook.citations.in_text import find_citations
from planbook.citations.references import is_work
from planbook.library import Library
from planbook.markdown.plain_text import plain_text
from planbook.model import UNFINISHED_STATES, PageUri, Plan, Reference
from planbook.views.answers.answer_size import (
    MAX_LINK,
    Answer,
    fit_rows,
    fit_text,
    omit_empty,
    short_field,
)
from planbook.views.answers.page_texts import PageText
from planbook.views.bibliography.quote_links import quote_link
from planbook.views.checks import PageCheck, describe_day, status_of
from planbook.views.progress import progress_to_json
from planbook.views.search import WordIndex
from planbook.views.statements import page_statements


class UnknownNameError(LookupError):
    """The base has no such page, section or citation; the message names the closest ones."""


@dataclass(frozen=True)
class Base:
    """Everything that is answered from."""

    library: Library
    texts: Mapping[str, PageText]
    """The published pages by uri; nothing else is ever read."""
    index: WordIndex
    """Their words; the numbers of pages are those of `texts`."""
    checks: Mapping[str, PageCheck]
    """Of pages that have not changed since."""
    find_plan: Callable[[str], Plan]
    brief_of: Callable[[str, int], str]
    """Returns the brief of a PART."""

    @cached_property
    def progress(self) -> Answer:
        """The progress of all plans."""
        return progress_to_json(self.library, self.checks)


def unknown_name_error(noun: str, name: str, known_names: Iterable[str]) -> UnknownNameError:
    """Return the error for a name that the base does not have, with the closest ones."""
    close_names = difflib.get_close_matches(name, list(known_names), 3, 0.4)
    hint = f"; did you mean {' or '.join(close_names)}?" if close_names else ""
    return UnknownNameError(f"the base has no {noun} {name[:200]!r}{hint}")


# --- citations ------------------------------------------------------------------------------------


def citation_json(
    reference: Reference, check: PageCheck | None, keys: Container[str] | None = None
) -> Answer:
    """Return a citation with its state and its quotes, each with the result of its check.

    `keys` selects quotes.
    """
    result = check.by_id.get(reference.id) if check else None
    results = result.quotes if result else {}
    quotes = []
    for key, words in reference.quotes:
        if keys is None or key in keys:
            link = quote_link(reference, key, words, result.passages.get(key) if result else None)[
                :MAX_LINK
            ]
            quotes.append(
                {"key": key, "text": short_field(words), "link": link, "found": results.get(key)}
            )
    texts = {
        name: short_field(getattr(reference, name))
        for name in ("title", "author", "publisher", "issued", "accessed")
    }
    state: Answer = {
        "state": status_of(reference, result).value if is_work(reference) else "page of this base"
    }
    if result:
        findings = [short_field(finding) for finding in result.findings[:5]]
        state |= {
            "since": describe_day(result),
            "moved_to": (result.moved_to or "")[:MAX_LINK],
            "findings": findings,
        }
    url = (reference.url or "")[:MAX_LINK]
    return omit_empty({"id": reference.id, "url": url, **texts, **state, "quotes": quotes})


def citations_in(base: Base, uri: str, start: int, end: int) -> list[Answer]:
    """Return the citations in a range of characters of a page's body.

    The quotes that are cited there come with them.
    """
    text = base.texts[uri]
    first = text.lines_above + text.body.count("\n", 0, start) + 1
    lines = range(first, first + text.body.count("\n", start, max(start, end - 1)) + 1)
    references = base.library.page_by_uri[uri].references
    cited = find_citations(text.body[start:end], {reference.id for reference in references})
    located = {(citation.reference_id, citation.locator or "") for citation in cited}
    return [
        citation_json(
            reference, base.checks.get(uri), {key for name, key in located if name == reference.id}
        )
        for reference in references
        if any(line in lines for line in reference.lines)
    ]


def citations(base: Base, id: str, citation: str, offset: int, room: int) -> Answer:
    """Return the works that a page cites, with their quotes and states.

    With `citation`, only the one with this id.
    """
    _text_of_page(base, id)
    references = base.library.page_by_uri[id].references
    wanted = [reference for reference in references if citation in ("", reference.id)]
    if citation and not wanted:
        raise unknown_name_error(
            f"citation in {id}", citation, (reference.id for reference in references)
        )
    show = partial(citation_json, check=base.checks.get(id))
    return fit_rows({"id": id}, "citations", wanted, show, offset, room)


# --- pages ----------------------------------------------------------------------------------------


def _text_of_page(base: Base, uri: str) -> PageText:
    if uri in base.texts:
        return base.texts[uri]
    entry = base.library.by_uri.get(PageUri(uri))
    if entry:
        fix = f"PART {entry.part.number} of {entry.plan.uri} plans it; ask for its brief"
        raise UnknownNameError(f"{uri} is not written yet ({entry.state}): {fix}")
    raise unknown_name_error("page", uri, base.texts)


def fetch(base: Base, id: str, section: str, offset: int, room: int) -> Answer:
    """Return a page as Markdown, or one section with those below it.

    The citations of that text come with it.
    """
    text = _text_of_page(base, id)
    page = base.library.page_by_uri[id]
    entry = base.library.by_uri.get(PageUri(id))
    start, end = _span_of_section(text, id, section) if section else (0, len(text.body))
    statements_on_page = page_statements(page, entry.drop if entry else None, base.checks.get(id))
    head = {
        "id": id,
        "title": short_field(page.title),
        "description": short_field(page.description),
        "section": section,
        "state": entry.state.value if entry else "",
        "statements": [f"{statement.label} {statement.text}" for statement in statements_on_page],
        "sections": [piece.title[:200] for piece in text.pieces if start < piece.start < end],
    }
    return fit_text(
        omit_empty(head),
        text.body[start:end],
        offset,
        room,
        lambda a, b: citations_in(base, id, start + a, start + b),
    )


def _span_of_section(text: PageText, id: str, section: str) -> tuple[int, int]:
    """Return the span of a section with those below it; of the lead, without any."""
    wanted = " ".join(section.casefold().split())
    chosen = next((piece for piece in text.pieces if piece.title.casefold() == wanted), None)
    if chosen is None:
        titles = (piece.title for piece in text.pieces)
        raise unknown_name_error(f"section in {id}", section, titles)
    if chosen is text.pieces[0]:
        return chosen.start, chosen.end
    ends = (
        piece.start
        for piece in text.pieces
        if piece.start > chosen.start and piece.level <= chosen.level
    )
    return chosen.start, next(ends, len(text.body))


# --- plans ---------------------------------------------------------------------------------------


def open_parts(base: Base, plan: str, offset: int, room: int) -> Answer:
    """Return the PARTs that are not finished, or marked done without their page."""
    totals, parts = _parts_of_plans(base, plan)
    wanted = [part for part in parts if part["state"] in UNFINISHED_STATES or part["amiss"]]
    return fit_rows({"totals": totals}, "parts", wanted, dict, offset, room)


def progress(base: Base, plan: str, offset: int, room: int) -> Answer:
    """Return the totals, the sources by state, and the plans; with `plan`, each of its PARTs."""
    totals, parts = _parts_of_plans(base, plan)
    if plan:
        return fit_rows({"totals": totals}, "parts", parts, dict, offset, room)
    plans = [
        {
            "uri": of.uri,
            "title": short_field(plain_text(of.title)),
            "states": Counter(part.state.value for part in of.parts),
        }
        for of in base.library.plans
    ]
    return fit_rows({"totals": totals}, "plans", plans, dict, offset, room)


def _parts_of_plans(base: Base, plan: str) -> tuple[Answer, list[Answer]]:
    """Return the totals and all PARTs, of one plan or of all."""
    narrowed = plan and base.library.narrowed({base.find_plan(plan).uri})
    data = progress_to_json(narrowed, base.checks) if narrowed else base.progress
    return data["totals"], [
        {
            "plan": each["uri"],
            **part,
            "title": short_field(part["title"]),
            "steps": len(part["steps"]),
        }
        for each in data["plans"]
        for part in each["parts"]
    ]


def brief(base: Base, plan: str, part: int, offset: int, room: int) -> Answer:
    """Return the brief of a PART."""
    return fit_text({}, base.brief_of(plan, part), offset, room, lambda start, end: [])
