"""Markdown of many dialects as CommonMark, line by line: without the marks of extensions.

Sources are written for MkDocs, Obsidian, Hugo, Docusaurus, MyST, Pandoc or GitHub. A quote of one
is read elsewhere, where `[^1]`, `!!! note` or `{ .wide }` would be noise. Each line stays in its
place, so that numbers of lines hold; code stays as it is.
"""

from __future__ import annotations

import re

_FRONT = re.compile(
    r"(?:---[ \t]*\n(?:.*\n)*?(?:---|\.\.\.)|\+\+\+[ \t]*\n(?:.*\n)*?\+\+\+)[ \t]*(?:\n|\Z)"
)
"""Front matter in YAML or TOML, valid or not."""
_FENCE = re.compile(r"(?P<lead>[ \t>]*)(?P<marks>`{3,}|~{3,})(?P<info>.*)")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_BOX = re.compile(
    r"(?P<indent>[ \t]*)(?:"
    r"(?:!!!|\?\?\?\+?)[ \t]+[\w-]+(?:[ \t]+[\w-]+){0,9}(?:[ \t]+\"[^\"]*\")?(?:[ \t]+inline"
    r"(?:[ \t]+end)?)?"
    r"|(?:!!!|\?\?\?\+?|===[!+]?)[ \t]+\"[^\"]*\""
    r")[ \t]*"
)
"""The first line of an admonition, a collapsible block or a tab, whose content is indented."""
_CONTAINER = re.compile(r"(?P<indent>[ \t]*):{3,}[ \t]*[\w{.].*")
"""The first line of a container, whose content may be indented: ``:::note``."""
_NOTE = re.compile(r"(?P<indent> {0,3})\[\^[^\]\s]{1,100}\]:[ \t]*(?P<text>.*)")
"""A footnote, whose further lines are indented."""
_MARKS_ONLY = re.compile(
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
_REMOVED_MARK = re.compile(
    r"[ \t]?\[\^[^\]\s]{1,100}\]"  # a reference to a footnote
    r"|[ \t]?\^\[(?:[^\[\]\n]|\[[^\[\]\n]*\])*\]"  # a footnote in its place
    r"|[ \t]?\{:?[ \t]*[.#][\w:-][^{}\n]*\}"  # attributes: `{ .wide }`, `{#id}`
    r"|(?<=[)\]*_`])\{:?[ \t]*[\w-]+=[^{}\n]*\}"
    r"|[ \t]?%%[^\n]{0,2000}?%%"  # a comment in Obsidian
    r"|\{>>[^\n]{0,2000}?<<\}|\{--[^\n]{0,2000}?--\}"  # CriticMarkup
    r"|[ \t]?\[(?:[^\[\]@\n]{0,60}[ \t])?-?@[\w:.#$%&+?<>~/-][^\[\]\n]*\]"  # a citation of Pandoc
    r"|[ \t]?:(?:material|octicons|fontawesome|simple)-[\w-]+:"
    r"|\{\{[<%][^\n]{0,2000}?[%>]\}\}|\{%[^\n]{0,2000}?%\}"  # Hugo, Jekyll
    r"|[ \t]{1,8}\^"
    r"(?=[A-Za-z0-9-]*[A-Za-z])[A-Za-z0-9-]{2,}[ \t]*$"  # the id of a block in Obsidian
)
_WIKI_EMBED = re.compile(r"!\[\[[^\[\]\n]*\]\]")
_MARKS_AROUND_TEXT = (
    re.compile(r"\{==([^\n]{0,2000}?)==\}"),
    re.compile(r"(?<![\w=])==(?=[^\s=])([^\n]{0,2000}?[^\s=])==(?![\w=])"),
    re.compile(r"\{\+\+([^\n]{0,2000}?)\+\+\}"),
    re.compile(r"(?<![\w^])\^\^(?=[^\s^])([^\n]{0,2000}?[^\s^])\^\^(?![\w^])"),
    re.compile(r"(?<![\w+])\+\+(?=\w)([\w+ -]{0,200}?\w)\+\+(?![\w+])"),
    re.compile(r"\[\[(?:[^\[\]|\n]*\|)?([^\[\]|\n]+)\]\]"),
)
"""Marks around text that stays: highlights, insertions, keys, wikilinks."""
_HINTS = re.compile(
    r"\[\^|\^\[|!!!|\?\?\?|===|:::|///|\{|%%|==|\[!|\^|\[\[|\+\+|\[@|:\w+-|\*\[|8<|\[TOC"
)
"""One of these is in every text with a mark."""
_TAB = 4
"""Columns by which the content of a block is indented."""


def common_markdown(text: str) -> str:
    """Return Markdown without the marks of extensions, with as many lines as before."""
    if not _HINTS.search(text):
        return text
    reader = _LineReader()
    return "\n".join(map(reader.read, text.split("\n")))


def strip_front_matter(text: str) -> str:
    """Return the text below front matter in YAML or TOML, even if that is not valid."""
    front = _FRONT.match(text)
    return text[front.end() :] if front is not None else text


_WRAPPED_PAGE = re.compile(
    r"\s*(?:<!--.*?-->\s*|#{1,6}[ \t][^\n]*\n\s*){0,3}"
    r"(?P<open>(?P<marks>`{3,}|~{3,})[ \t]*(?:markdown|mdx?|text|txt)?[ \t]*)\n",
    re.DOTALL | re.IGNORECASE,
)
"""The beginning of a page that is one fenced block, below a comment or a heading."""
_PROSE_MARK = re.compile(r"^#{1,6} \S.*\n\n|[^\W_]\]\([^()\s]{1,500}\)|\*\*[^*\n]{2,80}\*\*", re.M)
_MIN_PROSE_MARKS = 2
"""Headings, links and bold words of a block that is a page, and no program, at least."""


def strip_outer_fence(text: str) -> str:
    """Return a page that was saved as one fenced block without this fence, in as many lines."""
    front = _FRONT.match(text)
    at = front.end() if front else 0
    fence = _WRAPPED_PAGE.match(text, at)
    body = text.rstrip()
    if fence is None or not body.endswith(f"\n{fence['marks']}"):
        return text
    end = len(body) - len(fence["marks"])
    inside = text[fence.end() : end]
    is_page = len(_PROSE_MARK.findall(inside)) >= _MIN_PROSE_MARKS
    # Each block in it has a language, so that a closing fence is told from an opening one.
    inner = [
        line.strip() for line in inside.split("\n") if line.lstrip().startswith(fence["marks"])
    ]
    closing = sum(line == fence["marks"] for line in inner)
    is_one = 2 * closing == len(inner)
    if not is_page or not is_one:
        return text
    return f"{text[: fence.start('open')]}\n{inside}{text[end + len(fence['marks']) :]}"


class _LineReader:
    """Reads the lines of a text, in order, without their marks."""

    def __init__(self) -> None:
        self._fence = ""
        """The marks of the fence around; empty outside of code."""
        self._indents: list[int] = []
        """The indentations of the blocks around, whose content is indented."""
        self._is_comment = False
        self._was_blank = False
        self._is_in_list = False

    def read(self, line: str) -> str:
        """Return the next line without marks."""
        line = self._without_indent(line)
        is_blank = not line.strip()
        fence = _FENCE.fullmatch(line)
        if self._fence:
            is_end = fence and fence["marks"].startswith(self._fence) and not fence["info"].strip()
            if is_end:
                self._fence = ""
            visible_line = line
        elif fence and "`" not in fence["info"]:
            self._fence = fence["marks"]
            visible_line = line
        elif self._is_comment or line.strip() == "%%":
            if "%%" in line:
                self._is_comment = not self._is_comment
            visible_line = ""
        elif self._is_indented_code(line):
            return line  # a line of code is not blank, nor does it end a run of blank ones
        else:
            visible_line = self._read_text(line)
        self._was_blank = is_blank
        return visible_line

    def _without_indent(self, line: str) -> str:
        """Return a line without the indentation of the blocks around, of which it may end some."""
        if self._indents and line.startswith((" ", "\t")):
            line = line.expandtabs(_TAB)
        if not line.strip():
            return line
        width = len(line) - len(line.lstrip())
        while self._indents and width < self._indents[-1] + _TAB:
            self._indents.pop()
        return line[_TAB * len(self._indents) :]

    def _is_indented_code(self, line: str) -> bool:
        """Return True for a line of code that a blank line, outside of lists, comes before."""
        goes_on = not line.strip() or line[:1] in {" ", "\t"}
        self._is_in_list = _ITEM.match(line) is not None or (self._is_in_list and goes_on)
        is_indented = line.startswith(("    ", "\t"))
        return self._was_blank and not self._is_in_list and is_indented

    def _read_text(self, line: str) -> str:
        """Return a line of text, which may begin a block, without marks."""
        box = _BOX.fullmatch(line) or _CONTAINER.fullmatch(line)
        note = _NOTE.fullmatch(line)
        block = box or note
        if block:
            self._indents.append(_TAB * len(self._indents) + len(block["indent"]))
        if box:
            return ""
        return _strip_marks(note["text"] if note else line)


def _strip_marks(line: str) -> str:
    """Return one line without marks."""
    if _MARKS_ONLY.fullmatch(line) or _BARE_CALLOUT.fullmatch(line):
        return ""
    callout = _CALLOUT.fullmatch(line)
    if callout is not None:
        return callout["lead"].rstrip()
    pieces: list[str] = []
    at = 0
    for code in _CODE.finditer(line):
        pieces += [_strip_inline_marks(line[at : code.start()], is_end=False), code[0]]
        at = code.end()
    return "".join([*pieces, _strip_inline_marks(line[at:], is_end=True)])


def _strip_inline_marks(text: str, *, is_end: bool) -> str:
    if not _HINTS.search(text):
        return text
    text = _WIKI_EMBED.sub("", text)
    for pattern in _MARKS_AROUND_TEXT:
        text = pattern.sub(r"\1", text)
    text = _REMOVED_MARK.sub("", text if is_end else f"{text}\0")
    return text.removesuffix("\0")
