"""Citations of files beside a report, in the forms of agents' wikis and of documentation. Pure.

Each is rewritten as ``[@local-1]`` before the claims are read::

    ^[raw/tea.md:10-20]                        an inline note that names a file
    [[raw/tea]], [[raw/tea#L10-L20|Tea]]       a wikilink to a source
    [^tea] with [^tea]: raw/tea.md             a footnote, or an entry of `sources:` by its label
    [1] with 1. raw/tea.md                     an entry in the list of sources
    [1] with 1. [raw/tea.md, "the words"]      an entry with the quote that the statements rest on
    [steep](raw/tea.md), (src/kettle.py:10-20), `src/kettle.py#L10`
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

from planbook.citations.identifiers import is_web
from planbook.markdown.document import code_ranges
from planbook.research.audit.claims.placeholders import is_placeholder
from planbook.research.proof.phrases import is_word_of_sentence

SOURCE_FOLDERS = frozenset(
    re.findall(
        r"\w+",
        "raw source sources document documents reference references paper papers clippings "
        "evidence transcripts "
        # Portuguese, Spanish, Italian, German, Dutch, Danish, Swedish, Russian, Chinese, Japanese
        "fontes fuentes fonti quellen bronnen kilder k\u00e4llor "
        "\u0438\u0441\u0442\u043e\u0447\u043d\u0438\u043a\u0438 "  # istochniki
        "\u6765\u6e90 \u4f86\u6e90 \u8d44\u6599 \u8cc7\u6599 \u51fa\u5178",  # laiyuan, ziliao
    )
)
"""Folders of a wiki whose files are sources, not pages, in several languages."""
_LINES = (
    r"(?:#L(?P<first>\d{1,7})(?:-L?(?P<last>\d{1,7}))?|:(?P<from>\d{1,7})(?:[-–](?P<to>\d{1,7}))?)"
)
_LINES_WORD = r"(?:lines?|ll?\.)\s?"
_NAMED_LINES = rf"{_LINES_WORD}(?P<begin>\d{{1,7}})(?:\s?[-–]\s?(?P<end>\d{{1,7}}))?"
_HASH = r"(?:[#@](?:sha256[:=-])?[0-9a-f]{7,64})"
_PATH = r"(?P<path>(?<![\w.~@+/-])[\w.~@+/-][\w.~@+/ -]{0,300})"
_TARGET = re.compile(
    rf"(?:\[\[)?\s?`?{_PATH}`?(?:{_HASH}|#[^\s\[\]|]{{0,120}})??{_LINES}?{_HASH}?"
    r"(?:\|[^\[\]|]{0,200})?\s?(?:\]\])?"
    rf"(?:\s?,?\s?\(?{_NAMED_LINES}\)?)?\s?[.;,]?",
    re.IGNORECASE,
)
"""A file, with or without lines, hash and label: ``raw/tea.md, lines 10-20``."""
_INLINE_NOTE = re.compile(r"\^\[(?P<inside>(?:\[\[[^\[\]]{1,300}\]\]|[^\[\]]){1,400})\]")
_BETWEEN_FILES = re.compile(rf"(?:;|,(?!\s?\(?{_LINES_WORD}\d))\s", re.IGNORECASE)
_WIKILINK = re.compile(r"(?<!!)\[\[(?P<inside>[^\[\]\n]{1,300})\]\]")
_WHOLE_WIKILINK = re.compile(r"\[\[(?P<name>[^\[\]\n|#]{1,300})(?:[|#][^\[\]\n]*)?\]\]")
_DEFINITION = re.compile(
    r"^[ ]{0,3}\[\^(?P<label>[^\s\[\]^]{1,60})\]:[ \t]*(?P<inside>\S.{0,2000})$", re.M
)
_FOOTNOTE = re.compile(r"\[\^(?P<label>[^\s\[\]^]{1,60})\](?!:)")
_ENTRY = re.compile(
    r"^[ ]{0,3}(?:\[(?P<square>\d{1,3})\]:?|(?P<plain>\d{1,3})[.)])[ \t]+(?P<inside>\S.{0,2000})$",
    re.M,
)
_QUOTING = re.compile(
    r"\[?(?P<target>[^\"“«”»]{1,400}?)\s?[,:;–—-]?\s*[\"“«](?P<quote>\S.*\S)[\"”»]\s?\.?\s?\]?\s*"
)
"""An entry with a quote of its source."""
_NUMBER = re.compile(
    r"(?:(?<![\w\]])|(?<=[^\W\d_]{2}))"  # also right behind a word
    r"\[(?P<numbers>\d{1,3}(?:\s?[,;]\s?\d{1,3}){0,8})\](?![\w(\[:])"
)
_LINK = re.compile(r"(?<!!)\[(?P<label>[^\[\]\n]{1,300})\]\(<?(?P<inside>[^()\s<>]{1,500})>?\)")
_SOURCE_NAMES = re.compile(
    r"\W*+(?:sources?|refs?|references?|citations?|cited|link|paper|docs?)?\W*", re.IGNORECASE
)
"""The label of a link that says nothing but that it is a citation."""
_PARENTHESES = re.compile(r"\(\s?(?:(?:see|via|from|sources?|refs?|per):?\s)?$", re.IGNORECASE)
_MENTIONED = ", mentioned"
"""Behind the id of a link that is a word of the sentence: ``joins [[raw/tea]] in its colour``."""
MENTION = re.compile(rf"@local-\d+{_MENTIONED}")
_CITED = re.compile(rf"@local-\d+(?!\d|{_MENTIONED})")
_LONGEST_LEAD = 200
"""Characters before a link that say what it is in its sentence."""
_BULLET = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\*\*)?(?:see(?: also)?:?\s)?", re.IGNORECASE)
_AFTER_POINTER = re.compile(r"(?:\*\*)?\s*(?:$|\n|[-–—:](?:\s|$)|\()", re.MULTILINE)
"""The end of an entry, or its description."""
_WHOLE_PATH = re.compile(r"(?<![\w.@~+/-])(?:[\w.@~+-]{1,100}/){1,20}[\w.@~+-]{1,100}")
_CODE_LINES = re.compile(
    rf"(?P<open>[(\[]?`?)(?<![\w/.:]){_PATH.replace(' -', '-')}(?<=\.)?{_LINES}"
    r"(?P<more>(?:,\s?:?\d{1,7}(?:[-–]\d{1,7})?){0,8})(?P<close>`?[)\]]?)"
)
"""Lines of a program, also several ranges of one file: ``src/kettle.py:10-20,34``."""


@dataclass(frozen=True, slots=True)
class LocalCitations:
    """The files that a report cites, by the id that stands for each in its text."""

    text: str
    """The report's body, with ``[@local-1]`` in place of each citation of a file; its lines are the
    same."""
    places: Mapping[str, str] = field(default_factory=dict)
    """The path of each file from the audited folder, with ``#L10-L20`` if lines are cited, by
    id."""
    quotes: Mapping[str, str] = field(default_factory=dict)
    """The quote that an entry of the list of sources gives, by the id of its citations."""
    guessed: frozenset[str] = frozenset()
    """Those of `places` whose file may be another one: its text does not show that a claim is
    wrong."""
    of_page: tuple[str, ...] = ()
    """The addresses and files below `sources:` in the front matter, which are those of the whole
    page."""


class GuessedPath(str):
    """The path of a file that a report may not mean: others have this name, or nearly this name."""

    __slots__ = ()


Resolve = Callable[[str], str | None]
"""Returns the path of the file that a report names, from the audited folder; ``None`` if there is
none. It is a `GuessedPath` if the report may mean another file."""


def has_only_mentions(marked: str) -> bool:
    """Return whether all files that a sentence names are words of it, and none is its source."""
    return MENTION.search(marked) is not None and _CITED.search(marked) is None


def read_local_citations(
    body: str, meta: Mapping[str, object], resolve: Resolve, *, is_source: bool = False
) -> LocalCitations:
    """Return a report's body with its citations of files in one form, and the files.

    Args:
        body: the report's Markdown, without front matter.
        meta: its front matter, which may list `sources` with labels.
        resolve: finds files.
        is_source: the report is in a folder of sources. What it says is from elsewhere, and its
            links to its neighbours mention them.
    """
    return _CitationReader(body, meta, resolve, is_source=is_source).read()


class _CitationReader:
    """Rewrites one report."""

    def __init__(
        self, body: str, meta: Mapping[str, object], resolve: Resolve, *, is_source: bool
    ) -> None:
        self._body, self._find_file, self._is_source = body, resolve, is_source
        self._ids: dict[tuple[str, str], str] = {}
        """The id of each file, and of each quote of it that an entry gives."""
        self._listed = tuple(_labels_of(meta))
        self._labels = dict(self._listed)
        self._numbers: dict[str, str] = {}
        self._code = code_ranges(body)
        self._guessed: set[str] = set()

    def read(self) -> LocalCitations:
        """Return the rewritten body and its files."""
        for entry in _DEFINITION.finditer(self._body):
            self._labels[entry["label"]] = entry["inside"]
        for entry in _ENTRY.finditer(self._body):
            self._numbers.setdefault(entry["square"] or entry["plain"], entry["inside"])
        text, end = "", 0
        for start, stop, new in sorted(self._edits()):
            if start >= end:  # of two edits that overlap, the first in the text counts
                text += self._body[end:start] + new
                end = stop
        text += self._body[end:]
        places = {id_: address for (address, _), id_ in self._ids.items()}
        quotes = {id_: quote for (_, quote), id_ in self._ids.items() if quote}
        of_page = tuple(dict.fromkeys(self._sources_of_page()))
        return LocalCitations(text, places, quotes, frozenset(self._guessed), of_page)

    def _sources_of_page(self) -> Iterator[str]:
        """Yield the sources that the front matter lists; a file that does not exist is one, too."""
        for written in dict.fromkeys(path for _, path in self._listed):
            address = self._place(written, is_certain=True, is_link=False)
            if is_web(written):
                yield written
            elif address:
                yield address

    def _edits(self) -> Iterator[tuple[int, int, str]]:
        """Yield start, end and new text of the citations of all forms.

        The order of the forms is that of the ids.
        """
        for note in self._outside_code(_INLINE_NOTE):
            whole = self._marks([note["inside"]], is_certain=True)
            marks = whole or self._marks(_BETWEEN_FILES.split(note["inside"]), is_certain=True)
            if marks:
                yield *note.span(), marks
        for wikilink in self._links(_WIKILINK):
            is_source = _is_of_sources(wikilink["inside"])
            marks = self._marks([wikilink["inside"]], is_certain=is_source, is_link=True)
            if marks:
                yield *wikilink.span(), self._as_mention(wikilink, marks)
        for footnote in self._outside_code(_FOOTNOTE):
            marks = self._marks([self._labels.get(footnote["label"], "")])
            if marks:
                yield *footnote.span(), marks
        for numbers in self._outside_code(_NUMBER):
            yield from self._edits_of_numbers(numbers)
        for link in self._links(_LINK):
            marks = self._marks([link["inside"]], is_link=True)
            if marks:
                yield self._edit_of_link(link, marks)
        yield from self._edits_of_code()

    def _edit_of_link(self, link: re.Match[str], marks: str) -> tuple[int, int, str]:
        """Return the edit of a link: its label is a part of the sentence unless it only cites."""
        start, end = link.span()
        opening = _PARENTHESES.search(self._body, max(0, start - _LONGEST_LEAD), start)
        if opening and self._body.startswith(")", end):
            return opening.start(), end + 1, marks
        if _SOURCE_NAMES.fullmatch(link["label"]):
            return start, end, marks
        return start, end, f"{link['label']} {marks}"

    def _as_mention(self, wikilink: re.Match[str], marks: str) -> str:
        """Return the marks of a wikilink, which say so if it is a word of its sentence."""
        has_lines = re.search(r"#L?\d|:\d", wikilink["inside"])
        start = max(
            self._body.rfind("\n", 0, wikilink.start()) + 1, wikilink.start() - _LONGEST_LEAD
        )
        before = self._body[start : wikilink.start()]
        after = self._body[wikilink.end() : wikilink.end() + _LONGEST_LEAD]
        is_mention = self._is_source or is_word_of_sentence(before, after)
        return f"{marks[:-1]}{_MENTIONED}]" if is_mention and not has_lines else marks

    def _links(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Yield the links of a form that may be citations."""
        for link in self._outside_code(pattern):
            if not self._is_pointer(link):
                yield link

    def _is_pointer(self, link: re.Match[str]) -> bool:
        """Return whether a link is an entry of a list that leads readers on, and cites no lines.

        Examples are ``- [Steeping](raw/tea.md)`` or ``- [[raw/tea]] — how to steep``.
        """
        start = self._body.rfind("\n", 0, link.start()) + 1
        text_before = self._body[start : link.start()]
        is_first = _BULLET.fullmatch(text_before) and _AFTER_POINTER.match(self._body, link.end())
        return bool(is_first) and not re.search(r"#L?\d|:\d", link["inside"])

    def _edits_of_numbers(self, match: re.Match[str]) -> Iterator[tuple[int, int, str]]:
        """Yield the edit of ``[1, 2]``, of which some may be files; the others stay as they are."""
        local, remote_edits = [], []
        for number in re.split(r"\s?[,;]\s?", match["numbers"]):
            marks = self._marks([self._numbers.get(number, "")])
            if marks:
                local.append(marks)
            else:
                remote_edits.append(number)
        if local:
            rest = [f"[{', '.join(remote_edits)}]"] if remote_edits else []
            yield *match.span(), " ".join([*rest, *local])

    def _edits_of_code(self) -> Iterator[tuple[int, int, str]]:
        """Yield the edits of ``src/kettle.py:10-20`` and ``src/kettle.py#L10``.

        They may also be code in a line.
        """
        for match in _CODE_LINES.finditer(self._body):
            path = match["path"]
            is_path = "/" in path or "." in path.strip(".")
            is_in_block = self._is_code(match.start()) and "`" not in match["open"]
            if not is_path or is_in_block:
                continue
            first = self._body[match.end("open") : match.start("more")]
            further = re.findall(r"\d+(?:[-–]\d+)?", match["more"])
            marks = self._marks([first, *(f"{path}:{lines}" for lines in further)])
            if marks:
                yield *match.span(), marks

    def _outside_code(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        return (match for match in pattern.finditer(self._body) if not self._is_code(match.start()))

    def _is_code(self, offset: int) -> bool:
        return any(start <= offset < end for start, end in self._code)

    def _marks(self, targets: list[str], *, is_certain: bool = False, is_link: bool = False) -> str:
        """Return the ids of the files that targets name, as citations; empty if one names none.

        Args:
            targets: what a report names: paths with lines, hash or label.
            is_certain: they are sources. A file that does not exist is one, too: its claims cannot
                be checked.
            is_link: they may be other pages, to which a link is no citation unless it names lines.
        """
        keys = []
        for target in targets:
            written, quote = _split_quote(target)
            address = self._place(written, is_certain=is_certain, is_link=is_link)
            if address is None:
                return ""
            keys.append((address, quote))
        if not keys:
            return ""
        return "[" + "; ".join(f"@{self._id_of(key)}" for key in keys) + "]"

    def _id_of(self, key: tuple[str, str]) -> str:
        """Return the id of a place and a quote, a new one if they have none yet."""
        if key not in self._ids:
            self._ids[key] = f"local-{len(self._ids) + 1}"
        return self._ids[key]

    def _place(self, target: str, *, is_certain: bool, is_link: bool) -> str | None:
        """Return the place that a target names; see `_marks`."""
        written = target.removeprefix("file:").removeprefix("//").strip()
        match = _TARGET.fullmatch(written)
        if match is None:
            return self._place_of_name(written, is_certain=is_certain)
        if "://" in written:
            return None
        path = self._path_of(match["path"], is_certain=is_certain)
        if path is None:
            return None
        lines = _lines_of(match)
        if lines is None and is_link and not is_source_file(path):
            return None  # another page
        place = f"{path}#L{lines[0]}-L{lines[1]}" if lines else str(path)
        if isinstance(path, GuessedPath):
            self._guessed.add(place)
        return place

    def _place_of_name(self, written: str, *, is_certain: bool) -> str | None:
        """Return the place of a file whose name has signs such as ``&``; see `_marks`."""
        wikilink = _WHOLE_WIKILINK.fullmatch(written)
        name = wikilink["name"].strip() if wikilink else written
        if "://" in name or not (wikilink or _is_like_file(name)):
            return None
        path = self._resolve(name)
        return path if path and (is_certain or is_source_file(path)) else None

    def _path_of(self, written: str, *, is_certain: bool) -> str | None:
        """Return the path of a file, also if it does not exist and `is_certain` to be one."""
        path = self._resolve(written)
        may_exist = is_certain and _is_like_file(written) and not is_placeholder(written)
        if path is None and may_exist:
            return posixpath.normpath(written)
        return path

    def _resolve(self, written: str) -> str | None:
        """Return the path of a file that the report names.

        Of a bare name, the only whole path of the report that ends in it is meant, rather than a
        guess. A name is but a guess if most paths with lines are of another tree.
        """
        path = self._find_file(written)
        if "/" in written.strip("./"):
            return path
        if path is None or isinstance(path, GuessedPath):
            whole_paths = self._whole_paths_of(written.strip())
            return whole_paths.pop() if len(whole_paths) == 1 else path
        return GuessedPath(path) if self._is_of_another_tree else path

    def _whole_paths_of(self, name: str) -> set[str]:
        """Return the files of a name that the report names with their folders, lines or not."""
        wholes = self._whole_paths.get(name, ())
        return {path for whole in wholes if (path := self._find_file(whole))}

    @cached_property
    def _whole_paths(self) -> Mapping[str, list[str]]:
        """Words that may be paths with folders, by their last part."""
        by_name: dict[str, list[str]] = defaultdict(list)
        for whole in dict.fromkeys(_WHOLE_PATH.findall(self._body)):
            by_name[PurePosixPath(whole).name.rstrip(".")].append(whole.rstrip("."))
        return by_name

    @cached_property
    def _paths_with_lines(self) -> Mapping[str, str | None]:
        """The file of each path with a folder of which the report cites lines."""
        written = dict.fromkeys(cited["path"] for cited in _CODE_LINES.finditer(self._body))
        return {path: self._find_file(path) for path in written if "/" in path.strip("./")}

    @cached_property
    def _is_of_another_tree(self) -> bool:
        """True if most files of which the report cites lines are not here."""
        here = sum(path is not None for path in self._paths_with_lines.values())
        return len(self._paths_with_lines) - here > here


def _lines_of(target: re.Match[str]) -> tuple[str, str] | None:
    """Return the first and the last line that a target names; ``None`` if it names none."""
    first = target["first"] or target["from"] or target["begin"]
    last = target["last"] or target["to"] or target["end"]
    return (first, last or first) if first else None


def _split_quote(target: str) -> tuple[str, str]:
    """Return the file that an entry names, and the quote that it gives; empty if it gives none."""
    match = _QUOTING.fullmatch(target.strip())
    return (match["target"], match["quote"]) if match else (target, "")


def split_place(address: str) -> tuple[str, tuple[int, int] | None]:
    """Return the path of a place, and its first and last line; ``None`` for a whole file."""
    path, _, lines = address.rpartition("#L")
    match = re.fullmatch(r"(\d+)-L(\d+)", lines)
    if match is None:
        return address, None
    return path, (int(match[1]), int(match[2]))


def is_source_file(path: str) -> bool:
    """Return whether a file of a wiki is a source by its folder or type.

    Others are its pages.
    """
    pieces = PurePosixPath(path)
    is_markdown = pieces.suffix.lower() in {"", ".md", ".markdown"}
    folders = pieces.parts[:-1]
    return not is_markdown or any(folder.lower() in SOURCE_FOLDERS for folder in folders)


def _is_of_sources(inside: str) -> bool:
    return is_source_file(inside.partition("|")[0].partition("#")[0].strip())


def _is_like_file(path: str) -> bool:
    return "/" in path or bool(PurePosixPath(path).suffix)


_SOURCE_KEYS = ("raw", "raw_file", "source_file", "source_path")
"""Fields of the front matter that name the one file that a page was written from."""


def _labels_of(meta: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield the label and the file of each entry of `sources` in a report's front matter.

    An entry is a path, or a mapping with the path and perhaps an id. Without one, its label is its
    number or its name. Without the list, ``raw: raw/tea.md`` names the only source.
    """
    sources = meta.get("sources")
    if isinstance(sources, dict):
        for label, entry in sources.items():
            yield str(label), _written_path(entry)
    elif sources and isinstance(sources, list):
        for number, entry in enumerate(sources, 1):
            path = _written_path(entry)
            name = PurePosixPath(path.strip("[]")).stem
            for label in _own_label(entry) or (str(number), name):
                yield label, path
    elif not sources:
        for key in _SOURCE_KEYS:
            path = _written_path(meta.get(key))
            if path and not is_web(path):
                yield key, path


def _own_label(entry: object) -> tuple[str, ...]:
    """Return the label that an entry of `sources` gives itself; empty if it gives none."""
    if not isinstance(entry, dict):
        return ()
    labels = [str(entry[key]) for key in ("id", "key", "label", "ref") if entry.get(key)]
    return tuple(labels[:1])


def _written_path(entry: object) -> str:
    """Return the path of an entry of `sources`; empty if it has none."""
    if isinstance(entry, dict):
        paths = (_written_path(entry.get(key)) for key in ("path", "file", "source", "url"))
        return next(filter(None, paths), "")
    if isinstance(entry, list):
        # A wikilink without quotation marks: YAML reads `[[tea, green]]` as a list in a list.
        inside = ", ".join(_scalars_of(entry))
        return f"[[{inside}]]" if inside else ""
    return entry if isinstance(entry, str) else ""


def _scalars_of(entry: list[object]) -> Iterator[str]:
    """Yield the texts of a list and of the lists in it."""
    for item in entry:
        if isinstance(item, list):
            yield from _scalars_of(item)
        elif item is not None:
            yield str(item)
