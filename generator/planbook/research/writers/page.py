"""Render a page, and write one by extraction: front matter, answers, sections, open questions.

All writers use this module, so that their pages have one form: a writer provides, for each point,
excerpts to quote or sentences that rest on passages.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from urllib.parse import quote as percent_encoded

from planbook.citations.quotes import directive_of, fold, fragment_link, has_fragments, words
from planbook.citations.source_lists import lists_sources
from planbook.library.pages import parse_page, render_page
from planbook.markdown.escape import escape_pieces, inline_words, make_link, verbatim
from planbook.markdown.plain_text import count, is_or_are, plain_text
from planbook.markdown.words import keywords
from planbook.model import Section
from planbook.problems import lines_range
from planbook.research.drafts import (
    Brief,
    Draft,
    Evidence,
    Excerpt,
    KnownPage,
    PassageKind,
    Ranked,
    Source,
)
from planbook.research.evidence.acceptance import telling_sentence
from planbook.research.writers.quoting import (
    Quote,
    Quoter,
    lines_of,
    render_block_quote,
    render_code_and_tables,
    source_item,
)

OPEN_QUESTIONS = "Open questions"
MANY_POINTS = 4
"""Number of points above which a page begins with a table of short answers."""
_MAX_ANSWER = 30
"""Maximum number of words of a short answer; a longer sentence is cut."""
_MAX_LABEL = 10
"""Maximum number of words in the name of a place."""
_MAX_UNFOLDED = 16
"""Maximum number of lines of a further excerpt that is not folded; the best one of a point never
is."""
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
    """True if somebody wrote sentences: code and tables among the blocks are then shown without
    quotation."""


@dataclass(frozen=True, slots=True)
class Maker:
    """The writer of a page, and its method."""

    writer: str
    facts: Mapping[str, object] = field(default_factory=dict)
    """Further facts for the front matter: the model, the judge and the numbers of sentences."""
    made: str = ""
    """One or two sentences on how the page was made, shown at its top; empty if the statements of
    its head suffice."""


def page_draft(
    brief: Brief, quoter: Quoter, answers: Sequence[PointContent], day: date, maker: Maker
) -> Draft:
    """Render the content of all points as a draft."""
    cited = _CitedPassages(quoter)
    leads = {answer.section: answer for answer in answers if not answer.point}
    answers = [answer for answer in answers if answer.point]
    # Keys of quotes count up in this order; the overview and the list of sources come last, as they
    # name all that is cited.
    short_answers = list(_short_answers(answers, cited))
    sections = []
    for n, section in enumerate(brief.outline):
        of_section = [answer for answer in answers if answer.section == n]
        sections.append(list(_section_blocks(section, leads.get(n), of_section, cited)))
    works = _list_of_works(cited)
    for section, blocks in zip(brief.outline, sections, strict=True):
        if lists_sources(section.title):
            blocks.append(works)
    open_points = [answer for answer in answers if not answer.blocks]
    questions = list(_open_questions(open_points, cited))
    body = [
        f"# {inline_words(brief.title)}",
        *_overview_of_collection(answers, cited, maker),
        *short_answers,
        *_links_to_known(brief.known, brief.page),
        *(block for blocks in sections for block in blocks),
        *questions,
    ]
    text = render_page(_front_matter(brief, cited, day, maker), "\n\n".join(body))
    gaps = tuple(answer.point for answer in answers if not answer.blocks or answer.remark)
    return Draft(text, maker.writer, gaps)


def _list_of_works(cited: _CitedPassages) -> str:
    """Return a list of the works that the page has cited so far."""
    works = [cited.source(name) for name in cited.quotes]
    items = []
    for work in works:
        link = make_link(work.title, work.fetched.moved_to or work.fetched.url)
        items.append(f"- {link} [@{work.id}]")
    return "\n".join(items) or "None."


# --- citations ------------------------------------------------------------------------------------


@dataclass(slots=True)
class _CitedPassages:
    """The passages quoted on the page so far."""

    quoter: Quoter
    quotes: dict[str, dict[str, Quote]] = field(default_factory=dict)
    """Quotes by source and key, in the order of the page."""

    def source(self, name: str) -> Source:
        """Return the source with this id."""
        return self.quoter.sources[name]

    def cite(self, quote: Quote) -> str:
        """Return the citation of the quote, such as ``@id, q1``.

        A quote that is new on the page gets a new key.
        """
        name = quote.passage.source
        known = self.quotes.setdefault(name, {})
        for key, other in known.items():
            if (other.passage.id, other.words) == (quote.passage.id, quote.words):
                return f"@{name}, {key}"
        key = f"q{len(known) + 1}"
        known[key] = quote
        return f"@{name}, {key}"

    def mention(self, name: str) -> str:
        """Return a citation of a source as a whole, ``[@id]``."""
        self.quotes.setdefault(name, {})
        return f"[@{name}]"


# --- sections -------------------------------------------------------------------------------------


def _section_blocks(
    section: Section,
    lead: PointContent | None,
    answers: Sequence[PointContent],
    cited: _CitedPassages,
) -> Iterator[str]:
    """Yield the heading, and below it each point that is not open.

    A point has its excerpts or sentences, and links to further excerpts.
    """
    yield f"## {inline_words(section.title)}"
    shown_terms: set[str] = set()
    if lead is not None:
        yield from _point_blocks(lead, cited, shown_terms)
    answered = [answer for answer in answers if answer.blocks]
    for answer in answered:
        if answer.point != section.title:
            yield f"### {inline_words(answer.point)}"
        if answer.remark:
            yield answer.remark
        yield from _point_blocks(answer, cited, shown_terms)
        # Of several further excerpts with the same name, the best one is the first.
        best = {_place_name(excerpt, cited): excerpt for excerpt in reversed(answer.also)}
        links = [_link_to_excerpt(excerpt, cited) for excerpt in reversed(best.values())]
        if links:
            yield f"Also: {', '.join(links)}."
    if answers and not answered:
        yield f"Open: see [{OPEN_QUESTIONS}](#{_anchor_of_heading(OPEN_QUESTIONS)})."


def _anchor_of_heading(title: str) -> str:
    """Return the anchor of a heading of plain words."""
    return title.lower().replace(" ", "-")


_NOT_SENTENCES = frozenset({PassageKind.CODE, PassageKind.TABLE})
"""Kinds of passages that are no sentences."""


def _point_blocks(
    content: PointContent, cited: _CitedPassages, shown_terms: set[str]
) -> Iterator[str]:
    """Yield Markdown for a point.

    Consecutive sentences are a paragraph, and excerpts are quotes below the name of their place.

    Args:
        content: the point.
        cited: the passages quoted so far.
        shown_terms: the sources that the section has named; new ones are added.
    """
    previous: Excerpt | None = None
    sentences: list[str] = []
    for block in content.blocks:
        if isinstance(block, ComposedSentence):
            sentences.append(_sentence_with_quotes(block, cited))
            continue
        if sentences:
            yield " ".join(sentences)
            sentences = []
        yield from _excerpt_blocks(content, block, previous, cited, shown_terms)
        shown_terms.add(block.source)
        previous = block
    if sentences:
        yield " ".join(sentences)


def _excerpt_blocks(
    content: PointContent,
    excerpt: Excerpt,
    previous: Excerpt | None,
    cited: _CitedPassages,
    shown_terms: set[str],
) -> Iterator[str]:
    """Yield Markdown for an excerpt: its place, and its words with their citation."""
    quotes = [cited.quoter.quote(passage) for passage in excerpt.passages]
    citation = f"[{'; '.join(dict.fromkeys(cited.cite(quote) for quote in quotes))}]"
    source = cited.source(excerpt.source)
    is_named = excerpt.source in shown_terms
    location = _place_of_excerpt(source, excerpt, previous, quotes[0], is_named=is_named)
    if content.is_written:
        yield f"{location.removesuffix(':')} {citation}:"
        yield render_code_and_tables(quotes)
    else:
        text = render_block_quote(quotes, citation)
        yield location
        yield text if previous is None else _folded_if_long(text)
    if any(passage.is_cut for passage in excerpt.passages):
        yield "It continues in the source."


def _folded_if_long(text: str) -> str:
    rows = text.count("\n") + 1
    if rows <= _MAX_UNFOLDED:
        return text
    summary = f"<summary>{rows} lines</summary>"
    return f'<details markdown="1">\n{summary}\n\n{text}\n\n</details>'


def _sentence_with_quotes(
    sentence: ComposedSentence, cited: _CitedPassages, *, is_cell: bool = False
) -> str:
    """Return a sentence as Markdown, with the citation of its quotes."""
    # Between backticks is code: every other piece.
    pieces = ((piece, n % 2 == 1) for n, piece in enumerate(sentence.text.split("`")))
    text = escape_pieces(pieces, is_cell=is_cell)
    keys = dict.fromkeys(cited.cite(quote) for quote in sentence.quotes)
    return f"{text} [{'; '.join(keys)}]" if keys else text


def _place_of_excerpt(
    source: Source, excerpt: Excerpt, previous: Excerpt | None, first: Quote, *, is_named: bool
) -> str:
    """Return the place of an excerpt: its source, its heading, its lines.

    The source is left out if the section has named it, and the excerpt has a heading.
    """
    heading = _heading_above(source, excerpt)
    if (
        previous
        and previous.source == excerpt.source
        and _heading_above(source, previous) == heading
    ):
        is_below = excerpt.passages[0].start > previous.passages[0].start
        return "Further down:" if is_below else "Further up:"
    labels = []
    if not (is_named and heading):
        host = f" ({verbatim(source.host)})" if source.host else ""
        labels.append(f"{verbatim(f'“{source.title}”')}{host}")
    if heading:
        labels.append(f"under {verbatim(f'“{heading}”')}")
    lines = lines_of(source, first)
    if lines:
        start, end = lines
        labels.append(f"line {start}" if start == end else f"lines {start} to {end}")
    location = ", ".join(labels)
    return f"{location[:1].upper()}{location[1:]}:"


def _heading_above(source: Source, excerpt: Excerpt) -> str:
    """Return the heading above an excerpt.

    It is empty if that is the title, or a guess, as in plain text.
    """
    if not source.markup:
        return ""
    headings = [heading for heading in excerpt.headings if heading != source.fetched.title]
    return headings[-1] if headings else ""


def _link_to_excerpt(excerpt: Excerpt, cited: _CitedPassages) -> str:
    """Return a link to an excerpt that is not quoted, or to its source."""
    label = _place_name(excerpt, cited)
    if has_fragments(excerpt.address):
        last_quote = cited.quoter.quote(excerpt.passages[-1])
        return make_link(label, fragment_link(excerpt.address, directive_of(last_quote.words)))
    return f"{verbatim(label)} {cited.mention(excerpt.source)}"


def _place_name(excerpt: Excerpt, cited: _CitedPassages) -> str:
    """Return the name of an excerpt's place: its term, else its heading, else its source.

    A function is named without its parameters.
    """
    source = cited.source(excerpt.source)
    term = _SIGNATURE.sub(r"\1()", excerpt.term)
    label = term or _heading_above(source, excerpt) or source.title
    return " ".join(label.split()[:_MAX_LABEL])


# --- other parts of the page ----------------------------------------------------------------------


def _overview_of_collection(
    answers: Sequence[PointContent], cited: _CitedPassages, maker: Maker
) -> Iterator[str]:
    """Yield a paragraph on a page that nobody wrote.

    It says how the page was made, and how much of it may help.
    """
    if not maker.made:
        return
    answered = [answer for answer in answers if answer.blocks]
    doubtful = sum(bool(answer.remark) for answer in answered)
    sure = len(answered) - doubtful
    unanswered = len(answers) - len(answered)
    verb = "has" if sure == 1 else "have"
    counts = [f"{sure} of {count(len(answers), 'point')} {verb} a passage"]
    if doubtful:
        counts.append(f"{doubtful} {is_or_are(doubtful)} uncertain")
    if unanswered:
        counts.append(f"{unanswered} {is_or_are(unanswered)} open")
    yield f"{maker.made} {', '.join(counts)}. {count(len(cited.quotes), 'work')} cited."


def _short_answers(answers: Sequence[PointContent], cited: _CitedPassages) -> Iterator[str]:
    """Yield a table with a short answer to each point, if there are many."""
    if len(answers) <= MANY_POINTS:
        return
    rows = [
        f"| {inline_words(answer.point)} | {_short_answer(answer, cited)} |" for answer in answers
    ]
    yield "\n".join(["| Point | In short |", "| --- | --- |", *rows])


def _short_answer(answer: PointContent, cited: _CitedPassages) -> str:
    """Return the first sentence on a point.

    Of a passage, it is the sentence that has most of the point's words.
    """
    if not answer.blocks:
        return f"Open: see [{OPEN_QUESTIONS}](#{_anchor_of_heading(OPEN_QUESTIONS)})."
    if answer.remark:
        return "Uncertain: see below."
    first = answer.blocks[0]
    if isinstance(first, ComposedSentence):
        return _sentence_with_quotes(first, cited, is_cell=True)
    passage, sentence = telling_sentence(answer.point, first)
    citation = f"[{cited.cite(cited.quoter.quote(passage))}]"
    only_announces = sentence.rstrip().endswith(":")
    if passage.kind in _NOT_SENTENCES or only_announces:
        return f"See below. {citation}"
    visible = words(sentence) if passage.is_markdown else fold(sentence)
    shortened = " ".join(visible.split()[:_MAX_ANSWER])
    if len(visible.split()) > _MAX_ANSWER:
        shortened += " …"
    return f"{verbatim(f'“{shortened}”')} {citation}"


def _links_to_known(known: Sequence[KnownPage], page: str) -> Iterator[str]:
    """Yield links to prior knowledge in the base."""
    if not known:
        return
    yield "Related pages in the base, which this page does not repeat:"
    folder = posixpath.dirname(page) or "."
    items = []
    for other in known:
        path = percent_encoded(posixpath.relpath(other.page, folder), safe="/.-_~")
        items.append(f"- [{verbatim(other.title)}]({path})")
    yield "\n".join(items)


def _open_questions(answers: Sequence[PointContent], cited: _CitedPassages) -> Iterator[str]:
    """Yield the points without an answer, each with the nearest source."""
    if not answers:
        return
    yield f"## {OPEN_QUESTIONS}"
    yield "As far as a program can tell, the works that were read do not answer these points."
    rows = []
    for answer in answers:
        nearest = ""
        if answer.also:
            nearest = f" Nearest: {_link_to_excerpt(answer.also[0], cited)}."
        rows.append(f"- {inline_words(answer.point)}.{nearest}")
    yield "\n".join(rows)


def _front_matter(
    brief: Brief, cited: _CitedPassages, day: date, maker: Maker
) -> Mapping[str, object]:
    """Return the front matter, whose references are the works that the page cites."""
    title = plain_text(brief.title)
    sections = "; ".join(plain_text(section.title) for section in brief.outline)
    goal = plain_text(brief.part.goal or "")
    folders = [folder for folder in posixpath.dirname(brief.page).split("/") if folder]
    return {
        "title": _escape_for_head(title),
        "description": _escape_for_head(goal or f"{title}: {sections}."),
        "plan": brief.plan.slug,
        "part": brief.part.number,
        "tags": [re.sub(r"[^\w-]+", "-", folder.lower()) for folder in folders],
        "created": day,
        "reviewed": None,
        "generated": {"writer": maker.writer, **maker.facts, "date": day},
        "references": [
            source_item(cited.source(name), quotes, day) for name, quotes in cited.quotes.items()
        ],
    }


def _escape_for_head(text: str) -> str:
    """Escape `text` for themes that put it into a page's head unescaped."""
    curly = re.sub(r'"([^"]*)"', r"“\1”", " ".join(text.split())).replace('"', "”")
    return _TAG.sub("&lt;", curly)


# --- extraction -----------------------------------------------------------------------------------

_AUTHORSHIP_NOTE = (
    "Nobody has written this page. On {day}, a program collected passages that have the words of "
    "each point, best first; they are verbatim, and need not answer it."
)
MAX_EXCERPTS = 3
"""Maximum number of excerpts to quote for a point."""
MAX_FURTHER_LINKS = 4
"""Maximum number of links to further ones."""
_MIN_SCORE_RATIO = 0.75
"""Minimum score of a further excerpt relative to the best one."""


def compose_quotes(
    brief: Brief,
    sources: Sequence[Source],
    evidence: Sequence[Evidence],
    day: date,
    _findings: object = (),
) -> Draft:
    """Return a page of quotes.

    Each point has its best excerpt, and others that differ, as the budget allows.
    """
    maker = Maker("extract", made=_AUTHORSHIP_NOTE.format(day=day.isoformat()))
    return fitted_draft(brief, Quoter(sources), list(extract_points(evidence)), day, maker)


def extract_points(evidence: Sequence[Evidence]) -> Iterator[PointContent]:
    """Yield the excerpts on each point; the best one of a point is no further one of another."""
    ordered = [_put_named_first(of_point) for of_point in evidence]
    quoted = {
        of_point.ranked[0].excerpt
        for of_point in ordered
        if of_point.is_found or of_point.is_uncertain
    }
    for of_point in ordered:
        yield _chosen_content(of_point, quoted)


def _put_named_first(of_point: Evidence) -> Evidence:
    """Return the evidence for a point in another order, if it was found.

    Of the excerpts like the best, those that define a name in the point come first.
    """
    if not of_point.is_found:
        return of_point
    code = re.findall(r"`([^`]+)`", of_point.point)
    names = {word for span in code for word in keywords(span)}
    best_score = max((ranked.score for ranked in of_point.ranked), default=0.0)

    def is_named(ranked: Ranked) -> bool:
        is_like_best = ranked.score >= _MIN_SCORE_RATIO * best_score
        return is_like_best and not names.isdisjoint(keywords(ranked.excerpt.term))

    return replace(of_point, ranked=tuple(sorted(of_point.ranked, key=is_named, reverse=True)))


def _chosen_content(of_point: Evidence, quoted: set[Excerpt]) -> PointContent:
    """Return the content of a point.

    Further excerpts are not among the `quoted` ones, to which its own are added.
    """
    section, point = of_point.section, of_point.point
    nearest = tuple(ranked.excerpt for ranked in of_point.ranked[:1])
    if of_point.is_uncertain:
        return PointContent(section, point, nearest, remark=_describe_doubt(of_point))
    if not of_point.is_found:
        return PointContent(section, point, (), nearest)
    best, *later_ranked = of_point.ranked
    chosen = [best.excerpt]
    also: list[Excerpt] = []
    for other in later_ranked:
        if other.score < _MIN_SCORE_RATIO * best.score:
            break
        if other.excerpt not in quoted and len(chosen) < MAX_EXCERPTS:
            chosen.append(other.excerpt)
        elif len(also) < MAX_FURTHER_LINKS:
            also.append(other.excerpt)
    quoted.update(chosen)
    return PointContent(section, point, tuple(chosen), tuple(also))


UNCERTAIN_REMARK = "**Uncertain**:"
"""The beginning of the remark above a passage that may not answer its point."""


def _describe_doubt(of_point: Evidence) -> str:
    """Return why it is uncertain that the best passage answers a point."""
    why = "no sentence of this passage has all words of the point"
    if of_point.missing:
        lacks = ", ".join(verbatim(f"“{word}”") for word in of_point.missing)
        why = f"this passage does not mention {lacks}"
    return f"{UNCERTAIN_REMARK} {why}. It may be about something else."


def fitted_draft(
    brief: Brief, quoter: Quoter, answers: Sequence[PointContent], day: date, maker: Maker
) -> Draft:
    """Render `answers` as a draft that is not longer than its budget allows, if possible.

    The last excerpts of points with several blocks are removed first, then the last passages of the
    longest excerpts.
    """
    answers = list(answers)
    budget = brief.part.lines_budget
    draft = page_draft(brief, quoter, answers, day, maker)
    if budget is None:
        return draft
    _, most_lines = lines_range(budget)
    while parse_page(draft.text, brief.page)[0].lines > most_lines and _shorten(answers):
        draft = page_draft(brief, quoter, answers, day, maker)
    return draft


def _shorten(answers: list[PointContent]) -> bool:
    """Remove one excerpt, or the last passage of one, from the answers.

    Return whether there was anything to remove.
    """
    longest: tuple[bool, int, int] | None = None
    for n, answer in enumerate(answers):
        last_block = answer.blocks[-1] if answer.blocks else None
        if not isinstance(last_block, Excerpt):
            continue
        is_further = len(answer.blocks) > 1
        if is_further or len(last_block.passages) > 1:
            size = (is_further, len(last_block.text), n)
            longest = max(longest or size, size)
    if longest is None:
        return False
    is_further, _, n = longest
    *blocks, last_block = answers[n].blocks
    if isinstance(last_block, Excerpt) and not is_further:
        blocks.append(replace(last_block, passages=last_block.passages[:-1]))
    answers[n] = replace(answers[n], blocks=tuple(blocks))
    return True
