"""Check the fields of the references in front matter: each wrong type or value is a Problem with its line.

Fields: https://docs.citationstyles.org/en/stable/specification.html#appendix-iv-variables, and ours under ``custom``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import yaml

from planbook.citations.dates import read_date
from planbook.citations.identifiers import CUSTOM
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
    **{"link": "URL", "address": "URL", "href": "URL", "date": "issued", "year": "issued", "published": "issued"},
    **{"authors": "author", "by": "author", "editors": "editor", "journal": "container-title", "pages": "page"},
    **{"access-date": "accessed", "retrieved": "accessed", "quote": "quotes", "name": "title", "site": "publisher"},
}
"""Names that people write for a field of CSL."""
_NAME_FIELDS = frozenset({"family", "given", "literal"})
_SCHEMES = frozenset(
    {
        "http",
        "https",
        "ftp",
        "ftps",
        "file",
        "mailto",
        "doi",
        "urn",
        "isbn",
        "arxiv",
        "git",
        "ssh",
        "data",
        "tel",
        "info",
    }
)
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

    K011 for what is no CSL item, K015 for a field with a wrong type or value, K016 for an id that several items have.
    """
    listed = meta.get("references")
    if listed is None:
        return ()
    span = front_matter_span(text)
    written = text[slice(*span)] if span else ""
    found = list(_check_list(listed))
    if not found and not _may_repeat_keys(written):
        return ()
    root = _compose(written)
    if root is not None:
        found += _repeated_keys(root)
    return tuple(Problem(uri, _line(root, finding.path), finding.code, finding.message) for finding in found)


def _check_list(listed: object) -> Iterator[Finding]:
    what = "`references` must be a list of CSL items, each with an `id`; see the Guide, Pages"
    if not isinstance(listed, list):
        yield Finding((), "K011", what)
    items = listed if isinstance(listed, list) else [listed]
    first: dict[str, int] = {}
    for n, item in enumerate(items):
        path: Path = (n,) if isinstance(listed, list) else ()
        if not isinstance(item, dict):
            if isinstance(listed, list):
                yield Finding(path, "K011", f"{_shown(item)} is not a CSL item; {what}")
            continue
        id_ = item.get("id")
        is_id = isinstance(id_, str | int) and not isinstance(id_, bool) and bool(str(id_).strip())
        if not is_id:
            has = "no `id`" if id_ in (None, "") else f"the `id` {_shown(id_)}"
            yield Finding(
                (*path, "id"), "K011", f"a reference has {has}; give each a text of its own, such as `id: doe2026`"
            )
            continue
        name = str(id_)
        if name in first:
            how = "rename one of them, and cite each by its own; until then, citations lead to the first"
            yield Finding((*path, "id"), "K016", f"the id @{name} is that of reference {first[name] + 1}, too; {how}")
        first.setdefault(name, n)
        for below, message in _check_item(item):
            yield Finding((*path, *below), "K015", f"@{name}: {message}")


def _check_item(item: Mapping[Any, Any]) -> Iterator[tuple[Path, str]]:
    if not _CITABLE.fullmatch(str(item["id"])):
        yield ("id",), f"no citation can name the id {_shown(item['id'])}; use letters, digits and - _ . : / only"
    for key, value in item.items():
        name = str(key)
        if name == "id" or value is None or value == "":
            continue
        if name in DATES:
            found = _check_date(name, value)
        elif name in NAMES:
            found = _check_names(name, value)
        elif name == "custom":
            found = _check_custom(value)
        elif name in CUSTOM:
            found = ((path[1:], message) for path, message in _check_custom({name: value}))
        elif name in _NUMBERS or name in _TEXTS:
            found = _check_text(name, value)
        else:
            found = _check_unknown(name)
        yield from found


def _check_unknown(name: str) -> Iterator[tuple[Path, str]]:
    by_lower = {known.lower(): known for known in _KNOWN}
    near = by_lower.get(name.lower().replace("_", "-")) or _ALIASES.get(name.lower()) or closest(name, _KNOWN, 0.8)
    if near:
        yield (name,), f"CSL has no field `{name}`; did you mean `{near}`?"


def _check_text(name: str, value: object) -> Iterator[tuple[Path, str]]:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and name in _NUMBERS:
        return
    if not isinstance(value, str):
        how = "write it in quotation marks" if is_number or isinstance(value, bool | date) else "write a text"
        yield (name,), f"`{name}` is {_kind(value)}, {_shown(value)}; {how}"
    elif name == "URL":
        yield from _check_address(value)
    elif name == "DOI" and not _MAY_BE_DOI.fullmatch(value.strip()):
        yield (name,), f"`DOI` {_shown(value)} is not a DOI; write it as 10.1000/182"
    elif name == "type" and value not in TYPES:
        near = closest(value.lower(), TYPES, 0.7)
        how = (
            f"did you mean {near}?" if near else "write one such as webpage, book, article-journal, report or document"
        )
        yield (name,), f"`type` {_shown(value)} is not a type of CSL; {how}"


def _check_address(value: str) -> Iterator[tuple[Path, str]]:
    scheme = re.match(r"([a-z][a-z0-9+.-]*):(?!\d)", value, re.IGNORECASE)
    try:
        parts = urlsplit(value)
        is_host = bool(parts.hostname) and not re.search(r"\s", value.strip())
    except ValueError:
        is_host = False
    is_web = value.lower().startswith(("http:", "https:"))
    if is_web and not is_host:
        yield ("URL",), f"`URL` {_shown(value)} is not a web address; write https://host/path, without blanks"
    elif scheme and scheme[1].lower() not in _SCHEMES:
        near = closest(scheme[1].lower(), ("https", "http"), 0.6)
        how = f"did you mean {near}:?" if near else "write an address that begins with https://"
        yield ("URL",), f"`URL` {_shown(value)} has an unknown scheme; {how}"


def _check_date(name: str, value: object) -> Iterator[tuple[Path, str]]:
    found = read_date(value)
    literal = value.get("literal") if isinstance(value, Mapping) else None
    is_words = bool(found and not found.dates)
    if name == "accessed":
        if not (found and found.iso):
            yield (name,), f"`accessed` {_shown(value)} is not a day; write {_DATE_EXAMPLE}"
    elif found is None:
        yield (name,), f"`{name}` {_shown(value)} is not a date; write {_DATE_EXAMPLE}, or {{literal: in press}}"
    elif is_words and literal is None and re.search(r"\d", found.literal):
        how = f"it is shown as written; write {_DATE_EXAMPLE}, or {{literal: {found.literal}}}"
        yield (name,), f"`{name}` {_shown(value)} is not understood as a date; {how}"


def _check_names(name: str, value: object) -> Iterator[tuple[Path, str]]:
    listed = value if isinstance(value, list) else [value]
    for n, one in enumerate(listed):
        path: Path = (name, n) if isinstance(value, list) else (name,)
        if isinstance(one, str) and one.strip():
            continue
        if not isinstance(one, Mapping):
            yield path, f"`{name}` has {_kind(one)}, {_shown(one)}, which is not a name; write {_NAMES_EXAMPLE}"
        elif not any(one.get(key) for key in _NAME_FIELDS):
            yield path, f"`{name}` has a name without `family`, `given` or `literal`; write {_NAMES_EXAMPLE}"
        else:
            for key in ("family", "given", "literal", "suffix", "dropping-particle", "non-dropping-particle"):
                part = one.get(key)
                if part is not None and not isinstance(part, str):
                    yield (
                        (*path, key),
                        f"`{key}` of `{name}` is {_kind(part)}, {_shown(part)}; write it in quotation marks",
                    )


def _check_custom(value: object) -> Iterator[tuple[Path, str]]:
    if not isinstance(value, Mapping):
        yield ("custom",), f"`custom` is {_kind(value)}; write a mapping, such as {{quotes: {_QUOTES_EXAMPLE}}}"
        return
    if (quotes := value.get("quotes")) is not None:
        yield from (((("custom", "quotes", *path)), message) for path, message in _check_quotes(quotes))
    for key, (is_valid, how) in _CUSTOM_FORMS.items():
        if value.get(key) not in (None, "") and not is_valid(value[key]):
            yield ("custom", key), f"`custom.{key}` is {_shown(value[key])}; write {how}"
    keys = {f"q{n}" for n in range(1, len(quotes) + 1)} if isinstance(quotes, list) else {"q1"}
    keys = {str(key) for key in quotes} if isinstance(quotes, Mapping) else keys if quotes else set()
    for key in ("lines", "fragments"):
        below = value.get(key)
        for unknown in [str(name) for name in below if str(name) not in keys] if isinstance(below, Mapping) else ():
            yield ("custom", key, unknown), f"`custom.{key}` has {unknown}, but the reference has no quote {unknown}"


def _check_quotes(quotes: object) -> Iterator[tuple[Path, str]]:
    """Yield what is wrong with quotes: texts by key, a list of texts, or one text."""
    pairs: Sequence[tuple[Path, object]]
    if isinstance(quotes, Mapping):
        pairs = [((str(key),), text) for key, text in quotes.items()]
    elif isinstance(quotes, list):
        pairs = [((n,), text) for n, text in enumerate(quotes)]
    else:
        pairs = [((), quotes)]
    for path, text in pairs:
        which = f"quote {path[0] if isinstance(path[0], str) else f'q{path[0] + 1}'}" if path else "`quotes`"
        if not isinstance(text, str):
            yield path, f"{which} is {_kind(text)}, {_shown(text)}, not words; write `quotes: {_QUOTES_EXAMPLE}`"
        elif not text.strip():
            yield path, f"{which} is empty; write the exact words of the source, or remove it"


def _is_lines(value: object) -> bool:
    if not isinstance(value, Mapping):
        return False
    spans = [span for span in value.values() if isinstance(span, list) and len(span) == 2]
    return len(spans) == len(value) and all(
        isinstance(first, int) and isinstance(last, int) and 0 < first <= last for first, last in spans
    )


def _is_texts(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(text, str) for text in value.values())


def _is_hex(length: int) -> Callable[[object], bool]:
    return lambda value: isinstance(value, str) and bool(re.fullmatch(rf"[0-9a-fA-F]{{{length}}}", value.strip()))


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


def _kind(value: object) -> str:
    """Return the type of a value, in words."""
    if value is None:
        return "empty"
    return next((name for kind, name in _KINDS if isinstance(value, kind)), "of a wrong type")


def _shown(value: object) -> str:
    """Return a value for a message, on one line and short."""
    text = repr(value) if isinstance(value, str) else str(value)
    text = " ".join(text.split())
    return f"{text[:60]}…" if len(text) > 60 else text


# --- lines -------------------------------------------------------------------------------------------------------


def _may_repeat_keys(written: str) -> bool:
    """Return True if lines of block style may repeat a key of one mapping; text of several lines may look so, too."""
    open_: list[tuple[int, set[str]]] = []
    for line in written.split("\n"):
        found = _KEY.match(line)
        if found is None:
            continue
        indent = len(found["indent"]) + len(found["dash"] or "")
        limit = len(found["indent"]) if found["dash"] else indent
        while open_ and (open_[-1][0] > indent or (found["dash"] and open_[-1][0] > limit)):
            open_.pop()
        if not open_ or open_[-1][0] < indent:
            open_.append((indent, set()))
        keys = open_[-1][1]
        if found["key"] in keys:
            return True
        keys.add(found["key"])
    return False


def _compose(written: str) -> yaml.Node | None:
    """Return the nodes of front matter, which was loaded before."""
    try:
        return yaml.compose(written, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, RecursionError):
        return None


def _below(node: yaml.Node | None, key: str | int) -> yaml.Node | None:
    if isinstance(node, yaml.MappingNode):
        found = [value for name, value in node.value if str(getattr(name, "value", "")) == str(key)]
        return found[-1] if found else None
    is_item = isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value)
    return node.value[key] if is_item and node is not None else None


def _line(root: yaml.Node | None, path: Path) -> int:
    """Return the line of the value at `path` below `references`, in the file; of what is around it, if it has none."""
    node = _below(root, "references")
    line = 1 if node is None else _key_line(root, "references")
    for key in path:
        line = _key_line(node, key) if isinstance(node, yaml.MappingNode) and _below(node, key) is not None else line
        node = _below(node, key)
        if node is None:
            break
        if isinstance(key, int):
            line = node.start_mark.line + 2
    return line


def _key_line(node: yaml.Node | None, key: str | int) -> int:
    """Return the line of a key in a mapping, in the file: its first line is the second there."""
    names = [name for name, _ in node.value] if isinstance(node, yaml.MappingNode) else []
    return next((name.start_mark.line + 2 for name in reversed(names) if str(name.value) == str(key)), 1)


def _repeated_keys(root: yaml.Node) -> Iterator[Finding]:
    """Yield a finding for each key that occurs twice: of two ``references``, and of two fields of a reference."""
    if isinstance(root, yaml.MappingNode):
        places = [name.start_mark.line + 2 for name, _ in root.value if name.value == "references"]
        if len(places) > 1:
            what = f"`references` is there twice, also in line {places[0]}; only the last is read: write one list"
            yield Finding((), "K011", what)
    listed = _below(root, "references")
    for n, item in enumerate(listed.value if isinstance(listed, yaml.SequenceNode) else ()):
        yield from _repeated_fields(item, (n,))


def _repeated_fields(node: yaml.Node, path: Path) -> Iterator[Finding]:
    if not isinstance(node, yaml.MappingNode):
        return
    seen = set[str]()
    for name, value in node.value:
        key = str(name.value) if isinstance(name, yaml.ScalarNode) else ""
        if key and key in seen:
            what = f"`{key}` is there twice; only the last is read: remove one"
            yield Finding((*path, key), "K015", what)
        seen.add(key)
        yield from _repeated_fields(value, (*path, key))
