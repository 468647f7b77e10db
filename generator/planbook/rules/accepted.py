"""Check whether pages are as they were when their drops accepted them (K040)."""

from __future__ import annotations

from collections.abc import Iterator

from planbook.library.drops import find_acceptances
from planbook.library.pages import fingerprint
from planbook.markdown.document import decoded
from planbook.model import PageUri, Problem, State
from planbook.rules.project import Project

_FINISHED = frozenset({State.DONE, State.PARTIAL})
"""States of a PART whose page was accepted; of an open one, the page is being written again."""


def check_accepted_pages(project: Project) -> Iterator[Problem]:
    """Yield K040 for each page whose text or references differ from those that were accepted.

    Drops of earlier versions have no hash: nothing is reported on their pages.
    """
    accepted = find_acceptances(project.library.drops)
    for uri, raw in project.pages.items():
        entry = project.library.by_uri.get(PageUri(uri))
        if entry is None or entry.state not in _FINISHED:
            continue
        plan, number = entry.plan.slug, entry.part.number
        drop = accepted.get((plan, number, uri))
        if drop is None or not drop.text_sha256:
            continue
        text, _ = decoded(raw, uri, "K002")
        if drop.text_sha256 == fingerprint(text):
            continue
        day = (drop.timestamp or "").partition(" ")[0]
        since = f"on {day}" if day else f"by {drop.uri}"
        defect = f"its text or references were changed since it was accepted {since}"
        command = f"planbook finish {plan} {number}"
        fix = f"`{command} --check` checks its sentences, `{command}` records it as it is"
        yield Problem(uri, 1, "K040", f"{defect}, and not checked since; {fix}")
