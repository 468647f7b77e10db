"""Which files of a project PATHS name: its plans, its drops, its pages; and plans from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from generator.model import Tree
from generator.store import Settings, read_plans, read_tree


@dataclass(frozen=True, slots=True)
class Named:
    """A project with the files that are meant."""

    tree: Tree
    """The whole project, and the plans from elsewhere."""
    plans: Mapping[str, str]
    """The uri of each plan that is meant, by the path to show for it."""
    uris: frozenset[str] | None = None
    """The files that are meant, pages by their path in the project; ``None`` where all are."""
    elsewhere: frozenset[str] = frozenset()
    """The plans from elsewhere: their paths are as given."""

    @property
    def is_empty(self) -> bool:
        """Whether no file is meant at all."""
        return not (self.tree.plans or self.tree.drops or self.tree.pages) if self.uris is None else not self.uris


def named_files(settings: Settings, paths: Sequence[Path]) -> Named:
    """The project, and which of its files `paths` mean; all where there are none. Raises click.UsageError.

    Below the plans' folder lie plans and drops, below the pages' folder pages; a folder means what lies below it. Any
    other file is read as a plan that is not in its place yet, and a folder without either as a folder of such plans.
    """
    tree = read_tree(settings)
    if not paths:
        return Named(tree, {uri: uri for uri in tree.plans})
    docs = settings.docs_dir.strip("/")
    places = {f"{docs}/{uri}": settings.root / docs / uri for uri in tree.pages}
    places |= {uri: settings.root / uri for uri in (*tree.plans, *tree.drops)}
    files = {place.resolve(): uri for uri, place in places.items()}
    folders = [(settings.root / name).resolve() for name in (settings.plans_dir.strip("/"), docs)]
    plans, elsewhere = dict[str, str](), dict[str, bytes]()
    uris = set[str]()
    for path in paths:
        place = path.resolve()
        if path.is_dir() and any(place.is_relative_to(folder) or folder.is_relative_to(place) for folder in folders):
            below = {file: uri for file, uri in files.items() if file.is_relative_to(place)}
            plans |= {(path / f.relative_to(place)).as_posix(): uri for f, uri in below.items() if uri in tree.plans}
            uris |= set(below.values())
        elif place in files:
            plans |= {path.as_posix(): files[place]} if files[place] in tree.plans else {}
            uris.add(files[place])
        else:
            added = _unlisted(path, place, folders)
            plans |= {uri: uri for uri in added}
            elsewhere |= added
    tree = replace(tree, plans={**tree.plans, **elsewhere})
    return Named(tree, plans, frozenset(uris | elsewhere.keys()), frozenset(elsewhere))


def named_plans(settings: Settings, paths: Sequence[Path]) -> Named:
    """The project, and which of its plans `paths` mean. Raises click.UsageError for a file that is something else."""
    named = named_files(settings, paths)
    for path in paths:
        if path.is_file() and path.as_posix() not in named.plans:
            what = "is a page or a drop, and this command reads plans; `planbook check` reads all of them"
            raise click.UsageError(f"{path} {what}")
    return named


def _unlisted(path: Path, place: Path, folders: Sequence[Path]) -> dict[str, bytes]:
    """The plans at `path`, which is none of the project's files: it lies elsewhere, or its name is not a plan's."""
    if path.is_dir():
        return read_plans(path, path.as_posix())[0]
    is_inside = any(place.is_relative_to(folder) for folder in folders)
    if is_inside and (path.suffix != ".md" or path.name.startswith(".") or place.is_relative_to(folders[1])):
        raise click.UsageError(f"{path} is no page and no plan: their names end in .md, and begin with no dot")
    return {path.as_posix(): path.read_bytes()}
