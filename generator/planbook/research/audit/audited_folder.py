"""Audit a folder of reports: read its pages, and compare them with what they cite.

What the results for a page depend on is hashed: its text, the names of the files, the
bibliographies, and the texts of its sources. If all of it is as in an earlier audit, nothing is
compared again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from planbook.citations.identifiers import is_web
from planbook.markdown.document import read_document
from planbook.research.audit.claims.cited_claims import ReadReport, read_page_claims
from planbook.research.audit.claims.local_citations import split_place
from planbook.research.audit.claims.report_sentences import CITES_BY_KEY
from planbook.research.audit.comparison.claim_comparison import compare_claims
from planbook.research.audit.comparison.read_source import Closest, ReadSource
from planbook.research.audit.findings import AuditFinding
from planbook.research.audit.local_sources.bibliographies import Bibliographies
from planbook.research.audit.local_sources.local_files import LocalFiles, cut_lines
from planbook.research.drafts import Excerpt
from planbook.research.web.model import Fetched, Outcome
from planbook_cache.disk import DiskCache
from planbook_cache.entries import digest_of
from planbook_cache.versions import code_version

Split = Callable[[Fetched], Sequence[Excerpt]]
"""Returns the passages of a source."""
Progress = Callable[[str], None]
"""Receives what is done now."""


Watch = Callable[[Sequence[AuditFinding]], None]
"""Receives the findings of a page as soon as it is compared."""


def _without_progress(_: str) -> None:
    """Show nothing."""


def _without_watch(_: Sequence[AuditFinding]) -> None:
    """Look at nothing."""


@dataclass(frozen=True, slots=True)
class PageFindings:
    """The results for the claims of a page, before a judge sees them."""

    findings: tuple[AuditFinding, ...]


class AuditedFolder:
    """The pages of a folder with what they may cite."""

    def __init__(
        self, root: Path, documents: str, disk: DiskCache, watch: Watch = _without_watch
    ) -> None:
        """Take the folder, the path of the project's documents below it, and the cache.

        `watch` receives the findings of each page when it is compared.
        """
        self.files = LocalFiles(root)
        self._documents, self._disk, self._watch = documents, disk, watch
        self._bibliographies = Bibliographies(self.files)
        self._read: dict[str, ReadSource | Fetched | None] = {}
        self._digests: dict[str, str] = {}
        self.unchanged: frozenset[str] = frozenset()
        """The pages whose results are those of an earlier audit."""

    def read_pages(
        self, pages: Mapping[str, str], progress: Progress = _without_progress
    ) -> dict[str, ReadReport]:
        """Return the claims of pages, given their texts by their paths from the working folder."""
        reports = {}
        for n, (uri, text) in enumerate(pages.items(), 1):
            progress(f"reading page {n} of {len(pages)}: {uri}")
            reports[uri] = self._read_page(uri, text)
        return reports

    def is_local(self, url: str) -> bool:
        """Return whether a source is a file of the folder.

        Whole documents of the project are read as for `verify`, by another reader.
        """
        is_document = url.startswith(self._documents) and not split_place(url)[1]
        return not is_web(url) and not is_document

    def compare(
        self,
        reports: Mapping[str, ReadReport],
        elsewhere: Mapping[str, Fetched],
        split: Split,
        closest: Closest,
        progress: Progress = _without_progress,
    ) -> list[AuditFinding]:
        """Return the findings for the claims of all pages, before a judge sees them.

        Those of each page are kept at once: an audit that is interrupted goes on there.

        Args:
            reports: the claims.
            elsewhere: the sources that are not local, by address.
            split: cuts a source into passages.
            closest: ranks passages.
            progress: receives a line for each page.
        """
        findings: list[AuditFinding] = []
        unchanged = set()
        for n, (uri, report) in enumerate(reports.items(), 1):
            progress(f"comparing page {n} of {len(reports)} with its sources: {uri}")
            urls = dict.fromkeys(url for claim in report.claims for url in claim.urls)
            states = [(url, self._state_of(url, elsewhere.get(url))) for url in urls]
            key = digest_of("findings", self._code, report.claims, states)
            stored_findings = self._disk.get(key, PageFindings) if key else None
            if stored_findings is None:
                sources = {url: self._source(url, elsewhere.get(url), split) for url in urls}
                stored_findings = PageFindings(
                    tuple(compare_claims(report.claims, sources, closest))
                )
                self._keep(key, stored_findings)
            else:
                unchanged.add(uri)
            findings += stored_findings.findings
            self._watch(stored_findings.findings)
        self.unchanged = frozenset(unchanged)
        return findings

    def _read_page(self, uri: str, text: str) -> ReadReport:
        """Return the claims of a page, those of an earlier audit if nothing has changed."""
        report = Path(uri)
        names: tuple[str, ...] = ()
        if CITES_BY_KEY.search(text):
            names = self._bibliographies.names_for(report, read_document(text).meta)
        digests = [(name, self._digest(name)) for name in names]
        key = digest_of("claims", self._code, uri, text, self._names, digests)
        stored_report = self._disk.get(key, ReadReport) if key else None
        if stored_report is None:
            works = self._bibliographies.works(names)
            stored_report = read_page_claims(text, uri, self.files.resolver(report), works)
            self._keep(key, stored_report)
        return stored_report

    def _keep(self, key: str, value: object) -> None:
        if key:
            self._disk.put(key, value)

    @cached_property
    def _code(self) -> str:
        return code_version("planbook")

    @cached_property
    def _names(self) -> str:
        return digest_of(sorted(self.files.names))

    def _digest(self, path: str) -> str:
        if path not in self._digests:
            self._digests[path] = self.files.digest(path)
        return self._digests[path]

    def _state_of(self, url: str, fetched: Fetched | None) -> object:
        """Return what the results for a claim depend on, of one of its sources."""
        if self.is_local(url):
            return self._digest(split_place(url)[0])
        if fetched is None:
            return None
        origin = None
        if fetched.origin:
            origin = (fetched.origin.commit, fetched.origin.committed)
        about = (fetched.outcome, fetched.reason, fetched.moved_to, fetched.title, fetched.url)
        when = fetched.fetched[:10] if fetched.is_copy else ""
        return (*about, when, origin, fetched.text, fetched.visible)

    def _source(
        self, url: str, fetched: Fetched | None, split: Split
    ) -> ReadSource | Fetched | None:
        """Return a source, prepared for comparisons, or the reason why it has no text."""
        if url not in self._read:
            self._read[url] = self._prepare_source(url, fetched, split)
        return self._read[url]

    def _prepare_source(
        self, url: str, fetched: Fetched | None, split: Split
    ) -> ReadSource | Fetched | None:
        whole, address = "", url
        if self.is_local(url):
            fetched = self.files.read(url)
            path, lines = split_place(url)
            whole = self.files.read_whole(path).text if lines else ""
        elif fetched is not None and fetched.origin and fetched.origin.lines:
            whole, address = fetched.text, f"{fetched.origin.path}{_fragment(fetched.origin.lines)}"
            fetched = cut_lines(fetched, fetched.origin.path, fetched.origin.lines)
        if fetched is None:
            return None
        are_blank_lines = bool(whole) and fetched.outcome is Outcome.OK
        if not fetched.text and not are_blank_lines:
            return fetched
        return ReadSource(fetched, split(fetched), url, address, whole)


def _fragment(lines: tuple[int, int]) -> str:
    return f"#L{lines[0]}-L{lines[1]}"
