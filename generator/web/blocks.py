"""Convert the code blocks and tables of a page to Markdown, verbatim."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import lxml.html
from lxml.html import HtmlElement

INLINE = frozenset(
    {
        *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i"),
        *("ins", "kbd", "label", "mark", "nobr", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike"),
        *("strong", "sub", "sup", "time", "tt", "u", "var", "wbr"),
    }
)
"""Elements that are part of a line of text."""
UNSEEN = frozenset({"script", "style", "noscript", "template", "head", "svg", "iframe", "object", "select", "textarea"})
"""Elements whose text a reader does not see."""
_LANGUAGE = re.compile(
    r"(?:^|\s)(?:language-|lang-|highlight-source-|highlight-text-|highlight-|brush:\s*|src-)(?P<name>[\w+#.-]{1,20})"
    r"|(?:^|\s)(?:sourceCode|hljs|prettyprint)\s+(?P<bare>[a-z][\w+#-]{0,19})(?:\s|$)"
)
"""Classes that name the language of code: Sphinx, GitHub, MDN, Prism, Pandoc."""
_NO_LANGUAGE = frozenset({"default", "none", "notranslate", "plain", "plaintext", "text", "txt"})
_NAMING_ATTRIBUTES = ("data-lang", "data-language", "syntax")
_DEPTH_OF_LANGUAGE = 3
_LINES_IN_CODE = frozenset({"div", "li", "p", "tr"})
_MAX_ROWS = 500
_MAX_COLUMNS = 40
_MAX_CELL = 2_000
"""Maximum number of characters. A larger cell is layout, or hostile: a cell may claim to span a million columns."""
_MARKUP = re.compile(r"[\\`*\[\]<]|(?<!\w)_|_(?!\w)")
"""Characters that are text in HTML, but markup in Markdown."""
_BREAKS = frozenset({"br", "div", "dd", "dt", "li", "p", "tr"})


def parse_html(raw: bytes) -> HtmlElement:
    """Return the tree of a page in UTF-8, without comments, which a reader does not see either.

    More than 256 nested elements are accepted; the size limit of the body bounds the cost.
    """
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    return lxml.html.document_fromstring(raw, parser=parser)


def flatten(
    root: HtmlElement, inner: Callable[[HtmlElement], Sequence[HtmlElement | str]], clean: Callable[[str], str] = str
) -> Iterator[str]:
    """Yield the pieces of an element's text. `inner` returns what an element contains, `clean` applies to tails."""
    stack: list[HtmlElement | str] = [root]
    while stack:  # not recursive: elements may nest deeper than Python's recursion limit
        current = stack.pop()
        if isinstance(current, str):
            yield current
            continue
        if current is not root:
            stack.append(clean(current.tail or ""))
        stack += reversed(inner(current))


# --- code ----------------------------------------------------------------------------------------------------------


def code_markdown(pre: HtmlElement, language: str) -> str:
    """Return the code in a fence with its language, every line as displayed."""
    text = _code_text(pre).replace("\r\n", "\n").replace("\u00a0", " ").replace("\u200b", "")
    text = re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", text)
    code = "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")
    longest = max((len(run) for run in re.findall(r"`{3,}", code)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{code}\n{fence}" if code else ""


def language_of(pre: HtmlElement) -> str:
    """Return the language of a code block as its highlighter names it; empty if it is not named."""
    around = islice(pre.iterancestors("div", "figure", "devsite-code"), _DEPTH_OF_LANGUAGE)
    for element in (pre, *pre.iterdescendants("code"), *around):
        named = next(filter(None, (element.get(name) for name in _NAMING_ATTRIBUTES)), None)
        found = [named] if named else [m["name"] or m["bare"] for m in _LANGUAGE.finditer(element.get("class") or "")]
        for name in found:
            plain = name.strip().lower()
            if plain in _NO_LANGUAGE:
                return ""
            if re.fullmatch(r"[a-z][\w+#.-]{0,19}", plain):
                return plain
    return ""


def _code_text(pre: HtmlElement) -> str:
    """Return the text of the code. Highlighters end lines with line feeds, with ``<br>``, or with blocks."""

    def inner(element: HtmlElement) -> list[HtmlElement | str]:
        """Return the contents of an element, with NUL for the end of a block."""
        if element.tag in {"br", "script", "style"}:
            return ["\n"] if element.tag == "br" else []
        is_line = element.tag in _LINES_IN_CODE and element is not pre
        return [element.text or "", *element, "\x00" if is_line else ""]

    return re.sub(r"\n?\x00+", "\n", "".join(flatten(pre, inner)))


# --- tables --------------------------------------------------------------------------------------------------------


def is_data(table: HtmlElement) -> bool:
    """Return whether the table holds data, not layout."""
    frames = next(table.iterdescendants("table", "form", "h1", "h2"), None)
    if table.get("role") in {"none", "presentation"} or frames is not None:
        return False
    rows = _rows(table)
    has_head = next(table.iterdescendants("th", "thead"), None) is not None
    return bool(rows) and (has_head or (len(rows) > 1 and len(rows[0]) > 1))


def table_markdown(table: HtmlElement) -> str:
    """Return the table with pipes, its caption in a paragraph above. A cell that spans rows is repeated in each."""
    rows = _rows(table)
    texts = _spread(rows)
    width = max(map(len, texts))
    head = texts.pop(0) if any(cell.tag == "th" for cell in rows[0]) else []
    lines = [_line(head, width), _line(["---"] * width, width), *(_line(row, width) for row in texts)]
    caption = next((text_of(found) for found in table.iterchildren("caption")), "")
    return "\n".join([*([caption, ""] if caption else []), *lines])


def _rows(table: HtmlElement) -> list[list[HtmlElement]]:
    """Return the cells of each row that has any."""
    rows = ([cell for cell in row if cell.tag in {"td", "th"}] for row in table.iterdescendants("tr"))
    return list(islice(filter(None, rows), _MAX_ROWS))


def _spread(rows: list[list[HtmlElement]]) -> list[list[str]]:
    """Return the texts of the cells, each in its column."""
    spread = []
    from_above: dict[int, tuple[str, int]] = {}
    for cells in rows:
        texts: list[str] = []
        waiting = list(cells)
        while (waiting or len(texts) in from_above) and len(texts) < _MAX_COLUMNS:
            above, left = from_above.pop(len(texts), ("", 0))
            if left:
                if left > 1:
                    from_above[len(texts)] = (above, left - 1)
                texts.append(above)
                continue
            cell = waiting.pop(0)
            text, below = text_of(cell), _span(cell, "rowspan") - 1
            for nth in range(_span(cell, "colspan")):
                if below:
                    from_above[len(texts)] = (text if nth == 0 else "", below)
                texts.append(text if nth == 0 else "")
        spread.append(texts[:_MAX_COLUMNS])
    return spread


def _span(cell: HtmlElement, name: str) -> int:
    value = (cell.get(name) or "1").strip()
    return min(max(int(value), 1), _MAX_COLUMNS) if value.isascii() and value.isdigit() and len(value) < 9 else 1


def text_of(cell: HtmlElement) -> str:
    """Return the cell as one line, with code in backticks and pipes escaped."""

    def inner(element: HtmlElement) -> list[HtmlElement | str]:
        """Return the contents of an element, text as Markdown."""
        if element.tag in {"script", "style", "template"}:
            return []
        if element.tag in {"code", "kbd", "samp", "tt"}:
            words = " ".join(element.text_content().split())
            return [f"`{words}`" if words and "`" not in words else words]
        edge = " " if element.tag in _BREAKS else ""
        return [edge, _escape(element.text or ""), *element, edge]

    return " ".join("".join(flatten(cell, inner, _escape)).split())[:_MAX_CELL].replace("|", "\\|")


def _escape(text: str) -> str:
    return _MARKUP.sub(r"\\\g<0>", text)


def _line(texts: list[str], width: int) -> str:
    return f"| {' | '.join([*texts, *[''] * (width - len(texts))])} |"
