"""Builds a site beside each of the plugins that people use, after each kind of change: `make neighbours`.

Each plugin is used with and without `planbook-speed`, and the sites are compared file by file. It needs a package
registry, so it is no test of pytest's. With `--shard 2/4`, it runs a part. It prints a line for each plugin; with
`--table FILE...`, it writes such lines into the Guide.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.conftest import ROOT
from tests.files import put
from tests.install.environment import Environment, InstallError
from tests.plugin.conftest import hashes


@dataclass(frozen=True)
class Neighbour:
    """A plugin beside which sites are built."""

    requirement: str
    """The package; empty for one of Material."""
    plugins: Sequence[Any]
    files: Mapping[str, str] = field(default_factory=dict)
    """Further files of the project."""
    hooks: Sequence[str] = ()


HOOK = "from pathlib import Path\n\ndef text():\n    return Path(__file__).with_name('data.txt').read_text()\n\n"
NEIGHBOURS = {
    "none": Neighbour("", []),
    "meta": Neighbour("", ["meta"], {"docs/b/.meta.yml": "status: new\n"}),
    "blog": Neighbour(
        "",
        ["blog"],
        {"docs/blog/index.md": "# Blog\n", "docs/blog/posts/1.md": "---\ndate: 2024-01-01\n---\n# One\n\nText\n"},
    ),
    "offline": Neighbour("", ["offline"]),
    "gen-files": Neighbour(
        "mkdocs-gen-files",
        [{"gen-files": {"scripts": ["make.py"]}}],
        {
            "make.py": "import mkdocs_gen_files as m\nwith m.open('made.md', 'w') as f:\n"
            "    f.write('# M\\n' + open('data.txt').read())\n"
        },
    ),
    "macros": Neighbour(
        "mkdocs-macros-plugin",
        [{"macros": {"include_yaml": ["data.yml"]}}],
        {"data.yml": "text: x\n", "docs/m.md": "# M\n\n{{ 1 + 1 }} {{ text }}\n"},
    ),
    "include-markdown": Neighbour(
        "mkdocs-include-markdown-plugin", ["include-markdown"], {"docs/m.md": '# M\n\n{% include "../part.txt" %}\n'}
    ),
    "awesome-nav": Neighbour(
        "mkdocs-awesome-nav", ["awesome-nav"], {"docs/.nav.yml": "nav:\n  - index.md\n  - b\n  - '*'\n"}
    ),
    "literate-nav": Neighbour(
        "mkdocs-literate-nav", ["literate-nav"], {"docs/SUMMARY.md": "- [Home](index.md)\n- [B](b/)\n"}
    ),
    "section-index": Neighbour("mkdocs-section-index", ["section-index"]),
    "redirects": Neighbour("mkdocs-redirects", [{"redirects": {"redirect_maps": {"old.md": "a.md"}}}]),
    "glightbox": Neighbour("mkdocs-glightbox", ["glightbox"], {"docs/m.md": "# M\n\n![Image](image.svg)\n"}),
    "minify": Neighbour("mkdocs-minify-plugin", [{"minify": {"minify_html": True}}]),
    "static-i18n": Neighbour(
        "mkdocs-static-i18n",
        [
            {
                "i18n": {
                    "docs_structure": "suffix",
                    "languages": [
                        {"locale": "en", "default": True, "name": "English", "build": True},
                        {"locale": "fr", "name": "French", "build": True},
                    ],
                }
            }
        ],
        {"docs/a.fr.md": "# A fr\n"},
    ),
    "print-site": Neighbour("mkdocs-print-site-plugin", ["print-site"]),
    "table-reader": Neighbour(
        "mkdocs-table-reader-plugin",
        ["table-reader"],
        {"docs/t.csv": "a,b\n1,2\n", "docs/m.md": "# M\n\n{{ read_csv('docs/t.csv') }}\n"},
    ),
    "git-revision-date-localized": Neighbour(
        "mkdocs-git-revision-date-localized-plugin",
        [{"git-revision-date-localized": {"fallback_to_build_date": True, "type": "date"}}],
    ),
    "rss": Neighbour("mkdocs-rss-plugin", [{"rss": {"use_git": False}}]),
    "mkdocstrings": Neighbour("mkdocstrings-python", ["mkdocstrings"], {"docs/m.md": "# M\n\n::: json.tool\n"}),
    "mermaid2": Neighbour("mkdocs-mermaid2-plugin", ["mermaid2"], {"docs/m.md": "# M\n\n```mermaid\ngraph TD\n```\n"}),
    "exclude": Neighbour("mkdocs-exclude", [{"exclude": {"glob": ["x/*"]}}]),
    "enumerate-headings": Neighbour("mkdocs-enumerate-headings-plugin", ["enumerate-headings"]),
    **{
        f"hook: on_{event}": Neighbour("", [], {"hook.py": HOOK + code}, ["hook.py"])
        for event, code in {
            "config": "def on_config(config):\n    config.extra['data'] = text()\n",
            "nav": "def on_nav(nav, config, files):\n    nav.items[-1].title = text()\n",
            "page_markdown": "def on_page_markdown(markdown, page, config, files):\n    return markdown + text()\n",
            "page_content": "def on_page_content(html, page, config, files):\n    return html + text()\n",
            "env": "def on_env(env, config, files):\n    env.globals['data'] = text()\n",
            "post_page": "def on_post_page(output, page, config):\n    return output + text()\n",
        }.items()
    },
}
"""By the name in the table."""


def edited(uri: str, text: str) -> Callable[[Path], object]:
    """Return a change that writes a file."""
    return lambda root: put(root, {uri: text})


def with_option(root: Path) -> None:
    """Change an option of MkDocs."""
    settings = json.loads((root / "settings.json").read_text("utf-8"))
    put(root, {"settings.json": json.dumps(settings | {"site_name": "Other"})})


CHANGES: dict[str, Callable[[Path], object]] = {
    "cold": lambda _: None,
    "unchanged": lambda _: None,
    "page": edited("docs/a.md", "# A2\n\nOther *words*, and `code`.\n"),
    "include": edited("part.txt", "Another part.\n"),
    "template": edited(
        "theme/main.html", '{% extends "base.html" %}\n{% block announce %}{{ config.extra.data }} 2{% endblock %}\n'
    ),
    "data": edited("data.txt", "more data\n"),
    "hook": lambda root: [path.write_text(path.read_text() + "\n# edited\n") for path in root.glob("hook.py")],
    "option": with_option,
    "delete": lambda root: (root / "docs/b/d.md").unlink(),
    "rename": lambda root: (root / "docs/b/c.md").rename(root / "docs/b/e.md"),
}
SITE = {
    "docs/index.md": "# Home\n\n[A](a.md)\n",
    "docs/a.md": "# A\n\nWords.\n",
    "docs/b/index.md": "# B\n",
    "docs/b/c.md": "---\ntags: [t]\n---\n# C\n\n## Part\n\n```python\nx = 1\n```\n",
    "docs/b/d.md": "# D\n",
    "docs/image.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>\n",
    "part.txt": "A part.\n",
    "data.txt": "some data\n",
    "theme/main.html": '{% extends "base.html" %}\n{% block announce %}{{ config.extra.data }}{% endblock %}\n',
}


def commit(root: Path) -> None:
    """Commit all changes."""
    of_nobody = ["-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "--allow-empty", "-m", "a"]
    for command in (["add", "-A"], of_nobody):
        subprocess.run(["git", *command], cwd=root, check=True)  # noqa: S607 - the one on the path


AGAIN = re.compile(r"planbook-speed: [^:]+\.md: (read|rendered|built) again")


def compared(environment: Environment, name: str, folder: Path) -> tuple[str, list[str]]:
    """Build a site beside a plugin after each change; return the verdict, and what differs."""
    neighbour, differ, is_rebuilt = NEIGHBOURS[name], list[str](), False
    shutil.rmtree(folder, ignore_errors=True)
    put(folder, {**SITE, **neighbour.files, "settings.json": json.dumps({"site_name": "S"})})
    put(folder, {".gitignore": "plain\nsite\n.cache\n"})
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)  # noqa: S607 - the one on the path
    for change, act in CHANGES.items():
        act(folder)
        commit(folder)  # plugins that ask git show the second of a build for other pages
        settings = json.loads((folder / "settings.json").read_text("utf-8"))
        shared = {
            **settings,
            "site_url": "https://site.example/",
            "theme": {"name": "material", "font": False, "custom_dir": "theme"},
            "markdown_extensions": ["pymdownx.superfences", {"toc": {"permalink": True}}],
            "hooks": list(neighbour.hooks),
        }
        plugins = ["search", "tags", *neighbour.plugins]
        put(folder, {"plain.yml": yaml.safe_dump({**shared, "plugins": plugins})})
        put(folder, {"speed.yml": yaml.safe_dump({**shared, "plugins": [*plugins, "planbook-speed"]})})
        shutil.rmtree(folder / "plain", ignore_errors=True)
        built = []
        for config, site in (("plain.yml", "plain"), ("speed.yml", "site")):
            verbose = ["-v"] if change == "unchanged" else []
            try:
                log = environment.run("mkdocs", "build", *verbose, "-f", config, "-d", site, cwd=folder)
            except InstallError as error:
                log = f"failed: {str(error)[-300:]}"
            built.append((log.startswith("failed"), hashes(folder / site)))
            if change == "unchanged" and config == "speed.yml":
                is_rebuilt = bool(AGAIN.search(log))
        (plain_failed, plain), (speed_failed, speed) = built
        if plain_failed:
            return "not built by MkDocs alone", [log]
        if speed_failed:
            differ.append(f"{change}: fails")
        found = sorted(uri for uri in plain.keys() | speed.keys() if plain.get(uri) != speed.get(uri))
        differ += [f"{change}: {uri}" for uri in found]
    if differ:
        return "not together", differ
    return ("same, but rebuilt each time" if is_rebuilt else "same"), []


GUIDE = ROOT / "docs/guide/speed.md"
TABLE = re.compile(r"(<!-- neighbours -->\n).*?(<!-- end -->)", re.DOTALL)


def write_table(paths: Sequence[Path]) -> None:
    """Write the lines of runs into the Guide, in the order of the plugins; of two for one plugin, the later counts."""
    lines = [line for path in paths for line in path.read_text("utf-8").splitlines() if line.startswith("| ")]
    found = {line.split(" | ")[0].removeprefix("| "): line for line in lines}
    rows = [found[name] for name in NEIGHBOURS if name in found]
    head = ["| Plugin or hook | Beside `planbook-speed` | Because |", "| --- | --- | --- |"]
    text = GUIDE.read_text("utf-8")
    table = "\n".join([*head, *rows])
    GUIDE.write_text(TABLE.sub(lambda match: f"{match[1]}\n{table}\n\n{match[2]}", text), "utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Install, build, compare, and print a line for each plugin."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shard", default="1/1", help="which part, such as 2/4")
    parser.add_argument("--only", nargs="*", help="names of plugins")
    parser.add_argument("--environment", type=Path, help="one that has the plugins")
    parser.add_argument("--table", type=Path, nargs="+", help="files of lines to write into the Guide")
    options = parser.parse_args(arguments)
    if options.table:
        write_table(options.table)
        return 0
    part, parts = map(int, options.shard.split("/"))
    names = (options.only or [*NEIGHBOURS])[part - 1 :: parts]
    with tempfile.TemporaryDirectory(prefix="planbook-neighbours-") as top:
        environment = Environment(options.environment) if options.environment else Environment.make(Path(top, "venv"))
        if not options.environment:
            needed = sorted({NEIGHBOURS[name].requirement for name in names} - {""})
            environment.install(str(ROOT), *needed)
        failed = False
        for name in names:
            verdict, differ = compared(environment, name, Path(top, "site"))
            failed |= verdict.startswith("not")
            print(f"| {name} | {verdict} | {'; '.join(differ[:6])} |", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
