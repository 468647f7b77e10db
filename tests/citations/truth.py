"""What a careful reader finds cited on a page, and how far the references found agree with it.

A truth is YAML: of every page its `works`, each with `url` (none for a work that has no address), `title` (none where
the page gives none), `also` (other names that the page gives it), `accessed` (none, or ``?`` where readers differ),
`lines`, and `may`: lines on which readers differ. A work that is `optional` is one on which they differ altogether: it
is not counted. `search` are the lines of search engines' pages.

Addresses are compared here by rules of our own, so that an error in `planbook.citations.identifiers` is not shared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import yaml

from planbook.model import Problem, Reference


@dataclass(frozen=True, slots=True)
class Work:
    """A work that the page cites."""

    lines: frozenset[int]
    url: str
    title: str | None = None
    also: tuple[str, ...] = ()
    accessed: str | None = None
    may: frozenset[int] = frozenset()
    is_optional: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """All names that the page gives it."""
        return (*((self.title,) if self.title else ()), *self.also)

    def is_meant_by(self, reference: Reference) -> bool:
        """Whether the reference is this work, by its address."""
        if reference.url:
            return is_same(key(self.url), key(reference.url))
        words = folded(reference.title).removesuffix(" md")
        return not self.url.startswith("http") and words == folded(self.url).removesuffix(" md")


@dataclass(frozen=True, slots=True)
class Truth:
    """What a page cites."""

    works: tuple[Work, ...]
    search: frozenset[int] = frozenset()


@dataclass(slots=True)
class Score:
    """How many of each there are, how many are right, and what is wrong, in words."""

    counts: dict[str, list[int]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def count(self, name: str, is_right: bool, what: str) -> None:
        """Count one under `name`; say `what` of it if it is wrong."""
        counted = self.counts.setdefault(name, [0, 0])
        counted[0] += is_right
        counted[1] += 1
        if not is_right:
            self.wrong.append(f"{name}: {what}")

    def share(self, name: str) -> float:
        """The share of those under `name` that are right."""
        right, all_of_them = self.counts[name]
        return right / all_of_them

    def add(self, other: Score) -> None:
        """Take in what was counted on another page."""
        for name, (right, all_of_them) in other.counts.items():
            counted = self.counts.setdefault(name, [0, 0])
            counted[0] += right
            counted[1] += all_of_them
        self.wrong += other.wrong

    def __str__(self) -> str:
        return "\n".join(
            [f"{name}: {right} of {n}, {right / n:.1%}" for name, (right, n) in self.counts.items()] + self.wrong
        )


def read_truth(text: str) -> dict[str, Truth]:
    """The truth of each page, by the page's name."""
    return {name: _truth(page) for name, page in yaml.safe_load(text).items()}


def score(name: str, truth: Truth, references: Sequence[Reference], problems: Sequence[Problem] = ()) -> Score:
    """How far the references found on page `name` agree with its truth.

    Counted are `recall` (works found), `precision` (references that are works), `accessed`, `title` and `lines` of the
    works found, and `search` pages told.
    """
    scored, left = Score(), list(references)
    for work in truth.works:
        found = next((reference for reference in left if work.is_meant_by(reference)), None)
        if found:
            left.remove(found)
        if work.is_optional:
            continue
        what = f"{name}, {work.url or work.title}"
        scored.count("recall", bool(found), f"{what} is not found; lines {sorted(work.lines)}")
        if found:
            scored.count("precision", True, "")
            _compare(scored, what, work, found)
    for reference in left:
        scored.count("precision", False, f"{name}, {reference.url or reference.title!r} {reference.lines} is no work")
    told = {problem.line for problem in problems if problem.code == "K010"}
    for line in truth.search:
        scored.count("search", line in told, f"{name}, line {line} is not told")
    return scored


def _compare(scored: Score, what: str, work: Work, found: Reference) -> None:
    if work.accessed != "?":
        scored.count("accessed", found.accessed == work.accessed, f"{what}: {found.accessed}, not {work.accessed}")
    if work.title:
        is_named = folded(found.title) in map(folded, work.names)
        scored.count("title", is_named, f"{what}: {found.title!r}, not {work.title!r}")
    lines = set(found.lines)
    is_right = work.lines <= lines <= work.lines | work.may
    scored.count("lines", is_right, f"{what}: {sorted(lines)}, not {sorted(work.lines)} (or {sorted(work.may)})")


def _truth(page: Mapping[str, Any]) -> Truth:
    return Truth(tuple(_works(page["works"])), frozenset(page.get("search", ())))


def _works(entries: Sequence[Mapping[str, Any]]) -> Iterator[Work]:
    for entry in entries:
        if not entry.get("url"):
            continue  # works without an address are no longer looked for
        date = entry["accessed"]
        yield Work(
            lines=frozenset(entry["lines"]),
            url=entry["url"],
            title=entry.get("title"),
            also=tuple(entry.get("also", ())),
            accessed=str(date) if date else None,
            may=frozenset(entry.get("may", ())),
            is_optional=entry.get("optional", False),
        )


def read_pages(folder: Path) -> dict[str, Truth]:
    """The truth of each page of a folder, which stands beside it, by the page's path without suffix."""
    return {
        path.stem: _truth(yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader))
        for path in sorted(folder.glob("*.yml"))
    }


def folded(words: str) -> str:
    """Words without letter case and punctuation."""
    return re.sub(r"[\W_]+", " ", words.lower()).strip()


def key(address: str) -> str:
    """The same for two addresses of one work, as a reader sees it."""
    paper = re.search(r"arxiv\.org/(?:abs|pdf|html)/(\d{4}\.\d{4,5})", address, re.IGNORECASE)
    if paper:
        return f"arxiv {paper[1]}"
    if re.match(r"(?:https?:)?//", address):
        parts = urlsplit(address)
        query = sorted(pair for pair in parse_qsl(parts.query) if not re.match(r"utm_|t$", pair[0]))
        return f"{parts.netloc.lower().removeprefix('www.')}{parts.path.rstrip('/')} {query or ''}".rstrip()
    return "page " + re.sub(r"^(?:\.{0,2}/)+|[#:].*$", "", address).removesuffix(".md")


def is_same(one: str, other: str) -> bool:
    """Whether two keys are one work; a page of the base may be named from the root or from beside it."""
    short, long = sorted((one, other), key=len)
    return one == other or (short.startswith("page ") and long.endswith("/" + short.removeprefix("page ")))
