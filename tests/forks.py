"""Our commands, each in a process of its own: a fork of one that has imported what they need.

Most of what a short run costs are its imports. Tests of how a command starts, or of signals, start it themselves.
"""

from __future__ import annotations

import atexit
import functools
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
COMMANDS = {"mkdocs": "mkdocs.__main__:cli", "planbook": "planbook.cli:main"}
IMPORTS = ("planbook.research.expand.run", "planbook.plugin", "planbook_speed.plugin", "material.plugins.search.plugin")
"""What these import when they run."""

LIMIT_S = 600


class ForkServer:
    """A process that forks for each command.

    Args:
        command: Starts it: a program that calls `serve`.
    """

    def __init__(self, command: Sequence[str | Path]) -> None:
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )

    def run(
        self, command: str, *arguments: str | Path, cwd: Path, env: Mapping[str, str], is_merged: bool = False
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end; with `is_merged`, what it writes to either stream is in `stdout`."""
        with tempfile.TemporaryDirectory() as folder:
            out, err = Path(folder, "out"), Path(folder, "out" if is_merged else "err")
            request = {"command": command, "arguments": list(map(str, arguments)), "cwd": str(cwd), "env": dict(env)}
            assert self._process.stdin
            assert self._process.stdout
            self._process.stdin.write(json.dumps({**request, "out": str(out), "err": str(err)}) + "\n")
            self._process.stdin.flush()
            code = int(self._process.stdout.readline())
            texts = [path.read_text("utf-8") for path in (out, err)]
        return subprocess.CompletedProcess([command, *arguments], code, texts[0], "" if is_merged else texts[1])

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def run(
    command: str, *arguments: str | Path, cwd: Path, env: Mapping[str, str], is_merged: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run one of `COMMANDS`, as `ForkServer.run` does."""
    return _server().run(command, *arguments, cwd=cwd, env=env, is_merged=is_merged)


@functools.cache
def _server() -> ForkServer:
    """Return the process that forks, for as long as this one lives."""
    server = ForkServer([sys.executable, "-m", "tests.forks"])
    atexit.register(server.close)
    return server


def serve(targets: Mapping[str, str]) -> None:
    """Run each command that is asked for on the standard input, and answer with its exit code.

    Args:
        targets: The function of each command, as in an entry point. What else is imported before is shared.
    """
    commands = {name: _load(target) for name, target in targets.items()}
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            _become(request)
            sys.exit(commands[request["command"]]())
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _load(target: str) -> Callable[[], int | None]:
    module, _, name = target.partition(":")
    loaded: Callable[[], int | None] = getattr(importlib.import_module(module), name)
    return loaded


def _become(request: dict[str, Any]) -> None:
    """Take on the arguments, folder, environment and streams that a command is to have."""
    signal.alarm(LIMIT_S)  # nobody waits longer
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    tempfile.tempdir = None  # asked for again
    sys.argv = [str(Path(sys.executable).with_name(request["command"])), *request["arguments"]]
    for number, path in enumerate((os.devnull, request["out"], request["err"])):
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(file, number)
        os.close(file)
    # What every Python runs first, where a test puts such a file on the path: see `tests/research/expand/child`.
    first = Path(os.environ.get("PYTHONPATH", "").partition(os.pathsep)[0], "sitecustomize.py")
    if first.is_file() and (spec := spec_from_file_location("sitecustomize", first)) and spec.loader:
        sys.modules["sitecustomize"] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules["sitecustomize"])


if __name__ == "__main__":
    for imported in IMPORTS:
        importlib.import_module(imported)
    serve(COMMANDS)
