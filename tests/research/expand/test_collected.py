"""Pages of collected passages are called so everywhere, and `--rewrite collected` gives them to a writer."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from planbook.library import link_tree
from planbook.store import read_settings, read_tree
from planbook.views.home import home_sections
from planbook_cache.functions import NO_CACHE
from tests.files import git, put
from tests.research.expand.base import make_repository
from tests.research.expand.loopback import planbook
from tests.research.expand.small_base import CONFIG, DOCUMENTS, HELD, PAGE, PLAN, WORDS, commit, expand, mark

AGENT = """\
import datetime, pathlib, re, sys, yaml
brief = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
day = datetime.date.fromisoformat(re.search("created: ([0-9-]+)", brief)[1])
work = re.search(r"^- `([\\w-]+)`: ", brief, re.MULTILINE)[1]
meta = {
    "title": "Steeping", "description": "How long green tea is steeped.", "plan": "tea", "part": 1,
    "created": day, "generated": {"writer": "command", "date": day}, "reviewed": None,
    "references": [{"id": work}],
}
said = f"Green tea is steeped for a short time, says the source [@{work}]."
page = pathlib.Path("docs/tea/1.md")
page.write_text(f"---\\n{yaml.safe_dump(meta)}---\\n\\n# Steeping\\n\\n## Steeping\\n\\n{said}\\n")
"""
WRITTEN = "says the source"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A base with one finished page of collected passages, and a PART that is open."""
    one = PLAN.replace("    - Where rooibos leaves are fermented after the harvest\n", "")
    plan = f"{one}\n## PART 2: Create tea/2.md\n\n- [-] PART 2: Create tea/2.md\n"
    files = {"mkdocs.yml": CONFIG, "plans/tea.md": plan, "docs/index.md": "# Home\n", **DOCUMENTS}
    root = make_repository(tmp_path / "base", files)
    done = expand(root)
    assert (done.returncode, "- [✓] PART 1" in mark(root)) == (0, True), done.stdout + done.stderr
    return root


def rewrite(root: Path, *args: str) -> tuple[int, str]:
    """Run `expand --rewrite collected`: the exit code, and what it printed."""
    done = expand(root, "--rewrite", "collected", *args)
    return done.returncode, done.stdout + done.stderr


def configure_agent(root: Path) -> None:
    """Let a program write the pages."""
    put(root, {".planbook/.gitignore": "*\n", ".planbook/agent.py": AGENT})
    command = f"        command: [{sys.executable}, {root}/.planbook/agent.py, '{{brief}}']\n"
    put(root, {"mkdocs.yml": f"{CONFIG}{command}        command_sandbox: never\n"})
    commit(root)


def test_that_nobody_wrote_a_page_is_said_everywhere(root: Path) -> None:
    """In its front matter, in INDEX.md, by `status` and in its JSON."""
    assert "\ngenerated: {writer: extract, " in (root / PAGE).read_text("utf-8")
    index = (root / "docs/INDEX.md").read_text("utf-8")
    assert re.search(r"\]\(tea/1\.md\) \(collected passages, ", index)
    assert "0 of 2 planned pages are written, 1 is collected passages" in index
    home = home_sections(link_tree(read_tree(read_settings(root))).listed(NO_CACHE))["state"]
    assert 'aria-label="Planned pages: 1 collected, 1 skipped"' in home
    assert "0 of 2 planned pages are written, 1 is collected passages" in home
    status = planbook("status", "--root", str(root)).stdout
    assert "done collected" in " ".join(status.split())
    assert "1 page consists of collected passages" in status
    found = json.loads(planbook("status", "--root", str(root), "--json").stdout)
    (page,) = found["plans"][0]["parts"][0]["pages"]
    assert (found["totals"]["collected"], page["collected"]) == (1, True)


def test_without_a_writer_nothing_would_get_better(root: Path) -> None:
    """The run is refused, and names what to configure."""
    code, said = rewrite(root)
    assert code == 1
    assert "--rewrite collected needs a writer" in said
    assert "expand.llm_model" in said
    assert rewrite(root, "--plan", "tea", "--redo")[0] == 2


def test_a_writer_takes_them_and_nothing_else(root: Path) -> None:
    """The page is written, the PART stays done, and there is nothing left to do."""
    configure_agent(root)
    code, said = rewrite(root)
    assert code == 0, said
    assert f"{PAGE} will be replaced: it consists of collected passages" in said
    assert WRITTEN in (root / PAGE).read_text("utf-8")
    assert not (root / "docs/tea/2.md").exists()
    assert "- [✓] PART 1" in mark(root)
    assert "collected" not in (root / "docs/INDEX.md").read_text("utf-8")
    code, said = rewrite(root)
    assert (code, "no page of collected passages can be written again" in said) == (4, True)


def test_a_page_that_somebody_changed_is_kept_and_written_once(root: Path) -> None:
    """The writer's version is beside it, and the next run does not pay for another one."""
    path = root / PAGE
    mine = path.read_text("utf-8") + "\nA remark of mine.\n"
    path.write_text(mine, "utf-8")
    configure_agent(root)
    code, said = rewrite(root)
    assert (code, path.read_text("utf-8")) == (1, mine), said
    assert WRITTEN in (root / HELD).read_text("utf-8")
    assert git(root, "status", "--porcelain") == ""
    code, said = rewrite(root)
    assert (code, "the version of another writer is already kept beside it" in " ".join(said.split())) == (4, True)


def test_a_page_of_which_no_drop_knows_is_left(root: Path) -> None:
    """A person may have changed it; the command that replaces it all the same is named."""
    for drop in (root / "plans").glob("KNOWLEDGE-DROP-*"):
        drop.unlink()
    configure_agent(root)
    code, said = rewrite(root)
    assert (code, "planbook expand tea 1 --redo" in " ".join(said.split())) == (4, True)
    assert WORDS in (root / PAGE).read_text("utf-8")
