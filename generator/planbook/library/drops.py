"""KNOWLEDGE-DROP files: text as `Drop`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from planbook.library.linked import group_by
from planbook.library.names import drop_name, page_uri
from planbook.library.pages import TITLE
from planbook.markdown.document import decode_file, read_document
from planbook.markdown.plain_text import plain_text
from planbook.model import Drop, DropUri, PageUri, Part, Plan, Problem, State

_KEY = re.compile(
    r"^[ \t]*(?:[-*][ \t]*)?\*\*(?P<key>[A-Za-z ]++)\s*+(?::\*\*|\*\*\s*:)\s*(?P<value>.+)$",
    re.MULTILINE,
)


_PAGE = re.compile(r"(?<![\w/:.+-])([\w.+-][\w./+-]*\.md)\b")


_HEAD = 4_000
"""Number of characters at the top that are searched for the drop's metadata."""


def decode_drop(raw: bytes, uri: str) -> tuple[Drop, tuple[Problem, ...]]:
    """Return the drop in a file's bytes, with K002 if it is not UTF-8."""
    text, problems = decode_file(raw, uri, "K002")
    return parse_drop(text, uri), problems


def parse_drop(text: str, uri: str) -> Drop:
    """Return the drop in `text`. Never fails: missing fields are ``None``.

    Fields are those of the front matter, else those of ``**Key**: value`` lines near the top.
    """
    document = read_document(text)
    meta, head = document.meta, document.body[:_HEAD]
    keys: dict[str, str] = {}
    for line in _KEY.finditer(head):
        keys.setdefault(line["key"].strip().lower(), line["value"].strip())

    def field(name: str, *keys_in_text: str) -> str | None:
        """Return a field by its name in the front matter, else by a key in the text."""
        if meta.get(name) is not None and str(meta[name]):
            return str(meta[name])
        return next((keys[key] for key in keys_in_text if keys.get(key)), None)

    title = TITLE.search(head)
    runner = field("runner", "runner")
    return Drop(
        uri=DropUri(uri),
        title=plain_text(title[1]) if title else PurePosixPath(uri).stem,
        body=document.body,
        runner=runner,
        timestamp=field("finished", "timestamp", "date"),
        outcome=field("outcome", "status"),
        part=_part_number(meta.get("part"), runner or "", head),
        plan=_text_of_key(meta.get("plan")),
        page=field("page") or _page_in_text(keys, head),
        page_sha256=_text_of_key(meta.get("page_sha256")) or "",
        text_sha256=_text_of_key(meta.get("text_sha256")) or "",
        made_from=_pairs_of_texts(meta.get("made_from")),
    )


def _part_number(number_in_meta: object, runner: str, head: str) -> int | None:
    """Return the PART's number: that of the front matter, of the runner's name, or of the text."""
    if isinstance(number_in_meta, int) and not isinstance(number_in_meta, bool):
        return number_in_meta
    for text in (runner, head):
        match = re.search(r"\bPART\s+(\d{1,4})\b", text)
        if match:
            return int(match[1])
    return None


def _pairs_of_texts(value: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, dict):
        return ()
    return tuple((str(key), str(text)) for key, text in value.items())


def _text_of_key(value: object) -> str | None:
    return None if value is None else str(value)


def _page_in_text(keys: Mapping[str, str], head: str) -> str | None:
    for text in (keys.get("file"), keys.get("knowledge file"), keys.get("created"), head):
        paths = [path for path in _PAGE.findall(text or "") if "/" in path]
        pages = [path for path in paths if "KNOWLEDGE-DROP" not in path]
        if pages:
            return str(pages[0])
    return None


_ACCEPTED_OUTCOMES = frozenset({"done", "partial"})
"""The outcomes of a page that was accepted; one that is held was not written."""


def find_acceptances(drops: Iterable[Drop]) -> dict[tuple[str, int, str], Drop]:
    """Return the newest drop of each accepted page, by the plan's slug, PART and page."""
    newest: dict[tuple[str, int, str], Drop] = {}
    for drop in sorted(drops, key=age_of_drop):
        if drop.plan and drop.part is not None and drop.page and drop.outcome in _ACCEPTED_OUTCOMES:
            newest[drop.plan, drop.part, drop.page] = drop
    return newest


def age_of_drop(drop: Drop) -> tuple[str, int, str]:
    """Return the key by which drops are in order of time.

    Of one minute, the later ones have a number behind the time: the name is longer.
    """
    return drop.timestamp or "", len(drop.uri), drop.uri


class DropIndex:
    """Finds the drop of a PART by its front matter, its page, or the file name in the plan.

    Otherwise a drop that names the PART's number belongs to it if the plan is the only one in the
    drop's folder.
    """

    def __init__(self, drops: Sequence[Drop], plans: Sequence[Plan] = ()) -> None:
        plans_in = Counter(_folder_of_plan(plan) for plan in plans)
        self._alone = {
            _folder_of_plan(plan): plan for plan in plans if plans_in[_folder_of_plan(plan)] == 1
        }
        self._by_part = group_by(
            drops, lambda drop: (drop.plan or drop.folder, drop.part, bool(drop.plan))
        )
        self._by_page = group_by(
            drops, lambda drop: (drop.page or "").removeprefix("./").removeprefix("docs/")
        )
        self._by_name = group_by(drops, lambda drop: drop_name(drop.name))
        self._drops, self._taken = drops, set[str]()
        self._asked_without_page = {
            drop_name(part.drop)
            for plan in plans
            for part in plan.parts
            if part.drop and not part.pages
        }

    def find(self, plan: Plan, part: Part, uri: PageUri) -> Drop | None:
        """Return the newest drop of `part`."""
        drops = self._by_part.get((plan.slug, part.number, True), ())
        # A disabled PART might take the drop of the one that has its number or page now.
        if not drops and part.state is not State.DISABLED:
            drops = self._without_plan(plan, part, uri)
        # All of them belong to the PART, though the newest alone is shown.
        self._taken |= {drop.uri for drop in drops}
        return max(drops, key=lambda d: (d.timestamp or "", d.uri), default=None)

    def _without_plan(self, plan: Plan, part: Part, uri: PageUri) -> tuple[Drop, ...]:
        """Return the drops of a PART by its page, by their name, or by folder and number."""
        by_page = self._by_page.get(uri, ())
        drops = [drop for drop in by_page if drop.plan in {None, "", plan.slug}]
        if not drops and part.drop:
            by_name = self._by_name.get(drop_name(part.drop), ())
            drops = [drop for drop in by_name if not drop.page or page_uri(plan, drop.page) == uri]
        # Beside two plans, a number alone does not say whose PART it is.
        is_alone_in_folder = self._alone.get(_folder_of_plan(plan)) is plan
        if not drops and is_alone_in_folder:
            drops = self._drops_beside_plan(plan, part)
        return tuple(drops)

    def _drops_beside_plan(self, plan: Plan, part: Part) -> list[Drop]:
        """Return the drops in the plan's folder with the PART's number and no other PART's page."""
        drops = self._by_part.get((_folder_of_plan(plan), part.number, False), ())
        if not any(drop.page for drop in drops):
            return list(drops)
        other_parts = [other for other in plan.parts if other is not part]
        pages_of_others = {
            page_uri(plan, target) for other in other_parts for target in other.targets
        }

        def may_belong(drop: Drop) -> bool:
            """Return False for a drop that names the page of another PART."""
            return not drop.page or page_uri(plan, drop.page) not in pages_of_others

        return [drop for drop in drops if may_belong(drop)]

    def unclaimed(self) -> list[Problem]:
        """Return a Problem for each drop that belongs to no PART."""
        beside = {
            (folder, part.number) for folder, plan in self._alone.items() for part in plan.parts
        }
        defect = "no PART asks for this drop; name its plan and part in its front matter"
        problems = []
        for drop in self._drops:
            is_beside_its_part = not drop.plan and (drop.folder, drop.part) in beside
            is_asked_for = is_beside_its_part or drop_name(drop.name) in self._asked_without_page
            if drop.uri not in self._taken and not is_asked_for:
                problems.append(Problem(drop.uri, 1, "P034", defect))
        return problems


def _folder_of_plan(plan: Plan) -> str:
    return plan.uri.rpartition("/")[0]
