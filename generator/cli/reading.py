"""Read sources for commands: shared options, local mirrors, saved copies, stored texts, and the web."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import click

from generator.cli.project import CONTACT, LOOPBACK, progress_line
from generator.model import format_time
from generator.store import RefusedError, Settings
from generator.web.model import Fetched, Outcome, Unfetched

if TYPE_CHECKING:
    from generator.citations.identifiers import RepositoryFile
    from generator.research.verify import Answers, Claim
    from generator.search.documents import Folder
    from generator.search.options import SearchOptions

Texts = dict[str, tuple[Fetched, ...]]


class SourceOptions(TypedDict):
    """The values of `source_options`."""

    offline: bool
    mirrors: tuple[str, ...]
    copies: Path | None
    contact: str | None
    pause: float | None
    allow_loopback: bool | None


NAME = re.compile(r"[\w.-]+/[\w.-]+(?:/[\w./-]+)?")
MIRROR = click.option(
    "--mirror",
    "mirrors",
    multiple=True,
    metavar="OWNER/REPO=PATH",
    help="A local clone or bare mirror, to check files at a commit; can be repeated.",
)


def mirror_paths(settings: Settings, given: Sequence[str]) -> dict[str, Path]:
    """Return the folders of mirrors by repository: of the repositories to search, `verify.mirrors`, and `given`.

    Raises:
        RefusedError: an entry names no repository or no folder.
    """
    configured = settings.verify.get("mirrors") or {}
    if not isinstance(configured, Mapping):
        raise RefusedError(f"{settings.config}: `verify.mirrors` must be a mapping from OWNER/REPO to folders")
    searched = {name: option.path for name, option in _search_options(settings).repositories.items()}
    named = {
        str(name): (f"{settings.config}: `{key}`", str(settings.root / str(path or "?")))
        for key, entries in (("expand.search.repositories", searched), ("verify.mirrors", configured))
        for name, path in entries.items()
    }
    for entry in given:
        name, _, path = entry.partition("=")
        named[name] = ("--mirror", path)
    for name, (source, path) in named.items():
        if not NAME.fullmatch(name):
            raise RefusedError(f"{source} names {name!r}, which is not a repository; write OWNER/REPO")
        if not path or not Path(path).is_dir():
            raise RefusedError(f"{source} {name}: there is no folder {path}")
    return {name: Path(path) for name, (_, path) in named.items()}


def _search_options(settings: Settings) -> SearchOptions:
    """Return the project's search options. Raises OptionError."""
    from generator.expand.options import read_search

    return read_search(settings, settings.expand.get("search") or {})


def source_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options for reading sources."""
    offline = "Make no requests: check against the texts stored in .planbook/."
    copies = "Read saved copies instead of the web: WARC files, or a manifest.csv with address, date and file."
    pause = "Seconds between requests to the same host; by default as configured for `expand`."
    every = (
        click.option("--offline", is_flag=True, help=offline),
        MIRROR,
        click.option("--copies", type=click.Path(path_type=Path), metavar="FOLDER", help=copies),
        CONTACT,
        click.option("--pause", type=click.FloatRange(min=0), help=pause),
        LOOPBACK,
    )
    for option in reversed(every):
        command = option(command)
    return command


def read_claimed(
    settings: Settings,
    claims: Iterable[Claim],
    options: SourceOptions,
    *,
    newer: bool = False,
    may_be_old: bool = False,
) -> Answers:
    """Return what the claims cite: from a mirror or local document, else a copy, else as stored or as fetched now.

    With `newer`, files of mirrors are followed by their later versions. A commit that a mirror does not contain may be
    a fork's, so only a copy can replace it. See `read_addresses` for `may_be_old`.
    """
    claims = list(claims)
    pins = [claim.pin for claim in claims if claim.pin]
    answers = read_mirrored(mirror_paths(settings, options["mirrors"]), pins, newer=newer)
    lacking = {pin for pin, found in answers.items() if found[0].outcome is Outcome.REFUSED}
    refused = {claim.url: claim.pin for claim in claims if claim.url and claim.pin in lacking}
    answers.update(_documents(settings, [claim for claim in claims if claim.pin not in answers]).items())
    urls = [claim.url for claim in claims if claim.url and claim.pin not in answers and claim.url not in answers]
    answers.update(read_addresses(settings, urls, options, may_be_old=may_be_old).items())
    answers.update((refused[url], found) for url, found in _copied(options["copies"], list(refused)).items())
    return answers


def read_mirrored(paths: Mapping[str, Path], files: Iterable[RepositoryFile], *, newer: bool = False) -> Answers:
    """Return the files of mirrored repositories, at their commit or the last one of their branch or tag.

    With `newer`, each is followed by its versions at later commits.

    Raises:
        MirrorError: A mirror cannot be read.
    """
    from generator.search.documents import Mirrors
    from generator.store.mirrors import MirrorError

    texts: Answers = {}
    pins: dict[RepositoryFile, RepositoryFile] = {}
    with closing(Mirrors(paths)) as mirrors:
        for file in filter(mirrors.find, files):
            try:
                pins[file] = file if file.is_pinned else mirrors.find_version(file, ())
            except MirrorError as error:
                texts[file] = (Fetched(file.url, Outcome.GONE, str(error)),)
        read = dict(mirrors.read_pins(pins.values()))
        for file, pin in pins.items():
            later = mirrors.read_versions(pin) if newer and read[pin].origin else ()
            texts[file] = (read[pin], *later)
    return texts


def read_folder(settings: Settings) -> tuple[Folder, Collection[str]]:
    """Return the folder of documents and the paths of its files; report defects of the exports in it."""
    from generator.search.documents import Folder

    title = _search_options(settings).documents
    folder = Folder(settings.root / title, title)
    files = folder.files()
    for message in folder.messages:
        click.echo(f"{title}/{message}", err=True)
    return folder, files


def _documents(settings: Settings, claims: Iterable[Claim]) -> Texts:
    """Return the local documents that the claims cite: the file that they name, else one that is the same work."""
    from generator.citations.identifiers import work_key

    folder, files = read_folder(settings)
    works = {work_key(url): path for path, work in folder.works.items() if (url := work.csl_item().get("URL"))}
    now = format_time()
    texts: Texts = {}
    for claim in claims:
        named = claim.file.removeprefix(f"{folder.title}/")
        path = named if named in files else works.get(work_key(claim.url)) if claim.url else None
        with suppress(OSError, Unfetched):  # the address is asked instead
            if path and (claim.url or claim.file) not in texts:
                texts[claim.url or claim.file] = (replace(folder.read(path), is_copy=True, fetched=now),)
    return texts


def read_addresses(
    settings: Settings, urls: Iterable[str], options: SourceOptions, *, may_be_old: bool = False
) -> Texts:
    """Return the result for each address: from a copy if there is one, else as stored or as fetched now.

    With `may_be_old`, documents that the archive has are not fetched again until `expand.max_age_days`.
    """
    wanted = sorted(set(urls))
    texts = _copied(options["copies"], wanted)
    rest = [url for url in wanted if url not in texts]
    return texts | (_stored(settings, rest) if options["offline"] else _fetched(settings, rest, options, may_be_old))


def _copied(folder: Path | None, urls: Sequence[str]) -> Texts:
    """Return the copies of the addresses; none without a folder."""
    from generator.web.archive import read_copies

    return {url: (fetched,) for url, fetched in read_copies(folder, urls).items()} if folder else {}


def _stored(settings: Settings, urls: Sequence[str]) -> Texts:
    """Return the last results for the addresses."""
    from generator.web.archive import Archive

    archive = Archive(settings.root)
    kept = {url: archive.get(url) for url in urls}
    return {url: (fetched,) for url, fetched in kept.items() if fetched}


def _fetched(settings: Settings, urls: Sequence[str], options: SourceOptions, may_be_old: bool) -> Texts:
    """Fetch and archive the addresses."""
    from generator.expand.options import open_fetcher, read_options
    from generator.web import documents  # noqa: F401 - processes that read sources could not report a missing package

    given = {key: options[key] for key in ("contact", "pause", "allow_loopback")}
    given |= {} if may_be_old else {"max_age_days": 0.0}
    answers: Texts = {}
    with open_fetcher(settings, read_options(settings, given), os.environ) as fetcher, progress_line() as progress:
        for fetched in fetcher.fetch_all(urls):
            answers[fetched.url] = (fetched,)
            progress(f"{len(answers)} of {len(urls)} addresses")
    return answers
