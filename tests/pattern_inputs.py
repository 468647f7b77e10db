"""The worst inputs of a regular expression, made from its structure.

A pattern that backtracks does so where one of its repeats reads much and what follows then fails. So each
repeat is pumped behind a text that leads to it, and beginnings and whole matches are repeated, each with an
end that does not match.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Any

_PARSER: Any = importlib.import_module("re._parser")
"""The parser of `re`, which has no public name."""
_OF_CATEGORY = {
    "CATEGORY_DIGIT": "0",
    "CATEGORY_NOT_DIGIT": "a",
    "CATEGORY_SPACE": " ",
    "CATEGORY_NOT_SPACE": "a",
    "CATEGORY_WORD": "a",
    "CATEGORY_NOT_WORD": "-",
}
"""A character of each category such as `\\d`."""
_USUAL: tuple[str, ...] = (*" \n\ta0#*[](<>`|-_.:;,'\"\\/&!=+~^{}", "\x00", "é")
"""Characters that patterns for Markdown tell apart."""
_ENDS = ("", "\n", "\x00", "!", "a", " ")
_MANY = 100
"""A repeat of at most so many is not pumped."""
_MOST_LITERALS = 8
"""Number of characters of a match whose pairs are repeated."""


@dataclass(frozen=True)
class WorstInput:
    """A text that repeats a unit behind a beginning, and ends otherwise."""

    beginning: str
    unit: str
    end: str

    def of_size(self, size: int) -> str:
        """Return the text with about `size` characters."""
        return self.beginning + self.unit * max(size // len(self.unit), 1) + self.end


def worst_inputs(pattern: re.Pattern[str]) -> tuple[WorstInput, ...]:
    """Return the candidates for the worst input of a pattern, each once."""
    samples = _Samples(pattern)
    found = [WorstInput("", unit, end) for unit in _units(samples) for end in ("", "\x00")]
    for beginning, repeated in samples.pumps:
        found += [WorstInput(beginning, repeated, end) for end in _ENDS]
        found += [WorstInput(beginning, unit, end) for unit in _USUAL for end in ("", "\x00")]
    return tuple(dict.fromkeys(one for one in found if one.unit))


def _units(samples: _Samples) -> tuple[str, ...]:
    """Return the texts that are repeated from the start."""
    whole = [*samples.beginnings, samples.whole, *(unit for _, unit in samples.pumps)]
    spaced = [f"{text}{blank}" for text in samples.beginnings for blank in " \n"]
    literals = sorted(set("".join(whole)))[:_MOST_LITERALS]
    pairs = [one + other for one, other in product(literals, literals) if one != other]
    return tuple(dict.fromkeys([*whole, *spaced, *_USUAL, *pairs]))


class _Samples:
    """Texts that parts of a pattern match, and texts that lead to its repeats."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.pumps: list[tuple[str, str]] = []
        """A text that leads to a repeat, and one that the repeat matches."""
        self.beginnings: list[str] = []
        """Texts that the first part of the pattern matches, the first two parts, and so on."""
        self._groups: dict[int, str] = {}
        self._class_flags = pattern.flags & (re.IGNORECASE | re.ASCII)
        tokens = _PARSER.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
        self.whole = ""
        for token in tokens:
            self.whole += self._of_token(token, self.whole)
            self.beginnings.append(self.whole)

    def _of_sequence(self, tokens: Iterable[Any], before: str) -> str:
        text = ""
        for token in tokens:
            text += self._of_token(token, before + text)
        return text

    def _of_token(  # noqa: PLR0911 - a table of the parser's kinds
        self, token: tuple[Any, Any], before: str
    ) -> str:
        """Return a text that a part of the pattern matches, which stands behind `before`."""
        kind, value = str(token[0]), token[1]
        match kind:
            case "LITERAL":
                return chr(value)
            case "NOT_LITERAL":
                return next(char for char in _USUAL if ord(char) != value)
            case "ANY":
                return "a"
            case "IN":
                return self._of_class(value)
            case "BRANCH":
                texts = [self._of_sequence(option, before) for option in value[1]]
                return texts[0]
            case "SUBPATTERN":
                return self._of_group(value, before)
            case "ATOMIC_GROUP":
                return self._of_sequence(value, before)
            case "GROUPREF":
                return self._groups.get(value, "")
            case "GROUPREF_EXISTS":
                return self._of_sequence(value[1], before)
            case "ASSERT" | "ASSERT_NOT":
                self._of_sequence(value[1], before)  # for its repeats
                return ""
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                return self._of_repeat(value, before)
        return ""

    def _of_group(self, value: tuple[Any, ...], before: str) -> str:
        number, _, _, inner = value
        text = self._of_sequence(inner, before)
        if number is not None:
            self._groups[number] = text
        return text

    def _of_repeat(self, value: tuple[Any, ...], before: str) -> str:
        least, most, inner = value
        text = self._of_sequence(inner, before)
        if most == _PARSER.MAXREPEAT or most > _MANY:
            self.pumps.append((before, text))
        count: int = max(least, 1 if most else 0)
        return text * count

    def _of_class(self, members: list[Any]) -> str:
        if str(members[0][0]) == "NEGATE":
            inner = "".join(map(_class_part, members[1:]))
            excluded = re.compile(f"[{inner}]", self._class_flags)
            others = (*_USUAL, *map(chr, range(256, 512)))
            return next(char for char in others if not excluded.match(char))
        kind, value = members[0]
        match str(kind):
            case "LITERAL":
                return chr(value)
            case "RANGE":
                return chr(value[0])
        return _OF_CATEGORY.get(str(value), "a")


def _class_part(member: tuple[Any, Any]) -> str:
    """Return a member of a class as it is written in a pattern."""
    kind, value = member
    match str(kind):
        case "LITERAL":
            return re.escape(chr(value))
        case "RANGE":
            return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
    name = str(value).removeprefix("CATEGORY_")
    letter = {"DIGIT": "d", "SPACE": "s", "WORD": "w"}[name.removeprefix("NOT_")]
    return "\\" + (letter.upper() if name.startswith("NOT_") else letter)
