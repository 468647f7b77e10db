"""Works in the orders of a reader: by kind, by organisation, and those that are quoted most."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from planbook.citations.repository_files import RENDERED_SUFFIXES, parse_file_url
from planbook.library import group_by
from planbook.views.bibliography.works import (
    NO_SITE,
    OWN_DOCUMENTS,
    CitedWork,
    repository_of,
    site_of,
)

CODE, DOCUMENTATION, PAPER, DISCUSSION = "code", "documentation", "paper", "discussion"
KINDS = (CODE, DOCUMENTATION, PAPER, DISCUSSION)
"""The kinds of works, in the order of display."""
_PAPERS = re.compile(r"article|paper|thesis|chapter|book|report|manuscript")
"""Types of CSL, such as ``article-journal`` and ``paper-conference``."""
_THREAD = re.compile(r"/(?:issues|pull|discussions|merge_requests)/\d")
_FORUM = re.compile(r"(?:^|\.)(?:forums?|discuss|discourse|lists|groups|stackoverflow)\.|stackexch")
_SHARED_DOMAINS = (".github.io", ".gitlab.io", ".readthedocs.io", ".readthedocs.org")
"""Ends of hosts whose first name is the organisation's."""
_MAX_SECOND_LEVEL_CHARS = 3
"""The most letters of ``co`` in ``example.co.uk``, which is no organisation's name."""
MIN_SITES = 9
"""The number of sites from which they are grouped by organisation."""
MIN_WORKS, MAX_MUCH_QUOTED = 30, 8
"""The number of works from which those that are quoted most come first, and their number."""


def kind_of(work: CitedWork) -> str:
    """Return the kind of a work, by its address and its type in CSL."""
    url = work.reference.url or ""
    csl_type = str(work.item.get("type") or "")
    is_forum = csl_type == "post" or bool(_FORUM.search(site_of(url)))
    if is_forum or (repository_of(url) and _THREAD.search(urlsplit(url).path)):
        return DISCUSSION
    if _PAPERS.search(csl_type):
        return PAPER
    file = parse_file_url(url)
    if file:
        return DOCUMENTATION if file.path.lower().endswith((*RENDERED_SUFFIXES, ".txt")) else CODE
    return CODE if csl_type == "software" else DOCUMENTATION


def organisation_of(site: str) -> str:
    """Return the owner of a repository, or of a host the name before its last part.

    It is in lower case: ``nvidia`` for ``github.com/NVIDIA/nccl`` and for ``docs.nvidia.com``. The
    text is empty for works without an address.
    """
    if site in {NO_SITE, OWN_DOCUMENTS}:
        return ""
    host, _, repository = site.partition("/")
    if repository:
        return repository.partition("/")[0].lower()
    names = host.lower().split(".")
    if host.endswith(_SHARED_DOMAINS) and len(names) > 2:
        return names[-3]
    is_of_country = (
        len(names) > 2 and len(names[-1]) == 2 and len(names[-2]) <= _MAX_SECOND_LEVEL_CHARS
    )
    place = 3 if is_of_country else 2
    return names[-place] if len(names) >= place else host


@dataclass(frozen=True, slots=True)
class Organisation:
    """Sites with their works, below one name; an empty name stands for all others."""

    name: str
    sites: Sequence[tuple[str, str, Sequence[CitedWork]]]
    """Each with its name, its anchor and its works."""

    @property
    def works(self) -> list[CitedWork]:
        """The works of all sites."""
        return [work for _, _, of_site in self.sites for work in of_site]

    @property
    def checked(self) -> int:
        """The number of works that were checked."""
        return sum(work.was_checked for work in self.works)

    @property
    def last_check(self) -> str:
        """The day of the last check; empty if there was none."""
        return max((work.check.day for work in self.works if work.check), default="")


def organisations(
    sites: Sequence[tuple[str, str, Sequence[CitedWork]]],
) -> list[Organisation]:
    """Return the organisations with several sites, those with most works first, then the others.

    Few sites are one group without a name.
    """
    by_name = group_by(sites, lambda entry: organisation_of(entry[0]))
    several = [of_name for name, of_name in by_name.items() if name and len(of_name) > 1]
    if len(sites) < MIN_SITES or not several:
        return [Organisation("", sites)]
    large = [Organisation(_display_name(of_name), of_name) for of_name in several]
    large.sort(key=lambda organisation: (-len(organisation.works), organisation.name.lower()))
    in_large = {anchor for of_name in several for _, anchor, _ in of_name}
    remaining = [entry for entry in sites if entry[1] not in in_large]
    return [*large, Organisation("", remaining)] if remaining else large


def _display_name(sites: Sequence[tuple[str, str, Sequence[CitedWork]]]) -> str:
    """Return the name as owners of repositories write it, else the domain that hosts share."""
    owners = Counter(site.split("/")[1] for site, _, _ in sites if "/" in site)
    if owners:
        return owners.most_common(1)[0][0]
    host = sites[0][0]
    return host[host.find(f"{organisation_of(host)}.") :]


def most_quoted(works: Iterable[CitedWork]) -> list[CitedWork]:
    """Return the works with most quotes, of a base of many; those on more pages come first."""
    all_works = list(works)
    if len(all_works) < MIN_WORKS:
        return []
    quoted = [work for work in all_works if len(work.quotes) > 1]
    quoted.sort(key=lambda work: (-len(work.quotes), -len(work.pages), work.reference.title))
    return quoted[:MAX_MUCH_QUOTED]
