"""Measure what is accepted as an answer in small folders of documents: part of `make bench-answers`.

For each point of ``bench/answers/small-*.yml``: whether the best passage is taken as its answer, shown as uncertain, or
left open. A point with an answer counts as shown if one of the first three passages has its words.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from bench.answers import HERE, plain, read_sources
from planbook.model import DropUri, PageUri, Part, Plan, PlanUri, Section, State
from planbook.research.drafts import Brief, Evidence, Source
from planbook.research.evidence.rank import find_evidence, visible
from planbook.research.search.document_folder import Folder

SETS = ("tune", "kept")
SHOWN = 3
"""The number of passages of a point that a page shows at most."""


def measured(folder: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield for each point of a folder whether it has an answer, and what became of it."""
    found = find_evidence(brief_of(folder), sources_of(folder))
    for point, one in zip(folder["points"], found, strict=True):
        if point["words"] is None:
            yield "no answer", state_of(one)
            continue
        key = plain(str(point["words"]))
        is_right = any(key in plain(visible(passage.excerpt)) for passage in one.ranked[:SHOWN])
        yield "answer", state_of(one) if is_right or state_of(one) == "open" else "another passage"


def sources_of(folder: dict[str, Any]) -> list[Source]:
    """Return the documents of a folder as they are read from disk."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in folder["documents"].items():
            Path(root, name).write_text(text, encoding="utf-8")
        return list(read_sources(Folder(Path(root), "documents"), sorted(folder["documents"])))


def brief_of(folder: dict[str, Any]) -> Brief:
    """Return a brief whose page has the folder's points below one heading."""
    section = Section(folder["title"], points=tuple(point["text"] for point in folder["points"]))
    part = Part(1, folder["title"], 1, 1, State.OPEN, ("notes/1.md",), sections=(section,))
    plan = Plan(PlanUri("plans/notes.md"), folder["title"], (), (part,), ())
    return Brief(plan, part, PageUri("notes/1.md"), DropUri("plans/KNOWLEDGE-DROP-1.md"), folder["title"])


def state_of(found: Evidence) -> str:
    """Return what a page does with a point."""
    if found.is_found:
        return "as answer"
    return "uncertain" if found.is_uncertain else "open"


def main() -> None:
    """Print a row for the points with an answer of each set, and one for those without."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=SETS, help="tune, kept")
    columns = ("as answer", "uncertain", "open", "another passage")
    print(f"| small folders | points | {' | '.join(columns)} |")
    for name in parser.parse_args().sets:
        folders = yaml.safe_load((HERE / f"small-{name}.yml").read_text(encoding="utf-8"))
        counts = Counter(row for folder in folders for row in measured(folder))
        for kind in ("answer", "no answer"):
            row = [counts[kind, state] for state in columns]
            article = "an" if kind == "answer" else "no"
            print(f"| {name}, with {article} answer | {sum(row)} | {' | '.join(map(str, row))} |")


if __name__ == "__main__":
    main()
