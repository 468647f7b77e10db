"""Compare the block quotes and code of a page with the quotes that they cite. Pure.

People and the writer `command` also show code of their own: a block is taken for a quote only if
the paragraph above it ends in the citation of quotes, and most of its words are theirs.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from operator import attrgetter

from planbook.citations.grounds import spans_in
from planbook.citations.in_text import Citation
from planbook.citations.quotes import fold, words
from planbook.markdown.edits import apply_edits
from planbook.markdown.syntax import Node
from planbook.model import Problem
from planbook.research.proof.differences import describe_difference, is_cut_by_yaml
from planbook.research.proof.parsed_draft import ParsedDraft
from planbook.research.proof.sentences import MIN_CHARS, MIN_WORDS, strip_space

_MIN_SHARED_WORDS = 0.6
"""The least share of the words of a person's code in the quotes that it is taken for."""
_LINE_CONTINUATION = re.compile(r"(?:(?<![ \t])[ \t]+)?\\\n[ \t]*")
"""The end of a line of a shell that goes on in the next one."""
_PROMPT = re.compile(r"^\s*\$ ")
"""The prompt of a shell, which many sources leave out."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class CitedQuote:
    """A quote that a block cites."""

    work: str
    """The id of its reference."""
    key: str
    text: str

    def __str__(self) -> str:
        return f"{self.key} of @{self.work}"


@dataclass(frozen=True, slots=True)
class QuotingBlock:
    """A block quote or a block of code."""

    node: Node
    above: tuple[int, int] | None
    """The span of the paragraph directly above it, or of the text of its list item."""

    @property
    def is_code(self) -> bool:
        """True if it is code."""
        return self.node.name == "CodeBlock"


def find_quoting_blocks(nodes: Sequence[Node]) -> Iterator[QuotingBlock]:
    """Yield the block quotes and the blocks of code of a page, in order.

    Those within block quotes are left out.
    """
    above: tuple[int, int] | None = None
    quoted_until = 0
    for node in nodes:
        if node.start < quoted_until:
            continue
        if node.name in {"Paragraph", "Item"}:
            above = next(iter(spans_in(node)), above)
        elif node.name == "Heading":
            above = None
        elif node.name in {"BlockQuote", "CodeBlock"}:
            yield QuotingBlock(node, above)
            above = None
            if node.name == "BlockQuote":
                quoted_until = node.end


def check_quoting_blocks(parsed: ParsedDraft) -> Iterator[Problem]:
    """Compare each quote in the text with the quotes that it cites.

    Programs must cite one for each.
    """
    for block in find_quoting_blocks(parsed.nodes):
        may_be_writers_own = block.is_code and parsed.may_have_own_code
        is_nested = block.node.depth > 0
        if is_nested and not may_be_writers_own:
            continue
        name = "this code" if block.is_code else "this block quote"
        wanted = cited_quotes(parsed, block)
        if may_be_writers_own and not _is_taken_for(block.node.all_text(), wanted):
            continue
        if wanted:
            other = _differing_quotes(parsed, block, wanted)
            if other:
                yield parsed.problem("D043", f"{name} differs from {other}", parsed.at(block.node))
        elif not parsed.is_submitted:
            fault = f"{name} has no citation; end it with [@id, q1]"
            yield parsed.problem("D042", fault, parsed.at(block.node))


def cited_quotes(parsed: ParsedDraft, block: QuotingBlock) -> tuple[CitedQuote, ...]:
    """Return the quotes that a block shows.

    It cites them itself, or the text above it ends in their citations.
    """
    within_block = () if block.is_code else citations_within(parsed.citations, block.node)
    quotes = {
        (reference.id, key): quote
        for reference in parsed.references
        for key, quote in reference.quotes
    }
    in_order: dict[CitedQuote, None] = {}
    for citation in within_block or _citations_above(parsed, block):
        name, key = citation.reference_id, citation.locator or ""
        if (name, key) in quotes:
            in_order[CitedQuote(name, key, quotes[name, key])] = None
    return tuple(in_order)


def _citations_above(parsed: ParsedDraft, block: QuotingBlock) -> Sequence[Citation]:
    """Return the citations of the text above a block.

    Above a person's code, a sentence that goes on behind its citation is not about the code.
    """
    if block.above is None:
        return ()
    start, end = block.above
    above = _citations_between(parsed.citations, start, end)
    if above and block.is_code and parsed.may_have_own_code:
        rest = parsed.body[above[-1].group_end : end]
        if rest.strip(" .:;\n"):
            return ()
    return above


def citations_within(citations: Sequence[Citation], node: Node) -> Sequence[Citation]:
    """Return those of `citations`, which are in order, that begin within `node`."""
    return _citations_between(citations, node.start, node.end)


def _citations_between(citations: Sequence[Citation], start: int, end: int) -> Sequence[Citation]:
    first = bisect_left(citations, start, key=attrgetter("group_start"))
    last = bisect_left(citations, end, key=attrgetter("group_start"))
    return citations[first:last]


def _is_taken_for(code: str, quotes: Sequence[CitedQuote]) -> bool:
    """Return whether most words of some code stand in quotes, line by line in their order."""
    code_words = [_WORD.findall(line) for line in code_lines(code)]
    wanted = [_WORD.findall(quote.text) for quote in quotes]
    shared = 0
    for line in code_words:
        shared += max((_count_shared_words(line, quote) for quote in wanted), default=0)
    total = sum(len(line) for line in code_words)
    return shared >= _MIN_SHARED_WORDS * max(1, total)


def _count_shared_words(line: Sequence[str], quote: Sequence[str]) -> int:
    """Return the number of words of a line that a quote has in the same order.

    The quote may have more.
    """
    blocks = SequenceMatcher(None, line, quote, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks)


def code_lines(code: str) -> tuple[str, ...]:
    """Return the lines of some code that are not empty, folded, without prompts.

    Continued lines are one.
    """
    joined = _LINE_CONTINUATION.sub(" ", code)
    lines = (fold(_PROMPT.sub("", line)) for line in joined.split("\n"))
    return tuple(line for line in lines if line)


def _differing_quotes(
    parsed: ParsedDraft, block: QuotingBlock, wanted: Sequence[CitedQuote]
) -> str:
    """Return the quotes that a block cites and does not show; empty if it shows them."""
    is_part_enough = parsed.is_submitted
    seen = _visible_block(parsed, block)
    texts = [quote.text for quote in wanted]
    for text in (*texts, " ".join(texts)):
        if _shows_quote(seen, text, is_part_enough=is_part_enough, is_code=block.is_code):
            return ""
    noun = "quote" if len(wanted) == 1 else "quotes"
    cited = f"the {noun} that it cites, {_enumerate([str(quote) for quote in wanted])}"
    cut = next(
        (
            cited_quote
            for cited_quote in wanted
            if is_cut_by_yaml(cited_quote.text, parsed.draft.text)
        ),
        None,
    )
    hint = f"; YAML ends {cut} at ` #`: put it between quotation marks" if cut else ""
    if not block.is_code:
        return f"{cited}{hint}"
    for line in code_lines(block.node.all_text()):
        if not any(_has_line(text, line, is_part_enough=is_part_enough) for text in texts):
            return f"{cited}: {describe_difference(line, texts)}{hint}"
    return ""


def _enumerate(names: Sequence[str]) -> str:
    """Return names as a sentence lists them: ``q1, q2 and q3``."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _visible_block(parsed: ParsedDraft, block: QuotingBlock) -> str:
    """Return the visible text of a block, without its citations."""
    node = block.node
    if block.is_code:
        return fold(node.all_text())
    # Citations in one pair of brackets have the same span.
    spans = {citation.group for citation in citations_within(parsed.citations, node)}
    blanks = [
        (start - node.start, end - node.start, " " * (end - start)) for start, end in sorted(spans)
    ]
    # The brackets of the last one may end behind the node.
    text = apply_edits(parsed.source_of(node), blanks)[: node.end - node.start]
    return words(text)


def _shows_quote(seen: str, quote: str, *, is_part_enough: bool, is_code: bool) -> bool:
    """Return whether a block shows a quote, or a part of it if that is enough.

    Blanks in code do not count.
    """
    wanted = fold(quote)
    if seen == wanted:
        return True
    if is_code:
        is_same_code = strip_space(seen) == strip_space(wanted)
        return is_same_code or (is_part_enough and has_code_line(wanted, seen))
    is_long_enough = len(seen.split()) >= MIN_WORDS
    return is_part_enough and is_long_enough and seen.strip("“”\"'") in wanted


def _has_line(quote: str, line: str, *, is_part_enough: bool) -> bool:
    """Return whether a line of code is one of a quote, or part of one if that is enough."""
    whole = fold(quote)
    wanted = strip_space(line)
    if any(wanted == strip_space(other) for other in (*code_lines(quote), whole)):
        return True
    # A short line, such as `done`, is found by chance within the words of another.
    is_word = len(wanted) < MIN_CHARS and line in whole.split()
    return is_word or (is_part_enough and has_code_line(quote, line))


def has_code_line(text: str, line: str) -> bool:
    """Return whether a text has a piece of code, whatever its blanks.

    It begins and ends with whole words.
    """
    wanted = strip_space(line)
    if len(wanted) < MIN_CHARS:
        return False
    letters = [(char, at) for at, char in enumerate(text) if not char.isspace()]
    squeezed = "".join(char for char, _ in letters)
    at = squeezed.find(wanted)
    while at >= 0:
        start, end = letters[at][1], letters[at + len(wanted) - 1][1] + 1
        is_cut_before = bool(re.match(r"\w\w", text[max(0, start - 1) : start + 1]))
        is_cut_behind = bool(re.match(r"\w-*\w", text[end - 1 : end + 3]))
        if not is_cut_before and not is_cut_behind:
            return True
        at = squeezed.find(wanted, at + 1)
    return False


def own_code(parsed: ParsedDraft) -> Iterable[QuotingBlock]:
    """Return the blocks of code of a person or program that are not taken for quotes."""
    return (
        block
        for block in find_quoting_blocks(parsed.nodes)
        if block.is_code and not _is_taken_for(block.node.all_text(), cited_quotes(parsed, block))
    )
