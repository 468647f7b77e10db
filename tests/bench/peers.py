"""The same pages, built by planbook-speed, by plain MkDocs and by others; and the least that any of them must do."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mkdocs.utils.yaml import yaml_load

from tests.bench.base import make_base
from tests.bench.measure import write
from tests.bench.tree import Cost, run
from tests.conftest import ROOT

HUGO_PAGE = """<!doctype html><html><head><title>{{ .Title }}</title></head><body>
<nav><ul>{{ range site.RegularPages }}<li><a href="{{ .RelPermalink }}">{{ .File.Path }}</a></li>{{ end }}</ul></nav>
<aside>{{ .TableOfContents }}</aside><main>{{ .Content }}</main></body></html>
"""
LIMITS = """
import multiprocessing, pathlib, shutil, sys
import markdown
from mkdocs.config import load_config

what, config, site, out = sys.argv[1:]
config = load_config(config)
paths = sorted(pathlib.Path(config.docs_dir).rglob("*.md"))

def render(path):
    made = markdown.Markdown(extensions=config.markdown_extensions, extension_configs=config.mdx_configs)
    return len(made.convert(path.read_text("utf-8")))

if what == "files":
    sum(len(path.read_bytes()) for path in paths)
    shutil.copytree(site, out)
else:
    with multiprocessing.Pool() as pool:
        pool.map(render, paths, chunksize=1)
"""


@dataclass(frozen=True)
class Peer:
    """A way to build the pages."""

    name: str
    build: Callable[[], Cost]
    leaves_out: str = ""
    """Of what Material's site has, as we can set it up here."""


@dataclass(frozen=True)
class Bench:
    """A base of pages with what each way to build needs."""

    root: Path
    has_planbook: bool = False
    """Whether the plugin `planbook` has a part in it, with and without planbook-speed."""

    @staticmethod
    def made(root: Path, pages: int, *, has_planbook: bool = False) -> Bench:
        """A new one. Every page carries the whole navigation, as Material's do by default."""
        make_base(root, pages)
        shutil.copytree(ROOT / "docs" / "assets", root / "docs" / "assets")
        ours = yaml_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
        plain = {key: value for key, value in ours.items() if key not in {"nav", "plugins", "validation"}}
        features = [feature for feature in ours["theme"]["features"] if feature != "navigation.prune"]
        plain["theme"] = ours["theme"] | {"features": features}
        plain |= {"plugins": ["search", "tags"], "validation": {"links": {"not_found": "info"}}}
        if has_planbook:
            plain |= {"plugins": ["search", "tags", "planbook"], "nav": ["index.md", {"Knowledge": ["INDEX"]}]}
        write(root / "plain.yml", plain)
        write(root / "speed.yml", plain | {"plugins": [*plain["plugins"], "planbook-speed"]})
        (root / "limits.py").write_text(LIMITS, encoding="utf-8")
        made = Bench(root, has_planbook)
        if not has_planbook:
            made.set_up_hugo()
        return made

    def set_up_hugo(self) -> None:
        """A site of Hugo's with the same pages, a list of all pages on each, and a table of contents."""
        there = self.root / "hugo"
        shutil.copytree(self.root / "docs", there / "content")
        for path in there.rglob("content/**/index.md"):
            path.rename(path.with_name("_index.md"))
        (there / "layouts/_default").mkdir(parents=True)
        for name in ("single.html", "list.html"):
            (there / "layouts/_default" / name).write_text(HUGO_PAGE, encoding="utf-8")
        (there / "config.yaml").write_text("baseURL: https://planbook.example/\n", encoding="utf-8")

    def peers(self) -> list[Peer]:
        """Those that are installed here, and build the same pages."""
        if self.has_planbook:
            return [Peer("planbook alone", lambda: self.engine("mkdocs", "plain"))]
        found = [Peer("plain mkdocs-material", lambda: self.engine("mkdocs", "plain"))]
        found.append(Peer("ProperDocs", lambda: self.engine("properdocs", "plain", into="properdocs")))
        if zensical := _command("zensical"):
            parts = "the same theme; its own Markdown extensions, search and tags where they are there"
            found.append(Peer("Zensical", lambda: self.other([zensical, "build", "-f", "plain.yml", "-c"]), parts))
        if hugo := _command("hugo"):
            parts = "theme, search, tags, admonitions, line anchors; a bare list is the navigation"
            command = [hugo, "--quiet", "-s", "hugo", "-d", str(self.root / "site-hugo")]
            found.append(Peer("Hugo", lambda: self.other(command), parts))
        return found

    def engine(self, name: str, config: str, *, into: str = "", is_kept: bool = False) -> Cost:
        """A build into a new folder, or into that of the last build with this configuration."""
        site = self.root / f"site-{into or config}"
        if not is_kept:
            shutil.rmtree(site, ignore_errors=True)
        command = [
            str(Path(sys.executable).with_name(name)),
            "build",
            "--quiet",
            "-f",
            f"{config}.yml",
            "-d",
            str(site),
        ]
        return run(command, self.root)

    def other(self, command: list[str]) -> Cost:
        """A build by another engine, into a new folder."""
        for name in ("site-hugo", "site"):
            shutil.rmtree(self.root / name, ignore_errors=True)
        return run(command, self.root)

    def cold(self) -> Cost:
        """A build with planbook-speed, where nothing is known."""
        shutil.rmtree(self.root / ".cache", ignore_errors=True)
        return self.engine("mkdocs", "speed")

    def unchanged(self) -> Cost:
        """A build with planbook-speed after one of the same."""
        return self.engine("mkdocs", "speed", is_kept=True)

    def edited(self) -> Cost:
        """A build with planbook-speed after one with another text of one page."""
        with next((self.root / "docs").glob("*-0/*.md")).open("a", encoding="utf-8") as page:
            page.write("\nAnother word.\n")
        return self.engine("mkdocs", "speed", is_kept=True)

    def limit(self, what: str) -> Cost:
        """The least that a build must do: `files`, reading and writing; `markdown`, rendering on all cores."""
        out = self.root / "copied"
        shutil.rmtree(out, ignore_errors=True)
        return run([sys.executable, "limits.py", what, "plain.yml", "site-plain", str(out)], self.root)

    def is_same(self) -> bool:
        """Whether both ways of MkDocs gave the same files."""
        one, other = (_files(self.root / f"site-{config}") for config in ("plain", "speed"))
        return one == other


def _files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _command(name: str) -> str:
    """The path of a command: as a variable such as $ZENSICAL names it, beside this Python, or on the PATH."""
    beside = Path(sys.executable).with_name(name)
    return os.environ.get(name.upper()) or (str(beside) if beside.exists() else shutil.which(name) or "")
