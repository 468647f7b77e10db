"""Descriptions, hints and errors of tools, as clients get them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

from planbook.research.leases import ClaimedError
from planbook.research.selection import NotFoundError
from planbook.views.answers.base_answers import UnknownNameError

NEXT_CALLS: tuple[tuple[type[Exception], str], ...] = (
    (ClaimedError, "`open_parts` lists the PARTs that are left"),
    (NotFoundError, "`open_parts` lists the plans and their PARTs"),
    (UnknownNameError, "`search` finds pages"),
)
"""The call to make after an error whose message does not name one."""


def add_tools(
    server: MCPServer[Any], tools: Iterable[Callable[..., Any]], hints: ToolAnnotations
) -> None:
    """Add tools with the same hints to a server; the docstring of each is its description."""
    for tool in tools:
        server.add_tool(tool, description=describe_tool(tool), annotations=hints)


def describe_tool(tool: Callable[..., Any]) -> str:
    """Return the docstring of a tool with each paragraph in one line.

    How the source is wrapped makes no difference to a client.
    """
    paragraphs = (inspect.getdoc(tool) or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def tool_error(error: Exception) -> ToolError:
    """Return an error of a call as the client gets it, with the next call to make."""
    calls = (call for kind, call in NEXT_CALLS if isinstance(error, kind))
    return ToolError("; ".join([str(error), *calls]))
