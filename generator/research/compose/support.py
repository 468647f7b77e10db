"""Whether a passage says what a sentence says: a strict test of words, whose every refusal can be explained.

It is for sentences that a model wrote. What it lets through may still be wrong in ways that words do not show; what it
refuses gives way to the quote, so it would rather refuse.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from generator.citations.quotes import fold
from generator.page.terms import FUNCTION_WORDS, stem, tokens

MIN_SHARE = 0.7
"""Of a sentence's telling words, so many must stand in the passage."""

_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:[.,]\d+)*")
_WORDS_FOR_NUMBERS = {
    **{"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9"},
    **{"ten": "10", "eleven": "11", "twelve": "12", "twice": "2", "thrice": "3", "half": "0.5", "hundred": "100"},
    **{"thousand": "1000", "million": "1000000", "billion": "1000000000"},
}
_UNITS = {
    **dict.fromkeys(("%", "percent", "per cent", "percentage"), "%"),
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), "ms"),
    **dict.fromkeys(("us", "µs", "microsecond", "microseconds"), "us"),
    **dict.fromkeys(("ns", "nanosecond", "nanoseconds"), "ns"),
    **dict.fromkeys(("s", "sec", "second", "seconds"), "s"),
    **dict.fromkeys(("min", "minute", "minutes"), "min"),
    **dict.fromkeys(("h", "hour", "hours"), "h"),
    **{
        name: name
        for name in ("kb", "mb", "gb", "tb", "kib", "mib", "gib", "tib", "hz", "khz", "mhz", "ghz", "w", "kw")
    },
    **{f"{noun}s": noun for noun in ("byte", "bit", "day", "week", "month", "year", "core", "line", "layer", "file")},
    **{noun: noun for noun in ("byte", "bit", "day", "week", "month", "year", "core", "line", "layer", "file")},
}
_UNIT = re.compile(
    rf"(?<![\w])(?:{'|'.join(sorted(map(re.escape, _UNITS), key=len, reverse=True))})(?!\w)", re.IGNORECASE
)
_REACH = 40
"""Characters behind a number within which its unit is looked for: ``from 9.4 to 3.1 minutes``."""
_NAME = re.compile(
    r"`[^`]+`"  # what is written as code
    r"|--?[A-Za-z][\w-]*(?:=[\w/.,:-]+)?"  # an option
    r"|[\w~.-]*(?:/[\w.-]+)+"  # a path
    r"|[A-Za-z_]\w*(?:(?:\.|::|_)\w+)+(?:\(\))?"  # an identifier
    r"|\b(?:[A-Z]{2,}\w*|[A-Za-z]+\d\w*|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*)\b"  # CUDA, sm90, camelCase, PyTorch
    r"|(?<=[^.!?\s]\s)[A-Z][\w-]+"  # a capital within a sentence
)
_NEGATION = re.compile(
    r"\b(?:not|no|never|neither|nor|none|nothing|nobody|nowhere|without|cannot|can't|unable|lacks?|lacking"
    r"|fails? to|refuses?|instead of|rather than|except|unless)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_DIRECTIONS = frozenset(
    re.findall(
        r"\w+",
        "above after all always any before below best both decrease decreased decreases disable disabled "
        "disables drop dropped drops each enable enabled enables every faster fewer first forbidden greater "
        "grow grows higher increase increased increases large larger largest last later least less longer "
        "lower max maximum may might min minimum more most must never older only optional raise raises "
        "recommended reduce reduced reduces require required requires shorter should slower small smaller "
        "smallest some supported unsupported worse worst",
    )
)
"""Words that turn a sentence round if they are wrong: each must stand in the passage itself."""
_SENTENCE_END = re.compile(r"(?<=[.!?;:])\s+(?=[\"'\u201c(`A-Z0-9])")


def supports(sentence: str, passage: str) -> bool:
    """Whether `passage` says what `sentence` says, as far as words can show it."""
    return not doubts(sentence, passage)


def doubts(sentence: str, passage: str) -> tuple[str, ...]:
    """Why `passage` may not say what `sentence` says; nothing where it does.

    Numbers with their units, names, code and versions must stand in the passage, numbers and names in their order; so
    must words that turn a sentence round, and most of the telling words; and both must deny, or neither.
    """
    said, given = fold(sentence), fold(passage)
    if not tokens(said):
        return ("it says nothing",)
    return tuple(dict.fromkeys(doubt for test in _TESTS for doubt in test(said, given)))


def _numbers(said: str, given: str) -> Iterator[str]:
    wanted, there = _numbers_of(said), _numbers_of(given)
    for number, unit in wanted:
        if number not in {other for other, _ in there}:
            yield f"the number {number} does not stand in it"
        elif unit and (number, unit) not in there:
            yield f"{number} is not told in {unit}"
    if not _in_order([number for number, _ in wanted], [number for number, _ in there]):
        yield "its numbers stand in another order"


def _numbers_of(text: str) -> list[tuple[str, str]]:
    """The numbers with their units, in order; ``1,208`` is 1208, ``three`` is 3."""
    found = [(m.start(), m.end(), _plain_number(m[0])) for m in _NUMBER.finditer(text)]
    for word, value in _WORDS_FOR_NUMBERS.items():
        found += [(m.start(), m.end(), value) for m in re.finditer(rf"\b{word}\b", text, re.IGNORECASE)]
    numbers = []
    for _, end, value in sorted(found):
        unit = _UNIT.search(text, end, min(len(text), end + _REACH))
        is_near = unit is not None and not re.search(r"[.;!?](?:\s|$)", text[end : unit.start()])
        numbers.append((value, _UNITS[unit[0].lower()] if unit and is_near else ""))
    return numbers


def _plain_number(text: str) -> str:
    text = text.lstrip("+-")
    whole = re.sub(r",(?=\d{3}(?:\D|$))", "", text)
    return re.sub(r"(\.\d*?)0+$", r"\1", whole).rstrip(".") if whole.count(".") == 1 else whole


def _names(said: str, given: str) -> Iterator[str]:
    names = [*_first_name(said, given), *(match[0].strip("`.,:;") for match in _NAME.finditer(said))]
    names = [name for name in names if name and not _NUMBER.fullmatch(name)]
    lower = given.casefold().replace("`", "")
    for name in names:
        if not _stands(name, lower):
            yield f"{name} does not stand in it"
    places = [_place(name, lower) for name in dict.fromkeys(names) if _stands(name, lower)]
    if places != sorted(places) and all(lower.count(name.casefold()) == 1 for name in names):
        yield "its names stand in another order"


def _first_name(said: str, given: str) -> Iterator[str]:
    """The sentence's first word, where the passage writes it with a capital within a sentence."""
    first = re.match(r"[A-Z][\w-]+", said)
    if first and re.search(rf"(?<=[^.!?\s]\s){re.escape(first[0])}\b", given):
        yield first[0]


def _stands(name: str, lower: str) -> bool:
    return _place(name, lower) >= 0


def _place(name: str, lower: str) -> int:
    words = re.escape(name.casefold())
    match = re.search(rf"(?<![\w]){words}(?:s|es|['\u2019]s)?(?![\w])", lower)
    return match.start() if match else -1


def _directions(said: str, given: str) -> Iterator[str]:
    there = {stem(word) for word in tokens(given)}
    for word in dict.fromkeys(tokens(said)):
        if word in _DIRECTIONS and stem(word) not in there:
            yield f"“{word}” does not stand in it"


def _words(said: str, given: str) -> Iterator[str]:
    wanted = [word for word in dict.fromkeys(tokens(said)) if word not in FUNCTION_WORDS and not word[:1].isdigit()]
    there = {stem(word) for word in tokens(given)}
    missing = [word for word in wanted if stem(word) not in there]
    if wanted and len(wanted) - len(missing) < MIN_SHARE * len(wanted):
        yield f"too few of its words stand in it; missing: {', '.join(missing[:5])}"


def _negation(said: str, given: str) -> Iterator[str]:
    """Compared with the sentence of the passage that is most like it."""
    pieces = _SENTENCE_END.split(given)
    own = {stem(word) for word in tokens(said) if word not in FUNCTION_WORDS}
    best = max(pieces, key=lambda piece: len(own & {stem(word) for word in tokens(piece)}))
    denies, is_denied = bool(_NEGATION.search(said)), bool(_NEGATION.search(best))
    if denies and not is_denied:
        yield "it denies what the passage does not deny"
    elif is_denied and not denies:
        yield "the passage denies where it does not"


def _in_order(wanted: Sequence[str], there: Sequence[str]) -> bool:
    """Whether `wanted` is met in this order in `there`."""
    rest = iter(there)
    return all(any(one == other for other in rest) for one in wanted)


_TESTS = (_numbers, _names, _directions, _words, _negation)
