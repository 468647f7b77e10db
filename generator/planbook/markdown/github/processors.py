"""The processors of a site's extensions, and the code, formulas and tables that they make."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element

from markdown.util import HTML_PLACEHOLDER_RE, STX, AtomicString, code_escape

from planbook.markdown.github.markdown_events import Options, escape_entities

LANGUAGE = re.compile(r"\s*\{?\s*\.?([\w#.+-]*)")
"""The language at the beginning of the info string of a fence."""


@dataclass(frozen=True, slots=True)
class Processors:
    """The processors that the extensions of a site registered with Python-Markdown."""

    blocks: dict[str, Any]
    """Block processors by name."""
    inline: dict[str, Any]
    """Patterns for inline syntax by name."""
    fences: Callable[[list[str]], list[str]] | None
    """Returns the lines of fenced code as a placeholder; ``None`` without an extension for it."""
    html: Any
    """The preprocessor that finds Markdown in elements of HTML; ``None`` without one."""
    options: Options
    """The syntax that pyromark reads."""
    links_addresses: bool = True
    """Set unless an extension links addresses without brackets."""

    def fenced_code(self, info: str, code: str) -> str | None:
        """Return the placeholder for fenced code; ``None`` without an extension for it.

        The extension knows some info strings only: of others, it gets the language.
        """
        if self.fences is None:
            return None
        sign = "~" if "`" in info else "`"
        longest = max((len(run) for run in re.findall(f"{sign}+", code)), default=0)
        fence = sign * max(3, longest + 1)
        language = LANGUAGE.match(info)
        lines = code.removesuffix("\n").split("\n")
        for header in dict.fromkeys((info, language[1] if language else "", "")):
            made = [line for line in self.fences([fence + header, *lines, fence]) if line]
            if len(made) == 1 and HTML_PLACEHOLDER_RE.fullmatch(made[0]):
                return made[0]
        return None

    def code_span(self, code: str) -> Element | str:
        """Return the element for code in a line, or a placeholder."""
        pattern = self.inline.get("backtick")
        is_highlighted = code.startswith(("#!", ":::")) or _highlights_all(pattern)
        if hasattr(pattern, "handle_code") and code.strip() and is_highlighted:
            longest = max(map(len, re.findall("`+", code)), default=0)
            ticks = "`" * (longest + 1)
            # Only where it is needed: a blank before `#!` would hide the language.
            padding = " " if code.startswith("`") else ""
            behind = " " if code.endswith("`") else ""
            made = made_by(pattern, f"{ticks}{padding}{code}{behind}{ticks}")
            if made is not None:
                return made
        element = Element("code")
        element.text = AtomicString(code_escape(code))
        return element

    def formula(self, source: str) -> Element | str:
        """Return the element for a formula in a line, or its text."""
        pattern = self.inline.get("arithmatex-inline")
        made = made_by(pattern, source.replace("$$", "$"))  # which knows no others in a line
        return made if isinstance(made, Element) else escape_entities(source)

    def alignment(self, side: str) -> dict[str, str]:
        """Return the attribute of a table's cell for an alignment, in the form of its extension."""
        options = getattr(self.blocks.get("table"), "config", {})
        if options.get("use_align_attribute"):
            return {"align": side}
        return {"style": f"text-align: {side};"}


def _highlights_all(pattern: Any) -> bool:
    """Return whether pymdownx.inlinehilite highlights code that names no language."""
    return bool(getattr(pattern, "config", {}).get("style_plain_text"))


def made_by(pattern: Any, source: str) -> Element | str | None:
    """Return what an inline pattern makes of all of `source`; ``None`` if it does not match."""
    match = pattern.compiled_re.match(source) if pattern is not None else None
    made = pattern.handleMatch(match, source)[0] if match else None
    is_placeholder = isinstance(made, str) and made.startswith(STX)
    return made if isinstance(made, Element) or is_placeholder else None
