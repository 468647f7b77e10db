"""A draft as the gates look at it: read once, with its lines as the file has them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from generator.citations.in_text import Citation, find_citations
from generator.citations.references import read_references
from generator.drafts import Brief, Draft, Finding, Source
from generator.markdown.document import Node, line_starts, read_document
from generator.model import Reference


@dataclass(frozen=True, slots=True)
class Handed:
    """The draft and what it is asked by."""

    draft: Draft
    brief: Brief
    sources: Mapping[str, Source]
    """By id; those that gave a text."""
    base_pages: Container[str]
    is_thin: bool
    meta: Mapping[str, Any]
    body: str
    starts: Sequence[int] = field(repr=False)
    """Offset of each line of the body."""
    above: int
    """Lines of the file above the body."""
    wrong: str = ""
    """The YAML error of the front matter, which is then empty."""
    references: tuple[Reference, ...] = ()
    citations: tuple[Citation, ...] = ()
    nodes: tuple[Node, ...] = field(default=(), repr=False)
    planned: Container[str] = frozenset()
    """Pages of other PARTs that are not written yet."""

    @property
    def is_by_hand(self) -> bool:
        """True if a person, or an agent on its own, hands it in: then not all that it cites was read by us."""
        return self.draft.writer == "hand"

    @property
    def items(self) -> tuple[Mapping[str, Any], ...]:
        """The references as the front matter writes them."""
        written = self.meta.get("references")
        return tuple(item for item in written if isinstance(item, dict)) if isinstance(written, list) else ()

    @property
    def text(self) -> str:
        """The body with code blanked; places stay what they are."""
        chars = list(self.body)
        for node in self.nodes:
            if node.name in {"Code", "CodeBlock"}:
                chars[node.start : node.end] = ["\n" if char == "\n" else " " for char in chars[node.start : node.end]]
        return "".join(chars)

    def line(self, offset: int) -> int:
        """The line of the file on which a place of the body stands, 1-based."""
        return self.above + bisect_right(self.starts, offset)

    def line_of(self, words: str) -> int:
        """The first line of the file that holds the words; 1 where none does."""
        at = self.draft.text.find(words)
        return self.draft.text.count("\n", 0, at) + 1 if at >= 0 else 1

    def line_of_reference(self, name: str) -> int:
        """The first line that gives a reference this id, and not one that begins like it; 1 where none does."""
        found = re.search(rf"\bid:[ \t]*([\"']?){re.escape(name)}\1[ \t]*(?=[,}}#\n])", self.draft.text)
        return self.draft.text.count("\n", 0, found.start()) + 1 if found else 1


def handed_in(
    draft: Draft, brief: Brief, sources: Sequence[Source], base_pages: Container[str], *, is_thin: bool
) -> Handed:
    """The draft, read."""
    document = read_document(draft.text)
    return Handed(
        draft=draft,
        brief=brief,
        sources={source.id: source for source in sources if source.fetched.text},
        base_pages=base_pages,
        is_thin=is_thin,
        meta=document.meta,
        body=document.body,
        starts=line_starts(document.body.split("\n")),
        above=document.lines_above,
        wrong=document.error.reason if document.error else "",
        references=read_references(draft.text, brief.page)[0],
        citations=find_citations(document.body),
        nodes=tuple(document.tree.descendants()),
    )


def failure(gate: str, message: str, line: int = 1) -> Finding:
    """A finding that holds the page back."""
    return Finding(gate, True, message, line)


def report(gate: str, message: str, line: int = 1) -> Finding:
    """A finding that is told."""
    return Finding(gate, False, message, line)
