"""Tokens of a sentence for comparison: which words count as the same, and which must never be omitted."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

_NUMBERS = {
    **{"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9"},
    **{"ten": "10", "eleven": "11", "twelve": "12"},
}
_SAME = {
    **{"are": "is", "am": "is", "were": "was", "has": "have", "does": "do"},
    **{"can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not"},
}
"""Forms that agree with another subject, and contractions that do not split into a word and an ending."""
_ENDINGS = (("n't", " not"), ("'re", " is"), ("'ve", " have"), ("'ll", " will"), ("'m", " is"))
_IS = frozenset({"it's", "that's", "there's", "what's", "here's", "he's", "she's"})
_UNITS = {
    **dict.fromkeys(("%", "percent"), "%"),
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), "ms"),
    **dict.fromkeys(("us", "µs", "μs", "microsecond", "microseconds"), "us"),
    **dict.fromkeys(("ns", "nanosecond", "nanoseconds"), "ns"),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), "s"),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), "min"),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), "h"),
    **{f"{short}B": f"{short}B" for short in ("k", "M", "G", "T", "P", "Ki", "Mi", "Gi", "Ti")},
    **{f"{short}b": f"{short}b" for short in ("k", "M", "G", "T")},
    **{"KB": "kB", "kilobyte": "kB", "kilobytes": "kB", "megabyte": "MB", "megabytes": "MB"},
    **{"gigabyte": "GB", "gigabytes": "GB", "terabyte": "TB", "terabytes": "TB"},
    **{
        short: short
        for short in ("Hz", "kHz", "MHz", "GHz", "W", "kW", "mm", "cm", "m", "km", "mg", "g", "kg", "K", "x")
    },
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
"""Words that show, after a remark between commas, that it was a remark and not part of a list."""
FALSE = _words("false wrong incorrect untrue myth misconception fallacy mistake mistaken rumour rumor hoax nonsense")
"""Words of a sentence that retracts an adjacent one."""

POINTING = _words(
    "it its itself he him his she her hers they them their theirs this that these those such here then former "
    "latter otherwise instead"
)
"""Words that refer to another sentence: a sentence that stands alone must not begin with one."""
SPEAKER = _words("i we our ours us my mine me myself ourselves")
"""Words for the source's author: on a page of the base they would mean someone else."""
