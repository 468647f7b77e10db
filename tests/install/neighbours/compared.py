"""One row of the matrix: a site is built and served in each way after each change, and its files are compared.

The ways are MkDocs alone, with `planbook-speed`, with `planbook`, and with both. A build with `planbook` is compared
with one of the same that has no cache.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.files import put
from tests.forks import ForkServer
from tests.install.environment import Environment
from tests.install.neighbours import changes
from tests.install.neighbours.projects import Neighbour
from tests.plugin.conftest import hashes

WAYS = {
    "plain": [],
    "speed": ["planbook-speed"],
    "planbook": ["planbook"],
    "both": ["planbook", "planbook-speed"],
}
"""Our plugins, by the name of the way to build."""
REFERENCES = {"speed": "plain", "planbook": "fresh", "both": "fresh"}
"""What each way has to give: that of MkDocs alone, or of `planbook` without a cache."""
CACHES = (".cache", ".planbook")
WITHOUT_PLANBOOK_ALONE = {"include", "template", "hook", "option", "static"}
"""Changes after which it is built only with `planbook-speed`, too: alone, it keeps nothing but what plans give."""
AGAIN = re.compile(r"planbook-speed: [^:]+\.md: (?:read|rendered|built) again")
WATCHED = ("part.txt", "data.txt", "data.yml", "hook.py", "src", "sub", "theme")
SERVED_S = 40
"""Seconds after which a served site must be that of a build."""
PAUSE_S = 0.4
QUIET_S = 4
"""Seconds without a build after which none will follow."""

Files = Mapping[str, str]
"""The hash of each file of a site."""


@dataclass
class Row:
    """What came of one row."""

    differences: dict[str, list[str]]
    """Stale and missing files, and failures: by way to build, then `serve`."""
    is_rebuilt: bool = False
    """True if `planbook-speed` does some work again for unchanged pages."""
    fails_alone: str = ""
    """The message of MkDocs if it cannot build the site even without our plugins."""

    @property
    def is_same(self) -> bool:
        """True if no file is stale or missing, and nothing failed."""
        return not self.fails_alone and not any(self.differences.values())


class Project:
    """The project of a row."""

    def __init__(self, environment: Environment, neighbour: Neighbour, root: Path, wanted: Sequence[str]) -> None:
        self._environment, self._neighbour, self._root = environment, neighbour, root
        self._wanted = wanted
        """The ways to build, and `serve`."""
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        self._server: ForkServer | None = None

    def compare(self) -> Row:
        """Build and serve after each change, and compare."""
        row, expected = Row({way: [] for way in self._wanted}), dict[str, dict[str, Files]]()
        has_planbook = bool({"planbook", "both"} & {*self._wanted})
        python = self._environment.folder / "bin/python"
        names = [next(iter(plugin)) if isinstance(plugin, dict) else plugin for plugin in self._neighbour.plugins]
        module = "tests.install.neighbours.builder"
        names += ["search", "tags", "planbook", "planbook-speed"]
        self._server = ForkServer([python, "-m", module, self._neighbour.engine, *names])
        self._begin()
        for change in changes.CHANGES:
            self._change(change)
            references = expected.get("cold", {})
            if change != "unchanged":
                references = {"plain": self._built("plain", row)}
                if has_planbook:
                    references["fresh"] = self._built_fresh(row)
            if row.fails_alone:
                break
            expected[change] = references
            if "planbook" in self._wanted:
                lost = {uri for uri in references["plain"].keys() - references["fresh"] if uri.endswith(".html")}
                row.differences["planbook"] += [f"{change}: no {uri}" for uri in sorted(lost)]
            for way, reference in REFERENCES.items():
                is_left_out = way == "planbook" and change in WITHOUT_PLANBOOK_ALONE
                if way not in self._wanted or is_left_out:
                    continue
                files = self._built(way, row, is_verbose=change == "unchanged" and way == "speed")
                row.differences[way] += compared(change, files, references[reference])
        self._server.close()
        for way in ("speed", "both"):
            if {way, "serve"} <= {*self._wanted} and not row.fails_alone:
                sites = {change: self._lasting(files[REFERENCES[way]]) for change, files in expected.items()}
                row.differences["serve"] += [f"{way}: {text}" for text in self._compare_served(way, sites)]
        return row

    def _compare_served(self, way: str, built: Mapping[str, Files]) -> list[str]:
        """Return what differs between the served site and that of a build, after each change.

        A plugin may give another site while it is served; then the site is compared with one that is served without
        `planbook-speed`.
        """
        if next(self._serve(way, built), None) is None:
            return []
        served = dict(self._sites_of_server("planbook" if way == "both" else "plain", built))
        return list(self._serve(way, served))

    def _lasting(self, files: Files) -> Files:
        """Return the files without those that grow while a site is served."""
        growing = self._neighbour.growing
        return {uri: text for uri, text in files.items() if not growing or not uri.startswith(growing)}

    def _begin(self) -> None:
        changes.make(self._root, self._neighbour)
        subprocess.run(["git", "init", "-q"], cwd=self._root, check=True)  # noqa: S607 - the one on the path

    def _change(self, change: str) -> None:
        """Do a change, and commit it: plugins that ask git show the second of a build for other pages.

        A change has the same day in each sequence: plugins show it.
        """
        changes.CHANGES[change](self._root, self._neighbour)
        of_nobody = ["-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "--allow-empty", "-m", "a"]
        day = f"2026-01-{[*changes.CHANGES].index(change) + 1:02}T00:00:00Z"
        days = {**os.environ, "GIT_AUTHOR_DATE": day, "GIT_COMMITTER_DATE": day}
        for command in (["add", "-A"], of_nobody):
            subprocess.run(["git", *command], cwd=self._root, check=True, env=days)  # noqa: S607 - on the path
        for way in WAYS:
            self._configure(way)

    def _configure(self, way: str) -> None:
        nav = self._root / "nav.json"
        config: dict[str, Any] = {
            **json.loads((self._root / changes.SETTINGS).read_text("utf-8")),
            "site_url": f"http://127.0.0.1:{self._port}/",
            "dev_addr": f"127.0.0.1:{self._port}",
            "site_dir": f"site-{way}",
            "theme": {"name": "material", "font": False, "custom_dir": "theme"},
            "markdown_extensions": ["pymdownx.superfences", {"toc": {"permalink": True}}],
            "hooks": list(self._neighbour.hooks),
            "plugins": ["search", "tags", *self._neighbour.plugins, *WAYS[way]],
            "watch": [uri for uri in WATCHED if (self._root / uri).exists()],
        }
        if nav.exists():
            config["nav"] = json.loads(nav.read_text("utf-8"))
        put(self._root, {f"{way}.yml": yaml.safe_dump(config)})

    @property
    def _variables(self) -> dict[str, str]:
        day = {"SOURCE_DATE_EPOCH": "1714982880"}  # some plugins show the second of a build
        return self._environment.variables | day

    def _built(self, way: str, row: Row, *, is_verbose: bool = False) -> Files:
        """Return what a build gives."""
        if way == "plain":
            shutil.rmtree(self._root / "site-plain", ignore_errors=True)
        assert self._server
        verbose = ["-v"] if is_verbose else []
        engine = self._neighbour.engine
        done = self._server.run(
            engine, "build", *verbose, "-f", f"{way}.yml", cwd=self._root, env=self._variables, is_merged=True
        )
        row.is_rebuilt |= bool(AGAIN.search(done.stdout))
        if done.returncode:
            text = f"fails: {done.stdout.strip()[-300:]}"
            if way == "plain":
                row.fails_alone = text
            else:
                row.differences.setdefault(way, []).append(text)
        return hashes(self._root / f"site-{way}")

    def _built_fresh(self, row: Row) -> Files:
        """Return what a build with `planbook` gives without a cache."""
        with tempfile.TemporaryDirectory(dir=self._root.parent) as aside:
            moved = [*CACHES, "site-planbook"]
            for name in moved:
                if (self._root / name).exists():
                    (self._root / name).rename(Path(aside, name))
            files = self._built("planbook", row)
            for name in moved:
                shutil.rmtree(self._root / name, ignore_errors=True)
                if Path(aside, name).exists():
                    Path(aside, name).rename(self._root / name)
        return files

    def _serve(self, way: str, expected: Mapping[str, Files]) -> Iterator[str]:
        """Yield what differs from the expected site while it is served, after each change."""
        last = [*expected][-1]
        has_started = False
        for change, served in self._changes_of_server(way, expected):
            has_started = True
            yield from served.differing(change, expected[change])
            if change == last:
                yield from compared("at the end", served.settled(), expected[last])
                yield from served.misanswered()
        if not has_started:
            yield "the server has ended"

    def _sites_of_server(self, way: str, wanted: Iterable[str]) -> Iterator[tuple[str, Files]]:
        """Yield each change and the site that is served after it."""
        for change, served in self._changes_of_server(way, wanted):
            yield change, served.settled()

    def _changes_of_server(self, way: str, wanted: Iterable[str]) -> Iterator[tuple[str, Served]]:
        """Serve the project, and yield each change after it is done; none if the server ends."""
        self._begin()
        first, *later = wanted
        self._change(first)
        with self._serving(way) as served:
            if served is None:
                return
            yield first, served
            for change in later:
                self._change(change)  # this may be noticed before it is committed
                (self._root / f"{way}.yml").touch()
                yield change, served

    @contextmanager
    def _serving(self, way: str) -> Iterator[Served | None]:
        """Serve the project; give nothing if the server has ended."""
        with tempfile.TemporaryDirectory(dir=self._root.parent) as folder:
            python = self._environment.folder / "bin/python"
            with (
                Path(folder, "log").open("wb") as log,
                subprocess.Popen(
                    [python, "-m", self._neighbour.engine, "serve", "--livereload", "-f", f"{way}.yml"],
                    cwd=self._root,
                    env=self._variables | {"TMPDIR": folder},
                    stdout=log,
                    stderr=subprocess.STDOUT,
                ) as process,
            ):
                try:
                    yield self._site_of(process, Path(folder))
                finally:
                    process.terminate()  # a shell may have it ignore an interrupt

    def _site_of(self, process: subprocess.Popen[bytes], folder: Path) -> Served | None:
        """Return the site of a server when it is built."""
        log = folder / "log"
        while b"Serving on" not in log.read_bytes():
            if process.poll() is not None:
                return None
            time.sleep(PAUSE_S)
        made = (f"{self._neighbour.engine}_", "mkdocs_")
        site = next(path for path in folder.iterdir() if path.name.startswith(made))
        return Served(site, log, self._port, self._lasting)


@dataclass(frozen=True)
class Served:
    """A site that is served."""

    site: Path
    """The folder into which the server builds."""
    log: Path
    port: int
    lasting: Callable[[Files], Files]
    """Returns the files that are compared."""

    def differing(self, change: str, expected: Files) -> list[str]:
        """Wait until the site is as expected, and return what differs after a while."""
        ends = time.monotonic() + SERVED_S
        while (differing := compared(change, self._files_while_built(), expected)) and time.monotonic() < ends:
            time.sleep(PAUSE_S)
        return differing

    def _files_while_built(self) -> Files:
        """Return the hash of each file; nothing if a build has removed one meanwhile."""
        try:
            return self.lasting(hashes(self.site))
        except FileNotFoundError:
            return {}

    def settled(self) -> Files:
        """Return the site when no build goes on, and none has begun for a while."""
        size, since = -1, time.monotonic()
        while time.monotonic() - since < QUIET_S:
            text = self.log.read_text("utf-8")
            is_building = text.rfind("Building documentation") > max(text.rfind("Reloading"), text.rfind("Serving on"))
            if is_building or len(text) != size:
                size, since = len(text), time.monotonic()
            time.sleep(PAUSE_S)
        return self.lasting(hashes(self.site))

    def misanswered(self) -> Iterator[str]:
        """Yield what the server gives instead of a page's file, to which it adds its script."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        uri = "a/index.html" if (self.site / "a/index.html").exists() else "a.html"
        connection.request("GET", f"/{uri.removesuffix('index.html')}")
        text = connection.getresponse().read().decode()
        connection.close()
        file = (self.site / uri).read_text("utf-8")
        if not text.startswith(file.partition("</body>")[0]):
            yield f"asked for {uri}: not its file"


def compared(change: str, files: Files, expected: Files) -> list[str]:
    """Return what differs from the site that is expected after a change."""
    differing = sorted(uri for uri in files.keys() | expected.keys() if files.get(uri) != expected.get(uri))
    return [f"{change}: {uri}" for uri in differing]
