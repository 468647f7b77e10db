"""Groups of citations of made-up passages."""

from __future__ import annotations

from collections.abc import Sequence

from planbook.citations.quotes import Readings, words
from planbook.research.drafts import Excerpt, Passage, PassageKind, Source
from planbook.research.web.model import Fetched, Outcome
from planbook.research.writers.quote_choice import CitedPassages

KINDS = {"- ": PassageKind.LIST, "| ": PassageKind.TABLE, "$ ": PassageKind.CODE}
"""How the text of a passage begins that is no prose; `$ ` is left out."""


def passage(text: str, work: str = "kiln", start: int = 0) -> Passage:
    """A passage; its beginning says its kind."""
    kind = KINDS.get(text[:2], PassageKind.PROSE)
    return Passage(f"{work}@{start}", work, text.removeprefix("$ "), start, kind=kind)


def cited(*texts: str, work: str = "kiln", headings: Sequence[str] = ()) -> CitedPassages:
    """A citation of passages of one work that has nothing else."""
    whole = "\n\n".join(text.removeprefix("$ ") for text in texts)
    fetched = Fetched(f"https://{work}.example/", Outcome.OK, text=whole, visible=words(whole))
    starts = [whole.index(text.removeprefix("$ ")) for text in texts]
    passages = [passage(text, work, start) for text, start in zip(texts, starts, strict=True)]
    excerpts = tuple(Excerpt((Passage(p.id, p.source, p.text, p.start, tuple(headings), p.kind),)) for p in passages)
    return CitedPassages(Source(work, fetched), excerpts)


def readings_of(*citations: CitedPassages) -> dict[str, Readings]:
    """The forms of the texts of their sources."""
    sources = [citation.source for citation in citations]
    return {source.id: Readings(source.fetched.visible, source.fetched.text) for source in sources}
