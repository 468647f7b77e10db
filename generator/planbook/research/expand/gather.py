"""Gather the evidence for pages, without writing them: `planbook gather`, `read` and `find`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from planbook.citations.identifiers import work_key
from planbook.research.drafts import Brief, Source
from planbook.research.evidence.dossier import Dossier, DossierStore
from planbook.research.evidence.source_list import make_source
from planbook.research.evidence.subject import subject_words
from planbook.research.expand import worker
from planbook.research.expand.cancellation import CancelToken
from planbook.research.expand.context import INDEX, read_nearby, reading_spec
from planbook.research.expand.jobs import Job
from planbook.research.git import shared_folder
from planbook.research.recording.clock import Clock
from planbook.research.recording.events import EventHandler
from planbook.research.search.catalogue import open_documents, unavailable
from planbook.research.search.document_folder import Folder
from planbook.research.web.model import Fetched, Unfetched
from planbook.store import RefusedError, Settings
from planbook.store.files import work_path
from planbook.store.options import Options

_MAX_LOCAL_DOCUMENTS = 8
"""Maximum number of local documents that are read for one form of a question."""


@dataclass(frozen=True, slots=True)
class Gatherer:
    """Gathers evidence for the pages of a project."""

    settings: Settings
    options: Options
    environ: Mapping[str, str]
    """The source of the search providers' keys."""
    token: CancelToken
    emit: EventHandler
    clock: Clock

    @property
    def unavailable(self) -> tuple[tuple[str, str], ...]:
        """The configured search providers that cannot be used, by name, and what each lacks."""
        return unavailable(self.options.search, self.environ, self.settings.root)

    def gather(self, briefs: Sequence[Brief]) -> Iterator[Dossier]:
        """Search and read for pages, several at a time, and yield each dossier once it is stored.

        Works that somebody added to a page's dossier stay in it.

        Raises:
            RefusedError: the options are not valid.
            StoppedError: the token is cancelled.
            UnwritableError: a dossier cannot be written.
        """
        dossiers = self._store()
        spec = reading_spec(self.settings, self.options, self.environ, self.clock)
        with (
            spec.connect(self.token, self.emit) as context,
            ThreadPoolExecutor(self.options.workers, "gather") as executor,
        ):
            pending: list[Future[Dossier]] = [
                executor.submit(worker.gather_page, Job(n, brief, self.clock.stamp()), context)
                for n, brief in enumerate(briefs)
            ]
            for future in as_completed(pending):
                yield dossiers.renew(future.result())

    def read(self, place: str, brief: Brief | None = None) -> Source:
        """Return the document at an address or path, or the work of this id in the page's dossier.

        A document that is read for a page is added to its dossier.

        Args:
            place: a web address, a path in the folder of documents, or the id of a gathered work.
            brief: the page to read it for, if it is read for one.

        Raises:
            RefusedError: it cannot be read; the message says why.
        """
        known = self.dossier(brief).sources if brief else ()
        for source in known:
            if source.id == place:
                return source
        fetched = self._fetch(place, brief)
        if not fetched.is_read:
            reason = fetched.reason or fetched.outcome.value.replace("_", " ")
            raise RefusedError(f"{place}: cannot be read: {reason}")
        if brief is None:
            return _new_source(fetched, ())
        store = self._store()
        with store.changing(brief):
            # Read again: others may have added works while this one was fetched.
            dossier = self.dossier(brief)
            known = dossier.sources
            same_work = next((source for source in known if _is_same_work(source, fetched)), None)
            source = _new_source(fetched, known)
            if same_work is not None:
                source = replace(same_work, fetched=fetched)
            store.save(dossier.with_source(source))
        return source

    def dossier(self, brief: Brief) -> Dossier:
        """Return the dossier of a page.

        If nothing was gathered yet, it has what can be read without a request.
        """
        return self._store().load(brief) or read_nearby(self.settings, self.environ, brief)

    def widened(self, brief: Brief, *questions: str) -> Dossier:
        """Return the dossier of a page with more local documents that may answer some questions.

        Gathering reads what the plan asks for; a question may be about more. Nothing is stored.

        Raises:
            RefusedError: the options are not valid, or the folder cannot be read.
        """
        dossier = self.dossier(brief)
        known = {source.id: source for source in dossier.sources}
        texts = {source.fetched.sha256 for source in known.values()}
        about = " ".join(sorted(subject_words(brief)))
        for question in questions:
            for fetched in self._find_documents(question, f"{question} {about}"):
                is_known = any(_is_same_work(source, fetched) for source in known.values())
                if is_known or fetched.sha256 in texts or not fetched.is_usable:
                    continue
                source = replace(make_source(fetched, known), queries=(question,))
                known[source.id] = source
                texts.add(fetched.sha256)
        return replace(dossier, sources=tuple(known.values()))

    def add(self, brief: Brief, sources: Iterable[Source]) -> None:
        """Add works to the dossier of a page. Raises UnwritableError."""
        store = self._store()
        with store.changing(brief):
            dossier = self.dossier(brief)
            known = {source.id for source in dossier.sources}
            new = [source for source in sources if source.id not in known]
            for source in new:
                dossier = dossier.with_source(source)
            if new:
                store.save(dossier)

    def _find_documents(self, *queries: str) -> Iterator[Fetched]:
        """Yield the local documents that share most words with each query, best first."""
        path = work_path(self.settings.root, INDEX)
        documents = open_documents(self.options.search, self.settings.root, path)
        if documents is None:
            return
        with closing(documents):
            hits = [
                hit.url for query in queries for hit in documents.find(query, _MAX_LOCAL_DOCUMENTS)
            ]
            for url in dict.fromkeys(hits):
                fetched = documents.read_local(url)
                if fetched is not None:
                    yield fetched

    def _store(self) -> DossierStore:
        return DossierStore(shared_folder(self.settings.root))

    def _fetch(self, place: str, brief: Brief | None) -> Fetched:
        """Return the document at an address, or at a path in the folder of documents.

        Raises RefusedError.
        """
        if urlsplit(place).scheme not in {"http", "https"}:
            return self._read_document(place, brief)
        spec = reading_spec(self.settings, self.options, self.environ, self.clock)
        with spec.connect(self.token, self.emit) as context:
            local = context.connections.read_local(place)
            if local is None:
                return context.connections.fetch(place)
            _, fetched = local
            return fetched

    def _read_document(self, place: str, brief: Brief | None) -> Fetched:
        """Return a file of the folder of documents. Raises RefusedError."""
        name = self.options.search.documents
        top = (self.settings.root / name).resolve()
        candidates = (Path(place), self.settings.root / place, top / place)
        file = next((path for path in candidates if _is_file(path)), None)
        if file is None:
            defect = "neither a web address, nor a file, nor a work that was gathered for this page"
            fix = "name one, or run `planbook gather` first"
            if brief is None:
                fix = "the works of a PART are read by their ids with `--for PLAN PART`"
            raise RefusedError(f"{place} is {defect}; {fix}")
        if not file.resolve().is_relative_to(top):
            raise RefusedError(f"{place} is outside {name}/; put documents to cite there")
        path = file.resolve().relative_to(top).as_posix()
        folder = Folder(top, name)
        if path not in folder.files():  # finds the works that exports name, too
            fix = "save it as HTML, PDF, Markdown or text"
            raise RefusedError(f"{place} is of a kind that cannot be read; {fix}")
        try:
            return replace(folder.read(path), fetched=self.clock.stamp())
        except Unfetched as error:
            return Fetched(place, error.outcome, error.reason)
        except OSError as error:
            raise RefusedError(f"{place}: cannot be read ({error.strerror or error})") from error


def _is_file(path: Path) -> bool:
    """Return whether there is a file; a name that no file system takes is none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _is_same_work(source: Source, fetched: Fetched) -> bool:
    """Return whether a document is the work of a source, by one of their addresses."""
    ours = {work_key(url) for url in (source.fetched.url, source.fetched.final_url) if url}
    theirs = {work_key(url) for url in (fetched.url, fetched.final_url) if url}
    return bool(ours & theirs)


def _new_source(fetched: Fetched, known: Iterable[Source]) -> Source:
    """Return a document as a work with an id that no known one has.

    It may be doubtful, as somebody asked for this one: whoever cites it is told.
    """
    return make_source(fetched, {source.id: source for source in known})
