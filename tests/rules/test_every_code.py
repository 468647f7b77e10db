"""Every code of `planbook check`: its example is reported, and the same example, fixed, is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from planbook.cli.project import read_doubts
from planbook.library import link_tree
from planbook.problems import Severity
from planbook.rules.project import Project, SourceFiles
from planbook.rules.registry import check
from planbook.store import read_settings, read_tree
from planbook.store.cited_files import CitedFiles
from planbook.store.options import option_problems
from planbook.store.working_tree import WorkingTree
from tests import forks
from tests.conftest import ROOT
from tests.files import put
from tests.plugin.conftest import ENVIRONMENT
from tests.project.guide import CHECKED, sections, titled

PLAN, WATER, TIME = "plans/tea.md", "docs/tea/01-water.md", "docs/tea/02-time.md"
DROP = "plans/KNOWLEDGE-DROP-water-2026-11-20.md"
KETTLE = "KNOWLEDGE-DROP-kettle-2026-11-20.md"
WEB = "## Sources\n\n- [Water for tea](https://water.example/tea) (accessed 2026-11-20)\n"
LATIN_1 = {"P001", "K002"}
"""The codes whose examples must be saved as Latin-1 to have their defect."""
LINKS = {"K006": ("docs/host.md", "/etc/hostname"), "K007": ("docs/tea/cup.md", "mug.md")}
"""By code: the link whose file is the fix."""
END = ""
"""Stands for the end of a file, new or old, where something is added."""

FIXES: dict[str, tuple[str, str, str]] = {
    "P001": (PLAN, "", ""),  # saved as UTF-8
    "P002": (PLAN, "x" * 2_500, "x\n"),
    "P003": (PLAN, "## Section 1: Hardness\n", "## Section 1: Hardness\n```\n"),
    "P004": ("plans/notes.md", END, "\n## PART 1: Create tea/01-water.md\n"),
    "P008": (PLAN, "PART 7", "PART 1"),
    "P009": (PLAN, "[ ]", "[x]"),
    "P010": (PLAN, "\n- [ ] Search", "\n- [ ] PART 1: Create tea/01-water.md\n- [ ] Search"),
    "P011": (PLAN, "[ ]", "[x]"),
    "P012": (PLAN, "hard-water", "water"),
    "P013": (PLAN, "PART 1: Create tea/02", "PART 2: Create tea/02"),
    "P015": (PLAN, "Research water", "Create tea/01-water.md"),
    "P016": (PLAN, "01-water.md\n", "01-water.md (Completed 2026-11-20 10:00 UTC)\n"),
    "P017": (PLAN, "~200", "~300"),
    "P019": (PLAN, END, "- [ ] Section 1: Hardness (~100 lines)\n"),
    "P020": (PLAN, "../water.md", "tea/water.md"),
    "P021": (PLAN, "PART 2: Create tea/01-water.md", "PART 2: Create tea/02-water.md"),
    "P022": (
        PLAN,
        "Create blog/posts/water.md\n\n- [ ] PART 1: Create blog/posts",
        "Create blog\n\n- [ ] PART 1: Create blog",
    ),
    "P027": (PLAN, "-[TIME]", ""),
    "P028": (PLAN, "green tea.\n", "green tea.\n```\n"),
    "P030": (WATER, END, "# Water\n"),
    "P031": (PLAN, "[ ]", "[x]"),
    "P032": (DROP, END, "# Water\n"),
    "P033": ("docs/tea/00-leaf.md", END, "# Leaf\n"),
    "P034": (PLAN, END, f"## PART 1: Create tea/01-kettle.md\n\n- [ ] Create {KETTLE}\n"),
    "P040": (PLAN, "[y]", "[x]"),
    "P041": (PLAN, "tea/hard water.md", "`tea/hard water.md`"),
    "P042": (PLAN, "Serach", "Search"),
    "P043": (PLAN, END, '- [ ] Search: "water hardness tea"\n'),
    "P044": (PLAN, "the taste of hard water", "limescale in kettles"),
    "P045": (PLAN, "    - Overview of hardness", "    - How many milligrams of calcium make water hard"),
    "K001": (WATER, "Water: hard and soft", "'Water: hard and soft'"),
    "K002": ("docs/tea/03-rose.md", "", ""),  # saved as UTF-8
    "K003": ("docs/progress.md", "# How far we are\n", ""),
    "K004": (WATER, "hide: 3", "hide: [toc]"),
    "K005": ("mkdocs.yml", "writr", "writer"),
    "K006": ("docs/host.md", END, "# Host\n"),
    "K007": ("docs/tea/cup.md", END, "# Cup\n"),
    "K010": (WATER, "www.google.com/search?q=hard+water+tea", "water.example/tea"),
    "K011": (WATER, "title: Water\n", "title: Water\n    id: water\n"),
    "K012": (WATER, "hard-watr", "hard-water"),
    "K013": (WATER, "[@hard-water]", "[@hard-water; @soft-water]"),
    "K014": ("documents/water.md", END, "# Water\n"),
    "K015": (WATER, "yesterday", "2026-11-20"),
    "K016": (WATER, "id: water\n    title: Hard", "id: hard\n    title: Hard"),
    "K017": (WATER, "title: Water\n", "title: Water\nreviewed: 2026-11-20\n"),
    "K018": (
        WATER,
        "Miller, The Mill Book, Press, 1983",
        "[The Mill Book](https://mill.example/) (accessed 2026-11-20)",
    ),
    "K019": ("src/kettle.py", "LIMIT = 30\n\n\n", ""),
    "K020": (WATER, END, f"\n{WEB}"),
    "K021": (WATER, "https://water.example/tea", "[Water for tea](https://water.example/tea)"),
    "K022": (WATER, "/tea)", "/tea) (accessed 2026-11-20)"),
    "K023": (WATER, "../water/02-time.md", "02-time.md"),
    "K024": (PLAN, "400 lines", "3 lines"),
    "K025": (WATER, "/home/ann/tea/measure.py", "measure.py"),
    "K026": (WATER, "AKIAQ7ZT3WLXN5RVB2KD", "$KEY"),
    "K027": (WATER, "```text\nA page looks so:\n```python\nprint(1)\n```\n```", "````text\n```\n````"),
    "K029": (WATER, " (~100 lines)", ""),
    "K035": (WATER, "tea/02-time.md", "02-time.md"),
    "K036": ("docs/notes/tea.md", "## PART 1: Water\n\n- [ ] PART 1: Create tea/01-water.md\n", "Water\n"),
    "K037": (WATER, "leef", "leaf"),
    "K038": (WATER, " %%Ask Ann whether this is true.%%", ""),
    "K039": (WATER, "$$", "`$`"),
    "K040": (WATER, "Hard", "Soft"),
    "K041": (WATER, "02-green leaves.md", "<02-green leaves.md>"),
}
"""By code: what is changed in which file of its example, so that it no longer has the defect."""


def example(code: str) -> dict[str, str]:
    """The files of the example of `code`: of the Guide, if it has one, else of `examples.md`."""
    if code == "P002":
        return {PLAN: "# Tea\n\n" + "x" * 5_000}
    shown = sections((ROOT / "docs/guide/problems.md").read_text("utf-8"), "###").items()
    kept = sections(Path(__file__).with_name("examples.md").read_text("utf-8"), "###")
    return titled(kept.get(code) or next(text for head, text in shown if head.startswith(code)))


def told(root: Path, files: dict[str, str], encoding: str, links: str = "") -> set[str]:
    """The codes that the linter tells of `files`, and of the link for the code `links`."""
    put(root, {name: text.encode(encoding) for name, text in files.items() if text})
    if links in LINKS:
        link, target = LINKS[links]
        (root / link).parent.mkdir(parents=True, exist_ok=True)
        (root / link).symlink_to(target)
    settings = read_settings(root)
    tree = read_tree(settings)
    library = link_tree(tree)
    documents, docs = CitedFiles(root, "documents"), CitedFiles(root, "docs")
    own = WorkingTree(root, "docs", "documents")
    sources = SourceFiles("documents", documents.defect, docs.has_in_folder, documents.has, own.read, documents.names)
    doubted = read_doubts(settings, tree, library.page_by_uri)
    found = check(Project(tree=tree, library=library, sources=sources, doubts=doubted))
    return {problem.code for problem in (*found, *option_problems(read_settings(root)))}


def test_no_code_is_left_out() -> None:
    """The table of codes and that of fixes name the same."""
    assert list(FIXES) == list(CHECKED)


@pytest.mark.parametrize("code", CHECKED)
def test_a_case_gives_it_and_one_close_by_does_not(tmp_path: Path, code: str) -> None:
    """One change to the example, or its encoding, is all that lies between."""
    files = example(code)
    name, old, new = FIXES[code]
    text = files.get(name, "")
    fixed = text.replace(old, new, 1) if old else text + new
    assert (fixed != text) == (code not in LATIN_1)
    assert code in told(tmp_path / "wrong", files, "latin-1" if code in LATIN_1 else "utf-8", code)
    assert code not in told(tmp_path / "right", {**files, name: fixed}, "utf-8")


ERRORS = {code for code, kind in CHECKED.items() if kind.severity is Severity.ERROR}
NIGHTLY = [pytest.param(code, marks=pytest.mark.nightly) for code in CHECKED if code not in ERRORS]


@pytest.mark.parametrize("code", [*sorted(ERRORS), *NIGHTLY])
def test_errors_alone_stop_a_strict_build(tmp_path: Path, code: str) -> None:
    """`mkdocs build --strict -q` of the example fails if one of its Problems is an error, and only then."""
    files = {"docs/index.md": "# Home\n", "mkdocs.yml": "site_name: Tea\nplugins: [planbook]\n", **example(code)}
    codes = told(tmp_path, files, "latin-1" if code in LATIN_1 else "utf-8", code)
    built = forks.run("mkdocs", "build", "--strict", "-q", cwd=tmp_path, env=ENVIRONMENT, is_merged=True)
    assert (built.returncode != 0) == bool(codes & ERRORS), built.stdout
