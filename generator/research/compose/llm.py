"""The language model writer: the model words the page section by section, and each of its sentences is checked.

`llm_prompt` builds the prompts and parses the answers, `llm_apis` speaks the APIs' formats, and `llm_sentences`
replaces sentences that fail the check.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from generator.drafts import Brief, Draft, Evidence, PassageKind, Source
from generator.markdown.escape import verbatim
from generator.page.parse import parse_page
from generator.research.compose import Unwritten
from generator.research.compose.llm_access import Model
from generator.research.compose.llm_apis import (
    Completion,
    FinishReason,
    Question,
    call_of,
    error_of,
    read_reply,
    read_stream,
)
from generator.research.compose.llm_prompt import Sentence, is_told, question_of, read_answer
from generator.research.compose.llm_sentences import ContentBlocks, Words, checked, unused
from generator.research.compose.page import ComposedSentence, Maker, PointContent, page_draft
from generator.rules.limits import lines_range
from generator.web.model import Ask, Outcome, Reply, Stream, Unanswered

_MADE = (
    "A language model, {model}, wrote the sentences on {day} from passages of the sources. A program has compared "
    "each sentence with the passages that it cites, word by word, and put a quote in the place of what did not hold."
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
    """Let a model word the evidence. Thread-safe."""

    model: Model
    ask: Ask
    """The client."""
    stream: Stream | None = None
    """The client's streaming call; without it, answers are not streamed."""
    max_tokens: int = 4_096
    """Maximum length of one answer, for one section of the page."""
    budget_tokens: int | None = None
    """Limit for all questions and answers of a page; ``None`` for no limit."""
    timeout_s: float = 300.0
    """Timeout of one answer in seconds."""
    name: str = "llm"

    def write(self, brief: Brief, sources: Sequence[Source], evidence: Sequence[Evidence], day: date) -> Draft:
        """Write the whole page. Raises :class:`Unwritten` if the model does not answer for every section."""
        conversation = _Conversation(self)
        words = Words(sources)
        answers: list[PointContent] = []
        prompted: list[Evidence] = []
        replaced = 0
        for n, section in enumerate(brief.outline):
            points = [found for found in evidence if found.section == n]
            known = {p.id: p for found in points for p in found.passages if is_told(p)}
            sentences: tuple[tuple[Sentence, ...], ...] = ((),) * len(points)
            if known:
                question = question_of(brief, section, points, self.max_tokens)
                sentences = conversation.sentences(question, len(points), f"section {n + 1} of {len(brief.outline)}")
            for found, given in zip(points, sentences, strict=True):
                blocks, lost = checked(given, found, known, words)
                answers.append(PointContent(n, found.point, blocks, found.elsewhere))
                prompted.append(found)
                replaced += lost
        maker = Maker(self.name, _MADE.format(model=verbatim(self.model.name), day=day.isoformat()), self.model.name)
        rest = [unused(answer.blocks, found, words) for answer, found in zip(answers, prompted, strict=True)]
        draft = _fit_to_budget(answers, rest, brief, lambda given: page_draft(brief, sources, given, day, maker))
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
        draft = page(
            [replace(answer, blocks=(*answer.blocks, *more[:n])) for answer, more in zip(answers, rest, strict=True)]
        )
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
        answer = self._request(self._within_budget(question, where))
        sent = len(question.system) + len(question.text)
        self.tokens += _counted(answer.tokens_in, sent) + _counted(answer.tokens_out, len(answer.text))
        if answer.end is FinishReason.CUT:
            raise self._unwritten(f"its answer to {where} was cut off, as it had more than {self._limit} tokens")
        if answer.end is FinishReason.REFUSED:
            raise self._unwritten(f"it refuses to write {where}{self._told(answer.note)}")
        if answer.end is not FinishReason.WHOLE:
            raise self._unwritten(f"its answer to {where} is not whole{self._told(answer.note)}")
        return answer

    @property
    def _limit(self) -> int:
        """Return the maximum length of the next answer in tokens."""
        left = self.writer.max_tokens
        if self.writer.budget_tokens is not None:
            left = min(left, self.writer.budget_tokens - self.tokens)
        return left

    def _within_budget(self, question: Question, where: str) -> Question:
        """Return the question, its answer limited to the tokens left."""
        needed = (len(question.system) + len(question.text)) // _CHARACTERS_A_TOKEN
        if self.writer.budget_tokens is not None and self.tokens + needed >= self.writer.budget_tokens:
            raise self._unwritten(
                f"the budget of {self.writer.budget_tokens:,} tokens a page does not reach for {where}; "
                f"{self.tokens:,} are spent"
            )
        left = self._limit if self.writer.budget_tokens is None else min(self._limit, self._limit - needed)
        return replace(question, max_tokens=max(1, left))

    def _request(self, question: Question) -> Completion:
        """Send a question with the JSON schema of the answer; if the server does not support that, without."""
        try:
            return self._send(question)
        except Unanswered as error:
            if not (self.is_formed and error.reply.status in _NO_FORMS):
                raise self._unanswered(error.reply) from None
        self.is_formed = False
        try:
            return self._send(question)
        except Unanswered as error:
            raise self._unanswered(error.reply) from None

    def _send(self, question: Question) -> Completion:
        writer = self.writer
        is_stream = writer.stream is not None
        call = call_of(
            writer.model, question, is_formed=self.is_formed, is_stream=is_stream, timeout_s=writer.timeout_s
        )
        if writer.stream is None:
            reply = writer.ask(call)
            self.requests += reply.requests
            if reply.outcome is not Outcome.OK:
                raise Unanswered(reply)
            return read_reply(writer.model.api, reply.body.decode("utf-8", errors="replace"))
        lines = writer.stream(call)
        try:
            answer = read_stream(writer.model.api, lines)
        except Unanswered as error:
            self.requests += error.reply.requests
            raise
        finally:  # an answer may be abandoned before its end
            close = getattr(lines, "close", None)
            if close:
                close()
        self.requests += 1
        return answer

    def _why(self, reply: Reply) -> str:
        """Return the reason why there is no answer."""
        if reply.status in _REFUSED_KEY:  # the message may then contain part of the key
            has = "the key was refused" if self.writer.model.key else "it wants a key"
            return f"{has} ({reply.reason})"
        outcome = reply.outcome.value.replace("_", " ")
        return f"{outcome}: {reply.reason}{self._told(error_of(reply.body))}"

    def _told(self, text: str) -> str:
        """Return an API's message in brackets, without the key."""
        key = self.writer.model.key
        text = text.replace(key, "[hidden]") if key else text
        return f" (“{text}”)" if text else ""

    def _unanswered(self, reply: Reply) -> Unwritten:
        is_reached = self.tokens > 0 or (reply.status is not None and reply.status not in _REFUSED_KEY)
        return self._unwritten(self._why(reply), is_reached=is_reached)

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
