"""Strings in quotation marks or backticks in the lines of a plan."""

from __future__ import annotations

import re

QUOTATION = re.compile(
    r"\"([^\"]+)\"|“([^”]+)”|`([^`]+)`|(?<!\w)'([^']+)'(?!\w)"
    r"|„([^„“”]+)[“”]|«([^«»]+)»|\u2018([^\u2018\u2019]+)\u2019(?!\w)|「([^「」]+)」"
)
"""``"rye"``, ``“rye”``, ```rye```, ``'rye'``, ``„rye“``, ``«rye»``, ``「rye」``."""
_WHOLLY_QUOTED = re.compile(r"\"[^\"]+\"|“[^“”]+”")
OPENING_MARK = r"[\"“„«\u2018「`']"
OPENING_NOT_SINGLE = r"[\"“„«「`]"


def find_quoted_strings(text: str) -> list[str]:
    """Return the quoted strings in `text`, in order."""
    return [quoted_text(quotation) for quotation in QUOTATION.finditer(text)]


def quoted_text(quotation: re.Match[str]) -> str:
    """Return the text between the quotation marks of a match of `QUOTATION`.

    Of marks within backticks, those around the whole text are no part of it.
    """
    text = next(text for text in quotation.groups() if text).strip()
    is_quoted_twice = quotation[0][0] == "`" and _WHOLLY_QUOTED.fullmatch(text)
    return text[1:-1].strip() if is_quoted_twice else text
