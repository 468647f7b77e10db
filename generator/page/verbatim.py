"""Words of anybody as Markdown that shows them to the letter, and does nothing else.

What is quoted comes from the web: it may hold HTML, front matter, fences, links, citations, directives of some dialect
of Markdown. Here each character that might begin one of these, in Python-Markdown with its usual extensions, in
CommonMark, GitHub's or Pandoc's Markdown, becomes an escape or an entity.
"""

from __future__ import annotations

import re
import textwrap
from urllib.parse import quote

_UNSEEN = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
"""Controls, also those that turn the direction of writing: they show nothing, or show something else."""
_UNSEEN_IN_CODE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff]")
_ACTIVE = re.compile(
    r"^[^\w\s\"'(\u2018\u201c\u201e\u00ab\u00bf\u00a1\u2026\u2013\u2014\u00b7\u2022]+"  # begins a block of some dialect
    r"|^\d+[.)](?=\s|$)"  # begins a list
    r"|[\\`*_{}\[\]#]"  # marks, links, images, citations, attributes, templates
    r"|[<>&|~^$@]"  # HTML, entities, cells, mathematics, addresses, names
    r"|={2,}|\+{2,}|--+"  # marks of extensions, typographic dashes
    r"|:(?=//|\w+:)|(?<=mailto):|(?<=www)\.(?=\w)",  # what becomes a link or a picture unasked
    re.IGNORECASE,
)
_BACKSLASHED = frozenset("\\`*_{}]#")
"""Not ``[``: behind a backslash it begins a formula for some."""
_NAMED = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
_ENTITY = re.compile(r"&(?=#?\w+;)")
_BACKTICKS = re.compile(r"`+")
_LANGUAGE = re.compile(r"[A-Za-z][\w+-]{0,19}")
_ADDRESS = re.compile(r"https?://[^\s<>\x00-\x1f\x7f-\x9f]+", re.IGNORECASE)


def verbatim(text: str) -> str:
    """`text` in one line of Markdown that reads the same, for running text, headings, quotes and cells."""
    return _ACTIVE.sub(_escaped, " ".join(_UNSEEN.sub("", text).split()))


def fenced(code: str, language: str = "") -> str:
    """`code` in a fence that nothing in it can close; `language` where it is a plain word. Ends with a line feed."""
    lines = _UNSEEN_IN_CODE.sub("", re.sub(r"\r\n?", "\n", code)).split("\n")
    body = textwrap.dedent("\n".join(line.rstrip() for line in lines)).strip("\n")
    longest = max((len(run[0]) for run in _BACKTICKS.finditer(body)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language if _LANGUAGE.fullmatch(language) else ''}\n{body}\n{fence}\n"


def linked(text: str, address: str) -> str:
    """`text` as a link to `address`; `text` alone where that is no http(s) address."""
    if not _ADDRESS.fullmatch(address):
        return verbatim(text)
    target = _ENTITY.sub("&amp;", quote(address, safe="%/:?#@!$&*+,;=~-._"))
    return f"[{verbatim(text)}]({target})"


def _escaped(match: re.Match[str]) -> str:
    found = match[0]
    if len(found) == 1 and found in _BACKSLASHED:
        return f"\\{found}"
    if found[:1].isdigit():
        return f"{found[:-1]}\\{found[-1]}"
    if found.strip("-") == "":
        return "".join(f"\\{char}" for char in found)
    return "".join(_NAMED.get(char) or f"&#{ord(char)};" for char in found)
