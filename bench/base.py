"""A knowledge base to measure on, made from the statistics of a real one: the same bytes for the same numbers.

The real base has 832 pages in 125 folders, 62 plans with 868 PARTs, and 451 drops; another number of pages has as many
of each in proportion.
"""

from __future__ import annotations

import os
import random
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path, PurePosixPath

from bench.pages import Draft, Shape
from bench.plans import Target, drop, plan
from bench.text import NOUNS, cited_work, slug, title

REAL_PAGES = 832
FOLDERS, PLANS, PARTS, DROPS, LINKS = 125, 62, 868, 451, 837
"""Of the real base."""
MOST_TOPS = 50
"""As many folders as it has at the top; larger bases have more below these, as every page shows all at the top.

For the same reason, the PARTs that leave out the top folder name pages in no more folders than the real base has.
"""
TIGHT = 0.94
"""Pages with lists directly under paragraphs."""
PERCENTILES = {
    "size": (6_291, 23_671, 38_817),
    "lines": (177, 672, 1_174),
    "fences": (1, 16, 37),
    "items": (26, 107, 234),
    "headings": (15, 44, 100),
    "rows": (0, 2, 20),
    "addresses": (0, 15, 32),
}
"""The 10th percentile, the median and the 90th percentile of what the real pages have."""
WITH_SIZE = {"lines": 0.97, "fences": 0.9, "items": 0.92, "headings": 0.92, "rows": 0.3, "addresses": 0.5}
"""How closely each follows the size of a page."""
PLAN_SIZES = (5_000, 14_000, 29_000)
DROP_SIZES = (300, 3_600, 10_000)
"""In bytes: the smallest, the median and the largest."""
WITHOUT_TOP, NOT_THERE, CHORES = 154 / PARTS, 0.08, 0.09
"""Of all PARTs: those that name their page without its top folder, whose page is not written, that name no page."""


def make_base(root: Path, pages: int, seed: int = 2024) -> None:
    """Write `docs/` with as many finished pages, and the `plans/` and drops that such a base has."""
    chance = random.Random(f"{seed} {pages}")  # noqa: S311 - not for secrets
    uris = _uris(chance, pages)
    works = [cited_work(chance) for _ in range(9 * pages)]
    links = _links(chance, uris)
    for n, (uri, shape) in enumerate(zip(uris, shapes(chance, pages), strict=True)):
        own = works[9 * n : 9 * n + 9] + [works[int(len(works) * chance.random() ** 4)] for _ in range(7)]
        _write(root / "docs" / uri, Draft(chance, shape, own, links.get(uri, ())).text())
    _write(root / "docs" / "index.md", "# The base\n\nMade by a script.\n")
    _write_plans(root / "plans", chance, uris)


def shapes(chance: random.Random, pages: int) -> Iterator[Shape]:
    """Yield the numbers of each page: each of them spread as over the real pages, larger pages with more of each."""
    large = [chance.gauss(0, 1) for _ in range(pages)]
    spread = {"size": _spread(large, PERCENTILES["size"])}
    for name, follows in WITH_SIZE.items():
        scores = [follows * score + (1 - follows**2) ** 0.5 * chance.gauss(0, 1) for score in large]
        spread[name] = _spread(scores, PERCENTILES[name])
    tight = chance.sample(range(pages), round(TIGHT * pages))
    is_tight = [n in set(tight) for n in range(pages)]
    for n in range(pages):
        yield Shape(**{name: values[n] for name, values in spread.items()}, is_tight=is_tight[n])


def _spread(scores: Sequence[float], percentiles: Sequence[int]) -> list[int]:
    """Give each score a value by its rank, so that the percentiles of the values are those given."""
    low, median, high = percentiles
    return _by_rank(scores, (0.0, 0.1, 0.5, 0.9, 1.0), (low // 2, low, median, high, high * 3 // 2))


def _by_rank(scores: Sequence[float], ranks: Sequence[float], values: Sequence[int]) -> list[int]:
    order = sorted(range(len(scores)), key=scores.__getitem__)
    found = [0] * len(scores)
    for place, n in enumerate(order):
        rank = (place + 0.5) / len(scores)
        i = min(bisect_right(ranks, rank), len(ranks) - 1)
        part = (rank - ranks[i - 1]) / (ranks[i] - ranks[i - 1])
        found[n] = round(values[i - 1] + part * (values[i] - values[i - 1]))
    return found


def _uris(chance: random.Random, pages: int) -> list[str]:
    """The paths of all pages: few folders with many pages, many with few, three in five of them within another."""
    count = max(2, round(pages * FOLDERS / REAL_PAGES))
    tops = [
        f"{NOUNS[n % len(NOUNS)].replace(' ', '-')}s{n // len(NOUNS) or ''}"
        for n in range(min(round(count * 0.4), MOST_TOPS) or 1)
    ]
    inner = (f"{chance.choice(tops)}/{slug(title(chance))}" for _ in range(9 * count))
    folders = [*tops, *list(dict.fromkeys(inner))[: count - len(tops)]]
    chance.shuffle(folders)
    weights = [1 / (rank + 6) for rank in range(count)]
    places = sorted(folders + chance.choices(folders, weights=weights, k=max(0, pages - count)))[:pages]
    return [
        f"{folder}/{f'{n % 90:02}-' if chance.random() < 0.75 else ''}{slug(title(chance))}-{n}.md"
        for n, folder in enumerate(places)
    ]


def _links(chance: random.Random, uris: Sequence[str]) -> dict[str, list[str]]:
    """The links between pages, a third of them broken: by a path from the base's root, or to what is not there."""
    found: dict[str, list[str]] = {}
    linking = chance.sample(uris, max(1, len(uris) // 3))
    for n in range(round(len(uris) * LINKS / REAL_PAGES)):
        source, target = chance.choice(linking), chance.choice(uris)
        path = os.path.relpath(target, PurePosixPath(source).parent).replace(os.sep, "/")
        if n % 3 == 0:
            path = f"../missing/{slug(title(chance))}.md" if n % 9 else target
        found.setdefault(source, []).append(f"- See [{target}]({path}) for {title(chance).lower()}")
    return found


def _write_plans(folder: Path, chance: random.Random, uris: Sequence[str]) -> None:
    """Write the plans, and the drops of every other PART beside them."""
    count = max(1, round(len(uris) * PLANS / REAL_PAGES))
    parts = max(count, round(len(uris) * PARTS / REAL_PAGES))
    targets = list(_targets(chance, uris, parts))
    with_drop = set(chance.sample(range(parts), min(parts, round(len(uris) * DROPS / REAL_PAGES))))
    scores = [chance.random() for _ in range(count)]
    sizes = _by_rank(scores, (0, 0.5, 1), PLAN_SIZES)
    drop_sizes = iter(_by_rank([chance.random() for _ in with_drop], (0, 0.5, 1), DROP_SIZES))
    ends = _ends(sizes, parts)
    for number, ((begin, end), size) in enumerate(zip(pairwise([0, *ends]), sizes, strict=True)):
        name = f"{slug(title(chance))}-{number}"
        place = folder / chance.choice(("inprocess", "completed", "completed")) / name
        dropped = {
            n - begin + 1: f"KNOWLEDGE-DROP-{slug(title(chance))}-{n}" for n in range(begin, end) if n in with_drop
        }
        _write(place / "ingestion.md", plan(chance, name, targets[begin:end], dropped, size))
        for part, drop_name in dropped.items():
            text = drop(chance, part, targets[begin + part - 1], next(drop_sizes))
            _write(place / f"{drop_name}-2025-11-{part % 28 + 1:02}.md", text)


def _ends(sizes: Sequence[int], parts: int) -> list[int]:
    """Where each plan's PARTs end, if larger plans have more of them."""
    total, summed = sum(sizes), 0
    ends = []
    for size in sizes:
        summed += size
        ends.append(round(parts * summed / total))
    return ends


def _targets(chance: random.Random, uris: Sequence[str], parts: int) -> Iterator[Target]:
    """Yield what each PART is about: neighbouring pages in one plan."""
    inner = list(dict.fromkeys(uri.rpartition("/")[0] for uri in uris if uri.count("/") > 1))[:FOLDERS]
    nested = [uri for uri in uris if uri.rpartition("/")[0] in inner]
    without_top = set(chance.sample(nested, min(len(nested), round(WITHOUT_TOP * parts))))
    rest = [uri for uri in uris if uri not in without_top]
    named = round(parts * (1 - NOT_THERE - CHORES)) - len(without_top)
    pages = sorted({*without_top, *chance.sample(rest, min(len(rest), named))})
    others = parts - len(pages)
    places = set(chance.sample(range(parts), others))
    chores = set(chance.sample(sorted(places), round(others * CHORES / (CHORES + NOT_THERE))))
    rest_of_pages = iter(pages)
    for n in range(parts):
        if n in chores:
            yield Target("", is_there=False)
        elif n in places:
            yield Target(f"{chance.choice(uris).rpartition('/')[0]}/{slug(title(chance))}-open-{n}.md", is_there=False)
        else:
            uri = next(rest_of_pages)
            yield Target(uri.partition("/")[2] if uri in without_top else uri, is_there=True)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
