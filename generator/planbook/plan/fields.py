"""Set the fields of a PART that its labels give."""

from __future__ import annotations

import re

from planbook.markdown.budgets import read_budget
from planbook.plan.contents import Contents
from planbook.plan.forms import Meaning
from planbook.plan.labels import Label, budget_of
from planbook.plan.paths import ADDRESS, find_web_addresses, read_paths, read_targets
from planbook.plan.queries import split_list
from planbook.plan.state import is_verdict

_HOW_TO_CITE = re.compile(r"(?:include|format|use|add|list|write)\b", re.IGNORECASE)
"""``Include addresses``: it names no source."""


def set_field(contents: Contents, meaning: Meaning, label: Label) -> None:
    """Set the field of the PART that a label gives."""
    value = label.value
    match meaning:
        case Meaning.TARGET | Meaning.CREATED | Meaning.GOAL if not value:
            _open_list(contents, meaning, label)
        case Meaning.TARGET | Meaning.CREATED:
            add_targets(contents, meaning, value)
        case Meaning.BUDGET:
            contents.size = contents.size or budget_of(label)
        case Meaning.CONTENT:
            _open_content(contents, label)
        case Meaning.POINTS | Meaning.SOURCE | Meaning.CITE | Meaning.OUTLINE:
            _add_list(contents, meaning, label)
        case Meaning.STATUS if contents.steps:
            # Below a step and before the next rule. What is to do is no status.
            if not contents.is_behind_rule and is_verdict(value):
                contents.set_late_status(value)
        case _:
            contents.fields.setdefault(meaning, value)


def _add_list(contents: Contents, meaning: Meaning, label: Label) -> None:
    """Add what a label names in one line: points, sources or sections."""
    match meaning:
        case Meaning.POINTS:
            contents.lead_in, contents.lead_in_depth = Meaning.POINTS, 0
            add_points(contents, label.value)
        case Meaning.SOURCE:
            _add_source(contents, label.value)
        case Meaning.CITE:
            is_of_section = label.key.lower() == "cite"
            add_citations(contents, label.value, is_of_section=is_of_section)
        case _:
            _add_outline(contents, label.value)


def _open_content(contents: Contents, label: Label) -> None:
    """Open the outline below a label that gives its budget, or its points."""
    contents.size = contents.size or budget_of(label)
    contents.open_step(None, label.key)
    contents.step_kind = Meaning.WRITE
    contents.lead_in, contents.lead_in_depth = Meaning.POINTS, 0
    if label.value and read_budget(label.value) is None:
        add_points(contents, label.value)


def _open_list(contents: Contents, meaning: Meaning, label: Label) -> None:
    """Open the list that is the value of a label: ``**Target Files**:``."""
    contents.open_step(None, label.key)
    contents.lead_in, contents.lead_in_depth = meaning, 0
    if meaning is Meaning.TARGET:
        contents.create_budget = contents.create_budget or budget_of(label)


def add_targets(contents: Contents, meaning: Meaning, text: str) -> None:
    """Add the pages that a label or an item below it names.

    Of pages to write, the length is a budget.
    """
    contents.keyed_targets += read_targets(text)
    if meaning is Meaning.TARGET:
        contents.create_budget = contents.create_budget or read_budget(text)


def add_citations(contents: Contents, value: str, *, is_of_section: bool) -> None:
    """Add the sources that ``**Citations**`` names, without instructions on how to cite.

    Below a section, those of ``**Cite**`` are what it must cite.
    """
    if is_of_section and contents.outline.depth is not None:
        contents.outline.add(f"Cite: {value}", is_item=False)
        return
    works = split_list(value)
    contents.sources += [each for each in works if not _HOW_TO_CITE.match(each)]


def _add_outline(contents: Contents, value: str) -> None:
    """Add the sections that a label names in one line, if they are two or more."""
    titles = [title for title in split_list(value) if re.search(r"[^\W\d_]", title)]
    for title in titles if len(titles) > 1 else ():
        contents.outline.begin_listed(title, 0)
    contents.outline.close()


def add_focus(contents: Contents, value: str) -> None:
    """Add the points behind ``**Rye focus**``; a single one is the goal, if there is none."""
    if len(split_list(value)) > 1:
        add_points(contents, value)
    else:
        contents.fields.setdefault(Meaning.GOAL, value)


def add_points(contents: Contents, value: str) -> None:
    """Add the points that a label names, between commas or semicolons."""
    contents.points += split_list(value)


def _add_source(contents: Contents, value: str) -> None:
    """Add the source that a label names: its addresses, or its words if they say more."""
    urls = find_web_addresses(value)
    has_words = bool(re.search(r"[^\W\d_]{2}", ADDRESS.sub("", value)))
    contents.sources += [value] if has_words else urls
    if not urls and not read_paths(value):
        contents.fields.setdefault(Meaning.SOURCE, value)
