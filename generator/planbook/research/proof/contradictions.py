"""Find where the quotes of a sentence have another default, value or name in its place. Pure.

The words of such a sentence may all stand in its quotes: ``60 seconds by default``, of “the default
value of 30 … will be 60”. What may be right is left out, such as a sentence that has both. Meaning
beyond that is for a judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from planbook.research.proof.sentences import Quotation, TextWords

_FIGURE = r"[-+]?\d[\d.,]*\d|\d"
_DEFAULT_LEAD = r"\bdefaults?(?:\s+value)?(?:\s+(?:is|of|to|being|at)|\s?[:=])?[\s`\"'\u201c*]{0,4}"
_DEFAULT_FIGURE = re.compile(
    rf"""
    {_DEFAULT_LEAD}(?P<behind>{_FIGURE})
    | (?<![\w.,-])(?P<before>{_FIGURE})(?:\s?[^\W\d_]+)?\s+by\s+default\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""A figure that is a default: ``default value of 30``, ``Default: 30``, ``30 s by default``."""
_FURTHER_DEFAULT = r"(?:\b(?:and|or|to)\b|[/|,(-])[\s`\"']{0,4}"
"""The end of the text before a further default: ``1000/50000``, ``10 and 1500``."""

_ENABLED_VALUES, _DISABLED_VALUES = (
    frozenset({"on", "true", "enabled", "yes"}),
    frozenset({"off", "false", "disabled", "no"}),
)
_SYNONYMS = {value: values for values in (_ENABLED_VALUES, _DISABLED_VALUES) for value in values}
_OPPOSITE = {
    value: values
    for ours, values in ((_ENABLED_VALUES, _DISABLED_VALUES), (_DISABLED_VALUES, _ENABLED_VALUES))
    for value in ours
}
_AMBIGUOUS = frozenset({"on", "no", "yes"})
"""Values that are other words, too: they count where they can be nothing else."""
_VALUES = "|".join(sorted(_ENABLED_VALUES | _DISABLED_VALUES))
_STATED_VALUE = re.compile(
    rf"""
    {_DEFAULT_LEAD}(?P<behind>{_VALUES})\b
    | (?<![\w-])(?<!\bnot\s)(?P<before>{_VALUES})[`"'\u201d*]?(?:\s+by\s+default\b|\s+\(default\))
    | (?:^|[.|]\s)`?(?P<cell>{_VALUES})`?(?=\s?[.|]|$)
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""A value that is a default, or a cell of its own: ``off by default``, ``| off |``."""
_MARKED_VALUE = re.compile(rf"[\"'`*\u201c=]({_VALUES})\b", re.IGNORECASE)
"""A value in marks: ``set it to "on"``."""
_VALUE_IN_ROW = re.compile(rf"(?<=[a-z\d]\s)({_VALUES})(?=\s(?:no|yes)\b)", re.IGNORECASE)
"""A value in a row whose bars are gone: ``binary off no``."""

_RIVALS = (
    ("tcp", "udp"),
    ("ipv4", "ipv6"),
    ("stdout", "stderr"),
)
"""Words of which a sentence means the one or the other.

None that a true sentence may have in its own words: “uppercase letters are refused”, of “names must
be lowercase”; HTTPS, of `http.tls`.
"""
_WORD = re.compile(r"[^\W_]+")

_CODE = re.compile(r"`([^`\s]+)`")
_HYPHENATED_NAME = re.compile(r"[a-z][a-z\d]*(?:-[a-z\d]+)+")
_NAME = re.compile(
    rf"--[A-Za-z][\w-]*|[A-Za-z]\w*(?:[._][\w-]+)+|[a-z]+[A-Z]\w*|{_HYPHENATED_NAME.pattern}"
)
"""A name of a setting: ``--keep``, ``queue.size``, ``max_size``, ``maxSize``, ``max-size``."""
_MIN_SHARED_PARTS = 0.5
"""The share of the parts of a hyphenated name above which another one is of its kind."""
_MAX_TYPE_WORDS = 1
"""Words behind the name in a term, such as its type: ``queue.size integer``."""
_NAME_IN_TEXT = re.compile(
    r"(?<![\w./-])(?:--[A-Za-z][\w-]*\w|[A-Za-z]\w*(?:[._][A-Za-z]\w*)+)(?![\w/])"
)


def find_contradiction(sentence: str, quotes: Sequence[Quotation]) -> str:
    """Return a word of a sentence with the one that its quotes have instead; empty without any.

    Args:
        sentence: the sentence as a reader sees it, with names in backticks.
        quotes: its quotes.
    """
    finders = (_other_default, _other_value, _rival, _other_name)
    contradictions = (find(sentence, quotes) for find in finders if quotes)
    return next(filter(None, contradictions), "")


def _other_default(sentence: str, quotes: Sequence[Quotation]) -> str:
    """Compare figures that are defaults, if the quotes have both somewhere."""
    text = _words_of_quotes(quotes)
    defaults = set(_matched_groups(_DEFAULT_FIGURE, text))
    for figure in _matched_groups(_DEFAULT_FIGURE, sentence):
        whole_figure = rf"(?<![\w.,]){re.escape(figure)}(?!\w|[.,]\d)"
        is_quoted = re.search(whole_figure, text) is not None
        is_further = re.search(f"{_FURTHER_DEFAULT}{whole_figure}", text) is not None
        if defaults and figure not in defaults and is_quoted and not is_further:
            return _instead(figure, min(defaults))
    return ""


def _other_value(sentence: str, quotes: Sequence[Quotation]) -> str:
    """Compare values that are defaults or cells, if the quotes have the opposite alone."""
    claimed = {word.lower() for word in _matched_groups(_STATED_VALUE, sentence)}
    if not claimed:
        return ""
    text = _words_of_quotes(quotes)
    stated = {
        word.lower()
        for word in (*_matched_groups(_STATED_VALUE, text), *_VALUE_IN_ROW.findall(text))
    }
    marked = {word.lower() for word in _MARKED_VALUE.findall(text)}
    quoted = stated | marked | (_lower_words(text) - _AMBIGUOUS)
    mentioned = claimed | (_lower_words(sentence) - _AMBIGUOUS)
    for value in sorted(claimed):
        # What is set where the default is another one is quoted beside it: “set it to "on"”.
        values = stated if stated & _OPPOSITE[value] else quoted
        is_said = not values.isdisjoint(_SYNONYMS[value])
        if values & _OPPOSITE[value] and not is_said and mentioned.isdisjoint(_OPPOSITE[value]):
            return _instead(value, min(values & _OPPOSITE[value]))
    return ""


def _rival(sentence: str, quotes: Sequence[Quotation]) -> str:
    """Compare words of which a sentence means the one or the other."""
    claimed = _lower_words(sentence)
    quoted = {word for quote in quotes for text in quote.texts for word in _lower_words(text)}
    for pair in _RIVALS:
        for word, rival in (pair, pair[::-1]):
            is_claimed = word in claimed and rival not in claimed
            if is_claimed and rival in quoted and word not in quoted:
                return _instead(word, rival)
    return ""


def _other_name(sentence: str, quotes: Sequence[Quotation]) -> str:
    """Return a name of a sentence with one that its quotes have or are about in its place."""
    return _find_other_name(sentence, quotes, [*_subjects_of(quotes), *_names_in_quotes(quotes)])


def find_other_subject(sentence: str, quotes: Sequence[Quotation], beside: str) -> str:
    """Return a name with the one that its quotes are about: their heading or term.

    Args:
        sentence: the sentence or cell, with names in backticks.
        quotes: its quotes.
        beside: the text around it: a name that it has stands in nobody's place.
    """
    rival_names = [subject for subject in _subjects_of(quotes) if subject not in beside]
    return _find_other_name(sentence, quotes, rival_names)


def _find_other_name(sentence: str, quotes: Sequence[Quotation], rival_names: Sequence[str]) -> str:
    """Return a name that no quote has, with another one that a sentence does not have.

    Both are of one kind, such as options, or below one prefix: ``queue.size``, ``queue.type``.
    """
    index = TextWords(text for quote in quotes for text in quote.texts)
    for name in dict.fromkeys(_CODE.findall(sentence)):
        if not _NAME.fullmatch(name) or index.has_code(name) or index.has_name(name):
            continue
        for other in rival_names:
            is_in_sentence = re.search(
                rf"(?<![\w-]){re.escape(other)}(?![\w-])", sentence, re.IGNORECASE
            )
            if not is_in_sentence and _are_alike(name, other):
                return _instead(name, other)
    return ""


def _subjects_of(quotes: Sequence[Quotation]) -> Iterator[str]:
    """Yield the names that quotes are about."""
    for quote in quotes:
        for title in (quote.term, quote.heading.rpartition(">")[2]):
            first, *further = title.replace("`", " ").split() or [""]
            if _NAME.fullmatch(first) and len(further) <= _MAX_TYPE_WORDS:
                yield first


def _names_in_quotes(quotes: Sequence[Quotation]) -> Iterator[str]:
    """Yield the names in the words of quotes."""
    for quote in quotes:
        yield from _NAME_IN_TEXT.findall(quote.words)


def _are_alike(name: str, other: str) -> bool:
    """Return whether two names are options, have one prefix, or are written in one way.

    Hyphenated ones share most of their parts: ``max-size``, ``max-file-size``.
    """
    if _HYPHENATED_NAME.fullmatch(name) or _HYPHENATED_NAME.fullmatch(other):
        parts, other_parts = name.split("-"), other.split("-")
        shared = sum(part in other_parts for part in parts)
        return shared > _MIN_SHARED_PARTS * max(len(parts), len(other_parts))
    if name.startswith("--") or other.startswith("--"):
        return name.startswith("--") and other.startswith("--")
    sign, other_sign = (next(iter(re.findall(r"[._]", text)), "") for text in (name, other))
    return (
        sign == other_sign and name.partition(sign or name)[0] == other.partition(sign or other)[0]
    )


def _instead(word: str, other: str) -> str:
    return f"“{word}” stands where its quotes have “{other}”"


def _words_of_quotes(quotes: Sequence[Quotation]) -> str:
    """Return the words of quotes, one below the other."""
    return "\n".join(quote.words for quote in quotes)


def _lower_words(text: str) -> set[str]:
    """Return the words of a text in lower case."""
    return {word.lower() for word in _WORD.findall(text)}


def _matched_groups(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    """Yield the group of each match of a pattern whose alternatives have one each."""
    for match in pattern.finditer(text):
        yield from filter(None, match.groups())
