"""One commit for all pages that were accepted without one.

An Oracle makes it when its runners are done.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import msgspec

from planbook.library import Library
from planbook.research.git import Git, find_usable_git
from planbook.research.recording.config import RecordingConfig
from planbook.research.recording.file_digests import file_sha256, sha256
from planbook.research.recording.record import Record
from planbook.research.recording.recorder import RunSummary, open_recorder
from planbook.research.recording.uncommitted import UncommittedRecords
from planbook.store import RefusedError
from planbook.store.files import REPORT
from planbook.store.options import documents_folder


def commit_records(config: RecordingConfig) -> RunSummary:
    """Write INDEX.md and SKILL.md, and commit all uncommitted records with one subject.

    A page that was changed since it was accepted is left out, and named in the troubles.

    Raises:
        RefusedError: nothing is left to commit, or git is not ready for a commit.
    """
    root = config.settings.root
    with open_recorder(config) as recorder:
        if recorder.git is None:
            raise RefusedError(f"{root} is not in a git repository; there is nothing to commit to")
        records = [msgspec.convert(record, Record) for record in UncommittedRecords(root).read()]
        library = recorder.read()
        if not records and not recorder.records:
            edited = list(_changed_pages(config, library, recorder.git))
            why = "; ".join(edited) or "no page was accepted since the last commit"
            raise RefusedError(f"nothing to commit: {why}")
        uris = {plan.slug: str(plan.uri) for plan in library.plans}
        changed = []
        for record in records:
            if _is_changed(config, record):
                again = f"run `planbook finish {record.plan} {record.number}` again"
                defect = f"{config.docs}/{record.page} was changed since it was accepted"
                changed.append(f"{defect}; {again}")
            else:
                recorder.adopt(record, uris.get(record.plan))
        if not recorder.records:
            why = "nothing was committed: no accepted page is as it was accepted"
            return RunSummary((), None, (*changed, why))
        for trouble in changed:
            recorder.report_trouble(trouble)
        # Each `finish` has written them, so that they may be as they should be, and not committed.
        recorder.adopt_files(config.index_files(library))
        return recorder.finish()


def _changed_pages(config: RecordingConfig, library: Library, git: Git) -> Iterator[str]:
    """Yield which committed pages of PARTs were changed since, each with what to do."""
    reported = {(f"{config.docs}/{drop.page}", drop.plan, drop.part) for drop in library.drops}
    changed = set(git.changed(sorted({path for path, _, _ in reported})))
    for path, plan, number in sorted(reported):
        if path in changed:
            again = f"run `planbook finish {plan} {number}` again"
            yield f"{path} was changed since it was accepted; {again}"


def describe_untracked(config: RecordingConfig) -> str:
    """Return which files that a clone needs to check the pages are not in git; empty if none is."""
    git = find_usable_git(config.settings.root)
    if git is None:
        return ""
    settings = config.settings
    needed = (settings.config, config.docs, documents_folder(settings), REPORT)
    files = git.untracked(needed)
    if not files:
        return ""
    message = f"not in git yet: {', '.join(files)}"
    fix = f"git add {shlex.join(files)}"
    return f"{message}; a clone can neither build the pages nor check their quotes without: {fix}"


def _is_changed(config: RecordingConfig, record: Record) -> bool:
    """Return whether a page differs from what was accepted."""
    if record.content is None or record.is_held:
        return False
    path = config.settings.root / config.docs / record.page
    return file_sha256(path) != sha256(record.content)
