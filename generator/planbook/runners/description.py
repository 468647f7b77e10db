"""The one description of what a coding agent gets, whichever host it runs in."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

SKILL, ORACLE, RUNNER = "planbook", "planbook-oracle", "planbook-runner"
"""The names of the skill, of the command that works through a plan, and of the subagent that writes
one page."""
TITLE = "Planbook"
SUMMARY = (
    "Fill research plans with pages whose quotes are proven word for word, one subagent per page."
)
SKILL_WHEN = (
    "Write cited pages for the PARTs of a research plan with the command planbook, alone or with "
    "one runner per PART, and let it prove every quote. Use it when the user names a plan in "
    "plans/, a PART, a runner, an Oracle or a KNOWLEDGE DROP, or asks for a page of this base."
)
ORACLE_WHEN = (
    "Work through a research plan of this base: one runner per open PART in parallel, failures "
    "once more, one commit. Use it when the user asks to run, work through or finish a plan."
)
RUNNER_WHEN = (
    "Writes the page of one PART of a Planbook plan, and ends when planbook finish has accepted "
    "it or given up."
)
SERVER = "planbook"
"""The name of the MCP server."""
COMMAND, ARGUMENTS = "planbook", ("mcp", "--write")
"""The command that starts it."""
HOOK = "planbook runners ended"
"""The command that a host runs when a subagent ends; it reads the host's JSON on standard input."""


@cache
def text(name: str) -> str:
    """Return a text, ``skill``, ``oracle`` or ``runner``, as Markdown without front matter."""
    file = files("planbook.runners").joinpath("texts", f"{name}.md")
    return file.read_text(encoding="utf-8").strip() + "\n"


CODEX_TOOLS = (
    "In Codex, call the tools of the MCP server planbook instead of the shell command: the "
    "sandbox of the shell has no network and cannot write git's folder, where claims and dossiers "
    "lie.\n"
)
"""The sentence that a runner in Codex has to know beyond the skill."""
