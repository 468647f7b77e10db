"""Check a model's sentences: keep each that a cited passage supports, and replace the others by quotes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from generator.citations.quotes import readings
from generator.drafts import Evidence, Passage, PassageKind, Source
from generator.markdown.escape import UNSEEN
from generator.page.terms import FUNCTION_WORDS, stem, tokens
from generator.research.compose.llm_prompt import Sentence
from generator.research.compose.page import ComposedSentence
from generator.research.compose.quoting import quoted
from generator.research.compose.support import judge
from generator.rules.credentials import find_credentials

ContentBlocks = tuple[Passage | ComposedSentence, ...]

MAX_SENTENCE = 600
"""Maximum number of characters; anything longer is not a sentence."""
_NOT_PLAIN = (
    (
        "an address",
        re.compile(r"[a-z][a-z0-9+.-]*:/{2}|\bwww\.|\b(?:mailto|javascript|data|file):\S|\]\(", re.IGNORECASE),
    ),
    ("HTML", re.compile(r"<[A-Za-z/!?]|&(?:#\w{1,8}|[A-Za-z]\w{1,30});")),
    ("several lines", re.compile(r"[\r\n\v\f\x85\u2028\u2029]")),
    ("a box", re.compile(r"\[[ xX/✓✔✅]?\]|[✓✔✅☑]")),
    ("a citation", re.compile(r"\[[^\]]*@|\[\^|\[\d+\]|\[s\d+p\d+")),
    ("Markdown", re.compile(r"`|\*\*|~~|(?<!\w)__?(?=\w)[^_]*[^\W_]__?(?!\w)|(?<![\w*])\*(?=\w)[^*]+\*|!\[|\{[{%#:.]")),
    ("Markdown", re.compile(r"^\s*(?:#{1,6}\s|>|[-*+]\s|\d{1,9}[.)]\s|\||---|===|~~~|!!!|\?\?\?|:::)")),
    ("what shows nothing", UNSEEN),
)


@dataclass(slots=True)
class Words:
    """The quotable words of each passage; each source is read once."""

    sources: Sequence[Source]
    _texts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _found: dict[str, str | None] = field(default_factory=dict)

    def of(self, passage: Passage) -> str | None:
        """Return the words of a passage as its quote has them; ``None`` if they are not in the source."""
        if passage.id not in self._found:
            quote = quoted(passage, self._readings(passage.source))
            self._found[passage.id] = quote.words if quote else None
        return self._found[passage.id]

    def _readings(self, name: str) -> tuple[str, ...]:
        if name not in self._texts:
            fetched = next((source.fetched for source in self.sources if source.id == name), None)
            self._texts[name] = readings(fetched.visible, fetched.text) if fetched else ()
        return self._texts[name]


def not_plain(text: str) -> str | None:
    """Return the kind of markup in a sentence, such as ``HTML``; ``None`` if it is plain text."""
    if len(text) > MAX_SENTENCE:
        return "too many words"
    if find_credentials(text):
        return "what looks like a key"
    return next((what for what, pattern in _NOT_PLAIN if pattern.search(text)), None)


def checked(
    sentences: Iterable[Sentence], found: Evidence, known: Mapping[str, Passage], words: Words
) -> tuple[ContentBlocks, int]:
    """Return the content below a point, and the number of sentences replaced by quotes.

    `known` holds the passages that sentences may cite, by id. Code and tables of the point are always shown. If no
    sentence is left, the passages of the point are quoted.
    """
    blocks: list[Passage | ComposedSentence] = []
    said: set[str] = set()
    replaced = 0
    for sentence in sentences:
        if sentence.text in said:
            continue
        said.add(sentence.text)
        named = [known[name] for name in dict.fromkeys(sentence.passages) if name in known]
        is_named = len(named) == len(set(sentence.passages)) and bool(named)
        grounds = _grounds(sentence.text, named, words) if is_named else ()
        if grounds:
            blocks.append(ComposedSentence(_ended(sentence.text), grounds))
            continue
        replaced += 1
        best = _best(sentence.text, [*named, *found.passages], words)
        if best and best not in blocks:
            blocks.append(best)
    if not blocks:
        return tuple(passage for passage in found.passages if words.of(passage)), replaced
    for passage in found.passages:
        if passage.kind in {PassageKind.CODE, PassageKind.TABLE} and passage not in blocks and words.of(passage):
            blocks.insert(_place(passage, blocks), passage)
    return tuple(blocks), replaced


def unused(blocks: ContentBlocks, found: Evidence, words: Words) -> ContentBlocks:
    """Return the quotable passages of a point that `blocks` neither quote nor rest on."""
    used = {
        passage.id
        for block in blocks
        for passage in (block.rests_on if isinstance(block, ComposedSentence) else (block,))
    }
    return tuple(passage for passage in found.passages if passage.id not in used and words.of(passage))


def _ended(text: str) -> str:
    return text if text[-1:] in ".!?:…" else f"{text}."


def _grounds(text: str, named: Sequence[Passage], words: Words) -> tuple[Passage, ...]:
    """Return the cited passages that support the whole sentence; none if it is not plain text.

    Only prose counts: whether an item of a list holds depends on the words above the list.
    """
    if not_plain(text):
        return ()
    prose = [
        (passage, given) for passage in named if passage.kind is PassageKind.PROSE and (given := words.of(passage))
    ]
    return tuple(prose[n][0] for n in judge(text, [given for _, given in prose]).supported_by)


def _best(text: str, passages: Sequence[Passage], words: Words) -> Passage | None:
    """Return the first passage that shares the most words with a sentence."""
    wanted = {stem(word) for word in tokens(text) if word not in FUNCTION_WORDS}
    there = [(passage, given) for passage in passages if (given := words.of(passage))]
    if not there:
        return None
    return max(there, key=lambda pair: len(wanted & {stem(word) for word in tokens(pair[1])}))[0]


def _place(passage: Passage, blocks: Sequence[Passage | ComposedSentence]) -> int:
    """Return the index after the last block that rests on the passage or on the one it follows, else the end."""
    near = {passage.id, passage.follows}
    places = [n for n, block in enumerate(blocks, 1) if near & _ids(block)]
    return places[-1] if places else len(blocks)


def _ids(block: Passage | ComposedSentence) -> set[str]:
    return {passage.id for passage in block.rests_on} if isinstance(block, ComposedSentence) else {block.id}
