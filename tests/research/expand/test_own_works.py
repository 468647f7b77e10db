"""Works of one's own, from a PDF and an export beside it to the page, its checks and its references."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, cast

import frontmatter
import pytest
import yaml

from tests.files import git, put
from tests.research.expand.base import make_repository
from tests.research.expand.loopback import planbook
from tests.research.web.server import make_pdf, shown

PAPER = "documents/My Library/files/12/Mill - 2017 - Water.pdf"
WORDS = "Soft water keeps the leaves bright for an hour."
EXPORT = """[{
  "id": "mill_water_2017",
  "type": "article-journal",
  "title": "Water for Tea",
  "DOI": "10.1234/tea.2017.12",
  "container-title": "Journal of Tea Science",
  "author": [
    {"family": "Mill", "given": "José"},
    {"family": "Oord", "given": "Anna", "non-dropping-particle": "van den"}
  ],
  "issued": {"date-parts": [[2017]]},
  "page": "101-112",
  "file": "files/12/Mill - 2017 - Water.pdf"
}]
"""
CONFIG = "site_name: Tea\nplugins:\n  - planbook:\n      expand: {search: {providers: [local]}}\n"
PLAN = """# Tea

## PART 1: Create tea/water.md

- [ ] PART 1: Create tea/water.md

**Queries**:
- Search: "soft water leaves bright"

**Outline**:
1. Which water keeps the leaves bright
"""


def pdf(*lines: str) -> bytes:
    """A PDF with the metadata that word processors leave."""
    return make_pdf(*map(shown, lines), title="Microsoft Word - final.doc")


def references(page: str) -> list[dict[str, Any]]:
    """The references in a page's front matter."""
    return cast("list[dict[str, Any]]", frontmatter.loads(page)["references"])


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with a PDF and the export that it was saved with; nothing else is searched."""
    files = {"mkdocs.yml": CONFIG, "docs/index.md": "# Tea\n", "plans/tea.md": PLAN}
    root = tmp_path / "project"
    put(root, {PAPER: pdf(WORDS, "Hard water does not.")})
    return make_repository(root, {**files, "documents/My Library/My Library.json": EXPORT})


def test_the_page_cites_the_work_as_what_it_is(root: Path) -> None:
    """Authors, year, container, pages and DOI are in the reference; its file is where quotes are checked."""
    done = planbook("expand", "--root", str(root))
    assert done.returncode == 0, done.stderr
    page = (root / "docs/tea/water.md").read_text(encoding="utf-8")
    (reference,) = references(page)
    custom = reference.pop("custom")
    assert {**reference, "accessed": None} == {
        "id": "mill_water_2017",
        "type": "article-journal",
        "title": "Water for Tea",
        "author": [
            {"family": "Mill", "given": "José"},
            {"family": "Oord", "given": "Anna", "non-dropping-particle": "van den"},
        ],
        "issued": {"date-parts": [[2017]]},
        "container-title": "Journal of Tea Science",
        "page": "101-112",
        "DOI": "10.1234/tea.2017.12",
        "URL": "https://doi.org/10.1234/tea.2017.12",
        "accessed": None,
    }
    assert (custom["file"], custom["quotes"]["q1"]) == (PAPER, WORDS)
    assert "“Water for Tea”:" in page
    assert "final.doc" not in page

    checked = planbook("verify", "--root", str(root), "--offline")
    assert checked.returncode == 0
    assert "mill_water_2017  1 of 1 quote in a copy of 20" in checked.stdout
    bibtex = planbook("cite", "--format", "bibtex", str(root / "docs/tea/water.md")).stdout
    assert "author = {Mill, José and van den Oord, Anna}" in bibtex
    assert "journaltitle = {Journal of Tea Science}" in bibtex

    (root / PAPER).write_bytes(pdf("Another edition has other words."))
    changed = planbook("verify", "--root", str(root), "--offline")
    assert changed.returncode == 1
    assert "quote q1 not found" in changed.stdout


def test_a_person_may_cite_it_by_its_doi(root: Path) -> None:
    """`planbook finish` reads the quote of a page written by hand in the file that is the work."""
    text = f"""---
title: Water
description: Which water keeps the leaves.
plan: tea
part: 1
tags: [tea]
created: 2026-11-20
reviewed: null
references:
  - id: mill
    type: article-journal
    title: Water for Tea
    URL: https://doi.org/10.1234/tea.2017.12
    accessed: {{date-parts: [[2026, 11, 20]]}}
    custom:
      quotes: {{q1: "{WORDS}"}}
---

# Water

## Which water keeps the leaves bright

> {WORDS} [@mill, q1]
"""
    put(root, {"docs/tea/water.md": text.replace(WORDS, "Soft water is brown.")})
    wrong = planbook("finish", "tea", "1", "--root", str(root), "--offline")
    assert wrong.returncode == 1
    assert "quote q1 of @mill is not in its source" in wrong.stdout
    (root / "docs/tea/water.md").write_text(text, encoding="utf-8")
    done = planbook("finish", "tea", "1", "--root", str(root), "--offline")
    assert done.returncode == 0, done.stdout
    assert "is accepted" in done.stdout
    assert "was not read" not in done.stdout


def test_a_broken_export_is_reported_and_the_run_goes_on(root: Path) -> None:
    """With file and line, by `expand` and by `verify`; the PDF is then cited by its path, as without an export."""
    (root / "documents/My Library/My Library.json").write_text(EXPORT.replace("[[2017]]", "[[2017]"), encoding="utf-8")
    git(root, "commit", "--quiet", "-am", "Break it")
    done = planbook("expand", "--root", str(root))
    assert done.returncode == 0
    complaint = "documents/My Library/My Library.json:11: not JSON"
    assert complaint in done.stderr
    page = (root / "docs/tea/water.md").read_text(encoding="utf-8")
    (reference,) = references(page)
    assert (reference["type"], reference["custom"]["quotes"]) == ("document", {"q1": WORDS})
    assert complaint in planbook("verify", "--root", str(root), "--offline").stderr


def test_only_documents_are_read(root: Path) -> None:
    """A page that names another file as its source reads nothing from it."""
    (root / "secret.md").write_text("A secret of mine.\n", encoding="utf-8")
    for name in ("secret.md", "documents/../secret.md", str(root / "secret.md"), "../secret.md"):
        item = f"{{id: a, title: A, custom: {{file: {name}, quotes: {{q1: A secret of mine.}}}}}}"
        (root / "docs/index.md").write_text(f"---\nreferences: [{item}]\n---\n\n# A\n\nB [@a, q1].\n", encoding="utf-8")
        done = planbook("verify", "--root", str(root), "--offline")
        assert f"a  failed: {name} is outside documents/\n0 of 1 source in order; 0 of 1 quote found" in done.stdout


def test_the_brief_has_references_and_passages(root: Path) -> None:
    """A work whose text answers a query is in the brief by its id; its passages have ids, below their point."""
    (root / "plans/tea.md").write_text(PLAN.replace("soft water leaves bright", "coffee beans"), encoding="utf-8")
    assert "0 works read" in planbook("brief", "tea", "1", "--root", str(root)).stdout
    (root / "plans/tea.md").write_text(PLAN, encoding="utf-8")
    brief = planbook("brief", "tea", "1", "--root", str(root)).stdout
    assert "\n- `mill_water_2017` (`doi.org/10.1234/tea.2017.12`): #1 Water for Tea (" in brief
    below = brief.split("### 1.1 ")[1]
    passages = re.findall(r"^`mill_water_2017#\d+`.*:\n\n```\n(.*?)\n```$", below, re.MULTILINE | re.DOTALL)
    assert any(WORDS in " ".join(text.split()) for text in passages), brief
    told = planbook("read", "mill_water_2017", "--for", "tea", "1", "--root", str(root)).stdout
    (item,) = yaml.safe_load(told.split("```yaml\n")[1].split("```")[0])["references"]
    assert (item["id"], item["custom"]["file"]) == ("mill_water_2017", PAPER)
    assert WORDS in " ".join(told.split())


OLD = "Soft water keeps the leaves bright for a week in a closed tin."
NEW = "Hard water dulls leaves; soft water makes them bright again after a day."


def test_two_documents_with_one_title_and_no_address(root: Path) -> None:
    """Each is a work of its own on the page, with its own quotes."""
    (root / PAPER).unlink()
    for folder, words in (("old", OLD), ("new", NEW)):
        put(root, {f"documents/{folder}/water.md": f"# Water\n\n{words}\n"})
    done = planbook("expand", "--root", str(root))
    assert done.returncode == 0, done.stdout + done.stderr
    found = references((root / "docs/tea/water.md").read_text(encoding="utf-8"))
    assert [reference["title"] for reference in found] == ["Water", "Water"]
    assert len({reference["id"] for reference in found}) == 2
    assert "2 works cited." in (root / "docs/tea/water.md").read_text(encoding="utf-8")
    assert {reference["custom"]["quotes"]["q1"] for reference in found} == {OLD, NEW}


def test_a_document_about_a_point_alone_is_read(tmp_path: Path) -> None:
    """Each point is looked up in the folder, and local documents do not count towards `sources`."""
    steps = "**Step 2: Write the page**\n- [ ] Section 1: Hard water\n    - How limescale grows in a kettle\n"
    plan = PLAN.partition("**Outline**")[0] + steps
    leaves = {
        f"documents/leaves-{n}.md": f"# Leaves {n}\n\nSoft water leaves tea bright in pot {n}.\n" for n in range(9)
    }
    words = "Limescale grows in a kettle wherever drops dry on its wall."
    files = {
        "mkdocs.yml": CONFIG.replace("expand: {", "expand: {sources: 2, "),
        "docs/index.md": "# Tea\n",
        "plans/tea.md": plan,
        "documents/kettles.md": f"# Kettles\n\n{words}\n",
        **leaves,
    }
    root = make_repository(tmp_path / "project", files)
    done = planbook("expand", "--root", str(root))
    assert done.returncode == 0, done.stdout
    assert words in (root / "docs/tea/water.md").read_text(encoding="utf-8")
