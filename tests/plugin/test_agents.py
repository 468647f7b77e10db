"""The files for programs, in a site that MkDocs built."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from tests.plugin.conftest import HARM, Built, built_strictly, copied_site, hashes


def test_every_page_has_its_twin(complete: Built) -> None:
    """Each page names a twin in its head, which is there; a written page's ends with its file's own words."""
    pages = sorted(complete.site.rglob("index.html"))
    assert len(pages) > 10
    for page in pages:
        address = re.search(r'<link rel="alternate" type="text/markdown" href="([^"]+)">', page.read_text("utf-8"))
        assert address, page
        folder = page.parent.relative_to(complete.site).as_posix()
        uri = posixpath.normpath(posixpath.join(folder, address[1]))
        text = (complete.site / uri).read_bytes()
        source = complete.root / "docs" / uri
        if source.is_file() and not source.read_bytes().startswith(b"---"):
            assert text.endswith(source.read_bytes().removeprefix(b"\xef\xbb\xbf"))


def test_links_between_twins_hold(complete: Built) -> None:
    """A relative link to a page in a twin leads to that page's twin."""
    found = 0
    for twin in complete.site.rglob("*.md"):
        for address in re.findall(r"\]\((?!https?:)([^)#\s]+\.md)(?:#[^)]*)?\)", twin.read_text("utf-8")):
            if (complete.root / "docs" / twin.relative_to(complete.site)).exists():
                continue  # an author's links may be broken, and are told by others
            assert (twin.parent / address).is_file(), f"{twin}: {address}"
            found += 1
    assert found > 20


def test_the_option_leaves_them_out(tmp_path: Path) -> None:
    """`agents: false`: no twin, no llms.txt, and no page that names one."""
    root = copied_site(tmp_path / "site")
    config = root / "mkdocs.yml"
    config.write_text(
        config.read_text("utf-8").replace("  - planbook", "  - planbook:\n      agents: false", 1), "utf-8"
    )
    built = built_strictly(root, wrong=HARM)
    names = set(hashes(built.site))
    assert "progress.json" in names
    assert not [name for name in names if name.endswith((".md", "llms.txt"))]
    assert "text/markdown" not in (built.site / "index.html").read_text("utf-8")
