"""Times whole builds as a user runs them, each in a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from mkdocs.utils.yaml import yaml_load

from tests.bench.base import make_base
from tests.conftest import ROOT

HOOK = '''"""Writes down what each of the generator's stages took."""

import json
from pathlib import Path

from mkdocs.plugins import event_priority


@event_priority(-200)
def on_post_build(config):
    timings_s = config.plugins["planbook"].timings_s
    Path(config.config_file_path).with_suffix(".json").write_text(json.dumps(timings_s))
'''


@dataclass(frozen=True)
class Timing:
    """One build."""

    whole_s: float
    """Of the whole process, start-up included."""
    stages_s: dict[str, float]
    """The generator's own work by stage; empty for plain mkdocs-material."""

    @property
    def citations_s(self) -> float:
        """Finding the works that the pages cite."""
        return self.stages_s.get("citations", 0.0)

    @property
    def agents_s(self) -> float:
        """Making the files for agents."""
        return self.stages_s.get("agents", 0.0)

    @property
    def own_s(self) -> float:
        """The generator's own work, without finding works cited and the files for agents, which have their limits."""
        return sum(self.stages_s.values()) - self.citations_s - self.agents_s


def prepare(root: Path, pages: int) -> None:
    """Make a base, and the two configurations to build it with: ours, and the same without the plugin."""
    make_base(root, pages)
    shutil.copytree(ROOT / "docs" / "assets", root / "docs" / "assets")
    (root / "hook.py").write_text(HOOK, encoding="utf-8")
    ours = yaml_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    # A base made by a script links anywhere; what a plain build warns of would be printed and timed.
    ours |= {"nav": ["index.md", {"Knowledge": ["INDEX"]}], "validation": {"links": {"not_found": "info"}}}
    # Beside planbook-speed, which has a race of its own, nothing would be plain.
    ours["plugins"] = [plugin for plugin in ours["plugins"] if name_of(plugin) != "planbook-speed"]
    plain = ours | {"plugins": [plugin for plugin in ours["plugins"] if name_of(plugin) != "planbook"], "nav": None}
    write(root / "plain.yml", plain)
    write(root / "planbook.yml", ours | {"hooks": ["hook.py"]})


def name_of(plugin: object) -> str:
    """What a plugin is called in a configuration, with options or without."""
    return str(next(iter(plugin))) if isinstance(plugin, dict) else str(plugin)


def write(path: Path, config: dict[str, Any]) -> None:
    """Write a configuration."""
    path.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")


def build(root: Path, name: str) -> Timing:
    """Build the base at `root` by its configuration `name`, into a new folder."""
    site = root / "site"
    shutil.rmtree(site, ignore_errors=True)
    mkdocs = Path(sys.executable).with_name("mkdocs")
    whole_s = seconds([str(mkdocs), "build", "--quiet", "-f", f"{name}.yml", "-d", str(site)], root)
    told = root / f"{name}.json"
    stages_s = json.loads(told.read_text(encoding="utf-8")) if told.exists() else {}
    return Timing(whole_s, stages_s)


def seconds(arguments: list[str], cwd: Path) -> float:
    """How long a command takes, by the clock on the wall."""
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"}
    begun = time.perf_counter()
    done = subprocess.run(
        arguments, cwd=cwd, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False
    )
    spent = time.perf_counter() - begun
    if done.returncode:
        sys.stderr.write(done.stderr.decode(errors="replace"))
        raise SystemExit(f"{' '.join(arguments)} ended with {done.returncode}")
    return spent
