"""The origins of pages as they are now: plans, documents, mirrors, sources, the writer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from planbook.citations.report import SourceStatus, decode_report
from planbook.library import Entry
from planbook.library.pages import fingerprint
from planbook.research.evidence.origins import (
    DOCUMENTS,
    PLAN,
    REPOSITORIES,
    SEARCH,
    SOURCES,
    WRITER,
    part_digest,
    short_digest,
)
from planbook.research.mirrors import Mirror, MirrorError
from planbook.research.search.document_folder import SUFFIXES
from planbook.store import Settings
from planbook.store.cited_files import MEDIA_TYPES, CitedFiles
from planbook.store.files import read_report
from planbook.store.options import Options
from planbook.store.trees import files_below
from planbook_cache.functions import NO_CACHE, FunctionCache

_STALE_STATUSES = frozenset({SourceStatus.CHANGED, SourceStatus.MISSING, SourceStatus.GONE})
"""The results of `planbook verify` after which a page is not what its sources say."""


@dataclass(frozen=True)
class CurrentOrigins:
    """The state of everything that a run reads, as it is when it is first asked for."""

    settings: Settings
    options: Options
    cache: FunctionCache = NO_CACHE
    """Caches the hashes of documents."""

    def read(self, entry: Entry) -> Mapping[str, str]:
        """Return what the page of an entry would be made from now.

        The keys are those of a drop's ``made_from``.
        """
        return {PLAN: part_digest(entry.part), SOURCES: self._sources(entry), **self._common}

    @cached_property
    def _common(self) -> Mapping[str, str]:
        """The origins that all pages of the run share."""
        options, search = self.options, self.options.search
        models = [options.llm_model, options.judge] if options.writer == "llm" else []
        writer = " ".join([options.writer, *(model for model in models if model)])
        command = options.command if options.writer == "command" else ()
        asked = (search.providers, search.limit, options.sources, options.min_answered, command)
        common = {DOCUMENTS: self._documents()}
        if search.mirrors:
            common[REPOSITORIES] = self._repositories()
        return common | {WRITER: writer, SEARCH: short_digest(asked)}

    def _documents(self) -> str:
        """Return the hash of the names and contents of all documents.

        Those of the exports beside them count, too.
        """
        files = CitedFiles(self.settings.root, self.options.search.documents, self.cache)
        kinds = {*MEDIA_TYPES, *SUFFIXES}
        states = [
            (name, files.state(name).sha256 or self._size(name))
            for name in files_below(self.settings.root / files.folder, "")
            if Path(name).suffix.lower() in kinds
        ]
        return short_digest(states)

    def _size(self, name: str) -> int:
        """Return the size of a file that is no document itself, such as an export."""
        path = self.settings.root / self.options.search.documents / name
        return path.stat().st_size if path.is_file() else 0

    def _repositories(self) -> str:
        """Return the hash of the commits that are searched."""
        mirrors = self.options.search.mirrors
        commits = [
            (name, self._commit(mirror.path, mirror.ref)) for name, mirror in mirrors.items()
        ]
        return short_digest(commits)

    def _commit(self, path: str, ref: str) -> str:
        """Return the commit of a mirror's branch or tag, or why it cannot be read."""
        try:
            mirror = Mirror(self.settings.root / path)
        except MirrorError as error:
            return str(error)
        try:
            return mirror.resolve(ref) or ""
        except MirrorError as error:
            return str(error)
        finally:
            mirror.close()

    def _sources(self, entry: Entry) -> str:
        """Return the hash of the sources of a page that are not as they were.

        The last check of the page says so; without one, the hash is empty.
        """
        checked = decode_report(read_report(self.settings.root))[0].pages.get(str(entry.uri))
        path = self.settings.root / self.settings.docs_dir / entry.uri
        if checked is None or not path.is_file():
            return ""
        text = path.read_text(encoding="utf-8", errors="replace")
        if checked.text_sha256 != fingerprint(text):
            return ""
        stale = [
            (work.id, work.status.value, work.sha256)
            for work in checked.references
            if work.status in _STALE_STATUSES
        ]
        return short_digest(stale) if stale else ""
