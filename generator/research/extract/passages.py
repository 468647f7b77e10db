"""Split a source into passages: verbatim pieces of its text, each of the size of a quote.

Text that is not evidence is left out: navigation, notices, synopses, changelogs, prompts, keys, hidden text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from generator.citations.quotes import words
from generator.drafts import Passage, PassageKind, Source
from generator.markdown.escape import UNSEEN
from generator.research.extract.blocks import (
    MAX_CHARS,
    Piece,
    SourceBlock,
    count_words,
    joined,
    packed,
    read_blocks,
    sentences,
)
from generator.research.extract.rst import read_rst
from generator.rules.credentials import find_credentials
from generator.rules.limits import MAX_CODE_LINES, MAX_QUOTE_WORDS

LANGUAGES = {
    **{"py": "python", "pyi": "python", "c": "c", "h": "c", "cc": "cpp", "cpp": "cpp", "cxx": "cpp", "hpp": "cpp"},
    **{"cu": "cuda", "cuh": "cuda", "rs": "rust", "go": "go", "java": "java", "kt": "kotlin", "swift": "swift"},
    **{"js": "javascript", "mjs": "javascript", "ts": "typescript", "tsx": "tsx", "rb": "ruby", "php": "php"},
    **{"sh": "bash", "bash": "bash", "zsh": "bash", "ps1": "powershell", "pl": "perl", "lua": "lua", "r": "r"},
    **{"jl": "julia", "scala": "scala", "cs": "csharp", "sql": "sql", "cmake": "cmake", "mk": "make", "tf": "hcl"},
    **{"yml": "yaml", "yaml": "yaml", "toml": "toml", "json": "json", "xml": "xml", "ini": "ini", "cfg": "ini"},
    **{"proto": "protobuf", "dockerfile": "dockerfile", "bzl": "python", "nix": "nix", "ipynb": "json"},
}
"""Languages by file extension, as named in fences."""

NAMES = {"Dockerfile": "dockerfile", "Containerfile": "dockerfile", "Makefile": "make", "CMakeLists.txt": "cmake"}
"""Languages by file name, for files without an extension."""

_CODE_TYPES = {f"application/{name}": name for name in ("json", "toml", "yaml", "sql")}
_MIN_CODE_CHARS = 12
_DEFINITIONS = frozenset({PassageKind.PROSE, PassageKind.LIST})
"""Kinds of blocks that may define a term."""
_PARAGRAPH = re.compile(r"\S(?:.|\n(?!\s*\n))*")
_HEADING = re.compile(r"(?:\d+(?:\.\d+)*\.?[ \t]+)?[^\W\da-z](?:[^\n.!?;,:]|\.(?=\w)){0,70}(?:\n(?=[^\W\da-z])|\Z)")
"""A short line with a capital and without the end of a sentence, above a line that begins with a capital."""
_BULLET = re.compile(r"^\s*(?:[-*+\u2022]|\d{1,2}[.)])\s", re.MULTILINE)
_MARKS = re.compile(r"(?:[ \t]*(?::{3,}[^\n]*|\[!\w+\][ \t]*)(?:\n[ \t>]*|\Z))+")
"""Lines that begin a note in MyST (``:::{note}``) or on GitHub (``[!NOTE]``)."""
_END_MARKS = re.compile(r"(?:\n[ \t]*:{3,}[ \t]*)+\Z")
_STATEMENT = re.compile(r"^(?=\S)(?![)\]}])", re.MULTILINE)


def passages(source: Source, number: int) -> tuple[Passage, ...]:
    """Return the passages of `source`, in order; `number`, its index among the sources, is part of their ids.

    Each is verbatim: ``text[p.start : p.start + len(p.text)] == p.text``. Junk is left out.
    """
    text = source.fetched.text[:MAX_CHARS]
    form, language = form_of(source)
    if is_changelog(source):
        return ()
    pieces: Sequence[Piece]
    if form == "markdown":
        pieces = tuple(_without_marks(text, _of_blocks(text, read_blocks(text))))
        follows = joined(text, source.fetched.visible, pieces)
    elif form == "rst":
        pieces = tuple(_of_blocks(text, read_rst(text)))
        follows = joined(text, source.fetched.visible, pieces)
    else:
        pieces = tuple(_of_code(text, language) if form == "code" else _of_plain(text))
        follows = (False,) * len(pieces)
    return tuple(
        Passage(
            id=f"s{number}p{n}",
            source=source.id,
            text=text[piece.start : piece.end],
            start=piece.start,
            headings=piece.headings,
            kind=piece.kind,
            follows=f"s{number}p{n - 1}" if is_joined else None,
            language=piece.language,
            is_markdown=form in {"markdown", "rst"} and piece.kind is not PassageKind.CODE,
            is_cut=piece.is_cut,
        )
        for n, (piece, is_joined) in enumerate(zip(pieces, follows, strict=True), 1)
    )


def form_of(source: Source) -> tuple[str, str]:
    """Return the form of the source's text, ``markdown``, ``rst``, ``code`` or ``plain``, and the language of code."""
    fetched = source.fetched
    path = PurePosixPath(unquote(urlsplit(fetched.final_url or fetched.url).path))
    ending = path.suffix.lstrip(".").lower()
    if source.is_markdown:
        return "markdown", ""
    if source.is_rst:
        return "rst", ""
    language = NAMES.get(path.name) or LANGUAGES.get(ending) or _CODE_TYPES.get(fetched.media_type)
    if language and fetched.media_type != "application/pdf":
        return "code", language
    return "plain", ""


# --- Markdown ----------------------------------------------------------------------------------------------------


def _of_blocks(text: str, every: Sequence[SourceBlock]) -> Iterator[Piece]:
    """Yield paragraphs, definitions with their terms, lists with their lead-ins, tables and code."""
    blocks = [block for block in every if not is_about_changes(block.headings)]
    term: int | None = None  # start of the terms directly above
    for n, block in enumerate(blocks):
        after = blocks[n + 1] if n + 1 < len(blocks) else None
        if block.is_term and after and after.kind in _DEFINITIONS and _is_beside(block, after):
            term = block.start if term is None else term
            continue
        is_lead = bool(after and after.kind is PassageKind.LIST and _is_beside(block, after) and _leads(text, block))
        lead = _lead(text, blocks[n - 1], block) if n and block.kind is PassageKind.LIST else None
        for piece in _of_block(text, block, lead if term is None else term, is_lead=is_lead):
            yield replace(piece, group=block.group)
        term = None


def _without_marks(text: str, pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield the pieces without the marks of notes around them."""
    for piece in pieces:
        marks = None if piece.kind is PassageKind.CODE else _MARKS.match(text, piece.start, piece.end)
        start = marks.end() if marks else piece.start
        last = None if piece.kind is PassageKind.CODE else _END_MARKS.search(text, start, piece.end)
        end = last.start() if last else piece.end
        if start < end:
            yield replace(piece, start=start, end=end)


def _is_beside(block: SourceBlock, other: SourceBlock) -> bool:
    return block.group == other.group and block.headings == other.headings


def _leads(text: str, block: SourceBlock) -> bool:
    """Return whether the block is a sentence that ends in a colon, and so introduces the list below."""
    return block.kind is PassageKind.PROSE and text[block.start : block.end].rstrip().rstrip("*_").endswith(":")


def _lead(text: str, before: SourceBlock, block: SourceBlock) -> int | None:
    """Return the start of a list's lead-in: the last sentence of the paragraph above, if it ends in a colon."""
    if not (_is_beside(before, block) and _leads(text, before)):
        return None
    whole = tuple((a - before.start, b - before.start) for a, b in before.whole)
    return before.start + sentences(text[before.start : before.end], whole)[-1][0]


def _of_block(text: str, block: SourceBlock, lead: int | None, *, is_lead: bool) -> Iterator[Piece]:
    match block.kind:
        case PassageKind.PROSE:
            yield from _prose(text, block, lead, is_lead=is_lead)
        case PassageKind.LIST:
            yield from _list(text, block, lead)
        case PassageKind.TABLE:
            yield from _table(text, block)
        case PassageKind.CODE:
            start = text.rfind("\n", 0, block.start) + 1
            begin = start if not text[start : block.start].strip() else block.start
            yield from _code(text, [(begin, block.pieces[0][1]), *block.pieces[1:]], block.headings, block.language)


def _prose(text: str, block: SourceBlock, term: int | None, *, is_lead: bool) -> Iterator[Piece]:
    """Yield the sentences of a paragraph, the first with its term; without the last if it is a list's lead-in."""
    raw = text[block.start : block.end]
    spans = sentences(raw, tuple((a - block.start, b - block.start) for a, b in block.whole))
    runs = packed(raw, spans[:-1] if is_lead else spans)
    for n, (a, b) in enumerate(runs):
        start, end = block.start + a, block.start + b
        if n == 0 and term is not None and count_words(text[term:end]) <= MAX_QUOTE_WORDS:
            start = term
        if not is_junk(words(text[start:end]), text[start:end]):
            is_last = n + 1 == len(runs)
            yield Piece(start, end, PassageKind.PROSE, block.headings, leads=is_last and _leads(text, block))


def _list(text: str, block: SourceBlock, lead: int | None) -> Iterator[Piece]:
    entries = tuple(words(text[a:b]) for a, b in block.pieces)
    if lead is None and (is_menu(entries) or is_junk(" ".join(entries))):
        return
    runs = packed(text, [(a, a + len(text[a:b].rstrip())) for a, b in block.pieces])
    for n, (a, b) in enumerate(runs):
        start = lead if n == 0 and lead is not None and count_words(text[lead:b]) <= MAX_QUOTE_WORDS else a
        if not is_junk(words(text[start:b]), text[start:b]):
            yield Piece(start, b, PassageKind.LIST, block.headings)


def _table(text: str, block: SourceBlock) -> Iterator[Piece]:
    """Yield the head and as many rows as fit into a quote."""
    start, end = block.start, block.pieces[0][1]
    rows = 0
    for _, b in block.pieces[1:]:
        if count_words(words(text[start:b])) > MAX_QUOTE_WORDS:
            break
        end, rows = b, rows + 1
    if rows and not is_unsafe_code(text[start:end]):
        is_cut = rows < len(block.pieces) - 1
        yield Piece(start, start + len(text[start:end].rstrip()), PassageKind.TABLE, block.headings, is_cut=is_cut)


def _code(text: str, lines: Sequence[tuple[int, int]], headings: tuple[str, ...], language: str) -> Iterator[Piece]:
    """Yield the first lines of a block of code, cut at an empty line if it is too long."""
    start, end = lines[0][0], lines[-1][1]
    code = text[start:end]
    is_cut = code.rstrip("\n").count("\n") >= MAX_CODE_LINES
    if is_cut:
        ends = [match.end() for match in re.finditer(r"\n", code)][:MAX_CODE_LINES]
        empty = [at for at in ends[MAX_CODE_LINES // 2 :] if code[at : at + 1] == "\n"]
        code = code[: empty[-1] if empty else ends[-1]]
    code = code.rstrip()
    if len(code.strip()) >= _MIN_CODE_CHARS and not is_unsafe_code(code) and not is_synopsis(code):
        yield Piece(start, start + len(code), PassageKind.CODE, headings, language, is_cut)


# --- plain text and code -----------------------------------------------------------------------------------------


def _of_plain(text: str) -> Iterator[Piece]:
    """Yield paragraphs; one made of bullets is a list, and a short line above a paragraph is its heading."""
    heading: tuple[str, ...] = ()
    for match in _PARAGRAPH.finditer(text):
        raw = match[0].rstrip()
        first = _HEADING.match(raw)
        at = first.end() if first else 0
        heading = (" ".join(first[0].split()),) if first else heading
        bullets = [bullet.start() for bullet in _BULLET.finditer(raw, at)]
        is_list = len(bullets) > 1 and not raw[at : bullets[0]].strip()
        ends = [*bullets[1:], len(raw)]
        spans = list(zip(bullets, ends, strict=True)) if is_list else [(a + at, b + at) for a, b in sentences(raw[at:])]
        for a, b in packed(raw, [(a, a + len(raw[a:b].rstrip())) for a, b in spans]):
            if not is_junk(raw[a:b]):
                kind = PassageKind.LIST if is_list else PassageKind.PROSE
                yield Piece(match.start() + a, match.start() + b, kind, heading)


def _of_code(text: str, language: str) -> Iterator[Piece]:
    """Yield consecutive top-level statements, with the comments above them."""
    gaps = [
        match.start()
        for match in _STATEMENT.finditer(text)
        if text[max(0, match.start() - 2) : match.start()] == "\n\n"
    ]
    starts = [0, *gaps]
    for a, b in zip(starts, [*starts[1:], len(text)], strict=True):
        lines = [(m.start(), m.end()) for m in re.finditer(r".*(?:\n|$)", text[a:b]) if m[0]]
        if lines:
            yield from _code(text, [(a + first, a + last) for first, last in lines], (), language)


# --- junk ----------------------------------------------------------------------------------------------------------

MIN_WORDS = 5
"""Minimum number of words of prose: fewer say nothing on their own."""

_NOTICE = re.compile(
    r"\b(?:we use (?:\w+ )?cookies|uses cookies|(?:accept|reject|manage|change) (?:all |your )?cookies?"
    r"|cookie (?:settings|preferences|policy|notice)|privacy (?:policy|notice)|terms of (?:use|service)"
    r"|all rights reserved|skip to (?:main )?content|subscribe to (?:our|the|this)|newsletter|sign in to continue"
    r"|(?:please|must) enable javascript|javascript is (?:disabled|required)|was this (?:page|article|helpful)"
    r"|edit (?:this page|on github)|follow us|back to top|related (?:posts|articles)|leave a comment|reading time"
    r"|\d+ min(?:ute)?s? read|copyright (?:\(c\)|\d{4})|verify (?:that )?you are (?:a )?human|checking your browser)\b"
    r"|^(?:on this page|table of contents|share (?:this|on)|(?:previous|next) (?:page|article|post)|read more"
    r"|posted (?:on|by|in)|last (?:updated|modified|edited)|advertisement)\b|\u00a9",
    re.IGNORECASE,
)
_NOTICE_WORDS = 45
"""Maximum number of words of a notice; a longer text with these words is about notices."""
_TO_PROGRAMS = re.compile(
    r"\b(?:ignore|disregard|forget) (?:all |any |the |your )*(?:previous|prior|above|earlier|system) "
    r"(?:instructions?|prompts?|messages?)|\b(?:system|developer) prompt\b"
    r"|\byou are (?:now )?(?:an? )?(?:AI|assistant|chatbot|language model)\b"
    r"|<\|?(?:im_start|system|assistant)\b|\[/?INST\]",
    re.IGNORECASE,
)
"""Instructions to a language model that reads the page, rather than to a reader."""
_CHANGES = re.compile(
    r"^\W*(?:\d[\d.]*\s+)?(?:change ?logs?|changes|release (?:notes|history)"
    r"|(?:(?:revision|version|change) )?history"
    r"|what(?:'|\u2019)s new\b.*|news|changes (?:in|since|from|to)\b.*)\W*$|\brelease notes\b|\bchange ?log\b"
    r"|\brelease v?\d+\.\d+[\d.]*(?: on [\d-]+)?$",
    re.IGNORECASE,
)
"""A title or heading of a changelog: true of one version, and useless without knowing which."""
_CHANGES_FILE = re.compile(r"(?:^|/)(?:changelog|changes|news|release[-_]?notes|history)(?:\.\w+)*/?$", re.IGNORECASE)
_USAGE = re.compile(
    r"(?<![\w\])])\[\s*(?:-{1,2}[\w<]|<|\w+ *\|)|\.\.\.\]|\|\s*-{1,2}\w|<[\w-]+>\s*(?:\.\.\.|\]|\|)|\](?:\.\.\.|\s*\[)"
)
"""The notation of a synopsis: ``[-a|--attach]``, ``[<path>...]``."""
_CRUMBS = re.compile(r"(?:^|\s)[>\u203a\u00bb|\u00b7\u2022/\u2192](?=\s)")
_LETTER = re.compile(r"[^\W\d_]")
_INCLUDE = re.compile(r"^[ \t]*;*-{1,}8<-{1,}", re.MULTILINE)
"""A line that includes a file into a page if the snippets extension is on, even inside code."""


def is_junk(text: str, raw: str = "") -> bool:
    """Return whether `text`, prose as a reader sees it, is not worth quoting; `raw` is its markup in the source."""
    words = text.split()
    letters = len(_LETTER.findall(text))
    if letters < 0.5 * sum(map(len, words)) or _is_hidden(text + raw) or find_credentials(text):
        return True
    if is_synopsis(text):
        return True
    if len(words) < MIN_WORDS and letters == len(re.findall(r"[A-Za-z\u00c0-\u024f]", text)):
        return True
    if _TO_PROGRAMS.search(text) or (len(words) <= _NOTICE_WORDS and _NOTICE.search(text)):
        return True
    marks = len(_CRUMBS.findall(text))
    return marks >= 2 and len(words) < 8 * (marks + 1)


def is_menu(entries: tuple[str, ...]) -> bool:
    """Return whether the items of a list are a menu: at most three words each, without the marks of a sentence."""
    short = [entry for entry in entries if len(entry.split()) <= 3 and not re.search(r"[.:;=`(]|\d", entry)]
    return len(short) >= 0.7 * len(entries)


def is_synopsis(text: str) -> bool:
    """Return whether `text` is the usage line of a program, which states nothing: ``docker run [-a|--attach] ...``."""
    marks = len(_USAGE.findall(text))
    return marks >= 2 and 6 * marks >= len(text.split()) - marks


def is_changelog(source: Source) -> bool:
    """Return whether a source is a changelog, by its title or file name."""
    path = urlsplit(source.fetched.final_url or source.fetched.url).path
    return bool(_CHANGES.search(source.fetched.title or "") or _CHANGES_FILE.search(path))


def is_about_changes(headings: Sequence[str]) -> bool:
    """Return whether text below these headings is part of a changelog."""
    return any(_CHANGES.search(heading) for heading in headings)


def is_unsafe_code(code: str) -> bool:
    """Return whether code would be altered by rendering it on a page."""
    return bool(_is_hidden(code) or _INCLUDE.search(code) or find_credentials(code))


def _is_hidden(text: str) -> bool:
    """Return whether text is displayed differently from its characters: bidirectional controls, decoding errors."""
    return bool(UNSEEN.search(text)) or "\ufffd" in text
