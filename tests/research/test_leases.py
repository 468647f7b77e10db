"""Leases of PARTs: one runner has a PART, until a time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from planbook.research.leases import ClaimedError, LeaseBook
from planbook.store import RefusedError
from tests.files import git
from tests.repositories import make_repository
from tests.research.documents import brief

NOW = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)
PLAN, PART = brief().plan, brief().part


def test_a_part_has_one_holder_until_its_time(tmp_path: Path) -> None:
    """Another is refused, with the name and the time; the same one renews it; an expired lease is free."""
    book = LeaseBook(tmp_path)
    book.claim(PLAN, PART, "ann", NOW, 60)
    with pytest.raises(ClaimedError, match="claimed by ann until 2026-11-20T11:00:00Z"):
        book.claim(PLAN, PART, "ben", NOW, 60)
    renewed = book.claim(PLAN, PART, "ann", NOW + timedelta(minutes=30), 60)
    assert (renewed.since, renewed.until) == ("2026-11-20T10:00:00Z", "2026-11-20T11:30:00Z")
    later = NOW + timedelta(minutes=90)
    assert book.current(later) == {}
    assert book.claim(PLAN, PART, "ben", later, 60).runner == "ben"


def test_only_the_holder_releases(tmp_path: Path) -> None:
    """Then the PART is free for others."""
    book = LeaseBook(tmp_path)
    book.claim(PLAN, PART, "ann", NOW, 60)
    assert not book.release(PLAN, PART, "ben", NOW)
    assert book.release(PLAN, PART, "ann", NOW)
    assert book.claim(PLAN, PART, "ben", NOW, 60).runner == "ben"


def test_of_many_at_once_one_gets_it(tmp_path: Path) -> None:
    """Whoever comes first; the others are refused, and no lease is lost."""

    def attempt(name: str) -> bool:
        try:
            LeaseBook(tmp_path).claim(PLAN, PART, name, NOW, 60)
        except ClaimedError:
            return False
        return True

    with ThreadPoolExecutor(8) as executor:
        got = list(executor.map(attempt, (f"runner-{n}" for n in range(8))))
    assert sum(got) == 1


def test_worktrees_share_leases(tmp_path: Path) -> None:
    """A claim in one is one in all."""
    repository = make_repository(tmp_path / "base")
    repository.commit({"mkdocs.yml": "site_name: Tea\n"})
    git(repository.root, "worktree", "add", "--quiet", "--detach", str(tmp_path / "other"))
    LeaseBook(repository.root).claim(PLAN, PART, "ann", NOW, 60)
    assert [lease.runner for lease in LeaseBook(tmp_path / "other").current(NOW).values()] == ["ann"]


@pytest.mark.parametrize("content", ["", "[{", "{}", '[{"plan": "tea"}]'])
def test_a_damaged_file_of_leases_frees_nothing(tmp_path: Path, content: str) -> None:
    """Two runners would write one page: it is refused with its name and what to do, and stays as it is."""
    book = LeaseBook(tmp_path)
    book.claim(PLAN, PART, "ann", NOW, 60)
    [file] = tmp_path.rglob("claims.json")
    file.write_text(content)
    for change in (lambda: book.current(NOW), lambda: book.claim(PLAN, PART, "ben", NOW, 60)):
        with pytest.raises(RefusedError, match=r"claims\.json cannot be read .+; if nobody is at work, delete it"):
            change()
    assert file.read_text() == content


def test_an_unreadable_file_of_leases_frees_nothing(tmp_path: Path) -> None:
    """A folder in its place is none of ours."""
    (tmp_path / ".planbook/shared/claims.json").mkdir(parents=True)
    with pytest.raises(RefusedError, match=r"claims\.json cannot be read"):
        LeaseBook(tmp_path).current(NOW)


def test_a_page_is_finished_while_nobody_can_claim_its_part(tmp_path: Path) -> None:
    """Whoever has it by then keeps it; the lease of the page's author ends with the page, and with no failure."""
    book = LeaseBook(tmp_path)
    book.claim(PLAN, PART, "ann", NOW, 60)
    with pytest.raises(ClaimedError, match="claimed by ann"), book.finishing(PLAN, PART, "ben", NOW):
        pytest.fail("the page of another would be written")
    with pytest.raises(ValueError, match="no"), book.finishing(PLAN, PART, "ann", NOW):
        raise ValueError("no")
    assert [lease.runner for lease in book.current(NOW).values()] == ["ann"]
    with book.finishing(PLAN, PART, "ann", NOW):
        pass
    assert book.current(NOW) == {}
