"""MkDocs' own command line, run again and again in one process, as asked on the standard input.

Each line is a list of arguments as JSON; the answer is a line too: what was logged, and the exit code. A process of its
own has no threads, as that of pytest may, so that what forks can be tested.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import sys
import traceback

import click
from mkdocs.__main__ import cli, common_options
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.livereload import LiveReloadServer

from tests.speed.compiled_once import compile_once


@cli.command()
@click.option("-f", "path")
@click.option("-d", "site_dir")
@common_options  # type: ignore[untyped-decorator]  # MkDocs has no types for it
def rebuild(path: str, site_dir: str) -> None:
    """Build as `mkdocs serve` does after a save: plugins keep what they know of the last build, and have its server.

    Nobody connects to the server, which listens to nothing.
    """
    config = load_config(path, site_dir=site_dir)
    is_first = not SERVED
    if is_first:
        config.plugins.on_startup(command="serve", dirty=False)
    SERVED.append(path)
    build(config)
    if is_first:
        server = LiveReloadServer(builder=lambda: None, host="127.0.0.1", port=0, root=site_dir)
        config.plugins.on_serve(server, config=config, builder=lambda: None)
    config.plugins.on_shutdown()


SERVED: list[str] = []


ENVIRONMENT = dict(os.environ)
"""The variables that every run begins with: a hook of an earlier one may have set another date."""


def run(arguments: list[str]) -> tuple[str, int]:
    """What the command logs, and its exit code."""
    os.environ.clear()
    os.environ.update(ENVIRONMENT)
    gc.collect()  # builds seldom do: after two hundred, the process would have 600 MB, and a fork takes its time
    told = io.StringIO()
    with contextlib.redirect_stderr(told), contextlib.redirect_stdout(told):
        try:
            cli.main(arguments, standalone_mode=False)
        except SystemExit as end:
            return f"{told.getvalue()}{end.code}\n", 1
        except Exception as error:  # noqa: BLE001 - a command line shows whatever comes
            traceback.print_exc()
            return f"{told.getvalue()}{error}\n", 1
    return told.getvalue(), 0


def main() -> None:
    """Answer until the input ends."""
    compile_once()
    answers = sys.stdout
    for line in sys.stdin:
        answers.write(json.dumps(run(json.loads(line))) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
