"""Read the sources that pages and reports cite.

They are in local mirrors and documents, in saved copies and stored texts, and on the web.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from planbook.citations.earlier_quotes import complete_from_earlier
from planbook.citations.identifiers import work_key
from planbook.citations.references import cited_path
from planbook.citations.report import PageResult, decode_report, encode_report, merge_report
from planbook.citations.repository_files import RepositoryFile
from planbook.library import RESERVED_URIS
from planbook.model import format_time
from planbook.research.mirrors import MirrorError
from planbook.research.proof.verify import Answers, CitedReference
from planbook.research.search.addressed import documents_at
from planbook.research.search.document_folder import Folder, Mirrors

# Processes that read documents could not report that one of its packages is missing.
from planbook.research.web import archive, document_text  # noqa: F401 - so it is imported here
from planbook.research.web.client import open_fetcher, read_by_host
from planbook.research.web.doubts import doubt_repeated
from planbook.research.web.model import Fetched, Outcome, Unfetched
from planbook.store import RefusedError, Settings, read_tree
from planbook.store.cited_files import CitedFiles
from planbook.store.files import REPORT, read_report, write_changed
from planbook.store.options import read_options
from planbook.store.working_tree import WorkingTree

Texts = dict[str, tuple[Fetched, ...]]
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+(?:/[\w./-]+)?")


@dataclass(frozen=True, slots=True)
class SourceReader:
    """Reads sources for one command."""

    settings: Settings
    tell: Callable[[str], None]
    """Receives messages about documents that cannot be used."""
    progress: Callable[[], AbstractContextManager[Callable[[str], None]]] = lambda: nullcontext(
        lambda text: None
    )
    """Opens a line that shows how far it is."""
    offline: bool = False
    """Make no requests: read the stored texts."""
    mirrors: tuple[str, ...] = ()
    """Mirrors in addition to the configured ones, as ``OWNER/REPO=PATH``."""
    copies: Path | None = None
    """A folder of saved copies to read instead of the web."""
    contact: str | None = None
    pause: float | None = None
    allow_loopback: bool | None = None
    """These three replace the options of the same name, unless they are ``None``."""

    def read_cited(
        self,
        cited_references: Iterable[CitedReference],
        *,
        newer: bool = False,
        may_be_old: bool = False,
    ) -> Answers:
        """Return what the references name.

        It is read from a mirror or a document, else from a copy, else as stored or as fetched now.
        With `newer`, a file of a mirror is followed by its newest version. A commit that a mirror
        does not contain may be a fork's, so only a copy can replace it. See `read_addresses` for
        `may_be_old`.
        """
        cited_references = list(cited_references)
        answers = self.read_mirrored(
            [cited.pin for cited in cited_references if cited.pin], newer=newer
        )
        lacking = {pin for pin, texts in answers.items() if texts[0].outcome is Outcome.REFUSED}
        pins = {
            cited.url: cited.pin for cited in cited_references if cited.url and cited.pin in lacking
        }
        outside = [cited for cited in cited_references if cited.file or cited.pin not in answers]
        answers.update(self._read_documents(outside).items())
        urls = [
            cited.url
            for cited in cited_references
            if cited.url and _is_address_needed(cited, answers)
        ]
        answers.update(self.read_addresses(urls, may_be_old=may_be_old).items())
        for url, copy in self._read_copies(list(pins)).items():
            answers[pins[url]] = copy
        # A document that many addresses have in common is hardly what each of them was cited for.
        current = doubt_repeated(texts[0] for texts in answers.values())
        return {
            key: (first, *texts[1:])
            for (key, texts), first in zip(answers.items(), current, strict=True)
        }

    def read_mirrored(self, files: Iterable[RepositoryFile], *, newer: bool = False) -> Answers:
        """Return the files of mirrored repositories.

        Each is read at its commit, or at the last one of its branch or tag. With `newer`, it is
        followed by its newest version.

        Raises:
            MirrorError: a mirror cannot be read.
        """
        texts: Answers = {}
        pins: dict[RepositoryFile, RepositoryFile] = {}
        with closing(Mirrors(self.mirror_paths())) as mirrors:
            for file in files:
                if not mirrors.find(file):
                    continue
                try:
                    pins[file] = file if file.is_pinned else mirrors.at_commit(file)
                except MirrorError as error:
                    # The mirror may be older than the commit of an abbreviated hash.
                    outcome = Outcome.REFUSED if file.is_abbreviated else Outcome.GONE
                    texts[file] = (Fetched(file.url, outcome, str(error)),)
            files_by_pin = dict(mirrors.read_pins(pins.values()))
            for file, pin in pins.items():
                newest = mirrors.read_newest(pin) if newer and files_by_pin[pin].origin else None
                texts[file] = (files_by_pin[pin], newest) if newest else (files_by_pin[pin],)
        return texts

    def mirror_paths(self) -> dict[str, Path]:
        """Return the folders of mirrors by repository.

        They are those of `expand.search.repositories`, and those of the command.

        Raises:
            RefusedError: an entry names no repository or no folder.
        """
        settings = self.settings
        option_name = f"{settings.config}: `expand.search.repositories`"
        paths = {
            name: (option_name, str(settings.root / option.path))
            for name, option in read_options(settings).search.mirrors.items()
        }
        for entry in self.mirrors:
            name, _, path = entry.partition("=")
            paths[name] = ("--mirror", path)
        for name, (source, path) in paths.items():
            if not _REPOSITORY.fullmatch(name):
                defect = f"{source} names {name!r}, which is not a repository; write OWNER/REPO"
                raise RefusedError(defect)
            if not path or not Path(path).is_dir():
                raise RefusedError(f"{source} {name}: there is no folder {path}")
        return {name: Path(path) for name, (_, path) in paths.items()}

    def read_addresses(self, urls: Iterable[str], *, may_be_old: bool = False) -> Texts:
        """Return the result for each address.

        It is read from a copy if there is one, else as stored or as fetched now.

        With `may_be_old`, documents that the archive has are not fetched again until
        `expand.max_age_days`.
        """
        wanted = sorted(set(urls))
        texts = self._read_copies(wanted)
        rest = [url for url in wanted if url not in texts]
        if not self.offline:
            return texts | self._fetch(rest, may_be_old=may_be_old)
        stored = archive.Archive(self.settings.root)
        for url in rest:
            fetched = stored.get(url)
            if fetched:
                texts[url] = (fetched,)
        return texts

    def _read_documents(self, cited_references: Iterable[CitedReference]) -> Texts:
        """Return the local documents that the references name, by name or address.

        A file that a reference names is read, or the reason why it cannot be. Of others, the file
        that is the same work is read if it can be. Report defects of the exports in their folder.
        """
        title = read_options(self.settings).search.documents
        cited = _CitedDocuments(self.settings, title)
        for message in cited.messages:
            self.tell(f"{title}/{message}")
        return cited.read(cited_references)

    def _read_copies(self, urls: Sequence[str]) -> Texts:
        copies = archive.read_copies(self.copies, urls) if self.copies else {}
        return {url: (fetched,) for url, fetched in copies.items()}

    def _fetch(self, urls: Sequence[str], *, may_be_old: bool) -> Texts:
        """Fetch and archive the addresses."""
        fetcher_options: dict[str, Any] = {
            "contact": self.contact,
            "pause": self.pause,
            "allow_loopback": self.allow_loopback,
        }
        if not may_be_old:
            fetcher_options["max_age_days"] = 0.0
        options = read_options(self.settings, fetcher_options)
        answers: Texts = {}
        with (
            open_fetcher(self.settings, options, os.environ) as fetcher,
            self.progress() as progress,
        ):
            for url, fetched in read_by_host(urls, fetcher.fetch):
                answers[url] = (fetched,)
                progress(f"{len(answers)} of {len(urls)} addresses")
        return answers


def _is_address_needed(cited: CitedReference, answers: Answers) -> bool:
    """Return whether an address is read, as neither a mirror nor a document has it."""
    if cited.pin in answers or cited.url in answers:
        return False
    return not cited.find(answers) or bool(cited.file_defect(answers))


class _CitedDocuments:
    """The local documents and other files of a project that references may name."""

    def __init__(self, settings: Settings, title: str) -> None:
        """Take the settings, and the path of the folder of documents below the project."""
        docs_dir = settings.docs_dir
        self._title = title
        self._folder = Folder(settings.root / title, title)
        self._folder.files()
        self._paths: dict[str, str] = {}
        """The paths of works by what identifies them."""
        for path, work in self._folder.works.items():
            url = work.csl_item().get("URL")
            if url:
                self._paths[work_key(url)] = path
        self._files = CitedFiles(settings.root, title)
        self._pages = CitedFiles(settings.root, docs_dir)
        self._working_tree = WorkingTree(settings.root, docs_dir.strip("/"), title)
        self._now = format_time()

    @property
    def messages(self) -> Sequence[str]:
        """The defects of the exports in the folder of documents."""
        return self._folder.messages

    def read(self, cited_references: Iterable[CitedReference]) -> Texts:
        """Return the documents that the references name, by name or address."""
        cited_references = list(cited_references)
        texts = self._read_addressed(cited_references)
        for cited in cited_references:
            name = cited.file or self._document_name(cited)
            address = cited.reference.url or ""
            if name:
                if name not in texts:
                    texts[name] = (self._read_file(name),)
            elif cited.url:
                work = self._read_work(cited.url) if cited.url not in texts else None
                if work:
                    texts[cited.url] = (work,)
            elif cited.is_written:
                file = self._read_working_file(cited) or self._missing_file(cited)
                if file:
                    texts[address] = (file,)
        return texts

    def _read_addressed(self, cited_references: Iterable[CitedReference]) -> Texts:
        """Return the documents whose own address is that of a reference."""
        of_web = {cited.url for cited in cited_references if cited.url and not cited.file}
        urls = [url for url in of_web if work_key(url) not in self._paths]
        return {
            url: (replace(document, is_copy=True, fetched=self._now),)
            for url, document in documents_at(self._folder, urls).items()
        }

    def _document_name(self, cited: CitedReference) -> str:
        """Return the document that a reference's address names, such as ``documents/tea.md``."""
        address = cited.reference.url or ""
        is_document = address.removeprefix("./").startswith(f"{self._title}/")
        return address if is_document else ""

    def _read_file(self, name: str) -> Fetched:
        """Return the text of the document `name`, or why it cannot be read."""
        state = self._files.state(name)
        if state.defect:
            outcome = Outcome.GONE if state.is_missing else Outcome.FAILED
            return Fetched(name, outcome, state.defect, fetched=self._now)
        try:
            fetched = self._folder.read(self._files.inner(name))
        except Unfetched as error:
            reason = f"{name} cannot be read: {error.reason}"
            return Fetched(name, error.outcome, reason, fetched=self._now, response=state.sha256)
        except OSError as error:
            reason = f"{name} cannot be read: {error.strerror}"
            return Fetched(name, Outcome.FAILED, reason, fetched=self._now)
        return replace(fetched, is_copy=True, fetched=self._now, response=state.sha256)

    def _read_work(self, url: str) -> Fetched | None:
        """Return the document that is the work at an address; ``None`` if it cannot be read."""
        path = self._paths.get(work_key(url))
        if path:
            with suppress(OSError, Unfetched):  # the address is asked instead
                return replace(self._folder.read(path), is_copy=True, fetched=self._now)
        return None

    def _read_working_file(self, cited: CitedReference) -> Fetched | None:
        """Return the file of the base's own repository that a reference quotes.

        It is read as it is in the working tree.
        """
        if not cited.reference.quotes:
            return None
        address = cited.reference.url or ""
        file = self._working_tree.read(cited_path(address), cited.uri)
        if file is None:
            return None
        path, text = file
        return Fetched(
            address,
            Outcome.OK,
            text=text,
            visible=text,
            title=path,
            fetched=self._now,
            is_from_working_tree=True,
        )

    def _missing_file(self, cited: CitedReference) -> Fetched | None:
        """Return that nothing is at an address that is not on the web.

        Addresses with another scheme, such as ``mailto:``, are not looked at.
        """
        address = cited.reference.url or ""
        path = cited_path(address)
        if not path or path in RESERVED_URIS:
            return None
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(cited.uri), path))
        is_page = self._pages.has_in_folder(beside) or self._pages.has_in_folder(path)
        if is_page or self._files.has(path):
            return None
        defect = f"{address} is neither a web address nor a file of the base"
        return Fetched(address, Outcome.GONE, defect, fetched=self._now)


def save_report(settings: Settings, results: Mapping[str, PageResult]) -> None:
    """Merge the results for pages into the project's report, which keeps those of other pages.

    A page none of whose sources could be read has no result, and stays as it is in the report.
    """
    old, _ = decode_report(read_report(settings.root))  # a damaged one is rewritten
    completed = complete_from_earlier(results, old)
    states = {
        uri: page
        for uri, page in completed.items()
        if any(work.is_read for work in page.references)
    }
    if states:
        merged = merge_report(old, states, {*read_tree(settings).pages, *results})
        write_changed(settings.root / REPORT, encode_report(merged))
