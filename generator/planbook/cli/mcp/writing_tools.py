"""The tools of `planbook mcp --write`, from claim to commit.

Need the extras `mcp` and `research`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import mcp.types as protocol
from mcp.server.mcpserver import MCPServer
from pydantic import Field

from planbook.cli.claim import claim_part
from planbook.cli.commit import commit_accepted
from planbook.cli.find import find_for_part
from planbook.cli.finish import finish_part
from planbook.cli.gather import gather_part
from planbook.cli.mcp.bases import BaseSettings, Folder
from planbook.cli.mcp.tools import add_tools, tool_error
from planbook.cli.read import read_for_part
from planbook.cli.watch import plan_activity
from planbook.research.expand.cancellation import StoppedError
from planbook.store.files import UserError
from planbook.views.answers.answer_size import MAX_ANSWER_TOKENS

Result = protocol.CallToolResult

PlanName = Annotated[
    str, Field(min_length=1, max_length=300, description="Path or slug of a plan.")
]
PartNumber = Annotated[int, Field(ge=0, description="The number of the PART.")]
Place = Annotated[
    str,
    Field(
        min_length=1,
        max_length=2_000,
        description="An address, a file in documents/, or a work's id.",
    ),
]
Places = Annotated[
    Sequence[Place],
    Field(min_length=1, max_length=12, description="Several of them, which share the size."),
]
Words = Annotated[
    str, Field(max_length=500, description="Only passages with these words; empty for all.")
]
Question = Annotated[
    str, Field(min_length=1, max_length=500, description="A question, in the documents' words.")
]
Name = Annotated[
    str,
    Field(min_length=1, max_length=100, description="Your name, the same for claim and finish."),
]
Minutes = Annotated[
    float, Field(ge=1, le=1_440, description="Minutes until the PART is free again.")
]
Notes = Annotated[
    Sequence[str],
    Field(
        max_length=2, description="Two lines for the drop: about the sources, and what is missing."
    ),
]
Reason = Annotated[
    str,
    Field(max_length=500, description="Why the PART has no page, to give it up; empty otherwise."),
]
CheckOnly = Annotated[bool, Field(description="True to check the page without a record.")]
Commit = Annotated[bool, Field(description="False if `commit` commits all pages later.")]
Tokens = Annotated[
    int,
    Field(
        ge=0,
        le=MAX_ANSWER_TOKENS,
        description="Size of the answer, about; 0 for the nearest only.",
    ),
]
Again = Annotated[
    bool, Field(description="True to get whole again what was shown before, such as a cut answer.")
]
OnlyIds = Annotated[bool, Field(description="True for the ids and first words of passages only.")]


class WritingTools:
    """The tools that ask other hosts, keep dossiers, and record pages.

    Their docstrings are what a client is told.
    """

    async def status(self, settings: BaseSettings, *, plan: PlanName, base: Folder = "") -> Result:
        """Return the PARTs of a plan: their states, who works on them, and how often their pages
        were refused.

        Only what `finish` accepted is done; go by this and not by what runners say.
        """  # noqa: D205 - what a client is told is longer than a line
        return await _run_in_thread(plan_activity, settings, plan)

    async def claim(
        self,
        settings: BaseSettings,
        *,
        plan: PlanName,
        part: PartNumber,
        name: Name,
        minutes: Minutes = 60.0,
        base: Folder = "",
    ) -> Result:
        """Reserve a PART for a time, so that nobody else writes its page; returns its state. Call
        before `gather`.
        """  # noqa: D205 - what a client is told is longer than a line
        return await _run_in_thread(claim_part, settings, plan, part, name, minutes)

    async def gather(
        self, settings: BaseSettings, *, plan: PlanName, part: PartNumber, base: Folder = ""
    ) -> Result:
        """Search and read for a PART, and keep what was found. Then call `brief`. Takes seconds to
        minutes.
        """  # noqa: D205 - what a client is told is longer than a line
        return await _run_in_thread(gather_part, settings, plan, part)

    async def read(
        self,
        settings: BaseSettings,
        *,
        place: Place | Places,
        plan: PlanName,
        part: PartNumber,
        words: Words = "",
        max_tokens: Tokens = 0,
        only_ids: OnlyIds = False,
        again: Again = False,
        base: Folder = "",
    ) -> Result:
        """Read one or several sources for a PART, add them to what was gathered, and return their
        ids and passages, verbatim.

        Of a work that is too long, the sections are listed: `place` may be `ID#3-7`. A passage that
        the holder of the claim was shown before is not repeated, unless its number is asked for.
        """  # noqa: D205 - what a client is told is longer than a line
        return await _run_in_thread(
            read_for_part,
            settings,
            place,
            plan,
            part,
            words,
            tokens=max_tokens,
            only_ids=only_ids,
            is_again=again,
        )

    async def find(
        self,
        settings: BaseSettings,
        *,
        plan: PlanName,
        part: PartNumber,
        question: Question,
        max_tokens: Tokens = 0,
        only_ids: OnlyIds = False,
        again: Again = False,
        base: Folder = "",
    ) -> Result:
        """Return the passages of a PART's works that may answer a question, best first, ranked by
        their words.

        Those that the holder of the claim was shown before are named by their ids; `read` of an id
        prints them.
        """  # noqa: D205 - what a client is told is longer than a line
        return await _run_in_thread(
            find_for_part,
            settings,
            plan,
            part,
            question,
            tokens=max_tokens,
            only_ids=only_ids,
            is_again=again,
        )

    async def finish(
        self,
        settings: BaseSettings,
        *,
        plan: PlanName,
        part: PartNumber,
        name: Name,
        notes: Notes = (),
        failed: Reason = "",
        commit: Commit = True,
        check: CheckOnly = False,
        base: Folder = "",
    ) -> Result:
        """Submit the page that you wrote at the path in the brief. If it is refused, `changes`
        lists what to change. Passages that it cites by their ids, `[@id#14]`, become exact quotes
        when it is accepted; until then, the file stays as it is.

        With `check`, the same is listed, and nothing is written, marked or counted as a try.
        With `failed`, the PART is given up: its drop says why, and the claim ends.
        """  # noqa: D205 - what a client is told is longer than a line
        return await _run_in_thread(
            finish_part,
            settings,
            plan,
            part,
            name,
            notes=notes,
            failed=failed,
            is_committed=commit,
            is_check=check,
        )

    async def commit(self, settings: BaseSettings, *, base: Folder = "") -> Result:
        """Commit all pages that `finish` accepted with `commit: false`, with their drops, plans and
        INDEX, at once.
        """  # noqa: D205 - what a client is told is longer than a line
        return await _run_in_thread(commit_accepted, settings)

    def add_to(self, server: MCPServer[Any]) -> None:
        """Add the tools to a server."""
        asks = protocol.ToolAnnotations(
            read_only_hint=False, destructive_hint=False, open_world_hint=True
        )
        local_only = protocol.ToolAnnotations(
            read_only_hint=False, destructive_hint=False, open_world_hint=False
        )
        looks = protocol.ToolAnnotations(
            read_only_hint=True, idempotent_hint=True, open_world_hint=False
        )
        # In the order of their use, which is that of the list that a client gets.
        add_tools(server, [self.status], looks)
        add_tools(server, [self.claim], local_only)
        add_tools(server, [self.gather, self.read], asks)
        add_tools(server, [self.find], looks)
        add_tools(server, [self.finish], asks)
        add_tools(server, [self.commit], local_only)


async def _run_in_thread(
    function: Callable[..., dict[str, Any]], *arguments: object, **options: object
) -> Result:
    """Return the answer of a function, which runs in a thread of its own.

    Raises ToolError for what the caller can correct.
    """
    try:
        result = await asyncio.to_thread(function, *arguments, **options)
    except (UserError, StoppedError) as error:
        raise tool_error(error) from error
    text = protocol.TextContent(
        type="text", text=json.dumps(result, ensure_ascii=False, default=str)
    )
    return Result(content=[text], structured_content=json.loads(text.text))
