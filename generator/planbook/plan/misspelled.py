"""Lines that look like a form of a plan and are not read as one (P042), with the likely meaning.

A line is compared with the table of labels only if it has the shape of the form: a number behind
*Section*, quotes or a colon behind *Search*, a path behind *Create*. So ordinary words that
resemble a label are left alone.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import count, zip_longest
from textwrap import shorten

from planbook.markdown.budgets import NUMBER_WORDS
from planbook.markdown.plan_blocks import Block
from planbook.model import Part, Plan
from planbook.plan.forms import FORMS, Meaning, Place
from planbook.plan.labels import Label, is_known_label, read_label, topic_of
from planbook.plan.numerals import NUMBER, is_letter, value_of
from planbook.plan.parts import PART_IN_ANY_CASE, WORKER
from planbook.plan.phrases import (
    find_broken_path,
    find_quoted_strings,
    find_words_of_search,
    read_queries,
    read_targets,
)
from planbook.plan.spelling import is_misspelling
from planbook.plan.state import is_status_like, read_status_line
from planbook.plan.tables import is_table

Finding = tuple[int, str, str]
"""Line, code, message."""

_DECORATION = r"^[^\w(\[]{0,16}(?:\[[^\[\]]{0,12}\]\s*)?[*_]{0,3}"
_ENDS = r"(?=[*_]{0,3}\s*(?:[:.)–—-]|$)|\s+(?:Create|Write|Update)\b)"
_WORD_AND_NUMBER = re.compile(
    rf"{_DECORATION}(?P<word>[A-Za-z]{{2,10}})(?:[. \t#(_-]{{1,4}}|(?=\d)){NUMBER}{_ENDS}"
)
"""``PRT 2: Mills``, ``**Secton 1**: Mills``."""
_PART_WITHOUT_NUMBER = re.compile(
    rf"{_DECORATION}(?P<word>PART|Part)\b[ \t]*(?P<token>[^\s:]{{0,12}}){_ENDS}"
)
"""``PART x: Mills``, ``PART: Mills``."""
_RANGE = re.compile(r"\d+\s?[-–,&/]|\d+$")
_ORDINAL_WORDS = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth"
_ORDINAL = rf"\d+(?:st|nd|rd|th)|(?:the )?(?:{_ORDINAL_WORDS})"
_PART_BY_ORDINAL = re.compile(
    rf"{_DECORATION}(?:(?i:{_ORDINAL})[ \t]+PART\b|(?:PART|Part)[ \t]+(?i:{_ORDINAL})){_ENDS}"
)
"""``2nd PART: Mills``, ``Part the Second: Mills``."""
_PART_AS_WORD = re.compile(rf"{_DECORATION}(?:PART|Part)\b(?![ \t]*{_RANGE.pattern})")
_FIRST_WORD = re.compile(r"^[^\w|]{0,8}(?P<word>[A-Za-z]{3,12})(?![\w/.-])(?P<rest>.*)$")
_BOX_AND_TEXT = re.compile(
    r"^[^\w\[({]{0,8}(?P<box>\[[^\[\]]{0,20}\]?|\([^()]?\)|\{[^{}]?\})\s*(?P<text>\S.*)$"
)
_EMPTY_QUERY = re.compile(
    r"^\W{0,8}(?:search|query|google)\b[^:\"“`]{0,40}:?\s*(?:\"\s*\"|“\s*”|`\s*`|'\s*')\s*$",
    re.IGNORECASE,
)
_QUERY_ALONE = re.compile(r"^\W{0,8}(?:search|query)\b[^:\"“`]{0,30}:[*_\s]*$", re.IGNORECASE)
_NOTE = re.compile(r"[(\[](?P<note>[^()\[\]]{1,40})[)\]]")
_OTHER_UNIT = re.compile(
    r"^(?P<about>[~≈]\s?|about |max\.? |up to )?(?:(?P<count>\d[\d,.]*)"
    r"(?:ish lines?|\s?(?:LOC|l\.|ll\.|lns?\.?)| (?P<unit>words|pages))"
    r"|lines?:\s?(?P<behind>\d+))$",
    re.IGNORECASE,
)
"""``300 LOC``, ``300ish lines``, ``lines: 300``, ``1,200 words``."""
_COUNTED = re.compile(r"^[~≈]?\s?\d[\d,.–-]*\s?\+?\s?(?P<unit>[A-Za-z]{3,6})$")
_LINES_OF = re.compile(
    r"^[~≈]?\s?(?:about |around )?(?P<count>[\w?]+(?:[ -][\w?]+){0,3})\s+lines?$", re.IGNORECASE
)


_MEANT_PART = re.compile(r"^this heading is not a PART; did you mean `PART (?P<number>\d{1,9})`")


def find_lines_not_understood(plan: Plan, blocks: Sequence[Block]) -> Iterator[Finding]:
    """Yield P042 for each line that looks like a form of a plan, and was not read as one.

    There is at most one a line.
    """
    parts = [part for part in plan.parts if not part.is_group]
    seen: set[int] = set()
    of_tables = () if plan.parts else _of_tables(blocks)
    messages = (
        *_of_names(plan, parts, blocks),
        *_of_interruptions(parts, blocks),
        *_of_bodies(parts, blocks),
        *of_tables,
    )
    for line, message in messages:
        if line not in seen:
            seen.add(line)
            yield line, "P042", message


def _of_tables(blocks: Sequence[Block]) -> Iterator[tuple[int, str]]:
    """Yield the tables of a plan without PARTs whose rows name pages."""
    for block in blocks:
        rows = block.lines[2:] if block.kind == "paragraph" and is_table(block.lines) else ()
        named = [path for row in rows for path in read_targets(row.replace("|", " "), noted=True)]
        if named:
            yield (
                block.line,
                "a table is not read as PARTs; write a heading for each row, "
                f"such as `## PART 1: Create {named[0]}`",
            )


# --- PARTs and status lines -----------------------------------------------------------------------


def _of_names(
    plan: Plan, parts: Sequence[Part], blocks: Sequence[Block]
) -> Iterator[tuple[int, str]]:
    """Yield headings, bold paragraphs and boxes that nearly name a PART."""
    starts = {part.line: part.number for part in parts}
    levels = {block.level for block in blocks if block.kind == "heading" and block.line in starts}
    numbers = {part.number for part in parts}
    used = {part.status_line for part in parts}
    last = 0
    for block in blocks:
        last = starts.get(block.line, last)
        if block.line in starts or block.kind not in {"heading", "paragraph", "item"}:
            continue
        free = next(number for number in count(last + 1) if number not in numbers)
        if block.kind == "heading":
            message = _near_heading(block, levels, free)
        elif block.text.startswith(("**", "__")):
            message = _near_part(block.text, free)
        elif block.line not in used and block.depth <= 1:
            message = _near_status_line(block, numbers)
        else:
            message = None
        if message:
            meant = _MEANT_PART.search(message)
            if meant:  # its status line needs no heading either
                numbers.add(int(meant["number"]))
            last = max(last, free if f"PART {free}:" in message else 0)
            yield block.line, message


_SHOWN_CHARS = 60
"""Number of characters of a query that a message shows."""


def _near_heading(block: Block, levels: set[int], free: int) -> str | None:
    """Return the message for a heading; only those at the level of a PART's may be one."""
    is_at_level = block.level in levels
    if levels and not is_at_level:
        return None
    message = _near_part(block.text, free)
    if not message and is_at_level:
        message = _page_without_part(block.text)
    return message


def _near_part(text: str, free: int) -> str | None:
    """Return the message for a heading that looks like a PART's; `free` is a number for it."""
    match = PART_IN_ANY_CASE.match(text)
    if match:
        if not is_letter(match["number"]):
            return None
        letter = match["number"]
        numbers = dict.fromkeys([free, value_of(letter)] if free > 1 else [value_of(letter)])
        right = " or ".join(_as_part(number, match["rest"]) for number in numbers)
        defect = f"{letter} may be a number or something to fill in"
        return f"this heading looks like a PART, but {defect}; did you mean {right}?"
    bare = _PART_WITHOUT_NUMBER.match(text)
    is_bare = bare and not _RANGE.match(bare["token"]) and _is_number_like(bare["token"])
    names_page = _PART_AS_WORD.match(text) and read_targets(text)
    if is_bare or names_page or _PART_BY_ORDINAL.match(text):
        _, mark, title = re.split(r"([:.)–—]|$)", text, maxsplit=1)
        right = _as_part(free, title if mark else "")
        return f"this heading looks like a PART, but has no number; did you mean {right}?"
    word = _WORD_AND_NUMBER.match(text)
    if word and (is_misspelling(word["word"], "Part") or word["word"].lower() == "pt"):
        return (
            "this heading is not a PART; "
            f"did you mean `PART {word['number']}` for `{word['word']} {word['number']}`?"
        )
    return None


def _as_part(number: int, title: str) -> str:
    """Return the heading of a PART with the words of `title`, as code."""
    words = title.strip(" *_#:.–—-")
    return f"`## PART {number}: {words[:60] or 'Title'}`"


def _is_number_like(token: str) -> bool:
    bare = token.strip("*_[]()<>#?")
    has_numerals = bool(re.fullmatch(r"[IVXLCDM]+|[ivxlcdm]+|\d\w*", bare))
    return (
        len(bare) <= 2 or has_numerals or any(is_misspelling(bare, word) for word in NUMBER_WORDS)
    )


_ASKS_FOR_PAGE = re.compile(
    r"\W{0,8}\w{1,5}\W{1,3}PART\b"
    r"|\W{0,8}(?:(?:[A-Za-z]{2,14}\W{1,3})?\w{1,5}\W{1,3})?(?:Create|Write)\b"
    r"|\W{0,8}[^\W\d_]{2,14}\W{1,3}\d{1,3}\s?[:.)–—-]"
)
"""``7. PART: mills/1.md``, ``7. Create mills/1.md``, ``Phase 7: mills/1.md``."""


def _page_without_part(text: str) -> str | None:
    """Return the message for a heading beside those of PARTs that names a page, and no PART."""
    targets = [path for path in read_targets(text) if not path.endswith(("INDEX.md", "SKILL.md"))]
    if not targets or not (WORKER.match(text) or _ASKS_FOR_PAGE.match(text)):
        return None
    return (
        f"this heading names the page {targets[0]}, but no PART; "
        f"did you mean `## PART n: Create {targets[0]}`?"
    )


def _near_status_line(block: Block, numbers: set[int]) -> str | None:
    """Return the message for a box that nearly marks a PART."""
    status = read_status_line(block)
    if status:
        if not numbers or status.number in numbers:
            return None
        return (
            f"no heading has the number of PART {status.number}; "
            f"add `## PART {status.number}: Title` above the line"
        )
    text = " ".join(block.lines)
    boxed = None if block.mark is not None else _BOX_AND_TEXT.match(text)
    if boxed and is_status_like(boxed["text"]):
        return (
            f"the box `{boxed['box']}` is not read, so this line marks no PART; "
            "did you mean `[ ]` or `[x]`?"
        )
    word = _WORD_AND_NUMBER.match(text) if block.mark is not None else None
    if word and is_misspelling(word["word"], "Part"):
        name = f"{word['word']} {word['number']}"
        return f"this line marks no PART; did you mean `PART {word['number']}` for `{name}`?"
    return None


# --- headings that end a PART ---------------------------------------------------------------------


_STEP_OR_SECTION = re.compile(r"\W*(?:Step|Section)\s+\d{1,3}\s*[:.)–—-]", re.IGNORECASE)


def _of_interruptions(parts: Sequence[Part], blocks: Sequence[Block]) -> Iterator[tuple[int, str]]:
    """Yield headings that end a PART above lines that only a PART has.

    Below the last PART these may be of the plan, unless that PART has no outline yet.
    """
    ends = [following.line for following in parts[1:]]
    for part, limit in zip_longest(parts, ends):
        stop = limit or (0 if part.sections else blocks[-1].end_line + 1)
        heading: Block | None = None
        for block in blocks[bisect_right(blocks, part.end_line, key=_line) :]:
            if block.line >= stop:
                break
            if block.kind == "heading":
                heading = heading or block
            elif heading and _is_of_part(block):
                start = blocks[bisect_left(blocks, part.line, key=_line)]
                yield heading.line, _interruption(start, part, block)
                break


def _line(block: Block) -> int:
    return block.line


def _is_of_part(block: Block) -> bool:
    """Return True for a step or a section, and for a task that asks for a search."""
    is_line = block.kind in {"item", "paragraph"}
    if not is_line:
        return False
    if _STEP_OR_SECTION.match(block.text):
        return block.mark is not None or block.text.startswith(("**", "__"))
    return block.mark is not None and bool(read_queries(block.text))


def _interruption(start: Block, part: Part, lost: Block) -> str:
    """Return the message; `start` is the block with the PART's name."""
    excerpt = shorten(lost.text.replace("`", "").strip("*_ "), _SHOWN_CHARS, placeholder=" …")
    sign = "#" * min(start.level + 1, 6)
    return (
        f"this heading ends PART {part.number}, so `{excerpt}` on line {lost.line} belongs to none;"
        f" write the heading with {sign}, or move the lines below it"
    )


# --- lines of a PART ------------------------------------------------------------------------------


def _of_bodies(parts: Sequence[Part], blocks: Sequence[Block]) -> Iterator[tuple[int, str]]:
    """Yield lines of PARTs that nearly have a form of the table."""
    remaining = iter(parts)
    part = next(remaining, None)
    for index, block in enumerate(blocks):
        while part and block.line > part.end_line:
            part = next(remaining, None)
        if not part:
            return
        if block.line < part.line or block.kind in {"fence", "rule"}:
            continue
        message = None if block.line == part.status_line else _unread_search(block, part)
        if message:
            yield block.line, message
        for line, text in enumerate(block.lines, block.line):
            for find in (_near_form, _near_label, _empty_query, _near_budget):
                message = find(text)
                if message:
                    yield line, message
                    break
        if _QUERY_ALONE.match(block.text) and not _has_list(block, blocks[index + 1 : index + 2]):
            yield (
                block.line,
                'this line asks for a search, but no query follows; write `Search: "words"`',
            )


_QUERY_BELOW = re.compile(r"\W{0,4}quer(?:y|ies)\W{0,4}:\W*\w", re.IGNORECASE)


def _unread_search(block: Block, part: Part) -> str | None:
    """Return the message for a task that asks for a search which the PART does not have."""
    text = block.text.replace("**", "").strip()
    is_other = block.kind != "item" or ".md" in text or text.endswith(":")
    if is_other or _is_read_as_query(text):
        return None
    titles = (step.title for step in part.steps for task in step.tasks if task.line == block.line)
    if any(topic_of(title) not in {None, Meaning.RESEARCH, Meaning.QUERIES} for title in titles):
        return None
    if any(_QUERY_BELOW.match(line) for line in block.lines[1:]):
        return None
    match = find_words_of_search(text, is_task=block.mark is not None)
    if not match or match["words"].strip() in _words_read(part) or text in _words_read(part):
        return None
    query = match["words"].strip(" .").replace("`", "")
    words = shorten(query, _SHOWN_CHARS, placeholder=" …")
    place = f" {match['place']}" if match["place"] else ""
    defect = "this task looks like a search, but its words are not read"
    return f'{defect}; did you mean `Search{place}: "{words}"`?'


@lru_cache(maxsize=64)
def _words_read(part: Part) -> str:
    """Return what was read from a PART's body, apart from its tasks, as one text."""
    outline = [
        text
        for section in part.sections
        for text in (section.title, *section.points, *section.cite, *section.include)
    ]
    inside = [grep.text for grep in part.greps]
    asked = [query.text for query in part.queries]
    named = [part.goal or "", part.page_title or "", *part.sources, *part.gaps, *part.points]
    return "\n".join([*outline, *inside, *asked, *named])


def _near_form(text: str) -> str | None:
    """Return the message for a line that has the shape of a form, and nearly its first word."""
    match = _FIRST_WORD.match(text)
    if not match:
        return None
    word, rest = match["word"], match["rest"]
    for name, meaning in _names_like(word):
        is_like = _has_shape(meaning, rest)
        if is_like and not (meaning is Meaning.QUERY and _is_read_as_query(text)):
            return f"`{word}` is not read as `{name}`; did you mean `{name}{rest[:40]}`?"
    return None


def _is_read_as_query(text: str) -> bool:
    """Return True if other words of the line say that it has queries, or that they are below it."""
    is_lead_in = text.rstrip("*_ ").endswith(":") and topic_of(text) is Meaning.QUERIES
    return is_lead_in or bool(read_queries(text))


def _has_shape(meaning: Meaning, rest: str) -> bool:
    """Return True if the text behind the first word is as the form needs it."""
    match meaning:
        case Meaning.STEP | Meaning.SECTION:
            numbered = rf"(?i:[ \t]+section)?[ \t]*#?{NUMBER}[*_]{{0,3}}\s*(?:[:.)–—(-]|$)"
            return bool(re.match(numbered, rest))
        case Meaning.READ | Meaning.CREATE:
            return bool(read_targets(rest, noted=True) or find_broken_path(rest))
        case Meaning.GREP:
            return bool(find_quoted_strings(rest))
        case Meaning.QUERY:
            return bool(re.match(r"[^:\"“`]{0,30}(?::|[\"“`])", rest))
        case Meaning.CITE | Meaning.INCLUDE:
            return bool(re.match(r"[*_]{0,3}\s?:", rest))
        case _:
            return bool(re.match(r"[^:]{0,20}:", rest))


@lru_cache(maxsize=1 << 12)
def _names_like(word: str) -> tuple[tuple[str, Meaning], ...]:
    """Return the first words of forms that `word` may be a misspelling of, with their meanings."""
    return tuple((name, meaning) for name, meaning in _first_words() if is_misspelling(word, name))


@lru_cache(maxsize=1)
def _first_words() -> tuple[tuple[str, Meaning], ...]:
    """Return the first words of the forms at the start of lines, with their meanings."""
    lines = [form for form in FORMS if form.place is Place.LINE]
    spelled = (
        (name.split()[0], form.meaning) for form in lines for name in (form.name, *form.also)
    )
    return tuple((name, meaning) for name, meaning in spelled if name.isalpha())


def _near_label(text: str) -> str | None:
    """Return the message for a bold label or a lead-in with nearly the words of the table."""
    label = read_label(text)
    key = _key_of(label, text)
    if not key or is_known_label(key) or topic_of(key):
        return None
    for form in FORMS:
        if form.place is Place.LABEL and label and is_misspelling(key, form.name):
            return f"the label `{key}` is not known; did you mean `{form.name}`?"
        if form.place is Place.TOPIC and _is_same_but_for_a_word(key, form.name):
            return f"`{key}` is not known; did you mean `{form.name}`?"
    return None


def _key_of(label: Label | None, text: str) -> str:
    """Return the words of a label in bold, or of a line that ends in a colon."""
    if label and label.has_colon:
        return label.key
    lead = re.match(r"^\W{0,8}(?P<key>[A-Za-z ]{4,40}):[*_\s]*$", text)
    return lead["key"] if lead else ""


def _is_same_but_for_a_word(words: str, name: str) -> bool:
    """Return True if two phrases have the same words, apart from misspelled ones."""
    pairs = list(zip(words.lower().split(), name.lower().split(), strict=False))
    is_aligned = len(words.split()) == len(name.split())
    return (
        is_aligned
        and words.lower() != name.lower()
        and all(a == b or is_misspelling(a, b) for a, b in pairs)
    )


def _empty_query(text: str) -> str | None:
    if not _EMPTY_QUERY.match(text):
        return None
    return "the query is empty; write its words between the quotation marks"


def _has_list(block: Block, following: Sequence[Block]) -> bool:
    """Return True if what follows a lead-in may be its list."""
    if len(block.lines) > 1:
        return True
    if not following or following[0].kind in {"heading", "rule"}:
        return False
    after = following[0]
    if block.kind == "item":
        return after.depth > block.depth or after.kind == "fence"
    return (
        after.kind in {"item", "fence"}
        or bool(find_quoted_strings(after.text))
        or "|" in after.text
    )


# --- budgets --------------------------------------------------------------------------------------


def _near_budget(text: str) -> str | None:
    """Return the message for a note in parentheses that nearly is a line budget."""
    for note in _NOTE.finditer(text) if "(" in text or "[" in text else ():
        words = note["note"].strip()
        message = _other_unit(words, text)
        if message:
            return message
        counted, lines_of = _COUNTED.match(words), _LINES_OF.match(words)
        if counted and is_misspelling(counted["unit"], "lines", may_replace=False):
            right = words[: counted.start("unit")] + "lines"
            return f"`({words})` is not read as a budget; did you mean `({right})`?"
        if lines_of and _is_misspelled_count(lines_of["count"]):
            return (
                f"`({words})` is not read as a budget; did you mean a number, such as `(40 lines)`?"
            )
    return None


def _other_unit(words: str, text: str) -> str | None:
    """Return the message for a note that gives a length in another form than lines.

    Words and pages are a length only where the page or a section is named.
    """
    match = _OTHER_UNIT.match(words)
    if not match:
        return None
    if match["unit"]:
        names_page = PART_IN_ANY_CASE.match(text) or read_targets(text) or "Section" in text
        fix = "write the length in lines, such as `(300 lines)`"
        return f"`({words})` is not read as a budget; {fix}" if names_page else None
    right = f"{match['about'] or ''}{match['count'] or match['behind']} lines"
    return f"`({words})` is not read as a budget; did you mean `({right})`?"


def _is_misspelled_count(count: str) -> bool:
    """Return True for words that are nearly a number: ``fourty``, ``4OO``, ``???``, ``N``."""
    is_blank = bool(re.fullmatch(r"[?XxN_]+", count))
    has_letters_for_digits = bool(re.fullmatch(r"(?=.*\d)(?=.*[OolI])[\dOolI]+", count))
    if is_blank or has_letters_for_digits:
        return True
    words = re.split(r"[ -]", count.lower())
    unknown = [word for word in words if word not in {*NUMBER_WORDS, "and", "a"}]
    return bool(unknown) and all(
        any(is_misspelling(word, number_word) for number_word in NUMBER_WORDS) for word in unknown
    )
