"""Labelled sentences with their quotes: what the program and a judge make of them, by kind of falsehood."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from bench.evidence.model_server import ModelServer, played_model
from planbook.research.proof.sentences import CitedSentence, Quotation, find_fault
from planbook.research.web.client import Fetcher
from planbook.research.writers.judge import judge
from planbook.research.writers.llm_api import AnswerStore, ModelClient

_SEED = 29
_PLAYED_S = 86_400.0
TRIALS = 60
"""Steps of the bisection that finds the end of an interval."""


def read_statement(row: Mapping[str, Any]) -> CitedSentence:
    """Return a sentence of the file with its quotes."""
    names = ("heading", "term", "title", "path")
    return CitedSentence(
        row["sentence"], tuple(Quotation(q["q"], *(str(q.get(name) or "") for name in names)) for q in row["quotes"])
    )


def judge_sentences(files: Sequence[Path], play: Path, records: Sequence[dict[str, Any]], by: str) -> None:
    """Ask for verdicts on all sentences, in shuffled order, and write ``verdicts.jsonl`` in the folder `play`."""
    rows = [row for file in files for row in yaml.safe_load(file.read_text(encoding="utf-8"))]
    random.Random(_SEED).shuffle(rows)  # noqa: S311 - the same order each time
    statements = {row["id"]: read_statement(row) for row in rows}
    with ModelServer(records, play, by).serve() as url, Fetcher(allow_loopback=True) as fetcher:
        client = ModelClient(played_model("judge", url), fetcher.stream, AnswerStore(), _PLAYED_S)
        found = judge(client, list(statements.values()), parallel=100)
    lines = [json.dumps({"id": name, "fault": found[one]}, ensure_ascii=False) for name, one in statements.items()]
    (play / "verdicts.jsonl").write_text("\n".join(sorted(lines)) + "\n", encoding="utf-8")


def print_rates(sentences: Path, labels: Path, verdicts: Path) -> None:
    """Print how many sentences of each kind pass the program, the judge, and both."""
    rows = {row["id"]: read_statement(row) for row in yaml.safe_load(sentences.read_text(encoding="utf-8"))}
    kinds = {  # YAML reads the key `false` as a boolean
        name: label if isinstance(label, str) else label[False]
        for name, label in yaml.safe_load(labels.read_text(encoding="utf-8")).items()
    }
    faults = {row["id"]: row["fault"] for row in map(json.loads, verdicts.read_text(encoding="utf-8").splitlines())}
    passed = {name: (not find_fault(rows[name].text, rows[name].quotes), not faults[name]) for name in faults}
    false = sorted(set(kinds.values()) - {"faithful"})
    groups = {"faithful": ["faithful"], **{kind: [kind] for kind in false}, "all falsehoods": false}
    print("| sentences | number | pass the program | pass the judge | pass both | 95 % interval |")
    print("| --- | --- | --- | --- | --- | --- |")
    for group, members in groups.items():
        own = [passed[name] for name in faults if kinds[name] in members]
        both = sum(map(all, own))
        low, high = clopper_pearson(both, len(own))
        first, second = (sum(one[n] for one in own) for n in (0, 1))
        print(f"| {group} | {len(own)} | {first} | {second} | {both} | {low:.3f} to {high:.3f} |")


def clopper_pearson(hits: int, of: int, level: float = 0.95) -> tuple[float, float]:
    """Return the exact confidence interval of a share."""
    tail = (1 - level) / 2
    low = 0.0 if hits == 0 else _solve(lambda p: _at_least(hits, of, p) - tail)
    high = 1.0 if hits == of else _solve(lambda p: tail - (1 - _at_least(hits + 1, of, p)))
    return low, high


def _at_least(hits: int, of: int, p: float) -> float:
    """Return the probability of at least so many hits."""
    if p in {0.0, 1.0}:
        return float(hits == 0 or p == 1.0)
    ways = (math.lgamma(of + 1) - math.lgamma(n + 1) - math.lgamma(of - n + 1) for n in range(hits, of + 1))
    logs = zip(range(hits, of + 1), ways, strict=True)
    return math.fsum(math.exp(way + n * math.log(p) + (of - n) * math.log1p(-p)) for n, way in logs)


def _solve(rises: Any) -> float:
    """Return where a function that rises on 0 to 1 becomes 0."""
    low, high = 0.0, 1.0
    for _ in range(TRIALS):
        middle = (low + high) / 2
        low, high = (low, middle) if rises(middle) > 0 else (middle, high)
    return low
