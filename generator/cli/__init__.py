"""The command line: arguments, what a person sees, exit codes; a command a module. The only room that prints."""

from __future__ import annotations

import click

from generator import __version__
from generator.cli.brief import brief
from generator.cli.check import check_command
from generator.cli.cite import cite
from generator.cli.expand import expand
from generator.cli.finish import finish
from generator.cli.index import index
from generator.cli.materialize import materialize
from generator.cli.show import show
from generator.cli.status import status
from generator.cli.verify import verify


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="planbook")
def main() -> None:
    """Research plans go in, a cited knowledge site comes out."""


for _command in (show, status, check_command, cite, verify, index, materialize, expand, brief, finish):
    main.add_command(_command)
