"""`planbook brief`: what a writer needs for a page."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from planbook import store
from planbook.cli import parameters, project
from planbook.cli.chosen_parts import (
    UNCUT_TOKENS,
    chosen_briefs,
    chosen_part,
    lease_of,
    shown_log,
    tokens_option,
)

if TYPE_CHECKING:
    from planbook.research.drafts import Brief, Excerpt
    from planbook.research.evidence.dossier import Dossier
    from planbook.research.leases import Lease


@click.command("brief")
@parameters.PLAN
@parameters.PART
@tokens_option(UNCUT_TOKENS)
@parameters.ROOT
def brief_command(plan: str, part: int | None, tokens: int, root: Path | None) -> None:
    """Print the brief of a PART: what its page must cover, the evidence for it, and the rules it
    must meet.

    PLAN is a plan's path, slug or file name; PART is a number. The path of the PART's page may
    stand for both. The evidence is what `planbook
    gather` found, else what can be read without a request. Once the page is written, submit it with
    `planbook finish`.
    """  # noqa: D205 - click prints the first paragraph, which is longer than a line
    settings = project.project_settings(root)
    plan, part = chosen_part(settings, plan, part)
    briefs = chosen_briefs(settings, plan, (part,))
    lease = lease_of(settings, briefs[0])
    if lease is not None:
        runner = f"{lease.runner}, who has claimed PART {part} until {lease.until}"
        click.echo(f"This brief is for {runner}", err=True)
    composed = compose_briefs(settings, briefs, lease, partial(_nearby_dossier, settings), tokens)
    shown_log(settings, briefs[0]).begin(composed.passages)
    click.echo(composed.text, nl=False)


@dataclass(frozen=True, slots=True)
class ComposedBriefs:
    """The briefs of a PART's pages as one text."""

    text: str
    passages: tuple[tuple[str, Excerpt], ...]
    """The passages in it, under their ids: whoever shows the text keeps them in the `ShownLog`."""


def compose_briefs(
    settings: store.Settings,
    briefs: Sequence[Brief],
    lease: Lease | None,
    load: Callable[[Brief], Dossier | None],
    tokens: int,
) -> ComposedBriefs:
    """Return the briefs of a PART's pages.

    Args:
        settings: the project.
        briefs: the briefs of the pages, one or more.
        lease: the claim of the PART, whose holder is told how to finish; ``None`` without one.
        load: returns the dossier of a page; ``None`` if there is none.
        tokens: the size of all briefs together.
    """
    from planbook.research.evidence.brief import compose_brief

    docs_dir = settings.docs_dir.strip("/")
    runner = lease.runner if lease else ""
    texts: list[str] = []
    passages: list[tuple[str, Excerpt]] = []
    for brief in briefs:
        dossier = load(brief)
        size = tokens // len(briefs)
        composed = compose_brief(brief, dossier, docs_dir, size, runner, lists_sections=True)
        texts.append(composed.text)
        if dossier:
            passages += [(name, dossier.passages.by_id[name]) for name in composed.passages]
    return ComposedBriefs("\n---\n\n".join(texts), tuple(passages))


def _nearby_dossier(settings: store.Settings, brief: Brief) -> Dossier | None:
    """Return the page's dossier, else what can be read without a request.

    Nothing is read without the extra `research`.
    """
    from planbook.research.evidence.dossier import DossierStore
    from planbook.research.git import shared_folder

    dossier = DossierStore(shared_folder(settings.root)).load(brief)
    if dossier is not None:
        return dossier
    try:
        from planbook.research.expand.context import read_nearby
    except ImportError:
        return None
    return read_nearby(settings, os.environ, brief)
