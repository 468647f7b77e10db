"""A sample of the public sets AttributionBench and WiCE: what the program and a judge make of their claims."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.evidence.model_server import ModelServer, played_model
from bench.evidence.sentences import clopper_pearson
from planbook.citations.quotes import Readings, contains_quote
from planbook.research.proof.sentences import CitedSentence, Quotation, find_missing
from planbook.research.web.client import Fetcher
from planbook.research.writers.judge import judge
from planbook.research.writers.llm_api import AnswerStore, ModelClient

_SEED, _SAMPLE = 29, 100
_MAX_CHARS = 6_000
"""Claims with longer references are left out: a request would hold few of them."""
_PLAYED_S = 86_400.0
FILES = {
    "AttributionBench": "data/test_all_subset_balanced_sampled500.jsonl",
    "WiCE": "code_and_resources/entailment_inputs/oracle_chunks/claim/test.jsonl",
}
"""The file of each set, in its repository."""


def read_claims(name: str, file: Path) -> Iterator[tuple[str, str, CitedSentence]]:
    """Yield id, label and statement of each claim of a set."""
    seen = set()
    for row in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
        if name == "WiCE":  # the evidence that the first annotator chose, among other sentences of the page
            key, label, text = row["meta"]["id"], row["label"], row["claim"]
            quotes: Sequence[str] = [" ".join(row["evidence"])]
        else:
            key, label, quotes = row["id"], row["attribution_label"], row["references"]
            is_answer = row["src_dataset"] == "AttributedQA"  # a name or a number, which says nothing alone
            text = f"The answer to “{row['question']}” is: {row['claim']}" if is_answer else row["claim"]
        if key not in seen and sum(map(len, quotes)) <= _MAX_CHARS:
            seen.add(key)
            yield key, label, CitedSentence(text, tuple(map(Quotation, quotes)))


def judge_sets(folders: Mapping[str, Path], play: Path, records: Sequence[dict[str, Any]], by: str, into: Path) -> None:
    """Ask for verdicts on a sample of each set, and write them without the claims."""
    found: dict[str, list[dict[str, object]]] = {}
    with ModelServer(records, play, by).serve() as url, Fetcher(allow_loopback=True) as fetcher:
        for name, folder in folders.items():
            rows = random.Random(_SEED).sample(list(read_claims(name, folder / FILES[name])), _SAMPLE)  # noqa: S311
            client = ModelClient(played_model(f"judge-{name}", url), fetcher.stream, AnswerStore(), _PLAYED_S)
            faults = judge(client, [statement for _, _, statement in rows], parallel=_SAMPLE)
            found[name] = [
                {
                    "id": key,
                    "label": label,
                    "missing": list(find_missing(one.text, [text for quote in one.quotes for text in quote.texts])),
                    "fault": faults[one],
                }
                for key, label, one in rows
            ]
    into.write_text(json.dumps(found, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


def print_public(file: Path) -> None:
    """Print how many claims of each label pass, and how well that predicts the label."""
    print("| set | label | claims | pass the program | pass the judge | pass both | 95 % interval |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, rows in json.loads(file.read_text(encoding="utf-8")).items():
        for label in sorted({row["label"] for row in rows}):
            own = [row for row in rows if row["label"] == label]
            passed = [sum(not row[key] for row in own) for key in ("missing", "fault")]
            both = sum(not row["missing"] and not row["fault"] for row in own)
            low, high = clopper_pearson(both, len(own))
            print(f"| {name} | {label} | {len(own)} | {passed[0]} | {passed[1]} | {both} | {low:.3f} to {high:.3f} |")
    print()
    print("| set | accuracy | precision | recall |")
    print("| --- | --- | --- | --- |")
    for name, rows in json.loads(file.read_text(encoding="utf-8")).items():
        pairs = Counter(
            (row["label"] in {"attributable", "supported"}, not row["missing"] and not row["fault"]) for row in rows
        )
        right = pairs[True, True] + pairs[False, False]
        shares = ((right, len(rows)), (pairs[True, True], pairs[True, True] + pairs[False, True]))
        cells = [_share(*pair) for pair in (*shares, (pairs[True, True], pairs[True, True] + pairs[True, False]))]
        print(f"| {name} | {' | '.join(cells)} |")


def _share(hits: int, of: int) -> str:
    low, high = clopper_pearson(hits, of)
    return f"{hits / of:.2f} ({low:.2f} to {high:.2f}), n = {of}" if of else "–"


def print_attribution(file: Path) -> None:
    """Print what a program can tell of all claims of a file of AttributionBench, without a judge.

    By quotes alone, a claim is supported if it stands in a reference; by numbers and names, if references have these.
    """
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    print(f"{file.name}: {len(rows)} claims")
    print("| by | macro-F1 | accuracy | precision | recall |")
    print("| --- | --- | --- | --- | --- |")
    for title, supports in (("quotes alone", _has_claim), ("numbers and names", _has_words)):
        pairs = Counter((row["attribution_label"] == "attributable", supports(row)) for row in rows)
        yes, missed, wrong, no = (pairs[pair] for pair in ((True, True), (True, False), (False, True), (False, False)))
        macro = (_f1(yes, wrong, missed) + _f1(no, missed, wrong)) / 2
        rates = (macro, (yes + no) / len(rows), yes / max(1, yes + wrong), yes / max(1, yes + missed))
        print(f"| {title} | {' | '.join(f'{rate:.3f}' for rate in rates)} |")


def _has_claim(row: Mapping[str, Any]) -> bool:
    claim = row["claim"].strip().rstrip(".")
    return any(contains_quote(claim, Readings(text, text)) for text in row["references"])


def _has_words(row: Mapping[str, Any]) -> bool:
    is_answer = row["src_dataset"] == "AttributedQA"
    text = f"The answer to “{row['question']}” is: {row['claim']}" if is_answer else row["claim"]
    return not find_missing(text, row["references"])


def _f1(hits: int, wrong: int, missed: int) -> float:
    return 2 * hits / max(1, 2 * hits + wrong + missed)
