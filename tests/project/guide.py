"""The pages of the Guide: their sections, tables and examples."""

from __future__ import annotations

import re
from dataclasses import dataclass

from planbook.problems import CODES

CHECKED = {code: kind for code, kind in CODES.items() if code[0] not in "AD"}
"""The codes of `planbook check`; the others are of audits and of drafts only."""


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block of a page."""

    language: str
    title: str
    body: str


def fences(text: str) -> list[Fence]:
    """The fenced blocks of a page's text, in order."""
    form = r'^(?P<ticks>`{3,})(?P<language>\w*)(?: title="(?P<title>[^"]+)")?\n(?P<body>.*?)^(?P=ticks)$'
    found = re.finditer(form, text, re.MULTILINE | re.DOTALL)
    return [Fence(match["language"], match["title"] or "", match["body"]) for match in found]


def titled(text: str) -> dict[str, str]:
    """The fenced blocks that are files: their texts by path."""
    return {fence.title: fence.body for fence in fences(text) if fence.title}


def sections(text: str, marks: str) -> dict[str, str]:
    """The text below each heading of one level (`marks` are its hashes), up to the next of this level or above."""
    found: dict[str, str] = {}
    current = fence = ""
    for line in text.splitlines(keepends=True):
        ticks = re.match(r"`{3,}", line)
        heading = re.match(r"(#+) (.+)", line)
        if ticks and (not fence or line.rstrip() == fence):
            fence = "" if fence else ticks[0]
        elif heading and not fence and len(heading[1]) <= len(marks):
            current = heading[2] if heading[1] == marks else ""
            continue
        if current:
            found[current] = found.get(current, "") + line
    return found


def rows(text: str) -> list[list[str]]:
    """The cells of all pipe tables in a text, without heads and rules."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    tables = [line.strip("|").split(" | ") for line in lines]
    rules = {n for n, line in enumerate(lines) if re.fullmatch(r"[|\s:-]+", line)}
    return [[cell.strip() for cell in cells] for n, cells in enumerate(tables) if n not in rules and n + 1 not in rules]


def codes(text: str) -> list[str]:
    """The inline code of a text."""
    return re.findall(r"`([^`]+)`", text)
