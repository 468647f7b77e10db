"""A source that may be none: reported by `verify`, `check` and strict builds, and shown as doubtful."""

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
REVIEWED = PAGE.replace("title: Water", "title: Water\nreviewed: 2026-11-20", 1)
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

    done = forks.run("planbook", "verify", "--changes", cwd=tmp_path, env=ENVIRONMENT, is_merged=True)
    assert done.returncode == 1, done.stdout
    assert "docs/tea/water.md:13: @hard: not compared: doubtful: it has only" in done.stdout

    put(tmp_path, {"docs/tea/water.md": REVIEWED})
    assert forks.run("planbook", "verify", "--changes", cwd=tmp_path, env=ENVIRONMENT, is_merged=True).returncode == 0
    code, said, page, sources = site_after_verify(tmp_path)
    assert (code, "1 of 1 source in order" in said) == (0, True)
    assert "doubtful" not in page
    assert "may not be" not in sources


def errors(root: Path) -> list[tuple[int, bool]]:
    """Exit status of `check` and of a strict build, and whether each reports the source."""
    place = re.compile(rf"docs/tea/water\.md:7\b.*@hard is doubtful: it has only \d+ words, and {REASON}; cite")
    commands = ("planbook", "check"), ("mkdocs", "build", "--strict", "--quiet")
    done = [forks.run(*command, cwd=root, env=ENVIRONMENT, is_merged=True) for command in commands]
    return [(one.returncode, "K017" in one.stdout and bool(place.search(one.stdout))) for one in done]


def test_check_and_a_strict_build_fail_on_a_doubtful_source(tmp_path: Path) -> None:
    """From the day on which `verify` doubted it, until a person decides or another file takes its place."""
    put(tmp_path, {"mkdocs.yml": CONFIG, "docs/index.md": "# Home\n", "docs/tea/water.md": PAGE})
    put(tmp_path, {"documents/hard-water.html": WALL})
    assert errors(tmp_path) == [(0, False), (0, False)]
    assert forks.run("planbook", "verify", cwd=tmp_path, env=ENVIRONMENT).returncode == 1
    assert errors(tmp_path) == [(1, True), (1, True)]

    put(tmp_path, {"docs/tea/water.md": REVIEWED})
    assert errors(tmp_path) == [(0, False), (0, False)]
    assert "doubtful" not in (tmp_path / "site/tea/water/index.html").read_text("utf-8")

    put(tmp_path, {"docs/tea/water.md": PAGE, "documents/hard-water.html": f"<h1>Hard water</h1>\n<p>{WORDS}</p>\n"})
    assert errors(tmp_path) == [(0, False), (0, False)]
