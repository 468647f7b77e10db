"""Complete references of which a writer gave the id and the quotes. Pure.

The rest is known from the work that was read.

Only lines are added, where the reference is written, so that comments and the writer's own form
stay::

    references:                          references:
      - id: kiln-manual                    - id: kiln-manual
        custom:                              type: webpage
          quotes: {q1: "..."}        ->      title: The Kiln manual
                                             URL: https://kiln.example/manual
                                             custom:
                                               sha256: 9f86d08...
                                               quotes: {q1: "..."}
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import yaml

from planbook.markdown.front_matter import (
    FrontMatterError,
    front_matter_span,
    split_front_matter,
    yaml_lines,
)

Item = Mapping[str, Any]
"""A CSL item."""


def is_complete(item: Item) -> bool:
    """Return whether a reference says itself where its work is: by its address or file."""
    custom = item.get("custom")
    names_file = isinstance(custom, dict) and bool(custom.get("file"))
    return bool(item.get("URL")) or names_file


def complete_references(text: str, items_by_id: Mapping[str, Item]) -> str:
    """Return a page's `text` with its references completed.

    These are references that have an id, and no address or file: quotes and places, or a title.
    What the page gives stays as it is. References that are complete, or of unknown works, stay as
    they are, too. A second call changes nothing.

    Args:
        text: the page; its line ends stay as they are.
        items_by_id: CSL items of the works that were read, by id.

    Raises:
        FrontMatterError: the front matter is not a YAML mapping, or the references have a form to
            which no line can be added; it says what to write instead.
    """
    meta, _ = split_front_matter(text)
    references = meta.get("references")
    span = front_matter_span(text)
    if not isinstance(references, list) or span is None:
        return text
    wanted = {
        n: items_by_id[str(item["id"])]
        for n, item in enumerate(references)
        if isinstance(item, dict) and str(item.get("id")) in items_by_id and not is_complete(item)
    }
    if not wanted:
        return text
    head = _insert_items(text[slice(*span)], wanted)
    result = text[: span[0]] + head + text[span[1] :]
    # YAML has forms to which no line can be added, so the result is read again.
    expected = [_complete_value(item, wanted.get(n, {})) for n, item in enumerate(references)]
    if read_meta(result) != {**meta, "references": expected}:
        defect = "its `references` cannot be completed"
        fix = "write each reference over several lines"
        example = "`- id: ...`, then `custom:` with `quotes:` below"
        raise FrontMatterError(1, f"{defect}; {fix}: {example}")
    return result


def _insert_items(head: str, wanted: Mapping[int, Item]) -> str:
    """Return front matter whose references, by their index, have what is known of their works.

    Lines are inserted, instead of writing the YAML anew: comments and the author's form stay.
    """
    insertions: list[_Insertion] = []
    for n, node in _item_nodes(head, wanted):
        insertions += _insertions(node, wanted[n])
    newline = "\r\n" if "\r\n" in head else "\n"
    # From the end, so that the offsets of the insertions above stay valid.
    for insertion in sorted(insertions, key=attrgetter("at"), reverse=True):
        added = insertion.text.replace("\n", newline)
        head = head[: insertion.at] + added + head[insertion.at :]
    return head


def read_meta(text: str) -> Mapping[str, object]:
    """Return the front matter of a text; empty if the insertions broke it."""
    try:
        return split_front_matter(text)[0]
    except FrontMatterError:
        return {}


@dataclass(frozen=True, slots=True)
class _Insertion:
    """Text to insert at an offset."""

    at: int
    text: str


def _item_nodes(head: str, wanted: Mapping[int, Item]) -> Iterator[tuple[int, yaml.MappingNode]]:
    """Yield the node of each wanted reference in front matter, with its place in the list."""
    top = yaml.compose(head, Loader=yaml.SafeLoader)
    pairs = top.value if isinstance(top, yaml.MappingNode) else ()
    lists = [value for key, value in pairs if key.value == "references"]
    for items in lists:
        if isinstance(items, yaml.SequenceNode):
            for n, node in enumerate(items.value):
                if n in wanted and isinstance(node, yaml.MappingNode):
                    yield n, node


def _insertions(node: yaml.MappingNode, item: Item) -> Iterator[_Insertion]:
    """Yield what to insert into a reference, so that it has all of `item`."""
    nodes_by_key = {key.value: value for key, value in node.value}
    custom = nodes_by_key.get("custom")
    custom_item = dict(item.get("custom") or {})
    missing = {key: value for key, value in item.items() if key not in nodes_by_key}
    if isinstance(custom, yaml.MappingNode):
        custom_keys = {key.value for key, _ in custom.value}
        yield from _insertions_into_mapping(
            custom, {key: value for key, value in custom_item.items() if key not in custom_keys}
        )
    yield from _insertions_into_mapping(node, missing, after="id")


def _insertions_into_mapping(
    node: yaml.MappingNode, values: Item, after: str = ""
) -> Iterator[_Insertion]:
    """Yield the insertion of `values` into a mapping.

    They go to its beginning, or on the line below the key `after`.
    """
    if not values or not node.value:
        return
    if node.flow_style:
        start = node.start_mark.index + 1
        pairs = (
            f"{key}: {json.dumps(value, ensure_ascii=False)}, " for key, value in values.items()
        )
        yield _Insertion(start, "".join(pairs))
        return
    indent = " " * node.value[0][0].start_mark.column
    lines = yaml_lines(values).splitlines()
    above = next((value for key, value in node.value if key.value == after), None)
    if above is not None:
        yield _Insertion(above.end_mark.index, "".join(f"\n{indent}{line}" for line in lines))
    else:
        start = node.value[0][0].start_mark.index
        yield _Insertion(start, "".join(f"{line}\n{indent}" for line in lines))


def _complete_value(reference: Any, item: Item) -> Any:
    """Return a reference with what it lacks of `item`; what it gives stays."""
    if not isinstance(reference, dict) or not item:
        return reference
    custom = reference.get("custom")
    if not isinstance(custom, dict):
        return {**item, **reference}
    return {**item, **reference, "custom": {**(item.get("custom") or {}), **custom}}
