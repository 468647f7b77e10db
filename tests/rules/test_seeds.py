"""What the linter says of real plans and pages: a golden file of places and codes, read by eye."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.rules.project import told

GOLDEN = Path(__file__).parent / "seeds.txt"


def base(shared: Path) -> dict[str, str]:
    """The user's plans with the sample pages and drops, as the project they are of."""
    seeds, samples = shared / "seeds", shared / "samples"
    files = {f"plans/{path.name}": path for path in seeds.rglob("*.md")}
    files |= {f"plans/{path.name}": path for path in (samples / "drops").rglob("*.md")}
    pages = samples / "pages"
    files |= {f"docs/{path.relative_to(pages).as_posix()}": path for path in pages.rglob("*.md")}
    return {uri: path.read_text(encoding="utf-8") for uri, path in sorted(files.items())}


def test_real_plans_and_pages(golden: Callable[[Path, str], None], shared: Path) -> None:
    """The same places and codes as when they were read last, one by one against the texts."""
    golden(GOLDEN, "\n".join(told(base(shared))) + "\n")
