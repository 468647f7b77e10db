"""Check a draft before it becomes a page. Start with `DRAFT_RULES`, at the end.

The rules are the same for programs, agents and people. `planbook.problems` states them for writers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from planbook.citations.citation_checks import check_citations
from planbook.citations.identifiers import work_key
from planbook.citations.pins import custom_of
from planbook.citations.quotes import Readings, contains_quote, find_spans, fold, words
from planbook.library import RESERVED_URIS
from planbook.library.links import SCHEME, resolve_link
from planbook.library.names import page_uri
from planbook.library.pages import parse_page
from planbook.markdown.edits import apply_edits, blank_out
from planbook.markdown.plain_text import plain_text
from planbook.markdown.syntax import Node
from planbook.markdown.words import tokens
from planbook.model import Problem, Reference
from planbook.problems import (
    MAX_CODE_LINES,
    MAX_QUOTE_WORDS,
    REQUIRED_KEYS,
    REQUIREMENTS,
    UNKNOWN_CITATION,
    lines_range,
)
from planbook.research.drafts import Brief, Draft, Source
from planbook.research.proof.ground_rules import check_grounds
from planbook.research.proof.parsed_draft import ParsedDraft
from planbook.research.proof.quoting_blocks import check_quoting_blocks
from planbook.research.proof.sentences import is_too_short
from planbook.rules.credentials import check_credentials

# --- form -----------------------------------------------------------------------------------------

KNOWN_KEYS = frozenset({*REQUIRED_KEYS, "tags", "generated", "evidence"})
"""Front matter keys that a program may write; others control themes and plugins."""


def _check_target(parsed: ParsedDraft) -> Iterator[Problem]:
    """Check that the page is in the documentation folder, at a path that is not generated."""
    page = parsed.brief.page
    # The path is complete: the plan's folder is not prepended.
    rootless = replace(parsed.brief.plan, meta=())
    if page_uri(rootless, page) != page or ".." in page.split("/"):
        defect = (
            f"{page} is outside the documentation folder; write a path such as `folder/name.md`"
        )
        yield parsed.problem("P020", defect)
    elif page in RESERVED_URIS:
        yield parsed.problem("K003", f"{page} is generated; give the PART's page another name")


def _check_front_matter(parsed: ParsedDraft) -> Iterator[Problem]:
    """Check the keys of the front matter, and that it has none that only a person sets."""
    meta = parsed.meta
    if parsed.error:
        yield parsed.problem("K001", f"the front matter is not a YAML mapping: {parsed.error}")
        return
    if not meta:
        keys = ", ".join(REQUIRED_KEYS)
        defect = f"the front matter is missing; begin the file with `---` and {keys}"
        yield parsed.problem("D001", defect)
        return
    for key in REQUIRED_KEYS:
        if key not in meta:
            yield parsed.problem("D001", f"`{key}` is missing")
    for key, defect in _wrong_values(meta, parsed.brief):
        yield parsed.problem("D002", defect, parsed.line_of(f"{key}:"))
    references = meta.get("references", [])
    if not isinstance(references, list) or len(parsed.items) != len(references):
        line = parsed.line_of("references:")
        yield parsed.problem("K011", "`references` must be a list of CSL items", line)
    if not parsed.is_submitted:
        yield from _check_keys_of_program(parsed)


def _wrong_values(meta: Mapping[str, Any], brief: Brief) -> Iterator[tuple[str, str]]:
    """Yield each required key with another value than the brief's, and the fault."""
    for key in ("title", "description"):
        if key in meta and not _is_filled_text(meta[key]):
            yield key, f"`{key}` must be a line of text"
    for key, value in (("plan", brief.plan.slug), ("part", brief.part.number)):
        if key in meta and meta[key] != value:
            yield key, f"`{key}` is {meta[key]!r}, expected {value!r}"
    if "created" in meta and not isinstance(meta["created"], date):
        yield "created", "`created` must be a date such as 2026-11-20"


def _is_filled_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _check_keys_of_program(parsed: ParsedDraft) -> Iterator[Problem]:
    """Check that a program has set no key that is for people."""
    meta = parsed.meta
    wrong = {key: f"a program must not set `{key}`" for key in meta if key not in KNOWN_KEYS}
    if meta.get("reviewed") is not None:
        wrong["reviewed"] = "`reviewed` is for a person to set; leave it null"
    generated = meta.get("generated")
    if not isinstance(generated, dict) or generated.get("writer") != parsed.draft.writer:
        wrong["generated"] = f"`generated` must name the writer, {parsed.draft.writer}"
    for key, defect in wrong.items():
        yield parsed.problem("D003", defect, parsed.line_of(f"{key}:"))


def _check_sections(parsed: ParsedDraft) -> Iterator[Problem]:
    """Check that every section of the outline is a heading with text, in the plan's order."""
    headings = [node for node in parsed.nodes if node.name == "Heading"]
    titles = [tokens(words(parsed.source_of(heading))) for heading in headings]
    last = -1
    for section in parsed.brief.outline:
        title = plain_text(section.title)
        places = [n for n, of_heading in enumerate(titles) if of_heading == tokens(title)]
        if not places:
            yield parsed.problem("D010", f"missing heading “{title}”")
            continue
        # Of several headings with this title, the first one behind the section before.
        n = next((index for index in places if index > last), places[0])
        heading = headings[n]
        if n < last:
            defect = f"“{title}” is not in the plan's order"
            yield parsed.problem("D012", defect, parsed.at(heading))
        last = max(last, n)
        if not _has_text_below(parsed, heading, headings[n + 1 :]):
            yield parsed.problem("D011", f"no text below “{title}”", parsed.at(heading))


def _has_text_below(parsed: ParsedDraft, heading: Node, later: Sequence[Node]) -> bool:
    """Return whether a block stands below a heading, before the next one that is not below it."""
    following = (other.start for other in later if other.level <= heading.level)
    end = next(following, len(parsed.body))
    below = [node for node in parsed.nodes if heading.end <= node.start < end]
    return any(node.depth == 0 and node.name not in {"Heading", "Rule"} for node in below)


def _check_length(parsed: ParsedDraft) -> Iterator[Problem]:
    """Report a length that is far from the PART's budget. It is a note: points count, not lines."""
    budget = parsed.brief.part.lines_budget
    if budget is None:
        return
    lines = parse_page(parsed.draft.text, parsed.brief.page)[0].lines
    low, high = lines_range(budget)
    if not low <= lines <= high:
        yield parsed.problem("D050", f"{lines} lines; the target length is about {budget}")


# --- Markdown -------------------------------------------------------------------------------------

_ATTRIBUTES = r"(?<!\\)\{:?[^{}\n]{0,300}=[^{}\n]{0,300}\}|^[ \t]*\{:[^{}\n]*\}"
_DIRECTIVE = r"^[ \t>]*(?:!!! |\?\?\?\+? |=== [\"']|/// |::: |;*-{1,}8<-)"
_EXTENSIONS = (
    ("an attribute list", re.compile(_ATTRIBUTES, re.MULTILINE)),
    ("a template", re.compile(r"(?<!\\)\{[{%#]")),
    ("a directive", re.compile(_DIRECTIVE, re.MULTILINE)),
)
"""The syntax of extensions, by what it is called: ``{: .wide }``, ``{{ name }}``, ``!!! note``."""
_FOLD = re.compile(r'<details markdown="1">|<summary>[\w ,]{1,80}</summary>|</details>')
"""The HTML that pages may contain: a fold around Markdown."""
_INCLUDE = re.compile(r"^[ \t>]*;*-{1,}8<-{1,}", re.MULTILINE)
_FRONT_MATTER = re.compile(r"(?:---|\+\+\+|;;;)[ \t]*(?:\n|$)")
_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})")
_WEB = re.compile(r"https?://[^\s/?#]", re.IGNORECASE)
_ODD_LINK = re.compile(
    r"(?<!\\)\](?:\(|:)\s*+(?:<\s*+)?(?:javascript|data|vbscript|file)\s*:", re.IGNORECASE
)
"""A link that Python-Markdown may see where CommonMark sees none."""
_SHOWN_CHARS = 60
"""Number of characters of a defect that a message repeats."""


def _check_markup(parsed: ParsedDraft) -> Iterator[Problem]:
    """Check that the body is plain Markdown: no HTML but folds, no syntax of extensions."""
    for node in parsed.nodes:
        if node.name in {"Html", "InlineHtml"}:
            html = " ".join(parsed.source_of(node).split())
            if node.name == "InlineHtml" or not _FOLD.fullmatch(html):
                yield parsed.problem("D060", f"raw HTML: {html[:_SHOWN_CHARS]}", parsed.at(node))
    text = _blank_code_of_body(parsed)
    code = "D062" if parsed.is_submitted else "D061"
    for name, pattern in _EXTENSIONS:
        for match in pattern.finditer(text):
            defect = f"{name}: {match[0].strip()[:_SHOWN_CHARS]}"
            yield parsed.problem(code, defect, parsed.line(match.start()))
    if parsed.is_submitted:
        yield from _check_rows(parsed)
    for match in _INCLUDE.finditer(parsed.body):  # these take effect in code, too
        defect = f"this line includes a file: {match[0].strip()}"
        yield parsed.problem("D063", defect, parsed.line(match.start()))


_NO_BAR = re.compile(r"\\.|(?<!`)(`++)(?:(?!`).)+\1")
"""Bars that end no cell: escaped ones, and those in code."""


def _check_rows(parsed: ParsedDraft) -> Iterator[Problem]:
    """Report rows of tables with more cells than the head: what is in the last ones is lost."""
    for table in (node for node in parsed.nodes if node.name == "Table"):
        rows = list(re.finditer(r".*\S.*", parsed.source_of(table)))
        columns = _count_cells_of_row(rows[0][0]) if rows else 0
        for row in rows[1:]:
            cells = _count_cells_of_row(row[0])
            if cells > columns:
                defect = f"this row has {cells} cells, and its table {columns} columns"
                line = parsed.line(table.start + row.start())
                yield parsed.problem("D066", f"{defect}: the last is not shown", line)


def _count_cells_of_row(row: str) -> int:
    """Return the number of cells of a row."""
    plain = _NO_BAR.sub(" ", row).strip()
    return plain.removeprefix("|").removesuffix("|").count("|") + 1


def _blank_code_of_body(parsed: ParsedDraft) -> str:
    """Return the body with blanks for code; offsets stay the same."""
    code = [node for node in parsed.nodes if node.name in {"Code", "CodeBlock"}]
    blanks = ((node.start, node.end, blank_out(parsed.source_of(node))) for node in code)
    return apply_edits(parsed.body, blanks)


def _check_fences(parsed: ParsedDraft) -> Iterator[Problem]:
    """Check that each code fence is closed by one like it, and that there is one front matter."""
    if _FRONT_MATTER.match(parsed.body):
        defect = "the body begins with a second front matter block"
        yield parsed.problem("D064", defect, parsed.line(0))
    for node in parsed.nodes:
        if node.info is not None and not _is_closed(parsed.source_of(node)):
            defect = "this fence is never closed by a matching one"
            yield parsed.problem("D065", defect, parsed.at(node))


def _is_closed(fence: str) -> bool:
    """Return whether the last line of a block of code is the same fence as its first one."""
    lines = fence.rstrip().split("\n")
    opening, closing = _FENCE.match(lines[0]), _FENCE.match(lines[-1])
    if len(lines) == 1 or opening is None or closing is None:
        return False
    is_alone = not lines[-1][closing.end() :].strip()
    return opening[1] == closing[1] and is_alone


def _check_links(parsed: ParsedDraft) -> Iterator[Problem]:
    """Check that links lead to the web or into the base, and that images are in the base."""
    for node in parsed.nodes:
        if node.name not in {"Link", "Image"}:
            continue
        address = node.address
        if node.name == "Image" and SCHEME.match(address):
            lack = f"the image {address!r} is on another host; store it in the base"
            yield parsed.problem("D070", lack, parsed.at(node))
        elif not address.startswith("#") and not _WEB.match(address):
            defect = _link_defect(parsed, address)
            if defect:
                yield parsed.problem(*defect, parsed.at(node))
    for match in _ODD_LINK.finditer(_blank_code_of_body(parsed)):
        lack = f"not a web link: {match[0][:_SHOWN_CHARS]}"
        yield parsed.problem("D070", lack, parsed.line(match.start()))


def _link_defect(parsed: ParsedDraft, address: str) -> tuple[str, str] | None:
    """Return code and message for a link within the base, or to an unknown scheme."""
    if SCHEME.match(address):
        return "D070", f"{address!r} is not a web address; expected http:// or https://"
    path = re.split(r"[?#]", address, maxsplit=1)[0]
    if not path.endswith(".md"):
        return _file_link_defect(parsed, address)
    return _page_link_defect(parsed, address)


def _page_link_defect(parsed: ParsedDraft, address: str) -> tuple[str, str] | None:
    """Return code and message for a link to a page that is not there."""
    draft_page = parsed.brief.page
    page = resolve_link(address, draft_page, parsed.base_files)
    if page in parsed.base_files:
        return None
    planned = resolve_link(address, draft_page, parsed.planned)
    if planned != draft_page and planned in parsed.planned:
        defect = "is planned but not written yet; the site shows its outline until then"
        return "D072", f"{planned} {defect}"
    if page is None:
        return "K023", f"{address!r} is outside the base"
    if page == draft_page:
        return None
    return "K023", f"there is no page {page}, neither written nor planned"


def _file_link_defect(parsed: ParsedDraft, address: str) -> tuple[str, str] | None:
    """Return code and message for a link to a file that is no page."""
    is_relative = not address.startswith("/")
    if is_relative and resolve_link(address, parsed.brief.page) in parsed.base_files:
        return None
    code = "D071" if parsed.is_submitted else "D070"
    return code, f"there is no file {address!r} in the base"


# --- references and quotes ------------------------------------------------------------------------

_MAX_LISTED_QUOTES = 6
"""Number of quotes that a message names."""
_SHOWN_WORDS = 25
"""Number of words of a quote that a message repeats."""
_QUOTE_BEGINNING = 20
"""Number of characters of a quote by which its line is found."""


def _check_citations(parsed: ParsedDraft) -> Iterator[Problem]:
    """Check that the page cites, and that each citation has a reference whose work was read."""
    if not parsed.citations:
        yield parsed.problem("D020", "no citations; cite the source of each statement as [@id]")
    problems = check_citations(
        parsed.citations, parsed.references, parsed.brief.page, parsed.lines_above
    )
    # `_check_references` reports K013 with its line.
    yield from (problem for problem in problems if problem.code == UNKNOWN_CITATION)
    if parsed.is_submitted:
        return
    unread = {reference.id for reference in parsed.references} - parsed.sources.keys()
    for citation in parsed.citations:
        if citation.reference_id in unread:
            defect = f"@{citation.reference_id} was not read for this page"
            yield parsed.problem("D021", defect, parsed.lines_above + citation.line)


def _check_references(parsed: ParsedDraft) -> Iterator[Problem]:
    """Check that each reference has an id and a title, is the work that was read, and is cited."""
    cited = {citation.reference_id for citation in parsed.citations}
    ids = Counter(str(item.get("id")) for item in parsed.items)
    if parsed.is_in_own_words:
        yield from _uncited_quotes(parsed)
    for item in parsed.items:
        name = str(item.get("id"))
        line = parsed.line_of(name, r"\bid:[ \t]*[\"']?", r"[\"']?[ \t]*[,}#\n]")
        if not item.get("id") or ids[name] > 1:
            yield parsed.problem("D030", f"{name!r} is not the id of exactly one reference", line)
        if not str(item.get("title") or "").strip():
            yield parsed.problem("K021", f"@{name} has no title", line)
        if name not in cited:
            yield parsed.problem("K013", f"@{name} is in the references but never cited", line)
        source = parsed.sources.get(name)
        if source is None:
            yield from _check_unread(parsed, item, name, line)
        else:
            yield from _check_source(parsed, item, source, line)
        url = str(item.get("URL") or "")
        if url and not re.match(r"https?://", url):
            defect = f"@{name}: {url!r} is not a web address; expected http:// or https://"
            yield parsed.problem("D031", defect, line)


def _uncited_quotes(parsed: ParsedDraft) -> Iterator[Problem]:
    """Name the quotes that no citation has, in one note; their works are cited otherwise."""
    cited = {(citation.reference_id, citation.locator) for citation in parsed.citations}
    works = {citation.reference_id for citation in parsed.citations}
    uncited = [
        f"{key} of @{reference.id}"
        for reference in parsed.references
        for key, _ in reference.quotes
        if reference.id in works and (reference.id, key) not in cited
    ]
    if uncited:
        names = ", ".join(uncited[:_MAX_LISTED_QUOTES])
        more = len(uncited) - _MAX_LISTED_QUOTES
        rest = f" and {more} more" if more > 0 else ""
        fix = "cite them where they belong, or remove them"
        yield parsed.problem("D037", f"quotes that no citation has: {names}{rest}; {fix}")


def _check_unread(
    parsed: ParsedDraft, item: Mapping[str, Any], name: str, line: int
) -> Iterator[Problem]:
    """Report a reference of a person's page whose work was not read.

    A program's citation of it is an error already.
    """
    if not parsed.is_submitted:
        return
    file = custom_of(item).get("file")
    if file:
        defect = f"@{name}: {file} cannot be read; put it back, or correct `custom.file`"
        yield parsed.problem("D021", defect, line)
    else:
        defect = f"@{name} was not read for this page, so it is not verified"
        yield parsed.problem("D034", defect, line)


def _check_source(
    parsed: ParsedDraft, item: Mapping[str, Any], source: Source, line: int
) -> Iterator[Problem]:
    """Check a reference against the work that was read under its id."""
    if not parsed.is_submitted:  # a person may have read another version
        yield from _differences(parsed, item, source, line)
    elif custom_of(item).get("sha256") not in {None, source.fetched.sha256}:
        defect = f"@{source.id} has changed since the page was written"
        fix = "its quotes are compared with its text of now"
        yield parsed.problem("D036", f"{defect}; {fix}", line)
    if source.fetched.doubt:
        doubt = source.fetched.doubt
        defect = f"@{source.id} is doubtful: {doubt}; cite the page that was meant"
        yield parsed.problem("D035", defect, line)


def _differences(
    parsed: ParsedDraft, item: Mapping[str, Any], source: Source, line: int
) -> Iterator[Problem]:
    """Yield the differences between a reference and the work that was read under its id."""
    fetched = source.fetched
    addresses = (fetched.url, fetched.final_url, fetched.moved_to)
    url = item.get("URL")
    fault = ""
    if url:
        is_same = work_key(str(url)) in {work_key(address) for address in addresses if address}
        fault = "" if is_same else f"has the address {url}"
    elif source.host:
        fault = "has no address"
    if fault:
        defect = f"@{source.id} {fault}, but the work that was read is at {fetched.url}"
        yield parsed.problem("D032", defect, line)
    written = custom_of(item).get("sha256")
    if written and written != fetched.sha256:
        defect = f"@{source.id} has a different `sha256` from the text that was read"
        yield parsed.problem("D032", defect, line)


def _check_quotes_of_draft(parsed: ParsedDraft) -> Iterator[Problem]:
    """Check that each quote is in its source, is short, and appears on the page as it is."""
    for reference in parsed.references:
        yield from _check_quotes_of(parsed, reference)
    if parsed.is_submitted:
        yield from _check_places(parsed)
    yield from check_quoting_blocks(parsed)


def _check_quotes_of(parsed: ParsedDraft, reference: Reference) -> Iterator[Problem]:
    """Check the quotes of one reference."""
    source = parsed.sources.get(reference.id)
    texts: Iterable[str] = ()
    if source and reference.quotes:
        texts = Readings(source.fetched.visible, source.fetched.text)
    for key, quote in reference.quotes:
        line = _line_of_quote(parsed, key, quote)
        name = f"quote {key} of @{reference.id}"
        is_one_line = "\n" not in quote.strip("\n")
        if source is None:  # a program's citation of it is an error already
            if parsed.is_submitted:
                defect = f"{name} is not verified: its source was not read"
                yield parsed.problem("D046", defect, line)
        elif not contains_quote(quote, texts):
            yield parsed.problem("D040", f"{name} {_describe_missing(quote, texts)}", line)
        elif is_one_line and is_too_short(quote):
            yield parsed.problem("D044", f"{name} is too short", line)
        length = _excessive_length(quote)
        if length:
            defect = f"{name} has {length}; shorten it and paraphrase the rest"
            yield parsed.problem("D045", defect, line)


_CONTEXT_WORDS = 6
"""Number of words that such a message shows before and behind that place."""
_MIN_MATCHING_WORDS = 3
"""Number of words at the beginning of a quote from which its message says where it ends."""


def _describe_missing(quote: str, texts: Iterable[str]) -> str:
    """Return how a quote differs from its source: the first words that do not go on as there."""
    in_source = _find_in_other_case(quote, texts)
    if in_source:
        return f"differs from its source in capitals alone: write “{in_source}”"
    quote_words = quote.split()
    shared_count, beyond = 0, len(quote_words)
    while beyond - shared_count > 1:  # as many words as the source has in a row
        middle = (shared_count + beyond) // 2
        if contains_quote(" ".join(quote_words[:middle]), texts):
            shared_count = middle
        else:
            beyond = middle
    beginning = " ".join(quote_words[:_SHOWN_WORDS])
    if shared_count < _MIN_MATCHING_WORDS:
        return f"is not in its source: “{beginning}”"
    same = " ".join(quote_words[max(0, shared_count - _CONTEXT_WORDS) : shared_count])
    other = " ".join(quote_words[shared_count : shared_count + _CONTEXT_WORDS])
    return f"is not in its source: behind “{same}”, that does not go on with “{other}”"


def _find_in_other_case(quote: str, texts: Iterable[str]) -> str:
    """Return the words of a source that are a quote but for their case; empty without any."""
    wanted = fold(quote).lower()
    for text in texts:
        at = text.lower().find(wanted)
        if at >= 0:
            return text[at : at + len(wanted)]
    return ""


def _check_places(parsed: ParsedDraft) -> Iterator[Problem]:
    """Name the quotes whose words stand in several places, in one note: a reader is led to one."""
    several: list[tuple[str, int, int]] = []
    for reference in parsed.references:
        source = parsed.sources.get(reference.id)
        for key, quote in reference.quotes if source else ():
            is_one_line = "\n" not in quote.strip("\n")
            places = len(find_spans(quote, source.fetched.visible)) if is_one_line and source else 0
            if places > 1:
                line = _line_of_quote(parsed, key, quote)
                several.append((f"{key} of @{reference.id}", places, line))
    if not several:
        return
    summary = ", ".join(f"{name} ({places})" for name, places, _ in several[:_MAX_LISTED_QUOTES])
    more = len(several) - _MAX_LISTED_QUOTES
    rest = f" and {more} more" if more > 0 else ""
    defect = f"quotes that are in their source several times: {summary}{rest}"
    fix = "the site opens the first place; where it matters, quote more"
    yield parsed.problem("D041", f"{defect}; {fix}", several[0][2])


def _line_of_quote(parsed: ParsedDraft, key: str, quote: str) -> int:
    """Return the line on which a quote of a reference begins."""
    return parsed.line_of(quote[:_QUOTE_BEGINNING], rf"\b{key}:\s*([|>].*\s+|[\"'])?")


def _excessive_length(quote: str) -> str:
    """Return the length of a quote that is too long; empty if it is not.

    Code is measured in lines, and everything else in words.
    """
    lines = quote.strip("\n").count("\n") + 1
    if lines > 1:
        return f"{lines} lines" if lines > MAX_CODE_LINES else ""
    count = len(quote.split())
    return f"{count} words" if count > MAX_QUOTE_WORDS else ""


# --- drafts ---------------------------------------------------------------------------------------

DRAFT_RULES: Mapping[str, Callable[[ParsedDraft], Iterator[Problem]]] = {
    "target": _check_target,
    "front-matter": _check_front_matter,
    "sections": _check_sections,
    "citations": _check_citations,
    "references": _check_references,
    "quotes": _check_quotes_of_draft,
    "grounds": check_grounds,
    "lines": _check_length,
    "markup": _check_markup,
    "fences": _check_fences,
    "links": _check_links,
    "credentials": lambda parsed: check_credentials(parsed.draft.text, parsed.brief.page),
}
"""The rules for drafts, by the requirement that each checks."""
# Writers are told exactly what is checked.
assert list(DRAFT_RULES) == list(REQUIREMENTS)  # noqa: S101 - a mistake of ours, found on import


def check_draft(  # noqa: PLR0913, PLR0917 - all that a draft is checked against
    draft: Draft,
    brief: Brief,
    sources: Sequence[Source],
    base_files: Collection[str],
    planned: Collection[str] = frozenset(),
    other_works: Sequence[Source] = (),
) -> tuple[Problem, ...]:
    """Return the Problems of a draft. It is accepted if none of them blocks.

    Args:
        draft: the page. If a person submits it (``draft.writer == "hand"``), it may cite works
            that were not read: they and their quotes are reported as not verified.
        brief: the brief that it was written for.
        sources: those that were read for it, by the ids that it cites them by.
        base_files: the paths of existing pages and other files in the documentation folder,
            valid targets of links.
        planned: pages of other PARTs that are not written yet. Links to them are reported.
        other_works: further works that were read for it, which it does not cite.
    """
    parsed = ParsedDraft(draft, brief, sources, base_files, planned, other_works)
    if parsed.error:  # the rest of the page cannot be judged
        return tuple(_check_front_matter(parsed))
    return tuple(problem for rule in DRAFT_RULES.values() for problem in rule(parsed))
