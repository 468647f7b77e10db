"""A KNOWLEDGE-DROP file's text as a :class:`~generator.model.Drop`."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from generator.markdown.front_matter import split_front_matter
from generator.markdown.plain_text import plain_text
from generator.model import Drop, DropUri, Problem
from generator.page.parse import decoded

_KEY = re.compile(r"^[ \t]*(?:[-*][ \t]*)?\*\*(?P<key>[A-Za-z ]+?)\s*(?::\*\*|\*\*\s*:)\s*(?P<value>.+)$", re.MULTILINE)
_TITLE = re.compile(r"^#[ \t]+(.+)$", re.MULTILINE)
_PAGE = re.compile(r"(?<![\w/:.-])([\w.+-][\w./+-]*\.md)\b")
_HEAD = 4_000
"""Characters at the top in which a drop says what it is."""


def read_drop(raw: bytes, uri: str) -> tuple[Drop, tuple[Problem, ...]]:
    """Return the drop in a file's bytes, and K002 where it is not UTF-8."""
    text, problems = decoded(raw, uri)
    return parse_drop(text, uri), problems


def parse_drop(text: str, uri: str) -> Drop:
    """The drop in `text`. Never fails: what a drop does not say is ``None``."""
    try:
        meta, body = split_front_matter(text)
    except ValueError:
        meta, body = {}, text
    head = body[:_HEAD]
    keys = {m["key"].strip().lower(): m["value"].strip() for m in reversed(list(_KEY.finditer(head)))}
    title = _TITLE.search(head)
    runner = _text(meta.get("runner")) or keys.get("runner")
    given = meta.get("part")
    number = given if isinstance(given, int) and not isinstance(given, bool) else _part_number(runner or "", head)
    return Drop(
        uri=DropUri(uri),
        title=plain_text(title[1]) if title else PurePosixPath(uri).stem,
        body=body,
        runner=runner,
        timestamp=_text(meta.get("finished")) or keys.get("timestamp") or keys.get("date"),
        outcome=_text(meta.get("outcome")) or keys.get("status"),
        part=number,
        plan=_text(meta.get("plan")),
        page=_text(meta.get("page")) or _page(keys, head),
    )


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _part_number(runner: str, head: str) -> int | None:
    match = re.search(r"\bPART\s+(\d{1,4})\b", runner) or re.search(r"\bPART\s+(\d{1,4})\b", head)
    return int(match[1]) if match else None


def _page(keys: dict[str, str], head: str) -> str | None:
    for text in (keys.get("file"), keys.get("knowledge file"), keys.get("created"), head):
        paths = [p for p in _PAGE.findall(text or "") if "KNOWLEDGE-DROP" not in p and "/" in p]
        if paths:
            return str(paths[0])
    return None
