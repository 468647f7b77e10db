"""Rewrite the sentences of a page whose evidence changed, and the references that they cite; no other byte. Pure."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import count, groupby
from typing import Any

from generator.citations.identifiers import work_id, work_key
from generator.citations.in_text import Citation, find_citations
from generator.citations.pins import parse_file_url
from generator.citations.quotes import SourceText, contains_quote, directive_of, directive_to, fold, readings, words
from generator.citations.references import read_references, with_items, with_references
from generator.drafts import Passage, Source
from generator.expand.stale import Change, Match, StaleQuote, heading_of, is_same_statement, likeness, lines_of
from generator.markdown.document import Node, read_tree
from generator.markdown.escape import fenced, verbatim
from generator.markdown.front_matter import FrontMatterError, body_start, split_front_matter
from generator.research.compose.quoting import Quote, csl_item, title_of
from generator.rules.support import judge, sentence_at, sentences_of

_BLOCKS = frozenset({"Paragraph", "TableCell", "Item", "Heading"})
_MARKER = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[.\][ \t]+)?")
_MIN_WORDS = 3
"""Number of words from which text states something."""
_TOKEN = re.compile(r"\w+(?:[.:,-]\w+)*|[^\w\s]")
_PLACE_IN_LEAD = re.compile(r", under “[^”\n]*”|, lines? \d+(?: to \d+)?")


class Action(StrEnum):
    """The result for one stale quote."""

    REPLACED = "replaced"
    """Sentences were replaced."""
    KEPT = "kept"
    """The sentences stay; their reference was updated, if necessary."""
    LEFT = "left"
    """Nothing was changed; a person has to decide."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result for one stale quote, for a reviewer."""

    uri: str
    line: int
    """1-based; of the first sentence that cites it, else of the page."""
    reference: str
    stale: StaleQuote
    action: Action
    reason: str
    sentences: tuple[tuple[str, str], ...] = ()
    """Each sentence that cites it, before and after."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A sentence, block quote or code block with citations; offsets are those of the file."""

    kind: str
    start: int
    end: int
    citations: tuple[Citation, ...]
    """All citations in it; of a code block, those that end the paragraph above."""
    lead: tuple[int, int] | None = None
    """The paragraph directly above a block, which may name its source and its place there."""


@dataclass(slots=True)
class _PageEdits:
    """A page and the edits to it so far."""

    text: str
    items: list[dict[str, Any]]
    places: tuple[_Place, ...]
    edits: dict[tuple[int, int], str] = field(default_factory=dict)
    added: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    """New items, each with the id of the one whose quote it replaces."""

    def at(self, start: int, end: int) -> str:
        """Return the text of a span, with its edit."""
        return self.edits.get((start, end), self.text[start:end])

    def citing(self, reference: str, key: str) -> Iterator[tuple[_Place, bool]]:
        """Yield the places that cite a quote, each with whether it cites nothing else."""
        own = [c for place in self.places for c in place.citations if c.reference == reference]
        names = {key} if any(c.locator == key for c in own) else {None}  # of a work with one quote, it needs no key
        item = next((item for item in self.items if item.get("id") == reference), {})
        for place in self.places if len(_quotes(item)) == 1 or None not in names else ():
            cited = [c for c in place.citations if c.reference == reference and c.locator in names]
            if cited:
                has_links = re.search(r"\]\(|\[\^", self.text[place.start : place.end])
                yield place, len(cited) == len(place.citations) and not has_links


def rewrite(text: str, uri: str, stale: Sequence[StaleQuote], day: date) -> tuple[str, tuple[Finding, ...]]:
    """Return the page with the sentences replaced whose evidence changed, and the result for each stale quote.

    A sentence is replaced only if its quote has a match, and a reference only if all that cites the quote could be
    settled. Numbers that differ between the quotes are replaced in a sentence. It stays if the quotes state the same,
    or if the new one supports it; otherwise it becomes a quotation. In the front matter, only the values of changed
    references that name the source and its quotes differ.
    """
    items = split_front_matter(text)[0].get("references")
    listed: list[Any] = items if isinstance(items, list) and all(isinstance(item, dict) for item in items) else []
    page = _PageEdits(text, listed, tuple(_find_places(text, listed)))
    findings: list[Finding] = []
    for _, group in groupby(stale, key=lambda one: one.claim.reference.id):
        before, found = page, list[Finding]()
        for one in group:
            trial = copy.deepcopy(page)
            found.append(_settle(trial, uri, one, day))
            page = page if found[-1].action is Action.LEFT else trial
        # A file is cited at one commit: either all of its quotes move to the newer one, or none.
        if any(f.action is Action.LEFT for f in found) and any(f.stale.claim.pin for f in found):
            page = before
            found = [_left(f, "another quote of this reference could not be settled") for f in found]
        findings += found
    try:
        new = _apply(page, listed)
        old, now = ({(p.code, p.message) for p in read_references(one, uri)[1]} for one in (text, new))
        why = "; ".join(message for _, message in sorted(now - old))
    except FrontMatterError as error:
        new, why = text, error.reason
    return (text, tuple(_left(f, why) for f in findings)) if why else (new, tuple(findings))


def _left(finding: Finding, why: str) -> Finding:
    """Return a finding for a quote that is not settled after all."""
    if finding.action is Action.LEFT:
        return finding
    return replace(finding, action=Action.LEFT, reason=why, sentences=tuple((old,) * 2 for old, _ in finding.sentences))


def _settle(page: _PageEdits, uri: str, stale: StaleQuote, day: date) -> Finding:
    """Edit the places that cite a quote, and its reference; if the result is `LEFT`, the edits are to be dropped."""
    name = stale.claim.reference.id
    cited = list(page.citing(name, stale.key))
    lines = [page.text.count("\n", 0, place.start) + 1 for place, _ in cited]
    line = min(lines or stale.claim.reference.lines, default=1)
    said = tuple((page.text[place.start : place.end],) * 2 for place, _ in cited)
    left = Finding(uri, line, name, stale, Action.LEFT, "", said)
    item = next((item for item in page.items if item.get("id") == name), None)
    if stale.change is Change.MOVED:
        if item and not stale.key:
            item["URL"] = stale.reason
        return replace(left, action=Action.KEPT)
    if stale.match is None or item is None:
        return left
    if not cited:
        return replace(left, reason="no sentence cites it by its key")
    new = (_cite_elsewhere if stale.match.is_elsewhere else _update)(page, item, stale, stale.match, day)
    old = re.compile(rf"@{re.escape(name)}(?:\s*,\s*{re.escape(stale.key)})?(?=\s*[;\]])")
    written = []
    for place, is_alone in cited:
        now = page.at(place.start, place.end)
        text = _rewritten(place, now, stale, stale.match, is_alone=is_alone)
        if text is None or (new and place.lead):
            return replace(left, reason=_why_not(place, is_alone=is_alone))
        if place.lead and text != now:
            page.edits[place.lead] = _new_lead(page.at(*place.lead), stale.match)
        page.edits[place.start, place.end] = old.sub(new, text) if new else text
        written.append((now, page.edits[place.start, place.end]))
    is_kept = all(before == after for before, after in written)
    return replace(left, action=Action.KEPT if is_kept else Action.REPLACED, sentences=tuple(written))


def _why_not(place: _Place, *, is_alone: bool) -> str:
    if place.kind != "sentence":
        return f"the {place.kind} shows more than the quote, or the text above it names the source"
    return "the sentence introduces what follows" if is_alone else "the sentence also rests on other evidence"


# --- places ----------------------------------------------------------------------------------------------------------


def _find_places(text: str, items: Sequence[Mapping[str, Any]]) -> Iterator[_Place]:
    """Yield the sentences, block quotes and quoted code of a page that cite something, in order."""
    at = body_start(text)
    body = text[at:]
    citations = find_citations(body)
    tree = read_tree(body, has_footnotes=True) if citations else Node("Document", 0, 0)
    shown = {(str(item.get("id")), key): fold(quote) for item in items for key, quote in _quotes(item).items()}
    nodes = [Node("", 0, 0), *tree.children, Node("", 0, 0)]

    def span(node: Node) -> tuple[int, int]:
        return at + node.start, at + node.start + len(body[node.start : node.end].rstrip())

    for above, node, below in zip(nodes, nodes[1:], nodes[2:], strict=False):
        inside = tuple(c for c in citations if node.start <= c.start < node.end)
        code = fold(below.all_text()) if node.name == "Paragraph" and below.info is not None else ""
        of_code = tuple(c for c in inside if code and shown.get((c.reference, c.locator or "")) == code)
        inside = tuple(c for c in inside if c not in of_code)
        if of_code:
            yield _Place("code", *span(below), of_code, span(node))
        if node.name == "BlockQuote" and inside:
            yield _Place("block quote", *span(node), inside, span(above) if above.name == "Paragraph" else None)
        elif inside:
            for start, end in dict.fromkeys(_sentences(body, node, inside)):
                yield _Place("sentence", at + start, at + end, tuple(c for c in inside if start <= c.start < end))


def _sentences(body: str, top: Node, citations: Sequence[Citation]) -> Iterator[tuple[int, int]]:
    """Yield the span of the sentence of each citation below a top-level node."""
    blocks = [node for node in (top, *top.descendants()) if node.name in _BLOCKS]
    masked = list(body[top.start : top.end])
    for node in top.descendants():
        if node.name == "Code":
            masked[node.start + 1 - top.start : node.end - 1 - top.start] = "X" * (node.end - node.start - 2)
    for start, end in dict.fromkeys((c.start - top.start, c.end - top.start) for c in citations):
        stop = re.search(r"[.!?](?=[\"'”\u2019)]*\s*\Z)", "".join(masked[:start]))
        masked[start:end] = "x" * (end - start)
        if stop:  # the citation follows the full stop of its sentence
            masked[stop.start()], masked[end - 1] = "x", "."
    text = "".join(masked)
    for citation in citations:
        block = next((node for node in reversed(blocks) if node.start <= citation.start < node.end), top)
        marker = _MARKER.match(body, block.start) if block.name == "Item" else None
        first = marker.end() if marker else block.start
        start, end = sentence_at(text[first - top.start : block.end - top.start], citation.start - first)
        said = body[first + start : first + end]
        yield first + start + len(said) - len(said.lstrip()), first + start + len(said.rstrip())


# --- sentences -------------------------------------------------------------------------------------------------------


def _rewritten(place: _Place, now: str, stale: StaleQuote, match: Match, *, is_alone: bool) -> str | None:
    """Return what a place says with the new quote, still with the old citation; ``None`` if that is not possible."""
    new, fetched = match.words, match.fetched
    groups = re.findall(r"\[-?@[^\]]*\]", now)
    bare = re.sub(r"\s*\[-?@[^\]]*\]", "", now)
    if place.kind != "sentence":
        return now if fold(new) == fold(stale.quote) else _new_block(place, stale.quote, new, now)
    said = words(bare)
    is_shared = any(f"@{stale.claim.reference.id}" in group and ";" in group for group in groups)
    carried = None if is_shared and not is_alone else _carried(now, stale.quote, new)
    is_own = contains_quote(said, [fold(words(stale.quote))]) and len(said.split()) >= _MIN_WORDS
    is_same = is_same_statement(stale.quote, new) or len(said.split()) < _MIN_WORDS
    is_whole = now.count("**") % 2 == 0 == now.count("`") % 2 and not bare.endswith(":") and not now.startswith("#")
    if judge(said, [new]).is_supported:
        return now
    if is_own and is_alone and is_whole:  # a sentence of the source
        return f"{verbatim(max(sentences_of(new), key=lambda one: likeness(said, one)))} {groups[-1]}"
    if carried or is_same or not is_alone or not is_whole:
        return carried or (now if is_same else None)
    title = title_of(Source(fetched.url, fetched)) if match.is_elsewhere else stale.claim.reference.title
    return f"{verbatim(f'“{title}”')} states: {verbatim(f'“{new}”')} {groups[-1]}{'.' if bare.endswith('.') else ''}"


def _new_block(place: _Place, old: str, new: str, now: str) -> str | None:
    """Return a block quote or code block with another quote; ``None`` if it shows more than the quote, or a list."""
    if place.kind == "code":
        code = fenced(new, now.split("\n", 1)[0].strip().lstrip("`~").strip()).rstrip("\n")
        return code.replace("\n", "\r\n" if "\r\n" in now else "\n")
    inner = re.sub(r"^[ \t]*>[ \t]?", "", now, flags=re.MULTILINE)
    group = re.search(r"\s*(\[-?@[^\]]*\])\s*\Z", inner)
    is_list = re.search(r"^[ \t]*(?:[-*+|>]|\d+[.)])", inner, re.MULTILINE)
    is_shown = group and words(inner[: group.start()]) == fold(words(old))
    return f"> {verbatim(new)} {group[1]}" if group and is_shown and not is_list else None


def _carried(sentence: str, old: str, new: str) -> str | None:
    """Return a sentence with the numbers that differ between two quotes; ``None`` if they differ in more."""
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    changed: dict[str, str] = {}
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        pairs = list(zip(before[a:b], after[c:d], strict=False))
        is_numbers = all(re.search(r"\d", one) and re.search(r"\d", two) for one, two in pairs)
        if b - a != d - c or not is_numbers or any(before.count(one) != 1 for one, _ in pairs):
            return None
        changed |= dict(pairs)
    for one, two in changed.items():
        pieces = re.split(rf"(?<![\w.,@/-]){re.escape(one)}(?![\w-]|[.,]\d)", sentence)
        if len(pieces) != 2:
            return None
        sentence = two.join(pieces)
    return sentence if changed else None


def _new_lead(lead: str, match: Match) -> str:
    """Return the text above a block with the new place of its quote; without it if that is not known."""
    heading, span = heading_of(match.words, match.fetched), lines_of(match.words, match.fetched)
    lines = list(map(str, dict.fromkeys(span or ()))) if match.fetched.has_lines else []
    under = f", under {verbatim(f'“{heading}”')}" if heading else ""
    at_lines = f", line{'s' * (len(lines) > 1)} {' to '.join(lines)}" if lines else ""
    return _PLACE_IN_LEAD.sub(lambda found: under if found[0].startswith(", under") else at_lines, lead)


# --- references ------------------------------------------------------------------------------------------------------


def _quotes(item: Mapping[str, Any]) -> dict[str, str]:
    custom = item.get("custom")
    quotes = custom.get("quotes") if isinstance(custom, dict) else None
    return {str(key): str(text) for key, text in quotes.items()} if isinstance(quotes, dict) else {}


def _cite_elsewhere(page: _PageEdits, item: dict[str, Any], stale: StaleQuote, match: Match, day: date) -> str:
    """Give a quote to the reference to the source that it was found in, and return its citation, ``@id, q1``."""
    for name in ("quotes", "lines", "fragments"):
        if isinstance(item["custom"].get(name), dict):
            item["custom"][name].pop(stale.key, None)
    listed = [*page.items, *(item for _, item in page.added)]
    address = match.fetched.moved_to or match.fetched.url
    known = next((item for item in listed if work_key(str(item.get("URL") or "")) == work_key(address)), None)
    if known is None:
        name = work_id(address, match.fetched.title or address, {str(item.get("id")) for item in listed})
        passage = Passage("", name, match.words, max(match.fetched.text.find(match.words), 0))
        page.added.append(
            (str(item["id"]), csl_item(Source(name, match.fetched), {"q1": Quote(passage, match.words)}, day))
        )
        return f"@{name}, q1"
    quotes = known.setdefault("custom", {}).setdefault("quotes", {})
    key = next(key for n in count(1) if (key := f"q{n}") not in quotes)
    quotes[key] = match.words
    return f"@{known['id']}, {key}"


def _update(page: _PageEdits, item: dict[str, Any], stale: StaleQuote, match: Match, day: date) -> str:
    """Set the fields of a reference that depend on its source's text; no field is added, and no citation changes."""
    custom, current = item["custom"], match.fetched
    if current.moved_to and item.get("URL"):
        item["URL"] = current.moved_to
    custom["quotes"][stale.key] = match.words
    quotes = _quotes(item)
    fragments = custom.get("fragments")
    if isinstance(fragments, dict) and stale.key in fragments:
        words_ = match.words
        fragments[stale.key] = str(directive_to(words_, SourceText(current.visible)) or directive_of(words_))
    texts = readings(current.visible, current.text)
    if "sha256" in custom and all(contains_quote(quote, texts) for quote in quotes.values()):
        custom["sha256"] = current.sha256
    if "checked" in custom:
        custom["checked"] = day
    if isinstance(item.get("accessed"), dict):
        item["accessed"] = {"date-parts": [[day.year, day.month, day.day]]}
    pin, file = stale.claim.pin, parse_file_url(current.url)
    if pin is None or file is None:
        return ""
    own = lines_of(match.words, current)
    lines = {**dict(stale.lines), **({stale.key: own} if own else {})}
    if isinstance(custom.get("lines"), dict):
        custom["lines"] = {key: list(lines.get(key, span)) for key, span in custom["lines"].items()}
    for fields, name in ((item, "URL"), (custom, "permalink")):
        named = parse_file_url(str(fields.get(name) or ""))
        if named and named.is_pinned:
            ends = [end for span in lines.values() for end in span]
            span = (min(ends), max(ends)) if named.lines and ends else None
            fields[name] = replace(named, ref=file.ref, path=file.path, lines=span).url
    custom |= {name: value for name, value in (("commit", file.ref), ("path", file.path)) if name in custom}
    return ""


def _apply(page: _PageEdits, items: Sequence[Mapping[str, Any]]) -> str:
    """Return the page with its edits; `items` are its references before them. Raises FrontMatterError."""
    text = page.text
    for (start, end), new in sorted(page.edits.items(), reverse=True):
        text = text[:start] + new + text[end:]
    for old, item in zip(items, page.items, strict=True):
        if old.get("URL") != item.get("URL"):  # an entry of a list of sources: `- [title](address) [@id]`
            entry = rf"(?m)(^- \[.*\]\(){re.escape(str(old['URL']))}(?=\) \[@{re.escape(str(old['id']))}\]\r?$)"
            text = re.sub(entry, rf"\g<1>{str(item['URL']).replace(chr(92), chr(92) * 2)}", text)
    cited = {citation.reference for citation in find_citations(text[body_start(text) :])}
    wanted, more = list(page.items), list[dict[str, Any]]()
    for name, item in page.added:
        n = next((n for n, one in enumerate(wanted) if one.get("id") == name and name not in cited), None)
        if n is None:
            more.append(item)
        else:
            wanted[n] = item
    return with_references(with_items(text, wanted) if wanted else text, more)
