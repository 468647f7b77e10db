"""The sentences of pages that name no ground, for programs that go on from a report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from planbook.citations.grounds import Ground, read_sentences
from planbook.citations.in_text import find_citations
from planbook.markdown.callout_text import unwrap_callouts
from planbook.markdown.document import read_document
from planbook.markdown.syntax import syntax_tree
from planbook.model import PageUri
from planbook.rules.project import Project


@dataclass(frozen=True, slots=True)
class UngroundedSentence:
    """A sentence without citation and mark, on a page that says what its sentences rest on."""

    uri: str
    """The file of its page, relative to the project's folder."""
    line: int
    """1-based."""
    sentence: str
    """As a reader sees it."""


def ungrounded_sentences(project: Project) -> Iterator[UngroundedSentence]:
    """Yield the sentences that the head of a selected page counts as naming no source."""
    for uri, raw in project.pages.items():
        page = project.library.page_by_uri.get(PageUri(uri))
        if page is None or Ground.NONE.value not in dict(page.grounds):
            continue
        document = read_document(raw.decode("utf-8", errors="replace"))
        ids = {reference.id for reference in page.references}
        body = unwrap_callouts(document.body)
        nodes = tuple(syntax_tree(body, has_footnotes=True).descendants())
        for sentence in read_sentences(body, nodes, find_citations(body, ids)):
            announces = sentence.text.endswith(":")
            if sentence.ground is Ground.NONE and not announces:
                line = document.line(sentence.start)
                yield UngroundedSentence(f"{project.docs_dir}/{uri}", line, sentence.text)
