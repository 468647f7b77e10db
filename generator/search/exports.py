"""Read exports of reference managers (BibTeX, BibLaTeX, CSL-JSON), and match their works to local documents. Pure."""

from __future__ import annotations

import json
import logging
import posixpath
import re
import unicodedata
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from bibtexparser.entrypoint import parse_string
from bibtexparser.middlewares.names import parse_single_name_into_parts, split_multiple_persons_names
from bibtexparser.model import Entry, ParsingFailedBlock
from pylatexenc.latex2text import LatexNodes2Text

from generator.citations.identifiers import address_of
from generator.search.answers import plain, web_address

SUFFIXES = frozenset({".bib", ".json"})
_MOST_NAMES = 200
_MIN_TITLE = 24
"""Minimum number of letters of the beginning of a title in a file name."""
_ESCAPED = re.compile(r"\\([\\:;{}&%$#_~])")
_IN_LATEX = re.compile(r"[\\{}$~`']|--")
_DOI = re.compile(r"10\.\d{4,9}/[^\s\"{}]+")
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?(?!\d)")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_TYPES = {
    **dict.fromkeys(("book", "collection", "manual", "mvbook", "proceedings"), "book"),
    **dict.fromkeys(("conference", "inproceedings"), "paper-conference"),
    **dict.fromkeys(("electronic", "online", "www"), "webpage"),
    **dict.fromkeys(("inbook", "incollection"), "chapter"),
    **dict.fromkeys(("mastersthesis", "phdthesis", "thesis"), "thesis"),
    **dict.fromkeys(("report", "techreport"), "report"),
    **{name: name for name in ("dataset", "patent", "software", "standard")},
    "article": "article-journal",
    "unpublished": "manuscript",
}
"""CSL types by entry types of BibTeX and BibLaTeX; any other is a document."""
_FIELDS = {
    "container-title": ("journaltitle", "journal", "booktitle"),
    "collection-title": ("series",),
    "volume": ("volume",),
    "issue": ("issue",),
    "number": ("number",),
    "page": ("pages",),
    "publisher": ("publisher", "institution", "school", "organization"),
    "publisher-place": ("location", "address"),
    "edition": ("edition",),
    "ISBN": ("isbn",),
    "ISSN": ("issn",),
    "language": ("langid", "language"),
    "version": ("version",),
}
"""Variables of CSL, and the fields of BibTeX and BibLaTeX that hold them."""
_NAME_PARTS = ("family", "given", "literal", "suffix", "dropping-particle", "non-dropping-particle")
_LATEX = LatexNodes2Text(math_mode="text")
for _reader in ("bibtexparser", "pylatexenc"):
    logging.getLogger(_reader).setLevel(logging.CRITICAL)  # what they log is returned with its line


@dataclass(frozen=True, slots=True)
class Work:
    """A work in an export, as written there."""

    place: str
    """File and line, for messages."""
    key: str
    """Its citation key."""
    fields: Mapping[str, Any]
    """The fields of a BibTeX entry, or a CSL item."""
    files: tuple[str, ...] = ()
    """Paths of its files: normalized, and relative to the folder of documents unless absolute."""
    kind: str = ""
    """The type of a BibTeX entry; empty for a CSL item."""

    @property
    def doi(self) -> str:
        """The DOI without its resolver; empty if there is none."""
        found = _DOI.search(_ESCAPED.sub(r"\1", _text(self.fields.get("doi") or self.fields.get("DOI"))))
        return found[0].rstrip(".,;") if found else ""

    @property
    def title(self) -> str:
        """The letters of the title."""
        return _letters(re.sub(r"\\[a-zA-Z]+|<[^<>]*>", "", _text(self.fields.get("title"))))

    @property
    def identity(self) -> str:
        """The same for all entries of one work."""
        return self.doi.lower() or self.title or self.place

    def csl_item(self) -> dict[str, Any]:
        """Return what is known of the work as a CSL item with its citation key as id."""
        item = _from_bibtex(self.kind, self.fields) if self.kind else self.fields
        kind, issued = _text(item.get("type")), _date_parts(item.get("issued"))
        address = f"https://doi.org/{quote(self.doi, safe='/:;()._-')}" if self.doi else web_address(item.get("URL"))
        found = {
            "id": self.key,
            "type": kind if re.fullmatch(r"[a-z_-]{3,30}", kind) else "document",
            **{name: plain(_text(item.get(name)), 500, is_html=True) for name in ("title", *_FIELDS)},
            **{role: list(_names(item.get(role))) for role in ("author", "editor")},
            "issued": {"date-parts": [issued]} if issued else None,
            "DOI": self.doi,
            "URL": address,
        }
        return {name: value for name, value in found.items() if value}


def read_export(uri: str, text: str) -> Iterator[Work | str]:
    """Yield the works of an export, and a message with file and line on each entry that cannot be read."""
    return _read_json(uri, text) if uri.lower().endswith(".json") else _read_bibtex(uri, text)


def _read_json(uri: str, text: str) -> Iterator[Work | str]:
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


def _read_bibtex(uri: str, text: str) -> Iterator[Work | str]:
    for block in parse_string(text).blocks:
        place = f"{uri}:{(block.start_line or 0) + 1}"
        entry = block.ignore_error_block if isinstance(block, ParsingFailedBlock) else block  # one with two files
        if isinstance(entry, Entry):
            fields = {field.key.lower(): str(field.value) for field in reversed(entry.fields)}
            named = (str(field.value) for field in entry.fields if field.key.lower() in {"file", "local-url"})
            files = tuple(path for value in named for path in _files(uri, value))
            yield Work(place, entry.key, fields, files, entry.entry_type.lower())
        elif isinstance(block, ParsingFailedBlock):
            yield f"{place}: the entry cannot be read; check its braces, quotation marks and commas"


def _files(uri: str, value: str) -> Iterator[str]:
    """Yield the paths in a `file` field: alone, or as ``description:path:type``; several with semicolons between."""
    for written in re.split(r"(?<!\\);", value.strip("{} ").replace("$\\backslash$", "")):
        parts = [_ESCAPED.sub(r"\1", part).strip() for part in re.split(r"(?<!\\):", written)]
        path = next((part for part in reversed(parts) if re.search(r"\.\w{2,8}$", part)), "")
        if path:
            path = unquote(path) if parts[0] == "file" else path.replace("\\", "/")
            yield posixpath.normpath(posixpath.join(posixpath.dirname(uri), path))


# --- CSL -------------------------------------------------------------------------------------------------------------


def _from_bibtex(kind: str, fields: Mapping[str, str]) -> dict[str, Any]:
    """Return a BibTeX or BibLaTeX entry as a CSL item."""
    item: dict[str, Any] = {
        name: _decoded(next((fields[key] for key in keys if fields.get(key)), "")) for name, keys in _FIELDS.items()
    }
    item["type"] = _TYPES.get(kind, "document")
    item["title"] = ": ".join(_decoded(fields[key]) for key in ("title", "subtitle") if fields.get(key))
    item["page"] = re.sub(r"\s*[-–—]+\s*", "-", item["page"])
    if kind == "article" and not item["issue"]:
        item["issue"] = item.pop("number")
    month = fields.get("month", "").lower()
    number = next((str(n) for n, name in enumerate(_MONTHS, 1) if name in month), re.sub(r"\D", "", month))
    item["issued"] = fields.get("date") or f"{fields.get('year', '').strip('{}')}-{number}"
    for role in ("author", "editor"):
        item[role] = [_name(name) for name in split_multiple_persons_names(fields.get(role, "")) if name != "others"]
    address = re.sub(r"^\\url\{(.*)\}$", r"\1", fields.get("url", "").strip())
    is_paper = "arxiv" in f"{fields.get('archiveprefix')}{fields.get('eprinttype')}".lower()
    item["URL"] = _ESCAPED.sub(r"\1", address) or (address_of(f"arXiv:{fields.get('eprint')}") if is_paper else "")
    return item


def _name(name: str) -> dict[str, str]:
    """Return a name; BibLaTeX also has the form ``family=Dijk, given=Marten, prefix=van``."""
    if "family=" in name:
        found = dict(part.strip().partition("=")[::2] for part in name.split(","))
        found["non-dropping-particle"] = found.get("prefix", "")
    elif name.startswith("{") and name.endswith("}"):
        found = {"literal": name}
    else:
        split = parse_single_name_into_parts(name, strict=False)
        named = {"family": split.last, "given": split.first, "suffix": split.jr, "non-dropping-particle": split.von}
        found = {part: " ".join(words) for part, words in named.items()}
    return {part: _decoded(text) for part, text in found.items()}


def _decoded(text: str) -> str:
    """Return LaTeX as text; LaTeX that cannot be decoded as it is."""
    try:
        return str(_LATEX.latex_to_text(re.sub(r"(?<!\\)%", r"\\%", text))) if _IN_LATEX.search(text) else text
    except (RecursionError, ValueError, IndexError):
        return text


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
    """Return a path's name with its folder, and without, to compare: accents and braces are written in several ways."""
    path = re.sub(r"[{}\\]", "", unicodedata.normalize("NFKC", path)).casefold()
    return "/".join(path.split("/")[-2:]), posixpath.basename(path)


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text)).casefold()
