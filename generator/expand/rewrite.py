"""Rewrite the sentences of a page whose evidence changed, and the references that they cite; no other byte. Pure."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from itertools import count, groupby
from typing import Any

from generator.citations.identifiers import work_id, work_key
from generator.citations.in_text import find_citations
from generator.citations.pins import parse_file_url
from generator.citations.quotes import SourceText, contains_quote, directive_of, directive_to, fold, readings, words
from generator.citations.references import read_references, with_items, with_references
from generator.drafts import Passage, Source
from generator.expand.stale import Change, Match, StaleQuote, heading_of, is_same_statement, likeness, lines_of
from generator.markdown.document import Node, edited, read_tree
from generator.markdown.escape import fenced, verbatim
from generator.markdown.front_matter import FrontMatterError, body_start, split_front_matter
from generator.markdown.sentences import sentence_spans, sentences_of
from generator.research.compose.quoting import Quote, csl_item, title_of
from generator.rules.support import judge

_TEXTS = frozenset({"Paragraph", "TableCell", "Item", "Heading"})
_NESTED = frozenset({"List", "BlockQuote", "CodeBlock"})
_GROUP = r"\[-?@[^\]]*\]"
_MASKED = re.compile(rf"`[^`]*`|(?P<stop>[.!?][\"'”\u2019)]*\s*)?{_GROUP}(?:\s*{_GROUP})*")
"""Code, and citations with the end of the sentence before them."""
_CHECKBOX = re.compile(r"\[.\][ \t]+")
_TITLED = re.compile(r"#|!!!|\?\?\?|===|.*\n(?:=+|-+)\Z")
"""Headings, and blocks to which Python-Markdown's extensions give a title."""
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

    line: int
    """1-based; of the first citation of it, else of its work, else of the page."""
    stale: StaleQuote
    action: Action
    reason: str = ""
    sentences: tuple[tuple[str, str], ...] = ()
    """Each sentence that cites it, before and after."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A sentence, block quote or code block that cites a quote; offsets are those of the body."""

    kind: str
    start: int
    end: int
    is_alone: bool = True
    """False for a sentence that cites something else too, or has a link."""
    lead: tuple[int, int] | None = None
    """The paragraph directly above a block, which may name its source and its place there."""


def rewrite(text: str, uri: str, stale: Sequence[StaleQuote], day: date) -> tuple[str, tuple[Finding, ...]]:
    """Return the page with the sentences replaced whose evidence changed, and the result for each stale quote.

    A sentence is replaced only if its quote has a match, and a reference only if all that cites the quote could be
    settled. Numbers that differ between the quotes are replaced in a sentence. It stays if the quotes state the same,
    or if the new one supports it; otherwise it becomes a quotation. In the front matter, only the values of changed
    references that name the source and its quotes differ.
    """
    items = split_front_matter(text)[0].get("references")
    listed: list[Any] = items if isinstance(items, list) and all(isinstance(item, dict) for item in items) else []
    head, body = text[: body_start(text)], text[body_start(text) :]
    above = head.count("\n")
    cited = {(c.reference, c.locator): c.line + above for c in reversed(find_citations(body))}
    items, findings = copy.deepcopy(listed), list[Finding]()
    for name, group in groupby(stale, key=lambda one: one.claim.reference.id):
        before, found = (body, copy.deepcopy(items)), list[Finding]()
        for one in group:
            first = min(one.claim.reference.lines, default=1)
            finding = Finding(cited.get((name, one.key), first), one, Action.LEFT)
            body, finding = _settle(body, items, finding, day)
            found.append(finding)
        # A file is cited at one commit: either all of its quotes move to the newer one, or none.
        if any(f.action is Action.LEFT for f in found) and any(f.stale.claim.pin for f in found):
            body, items = before
            found = [_left(f, "another quote of this reference could not be settled", body) for f in found]
        findings += found
    try:
        new = _with_references(head, body, listed, items)
        old, now = ({(p.code, p.message) for p in read_references(one, uri)[1]} for one in (text, new))
        why = "; ".join(message for _, message in sorted(now - old))
    except FrontMatterError as error:
        new, why = text, error.reason
    if why:
        return text, tuple(_left(finding, why, text[len(head) :]) for finding in findings)
    return new, tuple(findings)


def _left(finding: Finding, why: str, body: str) -> Finding:
    """Return the finding for a quote that is not settled after all, given the body without its edits."""
    shown = tuple((body[place.start : place.end],) * 2 for place in _find_places(body, finding.stale))
    reason = finding.reason if finding.action is Action.LEFT else why
    return replace(finding, action=Action.LEFT, reason=reason, sentences=shown)


def _settle(body: str, items: list[dict[str, Any]], finding: Finding, day: date) -> tuple[str, Finding]:
    """Return the body with the places that cite a quote settled, and the result; `items` are changed too."""
    stale = finding.stale
    item = next((item for item in items if item.get("id") == stale.claim.reference.id), None)
    places = list(_find_places(body, stale))
    shown = [body[place.start : place.end] for place in places]
    finding = replace(finding, sentences=tuple((text, text) for text in shown))
    if stale.change is Change.MOVED:
        if item and not stale.key:
            item["URL"] = stale.reason
        return body, replace(finding, action=Action.KEPT)
    if stale.match is None or item is None:
        return body, finding
    if not places:
        return body, replace(finding, reason="no sentence cites it by its key")
    texts = [_rewritten(now, place, stale, stale.match) for place, now in zip(places, shown, strict=True)]
    for place, text in zip(places, texts, strict=True):
        if text is None or (place.lead and stale.match.is_elsewhere):
            return body, replace(finding, reason=_why_not(place))
    new = list(filter(None, texts))
    if stale.match.is_elsewhere:
        citation = _cite_elsewhere(items, item, stale, stale.match, day)
        old = rf"@{re.escape(item['id'])}(?:\s*,\s*{re.escape(stale.key)})?(?=\s*[;\]])"
        new = [re.sub(old, citation, text) for text in new]
    else:
        _update(item, stale, stale.match, day)
    edits = {(place.start, place.end): text for place, text in zip(places, new, strict=True)}
    for place in places:
        if place.lead and edits[place.start, place.end] != body[place.start : place.end]:
            edits[place.lead] = _new_lead(body[slice(*place.lead)], stale.match)
    body = edited(body, ((*span, text) for span, text in sorted(edits.items())))
    action = Action.KEPT if new == shown else Action.REPLACED
    return body, replace(finding, action=action, sentences=tuple(zip(shown, new, strict=True)))


def _why_not(place: _Place) -> str:
    if place.kind != "sentence":
        return f"the {place.kind} shows more than the quote, or the text above it names the source"
    return "the sentence introduces what follows" if place.is_alone else "the sentence also rests on other evidence"


# --- places ----------------------------------------------------------------------------------------------------------


def _find_places(body: str, stale: StaleQuote) -> Iterator[_Place]:
    """Yield the sentences, block quotes and quoted code that cite a quote, in order."""
    citations, quotes = find_citations(body), stale.claim.reference.quotes
    of_work = [c for c in citations if c.reference == stale.claim.reference.id]
    own = [c for c in of_work if c.locator == stale.key]
    if not own and len(quotes) == 1:  # of a work with one quote, it needs no key
        own = [c for c in of_work if c.locator is None]
    top = read_tree(body, has_footnotes=True).children if own else []
    edge = Node("", 0, 0)
    for above, node, below in zip([edge, *top], top, [*top[1:], edge], strict=False):
        inside = [c for c in own if node.start <= c.start < node.end]
        if not inside:
            continue
        if node.name == "BlockQuote":
            is_lead = above.name == "Paragraph" and not any(above.start <= c.start < above.end for c in own)
            yield _Place("block quote", *_span(body, node), lead=_span(body, above) if is_lead else None)
        elif node.name == "Paragraph" and below.info is not None and fold(below.all_text()) == fold(stale.quote):
            yield _Place("code", *_span(body, below), lead=_span(body, node))
        else:
            for start, end in dict.fromkeys(_sentence(body, node, c.start) for c in inside):
                others = [c for c in citations if start <= c.start < end and c not in own]
                yield _Place("sentence", start, end, not others and not re.search(r"\]\(|\[\^", body[start:end]))


def _span(body: str, node: Node) -> tuple[int, int]:
    return node.start, node.start + len(body[node.start : node.end].rstrip())


def _sentence(body: str, top: Node, at: int) -> tuple[int, int]:
    """Return the span of the sentence with the citation at `at`, or right before it, in the smallest block there."""
    within = (node for node in (top, *top.descendants()) if node.start <= at < node.end)
    block = [top, *(node for node in within if node.name in _TEXTS)][-1]
    start, end = block.start, block.end
    if block.name == "Item":
        start = block.children[0].start
        end = next((child.start for child in block.children if child.name in _NESTED), end)
    box = _CHECKBOX.match(body, start)
    start = box.end() if box else start
    masked = _MASKED.sub(_mask, body[start:end])
    spans = sentence_spans(masked)
    first, last = next((span for span in spans if at - start < span[1]), spans[-1])
    said = body[start + first : start + last]
    return start + last - len(said.lstrip()), start + first + len(said.rstrip())


def _mask(found: re.Match[str]) -> str:
    letter = "X" if found[0].startswith("`") else "x"  # a capital begins a sentence
    return letter * (len(found[0]) - 1) + ("." if found["stop"] else letter)


# --- sentences -------------------------------------------------------------------------------------------------------


def _rewritten(now: str, place: _Place, stale: StaleQuote, match: Match) -> str | None:
    """Return what a place says with the new quote, still with the old citation; ``None`` if that is not possible."""
    old, new = stale.quote, match.words
    if place.kind != "sentence":
        return now if fold(new) == fold(old) else _new_block(place, old, new, now)
    groups, bare = re.findall(_GROUP, now), re.sub(rf"\s*{_GROUP}", "", now)
    said = words(bare)
    is_shared = any(f"@{stale.claim.reference.id}" in group and ";" in group for group in groups)
    is_label = len(said.split()) < _MIN_WORDS
    is_whole = now.count("**") % 2 == 0 == now.count("`") % 2 and not bare.endswith(":") and not _TITLED.match(now)
    carried = None if is_shared else _carried(now, old, new)
    if carried or judge(said, [new]).is_supported:
        return carried or now
    if not is_label and place.is_alone and is_whole and contains_quote(said, [fold(words(old))]):
        return f"{verbatim(max(sentences_of(new), key=lambda one: likeness(said, one)))} {groups[-1]}"
    if is_label or is_same_statement(old, new):
        return now
    if not place.is_alone or not is_whole:
        return None
    title = title_of(Source("", match.fetched)) if match.is_elsewhere else stale.claim.reference.title
    return f"{verbatim(f'“{title}”')} states: {verbatim(f'“{new}”')} {groups[-1]}{'.' if bare.endswith('.') else ''}"


def _new_block(place: _Place, old: str, new: str, now: str) -> str | None:
    """Return a block quote or code block with another quote; ``None`` if it shows more than the quote, or a list."""
    if place.kind == "code":
        code = fenced(new, now.split("\n", 1)[0].strip().lstrip("`~").strip()).rstrip("\n")
        return code.replace("\n", "\r\n" if "\r\n" in now else "\n")
    inner = re.sub(r"^[ \t]*>[ \t]?", "", now, flags=re.MULTILINE)
    group = re.search(rf"\s*({_GROUP})\s*\Z", inner)
    is_list = re.search(r"^[ \t]*(?:[-*+|>]|\d+[.)])", inner, re.MULTILINE)
    is_shown = group and words(inner[: group.start()]) == fold(words(old))
    return f"> {verbatim(new)} {group[1]}" if group and is_shown and not is_list else None


def _carried(sentence: str, old: str, new: str) -> str | None:
    """Return a sentence with the numbers that differ between two quotes; ``None`` if they differ in more."""
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    changed = {one: two for one, two in zip(before, after, strict=False) if one != two}
    is_clear = all(re.search(r"\d", one) and re.search(r"\d", two) for one, two in changed.items())
    if len(before) != len(after) or not is_clear or any(before.count(one) != 1 for one in changed):
        return None
    numbers = re.compile(rf"(?<![\w.,@/-])(?:{'|'.join(map(re.escape, changed))})(?![\w-]|[.,]\d)")
    if not changed or sorted(numbers.findall(sentence)) != sorted(changed):
        return None
    return numbers.sub(lambda number: changed[number[0]], sentence)


def _new_lead(lead: str, match: Match) -> str:
    """Return the text above a block with the new place of its quote; without it if that is not known."""
    heading, span = heading_of(match.words, match.fetched), lines_of(match.words, match.fetched)
    lines = list(map(str, dict.fromkeys(span or ()))) if match.fetched.has_lines else []
    under = f", under {verbatim(f'“{heading}”')}" if heading else ""
    at_lines = f", line{'s' * (len(lines) > 1)} {' to '.join(lines)}" if lines else ""
    return _PLACE_IN_LEAD.sub(lambda found: under if found[0].startswith(", under") else at_lines, lead)


# --- references ------------------------------------------------------------------------------------------------------


def _cite_elsewhere(
    items: list[dict[str, Any]], item: dict[str, Any], stale: StaleQuote, match: Match, day: date
) -> str:
    """Give a quote to the reference to the source that it was found in, and return its citation, ``@id, q1``."""
    for name in ("quotes", "lines", "fragments"):
        if isinstance(item["custom"].get(name), dict):
            item["custom"][name].pop(stale.key, None)
    address = match.fetched.moved_to or match.fetched.url
    known = next((item for item in items if work_key(str(item.get("URL") or "")) == work_key(address)), None)
    if known is None:
        name = work_id(address, match.fetched.title or address, {str(item.get("id")) for item in items})
        passage = Passage("", name, match.words, max(match.fetched.text.find(match.words), 0))
        items.append(csl_item(Source(name, match.fetched), {"q1": Quote(passage, match.words)}, day))
        return f"@{name}, q1"
    quotes = known.setdefault("custom", {}).setdefault("quotes", {})
    key = next(key for n in count(1) if (key := f"q{n}") not in quotes)
    quotes[key] = match.words
    return f"@{known['id']}, {key}"


def _update(item: dict[str, Any], stale: StaleQuote, match: Match, day: date) -> None:
    """Set the fields of a reference that depend on its source's text; no field is added."""
    custom, current = item["custom"], match.fetched
    quotes, texts = custom["quotes"], readings(current.visible, current.text)
    quotes[stale.key] = match.words
    facts: dict[str, object] = {"checked": day}
    if all(contains_quote(str(quote), texts) for quote in quotes.values()):
        facts["sha256"] = current.sha256
    fragments = custom.get("fragments")
    if isinstance(fragments, dict) and stale.key in fragments:
        fragments[stale.key] = str(directive_to(match.words, SourceText(current.visible)) or directive_of(match.words))
    if isinstance(item.get("accessed"), dict):
        item["accessed"] = {"date-parts": [[day.year, day.month, day.day]]}
    if current.moved_to and item.get("URL"):
        item["URL"] = current.moved_to
    file = parse_file_url(current.url)
    if stale.claim.pin and file:
        own = lines_of(match.words, current)
        lines = {**stale.lines, **({stale.key: own} if own else {})}
        if isinstance(custom.get("lines"), dict):
            custom["lines"] = {key: list(lines.get(key, span)) for key, span in custom["lines"].items()}
        ends = [end for span in lines.values() for end in span]
        for fields, name in ((item, "URL"), (custom, "permalink")):
            named = parse_file_url(str(fields.get(name) or ""))
            if named and named.is_pinned:
                span = (min(ends), max(ends)) if named.lines and ends else None
                fields[name] = replace(named, ref=file.ref, path=file.path, lines=span).url
        facts |= {"commit": file.ref, "path": file.path}
    custom |= {name: value for name, value in facts.items() if name in custom}


def _with_references(head: str, body: str, old: Sequence[Mapping[str, Any]], new: Sequence[dict[str, Any]]) -> str:
    """Return the page with its new references: those beyond the old ones replace what nothing cites any more.

    Raises FrontMatterError.
    """
    wanted, added = list(new[: len(old)]), list(new[len(old) :])
    cited = {citation.reference for citation in find_citations(body)}
    for n, (was, item) in enumerate(zip(old, new, strict=False)):
        if was.get("URL") != item.get("URL"):  # an entry of a list of sources: `- [title](address) [@id]`
            entry = rf"(?m)(^- \[.*\]\(){re.escape(str(was['URL']))}(?=\) \[@{re.escape(str(was['id']))}\]\r?$)"
            body = re.sub(entry, rf"\g<1>{str(item['URL']).replace(chr(92), chr(92) * 2)}", body)
        if added and was != item and item.get("id") not in cited:
            wanted[n] = added.pop(0)
    return with_references(with_items(head + body, wanted) if wanted else head + body, added)
