"""Check the citations, references and quotes of a draft."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from generator.citations.identifiers import work_key
from generator.citations.in_text import Citation
from generator.citations.quotes import contains_quote, fold, readings, words
from generator.drafts import Source
from generator.markdown.document import Node
from generator.model import Problem, Reference
from generator.rules.draft import ParsedDraft
from generator.rules.limits import MAX_CODE_LINES, MAX_QUOTE_WORDS

_QUOTE_KEY = re.compile(r"q\d+")
_MIN_WORDS, _MIN_CHARS = 3, 12
"""Minimum size of a quote: nearly every text contains shorter ones."""
_Placed = TypeVar("_Placed", Citation, Node)


def check_citations(parsed: ParsedDraft) -> Iterator[Problem]:
    """Check that the page has citations, that each has a reference, and that its work was read."""
    known = {reference.id for reference in parsed.references}
    if not parsed.citations:
        yield parsed.problem("D020", "no citations; cite the source of each statement as [@id]")
    for citation in parsed.citations:
        line = parsed.lines_above + citation.line
        if citation.reference not in known:
            yield parsed.problem("K012", f"no reference has the id @{citation.reference}", line)
        elif citation.reference not in parsed.sources and not parsed.is_submitted:
            yield parsed.problem("D021", f"@{citation.reference} was not read for this page", line)


def check_references(parsed: ParsedDraft) -> Iterator[Problem]:
    """Check that each reference has its own id and a title, is the work that was read, and is cited."""
    cited = {citation.reference for citation in parsed.citations}
    ids = Counter(str(item.get("id")) for item in parsed.items)
    for item in parsed.items:
        name = str(item.get("id"))
        line = parsed.line_of_reference(name)
        if not item.get("id") or ids[name] > 1:
            yield parsed.problem("D030", f"{name!r} is not the id of exactly one reference", line)
        if not str(item.get("title") or "").strip():
            yield parsed.problem("K021", f"@{name} has no title", line)
        if name not in cited:
            yield parsed.problem("K013", f"@{name} is in the references but never cited", line)
        if source := parsed.sources.get(name):
            yield from _differences(parsed, item, source, line)
        elif parsed.is_submitted:
            yield parsed.problem("D034", f"@{name} was not read for this page, so it is not verified", line)
            if _hash(item):
                what = f"@{name} has a `sha256`, but no program read the work; remove the hash"
                yield parsed.problem("D033", what, line)
        url = str(item.get("URL") or "")
        if url and not re.match(r"https?://", url):
            what = f"@{name}: {url!r} is not a web address; expected http:// or https://"
            yield parsed.problem("D031", what, line)


def _hash(item: Mapping[str, Any]) -> object:
    custom = item.get("custom")
    return custom.get("sha256") if isinstance(custom, dict) else None


def _differences(parsed: ParsedDraft, item: Mapping[str, Any], source: Source, line: int) -> Iterator[Problem]:
    """Yield the differences between a reference and the work that was read under its id."""
    fetched = source.fetched
    read = {work_key(url) for url in (fetched.url, fetched.final_url, fetched.moved_to) if url}
    url = item.get("URL")
    if (url and work_key(str(url)) not in read) or (not url and source.host):
        has = f"has the address {url}" if url else "has no address"
        yield parsed.problem("D032", f"@{source.id} {has}, but the work that was read is at {fetched.url}", line)
    written = _hash(item)
    if written and written != fetched.sha256:
        yield parsed.problem("D032", f"@{source.id} has a different `sha256` from the text that was read", line)


def check_quotes(parsed: ParsedDraft) -> Iterator[Problem]:
    """Check that each quote is in its source verbatim, is short, and appears on the page as it is."""
    quotes = {reference.id: dict(reference.quotes) for reference in parsed.references}
    for reference in parsed.references:
        yield from _quotes_of(parsed, reference)
    for citation in parsed.citations:
        key = citation.locator or ""
        if citation.reference in quotes and _QUOTE_KEY.fullmatch(key) and key not in quotes[citation.reference]:
            line = parsed.lines_above + citation.line
            yield parsed.problem("D041", f"@{citation.reference} has no quote {key}", line)
    yield from _shown(parsed, quotes)


def _quotes_of(parsed: ParsedDraft, reference: Reference) -> Iterator[Problem]:
    source = parsed.sources.get(reference.id)
    texts = readings(source.fetched.visible, source.fetched.text) if source and reference.quotes else ()
    for key, quote in reference.quotes:
        line, name = parsed.line_of(f"{key}: {quote[:20]}"), f"quote {key} of @{reference.id}"
        lines, count = quote.strip("\n").count("\n") + 1, len(quote.split())
        if source is None:  # a program's citation of it is an error already
            if parsed.is_submitted:
                yield parsed.problem("D046", f"{name} is not verified: its source was not read", line)
        elif not contains_quote(quote, texts):
            yield parsed.problem("D040", f"{name} is not in its source", line)
        elif lines == 1 and count < _MIN_WORDS and len(quote) < _MIN_CHARS:
            yield parsed.problem("D044", f"{name} is too short", line)
        if (lines == 1 and count > MAX_QUOTE_WORDS) or lines > MAX_CODE_LINES:
            length = f"{count} words" if lines == 1 else f"{lines} lines"
            yield parsed.problem("D045", f"{name} has {length}; shorten it and paraphrase the rest", line)


def _shown(parsed: ParsedDraft, quotes: Mapping[str, Mapping[str, str]]) -> Iterator[Problem]:
    """Compare each quote in the text with the quote that it cites; programs must cite one for each.

    People and `command` also write their own code: it is a quote only if the paragraph above ends in its citation.
    """
    before: Node | None = None
    for node in parsed.nodes:
        if node.depth or node.name not in {"BlockQuote", "CodeBlock", "Paragraph"}:
            continue
        if node.name == "Paragraph":
            before = node
            continue
        is_code = node.name == "CodeBlock"
        own = () if is_code else _within(parsed.citations, node)
        writes_code = parsed.is_submitted or parsed.draft.writer == "command"
        lead = _within(parsed.citations, before) if before and not own else ()
        if before and lead and is_code and writes_code and parsed.body[lead[-1].end : before.end].strip(" .:;\n"):
            lead = ()  # it supports a sentence of the paragraph
        cited = [quotes[c.reference].get(c.locator or "") for c in own or lead if c.reference in quotes]
        wanted = [quote for quote in cited if quote is not None]
        what = "this code" if is_code else "this block quote"
        if not wanted and not (parsed.is_submitted or (is_code and writes_code)):
            yield parsed.problem("D042", f"{what} has no citation; end it with [@id, q1]", parsed.at(node))
        elif wanted and not any(_is_same(_seen(parsed, node, own), quote, parsed.is_submitted) for quote in wanted):
            yield parsed.problem("D043", f"{what} differs from the quote that it cites", parsed.at(node))
        before = None


def _within(placed: Sequence[_Placed], node: Node) -> Sequence[_Placed]:
    """Return those of `placed`, which are in order, that begin within `node`."""
    first, last = (bisect_left(placed, at, key=lambda one: one.start) for at in (node.start, node.end))
    return placed[first:last]


def _seen(parsed: ParsedDraft, node: Node, citations: Sequence[Citation]) -> str:
    """Return the visible text of the node, without its citations."""
    if node.name == "CodeBlock":
        return fold(node.all_text())
    pieces, at = [], node.start
    for start, end in sorted({(c.start, c.end) for c in citations}):
        pieces += [parsed.body[at:start], " " * (end - start)]
        at = end
    return words("".join([*pieces, parsed.body[at : node.end]])[: node.end - node.start])


def _is_same(seen: str, quote: str, is_part_enough: bool) -> bool:
    wanted = fold(quote)
    return seen == wanted or (is_part_enough and len(seen.split()) >= _MIN_WORDS and seen.strip("“”\"'") in wanted)
