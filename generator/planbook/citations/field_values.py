"""Check the values of the fields of CSL: texts, addresses, dates and names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from urllib.parse import urlsplit

from planbook.citations.csl_variables import NUMBERS, TYPES
from planbook.citations.dates import read_date
from planbook.citations.value_lines import Path
from planbook.markdown.words import closest

_NAME_FIELDS = frozenset({"family", "given", "literal"})
_SCHEMES = frozenset(
    re.findall(r"\w+", "http https ftp ftps file mailto doi urn isbn arxiv git ssh data tel info")
)
"""Schemes of addresses that a reference may have."""
_MAY_BE_DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s?)?10\.\d{4,9}/\S+", re.IGNORECASE)
_DATE_EXAMPLE = "{date-parts: [[2026, 11, 20]]}"
_NAMES_EXAMPLE = "[{family: Doe, given: Ann}]"


def check_text(name: str, value: object) -> Iterator[tuple[Path, str]]:
    """Yield what is wrong with a field that is a text, or may be a number."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and name in NUMBERS:
        return
    if not isinstance(value, str):
        is_scalar = isinstance(value, int | float | date)  # YAML has read it as something else
        fix = "write it in quotation marks" if is_scalar else "write a text"
        yield (name,), f"`{name}` is {kind_of_value(value)}, {value_in_message(value)}; {fix}"
    elif name == "URL":
        yield from _check_address(value)
    elif name == "DOI" and not _MAY_BE_DOI.fullmatch(value.strip()):
        yield (name,), f"`DOI` {value_in_message(value)} is not a DOI; write it as 10.1000/182"
    elif name == "type" and value not in TYPES:
        nearest = closest(value.lower(), TYPES, 0.7)
        fix = "write one such as webpage, book, article-journal, report or document"
        if nearest:
            fix = f"did you mean {nearest}?"
        yield (name,), f"`type` {value_in_message(value)} is not a type of CSL; {fix}"


def _check_address(value: str) -> Iterator[tuple[Path, str]]:
    """Yield what is wrong with a URL."""
    scheme = re.match(r"([a-z][a-z0-9+.-]*):(?!\d)", value, re.IGNORECASE)
    is_of_web = value.lower().startswith(("http:", "https:"))
    if is_of_web and not _has_host(value):
        fix = "write https://host/path, without blanks"
        yield ("URL",), f"`URL` {value_in_message(value)} is not a web address; {fix}"
    elif scheme and scheme[1].lower() not in _SCHEMES:
        nearest = closest(scheme[1].lower(), ("https", "http"), 0.6)
        fix = (
            f"did you mean {nearest}:?" if nearest else "write an address that begins with https://"
        )
        yield ("URL",), f"`URL` {value_in_message(value)} has an unknown scheme; {fix}"


def _has_host(address: str) -> bool:
    """Return True if an address of the web names a host, and has no blanks."""
    try:
        host = urlsplit(address).hostname
    except ValueError:
        return False
    return bool(host) and not re.search(r"\s", address.strip())


def check_date(name: str, value: object) -> Iterator[tuple[Path, str]]:
    """Yield what is wrong with a date."""
    work_date = read_date(value)
    is_literal = isinstance(value, Mapping) and value.get("literal") is not None
    if name == "accessed":
        is_day = work_date is not None and bool(work_date.iso)
        if not is_day:
            yield (
                (name,),
                f"`accessed` {value_in_message(value)} is not a day; write {_DATE_EXAMPLE}",
            )
    elif work_date is None:
        fix = f"write {_DATE_EXAMPLE}, or {{literal: in press}}"
        yield (name,), f"`{name}` {value_in_message(value)} is not a date; {fix}"
    elif not work_date.dates and not is_literal and re.search(r"\d", work_date.literal):
        fix = f"write {_DATE_EXAMPLE}, or {{literal: {work_date.literal}}}"
        defect = f"`{name}` {value_in_message(value)} is not understood as a date"
        yield (name,), f"{defect}; it is shown as written; {fix}"


_KEYS_OF_NAME = (
    *("family", "given", "literal"),
    *("suffix", "dropping-particle", "non-dropping-particle"),
)


def check_names(name: str, value: object) -> Iterator[tuple[Path, str]]:
    """Yield what is wrong with one name or a list of them."""
    if isinstance(value, list):
        places: list[tuple[Path, object]] = [((name, n), person) for n, person in enumerate(value)]
    else:
        places = [((name,), value)]
    for path, person in places:
        if isinstance(person, str) and person.strip():
            continue
        if not isinstance(person, Mapping):
            shown = f"{kind_of_value(person)}, {value_in_message(person)}"
            defect = f"`{name}` has {shown}, which is not a name"
            yield path, f"{defect}; write {_NAMES_EXAMPLE}"
        elif not any(person.get(key) for key in _NAME_FIELDS):
            defect = f"`{name}` has a name without `family`, `given` or `literal`"
            yield path, f"{defect}; write {_NAMES_EXAMPLE}"
        else:
            for key in _KEYS_OF_NAME:
                field = person.get(key)
                if field is not None and not isinstance(field, str):
                    defect = (
                        f"`{key}` of `{name}` is {kind_of_value(field)}, {value_in_message(field)}"
                    )
                    yield (*path, key), f"{defect}; write it in quotation marks"


_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "true or false"),
    ((int, float), "a number"),
    (date, "a date"),
    (list, "a list"),
    (dict, "a mapping"),
    (str, "a text"),
)


def kind_of_value(value: object) -> str:
    """Return the type of a value, in words."""
    if value is None:
        return "empty"
    return next((name for kind, name in _KINDS if isinstance(value, kind)), "of a wrong type")


def value_in_message(value: object) -> str:
    """Return a value for a message, on one line and short."""
    text = repr(value) if isinstance(value, str) else str(value)
    text = " ".join(text.split())
    return f"{text[:60]}…" if len(text) > 60 else text
