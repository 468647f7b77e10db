"""A site to build with and without planbook-speed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import ROOT
from tests.files import put
from tests.plugin.conftest import ENVIRONMENT, hashes

FEATURES = ["navigation.tabs", "navigation.indexes", "navigation.footer", "navigation.sections", "content.code.copy"]
CONFIG: dict[str, Any] = {
    "site_name": "Bread",
    "site_url": "https://bread.example/base/",
    "repo_url": "https://code.example/bread",
    "theme": {"name": "material", "font": False, "features": FEATURES, "custom_dir": "theme"},
    "plugins": ["search", "tags"],
    "markdown_extensions": [
        *("admonition", "attr_list", "footnotes", "md_in_html", "pymdownx.superfences"),
        {"toc": {"permalink": True}},
        {"pymdownx.highlight": {"anchor_linenums": True, "linenums": True}},
        {"pymdownx.tabbed": {"alternate_style": True}},
    ],
    "validation": {"links": {"anchors": "warn", "unrecognized_links": "warn"}},
}
OF_BUILDS = ("site/", "site-plain/", ".cache/", "held-", "speed.yml")
"""What does not change a build without planbook-speed."""
PAGE = """---
tags: [dough, {n}]
---
# Page {n} & *more* <b>of</b> `it`

A paragraph with a [link]({other}), one to [a place]({other}#second-part), a note[^1] and Käse.

!!! note "Keep & hold"
    Inside, with `code` and <span id="own-{n}">an id</span>.

## First part {{ data-x="1" }}

- one
    - two &amp; three

```python
def bake(oven: Oven, minutes: int = {n}) -> str:
    \"\"\"Bake.\"\"\"
    return f"{{minutes}} < 5 & {{oven!r}}"
```

=== "Rye"

    Dark.

=== "Wheat"

    | a | b |
    |---|---|
    | 1 | {n} |

## Second part

<div data-search-exclude markdown>Not **found**.</div>

Last words of {n}.

An <a id>anchor</a> without a name, and `<a id>` in code.

[^1]: A note.
"""


@dataclass(frozen=True)
class Outcome:
    """What came of a build."""

    log: list[str]
    """Without what differs from build to build, and without what planbook-speed says of itself."""
    said: list[str]
    """What planbook-speed says of itself."""
    code: int
    files: dict[str, str]
    """The hash of each file of the site."""


class Engine:
    """A process that builds."""

    def __init__(self, **environment: str) -> None:
        self.plain: dict[str, Outcome] = {}
        """Of earlier builds without planbook-speed, by what they were made of."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.speed.engine"],
            cwd=ROOT,
            env=ENVIRONMENT | environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def run(self, *arguments: str) -> tuple[str, int]:
        """What `mkdocs` logs, and its exit code."""
        self.start(*arguments)
        return self.result()

    def start(self, *arguments: str) -> None:
        """Let `mkdocs` run."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps(arguments) + "\n")
        self._process.stdin.flush()

    def result(self) -> tuple[str, int]:
        """What it logs, and its exit code."""
        assert self._process.stdout
        log, code = json.loads(self._process.stdout.readline())
        return log, code

    def build(self, config: Path, site: Path, *arguments: str, command: str = "build") -> Outcome:
        """Build a site."""
        told, code = self.run(command, "-f", str(config), "-d", str(site), *arguments)
        # A second build of a process leaves these lines out: a filter of MkDocs knows them already.
        lines = re.sub(r".*(?:Cleaning site|Building documentation|Documentation built).*\n", "", told).splitlines()
        said = [line for line in lines if "planbook-speed:" in line]
        log = [line for line in lines if line not in said]
        return Outcome(log, said, code, hashes(site))

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin
        self._process.stdin.close()
        assert self._process.stdout
        self._process.stdout.close()
        self._process.wait()


@dataclass
class Site:
    """A project that can be built both ways."""

    root: Path
    engine: Engine
    config: dict[str, Any] = field(default_factory=lambda: json.loads(json.dumps(CONFIG)))
    options: dict[str, Any] = field(default_factory=lambda: {"workers": 2})
    """Of planbook-speed."""

    def write(self, uri: str, text: str) -> None:
        """Write a file of the project."""
        put(self.root, {uri: text})

    def configure(self) -> None:
        """Write the configurations: without planbook-speed, and with it."""
        self.write("plain.yml", yaml.safe_dump(self.config))
        plugins = [*self.config["plugins"], {"planbook-speed": self.options}]
        self.write("speed.yml", yaml.safe_dump(self.config | {"plugins": plugins}))

    def plain(self, *arguments: str) -> Outcome:
        """What comes of a build without planbook-speed, into a folder that is not there yet; built once of the same."""
        self.configure()
        of = {uri: digest for uri, digest in hashes(self.root).items() if not uri.startswith(OF_BUILDS)}
        key = json.dumps([of, arguments])
        if key not in self.engine.plain:
            self.engine.plain[key] = self.engine.build(self.root / "plain.yml", self.root / "site-plain", *arguments)
        return self.engine.plain[key]

    def quick(self, *arguments: str) -> Outcome:
        """What comes of one with it, into the folder of the last."""
        self.configure()
        return self.engine.build(self.root / "speed.yml", self.root / "site", *arguments)

    def rebuild(self, *arguments: str) -> Outcome:
        """What comes of a build as `mkdocs serve` does it after a save."""
        self.configure()
        return self.engine.build(self.root / "speed.yml", self.root / "site", *arguments, command="rebuild")

    def assert_same(self, *arguments: str) -> Outcome:
        """Both builds give the same files, log and exit code; returns the one with planbook-speed."""
        plain, quick = self.plain(*arguments), self.quick(*arguments)
        assert quick.code == plain.code, quick.log
        assert quick.log == plain.log
        differ = {uri for uri in quick.files.keys() | plain.files if quick.files.get(uri) != plain.files.get(uri)}
        assert differ == set()
        return quick


def write_pages(site: Site) -> None:
    """The pages: 13 in folders up to three deep, with links and some warnings."""
    counts = {"": 2, "rye/": 3, "rye/dark/": 4, "wheat/": 4}
    uris = [f"{folder}{n}.md" for folder, count in counts.items() for n in range(count)]
    for n, uri in enumerate(uris):
        target = uris[(n + 5) % len(uris)]
        up = "../" * uri.count("/")
        site.write(f"docs/{uri}", PAGE.format(n=n, other=f"{up}{target}"))
    site.write("docs/index.md", "# Home\n\n[Lost](lost.md), [place](rye/0.md#nowhere), [odd](rye/)\n\n<!-- tag -->\n")
    site.write("docs/rye/index.md", "---\ntitle: Rye & more\nicon: material/star\n---\n\nNo heading. <br> A > b.\n")
    site.write("docs/image.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>\n")
    site.write("theme/main.html", '{% extends "base.html" %}\n')


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    """A process that builds, for all tests."""
    started = Engine()
    yield started
    started.close()


@pytest.fixture
def site(tmp_path: Path, engine: Engine) -> Site:
    """A site that has not been built."""
    made = Site(tmp_path / "project", engine)
    write_pages(made)
    return made


def written(site: Site) -> dict[str, int]:
    """The pages of the site with the numbers of their files, which a new file has none of."""
    folder = site.root / "site"
    return {path.relative_to(folder).as_posix(): path.stat().st_ino for path in folder.rglob("index.html")}


def kept(
    site: Site, change: Callable[[], object] = lambda: None, first: Sequence[str] = ()
) -> tuple[set[str], set[str]]:
    """The pages that a build after a change leaves as they are, and those that it writes; `first` is for one before."""
    site.quick(*first)
    # A new file may get the number of one that was deleted: hold on to the old ones by another name.
    for n, path in enumerate((site.root / "site").rglob("index.html")):
        (site.root / f"held-{n}").hardlink_to(path)
    before = written(site)
    change()
    site.assert_same()
    after = written(site)
    for path in site.root.glob("held-*"):
        path.unlink()
    same = {uri for uri in after if before.get(uri) == after[uri]}
    return same, after.keys() - same
