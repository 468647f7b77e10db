"""Check citations: each names a known work and quote, and each reference is cited (K012, K013)."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Container, Iterable, Iterator, Sequence

from planbook.citations.in_text import QUOTE_KEY, Citation
from planbook.model import Problem, Reference

MAX_HINTS = 20
"""Maximum number of unknown ids for which suggestions are computed: each is compared with all known
ids."""


def check_citations(
    citations: Sequence[Citation],
    references: Sequence[Reference],
    uri: str,
    skipped: int = 0,
    *,
    renamed: Container[str] = (),
) -> tuple[Problem, ...]:
    """Return K012 for each unknown id or quote, and K013 for each reference that is never cited.

    `skipped` is the number of lines above the text, in the front matter. The ids in `renamed`
    cannot be cited. A page without citations has no K013.
    """
    by_id = {reference.id: dict(reference.quotes) for reference in references}
    hints = _hints([c.reference_id for c in citations if c.reference_id not in by_id], by_id)
    of_ids, of_quotes = [], []
    for citation in citations:
        line, name = citation.line + skipped, citation.reference_id
        if name in hints:
            hint = _PASSAGE_ADVICE if _PASSAGE.fullmatch(name) else hints[name]
            defect = f"no reference has the id @{name}{hint}"
            of_ids.append(Problem(uri, line, "K012", defect))
        elif _names_missing_quote(citation, by_id[name]):
            of_quotes.append(Problem(uri, line, "K012", f"@{name} has no quote {citation.locator}"))
    return (*of_ids, *of_quotes, *_never_cited(citations, references, uri, renamed))


def _hints(unknown: Iterable[str], known_ids: Collection[str]) -> dict[str, str]:
    """Return what each unknown id may have been meant as; empty if none is like it."""
    hints = dict.fromkeys(unknown, "")
    for name in list(hints)[:MAX_HINTS]:
        close_ids = difflib.get_close_matches(name, known_ids, n=3, cutoff=0.5)
        if close_ids:
            hints[name] = f"; did you mean {' or '.join(f'@{other}' for other in close_ids)}?"
    return hints


_PASSAGE = re.compile(r".+#\d+(?:-\d+)?")
_PASSAGE_ADVICE = "; if it is a passage of a work, `planbook finish` turns it into quotes"
_NAME = re.compile(r"[a-z][a-z\d_-]*")
"""A key of a quote that is no number; the titles of sections have capitals and blanks."""


def _names_missing_quote(citation: Citation, quotes: Collection[str]) -> bool:
    """Return whether a locator is the key of a quote, as far as its form tells, and no quote's."""
    locator = citation.locator or ""
    if locator in quotes:
        return False
    has_named_quotes = any(not QUOTE_KEY.fullmatch(key) for key in quotes)
    is_name = has_named_quotes and bool(_NAME.fullmatch(locator))
    return is_name or bool(QUOTE_KEY.fullmatch(locator))


def _never_cited(
    citations: Sequence[Citation],
    references: Iterable[Reference],
    uri: str,
    renamed: Container[str],
) -> Iterator[Problem]:
    if not citations:
        return
    cited = {citation.reference_id for citation in citations}
    defect = "is in the references but never cited in the text; cite it or remove it"
    for reference in references:
        is_mentioned = reference.id in cited or bool(reference.lines)
        if not is_mentioned and reference.id not in renamed:
            yield Problem(uri, 1, "K013", f"@{reference.id} {defect}")
