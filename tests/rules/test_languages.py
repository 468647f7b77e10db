"""Shell is parsed by bash, once for each text of a page, and only where it is selected."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.cache import CachedCalls, DiskCache
from generator.rules.languages import check_code
from generator.rules.project import Selection
from tests.rules.project import PAGE, SOUND, checked

WATER, TIME = "docs/tea/01-water.md", "docs/tea/02-time.md"
OPEN = "\n```sh\nif true; then\n```\n"


def test_results_are_cached_by_page(tmp_path: Path) -> None:
    """A page whose text stays is not parsed again; what was found stays the same, at its new line if the page moves."""
    calls = CachedCalls(DiskCache(tmp_path / "cache"))
    first = checked({**SOUND, WATER: PAGE + OPEN}, calls=calls)
    assert [(p.uri, p.code) for p in first if p.code == "K030"] == [(WATER, "K030")]
    assert checked({**SOUND, WATER: PAGE + OPEN}, calls=calls) == first
    moved = checked({**SOUND, WATER: PAGE + "\nMore.\n" + OPEN}, calls=calls)
    assert [p.line for p in moved if p.code == "K030"] == [p.line + 2 for p in first if p.code == "K030"]


@pytest.mark.parametrize(
    "selection", [Selection(ignore=("K030",)), Selection(select=("P",)), Selection(files=frozenset({TIME}))]
)
def test_what_is_not_selected_is_not_reported(selection: Selection) -> None:
    """Neither a code nor a file."""
    assert not [p for p in checked({**SOUND, WATER: PAGE + OPEN}, selection) if p.code == "K030"]


def test_without_bash_shell_is_not_checked() -> None:
    """Nor is a language that nobody knows, or a session with prompts."""
    text = "".join(f"\n```{name}\nFOO (\n```\n" for name in ("sh", "cuda", "text")) + "\n```python\n>>> f(\n```\n"
    assert check_code(text.encode(), "a.md", None) == ()
