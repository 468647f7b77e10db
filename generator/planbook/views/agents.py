"""Output for programs: Markdown twins, llms.txt (https://llmstxt.org), answers as JSON.

A twin has the same path in the site as its file in the documentation folder, so that links between
files work: ``cuda/10-x.md`` next to ``cuda/10-x/index.html``, whose address is ``cuda/10-x/``. Each
answer lists the citations of the text that it holds, with their states, and fits a number of
characters, the `room`. The public functions with a `base` answer the tools of `planbook mcp`, which
limits their arguments.
"""

from __future__ import annotations

import difflib
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import accumulate
from typing import Any, TypeVar

from planbook.citations.additions import references_block, with_references
from planbook.citations.in_text import find_citations
from planbook.citations.references import is_work
from planbook.library import Library, ListedLibrary
from planbook.library.names import natural_order
from planbook.library.pages import parse_page, render_page
from planbook.markdown import front_matter
from planbook.markdown.document import read_document
from planbook.markdown.plain_text import count, plain_text
from planbook.model import Page, PageUri, Plan, Reference, State
from planbook.views import frame, index
from planbook.views.checks import PageCheck, since, statements, status_of
from planbook.views.csl import csl_item
from planbook.views.progress import DATA, progress_to_json
from planbook.views.quote_links import quote_link
from planbook.views.search import WORD, IndexedPage, WordIndex, split_word, word_weights
from planbook.views.template import (
    difference_on_disk,
    page_description,
    page_title,
    reading_time,
    render_template,
)

T = TypeVar("T")


def twin(text: str, page: Page | None, planned: dict[str, object]) -> str:
    """Return a page's `text` with its facts in its front matter.

    They are title, description, plan and PART (as in `planned`), and works cited. Existing values
    and the body are left unchanged, byte for byte. Unreadable front matter is treated as text.
    """
    meta: dict[str, object] = {}
    if page:
        meta = {"title": page.title, "description": page.description}
    meta |= planned
    works = [csl_item(work) for work in page.references] if page else []
    try:
        return with_front_matter(
            text, {key: value for key, value in meta.items() if value not in ("", None)}, works
        )
    except ValueError:
        return text


def with_front_matter(
    text: str, added: Mapping[str, object], works: Sequence[Mapping[str, Any]] = ()
) -> str:
    """Return `text` with what is missing of `added` and `works` in its front matter.

    Works are CSL items. Raises ValueError if the front matter is not YAML.
    """
    meta, _ = front_matter.split_front_matter(text)
    missing = {key: value for key, value in added.items() if key not in meta}
    span = front_matter.front_matter_span(text)
    if meta and not span:  # MultiMarkdown metadata, which other tools do not support
        missing, text = {**meta, **missing}, text[front_matter.body_start(text) :]
    if missing:
        lines = render_page(missing, "").removeprefix("---\n").rpartition("\n---\n")[0] + "\n"
    else:
        lines = ""
    if span:
        newline = "\r\n" if text[: span[0]].endswith("\r\n") else "\n"
        return with_references(
            text[: span[1]] + lines.replace("\n", newline) + text[span[1] :], works
        )
    lines += references_block(works)  # separately, so that it cannot conflict with other keys
    return f"---\n{lines}---\n\n{text.removeprefix(chr(0xFEFF))}" if lines else text


LLMS = "llms.txt"


def llms_txt(
    library: ListedLibrary,
    folders: Sequence[index.FolderIndex],
    site: frame.Site,
    uris: Container[str],
    others: Mapping[str, tuple[str, str]],
) -> str:
    """Return the list of the pages with twins, `uris`.

    `others` has title and description of those outside the base.
    """
    planned: list[tuple[str, str, str]] = []
    sections = []
    for folder in folders:
        listed = [uri for uri in folder.uris if uri in uris]
        written = [_listed_page(library, uri) for uri in listed if uri in library.page_by_uri]
        planned += [_listed_page(library, uri) for uri in listed if uri not in library.page_by_uri]
        sections.append((f"{folder.path}/" if folder.path else "Top level", written))
    optional = [("Progress as JSON", DATA, "what the plans claim and what exists")]
    optional += [(title, uri, about) for uri, (title, about) in others.items()]
    sections += [("Planned, not written yet", planned), ("Optional", optional)]
    root = site.url.rstrip("/") + "/" if site.url else ""
    return render_template("llms.txt", site=site, root=root, sections=sections)


def _listed_page(library: ListedLibrary, uri: PageUri) -> tuple[str, str, str]:
    """Return a page's title, uri and description, with its state."""
    page, entry = library.page_by_uri.get(uri), library.by_uri.get(uri)
    if page:
        number_of_works = page.number_of_works
        works = f", {count(number_of_works, 'work')} cited" if number_of_works else ""
        kind = "collected passages, " if page.is_collected else ""
        state = f"{kind}{reading_time(page.words)}{works}"
    elif entry and entry.differs:
        state = f"marked done, {difference_on_disk(entry)}"
    else:
        state = entry.state.value if entry else ""
    about = page_description(library, uri)
    return (
        page_title(library, uri),
        uri,
        f"{about} ({state})" if about and state else about or state,
    )


def title_and_description(text: str, uri: str) -> tuple[str, str]:
    """Return the title and the description of a page, from its Markdown file."""
    parsed, _ = parse_page(text, uri)
    return parsed.title, parsed.description


# --- answers for programs -------------------------------------------------------------------------


CHARS_PER_TOKEN = 4
"""A token of a language model has about as many characters: of English more, of code and addresses
fewer."""
TOKENS, FEWEST_TOKENS, MOST_TOKENS = 2_000, 250, 20_000
"""The size of an answer, unless the caller gives another one, and its limits."""
MAX_FIELD, MAX_LINK = 1_000, 2_000
"""The most characters of a title or quote, and of an address."""
PASSAGES, PASSAGE_CHARS = 2, 300
"""Passages for each page found, and their length."""
TO_DO = (State.OPEN, State.PARTIAL, State.UNMARKED)

Answer = dict[str, Any]


class UnknownNameError(LookupError):
    """The base has no such page, section or citation; the message names the closest ones."""


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A heading with the text below it, up to the next heading of any level."""

    title: str
    level: int
    start: int
    """Offset of the heading in the body."""
    end: int


@dataclass(frozen=True, slots=True)
class PageText:
    """A page's Markdown without front matter, in pieces."""

    body: str
    lines_above: int
    """Number of lines of the file above the body."""
    pieces: list[TextPiece]
    folded: str
    """The titles and texts of all pieces in lower case, a line each."""

    def text_of(self, piece: TextPiece) -> str:
        """Return the text of a piece, with blanks as single spaces."""
        return " ".join(self.body[piece.start : piece.end].split())


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


def read_text(text: str, uri: str) -> PageText:
    """Return a page's text in pieces."""
    document, page = read_document(text), parse_page(text, uri)[0]
    headings = [node for node in document.outline if node.name == "Heading" and not node.depth]
    if headings and headings[0].level == 1:
        del headings[0]
    titles = [
        (page.title, 1, 0),
        *((node.all_text().strip(), node.level, node.start) for node in headings),
    ]
    ends = [*(start for _, _, start in titles[1:]), len(document.body)]
    pieces = [TextPiece(*title, end) for title, end in zip(titles, ends, strict=True)]
    folded = (
        f"{piece.title}\n{' '.join(document.body[piece.start : piece.end].split())}"
        for piece in pieces
    )
    return PageText(document.body, document.lines_above, pieces, "\n".join(folded).lower())


def index_text(text: str, uri: str) -> IndexedPage:
    """Return a page's words for the search."""
    page_text, tags = read_text(text, uri), parse_page(text, uri)[0].meta_value("tags")
    listed = [(piece.title.split(), page_text.text_of(piece).split()) for piece in page_text.pieces]
    words = word_weights(listed, [str(tag) for tag in tags] if isinstance(tags, list) else [])
    return IndexedPage(uri, "", "", words)


# --- answers of a given size ----------------------------------------------------------------------


def to_json(value: object) -> str:
    """Return the JSON of an answer, of which sizes are the characters."""
    return json.dumps(value, ensure_ascii=False)


def _size(value: object) -> int:
    return len(to_json(value))


def _shortened(value: Any, room: int) -> Any:
    """Return a value whose JSON has at most `room` characters.

    Its longest texts and lists are cut, as far as they can be.
    """
    if isinstance(value, str):
        while value and _size(value) > room:
            if room > 3:
                value = value[: min(len(value) - 2, (room - 3) * len(value) // _size(value))] + "…"
            else:
                value = ""
    elif isinstance(value, list):
        while len(value) > 1 and _size(value) > room:
            value = value[:-1]
        value = (
            [_shortened(element, room - 2) for element in value] if _size(value) > room else value
        )
    elif isinstance(value, dict):
        for key in sorted(value, key=lambda key: _size(value[key]), reverse=True):
            if (over := _size(value) - room) > 0:
                value = value | {key: _shortened(value[key], _size(value[key]) - over)}
    return value


def _more(left: int, noun: str, offset: int) -> Answer:
    if left:
        return {
            "more": f"{left:,} more {noun}: ask again with offset={offset}, or with a larger "
            "max_tokens"
        }
    return {}


def _part_of_text(
    head: Answer, text: str, offset: int, room: int, cited: Callable[[int, int], Sequence[Answer]]
) -> Answer:
    """Return a part of a text that ends with a line if it can.

    The citations that `cited` finds there come with it.
    """
    head = _shortened(head, room // 3)
    room -= _size(head) + 300
    end, most = min(offset + room, len(text)), room * 3 // 4 if cited(0, len(text)) else room
    while (over := _size(text[offset:end]) - most) > 0:
        end -= (over + 1) // 2
    if end < len(text):
        end = text.rfind("\n", offset + (end - offset) // 2, end) + 1 or end
    excerpt, every = text[offset:end], cited(offset, end)
    room -= _size(excerpt)
    sizes = accumulate(_size(citation) + 2 for citation in every)
    fitting = list(every[: sum(size <= room for size in sizes)])
    left = {"citations_left_out": n} if (n := len(every) - len(fitting)) else {}
    place = {
        "offset": offset,
        "total_chars": len(text),
        "next_offset": end if end < len(text) else None,
    }
    more = _more(max(0, len(text) - end), "characters", end)
    return {**head, "text": excerpt, **place, "citations": fitting, **left, **more}


def _rows(  # noqa: PLR0913, PLR0917 - a page of any list
    head: Answer, name: str, items: Sequence[T], show: Callable[[T], Answer], offset: int, room: int
) -> Answer:
    """Return as many items from `offset` as fit, at least one, each as `show` returns it."""
    rows: list[Answer] = []
    room -= _size(head) + 200
    for item in items[offset:]:
        row = show(item)
        if rows and _size(row) > room:
            break
        rows.append(_shortened(row, room))
        room -= _size(row) + 2
    end = offset + len(rows)
    place = {
        "total": len(items),
        "offset": offset,
        "next_offset": end if end < len(items) else None,
    }
    return {**head, **place, name: rows, **_more(max(0, len(items) - end), name, end)}


def _short(text: str | None) -> str:
    text = " ".join((text or "").split())
    return text if len(text) <= MAX_FIELD else f"{text[: MAX_FIELD - 1]}…"


def _given(answer: Answer) -> Answer:
    return {key: value for key, value in answer.items() if value not in (None, "", [], {})}


def _unknown(noun: str, name: str, known: Iterable[str]) -> UnknownNameError:
    near = difflib.get_close_matches(name, list(known), 3, 0.4)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return UnknownNameError(f"the base has no {noun} {name[:200]!r}{hint}")


# --- citations ------------------------------------------------------------------------------------


def citation_json(
    reference: Reference, check: PageCheck | None, keys: Container[str] | None = None
) -> Answer:
    """Return a citation with its state and its quotes, each with the result of its check.

    `keys` selects quotes.
    """
    result = check.by_id.get(reference.id) if check else None
    there = result.quotes if result else {}
    quotes = []
    for key, words in reference.quotes:
        if keys is None or key in keys:
            link = quote_link(reference, key, words, result.passages.get(key) if result else None)[
                :MAX_LINK
            ]
            quotes.append(
                {"key": key, "text": _short(words), "link": link, "found": there.get(key)}
            )
    texts = {
        name: _short(getattr(reference, name))
        for name in ("title", "author", "publisher", "issued", "accessed")
    }
    state: Answer = {
        "state": status_of(reference, result).value if is_work(reference) else "page of this base"
    }
    if result:
        findings = [_short(finding) for finding in result.findings[:5]]
        state |= {
            "since": since(result),
            "moved_to": (result.moved_to or "")[:MAX_LINK],
            "findings": findings,
        }
    url = (reference.url or "")[:MAX_LINK]
    return _given({"id": reference.id, "url": url, **texts, **state, "quotes": quotes})


def _cited(base: Base, uri: str, start: int, end: int) -> list[Answer]:
    """Return the citations in a range of characters of a page's body.

    The quotes that are cited there come with them.
    """
    text = base.texts[uri]
    first = text.lines_above + text.body.count("\n", 0, start) + 1
    lines = range(first, first + text.body.count("\n", start, max(start, end - 1)) + 1)
    references = base.library.page_by_uri[uri].references
    cited = find_citations(text.body[start:end], {reference.id for reference in references})
    located = {(citation.reference, citation.locator or "") for citation in cited}
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
    _body(base, id)
    references = base.library.page_by_uri[id].references
    wanted = [reference for reference in references if citation in ("", reference.id)]
    if citation and not wanted:
        raise _unknown(f"citation in {id}", citation, (reference.id for reference in references))
    show = partial(citation_json, check=base.checks.get(id))
    return _rows({"id": id}, "citations", wanted, show, offset, room)


# --- pages ----------------------------------------------------------------------------------------


def _body(base: Base, uri: str) -> PageText:
    if uri in base.texts:
        return base.texts[uri]
    entry = base.library.by_uri.get(PageUri(uri))
    if entry:
        fix = f"PART {entry.part.number} of {entry.plan.uri} plans it; ask for its brief"
        raise UnknownNameError(f"{uri} is not written yet ({entry.state}): {fix}")
    raise _unknown("page", uri, base.texts)


def fetch(base: Base, id: str, section: str, offset: int, room: int) -> Answer:
    """Return a page as Markdown, or one section with those below it.

    The citations of that text come with it.
    """
    text = _body(base, id)
    written = base.library.page_by_uri[id]
    entry = base.library.by_uri.get(PageUri(id))
    start, end = 0, len(text.body)
    if section:
        wanted = " ".join(section.casefold().split())
        chosen = next((piece for piece in text.pieces if piece.title.casefold() == wanted), None)
        if chosen is None:
            raise _unknown(f"section in {id}", section, (piece.title for piece in text.pieces))
        after = (
            piece.start
            for piece in text.pieces
            if piece.start > chosen.start and piece.level <= chosen.level
        )
        start, end = chosen.start, next(after, end) if chosen is not text.pieces[0] else chosen.end
    said = statements(written, entry.drop if entry else None, base.checks.get(id))
    head = {
        "id": id,
        "title": _short(written.title),
        "description": _short(written.description),
        "section": section,
        "state": entry.state.value if entry else "",
        "statements": [f"{statement.label} {statement.text}" for statement in said],
        "sections": [piece.title[:200] for piece in text.pieces if start < piece.start < end],
    }
    return _part_of_text(
        _given(head),
        text.body[start:end],
        offset,
        room,
        lambda a, b: _cited(base, id, start + a, start + b),
    )


# --- search ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Hit:
    """A page that a search has found."""

    uri: str
    is_exact: bool
    """True if it has the query's words in this order."""
    score: float
    """Grows with the query's words that it has: rare ones, and those that it has often, more."""

    @property
    def sort_key(self) -> tuple[object, ...]:
        """Its place among others: exact ones first, then by score, then as people order names."""
        return (not self.is_exact, -self.score, natural_order(self.uri), self.uri)


def search(base: Base, query: str, offset: int, room: int) -> Answer:
    """Return the pages that match `query`, with the best passages of each.

    Those with exactly its words come first.
    """
    clauses = [split_word(word) for word in WORD.findall(query) if split_word(word)]
    phrase = " ".join(query.lower().split())
    exact = re.compile(
        rf"(?<!\w)(?<!\w[._-]){re.escape(phrase)}(?![._-]*\w)" if phrase else r"(?!)"
    )
    where = base.index.where
    on = {
        term: dict(divmod(n, 10) for n in where.get(term, ()))
        for clause in clauses
        for term in clause
    }
    rarity = {
        term: math.log(1 + len(base.texts) / (len(weights) + 0.5)) for term, weights in on.items()
    }
    hits = []
    for n, (uri, text) in enumerate(base.texts.items()):
        held = [_held(clause, [term for term in clause if n in on[term]]) for clause in clauses]
        score = sum(rarity[term] * on[term][n] / len(terms) for terms in held for term in terms)
        covered = sum(
            rarity[clause[0]] for clause, terms in zip(clauses, held, strict=True) if terms
        )
        is_exact = bool(
            (covered or not clauses) and phrase in text.folded and exact.search(text.folded)
        )
        if covered or is_exact:
            hits.append(_Hit(uri, is_exact, score * covered**2))

    def show(hit: _Hit) -> Answer:
        """Return a page found."""
        written = base.library.page_by_uri[hit.uri]
        answer = {"id": written.uri, "title": _short(written.title), "is_exact": hit.is_exact}
        about = {"description": _short(written.description)}
        return {**answer, **about, "passages": _passages(base, written.uri, exact, clauses)}

    ordered = sorted(hits, key=lambda hit: hit.sort_key)
    return _rows({}, "results", ordered, show, offset, room)


def _held(clause: Sequence[str], held: Container[str]) -> Sequence[str]:
    """Return the terms of a word that a page or section holds.

    That is the whole word, else all of its parts, else none.
    """
    first = clause[0]
    without_hyphens = first.replace("-", "")
    whole, *parts = (term for term in clause if term != without_hyphens or term == first)
    if whole in held:
        return [whole]
    has_all_parts = bool(parts) and all(part in held for part in parts)
    return parts if has_all_parts else []


def _passages(
    base: Base, uri: str, exact: re.Pattern[str], clauses: Sequence[Sequence[str]]
) -> list[Answer]:
    page, rated = base.texts[uri], []
    for n, piece in enumerate(page.pieces):
        lower = f"{piece.title}\n{page.text_of(piece)}".lower()
        if held := [term for clause in clauses for term in _held(clause, lower)]:
            rated.append((not exact.search(lower), -len(held), n, piece, held))
    passages = []
    for _, _, _, piece, held in sorted(rated)[:PASSAGES]:
        text = page.text_of(piece)
        lower = text.lower()
        hit = exact.search(lower)
        at = hit.start() if hit else max(0, min(map(lower.find, held)))
        start = text.rfind(" ", 0, max(0, at - PASSAGE_CHARS // 3)) + 1
        # Without titles, addresses and quotes, which are longer than the passage; `fetch` has them.
        cited = [
            {key: citation[key] for key in ("id", "state", "since") if key in citation}
            for citation in _cited(base, uri, piece.start, piece.end)[:10]
        ]
        passages.append(
            {
                "section": piece.title[:200],
                "text": text[start : start + PASSAGE_CHARS],
                "citations": cited,
            }
        )
    return passages


# --- plans ----------------------------------------------------------------------------------------


def open_parts(base: Base, plan: str, offset: int, room: int) -> Answer:
    """Return the PARTs that are not finished, or marked done without their page."""
    totals, parts = _parts_of_plans(base, plan)
    wanted = [part for part in parts if part["state"] in TO_DO or part["amiss"]]
    return _rows({"totals": totals}, "parts", wanted, dict, offset, room)


def progress(base: Base, plan: str, offset: int, room: int) -> Answer:
    """Return the totals, the sources by state, and the plans; with `plan`, each of its PARTs."""
    totals, parts = _parts_of_plans(base, plan)
    if plan:
        return _rows({"totals": totals}, "parts", parts, dict, offset, room)
    plans = [
        {
            "uri": of.uri,
            "title": _short(plain_text(of.title)),
            "states": Counter(part.state.value for part in of.parts),
        }
        for of in base.library.plans
    ]
    return _rows({"totals": totals}, "plans", plans, dict, offset, room)


def _parts_of_plans(base: Base, plan: str) -> tuple[Answer, list[Answer]]:
    """Return the totals and all PARTs, of one plan or of all."""
    narrowed = plan and base.library.narrowed({base.find_plan(plan).uri})
    data = progress_to_json(narrowed, base.checks) if narrowed else base.progress
    return data["totals"], [
        {"plan": each["uri"], **part, "title": _short(part["title"]), "steps": len(part["steps"])}
        for each in data["plans"]
        for part in each["parts"]
    ]


def brief(base: Base, plan: str, part: int, offset: int, room: int) -> Answer:
    """Return the brief of a PART."""
    return _part_of_text({}, base.brief_of(plan, part), offset, room, lambda start, end: [])
