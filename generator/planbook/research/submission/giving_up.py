"""Giving a claimed PART up: a drop says why it has no page, and the claim ends."""

from __future__ import annotations

from planbook import store
from planbook.library import link_tree
from planbook.research import selection
from planbook.research.leases import LeaseBook
from planbook.research.recording.config import RecordingConfig
from planbook.research.recording.file_digests import file_sha256
from planbook.research.recording.page_attempt import PageAttempt
from planbook.research.recording.record import compose_record, verdict_on
from planbook.research.recording.recorder import RunSummary, open_recorder


def give_up(
    config: RecordingConfig, plan_name: str, number: int, *, runner: str, reason: str
) -> RunSummary:
    """Leave a drop that says why a PART has no page, and end the runner's claim.

    The PART stays as it is marked.

    Raises:
        NotFoundError: there is no such plan or PART.
        ClaimedError: somebody else has claimed the PART.
        RefusedError: nothing can be recorded here.
    """
    library = link_tree(store.read_tree(config.settings), config.cache)
    briefs = selection.briefs_of(library, plan_name, number, config.clock.now())
    root = config.settings.root
    plan, part = briefs[0].plan, briefs[0].part
    book = LeaseBook(root)
    with (
        open_recorder(config) as recorder,
        book.finishing(plan, part, runner, config.clock.now()),
    ):
        for brief in briefs:
            moment = config.clock.stamp()
            page = PageAttempt(brief, moment, moment, reason=reason)
            verdict = verdict_on(page)
            drop_before = file_sha256(root / str(brief.drop))
            record = compose_record(page, runner, verdict, drop_before=drop_before)
            recorder.write_record(record, plan)
        return recorder.finish()
