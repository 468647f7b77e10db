"""References put into a page's front matter, with no other key, comment or byte changed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from generator.citations.works import free_name, work_key
from generator.markdown.front_matter import FrontMatterError, front_matter_span, split_front_matter

_KEY = re.compile(r"^references[ \t]*:[ \t]*(?P<value>[^\r\n]*)\r?$", re.MULTILINE)
_BEYOND_BMP = re.compile(r"[\U00010000-\U0010ffff]")
_NEXT_KEY = re.compile(r"^[^\s#-]", re.MULTILINE)


def with_references(text: str, items: Sequence[Mapping[str, Any]]) -> str:
    """`text` with those CSL `items` in its front matter that are not there yet.

    What stands there keeps its place, its id and its spelling; a work is there if an entry has its address or, where it
    has none, its title. The result holds the same body to the byte; done twice, the second time changes nothing.

    Raises FrontMatterError where the front matter is no YAML mapping, or its ``references`` no list.
    """
    meta, _ = split_front_matter(text)
    old = meta.get("references") or []
    if not isinstance(old, list) or not all(isinstance(item, dict) for item in old):
        raise FrontMatterError(1, "`references` is no list of CSL items")
    new = _missing(old, items)
    if not new:
        return text
    if meta and front_matter_span(text) is None:
        raise FrontMatterError(1, "the metadata at its top stands without `---`; put a line `---` above and below it")
    result = _inserted(text, new, has_key=bool(old))
    if _meta_or_none(result) != {**meta, "references": [*old, *new]}:
        what = "its `references` are written in a form that cannot be added to; write them as a block list"
        raise FrontMatterError(1, what)
    return result


def references_block(items: Sequence[Mapping[str, Any]]) -> str:
    """The key ``references`` with those CSL `items`, as lines for front matter that has none; empty without items."""
    return f"references:\n{_block(_missing((), items), chr(10), '  ')}" if items else ""


def _meta_or_none(text: str) -> dict[str, object] | None:
    try:
        return split_front_matter(text)[0]
    except FrontMatterError:
        return None


def _missing(old: Sequence[Mapping[str, Any]], items: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The items whose work is not among the old, with ids that none of the old has."""
    known = {_key(item) for item in old}
    taken = {str(item.get("id")): 2 for item in old}
    new: list[dict[str, Any]] = []
    for item in items:
        if _key(item) in known:
            continue
        new.append({**item, "id": free_name(str(item["id"]), taken)})
    return new


def _key(item: Mapping[str, Any]) -> str:
    return work_key(str(item["URL"])) if item.get("URL") else f"title:{str(item.get('title', '')).casefold()}"


def _inserted(text: str, new: Sequence[Mapping[str, Any]], *, has_key: bool) -> str:
    newline = "\r\n" if "\r\n" in text.split("\n", 1)[0] + "\n" else "\n"
    span = front_matter_span(text)
    if span is None:
        bom = "\ufeff" if text.startswith("\ufeff") else ""
        rest = text.removeprefix(bom)
        return f"{bom}---{newline}references:{newline}{_block(new, newline, '  ')}---{newline}{rest}"
    head = text[slice(*span)]
    key = _KEY.search(head)
    if key is None:
        head += f"references:{newline}{_block(new, newline, '  ')}"
    elif not has_key:
        head = (
            f"{head[: key.start()]}references:{newline}{_block(new, newline, '  ')}{head[key.end() :].lstrip(newline)}"
        )
    else:
        after = _NEXT_KEY.search(head, key.end())
        end = after.start() if after else len(head)
        dash = re.search(r"^([ \t]*)- ", head[key.end() : end], re.MULTILINE)
        block = head[:end].rstrip() + newline
        head = (
            block + _block(new, newline, dash[1] if dash else "  ") + head[len(head[:end].rstrip()) :].lstrip(newline)
        )
    return text[: span[0]] + head + text[span[1] :]


def _block(items: Sequence[Mapping[str, Any]], newline: str, indent: str) -> str:
    """The items as lines of a YAML list; dates in one line, as people write them."""
    lines = []
    for item in items:
        dumper = _Dumper if _BEYOND_BMP.search(str(item)) else _QuickDumper
        text = yaml.dump([dict(item)], Dumper=dumper, sort_keys=False, allow_unicode=True, width=10_000)
        lines += [f"{indent}{line}" for line in text.rstrip("\n").split("\n")]
    return newline.join(lines) + newline


class _Dumper(yaml.SafeDumper):
    """YAML with ``accessed: {date-parts: [[2026, 11, 20]]}`` in one line."""


_QuickDumper: Any = type("_QuickDumper", (getattr(yaml, "CSafeDumper", yaml.SafeDumper),), {})
"""The same, much quicker where PyYAML has libyaml; but that writes an emoji as its number."""


def _represent_mapping(dumper: yaml.SafeDumper, data: dict[str, Any]) -> yaml.Node:
    return dumper.represent_mapping("tag:yaml.org,2002:map", data.items(), flow_style="date-parts" in data)


for _dumper in (_Dumper, _QuickDumper):
    _dumper.add_representer(dict, _represent_mapping)
