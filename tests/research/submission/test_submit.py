"""`submit` for a PART of two pages: both are recorded, or none is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from planbook.model import State
from planbook.research.proof.verify import Answers, CitedReference
from planbook.research.recording.clock import Clock
from planbook.research.recording.config import RecordingConfig
from planbook.research.submission.submit import submit
from planbook.research.submission.submit_result import SubmitResult
from planbook.research.web.model import Fetched, Outcome
from planbook.store import read_settings
from planbook.store.files import RefusedError
from tests.files import put
from tests.research.expand.base import NOW, commits, files_of, make_repository, no_index
from tests.research.expand.hand_written import MORE, PAGE, WORDS

URL = "https://spring.example/water"
PLAN = """# Tea

## PART 1: Create tea/1.md and tea/2.md

- [ ] PART 1: Create tea/1.md, tea/2.md
"""
FIRST, SECOND = "docs/tea/1.md", "docs/tea/2.md"
SOURCE = Fetched(URL, Outcome.OK, final_url=URL, text=WORDS, visible=WORDS, title="The spring", media_type="text/html")


def read_works(cited: Iterable[CitedReference]) -> Answers:
    """The one work that the pages cite."""
    return {URL: (SOURCE,)}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A base with a PART of two pages, both of which wait to be submitted."""
    page = PAGE.format(url=URL, words=WORDS, more=MORE)
    base = make_repository(tmp_path / "base", {"plans/tea.md": PLAN, "docs/index.md": "# Tea\n"})
    put(base, {FIRST: page, SECOND: page.replace("Which water", "Which leaves")})
    return base


def submit_pages(root: Path, read: Callable[[Iterable[CitedReference]], Answers] = read_works) -> SubmitResult:
    """Submit both pages."""
    config = RecordingConfig(read_settings(root), no_index, "planbook finish", clock=Clock(NOW))
    return submit(config, "tea", 1, read, runner="ann")


def test_both_pages_are_recorded_in_one_commit(root: Path) -> None:
    """Each has a drop, and their PART its mark."""
    result = submit_pages(root)
    assert result.is_accepted
    drops = [name for name in files_of(root) if "KNOWLEDGE-DROP" in name]
    assert (len(commits(root)), len(drops)) == (1, 2)
    assert {f"A {FIRST}", f"A {SECOND}", "M plans/tea.md"} < set(files_of(root))
    assert {page.brief.part.state for page in result.pages} == {State.OPEN}
    assert "[✓] PART 1" in (root / "plans/tea.md").read_text("utf-8")


@pytest.mark.parametrize("changed", [FIRST, SECOND])
def test_a_page_that_was_changed_while_it_was_checked_leaves_neither_recorded(root: Path, changed: str) -> None:
    """It may be the second one: the first has no drop and no commit, and the PART no mark."""

    def change_and_read(cited: Iterable[CitedReference]) -> Answers:
        (root / changed).write_text(f"{(root / changed).read_text('utf-8')}\nOne more line.\n", "utf-8")
        return read_works(cited)

    with pytest.raises(RefusedError, match=f"{changed} was changed while it was checked"):
        submit_pages(root, change_and_read)
    assert commits(root) == []
    assert list((root / "plans").glob("KNOWLEDGE-DROP*")) == []
    assert (root / "plans/tea.md").read_text("utf-8") == PLAN


def test_a_page_with_a_wrong_quote_leaves_neither_recorded(root: Path) -> None:
    """What is to be changed is listed for the page that it is on."""
    path = root / SECOND
    path.write_text(path.read_text("utf-8").replace(WORDS, WORDS.replace("an hour", "a day")), "utf-8")
    result = submit_pages(root)
    assert not result.is_accepted
    assert {change.problem.uri for change in result.changes} == {"tea/2.md"}
    assert commits(root) == []


def test_pages_that_are_recorded_are_left_as_they_are(root: Path) -> None:
    """A second time, nothing is written, and nothing committed."""
    submit_pages(root)
    again = submit_pages(root)
    assert again.is_unchanged
    assert len(commits(root)) == 1
