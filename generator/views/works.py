"""The works that the base cites, with the pages that cite them, the results of checks, and their downloads."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from generator.citations.identifiers import is_web
from generator.citations.references import work_or_title_key
from generator.library import Library, natural_order
from generator.model import Page, Reference
from generator.views.bibliography import bibtex, csl_items, csl_json
from generator.views.checks import PageCheck, SourceCheck, SourceStatus, merged

NO_SITE = "without an address"
"""The site of works without an address, or without a web address."""
MIN_COMMON = 3
"""The number of works from which a shared status or day is shown once, above the list."""


@dataclass(frozen=True, slots=True)
class Use:
    """One page's reference to a work."""

    page: Page
    reference: Reference
    item: Mapping[str, Any]
    """The reference as CSL-JSON, with all fields that the page's author wrote."""
    check: SourceCheck | None
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
        accessed = max((use.reference.accessed for use in self.uses if use.reference.accessed), default=None)
        return replace(self.uses[0].reference, accessed=accessed)

    @cached_property
    def pages(self) -> tuple[Page, ...]:
        """The pages that cite the work."""
        return tuple(use.page for use in self.uses)

    @cached_property
    def site(self) -> str:
        """The host of the work's address, without ``www.``."""
        return host_of(self.uses[0].reference.url) or NO_SITE

    @cached_property
    def is_web(self) -> bool:
        """True if the work has a web address."""
        return is_web(self.reference.url)

    @property
    def by(self) -> str:
        """The work's author and publisher."""
        return by_line(self.reference)

    @cached_property
    def check(self) -> SourceCheck | None:
        """The combined result of checking the work for all its pages."""
        return merged(use.check for use in self.uses if use.check)

    @property
    def status(self) -> SourceStatus:
        """The status of the work."""
        return status_of(self.reference, self.check)

    @property
    def quotes(self) -> tuple[bool, ...]:
        """For each checked quote on any page, True if it was found."""
        return tuple(there for use in self.uses if use.check for _, there in use.check.quotes)

    @property
    def item(self) -> Mapping[str, Any]:
        """The work as CSL-JSON: the most complete of the pages' items, with the most common id."""
        ids = Counter(use.reference.id for use in self.uses)
        fullest = max(self.uses, key=lambda use: len(use.item))
        return {**fullest.item, "id": min(ids, key=lambda name: (-ids[name], name))}


def works(
    library: Library, base: Container[str], checks: Mapping[str, PageCheck] | None = None
) -> tuple[CitedWork, ...]:
    """Return each work cited in the pages of `base` once, in the order of the first page that cites it.

    Links between pages of the base are not works. `checks` has the checks of pages that have not changed since.
    """
    uses: dict[str, list[Use]] = defaultdict(list)
    for page in sorted((p for p in library.pages if p.uri in base), key=lambda p: natural_order(p.uri)):
        if page.references:
            checked = checks.get(page.uri) if checks else None
            for item, reference in page_works(page):
                check = checked.by_id.get(reference.id) if checked else None
                key = work_or_title_key(reference.url, reference.title)
                uses[key].append(Use(page, reference, item, check))
    return tuple(CitedWork(key, tuple(found)) for key, found in uses.items())


def by_site(every: Iterable[CitedWork]) -> list[tuple[str, list[CitedWork]]]:
    """Return the sites with their works: those with most works first, and of each the most cited first."""
    found: dict[str, list[CitedWork]] = defaultdict(list)
    for work in sorted(every, key=lambda work: (-len(work.uses), work.reference.title.casefold())):
        found[work.site].append(work)
    return sorted(found.items(), key=lambda pair: (pair[0] == NO_SITE, -len(pair[1]), pair[0]))


def by_line(reference: Reference) -> str:
    """Return a work's author and publisher."""
    return ", ".join(part for part in (reference.author, reference.publisher) if part)


def shared_day(references: Iterable[Reference]) -> str:
    """Return the day on which most of the works were read, if at least three share it: it is shown once."""
    days = Counter(reference.accessed for reference in references if reference.accessed)
    return next((day for day, n in days.most_common(1) if n >= MIN_COMMON), "")


def page_works(page: Page) -> list[tuple[dict[str, Any], Reference]]:
    """Return the works that a page cites, as CSL-JSON and as References, without other pages of the base."""
    cited = [reference for reference in page.references if is_work(reference)]
    return list(zip(csl_items(page.meta_value("references"), cited), cited, strict=True))


def status_of(reference: Reference, check: SourceCheck | None) -> SourceStatus:
    """Return the status of a work that was checked, or not."""
    if check:
        return check.status
    return SourceStatus.UNCHECKED if is_web(reference.url) else SourceStatus.OFFWEB


def is_work(reference: Reference) -> bool:
    """Return True if a reference is more than a link to another page of the base."""
    url = reference.url or ""
    return is_web(url) or not re.split("[#:]", url, maxsplit=1)[0].endswith(".md")


def host_of(url: str | None) -> str:
    """Return the host of a web address, without ``www.``; empty if there is none."""
    try:
        return (urlsplit(url or "").hostname or "").removeprefix("www.")
    except ValueError:  # brackets without an IPv6 address
        return ""


def site_items(every: Sequence[CitedWork]) -> list[Mapping[str, Any]]:
    """Return all works as CSL-JSON with unique ids, sorted by id.

    If several works share an id, on whatever page, each gets a suffix made from its own address or title. Thus adding a
    page never makes an id refer to another work.
    """
    claims = Counter(name for work in every for name in {use.reference.id for use in work.uses})
    shared = {name for name, n in claims.items() if n > 1}
    items = [dict(work.item) for work in every]
    for digits in range(4, 65, 4):
        for work, item in zip(every, items, strict=True):
            if item["id"] in shared:
                item["id"] = f"{work.item['id']}-{hashlib.sha256(work.key.encode()).hexdigest()[:digits]}"
        shared = {name for name, n in Counter(item["id"] for item in items).items() if n > 1}
        if not shared:
            break
    return sorted(items, key=lambda item: str(item["id"]))


BIB, JSON = "references.bib", "references.json"
"""File names of the BibLaTeX and CSL-JSON downloads."""


def site_downloads(every: Sequence[CitedWork]) -> Iterator[tuple[str, str]]:
    """Return the files of all works, with unique ids; empty for a base without references."""
    if every:
        items = site_items(every)
        yield BIB, bibtex(items)
        yield JSON, csl_json(items)
