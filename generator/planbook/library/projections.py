"""Pages as the projections of a Library have them: each kind has what its views read, and no more.

A view names the kind of page that it reads. The page of the whole Library, `model.Page`, is each of
these kinds, so a view gets either the whole Library or the projection made for it. A view that
reads more than its kind of page has does not type-check.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from planbook.model import HasAddress, Message, Page, PageUri

WORDS_A_MINUTE = 230
"""As many words are read in a minute; lists show minutes."""


class NamedPage(Protocol):
    """Any page: what all projections have."""

    @property
    def uri(self) -> PageUri:
        """Its path in the documentation folder."""

    @property
    def title(self) -> str:
        """Its title."""

    @property
    def is_collected(self) -> bool:
        """True if it consists of passages that a program collected: nobody has written it."""


class ListedPage(NamedPage, Protocol):
    """A page as lists show it: with neither texts nor links, and of its works only the number."""

    @property
    def description(self) -> str:
        """One sentence."""

    @property
    def created(self) -> str:
        """The day in its front matter, as written; empty if it has none."""

    @property
    def nav_title(self) -> str:
        """A short title for the navigation; empty if it has none."""

    @property
    def sections(self) -> tuple[str, ...]:
        """The titles of its sections."""

    @property
    def words(self) -> int:
        """Its length, perhaps rounded to whole minutes of reading."""

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages that it explains."""

    @property
    def number_of_works(self) -> int:
        """The number of works that it cites."""


class LinkedPage(NamedPage, Protocol):
    """A page with its names and its links."""

    @property
    def aliases(self) -> tuple[str, ...]:
        """Its other names."""

    @property
    def links(self) -> tuple[str, ...]:
        """Link targets to other pages, as written."""


class CountedPage(NamedPage, Protocol):
    """A page as the progress counts it: with its length and the addresses of its works."""

    @property
    def lines(self) -> int:
        """The number of lines of the body."""

    @property
    def references(self) -> tuple[HasAddress, ...]:
        """The works that it cites."""


@dataclass(frozen=True, slots=True)
class PageInLists:
    """A `ListedPage`, whose length is rounded, so that few edits change it."""

    uri: PageUri
    title: str
    description: str
    created: str
    nav_title: str
    sections: tuple[str, ...]
    words: int
    messages: tuple[Message, ...]
    number_of_works: int
    is_collected: bool


@dataclass(frozen=True, slots=True)
class PageWithLinks:
    """A `LinkedPage`."""

    uri: PageUri
    title: str
    aliases: tuple[str, ...]
    links: tuple[str, ...]
    is_collected: bool


@dataclass(frozen=True, slots=True)
class WorkAddress:
    """The address of a work."""

    id: str
    url: str | None
    file: str


@dataclass(frozen=True, slots=True)
class PageToCount:
    """A `CountedPage`."""

    uri: PageUri
    title: str
    lines: int
    references: tuple[WorkAddress, ...]
    is_collected: bool


def page_in_lists(page: Page) -> PageInLists:
    """Return a page as lists show it."""
    return PageInLists(
        uri=page.uri,
        title=page.title,
        description=page.description,
        created=page.created,
        nav_title=page.nav_title,
        sections=page.sections,
        words=round(page.words / WORDS_A_MINUTE) * WORDS_A_MINUTE,
        messages=page.messages,
        number_of_works=page.number_of_works,
        is_collected=page.is_collected,
    )


def page_with_links(page: Page) -> PageWithLinks:
    """Return a page with its names and links alone."""
    return PageWithLinks(page.uri, page.title, page.aliases, page.links, page.is_collected)


def page_to_count(page: Page) -> PageToCount:
    """Return a page as the progress counts it."""
    works = tuple(WorkAddress(work.id, work.url, work.file) for work in page.references)
    return PageToCount(page.uri, page.title, page.lines, works, page.is_collected)
