"""Cards of error messages for readers' search.

A pasted message finds its card: what it means, what to do, on which versions, when its page was
checked. ``assets/planbook/search.js`` reads the messages, and the cards of the pages that it found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from planbook.model import Message, Page
from planbook.views import checks, statements
from planbook.views.template import reader_day

VERSIONS = "versions"
"""The key of the front matter that says what a page was tried on: for all of its tables, or for
each by its id."""


_ADVICE_HEADING = re.compile(r"\b(?:do|fix|remedy|action|cure|solution)\b", re.IGNORECASE)
"""In the heading of a column that says what to do: it comes first."""


@dataclass(frozen=True, slots=True)
class PageCards:
    """The messages of one page."""

    url: str
    title: str
    dated: str
    """The day of its last check, else that on which it was written; empty if nothing says so."""
    versions: Mapping[str, str]
    """The versions of each table, by its id; those of the key ``""`` are for all others."""
    messages: tuple[Message, ...]

    def rows(self) -> list[list[object]]:
        """Return the card of each message, which leads to its row, as the search reads it."""
        return [
            [m.row, m.cell, m.meaning, _sort_advice(m.advice), self._versions_of(m)]
            for m in self.messages
        ]

    def _versions_of(self, message: Message) -> str:
        return self.versions.get(message.anchor[1:], self.versions.get("", ""))


def page_cards(
    pages: Sequence[Page], checked: Mapping[str, checks.PageCheck], url_of: Callable[[str], str]
) -> tuple[PageCards, ...]:
    """Return the cards of the pages that explain messages."""
    return tuple(
        PageCards(
            url_of(page.uri),
            page.title,
            _day_of_card(page, checked.get(page.uri)),
            _versions(page.meta_value(VERSIONS)),
            page.messages,
        )
        for page in pages
        if page.messages
    )


def card_files(cards: Sequence[PageCards]) -> Iterator[tuple[str, object]]:
    """Yield the name and the data of each file of cards, and of the list of messages."""
    for n, page in enumerate(cards):
        yield f"cards/{n}", [page.url, page.title, page.dated, page.rows()]
    if cards:
        yield "messages", [[message.text for message in page.messages] for page in cards]


_ELSEWHERE_ADVICE = re.compile(r"(?:see )?(?:above|below)\.?", re.IGNORECASE)
"""Advice that says only where else on the page to look: a card leads there in any case."""


def _sort_advice(advice: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    useful = [(title, text) for title, text in advice if not _ELSEWHERE_ADVICE.fullmatch(text)]
    return sorted(useful, key=lambda cell: not _ADVICE_HEADING.search(cell[0]))


def _day_of_card(page: Page, check: checks.PageCheck | None) -> str:
    if check is not None and check.day:
        return f"Sources checked {reader_day(check.day)}"
    day = statements.generated_day(page) or statements.day_of(page.meta_value("created"))
    return f"Written {reader_day(day)}" if day else ""


def _versions(versions: object) -> dict[str, str]:
    if isinstance(versions, str):
        return {"": " ".join(versions.split())}
    if isinstance(versions, Mapping):
        return {str(key): " ".join(str(value).split()) for key, value in versions.items()}
    return {}
