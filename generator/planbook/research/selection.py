"""Select the PARTs to fill, as briefs in plan order. Pure.

For each of the others, there is the reason why it is skipped.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain, count
from pathlib import PurePosixPath
from types import MappingProxyType

from planbook.library import RESERVED_URIS, Entry, Library
from planbook.library.names import DATE_AND_TIME, natural_order
from planbook.markdown.words import stem, unique_words
from planbook.model import (
    COLLECTING_WRITER,
    EXCLUDED_STATES,
    Drop,
    DropUri,
    PageUri,
    Part,
    Plan,
    Read,
    State,
)
from planbook.research.drafts import Brief, KnownPage
from planbook.research.evidence.origins import PLAN, WRITER, describe_changes, drop_of, part_digest
from planbook.research.leases import Lease
from planbook.store import RefusedError


class NotFoundError(RefusedError):
    """There is no such plan or PART; the message names the closest ones."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Choice:
    """The PARTs that the user asks for."""

    plan: str | None = None
    """A plan's path, slug or file name."""
    part: int | None = None
    """A PART's number."""
    limit: int | None = None
    """Maximum number of PARTs, the first ones."""
    redo: bool = False
    """Include PARTs that are done, and pages that exist."""
    rewrite: bool = False
    """Take the pages of collected passages, and no others."""


@dataclass(frozen=True, slots=True)
class SkippedPart:
    """A requested PART that is skipped."""

    plan: Plan
    part: Part
    why: str


def skipped_part_to_json(skipped: SkippedPart) -> dict[str, object]:
    """Return a skipped PART as JSON data."""
    part = skipped.part
    return {
        "plan": skipped.plan.slug,
        "part": part.number,
        "state": part.state.value,
        "why": skipped.why,
    }


@dataclass(frozen=True, slots=True)
class RunSelection:
    """The work of a run."""

    briefs: tuple[Brief, ...] = ()
    """One brief per page, in plan order; the pages of one PART follow each other."""
    skipped: tuple[SkippedPart, ...] = ()
    replaced: tuple[Replaced, ...] = ()
    """The existing pages among them."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """An existing page that is written again."""

    page: PageUri
    why: str
    """In a few words."""
    sha256: str = ""
    """The hash of the page as it was made; empty if no drop says it."""


ReadOrigins = Callable[[Entry], Mapping[str, str]]
"""Returns what the page of an entry would be made from now."""


def plan_origins(entry: Entry) -> Mapping[str, str]:
    """Return the hash of the PART alone."""
    return {PLAN: part_digest(entry.part)}


def select(
    library: Library,
    choice: Choice,
    now: datetime,
    read_origins: ReadOrigins = plan_origins,
    leases: Mapping[tuple[str, int], Lease] = MappingProxyType({}),
) -> RunSelection:
    """Return the PARTs that match `choice` and are to be filled, without those of the `leases`.

    `now` is part of the names of their drops. An existing page of a partial PART is written again
    if something that it was made from is not as `read_origins` says.

    Raises:
        NotFoundError: `choice` names a plan or PART that does not exist.
    """
    briefs: list[Brief] = []
    skipped: list[SkippedPart] = []
    replaced: list[Replaced] = []
    taken_uris = {str(drop.uri) for drop in library.drops}
    part_count = 0
    for plan, part in _asked_parts(library, choice):
        again = _pages_to_replace(library, plan, part, choice, read_origins)
        why = _why_skipped(library, plan, part, choice, again)
        lease = leases.get((plan.slug, part.number))
        # A lease comes after other reasons: a PART that is done is not "claimed".
        if why is None and lease is not None:
            why = str(lease)
        if why is None and choice.limit is not None and part_count >= choice.limit:
            why = f"--limit {choice.limit}"
        if why:
            skipped.append(SkippedPart(plan, part, why))
            continue
        part_count += 1  # the limit counts PARTs, of which each may have several pages
        replaced += again
        pages = {page.page for page in again}
        for entry in library.entries_of(plan, part):
            if entry.uri in pages or not entry.is_written:
                briefs.append(make_brief(entry, now, taken_uris))  # noqa: PERF401 - uris are taken
    return RunSelection(tuple(briefs), tuple(skipped), tuple(replaced))


def _asked_parts(library: Library, choice: Choice) -> list[tuple[Plan, Part]]:
    """Return the PARTs that `choice` asks for. Raises :class:`NotFoundError`."""
    plans = (find_plan(library, choice.plan),) if choice.plan else library.plans
    all_parts = [(plan, part) for plan in plans for part in plan.parts]
    if choice.part is None:
        return all_parts
    asked = [(plan, part) for plan, part in all_parts if part.number == choice.part]
    if not asked:
        where = f"in {plans[0].uri}" if choice.plan else "in any plan"
        raise NotFoundError(f"there is no PART {choice.part} {where}")
    return asked


def _why_skipped(
    library: Library, plan: Plan, part: Part, choice: Choice, again: Sequence[Replaced]
) -> str | None:
    """Return why a PART of which these pages are to be written again is skipped, if it is."""
    redo = choice.redo or choice.rewrite or part.is_reopened or bool(again)
    why = reason_to_skip(library, plan, part, redo=redo)
    if why is None and choice.rewrite and not again:
        return _why_not_rewritten(library, plan, part)
    return why


def _pages_to_replace(
    library: Library, plan: Plan, part: Part, choice: Choice, read_origins: ReadOrigins
) -> list[Replaced]:
    """Return the existing pages of a PART that are to be written again."""
    pages = []
    for entry in library.entries_of(plan, part):
        if not entry.is_written:
            continue
        drop = drop_of(library, entry)
        why = _why_replaced(entry, part, drop, choice, read_origins)
        if why:
            # With --redo, a page goes even if somebody has changed it: its digest does not matter.
            is_known = drop is not None and not choice.redo
            pages.append(Replaced(entry.uri, why, drop.page_sha256 if drop and is_known else ""))
    return pages


def _why_replaced(
    entry: Entry, part: Part, drop: Drop | None, choice: Choice, read_origins: ReadOrigins
) -> str:
    """Return why an existing page is written again; empty if it stays."""
    if choice.rewrite:
        return "it consists of collected passages" if _can_be_rewritten(entry, drop) else ""
    if choice.redo:
        return "--redo"
    if part.is_reopened:
        return "its PART is open again"
    if part.state is State.PARTIAL and drop:
        return describe_changes(drop.made_from, read_origins(entry))
    return ""


def _can_be_rewritten(entry: Entry, drop: Drop | None) -> bool:
    """Return whether a page is one of collected passages whose text as it was made is known.

    If it is not known, a person may have changed the page. If another writer's drop is newer, that
    writer's page is already kept beside the one that a person has changed.
    """
    return entry.is_collected and drop is not None and _writer_of(drop) == COLLECTING_WRITER


def _writer_of(drop: Drop) -> str:
    return dict(drop.made_from).get(WRITER, COLLECTING_WRITER)


NOT_COLLECTED = "it has no page of collected passages"
"""Why `--rewrite collected` leaves most PARTs."""


def _why_not_rewritten(library: Library, plan: Plan, part: Part) -> str:
    """Return why `--rewrite collected` leaves a PART."""
    collected = [entry for entry in library.entries_of(plan, part) if entry.is_collected]
    if not collected:
        return NOT_COLLECTED
    if any(drop_of(library, entry) for entry in collected):
        return (
            "somebody has changed its page, "
            "and the version of another writer is already kept beside it"
        )
    return (
        "no drop says how its page was made, so somebody may have changed it; "
        f"to write it again: planbook expand {plan.slug} {part.number} --redo"
    )


def reason_to_skip(library: Library, plan: Plan, part: Part, *, redo: bool = False) -> str | None:
    """Return the reason why a PART is skipped, in a few words; ``None`` if it is to be filled."""
    return next(_reasons_to_skip(library, plan, part, redo=redo), None)


def _reasons_to_skip(library: Library, plan: Plan, part: Part, *, redo: bool) -> Iterator[str]:
    """Yield the reasons why a PART is skipped; the first one is the one to tell."""
    entries = library.entries_of(plan, part)
    are_there = all(entry.is_written for entry in entries)
    if part.state in EXCLUDED_STATES:
        yield part.state.value
    if part.state is State.DONE and not redo:
        yield "done" if are_there else "marked done, but its page does not exist"
    if part.is_group:
        yield "its plan has boxes, but no PARTs"
    if part.is_chore:
        yield "it only updates generated pages"
    if not part.targets:
        yield "it names no page"
    if _is_blank(part):
        yield _BLANK
    if len(entries) < len(part.targets):
        yield "its page is outside the base or has the name of a generated page"
    if are_there and not redo:
        yield _why_it_stays(library, entries, part)
    for entry in entries:
        owner = library.by_uri[entry.uri]
        if owner != entry:
            yield f"its page is that of PART {owner.part.number} in {owner.plan.uri}"


def _why_it_stays(library: Library, entries: Sequence[Entry], part: Part) -> str:
    """Return why the existing pages of a PART that is not done are not written again.

    It also says how they are.
    """
    if part.state is not State.PARTIAL or not entries:
        return "its page exists"
    why = "no drop says what it was made from"
    if all(drop_of(library, entry) for entry in entries):
        why = "nothing that it was made from has changed"
    again = f"planbook expand {entries[0].plan.slug} {part.number} --redo"
    return f"its page exists, and {why}; to write it again: {again}"


def _is_blank(part: Part) -> bool:
    """Return whether a search of the PART is still the blank of a new plan."""
    return any(query.text.startswith("<words for ") for query in part.queries)


def find_plan(library: Library, name: str) -> Plan:
    """Return the plan with this path, slug or file name. Raises :class:`NotFoundError`."""
    # A whole path or slug is one plan; short names may be those of several.
    wanted = name.removeprefix("./").rstrip("/")
    matches = [plan for plan in library.plans if wanted in {plan.uri, plan.slug}]
    if not matches:
        matches = [plan for plan in library.plans if wanted in _short_names(plan)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        uris = _join_choices([plan.uri for plan in matches])
        raise NotFoundError(f"{name!r} is ambiguous ({uris}); use the path")
    slugs = [plan.slug for plan in library.plans]
    near = [slug for slug in slugs if wanted in slug][:3]
    if not near:  # a misspelled name rather than a part of one
        near = difflib.get_close_matches(wanted, slugs, 3, 0.5)
    raise NotFoundError(f"there is no plan {name!r}; {_plans_hint(near, slugs)}")


_LISTED_PLANS = 8
"""Maximum number of plans that a message lists."""


def _plans_hint(near: Sequence[str], slugs: Sequence[str]) -> str:
    """Return the plans that somebody may have meant, or those that there are."""
    if near:
        return f"did you mean {_join_choices(near)}?"
    if not slugs:
        return "there are no plans; write one with `planbook new SUBJECT`"
    other_count = len(slugs) - _LISTED_PLANS
    more = f" and {other_count} more (planbook status)" if other_count > 0 else ""
    return f"the plans are: {', '.join(sorted(slugs)[:_LISTED_PLANS])}{more}"


def _short_names(plan: Plan) -> set[str]:
    """Return the names that may belong to several plans: those of the file and of its folder."""
    path = plan.uri.removesuffix(".md")
    return {path, path.rpartition("/")[0], plan.slug.rpartition("/")[2]}


def find_entries(library: Library, plan: Plan, number: int) -> tuple[Entry, ...]:
    """Return the pages of PART `number` of `plan`, enabled ones first.

    Raises :class:`NotFoundError`.
    """
    parts = [part for part in plan.parts if part.number == number]
    if not parts:
        numbers = _join_choices([str(part.number) for part in plan.parts]) or "none"
        message = f"there is no PART {number} in {plan.uri}; its PARTs are {numbers}"
        raise NotFoundError(message)
    # Copies of a PART that are disabled count only if there is no other.
    enabled = [part for part in parts if part.state is not State.DISABLED]
    part, *_ = [*enabled, *parts]
    entries = library.entries_of(plan, part)
    if not entries:
        where = f"PART {number} in {plan.uri}"
        raise NotFoundError(f"{where} names no page within the base (line {part.line})")
    return entries


def make_brief(entry: Entry, now: datetime, taken_uris: set[str]) -> Brief:
    """Return the brief of one page, without prior knowledge.

    Its drop is next to the plan; its name is not in `taken_uris`, and is added to it.
    """
    folder = entry.plan.uri.rpartition("/")[0]
    # Of several runs in a day, each leaves its own report: day, minute, then a number.
    day = f"{_name_of_drop(entry)}-{now:%Y-%m-%d}"
    minute = f"{day}-{now:%H%M}"
    further = (f"{minute}-{number}" for number in count(2))
    uris = (f"{folder}/{name}.md".lstrip("/") for name in chain([day, minute], further))
    uri = next(uri for uri in uris if uri not in taken_uris)
    taken_uris.add(uri)
    return Brief(entry.plan, entry.part, entry.uri, DropUri(uri), entry.title)


_NAME_OF_DROP = re.compile(r"KNOWLEDGE-DROP-[\w.-]{1,120}", re.IGNORECASE)
_NUMBER_OF_PAGE = re.compile(r"^\d+[a-z]?[-_.]")


def _name_of_drop(entry: Entry) -> str:
    """Return the name of a page's drop without its day: as the plan says, else by the page's."""
    asked = (entry.part.drop or "").rpartition("/")[2].removesuffix(".md")
    name = DATE_AND_TIME.sub("", asked)
    if _NAME_OF_DROP.fullmatch(name):
        return name
    page = _NUMBER_OF_PAGE.sub("", entry.uri.rpartition("/")[2].removesuffix(".md"))
    words = re.sub(r"[^\w-]+", "-", page).strip("-")[:120]
    return f"KNOWLEDGE-DROP-{words or 'page'}"


def _join_choices(names: Sequence[str]) -> str:
    """Return names as a choice: ``a, b or c``."""
    first = ", ".join(names[:-1])
    return " or ".join(text for text in (first, *names[-1:]) if text)


# --- prior knowledge ------------------------------------------------------------------------------

MAX_PAGES = 12
"""Maximum number of pages for one ``Read folder/``."""

_BLANK = "its searches are still blanks"
_INDEXES = frozenset({"INDEX.MD", "SKILL.MD"})
"""Indexes of pages: a plan reads them to find the pages on the PART's subject."""


class TitleIndex:
    """The pages of a base by the words of their titles, for all PARTs of a run."""

    def __init__(self, titles: Mapping[PageUri, str]) -> None:
        self.titles = titles
        self.by_stem: dict[str, list[PageUri]] = defaultdict(list)
        for uri, title in titles.items():
            for word in set(map(stem, unique_words(title))):
                self.by_stem[word].append(uri)


def find_referred_pages(
    part: Part, titles: TitleIndex
) -> tuple[tuple[KnownPage, ...], tuple[str, ...]]:
    """Return the pages of the base that the PART refers to, each once.

    Beside them are the references that match none.

    The PART's own page is left out. A read refers to the page at that path, else to the only one of
    that name; a folder to its pages; an INDEX to the pages whose titles mention the PART's subject;
    a search of the base (``Grep for "a" AND "b"``) to those whose titles mention its quoted terms.
    """
    targets = tuple(
        f"/{target.removeprefix('./').removeprefix('docs/')}" for target in part.targets
    )
    other_pages = dict.fromkeys(uri for uri in titles.titles if not f"/{uri}".endswith(targets))
    references: dict[str, list[PageUri] | None] = {}
    unresolved: dict[str, None] = {}
    for read in part.reads:
        references[f"Read {read.path}"] = _pages_of_read(part, read, other_pages, titles)
    for grep in part.greps:
        references[grep.text] = _pages_on_subject(" ".join(grep.terms), other_pages, titles) or None
    reasons: dict[PageUri, list[str]] = defaultdict(list)
    for reason, uris in references.items():
        if uris is None:
            unresolved[reason] = None
        for uri in uris or ():
            reasons[uri].append(reason)
    pages = [KnownPage(uri, titles.titles[uri], "; ".join(why)) for uri, why in reasons.items()]
    return tuple(pages), tuple(unresolved)


def briefs_of(library: Library, plan_name: str, number: int, now: datetime) -> tuple[Brief, ...]:
    """Return the briefs of a PART, one for each page.

    Raises NotFoundError, also for a disabled PART.
    """
    plan = find_plan(library, plan_name)
    entries = find_entries(library, plan, number)
    if entries[0].state is State.DISABLED:
        defect = f"PART {number} in {plan.uri} is disabled"
        raise NotFoundError(f"{defect}; first move it above the heading marked DISABLED")
    if _is_blank(entries[0].part):
        defect = f"{plan.uri}:{entries[0].part.line}: PART {number}: {_BLANK}"
        raise NotFoundError(f"{defect}; replace what is in <...>")
    taken_uris = {str(drop.uri) for drop in library.drops}
    return add_prior_knowledge((make_brief(entry, now, taken_uris) for entry in entries), library)


def add_prior_knowledge(
    briefs: Iterable[Brief], library: Library, but: Collection[str] = ()
) -> tuple[Brief, ...]:
    """Return the briefs with what the base knows about them.

    Lists of pages and the pages `but` are no knowledge.
    """
    excluded = {*RESERVED_URIS, *but}
    titles = {page.uri: page.title for page in library.pages if page.uri not in excluded}
    title_index = TitleIndex(titles)
    with_knowledge = []
    for brief in briefs:
        pages, unresolved = find_referred_pages(brief.part, title_index)
        with_knowledge.append(replace(brief, known=pages, unresolved=unresolved))
    return tuple(with_knowledge)


# --- Read -----------------------------------------------------------------------------------------


def _pages_of_read(
    part: Part, read: Read, pages: Mapping[PageUri, None], titles: TitleIndex
) -> list[PageUri] | None:
    """Return the pages that a read refers to; ``None`` if the base has none."""
    path = read.path.removeprefix("./").removeprefix("docs/").lstrip("/")
    if PageUri(path) in pages:
        return [PageUri(path)]
    name = PurePosixPath(path).name
    if name.upper() in _INDEXES:
        folder = path[: -len(name)]
        inside = [uri for uri in pages if uri.startswith(folder)]
        if folder and not inside:
            return None
        return _pages_on_subject(read.remark or _subject_of(part), inside, titles)
    if path.endswith("/"):
        inside = sorted((uri for uri in pages if f"/{path}" in f"/{uri}"), key=natural_order)
        return inside[:MAX_PAGES] or None
    # `10-rye.md` without its folder is enough, if no other folder has one.
    alike = [uri for uri in pages if uri.endswith(f"/{path}")]
    return alike if len(alike) == 1 else None


def _pages_on_subject(
    subject_text: str, uris: Iterable[PageUri], titles: TitleIndex
) -> list[PageUri]:
    """Return the pages whose titles share terms with a text, best first."""
    subject = {stem(term) for term in unique_words(subject_text)}
    shared = Counter(uri for word in subject for uri in titles.by_stem.get(word, ()))
    enough = {uri for uri, times in shared.items() if times >= min(2, len(subject))}
    on_subject = enough.intersection(uris)
    best_first = sorted(on_subject, key=lambda uri: (-shared[uri], natural_order(uri)))
    return best_first[:MAX_PAGES]


def _subject_of(part: Part) -> str:
    """Return the PART's subject.

    It is its page's title, else its heading's words, else the page's name.
    """
    title = part.page_title or part.title
    if ".md" not in title:
        return title
    return " ".join(PurePosixPath(target).stem for target in part.targets)
