"""Check our own fields of a reference, below ``custom``: quotes, their lines, the file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from planbook.citations.field_values import kind_of_value, value_in_message
from planbook.citations.value_lines import Path

_QUOTES_EXAMPLE = '{q1: "the exact words"}'


def check_custom(value: object) -> Iterator[tuple[Path, str]]:
    """Yield what is wrong with our own fields."""
    if not isinstance(value, Mapping):
        fix = f"write a mapping, such as {{quotes: {_QUOTES_EXAMPLE}}}"
        yield ("custom",), f"`custom` is {kind_of_value(value)}; {fix}"
        return
    quotes = value.get("quotes")
    if quotes is not None:
        for path, message in _check_quotes_field(quotes):
            yield ("custom", "quotes", *path), message
    for key, (is_valid, fix) in _CUSTOM_FORMS.items():
        is_given = value.get(key) not in (None, "")
        if is_given and not is_valid(value[key]):
            yield ("custom", key), f"`custom.{key}` is {value_in_message(value[key])}; write {fix}"
    quote_keys = _quote_keys(quotes)
    for key in ("lines", "fragments"):
        by_quote = value.get(key)
        if isinstance(by_quote, Mapping):
            for unknown in (str(name) for name in by_quote if str(name) not in quote_keys):
                defect = f"`custom.{key}` has {unknown}, but the reference has no quote {unknown}"
                yield ("custom", key, unknown), defect


def _quote_keys(quotes: object) -> set[str]:
    """Return the keys of quotes; those of a list, or a single one, are ``q1``, ``q2``."""
    if isinstance(quotes, Mapping):
        return {str(key) for key in quotes}
    if isinstance(quotes, list):
        return {f"q{n}" for n in range(1, len(quotes) + 1)}
    return {"q1"} if quotes else set()


def _check_quotes_field(quotes: object) -> Iterator[tuple[Path, str]]:
    """Yield what is wrong with quotes: texts by key, a list of texts, or one text."""
    located_quotes: list[tuple[Path, str, object]]
    if isinstance(quotes, Mapping):
        located_quotes = [((str(key),), f"quote {key}", text) for key, text in quotes.items()]
    elif isinstance(quotes, list):
        located_quotes = [((n,), f"quote q{n + 1}", text) for n, text in enumerate(quotes)]
    else:
        located_quotes = [((), "`quotes`", quotes)]
    for path, which, text in located_quotes:
        if not isinstance(text, str):
            defect = f"{which} is {kind_of_value(text)}, {value_in_message(text)}, not words"
            yield path, f"{defect}; write `quotes: {_QUOTES_EXAMPLE}`"
        elif not text.strip():
            yield path, f"{which} is empty; write the exact words of the source, or remove it"


def _is_lines(value: object) -> bool:
    """Return True for a mapping of pairs of lines."""
    return isinstance(value, Mapping) and all(_is_span(span) for span in value.values())


def _is_span(span: object) -> bool:
    match span:
        case [int(first), int(last)]:
            return isinstance(span, list) and 0 < first <= last
    return False


def _is_texts(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(text, str) for text in value.values())


def _is_hex(length: int) -> Callable[[object], bool]:
    return lambda value: (
        isinstance(value, str) and bool(re.fullmatch(rf"[0-9a-fA-F]{{{length}}}", value.strip()))
    )


def _is_text_value(value: object) -> bool:
    return isinstance(value, str) and "\0" not in value


_CUSTOM_FORMS: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "fragments": (_is_texts, "a mapping of texts, such as {q1: start,end}"),
    "lines": (_is_lines, "first and last line of each quote, such as {q1: [38, 42]}"),
    "file": (_is_text_value, "the path of one document, such as documents/tea.md"),
    "sha256": (_is_hex(64), "64 hexadecimal digits in quotation marks"),
    "commit": (_is_hex(40), "40 hexadecimal digits in quotation marks"),
    "permalink": (_is_text_value, "one address"),
    "repository": (_is_text_value, "OWNER/NAME"),
    "path": (_is_text_value, "a path in the repository"),
}
