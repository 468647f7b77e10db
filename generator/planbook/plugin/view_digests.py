"""Digests of the values that views render: if they are the same, a page is not rendered again."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Protocol, cast

from planbook.library import EntryOf, LibraryOf, LibraryWithProblems, NamedPage
from planbook.library.projections import PageInLists
from planbook.plugin.generated_files import DIGEST_CHARACTERS, TABLE
from planbook.views.bibliography.works import CitingPage
from planbook_cache.entries import Incomparable, digest_of
from planbook_cache.functions import FunctionCache


class _FileOfSite(Protocol):
    """A plan, a drop, or a page of any kind."""

    @property
    def uri(self) -> str:
        """Its path."""


class ViewDigests:
    """The digests of the values that views render, for one build.

    Those of libraries and entries are made of the digests of their parts, which many of them have.

    Args:
        cache: keeps the digests of values that are the last build's.
    """

    def __init__(self, cache: FunctionCache) -> None:
        self._cache = cache
        self._shared: list[tuple[object, str | Incomparable]] = []
        """Values that many views render, each with its digest."""
        self._files: dict[Hashable, tuple[object, str]] = {}
        """Plans, pages and drops with their digests, by the kind of their library and uri."""

    def share(self, name: str, value: object) -> None:
        """Compute the digest of a value that many views render, once for all of them."""
        self._shared.append((value, self.of(value, ("shared", name))))

    def of(self, value: object, key: Hashable) -> str | Incomparable:
        """Return the digest of a value; `key` is that of the place where it is rendered."""
        for shared, digest in self._shared:
            if shared is value:
                return digest
        return self._digest(value, key) or Incomparable()

    def named(self, value: object, name: str) -> dict[str, str]:
        """Return the start of the digest of each component of a value, by its name.

        The names of a library's components are those of its files; `name` is for any other value.
        """
        match value:
            case LibraryOf():
                files_by_kind = [("plan", value.plans), (type(value).__name__, value.pages)]
                if isinstance(value, LibraryWithProblems):
                    files_by_kind.append(("drop", value.drops))
                digests = ((kind, self._digest_files(files, kind)) for kind, files in files_by_kind)
                return {
                    f"{TABLE}{kind}": digest_of(of_files)[:DIGEST_CHARACTERS]
                    for kind, of_files in digests
                }
            case EntryOf():
                files = [("plan", value.plan), ("entry", value.page), ("drop", value.drop)]
                return {
                    str(file.uri): self._digest_files([file], kind)[0][:DIGEST_CHARACTERS]
                    for kind, file in files
                    if file is not None
                }
            case _:
                of_shared = [digest for shared, digest in self._shared if shared is value]
                digest = str(of_shared[0]) if of_shared else digest_of(value)
                return {name: digest[:DIGEST_CHARACTERS]}

    def tables(self) -> dict[str, dict[str, str]]:
        """Return the start of the digest of each file, by the kind of its library and uri."""
        tables: dict[str, dict[str, str]] = {}
        for key, (_, digest) in self._files.items():
            kind, uri = cast("tuple[Hashable, str]", key)
            if isinstance(kind, str):
                tables.setdefault(f"{TABLE}{kind}", {})[str(uri)] = digest[:DIGEST_CHARACTERS]
        return tables

    def _digest(self, value: object, key: Hashable) -> str:
        match value:
            case LibraryOf():
                return self._digest_library(value)
            case EntryOf():
                return self._digest_entry(value)
            case tuple() if value and isinstance(value[0], CitingPage | PageInLists):
                return digest_of(self._digest_files(value, key))
            case _:
                [digest] = self._cache.from_last_build(digest_of, {key: (value,)})
                return digest

    def _digest_library(self, library: LibraryOf[NamedPage]) -> str:
        checked = library if isinstance(library, LibraryWithProblems) else None
        return digest_of(
            self._digest_files(library.plans, "plan"),
            self._digest_files(library.pages, type(library).__name__),
            self._digest_files(checked.drops if checked else (), "drop"),
            digest_of(checked.problems if checked else ()),
        )

    def _digest_entry(self, entry: EntryOf[NamedPage]) -> str:
        return digest_of(
            self._digest_files([entry.plan], "plan"),
            self._digest_files([entry.page] if entry.page else [], "entry"),
            self._digest_files([entry.drop] if entry.drop else [], "drop"),
            (entry.part, entry.uri, entry.title),
        )

    def _digest_files(self, files: Sequence[_FileOfSite], kind: Hashable) -> list[str]:
        """Return the digests of plans, pages or drops; what a page has depends on its `kind`."""
        new: dict[Hashable, tuple[object]] = {}
        for file in files:
            previous_file, _ = self._files.get((kind, file.uri), (None, ""))
            if previous_file is not file:
                new[kind, file.uri] = (file,)
        digests = self._cache.from_last_build(digest_of, new)
        for (key, (value,)), digest in zip(new.items(), digests, strict=True):
            self._files[key] = value, digest
        return [self._files[kind, file.uri][1] for file in files]
