"""Read the sources that pages and reports cite: from local mirrors, documents, saved copies, stored texts, the web."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from planbook.citations.identifiers import work_key
from planbook.citations.references import cited_path
from planbook.citations.report import PageResult, decode_report, encode_report, merge_report
from planbook.citations.repository_files import RepositoryFile
from planbook.library import RESERVED
from planbook.model import format_time
from planbook.research.mirrors import MirrorError
from planbook.research.proof.verify import Answers, Claim
from planbook.research.search.documents import Folder, Mirrors
from planbook.research.web import archive, documents  # noqa: F401 - processes that read could not report a missing package
from planbook.research.web.client import open_fetcher, read_by_host
from planbook.research.web.doubts import doubt_repeated
from planbook.research.web.model import Fetched, Outcome, Unfetched
from planbook.store import RefusedError, Settings, read_tree
from planbook.store.documents import CitedFiles
from planbook.store.files import REPORT, read_report, write_changed
from planbook.store.options import read_options
from planbook.store.own_files import OwnFiles

Texts = dict[str, tuple[Fetched, ...]]
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+(?:/[\w./-]+)?")


@dataclass(frozen=True, slots=True)
class SourceReader:
    """Reads sources for one command."""

    settings: Settings
    tell: Callable[[str], None]
    """Receives messages about documents that cannot be used."""
    progress: Callable[[], AbstractContextManager[Callable[[str], None]]] = lambda: nullcontext(lambda text: None)
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

    def read_claimed(self, claims: Iterable[Claim], *, newer: bool = False, may_be_old: bool = False) -> Answers:
        """Return what the claims cite: from a mirror or document, else a copy, else as stored or as fetched now.

        With `newer`, a file of a mirror is followed by its newest version. A commit that a mirror does not contain may
        be a fork's, so only a copy can replace it. See `read_addresses` for `may_be_old`.
        """
        claims = list(claims)
        answers = self.read_mirrored([claim.pin for claim in claims if claim.pin], newer=newer)
        lacking = {pin for pin, found in answers.items() if found[0].outcome is Outcome.REFUSED}
        refused = {claim.url: claim.pin for claim in claims if claim.url and claim.pin in lacking}
        answers.update(self._documents([c for c in claims if c.file or c.pin not in answers]).items())
        unread = [claim for claim in claims if not claim.find(answers) or claim.file_defect(answers)]
        urls = [claim.url for claim in unread if claim.url and claim.pin not in answers and claim.url not in answers]
        answers.update(self.read_addresses(urls, may_be_old=may_be_old).items())
        answers.update((refused[url], found) for url, found in self._copied(list(refused)).items())
        current = doubt_repeated(found[0] for found in answers.values())
        return {key: (first, *found[1:]) for (key, found), first in zip(answers.items(), current, strict=True)}

    def read_mirrored(self, files: Iterable[RepositoryFile], *, newer: bool = False) -> Answers:
        """Return the files of mirrored repositories, at their commit or the last one of their branch or tag.

        With `newer`, each is followed by its newest version.

        Raises:
            MirrorError: a mirror cannot be read.
        """
        texts: Answers = {}
        pins: dict[RepositoryFile, RepositoryFile] = {}
        with closing(Mirrors(self.mirror_paths())) as mirrors:
            for file in filter(mirrors.find, files):
                try:
                    pins[file] = file if file.is_pinned else mirrors.at_commit(file)
                except MirrorError as error:
                    texts[file] = (Fetched(file.url, Outcome.GONE, str(error)),)
            read = dict(mirrors.read_pins(pins.values()))
            for file, pin in pins.items():
                newest = mirrors.read_newest(pin) if newer and read[pin].origin else None
                texts[file] = (read[pin], newest) if newest else (read[pin],)
        return texts

    def mirror_paths(self) -> dict[str, Path]:
        """Return the folders of mirrors by repository: those of `expand.search.repositories`, and those of the command.

        Raises:
            RefusedError: an entry names no repository or no folder.
        """
        settings, key = self.settings, "`expand.search.repositories`"
        named = {
            name: (f"{settings.config}: {key}", str(settings.root / option.path))
            for name, option in read_options(settings).search.mirrors.items()
        }
        for entry in self.mirrors:
            name, _, path = entry.partition("=")
            named[name] = ("--mirror", path)
        for name, (source, path) in named.items():
            if not _REPOSITORY.fullmatch(name):
                raise RefusedError(f"{source} names {name!r}, which is not a repository; write OWNER/REPO")
            if not path or not Path(path).is_dir():
                raise RefusedError(f"{source} {name}: there is no folder {path}")
        return {name: Path(path) for name, (_, path) in named.items()}

    def read_addresses(self, urls: Iterable[str], *, may_be_old: bool = False) -> Texts:
        """Return the result for each address: from a copy if there is one, else as stored or as fetched now.

        With `may_be_old`, documents that the archive has are not fetched again until `expand.max_age_days`.
        """
        wanted = sorted(set(urls))
        texts = self._copied(wanted)
        rest = [url for url in wanted if url not in texts]
        if not self.offline:
            return texts | self._fetched(rest, may_be_old=may_be_old)
        stored = archive.Archive(self.settings.root)
        return texts | {url: (kept,) for url in rest if (kept := stored.get(url))}

    def _documents(self, claims: Iterable[Claim]) -> Texts:
        """Return the local documents that the claims cite, by name or address.

        A file that a claim names is read, or the reason why it cannot be. Of other claims, the file that is the same
        work is read if it can be. Report defects of the exports in their folder.
        """
        title = read_options(self.settings).search.documents
        folder = Folder(self.settings.root / title, title)
        folder.files()
        for message in folder.messages:
            self.tell(f"{title}/{message}")
        works = {work_key(url): path for path, work in folder.works.items() if (url := work.csl_item().get("URL"))}
        files, pages = CitedFiles(self.settings.root, title), CitedFiles(self.settings.root, self.settings.docs_dir)
        own = OwnFiles(self.settings.root, self.settings.docs_dir.strip("/"), title)
        now = format_time()
        texts: Texts = {}
        for claim in claims:
            name = claim.file or self._local_name(claim, title)
            path = works.get(work_key(claim.url)) if claim.url else None
            if name and name not in texts:
                texts[name] = (_read_file(folder, files, name, now),)
            elif not name and claim.url and path and claim.url not in texts:
                with suppress(OSError, Unfetched):  # the address is asked instead
                    texts[claim.url] = (replace(folder.read(path), is_copy=True, fetched=now),)
            elif not name and (of_own := _read_own(own, claim, now)):
                texts[claim.reference.url or ""] = (of_own,)
            elif not name and claim.is_written and (what := _describe_nowhere(claim, pages, files)):
                address = claim.reference.url or ""
                texts[address] = (Fetched(address, Outcome.GONE, what, fetched=now),)
        return texts

    @staticmethod
    def _local_name(claim: Claim, title: str) -> str:
        """Return the local document that a claim's address names, such as ``documents/tea.md``; empty if it is none."""
        address = claim.reference.url or ""
        return address if address.removeprefix("./").startswith(f"{title}/") else ""

    def _copied(self, urls: Sequence[str]) -> Texts:
        copies = archive.read_copies(self.copies, urls) if self.copies else {}
        return {url: (fetched,) for url, fetched in copies.items()}

    def _fetched(self, urls: Sequence[str], *, may_be_old: bool) -> Texts:
        """Fetch and archive the addresses."""
        given = {"contact": self.contact, "pause": self.pause, "allow_loopback": self.allow_loopback}
        options = read_options(self.settings, given | ({} if may_be_old else {"max_age_days": 0.0}))
        answers: Texts = {}
        with open_fetcher(self.settings, options, os.environ) as fetcher, self.progress() as progress:
            for url, fetched in read_by_host(urls, fetcher.fetch):
                answers[url] = (fetched,)
                progress(f"{len(answers)} of {len(urls)} addresses")
        return answers


def _read_file(folder: Folder, files: CitedFiles, name: str, now: str) -> Fetched:
    """Return the text of the local document `name`, or why it cannot be read."""
    state = files.state(name)
    if state.defect:
        outcome = Outcome.GONE if state.is_missing else Outcome.FAILED
        return Fetched(name, outcome, state.defect, fetched=now)
    try:
        found = folder.read(files.inner(name))
    except Unfetched as error:
        reason = f"{name} cannot be read: {error.reason}"
        return Fetched(name, error.outcome, reason, fetched=now, response=state.sha256)
    except OSError as error:
        return Fetched(name, Outcome.FAILED, f"{name} cannot be read: {error.strerror}", fetched=now)
    return replace(found, is_copy=True, fetched=now, response=state.sha256)


def _read_own(own: OwnFiles, claim: Claim, now: str) -> Fetched | None:
    """Return the file of the base's own repository that a claim quotes, as it is in the working tree."""
    address = claim.reference.url or ""
    is_path = claim.is_written and not claim.url and bool(claim.reference.quotes)
    found = own.read(cited_path(address), claim.uri) if is_path else None
    if found is None:
        return None
    path, text = found
    return Fetched(address, Outcome.OK, text=text, visible=text, title=path, fetched=now, is_own=True)


def _describe_nowhere(claim: Claim, pages: CitedFiles, files: CitedFiles) -> str:
    """Return why nothing is at a claim's address that is not on the web; empty if it is that of a file of the project.

    Addresses with another scheme, such as ``mailto:``, are not looked at.
    """
    address = claim.reference.url or ""
    path = cited_path(address)
    if claim.url or not path:
        return ""
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(claim.uri), path))
    if path in RESERVED or pages.has_in_folder(beside) or pages.has_in_folder(path) or files.has(path):
        return ""
    return f"{address} is neither a web address nor a file of the base"


def save_report(settings: Settings, found: Mapping[str, PageResult]) -> None:
    """Merge the results for pages into the project's report, which keeps those of other pages.

    A page none of whose sources could be read has no result, and stays as it is in the report.
    """
    read = {uri: page for uri, page in found.items() if any(work.is_read for work in page.references)}
    if read:
        old, _ = decode_report(read_report(settings.root))  # a damaged one is rewritten
        merged = merge_report(old, read, {*read_tree(settings).pages, *found})
        write_changed(settings.root / REPORT, encode_report(merged))
