"""Lines of values in the front matter of a page, and keys that are there twice.

YAML is loaded without lines. Where a reference has a defect, the text is read once more as nodes,
which have them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import yaml

_KEY = re.compile(r"^(?P<indent> *)(?P<dash>- +)?(?P<key>[A-Za-z][\w-]*):(?=\s|$)")
Path = tuple[str | int, ...]
"""The keys and places that lead to a value below `references`."""


class Finding(NamedTuple):
    """A defect of a reference."""

    path: Path
    code: str
    message: str


def may_repeat_keys(yaml_text: str) -> bool:
    """Return True if lines of block style may repeat a key of one mapping.

    Text of several lines may look so, too.
    """
    open_mappings: list[tuple[int, set[str]]] = []
    """The indentation and the keys of each mapping around the line."""
    for line in yaml_text.split("\n"):
        key = _KEY.match(line)
        if key is None:
            continue
        indent_of_line = len(key["indent"])
        indent = indent_of_line + len(key["dash"] or "")
        # A dash begins another item: the mapping of the last one is closed.
        deepest = indent_of_line if key["dash"] else indent
        while open_mappings and open_mappings[-1][0] > deepest:
            open_mappings.pop()
        if not open_mappings or open_mappings[-1][0] < indent:
            open_mappings.append((indent, set()))
        keys = open_mappings[-1][1]
        if key["key"] in keys:
            return True
        keys.add(key["key"])
    return False


def compose_front_matter(yaml_text: str) -> yaml.Node | None:
    """Return the nodes of front matter, which was loaded before."""
    try:
        return yaml.compose(yaml_text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, RecursionError):
        return None


def _child_node(node: yaml.Node | None, key: str | int) -> yaml.Node | None:
    """Return the node of a key of a mapping, or of a place in a list; ``None`` if there is none."""
    if isinstance(node, yaml.MappingNode):
        values = [value for name, value in node.value if _key_text(name) == str(key)]
        return values[-1] if values else None
    if isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
        item: yaml.Node = node.value[key]
        return item
    return None


def _key_text(name: yaml.Node) -> str:
    return str(getattr(name, "value", ""))


def line_of_value(root: yaml.Node | None, path: Path) -> int:
    """Return the line of the value at `path` below `references`, in the file.

    If it has none, that of what is around it.
    """
    node = _child_node(root, "references")
    line = 1 if node is None else _key_line(root, "references")
    for key in path:
        below = _child_node(node, key)
        if below is None:
            break
        is_key = isinstance(node, yaml.MappingNode)
        line = _key_line(node, key) if is_key else below.start_mark.line + _FIRST_LINE
        node = below
    return line


_FIRST_LINE = 2
"""The line of the file that is line 0 of the front matter."""


def _key_line(node: yaml.Node | None, key: str | int) -> int:
    """Return the line of a key in a mapping, in the file."""
    names = [name for name, _ in node.value] if isinstance(node, yaml.MappingNode) else []
    for name in reversed(names):
        if str(name.value) == str(key):
            return int(name.start_mark.line) + _FIRST_LINE
    return 1


def find_repeated_keys(root: yaml.Node) -> Iterator[Finding]:
    """Yield each key that occurs twice: of two ``references``, and of two fields of a reference."""
    if isinstance(root, yaml.MappingNode):
        lines = [
            name.start_mark.line + _FIRST_LINE
            for name, _ in root.value
            if name.value == "references"
        ]
        if len(lines) > 1:
            defect = f"`references` is there twice, also in line {lines[0]}"
            yield Finding((), "K011", f"{defect}; only the last is read: write one list")
    references = _child_node(root, "references")
    if isinstance(references, yaml.SequenceNode):
        for n, item in enumerate(references.value):
            yield from _repeated_fields(item, (n,))


def _repeated_fields(node: yaml.Node, path: Path) -> Iterator[Finding]:
    if not isinstance(node, yaml.MappingNode):
        return
    seen = set[str]()
    for name, value in node.value:
        key = str(name.value) if isinstance(name, yaml.ScalarNode) else ""
        if key and key in seen:
            defect = f"`{key}` is there twice; only the last is read: remove one"
            yield Finding((*path, key), "K015", defect)
        seen.add(key)
        yield from _repeated_fields(value, (*path, key))
