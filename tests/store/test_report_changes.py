"""Pages are removed from the report of `planbook verify` when they are removed from the base."""

from __future__ import annotations

from pathlib import Path

from planbook.citations.report import VERSION, PageResult, VerifyReport, decode_report, encode_report
from planbook.store.files import REPORT, read_report
from planbook.store.report_changes import remove_from_report

TEA, RYE = PageResult("2026-11-20T10:00:00Z", text_sha256="a"), PageResult("2026-11-21T10:00:00Z")


def test_the_results_of_other_pages_stay(tmp_path: Path) -> None:
    """They are as they were, and a page that is not in the report changes nothing."""
    (tmp_path / REPORT).write_bytes(encode_report(VerifyReport(VERSION, {"tea.md": TEA, "rye.md": RYE})))
    before = read_report(tmp_path)
    assert not remove_from_report(tmp_path, {"oat.md"})
    assert read_report(tmp_path) == before
    assert remove_from_report(tmp_path, {"rye.md", "oat.md"})
    assert decode_report(read_report(tmp_path)) == (VerifyReport(VERSION, {"tea.md": TEA}), "")


def test_a_report_of_no_page_is_removed(tmp_path: Path) -> None:
    """Without it, a base is one that nobody has verified."""
    (tmp_path / REPORT).write_bytes(encode_report(VerifyReport(VERSION, {"tea.md": TEA})))
    assert remove_from_report(tmp_path, {"tea.md"})
    assert not (tmp_path / REPORT).exists()
    assert not remove_from_report(tmp_path, {"tea.md"})


def test_a_report_that_cannot_be_read_stays(tmp_path: Path) -> None:
    """It is not overwritten by a command that checks nothing."""
    (tmp_path / REPORT).write_bytes(b'{"version": 99, "pages": {}}')
    assert not remove_from_report(tmp_path, {"tea.md"})
    assert read_report(tmp_path) == b'{"version": 99, "pages": {}}'
