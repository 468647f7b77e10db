"""Options, environment variables and figures of a page that no work has which was read for it.

Pure.

A sentence may lack a ground by oversight, and then a work has what it says. What no work has is
made up, or from a work that nobody read. An example of the writer's own may have more, and so may
the commands of other programs.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from planbook.citations.grounds import MARK, Ground, GroundedSentence, find_prose_spans
from planbook.citations.quotes import words
from planbook.markdown.edits import apply_edits, blank_out
from planbook.markdown.plain_text import cells_of
from planbook.markdown.syntax import Node
from planbook.markdown.words import FUNCTION_WORDS
from planbook.research.proof.parsed_draft import ParsedDraft
from planbook.research.proof.phrases import PAGE_WORDS
from planbook.research.proof.quantities import (
    UNITS,
    Quantity,
    QuantityIndex,
    read_quantities,
)
from planbook.research.proof.quoting_blocks import citations_within, code_lines, find_quoting_blocks
from planbook.research.proof.sentences import has_dotted_name

_OPTION = re.compile(r"(?<![\w\-#/.&=])--[A-Za-z][\w-]*\w")
"""A long option: ``--keep-daily``. Options of one letter are found in nearly every text."""
_VARIABLE = re.compile(r"(?<![\w-])[A-Z][A-Z\d]*_[A-Z\d_]*[A-Z\d](?![\w*])")
"""An environment variable or constant: ``CTEST_PARALLEL_LEVEL``."""
_KEY = re.compile(
    r"(?<![\w./-])(?:[a-z][a-z\d]*(?:_[a-z\d]+)+(?![\w/(.])|[a-z][a-z\d]*\.[a-z]+[A-Z]\w*)"
)
"""A name in code that may be a setting, or the writer's own: ``wal_autocheckpoint``,
``gc.autoPackLimit``."""
_SETTING = re.compile(r"(?<![\w./-])[a-z][a-z\d]*\.[a-z]\w*(?=\s?=)", re.IGNORECASE)
"""A setting in code that gets a value: ``queue.size="10"``."""
_MIN_FAMILY_SIZE = 5
"""Number of settings with one prefix in the works from which on they are known to have them."""
_ASSIGNED_VARIABLE = re.compile(r"(?:^|[\s;])(?:export\s+)?([A-Z][A-Z\d_]*)=", re.MULTILINE)
_COMMAND = re.compile(
    r"(?:^|[|;&(]|\$\()\s*(?:(?:sudo|env|exec|time|[A-Z_\d]+=\S*)\s+)*(?P<name>[\w./+-]+)"
)
"""The name of a program at the beginning of a command."""
_SUBCOMMAND = re.compile(r"[\w./+-]+ [a-z][a-z-]*(?=\s)")
"""A program and its subcommand: ``kubectl run``."""
_NEGATABLE = re.compile(r"--[\[(]no-[\])]")
"""The beginning of an option and its negation: ``--[no-]verify``."""
_CUT_LINE = re.compile(r"(?<=\w)-[ \t]{0,8}\n[ \t]{0,80}(?=[a-z])")
"""A line that ends within an option, as those of PDFs do."""
_DASHES = str.maketrans(
    {"\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2212": "-", "\u2014": "--"}
)
_MONTH = (
    r"(?:January|February|March|April|May|June|July"
    r"|August|September|October|November|December)"
)
_DATE = re.compile(
    r"\b\d+(?:st|nd|rd|th)\b"  # 20th
    r"|\b\d{4}-\d\d-\d\d\b"  # 2026-11-20
    rf"|\b(?:\d{{1,2}}\.?\s+)?{_MONTH}\s+(?:\d{{1,2}},?\s+)?(?:\d{{4}}\b)?"  # 20 November 2026
)
"""A date, or the place of something in an order."""
_UNIT_WORD = re.compile(r"[^\W\d_]+|%")
_HEAD_WITHIN, _UNIT_WITHIN = 3_000, 200
"""Numbers of characters before and behind a number in which its unit may stand."""
HEAD_OF_TABLE = 2
"""Lines of a table above its first row."""
_YEARS = range(1_900, 2_101)
_MAX_PAGE_COUNT = 12
"""The largest number without a unit that may count what the page itself lists."""
_OWN_GROUNDS = frozenset({Ground.EXAMPLE, Ground.MEASURED})
"""Grounds of sentences that may name what no work has."""


@dataclass(frozen=True, slots=True)
class Invention:
    """An option, a variable or a figure that no work has."""

    name: str
    said: str
    """The sentence or the line of code, as a reader sees it."""
    offset: int
    """Its offset in the page's body."""
    is_certain: bool = True
    """False in an example or a measurement of the writer's own, and for a name that the writer may
    have given."""


class WorkTexts:
    """The texts of all works that were read for a page."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._text = "\n".join(texts)
        dashed = self._text.translate(_DASHES)
        whole = _CUT_LINE.sub("-", _NEGATABLE.sub("--", dashed))
        self._options = {name for text in (dashed, whole) for name in _OPTION.findall(text)}
        self._words = set(re.findall(r"[\w+]+(?:[-.][\w+]+)*", dashed)) | set(
            re.findall(r"\w+", dashed)
        )

    @cached_property
    def _programs(self) -> set[str]:
        return {word.casefold() for word in self._words}

    def has_setting(self, name: str) -> bool:
        """Return whether a text has an option or a variable.

        The beginning of an option stands for its family, and an option for its negation. Tables
        often list options without their hyphens: that counts if no other word looks like it.
        """
        if not name.startswith("--"):
            is_written = name in self._words or has_dotted_name(self._text, name)
            return is_written or self._has_field(name)
        positive = f"--{name.removeprefix('--no-').removeprefix('--')}"
        if not {positive, f"--no-{positive[2:]}"}.isdisjoint(self._options):
            return True
        bare = name.strip("-")
        is_distinctive = "-" in bare or not bare.islower()  # as --webhookTimeout
        is_bare = is_distinctive and bare in self._words
        return is_bare or any(other.startswith(f"{name}-") for other in self._options)

    def in_other_case(self, name: str) -> str:
        """Return a name as the texts have it, if only its case differs; else empty."""
        return self._by_lower_case.get(name.casefold(), "")

    @cached_property
    def _by_lower_case(self) -> dict[str, str]:
        return {word.casefold(): word for word in sorted(self._words | self._options)}

    def has_family(self, name: str) -> bool:
        """Return whether the texts have several settings below the prefix of a dotted name."""
        prefix = f"{name.partition('.')[0]}."
        family = [word for word in self._words if word.startswith(prefix)]
        return len(family) >= _MIN_FAMILY_SIZE

    def _has_field(self, path: str) -> bool:
        """Return whether a text has the last part of a path: ``renewalTime`` in ``status.``.

        A field of Go begins with a capital where that of JSON does not.
        """
        field = path.rpartition(".")[2]
        capitalized = f"{field[:1].upper()}{field[1:]}"
        return field != path and not self._words.isdisjoint({field, capitalized})

    def has_command(self, name: str) -> bool:
        """Return whether a text names a program."""
        return name.rpartition("/")[2].casefold() in self._programs

    def lacks_subcommand(self, command: str) -> bool:
        """Return whether no text has the program of a command with its subcommand.

        Of ``kubectl run``, works that have ``kubectl get`` alone do not have the options.
        """
        names = _SUBCOMMAND.match(command.strip())
        return names is not None and names[0] not in self._text

    def has_figure(self, figure: Quantity) -> bool:
        """Return whether a text has a number, with its unit or in another one.

        The unit may stand at some distance, as in the head of a table. In ``#317``, the number of
        an issue, no text has 317 MB.
        """
        if not figure.dimension:
            return self._quantities.has(figure)
        return any(
            other.dimension or self._has_unit_near(figure, other.start)
            for other in self._quantities.with_value(figure)
        )

    def _has_unit_near(self, figure: Quantity, start: int) -> bool:
        """Return whether the unit of a figure stands near a bare number that begins at `start`."""
        if self._text.endswith("#", 0, start):
            return False
        nearby = self._text[max(0, start - _HEAD_WITHIN) : start + _UNIT_WITHIN]
        unit = (figure.dimension, figure.factor)
        return any(UNITS.get(word) == unit for word in _UNIT_WORD.findall(nearby))

    @cached_property
    def _quantities(self) -> QuantityIndex:
        return QuantityIndex(self._text)


def find_inventions(parsed: ParsedDraft, works: WorkTexts, about: str) -> Iterator[Invention]:
    """Yield what a page names, outside of quotes, and no work has, in the order of the page.

    Each is named once a sentence.

    Args:
        parsed: the page.
        works: the texts of the works that were read for it.
        about: the plan's words, which the page may use.
    """
    known = WorkTexts([about])
    blocks = [node.all_text() for node in parsed.nodes if node.name == "CodeBlock"]
    assigned = set(_ASSIGNED_VARIABLE.findall("\n".join(blocks)))
    seen: set[tuple[str, str]] = set()
    inventions = [
        *_invented_in_prose(parsed, works),
        *_invented_in_code(parsed, works),
        *_invented_figures(parsed, works),
    ]
    for invention in sorted(inventions, key=lambda invention: invention.offset):
        is_known = invention.name in assigned or known.has_setting(invention.name)
        key = (invention.name, invention.said)
        if not is_known and key not in seen:
            seen.add(key)
            yield invention


# --- options and variables ------------------------------------------------------------------------


def _invented_in_prose(parsed: ParsedDraft, works: WorkTexts) -> Iterator[Invention]:
    """Yield the settings of paragraphs, lists, tables and headings that no work has."""
    spans = list(find_prose_spans(parsed.nodes))
    hidden: list[tuple[int, int]] = []
    for node in parsed.nodes:
        if hidden and node.start < hidden[-1][1]:
            continue
        if node.name in {"BlockQuote", "CodeBlock", "Html"}:
            hidden.append((node.start, node.end))
        elif node.name == "Code":
            hidden.append((node.start, node.end))
            code = parsed.source_of(node).strip("`").strip()
            if _is_in_example(parsed, spans, node) and works.lacks_subcommand(f"{code} "):
                continue
            for name in _invented_in_code_span(code, works):
                yield from _invention(parsed, spans, name, node.start)
    blanks = ((start, end, blank_out(parsed.body[start:end])) for start, end in hidden)
    prose = apply_edits(parsed.body, blanks)
    for match in (*_OPTION.finditer(prose), *_VARIABLE.finditer(prose)):
        is_word = match[0].strip("-").casefold() in FUNCTION_WORDS
        if not is_word and not works.has_setting(match[0]):
            yield from _invention(parsed, spans, match[0], match.start())


def _is_in_example(parsed: ParsedDraft, spans: Sequence[tuple[int, int]], node: Node) -> bool:
    """Return whether code stands in a sentence or cell that is marked as an example."""
    if any(start <= node.start < end for start, end in spans):
        sentence = _sentence_at(parsed.sentences, node.start)
        return sentence is not None and sentence.ground is Ground.EXAMPLE
    mark = MARK.search(parsed.body[node.end :].partition("\n")[0].partition("|")[0])
    return mark is not None and mark["ground"] == Ground.EXAMPLE.value


def _invented_in_code_span(code: str, works: WorkTexts) -> Iterator[str]:
    """Yield the settings of code in a sentence that no work has."""
    yield from settings_of(code, works)
    for match in (*_VARIABLE.finditer(code), *_KEY.finditer(code)):
        if not works.has_setting(match[0]):
            yield match[0]


def settings_of(command: str, works: WorkTexts) -> tuple[str, ...]:
    """Return the long options of a command that no work has.

    Those of a program that no work names are left out.
    """
    commands = list(_COMMAND.finditer(command))
    settings = []
    for match in _OPTION.finditer(command):
        programs = [
            command_match["name"]
            for command_match in commands
            if command_match.start() <= match.start()
        ]
        program = programs[-1] if programs else "-"
        is_of_other = not program.startswith("-") and not works.has_command(program)
        if not is_of_other and not works.has_setting(match[0]):
            settings.append(match[0])
    return tuple(settings)


def _invention(
    parsed: ParsedDraft, spans: Sequence[tuple[int, int]], name: str, offset: int
) -> Iterator[Invention]:
    """Yield a setting with the sentence that names it, else with the line of the table.

    A sentence that says that no work has it is right.
    """
    is_certain = not _KEY.fullmatch(name)
    with_name = [span for span in spans if span[0] <= offset < span[1]]
    sentence = _sentence_at(parsed.sentences, offset) if with_name else None
    if sentence is None or sentence.start < with_name[-1][0]:
        line_start = parsed.body.rfind("\n", 0, offset) + 1
        line = parsed.body[line_start:].partition("\n")[0]
        yield Invention(name, words(line.replace("|", " ")), offset, is_certain)
    elif sentence.ground is not Ground.NOT_FOUND:
        may_be_writers_own = sentence.ground in _OWN_GROUNDS
        yield Invention(name, sentence.text, offset, is_certain and not may_be_writers_own)


def _sentence_at(sentences: Sequence[GroundedSentence], offset: int) -> GroundedSentence | None:
    """Return the last sentence that begins at or before an offset."""
    index = bisect_right([sentence.start for sentence in sentences], offset)
    return sentences[index - 1] if index else None


def _invented_in_code(parsed: ParsedDraft, works: WorkTexts) -> Iterator[Invention]:
    """Yield the options of blocks of code that no work has."""
    for block in find_quoting_blocks(parsed.nodes):
        if not block.is_code:
            continue
        above = _sentence_at(parsed.sentences, block.above[1] - 1) if block.above else None
        is_writers_own = above is not None and above.ground in _OWN_GROUNDS
        is_example = above is not None and above.ground is Ground.EXAMPLE
        for line in code_lines(block.node.all_text()):
            if line.startswith("#"):
                continue
            command = line.partition(" # ")[0]
            if is_example and works.lacks_subcommand(command):
                continue
            for name in settings_of(command, works):
                yield Invention(name, line, block.node.start, is_certain=not is_writers_own)
            for setting in _SETTING.findall(command):
                if works.has_family(setting) and not works.has_setting(setting):
                    yield Invention(setting, line, block.node.start, is_certain=not is_writers_own)


# --- figures --------------------------------------------------------------------------------------


def _invented_figures(parsed: ParsedDraft, works: WorkTexts) -> Iterator[Invention]:
    """Yield the figures that no work has of sentences and rows without a ground."""
    for sentence in parsed.sentences:
        has_own_quotes = sentence.ground is not Ground.NONE and not sentence.is_covered
        if has_own_quotes or PAGE_WORDS.search(sentence.text):
            continue
        for figure in figures_in(sentence.text):
            if not works.has_figure(figure):
                yield Invention(figure.written, sentence.text, sentence.start)
    for node in parsed.nodes:
        rows = rows_without_ground(parsed, node) if node.name == "Table" else ()
        for row, offset in rows:
            for figure in figures_in(row):
                if not works.has_figure(figure):
                    yield Invention(figure.written, row, offset)


def rows_without_ground(parsed: ParsedDraft, table: Node) -> Iterator[tuple[str, int]]:
    """Yield the rows of one table that neither cite nor have a mark, with their offsets."""
    cited = [citation.group_start for citation in citations_within(parsed.citations, table)]
    lines = list(re.finditer(r".+", parsed.source_of(table)))
    for line in lines[HEAD_OF_TABLE:]:
        start, end = table.start + line.start(), table.start + line.end()
        # The first word of a cell is capitalized as that of a sentence is.
        cells = filter(None, (words(cell) for cell in cells_of(line[0])))
        text = " ".join(cell if cell[-1] in ".!?:" else f"{cell}." for cell in cells)
        has_citation = any(start <= at < end for at in cited)
        if text and not has_citation and MARK.search(line[0]) is None:
            yield text, start


def figures_in(sentence: str) -> Iterator[Quantity]:
    """Yield the numbers of a sentence that say something of its subject.

    Dates do not, nor counts of what a page lists.
    """
    for figure in read_quantities(_DATE.sub(" ", sentence)):
        is_bare = "." not in figure.text and not figure.dimension
        is_year = is_bare and int(figure.text) in _YEARS
        is_count = is_bare and int(figure.text) <= _MAX_PAGE_COUNT
        if not figure.is_spelled and not is_year and not is_count:
            yield figure
