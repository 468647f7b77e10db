"""What citeproc-py writes, as HTML that holds nothing but our own tags.

citeproc-py joins texts and tags as it goes, and escapes some of the texts. So it gets texts as they are and a formatter
whose tags are noncharacters (https://www.unicode.org/faq/private_use.html#noncharacters), which no text of a page may
hold. In the end, all text is escaped and the noncharacters become tags, each of which is closed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from citeproc.string import String

_NONCHARACTERS = re.compile("[\ufdd0-\ufdef\ufffe\uffff]")
_END = "\ufddf"
_CITE, _CITE_HEAD = "\ufde0", "\ufde1"
NO_AUTHOR = "\ufde2"
"""Stands for an author whom the text names itself."""
_TAGS = {
    "\ufdd0": ("<i>", "</i>"),
    "\ufdd1": ("<b>", "</b>"),
    "\ufdd2": ("<u>", "</u>"),
    "\ufdd3": ("<sup>", "</sup>"),
    "\ufdd4": ("<sub>", "</sub>"),
    "\ufdd5": ('<span class="pb-small-caps">', "</span>"),
    "\ufdd6": ("", ""),
}
_TOKEN = re.compile(f"({_CITE}\\d+{_CITE_HEAD}|[\ufdd0-\ufdef])")
_MARKS = "[\ufdd0-\ufddf]"
_AUTHOR_GONE = re.compile(f"{NO_AUTHOR}({_MARKS}*)[.,:;]?\\s*")


class Formatter:
    """citeproc-py's formatter: it is passed the class and calls these by their names."""

    @staticmethod
    def preformat(text: object) -> String:
        """The text as it is: it is escaped in the end."""
        return String(text)

    @staticmethod
    def Italic(text: object) -> String:  # noqa: N802 - the name is citeproc-py's, here and below
        """Marked as italic."""
        return String(f"\ufdd0{text}{_END}")

    Oblique = Italic

    @staticmethod
    def Bold(text: object) -> String:  # noqa: N802
        """Marked as bold."""
        return String(f"\ufdd1{text}{_END}")

    @staticmethod
    def Underline(text: object) -> String:  # noqa: N802
        """Marked as underlined."""
        return String(f"\ufdd2{text}{_END}")

    @staticmethod
    def Superscript(text: object) -> String:  # noqa: N802
        """Marked as raised."""
        return String(f"\ufdd3{text}{_END}")

    @staticmethod
    def Subscript(text: object) -> String:  # noqa: N802
        """Marked as lowered."""
        return String(f"\ufdd4{text}{_END}")

    @staticmethod
    def SmallCaps(text: object) -> String:  # noqa: N802
        """Marked as small capitals."""
        return String(f"\ufdd5{text}{_END}")

    @staticmethod
    def Light(text: object) -> String:  # noqa: N802
        """Marked, and shown as it is: pages have no lighter type."""
        return String(f"\ufdd6{text}{_END}")


def unmarked(text: str) -> str:
    """`text` without noncharacters: as it may be given to citeproc-py, and as a reader without tags sees it."""
    return _NONCHARACTERS.sub("", _TOKEN.sub("", text))


def as_cite(text: str, n: int) -> str:
    """`text` marked as the `n`-th citation of its group."""
    return f"{_CITE}{n}{_CITE_HEAD}{text}{_END}"


def punctuated(text: str, closing_quote: str = "") -> str:
    """Marked `text` with its punctuation as print has it, where citeproc-py sees only the tags in between.

    No mark is doubled; a full stop gives way to a question or exclamation mark; where there is a `closing_quote`, full
    stop and comma go before it. What a style says of an author whom the text names is left out.
    """
    text = _AUTHOR_GONE.sub(r"\1", text)
    if closing_quote:
        quote = re.escape(closing_quote)
        text = re.sub(f"(?P<before>.?)(?P<quote>{_MARKS}*(?:{quote}{_MARKS}*)+)(?P<mark>[.,])", _into_quote, text)
    text = re.sub(r"(?<=\S) +(?=[.,](?:\s|$))", "", text)
    text = re.sub(f"([.,:;!?])({_MARKS}+)\\1", r"\1\2", text)
    return re.sub(rf"(?<!\.)([.:;!?])({_MARKS}*)\.(?=[\s\ufdd0-\ufdef]|$)", r"\1\2", text)


def _into_quote(match: re.Match[str]) -> str:
    before, quote, mark = match["before"], match["quote"], match["mark"]
    is_there = before == mark or before in {"!", "?"}
    return f"{before}{'' if is_there else mark}{quote}"


def to_html(text: str, escape: Callable[[str], str], cites: Sequence[tuple[str, str]] = ()) -> str:
    """Marked `text` as HTML: text escaped, each tag closed, and the `n`-th citation between the `n`-th pair of tags."""
    found: list[str] = []
    open_tags: list[str] = []
    for token in _TOKEN.split(text):
        if token in _TAGS:
            found.append(_TAGS[token][0])
            open_tags.append(_TAGS[token][1])
        elif token.startswith(_CITE) and token.endswith(_CITE_HEAD):
            before, behind = cites[int(token[1:-1])] if cites else ("", "")
            found.append(before)
            open_tags.append(behind)
        elif token == _END:
            found.append(open_tags.pop() if open_tags else "")
        else:
            found.append(escape(unmarked(token)))
    return "".join([*found, *reversed(open_tags)])
