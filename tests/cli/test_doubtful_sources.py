"""A source that may be none is reported by `verify`, and shown as doubtful on the site."""

from __future__ import annotations

import re
from pathlib import Path

from tests import forks
from tests.files import put
from tests.plugin.conftest import ENVIRONMENT

CONFIG = "site_name: Tea\ntheme: {name: material, font: false}\nplugins: [planbook]\n"
WORDS = "Wir und unsere Partner verarbeiten Daten zum Wasser."
WALL = f"<title>Hard water</title><h1>Hard water</h1><p>{WORDS}</p><button>Alle annehmen</button>"
PAGE = (
    "---\ntitle: Water\nreferences:\n  - id: hard\n    title: Hard water\n    custom:\n"
    f'      file: documents/hard-water.html\n      quotes: {{q1: "{WORDS}"}}\n'
    "---\n\n# Water\n\nIt matters. [@hard, q1]\n"
)
REASON = "it asks for an answer"


def site_after_verify(root: Path) -> tuple[int, str, str, str]:
    """Verify and build; return exit status, output, and the HTML of the page and of Sources."""
    done = forks.run("planbook", "verify", cwd=root, env=ENVIRONMENT, is_merged=True)
    built = forks.run("mkdocs", "build", "--quiet", cwd=root, env=ENVIRONMENT, is_merged=True)
    assert built.returncode == 0, built.stdout
    page, sources = (root / "site" / name / "index.html" for name in ("tea/water", "sources"))
    return done.returncode, done.stdout, page.read_text("utf-8"), sources.read_text("utf-8")


def test_a_doubtful_source_is_shown_until_a_person_decides(tmp_path: Path) -> None:
    """Its quote is there, but it may be a consent wall: the reason stands beside it."""
    put(tmp_path, {"mkdocs.yml": CONFIG, "docs/index.md": "# Home\n", "docs/tea/water.md": PAGE})
    put(tmp_path, {"documents/hard-water.html": WALL})
    code, said, page, sources = site_after_verify(tmp_path)
    assert (code, "0 of 1 source in order; 1 of 1 quote found" in said) == (1, True)
    assert re.search(rf"hard\s+doubtful: it has only \d+ words, and\s{REASON};\scite", said)
    assert re.search(r'data-check="doubtful"[^>]*>doubtful', page)
    for shown in (page, sources):
        assert re.search(rf"may not be the page that is cited: it has only \d+ words, and {REASON}", shown)
    assert "1 doubtful" in page
    assert 'li data-check="doubtful"' in sources

    done = forks.run("planbook", "refresh", cwd=tmp_path, env=ENVIRONMENT, is_merged=True)
    assert done.returncode == 1, done.stdout
    assert "docs/tea/water.md:13: @hard: not compared: doubtful: it has only" in done.stdout

    put(tmp_path, {"docs/tea/water.md": PAGE.replace("title: Water", "title: Water\nreviewed: 2026-11-20", 1)})
    assert forks.run("planbook", "refresh", cwd=tmp_path, env=ENVIRONMENT, is_merged=True).returncode == 0
    code, said, page, sources = site_after_verify(tmp_path)
    assert (code, "1 of 1 source in order" in said) == (0, True)
    assert "doubtful" not in page
    assert "may not be" not in sources
