"""Check whether passages support a sentence: a strict comparison of words that can explain every refusal. Pure.

A sentence is supported if it can be made from one sentence of a passage, or from two consecutive ones, by omitting
what does not change the meaning: articles, remarks in brackets or between commas, words such as "however". All other
words, numbers, units, names and versions must occur in the same order, so that each keeps its role, and so must the
punctuation between them. A sentence that is refused may still be true.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise, takewhile

from generator.markdown.sentences import sentences_of

# --- tokens ------------------------------------------------------------------------------------------------------

_NUMBERS = {
    word: str(n)
    for n, word in enumerate(re.findall(r"\w+", "two three four five six seven eight nine ten eleven twelve"), 2)
}
_SAME = {
    **{"are": "is", "am": "is", "were": "was", "has": "have", "does": "do"},
    **{"can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not"},
}
"""Forms that agree with another subject, and contractions that do not split into a word and an ending."""
_ENDINGS = (("n't", " not"), ("'re", " is"), ("'ve", " have"), ("'ll", " will"), ("'m", " is"))
_IS = frozenset({"it's", "that's", "there's", "what's", "here's", "he's", "she's"})
_UNITS = {
    spelling: spellings.split()[0]
    for spellings in re.findall(
        r"[^|]+",
        "% percent|ms millisecond milliseconds|us µs μs microsecond microseconds|ns nanosecond nanoseconds"
        "|s sec secs second seconds|min mins minute minutes|h hr hrs hour hours|kB KB kilobyte kilobytes"
        "|MB megabyte megabytes|GB gigabyte gigabytes|TB terabyte terabytes|PB|KiB|MiB|GiB|TiB|kb|Mb|Gb|Tb"
        "|Hz|kHz|MHz|GHz|W|kW|mm|cm|m|km|mg|g|kg|K|x",
    )
    for spelling in spellings.split()
}
"""Units by their spellings; bits and bytes differ."""
_NUMBER = re.compile(r"(?P<number>[-+]?\d+(?:[.,]\d+)*)")
_MEASURE = re.compile(r"(?P<number>[-+]?\d+(?:,\d{3})*(?:\.\d+)?)(?P<unit>[^\W\d_]+|%)")
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_DASH = re.compile(r"—|(?<!\d)–|–(?!\d)|(?<=\s)---?(?=\s)")
_OPENS, _CLOSES = "([{", ")]}"
_INVISIBLE = re.compile('[\u00ad\u200b-\u200d\u2060\ufeff`"\u201c\u201d\u00ab\u00bb]|(?<!\\w)\\*+|\\*+(?!\\w)')
"""Invisible characters, quotation marks, and Markdown markup."""

MARKS = frozenset(",;:.!?\u2026—([{)]}")
"""Punctuation, as it appears in tokens."""
ARTICLES = frozenset({"a", "an", "the"})
_COUNTED = frozenset({"few", "little", "number"})
"""Words that change their meaning with another article, or without one."""


def _words(text: str) -> frozenset[str]:
    return frozenset(key for word in text.split() for key in _keys_of_word(word))


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a number, a name or a punctuation mark."""

    key: str
    """The form that is compared."""
    text: str
    """The original spelling."""
    at_start: str = ""
    """The form that is compared at the start of a sentence, which is always capitalized; the same as `key` if empty."""
    is_first: bool = False
    """True if it begins a sentence."""

    @property
    def is_silent(self) -> bool:
        """True if it may be omitted or inserted anywhere, as an article may."""
        return self.key in ARTICLES and not self.text.isupper()

    def is_same(self, other: Token) -> bool:
        """Return whether two tokens mean the same."""
        if self.key == other.key:
            return True
        is_start = self.is_first or other.is_first
        return is_start and (self.at_start or self.key) == (other.at_start or other.key)


def tokenize(text: str) -> list[Token]:
    """Return the tokens of a text, in order."""
    text = unicodedata.normalize("NFC", text).replace("\u2019", "'").replace("\u2018", "'").replace("\u2212", "-")
    text = _INVISIBLE.sub("", re.sub(r"\bper cent\b", "percent", text))
    text = _DASH.sub(" — ", text).replace("–", "-").replace("\u2026", " \u2026 ")
    found: list[Token] = []
    for chunk in text.split():
        for token in _tokens(chunk):
            unit = _UNITS.get(token.text) if found and _NUMBER.fullmatch(found[-1].key) else None
            found.append(Token(unit, token.text) if unit else token)
    for n, (one, two) in enumerate(pairwise(found)):
        if one.key in ARTICLES and two.key in _COUNTED:  # "a few" is not "few", nor "the number of" "a number of"
            found[n] = Token(f"{one.key} {two.key}", one.text)
    if found:
        first = found[0]
        text = first.text.lower() if first.key in ARTICLES else first.text  # a capital at the start is not significant
        found[0] = Token(first.at_start or first.key, text, is_first=True)
    return found


def _tokens(chunk: str) -> Iterator[Token]:
    """Yield the tokens of a chunk between two blanks; punctuation around it becomes separate tokens."""
    tail: list[Token] = []
    while chunk and ((chunk[0] in _OPENS and _is_open(chunk)) or chunk[0] == "'"):
        if chunk[0] in _OPENS:
            yield Token(chunk[0], chunk[0])
        chunk = chunk[1:]
    while chunk and (
        chunk[-1] in ",;:.!?'" or (chunk[-1] in _CLOSES and chunk.count(chunk[-1]) > chunk.count(_opening(chunk)))
    ):
        if chunk[-1] != "'":
            tail.insert(0, Token(chunk[-1], chunk[-1]))
        chunk = chunk[:-1]
    if chunk:
        yield from _core(chunk)
    yield from tail


def _opening(chunk: str) -> str:
    return _OPENS[_CLOSES.index(chunk[-1])]


def _is_open(chunk: str) -> bool:
    """Return whether the bracket at the start is punctuation: it closes at the end, or not in this chunk."""
    closing = _CLOSES[_OPENS.index(chunk[0])]
    rest = chunk.rstrip(",;:.!?'")
    return closing not in chunk or (rest.endswith(closing) and rest.count(closing) == 1) or rest.endswith(closing * 2)


def _core(chunk: str) -> Iterator[Token]:
    number = _MEASURE.fullmatch(chunk) or _NUMBER.fullmatch(chunk)
    unit = number.groupdict().get("unit") if number else None
    if number and (unit is None or unit in _UNITS):
        yield Token(re.sub(r",(?=\d{3}(?:\D|$))", "", number["number"]), number["number"])
        if unit:
            yield Token(_UNITS[unit], unit)
    elif _WORD.fullmatch(chunk):
        keys = tuple(_keys_of_word(_name(chunk)))
        is_name = chunk[0].isupper() and len(keys) == 1 and not KEPT.union(SPEAKER, ARTICLES).intersection(keys)
        yield Token(_name(chunk), chunk, keys[0]) if is_name else Token(keys[0], chunk if len(keys) == 1 else keys[0])
        yield from (Token(key, key) for key in keys[1:])
    else:
        is_words = re.fullmatch(r"[^\W\d_]+(?:-[^\W\d_]+)+", chunk)
        yield Token(chunk.casefold() if is_words else chunk, chunk, chunk[:1].lower() + chunk[1:])


def _name(word: str) -> str:
    """Return the key of a name or an abbreviation: `AWS` is not `aws`, nor `Mb` `MB`; but `GPUs` are each a `GPU`."""
    return word[:-1] if word[:-1].isupper() and word.endswith("s") and len(word) > 2 else word


def _keys_of_word(word: str) -> Iterator[str]:
    word = word.casefold()
    if word in _IS:
        word = f"{word[:-2]} is"
    for ending, instead in _ENDINGS:
        if word not in _SAME and word.endswith(ending):
            word = word.removesuffix(ending) + instead
    for key in _SAME.get(word, word).split():
        yield _NUMBERS.get(key) or _SAME.get(key) or _singular(key)


def _singular(word: str) -> str:
    """Return a word without its plural ending, or that of a verb's third person."""
    if len(word) <= 3 or not word.endswith("s") or word.endswith(("ss", "us", "is", "'s")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith(("sses", "xes", "ches", "shes", "zzes")) else word[:-1]


KEPT = _words(
    # negations
    "no not never neither nor none nothing nobody nowhere without cannot lack lacks lacked lacking fail fails failed "
    "failing failure refuse refuses refused unable hardly barely scarcely rarely seldom avoid avoids avoided prevent "
    "prevents prevented stop stops stopped instead rather than except excepting excluding unless unlike false wrong "
    "incorrect incorrectly mistake mistaken myth untrue contrary "
    # bounds
    "only just merely solely exclusively but yet although though despite whereas while still even at least most more "
    "less fewer all every each any some many few several both either half almost nearly about approximately roughly up "
    "usually typically normally generally often sometimes occasionally mostly mainly largely partly partially "
    "entirely completely fully always first last once again "
    # conditions and times
    "if when whenever until till after before during since provided assuming where wherever whether depending "
    "otherwise case default "
    # modality and attribution
    "may might can could should must shall will would ought need needs likely unlikely possible possibly probable "
    "probably perhaps maybe supposed supposedly alleged allegedly reported reportedly apparent apparently seem seems "
    "seemed appear appears appeared suggest suggests believe believes believed think thinks thought claim claims "
    "claimed say says said argue argues argued expect expects expected hope hopes intend intends intended plan plans "
    "planned propose proposed experimental deprecated obsolete removed optional optionally formerly previously "
    "currently longer theoretically theory pretend imagine suppose according opinion lie lies lying "
    # retractions and exceptions
    "misconception misunderstanding fallacy rumour rumor legend hoax error contradict contradicts contradicted dispute "
    "disputes disputed doubt doubts doubted doubtful refute refutes refuted disprove disproves disproved disproven "
    "debunk debunked retract retracted revert reverted revoke revoked withdrawn withdrew superseded replaced dropped "
    "abandoned discontinued unproven untested unverified unconfirmed excluded excludes exempt exempted limited "
    "restricted unsupported disabled impossible broken"
)
"""Words that negate or limit those around them: nothing that contains one may be omitted."""

CONNECTIVES = tuple(
    tuple(phrase.split("_"))
    for phrase in re.findall(
        r"\S+",
        "please_note_that note_that note remember_that keep_in_mind_that as_a_result for_this_reason in_addition "
        "in_other_word in_short of_course for_example for_instance additionally also accordingly consequently finally "
        "furthermore hence however indeed moreover similarly therefore thus and so tip",
    )
)
"""Words that join a sentence to the previous one, and may be omitted at its start."""
WITHOUT_A_COMMA = frozenset({"that", "also", "and", "hence", "so", "therefore", "thus"})
"""Final words of connectives that need no comma after them: ``however fast`` joins nothing."""
ASIDES = frozenset({"also", "however", "therefore", "thus", "moreover", "furthermore", "indeed", "hence"})
"""Connectives that may be omitted anywhere."""
BEHIND_A_COMMA = frozenset({"which", "who", "whose", "whom"})
"""Words that begin a relative clause."""
LAST_CLAUSE = (("because",), ("such", "as"), ("including",), ("for", "example"), ("for", "instance"), ("e.g",))
"""Words that begin, after a comma, a final clause that may be omitted."""
ASIDE = (*LAST_CLAUSE[1:], ("see",))
"""Words that begin brackets that may be omitted: others may state a condition or a version."""
AUXILIARIES = _words("is was have do can could may might must shall should will would")
"""Words that show, after an aside between commas, that it was an aside and not part of a list."""
FALSE = _words("false wrong incorrect untrue myth misconception fallacy mistake mistaken rumour rumor hoax nonsense")
"""Words of a sentence that retracts an adjacent one."""

POINTING = _words(
    "it its itself he him his she her hers they them their theirs this that these those such here then former "
    "latter otherwise instead"
)
"""Words that refer to another sentence: a sentence that stands alone must not begin with one."""
SPEAKER = _words("i we our ours us my mine me myself ourselves")
"""Words for the source's author: on a page of the base they would mean someone else."""


# --- the check ---------------------------------------------------------------------------------------------------

_PAIRS = {"(": ")", "[": "]"}
_AND = frozenset({"and", "or"})
_MOST_NAMED = 5
_ENDS = frozenset(".!:\u2026")
"""Punctuation that ends a sentence."""
_VERDICT = 3
"""Maximum number of words of a sentence such as "Not true." that is about the one next to it."""
_JOINT = Token("&", "and")
"""Replaces the mark that ends the first of two sentences of a passage."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Result of the support check for one sentence."""

    supported_by: tuple[int, ...]
    """Indexes of the passages that support it."""
    reason: str = ""
    """The reason why none of them does."""

    @property
    def is_supported(self) -> bool:
        """True if at least one passage supports it."""
        return bool(self.supported_by)


def judge(sentence: str, passages: Sequence[str]) -> Judgement:
    """Return which of `passages`, all prose, support `sentence` on their own; if none does, the reason."""
    said = [token for token in _without_end(tokenize(sentence)) if not token.is_silent]
    said = [one for one, two in pairwise([*said, _JOINT]) if one.key != "," or two.key not in _AND]
    trouble = _trouble(said)
    if trouble:
        return Judgement((), trouble)
    windows = [tuple(_windows(passage)) for passage in passages]
    holding = tuple(n for n, found in enumerate(windows) if any(_is_made_from(said, window) for window in found))
    if holding:
        return Judgement(holding)
    return Judgement((), _difference(said, [window for found in windows for window in found]))


def _trouble(said: Sequence[Token]) -> str:
    """Return the reason why a sentence cannot stand alone, whatever its passages say; empty if it can."""
    if not said:
        return "it says nothing"
    if said[-1].key == "?":
        return "it asks"
    if said[0].key in POINTING:
        return f"“{said[0].text}” points to something outside of the sentence"
    speaker = next((token for token in said if token.key in SPEAKER), None)
    return f"“{speaker.text}” refers to the author of the source" if speaker else ""


# --- the sentences of a passage --------------------------------------------------------------------------------------


def _windows(passage: str) -> Iterator[list[Token]]:
    """Yield each sentence of a passage and each two consecutive ones, without questions and retracted statements."""
    sentences = [tokenize(sentence) for sentence in sentences_of(passage)]
    said = [
        [] if any(token.key == "?" for token in sentence[-2:]) or _is_taken_back(n, sentences) else sentence
        for n, sentence in enumerate(sentences)
    ]
    yield from (_without_end(sentence) for sentence in said if sentence)
    for one, two in pairwise(said):
        closing = len([*takewhile(lambda token: token.key in _CLOSES, reversed(one))])  # of ``(It ages.) Then ...``
        if one and two:
            first, behind = one[: len(one) - closing], one[len(one) - closing :]
            yield [*_without_end(first), _JOINT, *behind, *_without_end(two)]


def _is_taken_back(n: int, sentences: Sequence[Sequence[Token]]) -> bool:
    """Return whether an adjacent sentence retracts it: "The following is a myth.", "That is wrong.", "Not true."."""
    for beside in (*sentences[max(0, n - 1) : n], *sentences[n + 1 : n + 2]):
        keys = [token.key for token in beside if token.key not in MARKS]
        is_short = len(keys) <= _VERDICT
        is_about = is_short or keys[0] in POINTING or "following" in keys or beside[-1].key == ":"
        if (is_about and FALSE.intersection(keys)) or (is_short and {"not", "no"}.intersection(keys)):
            return True
    return False


def _without_end(sentence: Sequence[Token]) -> list[Token]:
    """Return a sentence without its final punctuation."""
    end = next((n for n in range(len(sentence), 0, -1) if sentence[n - 1].key not in _ENDS), 0)
    return list(sentence[:end])


# --- making one from the other ---------------------------------------------------------------------------------------


def _is_made_from(said: Sequence[Token], given: Sequence[Token]) -> bool:
    """Return whether `said` results from omitting parts of `given` that may be omitted."""
    ways: list[set[int]] = [set() for _ in range(len(given) + 1)]
    ways[0].add(0)
    left_out = _left_out(given)
    joints = _joints(given)
    for n, token in enumerate(given):
        is_optional = token.is_silent or (token.key == "," and n + 1 < len(given) and given[n + 1].key in _AND)
        for at in ways[n]:
            if is_optional:
                ways[n + 1].add(at)
            if at < len(said) and (said[at].key in joints if token is _JOINT else said[at].is_same(token)):
                ways[n + 1].add(at + 1)
            for end in left_out.get(n, ()):
                ways[end].add(at)
    return len(said) in ways[-1]


def _joints(given: Sequence[Token]) -> frozenset[str]:
    """Return the keys that may join two sentences; no "and" if it would put the second under a word of the first."""
    first = given[: given.index(_JOINT)] if _JOINT in given else ()
    is_bound = KEPT.intersection(token.key for token in first)
    return frozenset(".!;") if is_bound else frozenset({".", "!", ";", "and"})


def _left_out(given: Sequence[Token]) -> dict[int, set[int]]:
    """Return the spans that may be omitted, as ends by start."""
    found: dict[int, set[int]] = {}
    bounds = [-1, *(n for n, token in enumerate(given) if token is _JOINT), len(given)]
    for before, end in pairwise(bounds):
        for start, stop in (*_openings(given, before + 1), *_remarks(given, before + 1, end)):
            found.setdefault(start, set()).add(stop)
    return found


def _openings(given: Sequence[Token], start: int) -> Iterator[tuple[int, int]]:
    """Yield the connectives at the start of a sentence, with the comma after them."""
    keys = [token.at_start or token.key for token in given]
    for phrase in CONNECTIVES:
        end = start + len(phrase)
        is_ended = keys[end : end + 1] in ([","], [":"])
        if tuple(keys[start:end]) == phrase and (is_ended or phrase[-1] in WITHOUT_A_COMMA):
            yield start, end + is_ended


def _remarks(given: Sequence[Token], start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield brackets, asides between commas, and final clauses that add a reason or examples."""
    keys = [token.key for token in given]
    for n in range(start, end):
        stops: list[int] = []
        closing = keys.index(_PAIRS[keys[n]], n + 1) if _PAIRS.get(keys[n]) in keys[n + 1 : end] else None
        behind = keys[n + 1 : end] if keys[n] == "," else []
        if keys[n] in ASIDES and keys[n] in WITHOUT_A_COMMA:
            stops.append(n + 1)
        elif closing and _is_aside(given[start:n], given[n + 1 : closing]):
            stops.append(closing + 1)
        elif behind[:1] and behind[0] in ASIDES and behind[1:2] == [","]:
            stops.append(n + 3)
        elif behind[:1] and behind[0] in BEHIND_A_COMMA:
            commas = [m for m in range(n + 2, end - 1) if keys[m] == ","]
            if not commas:
                stops.append(end)
            elif len(commas) == 1 and (keys[commas[0] + 1] in AUXILIARIES or not _AND.intersection(keys[n:end])):
                stops.append(commas[0] + 1)
        elif _begins(behind, LAST_CLAUSE):
            stops.append(end)
        yield from ((n, stop) for stop in stops if not KEPT.intersection(keys[n:stop]))


def _begins(keys: Sequence[str], phrases: Sequence[tuple[str, ...]]) -> bool:
    return any(tuple(keys[: len(phrase)]) == phrase for phrase in phrases)


def _is_aside(before: Sequence[Token], within: Sequence[Token]) -> bool:
    """Return whether brackets hold a reference, examples, or the abbreviation of the words before them."""
    if len(within) == 1:
        initials = "".join(token.text[:1] for token in before[-len(within[0].text) :])
        return within[0].key.isdigit() or within[0].text.casefold() == initials.casefold()
    return _begins([token.key for token in within if token.key not in MARKS], ASIDE)


# --- why not ---------------------------------------------------------------------------------------------------------


def _difference(said: Sequence[Token], windows: Sequence[Sequence[Token]]) -> str:
    """Describe how a sentence differs from the most similar window."""
    if not windows:
        return "no passage says anything"
    spoken = [[token for token in window if not token.is_silent and token is not _JOINT] for window in windows]
    matchers = [SequenceMatcher(None, _plain_keys(window), _plain_keys(said), autojunk=False) for window in spoken]
    best, window = max(zip(matchers, spoken, strict=True), key=lambda pair: pair[0].ratio())
    there = {*_plain_keys(window), *MARKS}
    new = [token.text for token in said if (token.at_start or token.key) not in there]
    if new:
        return f"{_named(new)} is not in the sentence that it rests on"
    changes = best.get_opcodes()
    moved = [said[n] for tag, _, _, a, b in changes if tag in {"insert", "replace"} for n in range(a, b)]
    if words := [token.text for token in moved if token.key not in MARKS]:
        return f"{_named(words)} is in another place of the sentence that it rests on"
    gone = [window[n] for tag, a, b, _, _ in changes if tag in {"delete", "replace"} for n in range(a, b)]
    if words := [token.text for token in gone if token.key not in MARKS]:
        return f"it leaves out {_named(words)}"
    return f"it has other marks: {_named([token.text for token in moved or gone])}"


def _plain_keys(tokens: Sequence[Token]) -> list[str]:
    return [token.at_start or token.key for token in tokens]


def _named(words: Sequence[str]) -> str:
    shown = " ".join(words[:_MOST_NAMED])
    return f"“{shown}{' …' if len(words) > _MOST_NAMED else ''}”"
