"""Check a draft before it becomes a page: place, front matter, sections, length, Markdown, links, credentials.

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
from planbook.citations.grounds import (
    MARK,
    MOST_WEAK,
    Ground,
    GroundedSentence,
    read_sentences,
    sentences_above,
    weak_share,
)
from planbook.citations.identifiers import work_key
from planbook.citations.in_text import find_citations
from planbook.citations.pins import custom_of
from planbook.citations.quotes import Readings, contains_quote, fold, words
from planbook.citations.references import read_references
from planbook.library import RESERVED
from planbook.library.links import SCHEME, resolved
from planbook.library.names import page_uri
from planbook.library.pages import parse_page
from planbook.markdown.document import Node, blank_out, edited, read_document, syntax_tree
from planbook.markdown.plain_text import cells_of, plain_text
from planbook.markdown.words import tokens
from planbook.model import Problem, Reference
from planbook.problems import MAX_CODE_LINES, MAX_QUOTE_WORDS, REQUIRED_KEYS, REQUIREMENTS, lines_range
from planbook.research.drafts import Brief, Draft, SentenceProblem, Source
from planbook.research.proof.inventions import WorkTexts, find_inventions
from planbook.research.proof.quantities import QuantityIndex, read_quantities
from planbook.research.proof.sentences import find_missing, is_too_short
from planbook.research.proof.shown_quotes import check_shown, within
from planbook.rules.credentials import check_credentials

KNOWN_KEYS = frozenset({*REQUIRED_KEYS, "tags", "generated", "evidence"})
"""Front matter keys that a program may write; others control themes and plugins."""

_EXTENSIONS = (
    ("an attribute list", re.compile(r"(?<!\\)\{:?[^{}\n]{0,300}=[^{}\n]{0,300}\}|^[ \t]*\{:[^{}\n]*\}", re.MULTILINE)),
    ("a template", re.compile(r"(?<!\\)\{[{%#]")),
    ("a directive", re.compile(r"^[ \t>]*(?:!!! |\?\?\?\+? |=== [\"']|/// |::: |;*-{1,}8<-)", re.MULTILINE)),
)
_FOLD = re.compile(r'<details markdown="1">|<summary>[\w ,]{1,80}</summary>|</details>')
"""The HTML that pages may contain: a fold around Markdown."""
_INCLUDE = re.compile(r"^[ \t>]*;*-{1,}8<-{1,}", re.MULTILINE)
_FRONT_MATTER = re.compile(r"(?:---|\+\+\+|;;;)[ \t]*(?:\n|$)")
_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})")
_WEB = re.compile(r"https?://[^\s/?#]", re.IGNORECASE)
_ODD_LINK = re.compile(r"(?<!\\)\](?:\(|:)\s*+(?:<\s*+)?(?:javascript|data|vbscript|file)\s*:", re.IGNORECASE)
"""A link that Python-Markdown may see where CommonMark sees none."""


class ParsedDraft:
    """A draft, parsed once, and what it is checked against."""

    def __init__(  # noqa: PLR0913, PLR0917 - as `check_draft`
        self,
        draft: Draft,
        brief: Brief,
        sources: Sequence[Source],
        base_files: Collection[str],
        planned: Collection[str],
        others: Sequence[Source] = (),
    ) -> None:
        document = read_document(draft.text)
        self.draft, self.brief, self.base_files, self.planned = draft, brief, base_files, planned
        self.sources = {source.id: source for source in sources if source.fetched.text}
        self.read = (*self.sources.values(), *(source for source in others if source.id not in self.sources))
        """All works that were read for it, also those that it may not cite."""
        self.meta: Mapping[str, Any] = document.meta
        self.error = document.error.reason if document.error else ""
        """The YAML error of the front matter, which is then empty."""
        self.body, self.lines_above = document.body, document.lines_above
        self.nodes: Sequence[Node] = tuple(syntax_tree(document.body, has_footnotes=True).descendants())
        self.references = read_references(draft.text, brief.page)[0]
        self.citations = find_citations(document.body, {reference.id for reference in self.references})
        written = self.meta.get("references", [])
        self.items = [item for item in written if isinstance(item, dict)] if isinstance(written, list) else []
        """The references as the front matter writes them."""
        self.sentences = read_sentences(document.body, self.nodes, self.citations)
        """The sentences of its prose, with their grounds."""
        self.line = document.line
        """Returns the line of the file with the character of the body at an offset, 1-based."""

    @property
    def is_submitted(self) -> bool:
        """True if a person, or an agent on its own, submits it: it may cite works that were not read here."""
        return self.draft.writer == "hand"

    @property
    def is_in_own_words(self) -> bool:
        """True if its writer writes in own words, and nobody has checked each sentence before."""
        return self.draft.writer in _OWN_WORDS

    def problem(self, code: str, message: str, line: int = 1) -> Problem:
        """Return a Problem of this page."""
        return Problem(self.brief.page, line, code, message)

    def sentence_problem(
        self, code: str, text: str, fault: str, line: int, missing: Iterable[str] = ()
    ) -> SentenceProblem:
        """Return a Problem of a sentence of this page; its message quotes the sentence, then says the fault."""
        return SentenceProblem(self.brief.page, line, code, f"“{text}”{fault}", sentence=text, missing=tuple(missing))

    def is_marked(self, offset: int) -> bool:
        """Return whether a mark names another ground for the sentence with the citation that ends at an offset."""
        return any(
            one.ground not in {Ground.QUOTED, Ground.NONE} and any(cited.end == offset for cited in one.citations)
            for one in self.sentences
        )

    def at(self, node: Node) -> int:
        """Return the line of the file on which a node begins, 1-based."""
        return self.line(node.start)

    def line_of(self, text: str, before: str = "", after: str = "") -> int:
        """Return the first line of the file with `text` between the patterns `before` and `after`; 1 if none has it."""
        found = re.search(f"{before}{re.escape(text)}{after}", self.draft.text)
        return self.draft.text.count("\n", 0, found.start()) + 1 if found else 1


# --- form --------------------------------------------------------------------------------------------------------


def _target(parsed: ParsedDraft) -> Iterator[Problem]:
    """Check that the page is in the documentation folder, at a path that is not generated."""
    page = parsed.brief.page
    rootless = replace(parsed.brief.plan, meta=())  # the path is complete: do not prepend the plan's folder
    if page_uri(rootless, page) != page or ".." in page.split("/"):
        what = f"{page} is outside the documentation folder; write a path such as `folder/name.md`"
        yield parsed.problem("P020", what)
    elif page in RESERVED:
        yield parsed.problem("K003", f"{page} is generated; give the PART's page another name")


def _front_matter(parsed: ParsedDraft) -> Iterator[Problem]:
    """Check that the front matter has the required keys, with the brief's values, and none that only a person sets."""
    meta, brief = parsed.meta, parsed.brief
    if parsed.error:
        yield parsed.problem("K001", f"the front matter is not a YAML mapping: {parsed.error}")
        return
    if not meta:
        what = f"the front matter is missing; begin the file with `---` and {', '.join(REQUIRED_KEYS)}"
        yield parsed.problem("D001", what)
        return
    for key in REQUIRED_KEYS:
        if key not in meta:
            yield parsed.problem("D001", f"`{key}` is missing")
    wrong = {
        key: f"`{key}` must be a line of text"
        for key in ("title", "description")
        if key in meta and not (isinstance(meta[key], str) and meta[key].strip())
    }
    for key, value in (("plan", brief.plan.slug), ("part", brief.part.number)):
        if key in meta and meta[key] != value:
            wrong[key] = f"`{key}` is {meta[key]!r}, expected {value!r}"
    if "created" in meta and not isinstance(meta["created"], date):
        wrong["created"] = "`created` must be a date such as 2026-11-20"
    for key, what in wrong.items():
        yield parsed.problem("D002", what, parsed.line_of(f"{key}:"))
    references = meta.get("references", [])
    if not isinstance(references, list) or len(parsed.items) != len(references):
        yield parsed.problem("K011", "`references` must be a list of CSL items", parsed.line_of("references:"))
    if not parsed.is_submitted:
        yield from _keys_of_program(parsed)


def _keys_of_program(parsed: ParsedDraft) -> Iterator[Problem]:
    meta = parsed.meta
    wrong = {key: f"a program must not set `{key}`" for key in meta if key not in KNOWN_KEYS}
    if meta.get("reviewed") is not None:
        wrong["reviewed"] = "`reviewed` is for a person to set; leave it null"
    generated = meta.get("generated")
    if not isinstance(generated, dict) or generated.get("writer") != parsed.draft.writer:
        wrong["generated"] = f"`generated` must name the writer, {parsed.draft.writer}"
    for key, what in wrong.items():
        yield parsed.problem("D003", what, parsed.line_of(f"{key}:"))


def _sections(parsed: ParsedDraft) -> Iterator[Problem]:
    """Check that every section of the outline is a heading with text below it, in the plan's order."""
    headings = [node for node in parsed.nodes if node.name == "Heading"]
    titles = [tokens(words(parsed.body[node.start : node.end])) for node in headings]
    last = -1
    for section in parsed.brief.outline:
        title = plain_text(section.title)
        found = [n for n, tokens_ in enumerate(titles) if tokens_ == tokens(title)]
        if not found:
            yield parsed.problem("D010", f"missing heading “{title}”")
            continue
        n = next((place for place in found if place > last), found[0])
        heading = headings[n]
        if n < last:
            yield parsed.problem("D012", f"“{title}” is not in the plan's order", parsed.at(heading))
        last = max(last, n)
        end = next((h.start for h in headings[n + 1 :] if h.level <= heading.level), len(parsed.body))
        below = (node for node in parsed.nodes if heading.end <= node.start < end)
        if not any(node.depth == 0 and node.name not in {"Heading", "Rule"} for node in below):
            yield parsed.problem("D011", f"no text below “{title}”", parsed.at(heading))


def _lines(parsed: ParsedDraft) -> Iterator[Problem]:
    """Report a length that is far from the PART's budget. It is a note: points count, not lines."""
    budget = parsed.brief.part.lines_budget
    if budget is None:
        return
    lines = parse_page(parsed.draft.text, parsed.brief.page)[0].lines
    low, high = lines_range(budget)
    if not low <= lines <= high:
        yield parsed.problem("D050", f"{lines} lines; the target length is about {budget}")


# --- Markdown ----------------------------------------------------------------------------------------------------


def _markup(parsed: ParsedDraft) -> Iterator[Problem]:
    """Check that the body is plain Markdown: no HTML but folds, no syntax of extensions."""
    for node in parsed.nodes:
        if node.name in {"Html", "InlineHtml"}:
            found = " ".join(parsed.body[node.start : node.end].split())
            if node.name == "InlineHtml" or not _FOLD.fullmatch(found):
                yield parsed.problem("D060", f"raw HTML: {found[:60]}", parsed.at(node))
    text, code = _without_code(parsed), "D062" if parsed.is_submitted else "D061"
    for what, pattern in _EXTENSIONS:
        for match in pattern.finditer(text):
            yield parsed.problem(code, f"{what}: {match[0].strip()[:60]}", parsed.line(match.start()))
    for match in _INCLUDE.finditer(parsed.body):  # these take effect in code, too
        yield parsed.problem("D063", f"this line includes a file: {match[0].strip()}", parsed.line(match.start()))


def _without_code(parsed: ParsedDraft) -> str:
    """Return the body with blanks for code; offsets stay the same."""
    spans = ((node.start, node.end) for node in parsed.nodes if node.name in {"Code", "CodeBlock"})
    return edited(parsed.body, ((start, end, blank_out(parsed.body[start:end])) for start, end in spans))


def _fences(parsed: ParsedDraft) -> Iterator[Problem]:
    """Check that each code fence is closed by one like it, and that there is one front matter."""
    if _FRONT_MATTER.match(parsed.body):
        yield parsed.problem("D064", "the body begins with a second front matter block", parsed.line(0))
    for node in parsed.nodes:
        if node.info is not None and not _is_closed(parsed.body[node.start : node.end]):
            yield parsed.problem("D065", "this fence is never closed by a matching one", parsed.at(node))


def _is_closed(fence: str) -> bool:
    lines = fence.rstrip().split("\n")
    first, last = _FENCE.match(lines[0]), _FENCE.match(lines[-1])
    return bool(len(lines) > 1 and first and last and first[1] == last[1] and not lines[-1][last.end() :].strip())


def _links(parsed: ParsedDraft) -> Iterator[Problem]:
    """Check that links lead to the web or to files and planned pages of the base, and that images are in the base."""
    for node in parsed.nodes:
        if node.name == "Image" and SCHEME.match(node.address):
            what = f"the image {node.address!r} is on another host; store it in the base"
            yield parsed.problem("D070", what, parsed.at(node))
        elif node.name in {"Link", "Image"} and not node.address.startswith("#") and not _WEB.match(node.address):
            code, what = _link_problem(parsed, node.address)
            if code:
                yield parsed.problem(code, what, parsed.at(node))
    for match in _ODD_LINK.finditer(_without_code(parsed)):
        yield parsed.problem("D070", f"not a web link: {match[0][:60]}", parsed.line(match.start()))


def _link_problem(parsed: ParsedDraft, address: str) -> tuple[str, str]:
    """Return code and message for a link within the base or to an unknown scheme; empty if it is right."""
    own = parsed.brief.page
    if SCHEME.match(address):
        return "D070", f"{address!r} is not a web address; expected http:// or https://"
    if not re.split(r"[?#]", address, maxsplit=1)[0].endswith(".md"):
        if not address.startswith("/") and resolved(address, own) in parsed.base_files:
            return "", ""
        return "D071" if parsed.is_submitted else "D070", f"there is no file {address!r} in the base"
    page, planned = resolved(address, own, parsed.base_files), resolved(address, own, parsed.planned)
    if page not in parsed.base_files and planned != own and planned in parsed.planned:
        return "D072", f"{planned} is planned but not written yet; the site shows its outline until then"
    if page is None:
        return "K023", f"{address!r} is outside the base"
    is_there = page in parsed.base_files or page == own
    return ("", "") if is_there else ("K023", f"there is no page {page}, neither written nor planned")


# --- references and quotes -------------------------------------------------------------------------------------------


_SHOWN_WORDS = 25
"""Number of words of a quote that a message repeats."""


def _citations(parsed: ParsedDraft) -> Iterator[Problem]:
    """Check that the page has citations, that each has a reference or quote, and that its work was read."""
    if not parsed.citations:
        yield parsed.problem("D020", "no citations; cite the source of each statement as [@id]")
    known = {reference.id for reference in parsed.references}
    every = check_citations(parsed.citations, parsed.references, parsed.brief.page, parsed.lines_above)
    yield from (problem for problem in every if problem.code == "K012")  # `_references` reports K013 with its line
    for citation in parsed.citations if not parsed.is_submitted else ():
        if citation.reference in known and citation.reference not in parsed.sources:
            what = f"@{citation.reference} was not read for this page"
            yield parsed.problem("D021", what, parsed.lines_above + citation.line)


def _references(parsed: ParsedDraft) -> Iterator[Problem]:
    """Check that each reference has its own id and a title, is the work that was read, and is cited."""
    cited = {citation.reference for citation in parsed.citations}
    ids = Counter(str(item.get("id")) for item in parsed.items)
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
        file = custom_of(item).get("file")
        if parsed.is_submitted and not source and file:
            yield parsed.problem("D021", f"@{name}: {file} cannot be read; correct `custom.file`", line)
        elif parsed.is_submitted and not source:
            yield parsed.problem("D034", f"@{name} was not read for this page, so it is not verified", line)
        elif source and not parsed.is_submitted:  # a person may have read another version
            yield from _differences(parsed, item, source, line)
        if source and source.fetched.doubt:
            what = f"@{name} is doubtful: {source.fetched.doubt}; cite the page that was meant"
            yield parsed.problem("D035", what, line)
        url = str(item.get("URL") or "")
        if url and not re.match(r"https?://", url):
            what = f"@{name}: {url!r} is not a web address; expected http:// or https://"
            yield parsed.problem("D031", what, line)


def _differences(parsed: ParsedDraft, item: Mapping[str, Any], source: Source, line: int) -> Iterator[Problem]:
    """Yield the differences between a reference and the work that was read under its id."""
    fetched = source.fetched
    read = {work_key(url) for url in (fetched.url, fetched.final_url, fetched.moved_to) if url}
    url = item.get("URL")
    if (url and work_key(str(url)) not in read) or (not url and source.host):
        has = f"has the address {url}" if url else "has no address"
        yield parsed.problem("D032", f"@{source.id} {has}, but the work that was read is at {fetched.url}", line)
    written = custom_of(item).get("sha256")
    if written and written != fetched.sha256:
        yield parsed.problem("D032", f"@{source.id} has a different `sha256` from the text that was read", line)


def _quotes(parsed: ParsedDraft) -> Iterator[Problem]:
    """Check that each quote is in its source verbatim, is short, and appears on the page as it is."""
    for reference in parsed.references:
        yield from _quotes_of(parsed, reference)
    yield from check_shown(parsed)


def _quotes_of(parsed: ParsedDraft, reference: Reference) -> Iterator[Problem]:
    source = parsed.sources.get(reference.id)
    texts = Readings(source.fetched.visible, source.fetched.text) if source and reference.quotes else ()
    for key, quote in reference.quotes:
        line, name = parsed.line_of(quote[:20], rf"\b{key}:\s*([|>].*\s+|[\"'])?"), f"quote {key} of @{reference.id}"
        lines, count = quote.strip("\n").count("\n") + 1, len(quote.split())
        if source is None:  # a program's citation of it is an error already
            if parsed.is_submitted:
                yield parsed.problem("D046", f"{name} is not verified: its source was not read", line)
        elif not contains_quote(quote, texts):
            shown = " ".join(quote.split()[:_SHOWN_WORDS])
            yield parsed.problem("D040", f"{name} is not in its source: “{shown}”", line)
        elif lines == 1 and is_too_short(quote):
            yield parsed.problem("D044", f"{name} is too short", line)
        if (lines == 1 and count > MAX_QUOTE_WORDS) or lines > MAX_CODE_LINES:
            length = f"{count} words" if lines == 1 else f"{lines} lines"
            yield parsed.problem("D045", f"{name} has {length}; shorten it and paraphrase the rest", line)


# --- grounds -----------------------------------------------------------------------------------------------------


def _grounds(parsed: ParsedDraft) -> Iterator[Problem]:
    """Check what each sentence says that it rests on. Sentences of programs that quote are true by construction."""
    about = list(known_words(parsed))
    listed_texts = {fold(words(text)) for text in _listed_sentences(parsed)}
    invented = list(_inventions(parsed, "\n".join(about)))
    yield from invented
    told = {one.sentence for one in invented}
    for sentence in parsed.sentences:
        line = parsed.line(sentence.start)
        if sentence.ground is Ground.DEDUCED:
            yield from _deduction(parsed, sentence, [*about, sentence.section], line)
        elif sentence.ground is Ground.MEASURED and not _links_to_base(parsed, sentence):
            what = " is marked as measured; link to the experiment's page or script in the base"
            yield parsed.sentence_problem("D055", sentence.text, what, line)
        elif (
            sentence.ground is Ground.NONE
            and parsed.is_in_own_words
            and not sentence.text.endswith(":")  # it says nothing by itself
            and fold(sentence.text) not in listed_texts
            and sentence.text not in told
        ):
            yield from _without_ground(parsed, sentence.text, [*about, sentence.section], line)
    for text, offset in _rows_without_ground(parsed) if parsed.is_in_own_words else ():
        yield from _without_ground(parsed, text, about, parsed.line(offset))
    share = weak_share(parsed.sentences)
    if share > MOST_WEAK:
        yield parsed.problem("D053", f"{share:.0%} of the sentences are deduced or advice; the PART stays partial")


def _without_ground(parsed: ParsedDraft, text: str, about: Sequence[str], line: int) -> Iterator[Problem]:
    """Report a sentence or a row of a table without a ground if it has a number, option or name."""
    named = find_missing(text, about)
    if named:
        listed = ", ".join(f"“{word}”" for word in named[:_MOST_LISTED])
        what = f" has {listed} and no ground; cite a quote, or mark it"
        yield parsed.sentence_problem("D051", text, what, line, named)


def _rows_without_ground(parsed: ParsedDraft) -> Iterator[tuple[str, int]]:
    """Yield the rows of tables that cite nothing, with their offsets, unless the text above the table cites."""
    above: tuple[int, int] | None = None
    for node in parsed.nodes:
        if node.name in {"Heading", "Paragraph"}:
            above = (node.start, node.end)
        if node.name != "Table" or (above and any(above[0] <= one.start < above[1] for one in parsed.citations)):
            continue
        cited = [one.start for one in within(parsed.citations, node)]
        rows = list(re.finditer(r".+", parsed.body[node.start : node.end]))
        for row in rows[_HEAD_OF_TABLE:]:
            start, end = node.start + row.start(), node.start + row.end()
            text = words(row[0].replace("|", " "))
            is_marked = MARK.search(row[0]) is not None
            if text and not is_marked and not any(start <= at < end for at in cited):
                yield text, start


_HEAD_OF_TABLE = 2
"""Lines of a table above its first row."""


def _inventions(parsed: ParsedDraft, about: str) -> Iterator[SentenceProblem]:
    """Refuse what no work has that was read for the page; report it in examples, and if a work could not be read."""
    if not parsed.is_in_own_words or not parsed.read:
        return
    texts = (text for source in parsed.read for text in (source.title, source.fetched.text, source.fetched.visible))
    cited = {citation.reference for citation in parsed.citations}
    is_all_read = cited <= parsed.sources.keys()
    for one in find_inventions(parsed, WorkTexts(filter(None, texts)), about):
        line = parsed.line(one.offset)
        what = f": no work that was read has “{one.name}”"
        if is_all_read and one.is_certain:
            what += "; correct it, add a work that has it, or mark an example"
            yield parsed.sentence_problem("D056", one.said, what, line, [one.name])
        else:
            yield parsed.sentence_problem("D051", one.said, what, line, [one.name])


_OWN_WORDS = frozenset({"hand", "command"})
"""Writers that write in their own words, without a check of each sentence before."""
_MOST_LISTED = 4
"""Number of words that a message lists."""


def _listed_sentences(parsed: ParsedDraft) -> Iterator[str]:
    """Yield the sentences whose quotes the front matter lists."""
    rows = parsed.meta.get("evidence")
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict):
            yield str(row.get("sentence") or "")


def open_points(parsed: ParsedDraft) -> tuple[str, ...]:
    """Return what the page marks as not found, each with its heading.

    A point of the outline below which nothing else stands is named by itself.
    """
    points = {fold(plain_text(text)) for section in parsed.brief.outline for text in (*section.points, section.title)}
    answered = answered_sections(parsed)
    found = [*_gaps_in_prose(parsed), *_gaps_in_tables(parsed)]
    named = (
        section if fold(section) in points - answered else ": ".join(filter(None, (section, text)))
        for _, section, text in sorted(found)
    )
    return tuple(dict.fromkeys(named))


def answered_sections(parsed: ParsedDraft) -> frozenset[str]:
    """Return the headings, folded, below which a sentence has a ground other than *not found*."""
    silent = {Ground.NONE, Ground.NOT_FOUND}
    return frozenset(fold(one.section) for one in parsed.sentences if one.ground not in silent)


_REFERS_BACK = re.compile(
    r"(?:\S+\s+){0,3}(?:it|its|that|they|their|them|these|this|those|such|there)\b", re.IGNORECASE
)
"""The beginning of a sentence that does not say by itself what it is about."""


def _gaps_in_prose(parsed: ParsedDraft) -> Iterator[tuple[int, str, str]]:
    """Yield offset, heading and text of each sentence that is marked as not found, with the one that it refers to."""
    before: GroundedSentence | None = None
    for sentence in parsed.sentences:
        if sentence.ground is Ground.NOT_FOUND:
            text = sentence.text
            is_next = before is not None and "\n\n" not in parsed.body[before.start : sentence.start]
            if before is not None and is_next and _REFERS_BACK.match(text):
                text = f"{before.text} {text}"
            yield sentence.start, sentence.section, text
        before = sentence


def _gaps_in_tables(parsed: ParsedDraft) -> Iterator[tuple[int, str, str]]:
    """Yield offset, heading and place of each cell that is marked as not found."""
    section = ""
    for node in parsed.nodes:
        if node.name == "Heading":
            section = words(parsed.body[node.start : node.end])
        elif node.name == "Table":
            head, *rows = (line for line in parsed.body[node.start : node.end].split("\n") if line.strip())
            titles = [words(cell) for cell in cells_of(head)]
            for number, row in enumerate(rows[_HEAD_OF_TABLE - 1 :]):
                cells = cells_of(row)
                marks = [MARK.search(cell) for cell in cells]
                places = [n for n, mark in enumerate(marks) if mark and mark["ground"] == Ground.NOT_FOUND.value]
                for n in places:
                    named = [words(MARK.sub("", cells[0])), *(titles[n : n + 1] if n else ())]
                    yield node.start + number, section, ", ".join(filter(None, named))


def plan_words(brief: Brief) -> Iterator[str]:
    """Yield the page's subject in the plan's words: a sentence may use them without a source."""
    yield brief.title
    yield plain_text(brief.plan.title)
    yield plain_text(brief.plan.meta_value("Topic") or "")
    for section in brief.outline:
        yield plain_text(section.title)
        yield from map(plain_text, section.points)


_GENERAL_TERMS = frozenset(
    re.findall(
        r"\S+",
        "API APIs ASCII CLI CPU CSS CSV DNS GUI HTML HTTP HTTPS ID IDs IP JSON Markdown OS PDF RAM SDK SQL SSH TCP "
        "TOML UDP UI URI URL URLs UTF-8 Unicode XML YAML Linux Windows macOS Unix Bash C++ Go Java JavaScript Kotlin "
        "PHP Perl Python Ruby Rust Swift TypeScript English German French",
    )
)
"""Names of formats, systems and languages: to name one is no claim if the works of the page speak of it."""


def known_words(parsed: ParsedDraft) -> Iterator[str]:
    """Yield what a sentence may name without a quote: the plan's words, and general terms of its works."""
    yield from plan_words(parsed.brief)
    there = {word.strip("`*_.,;:()[]\"'") for source in parsed.read for word in source.fetched.text.split()}
    yield " ".join(sorted(_GENERAL_TERMS & there))


def _deduction(parsed: ParsedDraft, sentence: GroundedSentence, about: Sequence[str], line: int) -> Iterator[Problem]:
    """Check that a deduced sentence names what it follows from, and has no number or name beyond it."""
    quotes = {reference.id: dict(reference.quotes) for reference in parsed.references}
    cited = [quotes.get(one.reference, {}).get(one.locator or "") for one in sentence.citations]
    given = [*filter(None, cited), *sentences_above(parsed.sentences, sentence)]
    if not given:
        what = (
            " is marked as deduced, and no sentence with a ground stands above it in its section; "
            "cite the quotes that it follows from"
        )
        yield parsed.sentence_problem("D052", sentence.text, what, line)
        return
    missing = tuple(
        word for word in find_missing(sentence.text, [*given, *about]) if not _is_computed(word, sentence.text, given)
    )
    if missing:
        listed = ", ".join(f"“{word}”" for word in missing)
        what = f" is marked as deduced, and {listed} is in nothing that it follows from"
        yield parsed.sentence_problem("D052", sentence.text, what, line, missing)


def _is_computed(word: str, sentence: str, given: Sequence[str]) -> bool:
    """Return whether a word is a number that is the sum or difference of numbers that a sentence follows from."""
    there, own = QuantityIndex("\n".join(given)), QuantityIndex(sentence)
    return any(number.written == word and there.has_result(number, own) for number in read_quantities(word))


def _links_to_base(parsed: ParsedDraft, sentence: GroundedSentence) -> bool:
    """Return whether a sentence's paragraph links to an existing file or page of the base."""
    above = [node for node in parsed.nodes if node.name in {"Paragraph", "Item"} and node.start <= sentence.start]
    end = above[-1].end if above else len(parsed.body)
    links = (node for node in parsed.nodes if node.name == "Link" and sentence.start <= node.start < end)
    return any(resolved(node.address, parsed.brief.page, parsed.base_files) is not None for node in links)


# --- drafts ------------------------------------------------------------------------------------------------------

DRAFT_RULES: Mapping[str, Callable[[ParsedDraft], Iterator[Problem]]] = {
    "target": _target,
    "front-matter": _front_matter,
    "sections": _sections,
    "citations": _citations,
    "references": _references,
    "quotes": _quotes,
    "grounds": _grounds,
    "lines": _lines,
    "markup": _markup,
    "fences": _fences,
    "links": _links,
    "credentials": lambda parsed: check_credentials(parsed.draft.text, parsed.brief.page),
}
"""The rules for drafts, by the requirement that each checks."""
assert list(DRAFT_RULES) == list(REQUIREMENTS)  # noqa: S101 - writers are told exactly what is checked


def check_draft(  # noqa: PLR0913, PLR0917 - all that a draft is checked against
    draft: Draft,
    brief: Brief,
    sources: Sequence[Source],
    base_files: Collection[str],
    planned: Collection[str] = frozenset(),
    others: Sequence[Source] = (),
) -> tuple[Problem, ...]:
    """Return the Problems of a draft. It is accepted if none of them `is_blocking`.

    Args:
        draft: the page. If a person submits it (``draft.writer == "hand"``), it may cite works that were not read: they
            and their quotes are reported as not verified.
        brief: the brief that it was written for.
        sources: those that were read for it, by the ids that it cites them by.
        base_files: the paths of existing pages and other files in the documentation folder, valid targets of links.
        planned: pages of other PARTs that are not written yet. Links to them are reported.
        others: further works that were read for it, which it does not cite.
    """
    parsed = ParsedDraft(draft, brief, sources, base_files, planned, others)
    if parsed.error:  # the rest of the page cannot be judged
        return tuple(_front_matter(parsed))
    return tuple(problem for rule in DRAFT_RULES.values() for problem in rule(parsed))
