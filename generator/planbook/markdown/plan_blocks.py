"""Markdown source as a flat sequence of blocks with line numbers.

Headings, paragraphs, items, fences.

The grammar is CommonMark's, as implemented by markdown-it-py, with seven rules relaxed where real
plans often deviate, so that no line of a plan is lost: indented code is parsed as what it looks
like (six-space bullets are items), ``---`` below a paragraph is a rule and makes none but ``PART
n`` a heading, fences nest inside a ``markdown`` fence, a fence that is never closed ends before the
next PART, a label directly below a list is not part of its last item, a line without the quote mark
above is not part of the quote, and of HTML only closed comments are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock, blockquote
from markdown_it.token import Token

MAX_NESTING = 400
"""Far above what MAX_INDENT and MAX_MARKERS allow: beyond it, the parser drops the rest of the
text."""

MAX_INDENT, MAX_MARKERS = 100, 20
"""Maximum columns of indentation and number of list or quote markers at the start of a line; more
are skipped."""

PART_HEADING = re.compile(
    r"^ {0,3}(?:#{1,6}[ \t]*.{0,80}?\bPART[ \t]+#?\d|(?:\*\*|__)\W{0,8}(?:PART|Worker"
    r"|WORKER)[ \t]+\d)"
)
"""A line that no fence may contain: an unclosed fence ends before it."""

_FENCE = re.compile(r"^(`{3,}|~{3,})[ \t]*([^`]*)$")
_BOX = re.compile(
    r"^\[(?P<mark>[^\[\]]{0,12})\](?P<gap>\s+|$|(?=[\w*\"“`]))(?P<text>.*)$", re.DOTALL
)
_TIGHT_HEADING = re.compile(r"^#{1,6}(?=\W{0,4}(?:PART|Part)[ \t]+(?:\d|[IVX]+\b))")
_NESTS = r"(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))"
_DEEP_INDENT = re.compile(
    rf"^[ \t]{{{MAX_INDENT},}}|^((?:[ \t]*{_NESTS}){{{MAX_MARKERS}}})(?:[ \t]*{_NESTS})+",
    re.MULTILINE,
)
_UNDERLINE = re.compile(r"={3,}")
_PART_LINE = re.compile(r"(?:PART|Part)[ \t]+#?\d")
_LABEL = re.compile(r"(?:\*\*|__)[^*\n]{1,80}?(?::\s?(?:\*\*|__)|(?:\*\*|__)\s?(?::|$))")
"""``**Key**: value``, ``**Key:** value``, and ``**Key**`` alone."""
_BULLET = re.compile(r"^\s*[-*+•◦‣]\s+")
_TIGHT_BULLET = re.compile(r"^\s*(?:[-*+•◦‣](?=\[[^\[\]]{0,12}\]\s)|[•◦‣]\s+)")
"""A bullet that is none in CommonMark, also on the first line of a paragraph: ``-[ ] task``, ``•
task``."""
_TIGHT_MARKS = frozenset(" xX✓✔☑✅/~-")
"""The marks of boxes directly before a word, as in ``[x]task``; others are brackets around a
letter."""
_EMOJI_STYLE = "\ufe0f"
"""Follows ``✔`` and ``☑`` where they are typed as emoji."""
WORD_MARKS = {
    **dict.fromkeys(("done", "complete", "completed", "finished", "yes", "ok", "xx"), "x"),
    **dict.fromkeys(("todo", "to do", "open", "pending", "no"), " "),
    **dict.fromkeys(("wip", "partial", "in progress", "doing", "failed"), "/"),
    **dict.fromkeys(("skip", "skipped", "n/a"), "-"),
}
"""Words in a checkbox, and the mark that they stand for."""


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a Markdown document, in document order."""

    kind: str
    """``heading``, ``paragraph``, ``item``, ``fence`` or ``rule``."""
    line: int
    """Its first line, 1-based."""
    end_line: int
    """Its last line, inclusive; for an item, that of its first paragraph."""
    lines: tuple[str, ...] = ()
    """Its lines of text; for an item, without bullet and checkbox."""
    depth: int = 0
    """Number of list items that contain it, including itself: 1 for a top-level item."""
    level: int = 0
    """The level of a heading, 1 to 6."""
    info: str = ""
    """The language of a fence."""
    mark: str | None = None
    """The character in an item's checkbox."""
    defect: str = ""
    """``unclosed`` for a fence that is never closed."""

    @property
    def text(self) -> str:
        """The first line."""
        return self.lines[0] if self.lines else ""


def read_plan_blocks(text: str) -> tuple[Block, ...]:
    """Return all blocks of `text`, in order. Never raises.

    Nesting beyond the limits is flattened.
    """
    walk = _Walk()
    tokens = _PARSER.parse(_DEEP_INDENT.sub(lambda m: m[1] or " " * MAX_INDENT, text))
    blocks = [block for token in tokens for block in walk.blocks(token)]
    return tuple(_read_underlined_headings(blocks))


def _read_underlined_headings(blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield the blocks with underlined headings as such.

    Any above ``===``, above ``---`` only that of a PART.
    """
    for block, next_block in zip_longest(blocks, blocks[1:]):
        is_text = block.kind == "paragraph" and not block.depth
        if is_text and len(block.lines) > 1 and _UNDERLINE.fullmatch(block.lines[1]):
            yield Block("heading", block.line, block.line + 1, block.lines[:1], level=1)
            if len(block.lines) > 2:
                yield Block("paragraph", block.line + 2, block.end_line, block.lines[2:])
        # ``---`` below other text is the rule between two parts of a plan.
        elif (
            is_text
            and next_block
            and next_block.kind == "rule"
            and _is_part_above(block, next_block)
        ):
            yield Block("heading", block.line, block.line, block.lines, level=2)
        else:
            yield block


def _is_part_above(block: Block, rule: Block) -> bool:
    is_adjacent = len(block.lines) == 1 and rule.line == block.line + 1
    return is_adjacent and bool(_PART_LINE.match(block.text))


@dataclass(slots=True)
class _Walk:
    """Position in the token stream."""

    depth: int = 0
    quotes: int = 0
    level: int | None = None
    """The level of the open heading."""
    fresh: Token | None = None
    """A list item whose first paragraph has not been read yet."""

    def blocks(self, token: Token) -> Iterator[Block]:
        """Return the blocks that `token` completes."""
        match token.type:
            case "list_item_open":
                yield from self._without_text()
                self.depth, self.fresh = self.depth + 1, token
            case "list_item_close":
                yield from self._without_text()
                self.depth -= 1
            case "blockquote_open" | "blockquote_close":
                self.quotes += token.nesting
            case "heading_open" | "heading_close":
                self.level = int(token.tag[1]) if token.nesting == 1 else None
            case "inline":
                yield from self._text(token)
            case "fence":
                yield from self._without_text()
                lines, info = tuple(token.content.split("\n")), token.info.strip().lower()
                defect = token.meta.get("defect", "")
                yield Block(
                    "fence",
                    _first_line_of_token(token),
                    _last_line(token),
                    lines,
                    self.depth,
                    info=info,
                    defect=defect,
                )
            case "hr":
                yield Block("rule", _first_line_of_token(token), _last_line(token))

    def _text(self, token: Token) -> Iterator[Block]:
        line, depth = _first_line_of_token(token), self.depth
        if self.level is not None and not depth and not self.quotes:
            yield Block(
                "heading", line, _last_line(token), (token.content.strip(),), level=self.level
            )
            return
        texts = token.content.split("\n")
        headings = [
            n
            for n, text in enumerate(texts)
            if n and not depth and PART_HEADING.match(text.strip())
        ]
        # A heading without a blank line above is a line of its paragraph in CommonMark.
        for first, end in pairwise([0, *headings, len(texts)]):
            (at, lines), *bullets = _bullets(texts[first:end], line + first)
            if self.fresh is not None:
                self.fresh = None
                yield _item_on_line(lines or ("",), depth, at)
            elif lines and not depth and _TIGHT_HEADING.match(lines[0]):
                yield Block("heading", at, at, (lines[0].lstrip("# "),), level=2)
            elif lines:
                yield Block("paragraph", at, at + len(lines) - 1, lines, depth)
            yield from (_item_on_line(text, depth + 1, n) for n, text in bullets)

    def _without_text(self) -> Iterator[Block]:
        """Return a pending item that does not begin with text."""
        if self.fresh is not None:
            yield _item_on_line(("",), self.depth, _first_line_of_token(self.fresh))
            self.fresh = None


def _last_line(token: Token) -> int:
    return max(token.map[1], token.map[0] + 1) if token.map else 1


def _first_line_of_token(token: Token) -> int:
    return token.map[0] + 1 if token.map else 1


def _bullets(texts: Sequence[str], line: int) -> list[tuple[int, tuple[str, ...]]]:
    """Return runs of lines with line numbers.

    The first is the text; each other one is a bullet that CommonMark parses as text.

    Bullets indented by four or more below a paragraph are running text in CommonMark, but not to
    their author.
    """
    runs: list[tuple[int, list[str]]] = [(line, [])]
    for n, text in enumerate(texts, line):
        # In the first line, a bullet with a blank would have been an item, so there it is text.
        bullet = (_BULLET.match(text) if n > line else None) or _TIGHT_BULLET.match(text)
        if bullet:
            runs.append((n, [text[bullet.end() :].strip()]))
        else:
            runs[-1][1].append(text.strip())
    return [(n, tuple(lines)) for n, lines in runs]


def _item_on_line(lines: tuple[str, ...], depth: int, line: int) -> Block:
    box = _BOX.match(lines[0])
    mark = mark_in(box["mark"]) if box else None
    is_tight = box is not None and not box["gap"] and bool(box["text"])
    # `[x]Bake` is a box that lacks its blank, `[a]gain` is a word.
    if is_tight and mark not in _TIGHT_MARKS:
        mark = None
    if box and mark is not None:
        lines = (box["text"].strip(), *lines[1:])
    return Block("item", line, line + len(lines) - 1, lines, depth, mark=mark)


def mark_in(box: str) -> str | None:
    """Return the mark in a checkbox, ``✓`` for ``[ ✓ ]`` and ``x`` for ``[done]``.

    The result is ``None`` if it is no checkbox.

    One sign or letter is a mark, known or not. Digits and other words are not: ``[1]`` is a
    reference.
    """
    bare = box.replace(_EMOJI_STYLE, "").strip() or " "
    if len(bare) == 1 and not bare.isdigit():
        return bare
    return WORD_MARKS.get(bare.lower())


# --- the relaxed rules ----------------------------------------------------------------------------


def _tolerant_fence(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """The rule https://spec.commonmark.org/0.31.2/#fenced-code-blocks, with a more tolerant end."""
    opening = _FENCE.match(_source_line(state, start))
    if not opening:
        return False
    if silent:
        return True
    # An unclosed fence ends above the line `close`, which is read as text again.
    close, unclosed = _closing_fence(state, opening, start, end)
    token = state.push("fence", "code", 0)
    token.info, token.markup = opening[2], opening[1]
    token.content = state.getLines(start + 1, close, state.sCount[start], True)
    token.map = [start, close if unclosed else close + 1]
    token.meta = {"defect": "unclosed"} if unclosed else {}
    state.line = close if unclosed else close + 1
    return True


def _closing_fence(
    state: StateBlock, opening: re.Match[str], start: int, end: int
) -> tuple[int, bool]:
    """Return the fence's closing line, and whether it is unclosed.

    Unclosed, it is the line before which the fence ends. A fence inside a ``markdown`` fence is
    nested. A fence that extends across a PART heading to the marker of another fence was left open:
    another one opens inside it, or it does not look like a separate block (text directly below its
    first marker, a blank line below its last).
    """
    marks = _fence_marks(state, opening, start, end)
    seen: list[tuple[int, str]] = []
    limit = None
    for mark in marks:
        seen.append(mark)
        if mark[1] == "part" and limit is None:
            limit = mark[0]
        elif mark[1] == "open" and limit is not None:
            return limit, True
        elif mark[1] == "close":
            break
    last_line, kind = seen[-1]
    if kind == "end":
        return (last_line if limit is None else limit), True
    if limit is None:
        nests = opening[2].split(" ")[0].strip().lower() in {"markdown", "md"}
        nested = _nested_end(seen, marks) if nests else None
        return (last_line if nested is None else nested), False
    # It goes across a PART's heading: it is an example of a plan if it looks like one block.
    is_tight = bool(_source_line(state, start + 1)) and (
        last_line + 1 >= end or not _source_line(state, last_line + 1)
    )
    return (last_line, False) if is_tight else (limit, True)


def _nested_end(seen: list[tuple[int, str]], rest: Iterator[tuple[int, str]]) -> int | None:
    """Return the last line of a fence that contains others.

    The result is ``None`` if they do not pair up before the next PART.
    """
    depth = sum(kind == "open" for _, kind in seen)
    if depth == 0:
        return seen[-1][0]
    for line, kind in rest:
        if kind in {"part", "end"}:
            return None
        depth += 1 if kind == "open" else -1
        if depth < 0:
            return line
    return None


def _fence_marks(
    state: StateBlock, opening: re.Match[str], start: int, end: int
) -> Iterator[tuple[int, str]]:
    """Yield the lines after a fence's first line, up to the end of the enclosing block.

    ``open`` and ``close`` for marks that could open or close such a fence, ``part`` for a PART
    heading, then ``end``.
    """
    end_of_text = start + 1
    for n in range(start + 1, end):
        line = _source_line(state, n)
        if line and state.sCount[n] < state.blkIndent:
            break
        end_of_text = n + 1
        if PART_HEADING.match(line):
            yield n, "part"
        marker = _FENCE.match(line)
        if marker and marker[1][0] == opening[1][0] and len(marker[1]) >= len(opening[1]):
            yield n, "open" if marker[2].strip() else "close"
    yield end_of_text, "end"


def _source_line(state: StateBlock, n: int) -> str:
    return state.src[state.bMarks[n] + state.tShift[n] : state.eMarks[n]].rstrip()


def _comment(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Skip a closed HTML comment at the start of a line.

    One that is never closed, or contains another, is text.
    """
    if not _source_line(state, start).startswith("<!--"):
        return False
    for n in range(start, end):
        comment_text, closing, _ = _source_line(state, n).partition("-->")
        if n > start and "<!--" in comment_text:
            return False
        if closing:
            if not silent:
                state.line = n + 1
            return True
    return False


def _quote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Limit a block quote to lines with its marker: a line without one begins another block.

    CommonMark lets such a line continue the quote's paragraph, for which the library scans all
    lines below every quote.
    """
    stop = start
    while stop < end and _source_line(state, stop).startswith(">"):
        stop += 1
        if silent:
            break
    return stop > start and blockquote(state, start, stop, silent)


def _label(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """End a list item's paragraph at a label to the left of its text."""
    return (
        silent
        and state.sCount[start] < state.blkIndent
        and bool(_LABEL.match(_source_line(state, start)))
    )


# Without code by indentation, as authors indent tasks by four; without headings by underlines,
# which `_read_underlined_headings` reads; and without the parts of lines, which the readers of
# plans know.
_PARSER = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING})
_PARSER.disable(["code", "lheading", "reference", "inline", "text_join"])
_INTERRUPTED_RULES: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
_PARSER.block.ruler.at("fence", _tolerant_fence, _INTERRUPTED_RULES)
_PARSER.block.ruler.at("blockquote", _quote, _INTERRUPTED_RULES)
_PARSER.block.ruler.at("html_block", _comment, {"alt": ["paragraph", "reference", "blockquote"]})
_PARSER.block.ruler.before("paragraph", "label", _label, {"alt": ["paragraph", "reference"]})
