"""Check the fields of the references in front matter.

Each wrong type or value is a Problem with its line. Read `check_items` first.

Fields: https://docs.citationstyles.org/en/stable/specification.html#appendix-iv-variables, and ours
under ``custom``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import yaml

from planbook.citations.dates import read_date
from planbook.citations.pins import CUSTOM
from planbook.markdown.front_matter import front_matter_span
from planbook.markdown.words import closest
from planbook.model import Problem

TYPES = frozenset(
    re.findall(
        r"\S+",
        "article article-journal article-magazine article-newspaper bill book broadcast chapter "
        "classic collection dataset document entry entry-dictionary entry-encyclopedia event "
        "figure graphic hearing interview legal_case legislation manuscript map motion_picture "
        "musical_score pamphlet paper-conference patent performance periodical "
        "personal_communication post post-weblog regulation report review review-book software "
        "song speech standard thesis treaty webpage",
    )
)
"""The types of CSL."""
DATES = ("accessed", "issued", "original-date", "event-date", "available-date", "submitted")
"""The date variables of CSL."""
NAMES = frozenset(
    re.findall(
        r"\S+",
        "author editor translator container-author collection-editor composer contributor "
        "director editorial-director illustrator interviewer original-author recipient "
        "reviewed-author curator editor-translator guest host narrator organizer performer "
        "producer compiler chair executive-producer script-writer series-creator",
    )
)
"""The name variables of CSL."""
_NUMBERS = frozenset(
    re.findall(
        r"\S+",
        "chapter-number citation-number collection-number edition first-reference-note-number "
        "issue locator number number-of-pages number-of-volumes page page-first part-number "
        "printing-number section supplement-number version volume ISBN ISSN PMID PMCID "
        "call-number archive_location archive-place year-suffix",
    )
)
"""Variables that may be a number or a text."""
_TEXTS = frozenset(
    re.findall(
        r"\S+",
        "abstract annote archive archive_collection authority citation-key citation-label "
        "collection-title container-title container-title-short dimensions division DOI event "
        "event-title event-place genre jurisdiction keyword language license medium note "
        "original-publisher original-publisher-place original-title part-title publisher "
        "publisher-place references reviewed-genre reviewed-title scale source status title "
        "title-short type URL volume-title volume-title-short journalAbbreviation shortTitle",
    )
)
"""Variables that are a text."""
_KNOWN = frozenset({"id", "custom", *CUSTOM, *DATES, *NAMES, *_NUMBERS, *_TEXTS})
_ALIASES = {
    "link": "URL",
    "address": "URL",
    "href": "URL",
    "date": "issued",
    "year": "issued",
    "published": "issued",
    "authors": "author",
    "by": "author",
    "editors": "editor",
    "journal": "container-title",
    "pages": "page",
    "access-date": "accessed",
    "retrieved": "accessed",
    "quote": "quotes",
    "name": "title",
    "site": "publisher",
}
"""Names that people write for a field of CSL."""
_NAME_FIELDS = frozenset({"family", "given", "literal"})
_SCHEMES = frozenset(
    re.findall(r"\w+", "http https ftp ftps file mailto doi urn isbn arxiv git ssh data tel info")
)
"""Schemes of addresses that a reference may have."""
_CITABLE = re.compile(r"[A-Za-z0-9_](?:[\w:.#$%&+?~/-]*[\w/])?")
_MAY_BE_DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s?)?10\.\d{4,9}/\S+", re.IGNORECASE)
_KEY = re.compile(r"^(?P<indent> *)(?P<dash>- +)?(?P<key>[A-Za-z][\w-]*):(?=\s|$)")
_DATE_EXAMPLE = "{date-parts: [[2026, 11, 20]]}"
_NAMES_EXAMPLE = "[{family: Doe, given: Ann}]"
_QUOTES_EXAMPLE = '{q1: "the exact words"}'

Path = tuple[str | int, ...]
"""The keys and places that lead to a value below `references`."""


class Finding(NamedTuple):
    """A defect of a reference."""

    path: Path
    code: str
    message: str


def check_items(text: str, meta: Mapping[str, Any], uri: str) -> tuple[Problem, ...]:
    """Return the Problems of the ``references`` in a page's front matter.

    K011 for what is no CSL item, K015 for a field with a wrong type or value, K016 for an id that
    several items have.
    """
    listed = meta.get("references")
    if listed is None:
        return tuple(_of_other_keys(text, meta, uri))
    span = front_matter_span(text)
    written = text[slice(*span)] if span else ""
    findings = list(_check_list(listed))
    if not findings and not _may_repeat_keys(written):
        return ()
    root = _compose(written)
    if root is not None:
        findings += _repeated_keys(root)
    return tuple(
        Problem(uri, _line_of_value(root, finding.path), finding.code, finding.message)
        for finding in findings
    )


def has_id(item: Mapping[Any, Any]) -> bool:
    """Return True if a CSL item has an id: a text or a number."""
    written = item.get("id")
    is_text_or_number = isinstance(written, str | int) and not isinstance(written, bool)
    return is_text_or_number and bool(str(written).strip())


_OTHER_KEYS = frozenset({"sources", "bibliography", "citations", "refs", "works", "reference"})
"""Keys that people give a list of works."""


def _of_other_keys(text: str, meta: Mapping[str, Any], uri: str) -> Iterator[Problem]:
    """Yield K011 for a list of works under another key, on a page without ``references``."""
    for key, value in meta.items():
        is_like = key.lower() in _OTHER_KEYS or bool(closest(key.lower(), ("references",), 0.8))
        items = value if isinstance(value, list) else []
        are_works = any(
            isinstance(item, Mapping) and {"title", "URL", "url", "id"} & set(item)
            for item in items
        )
        if is_like and are_works:
            line = next(
                (n for n, row in enumerate(text.split("\n"), 1) if row.startswith(f"{key}:")), 1
            )
            fix = "rename the key, and give each work an `id`"
            yield Problem(
                uri, line, "K011", f"`{key}` is not read; did you mean `references`? {fix}"
            )


def _check_list(listed: object) -> Iterator[Finding]:
    """Yield what is wrong with the value of ``references``."""
    defect = "`references` must be a list of CSL items, each with an `id`; see the Guide, Pages"
    items: list[tuple[Path, Any]]
    if isinstance(listed, list):
        items = [((n,), item) for n, item in enumerate(listed)]
    else:
        yield Finding((), "K011", defect)
        items = [((), listed)] if isinstance(listed, dict) else []  # one item without a list
    first_with: dict[str, int] = {}
    for n, (path, item) in enumerate(items):
        if not isinstance(item, dict):
            yield Finding(path, "K011", f"{_value_in_message(item)} is not a CSL item; {defect}")
            continue
        place_of_id = (*path, "id")
        if not has_id(item):
            written = item.get("id")
            has = "no `id`" if written in (None, "") else f"the `id` {_value_in_message(written)}"
            fix = "give each a text of its own, such as `id: doe2026`"
            yield Finding(place_of_id, "K011", f"a reference has {has}; {fix}")
            continue
        name = str(item["id"])
        if name in first_with:
            which = f"the id @{name} is that of reference {first_with[name] + 1}, too"
            fix = "rename one of them, and cite each by its own"
            until = "until then, citations lead to the first"
            yield Finding(place_of_id, "K016", f"{which}; {fix}; {until}")
        first_with.setdefault(name, n)
        for below, message in _check_item(item):
            yield Finding((*path, *below), "K015", f"@{name}: {message}")


def _check_item(item: Mapping[Any, Any]) -> Iterator[tuple[Path, str]]:
    """Yield what is wrong with the fields of an item, with the path in it."""
    if not _CITABLE.fullmatch(str(item["id"])):
        fix = "use letters, digits and - _ . : / only"
        yield ("id",), f"no citation can name the id {_value_in_message(item['id'])}; {fix}"
    for key, value in item.items():
        name = str(key)
        is_given = value is not None and value != ""
        if is_given and name != "id":
            yield from _check_field(name, value)


def _check_field(name: str, value: object) -> Iterator[tuple[Path, str]]:
    """Yield what is wrong with one field."""
    if name in DATES:
        yield from _check_date(name, value)
    elif name in NAMES:
        yield from _check_names(name, value)
    elif name == "custom":
        yield from _check_custom(value)
    elif name in CUSTOM:  # it stands beside the other fields instead
        yield from ((path[1:], message) for path, message in _check_custom({name: value}))
    elif name in _NUMBERS or name in _TEXTS:
        yield from _check_text(name, value)
    else:
        yield from _check_unknown(name)


_KNOWN_BY_LOWER = {known.lower(): known for known in _KNOWN}


def _check_unknown(name: str) -> Iterator[tuple[Path, str]]:
    """Yield a field that is like one of CSL; programs may add others."""
    near = _KNOWN_BY_LOWER.get(name.lower().replace("_", "-"))
    if near is None:
        near = _ALIASES.get(name.lower())
    if near is None:
        near = closest(name, _KNOWN, 0.8)
    if near:
        yield (name,), f"CSL has no field `{name}`; did you mean `{near}`?"


def _check_text(name: str, value: object) -> Iterator[tuple[Path, str]]:
    """Yield what is wrong with a field that is a text, or may be a number."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and name in _NUMBERS:
        return
    if not isinstance(value, str):
        is_scalar = isinstance(value, int | float | date)  # YAML has read it as something else
        fix = "write it in quotation marks" if is_scalar else "write a text"
        yield (name,), f"`{name}` is {_kind_of_value(value)}, {_value_in_message(value)}; {fix}"
    elif name == "URL":
        yield from _check_address(value)
    elif name == "DOI" and not _MAY_BE_DOI.fullmatch(value.strip()):
        yield (name,), f"`DOI` {_value_in_message(value)} is not a DOI; write it as 10.1000/182"
    elif name == "type" and value not in TYPES:
        near = closest(value.lower(), TYPES, 0.7)
        fix = "write one such as webpage, book, article-journal, report or document"
        if near:
            fix = f"did you mean {near}?"
        yield (name,), f"`type` {_value_in_message(value)} is not a type of CSL; {fix}"


def _check_address(value: str) -> Iterator[tuple[Path, str]]:
    """Yield what is wrong with a URL."""
    scheme = re.match(r"([a-z][a-z0-9+.-]*):(?!\d)", value, re.IGNORECASE)
    is_of_web = value.lower().startswith(("http:", "https:"))
    if is_of_web and not _has_host(value):
        fix = "write https://host/path, without blanks"
        yield ("URL",), f"`URL` {_value_in_message(value)} is not a web address; {fix}"
    elif scheme and scheme[1].lower() not in _SCHEMES:
        near = closest(scheme[1].lower(), ("https", "http"), 0.6)
        fix = f"did you mean {near}:?" if near else "write an address that begins with https://"
        yield ("URL",), f"`URL` {_value_in_message(value)} has an unknown scheme; {fix}"


def _has_host(address: str) -> bool:
    """Return True if an address of the web names a host, and has no blanks."""
    try:
        host = urlsplit(address).hostname
    except ValueError:
        return False
    return bool(host) and not re.search(r"\s", address.strip())


def _check_date(name: str, value: object) -> Iterator[tuple[Path, str]]:
    """Yield what is wrong with a date."""
    work_date = read_date(value)
    is_literal = isinstance(value, Mapping) and value.get("literal") is not None
    if name == "accessed":
        is_day = work_date is not None and bool(work_date.iso)
        if not is_day:
            yield (
                (name,),
                f"`accessed` {_value_in_message(value)} is not a day; write {_DATE_EXAMPLE}",
            )
    elif work_date is None:
        fix = f"write {_DATE_EXAMPLE}, or {{literal: in press}}"
        yield (name,), f"`{name}` {_value_in_message(value)} is not a date; {fix}"
    elif not work_date.dates and not is_literal and re.search(r"\d", work_date.literal):
        fix = f"write {_DATE_EXAMPLE}, or {{literal: {work_date.literal}}}"
        defect = f"`{name}` {_value_in_message(value)} is not understood as a date"
        yield (name,), f"{defect}; it is shown as written; {fix}"


_PARTS_OF_NAME = (
    *("family", "given", "literal"),
    *("suffix", "dropping-particle", "non-dropping-particle"),
)


def _check_names(name: str, value: object) -> Iterator[tuple[Path, str]]:
    """Yield what is wrong with one name or a list of them."""
    if isinstance(value, list):
        places: list[tuple[Path, object]] = [((name, n), person) for n, person in enumerate(value)]
    else:
        places = [((name,), value)]
    for path, person in places:
        if isinstance(person, str) and person.strip():
            continue
        if not isinstance(person, Mapping):
            written = f"{_kind_of_value(person)}, {_value_in_message(person)}"
            defect = f"`{name}` has {written}, which is not a name"
            yield path, f"{defect}; write {_NAMES_EXAMPLE}"
        elif not any(person.get(key) for key in _NAME_FIELDS):
            defect = f"`{name}` has a name without `family`, `given` or `literal`"
            yield path, f"{defect}; write {_NAMES_EXAMPLE}"
        else:
            for key in _PARTS_OF_NAME:
                part = person.get(key)
                if part is not None and not isinstance(part, str):
                    defect = (
                        f"`{key}` of `{name}` is {_kind_of_value(part)}, {_value_in_message(part)}"
                    )
                    yield (*path, key), f"{defect}; write it in quotation marks"


def _check_custom(value: object) -> Iterator[tuple[Path, str]]:
    """Yield what is wrong with our own fields."""
    if not isinstance(value, Mapping):
        fix = f"write a mapping, such as {{quotes: {_QUOTES_EXAMPLE}}}"
        yield ("custom",), f"`custom` is {_kind_of_value(value)}; {fix}"
        return
    quotes = value.get("quotes")
    if quotes is not None:
        for path, message in _check_quotes(quotes):
            yield ("custom", "quotes", *path), message
    for key, (is_valid, fix) in _CUSTOM_FORMS.items():
        is_given = value.get(key) not in (None, "")
        if is_given and not is_valid(value[key]):
            yield ("custom", key), f"`custom.{key}` is {_value_in_message(value[key])}; write {fix}"
    known = _quote_keys(quotes)
    for key in ("lines", "fragments"):
        by_quote = value.get(key)
        if isinstance(by_quote, Mapping):
            for unknown in (str(name) for name in by_quote if str(name) not in known):
                defect = f"`custom.{key}` has {unknown}, but the reference has no quote {unknown}"
                yield ("custom", key, unknown), defect


def _quote_keys(quotes: object) -> set[str]:
    """Return the keys of quotes; those of a list, or a single one, are ``q1``, ``q2``."""
    if isinstance(quotes, Mapping):
        return {str(key) for key in quotes}
    if isinstance(quotes, list):
        return {f"q{n}" for n in range(1, len(quotes) + 1)}
    return {"q1"} if quotes else set()


def _check_quotes(quotes: object) -> Iterator[tuple[Path, str]]:
    """Yield what is wrong with quotes: texts by key, a list of texts, or one text."""
    named: list[tuple[Path, str, object]]
    if isinstance(quotes, Mapping):
        named = [((str(key),), f"quote {key}", text) for key, text in quotes.items()]
    elif isinstance(quotes, list):
        named = [((n,), f"quote q{n + 1}", text) for n, text in enumerate(quotes)]
    else:
        named = [((), "`quotes`", quotes)]
    for path, which, text in named:
        if not isinstance(text, str):
            defect = f"{which} is {_kind_of_value(text)}, {_value_in_message(text)}, not words"
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


def _is_text(value: object) -> bool:
    return isinstance(value, str) and "\0" not in value


_CUSTOM_FORMS: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "fragments": (_is_texts, "a mapping of texts, such as {q1: start,end}"),
    "lines": (_is_lines, "first and last line of each quote, such as {q1: [38, 42]}"),
    "file": (_is_text, "the path of one document, such as documents/tea.md"),
    "sha256": (_is_hex(64), "64 hexadecimal digits in quotation marks"),
    "commit": (_is_hex(40), "40 hexadecimal digits in quotation marks"),
    "permalink": (_is_text, "one address"),
    "repository": (_is_text, "OWNER/NAME"),
    "path": (_is_text, "a path in the repository"),
}


_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "true or false"),
    ((int, float), "a number"),
    (date, "a date"),
    (list, "a list"),
    (dict, "a mapping"),
    (str, "a text"),
)


def _kind_of_value(value: object) -> str:
    """Return the type of a value, in words."""
    if value is None:
        return "empty"
    return next((name for kind, name in _KINDS if isinstance(value, kind)), "of a wrong type")


def _value_in_message(value: object) -> str:
    """Return a value for a message, on one line and short."""
    text = repr(value) if isinstance(value, str) else str(value)
    text = " ".join(text.split())
    return f"{text[:60]}…" if len(text) > 60 else text


# --- lines ----------------------------------------------------------------------------------------


def _may_repeat_keys(written: str) -> bool:
    """Return True if lines of block style may repeat a key of one mapping.

    Text of several lines may look so, too.
    """
    open_mappings: list[tuple[int, set[str]]] = []
    """The indentation and the keys of each mapping around the line."""
    for line in written.split("\n"):
        key = _KEY.match(line)
        if key is None:
            continue
        indent_of_line = len(key["indent"])
        indent = indent_of_line + len(key["dash"] or "")
        # A dash begins another item: the mapping of the last one is closed.
        deepest = indent_of_line if key["dash"] else indent
        while open_mappings and open_mappings[-1][0] > deepest:
            open_mappings.pop()
        if not open_mappings or open_mappings[-1][0] < indent:
            open_mappings.append((indent, set()))
        keys = open_mappings[-1][1]
        if key["key"] in keys:
            return True
        keys.add(key["key"])
    return False


def _compose(written: str) -> yaml.Node | None:
    """Return the nodes of front matter, which was loaded before."""
    try:
        return yaml.compose(written, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, RecursionError):
        return None


def _below(node: yaml.Node | None, key: str | int) -> yaml.Node | None:
    """Return the node of a key of a mapping, or of a place in a list; ``None`` if there is none."""
    if isinstance(node, yaml.MappingNode):
        values = [value for name, value in node.value if _key_of(name) == str(key)]
        return values[-1] if values else None
    if isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
        item: yaml.Node = node.value[key]
        return item
    return None


def _key_of(name: yaml.Node) -> str:
    return str(getattr(name, "value", ""))


def _line_of_value(root: yaml.Node | None, path: Path) -> int:
    """Return the line of the value at `path` below `references`, in the file.

    If it has none, that of what is around it.
    """
    node = _below(root, "references")
    line = 1 if node is None else _key_line(root, "references")
    for key in path:
        below = _below(node, key)
        if below is None:
            break
        is_key = isinstance(node, yaml.MappingNode)
        line = _key_line(node, key) if is_key else below.start_mark.line + _FIRST_LINE
        node = below
    return line


_FIRST_LINE = 2
"""The line of the file that is line 0 of the front matter."""


def _key_line(node: yaml.Node | None, key: str | int) -> int:
    """Return the line of a key in a mapping, in the file."""
    names = [name for name, _ in node.value] if isinstance(node, yaml.MappingNode) else []
    for name in reversed(names):
        if str(name.value) == str(key):
            return int(name.start_mark.line) + _FIRST_LINE
    return 1


def _repeated_keys(root: yaml.Node) -> Iterator[Finding]:
    """Yield each key that occurs twice: of two ``references``, and of two fields of a reference."""
    if isinstance(root, yaml.MappingNode):
        lines = [
            name.start_mark.line + _FIRST_LINE
            for name, _ in root.value
            if name.value == "references"
        ]
        if len(lines) > 1:
            defect = f"`references` is there twice, also in line {lines[0]}"
            yield Finding((), "K011", f"{defect}; only the last is read: write one list")
    listed = _below(root, "references")
    if isinstance(listed, yaml.SequenceNode):
        for n, item in enumerate(listed.value):
            yield from _repeated_fields(item, (n,))


def _repeated_fields(node: yaml.Node, path: Path) -> Iterator[Finding]:
    if not isinstance(node, yaml.MappingNode):
        return
    seen = set[str]()
    for name, value in node.value:
        key = str(name.value) if isinstance(name, yaml.ScalarNode) else ""
        if key and key in seen:
            defect = f"`{key}` is there twice; only the last is read: remove one"
            yield Finding((*path, key), "K015", defect)
        seen.add(key)
        yield from _repeated_fields(value, (*path, key))
