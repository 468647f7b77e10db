"""What we keep under ``custom`` of the references in a page's front matter, set with no other byte changed.

The YAML is not written anew: its parser says where each value stands, and only that span is replaced.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from generator.markdown.front_matter import FrontMatterError, front_matter_span, split_front_matter

Custom = Mapping[str, Any]
"""Scalars, and mappings of scalars, by key."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Characters `start` to `end` of the YAML give way to `text`."""

    start: int
    end: int
    text: str


def with_custom(text: str, values: Mapping[str, Custom]) -> str:
    """`text` with `values`, by a reference's id, set under ``custom`` of the references in its front matter.

    A mapping is merged into one that is there. References that are not in the front matter are passed over. Done
    twice, the second time changes nothing.

    Raises ValueError (a line, a NUL and what is wrong) where the front matter is no YAML mapping, or written in a form
    that cannot be changed in place.
    """
    meta, _ = split_front_matter(text)
    span = front_matter_span(text)
    items = meta.get("references")
    if span is None or not isinstance(items, list):
        return text
    wanted = [_merged(item, values) for item in items]
    if wanted == items:
        return text
    head = text[slice(*span)]
    edits = sorted(_edits(head, items, wanted), key=lambda edit: edit.start, reverse=True)
    for edit in edits:
        head = head[: edit.start] + edit.text + head[edit.end :]
    result = text[: span[0]] + head + text[span[1] :]
    if _references(result) != {**meta, "references": wanted}:
        what = "its `references` are written in a form that cannot be changed in place; use a block list"
        raise FrontMatterError(1, what)
    return result


def _merged(item: object, values: Mapping[str, Custom]) -> object:
    """An item of the references with its values set."""
    new = values.get(str(item.get("id"))) if isinstance(item, dict) else None
    if not new or not isinstance(item, dict):
        return item
    old = item.get("custom")
    if old is not None and not isinstance(old, dict):
        raise FrontMatterError(1, f"`custom` of the reference {item['id']} is not a mapping")
    return {**item, "custom": _set_in(old or {}, new)}


def _set_in(old: Mapping[str, Any], new: Custom) -> dict[str, Any]:
    merged = dict(old)
    for key, value in new.items():
        below = old.get(key)
        merged[key] = _set_in(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return merged


def _references(text: str) -> dict[str, object] | None:
    try:
        return split_front_matter(text)[0]
    except FrontMatterError:
        return None


def _edits(head: str, items: Sequence[Any], wanted: Sequence[Any]) -> Iterator[Edit]:
    """What turns the references in the YAML `head` from `items` into `wanted`."""
    root = yaml.compose(head, Loader=yaml.SafeLoader)
    listed = _pair(root, "references")[1] if isinstance(root, yaml.MappingNode) else None
    for node, old, new in zip(listed.value if listed else (), items, wanted, strict=False):
        if old != new:
            yield from _changes(head, node, old, new)


def _changes(head: str, node: yaml.Node, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Edit]:
    """What turns a mapping from `old` into `new`."""
    if not isinstance(node, yaml.MappingNode):  # an alias or a tag stands for it
        return
    added = {}
    for key, value in new.items():
        if key not in old:
            added[key] = value
        elif value != old[key]:
            found = _pair(node, key)[1]
            if isinstance(value, dict) and isinstance(old[key], dict) and isinstance(found, yaml.MappingNode):
                yield from _changes(head, found, old[key], value)
            elif found is not None:
                yield _replaced(head, found, value)
    if added:
        yield _added(head, node, added)


def _pair(node: yaml.Node, key: str) -> tuple[yaml.Node | None, yaml.Node | None]:
    """A key of a mapping with its value; of several, the one that counts."""
    pairs = [(k, v) for k, v in node.value if isinstance(k, yaml.ScalarNode) and k.value == key]
    return pairs[-1] if pairs else (None, None)


def _replaced(head: str, node: yaml.Node, value: object) -> Edit:
    """`value` in the place of another; where there was none, behind a blank."""
    start, end = node.start_mark.index, _end_of(head, node)
    return Edit(start, end, f"{'' if end > start else ' '}{_flow(value)}")


def _added(head: str, node: yaml.MappingNode, values: Custom) -> Edit:
    """More pairs behind the last one, in the form that the mapping has."""
    pairs = ", ".join(f"{_flow(key)}: {_flow(value)}" for key, value in values.items())
    if not node.value:
        at = head.index("{", node.start_mark.index) + 1
        return Edit(at, at, pairs)
    key, value = node.value[-1]
    is_alias = value.start_mark.index < key.end_mark.index  # it stands elsewhere, and so do its marks
    if node.flow_style and is_alias:
        at = head.index("{", node.start_mark.index) + 1
        return Edit(at, at, f"{pairs}, ")
    end = key.end_mark.index if is_alias else _end_of(head, value)
    if node.flow_style:
        return Edit(end, end, f", {pairs}")
    at = head.index("\n", end) + 1
    newline = "\r\n" if head[at - 2 : at] == "\r\n" else "\n"
    lines = _block(values, " " * node.value[0][0].start_mark.column)
    return Edit(at, at, "".join(f"{line}{newline}" for line in lines))


def _end_of(head: str, node: yaml.Node) -> int:
    """Where a value's own characters end; the parser's mark may stand behind blanks, comments and empty lines."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end_of(head, last[1] if isinstance(last, tuple) else last)
    end = node.end_mark.index
    return len(head[:end].rstrip()) if isinstance(node, yaml.ScalarNode) and node.style in {"|", ">"} else end


def _block(values: Custom, indent: str) -> Iterator[str]:
    """The pairs as lines; a mapping that holds mappings, or ``custom`` itself, in lines of its own."""
    for key, value in values.items():
        if key == "custom":
            yield f"{indent}{key}:"
            yield from _block(value, f"{indent}  ")
        else:
            yield f"{indent}{_flow(key)}: {_flow(value)}"


def _flow(value: object) -> str:
    """A value in one line, as it may stand anywhere in YAML."""
    text = yaml.safe_dump([value], default_flow_style=True, allow_unicode=True, sort_keys=False, width=1_000_000)
    return text.strip()[1:-1]
