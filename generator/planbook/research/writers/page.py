"""Render a page, and write one by extraction: front matter, answers, sections, open questions.

All writers use this module, so that their pages have one form: a writer provides, for each point, excerpts to quote or
sentences that rest on passages.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import groupby
from urllib.parse import quote as percent_encoded

from planbook.citations.quotes import directive_of, fold, fragment_link, has_fragments, words
from planbook.citations.source_lists import lists_sources
from planbook.library.pages import parse_page, render_page
from planbook.markdown.escape import inline_words, linked, spans, verbatim
from planbook.markdown.plain_text import count, plain_text
from planbook.markdown.words import keywords
from planbook.model import Section
from planbook.problems import lines_range
from planbook.research.drafts import Brief, Draft, Evidence, Excerpt, KnownPage, PassageKind, Ranked, Source
from planbook.research.evidence.acceptance import telling_sentence
from planbook.research.writers.quoting import Quote, Quoter, lines_of, plainly_shown, shown, source_item

OPEN = "Open questions"
MANY_POINTS = 4
"""Number of points above which a page begins with a table of short answers."""
_MAX_ANSWER = 30
"""Maximum number of words of a short answer; a longer sentence is cut."""
_MAX_LABEL = 10
"""Maximum number of words in the name of a place."""
_MAX_UNFOLDED = 16
"""Maximum number of lines of a further excerpt that is not folded; the best one of a point never is."""
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_SIGNATURE = re.compile(r"\A([A-Za-z_][\w.:]*) ?\(.*\Z", re.DOTALL)
"""A function with its parameters."""


@dataclass(frozen=True, slots=True)
class ComposedSentence:
    """A sentence in the writer's own words."""

    text: str
    """Plain text with code in backticks: other Markdown in it is escaped."""
    quotes: tuple[Quote, ...]
    """The words that it rests on."""


ContentBlocks = tuple[Excerpt | ComposedSentence, ...]


@dataclass(frozen=True, slots=True)
class PointContent:
    """The content below one point of the outline; empty if nothing was found."""

    section: int
    """Index in the brief's outline."""
    point: str
    """Empty for what opens the section."""
    blocks: ContentBlocks = ()
    also: tuple[Excerpt, ...] = ()
    """Further excerpts, to link to; without blocks, the nearest ones."""
    remark: str = ""
    """A sentence on the blocks, shown above them."""
    is_written: bool = False
    """True if somebody wrote sentences: code and tables among the blocks are then shown without quotation."""


@dataclass(frozen=True, slots=True)
class Maker:
    """The writer of a page, and its method."""

    writer: str
    facts: Mapping[str, object] = field(default_factory=dict)
    """Further facts for the front matter: the model, the judge and the numbers of sentences."""
    made: str = ""
    """One or two sentences on how the page was made, shown at its top; empty if the statements of its head suffice."""


def page_draft(brief: Brief, quoter: Quoter, answers: Sequence[PointContent], day: date, maker: Maker) -> Draft:
    """Render `answers` as a draft."""
    cited = _Cited(quoter)
    leads = {answer.section: answer for answer in answers if not answer.point}
    answers = [answer for answer in answers if answer.point]
    in_short = list(_short_answers(answers, cited))
    sections = [
        list(_section(section, leads.get(n), [one for one in answers if one.section == n], cited))
        for n, section in enumerate(brief.outline)
    ]
    used = [cited.source(name) for name in cited.quotes]
    listed = [f"- {linked(s.title, s.fetched.moved_to or s.fetched.url)} [@{s.id}]" for s in used]
    for n, section in enumerate(brief.outline):
        if lists_sources(section.title):
            sections[n].append("\n".join(listed) or "None.")
    open_points = [answer for answer in answers if not answer.blocks]
    gaps = tuple(answer.point for answer in answers if not answer.blocks or answer.remark)
    questions = list(_open_questions(brief, open_points, cited))
    blocks = [f"# {inline_words(brief.title)}", *_overview(answers, cited, maker), *in_short]
    blocks += [*_known(brief.known, brief.page), *(block for section in sections for block in section), *questions]
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

    def mention(self, name: str) -> str:
        """Return a citation of a source as a whole, ``[@id]``."""
        self.quotes.setdefault(name, {})
        return f"[@{name}]"


# --- sections ----------------------------------------------------------------------------------------------------


def _section(
    section: Section, lead: PointContent | None, answers: Sequence[PointContent], cited: _Cited
) -> Iterator[str]:
    """Yield the heading, and below it each point that is not open: its excerpts, and links to further ones."""
    yield f"## {inline_words(section.title)}"
    named: set[str] = set()
    if lead is not None:
        yield from _blocks(lead, cited, named)
    found = [answer for answer in answers if answer.blocks]
    for answer in found:
        if answer.point != section.title:
            yield f"### {inline_words(answer.point)}"
        if answer.remark:
            yield answer.remark
        yield from _blocks(answer, cited, named)
        others = {_label(excerpt, cited): excerpt for excerpt in reversed(answer.also)}  # the best of each name
        links = [_further(excerpt, cited) for excerpt in reversed(others.values())]
        if links:
            yield f"Also: {', '.join(links)}."
    if answers and not found:
        yield f"Open: see [{OPEN}](#{_anchor(OPEN)})."


def _anchor(title: str) -> str:
    """Return the anchor of a heading of plain words."""
    return title.lower().replace(" ", "-")


_NOT_SENTENCES = frozenset({PassageKind.CODE, PassageKind.TABLE})
"""Kinds of passages that are no sentences."""


def _blocks(content: PointContent, cited: _Cited, named: set[str]) -> Iterator[str]:
    """Yield Markdown for a point: sentences as paragraphs, excerpts as quotes below the name of their place.

    `named` are the sources that the section has named; new ones are added.
    """
    before: Excerpt | None = None
    for is_sentence, run in groupby(content.blocks, key=lambda block: isinstance(block, ComposedSentence)):
        if is_sentence:
            yield " ".join(_sentence(block, cited) for block in run if isinstance(block, ComposedSentence))
            continue
        for block in run:
            if not isinstance(block, Excerpt):
                continue
            quotes = [cited.quoter.quote(passage) for passage in block.passages]
            citation = f"[{'; '.join(dict.fromkeys(map(cited.cite, quotes)))}]"
            lead = _lead(cited.source(block.source), block, before, quotes[0], is_named=block.source in named)
            named.add(block.source)
            if content.is_written:
                yield f"{lead.removesuffix(':')} {citation}:"
                yield plainly_shown(quotes)
            else:
                text = shown(quotes, citation)
                rows = text.count("\n") + 1
                if before is not None and rows > _MAX_UNFOLDED:
                    text = f'<details markdown="1">\n<summary>{rows} lines</summary>\n\n{text}\n\n</details>'
                yield from (lead, text)
            if any(passage.is_cut for passage in block.passages):
                yield "It continues in the source."
            before = block


def _sentence(said: ComposedSentence, cited: _Cited, *, is_cell: bool = False) -> str:
    keys = dict.fromkeys(map(cited.cite, said.quotes))
    text = spans(((piece, n % 2 == 1) for n, piece in enumerate(said.text.split("`"))), is_cell=is_cell)
    return f"{text} [{'; '.join(keys)}]" if keys else text


def _lead(source: Source, excerpt: Excerpt, before: Excerpt | None, first: Quote, *, is_named: bool) -> str:
    """Return the place of an excerpt: its source if the section has not named it yet, its heading, its lines."""
    heading = _heading(source, excerpt)
    if before and before.source == excerpt.source and _heading(source, before) == heading:
        return "Further down:" if excerpt.passages[0].start > before.passages[0].start else "Further up:"
    host = f" ({verbatim(source.host)})" if source.host else ""
    parts = [] if is_named and heading else [f"{verbatim(f'“{source.title}”')}{host}"]
    parts += [f"under {verbatim(f'“{heading}”')}"] if heading else []
    lines = lines_of(source, first)
    if lines:
        parts.append(f"line {lines[0]}" if lines[0] == lines[1] else f"lines {lines[0]} to {lines[1]}")
    lead = ", ".join(parts)
    return f"{lead[:1].upper()}{lead[1:]}:"


def _heading(source: Source, excerpt: Excerpt) -> str:
    """Return the heading above an excerpt; empty if it is the title, or a guess, as in plain text."""
    headings = [one for one in excerpt.headings if one != source.fetched.title] if source.markup else []
    return headings[-1] if headings else ""


def _further(excerpt: Excerpt, cited: _Cited) -> str:
    """Return a link to an excerpt that is not quoted; to its source if its words have no address."""
    label = _label(excerpt, cited)
    if has_fragments(excerpt.address):
        last = cited.quoter.quote(excerpt.passages[-1])
        return linked(label, fragment_link(excerpt.address, directive_of(last.words)))
    return f"{verbatim(label)} {cited.mention(excerpt.source)}"


def _label(excerpt: Excerpt, cited: _Cited) -> str:
    """Return the name of an excerpt's place: its term, a function without its parameters; else its heading."""
    source = cited.source(excerpt.source)
    label = _SIGNATURE.sub(r"\1()", excerpt.term) or _heading(source, excerpt) or source.title
    return " ".join(label.split()[:_MAX_LABEL])


# --- other parts of the page -------------------------------------------------------------------------------------


def _overview(answers: Sequence[PointContent], cited: _Cited, maker: Maker) -> Iterator[str]:
    """Yield a paragraph on a page that nobody wrote: how it was made, and how much of it may help."""
    if not maker.made:
        return
    found = sum(bool(answer.blocks) and not answer.remark for answer in answers)
    doubtful = sum(bool(answer.blocks) and bool(answer.remark) for answer in answers)
    left = len(answers) - found - doubtful
    said = [f"{found} of {count(len(answers), 'point')} {'has' if found == 1 else 'have'} a passage"]
    said += [f"{doubtful} {'is' if doubtful == 1 else 'are'} uncertain"] if doubtful else []
    said += [f"{left} {'is' if left == 1 else 'are'} open"] if left else []
    yield f"{maker.made} {', '.join(said)}. {count(len(cited.quotes), 'work')} cited."


def _short_answers(answers: Sequence[PointContent], cited: _Cited) -> Iterator[str]:
    """Yield a table with a short answer to each point, if there are many."""
    if len(answers) <= MANY_POINTS:
        return
    rows = [f"| {inline_words(answer.point)} | {_short_answer(answer, cited)} |" for answer in answers]
    yield "\n".join(["| Point | In short |", "| --- | --- |", *rows])


def _short_answer(answer: PointContent, cited: _Cited) -> str:
    """Return the first sentence on a point, or the sentence of its best passage that has most of the point's words."""
    if not answer.blocks:
        return f"Open: see [{OPEN}](#{_anchor(OPEN)})."
    if answer.remark:
        return "Uncertain: see below."
    first = answer.blocks[0]
    if isinstance(first, ComposedSentence):
        return _sentence(first, cited, is_cell=True)
    passage, sentence = telling_sentence(answer.point, first)
    only_announces = sentence.rstrip().endswith(":")
    if passage.kind in _NOT_SENTENCES or only_announces:
        return f"See below. [{cited.cite(cited.quoter.quote(passage))}]"
    seen = (words(sentence) if passage.is_markdown else fold(sentence)).split()
    cut = f"{' '.join(seen[:_MAX_ANSWER])} …" if len(seen) > _MAX_ANSWER else " ".join(seen)
    return f"{verbatim(f'“{cut}”')} [{cited.cite(cited.quoter.quote(passage))}]"


def _known(known: Sequence[KnownPage], page: str) -> Iterator[str]:
    """Yield links to prior knowledge in the base."""
    if known:
        yield "Related pages in the base, which this page does not repeat:"
        paths = (posixpath.relpath(other.page, posixpath.dirname(page) or ".") for other in known)
        links = (percent_encoded(path, safe="/.-_~") for path in paths)
        yield "\n".join(f"- [{verbatim(one.title)}]({link})" for one, link in zip(known, links, strict=True))


def _open_questions(brief: Brief, answers: Sequence[PointContent], cited: _Cited) -> Iterator[str]:
    """Yield the points without an answer, each with the nearest source."""
    if not answers:
        return
    yield f"## {OPEN}"
    yield "As far as a program can tell, the works that were read do not answer these points."
    rows = []
    for answer in answers:
        near = [f" Nearest: {_further(excerpt, cited)}." for excerpt in answer.also[:1]]
        rows.append(f"- {inline_words(answer.point)}.{''.join(near)}")
    yield "\n".join(rows)


def _meta(brief: Brief, cited: _Cited, day: date, maker: Maker) -> Mapping[str, object]:
    goal = plain_text(brief.part.goal or "")
    about = "; ".join(plain_text(section.title) for section in brief.outline)
    return {
        "title": _for_head(plain_text(brief.title)),
        "description": _for_head(goal or f"{plain_text(brief.title)}: {about}."),
        "plan": brief.plan.slug,
        "part": brief.part.number,
        "tags": [re.sub(r"[^\w-]+", "-", part.lower()) for part in posixpath.dirname(brief.page).split("/") if part],
        "created": day,
        "reviewed": None,
        "generated": {"writer": maker.writer, **maker.facts, "date": day},
        "references": [source_item(cited.source(name), quotes, day) for name, quotes in cited.quotes.items()],
    }


def _for_head(text: str) -> str:
    """Escape `text` for themes that put it into a page's head unescaped."""
    curly = re.sub(r'"([^"]*)"', r"“\1”", " ".join(text.split())).replace('"', "”")
    return _TAG.sub("&lt;", curly)


# --- extraction ----------------------------------------------------------------------------------------------------

_MADE = (
    "Nobody has written this page. On {day}, a program collected passages that have the words of each point, best "
    "first; they are verbatim, and need not answer it."
)
VISIBLE, ALSO = 3, 4
"""Maximum number of excerpts to quote for a point, and of links to further ones."""
_LIKE_THE_BEST = 0.75
"""Minimum score of a further excerpt relative to the best one."""


def compose_quotes(
    brief: Brief, sources: Sequence[Source], evidence: Sequence[Evidence], day: date, _findings: object = ()
) -> Draft:
    """Return a page of quotes: for each point the best excerpt, and others that differ, as the budget allows."""
    maker = Maker("extract", made=_MADE.format(day=day.isoformat()))
    return fitted_draft(brief, Quoter(sources), list(extracted(evidence)), day, maker)


def extracted(evidence: Sequence[Evidence]) -> Iterator[PointContent]:
    """Yield the excerpts on each point; the best one of a point is no further one of another."""
    every = [replace(found, ranked=_named_first(found) if found.is_found else found.ranked) for found in evidence]
    quoted = {found.ranked[0].excerpt for found in every if found.is_found or found.is_uncertain}
    for found in every:
        yield _chosen(found, quoted)


def _named_first(found: Evidence) -> tuple[Ranked, ...]:
    """Return the ranked excerpts; of those like the best, the ones that define a name in the point come first."""
    names = {word for span in re.findall(r"`([^`]+)`", found.point) for word in keywords(span)}
    enough = _LIKE_THE_BEST * max((one.score for one in found.ranked), default=0.0)

    def is_named(one: Ranked) -> bool:
        return one.score >= enough and not names.isdisjoint(keywords(one.excerpt.term))

    return tuple(sorted(found.ranked, key=is_named, reverse=True))


def _chosen(found: Evidence, quoted: set[Excerpt]) -> PointContent:
    """Return the content of a point; further excerpts are not among the `quoted` ones, to which its own are added."""
    nearest = tuple(one.excerpt for one in found.ranked[:1])
    if found.is_uncertain:
        return PointContent(found.section, found.point, nearest, remark=_doubt(found))
    if not found.is_found:
        return PointContent(found.section, found.point, (), nearest)
    best, *others = found.ranked
    chosen = [best.excerpt]
    also: list[Excerpt] = []
    for one in others:
        if one.score < _LIKE_THE_BEST * best.score:
            break
        if one.excerpt not in quoted and len(chosen) < VISIBLE:
            chosen.append(one.excerpt)
        elif len(also) < ALSO:
            also.append(one.excerpt)
    quoted.update(chosen)
    return PointContent(found.section, found.point, tuple(chosen), tuple(also))


UNCERTAIN = "**Uncertain**:"
"""The beginning of the remark above a passage that may not answer its point."""


def _doubt(found: Evidence) -> str:
    """Return why it is uncertain that the best passage answers a point."""
    if not found.missing:
        return f"{UNCERTAIN} no sentence of this passage has all words of the point. It may be about something else."
    lacks = ", ".join(verbatim(f"“{word}”") for word in found.missing)
    return f"{UNCERTAIN} this passage does not mention {lacks}. It may be about something else."


def fitted_draft(brief: Brief, quoter: Quoter, answers: Sequence[PointContent], day: date, maker: Maker) -> Draft:
    """Render `answers` as a draft that is not longer than its budget allows, if possible.

    The last excerpts of points with several blocks are removed first, then the last passages of the longest excerpts.
    """
    answers, budget = list(answers), brief.part.lines_budget
    while True:
        draft = page_draft(brief, quoter, answers, day, maker)
        is_short = budget is None or parse_page(draft.text, brief.page)[0].lines <= lines_range(budget)[1]
        if is_short or not _shorten(answers):
            return draft


def _shorten(answers: list[PointContent]) -> bool:
    """Remove one excerpt, or the last passage of one, from the answers; return whether there was anything to remove."""
    last = [
        (len(answer.blocks) > 1, len(excerpt.text), n, excerpt)
        for n, answer in enumerate(answers)
        for excerpt in answer.blocks[-1:]
        if isinstance(excerpt, Excerpt) and (len(answer.blocks) > 1 or len(excerpt.passages) > 1)
    ]
    if last:
        is_further, _, n, excerpt = max(last, key=lambda row: row[:3])
        shorter = () if is_further else (replace(excerpt, passages=excerpt.passages[:-1]),)
        answers[n] = replace(answers[n], blocks=(*answers[n].blocks[:-1], *shorter))
    return bool(last)
