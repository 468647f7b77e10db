"""Figures of a claim that a sentence of its source has otherwise. Pure.

A figure is changed if a sentence of the source says the same around another number of the same
kind. What could be rounded, added up, or counted otherwise is left out.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, permutations, product
from typing import NamedTuple

from planbook.citations.quotes import words
from planbook.markdown.words import FUNCTION_WORDS, sentence_spans, stem
from planbook.research.audit.comparison.wording_gaps import may_be_same
from planbook.research.proof.quantities import Quantity, QuantityIndex, read_quantities

_SAME = 0.6
"""Share of the claim's words in a sentence that says the same."""
_ALIKE = 0.85
"""Share of the words of both from which a sentence says the same and nothing else."""
_FEWEST = 6
"""Words of a claim from which such a sentence counts though the source has the figure elsewhere."""
_NEAR, _NEAR_SHARE = 6, 0.7
"""Words on each side of a figure, and the share of them that stand around the other one."""
_MANY = 3
"""Figures of a claim from which a sentence says the same only if it has one of them."""
_FEWEST_NEAR = 3
"""Words of a sentence with several figures, at least."""
_WIDER = 2
"""Words by which the surroundings in the source may be wider."""
_BEFORE = 24
"""Characters before a figure in which a word says that it is rounded."""
_ROUNDED = re.compile(
    r"(?:~|\u2248|\b(?:about|around|approximately|approx\.?|roughly|nearly|almost|some|over|under|"
    r"more than|less than|at least|up to|above|below|or so))\s?[$\u20ac\u00a3]?$",
    re.IGNORECASE,
)
_ABOUT = Fraction(2, 5)
"""The same where the claim says that its figure is rounded."""
_NUMBERED = re.compile(r"(?<![\w$])[^\W\d_]+-?\d[\w.]*")
_COMPARED = re.compile(
    r"\b(?:than|twice|doubl\w+|tripl\w+|quadrupl\w+|versus|vs|compared|\d+(?:x|\u00d7))\b", re.I
)
"""A sentence about two things: a number in it may be that of the other one."""
_MOST_SUBTRACTED = 12
"""Figures of a sentence among which two differ by a value by chance."""
_UNIT_OF_RATE = {"sec": "s", "second": "s", "min": "minute", "h": "hour", "hr": "hour"}
"""Other names of a rate's unit."""
_YEAR_ALONE = re.compile(r"(?:19|20)\d\d")
_RANGE = re.compile(r"\d\s?[-\u2013]\s?\d[\d.,]*\s?(?:[%x\u00d7]|[A-Za-z])")
"""Two bounds with a unit: another unit of the same number may be that of something else."""
_EXACT = 100
"""A rate is the same if it differs by less than this part of it."""
_DECADE = re.compile(r"(?:\d\d)?\d0s")
"""Years that a source may also call the 70s."""
_OPEN_COUNT = 1_000
"""Number from which a plus sign means a count that grows: ``51k+ stars``."""
PLACE_BEFORE = (
    r"(?:(?i:\b(?:pp?|ss?|secs?|sections?|chs?|chapters?|pages?|slides?|figs?|figures?|tables?"
    r"|lines?|rows?|nos?|vols?|lectures?|eqs?)\b\.?)[ \u00a0]?|[#§] ?)"
)
"""The text before the number of a page, slide or section: where it is said, and no figure."""
_NAME_BEFORE = re.compile(rf"(?:\b[A-Z][\w.]*[ \u00a0-]|{PLACE_BEFORE})$")
"""The name that a number without a unit belongs to: ``RTX 4060``, ``Table 3``, ``s. 14``."""
_NAMED = re.compile(r"(?<![\w$])([A-Z][\w.]*)[ \u00a0-](\d+(?:\.\d+)?)(?![\w,%+]|\.\d|\s?%)")
"""A name with a number behind it, which tells it from others: ``RTX 4060``, ``Opus 4.5``."""
_CAPITALIZED = re.compile(r"(?<![\w.])[A-Z]\w+")
_PER = re.compile(r"\s?(?:/|\bper\s|\ban?\s|\beach\s|每)\s?(?P<of>[^\W\d_]+)")
"""The behind part of a rate: ``936 GB/s``, ``$4 per hour``."""
_ROUNDING = Fraction(1, 20)
"""Relative difference up to which one figure may be the other one, rounded."""
_ORDER = 10
"""Ratio from which a number with a suffix, and one without, measure other things."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_LIST_MARK = re.compile(r"\s*(?:[-*+>#|]|\d{1,3}[.)]\s)")
_LONG_LINE = 60
"""Words of a paragraph without a full stop from which its lines are read one by one."""
_FEW_LINES = 3
"""Lines of a citation that may hold one version, and nothing else."""
_FEWEST_CELLS = 2
"""Cells of a row that are compared; the first of two has two words."""
_VERSION = re.compile(r"(?<![\w.])v?\d+\.\d+\.\d+(?![\w.]*\d)")


@dataclass(frozen=True, slots=True)
class ChangedFigure:
    """A figure of a claim, and those that its source has instead."""

    here: str
    there: tuple[str, ...]


_UNIT_CLASSES = {
    "percent": "% percent",
    "times": "x \u00d7",
    "thousands": "k K",
    "millions": "M million",
    "billions": "B billion",
    "seconds": "second seconds",
    "minutes": "minute minutes",
    "hours": "hour hours",
    "days": "day days",
    "weeks": "week weeks",
    "months": "month months",
    "years": "year years",
    "MB": "MB",
    "GB": "GB",
    "TB": "TB",
}
_UNITS = {form: unit for unit, forms in _UNIT_CLASSES.items() for form in forms.split()}
_WITH_UNIT = re.compile(
    r"(?<![\w.,])(?:(?P<sign>[$\u20ac\u00a3])?(?P<from>\d+(?:[.,]\d+)*)[-\u2013])?"
    r"(?P<currency>[$\u20ac\u00a3])?(?P<number>\d+(?:[.,]\d+)*)"
    r"[ \u00a0-]?(?P<unit>%|\u00d7|[A-Za-z]+)(?![\w%])"
)
_UNIT_WORDS = frozenset(stem(word) for word in _UNITS if len(word) > 1)
_FEWEST_OF_UNIT = 2
"""Words of a claim beside a figure whose unit is compared, at least."""
_SAME_OF_UNIT = 0.75
"""Share of these words in the sentence that has the figure with another unit."""


_Kind = tuple[str, str]
"""The dimension of a figure's unit, and its currency."""


class _Measure(NamedTuple):
    """A number with a unit."""

    number: str
    kind: str
    """The kind of the unit, whichever of its names is written."""
    written: str
    """Number and unit, as they are written."""


def _measures_in(text: str) -> Iterator[_Measure]:
    """Yield the numbers of a text that have a unit."""
    for match in _WITH_UNIT.finditer(text):
        unit = match["unit"]
        is_money = bool(match["currency"] or match["sign"])
        kind = "millions" if unit == "m" and is_money else _UNITS.get(unit, "")
        if kind:
            number = match["number"].replace(",", "")
            unit_as_written = text[match.end("number") : match.end()]
            yield _Measure(number, kind, match["number"] + unit_as_written)


class Statements:
    """The sentences, list items and rows of a source that have a figure."""

    def __init__(self, text: str) -> None:
        self._statements = [
            _Statement(statement) for statement in _split(text) if re.search(r"\d", statement)
        ]
        self._lines = text.split("\n")
        self.lines = len(self._lines)
        self.versions = tuple(dict.fromkeys(_VERSION.findall(text)))

    def find_changed(self, claim: str, absent: Sequence[str]) -> ChangedFigure | None:
        """Return a figure of a claim that is otherwise in a sentence that says the same.

        Args:
            claim: the sentence.
            absent: its figures, as written, that are nowhere in the source.
        """
        own = _Statement(claim)
        lacking = frozenset(figure for figure in own.figures if figure.written in absent)
        best: tuple[float, ChangedFigure] | None = None
        for other in self._statements:
            # A sentence without the names of the claim is about another thing.
            if _share(own.words, other.words) < _SAME or not own.names <= other.words:
                continue
            # The figures of a row are told apart by its head alone.
            if "|" in claim and not _have_one_figure(own, other):
                continue
            for score, changed in self._changes_in(other, own, lacking):
                if best is None or score > best[0]:
                    best = (score, changed)
        return best[1] if best else None

    def _changes_in(
        self, other: _Statement, own: _Statement, lacking: frozenset[_Figure]
    ) -> Iterator[tuple[float, ChangedFigure]]:
        """Yield the figures of a claim that another sentence has otherwise, with their scores.

        A sentence that has not all figures otherwise that the source lacks is about another thing.
        """
        of_text = QuantityIndex(own.text)
        is_alike = _is_alike(own, other)
        for figure in own.figures:
            is_other_day = _is_year(figure.quantity) and not is_alike
            is_sure = figure in lacking or (is_alike and self._is_only_here(figure))
            if is_other_day or not is_sure:
                continue
            score, in_its_place = _figures_in_place_of(figure, other, own, of_text)
            if in_its_place and all(
                _figures_in_place_of(missing, other, own, of_text)[1]
                for missing in lacking - {figure}
            ):
                yield score, ChangedFigure(figure.written, in_its_place)

    def has_difference(self, claim: str, value: float, tolerance: float) -> bool:
        """Return whether two figures of a sentence on the same things differ by a value.

        It may be their difference, or its percentage.
        """
        own = _Statement(claim)
        names = _names_with_digits(claim)
        for other in self._statements:
            is_about = len(own.words & other.words) > 1 or bool(
                names & _names_with_digits(other.text)
            )
            figures = [
                abs(float(figure.quantity.text))
                for figure in other.figures
                if figure.quantity.text.count(".") <= 1
            ]
            if not is_about or len(figures) > _MOST_SUBTRACTED:
                continue
            for small, large in combinations(sorted(set(figures)), 2):
                changes = [large - small]
                if small:
                    changes += [100 * (large - small) / small, 100 * (large - small) / large]
                if any(abs(change - value) <= tolerance for change in changes):
                    return True
        return False

    def has_rate(self, written: str, claim: str) -> bool:
        """Return whether a figure follows from another one of its claim by a rate of the source.

        ``$300 | 12 h`` is the rate of *$100 for 4 h*. The other figure has another unit than it,
        and the same one in both.
        """
        own = _Statement(claim)
        figures = [figure for figure in own.figures if figure.written == written]
        others = [other for other in own.figures if other.sign or other.quantity.dimension]
        for figure, other in product(figures, others):
            rate = _ratio(figure.quantity, other.quantity)
            if rate is not None and figure.kind != other.kind:
                in_source = self._rates.get((figure.kind, other.kind), ())
                if any(abs(ratio - rate) * _EXACT <= rate for ratio in in_source):
                    return True
        return False

    @cached_property
    def _rates(self) -> dict[tuple[_Kind, _Kind], list[Fraction]]:
        """The ratios of two figures of other kinds in each sentence, by these kinds."""
        rates: dict[tuple[_Kind, _Kind], list[Fraction]] = defaultdict(list)
        for statement in self._statements:
            is_long = len(statement.figures) > _MOST_SUBTRACTED
            for above, below in permutations(() if is_long else statement.figures, 2):
                ratio = _ratio(above.quantity, below.quantity)
                if ratio is not None and above.kind != below.kind:
                    rates[above.kind, below.kind].append(ratio)
        return rates

    def units_of(self, number: str) -> frozenset[str]:
        """Return the kinds of units that a number has in the text."""
        return frozenset(measure.kind for measure in self._measures if measure.number == number)

    def find_changed_unit(self, claim: str) -> ChangedFigure | None:
        """Return a figure of a claim that a sentence with the same words has with another unit."""
        measures = list(_measures_in(claim))
        kinds = {measure.kind for measure in measures}
        statement = _Statement(claim)
        own = statement.words - _UNIT_WORDS
        if not measures or len(own) < _FEWEST_OF_UNIT or _RANGE.search(claim):
            return None
        for other in self._statements:
            is_same = _share(own, other.words) >= _SAME_OF_UNIT and statement.names <= other.words
            if not is_same or _is_of_another(claim, other.text) or _RANGE.search(other.text):
                continue
            in_other = list(_measures_in(other.text))
            for number, kind, written in measures:
                others = [measure for measure in in_other if measure.number == number]
                is_own = any(measure.kind in kinds for measure in others)
                if len(others) == 1 and not is_own and kind not in self.units_of(number):
                    return ChangedFigure(written, (others[0].written,))
        return None

    @cached_property
    def _measures(self) -> tuple[_Measure, ...]:
        return tuple(measure for other in self._statements for measure in _measures_in(other.text))

    def has_row(self, claim: str, absent: Sequence[str]) -> bool:
        """Return whether a row or sentence has all of a claim but its absent figures.

        These are its words, and other figures of it: what is absent should be there, too.
        """
        own = _Statement(claim)
        others = [figure for figure in own.figures if figure.written not in absent]
        return bool(others and own.words) and any(
            own.words <= other.words
            and all(QuantityIndex(other.text).has(figure.quantity) for figure in others)
            for other in self._statements
        )

    def find_changed_cell(self, row: str) -> ChangedFigure | None:
        """Return the figure of a row that is otherwise in the row with the same other cells.

        A source that has the row as it is, or two such rows, has none.
        """
        own = _cells_of(row)
        if len(own) < _FEWEST_CELLS:
            return None
        changes = [_changed_cell(own, other) for other in self._rows if other[0] == own[0]]
        clear = [change for change in changes if change]
        is_there = any(own == other[: len(own)] for other in self._rows)
        return clear[0] if len(clear) == 1 and not is_there else None

    def has_cells(self, row: str) -> bool:
        """Return whether a row has all cells of another one, with their signs, side by side."""
        own = _signed_cells(row)
        return any(
            own == other[at : at + len(own)]
            for other in self._signed_rows
            for at in range(len(other) - len(own) + 1)
        )

    @cached_property
    def _signed_rows(self) -> tuple[tuple[str, ...], ...]:
        rows = (line.strip().strip("|") for line in self._lines if line.count("|") > 1)
        return tuple(map(_signed_cells, rows))

    @cached_property
    def _rows(self) -> tuple[tuple[str, ...], ...]:
        rows = (_cells_of(line.strip().strip("|")) for line in self._lines if line.count("|") > 1)
        return tuple(row for row in rows if row)

    def _is_only_here(self, figure: _Figure) -> bool:
        """Return whether no sentence of the source has the figure among similar words."""
        return not any(
            QuantityIndex(other.text).has(figure.quantity) and figure.near & other.words
            for other in self._statements
        )


def _cells_of(row: str) -> tuple[str, ...]:
    """Return the words of the cells of a row, without marks and case."""
    return tuple(" ".join(words(cell).casefold().split()) for cell in row.split("|"))


def _signed_cells(row: str) -> tuple[str, ...]:
    """Return the cells of a row with their signs, without emphasis and case."""
    cells = (re.sub(r"[*_`\ufe0f]", "", cell) for cell in row.split("|"))
    return tuple(" ".join(cell.casefold().split()) for cell in cells)


def _changed_cell(own: Sequence[str], other: Sequence[str]) -> ChangedFigure | None:
    """Return the figure by which two rows with the same first cell differ; none if in more.

    A cell of the other one may say more: ``GraphRAG (+23.33)``.
    """
    if len(other) < len(own):
        return None
    pairs = list(zip(own, other, strict=False))
    differing = [(cell, other_cell) for cell, other_cell in pairs if cell != other_cell]
    changed = [pair for pair in differing if not pair[1].startswith(pair[0])]
    is_long = len(own) > _FEWEST_CELLS or len(_WORD.findall(own[0])) > 1
    if len(changed) != 1 or not is_long or not _WORD.search(own[0]):
        return None
    cell, other_cell = changed[0]
    pair = _other_quantity(cell, other_cell)
    has_other_columns = len(other) != len(own) and len(own) <= _FEWEST_CELLS + 1
    if pair is None or has_other_columns or QuantityIndex(" ; ".join(other)).has(pair[0]):
        return None
    figure, other_figure = (quantity.written for quantity in pair)
    rest = cell.replace(figure, "", 1).strip()
    other_rest = other_cell.replace(other_figure, "", 1).strip()
    is_same_else = rest == other_rest or not (rest and other_rest)
    return ChangedFigure(figure, (other_figure,)) if is_same_else else None


def _other_quantity(cell: str, other_cell: str) -> tuple[Quantity, Quantity] | None:
    """Return the figures by which two cells with as many figures differ, if it is but one."""
    figures, other_figures = (list(read_quantities(text)) for text in (cell, other_cell))
    if len(figures) != len(other_figures):
        return None
    pairs = zip(figures, other_figures, strict=True)
    differing = [(some, other) for some, other in pairs if some.written != other.written]
    if len(differing) != 1:
        return None
    some, other = differing[0]
    return None if may_be_same(some.written, other.written) else (some, other)


def _is_alike(own: _Statement, other: _Statement) -> bool:
    """Return whether two sentences differ in their figures alone; rows are short."""
    share = min(_share(own.words, other.words), _share(other.words, own.words))
    are_rows = _have_one_figure(own, other) and len(own.words) > 1
    return share == 1 if are_rows else len(own.words) >= _FEWEST and share >= _ALIKE


def _have_one_figure(own: _Statement, other: _Statement) -> bool:
    return len(own.figures) == len(other.figures) == 1


def find_changed_version(claim: str, cited: Statements) -> ChangedFigure | None:
    """Return the version of a claim if the few lines that it cites have one, and another one."""
    own = tuple(dict.fromkeys(_VERSION.findall(claim)))
    is_clear = len(own) == 1 and len(cited.versions) == 1 and cited.lines <= _FEW_LINES
    if not is_clear or own[0].lstrip("v") == cited.versions[0].lstrip("v"):
        return None
    return ChangedFigure(own[0], cited.versions)


@dataclass(frozen=True, slots=True)
class _Figure:
    """A number in a sentence."""

    quantity: Quantity
    near: frozenset[str]
    """Stems of the words around it."""
    wider: frozenset[str]
    before: str
    after: str
    """Stems of the words next to it; empty if there is none."""
    sign: str
    """The sign of a currency before it; else empty."""
    is_rounded: bool
    is_of_name: bool
    per: str = ""
    """The unit that a rate is for: ``s`` of *936 GB/s*."""

    @property
    def kind(self) -> _Kind:
        """The dimension of its unit, and its currency."""
        return self.quantity.dimension, self.sign

    @property
    def written(self) -> str:
        """The number and its unit as the text has them."""
        return self.quantity.written


class _Statement:
    """A sentence with its words and figures."""

    def __init__(self, text: str) -> None:
        self.text = text
        spans = [(match.start(), match[0].casefold()) for match in _WORD.finditer(text)]
        telling = [(at, stem(word)) for at, word in spans if word not in FUNCTION_WORDS]
        self.words = frozenset(word for _, word in telling)
        self.names = frozenset(_names_of(text))
        """Stems of its names: a sentence without them may be about another thing."""
        self.figures = tuple(_figures_of(text, telling))


def _names_of(text: str) -> Iterator[str]:
    """Yield the stems of the capitalized words; in a sentence, not that of the first one."""
    is_row = "|" in text
    for match in _CAPITALIZED.finditer(text):
        before = text[: match.start()].rstrip(" \"'*_(\u201c")
        begins = not before or before[-1] in ".!?:;\u2014"
        word = match[0].casefold()
        if (is_row or not begins) and word not in FUNCTION_WORDS and word.isalpha():
            yield stem(word)


def _figures_of(text: str, telling: Sequence[tuple[int, str]]) -> Iterator[_Figure]:
    end = 0
    for quantity in read_quantities(text):
        start = text.find(quantity.written, end)
        if start < 0:
            continue
        end = start + len(quantity.written)
        before = [word for at, word in telling if at < start]
        after = [word for at, word in telling if at >= end]
        wider = _NEAR + _WIDER
        sign = text[start - 1 : start]
        lead = text[max(0, start - _BEFORE) : start]
        is_growing = text[end : end + 1] == "+" and (quantity.value or 0) >= _OPEN_COUNT
        is_whole = quantity.text.isdigit() or text[end : end + 1] != "+"
        is_bare = not quantity.dimension and is_whole
        per = _PER.match(text, end)
        yield _Figure(
            quantity,
            near=frozenset((*before[-_NEAR:], *after[:_NEAR])),
            wider=frozenset((*before[-wider:], *after[:wider])),
            before=before[-1] if before else "",
            after=after[0] if after else "",
            sign=sign if sign in "$\u20ac\u00a3" else "",
            is_rounded=is_growing or _ROUNDED.search(lead) is not None,
            is_of_name=is_bare and _NAME_BEFORE.search(lead) is not None,
            per=_UNIT_OF_RATE.get(per["of"], per["of"]) if per else "",
        )


def _figures_in_place_of(
    figure: _Figure, other: _Statement, own: _Statement, of_text: QuantityIndex
) -> tuple[float, tuple[str, ...]]:
    """Return the figures of a sentence that stand in the place of one of the claim.

    The first value says how much of their surroundings is the same. ``3 to 10M`` has 3 million.
    """
    in_other = QuantityIndex(other.text)
    digits = figure.quantity.unscaled
    is_scaled = digits != figure.quantity.text
    may_be_scaled = is_scaled and digits in {
        other_figure.quantity.text for other_figure in other.figures
    }
    if (
        _is_of_another(own.text, other.text)
        or _is_other_row(own, in_other)
        or may_be_scaled
        or in_other.has(figure.quantity)
        or in_other.has_result(figure.quantity, of_text)
    ):
        return 0.0, ()
    others = []
    most = 0.0
    for candidate in other.figures:
        score = _share(figure.near, candidate.wider)
        is_beside = figure.before == candidate.before or figure.after == candidate.after
        is_same_place = is_beside and score >= _NEAR_SHARE and len(figure.near) > 1
        is_own = of_text.has(candidate.quantity)
        is_short = len(own.words) < _FEWEST_NEAR
        is_clear = not is_short or len(own.figures) == len(other.figures) == 1
        if is_same_place and is_clear and not is_own and _is_of_same_kind(figure, candidate):
            others.append(candidate.written)
            most = max(most, score)
    return most, _only_one(others)


def _only_one(figures: Sequence[str]) -> tuple[str, ...]:
    """Return the only figure; none if there are several, of which nobody can tell."""
    different = tuple(dict.fromkeys(figures))
    return different if len(different) == 1 else ()


def _is_other_row(own: _Statement, in_other: QuantityIndex) -> bool:
    """Return whether a claim has many figures, and a sentence none of them."""
    is_long = len(own.figures) >= _MANY
    return is_long and not any(in_other.has(figure.quantity) for figure in own.figures)


def _is_of_another(claim: str, other: str) -> bool:
    """Return whether a sentence is about another thing, or also: it compares two of them."""
    names_here, names_there = _names_with_digits(claim), _names_with_digits(other)
    numbered = {match.groups() for match in _NAMED.finditer(claim)}
    if any(not _has_numbered(other, *name) for name in numbered):
        return True
    is_compared = _COMPARED.search(other) and not _COMPARED.search(claim)
    return not names_here <= names_there or bool((names_here or numbered) and is_compared)


def _names_with_digits(text: str) -> frozenset[str]:
    """Return names such as ``K2.5`` or ``GPT-4``: a sentence on another one says something else."""
    return frozenset(name.casefold().rstrip(".") for name in _NUMBERED.findall(text))


def _has_numbered(text: str, name: str, number: str) -> bool:
    """Return whether a text has a name with its number, as in ``RTX 4060`` and ``4060``.

    A year behind a word is none: *In 2024*.
    """
    is_date = name.casefold() in FUNCTION_WORDS or _YEAR_ALONE.fullmatch(number)
    return (
        bool(is_date) or re.search(rf"(?<![\d.]){re.escape(number)}(?![\d.]*\d)", text) is not None
    )


def _is_of_same_kind(figure: _Figure, other: _Figure) -> bool:
    """Return whether two numbers measure the same, and neither may be the other one, rounded."""
    ours, theirs = figure.quantity, other.quantity
    is_named = figure.is_of_name or other.is_of_name or _DECADE.fullmatch(ours.written)
    is_other_unit = ours.dimension != theirs.dimension or figure.per != other.per
    if is_named or is_other_unit or figure.sign != other.sign:
        return False
    if _is_scaled(ours) != _is_scaled(theirs) and not _is_near(ours, theirs):
        return False  # 675M parameters, and a score of 2.27
    if ours.is_spelled or theirs.is_spelled or _is_year(ours) != _is_year(theirs):
        return False
    if ours.value is None or theirs.value is None:
        return ours.value is theirs.value
    return _is_other_value(ours, theirs, ours.value, theirs.value, is_about=figure.is_rounded)


def _ratio(some: Quantity, other: Quantity) -> Fraction | None:
    """Return the ratio of two numbers; ``None`` of versions, and of those that are not positive."""
    if some.value is None or other.value is None or some.value <= 0 or other.value <= 0:
        return None
    return some.value / other.value


def _is_scaled(quantity: Quantity) -> bool:
    """Return whether a number has a suffix such as ``M``."""
    return quantity.unscaled != quantity.text


def _is_near(ours: Quantity, theirs: Quantity) -> bool:
    """Return whether neither of two numbers is ten times the other, or more."""
    if ours.value is None or theirs.value is None:
        return False
    smaller, larger = sorted((abs(ours.value), abs(theirs.value)))
    return larger < _ORDER * smaller


def _is_other_value(
    ours: Quantity, theirs: Quantity, value: Fraction, other_value: Fraction, *, is_about: bool
) -> bool:
    """Return whether two numbers differ by more than rounding, whatever their signs."""
    difference = abs(abs(value) - abs(other_value))  # "-23%" and "laid off 23%" are the same
    larger = max(abs(value), abs(other_value))
    is_near = bool(larger) and difference <= _ROUNDING * larger
    is_less_precise = len(ours.text.strip("0.")) < len(theirs.text.strip("0."))
    may_be_rounded = is_near and is_less_precise and not _is_year(ours)
    may_be_about = is_about and difference <= _ABOUT * larger
    return difference > 0 and not may_be_rounded and not may_be_about


def _is_year(quantity: Quantity) -> bool:
    return bool(re.fullmatch(r"(?:19|20)\d\d", quantity.text)) and not quantity.dimension


def _share(some: frozenset[str], others: frozenset[str]) -> float:
    """Return the share of some words that are among others."""
    return len(some & others) / len(some) if some else 0.0


def _split(text: str) -> Iterator[str]:
    """Yield the sentences of a text; each list item, heading and row is one or more of its own."""
    block: list[str] = []
    for line in [*text.split("\n"), ""]:
        starts_anew = not line.strip() or _LIST_MARK.match(line)
        if starts_anew:
            yield from _sentences_of(block)
            block = []
        if line.strip():
            block.append(line)
    yield from _sentences_of(block)


def _sentences_of(block: Sequence[str]) -> Iterator[str]:
    text = " ".join(block)
    is_row = text.lstrip().startswith("|")
    visible = words(text) if not is_row else words(text.replace("|", " ; "))
    spans = [(0, len(visible))] if is_row else sentence_spans(visible)
    for start, end in spans:
        sentence = visible[start:end]
        if len(sentence.split()) > _LONG_LINE and len(block) > 1:
            yield from block
            return
        yield sentence
