"""Which files of the documentation folder a site shows: what ``mkdocs.yml`` excludes is left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pathspec.gitignore import GitIgnoreSpec

from generator.store.settings import Settings
from generator.store.tree import files_below

_ALWAYS = (".*", "/templates/")
"""What MkDocs always excludes: https://www.mkdocs.org/user-guide/configuration/#exclude_docs."""


def published(settings: Settings, uris: Iterable[str]) -> tuple[str, ...]:
    """Those of the pages `uris` that a site shows: no drafts, and no ``README.md`` beside an ``index.md``."""
    every = set(uris)
    excluded = _excluded(settings)
    kept = sorted(uri for uri in every if not excluded.match_file(uri))
    return tuple(uri for uri in kept if not (_is_readme(uri) and f"{uri.removesuffix('README.md')}index.md" in every))


def other_files(settings: Settings) -> Iterator[tuple[str, bytes]]:
    """The files beside the pages, by path in the documentation folder; hidden ones are passed over."""
    excluded = _excluded(settings)
    docs = settings.root / settings.docs_dir
    for path in files_below(docs, ""):
        if not path.endswith(".md") and not excluded.match_file(path) and (docs / path).is_file():
            yield path, (docs / path).read_bytes()


def _excluded(settings: Settings) -> GitIgnoreSpec:
    lines = [*_ALWAYS, *settings.exclude_docs.splitlines(), *settings.draft_docs.splitlines()]
    return GitIgnoreSpec.from_lines(lines)


def _is_readme(uri: str) -> bool:
    return uri.rpartition("/")[2] == "README.md"
