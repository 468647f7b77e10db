"""Find an option in code that stands in a sentence where its quotes have another one. Pure.

For example ``pot -d`` of a quote that is the definition of ``-h``. What may be right is left out:
an option of another command, the other name of an option, a sentence with both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from planbook.research.proof.sentences import Quotation, TextWords

_OPTION = re.compile(r"(?<![\w\-/.=])--?[A-Za-z][\w-]*")
_FIRST_OPTION = re.compile(r"[\W_]*?(?<![\w\-/.=])(?P<option>--?[A-Za-z][\w-]*)")
"""The option that a term or a quote begins with."""
_NAME_SEPARATOR = r"(?:[\s*`]*(?:[,/|]|\bor\b)[\s*`]*|[\s*`]+)"
"""The signs between two names of one option: ``-q, --quiet``."""


def find_exchanged(
    missing: Iterable[str],
    sentence: str,
    codes: Sequence[str],
    quotes: Sequence[Quotation],
    work: str,
) -> tuple[str, str] | None:
    """Return an option of a sentence, and that of its quotes in whose place it stands.

    The result is ``None`` if there is none, or if it is not sure.

    Args:
        missing: what the sentence has, and none of its quotes.
        sentence: the sentence as a reader sees it.
        codes: the code of the page, without its marks.
        quotes: those of the sentence.
        work: the texts of their works.
    """
    options = set(_OPTION.findall(sentence))
    for option in missing:
        if not _OPTION.fullmatch(option) or option not in _OPTION.findall(work):
            continue
        for code in codes:
            if code in sentence and option in code.split():
                other_options = _options_in_place(code.split(), quotes)
                for other in other_options:
                    if other not in options and _are_two(option, other, work):
                        return option, other
    return None


def _options_in_place(code: Sequence[str], quotes: Sequence[Quotation]) -> Iterator[str]:
    """Yield the options that quotes define, and those that they have behind a command."""
    command = "" if code[0].startswith("-") else code[0]
    for quote in quotes:
        is_of_command = not command or TextWords(quote.texts).has_name(command)
        first = _FIRST_OPTION.match(quote.term or quote.words)
        if first and is_of_command:
            yield first["option"]
        if command:
            behind = rf"(?<!\w){re.escape(command)}\s+(--?[A-Za-z][\w-]*)"
            yield from re.findall(behind, quote.words)


def _are_two(option: str, other: str, work: str) -> bool:
    """Return whether two options are of one kind, and nowhere named side by side as one option."""
    if option.startswith("--") != other.startswith("--"):
        return False
    pattern, other_pattern = re.escape(option), re.escape(other)
    pairs = (
        f"{pattern}{_NAME_SEPARATOR}{other_pattern}",
        f"{other_pattern}{_NAME_SEPARATOR}{pattern}",
    )
    return not any(re.search(rf"(?<![\w-]){pair}(?![\w-])", work) for pair in pairs)
