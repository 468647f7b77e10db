"""Gates on a page's form: its place, its front matter, its sections, its length."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from generator.citations.quotes import words
from generator.drafts import Finding
from generator.library import RESERVED, page_uri
from generator.markdown.plain_text import plain_text
from generator.page.parse import parse_page
from generator.page.terms import tokens
from generator.rules.drafts.handed import Handed, failure, report
from generator.rules.limits import REQUIRED_KEYS, lines_range

KNOWN_KEYS = frozenset({*REQUIRED_KEYS, "tags", "generated"})
"""All that a program may write into a front matter: other keys steer themes and plugins."""


def ask_target(handed: Handed) -> Iterator[Finding]:
    """The page lies in the documentation folder."""
    page = handed.brief.page
    rootless = replace(handed.brief.plan, meta=())  # the path is whole: no folder is to be put before it
    if page_uri(rootless, page) != page or ".." in page.split("/"):
        yield failure("target", f"{page} does not lie in the documentation folder; a page is `folder/name.md`")
    elif page in RESERVED:
        yield failure("target", f"the generator makes {page} itself; give the PART's page another name")


def ask_front_matter(handed: Handed) -> Iterator[Finding]:
    """It is YAML, holds what it must, and says nothing that is for a person to say."""
    gate, meta = "front-matter", handed.meta
    if handed.wrong:
        yield failure(gate, f"the front matter is no YAML mapping: {handed.wrong}")
        return
    if not meta:
        yield failure(gate, f"there is none; begin the file with `---` and {', '.join(REQUIRED_KEYS)}")
        return
    for key in REQUIRED_KEYS:
        if key not in meta:
            yield failure(gate, f"`{key}` is missing")
    for key in ("title", "description"):
        if key in meta and not (isinstance(meta[key], str) and meta[key].strip()):
            yield failure(gate, f"`{key}` must be a line of text", handed.line_of(f"{key}:"))
    yield from _identity(handed)
    if not isinstance(meta.get("references", []), list) or len(handed.items) != len(meta.get("references", [])):
        yield failure(gate, "`references` must be a list of CSL items", handed.line_of("references:"))
    if not handed.is_by_hand:
        yield from _of_program(handed)


def _identity(handed: Handed) -> Iterator[Finding]:
    meta, brief = handed.meta, handed.brief
    for key, value in (("plan", brief.plan.slug), ("part", brief.part.number)):
        if key in meta and meta[key] != value:
            yield failure(
                "front-matter", f"`{key}` is {meta[key]!r}, and the brief's is {value!r}", handed.line_of(f"{key}:")
            )
    created = meta.get("created")
    if "created" in meta and not isinstance(created, date):
        yield failure("front-matter", "`created` must be a day such as 2026-11-20", handed.line_of("created:"))


def _of_program(handed: Handed) -> Iterator[Finding]:
    """A program says that it was one, sets no review, and no key beside."""
    gate, meta = "front-matter", handed.meta
    if meta.get("reviewed") is not None:
        yield failure(gate, "`reviewed` is for a person to set; leave it null", handed.line_of("reviewed:"))
    generated = meta.get("generated")
    if not isinstance(generated, dict) or generated.get("writer") != handed.draft.writer:
        yield failure(gate, f"`generated` must name the writer, {handed.draft.writer}", handed.line_of("generated:"))
    for key in meta:
        if key not in KNOWN_KEYS:
            yield failure(gate, f"`{key}` is no key that a program may set", handed.line_of(f"{key}:"))


def ask_sections(handed: Handed) -> Iterator[Finding]:
    """Every section of the outline is a heading with text below it, in the plan's order."""
    headings = [node for node in handed.nodes if node.name == "Heading"]
    said = [tokens(words(handed.body[node.start : node.end])) for node in headings]
    last = -1
    for section in handed.brief.outline:
        wanted = tokens(plain_text(section.title))
        places = [n for n, title in enumerate(said) if title == wanted]
        if not places:
            yield failure("sections", f"there is no heading “{plain_text(section.title)}”")
            continue
        n = next((place for place in places if place > last), places[0])
        if n < last:
            yield report(
                "sections", f"“{plain_text(section.title)}” stands out of order", handed.line(headings[n].start)
            )
        last = max(last, n)
        level = headings[n].level
        end = next((h.start for h in headings[n + 1 :] if h.level <= level), len(handed.body))
        below = (node for node in handed.nodes if headings[n].end <= node.start < end)
        if not any(node.depth == 0 and node.name not in {"Heading", "Rule"} for node in below):
            yield failure(
                "sections", f"nothing stands below “{plain_text(section.title)}”", handed.line(headings[n].start)
            )


def ask_lines(handed: Handed) -> Iterator[Finding]:
    """As many lines as the budget says, give or take."""
    budget = handed.brief.part.lines_budget
    if budget is None:
        return
    lines = parse_page(handed.draft.text, handed.brief.page)[0].lines
    low, high = lines_range(budget)
    if lines > high:
        told = report if handed.is_thin else failure
        yield told("lines", f"{lines} lines, and the budget of {budget} allows {high}")
    elif lines < low and handed.is_thin:
        yield report("lines", f"{lines} lines of {budget}: there was no more evidence")
    elif lines < low:
        yield failure("lines", f"{lines} lines, and the budget of {budget} asks for {low}")
