"""The language model writer: a model writes the page section by section, and each sentence is checked."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import date
from typing import cast

from generator.drafts import Brief, Draft, Evidence, PassageKind, Source
from generator.markdown.escape import verbatim
from generator.page.parse import parse_page
from generator.research.compose import Unwritten
from generator.research.compose.llm_api import Completion, FinishReason, Model, Question, call_of, error_of, read_stream
from generator.research.compose.llm_section import Sentence, checked, is_sendable, question_of, read_answer, unused
from generator.research.compose.page import ComposedSentence, ContentBlocks, Maker, PointContent, page_draft
from generator.research.compose.quoting import Quoter
from generator.rules.limits import lines_range
from generator.web.model import Reply, Stream, Unanswered

_MADE = (
    "A language model, {model}, wrote the sentences on {day} from passages of the sources. A program has compared "
    "each sentence with the passages that it cites, word by word, and replaced those that failed the check by quotes."
)
_TRIES = 2
"""Maximum number of attempts at a section if the answer does not have the requested form."""
_NO_FORMS = frozenset({400, 404, 415, 422, 501})
"""Statuses from servers that do not support structured output."""
_REFUSED_KEY = frozenset({401, 403})
_CHARACTERS_A_TOKEN = 4
"""Approximate characters per token; for servers that report no usage."""


@dataclass(frozen=True, slots=True)
class LlmWriter:
    """Let a model write the page from the evidence. Thread-safe."""

    model: Model
    stream: Stream
    """The client's streaming call."""
    max_tokens: int = 4_096
    """Maximum length of one answer, for one section of the page."""
    timeout_s: float = 300.0
    """Timeout of one answer in seconds."""
    name: str = "llm"

    def write(self, brief: Brief, sources: Sequence[Source], evidence: Sequence[Evidence], day: date) -> Draft:
        """Write the whole page. Raises :class:`Unwritten` if the model does not answer for every section."""
        conversation = _Conversation(self)
        quoter = Quoter(sources)
        answers: list[PointContent] = []
        rest: list[ContentBlocks] = []
        replaced = 0
        for n, section in enumerate(brief.outline):
            points = [found for found in evidence if found.section == n]
            known = {p.id: p for found in points for p in found.passages if is_sendable(p)}
            sentences: tuple[tuple[Sentence, ...], ...] = ((),) * len(points)
            if known:
                question = question_of(brief, section, points, self.max_tokens)
                sentences = conversation.sentences(question, len(points), f"section {n + 1} of {len(brief.outline)}")
            for found, given in zip(points, sentences, strict=True):
                blocks, lost = checked(given, found, known, quoter)
                answers.append(PointContent(n, found.point, blocks, found.elsewhere))
                rest.append(unused(blocks, found, quoter))
                replaced += lost
        maker = Maker(self.name, _MADE.format(model=verbatim(self.model.name), day=day.isoformat()), self.model.name)
        draft = _fit_to_budget(answers, rest, brief, lambda given: page_draft(brief, quoter, given, day, maker))
        return replace(draft, replaced=replaced, tokens=conversation.tokens, requests=conversation.requests)


def _fit_to_budget(
    answers: Sequence[PointContent],
    rest: Sequence[ContentBlocks],
    brief: Brief,
    page: Callable[[Sequence[PointContent]], Draft],
) -> Draft:
    """Return the page, fitted to its budget as far as possible.

    If it is short, evidence that the model left out is quoted, one passage per point at a time. If it is long, code and
    tables are removed from points that also have sentences.
    """
    draft = page(answers)
    length = _length(draft, brief)
    if length > 0:
        return replace(page([_without_code(answer) for answer in answers]), is_thin=True)
    for n in range(1, max(map(len, rest), default=0) + 1):
        if length == 0:
            break
        draft = page([replace(answer, further=more[:n]) for answer, more in zip(answers, rest, strict=True)])
        length = _length(draft, brief)
    return replace(draft, is_thin=length != 0)


def _length(draft: Draft, brief: Brief) -> int:
    """Return a negative number if the page is shorter than its budget allows, a positive one if it is longer."""
    budget = brief.part.lines_budget
    if budget is None:
        return 0
    lines = parse_page(draft.text, brief.page)[0].lines
    low, high = lines_range(budget)
    return (lines > high) - (lines < low)


def _without_code(answer: PointContent) -> PointContent:
    if not any(isinstance(block, ComposedSentence) for block in answer.blocks):
        return answer
    kept = (
        b
        for b in answer.blocks
        if isinstance(b, ComposedSentence) or b.kind not in {PassageKind.CODE, PassageKind.TABLE}
    )
    return replace(answer, blocks=tuple(kept))


@dataclass(slots=True)
class _Conversation:
    """The requests for one page, and their cost."""

    writer: LlmWriter
    tokens: int = 0
    requests: int = 0
    is_formed: bool = True
    """True unless the server is known not to support structured output."""

    def sentences(self, question: Question, count: int, where: str) -> tuple[tuple[Sentence, ...], ...]:
        """Return the model's sentences on each of `count` points. Raises :class:`Unwritten`."""
        for attempt in range(1, _TRIES + 1):
            answer = self._answer(question, where)
            try:
                return read_answer(answer.text, count)
            except ValueError as error:
                if attempt == _TRIES:
                    raise self._unwritten(f"{error}, in {where}, also when asked again") from None
        raise AssertionError("unreachable")

    def _answer(self, question: Question, where: str) -> Completion:
        """Return a complete answer."""
        answer = self._request(question)
        sent = len(question.system) + len(question.text)
        self.tokens += _counted(answer.tokens_in, sent) + _counted(answer.tokens_out, len(answer.text))
        if answer.end is FinishReason.CUT:
            raise self._unwritten(f"its answer to {where} was cut off after {question.max_tokens} tokens")
        if answer.end is FinishReason.REFUSED:
            raise self._unwritten(f"it refuses to write {where}{self._quoted(answer.note)}")
        if answer.end is not FinishReason.WHOLE:
            raise self._unwritten(f"its answer to {where} is incomplete{self._quoted(answer.note)}")
        return answer

    def _request(self, question: Question) -> Completion:
        """Send a question with the JSON schema of the answer; if the server does not support that, without."""
        try:
            return self._send(question)
        except Unanswered as error:
            if self.is_formed and error.reply.status in _NO_FORMS:
                self.is_formed = False
                return self._request(question)
            raise self._unanswered(error.reply) from None

    def _send(self, question: Question) -> Completion:
        model = self.writer.model
        call = call_of(model, question, is_formed=self.is_formed, timeout_s=self.writer.timeout_s)
        try:
            # An answer may be abandoned before its end.
            with closing(cast("Generator[str]", self.writer.stream(call))) as lines:
                answer = read_stream(model.api, lines)
        except Unanswered as error:
            self.requests += error.reply.requests
            raise
        self.requests += 1
        return answer

    def _unanswered(self, reply: Reply) -> Unwritten:
        why = f"{reply.outcome.value.replace('_', ' ')}: {reply.reason}{self._quoted(error_of(reply.body))}"
        if reply.status in _REFUSED_KEY:  # the message may then contain part of the key
            has = "the key was refused" if self.writer.model.key else "it requires a key"
            why = f"{has} ({reply.reason})"
        is_reached = self.tokens > 0 or (reply.status is not None and reply.status not in _REFUSED_KEY)
        return self._unwritten(why, is_reached=is_reached)

    def _quoted(self, text: str) -> str:
        """Return an API's message in brackets, without the key."""
        key = self.writer.model.key
        text = text.replace(key, "[hidden]") if key else text
        return f" (“{text}”)" if text else ""

    def _unwritten(self, why: str, *, is_reached: bool = True) -> Unwritten:
        model = self.writer.model
        return Unwritten(
            f"the model {model.name} at {model.host}: {why}",
            requests=self.requests,
            tokens=self.tokens,
            is_reached=is_reached,
        )


def _counted(tokens: int | None, characters: int) -> int:
    return tokens if tokens is not None else -(-characters // _CHARACTERS_A_TOKEN)
