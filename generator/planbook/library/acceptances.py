"""The texts of pages that were accepted, as the drops of their PARTs record them. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from planbook.library.drops import find_acceptances
from planbook.library.linked import Library
from planbook.library.pages import fingerprint
from planbook.markdown.document import decode_file
from planbook.markdown.plain_text import count
from planbook.model import FINISHED_STATES, Drop, PageUri


def accepted_texts(library: Library) -> dict[PageUri, Drop]:
    """Return the newest drop that accepted each page of a finished PART, by the page.

    Drops of earlier versions have no hash of the text, and are left out; so are the pages of open
    PARTs, which are being written again.
    """
    accepted: dict[PageUri, Drop] = {}
    by_page = find_acceptances(library.drops)
    for uri, entry in library.by_uri.items():
        drop = by_page.get((entry.plan.slug, entry.part.number, uri))
        if drop is not None and drop.text_sha256 and entry.state in FINISHED_STATES:
            accepted[uri] = drop
    return accepted


def find_changed(
    library: Library, raw_pages: Mapping[str, bytes]
) -> Iterator[tuple[PageUri, Drop]]:
    """Yield the pages whose text or references are not those that their drops accepted."""
    for uri, drop in accepted_texts(library).items():
        raw = raw_pages.get(uri)
        if raw is not None and fingerprint(decode_file(raw, uri, "K002")[0]) != drop.text_sha256:
            yield uri, drop


_MAX_LISTED_PAGES = 3
"""Number of changed pages that a message names."""


def describe_changed(uris: Sequence[str], docs_dir: str) -> str:
    """Return how many pages were changed since they were accepted, with the first ones."""
    names = ", ".join(f"{docs_dir}/{uri}" for uri in uris[:_MAX_LISTED_PAGES])
    more = len(uris) - _MAX_LISTED_PAGES
    rest = f" and {more} more" if more > 0 else ""
    verb = "was" if len(uris) == 1 else "were"
    defect = f"{count(len(uris), 'page')} {verb} changed since `planbook finish` accepted it"
    if len(uris) > 1:
        defect = defect.replace("accepted it", "accepted them")
    return f"{defect}: {names}{rest}; `planbook check --select K040` says what to do"
