"""Check the references in front matter: the list, its items, and the names of their fields.

Each defect is a Problem with its line. Read `check_items` first: `field_values` and `custom_fields`
check the values, by the table of `csl_variables`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from planbook.citations.csl_variables import DATES, NAMES, NUMBERS, TEXTS, find_variable_meant
from planbook.citations.custom_fields import check_custom
from planbook.citations.field_values import check_date, check_names, check_text, value_in_message
from planbook.citations.pins import CUSTOM
from planbook.citations.value_lines import (
    Finding,
    Path,
    compose_front_matter,
    find_repeated_keys,
    line_of_value,
    may_repeat_keys,
)
from planbook.markdown.front_matter import front_matter_span
from planbook.markdown.words import closest
from planbook.model import Problem

_CITABLE = re.compile(r"[A-Za-z0-9_](?:[\w:.#$%&+?~/-]*[\w/])?")


def check_items(text: str, meta: Mapping[str, Any], uri: str) -> tuple[Problem, ...]:
    """Return the Problems of the ``references`` in a page's front matter.

    K011 for what is no CSL item, K015 for a field with a wrong type or value, K016 for an id that
    several items have.
    """
    references = meta.get("references")
    if references is None:
        return tuple(_check_other_keys(text, meta, uri))
    span = front_matter_span(text)
    raw_value = text[slice(*span)] if span else ""
    findings = list(_check_list(references))
    if not findings and not may_repeat_keys(raw_value):
        return ()
    root = compose_front_matter(raw_value)
    if root is not None:
        findings += find_repeated_keys(root)
    return tuple(
        Problem(uri, line_of_value(root, finding.path), finding.code, finding.message)
        for finding in findings
    )


def has_id(item: Mapping[Any, Any]) -> bool:
    """Return True if a CSL item has an id: a text or a number."""
    id_ = item.get("id")
    is_text_or_number = isinstance(id_, str | int) and not isinstance(id_, bool)
    return is_text_or_number and bool(str(id_).strip())


_OTHER_KEYS = frozenset({"sources", "bibliography", "citations", "refs", "works", "reference"})
"""Keys that people give a list of works."""


def _check_other_keys(text: str, meta: Mapping[str, Any], uri: str) -> Iterator[Problem]:
    """Yield K011 for a list of works under another key, on a page without ``references``."""
    for key, value in meta.items():
        is_like = key.lower() in _OTHER_KEYS or bool(closest(key.lower(), ("references",), 0.8))
        items = value if isinstance(value, list) else []
        are_works = any(
            isinstance(item, Mapping) and {"title", "URL", "url", "id"} & set(item)
            for item in items
        )
        if is_like and are_works:
            line = next(
                (n for n, row in enumerate(text.split("\n"), 1) if row.startswith(f"{key}:")), 1
            )
            fix = "rename the key, and give each work an `id`"
            yield Problem(
                uri, line, "K011", f"`{key}` is not read; did you mean `references`? {fix}"
            )


def _check_list(references: object) -> Iterator[Finding]:
    """Yield what is wrong with the value of ``references``."""
    defect = "`references` must be a list of CSL items, each with an `id`; see the Guide, Pages"
    items: list[tuple[Path, Any]] = []
    if isinstance(references, list):
        items = [((n,), item) for n, item in enumerate(references)]
    else:
        yield Finding((), "K011", defect)
    if isinstance(references, dict):  # one item without a list
        items = [((), references)]
    first_with: dict[str, int] = {}
    for n, (path, item) in enumerate(items):
        if not isinstance(item, dict):
            yield Finding(path, "K011", f"{value_in_message(item)} is not a CSL item; {defect}")
            continue
        if not has_id(item):
            yield _missing_id(item, path)
            continue
        name = str(item["id"])
        if name in first_with:
            yield _repeated_id(name, path, first_with[name])
        first_with.setdefault(name, n)
        for below, message in _check_item(item):
            yield Finding((*path, *below), "K015", f"@{name}: {message}")


def _missing_id(item: Mapping[str, Any], path: Path) -> Finding:
    """Return K011 for an item without an id, or with one that is no text."""
    id_ = item.get("id")
    has = "no `id`" if id_ in (None, "") else f"the `id` {value_in_message(id_)}"
    fix = "give each a text of its own, such as `id: doe2026`"
    return Finding((*path, "id"), "K011", f"a reference has {has}; {fix}")


def _repeated_id(name: str, path: Path, first: int) -> Finding:
    """Return K016 for an item with the id of an earlier one; `first` is the index of that."""
    defect = f"the id @{name} is that of reference {first + 1}, too"
    fix = "rename one of them, and cite each by its own"
    until = "until then, citations lead to the first"
    return Finding((*path, "id"), "K016", f"{defect}; {fix}; {until}")


def _check_item(item: Mapping[Any, Any]) -> Iterator[tuple[Path, str]]:
    """Yield what is wrong with the fields of an item, with the path in it."""
    if not _CITABLE.fullmatch(str(item["id"])):
        fix = "use letters, digits and - _ . : / only"
        yield ("id",), f"no citation can name the id {value_in_message(item['id'])}; {fix}"
    for key, value in item.items():
        name = str(key)
        is_given = value is not None and value != ""
        if is_given and name != "id":
            yield from _check_field(name, value)


def _check_field(name: str, value: object) -> Iterator[tuple[Path, str]]:
    """Yield what is wrong with one field."""
    if name in DATES:
        yield from check_date(name, value)
    elif name in NAMES:
        yield from check_names(name, value)
    elif name == "custom":
        yield from check_custom(value)
    elif name in CUSTOM:  # it stands beside the other fields instead
        yield from ((path[1:], message) for path, message in check_custom({name: value}))
    elif name in NUMBERS or name in TEXTS:
        yield from check_text(name, value)
    else:
        yield from _check_unknown(name)


def _check_unknown(name: str) -> Iterator[tuple[Path, str]]:
    """Yield a field that is like one of CSL; programs may add others."""
    nearest = find_variable_meant(name)
    if nearest:
        yield (name,), f"CSL has no field `{name}`; did you mean `{nearest}`?"
