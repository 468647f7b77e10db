"""A page about a kiln that quotes its manual, and what the check of sentences finds on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planbook.citations.quotes import words
from planbook.library.pages import render_page
from planbook.model import Problem
from planbook.research.drafts import Draft, Source
from planbook.research.evidence.passages import excerpts
from planbook.research.proof.parsed_draft import ParsedDraft
from planbook.research.proof.sentences import Judge
from planbook.research.web.model import Fetched, Outcome
from planbook.research.writers.judge import check_sentences
from tests.research.documents import brief

MANUAL = """\
# Kiln

## Options

**--layers N**

Keeps at most so many layers in the cache; the default is 40.

## Signing

The tool signs each image after the last stage.
"""


def faults(page: str, sources: Sequence[Source], judge: Judge | None = None) -> list[Problem]:
    """What the check finds on a page."""
    known = {one.id: excerpts(one, n) for n, one in enumerate(sources, 1)}
    return list(check_sentences(ParsedDraft(Draft(page, "hand"), brief(), sources, (), ()), known, judge))


def manual() -> Source:
    """A document with a definition and headings."""
    url = "https://kiln.example/manual"
    return Source("manual", Fetched(url, Outcome.OK, text=MANUAL, visible=words(MANUAL), media_type="text/markdown"))


def page(body: str, quotes: Mapping[str, str], **fields: object) -> str:
    """A page that quotes the manual."""
    item = {"id": "manual", "type": "webpage", "title": "T", "URL": manual().fetched.url, **fields}
    return render_page({"title": "T", "references": [{**item, "custom": {"quotes": dict(quotes)}}]}, f"# T\n\n{body}\n")
