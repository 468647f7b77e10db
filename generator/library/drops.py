"""Match drops to the PARTs that they report on."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from generator.library.entries import page_uri
from generator.model import Drop, PageUri, Part, Plan, Problem, State


class DropIndex:
    """Finds the drop of a PART by its front matter, by the page it names, or by the file name in the plan.

    Otherwise a drop that names the PART's number belongs to it if the plan is the only one in the drop's folder.
    """

    def __init__(self, drops: Sequence[Drop], plans: Sequence[Plan] = ()) -> None:
        plans_in = Counter(_folder(plan) for plan in plans)
        self._alone = {_folder(plan): plan for plan in plans if plans_in[_folder(plan)] == 1}
        self._beside: dict[tuple[str, int | None], list[Drop]] = defaultdict(list)
        self._by_page: dict[str, list[Drop]] = defaultdict(list)
        self._by_name: dict[str, list[Drop]] = defaultdict(list)
        self._by_part: dict[tuple[str, int | None], list[Drop]] = defaultdict(list)
        for drop in drops:
            if drop.plan:
                self._by_part[drop.plan, drop.part].append(drop)
            if drop.page:
                self._by_page[drop.page.removeprefix("./").removeprefix("docs/")].append(drop)
            if not drop.plan:
                self._beside[drop.folder, drop.part].append(drop)
            self._by_name[_name_key(drop.name)].append(drop)
        self._drops, self._taken = drops, set[str]()

    def find(self, plan: Plan, part: Part, uri: PageUri) -> Drop | None:
        """Return the newest drop of `part`."""
        candidates = self._by_part.get((plan.slug, part.number), [])
        if not candidates and part.state is not State.DISABLED:
            candidates = [d for d in self._by_page.get(uri, []) if not d.plan or d.plan == plan.slug]
        if not candidates and part.state is not State.DISABLED and part.drop:
            candidates = [
                d for d in self._by_name.get(_name_key(part.drop), []) if not d.page or page_uri(plan, d.page) == uri
            ]
        if not candidates and part.state is not State.DISABLED and self._alone.get(_folder(plan)) is plan:
            others = {page_uri(plan, target) for other in plan.parts if other is not part for target in other.targets}
            beside = self._beside.get((_folder(plan), part.number), [])
            candidates = [d for d in beside if not d.page or page_uri(plan, d.page) not in others]
        if not candidates:
            return None
        self._taken |= {drop.uri for drop in candidates}
        return max(candidates, key=lambda d: (d.timestamp or "", d.uri))

    def unclaimed(self) -> list[Problem]:
        """Return a Problem for each drop that belongs to no PART."""
        what = "no PART asks for this drop; name its plan and part in its front matter"
        beside = {(folder, part.number) for folder, plan in self._alone.items() for part in plan.parts}
        is_claimed = (d.uri in self._taken or (not d.plan and (d.folder, d.part) in beside) for d in self._drops)
        return [
            Problem(d.uri, 1, "P034", what) for d, claimed in zip(self._drops, is_claimed, strict=True) if not claimed
        ]


def _folder(plan: Plan) -> str:
    return plan.uri.rpartition("/")[0]


def _name_key(name: str) -> str:
    """Return a drop's name without date, time and their placeholders."""
    stem = name.rsplit("/", 1)[-1].removesuffix(".md").lower()
    return re.sub(
        r"(?:-(?:\d{4}-\d{2}-\d{2}|\d{4}|\[[^\]]*\]|<[^>]*>|\{[^}]*\}|date|time|yyyy-mm-dd|hhmm))+$", "", stem
    )
