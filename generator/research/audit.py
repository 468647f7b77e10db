"""Audit a report: find its claims with their citations, and compare them with the texts of the sources. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import accumulate
from typing import Any

from generator.citations.identifiers import is_definition, is_navigation, is_search_page, is_web, work_key
from generator.citations.in_text import find_citations
from generator.citations.mentions import read_mentions, source_sections
from generator.citations.quotes import contains_quote, fold, readings, words
from generator.citations.references import read_references
from generator.drafts import Passage, PassageKind
from generator.markdown.document import read_document, without_code
from generator.markdown.escape import verbatim
from generator.markdown.plain_text import is_row, is_row_rule, item_of
from generator.markdown.sentences import sentences_of
from generator.model import Problem
from generator.rules.support import ARTICLES, MARKS, judge, tokenize
from generator.web.model import Fetched, Outcome

# --- claims ----------------------------------------------------------------------------------------------------------

_NUMBER = r"\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,8}"
_PADDED = re.compile(
    rf"\\\[(?P<a>{_NUMBER})\\\](?!\()|(?:<sup>)?\[\\?\[?(?P<b>{_NUMBER})\\?\]?\]\(#[^()\s]{{0,200}}\)(?:</sup>)?"
    rf"|<sup>(?:<a\s[^<>]{{0,200}}>)?\s?\[?(?P<c>{_NUMBER})\]?\s?(?:</a>)?</sup>"
)
"""Other forms of ``[1]``: escaped, linked to its entry, superscript."""
_LINK = (
    r"!?\[(?:[^\[\]]|\[[^\[\]]{0,200}\]){0,400}\]\(<?(?:[^()\s]|\([^()\s]{0,200}\)){0,2000}(?:\s\"[^\"]{0,200}\")?\)"
)
_LINK_OF_NUMBER = rf"\[\\?\[?{_NUMBER}\\?\]?\]\(<?[^()\s]{{1,2000}}\)"
_AUTHORS = (
    r"[A-Z][\w'\u2019-]{1,30}(?:\set\sal\.?|(?:,\s[A-Z][\w'\u2019-]{1,30}){0,3},?\s(?:and|&)\s[A-Z][\w'\u2019-]{1,30})?"
)
_BY_YEAR = rf"(?:see\s|cf\.\s|e\.g\.,?\s)?{_AUTHORS},?\s(?:19|20)\d\d[a-z]?(?:,\sp{{1,2}}\.\s?[\d–-]+)?"
_LABELLED = r"(?:(?:see|via|from|sources?|refs?|references?)\b:?\s)?"
_MARK = re.compile(
    rf"\s{{0,3}}(?:\[{_NUMBER}\](?![(\[])|\[\^[^\s\[\]^]{{1,40}}\](?!:)|\[@[^\[\]]{{1,400}}\]|{_LINK_OF_NUMBER}"
    rf"|\(\s?(?i:{_LABELLED}){_LINK}(?:(?:[,;]|\sand)\s?{_LINK}){{0,8}}\s?\)|\({_BY_YEAR}(?:;\s{_BY_YEAR}){{0,8}}\)"
    r"|(?<!\])(?<!\]\()(?<!\]\(<)[(\[]?<?https?://[^\s<>()\[\]]{3,2000}>?[)\]]?)"
)
"""A citation that is not part of a sentence."""
_BEHIND_END = re.compile(rf"(?P<end>[.!?][”\"\u2019)]?)(?P<marks>(?:{_MARK.pattern}){{1,9}})(?P<more>\.?)(?=\s|$)")
_CLOSING = re.compile(r"[\"'”\u2019)\]]*")
_ANY_LINK = re.compile(_LINK)
_BY_LABEL = re.compile(r"(?<!!)\[([^\[\]\n]{1,400})\]\[[^\[\]\n]{0,80}\]")
_GLUED = re.compile(rf"(?<=[^\W\d_]{{2}})(?=\[{_NUMBER}\](?:[\s.,;:)]|$))")
_SIGNATURE = re.compile(r"(?:(?<=[\"”»])\s(?:—|–|--(?=\s)).{0,300}|\s(?:—|–|--(?=\s))\s?[^—–]{0,300})$")
"""The source below a quotation."""
_CODE_SPAN = re.compile(r"(`[^`]*`)")
_SOURCE_LINE = re.compile(r"\W*(?:data )?sources?(?: of (?:the )?(?:data|table|figures))?\W*:", re.IGNORECASE)
"""The beginning of a line that names the source of the table, quotation or paragraph above it."""
_NOTE = re.compile(r" {0,3}\[\^[^\s\[\]^]{1,40}\]:")
_QUOTED = re.compile(r"^(?:\s{0,3}>\s?)+")
_PROMPT = re.compile(
    r"(?:\W|and |also |please )*(?:see|read|visit|refer to|check|learn more|downloads?|click|join|follow|report|open an"
    r"|for (?:more|further|details|full|additional|information)|more (?:info|details|on)|further reading|go to"
    r"|head (?:over )?to)\b",
    re.IGNORECASE,
)
"""The beginning of a sentence that refers readers elsewhere and makes no claim."""
_POINTS = re.compile(r"\brefer to\W*$|\[(?:here|this (?:page|link)|link)\]\(", re.IGNORECASE)
"""A sentence that ends in an address, or whose link text names a place."""
_FIELDS = re.compile(r"\W*[A-Z][\w ]{2,30}:\s.*?\b[A-Z]\w{2,20}(?: \w{2,20})?:\s")
"""The beginning of a page's metadata: ``Released: 2026-10-02 Repository: ...``."""
_ALERT = re.compile(r"^\s*\[![A-Z]{3,12}\]\s*")
_QUOTE = re.compile(r"“([^“”]{1,1500})”|(?<![\w.,;:!?)])\"(?=\S)([^\"]{1,1500})(?<=\S)\"(?!\w)|«([^«»]{1,1500})»")
_MIN_WORDS, _MIN_QUOTE_WORDS = 3, 5
"""Minimum number of words of a claim, without citations, and of a quote."""


@dataclass(frozen=True, slots=True)
class CitedClaim:
    """A sentence, list item or table row with its citations."""

    uri: str
    line: int
    text: str
    """Its visible text, without citations."""
    urls: tuple[str, ...]
    quotes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Sentence:
    line: int
    unit: int
    marked: str
    """Markdown, in one line, with code masked; a list's or quote's marker is kept before the first of its unit."""
    raw: str
    kind: str
    """``text``, ``item``, ``quote``, ``row``, or ``other`` if it can make no claim."""
    covers_unit: bool = False
    """True if its citation stands in brackets of its own at the end of a paragraph or item: ``... stop. (https://...)``."""


def read_cited_claims(text: str, uri: str) -> tuple[CitedClaim, ...]:
    """Return the claims of a Markdown report that cite a source on the web, in order. Lines are 1-based."""
    document = read_document(text)
    found = list(_read_sentences(document.body.replace("\r\n", "\n").replace("\r", " ")))
    marked = "\n".join(sentence.marked for sentence in found)
    mentions = ((mention.line - 1, mention.url or "") for mention in read_mentions(marked)[0])
    named = [(n, url) for n, url in mentions if not is_search_page(url) and not _is_code(url, found[n].raw)]
    if citations := find_citations(marked):
        urls = {reference.id: reference.url or "" for reference in read_references(text, uri)[0]}
        named += [(citation.line - 1, urls.get(citation.reference, "")) for citation in citations]
    cited: dict[int, dict[str, str]] = defaultdict(dict)
    for n, url in named:
        if is_web(url):
            cited[n].setdefault(work_key(url), url)
    return tuple(_claims(found, cited, uri, document.lines_above))


def _is_code(url: str, raw: str) -> bool:
    """Return whether an address occurs on a line in code only, without a scheme."""
    name = url.partition("://")[2]
    return name in raw and name not in re.sub(r"`[^`]*`", "", raw)


def _claims(
    found: Sequence[_Sentence], cited: Mapping[int, Mapping[str, str]], uri: str, above: int
) -> Iterator[CitedClaim]:
    """Yield the claims: sentences with citations, or with a separate citation above or below."""
    extra: dict[int, dict[str, str]] = defaultdict(dict)
    attributed: set[int] = set()
    for n, sentence in enumerate(found):
        urls = cited.get(n)
        if not urls or sentence.kind in {"other", "row"}:
            continue
        for above_it in _covered(found, cited, n):
            extra[above_it] |= urls
        last = next((m for m in range(n - 1, -1, -1) if found[m].marked.strip("> ")), 0)
        before = found[last]
        if sentence.marked.rstrip(" *_").endswith(":"):
            for later in range(n + 1, len(found)):
                if found[later].kind not in {"item", "quote"} or found[later].unit == sentence.unit:
                    break
                extra[later] |= {} if cited.get(later) else urls
                attributed.add(later)
        elif (
            n > last
            and not _is_claim(sentence)
            and not _points_elsewhere(_visible(sentence), sentence.raw)
            and (before.unit == sentence.unit or before.kind == "quote")
        ):
            extra[last] |= urls
            attributed |= {last} if before.unit != sentence.unit else set()
    for n, sentence in enumerate(found):
        urls = {**cited.get(n, {}), **extra.get(n, {})}
        if urls and sentence.kind != "other" and _is_claim(sentence):
            text = _visible(sentence)
            is_quote = sentence.kind == "quote" and (n in attributed or _is_signed(sentence))
            whole = (text,) if is_quote and len(text.split()) >= _MIN_QUOTE_WORDS else ()
            parts = tuple("".join(match.groups("")) for match in _QUOTE.finditer(text))
            quotes = whole or tuple(quote for quote in parts if len(quote.split()) >= _MIN_QUOTE_WORDS)
            yield CitedClaim(uri, sentence.line + above, text, tuple(urls.values()), quotes)


def _covered(found: Sequence[_Sentence], cited: Mapping[int, Mapping[str, str]], n: int) -> Iterator[int]:
    """Yield the sentences above that the citation of sentence `n` covers: the rows of a table, or its paragraph."""
    is_of_table = _SOURCE_LINE.match(found[n].raw)
    above = (m for m in range(n - 1, -1, -1) if found[m].marked.strip()) if is_of_table or found[n].covers_unit else ()
    for m in above:
        is_covered = found[m].kind == "row" if is_of_table else found[m].unit == found[n].unit
        if not is_covered or cited.get(m):
            return
        yield m


def _is_claim(sentence: _Sentence) -> bool:
    """Return whether a sentence says anything besides its citations."""
    bare = _ANY_LINK.sub(" ", _without_marks(sentence.raw))
    text = _visible(sentence)
    said = len(re.findall(r"[^\W\d_]{2,}", bare))
    is_other = _FIELDS.match(text) or text.rstrip(" *_.").endswith(("?", ":")) or is_navigation(sentence.raw)
    is_said = not is_other and not _points_elsewhere(text, sentence.raw)
    return is_said and (said >= _MIN_WORDS or (said > 1 and len(text.split()) > _MIN_WORDS + 1))


def _points_elsewhere(text: str, raw: str) -> bool:
    """Return whether a sentence only sends a reader elsewhere."""
    return bool(_PROMPT.match(text) or _SOURCE_LINE.match(text) or _POINTS.search(text) or _POINTS.search(raw))


def _is_signed(sentence: _Sentence) -> bool:
    """Return whether a quotation names its source below."""
    signature = _SIGNATURE.search(sentence.raw)
    return bool(signature and (_ANY_LINK.search(signature[0]) or _MARK.search(signature[0])))


def _visible(sentence: _Sentence) -> str:
    raw = _BY_LABEL.sub(r"\1", _without_marks(sentence.raw))
    if sentence.kind == "row":
        cells = [cell for cell in raw.strip().strip("|").split("|") if not _ANY_LINK.fullmatch(cell.strip())]
        return " | ".join(filter(None, map(words, cells)))
    text = re.sub(r"\s+(?=[.,;:!?](?:\s|$))", "", words(_ALERT.sub("", raw)))
    if sentence.kind == "quote":
        text = _SIGNATURE.sub("", text) if _is_signed(sentence) else text
        text = text[1:-1] if text[:1] + text[-1:] in {'""', "“”"} else text
    return text


def _without_marks(raw: str) -> str:
    """Remove the citations, but no address in code: ``pip install git+https://...`` is part of the sentence."""
    return "".join(part if part[:1] == "`" else _MARK.sub("", part) for part in _CODE_SPAN.split(raw))


def _read_sentences(body: str) -> Iterator[_Sentence]:
    """Yield the sentences of the text; lines of lists of sources, headings and notes unchanged."""
    masked, lines = without_code(body), body.split("\n")
    is_listed = {n for start, stop, _ in source_sections(masked) for n in range(start, stop)}
    unit: list[int] = []
    kind, count = "text", 0
    for n, line in enumerate([*masked.all, ""]):
        quote = _QUOTED.match(line)
        inside = line[quote.end() :] if quote else line
        is_apart = n in is_listed or not inside.strip() or inside.lstrip()[:1] == "#" or bool(_NOTE.match(line))
        in_table = is_row(inside) or inside.count(" | ") > 1
        is_apart = is_apart or is_definition(line) or in_table or is_row_rule(inside)
        is_next = kind == "quote" and unit and _ANY_LINK.search((_SIGNATURE.search(lines[unit[-1]]) or [""])[0])
        starts = is_apart or item_of(inside) or bool(quote) != (kind == "quote") or is_next
        if unit and starts:
            yield from _split(masked.all, lines, unit, kind, count)
            unit, count = [], count + 1
        if is_apart:
            is_head = n + 1 < len(masked.all) and is_row_rule(masked.all[n + 1])
            is_data = in_table and not is_row_rule(inside) and not is_head and n not in is_listed
            if n < len(lines):
                yield _Sentence(n + 1, count, line, lines[n], "row" if is_data else "other")
            kind, count = "text", count + 1
            continue
        kind = ("quote" if quote else "item" if item_of(inside) else "text") if not unit else kind
        unit.append(n)


def _split(
    masked: Sequence[str], lines: Sequence[str], unit: Sequence[int], kind: str, number: int
) -> Iterator[_Sentence]:
    """Yield the sentences of a paragraph, list item or quotation, whose citations are moved before its full stop."""
    starts = [_begin(masked[unit[0]], lines[unit[0]], kind)]
    unquoted = ((_QUOTED.match(masked[n]), lines[n]) for n in unit[1:])
    starts += [len(quoted[0]) if quoted else len(line) - len(line.lstrip()) for quoted, line in unquoted]
    both = [" ".join(text[n][start:] for n, start in zip(unit, starts, strict=True)) for text in (masked, lines)]
    changes = [(m, f"[{m['a'] or m['b'] or m['c']}]".rjust(len(m[0]))) for m in _PADDED.finditer(both[0])]
    both = [_changed(text, changes) for text in both]
    behind = [
        (m, f"{both[1][m.start('marks') : m.end('marks')]}{m['end']}".ljust(len(m[0])))
        for m in _BEHIND_END.finditer(both[0])
    ]
    last = behind[-1][0] if behind and not both[0][behind[-1][0].end() :].strip() else None
    covers_unit = kind != "quote" and last is not None and last["marks"][0].isspace() and "(" in last["marks"]
    both = [_changed(text, behind) for text in both]
    ends = list(accumulate(len(masked[n]) - start + 1 for n, start in zip(unit, starts, strict=True)))
    at, prefix = 0, masked[unit[0]][: starts[0]]
    is_whole = kind == "quote" and _SIGNATURE.search(both[0])
    for sentence in [both[0]] if is_whole else _with_whole_quotes(sentences_of(both[0]), both[0]):
        start = both[0].index(sentence, at)
        closing = _CLOSING.match(both[0], start + len(sentence))
        at = closing.end() if closing else len(both[0])
        first = start + len(sentence) - len(sentence.lstrip())
        start = len(both[1][:start].rstrip("`"))  # code is masked with its backticks
        line = unit[min(bisect_right(ends, first), len(unit) - 1)] + 1
        is_end = covers_unit and not both[0][at:].strip()
        marked, raw = prefix + _GLUED.sub(" ", sentence.strip()), both[1][start:at].strip()
        yield _Sentence(line, number, marked, raw, kind, is_end)
        prefix = ""


def _begin(masked: str, line: str, kind: str) -> int:
    """Return where the text of the first line of a paragraph, list item or quotation begins."""
    if kind == "quote":
        match = _QUOTED.match(masked)
        return match.end() if match else 0
    item = item_of(masked) if kind == "item" else None
    return len(line[: len(masked) - len(item.text)].rstrip("`")) if item else 0


def _changed(text: str, changes: Iterable[tuple[re.Match[str], str]]) -> str:
    """Return a text with other characters, as many, at the places of matches in a text of the same length."""
    for match, instead in changes:
        text = text[: match.start()] + instead + text[match.end() :]
    return text


def _with_whole_quotes(sentences: Sequence[str], text: str) -> Iterator[str]:
    """Yield the sentences of a text, joined where a quote goes on."""
    at, start = 0, 0
    is_paired = text.count('"') % 2 == 0 and text.count("“") == text.count("”")
    for sentence in sentences:
        at = text.index(sentence, at) + len(sentence)
        is_open = text.count('"', start, at) % 2 or text.count("“", start, at) > text.count("”", start, at)
        closing = _CLOSING.match(text, at)
        is_closed = closing and is_open and (text.count('"', start, closing.end()) % 2 == 0)
        if not (is_paired and is_open) or is_closed:
            yield text[start:at].lstrip()
            start = closing.end() if closing else at
    if text[start:at].strip():
        yield text[start:at].lstrip()


# --- verdicts --------------------------------------------------------------------------------------------------------


class SourceState(StrEnum):
    """The state of a cited source."""

    READ = "read"
    MOVED = "moved"
    MISSING = "missing"
    UNREACHABLE = "unreachable"
    NOT_READ = "not read"


class QuoteMatch(StrEnum):
    """The result of looking for a quote in the sources of its claim."""

    EXACT = "exact"
    NEAR = "near"
    ABSENT = "absent"
    UNKNOWN = "unknown"
    """A source could not be read."""


class Support(StrEnum):
    """The result of comparing a claim with its sources."""

    SUPPORTED = "supported"
    NOT_SUPPORTED = "not supported"
    CANNOT_TELL = "cannot tell"


@dataclass(frozen=True, slots=True)
class AuditedSource:
    """A source of a claim, as it was read."""

    url: str
    state: SourceState
    detail: str = ""
    """The reason, the new address, or what was read instead: a commit, a copy."""


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """The result for one claim."""

    claim: CitedClaim
    sources: tuple[AuditedSource, ...]
    quotes: tuple[tuple[str, QuoteMatch], ...]
    support: Support
    reason: str
    """The reason why it is not supported, or why that cannot be determined."""
    passage: str
    """The closest passage of a source; empty if none is close."""
    passage_url: str

    @property
    def problems(self) -> Iterator[Problem]:
        """Yield its problems, the verdict last."""
        uri, line = self.claim.uri, self.claim.line
        for source in self.sources:
            if source.state in _STATES:
                code, what = _STATES[source.state]
                yield Problem(uri, line, code, f"{source.url} {what}{source.detail}")
        for quote, match in self.quotes:
            if match in _MATCHES:
                code, what = _MATCHES[match]
                yield Problem(uri, line, code, f"“{quote}” {what}")
        if self.support is not Support.SUPPORTED:
            code = "A006" if self.support is Support.NOT_SUPPORTED else "A007"
            closest = f"; closest: “{self.passage}”" if self.passage else ""
            yield Problem(uri, line, code, f"{self.support}: “{self.claim.text}”: {self.reason}{closest}")


_STATES = {
    SourceState.MISSING: ("A001", "does not exist: "),
    SourceState.UNREACHABLE: ("A002", "could not be read: "),
    SourceState.NOT_READ: ("A002", "was not read: "),
    SourceState.MOVED: ("A003", "moved to "),
}
_MATCHES = {
    QuoteMatch.ABSENT: ("A004", "is not in its source"),
    QuoteMatch.NEAR: ("A005", "differs from its source"),
}
_ELISION = re.compile(r"\s*(?:\[\s?(?:…|\.{3})\s?\]|…|\.{3}|\w*\[[^\[\]]{1,60}\]\w*)\s*")
"""Words left out of a quote, or an editor's words in it: ``consider[s] [an identifier] an alias``."""
_LEAD = re.compile(
    r"(?:According to|As (?:described|explained|noted|stated|documented|reported) (?:in|by)|Per)\s[^,]{2,100},\s(?=\S)"
)
_SAYING = frozenset(
    "says say states state notes note agrees agree confirms warns explains puts documents describes adds".split()  # noqa: SIM905
)
_SAYS = _SAYING | frozenset(
    "the its own official docs documentation manual guide reference page section specification spec standard it "  # noqa: SIM905
    "directly plainly flatly exactly explicitly itself also and as".split()
)
"""Words of a sentence that only tells whose words it quotes."""
_NEGATIONS = frozenset({"not", "no", "never", "without", "cannot"})
_CLOSE, _NEAR, _SHOWN, _CANDIDATES = 0.8, 0.8, 0.25, 12
"""Similarity of a contradicting sentence, of a near quote, of a passage to show; and passages to compare."""
_SMALL_WORDS = ARTICLES | frozenset(
    {"of", "to", "in", "on", "at", "by", "for", "with", "and", "or", "as", "is", "was", "be", "that"}
)


class ReadSource:
    """A source's text, prepared for comparisons."""

    def __init__(self, fetched: Fetched, passages: Sequence[Passage]) -> None:
        self.fetched = fetched
        self.texts = (*readings(fetched.visible, fetched.text), fold(fetched.title or ""))
        self._words = _plain_words(self.texts[0])
        every = [text for passage in passages for text in _prose(passage.text, passage.kind)]
        self._passages = [(text, _keys(text)) for text in every]

    def find_quote(self, quote: str) -> QuoteMatch:
        """Return how the source has a quote, which may leave out words with an ellipsis."""
        parts = [part.rstrip(",.;") for part in _ELISION.split(quote) if part.strip(" ,.;")]
        is_long = len(" ".join(parts).split()) >= _MIN_QUOTE_WORDS
        if is_long and all(map(self._has, parts)):
            return QuoteMatch.EXACT
        return QuoteMatch.NEAR if parts and all(map(self._is_near, parts)) else QuoteMatch.ABSENT

    def _has(self, quote: str) -> bool:
        """Return whether a text has a quote; its first letter may differ, as it may begin within a sentence."""
        return any(contains_quote(first + quote[1:], self.texts) for first in (quote[:1], quote[:1].swapcase()))

    def _is_near(self, quote: str) -> bool:
        wanted = _plain_words(quote)
        match = SequenceMatcher(None, self._words, wanted, autojunk=False).find_longest_match()
        start = max(0, match.a - match.b)
        there = self._words[start : start + len(wanted)]
        return SequenceMatcher(None, there, wanted, autojunk=False).ratio() >= _NEAR

    def closest(self, claim: str) -> list[str]:
        """Return the passages that share the most words with a claim, best first."""
        wanted = _keys(claim)
        ranked = sorted(self._passages, key=lambda pair: len(wanted & pair[1]), reverse=True)
        return [text for text, keys in ranked[:_CANDIDATES] if len(wanted & keys) > 1]


def audit_claim(claim: CitedClaim, read: Mapping[str, ReadSource | Fetched | None]) -> AuditFinding:
    """Return the finding for a claim, given the texts of its sources, or the reasons why there are none."""
    sources = tuple(_state(url, read.get(url)) for url in claim.urls)
    texts = {url: found for url in claim.urls if isinstance(found := read.get(url), ReadSource)}
    matches = [(quote, [text.find_quote(quote) for text in texts.values()]) for quote in claim.quotes]
    quotes = tuple((quote, _best(found, is_whole=len(texts) == len(claim.urls))) for quote, found in matches)
    closest = [(text, url) for url, source in texts.items() for text in source.closest(claim.text)]
    said = [claim.text, _capitalized(_LEAD.sub("", claim.text, count=1))]
    support, reason, (passage, where) = Support.CANNOT_TELL, "none of its sources could be read", ("", "")
    if texts:
        judged = [judge(text, [passage for passage, _ in closest]) for text in said if len(text.split()) > _MIN_WORDS]
        sentences = [(sentence, url) for text, url in closest for sentence in sentences_of(text)]
        wanted = _keys(said[1])
        likeness, n = max(((len(wanted & _keys(one)), -n) for n, (one, _) in enumerate(sentences)), default=(0, 0))
        is_close = sentences and likeness >= _SHOWN * max(len(wanted), 1)
        passage, where = sentences[-n] if is_close else ("", "")
        reason = judged[-1].reason if judged and is_close else "no passage of its sources is similar"
        held = next((n for one in judged for n in one.supported_by), None)
        quoted = quotes and _is_attribution(claim)
        if held is not None:
            support, reason, (passage, where) = Support.SUPPORTED, "", closest[held]
        elif quoted and all(match is QuoteMatch.EXACT for _, match in quotes):
            support, reason = Support.SUPPORTED, ""
        elif conflict := next(filter(None, (_conflict(said[1], one) for one, _ in sentences)), ""):
            support, reason = Support.NOT_SUPPORTED, conflict
    return AuditFinding(claim, sources, quotes, support, reason, fold(passage), where)


def _state(url: str, found: ReadSource | Fetched | None) -> AuditedSource:
    if found is None:
        return AuditedSource(url, SourceState.NOT_READ, "no stored text")
    if isinstance(found, ReadSource):
        fetched = found.fetched
        if fetched.moved_to:
            return AuditedSource(url, SourceState.MOVED, fetched.moved_to)
        origin = fetched.origin
        proof = f"commit {(origin.commit or '')[:12]} of {origin.committed}" if origin and origin.committed else ""
        return AuditedSource(url, SourceState.READ, f"copy of {fetched.fetched[:10]}" if fetched.is_copy else proof)
    state = SourceState.MISSING if found.outcome is Outcome.GONE else SourceState.UNREACHABLE
    return AuditedSource(url, state, found.reason or found.outcome.value)


def _best(found: Sequence[QuoteMatch], *, is_whole: bool) -> QuoteMatch:
    """Return the best match among the sources; a quote is absent only if all of them were read."""
    best = min(found, key=list(QuoteMatch).index, default=QuoteMatch.UNKNOWN)
    return best if is_whole or best is not QuoteMatch.ABSENT else QuoteMatch.UNKNOWN


def _is_attribution(claim: CitedClaim) -> bool:
    """Return whether a claim says nothing beside its quotes but whose words they are: ``SQLite agrees: "..."``."""
    rest = claim.text
    for quote in claim.quotes:
        rest = rest.replace(quote, " ")
    said = re.findall(r"[\w'\u2019-]*\w", rest)
    is_known = all(w.lower() in _SAYS or (w != w.lower() and (n or w != w.title())) for n, w in enumerate(said))
    return not said or (is_known and not _SAYING.isdisjoint(said))


def _conflict(claim: str, sentence: str) -> str:
    """Return how a sentence contradicts a claim: they differ in numbers, or in a negation, and in nothing else."""
    one, two = _sequence(claim), _sequence(sentence)
    matcher = SequenceMatcher(None, two, one, autojunk=False)
    if min(len(one), len(two)) < 5 or matcher.ratio() < _CLOSE:
        return ""
    changes = [(two[a:b], one[c:d]) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]
    is_numbers = all(a and b and all(re.fullmatch(r"[-+]?\d[\d.,]*", word) for word in (*a, *b)) for a, b in changes)
    is_negation = len(changes) == 1 and sorted(map(len, changes[0])) == [0, 1]
    if changes and (is_numbers or (is_negation and _NEGATIONS.intersection(*[changes[0][0] or changes[0][1]]))):
        there, here = (" ".join(word for change in changes for word in change[side]) for side in (0, 1))
        return f"the source says “{there or 'nothing of it'}” where the claim says “{here or 'nothing of it'}”"
    return ""


def _prose(text: str, kind: PassageKind) -> list[str]:
    """Return a passage's prose as a reader sees it, each list item on its own."""
    if kind in {PassageKind.CODE, PassageKind.TABLE}:
        return []
    pieces = re.split(r"\n(?=\s*(?:[-*+•]|\d{1,3}[.)])\s)", text) if kind is PassageKind.LIST else [text]
    return [piece for piece in (words(piece.strip()) for piece in pieces) if piece]


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


def _sequence(text: str) -> list[str]:
    return [token.at_start or token.key for token in tokenize(text) if token.key not in MARKS | ARTICLES]


def _plain_words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _keys(text: str) -> frozenset[str]:
    return frozenset(token.key.casefold() for token in tokenize(text)) - MARKS - _SMALL_WORDS


# --- reports ---------------------------------------------------------------------------------------------------------


def count_findings(findings: Sequence[AuditFinding]) -> dict[str, dict[str, int]]:
    """Return the numbers of claims by verdict, of sources by state and of quotes by match."""
    states = {(source.url, source.state) for finding in findings for source in finding.sources}
    return {
        "claims": {support.value: n for support, n in Counter(finding.support for finding in findings).items()},
        "sources": dict(Counter(state.value for _, state in states)),
        "quotes": dict(Counter(match.value for finding in findings for _, match in finding.quotes)),
    }


def report_findings(findings: Sequence[AuditFinding]) -> dict[str, Any]:
    """Return the findings as JSON data."""
    return {
        "version": 1,
        "counts": count_findings(findings),
        "claims": [
            {
                "uri": finding.claim.uri,
                "line": finding.claim.line,
                "claim": finding.claim.text,
                "support": finding.support.value,
                "reason": finding.reason,
                "sources": [{"URL": s.url, "state": s.state.value, "detail": s.detail} for s in finding.sources],
                "quotes": [{"text": quote, "match": match.value} for quote, match in finding.quotes],
                "passage": {"text": finding.passage, "URL": finding.passage_url} if finding.passage else None,
                "codes": [problem.code for problem in finding.problems],
            }
            for finding in findings
        ],
    }


def findings_table(findings: Sequence[AuditFinding]) -> str:
    """Return the findings as a table in Markdown; claims and passages are escaped."""
    rows = ["| Place | Claim | Sources | Quotes | Verdict | Closest passage |", "| --- | --- | --- | --- | --- | --- |"]
    for finding in findings:
        sources = "; ".join(f"{s.url} ({s.state}{f': {s.detail}' if s.detail else ''})" for s in finding.sources)
        quotes = ", ".join(match.value for _, match in finding.quotes) or "–"
        verdict = f"{finding.support}: {finding.reason}" if finding.reason else finding.support.value
        place = f"{finding.claim.uri}:{finding.claim.line}"
        cells = (place, finding.claim.text, sources, quotes, verdict, finding.passage or "–")
        rows.append(f"| {' | '.join(map(verbatim, cells))} |")
    return "\n".join(rows)
