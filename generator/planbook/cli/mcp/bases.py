"""The base that a call of `planbook mcp` is about.

A server that was started with `--root` has one base. The server of a plugin starts in the plugin's
folder, so it looks for the base at each call::

    argument `base` > the host's environment > the client's roots > the folder of the start
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import unquote, urlsplit

import mcp.types as protocol
from mcp.server.mcpserver import Context, ListRoots, MCPServer, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from planbook.cli import project
from planbook.store import Settings, find_root
from planbook.store.files import RefusedError

PROJECT_VARIABLES = ("CLAUDE_PROJECT_DIR",)
"""Environment variables in which hosts pass the folder of the user's project to their servers."""
PLUGIN_VARIABLES = ("CLAUDE_PLUGIN_ROOT", "PLUGIN_ROOT")
"""Environment variables of a plugin's server.

It was started in the plugin's folder, which is no base.
"""
Folder = Annotated[
    str, Field(max_length=4_000, description="Folder of the base, only if an error asks for it.")
]


class BaseServer(MCPServer[Any]):
    """A server with the base that it was started for."""

    fixed: Settings | None = None
    """``None`` if the base is looked up at each call."""


def ask_roots(ctx: Context[Any, Any], base: str) -> ListRoots | None:
    """Ask the client for its folders, if nothing else says where the base is."""
    capabilities = ctx.client_capabilities
    is_known = bool(base) or _fixed_base(ctx) is not None or any(_project_variables())
    has_roots = capabilities is not None and capabilities.roots is not None
    return ListRoots() if has_roots and not is_known else None


def find_settings(
    ctx: Context[Any, Any],
    base: str,
    roots: Annotated[protocol.ListRootsResult | None, Resolve(ask_roots)],
) -> Settings:
    """Return the settings of the base that a tool is asked about.

    Raises ToolError if there is none.
    """
    fixed = _fixed_base(ctx)
    if fixed is not None:
        if base and Path(base).resolve() != fixed.root.resolve():
            raise ToolError("this server has one base; leave out `base`")
        return fixed
    if base:
        return _settings_at(Path(base))
    folders = [
        *_project_variables(),
        *_root_folders(roots.roots if roots else ()),
        *_start_folder(),
    ]
    for folder in folders:
        try:
            return _settings_at(folder)
        except ToolError:
            continue
    looked_at = ", ".join(map(str, folders)) or "no folder"
    fix = "call again with `base`, the path of the folder that has mkdocs.yml"
    raise ToolError(f"no base found ({looked_at}); {fix}")


BaseSettings = Annotated[Settings, Resolve(find_settings)]
"""The type of a tool's parameter for the settings of its base.

The tool needs a parameter `base: Folder`, too.
"""


def _fixed_base(ctx: Context[Any, Any]) -> Settings | None:
    """Return the base that the server was started for; ``None`` if it has none."""
    server = ctx.mcp_server
    return server.fixed if isinstance(server, BaseServer) else None


def _project_variables() -> Iterator[Path]:
    """Yield the folders that the host names in the environment."""
    return (Path(os.environ[name]) for name in PROJECT_VARIABLES if os.environ.get(name))


def _root_folders(roots: Sequence[protocol.Root]) -> Iterator[Path]:
    """Yield the client's roots that are folders of this machine."""
    for root in roots:
        address = urlsplit(str(root.uri))
        if address.scheme == "file":
            yield Path(unquote(address.path))


def _start_folder() -> Iterator[Path]:
    """Yield the folder that the server was started in, unless that is a plugin's."""
    if not any(name in os.environ for name in PLUGIN_VARIABLES):
        yield Path.cwd()


def _settings_at(folder: Path) -> Settings:
    """Return the settings of the base that a folder is in. Raises ToolError if it is in none."""
    if not folder.is_dir():
        fix = "call again with `base`, the folder that has mkdocs.yml"
        raise ToolError(f"{folder} is not a folder; {fix}")
    try:
        return project.project_settings(find_root(folder), needs="docs")
    except (project.NoProjectError, RefusedError) as error:
        raise ToolError(str(error)) from error
