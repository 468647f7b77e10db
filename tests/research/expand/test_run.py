"""A run: what is written, in which order, what is committed, and what is refused."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from planbook.library import link_tree
from planbook.research.drafts import Draft, Usage
from planbook.research.expand.cancellation import CancelToken
from planbook.research.expand.jobs import Job, JobOutcome, Result
from planbook.research.leases import LeaseBook
from planbook.research.recording.events import Event
from planbook.store import RefusedError, read_settings, read_tree
from planbook.store.files import UnwritableError
from tests.files import git, put
from tests.research.expand.base import NOW, Base, commits, done, failed, files_of, make_repository, part, plan

PLAN = plan(part(1), part(2), part(3))


@pytest.fixture
def base(tmp_path: Path) -> Base:
    """One plan of three PARTs, none of them written."""
    return Base(make_repository(tmp_path / "base", {"plans/tea.md": PLAN, "docs/index.md": "# Home\n"}))


def test_writing_is_in_part_order(base: Base) -> None:
    """It is so also where a later PART is ready first."""
    third_is_done = threading.Event()

    def runner(job: Job) -> Result:
        if job.brief.part.number == 3:
            third_is_done.set()
        else:
            third_is_done.wait()
        return done(job)

    base.run(runner, workers=3)
    recorded = [event.page for event in base.events if event.name == "PageRecorded"]
    assert recorded == ["tea/01.md", "tea/02.md", "tea/03.md"]


def claim(base: Base, number: int) -> None:
    """Somebody claims a PART."""
    (of_base,) = link_tree(read_tree(read_settings(base.root))).plans
    LeaseBook(base.root).claim(of_base, of_base.parts[number - 1], "ann", NOW, 60)


def test_a_part_that_is_claimed_while_it_is_written_is_left_to_its_runner(base: Base) -> None:
    """It keeps its mark, nothing of it is written, and the others are."""

    def runner(job: Job) -> Result:
        if job.brief.part.number == 1:
            claim(base, 1)
        return done(job)

    outcome = base.run(runner, workers=1)
    assert base.names("docs/tea") == ["02.md", "03.md"]
    assert "[ ] PART 1" in base.text("plans/tea.md")
    assert [result.outcome for result in outcome.results] == [JobOutcome.CLAIMED, JobOutcome.DONE, JobOutcome.DONE]
    assert (outcome.unfinished, outcome.summary.troubles) == (0, ())
    [message] = [event.message for event in base.events if "claimed" in event.message]
    assert message.startswith("claimed: PART 1 of plans/tea.md is claimed by ann until 2026-11-20T10:05:00Z")


def test_a_part_that_is_claimed_before_its_turn_is_not_begun(base: Base) -> None:
    """No worker spends a request on it."""
    begun = []

    def runner(job: Job) -> Result:
        begun.append(job.brief.part.number)
        if job.brief.part.number == 1:
            claim(base, 2)
        return done(job)

    assert base.run(runner, workers=1).unfinished == 0
    assert begun == [1, 3]
    assert base.names("docs/tea") == ["01.md", "03.md"]


# --- git ---------------------------------------------------------------------------------------------------------


def test_without_commit_everything_is_written(base: Base) -> None:
    """The files are left to the user; a later run does not commit them either."""
    base.run(done, commit=False, limit=1)
    assert commits(base.root) == []
    assert "docs/tea/" in git(base.root, "status", "--porcelain")
    put(base.root, {"docs/tea/01.md": "# My version\n"})
    base.run(done, part=2)
    assert "A docs/tea/01.md" not in files_of(base.root)


def test_no_repository_is_said_and_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is written, nothing committed."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    put(tmp_path / "base", {"plans/tea.md": PLAN})
    base = Base(tmp_path / "base")
    base.run(done, limit=1)
    assert Event("Message", "this is not a git repository: nothing is committed") in base.events
    assert base.names("docs/tea") == ["01.md"]


def refuse(base: Base, match: str, **given: object) -> None:
    """The run is refused before anything is begun, with these words."""
    before = {path: path.read_bytes() for path in base.root.rglob("*.md")}

    def runner(job: Job) -> Result:
        raise AssertionError(job.name)

    with pytest.raises(RefusedError, match=match):
        base.run(runner, **given)
    assert {path: path.read_bytes() for path in base.root.rglob("*.md")} == before


def test_a_merge_under_way_is_refused(base: Base) -> None:
    """A commit of ours would end it."""
    (base.root / ".git" / "MERGE_HEAD").write_text(git(base.root, "rev-parse", "HEAD"))
    refuse(base, "a merge is in progress")


def test_uncommitted_pages_are_not_overwritten(base: Base) -> None:
    """--redo writes over what git can give back only."""
    base.run(done, limit=1)
    put(base.root, {"docs/tea/01.md": "# My version\n"})
    refuse(base, r"docs/tea/01\.md has uncommitted changes", redo=True, part=1)


def test_a_hook_that_refuses_leaves_all_for_the_next_run(base: Base) -> None:
    """The files are written, git's words are told, and the next run commits them with its own."""
    hook = base.root / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho not on a Friday >&2\nexit 1\n")
    hook.chmod(0o755)
    outcome = base.run(done, limit=1)
    assert outcome.summary.commit is None
    assert "not on a Friday" in outcome.summary.troubles[0]
    hook.unlink()
    base.run(done, limit=1)
    assert commits(base.root) == ["Expand tea: 2 pages, 6 lines, 0 works cited"]


# --- redo, pages that appear, PARTs of several pages --------------------------------------------------------------


def test_redo_writes_a_page_anew(base: Base) -> None:
    """What git holds is replaced, and the PART keeps its mark, with the new time."""
    base.run(done, limit=1)
    base.run(lambda job: done(job, "# Better\n"), redo=True, part=1)
    assert base.text("docs/tea/01.md") == "# Better\n"
    assert "[✓] PART 1" in base.text("plans/tea.md")
    assert files_of(base.root)[0] == "M docs/tea/01.md"


def test_a_failed_redo_leaves_the_page_and_its_mark(base: Base) -> None:
    """Only a drop tells of it."""
    base.run(done, limit=1)
    before = base.text("plans/tea.md")
    base.run(failed, redo=True, part=1)
    assert (base.text("docs/tea/01.md"), base.text("plans/tea.md")) == ("# Page\n\nText.\n", before)
    assert "KNOWLEDGE-DROP-01-2026-11-20-0905.md" in base.names("plans")


def test_a_page_that_someone_wrote_meanwhile_stays(base: Base) -> None:
    """It is told, the PART is not marked, and what was made lies in the working folder; git gets nothing of it."""

    def runner(job: Job) -> Result:
        put(base.root, {"docs/tea/01.md": "# My version\n"})
        return done(job)

    outcome = base.run(runner, limit=1)
    assert base.text("docs/tea/01.md") == "# My version\n"
    assert "[ ] PART 1" in base.text("plans/tea.md")
    assert "was changed during the run" in outcome.summary.troubles[0]
    assert base.text(".planbook/held/docs/tea/01.md") == "# Page\n\nText.\n"
    assert (commits(base.root), git(base.root, "status", "--porcelain")) == ([], "?? docs/tea/\n")


def test_a_plan_that_changes_meanwhile_is_marked_as_it_is_then(base: Base) -> None:
    """Its PARTs have moved; a PART that is gone is told."""

    def runner(job: Job) -> Result:
        if job.brief.part.number == 1:
            put(base.root, {"plans/tea.md": "A new first line.\n\n" + plan(part(3), part(1), part(9))})
        return done(job)

    outcome = base.run(runner, workers=1)
    text = base.text("plans/tea.md")
    assert text.startswith("A new first line.\n")
    assert text.count("[✓]") == 2
    gone = "tea PART 2: plans/tea.md no longer has a PART 2 with this page; it could not be marked"
    assert outcome.summary.troubles[0] == gone


def test_a_part_with_two_pages_is_done_with_the_last(base: Base) -> None:
    """Before that it has no mark; if one of them fails, it is marked so."""
    two = "## PART 1: Both\n\n- [ ] PART 1: Create tea/a.md and tea/b.md\n\n"
    put(base.root, {"plans/tea.md": plan(two, part(2))})
    base.run(lambda job: failed(job) if job.brief.page == "tea/b.md" else done(job), part=1)
    assert "- [/] PART 1: Create tea/a.md and tea/b.md (Failed 2026-11-20 09:05 UTC" in base.text("plans/tea.md")
    assert base.names("docs/tea") == ["a.md"]
    base.run(done, part=1)
    assert "- [✓] PART 1" in base.text("plans/tea.md")


def test_a_page_that_was_not_written_is_not_finished(base: Base) -> None:
    """Somebody wrote the first of two meanwhile: the second one does not finish their PART."""
    two = "## PART 1: Both\n\n- [ ] PART 1: Create tea/a.md and tea/b.md\n\n"
    put(base.root, {"plans/tea.md": plan(two)})

    def runner(job: Job) -> Result:
        put(base.root, {"docs/tea/a.md": "# My version\n"})
        return done(job)

    outcome = base.run(runner, workers=1)
    assert "was changed during the run" in outcome.summary.troubles[0]
    assert (base.text("docs/tea/a.md"), base.text("docs/tea/b.md")) == ("# My version\n", "# Page\n\nText.\n")
    assert "- [ ] PART 1: Create tea/a.md and tea/b.md\n" in base.text("plans/tea.md")


def test_a_page_that_was_left_to_somebody_is_not_finished(base: Base) -> None:
    """Somebody claimed the PART before its first page was recorded, and gave it up before the second one."""
    two = "## PART 1: Both\n\n- [ ] PART 1: Create tea/a.md and tea/b.md\n\n"
    put(base.root, {"plans/tea.md": plan(two)})
    book = LeaseBook(base.root)

    def runner(job: Job) -> Result:
        of_part = (job.brief.plan, job.brief.part, "ann", NOW)
        if job.brief.page == "tea/a.md":
            book.claim(*of_part, minutes=60)
        else:
            while not any(event.message.startswith("claimed") for event in base.events):
                time.sleep(0.01)
            book.release(*of_part)
        return done(job)

    outcome = base.run(runner)
    assert [result.outcome for result in outcome.results] == [JobOutcome.CLAIMED, JobOutcome.DONE]
    assert base.names("docs/tea") == ["b.md"]
    assert "- [ ] PART 1: Create tea/a.md and tea/b.md\n" in base.text("plans/tea.md")


@pytest.mark.parametrize(
    ("gaps", "min_answered", "is_done"), [(0, 100, True), (1, 80, True), (1, 81, False), (5, 0, True), (5, 1, False)]
)
def test_a_page_that_answers_too_little_is_written_and_its_part_partial(
    tmp_path: Path, gaps: int, min_answered: float, is_done: bool
) -> None:
    """The share of answered points decides; mark, drop and the next run say and know so."""
    outline = "".join(f"    - Point {n} of water\n" for n in range(5))
    text = f"## PART 1: Create tea/01.md\n\n- [ ] PART 1: Create tea/01.md\n\n- [ ] Section 1: Water\n{outline}\n"
    base = Base(make_repository(tmp_path / "base", {"plans/tea.md": plan(text), "docs/index.md": "# Home\n"}))
    draft = Draft("# Page\n\nText.\n", "extract", tuple(f"Point {n} of water" for n in range(gaps)))

    def runner(job: Job) -> Result:
        result = done(job)
        return replace(result, page=replace(result.page, draft=draft))

    outcome = base.run(runner, min_answered=min_answered)
    assert [result.outcome for result in outcome.results] == [JobOutcome.DONE]
    assert base.names("docs/tea") == ["01.md"]
    (where,) = {path.parent for path in base.root.rglob("tea.md")}
    marked, drop = ((where / name).read_text() for name in ("tea.md", "KNOWLEDGE-DROP-01-2026-11-20.md"))
    reason = f"{5 - gaps} of 5 points answered, and expand.min_answered requires {min_answered} %"
    escaped = reason.replace("_", r"\_")
    assert ("- [✓] PART 1: Create tea/01.md (Completed 2026-11-20 09:05 UTC)\n" in marked) is is_done
    assert (f"- [/] PART 1: Create tea/01.md (Partial 2026-11-20 09:05 UTC: {reason})\n" in marked) is not is_done
    assert ("\noutcome: partial\n" in drop and f"The outcome is partial: {escaped}.\n" in drop) is not is_done
    assert drop.count("- Point") == gaps
    assert base.run(done).results == ()


def test_pages_stay_within_the_base(base: Base, tmp_path: Path) -> None:
    """A folder of pages that becomes a link to somewhere else, while the run is at work, is not followed."""
    (tmp_path / "outside").mkdir()

    def runner(job: Job) -> Result:
        (base.root / "docs" / "tea").symlink_to(tmp_path / "outside", target_is_directory=True)
        return done(job)

    outcome = base.run(runner, limit=1)
    assert "is behind a link that points outside docs/" in outcome.summary.troubles[0]
    assert list((tmp_path / "outside").iterdir()) == []


# --- stops -------------------------------------------------------------------------------------------------------


def test_what_is_ready_behind_a_gap_is_kept_too(base: Base) -> None:
    """PART 2 is done when the run stops, and PART 1 is not."""
    token = CancelToken()
    second_is_done = threading.Event()

    def runner(job: Job) -> Result:
        if job.brief.part.number == 2:
            second_is_done.set()
            return done(job)
        second_is_done.wait()
        token.cancel("interrupted")
        return Result.without_page(job, JobOutcome.STOPPED, "interrupted")

    base.run(runner, workers=2, token=token)
    assert base.names("docs/tea") == ["02.md"]


def test_a_file_that_cannot_be_written_is_no_verdict(base: Base) -> None:
    """The run ends, and says which; the next run does the PART again."""
    seen: list[int] = []

    def runner(job: Job) -> Result:
        seen.append(job.brief.part.number)
        if job.brief.part.number == 2 and len(seen) == 2:
            raise UnwritableError("a.txt: it cannot be written")
        return done(job)

    with pytest.raises(UnwritableError, match=r"a\.txt"):
        base.run(runner, workers=1)
    base.run(runner, workers=1)
    assert seen == [1, 2, 2, 3]
    assert commits(base.root) == ["Expand tea: 3 pages, 9 lines, 0 works cited"]


def test_one_unreached_part_among_others_is_left(base: Base) -> None:
    """Where hosts answered before, the run goes on, and the PART stays open."""

    def runner(job: Job) -> Result:
        if job.brief.part.number == 2:
            return Result.without_page(job, JobOutcome.UNREACHED, "no such host")
        return done(job)

    outcome = base.run(runner, workers=1)
    assert (outcome.unfinished, base.names("docs/tea")) == (1, ["01.md", "03.md"])
    assert "- [ ] PART 2" in base.text("plans/tea.md")


@pytest.mark.parametrize(
    ("token", "usage", "why"),
    [
        (CancelToken(requests=10), Usage(10), "the budget of 10 requests is spent"),
        (CancelToken(requests=10), Usage(9, 99), None),
        (CancelToken(tokens=1_000), Usage(0, 1_000, 500), "the budget of 1,000 tokens is spent"),
        (CancelToken(), Usage(10**9, 10**9), None),
    ],
)
def test_budgets(token: CancelToken, usage: Usage, why: str | None) -> None:
    """A run that has spent one of its budgets stops, and says which one in words."""
    token.spend(usage)
    assert token.reason == why


def test_a_budget_spent_by_the_last_part_is_no_stop(base: Base) -> None:
    """Everything is done then."""
    token = CancelToken(requests=5)

    def runner(job: Job) -> Result:
        token.spend(Usage(requests=5))
        return done(job)

    assert base.run(runner, workers=1, token=token, limit=1).stopped is None


def test_a_runner_that_breaks_fails_its_part_alone(base: Base) -> None:
    """An exception of a runner fails its own PART, as if its machine were gone; the other PARTs are done."""

    def runner(job: Job) -> Result:
        if job.brief.part.number == 1:
            raise ConnectionError("the worker is gone")
        return done(job)

    outcome = base.run(runner, workers=1)
    assert [result.outcome for result in outcome.results] == [JobOutcome.FAILED, JobOutcome.DONE, JobOutcome.DONE]
    assert "its worker failed: the worker is gone" in base.text("plans/tea.md")
