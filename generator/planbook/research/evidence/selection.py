"""Select the PARTs to fill, as briefs in plan order, and give the reason why the others are skipped. Pure."""

from __future__ import annotations

import difflib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain, count
from pathlib import PurePosixPath

from planbook.library import RESERVED, Entry, Library
from planbook.library.names import DATE_AND_TIME, natural_order
from planbook.markdown.words import stem, unique_words
from planbook.model import COLLECTING_WRITER, Drop, DropUri, PageUri, Part, Plan, Read, State
from planbook.research.drafts import Brief, KnownPage
from planbook.research.evidence.origins import PLAN, WRITER, describe_changes, drop_of, part_digest
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
class Passed:
    """A requested PART that is skipped."""

    plan: Plan
    part: Part
    why: str


def passed_json(passed: Passed) -> dict[str, object]:
    """Return a skipped PART as JSON data."""
    part = passed.part
    return {"plan": passed.plan.slug, "part": part.number, "state": part.state.value, "why": passed.why}


@dataclass(frozen=True, slots=True)
class RunSelection:
    """The work of a run."""

    briefs: tuple[Brief, ...] = ()
    """One brief per page, in plan order; the pages of one PART follow each other."""
    passed: tuple[Passed, ...] = ()
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


Current = Callable[[Entry], Mapping[str, str]]
"""Returns what the page of an entry would be made from now."""


def made_from_plan(entry: Entry) -> Mapping[str, str]:
    """Return the hash of the PART alone."""
    return {PLAN: part_digest(entry.part)}


def select(library: Library, choice: Choice, now: datetime, current: Current = made_from_plan) -> RunSelection:
    """Return the PARTs that match `choice` and are to be filled; `now` is part of the names of their drops.

    An existing page of a partial PART is written again if something that it was made from is not as `current` says.

    Raises:
        NotFoundError: `choice` names a plan or PART that does not exist.
    """
    plans = (find_plan(library, choice.plan),) if choice.plan else library.plans
    if choice.part is not None and not any(p.number == choice.part for plan in plans for p in plan.parts):
        where = f"in {plans[0].uri}" if choice.plan else "in any plan"
        raise NotFoundError(f"there is no PART {choice.part} {where}")
    briefs: list[Brief] = []
    passed: list[Passed] = []
    replaced: list[Replaced] = []
    taken = {str(drop.uri) for drop in library.drops}
    parts = 0
    for plan in plans:
        for part in plan.parts:
            if choice.part not in {None, part.number}:
                continue
            again = _pages_to_replace(library, plan, part, choice, current)
            redo = choice.redo or choice.rewrite or part.is_reopened
            why = why_not(library, plan, part, redo=redo or bool(again))
            if choice.rewrite and why is None and not again:
                why = _why_not_rewritten(library, plan, part)
            if why is None and choice.limit is not None and parts >= choice.limit:
                why = f"--limit {choice.limit}"
            if why:
                passed.append(Passed(plan, part, why))
                continue
            parts += 1
            pages = {page.page for page in again}
            wanted = [entry for entry in library.of(plan, part) if entry.uri in pages or not entry.is_there]
            briefs += [make_brief(entry, now, taken) for entry in wanted]
            replaced += again
    return RunSelection(tuple(briefs), tuple(passed), tuple(replaced))


def _pages_to_replace(library: Library, plan: Plan, part: Part, choice: Choice, current: Current) -> list[Replaced]:
    """Return the existing pages of a PART that are to be written again."""
    found = []
    for entry in library.of(plan, part):
        drop = drop_of(library, entry) if entry.is_there else None
        if choice.rewrite:
            why = "it consists of collected passages" if _can_be_rewritten(entry, drop) else ""
        elif choice.redo:
            why = "--redo"
        elif part.is_reopened:
            why = "its PART is open again"
        elif part.state is State.PARTIAL and drop:
            why = describe_changes(drop.made_from, current(entry))
        else:
            why = ""
        if why and entry.is_there:
            found.append(Replaced(entry.uri, why, drop.page_sha256 if drop and not choice.redo else ""))
    return found


def _can_be_rewritten(entry: Entry, drop: Drop | None) -> bool:
    """Return whether a page is one of collected passages whose text as it was made is known.

    If it is not known, a person may have changed the page. If another writer's drop is newer, that writer's page is
    already kept beside the one that a person has changed.
    """
    return entry.is_collected and drop is not None and _writer_of(drop) == COLLECTING_WRITER


def _writer_of(drop: Drop) -> str:
    return dict(drop.made_from).get(WRITER, COLLECTING_WRITER)


NOT_COLLECTED = "it has no page of collected passages"
"""Why `--rewrite collected` leaves most PARTs."""


def _why_not_rewritten(library: Library, plan: Plan, part: Part) -> str:
    """Return why `--rewrite collected` leaves a PART."""
    collected = [entry for entry in library.of(plan, part) if entry.is_collected]
    if not collected:
        return NOT_COLLECTED
    if any(drop_of(library, entry) for entry in collected):
        return "somebody has changed its page, and the version of another writer is already kept beside it"
    again = f"planbook expand {plan.slug} {part.number} --redo"
    return f"no drop says how its page was made, so somebody may have changed it; to write it again: {again}"


def why_not(library: Library, plan: Plan, part: Part, *, redo: bool = False) -> str | None:
    """Return the reason why a PART is skipped, in a few words; ``None`` if it is to be filled."""
    entries = library.of(plan, part)
    are_there = all(entry.is_there for entry in entries)
    owners = (library.by_uri[entry.uri] for entry in entries)
    other = next((owner for owner, entry in zip(owners, entries, strict=True) if owner != entry), None)
    reasons = (
        (part.state in {State.DISABLED, State.SKIPPED}, part.state.value),
        (not redo and part.state is State.DONE, "done" if are_there else "marked done, but its page does not exist"),
        (part.is_group, "its plan has boxes, but no PARTs"),
        (part.is_chore, "it only updates generated pages"),
        (not part.targets, "it names no page"),
        (_is_blank(part), _BLANK),
        (len(entries) < len(part.targets), "its page is outside the base or has the name of a generated page"),
        (not redo and are_there, _why_it_stays(library, entries, part)),
        (other is not None, f"its page is that of PART {other.part.number} in {other.plan.uri}" if other else ""),
    )
    return next((why for is_so, why in reasons if is_so), None)


def _why_it_stays(library: Library, entries: Sequence[Entry], part: Part) -> str:
    """Return why the existing pages of a PART that is not done are not written again, and how they are."""
    if part.state is not State.PARTIAL or not entries:
        return "its page exists"
    is_known = all(drop_of(library, entry) for entry in entries)
    why = "nothing that it was made from has changed" if is_known else "no drop says what it was made from"
    plan = entries[0].plan.slug
    return f"its page exists, and {why}; to write it again: planbook expand {plan} {part.number} --redo"


def _is_blank(part: Part) -> bool:
    return any(query.text.startswith("<words for ") for query in part.queries)


def find_plan(library: Library, name: str) -> Plan:
    """Return the plan with this path, slug or file name. Raises :class:`NotFoundError`."""
    wanted = name.removeprefix("./").rstrip("/")
    found = [plan for plan in library.plans if wanted in {plan.uri, plan.slug}]
    found = found or [plan for plan in library.plans if wanted in _short_names(plan)]
    if len(found) == 1:
        return found[0]
    if found:
        raise NotFoundError(f"{name!r} is ambiguous ({_listed([p.uri for p in found])}); use the path")
    slugs = [plan.slug for plan in library.plans]
    near = [slug for slug in slugs if wanted in slug][:3] or difflib.get_close_matches(wanted, slugs, 3, 0.5)
    raise NotFoundError(f"there is no plan {name!r}; {_plans_hint(near, slugs)}")


_LISTED_PLANS = 8
"""Maximum number of plans that a message lists."""


def _plans_hint(near: Sequence[str], slugs: Sequence[str]) -> str:
    """Return the plans that somebody may have meant, or those that there are."""
    if near:
        return f"did you mean {_listed(near)}?"
    if not slugs:
        return "there are no plans; write one with `planbook new SUBJECT`"
    others = len(slugs) - _LISTED_PLANS
    more = f" and {others} more (planbook status)" if others > 0 else ""
    return f"the plans are: {', '.join(sorted(slugs)[:_LISTED_PLANS])}{more}"


def _short_names(plan: Plan) -> set[str]:
    """Return the names that may belong to several plans: those of the file and of its folder."""
    path = plan.uri.removesuffix(".md")
    return {path, path.rpartition("/")[0], plan.slug.rpartition("/")[2]}


def find_entries(library: Library, plan: Plan, number: int) -> tuple[Entry, ...]:
    """Return the pages of PART `number` of `plan`, enabled ones first. Raises :class:`NotFoundError`."""
    parts = [part for part in plan.parts if part.number == number]
    if not parts:
        numbers = _listed([str(part.number) for part in plan.parts])
        raise NotFoundError(f"there is no PART {number} in {plan.uri}; its PARTs are {numbers or 'none'}")
    part = next((p for p in parts if p.state is not State.DISABLED), parts[0])
    entries = library.of(plan, part)
    if not entries:
        raise NotFoundError(f"PART {number} in {plan.uri} names no page within the base (line {part.line})")
    return entries


def make_brief(entry: Entry, now: datetime, taken: set[str]) -> Brief:
    """Return the brief of one page, without prior knowledge.

    Its drop is next to the plan; its name is not in `taken`, and is added to it.
    """
    folder = entry.plan.uri.rpartition("/")[0]
    asked = (entry.part.drop or "").rpartition("/")[2].removesuffix(".md")
    stem = DATE_AND_TIME.sub("", asked)
    if not re.fullmatch(r"(?i)KNOWLEDGE-DROP-[\w.-]{1,120}", stem):
        name = re.sub(r"^\d+[a-z]?[-_.]", "", entry.uri.rpartition("/")[2].removesuffix(".md"))
        stem = "KNOWLEDGE-DROP-" + (re.sub(r"[^\w-]+", "-", name).strip("-")[:120] or "page")
    day = f"{stem}-{now:%Y-%m-%d}"
    names = chain([day, f"{day}-{now:%H%M}"], (f"{day}-{now:%H%M}-{n}" for n in count(2)))
    uri = next(uri for name in names if (uri := f"{folder}/{name}.md".lstrip("/")) not in taken)
    taken.add(uri)
    return Brief(entry.plan, entry.part, entry.uri, DropUri(uri), entry.title)


def _listed(names: Sequence[str]) -> str:
    return " or ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


# --- prior knowledge -------------------------------------------------------------------------------------------------

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


def known(part: Part, base: TitleIndex) -> tuple[tuple[KnownPage, ...], tuple[str, ...]]:
    """Return the pages of the base that the PART refers to, each once, and the references that match none.

    The PART's own page is left out. A read refers to the page at that path, else to the
    only one of that name; a folder to its pages; an INDEX to the pages whose titles mention the PART's subject; a
    search of the base (``Grep for "a" AND "b"``) to those whose titles mention its quoted terms.
    """
    own = tuple(f"/{target.removeprefix('./').removeprefix('docs/')}" for target in part.targets)
    others = dict.fromkeys(uri for uri in base.titles if not f"/{uri}".endswith(own))  # without the PART's own page
    named = [(f"Read {read.path}", _read(part, read, others, base)) for read in part.reads]
    for_terms = ((grep.text, " ".join(grep.terms)) for grep in part.greps)
    named += [(text, _on_subject(terms, others, base) or None) for text, terms in for_terms]
    reasons: dict[PageUri, list[str]] = defaultdict(list)
    for reason, uris in dict(named).items():
        for uri in uris or ():
            reasons[uri].append(reason)
    found = (KnownPage(uri, base.titles[uri], "; ".join(why)) for uri, why in reasons.items())
    return tuple(found), tuple(dict.fromkeys(reason for reason, uris in named if uris is None))


def briefs_of(library: Library, plan_name: str, number: int, now: datetime) -> tuple[Brief, ...]:
    """Return the briefs of a PART, one for each page. Raises NotFoundError, also for a disabled PART."""
    plan = find_plan(library, plan_name)
    entries = find_entries(library, plan, number)
    if entries[0].state is State.DISABLED:
        raise NotFoundError(f"PART {number} in {plan.uri} is disabled; first move it above the heading marked DISABLED")
    if _is_blank(entries[0].part):
        raise NotFoundError(f"{plan.uri}:{entries[0].part.line}: PART {number}: {_BLANK}; replace what is in <...>")
    taken = {str(drop.uri) for drop in library.drops}
    return add_prior_knowledge((make_brief(entry, now, taken) for entry in entries), library)


def add_prior_knowledge(briefs: Iterable[Brief], library: Library, but: Collection[str] = ()) -> tuple[Brief, ...]:
    """Return the briefs with what the base knows about them, lists of pages and the pages `but` aside."""
    base = TitleIndex({page.uri: page.title for page in library.pages if page.uri not in {*RESERVED, *but}})
    looked = ((brief, known(brief.part, base)) for brief in briefs)
    return tuple(replace(brief, known=found, unresolved=unresolved) for brief, (found, unresolved) in looked)


# --- Read --------------------------------------------------------------------------------------------------------


def _read(part: Part, read: Read, pages: Mapping[PageUri, None], base: TitleIndex) -> list[PageUri] | None:
    """Return the pages that a read refers to; ``None`` if the base has none."""
    path = read.path.removeprefix("./").removeprefix("docs/").lstrip("/")
    if PageUri(path) in pages:
        return [PageUri(path)]
    name = PurePosixPath(path).name
    if name.upper() in _INDEXES:
        folder = path[: -len(name)]
        inside = [uri for uri in pages if uri.startswith(folder)]
        return _on_subject(read.remark or _subject(part), inside, base) if inside or not folder else None
    if path.endswith("/"):
        inside = sorted((uri for uri in pages if f"/{path}" in f"/{uri}"), key=natural_order)
        return inside[:MAX_PAGES] or None
    alike = [uri for uri in pages if uri.endswith(f"/{path}")]
    return alike if len(alike) == 1 else None


def _on_subject(subject_text: str, uris: Iterable[PageUri], base: TitleIndex) -> list[PageUri]:
    """Return the pages whose titles share terms with a text, best first."""
    subject = {stem(term) for term in unique_words(subject_text)}
    shared = Counter(uri for word in subject for uri in base.by_stem.get(word, ()))
    enough = {uri for uri, times in shared.items() if times >= min(2, len(subject))}
    return sorted(enough.intersection(uris), key=lambda uri: (-shared[uri], natural_order(uri)))[:MAX_PAGES]


def _subject(part: Part) -> str:
    """Return the PART's subject: its page's title, else its heading's words, else the page's name."""
    title = part.page_title or part.title
    return title if ".md" not in title else " ".join(PurePosixPath(target).stem for target in part.targets)
