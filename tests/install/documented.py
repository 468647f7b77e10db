"""Runs each install command of the Guide in a fresh environment, and uses what it installs: `make installs`.

It needs a package registry, so it is no test of pytest's: those reach loopback only.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from tests.conftest import ROOT
from tests.install.environment import Environment, InstallError, build_site, make_project

COMMAND = re.compile(r"^python -m pip install '?path/to/planbook(?:\[([\w,]+)\])?'?$", re.MULTILINE)
ADVICE = "run: python -m pip install 'path/to/planbook[research]'"
EXPANDED = "3 pages written"
NO_SCHEDULER = "tcp://127.0.0.1:9"
CLIENT = """
import asyncio, sys
from pathlib import Path
from mcp import Client, StdioServerParameters, stdio_client

async def main():
    command = str(Path(sys.executable).with_name("planbook"))
    async with Client(stdio_client(StdioServerParameters(command=command, args=["mcp", *sys.argv[2:]]))) as client:
        answer = await client.call_tool(sys.argv[1], {"plan": "rate-limiting", "part": 1})
        print(answer.structured_content.get("text", "answered") if not answer.is_error else answer)

asyncio.run(main())
"""


def documented() -> dict[str, str]:
    """The commands of the README and the Guide, by the extras that they name."""
    paths = [ROOT / "README.md", *sorted((ROOT / "docs" / "guide").glob("*.md"))]
    found = {match[1] or "": match[0] for path in paths for match in COMMAND.finditer(path.read_text("utf-8"))}
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    named = {extra for extras in found for extra in extras.split(",")}
    if named != {"", *extras}:
        raise InstallError(f"the Guide installs {sorted(named)}, and pyproject.toml has {sorted(extras)}")
    return found


def check_plain(environment: Environment, folder: Path) -> None:
    """A site is built; what needs more says how to install it."""
    project = make_project(folder)
    build_site(environment, project)
    plan = "plans/rate-limiting.md"
    environment.run("planbook", "brief", plan, "1", cwd=project)
    for args in (("expand",), ("verify",), ("finish", plan, "1")):
        if ADVICE not in environment.run("planbook", *args, cwd=project, codes=(1,)):
            raise InstallError(f"planbook {args[0]} does not say how to install what it needs")


def check_research(environment: Environment, folder: Path) -> None:
    """The plan is filled from a folder of HTML, PDF, Markdown and text, and its sources are verified."""
    expand(environment, make_project(folder))
    environment.run("planbook", "verify", "--offline", cwd=folder)
    build_site(environment, folder)


def check_dask(environment: Environment, folder: Path) -> None:
    """The scheduler is looked for; none is there."""
    told = environment.run("planbook", "expand", "--dask", NO_SCHEDULER, cwd=make_project(folder), codes=(1,))
    if NO_SCHEDULER not in told or "pip install" in told:
        raise InstallError(told)


def check_mcp(environment: Environment, folder: Path) -> None:
    """A client of the SDK gets a brief, without the extra `research`."""
    told = environment.run("python", "-c", CLIENT, "brief", cwd=make_project(folder))
    if not told.startswith("# Brief: "):
        raise InstallError(told)


def check_writing_server(environment: Environment, folder: Path) -> None:
    """An agent gathers evidence for a PART over the server."""
    told = environment.run("python", "-c", CLIENT, "gather", "--write", cwd=make_project(folder))
    if not told.startswith("answered"):
        raise InstallError(told)


def check_zensical(environment: Environment, folder: Path) -> None:
    """The other engine builds the site."""
    environment.run("planbook", "build", "--engine", "zensical", "--strict", cwd=make_project(folder))


def expand(environment: Environment, project: Path) -> None:
    """Fill the demonstration's plan."""
    told = environment.run("planbook", "expand", cwd=project)
    if EXPANDED not in told:
        raise InstallError(told)


CHECKS: Mapping[str, Callable[[Environment, Path], None]] = {
    "": check_plain,
    "mcp": check_mcp,
    "mcp,research": check_writing_server,
    "research": check_research,
    "research,dask": check_dask,
    "zensical": check_zensical,
}


def failed(folder: Path) -> Iterator[str]:
    """Install and use each; yield the commands that fail."""
    for extras, command in documented().items():
        environment = Environment.make(folder / "environment")
        print(f"{command}\n    {environment.run('python', '-m', 'pip', '--version').strip()}", flush=True)
        try:
            environment.install(*shlex.split(command.replace("path/to/planbook", str(ROOT)))[4:])
            CHECKS[extras](environment, folder / "project")
        except InstallError as error:
            print(f"    FAILED: {error}", flush=True)
            yield command
        else:
            print("    works", flush=True)
        shutil.rmtree(environment.folder)


def main() -> int:
    """Print each command and its outcome; return the exit code."""
    with tempfile.TemporaryDirectory(prefix="planbook-installs-") as folder:
        return 1 if list(failed(Path(folder))) else 0


if __name__ == "__main__":
    sys.exit(main())
