"""Lines of a PART that nearly have a form of the table, and searches that are not read.

A line is compared with the table only if it has the shape of the form: a number behind *Section*,
quotes or a colon behind *Search*, a path behind *Create*. So ordinary words that resemble a label
are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from textwrap import shorten

from planbook.markdown.plan_blocks import Block
from planbook.model import Part
from planbook.plan.forms import FORMS, FormKind, Meaning
from planbook.plan.labels import Label, is_known_label, read_label, topic_of
from planbook.plan.misspelled_budgets import describe_near_budget
from planbook.plan.numerals import NUMBER
from planbook.plan.paths import find_broken_path, read_targets
from planbook.plan.queries import find_words_of_search, read_queries
from planbook.plan.quotations import find_quoted_strings
from planbook.plan.spelling import is_misspelling

_FIRST_WORD = re.compile(r"^[^\w|]{0,8}(?P<word>[A-Za-z]{3,12})(?![\w/.-])(?P<rest>.*)$")
_EMPTY_QUERY = re.compile(
    r"^\W{0,8}(?:search|query|google)\b[^:\"“`]{0,40}:?\s*(?:\"\s*\"|“\s*”|`\s*`|'\s*')\s*$",
    re.IGNORECASE,
)
_QUERY_ALONE = re.compile(r"^\W{0,8}(?:search|query)\b[^:\"“`]{0,30}:[*_\s]*$", re.IGNORECASE)


SHOWN_CHARS = 60
"""Number of characters of a query or a line that a message shows."""


def find_misspelled_lines(
    parts: Sequence[Part], blocks: Sequence[Block]
) -> Iterator[tuple[int, str]]:
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
            # One message for a line is enough: the first that fits.
            for find in (_near_form, _near_label, _empty_query, describe_near_budget):
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
    # Below a step that reads the base or writes the page, a search is none of the web.
    titles = (step.title for step in part.steps for task in step.tasks if task.line == block.line)
    if any(topic_of(title) not in {None, Meaning.RESEARCH, Meaning.QUERIES} for title in titles):
        return None
    if any(_QUERY_BELOW.match(line) for line in block.lines[1:]):
        return None
    match = find_words_of_search(text, is_task=block.mark is not None)
    if not match or match["words"].strip() in _words_read(part) or text in _words_read(part):
        return None
    query = match["words"].strip(" .").replace("`", "")
    words = shorten(query, SHOWN_CHARS, placeholder=" …")
    engine = f" {match['place']}" if match["place"] else ""
    defect = "this task looks like a search, but its words are not read"
    return f'{defect}; did you mean `Search{engine}: "{words}"`?'


@lru_cache(maxsize=64)
def _words_read(part: Part) -> str:
    """Return what was read from a PART's body, apart from its tasks, as one text."""
    outline = [
        text
        for section in part.sections
        for text in (section.title, *section.points, *section.cite, *section.include)
    ]
    inside = [grep.text for grep in part.greps]
    query_texts = [query.text for query in part.queries]
    texts = [part.goal or "", part.page_title or "", *part.sources, *part.gaps, *part.points]
    return "\n".join([*outline, *inside, *query_texts, *texts])


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
    return tuple(
        (name, meaning) for name, meaning in _first_words_of_forms() if is_misspelling(word, name)
    )


@lru_cache(maxsize=1)
def _first_words_of_forms() -> tuple[tuple[str, Meaning], ...]:
    """Return the first words of the forms at the start of lines, with their meanings."""
    lines = [form for form in FORMS if form.kind is FormKind.LINE]
    spelled = (
        (name.split()[0], form.meaning) for form in lines for name in (form.name, *form.also)
    )
    return tuple((name, meaning) for name, meaning in spelled if name.isalpha())


def _near_label(text: str) -> str | None:
    """Return the message for a bold label or a lead-in with nearly the words of the table."""
    label = read_label(text)
    key = _words_of_label(label, text)
    if not key or is_known_label(key) or topic_of(key):
        return None
    for form in FORMS:
        if form.kind is FormKind.LABEL and label and is_misspelling(key, form.name):
            return f"the label `{key}` is not known; did you mean `{form.name}`?"
        if form.kind is FormKind.TOPIC and _is_same_but_for_a_word(key, form.name):
            return f"`{key}` is not known; did you mean `{form.name}`?"
    return None


def _words_of_label(label: Label | None, text: str) -> str:
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
    next_line = following[0]
    if block.kind == "item":
        return next_line.depth > block.depth or next_line.kind == "fence"
    return (
        next_line.kind in {"item", "fence"}
        or bool(find_quoted_strings(next_line.text))
        or "|" in next_line.text
    )
