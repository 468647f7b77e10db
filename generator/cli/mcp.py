"""`planbook mcp`."""

from __future__ import annotations

import secrets
from pathlib import Path

import click

from generator.cli.project import ROOT, needs_extra, project_settings


@click.command()
@click.option("--http", is_flag=True, help="Serve HTTP on 127.0.0.1, to clients that send the printed token.")
@click.option("--port", type=click.IntRange(1, 65535), default=8765, show_default=True, help="The port of --http.")
@ROOT
@needs_extra("mcp")
def mcp(http: bool, port: int, root: Path | None) -> None:
    """Serve the base to agents, read-only, over the Model Context Protocol on standard input and output.

    An agent starts this command itself; the Guide, "Serve the base to agents", shows how to register it. Only published
    pages and plans are served. Nothing is written, except in the cache.
    """
    from generator.cli.agent_server import serve

    settings, token = project_settings(root, needs="docs"), secrets.token_urlsafe(24)
    if http:
        click.echo(f"http://127.0.0.1:{port}/mcp\nAuthorization: Bearer {token}")
    serve(settings, port if http else None, token)
