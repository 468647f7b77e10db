"""`planbook cite --pin`: replace branches and tags in addresses with the commits that were read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import click

from generator.citations.pins import RepositoryFile, parse_file_url
from generator.citations.references import with_custom
from generator.cli.project import FOUND, OK
from generator.markdown.front_matter import FrontMatterError
from generator.model import Reference
from generator.search.documents import Mirrors
from generator.store import Settings, write_atomic
from generator.store.mirrors import MirrorError
from generator.web.archive import Archive


def pin_pages(
    settings: Settings, pages: Sequence[tuple[Path, str, Sequence[Reference]]], paths: Mapping[str, Path]
) -> int:
    """Pin the addresses on pages, given as path, text and references; report each, and return the exit code."""
    code = OK
    with closing(Mirrors(paths)) as mirrors:
        for path, text, references in pages:
            click.echo(path)
            new = text
            for reference in references:
                file = parse_file_url(reference.url or "")
                if file is None or file.is_pinned:
                    continue
                try:
                    pinned = _commit_read(settings, mirrors, reference, file)
                    new = _with_permalink(new, reference, pinned)
                    click.echo(f"  {reference.id}: {file.ref} is pinned to {pinned.ref[:12]}")
                except (MirrorError, FrontMatterError) as error:
                    code = FOUND
                    click.echo(f"  {reference.id}: not pinned: {error}")
            if new != text:
                write_atomic(path, new.encode("utf-8"))
    return code


def _commit_read(settings: Settings, mirrors: Mirrors, reference: Reference, file: RepositoryFile) -> RepositoryFile:
    """Return the file at the commit that was read when the page was written. Raises MirrorError.

    It is the commit recorded when the address was fetched, else the last one in a mirror before the access date that
    has every quote.
    """
    kept = Archive(settings.root).get((reference.url or "").partition("#")[0])
    if kept and kept.origin and kept.origin.commit:
        return file.at(kept.origin.ref, kept.origin.commit)
    return mirrors.find_version(file, [quote for _, quote in reference.quotes], reference.accessed or "")


def _with_permalink(text: str, reference: Reference, pinned: RepositoryFile) -> str:
    """Replace all occurrences of the address in the page, with or without lines, and record the origin."""
    address = (reference.url or "").partition("#")[0]
    new = re.sub(rf"{re.escape(address)}(?![\w/%.~-]*[\w/%~-])", pinned.base_url, text)
    if new == text:
        raise MirrorError("its address does not occur literally on the page")
    origin = {"repository": pinned.repository, "path": pinned.path, "commit": pinned.ref}
    return with_custom(new, {reference.id: origin})
