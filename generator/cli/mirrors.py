"""Local mirrors of repositories, as the configuration and the command line name them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from generator.store import Settings

NAME = re.compile(r"[\w.-]+/[\w.-]+(?:/[\w./-]+)?")
MIRROR = click.option(
    "--mirror",
    "mirrors",
    multiple=True,
    metavar="OWNER/REPO=PATH",
    help="A clone or bare mirror on this machine, to check files at a commit; may be repeated.",
)


def mirror_paths(settings: Settings, given: Sequence[str]) -> dict[str, Path]:
    """Return the folders of mirrors by repository: of `verify.mirrors`, the repositories to search, and `given`.

    Raises:
        click.ClickException: an entry names no repository or no folder.
    """
    search = settings.expand.get("search")
    searched = search.get("repositories") if isinstance(search, dict) else None
    named: dict[str, tuple[str, object]] = {}
    for key, entries in (("expand.search.repositories", searched), ("verify.mirrors", settings.verify.get("mirrors"))):
        if entries is not None and not isinstance(entries, Mapping):
            raise click.ClickException(f"{settings.config}: `{key}` is to be a mapping from OWNER/REPO to folders")
        for name, value in (entries or {}).items():
            path = value.get("path") if isinstance(value, Mapping) else value
            named[str(name)] = (f"{settings.config}: `{key}`", str(settings.root / str(path or "?")))
    for entry in given:
        name, _, path = entry.partition("=")
        named[name] = ("--mirror", path)
    for name, (source, path) in named.items():
        if not NAME.fullmatch(name):
            raise click.ClickException(f"{source} names {name!r}, which is no repository; write OWNER/REPO")
        if not path or not Path(str(path)).is_dir():
            raise click.ClickException(f"{source} {name}: there is no folder {path}")
    return {name: Path(str(path)) for name, (_, path) in named.items()}
