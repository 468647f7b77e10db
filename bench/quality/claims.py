"""AttributionBench and WiCE: claims against their sources. WCXB: sentences that were changed against their passages."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from bench.quality.pages import pages
from bench.quality.table import KINDS, Figure, share
from bench.quality.telling_changes import FAITHFUL, TELLING, cases
from generator.markdown.sentences import sentences_of
from generator.rules.support import judge

FILES = {
    ("attributionbench", "dev"): "data/dev_all_subset_balanced.jsonl",
    ("attributionbench", "held-out"): "data/test_all_subset_balanced.jsonl",
    ("wice", "dev"): "data/entailment_retrieval/claim/dev.jsonl",
    ("wice", "held-out"): "data/entailment_retrieval/claim/test.jsonl",
}
EACH = 300
"""Maximum number of sentences made by each change."""
SEED = 1


def measured(name: str, folder: Path, split: str) -> Figure:
    """Return the figure of a row."""
    kind, _, which = name.partition("-")
    if kind == "faithful":
        return share([one for made in FAITHFUL for one in refused(folder, split, made)])
    if kind == "changes":
        kinds = KINDS[which] if which else [change for changes in KINDS.values() for change in changes]
        return share([one for change in kinds for one in refused(folder, split, change)])
    judged = claims("wice" if kind == "wice" else "attributionbench", folder, split)
    if which == "precision":
        return share([is_supported for is_supported, is_accepted in judged if is_accepted])
    return share([is_accepted for is_supported, is_accepted in judged if is_supported])


@cache
def claims(name: str, folder: Path, split: str) -> tuple[tuple[bool, bool], ...]:
    """Return whether each claim is supported by its source, and whether we accept it."""
    rows = [json.loads(row) for row in (folder / FILES[name, split]).read_text(encoding="utf-8").splitlines()]
    return tuple((_is_supported(row), _is_accepted(row)) for row in rows)


def _is_supported(row: dict[str, Any]) -> bool:
    return bool(row["label"] == "supported" if "label" in row else row["attribution_label"] == "attributable")


def _is_accepted(row: dict[str, Any]) -> bool:
    """Return whether each sentence of a claim is supported by one of its sources."""
    sources = [" ".join(row["evidence"])] if "evidence" in row else row["references"]
    return all(judge(sentence, sources).is_supported for sentence in sentences_of(row["claim"]))


@cache
def refused(folder: Path, split: str, change: str) -> tuple[bool, ...]:
    """Return whether each sentence that a change makes of one from the pages' main text is refused."""
    texts = [page.text for kind in ("documentation", "article") for page in pages(folder, split, kind)]
    made = cases(texts, {change: (TELLING | FAITHFUL)[change]}, SEED, EACH)
    return tuple(not judge(case.sentence, [case.passage]).is_supported for case in made)
