"""Markdown of many dialects as CommonMark, line by line: without the marks of extensions.

Sources are written for MkDocs, Obsidian, Hugo, Docusaurus, MyST, Pandoc or GitHub. A quote of one is
read elsewhere, where `[^1]`, `!!! note` or `{ .wide }` would be noise. Each line stays in its place,
so that numbers of lines hold; code stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_FRONT = re.compile(r"(?:---[ \t]*\n(?:.*\n)*?(?:---|\.\.\.)|\+\+\+[ \t]*\n(?:.*\n)*?\+\+\+)[ \t]*(?:\n|\Z)")
"""Front matter in YAML or TOML, valid or not."""
_FENCE = re.compile(r"(?P<lead>[ \t>]*)(?P<marks>`{3,}|~{3,})(?P<info>.*)")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_BOX = re.compile(
    r"(?P<indent>[ \t]*)(?:"
    r"(?:!!!|\?\?\?\+?)[ \t]+[\w-]+(?:[ \t]+[\w-]+){0,9}(?:[ \t]+\"[^\"]*\")?(?:[ \t]+inline(?:[ \t]+end)?)?"
    r"|(?:!!!|\?\?\?\+?|===[!+]?)[ \t]+\"[^\"]*\""
    r")[ \t]*"
)
"""The first line of an admonition, a collapsible block or a tab, whose content is indented."""
_NOTE = re.compile(r"(?P<indent> {0,3})\[\^[^\]\s]{1,100}\]:[ \t]*(?P<text>.*)")
"""A footnote, whose further lines are indented."""
_DROPPED = re.compile(
    r"[ \t]*(?:"
    r":{3,}.*"  # `:::note`, `:::{tip} Title`, `::: {.wide}`
    r"|///.*"  # `/// details | More`
    r"|\{:?[ \t]*[.#:][^{}\n]*\}"  # attributes of the block above
    r"|\[\[?_?TOC_?\]\]?"
    r"|\*\[[^\]\n]{1,60}\]:.*"  # an abbreviation
    r"|\^[A-Za-z0-9-]+"  # the id of the block above
    r"|;*-{1,}8<-{1,}.*"  # an included file
    r"|\{%.*%\}"
    r")[ \t]*",
    re.IGNORECASE,
)
"""A line with nothing but marks."""
_CALLOUT = re.compile(r"(?P<lead>[ \t]*(?:>[ \t]*)+)\[![\w-]+(?:\|[^\]\n]*)?\][-+]?.*")
"""``> [!NOTE]`` on GitHub, ``> [!tip]- Title`` in Obsidian."""
_BARE_CALLOUT = re.compile(r"[ \t]*\[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\][ \t]*")
_CODE = re.compile(r"(?<!`)(`+)(?!`).{1,2000}?(?<!`)\1(?!`)")
_REMOVED = re.compile(
    r"[ \t]?\[\^[^\]\s]{1,100}\]"  # a reference to a footnote
    r"|[ \t]?\^\[(?:[^\[\]\n]|\[[^\[\]\n]*\])*\]"  # a footnote in its place
    r"|[ \t]?\{:?[ \t]*[.#][\w:-][^{}\n]*\}"  # attributes: `{ .wide }`, `{#id}`
    r"|(?<=[)\]*_`])\{:?[ \t]*[\w-]+=[^{}\n]*\}"
    r"|[ \t]?%%[^\n]{0,2000}?%%"  # a comment in Obsidian
    r"|\{>>[^\n]{0,2000}?<<\}|\{--[^\n]{0,2000}?--\}"  # CriticMarkup
    r"|[ \t]?\[(?:[^\[\]@\n]{0,60}[ \t])?-?@[\w:.#$%&+?<>~/-][^\[\]\n]*\]"  # a citation of Pandoc
    r"|[ \t]?:(?:material|octicons|fontawesome|simple)-[\w-]+:"
    r"|\{\{[<%][^\n]{0,2000}?[%>]\}\}|\{%[^\n]{0,2000}?%\}"  # Hugo, Jekyll
    r"|[ \t]{1,8}\^(?=[A-Za-z0-9-]*[A-Za-z])[A-Za-z0-9-]{2,}[ \t]*$"  # the id of a block in Obsidian
)
_EMBEDDED = re.compile(r"!\[\[[^\[\]\n]*\]\]")
_UNWRAPPED = (
    re.compile(r"\{==([^\n]{0,2000}?)==\}"),
    re.compile(r"(?<![\w=])==(?=[^\s=])([^\n]{0,2000}?[^\s=])==(?![\w=])"),
    re.compile(r"\{\+\+([^\n]{0,2000}?)\+\+\}"),
    re.compile(r"(?<![\w^])\^\^(?=[^\s^])([^\n]{0,2000}?[^\s^])\^\^(?![\w^])"),
    re.compile(r"(?<![\w+])\+\+(?=\w)([\w+ -]{0,200}?\w)\+\+(?![\w+])"),
    re.compile(r"\[\[(?:[^\[\]|\n]*\|)?([^\[\]|\n]+)\]\]"),
)
"""Marks around text that stays: highlights, insertions, keys, wikilinks."""
_HINTS = re.compile(r"\[\^|\^\[|!!!|\?\?\?|===|:::|///|\{|%%|==|\[!|\^|\[\[|\+\+|\[@|:\w+-|\*\[|8<|\[TOC")
"""One of these is in every text with a mark."""
_TAB = 4
"""Columns by which the content of a block is indented."""


def common_markdown(text: str) -> str:
    """Return Markdown without the marks of extensions, with as many lines as before."""
    return "\n".join(_lines(text.split("\n"))) if _HINTS.search(text) else text


def without_front_matter(text: str) -> str:
    """Return the text below front matter in YAML or TOML, even if that is not valid."""
    front = _FRONT.match(text)
    return text[front.end() :] if front is not None else text


def _lines(lines: list[str]) -> Iterator[str]:
    """Yield each line without marks."""
    fence = ""
    indents: list[int] = []  # of the blocks around, whose content is indented
    is_comment = is_blank = False
    in_list = False
    for whole in lines:
        line = whole.expandtabs(_TAB) if whole.startswith((" ", "\t")) and indents else whole
        width = len(line) - len(line.lstrip())
        while line.strip() and indents and width < indents[-1] + _TAB:
            indents.pop()
        line = line[_TAB * len(indents) :] if line.strip() else line
        found = _FENCE.fullmatch(line)
        if fence:
            is_end = found and found["marks"].startswith(fence) and not found["info"].strip()
            fence = "" if is_end else fence
            yield line
        elif found and "`" not in found["info"]:
            fence = found["marks"]
            yield line
        elif is_comment or line.strip() == "%%":
            is_comment ^= "%%" in line
            yield ""
        else:
            is_item = _ITEM.match(line) is not None
            in_list = is_item or (in_list and (not line.strip() or line[:1] in {" ", "\t"}))
            is_code = is_blank and not in_list and line.startswith(("    ", "\t"))
            box, note = _BOX.fullmatch(line), _NOTE.fullmatch(line)
            if is_code:
                yield line
                continue
            if box or note:
                indents.append(_TAB * len(indents) + len((box or note)["indent"]))  # type: ignore[index]
            yield "" if box else _without_marks(note["text"] if note else line)
        is_blank = not line.strip()


def _without_marks(line: str) -> str:
    """Return one line without marks."""
    if _DROPPED.fullmatch(line) or _BARE_CALLOUT.fullmatch(line):
        return ""
    callout = _CALLOUT.fullmatch(line)
    if callout is not None:
        return callout["lead"].rstrip()
    pieces: list[str] = []
    at = 0
    for code in _CODE.finditer(line):
        pieces += [_clean(line[at : code.start()], is_end=False), code[0]]
        at = code.end()
    return "".join([*pieces, _clean(line[at:], is_end=True)])


def _clean(text: str, *, is_end: bool) -> str:
    if not _HINTS.search(text):
        return text
    text = _EMBEDDED.sub("", text)
    for pattern in _UNWRAPPED:
        text = pattern.sub(r"\1", text)
    text = _REMOVED.sub("", text if is_end else f"{text}\0")
    return text.removesuffix("\0")
