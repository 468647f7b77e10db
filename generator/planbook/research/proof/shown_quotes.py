"""Compare the block quotes and code of a page with the quotes that they cite. Pure.

People and the writer `command` also show code of their own: a block is taken for a quote only if the paragraph above it
ends in the citation of quotes, and most of its words are theirs.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from planbook.citations.grounds import spans_in
from planbook.citations.in_text import Citation
from planbook.citations.quotes import fold, words
from planbook.markdown.document import Node, edited
from planbook.model import Problem
from planbook.research.proof.sentences import MIN_CHARS, MIN_WORDS

if TYPE_CHECKING:
    from planbook.research.proof.draft_rules import ParsedDraft

_ALIKE = 0.6
"""The least share of the words of a person's code in the quotes that it is taken for."""
_CONTINUED = re.compile(r"(?:(?<![ \t])[ \t]+)?\\\n[ \t]*")
"""The end of a line of a shell that goes on in the next one."""
_PROMPT = re.compile(r"^\s*\$ ")
"""The prompt of a shell, which many sources leave out."""
_WORD = re.compile(r"\w+")
_OWN_CODE = frozenset({"hand", "command"})
"""Writers that may show code of their own."""
_SHOWN_CHARS = 80
"""Characters of a line that a message repeats."""


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


def shown_blocks(nodes: Sequence[Node]) -> Iterator[QuotingBlock]:
    """Yield the block quotes and the blocks of code of a page, in order, without those within block quotes."""
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


def check_shown(parsed: ParsedDraft) -> Iterator[Problem]:
    """Compare each quote in the text with the quotes that it cites; programs must cite one for each."""
    may_be_own_code = parsed.draft.writer in _OWN_CODE
    for block in shown_blocks(parsed.nodes):
        may_be_own = block.is_code and may_be_own_code
        is_nested = block.node.depth > 0
        if is_nested and not may_be_own:
            continue
        what = "this code" if block.is_code else "this block quote"
        wanted = cited_quotes(parsed, block)
        if may_be_own and not _is_taken_for(block.node.all_text(), wanted):
            continue
        if wanted:
            fault = _fault(parsed, block, wanted)
            if fault:
                yield parsed.problem("D043", f"{what} differs from {fault}", parsed.at(block.node))
        elif not parsed.is_submitted:
            yield parsed.problem("D042", f"{what} has no citation; end it with [@id, q1]", parsed.at(block.node))


def cited_quotes(parsed: ParsedDraft, block: QuotingBlock) -> tuple[CitedQuote, ...]:
    """Return the quotes that a block shows: those that it cites itself, else those in which the text above it ends."""
    own = () if block.is_code else within(parsed.citations, block.node)
    cited = own or _lead(parsed, block)
    quotes = {reference.id: dict(reference.quotes) for reference in parsed.references}
    found = ((one.reference, one.locator or "") for one in cited)
    return tuple(
        dict.fromkeys(CitedQuote(name, key, quotes[name][key]) for name, key in found if key in quotes.get(name, {}))
    )


def _lead(parsed: ParsedDraft, block: QuotingBlock) -> Sequence[Citation]:
    """Return the citations of the text above a block, unless they support a sentence that goes on behind them."""
    if block.above is None:
        return ()
    start, end = block.above
    lead = _between(parsed.citations, start, end)
    writes_code = block.is_code and parsed.draft.writer in _OWN_CODE
    goes_on = bool(lead) and bool(parsed.body[lead[-1].end : end].strip(" .:;\n"))
    return () if writes_code and goes_on else lead


def within(citations: Sequence[Citation], node: Node) -> Sequence[Citation]:
    """Return those of `citations`, which are in order, that begin within `node`."""
    return _between(citations, node.start, node.end)


def _between(citations: Sequence[Citation], start: int, end: int) -> Sequence[Citation]:
    first, last = (bisect_left(citations, at, key=lambda one: one.start) for at in (start, end))
    return citations[first:last]


def _is_taken_for(code: str, quotes: Sequence[CitedQuote]) -> bool:
    """Return whether most words of some code stand in quotes, line by line in their order."""
    shown = [_WORD.findall(line) for line in code_lines(code)]
    wanted = [_WORD.findall(quote.text) for quote in quotes]
    shared = sum(max((_shared(line, quote) for quote in wanted), default=0) for line in shown)
    return shared >= _ALIKE * max(1, sum(map(len, shown)))


def _shared(line: Sequence[str], quote: Sequence[str]) -> int:
    """Return the number of words of a line that a quote has in the same order; the quote may have more."""
    blocks = SequenceMatcher(None, line, quote, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks)


def code_lines(code: str) -> tuple[str, ...]:
    """Return the lines of some code that are not empty, folded, without prompts; continued lines are one."""
    joined = _CONTINUED.sub(" ", code)
    lines = (fold(_PROMPT.sub("", line)) for line in joined.split("\n"))
    return tuple(line for line in lines if line)


def _fault(parsed: ParsedDraft, block: QuotingBlock, wanted: Sequence[CitedQuote]) -> str:
    """Return what differs between a block and the quotes that it cites; empty if it shows them."""
    is_part_enough = parsed.is_submitted
    whole = " ".join(quote.text for quote in wanted)
    seen = _seen(parsed, block)
    texts = [*(quote.text for quote in wanted), whole]
    if any(_is_same(seen, text, is_part_enough=is_part_enough, is_code=block.is_code) for text in texts):
        return ""
    named = _listed([str(quote) for quote in wanted])
    cited = f"the quote that it cites, {named}" if len(wanted) == 1 else f"the quotes that it cites, {named}"
    if not block.is_code:
        return cited
    lines = code_lines(block.node.all_text())
    is_in = [any(_has_line(quote.text, line, is_part_enough=is_part_enough) for quote in wanted) for line in lines]
    if all(is_in):
        return ""
    first = lines[is_in.index(False)]
    shown = first if len(first) <= _SHOWN_CHARS else f"{first[:_SHOWN_CHARS].rstrip()} …"
    return f"{cited}: the line “{shown}” is not in {'it' if len(wanted) == 1 else 'them'}"


def _listed(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _seen(parsed: ParsedDraft, block: QuotingBlock) -> str:
    """Return the visible text of a block, without its citations."""
    node = block.node
    if block.is_code:
        return fold(node.all_text())
    groups = sorted({(c.start - node.start, c.end - node.start) for c in within(parsed.citations, node)})
    blanks = [(start, end, " " * (end - start)) for start, end in groups]
    return words(edited(parsed.body[node.start : node.end], blanks)[: node.end - node.start])


def _is_same(seen: str, quote: str, *, is_part_enough: bool, is_code: bool) -> bool:
    """Return whether a block shows a quote, or a part of it if that is enough. Blanks in code do not count."""
    wanted = fold(quote)
    if is_code and "".join(seen.split()) == "".join(wanted.split()):
        return True
    if is_code and is_part_enough and has_code_line(wanted, seen):
        return True
    is_part = is_part_enough and len(seen.split()) >= MIN_WORDS and seen.strip("“”\"'") in wanted
    return seen == wanted or (is_part and not is_code)


def _has_line(quote: str, line: str, *, is_part_enough: bool) -> bool:
    """Return whether a line of code is one of a quote, or part of one if that is enough."""
    squeezed = _squeezed(line)
    own = (_squeezed(one) for one in (*code_lines(quote), fold(quote)))
    if squeezed in own:
        return True
    # A short line, such as `done`, is found by chance within the words of another.
    is_word = len(squeezed) < MIN_CHARS and line in fold(quote).split()
    return is_word or (is_part_enough and has_code_line(quote, line))


def has_code_line(text: str, line: str) -> bool:
    """Return whether a text has a piece of code, whatever its blanks, that begins and ends with whole words."""
    letters = [(char, at) for at, char in enumerate(text) if not char.isspace()]
    squeezed, wanted = "".join(char for char, _ in letters), _squeezed(line)
    if len(wanted) < MIN_CHARS:
        return False
    at = squeezed.find(wanted)
    while at >= 0:
        start, end = letters[at][1], letters[at + len(wanted) - 1][1] + 1
        is_cut_before = bool(re.match(r"\w\w", text[max(0, start - 1) : start + 1]))
        is_cut_behind = bool(re.match(r"\w-*\w", text[end - 1 : end + 3]))
        if not is_cut_before and not is_cut_behind:
            return True
        at = squeezed.find(wanted, at + 1)
    return False


def _squeezed(text: str) -> str:
    """Return a text without white space."""
    return "".join(text.split())


def own_code(parsed: ParsedDraft) -> Iterable[QuotingBlock]:
    """Return the blocks of code of a person or program that are not taken for quotes."""
    return (
        block
        for block in shown_blocks(parsed.nodes)
        if block.is_code and not _is_taken_for(block.node.all_text(), cited_quotes(parsed, block))
    )
