"""Citations of files beside a report, in the forms of agents' wikis and of documentation. Pure.

Each is rewritten as ``[@local-1]`` before the claims are read::

    ^[raw/tea.md:10-20]                        an inline note that names a file
    [[raw/tea]], [[raw/tea#L10-L20|Tea]]       a wikilink to a source
    [^tea] with [^tea]: raw/tea.md             a footnote, or an entry below `sources:` with this label
    [1] with 1. raw/tea.md                     an entry in the list of sources
    [1] with 1. [raw/tea.md, "the words"]      an entry with the quote that the statements rest on
    [steep](raw/tea.md), (src/kettle.py:10-20), `src/kettle.py#L10`
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from planbook.citations.identifiers import is_web
from planbook.markdown.document import code_ranges

_SOURCE_FOLDERS = frozenset(
    {"raw", "source", "sources", "document", "documents", "reference", "references"}
    | {"paper", "papers", "clippings", "evidence", "transcripts"}
)
"""Folders of a wiki whose files are sources, not pages."""
_LINES = r"(?:#L(?P<first>\d{1,7})(?:-L?(?P<last>\d{1,7}))?|:(?P<from>\d{1,7})(?:[-–](?P<to>\d{1,7}))?)"
_HASH = r"(?:[#@](?:sha256[:=-])?[0-9a-f]{7,64})"
_PATH = r"(?P<path>(?<![\w.~@+/-])[\w.~@+/-][\w.~@+/ -]{0,300})"
_TARGET = re.compile(
    rf"(?:\[\[)?\s?`?{_PATH}`?(?:{_HASH}|#[^\s\[\]|]{{0,120}})??{_LINES}?{_HASH}?"
    r"(?:\|[^\[\]|]{0,200})?\s?(?:\]\])?"
    r"(?:\s?,?\s?\(?(?:lines?|ll?\.)\s?(?P<begin>\d{1,7})(?:\s?[-–]\s?(?P<end>\d{1,7}))?\)?)?\s?[.;,]?",
    re.IGNORECASE,
)
"""A file, with or without lines, hash and label."""
_INLINE_NOTE = re.compile(r"\^\[(?P<inside>(?:\[\[[^\[\]]{1,300}\]\]|[^\[\]]){1,400})\]")
_BETWEEN_FILES = re.compile(r"(?:;|,(?!\s?\(?(?:lines?|ll?\.)\s?\d))\s", re.IGNORECASE)
_WIKILINK = re.compile(r"(?<!!)\[\[(?P<inside>[^\[\]\n]{1,300})\]\]")
_DEFINITION = re.compile(r"^[ ]{0,3}\[\^(?P<label>[^\s\[\]^]{1,60})\]:[ \t]*(?P<inside>\S.{0,2000})$", re.M)
_FOOTNOTE = re.compile(r"\[\^(?P<label>[^\s\[\]^]{1,60})\](?!:)")
_ENTRY = re.compile(
    r"^[ ]{0,3}(?:\[(?P<square>\d{1,3})\]:?|(?P<plain>\d{1,3})[.)])[ \t]+(?P<inside>\S.{0,2000})$", re.M
)
_QUOTING = re.compile(r"\[?(?P<target>[^\"“«”»]{1,400}?)\s?[,:;–—-]?\s*[\"“«](?P<quote>\S.*\S)[\"”»]\s?\.?\s?\]?\s*")
"""An entry with a quote of its source."""
_NUMBER = re.compile(r"(?<![\w\]])\[(?P<numbers>\d{1,3}(?:\s?[,;]\s?\d{1,3}){0,8})\](?![(\[:])")
_LINK = re.compile(r"(?<!!)\[(?P<label>[^\[\]\n]{1,300})\]\(<?(?P<inside>[^()\s<>]{1,500})>?\)")
_BULLET = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\*\*)?(?:see(?: also)?:?\s)?", re.IGNORECASE)
_AFTER_POINTER = re.compile(r"(?:\*\*)?\s*(?:$|\n|[-–—:](?:\s|$)|\()", re.MULTILINE)
"""The end of an entry, or its description."""
_CODE_LINES = re.compile(
    rf"(?P<open>[(\[]?`?)(?<![\w/.:]){_PATH.replace(' -', '-')}(?<=\.)?{_LINES}"
    r"(?P<more>(?:,\s?:?\d{1,7}(?:[-–]\d{1,7})?){0,8})(?P<close>`?[)\]]?)"
)
"""Lines of a program, also several ranges of one file: ``src/kettle.py:10-20,34``."""


@dataclass(frozen=True, slots=True)
class LocalCitations:
    """The files that a report cites, by the id that stands for each in its text."""

    text: str
    """The report's body, with ``[@local-1]`` in place of each citation of a file; its lines are the same."""
    places: Mapping[str, str] = field(default_factory=dict)
    """The path of each file from the audited folder, with ``#L10-L20`` if lines are cited, by id."""
    quotes: Mapping[str, str] = field(default_factory=dict)
    """The quote that an entry of the list of sources gives, by the id of its citations."""
    of_page: tuple[str, ...] = ()
    """The addresses and files below `sources:` in the front matter, which are those of the whole page."""


Resolve = Callable[[str], str | None]
"""Returns the path of the file that a report names, from the audited folder; ``None`` if there is none."""


def read_local_citations(body: str, meta: Mapping[str, object], resolve: Resolve) -> LocalCitations:
    """Return a report's body with its citations of files in one form, and the files.

    Args:
        body: the report's Markdown, without front matter.
        meta: its front matter, which may list `sources` with labels.
        resolve: finds files.
    """
    return _CitationReader(body, meta, resolve).read()


class _CitationReader:
    """Rewrites one report."""

    def __init__(self, body: str, meta: Mapping[str, object], resolve: Resolve) -> None:
        self._body, self._resolve = body, resolve
        self._ids: dict[tuple[str, str], str] = {}
        """The id of each file, and of each quote of it that an entry gives."""
        self._listed = tuple(_labels_of(meta))
        self._labels = dict(self._listed)
        self._numbers: dict[str, str] = {}
        self._code = code_ranges(body)

    def read(self) -> LocalCitations:
        """Return the rewritten body and its files."""
        for entry in _DEFINITION.finditer(self._body):
            self._labels[entry["label"]] = entry["inside"]
        for entry in _ENTRY.finditer(self._body):
            self._numbers.setdefault(entry["square"] or entry["plain"], entry["inside"])
        edits = sorted(self._edits())
        text, end = "", 0
        for start, stop, new in edits:
            if start >= end:
                text += self._body[end:start] + new
                end = stop
        text += self._body[end:]
        places = {id_: place for (place, _), id_ in self._ids.items()}
        quotes = {id_: quote for (_, quote), id_ in self._ids.items() if quote}
        return LocalCitations(text, places, quotes, tuple(dict.fromkeys(self._of_page())))

    def _of_page(self) -> Iterator[str]:
        """Yield the sources that the front matter lists; a file that does not exist is one, too."""
        for written in dict.fromkeys(path for _, path in self._listed):
            place = self._place(written, is_certain=True, is_link=False)
            if is_web(written):
                yield written
            elif place:
                yield place

    def _edits(self) -> Iterator[tuple[int, int, str]]:
        """Yield the edits of all forms; of two that overlap, the first in the text counts."""
        for note in self._outside_code(_INLINE_NOTE):
            if marks := self._marks(_BETWEEN_FILES.split(note["inside"]), is_certain=True):
                yield *note.span(), marks
        for link in self._outside_code(_WIKILINK):
            if self._is_pointer(link):
                continue
            is_source = _is_of_sources(link["inside"])
            if marks := self._marks([link["inside"]], is_certain=is_source, is_link=True):
                yield *link.span(), marks
        for footnote in self._outside_code(_FOOTNOTE):
            if marks := self._marks([self._labels.get(footnote["label"], "")]):
                yield *footnote.span(), marks
        for number in self._outside_code(_NUMBER):
            yield from self._of_numbers(number)
        for link in self._outside_code(_LINK):
            if self._is_pointer(link):
                continue
            if marks := self._marks([link["inside"]], is_link=True):
                yield *link.span(), f"{link['label']} {marks}"
        yield from self._of_code()

    def _is_pointer(self, link: re.Match[str]) -> bool:
        """Return whether a link is an entry of a list that leads readers on, and cites no lines.

        Such as ``- [Steeping](raw/tea.md)`` or ``- [[raw/tea]] — how to steep``.
        """
        start = self._body.rfind("\n", 0, link.start()) + 1
        before = self._body[start : link.start()]
        is_first = _BULLET.fullmatch(before) and _AFTER_POINTER.match(self._body, link.end())
        return bool(is_first) and not re.search(r"#L?\d|:\d", link["inside"])

    def _of_numbers(self, found: re.Match[str]) -> Iterator[tuple[int, int, str]]:
        """Yield the edit of ``[1, 2]``, of which some may be files; the others stay as they are."""
        local, others = [], []
        for number in re.split(r"\s?[,;]\s?", found["numbers"]):
            marks = self._marks([self._numbers.get(number, "")])
            if marks:
                local.append(marks)
            else:
                others.append(number)
        if local:
            rest = [f"[{', '.join(others)}]"] if others else []
            yield *found.span(), " ".join([*rest, *local])

    def _of_code(self) -> Iterator[tuple[int, int, str]]:
        """Yield the edits of ``src/kettle.py:10-20`` and ``src/kettle.py#L10``, also as code in a line."""
        for found in _CODE_LINES.finditer(self._body):
            is_path = "/" in found["path"] or "." in found["path"].strip(".")
            whole = found[0][len(found["open"]) : len(found[0]) - len(found["close"])]
            first = whole.removesuffix(found["more"])
            others = re.findall(r"\d+(?:[-–]\d+)?", found["more"])
            places = [first, *(f"{found['path']}:{lines}" for lines in others)]
            fenced = self._is_code(found.start()) and "`" not in found["open"]
            if is_path and not fenced and (marks := self._marks(places)):
                yield *found.span(), marks

    def _outside_code(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        return (found for found in pattern.finditer(self._body) if not self._is_code(found.start()))

    def _is_code(self, offset: int) -> bool:
        return any(start <= offset < end for start, end in self._code)

    def _marks(self, targets: list[str], *, is_certain: bool = False, is_link: bool = False) -> str:
        """Return the ids of the files that targets name, as citations; empty if one of them names none.

        Args:
            targets: what a report names: paths with lines, hash or label.
            is_certain: they are sources. A file that does not exist is one, too: its claims cannot be checked.
            is_link: they may be other pages, to which a link is no citation unless it names lines.
        """
        named = [_split_quote(target) for target in targets]
        places = [self._place(target, is_certain=is_certain, is_link=is_link) for target, _ in named]
        if not places or None in places:
            return ""
        keys = [(str(place), quote) for place, (_, quote) in zip(places, named, strict=True)]
        ids = [self._ids.setdefault(key, f"local-{len(self._ids) + 1}") for key in keys]
        return "[" + "; ".join(f"@{id_}" for id_ in ids) + "]"

    def _place(self, target: str, *, is_certain: bool, is_link: bool) -> str | None:
        found = _TARGET.fullmatch(target.removeprefix("file:").strip())
        if not found or "://" in target:
            return None
        path = self._resolve(found["path"])
        if path is None and is_certain and _is_like_file(found["path"]):
            path = posixpath.normpath(found["path"])
        first = found["first"] or found["from"] or found["begin"]
        is_other_page = is_link and not first and path is not None and not is_source_file(path)
        if path is None or is_other_page:
            return None
        last = found["last"] or found["to"] or found["end"]
        return f"{path}#L{first}-L{last or first}" if first else path


def _split_quote(target: str) -> tuple[str, str]:
    """Return the file that an entry names, and the quote of it that it gives; empty if it gives none."""
    found = _QUOTING.fullmatch(target.strip())
    return (found["target"], found["quote"]) if found else (target, "")


def split_place(place: str) -> tuple[str, tuple[int, int] | None]:
    """Return the path of a place, and its first and last line; ``None`` for a whole file."""
    path, _, lines = place.rpartition("#L")
    found = re.fullmatch(r"(\d+)-L(\d+)", lines)
    return (path, (int(found[1]), int(found[2]))) if found else (place, None)


def is_source_file(path: str) -> bool:
    """Return whether a file of a wiki is a source by its folder or type, and not one of its pages."""
    pieces = PurePosixPath(path)
    is_page = pieces.suffix.lower() in {"", ".md", ".markdown"}
    return not is_page or any(piece.lower() in _SOURCE_FOLDERS for piece in pieces.parts[:-1])


def _is_of_sources(inside: str) -> bool:
    return is_source_file(inside.partition("|")[0].partition("#")[0].strip())


def _is_like_file(path: str) -> bool:
    return "/" in path or bool(PurePosixPath(path).suffix)


def _labels_of(meta: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield the label and the file of each entry of `sources` in a report's front matter.

    An entry is a path, or a mapping with the path and perhaps an id. Without one, its label is its number or its name.
    """
    listed = meta.get("sources")
    entries = listed if isinstance(listed, list) else list(listed.items()) if isinstance(listed, dict) else []
    for number, entry in enumerate(entries, 1):
        if isinstance(entry, tuple):
            yield str(entry[0]), _path_of(entry[1])
        else:
            path = _path_of(entry)
            for label in _own_label(entry) or (str(number), PurePosixPath(path.strip("[]")).stem):
                yield label, path


def _own_label(entry: object) -> tuple[str, ...]:
    if not isinstance(entry, dict):
        return ()
    return tuple(str(entry[key]) for key in ("id", "key", "label", "ref") if entry.get(key))[:1]


def _path_of(entry: object) -> str:
    if isinstance(entry, dict):
        keys = ("path", "file", "source", "url")
        return next((str(entry[key]) for key in keys if isinstance(entry.get(key), str)), "")
    return entry if isinstance(entry, str) else ""
