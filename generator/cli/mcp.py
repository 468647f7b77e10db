"""`planbook mcp`."""

from __future__ import annotations

from pathlib import Path

import click

from generator.cli.project import ROOT, needs_extra, project_settings


@click.command()
@ROOT
@needs_extra("mcp")
def mcp(root: Path | None) -> None:
    """Serve the base to agents, read-only, over the Model Context Protocol on standard input and output.

    An agent starts this command itself; the Guide, "Serve the base to agents", shows how to register it. Only published
    pages and plans are served. Nothing is written, except in the cache.
    """
    from generator.cli.agent_server import serve

    serve(project_settings(root, needs="docs"))
