"""Add references to a page's front matter, in place.

The YAML parser locates the value and only that span is replaced, so that every other key, comment
and byte stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import yaml

from planbook.citations.identifiers import free_name
from planbook.citations.references import Item, work_or_title_key
from planbook.citations.rich_text import strip_tags
from planbook.markdown.front_matter import (
    QUICK_DUMPER,
    FrontMatterError,
    front_matter_span,
    split_front_matter,
    yaml_block,
)

_REFERENCES = re.compile(r"^references[ \t]*:[ \t]*(?P<value>[^\r\n]*)\r?$", re.MULTILINE)
_NEXT_KEY = re.compile(r"^[^\s#-]", re.MULTILINE)


def add_references(text: str, items: Sequence[Item]) -> str:
    """Return `text` with those CSL `items` in its front matter that are not there yet.

    Present items keep place, id and spelling; a work is present if an item has its address or,
    without one, its title. No byte of the body changes; a second call changes nothing.

    Raises:
        FrontMatterError: The front matter is not a YAML mapping, or its ``references`` cannot be
        added to.
    """
    return _add_items(text, partial(_missing_items, items=items))


def append_references(text: str, items: Sequence[Item]) -> str:
    """Return `text` with all of those CSL `items` at the end of its references, as they are.

    Their ids must not be there yet. No byte of the body changes.

    Raises:
        FrontMatterError: as `add_references`.
    """
    return _add_items(text, lambda _: items)


def _add_items(text: str, missing: Callable[[Sequence[Item]], Sequence[Item]]) -> str:
    """Return `text` with the items that are `missing` among its references, added to them."""
    meta, _ = split_front_matter(text)
    old = meta.get("references") or []
    if not isinstance(old, list) or not all(isinstance(item, dict) for item in old):
        raise FrontMatterError(1, "`references` is not a list of CSL items")
    new = missing(old)
    if not new:
        return text
    span = front_matter_span(text)
    if meta and span is None:
        raise FrontMatterError(
            1,
            "the metadata at the top is not enclosed in `---`; add a line `---` above and below it",
        )
    newline = "\r\n" if text.partition("\n")[0].endswith("\r") else "\n"
    if span is None:
        bom = "\ufeff" if text.startswith("\ufeff") else ""
        head = _add_reference_items("", new, newline, has_some=False)
        result = f"{bom}---{newline}{head}---{newline}{text.removeprefix(bom)}"
    else:
        head = _add_reference_items(text[slice(*span)], new, newline, has_some=bool(old))
        result = text[: span[0]] + head + text[span[1] :]
    try:
        is_right = split_front_matter(result)[0] == {**meta, "references": [*old, *new]}
    except FrontMatterError:
        is_right = False
    if not is_right:
        fix = "its `references` are in a form that cannot be extended; write them as a block list"
        raise FrontMatterError(1, fix)
    return result


def references_block(items: Sequence[Item]) -> str:
    """Return ``references`` with those CSL `items`, as lines for front matter that has none.

    The result is empty without items.
    """
    return (
        _add_reference_items("", _missing_items((), items), "\n", has_some=False) if items else ""
    )


def _missing_items(old: Sequence[Item], items: Sequence[Item]) -> list[dict[str, Any]]:
    """Return the items whose work is not among the old ones, with ids that none of them has."""
    known_keys = {_item_key(item) for item in old}
    taken_ids = {str(item.get("id")): 2 for item in old}
    missing = [item for item in items if _item_key(item) not in known_keys]
    return [{**item, "id": free_name(str(item["id"]), taken_ids)} for item in missing]


def _item_key(item: Item) -> str:
    title = " ".join(str(item.get("title", "")).split())
    return work_or_title_key(item.get("URL"), strip_tags(title))


def _add_reference_items(head: str, new: Sequence[Item], newline: str, *, has_some: bool) -> str:
    """Return YAML with more items in its ``references``; `has_some` if there are any."""
    key = _REFERENCES.search(head)
    if key is None:
        return f"{head}references:{newline}{_block_list(new, newline, '  ')}"
    if not has_some:  # such as ``references: []``
        above, below = head[: key.start()], head[key.end() :].lstrip(newline)
        return f"{above}references:{newline}{_block_list(new, newline, '  ')}{below}"
    next_key = _NEXT_KEY.search(head, key.end())
    end = next_key.start() if next_key else len(head)
    dash = re.search(r"^([ \t]*)- ", head[key.end() : end], re.MULTILINE)
    indent = dash[1] if dash else "  "
    above = head[:end].rstrip()
    below = head[len(above) :].lstrip(newline)
    return f"{above}{newline}{_block_list(new, newline, indent)}{below}"


def _block_list(items: Sequence[Item], newline: str, indent: str) -> str:
    """Return the items as lines of a YAML list; dates in one line, as people write them."""
    lines: list[str] = []
    for item in items:
        # One call for a whole item, by libyaml: pages for programs list thousands of them.
        block = yaml_block(item, QuickItemDumper, ItemDumper).rstrip("\n")
        first, *later_lines = block.split("\n")
        lines.append(f"- {first}")
        lines += [f"  {line}" if line else line for line in later_lines]
    return "".join(f"{indent}{line}{newline}" for line in lines)


class _InFull:
    """A YAML dumper that writes ``accessed: {date-parts: [[2026, 11, 20]]}`` in one line."""

    def ignore_aliases(self, data: object) -> bool:
        """Write a value that items share in each of them."""
        return True


class ItemDumper(_InFull, yaml.SafeDumper):
    """The dumper of PyYAML, for all that can be written."""


class QuickItemDumper(_InFull, QUICK_DUMPER):  # type: ignore[misc]
    """The dumper of libyaml, if it is there."""


def _represent_mapping(dumper: yaml.SafeDumper, data: dict[str, Any]) -> yaml.Node:
    return dumper.represent_mapping(
        "tag:yaml.org,2002:map", data.items(), flow_style="date-parts" in data
    )


ItemDumper.add_representer(dict, _represent_mapping)
QuickItemDumper.add_representer(dict, _represent_mapping)
