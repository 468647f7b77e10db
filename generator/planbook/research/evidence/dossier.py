"""The dossier of a page: the works that were gathered for it.

For each point, it has the passages that may answer it.

::

    search, fetch ─> Dossier ─ DossierStore ─> brief, read, find, finish

A dossier names its works by their addresses and the hashes of their texts. The texts are beside it,
each stored once, so that reading it again asks nobody. Passages are not stored: ranking is pure,
and the same texts give the same ones.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import msgspec

from planbook.research.drafts import Brief, Evidence, Excerpt, Ranked, Source
from planbook.research.evidence.passages import excerpts, is_change_log
from planbook.research.evidence.rank import (
    PointQuery,
    RankedPoint,
    best_of_point,
    rank,
    rank_points,
    without_repetition,
)
from planbook.research.evidence.subject import factors_of
from planbook.research.search.api_answers import Searched
from planbook.research.web.model import Fetched, Outcome
from planbook.store import write_atomic
from planbook.store.files import hold_lock

VERSION = 1
_CHANGE_LOG = 0.5
"""Factor of the scores of passages of a change log."""


@dataclass(frozen=True, slots=True)
class UnreadWork:
    """A document that was found and could not be read."""

    url: str
    outcome: Outcome
    reason: str = ""


@dataclass(frozen=True)
class Dossier:
    """The evidence for one page."""

    brief: Brief
    gathered: str = ""
    """The time in UTC, as ``YYYY-MM-DDTHH:MM:SSZ``; empty if nothing was gathered yet."""
    sources: tuple[Source, ...] = ()
    """The works that were read."""
    searched: tuple[Searched, ...] = ()
    unread: tuple[UnreadWork, ...] = ()
    added: frozenset[str] = field(default_factory=frozenset)
    """Ids of works that somebody added by hand; gathering again keeps them."""

    @cached_property
    def points(self) -> tuple[RankedPoint, ...]:
        """The points of the outline, each with all passages that share a word with it."""
        return rank_points(self.brief, self.sources)

    @cached_property
    def evidence(self) -> tuple[Evidence, ...]:
        """The best passages for each point of the outline."""
        return tuple(map(best_of_point, self.points))

    @cached_property
    def passages(self) -> PassageIndex:
        """All passages of its works, by id; also those of change logs, which no brief has."""
        return PassageIndex(self.sources, has_change_logs=True)

    def find(self, question: str) -> tuple[Ranked, ...]:
        """Return the passages that share a word with a question, best first, without repetition.

        Those of change logs count half: each is true of one version.
        """
        all_passages = list(self.passages.by_id.values())
        factors = dict(factors_of(self.brief, self.sources))
        for source in filter(is_change_log, self.sources):
            factors[source.id] = _CHANGE_LOG * factors.get(source.id, 1.0)
        ranked = rank(all_passages, [PointQuery(question, title=self.brief.title)], factors)[0]
        return without_repetition(ranked, len(ranked))

    def with_source(self, source: Source) -> Dossier:
        """Return the dossier with another work, in place of an older reading of it."""
        other_sources = tuple(other for other in self.sources if other.id != source.id)
        return replace(self, sources=(*other_sources, source), added=self.added | {source.id})

    def regathered(self, newer: Dossier) -> Dossier:
        """Return a newer dossier of the same page, with the works added to this one by hand."""
        newer_ids = {source.id for source in newer.sources}
        texts = {source.fetched.sha256 for source in newer.sources}
        by_hand = self.added - newer_ids
        added = [source for source in self.sources if source.id in by_hand]
        changed_sources = [source for source in added if source.fetched.sha256 not in texts]
        names = frozenset(source.id for source in changed_sources)
        return replace(newer, sources=(*newer.sources, *changed_sources), added=names)


class PassageIndex:
    """The passages of some works under ids: ``kiln-manual#14`` is the 14th passage of that work."""

    def __init__(self, sources: Sequence[Source], *, has_change_logs: bool = False) -> None:
        self.by_id: dict[str, Excerpt] = {}
        self._ids: dict[tuple[str, int], str] = {}
        for source in sources:
            has_changes = has_change_logs and is_change_log(source)
            for number, excerpt in enumerate(excerpts(source, 1, has_changes=has_changes), 1):
                name = f"{source.id}#{number}"
                self.by_id[name] = excerpt
                self._ids[_beginning_of(excerpt)] = name

    def id_of(self, excerpt: Excerpt) -> str:
        """Return the id of an excerpt of one of the works, wherever it was numbered."""
        return self._ids[_beginning_of(excerpt)]

    def of_work(self, name: str) -> Mapping[str, Excerpt]:
        """Return the passages of one work, in order."""
        return {id_: excerpt for id_, excerpt in self.by_id.items() if excerpt.source == name}


def _beginning_of(excerpt: Excerpt) -> tuple[str, int]:
    """Return an excerpt's source and where it begins, which no other excerpt shares."""
    return excerpt.source, excerpt.passages[0].start


# --- on disk --------------------------------------------------------------------------------------


class _Work(msgspec.Struct, frozen=True):
    """A work as it is stored.

    `text` and `visible` of what was fetched are the hashes of these texts.
    """

    id: str
    fetched: Fetched
    queries: tuple[str, ...] = ()


class _Stored(msgspec.Struct, frozen=True):
    """A dossier as it is stored."""

    version: int
    plan: str
    part: int
    page: str
    gathered: str
    works: tuple[_Work, ...]
    searched: tuple[Searched, ...]
    unread: tuple[UnreadWork, ...]
    added: tuple[str, ...] = ()


class DossierStore:
    """Dossiers in a folder, a file for each page."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, brief: Brief) -> Dossier | None:
        """Return the dossier of a page; ``None`` if there is none.

        One whose texts are missing or damaged is none.
        """
        path = self._folder / _dossier_path(brief)
        try:
            stored = msgspec.json.decode(path.read_bytes(), type=_Stored)
        except (FileNotFoundError, NotADirectoryError, msgspec.DecodeError):
            return None
        if stored.version != VERSION:
            return None
        sources = []
        for work in stored.works:
            source = self._load_source(work)
            if source is None:
                return None
            sources.append(source)
        return Dossier(
            brief,
            stored.gathered,
            tuple(sources),
            stored.searched,
            stored.unread,
            frozenset(stored.added),
        )

    def renew(self, dossier: Dossier) -> Dossier:
        """Write a dossier in place of an older one of its page, and return it as written.

        Works that somebody added to the older one stay. Raises UnwritableError.
        """
        with self.changing(dossier.brief):
            older = self.load(dossier.brief)
            renewed = older.regathered(dossier) if older else dossier
            self.save(renewed)
        return renewed

    @contextmanager
    def changing(self, brief: Brief) -> Iterator[None]:
        """Let nobody else change the dossier of a page meanwhile. Raises UnwritableError.

        An agent reads several works at the same time, and each reading adds one.
        """
        with hold_lock((self._folder / _dossier_path(brief)).with_suffix(".lock")):
            yield

    def save(self, dossier: Dossier) -> None:
        """Write a dossier, its texts first. Raises UnwritableError."""
        brief = dossier.brief
        stored = _Stored(
            version=VERSION,
            plan=brief.plan.slug,
            part=brief.part.number,
            page=str(brief.page),
            gathered=dossier.gathered,
            works=tuple(self._save_source(source) for source in dossier.sources),
            searched=dossier.searched,
            unread=dossier.unread,
            added=tuple(sorted(dossier.added)),
        )
        content = msgspec.json.format(msgspec.json.encode(stored), indent=1)
        write_atomic(self._folder / _dossier_path(brief), content + b"\n", is_durable=False)

    def _save_source(self, source: Source) -> _Work:
        """Return a work as it is stored, after writing its texts."""
        fetched = source.fetched
        text = self._save_text(fetched.text)
        visible = self._save_text(fetched.visible)
        return _Work(source.id, replace(fetched, text=text, visible=visible), source.queries)

    def _save_text(self, text: str) -> str:
        """Write a text under its hash, and return the hash."""
        content = text.encode("utf-8", "surrogatepass")
        sha256 = hashlib.sha256(content).hexdigest()
        path = self._folder / _text_path(sha256)
        if not path.is_file():
            write_atomic(path, content, is_durable=False)
        return sha256

    def _load_source(self, work: _Work) -> Source | None:
        """Return a stored work with its texts; ``None`` if one is missing or damaged."""
        text = self._load_text(work.fetched.text)
        visible = self._load_text(work.fetched.visible)
        if text is None or visible is None:
            return None
        return Source(work.id, replace(work.fetched, text=text, visible=visible), work.queries)

    def _load_text(self, sha256: str) -> str | None:
        """Return the text with this hash; ``None`` if it is missing or damaged."""
        try:
            content = (self._folder / _text_path(sha256)).read_bytes()
        except OSError:
            return None
        is_whole = hashlib.sha256(content).hexdigest() == sha256
        return content.decode("utf-8", "surrogatepass") if is_whole else None


def _text_path(sha256: str) -> str:
    """Return the path of a text, by its hash."""
    return f"texts/{sha256}.txt"


def _dossier_path(brief: Brief) -> str:
    """Return the path of a page's dossier: two pages of one PART have one each."""
    plan = _as_file_name(brief.plan.slug)
    page = _as_file_name(brief.page)
    return f"dossiers/{plan}/{brief.part.number}-{page}.json"


def _as_file_name(path: str) -> str:
    """Return a path as the name of one file: ``tea/green.md`` becomes ``tea-green.md``."""
    return re.sub(r"[^\w.-]+", "-", path).strip("-.")
