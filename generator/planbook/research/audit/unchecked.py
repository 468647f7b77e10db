"""Why claims are not checked: the kinds of reasons, and how many claims have each. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum

from planbook.research.audit.findings import AuditFinding, AuditVerdict


class Unchecked(StrEnum):
    """The kind of the reason why a claim is not checked."""

    OTHER_WORDS = "in other words than the source"
    NOTHING_SIMILAR = "no passage is similar"
    OTHER_FORM = "a word or figure is absent, and may be there in another form"
    RECKONED = "a figure may be reckoned"
    NOT_THEIRS = "quoted words may not be the source's"
    TRANSLATED = "a translation, formula or script is not compared"
    NOT_WHOLE = "a source was not read whole"
    NO_LINES = "the cited lines do not exist"
    OTHER_FILE = "the page may mean another file"
    UNREAD = "a source could not be read"


PHRASES = (
    ("the page may mean another file", Unchecked.OTHER_FILE),
    ("the cited lines do not exist", Unchecked.NO_LINES),
    ("not in what was read", Unchecked.NOT_WHOLE),
    ("as in columns", Unchecked.NOT_WHOLE),
    ("may be a translation", Unchecked.TRANSLATED),
    ("a script without blanks", Unchecked.TRANSLATED),
    ("a formula may be written", Unchecked.TRANSLATED),
    ("reckoned", Unchecked.RECKONED),
    ("may not be the source's", Unchecked.NOT_THEIRS),
    ("they are few words", Unchecked.NOT_THEIRS),
    ("what the page was before", Unchecked.NOT_THEIRS),
    ("what the page said before", Unchecked.NOT_THEIRS),
    ("no passage of its sources is similar", Unchecked.NOTHING_SIMILAR),
    ("in another form", Unchecked.OTHER_FORM),
    ("nowhere in the sources of the page", Unchecked.OTHER_FORM),
    ("not in the closest passages", Unchecked.OTHER_FORM),
    ("the quote is there, but", Unchecked.OTHER_FORM),
)
"""Words of reasons, and the kind of those that have them; the first one counts."""


def kind_of_unchecked(finding: AuditFinding) -> Unchecked | None:
    """Return why a claim is not checked; ``None`` if it is."""
    if finding.verdict not in {AuditVerdict.NOT_JUDGED, AuditVerdict.UNREADABLE}:
        return None
    is_unread = finding.verdict is AuditVerdict.UNREADABLE
    rest = Unchecked.UNREAD if is_unread else Unchecked.OTHER_WORDS
    return next((kind for phrase, kind in PHRASES if phrase in finding.reason), rest)


def count_unchecked(findings: Iterable[AuditFinding]) -> dict[Unchecked, int]:
    """Return how many claims are not checked for each kind of reason, the most frequent first."""
    kinds = map(kind_of_unchecked, findings)
    return dict(Counter(kind for kind in kinds if kind).most_common())
