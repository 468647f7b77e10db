"""Blocks of Markdown extensions whose content is not Markdown for us.

Formulas, ``///`` blocks, tabs, custom fences.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from markdown.extensions import Extension

from planbook.markdown.edits import line_starts
from planbook.markdown.syntax import read_events

_PREFIX = re.compile(r"(?:[ \t]*>)*[ \t]*")
_MARKERS = re.compile(r"(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*")
_MATH = {
    "dollar": (r"\$\$", r"\$\$"),
    "square": (r"\\\[", r"\\\]"),
    "begin": (r"\\begin\{[a-z]+\*?\}", r"\\end\{[a-z]+\*?\}"),
}
"""Openings and ends of formulas, by the names of arithmatex' option `block_syntax`."""
_INLINE_MATH = re.compile(r"(?<![\\$])\$(?=[^\s$])[^\n$]*(?<=[^\s\\])\$|\\\(.+?\\\)")
"""Formulas within a line, such as `$a \\& b$`."""
_INDENTED_OPENINGS = {"tabs": r'===[+!]* +"'}
"""Openings of blocks with indented content."""
_WRAPPERS = {
    "admonition": r"!!!\s*[\w-]",
    "details": r"\?\?\?\+?\s*[\w\"-]",
    "tabbed": r'===[+!]* +"',
    "md_in_html": r"<\w+\s[^<>]*\bmarkdown\b[^<>]*>\s*$",
    "extra": r"<\w+\s[^<>]*\bmarkdown\b[^<>]*>\s*$",
}
"""Lines above Markdown that is indented or in an element of HTML, by the last word of the
extension's name."""
_FENCED_OPENINGS = {"blocks": r"(?P<run>/{3,})[ ]*[\w-]+[ ]*(?:\||\r?$)"}
"""Openings of blocks that end with a line like the first one."""
_LITERALS = {"dollar": "$$", "square": "\\[", "begin": "\\begin{", "tabs": "===", "blocks": "///"}
"""Text that each kind's opening has."""


@dataclass(frozen=True, slots=True)
class Syntax:
    """The blocks of the Markdown extensions that a site has switched on."""

    kinds: tuple[str, ...] = ()
    """Keys of the tables above."""
    fences: tuple[str, ...] = ()
    """The names of custom fences."""
    wrappers: tuple[str, ...] = ()
    """Forms of lines with Markdown in a block below them."""
    has_math: bool = False
    """True if formulas stand in text, too."""


PLAIN_SYNTAX = Syntax()
"""No extension with blocks."""


def named_options(configured: Iterable[object], options: Mapping[str, object]) -> dict[str, object]:
    """Return the options of all extensions by name, for `read_syntax`.

    Args:
        configured: names as in MkDocs' configuration, and the instances of extensions that plugins
            and hooks append to them. An instance has the names of the modules of its classes.
        options: the configured options, by name.
    """
    options_by_name = dict[str, object]()
    for extension in configured:
        if isinstance(extension, Extension):
            for name in _module_names(extension):
                options_by_name[name] = extension.getConfigs()
        elif isinstance(extension, str):
            options_by_name[extension] = None
    return options_by_name | dict(options)


def _module_names(extension: Extension) -> Iterator[str]:
    """Yield the modules of an extension's classes: its own, and those that it is derived from."""
    for kind in type(extension).__mro__:
        if issubclass(kind, Extension) and kind is not Extension:
            yield kind.__module__


def read_syntax(configs: Mapping[str, object]) -> Syntax:
    """Return the blocks of extensions.

    `configs` has their options by name as in MkDocs' configuration.
    """
    has_math = False
    kinds = set[str]()
    fences = set[str]()
    wrappers = {_WRAPPERS["admonition"], _WRAPPERS["md_in_html"]}  # the plugin's
    for name_in_config, options in configs.items():
        name = name_in_config.partition(":")[0]
        wrappers |= (
            {_WRAPPERS[short_name]}
            if (short_name := name.rpartition(".")[2]) in _WRAPPERS
            else set()
        )
        options_by_name = options if isinstance(options, Mapping) else {}
        if name in {"pymdownx.arithmatex", "mdx_math"}:
            has_math = True
            chosen = options_by_name.get("block_syntax")
            kinds |= set(_MATH) & set(chosen) if isinstance(chosen, list | tuple) else set(_MATH)
        kinds |= {"tabs"} if name == "pymdownx.tabbed" else set()
        kinds |= {"blocks"} if name.startswith("pymdownx.blocks.") else set()
        custom = options_by_name.get("custom_fences")
        for fence in custom if isinstance(custom, list | tuple) else ():
            fences |= (
                {str(fence["name"])} if isinstance(fence, Mapping) and "name" in fence else set()
            )
    return Syntax(tuple(sorted(kinds)), tuple(sorted(fences)), tuple(sorted(wrappers)), has_math)


def unwrap_blocks(text: str, syntax: Syntax) -> str:
    """Return `text` with the content of blocks where the lines around them begin.

    The blocks are admonitions, tabs and elements of HTML. The lines above such content are empty in
    the result, and all others keep their numbers.
    """
    opening = re.compile("|".join(syntax.wrappers), re.MULTILINE) if syntax.wrappers else None
    if opening is None or not opening.search(text):
        return text
    lines = text.split("\n")
    starts = line_starts(lines)
    code = {
        n
        for start, end in _literal(text)
        if text[start] != "<"
        for n in range(*_line_range(starts, start, end))
    }
    columns = list[int]()
    for n, line in enumerate(lines):
        if n in code or not line.strip():
            continue
        indent = len(line) - len(line.lstrip(" "))
        while columns and indent < columns[-1]:
            columns.pop()
        lines[n] = line[4 * len(columns) :]
        if opening.match(line, indent):
            lines[n] = ""
            columns += [] if line[indent] == "<" else [indent + 4]
    return "\n".join(lines)


def mask_blocks(text: str, syntax: Syntax) -> tuple[str, list[tuple[int, int]]]:
    """Return `text` with the blocks of extensions masked, and their spans.

    A masked block is a processing instruction, which is an HTML block for CommonMark and interrupts
    paragraphs. Length and lines of the text stay the same. Fenced code and HTML are skipped.
    """
    opening = _opening_pattern(kind for kind in syntax.kinds if _LITERALS.get(kind, "\n") in text)
    if opening is None or not opening.search(text):
        return text, []
    lines = text.split("\n")
    starts = line_starts(lines)
    skipped = {n for start, end in _literal(text) for n in range(*_line_range(starts, start, end))}
    spans, n = list[tuple[int, int]](), 0
    while n < len(lines):
        block = _block(lines, n, opening) if n not in skipped else None
        if block is None:
            n += 1
            continue
        column, last = block
        spans.append((starts[n] + column, starts[last] + len(lines[last].rstrip())))
        lines[n : last + 1] = _mask_block(lines[n : last + 1], column)
        n = last + 1
    return "\n".join(lines), spans


def math_spans(text: str, syntax: Syntax) -> Iterator[tuple[int, int]]:
    """Yield the spans of formulas, blocks as well as those within a line.

    It is ``None`` if the site has no formulas.
    """
    if syntax.has_math:
        yield from mask_blocks(text, Syntax(tuple(kind for kind in syntax.kinds if kind in _MATH)))[
            1
        ]
        yield from (formula.span() for formula in _INLINE_MATH.finditer(text))


def _opening_pattern(kinds: Iterable[str]) -> re.Pattern[str] | None:
    table = (
        {kind: begin for kind, (begin, _) in _MATH.items()} | _INDENTED_OPENINGS | _FENCED_OPENINGS
    )
    forms = [f"(?P<{kind}>{table[kind]})" for kind in kinds if kind in table]
    if forms:
        return re.compile(
            f"^{_PREFIX.pattern}{_MARKERS.pattern}(?:{'|'.join(forms)})", re.MULTILINE
        )
    return None


def _literal(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of fenced code and HTML."""
    for step, name, detail, start, end in read_events(text, frozenset({"CodeBlock", "HtmlBlock"})):
        if step > 0 and (name == "HtmlBlock" or isinstance(detail, dict)):
            yield start, end


def _line_range(starts: list[int], start: int, end: int) -> tuple[int, int]:
    return bisect_right(starts, start) - 1, bisect_right(starts, max(start, end - 1))


def _block(lines: list[str], first: int, opening: re.Pattern[str]) -> tuple[int, int] | None:
    """Return the column and the last line of the block that begins on the line `first`.

    The result is ``None`` if none does.
    """
    match = opening.match(lines[first])
    if not match or match.lastgroup is None:
        return None
    kind = next(
        kind
        for kind in (*_MATH, *_INDENTED_OPENINGS, *_FENCED_OPENINGS)
        if match.groupdict().get(kind) is not None
    )
    column = match.start(kind)
    if kind in _MATH:
        last = _end_of_math(
            lines, first, match.end(kind), re.compile(rf"(?<!\\)(?:\\\\)*{_MATH[kind][1]}[ ]*$")
        )
    elif kind in _INDENTED_OPENINGS:
        last = _end_of_indented(lines, first, column + 4)
    else:
        ends = (n for n in range(first + 1, len(lines)) if lines[n].strip(" \t>\r") == match["run"])
        last = next(ends, len(lines) - 1)  # a block that is not closed ends with the text
    return None if last is None else (column, last)


def _end_of_math(lines: list[str], first: int, at: int, end: re.Pattern[str]) -> int | None:
    for n in range(first, len(lines)):
        body = lines[n][at:] if n == first else lines[n]
        if n > first and not body.strip(" \t>\r"):
            return None
        if end.search(body.rstrip("\r")):
            return n
    return None


def _end_of_indented(lines: list[str], first: int, column: int) -> int:
    last = first
    for n in range(first + 1, len(lines)):
        width = _indent_with_quotes(lines[n].expandtabs(4))
        if lines[n].strip(" \t>\r"):
            if width < column:
                break
            last = n
    return last


def _indent_with_quotes(line: str) -> int:
    """Return the length of the white space and quote marks that `line` begins with."""
    return len(line) - len(_PREFIX.sub("", line, count=1))


def _mask_block(lines: list[str], column: int) -> list[str]:
    """Return the lines of a block as a processing instruction, with their indentation."""
    masked = []
    for n, line in enumerate(lines):
        indent = column if n == 0 else _indent_with_quotes(line)
        tail = "\r" if line.endswith("\r") else ""
        masked.append(line[:indent] + "x" * (len(line) - indent - len(tail)) + tail)
    masked[0] = masked[0][:column] + "<?" + masked[0][column + 2 :]
    end = len(masked[-1].rstrip("\r"))
    masked[-1] = masked[-1][: end - 2] + "?>" + masked[-1][end:]
    return masked
