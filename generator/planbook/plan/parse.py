"""Parse a plan's Markdown into a :class:`~planbook.model.Plan` and its Problems."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile
from pathlib import PurePosixPath

from planbook.markdown.budgets import read_budget, without_budget
from planbook.markdown.document import decoded
from planbook.markdown.plain_text import count
from planbook.markdown.plan_blocks import Block, read_plan_blocks
from planbook.model import Part, Plan, PlanUri, Problem, State, Step, Task
from planbook.plan.body import read_part
from planbook.plan.labels import Label, Meaning, is_key_of, read_label
from planbook.plan.lint import lint_plan
from planbook.plan.parts import NAMED, Span, find_groups, find_parts, outside
from planbook.plan.phrases import read_targets
from planbook.plan.status import StatusLine, read_status, read_status_line, state_of, without_mark

MAX_LINE = 4_000
"""Longest line read, in characters; the rest of a longer line is skipped, with a Problem."""

MIN_BOXES = 3
"""The fewest boxes in a file named like a plan that make it look like one."""
NAMED_LIKE_PLAN = re.compile(r"(?:^|/)(?:plans/[^/]+|plan|tasks)\.md$", re.IGNORECASE)
HAS_PART = re.compile(rb"^[ ]{0,3}(?:#{1,6}|\*\*)[^\n]{0,80}?\bPART[ \t]+#?\d", re.MULTILINE)
"""A quick test: a page without a match, named otherwise, is no plan."""

_BLANKS = {"\xa0": " ", "\u202f": " ", "\ufeff": "", "\u200b": ""}
"""Characters that look like a space, or are invisible."""

_CREATES = re.compile(
    r"^\W{0,8}(?:(?:Create|Write|Update|Expand|Produce|Generate|Make)\b|File\W{0,4}:|\S+\.md\b)", re.IGNORECASE
)
_CODE_PATH = re.compile(r"(?<![\w/:.-])[\w.-]+/[\w./-]*\.(?!md\b|pdf\b|html?\b)[a-z]{1,4}\b")
_MAINS = frozenset({"ingestion", "plan", "tasks"})
"""File names of a plan in a folder of its own, whose name is better."""
_GENERATED = frozenset({"INDEX.md", "SKILL.md"})
_TEMPLATE_NAME = re.compile(r"^[_.-]?templates?(?:[_.-]|$)|[_.-]template$", re.IGNORECASE)
_TEMPLATE_TITLE = re.compile(r"[\[<{](?:TOPIC|TITLE|NAME|PLAN|SUBJECT)[^\]>}]*[\]>}]|\bTEMPLATE\b", re.IGNORECASE)


def parse_bytes(raw: bytes, uri: str) -> tuple[Plan, tuple[Problem, ...]]:
    """Parse a file's bytes. Never fails: bytes that are not UTF-8 are replaced and reported as P001."""
    text, defects = decoded(raw, uri, "P001")
    plan, problems = parse(text, uri)
    return plan, (*defects, *problems)


def parse(text: str, uri: str) -> tuple[Plan, tuple[Problem, ...]]:
    """Return the plan in `text`, and its Problems (codes P0xx) in line order. `uri` is the plan's path."""
    text, problems = _readable(text.removeprefix("\ufeff"), uri)
    blocks = read_plan_blocks(text)
    spans = find_parts(blocks)
    statuses = _status_lines(blocks, spans)
    parts = tuple(_part(span, lines) for span, lines in zip(spans, statuses, strict=True))
    is_own = any(part.status_line or NAMED.match(span.heading.text) for span, part in zip(spans, parts, strict=True))
    if not is_own and (groups := find_groups(blocks)):
        has_code = bool(_CODE_PATH.search(text))
        spans, parts, statuses = groups, tuple(_group(span, has_code) for span in groups), [() for _ in groups]
    title = _document_title(blocks, {span.heading.line for span in spans})
    path = PurePosixPath(uri)
    plan = Plan(
        uri=PlanUri(uri),
        title=title or (path.parent.name if path.stem in _MAINS else "") or path.stem,
        meta=_meta(blocks),
        parts=parts,
        checkboxes=tuple(sorted(Counter(b.mark for b in blocks if b.kind == "item" and b.mark is not None).items())),
        overview=_overview(blocks, spans),
        is_template=_is_template(uri, title),
    )
    problems += lint_plan(plan, blocks, statuses)
    return plan, tuple(sorted(problems, key=lambda p: (p.line, p.code)))


def may_have_part(raw: bytes) -> bool:
    """Return whether a text may have a PART; a quick test."""
    return b"PART" in raw and HAS_PART.search(raw) is not None


def plan_in_page(raw: bytes, uri: str, docs_dir: str) -> tuple[Problem, ...]:
    """Return K036 for a page that reads like a plan, or is named like one, although `plans_dir` does not name it."""
    plan, _ = parse_bytes(raw, uri)
    parts = sum(bool(part.status_line or part.targets) for part in plan.parts if not part.is_group)
    boxes = sum(number for _, number in plan.checkboxes)
    if plan.is_template or (not parts and (boxes < MIN_BOXES or not NAMED_LIKE_PLAN.search(uri))):
        return ()
    folder = str(PurePosixPath(docs_dir) / PurePosixPath(uri).parent)
    what = (
        f"this page looks like a plan ({count(parts, 'PART')}, {count(boxes, 'box', 'boxes')}), but is not read as one"
    )
    return (Problem(uri, 1, "K036", f"{what}; if it is a plan, add `{folder}` to `plans_dir` in mkdocs.yml"),)


def _document_title(blocks: Sequence[Block], parts: Container[int]) -> str:
    """Return the text of the first heading; none if it is a PART's."""
    for block in blocks:
        if block.kind == "heading":
            return "" if block.line in parts and block.level > 1 else block.text.strip("* ")
    return ""


def _readable(text: str, uri: str) -> tuple[str, list[Problem]]:
    """Truncate overlong lines of `text`, with a Problem for each."""
    for char, instead in _BLANKS.items():  # 40 times as fast as `translate`
        text = text.replace(char, instead)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    problems = []
    for n, line in enumerate(lines):
        if len(line) > MAX_LINE:
            what = f"line of {len(line):,} characters; only the first {MAX_LINE:,} were read; break the line"
            problems.append(Problem(uri, n + 1, "P002", what))
            lines[n] = line[:MAX_LINE]
    return "\n".join(lines), problems


def _status_lines(blocks: Sequence[Block], spans: Sequence[Span]) -> list[tuple[StatusLine, ...]]:
    """Return each PART's status lines; a PART without one gets those that name it elsewhere in the plan."""
    own: list[tuple[StatusLine, ...]] = []
    numbers = {span.number for span in spans}
    for span in spans:
        found = [s for b in span.body if b.depth <= 1 and (s := read_status_line(b))]
        named = tuple(s for s in found if s.number == span.number)
        mistaken = tuple(s for s in found if s.number not in numbers and not s.is_closing)
        own.append(named or mistaken)
    if all(own):
        return own
    foreign = [(b, span.number) for span in spans for b in span.body if b.kind == "item"]
    spare = defaultdict[int, list[StatusLine]](list)
    for block, number in [*((b, None) for b in outside(blocks, spans)), *foreign]:
        status = read_status_line(block)
        if status and status.number != number:
            spare[status.number].append(status)
    pairs = zip(spans, own, strict=True)
    return [lines or tuple(spare[span.number]) or _unnumbered(span) for span, lines in pairs]


def _unnumbered(span: Span) -> tuple[StatusLine, ...]:
    """Return the checkbox before the first step that says what to create or what is read, without the PART's name."""
    for block in span.body:
        if block.kind == "heading" or re.match(r"^\W{0,16}Step\s+\d", block.text):
            break
        if block.kind == "item" and block.depth == 1:
            is_named = _CREATES.match(block.text) and read_targets(block.text)
            label = read_label(block.text)
            is_source = label is not None and label.has_colon and is_key_of(label.key, Meaning.SOURCE)
            if block.mark is not None and (is_named or is_source):
                return (StatusLine(span.number, block.mark, block.text, block.line),)
            break
    return ()


def _part(span: Span, lines: tuple[StatusLine, ...]) -> Part:
    body, fields = read_part(span, frozenset(s.line for s in lines))
    heading = f"{span.lead} {span.rest}".strip()
    paragraph, completed = fields.get(Meaning.STATUS), fields.get(Meaning.COMPLETED)
    status = read_status(heading, lines, paragraph, completed)
    text = next((line.text for line in lines if not line.is_closing), "")
    named = read_targets(text) or read_targets(span.rest) or body.targets or read_targets(span.rest, noted=True)
    pages = tuple(target for target in named if PurePosixPath(target).name not in _GENERATED)
    return replace(
        body,
        title=_title(span.rest),
        state=State.DISABLED if span.is_disabled else status.state,
        targets=pages or named,
        is_chore=bool(named and not pages),
        status_line=status.status_line,
        completed=status.completed,
        note=status.note,
        lines_budget=read_budget(span.rest) or read_budget(text) or body.lines_budget,
    )


def _group(span: Span, has_code: bool) -> Part:
    """Return a heading with boxes as a PART. In a plan that names code, only pages below ``docs/`` are targets."""
    boxes = [block for block in span.body if block.mark is not None]
    states = {state_of(block.mark) for block in boxes if block.mark is not None}
    states = states - {State.SKIPPED} or states
    named = (read_targets(text) for text in (span.rest, *(block.text for block in boxes)) if _CREATES.match(text))
    targets = [path for paths in named for path in paths if path.startswith("docs/") or not has_code]
    return Part(
        number=span.number,
        title=_title(span.rest),
        line=span.heading.line,
        end_line=span.end_line,
        state=states.pop() if len(states) == 1 else State.PARTIAL,
        targets=tuple(dict.fromkeys(path for path in targets if PurePosixPath(path).name not in _GENERATED)),
        steps=(Step(None, "Tasks", tuple(Task(b.text, b.mark, b.line) for b in boxes)),),
        is_group=True,
    )


def _title(rest: str) -> str:
    """Return the heading without budget, status mark and emphasis."""
    title, before = rest, None
    while title != before:
        before = title
        title = re.sub(
            r"(?:(?<!\s)\s+)?\((?:completed?|done|finished|disabled|skipped)\b[^()]*\)\s*$",
            "",
            title,
            flags=re.IGNORECASE,
        )
        title = without_mark(without_budget(title, is_planned=True))
    title = title.strip()
    if title.count("**") % 2:
        title = title.replace("**", "")
    bare = re.fullmatch(r"(\*\*|__|\*|_|`)([^*`]+)\1", title)
    return (bare[2] if bare else title).strip()


def _meta(blocks: Sequence[Block]) -> tuple[tuple[str, str], ...]:
    """Return the header's keys and values, from the H1 to the first rule or heading.

    The items of a list below an empty value are its value, joined by semicolons.
    """
    start = 1 if blocks and blocks[0].kind == "heading" else 0
    meta: list[tuple[str, list[str]]] = []
    is_listed = False
    header = takewhile(lambda block: block.kind not in {"heading", "rule"}, blocks[start:])
    for block in (block for block in header if block.kind != "fence"):
        is_item = block.kind == "item" and not _header_label(block.text)
        if is_item and meta and (is_listed or not any(meta[-1][1])):
            meta[-1][1].append(block.text)
            is_listed = True
            continue
        is_listed = False
        labels = (_header_label(line) for line in block.lines if not is_item)
        meta += [(label.key, [label.value]) for label in labels if label]
    return tuple((key, "; ".join(filter(None, values))) for key, values in meta)


def _header_label(text: str) -> Label | None:
    label = read_label(text)
    return label if label and label.has_colon else None


def _overview(blocks: Sequence[Block], spans: Sequence[Span]) -> str:
    """Return the first paragraph of prose below a heading such as Overview, before the first PART."""
    first = spans[0].heading.line if spans else len(blocks) and blocks[-1].end_line
    for above, block in pairwise(blocks):
        if block.line >= first:
            break
        if above.kind == "heading" and above.level > 1 and block.kind == "paragraph":
            return " ".join(block.lines)
    return ""


def _is_template(uri: str, title: str) -> bool:
    """Return True if this is a form to copy rather than a plan, judging by its name or blanks in its title."""
    path = PurePosixPath(uri)
    in_folder = any(folder.lower().strip("_") in {"template", "templates"} for folder in path.parts[:-1][-3:])
    return in_folder or bool(_TEMPLATE_NAME.search(path.stem) or _TEMPLATE_TITLE.search(title))
