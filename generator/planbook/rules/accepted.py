"""Check whether pages are as they were when their drops accepted them (K040)."""

from __future__ import annotations

from collections.abc import Iterator

from planbook.library.acceptances import find_changed
from planbook.model import Problem
from planbook.rules.project import Project


def check_accepted_pages(project: Project) -> Iterator[Problem]:
    """Yield K040 for each page whose text or references differ from those that were accepted.

    Drops of earlier versions have no hash: nothing is reported on their pages.
    """
    for uri, drop in find_changed(project.library, project.pages):
        day = (drop.timestamp or "").partition(" ")[0]
        since = f"on {day}" if day else f"by {drop.uri}"
        defect = f"its text or references were changed since it was accepted {since}"
        command = f"planbook finish {drop.plan} {drop.part}"
        check = f"`{command} --check` compares its sentences with their quotes"
        fix = f"{check}; read it, too, and then `{command}` accepts it again"
        yield Problem(uri, 1, "K040", f"{defect}, and not checked since; {fix}")
