"""WCXB: main text, title and date of pages of the web."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lxml.etree import LxmlError

from bench.quality.table import Figure, mean, share
from planbook.research.web.document_text import DocumentText, read_html
from planbook.research.web.responses import decode

SPLITS = {"dev": "dev", "held-out": "test"}
TYPES = ("documentation", "forum", "article")
"""Types of pages that people cite: titles and dates are compared on these."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True)
class Page:
    """A page as the set describes it, and as it was read."""

    text: str
    title: str
    date: str
    read: DocumentText


def measured(name: str, folder: Path, split: str) -> Figure:
    """Return the figure of a row."""
    if name.startswith("text-"):
        return mean([token_f1(page.read.text, page.text) for page in pages(folder, split, name.removeprefix("text-"))])
    every = [page for kind in TYPES for page in pages(folder, split, kind)]
    if name == "title":
        return share([tokens(page.read.title or "") == tokens(page.title) for page in every if page.title])
    dated = [page for page in every if page.date]
    if name == "date-found":
        return share([bool(page.read.date) for page in dated])
    found = [page for page in dated if page.read.date]
    if name == "date-neither":
        return share([page.date not in {page.read.date, page.read.updated} for page in found])
    return share([page.date != page.read.date for page in found])


@cache
def pages(folder: Path, split: str, kind: str) -> tuple[Page, ...]:
    """Read the pages of one type."""
    return tuple(_pages(folder / SPLITS[split], kind))


def _pages(folder: Path, kind: str) -> Iterator[Page]:
    for path in sorted((folder / "ground-truth").glob("*.json")):
        about = json.loads(path.read_text(encoding="utf-8"))
        found = about["_internal"]["page_type"]["primary"]
        if {"category": "collection"}.get(found, found) != kind:
            continue
        body = gzip.decompress((folder / "html" / f"{path.stem}.html.gz").read_bytes())
        try:
            read = read_html(decode(body, None, is_html=True), about.get("url") or "")
        except (LxmlError, ValueError):  # what cannot be read has no text: so a run of `expand` sees it, too
            read = DocumentText("", "")
        truth = about["ground_truth"]
        day = _DAY.match(truth.get("publish_date") or "")
        yield Page(truth.get("main_content") or "", truth.get("title") or "", day[0] if day else "", read)


def tokens(text: str) -> list[str]:
    """Return the words of a text as the set's own evaluation counts them."""
    return re.findall(r"\w+", text.lower())


def token_f1(text: str, truth: str) -> float:
    """Return the F1 of words, as the set's own evaluation does."""
    found, wanted = Counter(tokens(text)), Counter(tokens(truth))
    if not found or not wanted:
        return float(found == wanted)
    shared = (found & wanted).total()
    return 2 * shared / (found.total() + wanted.total())
