"""Gathered works that the references of a page mean.

The holder of a claim, a runner, cites only works that it has gathered or read.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import replace
from urllib.parse import unquote, urlsplit

from planbook.citations.identifiers import work_key
from planbook.citations.references import is_work
from planbook.model import Problem
from planbook.research.drafts import Brief, Source
from planbook.research.evidence.dossier import Dossier, DossierStore
from planbook.research.git import shared_folder
from planbook.research.proof import verify
from planbook.research.recording.config import RecordingConfig
from planbook.research.recording.page_attempt import PageAttempt
from planbook.research.web.model import Fetched


def refuse_unread(page: PageAttempt, config: RecordingConfig) -> PageAttempt:
    """Return a page with a failure for each cited work that its runner has not read.

    Works that were gathered for its PART count as read.
    """
    brief = page.brief
    if page.draft is None:
        return page
    dossier = DossierStore(shared_folder(config.settings.root)).load(brief)
    unread = tuple(_unread_works(page.draft.text, brief, dossier))
    return replace(page, findings=(*page.findings, *unread))


def find_gathered(cited: verify.CitedReference, works: Sequence[Source]) -> Source | None:
    """Return the gathered work that a reference means.

    It has the address or file of the reference, else its text, else its id: a reference may have
    been written out, with an id of its own, and a document may have got an address since.
    """
    for is_meant in (is_at_place, _has_cited_text, _has_id):
        meant_works = [source for source in works if is_meant(cited, source)]
        if meant_works:
            return min(meant_works, key=lambda source: source.id != cited.reference.id)
    return None


def is_at_place(cited: verify.CitedReference, source: Source) -> bool:
    """Return whether a reference has the address or file of a work."""
    address = cited.reference.file or cited.reference.url or ""
    return bool(address) and _place_key(address) in _place_keys(source.fetched)


def _has_cited_text(cited: verify.CitedReference, source: Source) -> bool:
    return cited.sha256 is not None and cited.sha256 == source.fetched.sha256


def _has_id(cited: verify.CitedReference, source: Source) -> bool:
    return cited.reference.id == source.id


def _place_keys(fetched: Fetched) -> set[str]:
    """Return what identifies the places of a work.

    These are its addresses, or its file in the folder of documents.
    """
    file = str((fetched.work or {}).get("custom", {}).get("file") or "")
    places = (fetched.url, fetched.final_url, fetched.moved_to, file)
    return {_place_key(address) for address in places if address}


def _place_key(location: str) -> str:
    """Return the same key for the address of a document and for its path from the project."""
    address = urlsplit(location)
    if address.scheme in {"file", ""}:
        return posixpath.normpath(unquote(address.path).lstrip("/"))
    return work_key(location)


def _unread_works(text: str, brief: Brief, dossier: Dossier | None) -> Iterator[Problem]:
    """Yield a failure for each work of a page that is not in the dossier of its PART."""
    sources = dossier.sources if dossier else ()
    known = {source.id for source in sources}
    for cited in verify.read_cited_references(text, brief.page):
        reference = cited.reference
        is_known = reference.id in known or find_gathered(cited, sources) is not None
        if is_work(reference) and not is_known:
            address = reference.file or reference.url or "ADDRESS"
            command = f"planbook read {address} --for {brief.plan.slug} {brief.part.number}"
            fix = f"run `{command}`, and use the id that it prints"
            defect = f"@{reference.id} was not read for this PART; {fix}"
            yield Problem(brief.page, min(reference.lines, default=1), "D021", defect)
