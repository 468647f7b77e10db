"""`planbook brief`."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from generator.cli.project import ROOT, project_settings
from generator.drafts import Brief
from generator.library import link_tree
from generator.markdown.words import stem, terms
from generator.store import Settings, read_tree


@click.command()
@click.argument("plan")
@click.argument("part", type=int)
@ROOT
def brief(plan: str, part: int, root: Path | None) -> None:
    """Print the brief of a PART: what its page must cover, and the rules it must meet.

    PLAN is a plan's path, slug or file name; PART is a number. Once the page is written, submit it with `planbook
    finish`.
    """
    from generator.research.brief import render_brief
    from generator.research.prior_knowledge import briefs_of

    settings = project_settings(root)
    tree = read_tree(settings)
    briefs = briefs_of(link_tree(tree), tree.pages, plan, part, datetime.now(UTC))
    shown = (render_brief(one, settings.docs_dir.strip("/"), _own_works(settings, one)) for one in briefs)
    click.echo("\n---\n\n".join(shown), nl=False)


def _own_works(settings: Settings, brief: Brief) -> list[dict[str, Any]]:
    """Return references to local documents whose title has half of a query's words; none without the extra."""
    try:
        from generator.cli.reading import read_folder
        from generator.search.chain import queries_of

        folder, _ = read_folder(settings)
    except ImportError:
        return []
    wanted = [set(map(stem, terms(query.text))) for query in queries_of(brief.part)]
    items = map(folder.csl_item, sorted(folder.works))
    titles = ((item, set(map(stem, terms(item.get("title", ""))))) for item in items)
    return [item for item, title in titles if any(2 * len(words & title) >= len(words) > 0 for words in wanted)]
