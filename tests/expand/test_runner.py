"""One job: what its stages give, what it asks, and when it fails."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

from generator.drafts import Usage
from generator.expand.events import (
    Event,
    Job,
    JobOutcome,
    JobStage,
    Result,
    StoppedError,
)
from generator.expand.worker import run_job
from generator.library import link_tree
from generator.model import Tree
from generator.problems import requirement
from generator.research.select import Choice, select
from tests.expand.base import NOW, STAMP
from tests.expand.stages import World

PLAN = """# Tea

## PART 1: Create tea/01.md

- [ ] PART 1: Create tea/01.md

**Step 1: Web research**
- [ ] Search: "water"
- [ ] Search: "leaves"
- [ ] https://named.test/a

**Step 2: Write the page**
- [ ] Section 1: Water for tea (~100 lines)
    - Which water keeps the leaves
"""


def make_job(text: str = PLAN) -> Job:
    """The job of the plan's PART."""
    library = link_tree(Tree({"plans/tea.md": text.encode()}, {}, {}))
    return Job(1, select(library, Choice(), NOW).briefs[0], STAMP)


def world() -> World:
    """Two queries that find four documents; the plan names a fifth."""
    made = World()
    made.add("water", "https://a.test/1", "https://b.test/1")
    made.add("leaves", "https://a.test/2", "https://b.test/1", "https://c.test/1")
    made.add("nobody asks this", "https://named.test/a")
    return made


def attempt(job: Job, there: World, **given: Any) -> tuple[Result, list[Event]]:
    """What comes of a job, and what it told."""
    events: list[Event] = []
    return run_job(job, there.tools(events.append, **given)), events


def stages(events: list[Event]) -> list[JobStage]:
    """The stages that were finished, in order."""
    return [event.details["stage"] for event in events if event.name == "StageFinished"]


def test_a_page_comes_of_it() -> None:
    """Each stage once, in order; the named document first; everything counted."""
    there = world()
    spent: list[Usage] = []
    result, events = attempt(make_job(), there, spend=spent.append)
    assert (result.outcome, result.reason) == (JobOutcome.DONE, "")
    assert result.draft is not None
    assert "https://named.test/a" in result.draft.text
    assert [source.fetched.url for source in result.sources] == [
        *("https://named.test/a", "https://b.test/1", "https://a.test/1", "https://a.test/2", "https://c.test/1")
    ]
    assert stages(events) == list(JobStage)
    assert result.usage == Usage(requests=2 + 5 * 2, tokens_in=7)
    assert sum(spent, Usage()) == result.usage
    hosts = [event.details["host"] for event in events if event.name == "HostRequest"]
    assert hosts[:3] == ["search.test", "search.test", "named.test"]
    assert sorted(hosts[3:]) == ["a.test", "a.test", "b.test", "c.test"]
    assert all(source.id for source in result.sources)


def test_a_job_and_its_result_can_be_sent() -> None:
    """To another machine, and back."""
    result, _ = attempt(make_job(), world())
    assert pickle.loads(pickle.dumps(result)) == result  # noqa: S301 - our own bytes
    assert pickle.loads(pickle.dumps(run_job)) is run_job  # noqa: S301


# --- failures ----------------------------------------------------------------------------------------------------


def test_nobody_to_ask_is_told_apart_too() -> None:
    """A plan without addresses, and no provider at all."""
    plan = PLAN.replace("- [ ] https://named.test/a\n", "")
    result, _ = attempt(make_job(plan), world(), providers=lambda ask: ())
    assert (result.outcome, result.reason) == (
        JobOutcome.UNREACHED,
        "nothing was found: the plan names no address, and no provider is available",
    )


def test_no_passage_fails() -> None:
    """Sources that say nothing of the outline make no page."""
    there = world()
    for url, found in there.documents.items():
        there.documents[url] = replace(found, text=f"Nothing of the kind stands at {url} today, nor did it ever.\n")
    result, _ = attempt(make_job(), there)
    assert (result.outcome, result.reason) == (JobOutcome.FAILED, "no passage of 5 sources matches the outline")


def test_a_gate_holds_a_page_back() -> None:
    """The reason names the gate; the writer is told of it once, and its draft goes into the account."""
    there = world()
    plan = PLAN.replace("tea/01.md", "tea/01-spoilt.md")
    result, _ = attempt(make_job(plan), there)
    assert (result.outcome, result.draft is None) == (JobOutcome.FAILED, False)
    assert result.reason.startswith("front-matter: ")
    assert there.written == [(1, ()), (1, tuple(requirement(finding) for finding in result.findings))]


def test_an_error_of_our_own_is_a_failure() -> None:
    """With its trace, for the log; it ends no other page's work."""

    def broken(*_: object) -> tuple[object, ...]:
        raise ZeroDivisionError("a bug")

    result, _ = attempt(make_job(), world(), write=broken)
    assert (result.outcome, result.reason) == (
        JobOutcome.FAILED,
        "an internal error: ZeroDivisionError: a bug",
    )
    assert "in broken" in result.trace


def test_a_stop_comes_between_two_requests() -> None:
    """What is under way ends; nothing further is asked."""
    there = world()

    def check() -> None:
        if there.asked.total() >= 3:
            raise StoppedError("interrupted")

    result, events = attempt(make_job(), there, check=check)
    assert (result.outcome, result.reason, there.asked.total()) == (JobOutcome.STOPPED, "interrupted", 3)
    assert stages(events) == [JobStage.SEARCH]
