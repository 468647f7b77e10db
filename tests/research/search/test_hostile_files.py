"""Files that exhaust memory, the stack or time of a careless reader: a run tells of them and goes on."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from planbook.markdown.front_matter import MAX_DEPTH, FrontMatterError, check_yaml, split_front_matter
from planbook.research.search.document_folder import Work, read_export
from planbook.store.files import RefusedError
from planbook.store.settings import read_settings
from planbook.store.trees import MAX_PAGE_BYTES, read_plans
from tests.conftest import ROOT
from tests.growth import assert_linear

MEMORY = 3 << 30
BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefghi", "bcdefghij", strict=True)
)
"""460 bytes that name a thousand million values."""
DEEP = f"title: {'[' * 100_000}{']' * 100_000}\n"
HOSTILE = {
    "aliases": f"---\n{BOMB}title: *j\n---\nSencha.\n",
    "deep": f"---\n{DEEP}---\nSencha.\n",
    "deeper than Python calls": f"---\ntitle: {'[' * 3_000}{']' * 3_000}\n---\nSencha.\n",
    "deep blocks": "---\n" + "".join(f"{' ' * n}a:\n" for n in range(3_000)) + "---\nSencha.\n",
    "deep lists": f"---\n{'- ' * 50_000}x\n---\nSencha.\n",
    "itself": "---\ntitle: &a [*a]\n---\nSencha.\n",
    "large": "---\n" + "".join(f"k{n}: [a, b, c]\n" for n in range(400_000)) + "---\nSencha.\n",
    "lines of metadata": "".join(f"k{n}: v\n" for n in range(500_000)) + "\nSencha.\n",
}


def run_limited(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs Python in `folder` with limits on memory and time, so that a defect cannot take the machine."""
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT / "generator"), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )


def test_hostile_front_matter_ends_neither_run_nor_machine(tmp_path: Path) -> None:
    """Each document is indexed with its front matter as text, and so are the others, in seconds."""
    (tmp_path / "documents").mkdir()
    for name, text in HOSTILE.items():
        (tmp_path / f"documents/{name}.md").write_text(text)
    (tmp_path / "documents/b.md").write_text("# Tea\n\nGyokuro.\n")
    done = run_limited(
        "from pathlib import Path\n"
        "from planbook.research.search.document_folder import Folder\n"
        "from planbook.research.search.full_text_index import Documents\n"
        "index = Documents(Path('index'), Folder(Path('documents'), 'documents'))\n"
        "index.refresh()\n"
        "print(index.troubles, *(len(index.find(word, 9)) for word in ('sencha', 'gyokuro')))\n",
        tmp_path,
    )
    assert (done.stdout, done.stderr) == (f"() {len(HOSTILE)} 1\n", "")


@pytest.mark.parametrize("names", [("aliases", "deep"), pytest.param(tuple(HOSTILE), marks=pytest.mark.nightly)])
def test_a_page_with_hostile_front_matter_is_a_problem(tmp_path: Path, names: tuple[str, ...]) -> None:
    """`check` reports K001 for each, and ends."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "plans").mkdir()
    for name in names:
        (tmp_path / f"docs/{name}.md").write_text(HOSTILE[name])
    (tmp_path / "mkdocs.yml").write_text("site_name: Tea\nplugins: [planbook]\n")
    done = run_limited("import sys; sys.argv[1:] = ['check']; from planbook.cli import main; main()", tmp_path)
    assert done.returncode == 1, done.stderr[-500:]
    told = {line.partition(":")[0] for line in done.stdout.splitlines() if line.endswith("K001")}
    assert told == {f"docs/{name}.md" for name in names}


def test_what_is_within_the_bounds_is_read() -> None:
    """An anchor that is used a few times, nesting up to the limit, and recursion is told from repetition."""
    assert split_front_matter("---\na: &a [1, 2]\nb: [*a, *a]\n---\nx\n")[0] == {"a": [1, 2], "b": [[1, 2], [1, 2]]}
    check_yaml(f"a: {'[' * (MAX_DEPTH - 1)}{']' * (MAX_DEPTH - 1)}")
    with pytest.raises(ValueError, match="deeper than"):
        check_yaml(f"a: {'[' * MAX_DEPTH}{']' * MAX_DEPTH}")
    with pytest.raises(FrontMatterError, match="contains itself"):
        split_front_matter("---\na: &a [*a]\n---\nx\n")


def test_a_configuration_with_aliases_is_refused(tmp_path: Path) -> None:
    """The options of a project are walked as well."""
    (tmp_path / "mkdocs.yml").write_text(f"{BOMB}plugins:\n  - planbook:\n      expand: {{a: *j}}\n")
    with pytest.raises(RefusedError, match="too many values"):
        read_settings(tmp_path)


def test_a_plan_that_is_too_large_is_refused(tmp_path: Path) -> None:
    """The message names it and says what to do; nothing is read in part."""
    with (tmp_path / "large.md").open("wb") as file:
        file.truncate(MAX_PAGE_BYTES + 1)
    with pytest.raises(RefusedError, match=r"large\.md: it has more than 10,000,000 bytes; split it"):
        read_plans(tmp_path, ["."])


def test_an_export_takes_time_by_its_length() -> None:
    """Each item's line is found from the one before."""
    items = [{"id": f"work-{n}", "type": "book", "title": f"Tea {n}"} for n in range(20_000)]
    lines = "[" + ",\n".join(map(json.dumps, items)) + "]"
    works = [work for work in read_export("a.json", lines) if isinstance(work, Work)]
    assert [work.location for work in works[::6_000]] == ["a.json:1", "a.json:6001", "a.json:12001", "a.json:18001"]
    assert_linear(
        lambda text: [*read_export("a.json", f"[{text.rpartition(',')[0]}]")],
        '\n{"id": 1, "type": "book"},',
        sizes=(50_000, 200_000, 800_000),
    )
