"""A base with pages of two plans in one folder."""

from __future__ import annotations

from planbook.library import Library, link_tree
from planbook.model import Tree


def two_plans(pages: int, *days: str, title: str = "Rye & <b>oats</b>") -> Library:
    """A base with this number of pages in `grain`, from two plans; all are written, those of each plan on one day."""
    plans: dict[str, bytes] = {}
    for n, name in enumerate((title, "Wheat")):
        numbers = range(n * (pages // 2), (n + 1) * (pages // 2))
        day = days[n] if days else "2026-11-20"
        parts = "".join(
            f"\n## PART {i}: A\n\n- [✓] PART {i}: Create grain/{i:02}.md (Completed {day})\n" for i in numbers
        )
        plans[f"plans/{n}.md"] = f"# {name}\n{parts}".encode()
    texts = {f"grain/{i:02}.md": f"# Page {i}\n\nAbout {i}.\n\n## One\n\n## Two\n".encode() for i in range(pages)}
    return link_tree(Tree(plans, {}, texts))
