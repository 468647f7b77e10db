"""Read lines with a label, such as ``**Goal**: x``, by the rows of the table of forms.

A label sets a field of its PART, or introduces the lines below it. Read `meaning_of` first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from planbook.markdown.budgets import read_budget
from planbook.model import LineBudget
from planbook.plan.forms import FORMS, FormKind, LineForm, Meaning, Needs

_LABEL = re.compile(
    r"^(?:\*\*|__)(?P<key>[^*:]{1,60}?)\s*"
    r"(?P<mark>:\s*(?:\*\*|__)|(?:\*\*|__)\s*:?)\s*(?P<value>.*)$"
)
_PLAIN_LABEL = re.compile(
    r"^(?P<key>[A-Za-z][A-Za-z ]{1,30}?)(?P<note> ?\([^():]{1,30}\))?\s?:\s?(?P<value>.*)$"
)
_KEY_WITH_NOTE = re.compile(r"^(?P<key>[^()]*[^()\s])\s*(?P<note>\([^()]*\))$")
_DATE = re.compile(r"\b\d{4}\b|[✓✔✅☑]|^yes\b", re.IGNORECASE)
_ESTIMATE = re.compile(r"(?:[~≈]|about )\s?\d[\d,]* lines\.?", re.IGNORECASE)
_NOTE_BEFORE_COLON = re.compile(r"^(?P<note>\([^()]*\))\s*:\s*(?P<value>.*)$")


@dataclass(frozen=True, slots=True)
class Label:
    """A line ``**Key**: value``.

    It may also be ``**Key:** value``, ``**Key** value`` or ``**Key** (note): value``.
    """

    key: str
    value: str
    has_colon: bool
    note: str = ""
    """Text in parentheses between the key and the colon."""

    @property
    def noted(self) -> str:
        """The note and the value."""
        return f"{self.note} {self.value}".strip()


def read_label(text: str) -> Label | None:
    """Return the key and value of a line that begins with a label in bold."""
    match = _LABEL.match(text)
    if not match:
        return None
    key, value, has_colon = match["key"].strip(), match["value"].strip(), ":" in match["mark"]
    inside = _KEY_WITH_NOTE.match(key)
    if inside:
        return Label(inside["key"], value, has_colon, inside["note"])
    behind = None if has_colon else _NOTE_BEFORE_COLON.match(value)
    if behind:
        return Label(key, behind["value"], True, behind["note"])
    return Label(key, value, has_colon)


def read_plain_label(text: str) -> Label | None:
    """Return the key and value of a line such as ``File: bread/01-starter.md``.

    The result is ``None`` if no form in the table has its words without bold.
    """
    match = _PLAIN_LABEL.match(text)
    if not match or not any(form.is_plain for form in _labels_with(match["key"])):
        return None
    return Label(match["key"], match["value"].strip(), True, (match["note"] or "").strip())


def meaning_of(label: Label, *, has_path: bool, is_bold: bool = True) -> Meaning | None:
    """Return what a label sets of the PART; ``None`` if it sets nothing.

    Args:
        label: The label.
        has_path: True if its value names a Markdown file.
        is_bold: False if only forms count that need no bold.
    """
    is_given = {
        Needs.NOTHING: True,
        Needs.TEXT: bool(label.value),
        Needs.PATH: has_path,
        Needs.LINES: budget_of(label) is not None,
        Needs.ESTIMATE: bool(_ESTIMATE.fullmatch(label.value)),
        Needs.DATE: bool(_DATE.search(label.value)),
        Needs.LIST: not label.value,
    }
    for form in _labels_with(label.key):
        if is_given[form.needs] and (is_bold or form.is_plain):
            return form.meaning
    return None


def budget_of(label: Label) -> LineBudget | None:
    """Return the budget in a label's note or value.

    Behind the word *lines*, a number is enough: ``**Lines**: 400``.
    """
    unit = " lines" if "line" in label.key.lower() and label.value[-1:].isdigit() else ""
    return read_budget(f"{label.noted}{unit}")


def is_key_of(key: str, meaning: Meaning) -> bool:
    """Return True if a label with these words may have this meaning."""
    return any(form.meaning is meaning for form in _labels_with(key))


def is_field_in_list(key: str) -> bool:
    """Return True if an item with this label sets a field of the PART: ``- **Status**: done``."""
    return any(pattern.fullmatch(key) for pattern in _FIELDS_IN_LISTS)


def is_known_label(key: str) -> bool:
    """Return True if the table has a label with these words."""
    return bool(_labels_with(key))


def topic_of(words: str) -> Meaning | None:
    """Return what a step's title, a label or a lead-in says of the lines below it."""
    return next((form.meaning for form in _TOPICS if _pattern(form).search(words)), None)


@lru_cache(maxsize=1024)
def _labels_with(key: str) -> tuple[LineForm, ...]:
    return tuple(form for form in _LABELS if _pattern(form).fullmatch(key))


@lru_cache(maxsize=256)
def _pattern(form: LineForm) -> re.Pattern[str]:
    return re.compile(form.words, re.IGNORECASE)


_LABELS = tuple(form for form in FORMS if form.kind is FormKind.LABEL)
_TOPICS = tuple(form for form in FORMS if form.kind is FormKind.TOPIC)
_FIELDS_IN_LISTS = tuple(
    re.compile(form.words_in_list, re.IGNORECASE) for form in FORMS if form.words_in_list
)
