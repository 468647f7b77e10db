"""The works that the base cites, each once, with the pages that cite it and its checks."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from planbook.citations.identifiers import is_web
from planbook.citations.references import is_work, work_or_title_key
from planbook.citations.report import SourceResult, SourceStatus
from planbook.library import Library, group_by
from planbook.library.names import natural_order
from planbook.model import Page, PageUri, Reference
from planbook.views.bibliography.bibtex import bibtex
from planbook.views.bibliography.csl import csl_items, csl_json
from planbook.views.checks import PageCheck, combine_results, is_checked, status_of

NO_SITE = "without an address"
"""The site of works without an address, or without a web address."""
OWN_DOCUMENTS = "documents of this base"
"""The site of works that are files of the project."""
MIN_COMMON = 3
"""The number of works from which a shared status or day is shown once, above the list."""


@dataclass(frozen=True, slots=True)
class CitingPage:
    """A page that cites works, without what a few more words on it would change."""

    uri: PageUri
    title: str
    references: tuple[Reference, ...]
    meta_references: object
    """The ``references`` of its front matter, as written; ``None`` if it has none."""


@dataclass(frozen=True, slots=True)
class Use:
    """One page's reference to a work."""

    page: CitingPage
    reference: Reference
    item: Mapping[str, Any]
    """The reference as CSL-JSON, with all fields that the page's author wrote."""
    check: SourceResult | None
    """``None`` if the page was not checked, or has changed since."""


@dataclass(frozen=True)
class CitedWork:
    """A work with its uses, in the natural order of the pages."""

    key: str
    """The same for every address of it."""
    uses: tuple[Use, ...]

    @cached_property
    def reference(self) -> Reference:
        """The first page's, with the latest access date of all."""
        accessed = max(
            (use.reference.accessed for use in self.uses if use.reference.accessed), default=None
        )
        return replace(self.uses[0].reference, accessed=accessed)

    @cached_property
    def pages(self) -> tuple[CitingPage, ...]:
        """The pages that cite the work."""
        return tuple(use.page for use in self.uses)

    @cached_property
    def site(self) -> str:
        """The host of the work's address, without ``www.``, or its repository.

        ``github.com/rye/oven``.
        """
        first = self.uses[0].reference
        elsewhere = OWN_DOCUMENTS if first.file else NO_SITE
        return repository_of(first.url) or site_of(first.url) or elsewhere

    @cached_property
    def is_web(self) -> bool:
        """True if the work has a web address."""
        return is_web(self.reference.url)

    @property
    def by(self) -> str:
        """The work's author and publisher."""
        return author_and_publisher(self.reference)

    @cached_property
    def check(self) -> SourceResult | None:
        """The combined result of checking the work for all its pages."""
        return combine_results(use.check for use in self.uses if use.check)

    @property
    def was_checked(self) -> bool:
        """True if its text was read, in its place or in a copy."""
        return is_checked(self.status)

    @property
    def status(self) -> SourceStatus:
        """The status of the work."""
        return status_of(self.reference, self.check)

    @property
    def quotes(self) -> tuple[bool, ...]:
        """For each quote on any page, True if it was found."""
        quotes: list[bool] = []
        for use in self.uses:
            checked = use.check.quotes if use.check else {}
            quotes += {**dict.fromkeys(dict(use.reference.quotes), False), **checked}.values()
        return tuple(quotes)

    @property
    def unchecked_quotes(self) -> int:
        """The number of quotes, on all pages, that were compared with no text of the source."""
        unchecked = 0
        for use in self.uses:
            checked = use.check.quotes if use.check else {}
            unchecked += sum(key not in checked for key, _ in use.reference.quotes)
        return unchecked

    @property
    def unread_quotes(self) -> int:
        """The number of these that a check without a network had no text for."""
        unread = 0
        for use in self.uses:
            if use.check and use.check.offline:
                unread += sum(key not in use.check.quotes for key, _ in use.reference.quotes)
        return unread

    @property
    def item(self) -> Mapping[str, Any]:
        """The work as CSL-JSON: the most complete of the pages' items, with the most common id."""
        ids = Counter(use.reference.id for use in self.uses)
        fullest = max(self.uses, key=lambda use: len(use.item))
        return {**fullest.item, "id": min(ids, key=lambda name: (-ids[name], name))}


def works(
    library: Library, base_uris: Container[str], checks: Mapping[str, PageCheck] | None = None
) -> tuple[CitedWork, ...]:
    """Return each work cited in the pages of `base_uris` once, as `cited_works`."""
    pages = (citing_page(page) for page in library.pages if page.uri in base_uris)
    return cited_works((page for page in pages if page), checks)


@dataclass(frozen=True, slots=True)
class WorkResult:
    """The combined result of checking a work for all pages that cite it."""

    status: SourceStatus
    day: str
    """The day on which it was checked last; empty if it was not."""


def results_by_work(
    pages: Iterable[Page], checks: Mapping[str, PageCheck]
) -> dict[str, WorkResult]:
    """Return the result of each work that `pages` cite, by the work's key.

    A page may cite a work by several references: they are one work.
    """
    references: dict[str, Reference] = {}
    results: dict[str, list[SourceResult]] = defaultdict(list)
    for page in pages:
        checked = checks.get(page.uri)
        for reference in filter(is_work, page.references):
            key = _key_of_work(reference)
            references.setdefault(key, reference)
            result = checked.by_id.get(reference.id) if checked else None
            if result:
                results[key].append(result)
    combined = {key: combine_results(results[key]) for key in references}
    return {
        key: WorkResult(status_of(references[key], result), result.day if result else "")
        for key, result in combined.items()
    }


def citing_page(page: Page) -> CitingPage | None:
    """Return what lists of works show of a page; ``None`` if it cites no work."""
    if not any(map(is_work, page.references)):
        return None
    return CitingPage(page.uri, page.title, page.references, page.meta_value("references"))


def cited_works(
    pages: Iterable[CitingPage], checks: Mapping[str, PageCheck] | None = None
) -> tuple[CitedWork, ...]:
    """Return each work cited in `pages` once.

    They are in the order of the first page that cites them. Links between pages of the base are not
    works. `checks` has the checks of pages that have not changed since.
    """
    uses: dict[str, list[Use]] = defaultdict(list)
    for page in sorted(pages, key=lambda page: natural_order(page.uri)):
        checked = checks.get(page.uri) if checks else None
        cited = [reference for reference in page.references if is_work(reference)]
        items = csl_items(page.meta_references, cited)
        for item, reference in zip(items, cited, strict=True):
            check = checked.by_id.get(reference.id) if checked else None
            uses[_key_of_work(reference)].append(Use(page, reference, item, check))
    return tuple(CitedWork(key, tuple(of_work)) for key, of_work in uses.items())


def _key_of_work(reference: Reference) -> str:
    """Return a key that is the same for every address of a work."""
    if reference.file and not reference.url:
        return f"file:{reference.file}"
    return work_or_title_key(reference.url, reference.title)


def group_by_site(all_works: Iterable[CitedWork]) -> list[tuple[str, tuple[CitedWork, ...]]]:
    """Return the sites with their works.

    Sites with most works come first, and of each the most cited work.
    """
    most_cited = sorted(
        all_works, key=lambda work: (-len(work.uses), work.reference.title.casefold())
    )
    sites = group_by(most_cited, lambda work: work.site)
    return sorted(sites.items(), key=lambda pair: (pair[0] == NO_SITE, -len(pair[1]), pair[0]))


def author_and_publisher(reference: Reference) -> str:
    """Return a work's author and publisher."""
    return ", ".join(name for name in (reference.author, reference.publisher) if name)


def shared_day(references: Iterable[Reference]) -> str:
    """Return the day on which most of the works were read, if at least three share it.

    It is shown once.
    """
    days = Counter(reference.accessed for reference in references if reference.accessed)
    return next((day for day, n in days.most_common(1) if n >= MIN_COMMON), "")


def site_of(url: str | None) -> str:
    """Return the host of a web address, without ``www.``; empty if there is none."""
    try:
        return (urlsplit(url or "").hostname or "").removeprefix("www.")
    except ValueError:  # brackets without an IPv6 address
        return ""


_FORGES = frozenset({"github.com", "gitlab.com", "codeberg.org", "bitbucket.org"})
"""Hosts whose addresses begin with the owner and the name of a repository."""
_HOSTS_OF_FILES = {"raw.githubusercontent.com": "github.com"}
"""Hosts that show the files of another's repositories."""


def repository_of(url: str | None) -> str:
    """Return ``github.com/rye/oven`` for an address in a repository; empty for any other."""
    host = site_of(url)
    host = _HOSTS_OF_FILES.get(host, host)
    owner_and_name = urlsplit(url or "").path.strip("/").split("/")[:2] if host in _FORGES else []
    if len(owner_and_name) == 2 and all(owner_and_name):
        return "/".join((host, *owner_and_name))
    return ""


def site_ids(all_works: Sequence[CitedWork]) -> dict[str, str]:
    """Return a unique id for each work, by the work's key.

    If several works share an id, on whatever page, each gets a suffix made from its own address or
    title. Thus adding a page never makes an id refer to another work.
    """
    claims = Counter(name for work in all_works for name in {use.reference.id for use in work.uses})
    shared = {name for name, n in claims.items() if n > 1}
    ids = {work.key: str(work.item["id"]) for work in all_works}
    for digits in range(4, 65, 4):
        for work in all_works:
            if ids[work.key] in shared:
                ids[work.key] = (
                    f"{work.item['id']}-{hashlib.sha256(work.key.encode()).hexdigest()[:digits]}"
                )
        shared = {name for name, n in Counter(ids.values()).items() if n > 1}
        if not shared:
            break
    return ids


def site_items(all_works: Sequence[CitedWork]) -> list[Mapping[str, Any]]:
    """Return all works as CSL-JSON with unique ids, sorted by id."""
    ids = site_ids(all_works)
    return sorted(
        ({**work.item, "id": ids[work.key]} for work in all_works), key=lambda item: str(item["id"])
    )


BIB, JSON = "references.bib", "references.json"
"""File names of the BibLaTeX and CSL-JSON downloads."""


def site_downloads(all_works: Sequence[CitedWork]) -> Iterator[tuple[str, str]]:
    """Return the files of all works, with unique ids; empty for a base without references."""
    if all_works:
        items = site_items(all_works)
        yield BIB, bibtex(items)
        yield JSON, csl_json(items)
