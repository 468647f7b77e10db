"""The files for programs, in a site that MkDocs built."""

from __future__ import annotations

import posixpath
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.plugin.conftest import Built, Project, built_strictly, copied_site, hashes


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
    """`agents: false`: no twin, no llms.txt, no feed, and no page that names one."""
    root = copied_site(tmp_path / "site")
    config = root / "mkdocs.yml"
    config.write_text(
        config.read_text("utf-8").replace("  - planbook", "  - planbook:\n      agents: false", 1), "utf-8"
    )
    built = built_strictly(root)
    names = set(hashes(built.site))
    assert "progress.json" in names
    assert not [name for name in names if name.endswith((".md", "llms.txt", "feed.xml"))]
    assert "text/markdown" not in (built.site / "index.html").read_text("utf-8")


PLAN = "# Bread\n\n## PART 1: Create bread/1-rye.md\n\n- [✓] PART 1: Create bread/1-rye.md\n"
CONFIG = "site_name: Bread\nsite_url: https://bread.example/\ntheme: material\nplugins: [planbook]\n"


def test_the_feed_takes_days_from_git(project: Project) -> None:
    """A PART done without a time has the day of its page's first commit; a shallow clone does not know it."""
    root = project({"mkdocs.yml": CONFIG, "plans/bread.md": PLAN, "docs/bread/1-rye.md": "# Rye\n\nOld.\n"})
    git(root, "init", "--quiet")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", "Rye", day="2026-03-04")
    (root / "docs/bread/1-rye.md").write_text("# Rye\n\nVery old.\n", encoding="utf-8")
    git(root, "commit", "--quiet", "--all", "--message", "Older", day="2026-05-06")
    feed = (built_strictly(root).site / "feed.xml").read_text("utf-8")
    assert re.findall(r"<updated>([^<]+)</updated>", feed) == ["2026-03-04T00:00:00Z"] * 2
    clone = root.parent / f"{root.name}-clone"
    git(root.parent, "clone", "--quiet", "--depth", "1", f"file://{root}", str(clone))
    assert not (built_strictly(clone).site / "feed.xml").exists()
    shutil.rmtree(clone)


def git(root: Path, *arguments: str, day: str = "2026-01-01") -> None:
    """Run git as nobody in particular."""
    who = ["-c", "user.name=A", "-c", "user.email=a@bread.example", "-c", "commit.gpgSign=false"]
    dates = {"GIT_AUTHOR_DATE": f"{day}T12:00:00Z", "GIT_COMMITTER_DATE": f"{day}T12:00:00Z"}
    program = shutil.which("git")
    assert program, pytest.fail("git is missing")
    subprocess.run(
        [program, *who, *arguments], cwd=root, env={"PATH": "/usr/bin:/bin", "HOME": str(root), **dates}, check=True
    )
