"""Answers of a language model that were recorded through the real client, replayed: see `bench.evidence`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.evidence.model_server import read_records
from bench.evidence.public_sets import print_public
from bench.evidence.sentences import clopper_pearson, judge_sentences, print_rates
from planbook.citations.quotes import fold, words
from planbook.markdown.front_matter import split_front_matter
from planbook.research.proof.sentences import CitedSentence, Quotation, find_fault, find_words
from tests.conftest import ROOT

FOLDER = Path(__file__).parent / "recorded"
EVIDENCE = ROOT / "bench" / "evidence"


def sections() -> list[dict[str, Any]]:
    """The records of written sections."""
    return [record for record in read_records([FOLDER / "sections.jsonl"]) if "points" in record.get("asked", {})]


def test_the_published_rates_are_those_of_the_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Judged again from the record, as the Guide says: at most three in a hundred falsehoods may pass."""
    judge_sentences([EVIDENCE / "sentences.yml"], tmp_path, read_records([FOLDER / "sentences.jsonl"]), "")
    print_rates(EVIDENCE / "sentences.yml", EVIDENCE / "labels.yml", tmp_path / "verdicts.jsonl")
    table = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    guide = (ROOT / "bench/accuracy.md").read_text(encoding="utf-8")
    print_public(EVIDENCE / "public.json")
    public = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert [line for line in table + public if line not in guide] == []
    assert float(table[-1].split(" to ")[1].split()[0]) <= 0.03


@pytest.mark.parametrize("record", sections(), ids=lambda record: record["asked"]["section"][:30])
def test_the_quotes_of_recorded_sections_are_in_their_passages(record: dict[str, Any]) -> None:
    """Nine in ten of them; the others are what the program refuses."""
    texts = [fold(passage["text"]) for passage in record["asked"]["passages"]]
    said = [*record["answer"]["lead"], *(one for point in record["answer"]["points"] for one in point["sentences"])]
    quotes = [row["q"] for sentence in said for row in sentence["evidence"]]
    found = [any(find_words(quote, text) for text in texts) for quote in quotes]
    assert sum(found) >= 0.9 * len(found)
    assert record["by"]
    assert record["date"]


def test_the_verdicts_on_recorded_sections_are_as_published() -> None:
    """The judge had these sentences and quotes; a program still finds the numbers and names of nearly all there."""
    judged: list[tuple[CitedSentence, str]] = []
    for record in read_records([FOLDER / "verdicts.jsonl"]):
        verdicts = {row["id"]: row["verdict"] for row in record["answer"]["verdicts"]}
        for item in record["asked"]["items"]:
            quotes = tuple(Quotation(q["quote"], q["heading"], q["term"], q["title"]) for q in item["quotes"])
            sentence = CitedSentence(item["sentence"], quotes)
            assert sentence.id == item["id"]
            judged.append((sentence, verdicts[sentence.id]))
    supported = sum(verdict == "supported" for _, verdict in judged)
    low, high = clopper_pearson(supported, len(judged))
    guide = (ROOT / "bench/accuracy.md").read_text(encoding="utf-8")
    assert f"{supported:,} of {len(judged):,} sentences ({low:.3f} to {high:.3f})" in " ".join(guide.split())
    # The others name what only the point or the address of the source says: the judge is shown neither.
    assert sum(bool(find_fault(sentence.text, sentence.quotes)) for sentence, _ in judged) <= 8


def test_the_corrections_are_as_published() -> None:
    """Each sentence that failed came back once, with quotes that are in the passages, or was left out."""
    records = read_records([FOLDER / "corrections.jsonl"])
    asked = [row for record in records for row in record["asked"]["sentences"]]
    kept = [(record, row) for record in records for row in record["answer"]["sentences"] if row["text"]]
    guide = (ROOT / "bench/accuracy.md").read_text(encoding="utf-8")
    assert all(row["fault"] for row in asked)
    assert f"| pass after the one correction | {len(kept)} |" in guide
    assert f"| dropped | {len(asked) - len(kept)} |" in guide
    for record, row in kept:
        texts = [fold(passage["text"]) for passage in record["asked"]["passages"]]
        assert all(any(find_words(quote["q"], text) for text in texts) for quote in row["evidence"]), row["text"]


def test_our_page_by_a_model_has_the_sentences_that_the_judge_confirmed() -> None:
    """Each one, and no more than the front matter counts."""
    text = (ROOT / "docs/guide/nccl-by-llm.md").read_text(encoding="utf-8")
    meta, body = split_front_matter(text)
    made: Any = meta["generated"]
    verdicts: dict[str, str] = {}
    for record in read_records([FOLDER / "page.jsonl"]):
        said = {item["id"]: item["sentence"] for item in record["asked"].get("items", ())}
        verdicts |= {said[row["id"]]: row["verdict"] for row in record["answer"].get("verdicts", ())}
    confirmed = {sentence for sentence, verdict in verdicts.items() if verdict == "supported"}
    assert len(confirmed) == made["confirmed"] + made["rewritten"]
    assert [one for one in confirmed if words(one).rstrip(".") not in words(body)] == []
