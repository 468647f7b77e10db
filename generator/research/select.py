"""Select the PARTs to fill, as briefs in plan order, and give the reason why the others are skipped. Pure."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, count

from generator.drafts import Brief
from generator.library import DATE_AND_TIME, Entry, Library
from generator.model import DropUri, Part, Plan, State
from generator.store import RefusedError


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


@dataclass(frozen=True, slots=True)
class Passed:
    """A requested PART that is skipped."""

    plan: Plan
    part: Part
    why: str


@dataclass(frozen=True, slots=True)
class RunSelection:
    """The work of a run."""

    briefs: tuple[Brief, ...] = ()
    """One brief per page, in plan order; the pages of one PART follow each other."""
    passed: tuple[Passed, ...] = ()


def select(library: Library, choice: Choice, now: datetime) -> RunSelection:
    """Return the PARTs that match `choice` and are to be filled; `now` is part of the names of their drops.

    Raises:
        NotFoundError: `choice` names a plan or PART that does not exist.
    """
    plans = (find_plan(library, choice.plan),) if choice.plan else library.plans
    if choice.part is not None and not any(p.number == choice.part for plan in plans for p in plan.parts):
        where = f"in {plans[0].uri}" if choice.plan else "in any plan"
        raise NotFoundError(f"there is no PART {choice.part} {where}")
    briefs: list[Brief] = []
    passed: list[Passed] = []
    taken = {str(drop.uri) for drop in library.drops}
    parts = 0
    for plan in plans:
        for part in plan.parts:
            if choice.part not in {None, part.number}:
                continue
            redo = choice.redo or part.is_reopened
            why = why_not(library, plan, part, redo=redo)
            if why is None and choice.limit is not None and parts >= choice.limit:
                why = f"--limit {choice.limit}"
            if why:
                passed.append(Passed(plan, part, why))
                continue
            parts += 1
            wanted = [entry for entry in library.of(plan, part) if redo or not entry.is_there]
            briefs += [make_brief(entry, now, taken) for entry in wanted]
    return RunSelection(tuple(briefs), tuple(passed))


def why_not(library: Library, plan: Plan, part: Part, *, redo: bool = False) -> str | None:
    """Return the reason why a PART is skipped, in a few words; ``None`` if it is to be filled."""
    entries = library.of(plan, part)
    are_there = all(entry.is_there for entry in entries)
    owners = (library.by_uri[entry.uri] for entry in entries)
    other = next((owner for owner, entry in zip(owners, entries, strict=True) if owner != entry), None)
    reasons = (
        (part.state in {State.DISABLED, State.SKIPPED}, part.state.value),
        (not redo and part.state is State.DONE, "done" if are_there else "marked done, but its page does not exist"),
        (part.is_chore, "it only updates generated pages"),
        (not part.targets, "it names no page"),
        (len(entries) < len(part.targets), "its page is outside the base or has the name of a generated page"),
        (not redo and are_there, "its page exists"),
        (other is not None, f"its page is that of PART {other.part.number} in {other.plan.uri}" if other else ""),
    )
    return next((why for is_so, why in reasons if is_so), None)


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
    hint = f"; did you mean {_listed(near)}?" if near else ""
    raise NotFoundError(f"there is no plan {name!r}{hint}")


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


def is_finished(library: Library, plan: Plan) -> bool:
    """Return whether the plan is finished: each PART that counts is skipped, or done and its pages exist."""
    counted = [part for part in plan.parts if part.state not in {State.DISABLED, State.SKIPPED}]
    return bool(counted) and all(
        part.state is State.DONE
        and (part.targets or part.is_chore)
        and all(entry.is_there for entry in library.of(plan, part))
        for part in counted
    )


def _listed(names: Sequence[str]) -> str:
    return " or ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
