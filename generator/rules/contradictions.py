"""Find statements on different pages that give one point different numbers (K032). Pure.

Two statements contradict each other if they have the same words in the same order, apart from remarks, and a value
differs: a quantity with a unit, a count, the version that something requires or begins with, the default of an option.
Examples, bounds ("up to 3"), dates and numbers that name something ("Table 3") are no values. In doubt nothing is
reported: a statement about "this", or one that names nothing, is compared only under the same titles.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import combinations

from generator.citations.source_lists import lists_sources
from generator.markdown.document import Node, read_document
from generator.markdown.plain_text import plain_text
from generator.markdown.sentences import sentences_of
from generator.markdown.words import FUNCTION_WORDS, stem
from generator.model import Problem
from generator.rules.support import ARTICLES

MIN_TERMS = 3
"""The number of words, besides function words, that two statements must share."""
MIN_SHARE = 0.6
"""The share of these words among those of the longer statement."""
MAX_LIKE = 40
"""The number of statements with a rare word in common up to which they are compared; more are a template."""
MANY = 3
"""The number of differences between two pages from which on they describe different things."""
MAX_CHARS, MAX_NUMBERS = 600, 20
"""A longer sentence, or one with more numbers, is data rather than a statement."""
ROUNDED = 0.015
"""The part of a quantity that rounding may add to it or take from it."""
_PREFIXES = {"": 1.0, "n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_PREFIXES |= {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40}
_TIMES = {"sec": 1.0, "second": 1.0, "m": 60.0, "min": 60.0, "minute": 60.0, "h": 3600.0, "hour": 3600.0}
_UNITS = {f"{name}{plural}": ("s", factor) for name, factor in _TIMES.items() for plural in ("", "s")}
_UNITS |= {"byte": ("B", 1.0), "bytes": ("B", 1.0), "%": ("%", 1.0), "percent": ("%", 1.0), "°C": ("°C", 1.0)}
_UNITS |= {f"{prefix}{unit}": (unit, factor) for unit in ("B", "B/s", "s") for prefix, factor in _PREFIXES.items()}
"""Kind and factor of each unit."""
_TOKEN = re.compile(
    r"(?P<date>\b\d{1,2}[ -](?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\w*|\b(?:19|20)\d\d-\d\d(?:-\d\d)?\b"
    r"|\b(?:19|20)\d\d\b(?!\s?(?:[kMGTP]?i?B|[nuµm]?s)\b))"
    r"|(?<![\w.,])v?(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)*)(?!\.?\d*e-?\d)"
    r"(?:\s?(?:-|–|to)\s?(?P<end>\d+(?:\.\d+)*))?"
    r"(?P<plus>\+(?!\w))?(?:[\s-]?(?P<unit>(?:[KMGTPk]i?)?(?:B/s|bit/s|FLOP/s)(?!\w)|[^\W\d_]+(?!\w)|%|°C))?"
    r"|(?P<word>[^\W\d][\w+#-]*(?:[./:=_][\w+#-]+)*|\d[\w.:/-]*)"
)
_LANGUAGE = re.compile(r"\b(C\+\+|Python|CUDA|Java|C)(\d[\d.]*)\b")
"""A name and its version as one word: ``C++17``."""
_FILLING = r"(?:[\s:(`*]|\b(?:is|to|for|of|the|a|an|use|version|only|release)\b){0,12}"
_NAMED = re.compile(r"(?:[A-Z][\w+.#-]*|\bversion|\brelease)[\s`*(]*(?:[<>=≥]+\s?)?$")
_BEFORE_VERSION = re.compile(
    r"(?:\b(?:since|requires?|required|minimum|at least|defaults?|prior to|before|until|as of|than|from|with|currently"
    r"|(?:introduced|added|removed|deprecated|available|dropped|included|supported) in|target\w*|is|uses?|supports?"
    rf"|version)\b{_FILLING}|[<>]=?\s?|≥\s?)"
    r"(?:(?-i:[A-Z])[\w+.#-]*\s){0,4}(?:version\s)?[\s`*(]{0,4}$",
    re.IGNORECASE,
)
_BEHIND_VERSION = re.compile(
    r"[\s`*)(]*(?:\d+\s)?[`*(]*(?:or|and)\s(?:later|newer|higher|above|greater|earlier|lower|older)\b"
)
_DEFAULT = re.compile(r"\bdefaults?\b(?:\s(?:value|size|is|to|of)\b|[\s:=(`*,])*$", re.IGNORECASE)
_NO_VALUE = re.compile(
    r"(?:\b(?:up to|e\.g\.,?|such as|like|for example,?|say|tables?|figures?|fig\.|sections?|steps?|cases?|chapters?"
    r"|parts?|examples?|lines?|pages?|rows?|items?|note|issue|PR|request|RFC|PEP)[\s`*#(]*|#|\b[A-Z]\w*\d\s)$",
    re.IGNORECASE,
)
"""Words before an example, a bound, or a number that names something; the last is a product: ``A100 80GB``."""
_POINTING = re.compile(
    r"\b(?:this|these|that|those|it|its|here|following|above|such|therefore|thus|so|then)\b", re.IGNORECASE
)
_NAME = re.compile(r"[\w,]\s[`*(]*(?:\w*[a-z]+[A-Z]|[A-Z]|\w+[_./:=-]\w)|^\W*(?:\w*[a-z]+[A-Z]|\w+[_./:=]\w)")
_OPTION = re.compile(r"`?-{0,2}([A-Za-z]\w*(?:[_.-]\w+)+)`?")
_CONDITIONS = "except for if later newer no non not only or per unless when without"
_PAST = "was were had previously formerly earlier used longer old older"
_SCOPE = frozenset(map(stem, re.findall(r"\w+", f"{_CONDITIONS} {_PAST}")))
"""Words that begin a condition, or are about the past, if only one of two statements has them."""
_INLINE = frozenset({"Text", "Code", "Emphasis", "Strong", "Link", "Strikethrough"})


@dataclass(frozen=True, slots=True)
class Value:
    """A number in a statement."""

    text: str
    kind: str
    """``B``, ``version``, ``of node`` for a count of nodes; empty if statements are about one point only if it is the
    same in both."""
    low: tuple[float, ...]
    """The quantity in its basic unit, less what rounding explains; of a version, its parts without zeros at the end."""
    high: tuple[float, ...]
    """The same as `low`, unless it is a quantity."""


@dataclass(frozen=True, slots=True)
class NumericStatement:
    """A sentence with numbers."""

    line: int
    words: tuple[str, ...]
    """Stems, in order; ``#`` for each value."""
    values: tuple[Value, ...]
    context: tuple[str, ...]
    """The titles of page and section, if it can only be understood there."""
    option: str
    """The option whose default it gives, if it does."""


def read_statements(raw: bytes) -> tuple[NumericStatement, ...]:
    """Return the statements with numbers of the page in a file's bytes, in order."""
    document = read_document(raw.decode("utf-8", errors="replace"))
    titles, head = [str(document.meta.get("title", "")), ""], list[str]()
    found: list[NumericStatement] = []
    for node in document.tree.descendants():
        inline = [child for child in node.children if child.name in _INLINE]
        if node.name == "Heading":
            titles[1] = " ".join(node.all_text().split())
            titles[0] = titles[0] or titles[1]
        elif node.name == "TableHead":
            head = [cell.all_text() for cell in node.children]
        elif lists_sources(titles[1]):
            continue
        elif node.name == "TableRow":
            for text in _defaults(node, head):
                found += _statement(text, document.line(node.start), titles)
        elif node.name in {"Paragraph", "Item"} and any(child.name != "Link" for child in inline):
            start, end = inline[0].start, inline[-1].end
            text, at = re.sub(r"\n[ \t>]*", lambda gap: " " * len(gap[0]), document.body[start:end]), 0
            for sentence in sentences_of(text):
                at = text.index(sentence, at)
                line = document.line(start + at + len(sentence) - len(sentence.lstrip()))
                found += _statement(plain_text(sentence), line, titles)
                at += len(sentence)
    return tuple(found)


def _defaults(row: Node, head: Sequence[str]) -> Iterator[str]:
    """Yield the default of the option that a table row describes, as a sentence."""
    cells = [cell.all_text().strip() for cell in row.children]
    for name, cell in zip(head[1:], cells[1:], strict=False):
        if _OPTION.fullmatch(cells[0]) and name.strip().casefold() in {"default", "default value"}:
            yield f"{cells[0]} default: {cell}"


def _statement(text: str, line: int, titles: Sequence[str]) -> Iterator[NumericStatement]:
    """Yield the statement that a sentence makes, if it gives a value."""
    if len(text) > MAX_CHARS or text.endswith("?") or not 0 < len(re.findall(r"\d+", text)) <= MAX_NUMBERS:
        return
    text = _LANGUAGE.sub(r"\1 \2", text)
    words, values, is_default = list[str](), list[Value](), False
    for token in _TOKEN.finditer(text):
        if not token["number"]:
            words += _words(token[0])
            continue
        value = _value(text, token)
        words.append("#")
        values.append(value)
        is_default |= bool(value.kind and _DEFAULT.search(text, 0, token.start()))
        words += _words(token["unit"] or "") if token["unit"] not in _UNITS else []
    if any(value.kind for value in values):
        options = {option[1] for option in _OPTION.finditer(text)} if is_default else set()
        option = options.pop() if len(options) == 1 else ""
        is_known = option.isupper() or len(re.split(r"[_.-]", option)) > 2
        is_bound = _POINTING.search(text) or not _NAME.search(text[: text.index(values[0].text)])
        context = tuple(titles) if is_bound or (option and not is_known) else ()
        yield NumericStatement(line, tuple(words), tuple(values), context, option if is_known else "")


def _words(text: str) -> list[str]:
    return [stem(word) for word in re.findall(r"[\w+#./:=-]*\w", text.casefold()) if word not in ARTICLES]


def _value(text: str, token: re.Match[str]) -> Value:
    number, unit = token["number"].replace(",", ""), token["unit"] or ""
    last = "plus" if token["plus"] else "end" if token["end"] else "number"
    before, shown = text[: token.start()], text[token.start() : token.end(last)]
    parts = [int(part) for part in number.split(".")]
    is_cued = token["plus"] or _BEFORE_VERSION.search(before[-80:]) or _BEHIND_VERSION.match(text, token.end(last))
    kind, factor, rounded = "", 1.0, 0.0
    if unit in _UNITS and len(parts) <= 2:
        (kind, factor), shown, rounded = _UNITS[unit], token[0], ROUNDED
    elif _NAMED.search(before) or len(parts) > 2:
        kind = "version" if is_cued or before.endswith("C++ ") else ""
    elif len(unit) > 1 and len(parts) == 1 and unit not in FUNCTION_WORDS:
        kind, shown = f"of {stem(unit.casefold())}", token[0]
    elif _DEFAULT.search(before):
        kind = "number"
    elif is_cued and len(parts) == 2 and "version" in text:
        kind = "version"
    if _NO_VALUE.search(before):
        kind = ""
    if kind in {"", "version"}:
        while len(parts) > 1 and not parts[-1]:
            parts.pop()
        return Value(shown, kind, tuple(parts), tuple(parts))
    low, high = (float(".".join(each.split(".")[:2])) * factor for each in (number, token["end"] or number))
    return Value(shown, kind, (low * (1 - rounded),), (high * (1 + rounded),))


# --- comparison ------------------------------------------------------------------------------------------------------


def find_contradictions(pages: Mapping[str, Sequence[NumericStatement]]) -> Iterator[Problem]:
    """Yield a Problem for each statement that one on an earlier page contradicts; `pages` has the statements by uri.

    Only statements with a rare word in common are compared. Three values for one sentence, or two pages that differ in
    `MANY` statements, are no contradiction: such pages describe different things with the same words.
    """
    found = [(uri, statement) for uri in sorted(pages) for statement in pages[uri]]
    frequency = Counter(word for _, statement in found for word in set(statement.words))
    like = defaultdict[str, list[int]](list)
    for n, (_, statement) in enumerate(found):
        rare = sorted(set(statement.words) - {"#"}, key=lambda word: (frequency[word], word))[:MIN_TERMS]
        for word in [*rare, f"default of {statement.option}"] if statement.option else rare:
            like[word].append(n)
    pairs = {pair for alike in like.values() if len(alike) <= MAX_LIKE for pair in combinations(alike, 2)}
    conflicts = [
        (first, second, different)
        for first, second in sorted(pairs)
        if found[first][0] != found[second][0] and (different := _contradiction(found[first][1], found[second][1]))
    ]
    values, of_pages = defaultdict[int, set[str]](set), Counter[tuple[str, str]]()
    for first, second, (there, here) in conflicts:
        values[first].add(here.text)
        values[second].add(there.text)
        of_pages[found[first][0], found[second][0]] += 1
    reported = set[int]()
    for first, second, (there, here) in conflicts:
        (uri, one), (other, two) = found[first], found[second]
        is_template = len(values[first] | values[second]) > 2 or of_pages[uri, other] >= MANY
        if not is_template and second not in reported:
            reported.add(second)
            what = f"`{here.text}` here, but `{there.text}` in {uri}:{one.line}; correct one, or say why they differ"
            yield Problem(other, two.line, "K032", what)


def _contradiction(one: NumericStatement, two: NumericStatement) -> tuple[Value, Value] | None:
    """Return the first values that differ, if the statements are about one point."""
    if one.context != two.context:
        return None
    if one.option and one.option == two.option and len(one.values) == len(two.values) == 1:
        pairs = [(one.values[0], two.values[0])]
    else:
        pairs = _aligned(one, two)
    different = [(a, b) for a, b in pairs if a.low > b.high or b.low > a.high]
    if any(not a.kind or a.kind != b.kind or (a.kind == "version" and len(different) > 1) for a, b in different):
        return None
    return different[0] if different else None


def _aligned(one: NumericStatement, two: NumericStatement) -> list[tuple[Value, Value]]:
    """Return the values at the same places of two statements; none if their words differ by more than a remark."""
    terms = [set(each.words) - FUNCTION_WORDS - {"#"} for each in (one, two)]
    common = len(terms[0] & terms[1])
    if common < MIN_TERMS or common < MIN_SHARE * max(map(len, terms)):
        return []
    pairs: list[tuple[Value, Value]] = []
    for kind, a, b, c, d in SequenceMatcher(None, one.words, two.words, autojunk=False).get_opcodes():
        if kind == "equal":
            first, second = one.words[:a].count("#"), two.words[:c].count("#")
            n = one.words[a:b].count("#")
            pairs += zip(one.values[first : first + n], two.values[second : second + n], strict=True)
            continue
        old, new = set(one.words[a:b]), set(two.words[c:d])
        if (old - FUNCTION_WORDS and new - FUNCTION_WORDS) or _SCOPE & (old | new):
            return []
    return pairs
