"""The variables of CSL by the kind of their values, and the types of works.

Source: https://docs.citationstyles.org/en/stable/specification.html#appendix-iv-variables
"""

from __future__ import annotations

import re

from planbook.citations.pins import CUSTOM
from planbook.markdown.words import closest

TYPES = frozenset(
    re.findall(
        r"\S+",
        "article article-journal article-magazine article-newspaper bill book broadcast chapter "
        "classic collection dataset document entry entry-dictionary entry-encyclopedia event "
        "figure graphic hearing interview legal_case legislation manuscript map motion_picture "
        "musical_score pamphlet paper-conference patent performance periodical "
        "personal_communication post post-weblog regulation report review review-book software "
        "song speech standard thesis treaty webpage",
    )
)
"""The types of CSL."""
DATES = ("accessed", "issued", "original-date", "event-date", "available-date", "submitted")
"""The date variables of CSL."""
NAMES = frozenset(
    re.findall(
        r"\S+",
        "author editor translator container-author collection-editor composer contributor "
        "director editorial-director illustrator interviewer original-author recipient "
        "reviewed-author curator editor-translator guest host narrator organizer performer "
        "producer compiler chair executive-producer script-writer series-creator",
    )
)
"""The name variables of CSL."""
NUMBERS = frozenset(
    re.findall(
        r"\S+",
        "chapter-number citation-number collection-number edition first-reference-note-number "
        "issue locator number number-of-pages number-of-volumes page page-first part-number "
        "printing-number section supplement-number version volume ISBN ISSN PMID PMCID "
        "call-number archive_location archive-place year-suffix",
    )
)
"""Variables that may be a number or a text."""
TEXTS = frozenset(
    re.findall(
        r"\S+",
        "abstract annote archive archive_collection authority citation-key citation-label "
        "collection-title container-title container-title-short dimensions division DOI event "
        "event-title event-place genre jurisdiction keyword language license medium note "
        "original-publisher original-publisher-place original-title part-title publisher "
        "publisher-place references reviewed-genre reviewed-title scale source status title "
        "title-short type URL volume-title volume-title-short journalAbbreviation shortTitle",
    )
)
"""Variables that are a text."""
KNOWN_VARIABLES = frozenset({"id", "custom", *CUSTOM, *DATES, *NAMES, *NUMBERS, *TEXTS})
_ALIASES = {
    "link": "URL",
    "address": "URL",
    "href": "URL",
    "date": "issued",
    "year": "issued",
    "published": "issued",
    "authors": "author",
    "by": "author",
    "editors": "editor",
    "journal": "container-title",
    "pages": "page",
    "access-date": "accessed",
    "retrieved": "accessed",
    "quote": "quotes",
    "name": "title",
    "site": "publisher",
}
"""Names that people write for a field of CSL."""
_KNOWN_BY_LOWER = {known.lower(): known for known in KNOWN_VARIABLES}


def find_variable_meant(name: str) -> str:
    """Return the variable of CSL, or the field of ours, that an unknown name may mean.

    Empty if it is like none: programs may add fields of their own.
    """
    lower = name.lower()
    for variable in (_KNOWN_BY_LOWER.get(lower.replace("_", "-")), _ALIASES.get(lower)):
        if variable:
            return variable
    return closest(name, KNOWN_VARIABLES, 0.8)
