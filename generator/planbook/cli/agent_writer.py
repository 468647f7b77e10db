"""The tools of `planbook mcp --write`, from claim to commit. Need the extras `mcp` and `research`."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any, TypeVar

import mcp.types as protocol
from mcp.server.mcpserver import MCPServer
from pydantic import Field

from planbook import store
from planbook.cli import evidence, project
from planbook.cli.agent_calls import BaseSettings, Folder, tool_error
from planbook.cli.finish import submission_to_json
from planbook.library import link_tree
from planbook.research.claims import LeaseBook
from planbook.research.evidence import selection
from planbook.research.evidence.reading import Request
from planbook.research.expand.activity import activity_line, activity_to_json, read_activity
from planbook.research.expand.claimed import give_up
from planbook.research.expand.commit import commit_records
from planbook.research.expand.context import open_judge
from planbook.research.expand.events import CancelToken, Clock, StoppedError
from planbook.research.expand.gather import Gatherer
from planbook.research.expand.submit import submit
from planbook.store import Settings
from planbook.store.files import UserError
from planbook.store.options import read_options
from planbook.views import agents

T = TypeVar("T")
Result = protocol.CallToolResult

PlanName = Annotated[str, Field(min_length=1, max_length=300, description="Path or slug of a plan.")]
PartNumber = Annotated[int, Field(ge=0, description="The number of the PART.")]
Place = Annotated[
    str, Field(min_length=1, max_length=2_000, description="An address, a file in documents/, or a work's id.")
]
Words = Annotated[str, Field(max_length=500, description="Only passages with these words; empty for all.")]
Question = Annotated[str, Field(min_length=1, max_length=500, description="A question, in the documents' words.")]
Name = Annotated[str, Field(min_length=1, max_length=100, description="Your name, the same for claim and finish.")]
Minutes = Annotated[float, Field(ge=1, le=1_440, description="Minutes until the PART is free again.")]
Notes = Annotated[
    Sequence[str], Field(max_length=2, description="Two lines for the drop: about the sources, and what is missing.")
]
Reason = Annotated[str, Field(max_length=500, description="Why the PART has no page, to give it up; empty otherwise.")]
CheckOnly = Annotated[bool, Field(description="True to check the page without a record.")]
Commit = Annotated[bool, Field(description="False if `commit` commits all pages later.")]
Tokens = Annotated[
    int, Field(ge=0, le=agents.MOST_TOKENS, description="Size of the answer, about; 0 for the nearest only.")
]
OnlyIds = Annotated[bool, Field(description="True for the ids and first words of passages only.")]


class WritingTools:
    """The tools that ask other hosts, keep dossiers, and record pages. Their docstrings are what a client is told."""

    async def status(self, settings: BaseSettings, *, plan: PlanName, base: Folder = "") -> Result:
        """Return the PARTs of a plan: their states, who works on them, and how often their pages were refused.

        Only what `finish` accepted is done; go by this and not by what runners say.
        """

        def work() -> dict[str, Any]:
            library = link_tree(store.read_tree(settings), project.cached_calls(settings))
            uri = selection.find_plan(library, plan).uri
            parts = read_activity(settings, library.narrowed(frozenset({uri})), datetime.now(UTC))
            return {"summary": activity_line(parts), "parts": [activity_to_json(part) for part in parts]}

        return _as_json(await _in_thread(work))

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
        """Reserve a PART for a time, so that nobody else writes its page; returns its state. Call before `gather`."""

        def work() -> dict[str, Any]:
            brief = evidence.chosen_briefs(settings, plan, (part,))[0]
            lease = LeaseBook(settings.root).claim(brief.plan, brief.part, name, datetime.now(UTC), minutes)
            found = {"plan": lease.plan, "part": lease.part, "name": lease.name, "until": lease.until}
            told = evidence.state_of_claimed(brief, settings.docs_dir.strip("/"))
            return {**found, "state": brief.part.state.value, **({"note": told} if told else {})}

        return _as_json(await _in_thread(work))

    async def gather(self, settings: BaseSettings, *, plan: PlanName, part: PartNumber, base: Folder = "") -> Result:
        """Search and read for a PART, and keep what was found. Then call `brief`. Takes seconds to minutes."""

        def work() -> dict[str, Any]:
            briefs = evidence.chosen_briefs(settings, plan, (part,))
            return {"dossiers": [evidence.dossier_to_json(one) for one in _gatherer(settings).gather(briefs)]}

        return _as_json(await _in_thread(work))

    async def read(
        self,
        settings: BaseSettings,
        *,
        place: Place,
        plan: PlanName,
        part: PartNumber,
        words: Words = "",
        max_tokens: Tokens = 0,
        only_ids: OnlyIds = False,
        base: Folder = "",
    ) -> Result:
        """Read a source for a PART, add it to what was gathered, and return its id and passages, verbatim.

        Of a work that is too long, the passages are listed: `place` may be `ID#3-7`. A passage that the holder of the
        claim was shown before is not repeated, unless its number is asked for.
        """

        def work() -> dict[str, Any]:
            brief = evidence.chosen_briefs(settings, plan, (part,))[0]
            request = Request(max_tokens or evidence.READ_TOKENS, bool(max_tokens), only_ids, "read")
            printed = evidence.print_source(_gatherer(settings), place, brief, words, request)
            return {"text": printed.text, "left": printed.left}

        return _as_json(await _in_thread(work))

    async def find(
        self,
        settings: BaseSettings,
        *,
        plan: PlanName,
        part: PartNumber,
        question: Question,
        max_tokens: Tokens = 0,
        only_ids: OnlyIds = False,
        base: Folder = "",
    ) -> Result:
        """Return the passages of a PART's works that may answer a question, best first, ranked by their words.

        Those that the holder of the claim was shown before come by id and first words; `read` of an id prints them.
        """

        def work() -> dict[str, Any]:
            brief = evidence.chosen_briefs(settings, plan, (part,))[0]
            request = Request(max_tokens or evidence.FIND_TOKENS, bool(max_tokens), only_ids)
            printed = evidence.print_found(_gatherer(settings), brief, question, request)
            return {"text": printed.text, "left": printed.left}

        return _as_json(await _in_thread(work))

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
        """Submit the page that you wrote at the path in the brief. If it is refused, `changes` lists what to change.

        With `check`, the same is listed, and nothing is written, marked or counted as a try.
        With `failed`, the PART is given up: its drop says why, and the claim ends.
        """

        def work() -> dict[str, Any]:
            config, _ = project.run_config(settings.root, "planbook finish", "Finish", no_commit=not commit)
            config = replace(config, waits=True)
            if failed:
                records = give_up(config, plan, part, author=name, reason=failed).records
                return {"is_accepted": False, "given_up": [{"part": one.number, "drop": one.drop} for one in records]}
            reader = project.source_reader(settings, {})
            answers = partial(reader.read_claimed, may_be_old=True)
            with open_judge(settings, os.environ, is_offline=False) as judge:
                found = submit(
                    config, plan, part, answers, author=name, judge=judge, notes=tuple(notes), is_check=check
                )
            return submission_to_json(found, config.docs)

        return _as_json(await _in_thread(work))

    async def commit(self, settings: BaseSettings, *, base: Folder = "") -> Result:
        """Commit all pages that `finish` accepted with `commit: false`, with their drops, plans and INDEX, at once."""

        def work() -> dict[str, Any]:
            config, _ = project.run_config(settings.root, "planbook commit", "Finish", no_commit=False)
            summary = commit_records(replace(config, commit=True, waits=True))
            written = [one for one in summary.records if one.content is not None]
            return {
                "commit": summary.commit,
                "pages": [f"{config.docs}/{one.page}" for one in written],
                "given_up": [{"part": one.number, "drop": one.drop} for one in summary.records if one not in written],
                "troubles": list(summary.troubles),
            }

        return _as_json(await _in_thread(work))

    def add_to(self, server: MCPServer[Any]) -> None:
        """Add the tools to a server."""
        asks = protocol.ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=True)
        own = protocol.ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
        looks = protocol.ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
        tools = (
            *((self.status, looks), (self.claim, own), (self.gather, asks), (self.read, asks), (self.find, looks)),
            *((self.finish, asks), (self.commit, own)),
        )
        for tool, hints in tools:
            server.add_tool(tool, annotations=hints)


def _gatherer(settings: Settings) -> Gatherer:
    """Return a gatherer that reports nothing while it works."""
    return Gatherer(settings, read_options(settings), os.environ, CancelToken(), lambda event: None, Clock())


async def _in_thread(work: Callable[[], T]) -> T:
    """Return what `work` returns, in a thread of its own. Raises ToolError for what the caller can correct."""
    try:
        return await asyncio.to_thread(work)
    except (UserError, StoppedError) as error:
        raise tool_error(error) from error


def _as_json(found: dict[str, Any]) -> Result:
    text = protocol.TextContent(type="text", text=json.dumps(found, ensure_ascii=False, default=str))
    return Result(content=[text], structured_content=json.loads(text.text))
