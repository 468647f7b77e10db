"""Check the sentences of a page that a person or a program wrote, in the same steps as those of the writer `llm`.

::

    citations, `evidence` ─> quotes with what is above them ─> numbers, names ─> judge ─> Problem
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby

from generator.citations.quotes import fold, words
from generator.drafts import Excerpt
from generator.markdown.plain_text import plain_text
from generator.markdown.words import sentences_of
from generator.model import Problem
from generator.research.compose import Unwritten
from generator.research.compose.quoting import Quoter
from generator.rules.draft import ParsedDraft, within
from generator.rules.evidence import CitedSentence, Judge, Quotation, find_fault


def check_sentences(
    parsed: ParsedDraft, known: Mapping[str, Sequence[Excerpt]], judge: Judge | None = None
) -> Iterator[Problem]:
    """Yield the sentences that their quotes do not support, as far as the program and the judge can tell.

    Args:
        parsed: the page.
        known: the excerpts of the sources that were read, by their ids.
        judge: judges the sentences in which the program finds no fault, if there is one.
    """
    quoter, every = Quoter(parsed.sources.values()), [excerpt for own in known.values() for excerpt in own]
    works = {reference.id: (reference.title, reference.url or "") for reference in parsed.references}

    def locate(name: str, quote: str) -> Quotation:
        """Return the words as they are in an excerpt of the work, else as the page has them."""
        found = quoter.find(quote, known.get(name, ()))
        return quoter.quotation(found) if found else Quotation(quote, "", "", *works.get(name, ("", "")))

    titles = (text for section in parsed.brief.outline for text in (section.title, *section.points))
    about = "\n".join(map(plain_text, (parsed.brief.title, *titles)))
    asked: dict[CitedSentence, int] = {}
    for line, sentence, is_listed in _cited(parsed, locate):
        fault = find_fault(sentence.text, sentence.quotes, about)
        if is_listed:
            absent = next((one.words for one in sentence.quotes if every and not quoter.find(one.words, every)), "")
            fault = f"the quote “{absent}” is in none of its sources" if absent else fault
            is_there = fold(words(sentence.text)) in words(parsed.body)
            fault = fault if is_there else "the sentence is not on the page"
        if fault:
            yield parsed.problem("D048" if is_listed else "D047", f"“{sentence.text}”: {fault}", line)
        else:
            asked.setdefault(sentence, line)
    try:
        faults = judge(list(asked)) if judge and asked else {}
    except Unwritten as error:
        yield parsed.problem("D049", f"sentences not judged: {error.reason}")
        return
    for sentence, fault in faults.items():
        if fault:
            yield parsed.problem("D049", f"“{sentence.text}”: {fault}", asked[sentence])


def _cited(parsed: ParsedDraft, locate: Callable[[str, str], Quotation]) -> Iterator[tuple[int, CitedSentence, bool]]:
    """Yield the sentences that cite quotes, each with its line, and True for those that ``evidence`` lists."""
    listed = parsed.meta.get("evidence")
    for row in (row for row in listed if isinstance(row, dict)) if isinstance(listed, list) else ():
        text, rows = str(row.get("sentence") or ""), row.get("quotes")
        pairs = [(str(q.get("id")), str(q.get("q"))) for q in rows if isinstance(q, dict)] if rows else []
        yield parsed.line_of(text), CitedSentence(text, tuple(locate(*pair) for pair in pairs)), True
    quotes = {reference.id: dict(reference.quotes) for reference in parsed.references}
    for node in parsed.nodes:
        if node.name != "Paragraph" or node.depth:
            continue
        start = node.start
        for _, group in groupby(within(parsed.citations, node), key=lambda one: one.start):
            cited = list(group)
            found = [(c.reference, quotes.get(c.reference, {}).get(c.locator or "")) for c in cited]
            said = sentences_of(words(parsed.body[start : cited[0].start]))
            start = cited[0].end
            if said and all(quote for _, quote in found):
                own = tuple(locate(name, quote) for name, quote in found if quote)
                yield parsed.line(cited[0].start), CitedSentence(said[-1], own), False
