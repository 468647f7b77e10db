"""Figures and names of a claim that its sources have otherwise, or would have. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from planbook.research.audit.claims.cited_claims import CitedClaim
from planbook.research.audit.comparison.absent_figures import (
    MONTH_NAME,
    find_absent_figures,
    find_missing_everywhere,
    find_results,
    has_other_form,
)
from planbook.research.audit.comparison.changed_figures import (
    PLACE_BEFORE,
    ChangedFigure,
    find_changed_version,
)
from planbook.research.audit.comparison.claim_quotes import (
    ALMOST,
    FEWEST_SHARED,
    other_figure_of,
)
from planbook.research.audit.comparison.no_figures import without_no_figures
from planbook.research.audit.comparison.read_source import ReadSource
from planbook.research.proof.phrases import INSTRUCTION
from planbook.research.proof.sentences import MissingWords, find_missing_words, is_identifier


def figures_not_in(
    own_words: str, claim: CitedClaim, texts: Sequence[ReadSource]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the figures of a claim that no text has, and those of them that may be reckoned."""
    missing = find_missing_everywhere(own_words, texts, claim.urls)
    absent = tuple(find_absent_figures(own_words, missing.quantities, texts))
    return absent, tuple(find_results(own_words, missing.quantities, texts))


def find_changed_figure(
    scope: str, absent: Sequence[str], texts: Sequence[ReadSource]
) -> ChangedFigure | None:
    """Return a figure that one of the sources has otherwise, and none of them as the claim has it.

    A number with a unit counts even if the source has its digits: with another unit.
    """
    with_units = [
        figure
        for figure in absent
        if re.search(r"[^\W\d_]", figure) and not has_other_form(figure, texts)
    ]
    sure = (*find_absent_figures(scope, absent, texts), *with_units)
    for text in texts:
        # The text of a PDF has the figures of a table one after the other.
        if text.is_pdf:
            continue
        changed = text.statements.find_changed(scope, sure)
        if changed is None and text.lines and absent:
            changed = find_changed_version(scope, text.statements)
        if changed and not any(
            _has_figure(other, changed.here) for other in texts if other is not text
        ):
            return changed
    return None


def find_changed_unit(scope: str, texts: Sequence[ReadSource]) -> ChangedFigure | None:
    """Return a figure that one of the sources has with another unit, and none with the same."""
    for text in texts:
        if text.is_pdf or "|" in scope:
            continue
        changed = text.statements.find_changed_unit(scope)
        if changed and not any(_has_unit(other, changed.here) for other in texts):
            return changed
    return None


def find_changed_verbatim(claim: CitedClaim, texts: Sequence[ReadSource]) -> ChangedFigure | None:
    """Return the one figure in which a claim differs from a sentence or row of a source."""
    if "|" in claim.text:
        tables = [text.statements for text in texts if not text.is_pdf]
        changes = (statements.find_changed_cell(claim.text) for statements in tables)
        changed_cells = [change for change in changes if change]
        return changed_cells[0] if len(changed_cells) == 1 else None
    near = max((text.nearest(claim.text) for text in texts), key=lambda wording: wording.share)
    changed = other_figure_of(near)
    if changed is None or near.share < ALMOST or near.content < FEWEST_SHARED:
        return None
    figure, in_source = changed
    is_of_name = re.search(
        rf"(?:[A-Z][\w.]*[ \u00a0-]|{PLACE_BEFORE}){re.escape(figure)}", claim.text
    )
    return None if is_of_name else ChangedFigure(figure, (in_source,))


def _has_unit(text: ReadSource, written: str) -> bool:
    return "".join(written.split()) in "".join(text.fetched.text.split())


def _has_figure(text: ReadSource, written: str) -> bool:
    return not find_missing_words(written, text.words).quantities


_DAY_NAMED = re.compile(
    rf"\b(?P<month>{MONTH_NAME})\.?\s(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?![.\d%])"
)
_ANY_DAY = re.compile(
    rf"\b{MONTH_NAME}\.?\s\d{{1,2}}\b|\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}\s{MONTH_NAME}\b"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def find_other_day(text: str, sources: Sequence[ReadSource]) -> str:
    """Return a day of a text that its sources, which have days, do not have; else empty."""
    dated = [
        f"{source.whole or source.fetched.text} {source.place} {source.url}" for source in sources
    ]
    if not any(_ANY_DAY.search(words) for words in dated):
        return ""
    for date in _DAY_NAMED.finditer(text):
        month = _MONTHS.index(date["month"][:3].lower()) + 1
        day = int(date["day"])
        name = rf"{date['month'][:3]}[a-z]{{0,6}}\.?"
        forms = rf"(?i:\b{name}\s0?{day}\b|\b0?{day}(?:st|nd|rd|th)?\s(?:of\s)?{name}\b)"
        forms += rf"|(?<!\d)0?{month}[-./]0?{day}(?!\d)|(?<!\d)0?{day}[-./]0?{month}(?!\d)"
        if not any(re.search(forms, words) for words in dated):
            return date[0]
    return ""


_SURE_NAME = re.compile(r"[A-Za-z_][\w.]{3,}")
_HOST = re.compile(r"[\w-]+\.(?:com|org|net|io|ai|dev|app)")
"""A host, which a claim names for a site: ``openai.com``."""
_SHOUTED = re.compile(r"[A-Z\d]+s?")
"""An abbreviation, which the source may spell out."""
_OF_THING = re.compile(r"[A-Z][a-z\d]*(?:[A-Z][a-z\d]*)+")
"""The name of a product as well as of a class: ``JavaScript``, which a source may call JS."""
_SYMBOL = re.compile(r"[A-Za-z\u03b1-\u03c9]_[a-z]{1,8}")
"""A symbol of a formula, which its source may write otherwise: ``f_inc``."""
_LIBRARY = re.compile(r"(?P<name>[A-Z]\w+)\.(?:js|io|net|py|rs|ai)", re.IGNORECASE)
"""A product that a source may name without the end: ``Node.js``."""


def sure_words(
    claim: CitedClaim, missing: MissingWords, texts: Sequence[ReadSource]
) -> Iterator[str]:
    """Yield the missing words that a source would have if it supported the claim.

    These are figures, and identifiers of which the source has no part after the last dot; one that
    may be a product's name only in code marks. A claim with lines of a file says more than these
    lines, and an instruction names what there is not yet.
    """
    if any(text.lines for text in texts):
        return
    scope = without_no_figures(claim.scope or claim.text)
    yield from find_absent_figures(scope, missing.quantities, texts)
    if INSTRUCTION.search(claim.text):
        return
    identifiers = [name for name in missing.names if is_identifier(name)]
    in_code = {word for span in claim.code for word in re.findall(r"\w+", span)}
    for name in dict.fromkeys((*missing.code, *identifiers)):
        last = _last_own_part(name)
        is_product = _OF_THING.fullmatch(name) and name not in in_code
        may_be_thing = is_product or _HOST.fullmatch(name) or _SYMBOL.fullmatch(name)
        is_sure = (
            name.isascii()
            and _SURE_NAME.fullmatch(name)
            and not _SHOUTED.fullmatch(name)
            and not may_be_thing
        )
        of_library = _LIBRARY.fullmatch(name)
        names = (last, of_library["name"]) if of_library else (last,)
        is_there = any(
            text.words.has_name(part) or text.has_short_form(part)
            for text in texts
            for part in names
        )
        if is_sure and not is_there:
            yield name


def _last_own_part(name: str) -> str:
    """Return the last part of a dotted name; ``Kettle`` of ``Kettle.__call__``."""
    parts = [part for part in name.split(".") if part and not re.fullmatch(r"__\w+__", part)]
    return (parts or [name])[-1].strip("_")
