"""Read exports of reference managers as CSL-JSON, and match their works to local documents. Pure."""

from __future__ import annotations

import json
import posixpath
import re
import unicodedata
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from generator.search.answers import plain, web_address

SUFFIXES = frozenset({".json"})
_MOST_NAMES = 200
_MIN_TITLE = 24
"""Minimum number of letters of the beginning of a title in a file name."""
_DOI = re.compile(r"10\.\d{4,9}/[^\s\"{}]+")
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?(?!\d)")
_FIELDS = (
    *("container-title", "collection-title", "volume", "issue", "number", "page", "publisher", "publisher-place"),
    *("edition", "ISBN", "ISSN", "language", "version"),
)
"""Variables of CSL that are kept as they are."""
_NAME_PARTS = ("family", "given", "literal", "suffix", "dropping-particle", "non-dropping-particle")


@dataclass(frozen=True, slots=True)
class Work:
    """A work in an export, as written there."""

    place: str
    """File and line, for messages."""
    key: str
    """Its citation key."""
    fields: Mapping[str, Any]
    """The CSL item."""
    files: tuple[str, ...] = ()
    """Paths of its files: normalized, and relative to the folder of documents unless absolute."""

    @property
    def doi(self) -> str:
        """The DOI without its resolver; empty if there is none."""
        found = _DOI.search(_text(self.fields.get("DOI")))
        return found[0].rstrip(".,;") if found else ""

    @property
    def title(self) -> str:
        """The letters of the title."""
        return _letters(re.sub(r"<[^<>]*>", "", _text(self.fields.get("title"))))

    @property
    def identity(self) -> str:
        """The same for all entries of one work."""
        return self.doi.lower() or self.title or self.place

    def csl_item(self) -> dict[str, Any]:
        """Return what is known of the work as a CSL item with its citation key as id."""
        item, kind = self.fields, _text(self.fields.get("type"))
        dates = {name: parts for name in ("issued", "accessed") if (parts := _date_parts(item.get(name)))}
        address = f"https://doi.org/{quote(self.doi, safe='/:;()._-')}" if self.doi else web_address(item.get("URL"))
        found = {
            "id": self.key,
            "type": kind if re.fullmatch(r"[a-z_-]{3,30}", kind) else "document",
            **{name: plain(_text(item.get(name)), 500, is_html=True) for name in ("title", *_FIELDS)},
            **{role: list(_names(item.get(role))) for role in ("author", "editor")},
            **{name: {"date-parts": [parts]} for name, parts in dates.items()},
            "DOI": self.doi,
            "URL": address,
        }
        return {name: value for name, value in found.items() if value}


def read_export(uri: str, text: str) -> Iterator[Work | str]:
    """Yield the works of an export, or a message with file and line if it is not JSON."""
    try:
        items = json.loads(text)
    except (ValueError, RecursionError) as error:
        yield f"{uri}:{getattr(error, 'lineno', 1)}: not JSON ({error}); export it again"
        return
    line, at = 1, 0
    for raw in items if isinstance(items, list) else ():  # other JSON is not an export
        if isinstance(raw, dict) and isinstance(raw.get("type"), str) and isinstance(raw.get("id"), str | int):
            item = {name: value if isinstance(value, list | dict) else _text(value) for name, value in raw.items()}
            found = max(at, text.find(json.dumps(raw["id"], ensure_ascii=False), at))  # items are in order: linear
            line, at = line + text.count("\n", at, found), found
            key = plain(_text(raw.get("citation-key")) or _text(raw["id"]), 200)
            yield Work(f"{uri}:{line}", key, item, tuple(_files(uri, _text(raw.get("file")))))


def _text(value: object) -> str:
    """Return a number or text as text, anything else as none: `str` would recurse into what is nested."""
    return str(value) if isinstance(value, str | int | float) else ""


def _files(uri: str, value: str) -> Iterator[str]:
    """Yield the paths in a `file` field; several are separated by semicolons."""
    for written in filter(None, map(str.strip, value.split(";"))):
        path = unquote(written.removeprefix("file://")) if written.startswith("file:") else written.replace("\\", "/")
        yield posixpath.normpath(posixpath.join(posixpath.dirname(uri), path))


# --- CSL -------------------------------------------------------------------------------------------------------------


def _names(value: object) -> Iterator[dict[str, str]]:
    for name in value[:_MOST_NAMES] if isinstance(value, list) else ():
        parts = {part: plain(name.get(part), 200) for part in _NAME_PARTS} if isinstance(name, dict) else {}
        if parts.get("family") or parts.get("literal"):
            yield {part: text for part, text in parts.items() if text}


def _date_parts(value: object) -> list[int]:
    if isinstance(value, dict):
        parts = value.get("date-parts")
        first = parts[0] if isinstance(parts, list) and parts else None
        value = "-".join(map(_text, first[:3])) if isinstance(first, list) else value.get("raw")
    found = _DATE.match(_text(value))
    return [int(part) for part in found.groups() if part] if found else []


# --- matching --------------------------------------------------------------------------------------------------------


def match_works(works: Collection[Work], paths: Collection[str]) -> tuple[dict[str, Work], list[str]]:
    """Return the work that each document is, by path, and a message on each document that may be several works.

    A work's file is found by its path, else by its name wherever it is now; other documents by a citation key, DOI or
    title in their names. Of several files of one work, only the first is matched: PDFs before others.
    """
    named: dict[str, list[Work]] = defaultdict(list)
    for work in works:
        ends = (end for file in work.files for end in _ends(file))
        for name in {*work.files, *ends, work.key.casefold(), _letters(work.doi), work.title} - {""}:
            named[name].append(work)
    names, alike = sorted(named), Counter(end for path in paths for end in set(_ends(path)))
    found: dict[str, Work] = {}
    messages, taken = [], set[str]()
    for path in sorted(paths, key=lambda path: (not path.lower().endswith(".pdf"), path)):
        moved = ([end] for end in _ends(path) if alike[end] == 1)  # no other document has its name
        claims = ([work for name in group for work in named[name]] for group in ([path], *moved, _forms(path, names)))
        claimed = next(filter(None, claims), [])
        same = {work.identity for work in claimed}
        if len(same) > 1:
            which = " or ".join(sorted({work.key for work in claimed})[:3])
            place = min(work.place for work in claimed)
            messages.append(f"{place}: {path} may be {which}; name it in the `file` field of one entry")
        elif same and not same & taken:
            taken |= same
            found[path] = max(claimed, key=lambda work: (len(work.fields), work.place))
    return found, messages


def _forms(path: str, names: Sequence[str]) -> Iterator[str]:
    """Yield the citation key, DOI or title that the name of a document may be; `names` has all, sorted."""
    stem = posixpath.splitext(posixpath.basename(path))[0]
    title = _letters(stem.rpartition(" - ")[2])  # Author - 2017 - Title
    yield from {stem.casefold(), _letters(stem), title}
    if len(title) >= _MIN_TITLE:  # it may be only the beginning
        yield from names[bisect_left(names, title) : bisect_left(names, f"{title}\U0010ffff")]


def _ends(path: str) -> tuple[str, str]:
    """Return a path's name with its folder, and without, to compare: accents are written in several ways."""
    path = unicodedata.normalize("NFKC", path).casefold()
    return "/".join(path.split("/")[-2:]), posixpath.basename(path)


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text)).casefold()
