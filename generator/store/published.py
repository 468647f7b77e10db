"""Files of the documentation folder that the site publishes: all but those that ``mkdocs.yml`` excludes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pathspec.gitignore import GitIgnoreSpec

from generator.store.settings import Settings
from generator.store.tree import files_below

_ALWAYS = (".*", "/templates/")
"""Patterns that MkDocs always excludes: https://www.mkdocs.org/user-guide/configuration/#exclude_docs."""


def published(settings: Settings, uris: Iterable[str]) -> tuple[str, ...]:
    """Those of the pages `uris` that a site shows: no drafts, and no ``README.md`` beside an ``index.md``."""
    every = set(uris)
    excluded = _excluded(settings)
    kept = sorted(uri for uri in every if not excluded.match_file(uri))
    return tuple(uri for uri in kept if not (_is_readme(uri) and f"{uri.removesuffix('README.md')}index.md" in every))


def other_files(settings: Settings) -> Iterator[tuple[str, bytes]]:
    """Return the files other than pages, by path in the documentation folder; hidden ones are skipped."""
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
