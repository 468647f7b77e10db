"""The command line: arguments, output and exit codes. The only package that prints.

Read this module first: `GROUPS` names the module of each command, which is imported when its
command runs. A command reads its parameters, finds its ``project``, makes one call, prints what the
call returned, and exits. ``check`` is an example.

Several commands share ``parameters`` (arguments and options), ``project`` (settings, checks and
library), ``targets`` (files, plans and PARTs that a user names), ``terminal`` (output),
``chosen_parts`` (PARTs, and their leases) and ``index_files`` (INDEX.md and SKILL.md).
``run_report`` and ``live`` are the output of ``expand``, ``watch`` that of ``status --watch``;
``mcp`` is the server for agents. ``init`` has ``survey`` (what a folder holds before),
``starter_files`` and ``example``, ``check`` has ``link_targets``, ``verify`` has
``cited_references``, and ``finish`` has ``submission_report`` and ``submission_json``. Where the
server has a tool for what a command does, a function beside the command returns the tool's answer.
"""

from __future__ import annotations

import gc
import importlib

import click

from planbook import __version__

GROUPS = {
    "Start": {
        "init": ("init", "Start a project with a small example."),
        "new": ("new", "Write a plan to fill in."),
        "runners": ("runners", "Let coding agents work through plans."),
    },
    "Write": {
        "gather": ("gather", "Search and read for the open PARTs."),
        "brief": ("brief", "Print what a writer needs for a page."),
        "read": ("read", "Print a source as numbered passages."),
        "find": ("find", "Print passages that answer a question."),
        "claim": ("claim", "Reserve a PART for a time."),
        "finish": ("finish", "Check your page and mark its PART as done."),
        "commit": ("commit", "Commit all pages that were accepted."),
        "expand": ("expand", "Fill the open PARTs with cited pages."),
    },
    "Prove": {
        "check": ("check", "Report and fix problems in plans and pages."),
        "verify": ("verify", "Check that sources contain the quotes."),
        "cite": ("cite", "List the works that pages cite."),
        "audit": ("audit", "Check a report against its sources."),
    },
    "Read and publish": {
        "serve": ("engines", "Serve the site; rebuild on changes."),
        "build": ("engines", "Build the site with one of three engines."),
        "status": ("status", "Show what is done, open and on disk."),
        "show": ("show", "Print plans as JSON."),
        "index": ("index", "Write INDEX.md and SKILL.md."),
        "mcp": ("mcp.serve", "Let agents read the base (MCP server)."),
        "materialize": ("materialize", "Write plain Markdown for other tools."),
    },
}
"""The commands by what they are for, in the order of a first use.

Each has its module, which is imported only when the command runs, and its help in 60 columns.
"""
FORMER_COMMANDS = {"refresh": ("refresh", "Find quotes whose sources changed.")}
"""Former names, which work and are not listed."""
COMMANDS = {
    name: command for group in GROUPS.values() for name, command in group.items()
} | FORMER_COMMANDS
EXTRAS = {
    "research": "audit, commit, expand, find, finish, gather, read, verify",
    "mcp": "mcp",
    "zensical": "build, serve and materialize, for that engine",
    "dask": "expand --dask",
}
"""The commands that need each extra."""
_NAMES = dict.fromkeys(COMMANDS, click.Command(None))
"""For click, which suggests the nearest ones for an unknown command."""


class _Commands(click.Group):
    """Loads each command from its module."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of this name; ``None`` if there is none."""
        if cmd_name not in COMMANDS:
            return None
        module_name, _ = COMMANDS[cmd_name]
        module = importlib.import_module(f"planbook.cli.{module_name}")
        # Where another function has the command's name, the command is called `check_command`.
        long_name = f"{cmd_name}_command"
        name = long_name if hasattr(module, long_name) else cmd_name
        command: click.Command = getattr(module, name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the arguments name.

        ``--json`` is a hidden name of ``--format=json``, ``help finish`` of ``finish --help``, and
        ``help`` of ``--help``.
        """
        args_in_full = ["--format=json" if arg == "--json" else arg for arg in args]
        if args_in_full == ["help"]:
            click.echo(ctx.get_help())
            ctx.exit()
        if args_in_full[0] == "help":
            args_in_full = [args_in_full[1], "--help"]
        return super().resolve_command(ctx, args_in_full)

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; after an error that the user can correct, print its message and exit."""
        from planbook.store.files import UserError

        # Syntax trees have millions of objects, few of which are garbage.
        gc.set_threshold(200_000, 50, 50)
        try:
            return super().invoke(ctx)
        except UserError as error:
            click.ClickException(str(error)).show()
            ctx.exit(error.exit_code)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the groups of commands, without importing them, and the extras that some need."""
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, text) for name, (_, text) in commands.items()])
        extras = "Extras, such as planbook[research], and the commands that need them"
        with formatter.section(extras):
            formatter.write_dl(list(EXTRAS.items()))


@click.group(
    cls=_Commands, commands=_NAMES, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="planbook")
def main() -> None:
    """Research plans go in, a cited knowledge site comes out."""
