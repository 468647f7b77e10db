"""The briefs of a PART with prior knowledge, as `planbook brief` prints them; needs no optional dependency. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from generator.drafts import Brief
from generator.library import RESERVED, Library
from generator.model import PageUri, State
from generator.research.prior_knowledge import known
from generator.research.select import NotFoundError, find_entries, find_plan, make_brief


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
