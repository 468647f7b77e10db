"""CLAPnq: questions with an answer in their passage, and questions without one."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from bench.quality.table import Figure, share
from planbook.model import DropUri, PageUri, Part, Plan, PlanUri, Section, State
from planbook.research.drafts import Brief, Source
from planbook.research.evidence.rank import find_evidence
from planbook.research.web.model import Fetched, Outcome

_FILES = {"answers": "clapnq_dev_answerable.jsonl", "abstains": "clapnq_dev_unanswerable.jsonl"}
_TOKENIZED = (
    (re.compile(r"``|''"), '"'),
    (re.compile(r" (?=[,.;:?!)%\]]|n't\b|'(?:s|re|ve|ll|d|m)\b)"), ""),
    (re.compile(r"(?<=[(\[]) "), ""),
    (re.compile(r" - "), "-"),
)
"""Blanks that the set puts beside punctuation."""


def measured(name: str, folder: Path, split: str) -> Figure:
    """Return the figure of a row."""
    found = answered(folder, split, _FILES[name])
    return share([is_answered is (name == "answers") for is_answered in found])


@cache
def answered(folder: Path, split: str, file: str) -> tuple[bool, ...]:
    """Return whether each question of a half of the file is answered: the first half is ``dev``."""
    lines = (folder / "annotated_data" / "dev" / file).read_text(encoding="utf-8").splitlines()
    half = len(lines) // 2
    return tuple(is_answered(json.loads(line)) for line in (lines[:half] if split == "dev" else lines[half:]))


def is_answered(row: dict[str, Any]) -> bool:
    """Return whether extraction finds an answer to the question in its passages."""
    sources = [
        Source(
            f"s{n}",
            Fetched(
                f"https://{n}.test/",
                Outcome.OK,
                media_type="text/markdown",
                text=text,
                visible=text,
                title=one["title"],
            ),
        )
        for n, one in enumerate(row["passages"], 1)
        for text in [untokenized(one["text"])]
    ]
    question = Section("", points=(row["input"],))
    part = Part(1, "", 1, 1, State.OPEN, (), sections=(question,))
    plan = Plan(PlanUri("plans/questions.md"), "", (), (part,), ())
    brief = Brief(plan, part, PageUri("questions.md"), DropUri("plans/KNOWLEDGE-DROP-questions.md"), "")
    return any(found.is_found for found in find_evidence(brief, sources))


def untokenized(text: str) -> str:
    """Return the text as it stood before it was cut into tokens."""
    for pattern, instead in _TOKENIZED:
        text = pattern.sub(instead, text)
    return text.strip()
