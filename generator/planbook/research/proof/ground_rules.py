"""Rules for the grounds of sentences: what each one says that it rests on.

Sentences of programs that quote are true by construction. A sentence of a person or an agent may be
quoted, deduced, measured, advice, an example, or marked as not found; one without any of these is
reported if it has a number, an option or a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

from planbook.citations.grounds import (
    MARK,
    MAX_DEDUCED_SHARE,
    MAX_WEAK_SHARE,
    WEAK_GROUNDS,
    Ground,
    GroundedSentence,
    count_grounds,
    sentences_above,
    share_of,
)
from planbook.citations.quotes import fold, words
from planbook.library.links import resolve_link
from planbook.markdown.plain_text import cells_of, plain_text
from planbook.markdown.syntax import Node
from planbook.model import Problem
from planbook.research.drafts import Brief, SentenceProblem
from planbook.research.proof.inventions import (
    HEAD_OF_TABLE,
    WorkTexts,
    find_inventions,
    rows_without_ground,
)
from planbook.research.proof.parsed_draft import ParsedDraft
from planbook.research.proof.phrases import REFERS_BACK
from planbook.research.proof.quantities import QuantityIndex, read_quantities
from planbook.research.proof.quoting_blocks import citations_within
from planbook.research.proof.sentences import find_missing

_MAX_LISTED_WORDS = 4
"""Number of words that a message lists."""
_SHOWN_WORDS = 8
"""Number of words of a sentence by which a message names it."""
_GENERAL_TERMS = frozenset(
    re.findall(
        r"\S+",
        "API APIs ASCII CLI CPU CSS CSV DNS GUI HTML HTTP HTTPS ID IDs IP JSON Markdown OS PDF "
        "RAM SDK SQL SSH TCP TOML UDP UI URI URL URLs UTF-8 Unicode XML YAML Linux Windows macOS "
        "Unix Bash C++ Go Java JavaScript Kotlin PHP Perl Python Ruby Rust Swift TypeScript "
        "English German French",
    )
)
"""Names of formats, systems and languages.

To name one is no claim if the works of the page speak of it.
"""


def check_grounds(parsed: ParsedDraft) -> Iterator[Problem]:
    """Check what each sentence says that it rests on."""
    known = list(known_words(parsed))
    inventions = list(_report_inventions(parsed, "\n".join(known)))
    yield from inventions
    # What is reported as an invention, or has its quotes in the front matter, needs no second look.
    reported = {problem.sentence for problem in inventions}
    stated = {fold(words(text)) for text in _sentences_of_front_matter(parsed)}
    for sentence in parsed.sentences:
        about = [*known, sentence.section]
        if sentence.is_covered:
            if parsed.is_in_own_words and sentence.text not in reported:
                yield from _check_covered(parsed, sentence, about)
        elif sentence.ground is Ground.DEDUCED:
            yield from _check_deduction(parsed, sentence, about)
        elif sentence.ground is Ground.MEASURED:
            yield from _check_measurement(parsed, sentence)
        elif sentence.ground is Ground.NONE and parsed.is_in_own_words:
            introduces_list = sentence.text.endswith(":")  # it says nothing by itself
            is_known = fold(sentence.text) in stated or sentence.text in reported
            if not introduces_list and not is_known:
                line = parsed.line(sentence.start)
                yield from _check_without_ground(parsed, sentence.text, about, line)
    if parsed.is_in_own_words:
        for text, offset in _rows_without_source(parsed):
            if text in reported:
                continue
            yield from _check_without_ground(parsed, text, known, parsed.line(offset))
        yield from _list_without_ground(parsed)
    yield from _check_shares(parsed)


def _check_shares(parsed: ParsedDraft) -> Iterator[Problem]:
    """Report a page that rests on its writer more than on its works."""
    deduced = share_of({Ground.DEDUCED}, parsed.sentences)
    weak = share_of(WEAK_GROUNDS, parsed.sentences)
    if deduced > MAX_DEDUCED_SHARE:
        defect = f"{deduced:.0%} of the sentences are deduced; the PART stays partial"
        yield parsed.problem("D053", defect)
    elif weak > MAX_WEAK_SHARE:
        defect = f"{weak:.0%} of the sentences are deduced or advice; the PART stays partial"
        yield parsed.problem("D053", defect)


def _list_without_ground(parsed: ParsedDraft) -> Iterator[Problem]:
    """Name the sentences that the page's head counts as without a source, in one note."""
    without = [
        sentence
        for sentence in parsed.sentences
        if sentence.ground is Ground.NONE and not sentence.text.endswith(":")
    ]
    if without and count_grounds(parsed.body):
        # Lines of the page with its quotes, which the writer's file does not have yet.
        places = (f"“{_beginning_of_sentence(sentence.text)}”" for sentence in without)
        shown_places = ", ".join(islice(places, _MAX_LISTED_WORDS))
        more = len(without) - _MAX_LISTED_WORDS
        rest = f" and {more} more" if more > 0 else ""
        what_helps = "cite them, mark them, or leave them"
        consequence = f"the page's head counts sentences without a source; {what_helps}"
        defect = f"{consequence}: {shown_places}{rest}"
        yield parsed.problem("D059", defect, parsed.line(without[0].start))


def _beginning_of_sentence(text: str) -> str:
    """Return the first words of a sentence."""
    written = text.split()
    return " ".join(written[:_SHOWN_WORDS]) + (" …" if len(written) > _SHOWN_WORDS else "")


# --- the words that need no ground ----------------------------------------------------------------


def plan_words(brief: Brief) -> Iterator[str]:
    """Yield the page's subject in the plan's words: a sentence may use them without a source."""
    yield brief.title
    yield plain_text(brief.plan.title)
    yield plain_text(brief.plan.meta_value("Topic") or "")
    for section in brief.outline:
        yield plain_text(section.title)
        yield from map(plain_text, section.points)


def known_words(parsed: ParsedDraft) -> Iterator[str]:
    """Yield what a sentence may name without a quote.

    These are the plan's words, and the general terms of its works.
    """
    yield from plan_words(parsed.brief)
    in_works = _general_terms(tuple(source.fetched.text for source in parsed.read))
    yield " ".join(sorted(in_works))


# A page is checked again and again against the same works, until it is accepted.
@lru_cache(maxsize=2)
def _general_terms(texts: tuple[str, ...]) -> frozenset[str]:
    """Return the general terms that the texts of works have."""
    return _GENERAL_TERMS & {
        word.strip("`*_.,;:()[]\"'") for text in texts for word in text.split()
    }


@lru_cache(maxsize=2)
def _index_works(texts: tuple[str, ...]) -> WorkTexts:
    return WorkTexts(texts)


# --- deduced, measured, and without a ground ------------------------------------------------------


def _check_deduction(
    parsed: ParsedDraft, sentence: GroundedSentence, about: Sequence[str]
) -> Iterator[Problem]:
    """Check that a deduced sentence names what it follows from, and has nothing beyond it."""
    line = parsed.line(sentence.start)
    premises = _texts_that_carry_deduction(parsed, sentence)
    if not premises:
        defect = (
            " is marked as deduced, and no sentence with a ground stands above it in its section; "
            "cite the quotes that it follows from"
        )
        yield parsed.sentence_problem("D052", sentence.text, defect, line)
        return
    missing = tuple(
        word
        for word in find_missing(sentence.text, [*premises, *about])
        if not _is_computed(word, sentence.text, premises)
    )
    if missing:
        defect = (
            f" is marked as deduced, and {_list_in_marks(missing)} is in nothing that it "
            "follows from"
        )
        yield parsed.sentence_problem("D052", sentence.text, defect, line, missing)


def _quotes_of(parsed: ParsedDraft, sentence: GroundedSentence) -> list[str]:
    """Return the quotes that a sentence cites."""
    quotes = {reference.id: dict(reference.quotes) for reference in parsed.references}
    cited = (
        quotes.get(citation.reference_id, {}).get(citation.locator or "")
        for citation in sentence.citations
    )
    return [quote for quote in cited if quote]


def _texts_that_carry_deduction(parsed: ParsedDraft, sentence: GroundedSentence) -> list[str]:
    """Return what a deduced sentence may follow from."""
    return [
        *_quotes_of(parsed, sentence),
        *sentences_above(parsed.sentences, sentence),
        *_cited_rows_above(parsed, sentence),
    ]


def _check_covered(
    parsed: ParsedDraft, sentence: GroundedSentence, about: Sequence[str]
) -> Iterator[Problem]:
    """Report a sentence that the mark behind its paragraph's later sentence does not carry.

    Advice is the writer's own; sentences before quotes are compared with them elsewhere.
    """
    if sentence.ground is not Ground.DEDUCED:
        return
    missing = find_missing(sentence.text, [*_texts_that_carry_deduction(parsed, sentence), *about])
    if missing:
        line = parsed.line(sentence.start)
        yield uncovered_problem(parsed, sentence.text, missing, line)


def uncovered_problem(
    parsed: ParsedDraft, text: str, missing: Sequence[str], line: int, *, is_row: bool = False
) -> SentenceProblem:
    """Return the Problem of a sentence that has more than its paragraph's citation holds for.

    Of a row, it is that of the line above its table.
    """
    words_in_marks = _list_in_marks(missing[:_MAX_LISTED_WORDS])
    citation = "citation above its table" if is_row else "next citation of its paragraph"
    fix = "cite it in the row" if is_row else "cite it by itself"
    defect = f" has {words_in_marks}, and the {citation} does not; {fix}"
    return parsed.sentence_problem("D051", text, defect, line, missing)


def _cited_rows_above(parsed: ParsedDraft, sentence: GroundedSentence) -> Iterator[str]:
    """Yield the rows with a citation in the tables above a sentence in its section."""
    above = [node for node in parsed.nodes if node.start < sentence.start]
    headings = [node.start for node in above if node.name == "Heading"]
    start_of_section = headings[-1] if headings else 0
    for table in above:
        if table.name != "Table" or table.start < start_of_section:
            continue
        for row in re.finditer(r".+", parsed.source_of(table)):
            start, end = table.start + row.start(), table.start + row.end()
            if any(start <= citation.group_start < end for citation in parsed.citations):
                yield words(row[0].replace("|", " "))


def _is_computed(word: str, sentence: str, premises: Sequence[str]) -> bool:
    """Return whether a word is a number that follows from others.

    It is their sum or difference, product or quotient.
    """
    index, figures = QuantityIndex("\n".join(premises)), QuantityIndex(sentence)
    numbers = [number for number in read_quantities(word) if number.written == word]
    return any(
        index.has_result(number, figures) or index.has_product(number, figures)
        for number in numbers
    )


def _check_measurement(parsed: ParsedDraft, sentence: GroundedSentence) -> Iterator[Problem]:
    """Check that a measured sentence links to the experiment."""
    if not _links_to_base(parsed, sentence):
        defect = " is marked as measured; link to the experiment's page or script in the base"
        line = parsed.line(sentence.start)
        yield parsed.sentence_problem("D055", sentence.text, defect, line)


def _links_to_base(parsed: ParsedDraft, sentence: GroundedSentence) -> bool:
    """Return whether a sentence's paragraph links to an existing file or page of the base."""
    start = sentence.start
    blocks = [node for node in parsed.nodes if node.name in {"Paragraph", "Item"}]
    begun = [node for node in blocks if node.start <= start]  # the last one has the sentence
    end = begun[-1].end if begun else len(parsed.body)
    links = [node for node in parsed.nodes if node.name == "Link" and start <= node.start < end]
    page, files = parsed.brief.page, parsed.base_files
    return any(resolve_link(link.address, page, files) is not None for link in links)


def _check_without_ground(
    parsed: ParsedDraft, text: str, about: Sequence[str], line: int
) -> Iterator[Problem]:
    """Report a sentence or a row without a ground if it has a number, option or name."""
    missing = find_missing(text, about)
    if missing:
        words_in_marks = _list_in_marks(missing[:_MAX_LISTED_WORDS])
        defect = f" has {words_in_marks} and no ground; cite a quote, or mark it"
        yield parsed.sentence_problem("D051", text, defect, line, missing)


def _list_in_marks(missing: Sequence[str]) -> str:
    return ", ".join(f"“{word}”" for word in missing)


def _sentences_of_front_matter(parsed: ParsedDraft) -> Iterator[str]:
    """Yield the sentences whose quotes the front matter lists."""
    rows = parsed.meta.get("evidence")
    if not isinstance(rows, list):
        return
    for row in rows:
        if isinstance(row, dict):
            yield str(row.get("sentence") or "")


def _rows_without_source(parsed: ParsedDraft) -> Iterator[tuple[str, int]]:
    """Yield the rows of tables that cite nothing, with their offsets.

    If the text above a table cites, it does so for all rows.
    """
    above: Node | None = None
    for node in parsed.nodes:
        if node.name in {"Heading", "Paragraph"}:
            above = node
        has_source_above = above is not None and bool(citations_within(parsed.citations, above))
        if node.name == "Table" and not has_source_above:
            yield from rows_without_ground(parsed, node)


# --- inventions -----------------------------------------------------------------------------------


def _report_inventions(parsed: ParsedDraft, about: str) -> Iterator[SentenceProblem]:
    """Refuse what no work has that was read for the page.

    It is only reported in examples, and if a cited work could not be read.
    """
    if not parsed.is_in_own_words or not parsed.read:
        return
    texts = tuple(
        text
        for source in parsed.read
        for text in (source.title, source.fetched.text, source.fetched.visible)
        if text
    )
    cited = {citation.reference_id for citation in parsed.citations}
    is_all_read = cited <= parsed.sources.keys()
    works = _index_works(texts)
    for invention in find_inventions(parsed, works, about):
        code, defect = "D051", f": no work that was read has “{invention.name}”"
        in_other_case = works.in_other_case(invention.name)
        if in_other_case:
            defect += f"; they have “{in_other_case}”: only the case differs"
        if is_all_read and invention.is_certain:
            code = "D056"
            defect += "; correct it, add a work that has it, or mark an example"
        line = parsed.line(invention.offset)
        yield parsed.sentence_problem(code, invention.said, defect, line, [invention.name])


# --- what a page marks as not found ---------------------------------------------------------------


def open_points(parsed: ParsedDraft) -> tuple[str, ...]:
    """Return what the page marks as not found, each with its heading.

    A point of the outline below which nothing else stands is named by itself.
    """
    outline = parsed.brief.outline
    texts = [text for section in outline for text in (*section.points, section.title)]
    unanswered = {fold(plain_text(text)) for text in texts} - answered_sections(parsed)
    gaps = []
    for _, section, text in sorted([*_gaps_in_prose(parsed), *_gaps_in_tables(parsed)]):
        is_whole_point = fold(section) in unanswered
        with_heading = f"{section}: {text}" if section and text else section or text
        gaps.append(section if is_whole_point else with_heading)
    return tuple(dict.fromkeys(gaps))


def answered_sections(parsed: ParsedDraft) -> frozenset[str]:
    """Return the headings, folded, below which a sentence has a ground other than *not found*."""
    silent = {Ground.NONE, Ground.NOT_FOUND}
    answers = [sentence for sentence in parsed.sentences if sentence.ground not in silent]
    return frozenset(fold(sentence.section) for sentence in answers)


def _gaps_in_prose(parsed: ParsedDraft) -> Iterator[tuple[int, str, str]]:
    """Yield offset, heading and text of each sentence that is marked as not found.

    A sentence that refers to the one before it is given with that one.
    """
    previous: GroundedSentence | None = None
    for sentence in parsed.sentences:
        if sentence.ground is Ground.NOT_FOUND:
            text = sentence.text
            if previous is not None and REFERS_BACK.match(text):
                between = parsed.body[previous.start : sentence.start]
                if "\n\n" not in between:
                    text = f"{previous.text} {text}"
            yield sentence.start, sentence.section, text
        previous = sentence


def _gaps_in_tables(parsed: ParsedDraft) -> Iterator[tuple[int, str, str]]:
    """Yield offset, heading and place of each cell that is marked as not found."""
    section = ""
    for node in parsed.nodes:
        if node.name == "Heading":
            section = words(parsed.source_of(node))
        elif node.name == "Table":
            for number, location in _gaps_in_table(parsed.source_of(node)):
                yield node.start + number, section, location


def _gaps_in_table(table: str) -> Iterator[tuple[int, str]]:
    """Yield the number of the row and the place of each cell that is marked as not found.

    The place is the row's first cell and the column's title.
    """
    head, *rows = [line for line in table.split("\n") if line.strip()]
    titles = [words(cell) for cell in cells_of(head)]
    for number, row in enumerate(rows[HEAD_OF_TABLE - 1 :]):
        cells = cells_of(row)
        for column, cell in enumerate(cells):
            mark = MARK.search(cell)
            if mark is None or mark["ground"] != Ground.NOT_FOUND.value:
                continue
            subject = words(MARK.sub("", cells[0]))
            title = titles[column] if 0 < column < len(titles) else ""
            yield number, ", ".join(part for part in (subject, title) if part)
