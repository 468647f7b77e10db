"""A page's front matter, as MkDocs reads it.

MkDocs' own parser determines its extent: YAML between ``---`` and ``---`` or ``...``, or lines such as ``Title: Tea``
at the top (MultiMarkdown metadata).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import yaml
from frontmatter.default_handlers import YAMLHandler
from mkdocs.utils.meta import META_RE, YAML_RE, get_data

from generator.model import Problem


class FrontMatterError(ValueError):
    """Front matter that is not a YAML mapping, or to which references cannot be added."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        """1-based, in the file."""
        self.reason = reason

    def problem(self, uri: str) -> Problem:
        """Return K001 for the page `uri`."""
        what = f"the front matter is not a YAML mapping ({self.reason}); see the Guide, Pages, for its form"
        return Problem(uri, self.line, "K001", what)


def split_front_matter(text: str) -> tuple[dict[str, object], str]:
    """Return front matter and body of a page's `text`, whose line endings are line feeds.

    Raises FrontMatterError if the front matter is not a YAML mapping: MkDocs treats it as text.
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
        raise _yaml_error(error, yaml_text.rstrip().count("\n") + 1) from error
    if loaded is None:  # only comments: MkDocs shows it as text
        return {}, text
    if not isinstance(loaded, dict):
        raise FrontMatterError(2, f"it is a {type(loaded).__name__}")
    return {str(key): value for key, value in loaded.items()}, body.strip()


def lines_above(text: str, body: str) -> int:
    """Return the number of lines in `text` above `body`, its end apart from white space; 0 for an empty body."""
    return _aligned(text).rstrip().count("\n") - body.rstrip().count("\n") if body.strip() else 0


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


def front_matter_span(text: str) -> tuple[int, int] | None:
    """Return the span of the front matter's YAML in a page's `text`; ``None`` if there is none."""
    return dashed_span(text) if body_start(text) > text.startswith("\ufeff") else None


def dashed_span(text: str) -> tuple[int, int] | None:
    """Return the span of the lines between dashes at the top of `text`, front matter or not."""
    bom = text.startswith("\ufeff")
    match = YAML_RE.match(_aligned(text[bom:]))
    return (match.start(1) + bom, match.end(1) + bom) if match else None


def body_start(text: str) -> int:
    """Return the offset of the body in a page's `text`, after a byte order mark and MkDocs' front matter."""
    bom = text.startswith("\ufeff")
    aligned = _aligned(text[bom:])
    has_meta = YAML_RE.match(aligned) or META_RE.match(aligned)
    return len(text) - len(get_data(aligned)[0]) if has_meta else int(bom)


def _aligned(text: str) -> str:
    """Return `text` with line feeds as line endings, without changing any offset."""
    return text.replace("\r\n", " \n").replace("\r", "\n")


def _yaml_error(error: Exception, lines: int) -> FrontMatterError:
    """Convert an error of PyYAML, with its line in the file; the YAML has `lines` lines from the second on."""
    mark = getattr(error, "problem_mark", None)
    line = min(mark.line + 1, lines) + 1 if mark else 1
    return FrontMatterError(line, str(getattr(error, "problem", None) or error))
