"""`planbook mcp`: serve the base to agents."""

from __future__ import annotations

import secrets
from pathlib import Path

import click

from planbook.cli import parameters, project


@click.command()
@click.option(
    "--http", is_flag=True, help="Serve HTTP on 127.0.0.1, to clients that send the printed token."
)
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=8765,
    show_default=True,
    help="The port of --http.",
)
@click.option("--write", is_flag=True, help="Also let agents gather evidence and submit pages.")
@parameters.ROOT
@project.needs_extra("mcp")
def mcp(http: bool, port: int, write: bool, root: Path | None) -> None:
    """Serve the base to agents over the Model Context Protocol, on standard input and output.

    An agent starts this command itself; the Guide, "Serve the base to agents", shows how to
    register it. Only published pages and plans are served. Without --write, nothing is written,
    except in the cache.
    """
    from planbook.cli.mcp.server import serve

    # Over standard streams, the client says where its base is: a plugin's server starts in the
    # plugin's folder.
    is_fixed = http or root is not None
    settings = project.project_settings(root, needs="docs") if is_fixed else None
    token = secrets.token_urlsafe(24)
    if http:
        click.echo(f"http://127.0.0.1:{port}/mcp\nAuthorization: Bearer {token}")
    if write:
        with project.needs_extra("mcp,research"):
            # The tools import these when they are called: a missing package is named before the
            # server starts.
            from planbook.research.expand import gather  # noqa: F401 - see above
            from planbook.research.submission import submit  # noqa: F401 - see above
    serve(settings, port if http else None, token, writes=write)
