"""Lines that look like a form of a plan and are not read as one (P042), with the likely meaning.

Read `find_lines_not_understood` first: it asks for PARTs, for lines and for tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planbook.markdown.plan_blocks import Block
from planbook.model import Plan
from planbook.plan.misspelled_lines import find_misspelled_lines
from planbook.plan.misspelled_parts import find_interruptions, find_misspelled_parts
from planbook.plan.paths import read_targets
from planbook.plan.tables import is_table

Finding = tuple[int, str, str]
"""Line, code, message."""


def find_lines_not_understood(plan: Plan, blocks: Sequence[Block]) -> Iterator[Finding]:
    """Yield P042 for each line that looks like a form of a plan, and was not read as one.

    There is at most one a line.
    """
    parts = [part for part in plan.parts if not part.is_group]
    seen: set[int] = set()
    of_tables = () if plan.parts else _find_tables_of_pages(blocks)
    messages = (
        *find_misspelled_parts(plan, parts, blocks),
        *find_interruptions(parts, blocks),
        *find_misspelled_lines(parts, blocks),
        *of_tables,
    )
    for line, message in messages:
        if line not in seen:
            seen.add(line)
            yield line, "P042", message


def _find_tables_of_pages(blocks: Sequence[Block]) -> Iterator[tuple[int, str]]:
    """Yield the tables of a plan without PARTs whose rows name pages."""
    for block in blocks:
        rows = block.lines[2:] if block.kind == "paragraph" and is_table(block.lines) else ()
        targets = [path for row in rows for path in read_targets(row.replace("|", " "), noted=True)]
        if targets:
            yield (
                block.line,
                "a table is not read as PARTs; write a heading for each row, "
                f"such as `## PART 1: Create {targets[0]}`",
            )
