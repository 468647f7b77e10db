"""A page's front matter, as MkDocs reads it; and references put into it with no other key, comment or byte changed.

MkDocs' own reader decides where it begins and ends: YAML between ``---`` and ``---`` or ``...``, or lines such as
``Title: Tea`` at the very top (MultiMarkdown's metadata).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import yaml
from frontmatter.default_handlers import YAMLHandler
from mkdocs.utils.meta import META_RE, YAML_RE, get_data

from generator.citations.works import work_key
from generator.model import Problem

_KEY = re.compile(r"^references[ \t]*:[ \t]*(?P<value>[^\r\n]*)\r?$", re.MULTILINE)
_BEYOND_BMP = re.compile(r"[\U00010000-\U0010ffff]")
_NEXT_KEY = re.compile(r"^[^\s#-]", re.MULTILINE)


def split_front_matter(text: str) -> tuple[dict[str, object], str]:
    """Front matter and body of a page's `text`, with line feeds as its line ends.

    Raises ValueError where the front matter is no YAML mapping: MkDocs takes it for text.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if not YAML_RE.match(text):
        body, meta = get_data(text) if META_RE.match(text) else (text, {})
        return (meta, body.strip()) if meta else ({}, text)
    handler = YAMLHandler(fm_boundary=YAML_RE)
    yaml_text, body = handler.split(text)
    try:
        loaded = handler.load(yaml_text)
    except (yaml.YAMLError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise ValueError(_yaml_message(error, yaml_text.rstrip().count("\n") + 1)) from error
    if loaded is None:  # nothing but comments: MkDocs shows it
        return {}, text
    if not isinstance(loaded, dict):
        raise ValueError(f"2\x00it is a {type(loaded).__name__}")
    return {str(key): value for key, value in loaded.items()}, body.strip()


def split_page(text: str) -> tuple[dict[str, object], str, int]:
    """Front matter and body of a page's `text`, and how many lines stand above the body.

    Raises ValueError where the front matter is no YAML mapping.
    """
    meta, body = split_front_matter(text)
    above, below = text[: body_start(text)], text[body_start(text) :]
    above += below[: len(below) - len(below.lstrip())]
    return meta, body.strip(), _aligned(above).count("\n") if body.strip() else 0


def json_values(meta: Mapping[str, object]) -> dict[str, object]:
    """Return front matter with JSON's values only: dates and times as ISO 8601 text, keys as text, sets as lists."""
    return {key: _json_value(value) for key, value in meta.items()}


def _json_value(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _json_value(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set):
        return [_json_value(part) for part in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return value.isoformat() if isinstance(value, date) else str(value)


def front_matter_problem(error: ValueError, uri: str) -> Problem:
    """K001 for what `split_front_matter` raised."""
    line, _, what = str(error).partition("\x00")
    return Problem(
        uri, int(line), "K001", f"the front matter is not a YAML mapping ({what}); see the Guide, Pages, for its form"
    )


def front_matter_span(text: str) -> tuple[int, int] | None:
    """Where in a page's `text` the YAML of its front matter begins and ends; ``None`` where there is none."""
    return dashed_span(text) if body_start(text) > text.startswith("\ufeff") else None


def dashed_span(text: str) -> tuple[int, int] | None:
    """Where the lines between dashes at the top of `text` begin and end, front matter or not."""
    bom = text.startswith("\ufeff")
    match = YAML_RE.match(_aligned(text[bom:]))
    return (match.start(1) + bom, match.end(1) + bom) if match else None


def body_start(text: str) -> int:
    """Where in a page's `text` the body begins, behind what MkDocs reads as front matter and a byte order mark."""
    bom = text.startswith("\ufeff")
    aligned = _aligned(text[bom:])
    has_meta = YAML_RE.match(aligned) or META_RE.match(aligned)
    return len(text) - len(get_data(aligned)[0]) if has_meta else int(bom)


def _aligned(text: str) -> str:
    """`text` with line feeds as its line ends, and everything at the place where it was."""
    return text.replace("\r\n", " \n").replace("\r", "\n")


def with_references(text: str, items: Sequence[Mapping[str, Any]]) -> str:
    """`text` with those CSL `items` in its front matter that are not there yet.

    What stands there keeps its place, its id and its spelling; a work is there if an entry has its address or, where it
    has none, its title. The result holds the same body to the byte; done twice, the second time changes nothing.

    Raises ValueError where the front matter is no YAML mapping, or its ``references`` no list.
    """
    meta, _ = split_front_matter(text)
    old = meta.get("references") or []
    if not isinstance(old, list) or not all(isinstance(item, dict) for item in old):
        raise ValueError("1\x00`references` is no list of CSL items")
    new = _missing(old, items)
    if not new:
        return text
    if meta and front_matter_span(text) is None:
        raise ValueError("1\x00the metadata at its top stands without `---`; put a line `---` above and below it")
    result = _inserted(text, new, has_key=bool(old))
    if _meta_or_none(result) != {**meta, "references": [*old, *new]}:
        what = "its `references` are written in a form that cannot be added to; write them as a block list"
        raise ValueError(f"1\x00{what}")
    return result


def references_block(items: Sequence[Mapping[str, Any]]) -> str:
    """The key ``references`` with those CSL `items`, as lines for front matter that has none; empty without items."""
    return f"references:\n{_block(_missing((), items), chr(10), '  ')}" if items else ""


def _meta_or_none(text: str) -> dict[str, object] | None:
    try:
        return split_front_matter(text)[0]
    except ValueError:
        return None


def _missing(old: Sequence[Mapping[str, Any]], items: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The items whose work is not among the old, with ids that none of the old has."""
    known = {_key(item) for item in old}
    taken = {str(item.get("id")) for item in old}
    new: list[dict[str, Any]] = []
    for item in items:
        if _key(item) in known:
            continue
        name, n = str(item["id"]), 2
        while name in taken:
            name, n = f"{item['id']}-{n}", n + 1
        taken.add(name)
        new.append({**item, "id": name})
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


def _yaml_message(error: Exception, lines: int) -> str:
    """Line in the file, and reason. The YAML begins on the second line and has `lines` lines."""
    mark = getattr(error, "problem_mark", None)
    line = min(mark.line + 1, lines) + 1 if mark else 1
    return f"{line}\x00{getattr(error, 'problem', None) or error}"
