"""Citations of passages by their numbers, turned into citations of exact quotes. Pure.

::

    Soft water keeps leaves bright. [@spring#3; @well#2-3]

becomes, with the quotes in the front matter::

    Soft water keeps leaves bright. [@spring, q1; @well, q4; @well, q5]

A quote stands behind the last sentence, item or cell in a row that it carries, whichever of them
the writer's citation stands behind::

    Soft water keeps leaves bright. The well is hard. [@spring#3; @well#2]
    Soft water keeps leaves bright. [@spring, q1] The well is hard. [@well, q4]

Words behind the number name the sentence that is quoted: ``[@spring#3 "leaves stay bright"]``.

The text outside such citations stays as it is, to the byte, and so do quotes that are there: see
docs/decisions/0060-passages-by-number.md and docs/decisions/0063-quotes-where-they-prove.md.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import NamedTuple

from planbook.citations.added_quotes import add_quotes
from planbook.citations.in_text import Citation, find_citations
from planbook.markdown.document import code_ranges
from planbook.markdown.edits import apply_edits
from planbook.markdown.front_matter import FrontMatterError
from planbook.markdown.words import closest
from planbook.model import Problem
from planbook.problems import CHANGED_QUOTE, UNKNOWN_CITATION
from planbook.research.drafts import Brief, Draft, SentenceProblem, Source
from planbook.research.proof.cited_texts import cited_heads, cited_labels, cited_texts
from planbook.research.proof.ground_rules import known_words
from planbook.research.proof.parsed_draft import ParsedDraft
from planbook.research.proof.quoting_blocks import find_quoting_blocks
from planbook.research.proof.sentences import NOT_IN_QUOTES, find_missing, words_in_message
from planbook.research.writers.citation_points import CitationPoints
from planbook.research.writers.gathered_passages import GatheredPassages
from planbook.research.writers.quote_choice import (
    CarriedText,
    ChosenQuotes,
    CitedGroup,
    CitedPassages,
    PlacedQuotes,
    choose_quotes,
    find_named_sentence,
    find_nearest_unit,
    units_of_citation,
)
from planbook.research.writers.reference_quotes import ReferenceQuotes

_RANGE = r"\d{1,5}(?:-\d{1,5})?"
_WORDS_OF_SENTENCE = r"""
    "(?:(?!;\s*-?@)[^"] | "(?!\s*(?:[\];,]|\Z) | \s+["\u201c])){1,300}"
    | "[^"]{1,300}"
    | \u201c[^\u201d]{1,300}\u201d
"""
"""Words in quotation marks, which may have some of their own: ``"set it to "yes" first"``."""
_PASSAGES = re.compile(
    rf"""
    (?P<sign>(?<![\w@])-?@)
    (?P<brace>\{{)?
    (?P<work>\w(?:[\w:.$%&+?~/-]*\w)?)\#(?P<numbers>{_RANGE})
    (?(brace)\}})
    (?P<more>(?:\s*,\s*\#?{_RANGE}(?![\w-]))*)
    (?P<words>(?:\s*,?\s*(?:{_WORDS_OF_SENTENCE}))*)
    (?P<rest>[^;@\]]*)
    """,
    re.VERBOSE,
)
"""A citation of passages within its group: ``@kiln#3-5``, ``@kiln#3, 7``, ``@kiln#3 "is shut"``."""
_QUOTED_WORDS = re.compile(_WORDS_OF_SENTENCE, re.VERBOSE)
_NUMBERED_CITATION = re.compile(r"(?<![\w@/])@\{?(?P<work>\w[\w:.$%&+?~/-]*)#\d")
"""The beginning of text that looks like such a citation."""
_MAX_CITED_PASSAGES = 12
"""Number of passages of one citation: whoever cites more has not said which."""


@dataclass(frozen=True, slots=True)
class QuotedDraft:
    """A page whose passages by number are quotes."""

    text: str
    problems: tuple[Problem, ...] = ()
    """Passages that cannot be quoted, with lines of the page as it was."""
    passages: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The passages that each sentence cites, by its text: ``kiln#3``."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The text of each such citation of passages."""
    unquoted: frozenset[str] = frozenset()
    """The citations of passages that stay as they are: ``kiln#99``."""
    quotes: int = 0
    """Number of quotes that were chosen."""

    def findings_on(self, faults: Sequence[Problem]) -> tuple[Problem, ...]:
        """Return what the rules found, in the words of the writer of its citations.

        That a citation could not be turned is in `problems`, and is not repeated.

        Args:
            faults: what the rules found on the page with its quotes.
        """
        return tuple(
            self._in_words_of_writer(fault) for fault in faults if not self._is_reported(fault)
        )

    def _is_reported(self, fault: Problem) -> bool:
        """Return whether a fault repeats that a citation of a passage could not be turned."""
        return fault.code == UNKNOWN_CITATION and any(
            f"@{name} " in f"{fault.message} ".replace(";", " ") for name in self.unquoted
        )

    def _in_words_of_writer(self, fault: Problem) -> Problem:
        """Return a fault of a sentence with the passages that it cites instead of its quotes."""
        if fault.code == CHANGED_QUOTE:
            return replace(fault, message=_omit_keys(fault.message))
        sentence = fault.sentence if isinstance(fault, SentenceProblem) else ""
        cited = self.passages.get(sentence)
        if not cited or NOT_IN_QUOTES not in fault.message:
            return fault
        passages = ", ".join(f"`{name}`" for name in cited)
        instead = f"not in {passages}"
        missing = " ".join(f"`{word}`" for word in words_in_message(fault.message)[1:])
        if not find_missing(missing, [self.texts.get(name, "") for name in cited]):
            instead = (
                f"in {passages}, but not in what is quoted of it; write it as there, or name "
                "the sentence that has it by its words, too"
            )
        return replace(fault, message=fault.message.replace(NOT_IN_QUOTES, instead))


_KEYS = re.compile(r"the quotes? that it cites, (?:q\d+ of @[^\s,:]+(?:, | and )?)+")
"""The keys of quotes in a message: a writer who cites passages knows none of them."""


def _omit_keys(message: str) -> str:
    """Return the message on code that differs from its quotes, in words of passages."""
    without_keys, replacements = _KEYS.subn("the passages that it cites", message)
    if not replacements:
        return message
    advice = "cite the passage that has the line, or mark the code `*(example, not run)*`"
    return f"{without_keys.replace('the quote has', 'a passage has')}; {advice}"


class _Token(NamedTuple):
    """A citation of passages of one work."""

    start: int
    end: int
    """Offsets in the body."""
    sign: str
    work: str
    numbers: tuple[int, ...]
    written: str
    words: tuple[str, ...]
    """Words of the sentences that are to be quoted."""
    rest: str
    """The text behind it up to the next one, without blanks around it."""


@dataclass(frozen=True, slots=True)
class _PassageGroup:
    """A group of citations, some of them of passages."""

    tokens: Sequence[_Token]
    """Its citations of passages."""
    citations: Sequence[Citation]
    """All of its citations."""
    statements: Sequence[CarriedText]
    """The statements that it holds for; those of the group before if it has none."""
    code: Sequence[str]
    """The code below them."""
    has_statements: bool


def quote_cited_passages(
    text: str, brief: Brief, works: Sequence[Source], references: Mapping[str, Source]
) -> QuotedDraft:
    """Return a page whose citations of passages by number are citations of quotes.

    Args:
        text: the page.
        brief: the brief that it was written for.
        works: the works that were gathered for it.
        references: the gathered work that each of its references means, by the id of the reference.
    """
    if not _NUMBERED_CITATION.search(text):
        return QuotedDraft(text)
    draft = Draft(text, "hand")
    parsed = ParsedDraft(draft, brief, works, (), ())
    if parsed.error:
        return QuotedDraft(text)
    return _Conversion(parsed, works, references).run()


@dataclass(slots=True)
class _Notes:
    """Notes on a conversion, while it goes on; for their meaning, see :class:`QuotedDraft`."""

    problems: list[Problem] = field(default_factory=list)
    passages: dict[str, tuple[str, ...]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    unquoted: set[str] = field(default_factory=set)


class _Conversion:
    """The conversion of one page; a method for each step."""

    def __init__(
        self, parsed: ParsedDraft, works: Sequence[Source], references: Mapping[str, Source]
    ) -> None:
        self._parsed = parsed
        self._passages = GatheredPassages(works, references)
        self._quotes = ReferenceQuotes(parsed, references)
        self._points = CitationPoints(parsed)
        self._plan_words = "\n".join(known_words(parsed))
        """The words of the plan and the page, which need no quote."""
        self._behind: dict[int, list[str]] = defaultdict(list)
        """The citations of quotes that stand at offsets where the writer has none."""
        self._unknown: dict[str, list[_Token]] = defaultdict(list)
        """The citations of passages of works that were not read, by the id of the work."""
        self._notes = _Notes()

    def run(self) -> QuotedDraft:
        """Return the page with quotes, or as it is if its front matter cannot take them."""
        parsed = self._parsed
        ids = {*self._quotes.ids, *(match[0].lstrip("@{") for match in _IDS.finditer(parsed.body))}
        citations = find_citations(parsed.body, ids)
        edits = self._edits_of_groups(_citations_by_brackets(citations))
        self._report_unknown()
        self._report_others(edits)
        edits += [
            (at, at, f" [{'; '.join(dict.fromkeys(cites))}]") for at, cites in self._behind.items()
        ]
        if not edits:
            return self._result(parsed.draft.text)
        text = _apply_edits(parsed.draft.text, parsed.written_body, edits)
        try:
            text = add_quotes(text, self._quotes.added)
        except FrontMatterError as error:
            self._notes.problems.append(parsed.problem("K011", error.reason, error.line))
            self._notes.unquoted |= {
                name for names in self._notes.passages.values() for name in names
            }
            return self._result(parsed.draft.text)
        return self._result(text)

    def _edits_of_groups(
        self, groups: Mapping[tuple[int, int], Sequence[Citation]]
    ) -> list[tuple[int, int, str]]:
        """Return the edits at the groups of citations, by the span of each."""
        statements = self._statements_by_group()
        code = self._code_by_group()
        edits: list[tuple[int, int, str]] = []
        last_carried: list[CarriedText] = []
        for span, group in groups.items():
            tokens = [token for token in self._tokens_in(span, group) if self._is_sound(token)]
            carried = statements.get(span) or last_carried
            last_carried = carried
            if tokens:
                below = code.get(span, ())
                has_statements = span in statements
                edits += self._replace_group(
                    _PassageGroup(tokens, group, carried, below, has_statements)
                )
        return edits

    def _result(self, text: str) -> QuotedDraft:
        """Return the page with this text, and what was found."""
        is_turned = text != self._parsed.draft.text
        return QuotedDraft(
            text,
            problems=tuple(self._notes.problems),
            passages=self._notes.passages,
            texts=self._notes.texts,
            unquoted=frozenset(self._notes.unquoted),
            quotes=sum(map(len, self._quotes.added.values())) if is_turned else 0,
        )

    # --- what the page says -----------------------------------------------------------------------

    def _statements_by_group(self) -> dict[tuple[int, int], list[CarriedText]]:
        """Return the statements for which the citations of each group hold."""
        parsed = self._parsed
        by_group: dict[tuple[int, int], list[CarriedText]] = defaultdict(list)
        for label in (*cited_labels(parsed), *cited_heads(parsed)):
            for span in {citation.group for citation in label.citations}:
                end = self._points.usable(label.end, span)
                text = parsed.parts.without_references(label.as_default or label.said)
                by_group[span].append(CarriedText(text, is_label=True, end=end, said=label.said))
        for cited in cited_texts(parsed):
            sentence = _MARK_AT_END.sub("", cited.said)
            for span in {citation.group for citation in cited.citations}:
                is_elsewhere = cited.start > span[1]
                block = self._points.block(cited.start) if is_elsewhere else 0
                if cited.label:  # what stands behind a row says nothing of the rows above it
                    block = cited.start
                end = cited.end if is_elsewhere or cited.is_covered else None
                by_group[span].append(
                    CarriedText(
                        parsed.parts.without_references(sentence),
                        end=self._points.usable(end, span),
                        block=block,
                        said=sentence,
                    )
                )
        return by_group

    def _context_of(self, offset: int) -> str:
        """Return the heading and the block of text around a place in the body."""
        body = self._parsed.body
        headings = [node for node in self._parsed.nodes if node.name == "Heading"]
        above = [body[node.start : node.end] for node in headings if node.start < offset]
        start = body.rfind("\n\n", 0, offset) + 1
        end = body.find("\n\n", offset)
        line_start = body.rfind("\n", 0, offset) + 1
        is_row = body[line_start:].lstrip().startswith("|")
        if is_row:
            start, end = line_start, body.find("\n", offset)
        block = body[start : end if end >= 0 else len(body)]
        return f"{''.join(above[-1:])} {_PASSAGES.sub(' ', block)}"

    def _code_by_group(self) -> dict[tuple[int, int], list[str]]:
        """Return the code below each group of citations: the last ones of the text above it."""
        parsed = self._parsed
        by_group: dict[tuple[int, int], list[str]] = defaultdict(list)
        for block in find_quoting_blocks(parsed.nodes):
            if not block.above:
                continue
            start, end = block.above
            for span in {
                citation.group
                for citation in parsed.citations
                if start <= citation.group_start < end
            }:
                by_group[span].append(block.node.all_text())
        return by_group

    # --- passages ---------------------------------------------------------------------------------

    def _tokens_in(self, span: tuple[int, int], group: Sequence[Citation]) -> Iterator[_Token]:
        """Yield the citations of passages in a group."""
        start, end = span
        for match in _PASSAGES.finditer(self._parsed.body, start, end):
            name = f"{match['work']}#{match['numbers']}"
            if name in self._quotes.ids:
                continue  # the id of a reference of the page
            if all(citation.is_in_text for citation in group):
                self._report(start, f"`{name}` is not in brackets; write `[@{name}]`")
                continue
            numbers = _numbers_of_passages(match["numbers"] + match["more"])
            rest = match["rest"].strip(" ,\n\t")
            yield _Token(
                match.start(),
                match.start("rest"),
                match["sign"],
                match["work"],
                numbers,
                name + "".join(match["more"].split()),
                tuple(words[0][1:-1] for words in _QUOTED_WORDS.finditer(match["words"])),
                rest,
            )

    def _is_sound(self, token: _Token) -> bool:
        """Return whether a citation names passages that are there; report why not."""
        work = self._passages.works.get(token.work)
        defect = ""
        if work is None:
            self._unknown[token.work].append(token)
            self._notes.unquoted.add(token.written)
            return False
        if token.rest and token.rest not in _JOINING_WORDS:
            defect = (
                f"`{token.rest}` stands behind the number; cite the passage alone, or with words "
                f'of the sentence to quote, `{token.written} "three of its words"`, without the '
                "quotation marks in it"
            )
        elif not token.numbers or len(token.numbers) > _MAX_CITED_PASSAGES:
            defect = f"cite one to {_MAX_CITED_PASSAGES} passages, the first number before the last"
        else:
            passage_count = len(self._passages.of_work(work))
            if not all(1 <= number <= passage_count for number in token.numbers):
                defect = f"the passages of {token.work} are #1 to #{passage_count}"
            else:
                defect = _defect_of_words(self._passages_cited(token))
        if defect:
            self._report(token.start, f"`{token.written}`: {defect}")
            self._notes.unquoted.add(token.written)
        return not defect

    def _report_unknown(self) -> None:
        """Report each work that was not read once, however often the page cites it."""
        for name, tokens in self._unknown.items():
            cause = f"no work with the id {name} was gathered or read for this page"
            lines = dict.fromkeys(str(self._parsed.line(token.start)) for token in tokens)
            places = f" (cited in lines {', '.join(lines)})" if len(lines) > 1 else ""
            fix = self._fix_of_unknown(name)
            self._report(tokens[0].start, f"`{tokens[0].written}`: {cause}{places}; {fix}")

    def _fix_of_unknown(self, name: str) -> str:
        brief, works = self._parsed.brief, self._passages.works
        near = closest(name, works, 0.5)
        if near:
            return f"did you mean `{near}`?"
        if not works:
            return f"nothing was: run `planbook gather {brief.plan.slug} {brief.part.number}`"
        ids = ", ".join(f"`{work_id}`" for work_id in list(works)[:_MAX_CITED_PASSAGES])
        return f"the ids are {ids}"

    def _report(self, offset: int, defect: str) -> None:
        self._notes.problems.append(self._parsed.problem("D038", defect, self._parsed.line(offset)))

    def _report_others(self, edits: Sequence[tuple[int, int, str]]) -> None:
        """Report what looks like a citation of a passage, and is none in a form that is read."""
        parsed = self._parsed
        code = code_ranges(parsed.body)
        reported = {problem.line for problem in self._notes.problems}
        for match in _NUMBERED_CITATION.finditer(parsed.body):
            at = match.start()
            is_read = any(start <= at < end for start, end, _ in edits)
            is_code = any(start <= at < end for start, end in code)
            is_known = match["work"] in self._passages.works
            line = parsed.line(at)
            if is_known and not is_read and not is_code and line not in reported:
                form = f"`[@{match['work']}#3]`, `[@{match['work']}#3-4; @another#7]`"
                self._report(at, f"`{match[0]}` is no citation of a passage; write {form}")

    # --- quotes -----------------------------------------------------------------------------------

    def _is_plain(self, group: _PassageGroup) -> bool:
        """Return whether a group may be written anew: it has nothing but passages, in one line.

        One that stands on a line of its own may not be left out: its paragraph would end there.
        """
        tokens = group.tokens
        start, end = group.citations[0].group
        line = self._parsed.body[: end + 1].rpartition("\n")[2].strip()
        is_alone = line.startswith("[") and line.rstrip("]").endswith(tokens[-1].written)
        may_be_omitted = any(statement.block for statement in group.statements)
        return (
            len(tokens) == len(group.citations)
            and not any(token.rest for token in tokens)
            and "\n" not in self._parsed.body[start:end]
            and not (is_alone and may_be_omitted)
        )

    def _replace_group(self, group: _PassageGroup) -> Iterator[tuple[int, int, str]]:
        """Yield the citations of quotes in place of those of passages, and keep their quotes."""
        citations = [self._passages_cited(token) for token in group.tokens]
        is_plain = self._is_plain(group)
        sources = {citation.source.id: citation.source for citation in citations}
        readings = {name: self._passages.readings_of(source) for name, source in sources.items()}
        chosen = choose_quotes(self._cited_group(group, citations, is_plain=is_plain), readings)
        self._report_unrelated(group.tokens, chosen, group.statements)
        self._note_cited(group, citations)
        self._report_unquoted(group.tokens, chosen)
        cites_by_end = {
            placed.end: self._citations_of_quotes(
                group.tokens, citations, placed, is_plain=is_plain
            )
            for placed in chosen.placed
        }
        for end, cites in cites_by_end.items():
            if end is not None:
                self._behind[end] += chain.from_iterable(cites)
        yield from self._edits_at_group(group, cites_by_end.get(None, ()), is_plain=is_plain)

    def _cited_group(
        self, group: _PassageGroup, citations: Sequence[CitedPassages], *, is_plain: bool
    ) -> CitedGroup:
        """Return a group as the choice of quotes reads it."""
        quotes = (self._quotes.quote_of(citation) for citation in group.citations)
        start, end = group.citations[0].group
        is_marked = self._parsed.is_marked(end) or self._points.has_mark(start)
        return CitedGroup(
            citations,
            group.statements,
            group.code,
            self._plan_words,
            quotes=list(filter(None, quotes)),
            context=self._context_of(group.tokens[0].start),
            is_fixed=not is_plain or not group.has_statements or is_marked,
        )

    def _note_cited(self, group: _PassageGroup, citations: Sequence[CitedPassages]) -> None:
        """Keep the text of each citation, and the citations of each statement."""
        notes = self._notes
        for token, citation in zip(group.tokens, citations, strict=True):
            notes.texts[token.written] = "\n".join(excerpt.text for excerpt in citation.excerpts)
        names = tuple(token.written for token in group.tokens)
        for statement in group.statements:
            earlier_names = notes.passages.get(statement.plain, ())
            notes.passages[statement.plain] = (*earlier_names, *names)

    def _report_unquoted(self, tokens: Sequence[_Token], chosen: ChosenQuotes) -> None:
        """Report the passages that have no quote: not needed, or without words to quote."""
        used_tokens = [token for n, token in enumerate(tokens) if n not in chosen.unused]
        for index, token in enumerate(tokens):
            if index in chosen.unused:
                self._report_unused(token, used_tokens)
            elif not chosen.has_quotes_of(index):
                self._report(token.start, f"`{token.written}` has no words that can be quoted")
                self._notes.unquoted.add(token.written)

    def _citations_of_quotes(
        self,
        tokens: Sequence[_Token],
        citations: Sequence[CitedPassages],
        placed: PlacedQuotes,
        *,
        is_plain: bool,
    ) -> list[list[str]]:
        """Return the citations of the quotes of each token at a place, each once if it may be."""
        cites: list[list[str]] = []
        cited_keys: set[str] = set()
        for token, citation, quotes in zip(tokens, citations, placed.quotes, strict=True):
            name = ""
            if quotes:
                name = self._quotes.find_or_add_id(token.work, citation.source)
            keys = dict.fromkeys(self._quotes.find_or_add_key(name, quote) for quote in quotes)
            of_token = [f"{token.sign}{name}, {key}" for key in keys]
            cites.append([cite for cite in of_token if cite not in cited_keys])
            cited_keys |= set(of_token) if is_plain else set()
        return cites

    def _edits_at_group(
        self, group: _PassageGroup, cites: Sequence[Sequence[str]], *, is_plain: bool
    ) -> Iterator[tuple[int, int, str]]:
        """Yield the edits at the place of the writer's citation.

        One that cannot be turned stays, and so does what stands beside those that can.
        """
        tokens = group.tokens
        has_unquoted = any(token.written in self._notes.unquoted for token in tokens)
        if not is_plain or has_unquoted:
            for token, cited in zip(tokens, cites or [()] * len(tokens), strict=True):
                if cited:
                    yield token.start, token.end, "; ".join(cited)
            return
        start, end = group.citations[0].group
        group_cites = "; ".join(cite for cited in cites for cite in cited)
        if group_cites:
            yield start + 1, end - 1, group_cites
        else:
            yield len(self._parsed.body[:start].rstrip(" ")), end, ""

    def _passages_cited(self, token: _Token) -> CitedPassages:
        work = self._passages.works[token.work]
        passages = self._passages.of_work(work)
        excerpts = tuple(passages[number - 1] for number in token.numbers)
        return CitedPassages(work, excerpts, token.words)

    def _report_unrelated(
        self, tokens: Sequence[_Token], chosen: ChosenQuotes, statements: Sequence[CarriedText]
    ) -> None:
        """Report passages that share no word with what cites them: their number may be wrong."""
        for index in chosen.unrelated:
            token = tokens[index]
            text = " ".join(carried.plain for carried in statements if not carried.is_label)
            defect = f" shares no word with `{token.written}`, which it cites; correct the number"
            line = self._parsed.line(token.start)
            self._notes.problems.append(self._parsed.sentence_problem("D038", text, defect, line))

    def _report_unused(self, token: _Token, used: Sequence[_Token]) -> None:
        """Report passages that say nothing that is needed for what cites them.

        Those that another citation of the group names, too, are not left out.
        """
        of_work = [other for other in used if other.work == token.work]
        cited_numbers = {number for other in of_work for number in other.numbers}
        if cited_numbers.issuperset(token.numbers):
            return
        defect = f"`{token.written}`: what cites it needs nothing of it"
        fix = "its citation was left out; say what it has, or leave it"
        line = self._parsed.line(token.start)
        self._notes.problems.append(self._parsed.problem("D039", f"{defect}, and {fix}", line))


_MARK_AT_END = re.compile(r"\s*\((?:deduced|advice|measured|not found|example(?:, [\w -]+)?)\)\.?$")
"""The mark of a ground as a reader sees it at the end of a cell."""
_IDS = re.compile(rf"@\{{?\w(?:[\w:.$%&+?~/-]*\w)?#{_RANGE}")
_JOINING_WORDS = frozenset({"", "and", "&", "see", "also", "see also", "cf."})
"""Words between two works of one group."""


def _citations_by_brackets(citations: Sequence[Citation]) -> dict[tuple[int, int], list[Citation]]:
    """Return citations by the span of their brackets, in order."""
    groups: dict[tuple[int, int], list[Citation]] = {}
    for citation in citations:
        groups.setdefault(citation.group, []).append(citation)
    return groups


def _defect_of_words(citation: CitedPassages) -> str:
    """Return that words name no sentence of passages, or several; empty if each names one."""
    units = list(units_of_citation(citation))
    for words in citation.words:
        sentence = find_named_sentence(units, words)
        if units and not sentence.units:
            nearest = find_nearest_unit(units, words)
            near = " ".join(nearest.text.split())
            return (
                f"no sentence has \u201c{words}\u201d in a row; the nearest is \u201c{near}\u201d"
            )
        if len(sentence.sentences) > 1:
            first, second, *_ = sentence.sentences
            return (
                f"{len(sentence.sentences)} sentences have \u201c{words}\u201d: "
                f"\u201c{first}\u201d, \u201c{second}\u201d; "
                "give more words of the one that you mean"
            )
    return ""


def _numbers_of_passages(written: str) -> tuple[int, ...]:
    """Return the numbers of ``3-5, 9``, each once; empty if a range ends before it begins."""
    numbers: list[int] = []
    for numbers_or_range in re.findall(_RANGE, written):
        first, _, last = numbers_or_range.partition("-")
        end = min(int(last or first), int(first) + _MAX_CITED_PASSAGES)
        if end < int(first):
            return ()
        numbers += range(int(first), end + 1)
    return tuple(dict.fromkeys(numbers))


def _apply_edits(text: str, body: str, edits: Sequence[tuple[int, int, str]]) -> str:
    """Return a page's text with edits of its body, whose line ends are those that the parser has.

    All other characters stay, with their line ends.
    """
    offsets = [
        n for n, char in enumerate(text) if not (char == "\r" and text[n + 1 : n + 2] == "\n")
    ]
    plain = "".join(text[n] for n in offsets).replace("\r", "\n")
    first = plain.rindex(body)
    places = [*(offsets[first + n] for n in range(len(body))), len(text)]
    return apply_edits(
        text, [(places[start], places[end], new) for start, end, new in sorted(edits)]
    )
