"""Gates on what a page rests on: its citations, its references, its quotes."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from generator.citations.identifiers import work_key
from generator.citations.in_text import Citation
from generator.citations.quotes import fold, readings, stands, words
from generator.drafts import Finding, Source
from generator.markdown.document import Node
from generator.model import Reference
from generator.rules.drafts.handed import Handed, failure, report
from generator.rules.limits import MAX_CODE_LINES, MAX_QUOTE_WORDS

_QUOTE_KEY = re.compile(r"q\d+")
_MIN_WORDS = 3
"""Fewer words stand in nearly every text."""


def ask_citations(handed: Handed) -> Iterator[Finding]:
    """The page cites, only what its references have, and only what was read."""
    known = {reference.id for reference in handed.references}
    if not handed.citations:
        yield failure("citations", "nothing is cited; say where each thing is from, as [@id]")
    for citation in handed.citations:
        line = handed.above + citation.line
        if citation.reference not in known:
            yield failure("citations", f"no reference has the id @{citation.reference}", line)
        elif citation.reference not in handed.sources and not handed.is_by_hand:
            yield failure("citations", f"@{citation.reference} was not read for this page", line)


def ask_references(handed: Handed) -> Iterator[Finding]:
    """Each reference has its own id and a title, is the work that was read, and is cited."""
    cited = {citation.reference for citation in handed.citations}
    ids = Counter(str(item.get("id")) for item in handed.items)
    for item in handed.items:
        name = str(item.get("id"))
        line = handed.line_of_reference(name)
        if not item.get("id") or ids[name] > 1:
            yield failure("references", f"{name!r} is no id of one reference alone", line)
        if not str(item.get("title") or "").strip():
            yield failure("references", f"@{name} has no title", line)
        if name not in cited:
            yield failure("references", f"@{name} is in the references, but nothing in the text cites it", line)
        source = handed.sources.get(name)
        if source:
            yield from _of_source(item, source, line)
        elif handed.is_by_hand:
            yield report("references", f"@{name} was not read for this page, so it is not verified", line)
            if isinstance(item.get("custom"), dict) and item["custom"].get("sha256"):
                yield failure("references", f"@{name} has a `sha256`, though no program read it; leave it out", line)
        url = str(item.get("URL") or "")
        if url and not re.match(r"https?://", url):
            yield failure("references", f"@{name}: {url!r} is not a web address; expected http:// or https://", line)


def _of_source(item: Mapping[str, Any], source: Source, line: int) -> Iterator[Finding]:
    """Return whether a reference is the work that was read under its id."""
    fetched, name = source.fetched, source.id
    read = {work_key(url) for url in (fetched.url, fetched.final_url, fetched.moved_to) if url}
    url = item.get("URL")
    if (url and work_key(str(url)) not in read) or (not url and source.host):
        told = f"has the address {url}" if url else "has no address"
        yield failure("references", f"@{name} {told}, and what was read is {fetched.url}", line)
    custom = item.get("custom")
    written = custom.get("sha256") if isinstance(custom, dict) else None
    if written and written != fetched.sha256:
        yield failure("references", f"@{name} has another `sha256` than the text that was read", line)


def ask_quotes(handed: Handed) -> Iterator[Finding]:
    """Each quote stands in its source to the letter, is short, and reads on the page as it is written."""
    quotes = {reference.id: dict(reference.quotes) for reference in handed.references}
    for reference in handed.references:
        yield from _of_reference(handed, reference)
    for citation in handed.citations:
        key = citation.locator or ""
        if citation.reference in quotes and _QUOTE_KEY.fullmatch(key) and key not in quotes[citation.reference]:
            line = handed.above + citation.line
            yield failure("quotes", f"@{citation.reference} has no quote {key}", line)
    yield from _shown(handed, quotes)


def _of_reference(handed: Handed, reference: Reference) -> Iterator[Finding]:
    source = handed.sources.get(reference.id)
    texts = readings(source.fetched.visible, source.fetched.text) if source and reference.quotes else ()
    for key, quote in reference.quotes:
        line, name = handed.line_of(f"{key}: {quote[:20]}"), f"quote {key} of @{reference.id}"
        lines = quote.strip("\n").count("\n") + 1
        if source is None:  # of a program's page, the citation is held back already
            if handed.is_by_hand:
                yield report("quotes", f"{name} is not verified: its source was not read", line)
        elif not stands(quote, texts):
            yield failure("quotes", f"{name} does not stand in its source", line)
        elif lines == 1 and len(quote.split()) < _MIN_WORDS and len(quote) < 12:
            yield failure("quotes", f"{name} is too short to tell anything", line)
        if (lines == 1 and len(quote.split()) > MAX_QUOTE_WORDS) or lines > MAX_CODE_LINES:
            length = f"{len(quote.split())} words" if lines == 1 else f"{lines} lines"
            yield report("quotes", f"{name} has {length}; quote less, and say the rest in other words", line)


def _shown(handed: Handed, quotes: Mapping[str, Mapping[str, str]]) -> Iterator[Finding]:
    """Compare each quote in the text with the quote that it cites; programs must cite one for each."""
    before: Node | None = None
    for node in handed.nodes:
        if node.depth or node.name not in {"BlockQuote", "CodeBlock", "Paragraph"}:
            continue
        if node.name == "Paragraph":
            before = node
            continue
        is_code = node.name == "CodeBlock"
        own = () if is_code else _within(handed.citations, node)
        lead = _within(handed.citations, before) if before and not own else ()
        cited = [c for c in own or lead if c.locator in quotes.get(c.reference, {})]
        seen = _seen(handed, node, own)
        wanted = [quotes[c.reference][str(c.locator)] for c in cited]
        what = "this code" if is_code else "this block quote"
        if not wanted and not handed.is_by_hand:
            yield failure("quotes", f"{what} cites no quote; let it end in [@id, q1]", handed.line(node.start))
        elif wanted and not any(_reads_as(seen, quote, is_part_enough=handed.is_by_hand) for quote in wanted):
            yield failure("quotes", f"{what} does not read as the quote that it cites", handed.line(node.start))
        before = None


_Placed = TypeVar("_Placed", Citation, Node)


def _within(placed: Sequence[_Placed], node: Node) -> Sequence[_Placed]:
    """Those of `placed`, which stand in order, that begin within `node`."""
    first, last = (bisect_left(placed, at, key=lambda one: one.start) for at in (node.start, node.end))
    return placed[first:last]


def _seen(handed: Handed, node: Node, citations: Sequence[Citation]) -> str:
    """Return the visible text of the node, without its citations."""
    if node.name == "CodeBlock":
        return fold(node.all_text())
    pieces, at = [], node.start
    for start, end in sorted({(c.start, c.end) for c in citations}):
        pieces += [handed.body[at:start], " " * (end - start)]
        at = end
    return words("".join([*pieces, handed.body[at : node.end]])[: node.end - node.start])


def _reads_as(seen: str, quote: str, *, is_part_enough: bool) -> bool:
    wanted = fold(quote)
    return seen == wanted or (is_part_enough and len(seen.split()) >= _MIN_WORDS and seen.strip("“”\"'") in wanted)
