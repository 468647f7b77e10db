"""A folder of three documents of one's own is enough for a page, from the command to the text."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import unquote

from tests.research.evidence.questions import ANSWERED, DOCUMENTS, NONSENSE
from tests.research.expand.base import make_repository
from tests.research.expand.loopback import planbook
from tests.research.expand.small_base import CONFIG, expand, mark


def plan(*points: str) -> str:
    """A plan with one PART for these points, whose title is a name that few of the documents have."""
    listed = "\n".join(f"    - {point}" for point in points)
    return (
        "# WAL\n\n## PART 1: Create sqlite/01-WAL.md\n\n- [ ] PART 1: Create sqlite/01-WAL.md\n\n"
        f'**Step 1: Research**\n- [ ] Search: "sqlite wal"\n\n**Step 2: Write**\n- [ ] Section 1: Use\n{listed}\n'
    )


def test_three_documents_answer_what_they_say(tmp_path: Path) -> None:
    """Each point has its passage, also from a document that does not name the page's subject; nonsense is open."""
    documents = {f"documents/{name}": text for name, text in DOCUMENTS.items()}
    points = [*ANSWERED, NONSENSE[0]]
    files = {"mkdocs.yml": CONFIG, "plans/tea.md": plan(*points), "docs/index.md": "# Home\n", **documents}
    root = make_repository(tmp_path / "base", files)
    done = expand(root)
    assert (done.returncode, "- [✓] PART 1" in mark(root)) == (0, True), done.stdout + done.stderr
    page = (root / "docs/sqlite/01-WAL.md").read_text("utf-8")
    for point, words in ANSWERED.items():
        answer = page.partition(f"### {point}\n")[2].partition("\n### ")[0]
        assert words in answer
        assert "Uncertain" not in answer
    assert f"### {NONSENSE[0]}" not in page
    assert f"- {NONSENSE[0]}." in page.partition("## Open questions")[2]


def test_documents_to_which_others_link_are_read(tmp_path: Path) -> None:
    """Those of the same folder, one step: not of theirs, not of another folder, nothing that is no document."""
    documents = {
        "cups/upgrade.md": (
            "# Upgrade\n\nWarm cups are upgraded one after another, see [stopping](./stop%20it.md#now), "
            "[other](../pots/pot.md), [gone](gone.md), [web](https://cups.example/x.md) and ![cup](cup.md).\n"
        ),
        "cups/stop it.md": "# Stop it\n\nA process ends gently after thirty seconds, as [next](next.md) says.\n",
        "cups/next.md": "# Next\n\nNothing else is to be said of it here at all.\n",
        "cups/cup.md": "# Pictures\n\nNobody needs to read this page of pictures at all.\n",
        "pots/pot.md": "# Pots\n\nNobody needs to read this page of pots at all.\n",
    }
    files = {f"documents/{name}": text for name, text in documents.items()}
    text = plan("How warm cups are upgraded").replace("sqlite wal", "upgrade warm cups")
    base = {"mkdocs.yml": CONFIG, "plans/cups.md": text, "docs/index.md": "# Home\n", **files}
    root = make_repository(tmp_path / "base", base)
    done = planbook("gather", "cups", "1", "--root", str(root), "--format=json")
    (dossier,) = json.loads(done.stdout)
    read = {unquote(work["url"]).rpartition("/")[2] for work in dossier["works"]}
    assert read == {"upgrade.md", "stop it.md"}
    (links,) = [one for one in dossier["searches"] if one["query"] == "links of these documents"]
    assert links["hits"] == 1
