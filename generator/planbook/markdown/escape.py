"""Escape untrusted text as Markdown that displays it verbatim.

Quoted text comes from the web: it may contain HTML, front matter, fences, links, citations, or
syntax of any Markdown dialect. Each character that might start one of these, in Python-Markdown
with its usual extensions, CommonMark, GitHub's or Pandoc's Markdown, becomes an escape or an
entity.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from urllib.parse import quote

from planbook.markdown.plain_text import plain_text

_NONCHARACTERS = r"\ufdd0-\ufdef" + "".join(
    f"\\U{plane:04x}fffe\\U{plane:04x}ffff" for plane in range(17)
)
"""https://www.unicode.org/faq/private_use.html#noncharacters: not for interchange."""
CONTROL_CHARACTERS = re.compile(
    rf"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069{_NONCHARACTERS}]"
)
"""Control characters, including bidirectional ones: they are invisible, or change how other text is
displayed."""
_OTHER_BREAKS = re.compile(r"[\x0b\x0c\x85\u2028\u2029]")
"""Characters that some tools treat as line breaks in code."""
_BLOCK_BEGINNING = re.compile(
    # a block of some dialect
    r"^[^\w\s\"'(\u2018\u201c\u201e\u00ab\u00bf\u00a1\u2026\u2013\u2014\u00b7\u2022]+"
    r"|^\d+[.)](?=\s|$)"  # a list
)
"""The beginning of a block, at the start of a line."""
_ACTIVE = re.compile(
    r"[\\`*_{}\[\]#]"  # marks, links, images, citations, attributes, templates
    r"|[<>|~^$@]|&(?=#?\w*(?:;|$))"  # HTML, cells, mathematics, addresses, names, entities
    r"|={2,}|\+{2,}|--+"  # marks of extensions, typographic dashes
    r"|:(?=//|\w+:)|(?<=mailto):|(?<=www)\."
    r"(?=\w)",  # what is turned into a link or emoji automatically
    re.IGNORECASE,
)
_BACKSLASHED_CHARACTERS = frozenset("\\`*_{}]#")
"""Without ``[``: after a backslash it begins a formula in some dialects."""
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
_CODE = re.compile(r"(?!#!|:::)(?:[^`|\\<{\x00-\x1f]|\{(?![{%#+~=>-])){1,200}")
"""Code that Python-Markdown shows verbatim, even in tables, with any extensions."""
_UNSAFE_IN_CELLS = re.compile(r"[|]|<[a-z][\w -]*>")
"""Code that is verbatim outside of tables: pipes, and placeholders such as ``<name>``."""
_SPAN = re.compile(r"(?<!`)`(?P<code>[^`]{1,200})`(?!`)")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_BACKTICKS = re.compile(r"`+")
_LANGUAGE = re.compile(r"[A-Za-z][\w+-]{0,19}")
_ADDRESS = re.compile(r"https?://[^\s<>\x00-\x1f\x7f-\x9f]+", re.IGNORECASE)
_QUOTED_IN_PATHS = re.compile(r"[\s\x00-\x20\x7f\"#%&'():<>?\[\\\]^`{|}]")
_MARKUP_CHARACTER = re.compile(r"[\[\]`\\<>&\"'*_!{}|^~@:/+=#$]")


def verbatim(text: str) -> str:
    """Return `text` as one line of Markdown that displays it verbatim.

    It may be in text, headings, quotes and cells.
    """
    return escape_pieces([(text, False)])


def inline_text(text: str) -> str:
    """Return `text` escaped for a paragraph of Markdown: nothing in it is Markdown or HTML."""
    return _MARKUP_CHARACTER.sub(lambda match: f"&#{ord(match[0])};", text)


def inline_words(markdown: str) -> str:
    """Return a line of a plan as Markdown that is safe anywhere.

    Code stays code, the rest becomes plain text.
    """
    pieces: list[tuple[str, bool]] = []
    at = 0
    for span in _SPAN.finditer(markdown):
        pieces += [(_words(markdown[at : span.start()]), False), (span["code"], True)]
        at = span.end()
    return escape_pieces([*pieces, (_words(markdown[at:]), False)])


def escape_pieces(pieces: Iterable[tuple[str, bool]], *, is_cell: bool = True) -> str:
    """Return the pieces of a line as Markdown that displays the same.

    Each comes with whether it is code. Code that an extension might change, in a table if it
    `is_cell`, is shown as text.
    """
    out = ""
    for text, is_code in pieces:
        seen = " ".join(CONTROL_CHARACTERS.sub("", text).split())
        before, after = _edges(text)
        if not seen:
            out += before
        elif (
            is_code
            and _CODE.fullmatch(seen if is_cell else _UNSAFE_IN_CELLS.sub("x", seen))
            and (before or not out.endswith(("`", "\\")))
        ):
            out += f"{before}`{seen}`{after}"
        else:
            out += f"{before}{escape_fragment(seen, is_first=not out or out.isspace())}{after}"
    return " ".join(out.split())


def fence_code(code: str, language: str = "") -> str:
    """Return `code` in a fence that nothing in it can close.

    The fence names `language` if it is a plain word.
    """
    lines = CONTROL_CHARACTERS.sub("", _OTHER_BREAKS.sub(" ", re.sub(r"\r\n?", "\n", code))).split(
        "\n"
    )
    body = textwrap.dedent("\n".join(line.rstrip() for line in lines)).strip("\n")
    longest = max((len(run[0]) for run in _BACKTICKS.finditer(body)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language if _LANGUAGE.fullmatch(language) else ''}\n{body}\n{fence}\n"


def make_link(text: str, address: str) -> str:
    """Return `text` as a link to `address`; without a link if that is not an http(s) address."""
    if not _ADDRESS.fullmatch(address):
        return verbatim(text)
    target = _ENTITY.sub("&amp;", quote(address, safe="%/:?#@!$&*+,;=~-._"))
    return f"[{verbatim(text)}]({target})"


def link_path(path: str) -> str:
    """Return the path of a file as the address of a link.

    `C#.md` as `C%23.md`, and a colon is no protocol's.

    Letters of all languages stay. Quoted are blanks, and all that means something in addresses,
    Markdown or HTML.
    """
    return _QUOTED_IN_PATHS.sub(lambda match: quote(match[0], safe=""), path)


def _words(markdown: str) -> str:
    """Return the text of Markdown without code, with the spaces around it."""
    before, after = _edges(markdown)
    text = plain_text(markdown)
    return f"{before}{text}{after}" if text else before or after


def _edges(text: str) -> tuple[str, str]:
    """Return the spaces at both ends, at most one each."""
    return " " if text[:1].isspace() else "", " " if text[-1:].isspace() else ""


def escape_fragment(text: str, *, is_first: bool = False) -> str:
    """Return a part of a line with special characters escaped.

    `is_first` at the beginning of the line.
    """
    block = _BLOCK_BEGINNING.match(text) if is_first else None
    start = block.end() if block else 0
    return (_escape_match(block) if block else "") + _ACTIVE.sub(_escape_match, text[start:])


def _escape_match(match: re.Match[str]) -> str:
    special = match[0]
    if len(special) == 1 and special in _BACKSLASHED_CHARACTERS:
        return f"\\{special}"
    if special[:1].isdigit():
        return f"{special[:-1]}\\{special[-1]}"
    if not special.strip("-") or not special.strip("+"):
        return "".join(f"\\{char}" for char in special)
    return "".join(_ENTITIES.get(char) or f"&#{ord(char)};" for char in special)
