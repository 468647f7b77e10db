"""Lines of a page as its writer has it, for findings on the page that `finish` completes. Pure.

References and quotes are added to front matter, so that each line of the text moves down. Its own
lines stay: no citation that is rewritten gains or loses one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from difflib import SequenceMatcher

from planbook.markdown.document import read_document
from planbook.model import Problem


def move_to_written_lines(
    findings: Iterable[Problem], written: str, completed: str
) -> tuple[Problem, ...]:
    """Return findings on a completed page with the lines of the page as it was written.

    A finding on a line that was added to the front matter gets the last line above it that is in
    both.
    """
    if written == completed:
        return tuple(findings)
    above_written = read_document(written).lines_above
    above_completed = read_document(completed).lines_above
    head, whole_head = written.split("\n")[:above_written], completed.split("\n")[:above_completed]
    lines = {1: 1}
    matcher = SequenceMatcher(None, head, whole_head, autojunk=False)
    for block in matcher.get_matching_blocks():
        lines.update({block.b + n + 1: block.a + n + 1 for n in range(block.size)})
    written_line = 1
    for line in range(1, above_completed + 1):
        written_line = lines.setdefault(line, written_line)

    def line_of(finding: Problem) -> int:
        """Return the line of a finding in the page as it was written."""
        moved = above_completed - above_written
        return lines.get(finding.line, finding.line - moved)

    return tuple(replace(finding, line=max(1, line_of(finding))) for finding in findings)
