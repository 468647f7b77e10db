"""Add quotes to the references of a page's front matter, in place. Pure.

Only lines and pairs are added, where the reference is written, so that comments, keys and the
writer's own form stay. What is read afterwards is compared with what was meant: front matter to
which nothing can be added in this way is refused, not changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import yaml

from planbook.citations.additions import append_references
from planbook.citations.completion import read_meta
from planbook.markdown.edits import apply_edits
from planbook.markdown.front_matter import (
    FrontMatterError,
    front_matter_span,
    split_front_matter,
)

Quotes = Mapping[str, str]
"""The words of quotes by key."""
_NULL = "tag:yaml.org,2002:null"
_FLOW_SCALAR_STYLES = frozenset({None, '"', "'"})
"""Styles of values of which the last character is known; blocks of text end at the next key."""
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")
"""Characters that YAML reads in another way, or not at all, if they are not escaped."""


class _Edit(NamedTuple):
    """A span of front matter, and the text that replaces it."""

    start: int
    end: int
    text: str


def add_quotes(text: str, quotes: Mapping[str, Quotes]) -> str:
    """Return a page's `text` with more quotes in its references.

    A reference that is not there is added at the end, with its id and quotes. All that the page has
    stays as it is, to the byte.

    Args:
        text: the page; its line ends stay as they are.
        quotes: the quotes to add, with keys that their reference does not have, by its id.

    Raises:
        FrontMatterError: the front matter is not a YAML mapping, or its references have a form to
            which nothing can be added; it says what to write instead.
    """
    if not quotes:
        return text
    meta, _ = split_front_matter(text)
    written: Any = meta.get("references") or []
    ids = {str(item.get("id")) for item in written if isinstance(item, dict)}
    text = append_references(text, [{"id": name} for name in quotes if name not in ids])
    meta, _ = split_front_matter(text)
    span = front_matter_span(text)
    if span is None:
        raise FrontMatterError(1, _NEEDS_BLOCK_STYLE)
    head = text[slice(*span)]
    newline = "\r\n" if "\r\n" in head else "\n"
    top = yaml.compose(head, Loader=yaml.SafeLoader)
    edits = [
        _Edit(edit.start, edit.end, edit.text.replace("\n", newline))
        for item in _reference_nodes(top)
        for edit in _edits_of(item, quotes, head)
    ]
    result = text[: span[0]] + apply_edits(head, sorted(edits)) + text[span[1] :]
    references: Any = meta["references"]
    expected = [_add_more_quotes(item, quotes) for item in references]
    if read_meta(result) != {**meta, "references": expected}:
        raise FrontMatterError(1, _NEEDS_BLOCK_STYLE)
    return result


_NEEDS_BLOCK_STYLE = (
    "no quote can be added to its `references`; write each over several lines: `- id: ...`, then "
    "`custom:` with `quotes:` below, without anchors"
)


def _add_more_quotes(item: Any, quotes: Mapping[str, Quotes]) -> Any:
    """Return a reference as it is to be read with its further quotes."""
    more = quotes.get(str(item.get("id"))) if isinstance(item, dict) else None
    if not more:
        return item
    custom = item.get("custom") or {}
    quotes_in_item = custom.get("quotes") if isinstance(custom, dict) else custom
    if not isinstance(custom, dict) or not isinstance(quotes_in_item or {}, dict):
        return None
    return {**item, "custom": {**custom, "quotes": {**(quotes_in_item or {}), **more}}}


def _reference_nodes(top: yaml.Node | None) -> Iterator[yaml.MappingNode]:
    """Yield the nodes of the references in front matter."""
    pairs = top.value if isinstance(top, yaml.MappingNode) else ()
    for key, value in pairs:
        if key.value == "references" and isinstance(value, yaml.SequenceNode):
            yield from (item for item in value.value if isinstance(item, yaml.MappingNode))


def _edits_of(item: yaml.MappingNode, quotes: Mapping[str, Quotes], head: str) -> Iterator[_Edit]:
    """Yield what adds the quotes of one reference to it."""
    fields = {key.value: value for key, value in item.value}
    more = quotes.get(getattr(fields.get("id"), "value", ""))
    if not more:
        return
    custom = fields.get("custom")
    if custom is None or _is_null(custom):
        yield _mapping_edit(item, "custom", custom, {"quotes": more}, head)
        return
    if not isinstance(custom, yaml.MappingNode):
        return
    quotes_node = {key.value: value for key, value in custom.value}.get("quotes")
    if quotes_node is None or _is_null(quotes_node):
        yield _mapping_edit(custom, "quotes", quotes_node, more, head)
    elif isinstance(quotes_node, yaml.MappingNode):
        yield _quotes_edit(quotes_node, more, head)


def _is_null(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == _NULL


def _mapping_edit(
    node: yaml.MappingNode, key: str, value: yaml.Node | None, more: Mapping[str, Any], head: str
) -> _Edit:
    """Return what gives a mapping a key that it lacks, or a value for one that is empty."""
    if value is not None:
        start, end = value.start_mark.index, value.end_mark.index
        separator = "" if head[start - 1 : start].isspace() else " "
        return _Edit(start, end, f"{separator}{_flow_mapping(more)}")
    if node.flow_style or not node.value:
        start = node.start_mark.index + 1
        comma = ", " if node.value else ""
        return _Edit(start, start, f"{key}: {_flow_mapping(more)}{comma}")
    column = node.value[0][0].start_mark.column
    lines = "".join(f"\n{' ' * column}{line}" for line in _block_lines({key: more}))
    first_value = node.value[0][1]
    if isinstance(first_value, yaml.ScalarNode) and first_value.style in _FLOW_SCALAR_STYLES:
        at = _end_of_line(head, first_value.end_mark.index)
        return _Edit(at, at, lines)
    at = node.value[0][0].start_mark.index
    return _Edit(at, at, f"{lines.lstrip()}\n{' ' * column}")


def _quotes_edit(node: yaml.MappingNode, more: Quotes, head: str) -> _Edit:
    """Return what adds pairs to a mapping: at its end, or at its beginning if that is certain."""
    if node.flow_style or not node.value:
        start = node.start_mark.index + 1
        comma = ", " if node.value else ""
        return _Edit(start, start, f"{_flow_mapping(more)[1:-1]}{comma}")
    first_key, last_value = node.value[0][0], node.value[-1][1]
    indent = " " * first_key.start_mark.column
    lines = [f"{key}: {_quoted_scalar(words)}" for key, words in more.items()]
    if isinstance(last_value, yaml.ScalarNode) and last_value.style in _FLOW_SCALAR_STYLES:
        at = _end_of_line(head, last_value.end_mark.index)
        return _Edit(at, at, "".join(f"\n{indent}{line}" for line in lines))
    at = first_key.start_mark.index
    return _Edit(at, at, "".join(f"{line}\n{indent}" for line in lines))


def _end_of_line(head: str, at: int) -> int:
    """Return the end of a line, behind the comment that may end it."""
    end = head.find("\n", at)
    end = len(head) if end < 0 else end
    return end - 1 if head[end - 1 : end] == "\r" else end


def _block_lines(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a mapping of mappings and texts."""
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield f"{key}:"
            yield from (f"  {line}" for line in _block_lines(value))
        else:
            yield f"{key}: {_quoted_scalar(value)}"


def _flow_mapping(value: Mapping[str, Any]) -> str:
    """Return a mapping of mappings and texts in one line."""
    pairs = (
        f"{key}: {_flow_mapping(inner) if isinstance(inner, Mapping) else _quoted_scalar(inner)}"
        for key, inner in value.items()
    )
    return f"{{{', '.join(pairs)}}}"


def _quoted_scalar(words: str) -> str:
    """Return a text as YAML and JSON write it, in one line."""
    written = json.dumps(words, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda char: f"\\u{ord(char[0]):04x}", written)
