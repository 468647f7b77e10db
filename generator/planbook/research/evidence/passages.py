"""Split a source into excerpts: what belongs together, in verbatim passages.

Each passage has the size of a quote.

A definition keeps its term and code the paragraph above it; a lead-in that ends in a colon keeps
what it introduces. Text that is not evidence is left out: navigation, notices, changelogs, prompts,
keys, hidden text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, count, pairwise
from typing import NamedTuple

from planbook.citations.quotes import fold, words
from planbook.research.drafts import Excerpt, Passage, PassageKind, Source
from planbook.research.evidence.blocks import MAX_CHARS, SourceBlock, ends_in_colon
from planbook.research.evidence.junk import (
    CHANGE_LOG_FILE,
    CHANGE_LOG_TITLE,
    CRUMBS,
    is_junk,
    is_unfit,
)
from planbook.research.evidence.markdown_blocks import source_blocks
from planbook.research.evidence.pieces import (
    MAX_WORDS,
    SHORT_WORDS,
    TEXT_KINDS,
    BlockDivider,
    Piece,
    contiguous_pieces,
)
from planbook.research.evidence.plain_blocks import code_blocks, plain_blocks
from planbook.research.evidence.quote_sizes import count_words
from planbook.research.evidence.rst_blocks import read_rst

_CODE_FILES = frozenset(
    {
        *("bash", "bzl", "c", "cc", "cfg", "cmake", "cpp", "cs", "cu", "cuh", "cxx", "dockerfile"),
        *("go", "h", "hpp", "ini", "ipynb", "java", "jl", "js", "json", "kt", "lua", "mjs", "mk"),
        *("nix", "php", "pl", "proto", "ps1", "py", "pyi", "r", "rb", "rs", "scala", "sh", "sql"),
        *("swift", "tf", "toml", "ts", "tsx", "xml", "yaml", "yml", "zsh"),
    }
)
"""The extensions of files of code."""
_CODE_NAMES = frozenset({"Dockerfile", "Containerfile", "Makefile", "CMakeLists.txt"})
"""The names of such files without one of these extensions."""
_CODE_TYPES = frozenset(f"application/{name}" for name in ("json", "toml", "yaml", "sql"))
"""The media types of code."""
_VALUE = re.compile(r"[*_`]*\w[\w -]{0,40}:[*_`]*\s+\S")
"""A name and a value: ``Default: 600``."""
_PICTURE = re.compile(r"(?:!\[[^\]]*\]\([^)]*\)\s*)+")
_IMPORTS = re.compile(
    r"""(?:\s*import\s[^\n"']{1,200}\sfrom\s["'][^"'\n]{1,200}["'];?[ \t]*(?:\n|\Z))+"""
)
"""Lines of MDX that import components: ``import Tabs from '@theme/Tabs';``."""


def is_change_log(source: Source) -> bool:
    """Return whether a source lists changes by version, as far as its title and its path tell."""
    title = source.fetched.title or ""
    return bool(CHANGE_LOG_TITLE.search(title) or CHANGE_LOG_FILE.search(str(source.path)))


def excerpts(
    source: Source, source_number: int, *, has_changes: bool = False
) -> tuple[Excerpt, ...]:
    """Return the excerpts of `source`, in order.

    `source_number`, its index among the sources, is part of their ids. Each passage is verbatim:
    ``text[p.start : p.start + len(p.text)] == p.text``. Junk is left out, and so are lists of
    changes, unless `has_changes`.
    """
    if is_change_log(source) and not has_changes:
        return ()
    fetched = source.fetched
    split = _TextToSplit(
        source.id,
        source_number,
        form_of(source),
        fetched.title or "",
        fetched.moved_to or fetched.url,
        fetched.text,
        fetched.visible if "html" in fetched.media_type else "",
        has_changes,
    )
    return _excerpts_of(split)


class _TextToSplit(NamedTuple):
    """All that the excerpts of a source depend on."""

    source: str
    source_number: int
    form: str
    title: str
    address: str
    text: str
    visible: str
    """The visible text of a page of the web; empty for other texts."""
    has_changes: bool


@lru_cache(maxsize=512)
def _excerpts_of(split: _TextToSplit) -> tuple[Excerpt, ...]:
    """Return the excerpts of a text: the check of a page asks for those of a work five times."""
    text = split.text[:MAX_CHARS]
    is_markup = split.form in {"markdown", "rst"}
    visible = fold(split.visible)
    divider = BlockDivider(text, words if is_markup else fold)
    joiner = _BlockJoiner(divider, split.has_changes)
    numbers = count(1)

    def passage(piece: Piece) -> Passage:
        """Return a piece under the next id."""
        return Passage(
            id=f"s{split.source_number}p{next(numbers)}",
            source=split.source,
            text=text[piece.start : piece.end],
            start=piece.start,
            headings=piece.block.headings,
            kind=piece.kind,
            is_markdown=is_markup and piece.kind is not PassageKind.CODE,
            is_cut=piece.is_cut,
            columns=piece.columns,
        )

    made = []
    for pieces, term in joiner.excerpts(_READERS[split.form](text)):
        unbroken = [
            contiguous
            for piece in pieces
            for contiguous in contiguous_pieces(piece, text, visible)
            if divider.is_long_enough(contiguous)
        ]
        if not unbroken:
            continue
        made.append(Excerpt(tuple(map(passage, unbroken)), split.title, split.address, term))
    return tuple(made)


def form_of(source: Source) -> str:
    """Return the form of the source's text: ``markdown``, ``rst``, ``code`` or ``plain``."""
    if source.markup:
        return source.markup
    path = source.path
    media_type = source.fetched.media_type
    has_name_of_code = path.name in _CODE_NAMES or path.suffix[1:].lower() in _CODE_FILES
    is_code = has_name_of_code or media_type in _CODE_TYPES
    return "code" if is_code and media_type != "application/pdf" else "plain"


_READERS: Mapping[str, Callable[[str], Iterable[SourceBlock]]] = {
    "markdown": source_blocks,
    "rst": read_rst,
    "code": code_blocks,
    "plain": plain_blocks,
}
"""Readers of the blocks of a text, by its form."""


@dataclass(frozen=True, slots=True)
class _BlockJoiner:
    """Joins the blocks of a text to excerpts, of which each has pieces of a quote's size."""

    divider: BlockDivider
    has_changes: bool
    """True to keep what stands below the headings of change logs."""

    def excerpts(self, blocks: Iterable[SourceBlock]) -> Iterator[tuple[Sequence[Piece], str]]:
        """Yield the pieces of each excerpt, with the term that it defines.

        What is below one heading and defines no term is joined, as long as it is not too long.
        """
        joined: list[Piece] = []
        joined_term = ""
        size = 0
        for pieces, term in self._units(blocks):
            more = sum(count_words(self.divider.text[piece.start : piece.end]) for piece in pieces)
            size += more
            is_apart = joined and joined[0].block.headings != pieces[0].block.headings
            if joined and (joined_term or term or size > MAX_WORDS or is_apart):
                # A line above what it introduces is read with it, and not at the end of another.
                lead = [] if joined_term or term or is_apart else self._lead_of(joined)
                joined = joined[: len(joined) - len(lead)]
                if joined:
                    yield list(self.divider.merged(joined)), joined_term
                joined = lead
                size = more
            joined_term = term
            joined += pieces
        if joined:
            yield list(self.divider.merged(joined)), joined_term

    def _lead_of(self, pieces: Sequence[Piece]) -> list[Piece]:
        """Return the last of some pieces if it introduces what follows; empty if it does not."""
        last_piece = pieces[-1]
        is_text = last_piece.kind in TEXT_KINDS
        is_lead = is_text and ends_in_colon(self.divider.text[last_piece.start : last_piece.end])
        return [last_piece] if is_lead else []

    def _units(self, blocks: Iterable[SourceBlock]) -> Iterator[tuple[Sequence[Piece], str]]:
        """Yield pieces that are not to be read apart, with the term that they define."""
        for group in self._groups(filter(self._is_evidence, blocks)):
            term = self._term_of(group)
            if term and all(block.is_term for block in group):
                continue  # a term without a definition
            runs = [list(self.divider.runs(block, is_alone=len(group) == 1)) for block in group]
            # What is too long for one excerpt goes on in others, which define nothing.
            first = [piece for run in runs if run for piece in run[0]]
            if self._is_worth_quoting(first):
                yield first, term or first[0].row
            for pieces in (pieces for run in runs for pieces in run[1:]):
                if self._is_worth_quoting(pieces):
                    yield pieces, pieces[0].row

    def _is_evidence(self, block: SourceBlock) -> bool:
        """Return whether a block is text and, unless those are kept, not a change log's.

        Pictures are none, and what is for the program that renders the text.
        """
        text = self._text_of(block)
        is_import = block.kind is PassageKind.PROSE and _IMPORTS.fullmatch(text)
        if is_import or _PICTURE.fullmatch(text):
            return False
        return self.has_changes or not any(map(CHANGE_LOG_TITLE.search, block.headings))

    def _term_of(self, group: Sequence[SourceBlock]) -> str:
        """Return the terms that a group of blocks defines; empty if it does not begin with one."""
        if not any(block.is_term for block in group[:2]):
            return ""
        return " ".join(
            self.divider.words(self._text_of(block)) for block in group if block.is_term
        )

    def _is_worth_quoting(self, pieces: Sequence[Piece]) -> bool:
        """Return whether pieces hold anything, and are not only junk."""
        if not any(self.divider.merged(pieces)):
            return False
        if any(piece.kind is not PassageKind.PROSE for piece in pieces):
            return True
        raw = " ".join(self.divider.text[piece.start : piece.end] for piece in pieces)
        if _VALUE.match(raw) and "`" in raw:  # "Default: `30`", of what its heading names
            return not is_unfit(self.divider.words(raw), raw)
        return not is_junk(self.divider.words(raw), raw)

    def _groups(self, blocks: Iterable[SourceBlock]) -> Iterator[list[SourceBlock]]:
        """Yield runs of blocks, each of which belongs to those above it in its run."""
        group: list[SourceBlock] = []
        for block, below in pairwise(chain(blocks, [None])):
            if block is None:
                break
            is_lead = below is not None and self._introduces_term(block, below)
            if group and (is_lead or not self._belongs(block, group)):
                yield group
                group = []
            group.append(block)
        if group:
            yield group

    def _introduces_term(self, block: SourceBlock, below: SourceBlock) -> bool:
        """Return whether a block is a line above terms, and not part of the definition above it.

        Manual pages have such lines: ``Available in version 3.7 and later:``.
        """
        is_text = block.kind is PassageKind.PROSE and not block.is_term
        is_above = below.is_term and block.row == below.row and block.headings == below.headings
        return is_text and is_above and ends_in_colon(self._text_of(block))

    def _belongs(self, block: SourceBlock, group: Sequence[SourceBlock]) -> bool:
        """Return whether a block is not to be read without those directly above it."""
        above = group[-1]
        leads = above.kind in TEXT_KINDS and ends_in_colon(self._text_of(above))
        is_of_one_row = above.row == block.row or self._is_fact(above, block)
        if above.headings != block.headings or not (leads or is_of_one_row):
            return False
        if block.is_term or above.is_term:
            return above.is_term or self._introduces_term(above, block)
        size = sum(count_words(self._text_of(member)) for member in (*group, block))
        if size > MAX_WORDS:  # a line above long code or a long list stays with it
            return len(group) == 1 and leads and block.kind is not PassageKind.PROSE
        if leads or self._is_label(above, block):
            return True
        return group[0].is_term and size <= MAX_WORDS // 2

    def _is_fact(self, above: SourceBlock, block: SourceBlock) -> bool:
        """Return whether a short text above another one has a value of what that is about.

        Manuals set such a line off as a quotation, between a heading and its text.
        """
        is_value = _VALUE.match(self._text_of(above)) is not None
        return is_value and self._is_label(above, block)

    def _is_label(self, above: SourceBlock, block: SourceBlock) -> bool:
        """Return whether a short paragraph above another one says what that is, but no sentence."""
        if above.kind is not PassageKind.PROSE or block.kind is not PassageKind.PROSE:
            return False
        text = self._text_of(above)
        if count_words(text) >= SHORT_WORDS or text[-1:] in {".", "!", "?"}:
            return False
        return not CRUMBS.search(self.divider.words(text))

    def _text_of(self, block: SourceBlock) -> str:
        return self.divider.text[block.start : block.end]
