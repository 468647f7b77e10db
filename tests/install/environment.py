"""A fresh environment with the pip that Python ships, and what a user does first in it."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.demo.__main__ import make_copy


class InstallError(Exception):
    """Something that a user would have to fix."""


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment that shares nothing with the one that these programs run in."""

    folder: Path

    @classmethod
    def make(cls, folder: Path) -> Environment:
        """Make it with this Python and the pip that comes with it."""
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        return cls(folder)

    @property
    def site_packages(self) -> Path:
        """The folder that packages are installed into."""
        return next((self.folder / "lib").glob("python3.*")) / "site-packages"

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables of its programs."""
        own = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
        return own | {"NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true", "COLUMNS": "200"}

    def run(self, *args: str | Path, cwd: Path | None = None, codes: Sequence[int] = (0,)) -> str:
        """Run a program of the environment; return its output.

        Raises:
            InstallError: it ended with an exit code not in `codes`, or with a traceback.
        """
        program, *rest = args
        done = subprocess.run(
            [self.folder / "bin" / program, *rest],
            cwd=cwd or self.folder,
            env=self.variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode not in codes or "Traceback" in done.stdout:
            raise InstallError(f"{shlex.join(map(str, args))} ended with {done.returncode}:\n{done.stdout}")
        return done.stdout

    def install(self, *requirements: str) -> None:
        """Install as `python -m pip install` does; versions must fit together."""
        self.run("python", "-m", "pip", "install", "--disable-pip-version-check", *requirements)
        self.run("python", "-m", "pip", "check")


def make_project(folder: Path) -> Path:
    """The demonstration's base in `folder`, as a repository."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    make_copy(folder)
    config = folder / "mkdocs.yml"
    text = config.read_text(encoding="utf-8")
    config.write_text(text.replace("  - planbook:\n", "  - planbook-speed\n  - planbook:\n"), encoding="utf-8")
    return folder


def build_site(environment: Environment, project: Path) -> str:
    """Check the plans and build the site; return the HTML of its home page."""
    environment.run("planbook", "--version")
    environment.run("planbook", "status", cwd=project)
    environment.run("planbook", "check", cwd=project, codes=(0, 1))
    environment.run("mkdocs", "build", "--strict", cwd=project)
    return (project / "site" / "index.html").read_text(encoding="utf-8")
