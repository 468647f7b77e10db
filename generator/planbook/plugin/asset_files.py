"""Our scripts and style sheets as a site gets them: without comments and indentation."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from planbook.plugin.configuration import THEME

if TYPE_CHECKING:
    from mkdocs.structure.files import Files

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
