"""The offsets of a page at which citations of quotes may stand. Pure."""

from __future__ import annotations

from bisect import bisect_right

from planbook.citations.grounds import MARK, find_prose_spans
from planbook.research.proof.parsed_draft import ParsedDraft
from planbook.research.proof.quoting_blocks import find_quoting_blocks

_UNDIVIDED_KINDS = frozenset(
    {"Code", "Emphasis", "Image", "InlineHtml", "Link", "Strikethrough", "Strong"}
)
"""Inline nodes within which no citation stands."""


class CitationPoints:
    """The offsets of a page at which citations may stand."""

    def __init__(self, parsed: ParsedDraft) -> None:
        self._body = parsed.body
        self._spans = sorted(find_prose_spans(parsed.nodes))
        self._inline = [
            (node.start, node.end) for node in parsed.nodes if node.name in _UNDIVIDED_KINDS
        ]
        above = [block.above for block in find_quoting_blocks(parsed.nodes) if block.is_code]
        self._above_code = {span[0] for span in above if span}

    def block(self, offset: int) -> int:
        """Return the number of the paragraph or item at an offset: where it begins."""
        at = bisect_right(self._spans, (offset, len(self._body))) - 1
        return self._spans[at][0] if at >= 0 else 0

    def has_mark(self, offset: int) -> bool:
        """Return whether an offset is in a row of a table with the mark of a ground."""
        first = self._body.rfind("\n", 0, offset) + 1
        row = self._body[first:].partition("\n")[0]
        return row.lstrip().startswith("|") and MARK.search(row) is not None

    def usable(self, end: int | None, group: tuple[int, int]) -> int | None:
        """Return where a citation behind a sentence or cell stands; ``None`` if it may not.

        It stands before the full stop if the writer's does.

        Args:
            end: the offset behind the sentence or cell.
            group: the span of the writer's citation.
        """
        body = self._body
        is_end = end is not None and (end == len(body) or body[end] in " \t\n|")
        if end is None or not is_end:
            return None
        is_before_stop = body[group[1] : group[1] + 1] in set(".!?;:")
        at = end - 1 if is_before_stop and body[end - 1] in ".!?;:" else end
        is_inside = any(start < at < stop for start, stop in self._inline)
        is_of_code = end > group[1] and self.block(end) in self._above_code
        return None if is_inside or is_of_code else at
