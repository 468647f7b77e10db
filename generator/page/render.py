"""Render pages and drops as files: YAML front matter in the usual style, then Markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import yaml

_OTHER_BREAKS = re.compile(r"[\r\x85\u2028\u2029]")
_IN_ONE_LINE = frozenset({"tags", "generated", "verified", "accessed", "issued", "lines"})
"""Keys whose lists and mappings are written on one line."""


def render_page(meta: Mapping[str, object], body: str, *, has_links_masked: bool = False) -> str:
    """Return a file with `meta` as its front matter, in order, followed by `body`.

    With `has_links_masked`, values that hold Markdown links are written in a way that no engine takes for links.
    """
    dumper = _MaskingDumper if has_links_masked else _PageDumper
    text = yaml.dump(_styled(dict(meta)), Dumper=dumper, sort_keys=False, allow_unicode=True, width=10_000)
    if has_links_masked:
        text = text.replace("](", r"\x5D(")
    return f"---\n{text}---\n\n{body.strip()}\n"


class _FlowMapping(dict[str, Any]):
    """A mapping written on one line."""


class _FlowList(list[Any]):
    """A list written on one line."""


class _PageDumper(yaml.SafeDumper):
    """A YAML dumper for readable front matter: indented lists, code as blocks, dates on one line."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Indent lists, unlike PyYAML's default."""
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: object) -> bool:
        """Disable aliases: write repeated values out in full."""
        return True


class _MaskingDumper(_PageDumper):
    """The same, with double quotes around text that holds ``](``: only there can it be escaped."""


def _styled(value: object, key: str = "") -> object:
    """Return `value` with the containers marked that are written on one line."""
    if isinstance(value, Mapping):
        styled = {str(name): _styled(inner, str(name)) for name, inner in value.items()}
        return _FlowMapping(styled) if key in _IN_ONE_LINE else styled
    if isinstance(value, list | tuple):
        items = [_styled(inner, key) for inner in value]
        return _FlowList(items) if key in _IN_ONE_LINE else items
    return value


def _represent_text(dumper: _PageDumper, text: str) -> yaml.Node:
    breaks = _OTHER_BREAKS.search(text)  # PyYAML treats these as line breaks, and escapes them in double quotes only
    style = '"' if breaks else "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _represent_link(dumper: _PageDumper, text: str) -> yaml.Node:
    if "](" in text:
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')
    return _represent_text(dumper, text)


_PageDumper.add_representer(str, _represent_text)
_MaskingDumper.add_representer(str, _represent_link)
for _dumper in (_PageDumper, _MaskingDumper):
    _dumper.add_representer(
        _FlowMapping, lambda dumper, data: dumper.represent_mapping("tag:yaml.org,2002:map", data.items(), True)
    )
    _dumper.add_representer(
        _FlowList, lambda dumper, data: dumper.represent_sequence("tag:yaml.org,2002:seq", data, True)
    )
