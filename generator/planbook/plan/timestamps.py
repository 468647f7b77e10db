"""Times of completion in the lines of a plan: ``Completed 2026-11-20 14:05 UTC``."""

from __future__ import annotations

import re

from planbook.plan.paths import PATHS

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = (
    r"(?:\d{4}[-/]\d{2}[-/]\d{2}"  # 2026-11-20
    rf"|{_MONTH}\s+{_DAY},?\s+\d{{4}}"  # Nov 20, 2026
    rf"|{_DAY}\s+(?:of\s+)?{_MONTH},?\s+\d{{4}}"  # 20 November 2026, 20th of November 2026
    r"|\d{1,2}\.\d{1,2}\.\d{4})"  # 20.11.2026
)
_TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:\s*[AaPp]\.?[Mm]\b\.?)?"
_ZONE = (
    r"(?!PART\b)(?:Z|UTC(?:[+-]\d{1,2})?|GMT(?:[+-]\d{1,2})?|[A-Z]{1,3}[SD]?T|[+-]\d{2}:?\d{2})\b"
)
TIMESTAMP = re.compile(
    rf"(?P<date>{_DATE})"
    r"(?:(?P<join>T|\s*,\s*|\s+at\s+|\s+@\s*|\s+-\s+|\s+)"
    rf"(?P<time>{_TIME})(?:\s*(?P<zone>{_ZONE}))?)?"
)
"""``2026-11-20``, ``Nov 20, 2026 at 2:05 PM UTC``, ``20.11.2026 - 14:05``."""
_FINISHED_WORD = re.compile(r"\b(?:completed?|done|finished)\b", re.IGNORECASE)
_DONE_WORD = re.compile(r"\b(?:created|updated|written)\b|[✓✔✅]", re.IGNORECASE)


def read_timestamp(text: str, *, is_done: bool) -> str | None:
    """Return the completion time in a status line as written: date, time, time zone.

    A date counts after a word such as *Completed*; in a line marked done, also on its own.
    Dates in file names do not count.
    """
    text = PATHS.sub(lambda path: " " * len(path[0]), text)
    word = _FINISHED_WORD.search(text) or _DONE_WORD.search(text)
    match = TIMESTAMP.search(text, word.end()) if word else None
    if match is None and is_done:
        match = TIMESTAMP.search(text)
    if match is None:
        return None
    if match["join"] == "T":
        return match[0]
    return " ".join(piece for piece in (match["date"], match["time"], match["zone"]) if piece)
