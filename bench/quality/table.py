"""The rows of the table of error rates, and their confidence intervals."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

_RESAMPLES = 2_000
_Z = 1.96
"""Of a normal distribution, 95 % lie within so many standard deviations."""


@dataclass(frozen=True)
class Figure:
    """A measured share or mean with its 95 % confidence interval."""

    value: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        """As it stands in the table."""
        return f"{self.value:.3f} ({self.low:.3f}–{self.high:.3f}), n = {self.n}" if self.n else "–, n = 0"


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    name: str
    """As `--rows` names it."""
    needs: str
    """The set that it is measured on, as the command line names its folder."""
    what: str
    wanted: tuple[str, float] | None = None
    """``≥`` or ``≤``, and the limit; ``None`` for a figure that is only reported."""
    published: str = "–"

    def is_met(self, figure: Figure) -> bool:
        """Return whether the measured value is within the limit."""
        if self.wanted is None:
            return True
        sign, limit = self.wanted
        return bool(figure.n) and (figure.value >= limit if sign == "≥" else figure.value <= limit)


_RS = "rs-trafilatura {} (all of dev)"
ROWS = (
    Row("text-documentation", "wcxb", "main text of documentation, token F1", ("≥", 0.932), _RS.format(0.932)),
    Row("text-forum", "wcxb", "main text of forum pages, token F1", ("≥", 0.8), _RS.format(0.808)),
    Row("text-article", "wcxb", "main text of articles, token F1", ("≥", 0.932), _RS.format(0.932)),
    Row("text-service", "wcxb", "main text of service pages, token F1", published=_RS.format(0.844)),
    Row("text-listing", "wcxb", "main text of listings, token F1", published="MinerU-HTML 0.710 (all of dev)"),
    Row("text-collection", "wcxb", "main text of collections, token F1", published=_RS.format(0.716)),
    Row("text-product", "wcxb", "main text of product pages, token F1", published=_RS.format(0.641)),
    Row("title", "wcxb", "title is the page's", ("≥", 0.85)),
    Row("date-differs", "wcxb", "the set's date is not our date of publication, where both name one"),
    Row("date-neither", "wcxb", "and not our date of the last update either", ("≤", 0.08)),
    Row("date-found", "wcxb", "date of publication found, where the page has one"),
    Row("claims-found", "reports", "claims of reports that the audit finds", ("≥", 0.95)),
    Row("claims-right", "reports", "what the audit takes for a claim that is one"),
    Row("claims-supported", "reports", "claims that the audit calls supported that are", ("≥", 0.9)),
    Row("answers", "clapnq", "answerable questions answered", ("≥", 0.7)),
    Row("abstains", "clapnq", "unanswerable questions called unanswered", ("≥", 0.7)),
)


def share(outcomes: Sequence[bool]) -> Figure:
    """Return the share of true outcomes, with Wilson's interval."""
    n, p = len(outcomes), sum(outcomes) / max(1, len(outcomes))
    if not n:
        return Figure(0.0, 0.0, 1.0, 0)
    middle, around = p + _Z**2 / (2 * n), _Z * math.sqrt(p * (1 - p) / n + _Z**2 / (4 * n**2))
    whole = 1 + _Z**2 / n
    return Figure(p, max(0.0, (middle - around) / whole), min(1.0, (middle + around) / whole), n)


def mean(values: Sequence[float]) -> Figure:
    """Return the mean, with a bootstrap interval; the same values give the same interval."""
    n = len(values)
    if not n:
        return Figure(0.0, 0.0, 1.0, 0)
    dice = random.Random(n)  # noqa: S311 - the same resamples each time
    means = sorted(math.fsum(dice.choices(values, k=n)) / n for _ in range(_RESAMPLES))
    return Figure(math.fsum(values) / n, means[round(0.025 * _RESAMPLES)], means[round(0.975 * _RESAMPLES)], n)


def line(row: Row, figure: Figure | None) -> str:
    """Return a row as a line of a Markdown table."""
    wanted = "–" if row.wanted is None else f"{row.wanted[0]} {row.wanted[1]:g}"
    met = "" if figure is None or row.wanted is None or row.is_met(figure) else " (not met)"
    return f"| {row.what} | {row.needs} | {figure or 'not measured'} | {row.published} | {wanted}{met} |"


HEAD = "| What | Set | Measured (95 % interval) | Published | Wanted |\n| --- | --- | --- | --- | --- |"
