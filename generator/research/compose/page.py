"""Render a page, and write one by extraction: front matter, answers, sections, gaps.

All writers use this module, so that their pages have one form: a writer provides, for each point, passages to quote or
sentences that rest on passages.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import groupby
from urllib.parse import quote as percent_encoded

from generator.citations.source_lists import lists_sources
from generator.drafts import Brief, Draft, Evidence, KnownPage, Passage, PassageKind, Source, group_excerpts
from generator.markdown.escape import inline, linked, spans, verbatim
from generator.markdown.plain_text import count, plain_text
from generator.markdown.sentences import sentences_of
from generator.markdown.words import stem, terms, tokens
from generator.model import Section
from generator.page.parse import parse_page
from generator.page.render import render_page
from generator.research.compose.quoting import Quote, Quoter, csl_item, lines_of, shown, title_of
from generator.rules.limits import lines_range
from generator.rules.support import POINTING

PAGE_FORMAT = "3"
"""The version of the format of pages: if it changes, unfinished pages start over."""
GAPS = "What was not found"
_MAX_SENTENCE = 40
"""Maximum number of words of a sentence in the table: longer ones are lists or code in disguise."""
_MAX_QUERY = 10
"""Maximum number of words in a query to try."""
_TAG = re.compile(r"<(?=[A-Za-z/!?])")


@dataclass(frozen=True, slots=True)
class ComposedSentence:
    """A sentence in the writer's own words."""

    text: str
    """Plain text with code in backticks: other Markdown in it is escaped."""
    quotes: tuple[Quote, ...]
    """The words that it rests on."""


ContentBlocks = tuple[Passage | ComposedSentence, ...]


@dataclass(frozen=True, slots=True)
class PointContent:
    """The content below one point of the outline; empty if nothing was found."""

    section: int
    """Index in the brief's outline."""
    point: str
    """Empty for what opens the section."""
    blocks: ContentBlocks = ()
    elsewhere: tuple[str, ...] = ()
    """Without blocks: ids of sources that have an answer and are not quoted."""
    further: tuple[Passage, ...] = ()
    """More passages, folded."""


@dataclass(frozen=True, slots=True)
class Maker:
    """The writer of a page, and its method."""

    writer: str
    facts: Mapping[str, object] = field(default_factory=dict)
    """Further facts for the front matter: the model, the judge and the numbers of sentences."""
    made: str = ""
    """One or two sentences on how the page was made, shown at its top."""


def page_draft(brief: Brief, quoter: Quoter, answers: Sequence[PointContent], day: date, maker: Maker) -> Draft:
    """Render `answers` as a draft."""
    cited = _Cited(quoter)
    leads = {answer.section: answer.blocks for answer in answers if not answer.point}
    answers = [answer for answer in answers if answer.point]
    sections = [
        list(_section(section, leads.get(n, ()), [one for one in answers if one.section == n], cited))
        for n, section in enumerate(brief.outline)
    ]
    used = [cited.source(name) for name in cited.quotes]
    listed = [f"- {linked(title_of(s), s.fetched.moved_to or s.fetched.url)} [@{s.id}]" for s in used]
    for n, section in enumerate(brief.outline):
        if lists_sources(section.title):
            sections[n].append("\n".join(listed) or "None.")
    gaps = tuple(answer.point for answer in answers if not answer.blocks and not answer.elsewhere)
    blocks = [f"# {inline(brief.title)}", *_table(answers, cited), _overview(answers, cited, maker)]
    blocks += _known(brief.known, brief.page)
    blocks += [block for section in sections for block in section]
    blocks += _gaps(brief, gaps)
    return Draft(render_page(_meta(brief, cited, day, maker), "\n\n".join(blocks)), maker.writer, gaps)


# --- citations ---------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Cited:
    """The passages quoted on the page so far."""

    quoter: Quoter
    quotes: dict[str, dict[str, Quote]] = field(default_factory=dict)
    """Quotes by source and key, in the order of the page."""

    def source(self, name: str) -> Source:
        """Return the source with this id."""
        return self.quoter.sources[name]

    def cite(self, quote: Quote) -> str:
        """Return the citation of the quote, such as ``@id, q1``; a quote that is new on the page gets a new key."""
        name = quote.passage.source
        known = self.quotes.setdefault(name, {})
        same = (
            key for key, other in known.items() if (other.passage.id, other.words) == (quote.passage.id, quote.words)
        )
        key = next(same, f"q{len(known) + 1}")
        known.setdefault(key, quote)
        return f"@{name}, {key}"

    def mention(self, names: Sequence[str]) -> list[str]:
        """Return the titles of sources, each with a citation of it as a whole, ``[@id]``."""
        for name in names:
            self.quotes.setdefault(name, {})
        return [f"{_title(self.source(name))} [@{name}]" for name in names]


# --- sections ----------------------------------------------------------------------------------------------------


def _section(section: Section, lead: ContentBlocks, answers: Sequence[PointContent], cited: _Cited) -> Iterator[str]:
    """Yield the heading, and below it each point that is not open: its first quotes, and further ones folded."""
    yield f"## {inline(section.title)}"
    yield from _blocks(lead, cited)
    found = [answer for answer in answers if answer.blocks or answer.elsewhere]
    for answer in found:
        if answer.point != section.title:
            yield f"### {inline(answer.point)}"
        yield from _blocks(answer.blocks, cited)
        if answer.further:
            quotes = count(len(answer.further), "further quote")
            yield f'<details markdown="1">\n<summary>{quotes}</summary>'
            yield from _blocks(answer.further, cited)
            yield "</details>"
        elif not answer.blocks:
            named = ", ".join(cited.mention(answer.elsewhere))
            yield f"Not quoted, because more than half of the page would then be the words of one site: {named}."
    if answers and not found:
        yield f"Open: see [{GAPS}](#{GAPS.lower().replace(' ', '-')})."


def _blocks(blocks: ContentBlocks, cited: _Cited) -> Iterator[str]:
    """Yield Markdown for a point: sentences as paragraphs, passages as quotes with a line of attribution."""
    for _, run in groupby(blocks, key=type):
        sentences, before = [], None
        for block in run:
            if isinstance(block, ComposedSentence):
                sentences.append(_sentence(block, cited))
                continue
            quote = cited.quoter.quote(block)
            citation = f"[{cited.cite(quote)}]"
            yield _lead(cited.source(block.source), quote, before, citation)
            yield shown(quote, citation)
            if block.is_cut:
                yield f"The {block.kind.value} continues in the source."
            before = block
        if sentences:
            yield " ".join(sentences)


def _sentence(said: ComposedSentence, cited: _Cited) -> str:
    keys = dict.fromkeys(map(cited.cite, said.quotes))
    text = spans((piece, n % 2 == 1) for n, piece in enumerate(said.text.split("`")))
    return f"{text} [{'; '.join(keys)}]" if keys else text


def _lead(source: Source, quote: Quote, before: Passage | None, citation: str) -> str:
    """Return the attribution above a quote. For code it holds the citation, which cannot be inside the code."""
    passage = quote.passage
    is_code = passage.kind is PassageKind.CODE
    of_code = f" {citation}:" if is_code else ":"
    if before and passage.follows == before.id:
        return f"It goes on{', in code' if is_code else ''}{of_code}"
    # Headings of plain text are guesses: good enough for ranking, not to be shown.
    stated = passage.headings if source.markup else ()
    headings = [heading for heading in stated if heading != source.fetched.title]
    under = f"under {verbatim(f'“{headings[-1]}”')}" if headings else ""
    if before and before.source == source.id:
        parts = ["The same source", under if before.headings != passage.headings else ""]
    else:
        parts = [f"{_title(source)}{f' ({verbatim(source.host)})' if source.host else ''}", under]
    lines = lines_of(source, quote)
    if lines:
        parts.append(f"line {lines[0]}" if lines[0] == lines[1] else f"lines {lines[0]} to {lines[1]}")
    if is_code:
        parts.append("in code")
    return f"{', '.join(part for part in parts if part)}{of_code}"


def _title(source: Source) -> str:
    return verbatim(f"“{title_of(source)}”")


# --- other parts of the page -------------------------------------------------------------------------------------


def _table(answers: Sequence[PointContent], cited: _Cited) -> Iterator[str]:
    """Yield a table of the points, each with the sentence of its first quotes that is closest to it."""
    if answers:
        rows = (f"| {inline(answer.point)} | {_closest(answer, cited)} |" for answer in answers)
        yield "\n".join(["| Point | Closest sentence found |", "| --- | --- |", *rows])


def _closest(answer: PointContent, cited: _Cited) -> str:
    """Return the cell of a point: a sentence or its place, with the citation; ``open`` if there is none."""
    if not answer.blocks:
        return f"not quoted: {', '.join(cited.mention(answer.elsewhere))}" if answer.elsewhere else "open"
    wanted = {stem(term) for term in terms(plain_text(answer.point))}
    said = [block for block in answer.blocks if isinstance(block, ComposedSentence)]
    if said:
        return _sentence(max(said, key=lambda block: _closeness(block.text, wanted)), cited)
    quotes = [cited.quoter.quote(block) for block in answer.blocks if isinstance(block, Passage)]
    for kind in (PassageKind.PROSE, PassageKind.LIST):
        sentences = [
            (sentence, quote)
            for quote in quotes
            if quote.passage.kind is kind
            for sentence in sentences_of(quote.words)
            if len(sentence.split()) <= _MAX_SENTENCE
        ]
        if sentences:
            break
    else:
        return f"{quotes[0].passage.kind.value} below [{cited.cite(quotes[0])}]"
    sentence, quote = max(sentences, key=lambda found: _closeness(found[0], wanted))
    return f"{verbatim(sentence)} [{cited.cite(quote)}]"


def _closeness(sentence: str, wanted: Collection[str]) -> int:
    """Return how many wanted words the sentence has; one less if it needs the sentence before or after it."""
    found = tokens(sentence)
    is_dependent = sentence.endswith(("?", ":")) or not POINTING.isdisjoint(found[:1])
    return len({stem(word) for word in found}.intersection(wanted)) - is_dependent


def _overview(answers: Sequence[PointContent], cited: _Cited, maker: Maker) -> str:
    found = sum(bool(answer.blocks) for answer in answers)
    quotes = sum(len(quotes) for quotes in cited.quotes.values())
    sites = {cited.source(name).site for name in cited.quotes}
    return (
        f"Passages were found for {found} of the {count(len(answers), 'point')} of the plan: {count(quotes, 'quote')}"
        f" from {count(len(cited.quotes), 'source')} on {count(len(sites), 'site')}. {maker.made} "
        "It has not been reviewed."
    )


def _known(known: Sequence[KnownPage], page: str) -> Iterator[str]:
    """Yield links to prior knowledge in the base."""
    if known:
        yield "Related pages in the base, which this page does not repeat:"
        yield "\n".join(_known_page(other, page) for other in known)


def _known_page(known: KnownPage, page: str) -> str:
    path = percent_encoded(posixpath.relpath(known.page, posixpath.dirname(page) or "."), safe="/.-_~")
    where = f", {'line' if len(known.lines) == 1 else 'lines'} {', '.join(str(n) for n, _ in known.lines)}"
    return f"- [{verbatim(known.title)}]({path}){where if known.lines else ''}"


def _gaps(brief: Brief, gaps: Sequence[str]) -> Iterator[str]:
    if not gaps:
        return
    yield f"## {GAPS}"
    yield "No passages were found on these points of the plan. To search further, try:"
    about = terms(plain_text(brief.title))
    queries = (" ".join([*dict.fromkeys((*terms(plain_text(gap)), *about))][:_MAX_QUERY]) for gap in gaps)
    yield "\n".join(f"- {inline(gap)}: {verbatim(f'“{query}”')}" for gap, query in zip(gaps, queries, strict=True))


def _meta(brief: Brief, cited: _Cited, day: date, maker: Maker) -> Mapping[str, object]:
    goal = plain_text(brief.part.goal or "")
    about = "; ".join(plain_text(section.title) for section in brief.outline)
    return {
        "title": _for_head(plain_text(brief.title)),
        "description": _for_head(goal or f"{plain_text(brief.title)}: {about}."),
        "plan": brief.plan.slug,
        "part": brief.part.number,
        "tags": _tags(brief),
        "created": day,
        "reviewed": None,
        "generated": {"writer": maker.writer, **maker.facts, "date": day},
        "references": [csl_item(cited.source(name), quotes, day) for name, quotes in cited.quotes.items()],
    }


def _for_head(text: str) -> str:
    """Escape `text` for themes that put it into a page's head unescaped."""
    curly = re.sub(r'"([^"]*)"', r"“\1”", " ".join(text.split())).replace('"', "”")
    return _TAG.sub("&lt;", curly)


def _tags(brief: Brief) -> list[str]:
    """Return the page's folder and the words that its name shares with its plan's."""
    path = posixpath.splitext(brief.page)[0]
    folders = [part for part in posixpath.dirname(path).split("/") if part]
    words = re.split(r"[^a-z0-9]+", posixpath.basename(brief.plan.slug).lower())
    shared = [w for w in re.split(r"[^a-z0-9]+", posixpath.basename(path).lower()) if len(w) > 2 and w in words]
    return list(dict.fromkeys(re.sub(r"[^\w-]+", "-", tag.lower()) for tag in (*folders, *shared)))


# --- extraction ----------------------------------------------------------------------------------------------------

_MADE = (
    "A program extracted them on {day}: block quotes, code and the sentences in the table are verbatim from the "
    "sources, and the lines between them only name the source."
)


@dataclass(frozen=True, slots=True)
class ExtractWriter:
    """Quote the evidence, in its order."""

    name: str = "extract"

    def write(self, brief: Brief, sources: Sequence[Source], evidence: Sequence[Evidence], day: date) -> Draft:
        """Return a page of quotes: all the evidence, or as much as the budget allows."""
        maker = Maker(self.name, made=_MADE.format(day=day.isoformat()))
        return fitted_draft(brief, Quoter(sources), list(extracted(evidence)), day, maker)


def extracted(evidence: Sequence[Evidence]) -> Iterator[PointContent]:
    """Yield the quotes on each point."""
    for found in evidence:
        first, *more = group_excerpts(found.passages) or [()]
        further = tuple(passage for unit in more for passage in unit)
        yield PointContent(found.section, found.point, first, found.elsewhere, further)


def fitted_draft(brief: Brief, quoter: Quoter, answers: Sequence[PointContent], day: date, maker: Maker) -> Draft:
    """Render `answers` as a draft that is not longer than its budget allows, if possible.

    Further quotes of a point are removed first, the weakest of the most quoted site; then code and other passages below
    the first block of a point, longest first.
    """
    answers = list(answers)
    while True:
        draft = page_draft(brief, quoter, answers, day, maker)
        if off_budget(draft, brief) <= 0 or not _shorten(answers, quoter):
            return replace(draft, is_thin=True)


def off_budget(draft: Draft, brief: Brief) -> int:
    """Return a negative number if the page is shorter than its budget allows, a positive one if it is longer."""
    budget = brief.part.lines_budget
    if budget is None:
        return 0
    lines = parse_page(draft.text, brief.page)[0].lines
    low, high = lines_range(budget)
    return (lines > high) - (lines < low)


def _shorten(answers: list[PointContent], quoter: Quoter) -> bool:
    """Remove one excerpt, or a passage of one, from the answers; return whether there was anything to remove."""
    passages = [
        block for answer in answers for block in (*answer.blocks, *answer.further) if isinstance(block, Passage)
    ]
    sites = Counter(quoter.sources[passage.source].site for passage in passages)
    units = {n: group_excerpts(answer.further) for n, answer in enumerate(answers) if answer.further}
    if units:
        n = max(units, key=lambda n: (sites[quoter.sources[units[n][-1][0].source].site], len(units[n])))
        answers[n] = replace(answers[n], further=answers[n].further[: -len(units[n][-1])])
        return True
    lower = {
        n: (at, block)
        for n, answer in enumerate(answers)
        for at, block in enumerate(answer.blocks)
        if at and isinstance(block, Passage)
    }
    if lower:
        n = max(lower, key=lambda n: lower[n][1].text.count("\n"))
        blocks, at = answers[n].blocks, lower[n][0]
        answers[n] = replace(answers[n], blocks=(*blocks[:at], *blocks[at + 1 :]))
    return bool(lower)
