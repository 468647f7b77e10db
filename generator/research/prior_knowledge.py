"""Find prior knowledge: the pages in the base that a PART's plan asks to read or to search. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import PurePosixPath

from generator.drafts import Brief, KnownPage
from generator.library import RESERVED, Library, natural_order
from generator.library.pages import parse_page
from generator.markdown.document import read_document
from generator.markdown.words import stem, terms
from generator.model import Grep, PageUri, Part, Read, State
from generator.research.select import NotFoundError, find_entries, find_plan, make_brief

MAX_PAGES = 12
"""Maximum number of pages for one ``Read folder/`` or one ``Grep``."""
MAX_LINES = 4
"""Maximum number of lines shown per page."""
MAX_LINE_CHARS = 240

_INDEXES = frozenset({"INDEX.MD", "SKILL.MD"})
"""Indexes of pages: a plan reads them to find the pages on the PART's subject."""


def known(part: Part, pages: Mapping[PageUri, str]) -> tuple[tuple[KnownPage, ...], tuple[str, ...]]:
    """Return the pages of the base that the PART refers to, each once, and the references that match none.

    `pages` maps URIs to texts. The PART's own page is left out. A read refers to the page at that path, else to the
    only one of that name; a folder to its pages; an INDEX to the pages whose titles mention the PART's subject. A grep
    refers to the pages that contain its terms, ignoring case: all of them for AND, any of them for OR or without an
    operator.
    """
    others = {uri: text for uri, text in pages.items() if not _is_own(part, uri)}
    found: dict[PageUri, KnownPage] = {}
    unresolved: list[str] = []
    for read in part.reads:
        uris = _read(part, read, others)
        if uris is None:
            unresolved.append(f"Read {read.path}")
        for uri in uris or ():
            _add(found, KnownPage(uri, _title(uri, others), f"Read {read.path}"))
    for grep in part.greps:
        words = grep_words(grep)
        inside = {uri: text for uri, text in others.items() if _is_inside(uri, grep.folders)}
        if grep.folders and not inside:
            unresolved.append(words)
        for uri, lines in _look(grep, inside):
            _add(found, KnownPage(uri, _title(uri, others), words, lines))
    return tuple(found.values()), tuple(dict.fromkeys(unresolved))


def grep_words(grep: Grep) -> str:
    """Return the grep as a plan writes it: ``Grep for "docker" AND "multi-stage" in cuda/``."""
    joined = f" {grep.operator or 'OR'} ".join(f'"{term}"' for term in grep.terms)
    where = f" in {', '.join(grep.folders)}" if grep.folders else ""
    return f"Grep for {joined}{where}"


def _add(found: dict[PageUri, KnownPage], new: KnownPage) -> None:
    """Add `new`; a page that is already there gets its reason too, and keeps its lines."""
    old = found.get(new.page)
    if old is None:
        found[new.page] = new
    elif new.reason not in old.reason.split("; "):
        found[new.page] = replace(old, reason=f"{old.reason}; {new.reason}", lines=old.lines or new.lines)


def _is_own(part: Part, uri: str) -> bool:
    """Return whether the page is the PART's own, which does not count as prior knowledge."""
    paths = [target.removeprefix("./").removeprefix("docs/") for target in part.targets]
    return any(f"/{uri}".endswith(f"/{path}") for path in paths)


def _title(uri: PageUri, pages: Mapping[PageUri, str]) -> str:
    return parse_page(pages[uri], uri)[0].title


def briefs_of(
    library: Library, pages: Mapping[str, bytes], plan_name: str, number: int, now: datetime
) -> tuple[Brief, ...]:
    """Return the briefs of a PART, one for each page. Raises NotFoundError, also for a disabled PART."""
    plan = find_plan(library, plan_name)
    entries = find_entries(library, plan, number)
    if entries[0].state is State.DISABLED:
        raise NotFoundError(f"PART {number} in {plan.uri} is disabled; first move it above the heading marked DISABLED")
    taken = {str(drop.uri) for drop in library.drops}
    return add_prior_knowledge((make_brief(entry, now, taken) for entry in entries), pages)


def add_prior_knowledge(briefs: Iterable[Brief], pages: Mapping[str, bytes]) -> tuple[Brief, ...]:
    """Return the briefs with what the base knows about them, lists of pages aside."""
    texts = {PageUri(uri): raw.decode("utf-8", errors="replace") for uri, raw in pages.items() if uri not in RESERVED}
    looked = ((brief, known(brief.part, texts)) for brief in briefs)
    return tuple(replace(brief, known=found, unresolved=unresolved) for brief, (found, unresolved) in looked)


# --- Read --------------------------------------------------------------------------------------------------------


def _read(part: Part, read: Read, pages: Mapping[PageUri, str]) -> list[PageUri] | None:
    """Return the pages that a read refers to; ``None`` if the base has none."""
    path = read.path.removeprefix("./").removeprefix("docs/").lstrip("/")
    if PageUri(path) in pages:
        return [PageUri(path)]
    name = PurePosixPath(path).name
    if name.upper() in _INDEXES:
        folder = path[: -len(name)]
        inside = [uri for uri in pages if uri.startswith(folder)]
        return _on_subject(part, read, inside, pages) if inside or not folder else None
    if path.endswith("/"):
        inside = sorted((uri for uri in pages if _is_inside(uri, (path,))), key=natural_order)
        return inside[:MAX_PAGES] or None
    alike = [uri for uri in pages if uri.endswith(f"/{path}")]
    return alike if len(alike) == 1 else None


def _on_subject(part: Part, read: Read, uris: list[PageUri], pages: Mapping[PageUri, str]) -> list[PageUri]:
    """Return the pages whose titles share terms with the read's note, else with the PART's title; best first."""
    subject = {stem(term) for term in terms(read.remark or _subject(part))}
    shared = {uri: len(subject & {stem(term) for term in terms(_title(uri, pages))}) for uri in uris}
    enough = min(2, len(subject))
    best = sorted(
        (uri for uri in uris if shared[uri] >= enough > 0), key=lambda uri: (-shared[uri], natural_order(uri))
    )
    return best[:MAX_PAGES]


def _subject(part: Part) -> str:
    """Return the PART's subject: its page's title, else its heading's words, else the page's name."""
    title = part.page_title or part.title
    return title if ".md" not in title else " ".join(PurePosixPath(target).stem for target in part.targets)


# --- Grep --------------------------------------------------------------------------------------------------------


def _is_inside(uri: str, folders: tuple[str, ...]) -> bool:
    """Return whether the page is in one of the folders, given relative to the base's root or to a folder in it."""
    paths = [folder.removeprefix("./").removeprefix("docs/").lstrip("/") for folder in folders]
    return not folders or any(f"/{uri}".find(f"/{path}") >= 0 for path in paths)


def _look(grep: Grep, pages: Mapping[PageUri, str]) -> list[tuple[PageUri, tuple[tuple[int, str], ...]]]:
    """Return the pages that contain the terms, with the best lines of each; the most relevant first."""
    wanted = tuple(dict.fromkeys(" ".join(term.casefold().split()) for term in grep.terms if term.strip()))
    if not wanted:
        return []
    found = []
    for uri, text in pages.items():
        lines = [(n, line, sum(term in line.casefold() for term in wanted)) for n, line in _body_lines(text)]
        whole = " ".join(" ".join(line for _, line, _ in lines).casefold().split())
        held = sum(term in whole for term in wanted)
        if held == len(wanted) or (held and grep.operator != "AND"):
            hits = [(count, n, line) for n, line, count in lines if count]
            best = sorted(hits, key=lambda hit: (-hit[0], hit[1]))[:MAX_LINES]
            shown = tuple((n, _short(line)) for _, n, line in sorted(best, key=lambda hit: hit[1]))
            found.append((held, len(hits), uri, shown))
    found.sort(key=lambda page: (-page[0], -page[1], natural_order(page[2])))
    return [(uri, shown) for _, _, uri, shown in found[:MAX_PAGES]]


def _body_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines below the front matter with their 1-based numbers in the file."""
    document = read_document(text)
    yield from enumerate(document.body.rstrip().split("\n"), document.lines_above + 1)


def _short(line: str) -> str:
    folded = " ".join(line.split())
    return folded if len(folded) <= MAX_LINE_CHARS else folded[: MAX_LINE_CHARS - 1].rsplit(" ", 1)[0] + "…"
