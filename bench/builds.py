"""Times commands on a base: builds of each kind in turn, saves while serving, and the command line."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from mkdocs.utils.yaml import yaml_load

from bench.base import make_base
from bench.served import SiteServer
from bench.time_limit import TimeLimit
from bench.tree import Cost, run
from tests.conftest import ROOT

CACHES = (".cache", ".planbook")
"""Where builds and commands keep what they know."""
PLUGINS: dict[str, list[Any]] = {
    "plain": ["search", "tags"],
    "zensical": ["search", "tags"],
    "alone": ["search", "tags", "planbook-speed"],
    "whole": ["search", "tags", "planbook", "planbook-speed"],
    "github": ["search", "tags", {"planbook": {"markdown": "github"}}, "planbook-speed"],
}
"""By configuration: `plain` has neither of our plugins, `alone` has one, and the `whole` both, as has `github`.

`second` is the whole by the second engine, Zensical.
"""
BUILT = ("whole", "github", "alone", "second")
"""What is built cold, unchanged and edited, the most important first."""
COMMANDS = {
    "status": ["status"],
    "cite": ["cite"],
    "index": ["index", "--check"],
    "check": ["check"],
    "dry-run": ["expand", "--dry-run"],
}


def command(name: str) -> str:
    """Return the path of a command beside this Python."""
    return str(Path(sys.executable).with_name(name))


@dataclass(frozen=True)
class Bench:
    """A base with a configuration for each way to build it, and what each run took."""

    root: Path
    repeats: int
    limit: TimeLimit
    figures: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    costs: dict[str, list[Cost]] = field(default_factory=lambda: defaultdict(list))

    @staticmethod
    def made(root: Path, pages: int, repeats: int, limit: TimeLimit, *, is_pruned: bool = False) -> Bench:
        """Make the base. Every page carries the whole navigation, as Material's do by default, unless `is_pruned`."""
        make_base(root, pages)
        shutil.copytree(ROOT / "docs" / "assets", root / "docs" / "assets")
        ours = yaml_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
        shared = {key: value for key, value in ours.items() if key not in {"nav", "plugins", "validation"}}
        features = [feature for feature in ours["theme"]["features"] if is_pruned or feature != "navigation.prune"]
        shared |= {"theme": ours["theme"] | {"features": features}, "validation": {"links": {"not_found": "info"}}}
        for name, plugins in PLUGINS.items():
            config = shared | {"plugins": plugins, "site_dir": f"site-{name}"}
            if name in {"whole", "github"}:
                config["nav"] = ["index.md", {"Knowledge": ["INDEX"]}]
            (root / f"{name}.yml").write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
        shutil.copy(root / "whole.yml", root / "mkdocs.yml")
        return Bench(root, repeats, limit)

    def build(self, wanted: Collection[str], turn: int) -> None:
        """Take the wanted figures of builds, once: in turn, what slows the machine slows all.

        Args:
            wanted: Names of figures.
            turn: How often this was done before. The first time, all caches are filled.
        """
        for name in ("plain", "zensical"):
            if name in wanted:
                self._put_aside(f"site-{name}")
                self._take(name, *self._engine(name))
        for name in BUILT:
            own = {figure.removeprefix(f"{name} ") for figure in wanted if figure.startswith(f"{name} ")}
            if not own & {"cold", "unchanged", "edited"}:
                continue
            if "cold" in own or turn == 0:
                if not self.limit.allows(f"{name} cold"):
                    continue
                self.forget()
                self._take(f"{name} cold", *self._engine(name))
            if "unchanged" in own:
                self._take(f"{name} unchanged", *self._engine(name))
            if "edited" in own:
                self._append(self.page(), "Another word.")
                self._take(f"{name} edited", *self._engine(name))

    def serve(self, wanted: Collection[str]) -> None:
        """Take the wanted figures of serving: from a save until the page shows it."""
        if {"whole saved", "whole mark"} & {*wanted} and self.limit.allows("serve"):
            with SiteServer([command("mkdocs"), "serve", "-f", "whole.yml"], self.root) as server:
                self._save(server, "whole saved")
                for turn in range(self.repeats if "whole mark" in wanted else 0):
                    day = f"2031-01-{turn + 1:02}"
                    begun = self._mark(day)
                    self.figures["whole mark"].append(server.seconds_until("progress.json", day, begun))
        if "zensical saved" in wanted and self.limit.allows("zensical"):
            with SiteServer([command("zensical"), "serve", "-f", "zensical.yml"], self.root) as server:
                self._save(server, "zensical saved")
        if "second saved" in wanted and self.limit.allows("second cold"):
            with SiteServer([command("planbook"), "serve", "--engine", "zensical"], self.root) as server:
                self._save(server, "second saved")

    def _save(self, server: SiteServer, name: str) -> None:
        """Save a page again and again, and note how long each takes to be served."""
        page = self.page()
        path = f"{page.relative_to(self.root / 'docs').with_suffix('').as_posix()}/"
        server.seconds_until(path, "", 0)
        for turn in range(self.repeats):
            word = f"{name.replace(' ', '-')}-{turn}"
            begun = self._append(page, word)
            self.figures[name].append(server.seconds_until(path, word, begun))

    def commands(self, wanted: Collection[str]) -> None:
        """Take the wanted figures of the command line, of runs after a first one."""
        pages = [str(path) for path in sorted((self.root / "docs").rglob("*.md"))]
        for name, arguments in COMMANDS.items():
            if name in wanted and self.limit.allows("first command"):
                asked = [command("planbook"), *arguments, *(pages if name == "cite" else ())]
                first = run(asked, self.root, may_find=True)
                self.limit.record("first command", first.whole_s)
                for _ in range(self.repeats):
                    self._take(name, *asked)

    def page(self) -> Path:
        """Return the page of median size, which is edited."""
        pages = sorted((self.root / "docs").rglob("*.md"), key=lambda path: (path.stat().st_size, path))
        return pages[len(pages) // 2]

    def forget(self) -> None:
        """Put aside what builds and commands know of earlier ones."""
        self._put_aside(*CACHES, *(f"site-{config}" for config in PLUGINS))

    def _put_aside(self, *names: str) -> None:
        """Move folders out of the base: where files were removed, ext4 makes new ones slowly for some minutes."""
        aside = Path(tempfile.mkdtemp(prefix="aside-", dir=self.root.parent))
        for name in names:
            if (self.root / name).exists():
                (self.root / name).rename(aside / name)

    def _take(self, name: str, *arguments: str) -> None:
        """Run a command, if the time allows it."""
        if not self.limit.allows(name):
            return
        cost = run(arguments, self.root, may_find=name in COMMANDS)
        self.limit.record(name, cost.whole_s)
        self.costs[name].append(cost)
        self.figures[name].append(cost.whole_s)
        self.figures[f"{name} MiB"].append(cost.peak_mib)

    def _engine(self, name: str) -> list[str]:
        """The command that builds by a configuration."""
        if name == "second":
            return [command("planbook"), "build", "--engine", "zensical"]
        if name == "zensical":
            return [command("zensical"), "build", "--clean", "-f", "zensical.yml"]
        return [command("mkdocs"), "build", "--quiet", "-f", f"{name}.yml"]

    def _append(self, page: Path, words: str) -> float:
        """Add words to a page; the time of the save."""
        begun = time.perf_counter()
        with page.open("a", encoding="utf-8") as text:
            text.write(f"\n{words}\n")
        return begun

    def _mark(self, day: str) -> float:
        """Mark the first open PART of all plans as done on a day; the time of the save."""
        for path in sorted((self.root / "plans").rglob("ingestion.md")):
            lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
            for n, line in enumerate(lines):
                if line.startswith("- [ ] PART "):
                    lines[n] = line.replace("[ ]", "[✓]").rstrip() + f" (Completed {day})\n"
                    begun = time.perf_counter()
                    path.write_text("".join(lines), encoding="utf-8")
                    return begun
        raise SystemExit("no PART is open")
