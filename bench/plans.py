"""Plans and drops that a script makes, in the forms that real ones have."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bench.text import NOUNS, cited_work, day, fill, prose, title

ITEM = 70
"""Characters of one point."""


@dataclass(frozen=True)
class Target:
    """The page that a PART is to make."""

    path: str
    """As the plan writes it; empty for a chore."""
    is_there: bool


def plan(chance: random.Random, name: str, targets: Sequence[Target], drops: Mapping[int, str], size: int) -> str:
    """Return a plan of about `size` bytes; `drops` has the names of the drops, by PART."""
    goals = "\n".join(f"{n}. {prose(chance, ITEM)}" for n in range(1, 5))
    head = (
        f"# Knowledge Expansion: {title(chance)}\n\n**Topic**: {prose(chance, 90)}\n**Date**: {day(chance)}\n"
        f"**Source**: {prose(chance, 60)}\n\n---\n\n## Overview\n\n{prose(chance, 200)}\n{goals}\n"
    )
    tail = f"## Completion Criteria\n\nAll PARTs must:\n- [ ] {prose(chance, ITEM)}\n- [ ] {prose(chance, ITEM)}\n"
    parts: list[str] = []
    for number, target in enumerate(targets, 1):
        left = size - len(head) - len(tail) - sum(map(len, parts))
        parts.append(_part(chance, number, target, drops.get(number, ""), left // (len(targets) - number + 1)))
    return "\n---\n\n".join([head, *parts, tail])


def _part(chance: random.Random, number: int, target: Target, drop_name: str, size: int) -> str:
    """A PART: its heading, its status line, and steps until it is as long as it may be."""
    task = f"Create {target.path}" if target.path else "Update INDEX.md"
    lines = 100 * chance.randint(3, 6)
    heading = f"Create {target.path} ({lines} lines)" if chance.random() < 0.7 and target.path else title(chance)
    mark, note = " ", ""
    if target.is_there and chance.random() < 0.93:
        mark = chance.choice("✓✓✓x")
        note = chance.choice(
            ("", f" (Completed {day(chance)})", f" (Completed {day(chance)} 21:{chance.randint(10, 59)} UTC)")
        )
    elif chance.random() < 0.2:
        mark = "/"
    text = [f"## PART {number}: {heading}\n", f"- [{mark}] PART {number}: {task}{note}\n"]
    if drop_name and chance.random() < 0.8:
        text.append(
            f"**Step 5: Create KNOWLEDGE DROP**\n- [ ] Create {drop_name}-[DATE].md\n- [ ] Include: Runner, Status\n"
        )
    left = size - sum(map(len, text))
    for step in _steps(chance, target, lines):
        if left < len(step):
            break
        text.insert(-1 if drop_name else len(text), step)
        left -= len(step)
    return "\n".join(text)


def _steps(chance: random.Random, target: Target, lines: int) -> Iterator[str]:
    """The steps of a PART, one after the other, and then points for as long as they are asked for."""
    folder = target.path.rpartition("/")[0] or NOUNS[0]
    grep = fill(chance, '- [ ] Grep for "{noun}" AND "{noun}" in ')
    queries = "".join(f'- [ ] Search: "{fill(chance, "{adjective} {noun} {product} {year}")}"\n' for _ in range(3))
    yield f"**Step 1: Web Research**\n{queries}- [ ] Scrape top 3-4 results per search\n"
    yield f"**Step 0: Check Existing Knowledge**\n- [ ] Read INDEX.md\n{grep}{folder}/\n"
    yield "**Step 2: Extract Key Content**\nResearch Focus:\n" + "".join(f"- {prose(chance, ITEM)}\n" for _ in range(6))
    for number in range(1, 40):
        head = "**Step 3: Write Knowledge File**\n" if number == 1 else ""
        cite = chance.choice(("      Cite web sources\n", f"      Cite: {fill(chance, '{product}')} docs\n", ""))
        points = "".join(f"      - {prose(chance, ITEM)}\n" for _ in range(chance.randint(2, 4)))
        yield f"{head}- [ ] Section {number}: {title(chance)} (~{lines // 4} lines)\n{points}{cite}"


def drop(chance: random.Random, part: int, target: Target, size: int) -> str:
    """Return the drop of a PART, of about `size` bytes; most name the page that was made."""
    text = f"# KNOWLEDGE DROP: {title(chance)}\n\n**Runner**: PART {part}\n**Timestamp**: {day(chance)}\n"
    text += chance.choice(("**Status**: ✓ COMPLETE\n\n", "**Status**: SUCCESS\n\n", "\n"))
    if target.path and chance.random() < 0.75:
        text += f"**File**: `{target.path}` (~{100 * chance.randint(3, 6)} lines)\n\n"
    sections = ("Content Summary", "Web Sources Used", "Key Findings", "Gaps Filled", "Context", "Takeaways")
    for name in sections:
        if len(text) > size:
            break
        text += f"---\n\n## {name}\n\n"
        while len(text) < size * (sections.index(name) + 1) / len(sections):
            text += _section_of_drop(chance, name)
    return text


def _section_of_drop(chance: random.Random, name: str) -> str:
    """Some lines of a drop: works with what they say, or points under a lead."""
    points = "".join(f"   - {prose(chance, ITEM)}\n" for _ in range(3))
    if name == "Web Sources Used":
        work = cited_work(chance)
        date = f"{work.publisher}, accessed {day(chance)}"
        return f"{chance.randint(1, 9)}. **[{work.title}]({work.url})** ({date})\n{points}\n"
    return f"### {title(chance)}\n{points}\n{prose(chance, 120)}\n\n"
