"""Read the body of a PART: steps, queries, points, outline, sources, prior knowledge, the drop.

Blocks are read once, in order. `Contents` holds the current step, lead-in (``Search queries:``) and
section of the outline; given these, each line can be read on its own.
"""

from __future__ import annotations

import re

from planbook.markdown.plan_blocks import Block
from planbook.model import DONE_MARKS, Task
from planbook.plan.contents import OUTLINE_MEANINGS, Contents
from planbook.plan.fields import add_citations, add_focus, set_field
from planbook.plan.forms import Meaning
from planbook.plan.labels import is_field_in_list, meaning_of, read_label, topic_of
from planbook.plan.lead_ins import is_label_alone, read_item_lead_in, read_lead_in, read_topic_below
from planbook.plan.lines import begins_anew, is_done_alone, is_note, is_quotation, take_line
from planbook.plan.parts import Span
from planbook.plan.paths import find_web_addresses, read_paths
from planbook.plan.queries import find_words_of_search, read_list_of_queries, read_queries
from planbook.plan.quotations import find_quoted_strings
from planbook.plan.state import is_closing
from planbook.plan.steps import STEP, read_step_title, split_step_and_search
from planbook.plan.tables import is_table, read_table_queries

_QUERY_MEANINGS = frozenset({Meaning.QUERIES, Meaning.RESEARCH})
"""The meanings of a label behind which quoted words are queries."""
_NOTE_ALONE = re.compile(r"\([^()]*\)")
"""``(three)``: a note behind a label, and no value."""
_CITE_ALONE = re.compile(r"cite:\s*(\S.*)$", re.IGNORECASE)


def read_contents(span: Span, status_lines: frozenset[int]) -> Contents:
    """Return the contents of a PART.

    The lines of `status_lines` are not tasks; of these, only addresses are read.
    """
    contents = Contents(span.number)
    for block in span.body:
        if block.line in status_lines:
            _take_status_line(contents, block)
            continue
        match block.kind:
            case "paragraph":
                _take_paragraph(contents, block)
            case "item":
                _take_item(contents, block)
            case "fence":
                _take_fence(contents, block)
            case "heading":
                _take_heading(contents, block)
            case _:  # a rule, which ends what is open above it
                contents.outline.close()
                contents.lead_in, contents.is_behind_rule = None, True
    return contents


# --- blocks ---------------------------------------------------------------------------------------


def _take_status_line(contents: Contents, block: Block) -> None:
    """Read the addresses of a status line: ``- [x] **URL**: https://…``."""
    for text in block.lines:
        contents.sources += find_web_addresses(text)


def _take_heading(contents: Contents, block: Block) -> None:
    """Read a heading: a step, a section, a label, or the status that closes the PART."""
    contents.outline.close()
    contents.lead_in = None
    if is_closing(block.text, contents.number):
        contents.set_late_status(block.text)
        return
    if _take_step(contents, block.text, block.line) or _take_section(contents, block.text, 0):
        return
    label = read_label(f"**{block.text.strip('*: ')}**")
    meaning = meaning_of(label, has_path=False) if label else None
    if label and meaning in {Meaning.TARGET, Meaning.CREATED, Meaning.CONTENT, Meaning.GOAL}:
        set_field(contents, meaning, label)
    else:
        contents.open_step(None, block.text.strip("*: "))


def _take_paragraph(contents: Contents, block: Block) -> None:
    """Read a paragraph line by line, and a table of queries whole."""
    is_in_outline = contents.outline.depth is not None
    if not is_in_outline and is_table(block.lines):
        contents.queries += read_table_queries(block.lines)
    is_top_level = block.depth == 0
    if is_top_level:
        # A paragraph ends the list of a lead-in, unless it is that list: quoted queries.
        is_list = all(is_quotation(text) for text in block.lines)
        if contents.lead_in is not Meaning.QUERIES or not is_list:
            contents.lead_in = None
        if STEP.match(block.text):
            contents.outline.close()
    for line, text in enumerate(block.lines, block.line):
        if text:
            _take_line_of_paragraph(contents, text, line, block.depth)


def _take_line_of_paragraph(contents: Contents, text: str, line: int, depth: int) -> None:
    """Read one line of a paragraph: the first reader that knows its form takes it."""
    if is_closing(text, contents.number):
        contents.set_late_status(text)
        return
    if _take_step(contents, text, line) or _take_section(contents, text, depth):
        return
    if depth == 0 and _take_label(contents, text, line):
        return
    words = read_lead_in(text)
    if words and contents.outline.depth is None:
        contents.open_lead_in(words, depth)
    else:
        take_line(contents, text, line, depth, is_item=False)


def _take_item(contents: Contents, block: Block) -> None:
    """Read an item of a list: a field, a task, and what its lines say."""
    has_box = block.mark is not None
    if not has_box and is_closing(block.text, contents.number):
        contents.set_late_status(block.text)
        return
    if not has_box and _is_field(block.text) and _take_label(contents, block.text, block.line):
        return  # it sets a field, and is no task
    if has_box and not contents.steps and is_done_alone(block.text):
        if block.mark in DONE_MARKS:  # ``- [x] complete``
            contents.fields.setdefault(Meaning.STATUS, block.text)
        return
    _add_task(contents, block)
    if block.depth <= contents.lead_in_depth:
        contents.lead_in, contents.lead_in_depth = None, 0
    if contents.outline.depth is not None and not contents.outline.holds(block.depth):
        contents.outline.close()
    first_lines, further = _continuation(block)
    _take_first_line(contents, block, " ".join(first_lines))
    for line, text in enumerate(further, block.line + len(first_lines)):
        words = read_topic_below(text)
        if words:  # the author meant it to end the list
            contents.outline.close()
            contents.open_lead_in(words, block.depth - 1)
        elif not _take_section(contents, text, block.depth):
            take_line(contents, text, line, block.depth + 1, is_item=False)


def _is_field(text: str) -> bool:
    """Return True if an item's label sets a field of the PART: ``- **Status**: done``."""
    label = read_label(text)
    return label is not None and is_field_in_list(label.key)


def _continuation(block: Block) -> tuple[list[str], list[str]]:
    """Return the lines of an item's first paragraph that are one sentence, and the others."""
    lines = list(block.lines) or [""]
    for index, text in enumerate(lines[1:], start=1):
        if begins_anew(text):
            return lines[:index], lines[index:]
    return lines, []


def _add_task(contents: Contents, block: Block) -> None:
    """Add an item with a box, or a plain bullet directly below it, to the current step."""
    is_plain_task = block.depth == contents.step_depth + 1 and contents.outline.depth is None
    if contents.steps and (block.mark is not None or is_plain_task):
        contents.steps[-1][1].append(Task(block.text, block.mark, block.line))


def _take_first_line(contents: Contents, block: Block, sentence: str) -> None:
    """Read an item by its first line; `sentence` has the lines that continue it, too."""
    if _take_section(contents, block.text, block.depth):
        return
    if contents.outline.depth is None:
        words = read_item_lead_in(block.text)
        if words:
            contents.open_lead_in(words, block.depth)
            return
        if not contents.steps and is_label_alone(block):
            contents.open_step(None, block.text.strip("*: "))
            contents.step_depth = block.depth
            return
    if not take_line(contents, sentence, block.line, block.depth, is_item=True):
        _take_loose_item(contents, block, sentence)


def _take_loose_item(contents: Contents, block: Block, sentence: str) -> None:
    """Add an item that has no form: a point without a step and lead-in, else a task.

    Items of a step are tasks already, except for bullets below another item.
    """
    plain = sentence.replace("**", "").strip()
    is_below_item = block.mark is None and block.depth > contents.step_depth + 1
    if contents.steps and is_below_item and contents.outline.depth is None:
        contents.steps[-1][1].append(Task(block.text, None, block.line))
    has_step_or_lead_in = bool(contents.steps or contents.lead_in)
    is_inner = contents.is_behind_rule or block.depth > 1
    if has_step_or_lead_in or is_inner or is_note(plain):
        return
    cited = _CITE_ALONE.match(plain)
    if cited:
        add_citations(contents, cited[1], is_of_section=False)
    elif not find_words_of_search(plain, is_task=block.mark is not None):
        contents.points.append(sentence)


def _take_fence(contents: Contents, block: Block) -> None:
    """Read a fenced outline, or fenced queries below their lead-in.

    Checkboxes in it are text.
    """
    if contents.lead_in is Meaning.QUERIES:
        texts = [line.strip() for line in block.lines if line.strip()]
        contents.queries += [
            query for text in texts for query in read_queries(text, is_listed=True)
        ]
    elif block.info.split(" ")[0] in {"markdown", "md", "", "text"}:
        contents.outline.add_fence(block)
    contents.outline.close()


# --- lines ----------------------------------------------------------------------------------------


def _take_step(contents: Contents, text: str, line: int) -> bool:
    """Begin the step that a line names, with the search that may follow in the same line."""
    step_and_search = split_step_and_search(text)
    title = read_step_title(step_and_search[0] if step_and_search else text)
    if title:
        contents.open_step(*title)
    if step_and_search:
        take_line(contents, step_and_search[1], line, 0, is_item=False)
    return bool(title or step_and_search)


def _take_section(contents: Contents, text: str, depth: int) -> bool:
    """Begin the section of the outline that a line names."""
    if depth == 0:  # ``**Content (~400 lines):**`` looks like one, with its budget
        label = read_label(text)
        meaning = meaning_of(label, has_path=False) if label else None
        if meaning in {Meaning.BUDGET, Meaning.CONTENT}:
            return False
    is_expected = bool(OUTLINE_MEANINGS & {contents.step_kind, contents.lead_in})
    return contents.outline.begin(text, depth, is_expected=is_expected)


def _take_label(contents: Contents, text: str, line: int) -> bool:
    """Read a ``**Key**: value`` or ``**Research:**`` line."""
    label = read_label(text)
    if label is None:
        return False
    key, value = f"{label.key} {label.note}".strip(), label.value
    meaning = meaning_of(label, has_path=bool(read_paths(value)))
    topic = topic_of(key)
    has_value = bool(value) and not _NOTE_ALONE.fullmatch(value)
    if meaning:
        set_field(contents, meaning, label)
    elif topic in _QUERY_MEANINGS and find_quoted_strings(value):
        take_line(contents, text, line, 0, is_item=False)
    elif has_value:
        contents.open_lead_in(key, 0)
        _take_value_of_topic(contents, value, text, line)
    elif topic is Meaning.QUERIES:
        contents.open_lead_in(key, 0)
    else:
        contents.open_step(None, f"{key} {value}".strip())
    return True


def _take_value_of_topic(contents: Contents, value: str, text: str, line: int) -> None:
    """Read what stands behind a label that has just opened a topic, or the line if it has not."""
    match contents.lead_in:
        case Meaning.POINTS:
            add_focus(contents, value)
        case Meaning.QUERIES:
            contents.queries += read_list_of_queries(value)
        case None:
            take_line(contents, text, line, 0, is_item=False)
        case _:
            take_line(contents, value, line, 0, is_item=False)
