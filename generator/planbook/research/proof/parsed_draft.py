"""A draft, parsed once for all rules, with what it is checked against."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from planbook.citations.grounds import Ground, read_sentences
from planbook.citations.in_text import find_citations
from planbook.citations.references import read_references
from planbook.markdown.callout_text import unwrap_callouts
from planbook.markdown.document import read_document
from planbook.markdown.syntax import Node, syntax_tree
from planbook.model import Problem
from planbook.research.drafts import Brief, Draft, SentenceProblem, Source
from planbook.research.proof.page_references import PageParts

_OWN_WORDS = frozenset({"hand", "command"})
"""Writers that write in their own words, without a check of each sentence before."""


class ParsedDraft:
    """A draft, parsed once, and what it is checked against."""

    def __init__(  # noqa: PLR0913, PLR0917 - as `check_draft`
        self,
        draft: Draft,
        brief: Brief,
        sources: Sequence[Source],
        base_files: Collection[str],
        planned: Collection[str],
        other_works: Sequence[Source] = (),
    ) -> None:
        document = read_document(draft.text)
        self.draft, self.brief = draft, brief
        self.base_files, self.planned = base_files, planned
        self.sources = {source.id: source for source in sources if source.fetched.text}
        further = [source for source in other_works if source.id not in self.sources]
        self.read = (*self.sources.values(), *further)
        """All works that were read for it, also those that it may not cite."""
        self.meta: Mapping[str, Any] = document.meta
        self.error = document.error.reason if document.error else ""
        """The YAML error of the front matter, which is then empty."""
        self.written_body, self.lines_above = document.body, document.lines_above
        self.body = unwrap_callouts(document.body)
        """The same with callouts as paragraphs, since their words are the writer's."""
        tree = syntax_tree(self.body, has_footnotes=True)
        self.nodes: Sequence[Node] = tuple(tree.descendants())
        self.references = read_references(draft.text, brief.page)[0]
        ids = {reference.id for reference in self.references}
        self.citations = find_citations(self.body, ids)
        written = self.meta.get("references", [])
        entries = written if isinstance(written, list) else []
        self.items = [item for item in entries if isinstance(item, dict)]
        """The references as the front matter writes them."""
        self.sentences = read_sentences(self.body, self.nodes, self.citations)
        """The sentences of its prose, with their grounds."""
        self.line = document.line
        """Returns the line of the file with the character of the body at an offset, 1-based."""

    @property
    def is_submitted(self) -> bool:
        """True if a person, or an agent on its own, submits it.

        It may cite works that were not read here.
        """
        return self.draft.writer == "hand"

    @property
    def is_in_own_words(self) -> bool:
        """True if its writer writes in own words, and nobody has checked each sentence before."""
        return self.draft.writer in _OWN_WORDS

    @property
    def may_have_own_code(self) -> bool:
        """True if its writer may show code that is no quote."""
        return self.draft.writer in _OWN_WORDS

    @cached_property
    def parts(self) -> PageParts:
        """The numbers of its sections, steps, tables and rows, to which its sentences refer."""
        return PageParts(self.body, self.nodes)

    def problem(self, code: str, message: str, line: int = 1) -> Problem:
        """Return a Problem of this page."""
        return Problem(self.brief.page, line, code, message)

    def sentence_problem(
        self, code: str, text: str, fault: str, line: int, missing: Iterable[str] = ()
    ) -> SentenceProblem:
        """Return a Problem of a sentence of this page.

        Its message quotes the sentence, then says the fault.
        """
        message = f"“{text}”{fault}"
        return SentenceProblem(
            self.brief.page, line, code, message, sentence=text, missing=tuple(missing)
        )

    def is_marked(self, offset: int) -> bool:
        """Return whether a sentence has a mark that names another ground than quotes.

        Args:
            offset: the end of one of the sentence's citations.
        """
        unmarked = {Ground.QUOTED, Ground.NONE}
        marked = [sentence for sentence in self.sentences if sentence.ground not in unmarked]
        return any(cited.group_end == offset for sentence in marked for cited in sentence.citations)

    def at(self, node: Node) -> int:
        """Return the line of the file on which a node begins, 1-based."""
        return self.line(node.start)

    def source_of(self, node: Node) -> str:
        """Return the Markdown of a node."""
        return self.body[node.start : node.end]

    def line_of(self, text: str, before: str = "", after: str = "") -> int:
        """Return the first line of the file with a text; 1 if none has it.

        Args:
            text: the text.
            before: a pattern for what stands before it.
            after: a pattern for what stands behind it.
        """
        match = re.search(f"{before}{re.escape(text)}{after}", self.draft.text)
        return self.draft.text.count("\n", 0, match.start()) + 1 if match else 1
