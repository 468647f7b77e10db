"""Runs that are killed while they write, and what they leave."""

from __future__ import annotations

import re
from pathlib import Path

JOURNAL = "sync *.planbook/journal.jsonl"


PLACES: dict[str, tuple[str, ...]] = {
    "before anything is written": ("rename *.planbook/.gitignore",),
    "the lock is held": ("rename *planbook/run.json",),  # in the folder that worktrees share
    "the run has begun": (JOURNAL,),
    "the first search is answered": ("rename *.planbook/calls/*",),
    "the second search is answered": ("rename *.planbook/calls/*", "rename *.planbook/calls/*"),
    "a response is kept": ("rename *.planbook/responses/*",),
    "a text is kept": ("rename *.planbook/snapshots/*",),
    "a page is kept": ("rename *.planbook/fetched/*",),
    "the third page is kept": ("rename *.planbook/fetched/*",) * 3,
    "a record is noted": (JOURNAL, JOURNAL),
    "the first page": ("rename * */docs/tea/1.md",),
    "after the first page": ("rename * */docs/tea/1.md", "sync */docs/tea"),
    "its drop": ("rename * */plans/KNOWLEDGE-DROP-1-*",),
    "its mark": ("rename * */plans/tea.md",),
    "after its mark": ("rename * */plans/tea.md", "sync */plans"),
    "it is noted as written": (JOURNAL, JOURNAL, JOURNAL),
    "the second page": ("rename * */docs/tea/2.md",),
    "after the second drop": ("rename * */plans/KNOWLEDGE-DROP-2-*", "sync */plans"),
    "the last mark": ("rename * */plans/tea.md",) * 3,
    "the index": ("rename * */docs/INDEX.md",),
    "after the index": ("rename * */docs/INDEX.md", "sync */docs"),
    "the skill": ("rename * */SKILL.md",),
    "git add": ("run *git * add *",),
    "git commit": ("run *git * commit *",),
    "after the commit": ("run *git * commit *", "run *git * rev-parse --short HEAD"),
}
"""Where a run is killed, see `child/sitecustomize.py`."""


def content(root: Path, port: int) -> dict[str, str]:
    """Every file that the run leaves to its user, without ports, times and the number of requests."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_file() and not name.startswith((".git/", ".planbook/", ".cache/")):
            text = re.sub(rf"(?<=[:-]){port}", "PORT", path.read_text())
            text = re.sub(r"\d{4}-\d\d-\d\d(?: \d\d:\d\d UTC)?|\[\d{4}, \d+, \d+\]", "TIME", text)
            text = re.sub(r"(?<=(?:page|text)_sha256: )[0-9a-f]{64}", "HASH", text)
            text = re.sub(r"(?<=requests: )\d+|\d+(?= requests? to other hosts)", "N", text)
            found[re.sub(r"\d{4}-\d\d-\d\d", "DAY", name)] = text
    return found
