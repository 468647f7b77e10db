"""Which files of a project PATHS name: its plans, its drops, its pages; and plans from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from generator.cli.project import plans_at
from generator.model import Tree
from generator.store import Settings, read_tree


@dataclass(frozen=True, slots=True)
class Named:
    """A project with the files that are meant."""

    tree: Tree
    """The whole project, and the plans from elsewhere."""
    uris: frozenset[str] | None
    """The files that are meant, pages by their path in the project; ``None`` where all are."""
    elsewhere: frozenset[str] = frozenset()
    """The plans from elsewhere: their paths are as given."""


def named_files(settings: Settings, paths: Sequence[Path]) -> Named:
    """The project, and which of its files `paths` mean; all where there are none. Raises click.UsageError.

    Below the plans' folder lie plans and drops, below the pages' folder pages; a folder means what lies below it. Any
    other file is read as a plan that is not in its place yet, and a folder without either as a folder of such plans.
    """
    tree = read_tree(settings)
    if not paths:
        return Named(tree, None)
    docs = settings.docs_dir.strip("/")
    places = {uri: settings.root / uri for uri in (*tree.plans, *tree.drops)}
    places |= {f"{docs}/{uri}": settings.root / docs / uri for uri in tree.pages}
    files = {place.resolve(): uri for uri, place in places.items()}
    folders = [(settings.root / name).resolve() for name in (settings.plans_dir.strip("/"), docs)]
    plans, uris, elsewhere = dict(tree.plans), set[str](), set[str]()
    for path in paths:
        place = path.resolve()
        if path.is_dir() and any(place.is_relative_to(folder) or folder.is_relative_to(place) for folder in folders):
            uris |= {uri for file, uri in files.items() if file.is_relative_to(place)}
        elif place in files:
            uris.add(files[place])
        else:
            added = _unlisted(path, place, folders)
            plans |= added
            uris |= added.keys()
            elsewhere |= added.keys()
    return Named(replace(tree, plans=plans), frozenset(uris), frozenset(elsewhere))


def _unlisted(path: Path, place: Path, folders: Sequence[Path]) -> dict[str, bytes]:
    """The plans at `path`, which is none of the project's files: it lies elsewhere, or its name is not a plan's."""
    is_inside = any(place.is_relative_to(folder) for folder in folders)
    if is_inside and (path.suffix != ".md" or path.name.startswith(".") or place.is_relative_to(folders[1])):
        raise click.UsageError(f"{path} is no page and no plan: their names end in .md, and begin with no dot")
    return plans_at([path])
