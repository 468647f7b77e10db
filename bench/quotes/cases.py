"""Make the cases of the set. The labels follow from how each case is made."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field

from bench.quotes.documents import Document
from planbook.markdown.words import sentence_spans

PER_KIND = 100
SEED = 58
_WORDS = (10, 40)
"""Words of a quote."""
_PARAGRAPHS = 12
"""Paragraphs of a source around the quote."""
_LINE = 72
"""Columns of a source with lines."""
_LIGATURES = {"ffi": "\ufb03", "ffl": "\ufb04", "ff": "\ufb00", "fi": "\ufb01", "fl": "\ufb02"}
_SYNONYMS = {
    **{"use": "employ", "used": "employed", "uses": "employs", "using": "employing", "show": "display"},
    **{"shows": "displays", "make": "render", "makes": "renders", "also": "too", "must": "have to", "can": "may"},
    **{"only": "merely", "when": "whenever", "because": "since", "but": "yet", "all": "every", "given": "specified"},
    **{"begin": "start", "begins": "starts", "allow": "permit", "allows": "permits", "allowed": "permitted"},
    **{"value": "quantity", "values": "quantities", "returns": "gives back", "return": "give back", "new": "fresh"},
    **{"other": "different", "different": "distinct", "same": "identical", "large": "big", "set": "put"},
}
_NEGATED = {"is", "are", "was", "were", "can", "will", "does", "do", "should", "must", "may", "has"}


@dataclass(frozen=True)
class Case:
    """A quote, and the text that is given as its source."""

    kind: str
    quote: str
    source: str
    is_quote: bool
    document: str
    licence: str
    whole: str = ""
    """For lines that are cited: the whole file."""
    lines: tuple[int, int] = (0, 0)
    """For lines that are cited: where the words are."""

    def to_json(self) -> dict[str, object]:
        """Return the case as JSON data."""
        return asdict(self)


@dataclass
class Maker:
    """Makes cases from documents."""

    documents: Sequence[Document]
    seed: int = SEED
    dice: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.dice = random.Random(self.seed)  # noqa: S311 - the same cases each time
        self.usable = [one for one in self.documents if len(_sentences(one.text)) > 3]

    def cases(self, per_kind: int = PER_KIND) -> list[Case]:
        """Return the cases of all kinds, in the order of `KINDS`."""
        return [case for kind in KINDS for case in self._of_kind(kind, per_kind)]

    def _of_kind(self, kind: str, wanted: int) -> Iterator[Case]:
        made: set[str] = set()
        for _ in range(wanted * 60):
            if len(made) == wanted:
                return
            case = KINDS[kind](self, self.dice.choice(self.usable))
            if case and case.quote not in made and _label_holds(case):
                made.add(case.quote)
                yield case

    def sentence(self, document: Document) -> str:
        """Return a sentence of a document."""
        return self.dice.choice(_sentences(document.text))

    def source(self, document: Document, quote: str) -> str:
        """Return the paragraphs around a quote."""
        paragraphs = document.text.split("\n\n")
        at = next(n for n, one in enumerate(paragraphs) if quote in one)
        first = max(0, at - self.dice.randrange(_PARAGRAPHS))
        return "\n\n".join(paragraphs[first : first + _PARAGRAPHS])

    def case(self, kind: str, document: Document, quote: str, source: str, *, is_quote: bool) -> Case:
        """Return a case."""
        return Case(kind, quote, source, is_quote, document.name, document.licence)


def _sentences(text: str) -> list[str]:
    found = []
    for paragraph in text.split("\n\n"):
        for start, end in sentence_spans(paragraph):
            sentence = paragraph[start:end]
            is_prose = re.fullmatch(r"[A-Z][^\n|<>{}=\\]{30,}[.]", sentence)
            if is_prose and _WORDS[0] <= len(sentence.split()) <= _WORDS[1]:
                found.append(sentence)
    return found


def letters(text: str) -> str:
    """Return the letters and digits of a text, without case."""
    return "".join(char for char in text.casefold() if char.isalnum())


def _label_holds(case: Case) -> bool:
    """Return whether no chance makes a case another one: what is no quote must be nowhere in the source."""
    return case.is_quote or letters(case.quote) not in letters(case.source)


def _verbatim(make: Maker, document: Document) -> Case | None:
    paragraphs = [one for one in document.text.split("\n\n") if len(_sentences(one)) > 1]
    if not paragraphs:
        return None
    first, second, *_ = _sentences(make.dice.choice(paragraphs))
    quote = f"{first} {second}"
    is_one = any(quote in paragraph for paragraph in paragraphs)
    return make.case("verbatim", document, quote, make.source(document, quote), is_quote=True) if is_one else None


def _hyphenated(make: Maker, document: Document) -> Case | None:
    quote = make.sentence(document)
    long = list(re.finditer(r"(?<![\w-])[a-z]{7,}(?![\w-])", quote))
    if not long:
        return None
    word = make.dice.choice(long)
    middle = word.start() + make.dice.randrange(3, len(word[0]) - 2)
    divided = f"{quote[:middle]}-\n{quote[middle:]}"
    source = make.source(document, quote).replace(quote, divided, 1)
    return make.case("hyphenated", document, quote, source, is_quote=True)


def _ligatures(make: Maker, document: Document) -> Case | None:
    quote = make.sentence(document)
    source = make.source(document, quote)
    for plain, ligature in _LIGATURES.items():
        source = source.replace(plain, ligature)
    return make.case("ligatures", document, quote, source, is_quote=True) if quote not in source else None


def _columns(make: Maker, document: Document) -> Case | None:
    quote = make.sentence(document)
    left = _wrapped(make.source(document, quote), _LINE // 2)
    right = _wrapped(make.dice.choice(make.usable).text, _LINE // 2)
    rows = (
        f"{one.ljust(_LINE // 2 + 4)}{other}".rstrip()
        for one, other in zip(left, _padded(right, len(left)), strict=False)
    )
    return make.case("columns", document, quote, "\n".join(rows), is_quote=True)


def _padded(lines: Sequence[str], length: int) -> list[str]:
    return [*lines[:length], *[""] * (length - len(lines))]


def _wrapped(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _word(make: Maker, document: Document) -> Case | None:
    quote = make.sentence(document)
    others = re.findall(r"\b[a-z]{5,}\b", make.source(document, quote))
    places = list(re.finditer(r"\b[a-z]{5,}\b", quote))
    if not places or not others:
        return None
    place, other = make.dice.choice(places), make.dice.choice(others)
    changed = f"{quote[: place.start()]}{other}{quote[place.end() :]}"
    return make.case("word", document, changed, make.source(document, quote), is_quote=False)


def _number(make: Maker, document: Document) -> Case | None:
    with_digits = [one for one in _sentences(document.text) if re.search(r"\d", one)]
    if not with_digits:
        return None
    quote = make.dice.choice(with_digits)
    place = make.dice.choice([match.start() for match in re.finditer(r"\d", quote)])
    digit = make.dice.choice([one for one in "123456789" if one != quote[place]])
    changed = f"{quote[:place]}{digit}{quote[place + 1 :]}"
    return make.case("number", document, changed, make.source(document, quote), is_quote=False)


def _negation(make: Maker, document: Document) -> Case | None:
    quote = make.sentence(document)
    if re.search(r"\bnot ", quote):
        changed = re.sub(r"\bnot ", "", quote, count=1)
    else:
        verbs = [match for match in re.finditer(r"\b[a-z]+\b", quote) if match[0] in _NEGATED]
        if not verbs:
            return None
        end = make.dice.choice(verbs).end()
        changed = f"{quote[:end]} not{quote[end:]}"
    return make.case("negation", document, changed, make.source(document, quote), is_quote=False)


def _stitched(make: Maker, document: Document) -> Case | None:
    first, last = make.sentence(document).split(), make.sentence(document).split()
    if first == last:
        return None
    quote = " ".join([*first[: len(first) // 2], *last[len(last) // 2 :]])
    return make.case("stitched", document, quote, document.text, is_quote=False)


def _other_work(make: Maker, document: Document) -> Case | None:
    other = make.dice.choice(make.usable)
    if other is document:
        return None
    return make.case("other-work", document, make.sentence(other), document.text, is_quote=False)


def _moved_lines(make: Maker, document: Document) -> Case | None:
    quote = make.sentence(document)
    lines = _wrapped(document.text, _LINE)
    whole = "\n".join(lines)
    found = re.search(r"\s+".join(map(re.escape, quote.split())), whole)
    if not found:
        return None
    first, last = (whole.count("\n", 0, at) + 1 for at in (found.start(), found.end() - 1))
    shift = make.dice.randrange(4, 40)
    cited = (first + shift, last + shift)
    if cited[1] > len(lines):
        return None
    source = "\n".join(lines[cited[0] - 1 : cited[1]])
    return Case("moved-lines", quote, source, is_quote=False, document=document.name, licence=document.licence,
                whole=whole, lines=(first, last))  # fmt: skip


def _translated(make: Maker, document: Document) -> Case | None:
    german = _sentences(document.translation) if document.translation else []
    if not german:
        return None
    return make.case("translated", document, make.dice.choice(german), document.text, is_quote=False)


def _paraphrase(make: Maker, document: Document) -> Case | None:
    quote = make.sentence(document)
    changed = re.sub(r"\b[a-z]+\b", lambda match: _SYNONYMS.get(match[0], match[0]), quote)
    clauses = changed.rstrip(".").split(", ")
    if len(clauses) == 2:
        changed = f"{clauses[1][:1].upper()}{clauses[1][1:]}, {clauses[0][:1].lower()}{clauses[0][1:]}."
    replaced = sum(word in _SYNONYMS for word in quote.split())
    if replaced < 2:
        return None
    return make.case("paraphrase", document, changed, make.source(document, quote), is_quote=False)


KINDS: dict[str, Callable[[Maker, Document], Case | None]] = {
    "verbatim": _verbatim,
    "hyphenated": _hyphenated,
    "ligatures": _ligatures,
    "columns": _columns,
    "word": _word,
    "number": _number,
    "negation": _negation,
    "stitched": _stitched,
    "other-work": _other_work,
    "moved-lines": _moved_lines,
    "translated": _translated,
    "paraphrase": _paraphrase,
}
