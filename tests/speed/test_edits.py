"""Random sequences of edits over a site with eight plugins: each build is that of a project without a cache.

A sequence begins where the one before it ended. The nightly run draws new ones; `SEED` draws those of one night again.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from planbook_speed.site_files import HIDDEN_FOLDER
from tests.plugin.conftest import ENVIRONMENT, command
from tests.speed.conftest import CONFIG, Engine, Outcome, Site

PLUGINS: list[Any] = [
    "search",
    "tags",
    "meta",
    "blog",
    {"offline": {"enabled": True}},
    {"gen-files": {"scripts": ["make.py"]}},
]
"""Beside two plugins that are hooks."""
HOOKS = {
    "include.py": (
        "import re\nfrom pathlib import Path\n\nFOLDER = Path(__file__).parent\n\n"
        "def on_page_markdown(markdown, page, config, files):\n"
        "    def included(match):\n        path = FOLDER / match[1]\n"
        "        return path.read_text() if path.is_file() else 'nothing'\n\n"
        "    return re.sub('INCLUDE (.+)', included, markdown) + 'VERSION'\n"
    ),
    "data.py": (
        "from pathlib import Path\n\n"
        "def on_EVENT(*given, config, **_):\n"
        "    config.extra['data'] = Path(__file__).with_name('data.txt').read_text()\n"
    ),
}
EVENTS = ("pre_build", "nav", "env", "page_context", "pre_page", "post_page")
WORDS = ("oats", "rye & barley", "*wheat*", "`spelt`", "# emmer", "[mill](../index.md)", "INCLUDE part.txt", "{ .x }")
SHOWN = (
    "{{ config.extra.data }}",
    "{{ page.meta.tags }}",
    "{{ page.next_page.title }}",
    "{{ page.title }}",
    "",
    "{{ nav | length }}",
)
ROUNDS = 10
"""Sequences in one test, which follow each other."""


class Author:
    """Edits a project at random."""

    def __init__(self, site: Site, seed: int) -> None:
        self.site, self.random = site, random.Random(seed)  # noqa: S311 - nothing is a secret
        self.done: list[str] = []
        """What was edited since the last build, for a failure's message."""
        self.pages = ["index.md", "a.md", "b/index.md", "b/c.md", "b/d.md"]
        for n, uri in enumerate(self.pages):
            site.write(f"docs/{uri}", f"---\ntags: [t{n}]\n---\n# Page {n}\n\nText.\n")
        site.write("docs/blog/index.md", "# Blog\n")
        site.write("docs/blog/posts/one.md", "---\ndate: 2024-01-01\n---\n# One\n\nFirst.\n<!-- more -->\nSecond.\n")
        site.write("docs/b/.meta.yml", "author: One\n")
        site.write("docs/style.css", "a { b: c }\n")
        site.write("part.txt", "a part")
        site.write("data.txt", "some data")
        site.write(
            "make.py",
            "import mkdocs_gen_files\nwith mkdocs_gen_files.open('made.md', 'w') as f:\n    f.write('# Made')\n",
        )
        site.write("theme/main.html", '{% extends "base.html" %}\n')
        for name, code in HOOKS.items():
            site.write(name, code.replace("VERSION", "").replace("EVENT", "pre_build"))
        site.config = {**CONFIG, "plugins": ["search", "tags"], "use_directory_urls": False}
        site.config["theme"] = dict(CONFIG["theme"])

    @property
    def edits(self) -> list[Callable[[], object]]:
        """All kinds of edits."""
        return [
            *(self.edit_page, self.edit_page, self.edit_page, self.add_page, self.remove_page, self.rename_page),
            *(self.edit_included, self.edit_data, self.edit_template, self.edit_static, self.edit_metadata),
            *(self.choose_plugins, self.choose_hooks, self.choose_option, self.change_hook, self.kill_build),
            *(self.damage_cache, self.touch_site),
        ]

    def edit(self) -> None:
        """Edit something."""
        chosen = self.random.choice(self.edits)
        self.done.append(chosen.__name__)
        chosen()

    def _write(self, uri: str, text: str) -> None:
        """Write a file; its time may be that of the one before, or an hour earlier, as by a clock that was set back."""
        path = self.site.root / uri
        before = path.stat().st_mtime_ns if path.exists() else time.time_ns()
        self.site.write(uri, text)
        back = self.random.choice([None, None, 0, 3600 * 10**9])
        if back is not None:
            os.utime(path, ns=(before - back, before - back))

    def _text(self) -> str:
        tags = self.random.sample(["t0", "t1", "x"], 2)
        words = "\n\n".join(self.random.choices(WORDS, k=3))
        return f"---\ntags: [{', '.join(tags)}]\n---\n# {self.random.choice(['One', 'Two', 'Six'])}\n\n{words}\n"

    def edit_page(self) -> None:
        """Write another text of a page."""
        self._write(f"docs/{self.random.choice(self.pages)}", self._text())

    def add_page(self) -> None:
        """Add a page."""
        uri = f"{self.random.choice(['', 'b/', 'new/'])}{self.random.randrange(9)}.md"
        self._write(f"docs/{uri}", self._text())
        self.pages = sorted({*self.pages, uri})

    def remove_page(self) -> None:
        """Remove a page, but not the first one."""
        uri = self.random.choice([uri for uri in self.pages if uri != "index.md"] or ["none.md"])
        (self.site.root / f"docs/{uri}").unlink(missing_ok=True)
        self.pages = [page for page in self.pages if page != uri]

    def rename_page(self) -> None:
        """Give a page another name, with its time."""
        uri = self.random.choice(self.pages)
        other = f"b/{self.random.randrange(9)}.md"
        if uri != "index.md" and other not in self.pages:
            (self.site.root / f"docs/{uri}").rename(self.site.root / f"docs/{other}")
            self.pages = sorted({*self.pages, other} - {uri})

    def edit_included(self) -> None:
        """Change what pages include; the same length."""
        self._write("part.txt", self.random.choice(["a part", "part b", "# here"]))

    def edit_data(self) -> None:
        """Change what a hook reads."""
        self._write("data.txt", self.random.choice(["some data", "more data"]))

    def edit_template(self) -> None:
        """Show something else on each page."""
        shown = self.random.choice(SHOWN)
        block = f"{{% block announce %}}{{% if page %}}{shown}{{% endif %}}{{% endblock %}}"
        self._write("theme/main.html", f'{{% extends "base.html" %}}\n{block}\n')

    def edit_static(self) -> None:
        """Change a static file; the same length."""
        self._write("docs/style.css", f"a {{ b: {self.random.choice('cde')} }}\n")

    def edit_metadata(self) -> None:
        """Change the metadata of a folder, which the plugin `meta` reads."""
        self._write("docs/b/.meta.yml", f"author: {self.random.choice(['One', 'Two'])}\nstatus: new\n")

    def choose_plugins(self) -> None:
        """Use some of the plugins."""
        count = self.random.randrange(len(PLUGINS) + 1)
        self.site.config["plugins"] = [plugin for plugin in PLUGINS if plugin in self.random.sample(PLUGINS, count)]

    def choose_hooks(self) -> None:
        """Use some of the hooks."""
        self.site.config["hooks"] = self.random.sample(sorted(HOOKS), self.random.randrange(len(HOOKS) + 1))

    def choose_option(self) -> None:
        """Change an option of MkDocs, the theme or an extension."""
        match self.random.randrange(4):
            case 0:
                self.site.config["site_name"] = self.random.choice(["Bread", "Cakes"])
            case 1:
                features = self.random.sample(["navigation.tabs", "navigation.footer", "navigation.indexes"], 2)
                self.site.config["theme"]["features"] = features
            case 2:
                extensions = self.random.sample(["admonition", "attr_list", "footnotes", "pymdownx.snippets"], 2)
                self.site.config["markdown_extensions"] = [
                    *extensions,
                    {"toc": {"permalink": self.random.random() < 0.5}},
                ]
            case _:
                self.site.config["use_directory_urls"] = self.random.random() < 0.5

    def change_hook(self) -> None:
        """Use another version of a hook."""
        version = self.random.choice(["", " 2", "\\n\\n# Three"])
        self._write("include.py", HOOKS["include.py"].replace("VERSION", version))
        self._write("data.py", HOOKS["data.py"].replace("EVENT", self.random.choice(EVENTS)))

    def kill_build(self) -> None:
        """Begin a build, and kill it."""
        self.site.configure()
        process = subprocess.Popen(
            [command("mkdocs"), "build", "-q", "-f", "speed.yml", "-d", "site"],
            cwd=self.site.root,
            env=ENVIRONMENT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        time.sleep(self.random.uniform(0.2, 1.5))
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def damage_cache(self) -> None:
        """Cut a file of the cache, or delete the cache."""
        found = sorted(path for path in (self.site.root / ".cache").rglob("*") if path.is_file())
        if found and self.random.random() < 0.7:
            os.truncate(self.random.choice(found), 10)
        else:
            shutil.rmtree(self.site.root / ".cache", ignore_errors=True)

    def touch_site(self) -> None:
        """Change, delete or add a file in the site's folder."""
        found = sorted(path for path in (self.site.root / "site").rglob("*.html") if path.is_file())
        if not found:
            return
        path = self.random.choice(found)
        match self.random.randrange(3):
            case 0:
                path.unlink()
            case 1:
                path.write_text("not ours", "utf-8")
            case _:
                path.with_suffix(".more").write_text("not ours", "utf-8")


class AuthorAtServer(Author):
    """Edits a project that is served: nobody else writes into the folder of its site, and no build is killed.

    Most of the time, it has no plugin but those beside which saved pages are shown before the build ends.
    """

    @property
    def edits(self) -> list[Callable[[], object]]:
        """The kinds of edits that an author makes."""
        return [
            *(self.edit_page, self.edit_page, self.edit_page, self.add_page, self.remove_page, self.rename_page),
            *(self.edit_template, self.edit_static, self.choose_option, self.choose_hooks, self.remove_hooks),
        ]

    def remove_hooks(self) -> None:
        """Use no hook."""
        self.site.config["hooks"] = []


def build_sequences(site: Site, seed: int, rounds: int) -> None:
    """Edit a project a few times and compare its build with a clean one, again and again."""
    author = Author(site, seed)
    site.quick()
    for _ in range(rounds):
        author.done.clear()
        for _ in range(author.random.randint(1, 4)):
            author.edit()
        assert_built(site, site.quick, (seed, author.done))


def serve_sequences(site: Site, seed: int, rounds: int) -> None:
    """The same while the project is served."""
    author = AuthorAtServer(site, seed)
    site.rebuild()
    for _ in range(rounds):
        author.done.clear()
        for _ in range(author.random.randint(1, 3)):
            author.edit()
        assert_built(site, site.rebuild, (seed, author.done))


def assert_built(site: Site, build: Callable[[], Outcome], done: object) -> None:
    """A build gives what a clean one does, beside the old files that a server deletes a little later."""
    site.engine.plain.clear()
    plain, quick = site.plain(), build()
    for uri in [uri for uri in quick.files if uri.startswith(f"{HIDDEN_FOLDER}/")]:
        del quick.files[uri]
    differ = {uri for uri in quick.files.keys() | plain.files if quick.files.get(uri) != plain.files.get(uri)}
    assert (quick.code, differ) == (plain.code, set()), (done, quick.log[-5:], plain.log[-5:])


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_sequences_of_edits(site: Site, seed: int) -> None:
    """After each of thirty random sequences of edits, both ways of building give the same site."""
    build_sequences(site, seed, ROUNDS)


@pytest.fixture
def served(site: Site) -> Iterator[Site]:
    """A site with a process of its own, which keeps what it knows of the last build."""
    site.engine = Engine()
    yield site
    site.engine.close()


def test_sequences_of_edits_at_a_server(served: Site) -> None:
    """After each of ten sequences, though saved pages are built before all others."""
    serve_sequences(served, 1, ROUNDS)


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(20))
def test_new_sequences_at_a_server(served: Site, part: int) -> None:
    """Two hundred sequences, new ones each night."""
    seed = int(os.environ.get("SEED") or time.time() // 86_400)
    serve_sequences(served, 1000 * seed + part, ROUNDS)


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(50))
def test_new_sequences_of_edits(site: Site, part: int) -> None:
    """Five hundred sequences, new ones each night."""
    seed = int(os.environ.get("SEED") or time.time() // 86_400)
    build_sequences(site, 1000 * seed + part, ROUNDS)
