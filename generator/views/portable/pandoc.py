"""Output for Pandoc and Quarto, which resolve citations themselves and differ from other engines in some details."""

from __future__ import annotations

import re
from collections.abc import Mapping

from generator.markdown.front_matter import split_front_matter
from generator.markdown.lists import read_blocks
from generator.page.render import render_page
from generator.views.agents.twins import with_front_matter
from generator.views.portable.citations import list_title

_FENCE = re.compile(r"(?P<ticks>`{3,}|~{3,})[ \t]*(?P<language>[\w#.+-]+)[ \t]+(?P<rest>[^\n]*)")
_OPTION = re.compile(r'[\w-]+="[^"\n]*"')


def pandoc_text(text: str, *, has_works: bool) -> str:
    """`text` with its citations as they are, and the place behind it where Pandoc lists the works, if there are any.

    Code keeps its title and other options in Pandoc's form: a fence in another one is running text to it, and what
    looks like a citation in there is one.
    """
    pieces, at = [], 0
    for start, _ in read_blocks(text).fences:
        fence = _FENCE.match(text, start)
        if fence:
            options = " ".join(_OPTION.findall(fence["rest"]))
            pieces += [text[at:start], fence["ticks"], " {.", fence["language"], options and " ", options, "}"]
            at = fence.end()
    shown = "".join([*pieces, text[at:]])
    return f"{shown.rstrip()}\n\n## {list_title(text)[0]}\n\n::: {{#refs}}\n:::\n" if has_works else shown


def pandoc_head(head: str) -> str:
    """The front matter of a page with works: all are listed, and no ``@`` in what they say is taken for a citation."""
    head = with_front_matter(head, {"nocite": "@*"})
    meta, _ = split_front_matter(head)
    references = meta.get("references")
    escaped = _escaped(references)
    if escaped == references:
        return head
    return render_page({**meta, "references": escaped}, "").rstrip("\n") + "\n"


def _escaped(value: object, key: str = "") -> object:
    """A part of a work, with each ``@`` as Pandoc takes for a letter: in addresses as ``%40``; ids stay."""
    if isinstance(value, Mapping):
        return {name: _escaped(inner, str(name)) for name, inner in value.items()}
    if isinstance(value, list):
        return [_escaped(inner, key) for inner in value]
    if not isinstance(value, str) or key == "id":
        return value
    is_address = re.match(r"[a-z][a-z0-9+.-]*://\S+$", value, re.IGNORECASE)
    return value.replace("@", "%40") if is_address else re.sub(r"\\?@", r"\\@", value)
