"""Changes to the report of `planbook verify` by commands that check nothing."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from planbook.citations.report import decode_report, encode_report
from planbook.store.files import REPORT, read_report, remove_file, write_atomic


def remove_from_report(root: Path, pages: Collection[str]) -> bool:
    """Remove pages from the project's report, and return whether any was in it.

    A report of no page is removed; one that cannot be read stays as it is, for `planbook verify`.
    """
    report, defect = decode_report(read_report(root))
    rest = report.without(pages)
    if defect or len(rest.pages) == len(report.pages):
        return False
    if rest.pages:
        write_atomic(root / REPORT, encode_report(rest))
    else:
        remove_file(root / REPORT, root)
    return True
