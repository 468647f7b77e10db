"""Scripts and style sheets as a site gets them.

Ours are without comments and indentation, and Material's palette is without the colours that the
site does not have.
"""

from __future__ import annotations

import re
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from planbook.plugin.configuration import THEME

if TYPE_CHECKING:
    from collections.abc import Collection

    from mkdocs.structure.files import Files
    from mkdocs.theme import Theme

_FOLDER = THEME / "assets" / "planbook"
_COMMENT_LINE = re.compile(r"\s*(?://.*|/\*(?:(?!\*/).)*\*/\s*)$")
_CSS_TOKEN = re.compile(r"""("[^"\n]*")|/\*.*?\*/|\s*([{};,])\s*|(\s+)""", re.DOTALL)


def compact_script(text: str) -> str:
    """Return a script without indentation, empty lines and lines that are a comment.

    Other comments stay, and so does each end of a line: to a parser, nothing is changed but the
    white space in templates over several lines.
    """
    lines = (line.strip() for line in text.splitlines() if not _COMMENT_LINE.match(line))
    return "\n".join(filter(None, lines)) + "\n"


def compact_style(text: str) -> str:
    """Return a style sheet without comments, and with a line for each rule or block that ends."""
    short = _CSS_TOKEN.sub(lambda token: token[1] or token[2] or (token[3] and " ") or "", text)
    return short.strip().replace(";}", "}").replace("}", "}\n")


_PALETTE = re.compile(r"assets/stylesheets/palette\.[\w.]*css")
_RULE = re.compile(r"([^{}]+)\{[^{}]*\}")
_EMPTY_MEDIA = re.compile(r"@media[^{}]*\{\}")
_COLOUR = re.compile(r"\[data-md-color-(?:primary|accent)=([\w-]+)\]")
_DEFAULT_COLOUR = "indigo"


def drop_unused_colours(files: Files, theme: Theme) -> None:
    """Replace Material's palette, of 21 colours, by the part that the site can show."""
    palettes = theme.get("palette") or {}
    colours = {
        str(palette.get(key, _DEFAULT_COLOUR)).replace(" ", "-")
        for palette in (palettes if isinstance(palettes, list) else [palettes])
        for key in ("primary", "accent")
    }
    for file in files:
        if file.abs_src_path and _PALETTE.fullmatch(file.src_uri):
            text = Path(file.abs_src_path).read_text("utf-8")
            file.content_string = palette_of(text, colours)


def palette_of(text: str, colours: Collection[str]) -> str:
    """Return Material's palette without the rules that hold for none of these colours."""
    used_rules = _RULE.sub(partial(_rule_if_used, colours), text)
    return _EMPTY_MEDIA.sub("", used_rules)


def _rule_if_used(colours: Collection[str], rule: re.Match[str]) -> str:
    """Return a rule of the palette, or nothing if each of its selectors needs another colour."""
    colours_of_selectors = (_COLOUR.findall(selector) for selector in rule[1].split(","))
    is_used = any(all(name in colours for name in names) for names in colours_of_selectors)
    return rule[0] if is_used else ""


def compact_assets(files: Files) -> None:
    """Replace the content of our scripts and style sheets in MkDocs' files.

    They have no path then.
    """
    for file in files:
        path = Path(file.abs_src_path) if file.abs_src_path else None
        if path and path.parent == _FOLDER and path.suffix in {".css", ".js"}:
            file.content_string = _compact(path, path.stat().st_mtime_ns)


@cache
def _compact(path: Path, _changed: int) -> str:
    text = path.read_text("utf-8")
    return compact_style(text) if path.suffix == ".css" else compact_script(text)
