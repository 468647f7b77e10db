"""Builds the sdist and the wheel into dist/ and checks them, as a release does before it publishes: `make dist`.

With a tag as argument, the version must be the tag's. It needs a package registry, for the dependencies of the wheel.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from email import message_from_bytes
from pathlib import Path

from packaging.metadata import ExceptionGroup, InvalidMetadata, Metadata
from trove_classifiers import classifiers

from planbook import __version__
from tests.conftest import ROOT
from tests.install.environment import Environment, InstallError, build_site, make_project

DIST = ROOT / "dist"
NAME = f"planbook-{__version__}"
ABOUT_SOURCE = ("CHANGELOG.md", "LICENSE", "README.md", "pyproject.toml", ".gitignore")
ABOUT = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"}


def build(folder: Path) -> tuple[Path, Path]:
    """Build the sdist, and from it the wheel, in `folder`; return their paths."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder / f"{NAME}.tar.gz", folder / f"{NAME}-py3-none-any.whl"


def problems_of(sdist: Path, wheel: Path) -> list[str]:
    """What is wrong with the contents and the metadata of the two."""
    with zipfile.ZipFile(wheel) as archive, tarfile.open(sdist) as source:
        return [
            *wheel_problems(name for name in archive.namelist() if not name.endswith("/")),
            *sdist_problems(member.name for member in source if member.isfile()),
            *metadata_problems(archive.read(f"{NAME}.dist-info/METADATA")),
        ]


def tracked(*paths: str) -> set[str]:
    """The files at these paths that git knows or would add."""
    command = [shutil.which("git") or "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *paths]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return {path for path in done.stdout.split("\0") if path and not path.endswith("/ruff.toml")}


def differences(kind: str, found: Iterable[str], expected: Iterable[str]) -> Iterator[str]:
    """Name the files that are missing from a distribution, and those that do not belong there."""
    found, expected = set(found), set(expected)
    yield from (f"{kind}: {path} is missing" for path in sorted(expected - found))
    yield from (f"{kind}: {path} does not belong there" for path in sorted(found - expected))


def wheel_problems(names: Iterable[str]) -> Iterator[str]:
    """The wheel holds the package as git knows it, and what describes it."""
    code = {path.removeprefix("generator/") for path in tracked("generator")}
    yield from differences("wheel", names, code | {f"{NAME}.dist-info/{name}" for name in ABOUT})


def sdist_problems(names: Iterable[str]) -> Iterator[str]:
    """The sdist holds the code and what describes it, and nothing of this repository's own base."""
    files = {name.removeprefix(f"{NAME}/") for name in names}
    yield from differences("sdist", files, tracked("generator", *ABOUT_SOURCE) | {"PKG-INFO"})


def metadata_problems(text: bytes) -> Iterator[str]:
    """A package index takes the metadata, and they say what this version is."""
    try:
        metadata = Metadata.from_email(text, validate=True)
    except (ExceptionGroup, InvalidMetadata) as error:
        yield f"metadata: {getattr(error, 'exceptions', error)}"
        return
    yield from (f"metadata: no index knows {name!r}" for name in set(metadata.classifiers or ()) - classifiers)
    if str(metadata.version) != __version__:
        yield f"metadata: the version is {metadata.version}, and that of the package is {__version__}"
    if metadata.description_content_type != "text/markdown" or not message_from_bytes(text).get_payload():
        yield "metadata: the README is missing"


def tag_problems(tag: str) -> Iterator[str]:
    """The tag names this version, and the changelog tells what is new in it."""
    if tag != f"v{__version__}":
        yield f"the tag is {tag}, and the version {__version__}; set planbook.__version__ first"
    if f"\n## [{__version__}]" not in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"):
        yield f"CHANGELOG.md has no section [{__version__}]"


def server_problems(text: str, readme: str) -> Iterator[str]:
    """Yield what the MCP registry would refuse of `server.json`, or install wrongly.

    The registry compares the server's name with a comment in the README of the package, and limits the description to
    100 characters (https://modelcontextprotocol.io/registry/package-types).
    """
    server = json.loads(text)
    if f"<!-- mcp-name: {server['name']} -->" not in readme:
        yield f"server.json: the README has no comment `mcp-name: {server['name']}`"
    if len(server["description"]) > 100:
        yield "server.json: the description has more than 100 characters"
    for package in server["packages"]:
        requirement = package["runtimeArguments"][0]["value"].rpartition("==")[2]
        for version in {server["version"], package["version"], requirement} - {__version__}:
            yield f"server.json: the version is {version}, and that of the package is {__version__}"


def use(wheel: Path) -> None:
    """Install the wheel into a bare environment, load what it is entered by, and build a site.

    The environment has a package called `generator`, which stays as it is.
    """
    load = (
        "from importlib.metadata import distribution; [one.load() for one in distribution('planbook').entry_points]; "
        "import planbook; print(planbook.__version__)"
    )
    with tempfile.TemporaryDirectory(prefix="planbook-release-") as folder:
        environment = Environment.make(Path(folder) / "environment")
        stranger = environment.site_packages / "generator"
        stranger.mkdir()
        (stranger / "__init__.py").write_text("NAME = 'a stranger'\n", encoding="utf-8")
        environment.install(str(wheel))
        if environment.run("python", "-c", "import generator; print(generator.NAME)").strip() != "a stranger":
            raise InstallError("another package called `generator` is not what it was")
        if environment.run("python", "-c", load).strip() != __version__:
            raise InstallError("the installed package has another version")
        build_site(environment, make_project(Path(folder) / "project"))


def use_without_installing(wheel: Path) -> None:
    """Start a base with `uvx planbook init`, and with pipx run and installed, all from the wheel."""
    with tempfile.TemporaryDirectory(prefix="planbook-tools-") as folder:
        tools = Environment.make(Path(folder) / "tools")
        tools.install("uv", "pipx")
        starts = {
            "uvx": ("uvx", "--isolated", "--from", wheel, "planbook"),
            "pipx-run": ("pipx", "run", "--spec", wheel, "planbook"),
        }
        for name, command in starts.items():
            base = Path(folder) / name
            tools.run(*command, "init", base)
            tools.run(*command, "build", "--strict", cwd=base)
            if not (base / "site" / "index.html").is_file():
                raise InstallError(f"{name} built no site")


def main(tag: str = "") -> int:
    """Build and check; return the exit code."""
    shutil.rmtree(DIST, ignore_errors=True)
    sdist, wheel = build(DIST)
    about_server = server_problems(
        (ROOT / "server.json").read_text(encoding="utf-8"), (ROOT / "README.md").read_text(encoding="utf-8")
    )
    problems = [*problems_of(sdist, wheel), *about_server, *(tag_problems(tag) if tag else ())]
    try:
        use(wheel)
        use_without_installing(wheel)
    except InstallError as error:
        problems.append(str(error))
    for problem in problems:
        print(f"FAILED: {problem}", file=sys.stderr)
    if not problems:
        print(f"{sdist.name} and {wheel.name} can be released.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
