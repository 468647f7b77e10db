"""The tools of `planbook mcp` that read a base. Need the extra `mcp`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import mcp.types as protocol
from mcp.server.mcpserver import MCPServer
from pydantic import Field

from planbook.cli.mcp.bases import BaseSettings, Folder
from planbook.cli.mcp.reader import BaseReader
from planbook.cli.mcp.tools import add_tools, tool_error
from planbook.research.selection import NotFoundError
from planbook.store import Settings
from planbook.views.answers import base_answers
from planbook.views.answers.answer_size import (
    CHARS_PER_TOKEN,
    MAX_ANSWER_TOKENS,
    MAX_FIELD,
    MIN_ANSWER_TOKENS,
    TOKENS,
    Answer,
    to_json,
)
from planbook.views.answers.base_answers import UnknownNameError
from planbook.views.answers.base_search import search

Query = Annotated[
    str, Field(min_length=1, max_length=500, description="Words, or a name as it is.")
]
PageId = Annotated[
    str, Field(max_length=MAX_FIELD, description="Path of the page, such as cuda/10-x.md.")
]
Title = Annotated[
    str, Field(max_length=MAX_FIELD, description="Title of a section; empty for the whole page.")
]
Work = Annotated[str, Field(max_length=MAX_FIELD, description="Id of one work; empty for all.")]
PlanName = Annotated[
    str, Field(max_length=MAX_FIELD, description="Path or slug of a plan; empty for all plans.")
]
Offset = Annotated[
    int, Field(ge=0, description="Where to continue: `next_offset` of the last answer.")
]
Tokens = Annotated[
    int,
    Field(ge=MIN_ANSWER_TOKENS, le=MAX_ANSWER_TOKENS, description="The size of the answer, about."),
]
DEFAULT_TOKENS = TOKENS
BRIEF_TOKENS = 10_000
"""The size of the answer of `brief` by default.

It is enough for a whole brief, whose evidence has a size of its own.
"""
Result = protocol.CallToolResult


class ReadingTools:
    """The tools that read a base. Their docstrings are what a client is told about them."""

    def __init__(self) -> None:
        self._readers: dict[Path, BaseReader] = {}

    async def search(
        self,
        settings: BaseSettings,
        *,
        query: Query,
        offset: Offset = 0,
        max_tokens: Tokens = DEFAULT_TOKENS,
        base: Folder = "",
    ) -> Result:
        """Search the documentation; returns pages with the best passages of each. Read on with
        `fetch`.

        Pages with exactly the words of the query are first. Names such as TORCH_CUDA_ARCH_LIST are
        found whole, then in parts.
        """  # noqa: D205 - what a client is told is longer than a line
        return self._answer(settings, search, max_tokens, query, offset)

    async def fetch(
        self,
        settings: BaseSettings,
        *,
        id: PageId,
        section: Title = "",
        offset: Offset = 0,
        max_tokens: Tokens = DEFAULT_TOKENS,
        base: Folder = "",
    ) -> Result:
        """Read a page as Markdown, or one section with those below it, with the citations of that
        text.

        `id` is the path of a page, as `search` returns it. A long page lists its sections.
        """  # noqa: D205 - what a client is told is longer than a line
        return self._answer(settings, base_answers.fetch, max_tokens, id, section, offset)

    async def citations(
        self,
        settings: BaseSettings,
        *,
        id: PageId,
        citation: Work = "",
        offset: Offset = 0,
        max_tokens: Tokens = DEFAULT_TOKENS,
        base: Folder = "",
    ) -> Result:
        """List the works that a page cites: exact quotes with links to them, and the result of the
        last check.

        `id` is the path of the page, `citation` the id of one work.
        """  # noqa: D205 - what a client is told is longer than a line
        return self._answer(settings, base_answers.citations, max_tokens, id, citation, offset)

    async def open_parts(
        self,
        settings: BaseSettings,
        *,
        plan: PlanName = "",
        offset: Offset = 0,
        max_tokens: Tokens = DEFAULT_TOKENS,
        base: Folder = "",
    ) -> Result:
        """List the PARTs that are not finished, or marked done without their page: what the base
        does not know yet.
        """  # noqa: D205 - what a client is told is longer than a line
        return self._answer(settings, base_answers.open_parts, max_tokens, plan, offset)

    async def brief(
        self,
        settings: BaseSettings,
        *,
        plan: PlanName,
        part: int,
        offset: Offset = 0,
        max_tokens: Tokens = BRIEF_TOKENS,
        base: Folder = "",
    ) -> Result:
        """Read the brief of a PART: what its page must cover, prior knowledge, and the rules that
        it must meet.
        """  # noqa: D205 - what a client is told is longer than a line
        return self._answer(settings, base_answers.brief, max_tokens, plan, part, offset)

    async def progress(
        self,
        settings: BaseSettings,
        *,
        plan: PlanName = "",
        offset: Offset = 0,
        max_tokens: Tokens = DEFAULT_TOKENS,
        base: Folder = "",
    ) -> Result:
        """Read the progress: totals, sources by state, and the plans; with `plan`, each of its
        PARTs.

        A PART has its state in the plan, what is on disk, and who works on it.
        """  # noqa: D205 - what a client is told is longer than a line
        return self._answer(settings, base_answers.progress, max_tokens, plan, offset)

    def add_to(self, server: MCPServer[Any]) -> None:
        """Add the tools to a server."""
        hints = protocol.ToolAnnotations(
            read_only_hint=True, idempotent_hint=True, open_world_hint=False
        )
        reading = (self.search, self.fetch, self.citations)
        planning = (self.open_parts, self.brief, self.progress)
        add_tools(server, (*reading, *planning), hints)

    def _answer(
        self, settings: Settings, tool: Callable[..., Answer], tokens: int, *arguments: object
    ) -> Result:
        """Return the answer of a function of `agents`. Raises ToolError for an unknown name."""
        root = settings.root.resolve()
        if root not in self._readers:
            self._readers[root] = BaseReader(settings)
        reader = self._readers[root]
        try:
            answer = tool(reader.read(), *arguments, room=tokens * CHARS_PER_TOKEN)
        except (UnknownNameError, NotFoundError) as error:
            raise tool_error(error) from error
        text = protocol.TextContent(type="text", text=to_json(answer))
        return Result(content=[text], structured_content=answer)
