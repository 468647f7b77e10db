"""The ground of each sentence of a page: what it rests on, as the page itself says it. Pure.

A sentence is *quoted* if a citation follows it. Any other ground is marked after it, in words that
every reader sees::

    The cache is shared by all builds. [@kiln-manual, q1]
    So two builds with one key read the same layers [@kiln-manual, q1; @kiln-keys, q2] *(deduced)*.
    Give each project a key of its own *(advice)*.
    No work says how large the cache may grow *(not found)*.

A citation, *(deduced)* or *(advice)* also holds for the sentences before it in its paragraph that
have no ground of their own, back to the last one that has, as readers of papers expect it. What
introduces a list or a table, and cites, holds for its items or rows.

Why these: see docs/decisions/0050-grounds.md.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from planbook.citations.in_text import Citation, find_citations
from planbook.citations.quotes import words
from planbook.markdown.callout_text import unwrap_callouts
from planbook.markdown.edits import apply_edits
from planbook.markdown.syntax import Node, syntax_tree
from planbook.markdown.words import sentence_spans


class Ground(StrEnum):
    """The ground of a sentence."""

    QUOTED = "quoted"
    """It carries a citation."""
    DEDUCED = "deduced"
    """It follows from the quotes that it cites, or from sentences above it in its section."""
    ADVICE = "advice"
    """A recommendation of the writer."""
    EXAMPLE = "example"
    """An example of the writer's own, run or marked as not run."""
    MEASURED = "measured"
    """The result of an experiment of the base, to which it links."""
    NOT_FOUND = "not found"
    """It says that the works that were read have no passage on something."""
    NONE = "none"
    """Nothing says what it rests on."""


WEAK_GROUNDS = frozenset({Ground.DEDUCED, Ground.ADVICE})
"""Grounds of which a page may have only so much."""
MAX_DEDUCED_SHARE, MAX_WEAK_SHARE = 0.25, 0.5
"""The largest shares of deduced sentences, and of these and advice, if a PART is done."""
_COVERING_GROUNDS = frozenset({Ground.QUOTED, *WEAK_GROUNDS})
"""Grounds that hold for the sentences before them, too."""
_MIN_SENTENCES = 4
"""Number of sentences of a page from which on their shares mean something."""

MARK = re.compile(
    r"(?<!`)[*_]"
    r"\((?P<ground>deduced|advice|measured|not found"
    r"|example(?:, (?:not run|run \d{4}-\d\d-\d\d))?)\)"
    r"[*_](?!`)"
)
"""The mark of a ground: ``*(deduced)*``, ``_(example, not run)_``."""
_SPACE_BEFORE_STOP = re.compile(r"(?<!\s)\s+(?=[.,;:!?](?:\W|$))")
"""Blanks that a citation leaves before the full stop of its sentence; none before `.spec.size`."""


_GOES_ON = re.compile(r"\s*[;,\u2013\u2014]\s+(?=\w)")
"""The sign behind the mark of a clause to which another one is joined."""
_LABEL = re.compile(r"(?:\*\*|__)[^*_\d\n]{1,60}(?:\*\*|__)[.:]?\s*")
"""A few words in bold above the text of their paragraph or item: ``**Default size.**``."""


@dataclass(frozen=True, slots=True)
class GroundedSentence:
    """A sentence of a page with its ground."""

    text: str
    """As a reader sees it, without citations and marks."""
    ground: Ground
    start: int
    """Offset in the page's body."""
    citations: tuple[Citation, ...] = ()
    section: str = ""
    """The nearest heading above it."""
    is_covered: bool = False
    """True if its ground stands behind a later sentence of its paragraph, or above its list."""
    end: int = 0
    """Offset behind its last character in the page's body, before the signs that follow it."""


def read_sentences(
    body: str, nodes: Sequence[Node], citations: Sequence[Citation]
) -> tuple[GroundedSentence, ...]:
    """Return the sentences of the prose of a page, in order.

    Prose is in paragraphs and items of lists, not in quotes and code.

    Args:
        body: the Markdown of the page.
        nodes: all nodes of its syntax tree, in order.
        citations: its citations, in order.
    """
    sentences: list[GroundedSentence] = []
    quoted_until, section = 0, ""
    lead, listed_until = None, 0
    for node in nodes:
        if node.name == "Heading":
            section = words(body[node.start : node.end])
        elif node.name == "BlockQuote":
            quoted_until = max(quoted_until, node.end)
        elif node.name == "List" and node.start >= listed_until:
            lead = find_lead(body, node, sentences)
            listed_until = node.end
        elif node.start >= quoted_until:
            above = lead if node.start < listed_until else None
            for span in spans_in(node):
                sentences_within = _read_prose_paragraph(body, span, citations, section)
                sentences += _cover(list(sentences_within), above)
    return tuple(sentences)


def find_lead(
    body: str, node: Node, sentences: Sequence[GroundedSentence]
) -> GroundedSentence | None:
    """Return the cited sentence that introduces a list or table directly below it, if any.

    Args:
        body: the Markdown of the page.
        node: the list or the table.
        sentences: those of the page in order, or those above the node.
    """
    index = bisect_left(sentences, node.start, key=_start_of_sentence)
    above = sentences[index - 1] if index else None
    if above is None or above.ground is not Ground.QUOTED or not above.text.endswith(":"):
        return None
    is_directly_above = "\n\n" not in body[above.start : node.start].strip()
    return above if is_directly_above else None


def _start_of_sentence(sentence: GroundedSentence) -> int:
    return sentence.start


def _cover(
    sentences: Sequence[GroundedSentence], lead: GroundedSentence | None
) -> list[GroundedSentence]:
    """Return the sentences of a paragraph, those without a ground with the one that covers them.

    Args:
        sentences: all of one paragraph or item, in order.
        lead: the sentence that introduces the list of this item, if it cites.
    """
    covered: list[GroundedSentence] = []
    covering = lead
    for sentence in reversed(sentences):
        if sentence.ground is not Ground.NONE:
            covering = sentence if sentence.ground in _COVERING_GROUNDS else None
            covered.append(sentence)
        elif covering is not None and not sentence.text.endswith(":"):
            by_other = replace(
                sentence,
                ground=covering.ground,
                citations=covering.citations,
                is_covered=True,
            )
            covered.append(by_other)
        else:
            covered.append(sentence)
    return covered[::-1]


def find_prose_spans(nodes: Sequence[Node]) -> Iterator[tuple[int, int]]:
    """Yield the spans of the paragraphs and items that `read_sentences` reads, in order."""
    quoted_until = 0
    for node in nodes:
        if node.name == "BlockQuote":
            quoted_until = max(quoted_until, node.end)
        elif node.start >= quoted_until:
            yield from spans_in(node)


_BLOCKS = frozenset(
    {"BlockQuote", "CodeBlock", "Heading", "Html", "List", "Paragraph", "Rule", "Table"}
)


def spans_in(node: Node) -> Iterator[tuple[int, int]]:
    """Yield the span of a paragraph, or of the text of an item whose text is in no paragraph."""
    if node.name == "Paragraph":
        yield node.start, node.end
    elif node.name == "Item":
        inline = [child for child in node.children if child.name not in _BLOCKS]
        if inline:
            yield inline[0].start, inline[-1].end


def _read_prose_paragraph(
    body: str, span: tuple[int, int], citations: Sequence[Citation], section: str
) -> Iterator[GroundedSentence]:
    """Yield the sentences of a paragraph.

    A sign after a full stop belongs to the sentence before it.
    """
    first, last = span
    text = body[first:last]
    citations_within = [citation for citation in citations if first <= citation.group_start < last]
    marks = list(MARK.finditer(text))
    blanks = [
        (own_citation.group_start - first, own_citation.group_end - first)
        for own_citation in citations_within
    ] + [mark.span() for mark in marks]
    # Without signs, a text is split where a reader ends a sentence.
    plain = apply_edits(
        text, ((start, end, " " * (end - start)) for start, end in sorted(set(blanks)))
    )
    spans = list(_split_at_marks(text, sentence_spans(plain), marks))
    ends = [start for start, _ in spans[1:]]
    ends.append(len(text))
    for (start, stop), end in zip(
        spans, ends, strict=False
    ):  # a paragraph of signs alone has no sentence
        inside = tuple(
            citation for citation in citations_within if start <= citation.group_start - first < end
        )
        marked_grounds = [mark["ground"] for mark in marks if start <= mark.start() < end]
        ground = _ground(marked_grounds[-1] if marked_grounds else "", is_cited=bool(inside))
        is_label = start == spans[0][0] and stop < len(text) and _LABEL.fullmatch(plain[start:end])
        sentence = _SPACE_BEFORE_STOP.sub("", words(plain[start:stop]))
        if sentence and not is_label:
            yield GroundedSentence(
                sentence, ground, first + start, inside, section, end=first + stop
            )


def _split_at_marks(
    text: str, spans: Sequence[tuple[int, int]], marks: Sequence[re.Match[str]]
) -> Iterator[tuple[int, int]]:
    """Yield the spans of sentences, and of their parts if one goes on behind a mark.

    "No work says it *(not found)*; measure it *(advice)*." has two parts.
    """
    for start, stop in spans:
        at = start
        for mark in marks:
            behind = _GOES_ON.match(text, mark.end(), stop)
            if at <= mark.start() < stop and behind:
                yield at, mark.start()
                at = behind.end()
        yield at, stop


def _ground(mark: str, *, is_cited: bool) -> Ground:
    """Return the ground that a mark names; without one, a citation is the ground."""
    if mark:
        return Ground(mark.partition(",")[0])
    return Ground.QUOTED if is_cited else Ground.NONE


def count_grounds(body: str, ids: Collection[str] = ()) -> tuple[tuple[str, int], ...]:
    """Return the number of sentences of a page by ground, in the order of `Ground`.

    Grounds that none has are left out.

    Lines that announce what follows are not counted. Empty if the page marks no sentence: then
    nobody has said what its sentences rest on.

    Args:
        body: the Markdown of the page.
        ids: the ids of its references.
    """
    if not MARK.search(body):
        return ()
    body = unwrap_callouts(body)
    nodes = tuple(syntax_tree(body, has_footnotes=True).descendants())
    counts: Counter[Ground] = Counter()
    for sentence in read_sentences(body, nodes, find_citations(body, ids)):
        announces = sentence.ground is Ground.NONE and sentence.text.endswith(":")
        if not announces:
            counts[sentence.ground] += 1
    is_marked = bool(counts.keys() - {Ground.QUOTED, Ground.NONE})
    if not is_marked:
        return ()
    return tuple((ground.value, counts[ground]) for ground in Ground if counts[ground])


def share_of(grounds: Collection[Ground], sentences: Sequence[GroundedSentence]) -> float:
    """Return the share of sentences with some grounds; 0 for a page too short to have shares."""
    grounded = [sentence for sentence in sentences if sentence.ground is not Ground.NONE]
    if len(grounded) < _MIN_SENTENCES:
        return 0.0
    return sum(sentence.ground in grounds for sentence in grounded) / len(grounded)


def sentences_above(sentences: Sequence[GroundedSentence], sentence: GroundedSentence) -> list[str]:
    """Return the texts of the sentences above one in its section that have a ground."""
    return [
        other.text
        for other in sentences
        if other.section == sentence.section
        and other.start < sentence.start
        and other.ground not in {Ground.NONE, Ground.NOT_FOUND}
    ]
