"""A project in memory for the linter's tests: texts by path go in, what `check` says comes out."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from planbook.library import link_tree
from planbook.markdown.extensions import PLAIN_SYNTAX, Syntax
from planbook.model import Problem, Tree
from planbook.rules.pages import find_budgets
from planbook.rules.project import CodeFilter, Project
from planbook.rules.registry import check, fix_file
from planbook_cache.functions import NO_CACHE, FunctionCache

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)

PLAN = """# Tea

**Date**: 2026-11-20

## PART 1: Create tea/01-water.md (10 lines)

- [✓] PART 1: Create tea/01-water.md (Completed 2026-11-20 10:00 UTC)

- [ ] Section 1: Hardness (~10 lines)
"""
PAGE = """# Water

Soft water is better for green tea.

It tastes of what is in it.

- [Time](02-time.md)

## Sources

- [Water for tea](https://water.example/tea) (accessed 2026-11-20)
"""
TIME = """# Time

See [water](01-water.md).

## Sources

- [How long](https://time.example/tea) (accessed 2026-11-20)
"""
SOUND = {"plans/tea.md": PLAN, "docs/tea/01-water.md": PAGE, "docs/tea/02-time.md": TIME}
"""A base with nothing to remark."""


def checked(
    files: Mapping[str, str], code_filter: CodeFilter | None = None, cache: FunctionCache = NO_CACHE
) -> tuple[Problem, ...]:
    """What the linter says of `files`, by path in the project."""
    raw = {path: text.encode("utf-8") for path, text in files.items()}
    drops = {path for path in raw if "/KNOWLEDGE-DROP" in path}
    tree = Tree(
        plans={path: text for path, text in raw.items() if path.startswith("plans/") and path not in drops},
        drops={path: raw[path] for path in drops},
        pages={path.removeprefix("docs/"): text for path, text in raw.items() if path.startswith("docs/")},
    )
    library, code_filter = link_tree(tree, cache), code_filter or CodeFilter()
    return check(Project(tree=tree, library=library, code_filter=code_filter, cache=cache))


def fixed_page(text: str, syntax: Syntax = PLAIN_SYNTAX) -> str:
    """A page after `--fix` of what the linter says of its headings."""
    raw = text.encode("utf-8")
    found = [Problem("docs/x.md", line, "K029", "") for line, *_ in find_budgets(raw, syntax)]
    return fix_file(raw, found, syntax).decode("utf-8")


def told(files: Mapping[str, str], code_filter: CodeFilter | None = None) -> list[str]:
    """The Problems as `path:line:column code`."""
    return [f"{p.uri}:{p.line}:{p.column} {p.code}" for p in checked(files, code_filter)]
