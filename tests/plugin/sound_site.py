"""The small complete site, without what engines treat differently."""

from __future__ import annotations

from pathlib import Path

from tests.plugin.cited import cited_site


def sound_site(root: Path) -> Path:
    """The project without the page whose front matter stops a strict build."""
    cited_site(root).joinpath("docs/bread/20-broken.md").unlink()
    return root
