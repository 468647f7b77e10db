"""The lines of an entry that tell a fact of its work, or no work at all: ``URL: ...``, ``Authors: ...``, ``None``."""

from __future__ import annotations

import re

_ADDRESS_KEY = re.compile(r"^\W{0,4}(?:url|link|address|web\s?site|href|source url)\b[\s*_]*:", re.IGNORECASE)
_TITLE_KEY = re.compile(r"^\W{0,4}(?:title|name)\b[\s*_]*:[\s*_]*(?P<title>\S.*)$", re.IGNORECASE)
_NOTE_KEY = re.compile(
    r"^\W{0,4}(?:authors?|published|publisher|publication(?:\sdate)?|date|year|venue|journal|doi|arxiv"
    r"|key\b[^:]{0,30}|topics?|contents?|relevance|used\s(?:for|in)"
    r"|notes?|summary|covers?|coverage|type|licen[cs]e|stars|languages?|description|focus|version|lines?|quotes?"
    r"|status|total\b[^:]{0,30}|search\b[^:]{0,30}"
    r"|quer(?:y|ies)|last updated|created|updated|access(?:ed)?\b[^:]{0,30}|insights?|findings?|contributions?"
    r"|why|section|word count|file size|tags?)"
    r"[\s*_]{0,4}:",
    re.IGNORECASE,
)
_NO_WORK = re.compile(
    r"^\W{0,4}(?:none\b|n/?a\b|no\s(?:web|external|additional|sources?|new|other)|all\s(?:sources?|links?|urls?)"
    r"|access(?:ed)?\b|search(?:ed)?\b|quer(?:y|ies)\b|tbd\b|see\s(?:above|also)"
    r"|total\b|\d+\s(?:sources?|references?|papers|web)\b)",
    re.IGNORECASE,
)
_REMARK = re.compile(
    r"^\W{0,4}(?:none\b|n/?a\b|no\s(?:web|external|additional|sources?|other)|see\s(?:above|also|the)\b|edit\sthis\b"
    r"|(?:last|lately)\s(?:updated|modified|edited|changed|revised)\b|(?:this|the)\spage\b|questions\b|feedback\b"
    r"|(?:written|maintained|generated|made|edited)\s(?:by|with|from|on)\b)",
    re.IGNORECASE,
)
_NO_SOURCES = re.compile(
    r"\b(?:takeaways?|insights?|findings?|concepts?|topics?|quer(?:y|ies)|searches|summary|statistics|stats"
    r"|next\ssteps|notes?|gaps?|status|quality|validation"
    r"|methodology|coverage|keywords?|tags?|changelog|history|see\salso|cross-references|tools\sused|usage"
    r"|techniques|applications?)\b",
    re.IGNORECASE,
)
_AUTHOR_YEAR = re.compile(
    r"^[^()]{2,200}[(,]\s?(?:19|20)\d\d[a-z]?(?:[),.:]|$)|\bet al\b|[\"“][^\"“”]{10,200}[\"”]", re.IGNORECASE
)


def is_address_line(line: str) -> bool:
    """Whether the line tells an address: ``URL: ...``."""
    return bool(_ADDRESS_KEY.match(line))


def told_title(line: str) -> str | None:
    """The title that the line tells: ``Title: ...``."""
    match = _TITLE_KEY.match(line)
    return match["title"] if match else None


def is_note(line: str) -> bool:
    """Whether the line tells another fact: ``Authors: ...``, ``Key points: ...``."""
    return bool(_NOTE_KEY.match(line))


def is_no_work(line: str) -> bool:
    """Whether the line says that nothing is cited, or how it was looked for: ``None``, ``Searched for ...``."""
    return bool(_NO_WORK.match(line))


def is_remark(line: str) -> bool:
    """Whether a paragraph that begins so is about the page: ``Last updated ...``, ``None. See the ...``."""
    return bool(_REMARK.match(line))


def lists_no_works(label: str) -> bool:
    """Whether what stands under the label is about sources rather than one: ``Search queries``, ``Key takeaways``."""
    return bool(_NO_SOURCES.search(label))


def is_by_author(line: str) -> bool:
    """Whether the line reads like a bibliography's: authors and a year, or a title in quotation marks."""
    return bool(_AUTHOR_YEAR.search(line))
