"""Pages with citations, as we show them in a style and as Pandoc does."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

from generator.page.citations import find_citations
from generator.page.front_matter import split_front_matter
from generator.page.references import read_references
from generator.views.bibliography import csl_items
from generator.views.csl.page import Shown, show
from generator.views.csl.style import Style, read_style
from generator.views.references import hrefs

STYLES = Path(__file__).parent / "styles"

REFERENCES = """---
references:
- id: docker
  type: webpage
  title: Multi stage builds
  publisher: Docker
  URL: https://docs.docker.com/build/
  accessed: {date-parts: [[2026, 11, 20]]}
- id: compose
  type: webpage
  title: Compose files
  publisher: Docker
  URL: https://docs.docker.com/compose/
  accessed: {date-parts: [[2026, 11, 20]]}
- id: Rye
  type: article-journal
  title: On rye
  author: [{family: Miller, given: Anna B.}, {family: Baker, given: Jon}]
  container-title: Journal of Bread
  volume: 3
  issue: 2
  page: 10-19
  issued: {date-parts: [[2020, 5]]}
  DOI: 10.1000/rye
- id: barley
  type: article-journal
  title: What is barley?
  author: [{family: Miller, given: Anna B.}, {family: Baker, given: Jon}]
  container-title: Journal of Bread
  volume: 4
  page: 2
  issued: {date-parts: [[2020]]}
- id: oats
  type: book
  title: Oats, a history
  author: [{literal: The Oat Board}]
  publisher: Mill
  publisher-place: York
  edition: 2nd
  issued: {date-parts: [[2019]]}
- id: attention
  type: article
  title: On attention
  author:
  - {family: Xu, given: Li}
  - {family: Baum, given: Carl}
  - {family: Dorn, given: E.}
  - {family: Fink, given: G.}
  - {family: Hahn, given: Ida}
  - {family: Jung, given: K.}
  - {family: Lang, given: Max}
  URL: https://arxiv.org/abs/2307.08691
  issued: {date-parts: [[2023, 7, 17]]}
- id: edited
  type: book
  title: Mills & millers
  editor: [{family: Ähre, given: Emil}]
  publisher: Mill
  issued: {date-parts: [[2001]]}
- id: notes
  type: document
  title: Our own notes
---

"""

TEXT = """First [@docker]. Then [@Rye, p. 3-5], again [@Rye, p. 3-5], elsewhere [@Rye, chap. 2], and just so [@Rye].
Two [@oats; @Rye], three [@attention, p. 7; @edited; @notes]. As they say [-@Rye, p. 4], and others [-@docker].
Also [@barley], [@compose], [@docker, 12], [@oats, p. 3 and more] and [@oats].
"""


@dataclass(frozen=True, slots=True)
class Words:
    """What a reader reads, without tags."""

    citations: tuple[str, ...]
    entries: tuple[str, ...]


def style(name: str) -> Style:
    """One of our own styles."""
    return read_style((STYLES / f"{name}.csl").read_bytes(), f"{name}.csl")


def shown(text: str, used: Style | str) -> Shown:
    """A whole page's citations and references, in a style."""
    references, _ = read_references(text, "page.md")
    meta, body = split_front_matter(text)
    items = {item["id"]: item for item in csl_items(meta.get("references"), references)}
    citations = find_citations(body)
    return show(style(used) if isinstance(used, str) else used, items, references, citations, hrefs(references, {}))


def words_of(made: Shown) -> Words:
    """The words of citations (of their notes, in a style of notes) and entries."""
    return Words(tuple(map(plain, made.notes or made.groups)), tuple(plain(html) for _, html in made.entries))


def plain(html: str) -> str:
    """The text of a piece of HTML."""
    return folded(unescape(re.sub(r"<[^>]*>", "", html)))


def folded(text: str) -> str:
    """Text in one line, with one kind of blanks."""
    return " ".join(text.split())


def pandoc_words(pandoc: str, text: str, csl: Path) -> Words:
    """The same as Pandoc shows it."""
    command = [pandoc, "--from=markdown", "--to=json", "--citeproc", f"--csl={csl}"]
    done = subprocess.run(command, input=text, capture_output=True, check=True, encoding="utf-8")
    blocks = json.loads(done.stdout)["blocks"]
    cites = [inline for inline in nodes(blocks) if inline.get("t") == "Cite"]
    entries = [block for block in nodes(blocks) if block.get("t") == "Div" and "csl-entry" in block["c"][0][1]]
    return Words(
        tuple(
            folded(said([note["c"] for note in nodes(cite["c"][1]) if note["t"] == "Note"] or cite["c"][1]))
            for cite in cites
        ),
        tuple(folded(said(entry["c"][1])) for entry in entries),
    )


def nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """Pandoc's elements, outermost first; what stands in a citation is not looked into twice."""
    if isinstance(tree, dict):
        if "t" in tree:
            yield tree
        yield from nodes(tree.get("c"))
    elif isinstance(tree, list):
        for below in tree:
            yield from nodes(below)


QUOTATION_MARKS = {"DoubleQuote": ("“", "”"), "SingleQuote": ("\u2018", "\u2019")}


def said(tree: Any) -> str:
    """The text of Pandoc's elements."""
    if isinstance(tree, list):
        return "".join(map(said, tree))
    if not isinstance(tree, dict):
        return ""
    kind, content = str(tree["t"]), tree.get("c")
    if isinstance(content, str):
        return content
    if not content:
        return " " if kind in {"Space", "SoftBreak", "LineBreak"} else ""
    left, right = QUOTATION_MARKS[content[0]["t"]] if kind == "Quoted" else ("", "")
    return f"{left}{said(content[1] if kind in {'Quoted', 'Link', 'Span', 'Div'} else content)}{right}"


def differing(ours: Sequence[str], theirs: Sequence[str]) -> list[tuple[str, str]]:
    """The pairs that are not the same."""
    assert len(ours) == len(theirs)
    return [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]]
