"""Output for programs: Markdown twins, llms.txt (https://llmstxt.org), answers as JSON.

A twin has the same path in the site as its file in the documentation folder, so that links between files work:
``cuda/10-x.md`` next to ``cuda/10-x/index.html``, whose address is ``cuda/10-x/``. Each answer lists the
citations of the text that it holds, with their states. Text is cut at `offset` and `limit`. The public functions with a
`base` are the tools of `planbook mcp`, which shows their docstrings and limits arguments.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from generator.citations.references import find_citations, references_block, with_references
from generator.library import Library, natural_order
from generator.library.pages import parse_page, render_page
from generator.markdown import front_matter
from generator.markdown.document import read_document
from generator.markdown.plain_text import count
from generator.model import Page, PageUri, Plan, Reference, State
from generator.views import frame, index
from generator.views.checks import PageCheck, statements
from generator.views.progress import DATA, progress_to_json
from generator.views.search import WORD, split_word, word_weights
from generator.views.template import LABELS, page_description, page_title, reading_time, render_template, verdict
from generator.views.works import csl_item, is_work, quote_link, status_of


def twin(text: str, page: Page | None, planned: dict[str, object]) -> str:
    """Return a page's `text` with title, description, plan, PART (as in `planned`) and works cited in its front matter.

    Existing values and the body are left unchanged, byte for byte. Unreadable front matter is treated as text.
    """
    meta: dict[str, object] = {}
    if page:
        meta = {"title": page.title, "description": page.description}
    meta |= planned
    works = [csl_item(work) for work in page.references] if page else []
    try:
        return with_front_matter(text, {key: value for key, value in meta.items() if value not in ("", None)}, works)
    except ValueError:
        return text


def with_front_matter(text: str, added: Mapping[str, object], works: Sequence[Mapping[str, Any]] = ()) -> str:
    """Return `text` with missing keys of `added` and missing `works`, CSL items, added to its front matter.

    Raises ValueError if the front matter is not YAML.
    """
    meta, _ = front_matter.split_front_matter(text)
    missing = {key: value for key, value in added.items() if key not in meta}
    span = front_matter.front_matter_span(text)
    if meta and not span:  # MultiMarkdown metadata, which other tools do not support
        missing, text = {**meta, **missing}, text[front_matter.body_start(text) :]
    lines = render_page(missing, "").removeprefix("---\n").rpartition("\n---\n")[0] + "\n" if missing else ""
    if span:
        newline = "\r\n" if text[: span[0]].endswith("\r\n") else "\n"
        return with_references(text[: span[1]] + lines.replace("\n", newline) + text[span[1] :], works)
    lines += references_block(works)  # separately, so that it cannot conflict with other keys
    return f"---\n{lines}---\n\n{text.removeprefix(chr(0xFEFF))}" if lines else text


LLMS = "llms.txt"


def llms_txt(
    library: Library,
    folders: Sequence[index.FolderIndex],
    site: frame.Site,
    uris: Container[str],
    others: Mapping[str, tuple[str, str]],
) -> str:
    """Return the list of the pages with twins, `uris`; `others` has title and description of those outside the base."""
    planned: list[tuple[str, str, str]] = []
    sections = []
    for folder in folders:
        listed = [uri for uri in folder.uris if uri in uris]
        written = [_listed(library, uri) for uri in listed if uri in library.page_by_uri]
        planned += [_listed(library, uri) for uri in listed if uri not in library.page_by_uri]
        sections.append((f"{folder.path}/" if folder.path else "Top level", written))
    optional = [("Progress as JSON", DATA, "what the plans claim and what exists")]
    optional += [(title, uri, about) for uri, (title, about) in others.items()]
    sections += [("Planned, not written yet", planned), ("Optional", optional)]
    root = site.url.rstrip("/") + "/" if site.url else ""
    return render_template("llms.txt", site=site, root=root, sections=sections)


def _listed(library: Library, uri: PageUri) -> tuple[str, str, str]:
    """Return a page's title, uri and description, with its state."""
    page, entry = library.page_by_uri.get(uri), library.by_uri.get(uri)
    if page:
        works = f", {count(len(page.references), 'work')} cited" if page.references else ""
        state = f"{reading_time(page.words)}{works}"
    else:
        state = f"marked done, {verdict(entry)}" if entry and entry.is_amiss else LABELS[entry.state] if entry else ""
    about = page_description(library, uri)
    return page_title(library, uri), uri, f"{about} ({state})" if about and state else about or state


def title_and_description(text: str, uri: str) -> tuple[str, str]:
    """Return the title and the description of a page, from its Markdown file."""
    parsed, _ = parse_page(text, uri)
    return parsed.title, parsed.description


# --- answers for programs ---------------------------------------------------------------------------------------------


MAX_CHARS, MAX_ROWS = 20_000, 50
"""The most characters of text, and the most rows, in one answer."""
MAX_CITED, MAX_FIELD, MAX_LINK = 50, 1_000, 2_000
"""The most citations beside a text, and the most characters of a title or quote, and of an address."""
PASSAGES, PASSAGE_CHARS = 3, 300
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
    text: str
    """The text below the heading, with blanks as single spaces."""


@dataclass(frozen=True, slots=True)
class PageText:
    """A page's Markdown without front matter, and its words."""

    body: str
    lines_above: int
    """Number of lines of the file above the body."""
    pieces: list[TextPiece]
    words: dict[str, int]
    """The weight of each word, 1 to 9."""


@dataclass(frozen=True, slots=True)
class Base:
    """Everything that is answered from."""

    library: Library
    texts: Mapping[str, PageText]
    """The published pages by uri; nothing else is ever read."""
    checks: Mapping[str, PageCheck]
    """Of pages that have not changed since."""
    find_plan: Callable[[str], Plan]
    brief_of: Callable[[str, int], tuple[str, Iterable[tuple[str, Container[int]]]]]
    """Returns the brief of a PART, and the pages that it quotes with the numbers of the lines."""


def read_text(text: str, uri: str) -> PageText:
    """Return a page's text in pieces, with the words of each."""
    document, page = read_document(text), parse_page(text, uri)[0]
    headings = [node for node in document.tree.children if node.name == "Heading"]
    if headings and headings[0].level == 1:
        del headings[0]
    titles = [(page.title, 1, 0), *((node.all_text().strip(), node.level, node.start) for node in headings)]
    ends = [*(start for _, _, start in titles[1:]), len(document.body)]
    pieces = [
        TextPiece(title, level, start, end, " ".join(document.body[start:end].split()))
        for (title, level, start), end in zip(titles, ends, strict=True)
    ]
    tags = page.meta_value("tags")
    listed = [(piece.title, piece.text) for piece in pieces]
    words = word_weights(listed, [str(tag) for tag in tags] if isinstance(tags, list) else [])
    return PageText(document.body, document.lines_above, pieces, words)


def text_slice(text: str, offset: int, limit: int) -> Answer:
    """Return a slice of at most `limit` characters that ends with a line if it can, and the offset of the next one."""
    end = offset + min(limit, MAX_CHARS)
    if end < len(text):
        end = text.rfind("\n", offset + (end - offset) // 2, end) + 1 or end
    more = end if end < len(text) else None
    return {"text": text[offset:end], "offset": offset, "total_chars": len(text), "next_offset": more}


def _rows(rows: Sequence[Any], offset: int, limit: int, name: str) -> Answer:
    end = offset + min(limit, MAX_ROWS)
    more = end if end < len(rows) else None
    return {"total": len(rows), "offset": offset, "next_offset": more, name: list(rows[offset:end])}


def _short(text: str | None) -> str:
    text = " ".join((text or "").split())
    return text if len(text) <= MAX_FIELD else f"{text[: MAX_FIELD - 1]}…"


def _given(answer: Answer) -> Answer:
    return {key: value for key, value in answer.items() if value not in (None, "", [], {})}


def _unknown(what: str, name: str, known: Iterable[str]) -> UnknownNameError:
    near = difflib.get_close_matches(name, list(known), 3, 0.4)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return UnknownNameError(f"the base has no {what} {name[:200]!r}{hint}")


# --- citations -------------------------------------------------------------------------------------------------------


def citation_json(reference: Reference, check: PageCheck | None, keys: Container[str] | None = None) -> Answer:
    """Return a citation with its state and its quotes, each with the result of its check; `keys` selects quotes."""
    found = check.by_id.get(reference.id) if check else None
    there = dict(found.quotes) if found else {}
    quotes = []
    for key, words in reference.quotes:
        if keys is None or key in keys:
            link = quote_link(reference, key, words, found.passages.get(key) if found else None)[:MAX_LINK]
            quotes.append({"key": key, "text": _short(words), "link": link, "found": there.get(key)})
    texts = {name: _short(getattr(reference, name)) for name in ("title", "author", "publisher", "issued", "accessed")}
    state: Answer = {"state": status_of(reference, found).value if is_work(reference) else "page of this base"}
    if found:
        findings = [_short(finding) for finding in found.findings[:5]]
        state |= {"since": found.since, "moved_to": found.moved_to[:MAX_LINK], "findings": findings}
    url = (reference.url or "")[:MAX_LINK]
    return _given({"id": reference.id, "url": url, **texts, **state, "quotes": quotes[:MAX_ROWS]})


def _cited(base: Base, uri: str, start: int, end: int, most: int = MAX_CITED) -> Answer:
    """Return the citations in characters `start` to `end` of a page's body, with the quotes that are cited there."""
    text = base.texts[uri]
    first = text.lines_above + text.body.count("\n", 0, start) + 1
    lines = range(first, first + text.body.count("\n", start, max(start, end - 1)) + 1)
    located = {(cited.reference, cited.locator or "") for cited in find_citations(text.body[start:end])}
    cited = _references_on(base, uri, lines)
    shown = [
        citation_json(reference, base.checks.get(uri), {key for name, key in located if name == reference.id})
        for reference in cited[:most]
    ]
    return {"citations": shown} | ({"citations_left_out": len(cited) - most} if len(cited) > most else {})


def _references_on(base: Base, uri: str, lines: Container[int]) -> list[Reference]:
    return [r for r in base.library.page_by_uri[uri].references if any(line in lines for line in r.lines)]


def citations(base: Base, page: str, id: str = "", offset: int = 0, limit: int = 20) -> Answer:
    """Read the citations of a page: works, exact quotes with links to them, and the result of the last check."""
    _body(base, page)
    references = base.library.page_by_uri[page].references
    wanted = [reference for reference in references if id in ("", reference.id)]
    if id and not wanted:
        raise _unknown(f"citation in {page}", id, (reference.id for reference in references))
    found = _rows(wanted, offset, limit, "citations")
    shown = [citation_json(reference, base.checks.get(page)) for reference in found["citations"]]
    return {"page": page, **found, "citations": shown}


# --- pages -----------------------------------------------------------------------------------------------------------


def _body(base: Base, uri: str) -> PageText:
    if uri in base.texts:
        return base.texts[uri]
    entry = base.library.by_uri.get(PageUri(uri))
    if entry:
        how = f"PART {entry.part.number} of {entry.plan.uri} plans it; ask for its brief"
        raise UnknownNameError(f"{uri} is not written yet ({entry.state}): {how}")
    raise _unknown("page", uri, base.texts)


def page(base: Base, page: str, section: str = "", offset: int = 0, limit: int = 8_000) -> Answer:
    """Read a page, or a section with those below it, as Markdown, with the citations of that text."""
    text, written, entry = _body(base, page), base.library.page_by_uri[page], base.library.by_uri.get(PageUri(page))
    start, end = 0, len(text.body)
    if section:
        wanted = " ".join(section.casefold().split())
        found = next((piece for piece in text.pieces if piece.title.casefold() == wanted), None)
        if found is None:
            raise _unknown(f"section in {page}", section, (piece.title for piece in text.pieces))
        after = (piece.start for piece in text.pieces if piece.start > found.start and piece.level <= found.level)
        start, end = found.start, next(after, end) if found is not text.pieces[0] else found.end
    shown = text_slice(text.body[start:end], offset, limit)
    check = base.checks.get(page)
    said = statements(written, entry.drop if entry else None, check)
    answer = {
        **{"page": page, "title": _short(written.title), "description": _short(written.description)},
        **{"section": section, "state": entry.state.value if entry else ""},
        "statements": [f"{statement.label} {statement.text}" for statement in said],
        "sections": [piece.title[:200] for piece in text.pieces if start < piece.start < end][:MAX_ROWS],
    }
    return _given(answer) | shown | _cited(base, page, start + offset, start + offset + len(shown["text"]))


# --- search ----------------------------------------------------------------------------------------------------------


def search(base: Base, query: str, offset: int = 0, limit: int = 5) -> Answer:
    """Search the pages: exact matches first, names such as TORCH_CUDA_ARCH_LIST whole, then in parts."""
    clauses = [split_word(word) for word in WORD.findall(query) if split_word(word)]
    folded = r"\s+".join(re.escape(word) for word in query.split())
    exact = re.compile(rf"(?<!\w)(?<!\w[._-]){folded}(?![._-]*\w)" if folded else r"(?!)", re.IGNORECASE)
    on = {term: sum(term in text.words for text in base.texts.values()) for clause in clauses for term in clause}
    rarity = {term: math.log(1 + len(base.texts) / (pages + 0.5)) for term, pages in on.items()}
    found = []
    for uri, text in base.texts.items():
        held = [_held(clause, text.words) for clause in clauses]
        score = sum(rarity[term] * text.words[term] / len(terms) for terms in held for term in terms)
        covered = sum(rarity[clause[0]] for clause, terms in zip(clauses, held, strict=True) if terms)
        parts = (part for piece in text.pieces for part in (piece.title, piece.text))
        is_exact = bool(covered or not clauses) and any(map(exact.search, parts))
        if covered or is_exact:
            found.append((not is_exact, -score * covered**2, natural_order(uri), uri))
    shown = _rows(sorted(found), offset, limit, "results")
    shown["results"] = [
        {
            **{"page": uri, "title": _short(base.library.page_by_uri[uri].title), "is_exact": not is_other},
            "description": _short(base.library.page_by_uri[uri].description),
            "passages": _passages(base, uri, exact, clauses),
        }
        for is_other, _, _, uri in shown["results"]
    ]
    return shown


def _held(clause: Sequence[str], held: Container[str]) -> Sequence[str]:
    """Return the terms of a word that a page or section holds: the whole word, else all of its parts, else none."""
    whole, *parts = (term for term in clause if term != clause[0].replace("-", "") or term == clause[0])
    return [whole] if whole in held else parts if parts and all(part in held for part in parts) else []


def _passages(base: Base, uri: str, exact: re.Pattern[str], clauses: Sequence[Sequence[str]]) -> list[Answer]:
    rated = []
    for n, piece in enumerate(base.texts[uri].pieces):
        whole = f"{piece.title}\n{piece.text}"
        if held := [term for clause in clauses for term in _held(clause, whole.lower())]:
            rated.append((not exact.search(whole), -len(held), n, piece, held))
    shown = []
    for _, _, _, piece, held in sorted(rated)[:PASSAGES]:
        hit, lower = exact.search(piece.text), piece.text.lower()
        at = hit.start() if hit else max(0, min(map(lower.find, held)))
        start = piece.text.rfind(" ", 0, max(0, at - PASSAGE_CHARS // 3)) + 1
        cited = _cited(base, uri, piece.start, piece.end, 10)
        for citation in cited["citations"]:
            citation.pop("quotes", None)  # as long as the passage itself; `page` and `citations` have them
        shown.append({"section": piece.title[:200], "text": piece.text[start : start + PASSAGE_CHARS], **cited})
    return shown


# --- plans -----------------------------------------------------------------------------------------------------------


def open_parts(base: Base, plan: str = "", offset: int = 0, limit: int = 20) -> Answer:
    """List the PARTs that are not finished, or marked done without their page: what the base does not know yet."""
    return _progress(base, plan, offset, limit, only_open=True)


def progress(base: Base, plan: str = "", offset: int = 0, limit: int = 20) -> Answer:
    """Read the progress: totals, sources by state, and each PART as its plan claims it and as it is on disk."""
    return _progress(base, plan, offset, limit, only_open=False)


def _progress(base: Base, plan: str, offset: int, limit: int, *, only_open: bool) -> Answer:
    library = base.library.narrowed({base.find_plan(plan).uri}) if plan else base.library
    data = progress_to_json(library, base.checks)
    parts = [
        {"plan": each["uri"], **part, "title": _short(part["title"]), "steps": len(part["steps"])}
        for each in data["plans"]
        for part in each["parts"]
        if not only_open or part["state"] in TO_DO or part["amiss"]
    ]
    listed = [{"uri": each["uri"], "title": _short(each["title"]), "states": each["states"]} for each in data["plans"]]
    return {"totals": data["totals"], "plans": listed[:MAX_ROWS]} | _rows(parts, offset, limit, "parts")


def brief(base: Base, plan: str, part: int, offset: int = 0, limit: int = 8_000) -> Answer:
    """Read the brief of a PART: what its page must cover, prior knowledge, and the rules that it must meet."""
    text, quoted = base.brief_of(plan, part)
    cited = [
        {"page": uri, **citation_json(reference, base.checks.get(uri), ())}
        for uri, lines in quoted
        for reference in _references_on(base, uri, lines)
    ]
    return text_slice(text, offset, limit) | {"citations": cited[:MAX_CITED]}
