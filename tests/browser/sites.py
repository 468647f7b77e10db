"""The sites that the browser tests read: built by the command line a user types, served over HTTP on loopback."""

from __future__ import annotations

import functools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from tests import forks
from tests.research.web.server import Reply, Web

ROOT = Path(__file__).parents[2]

URL = "http://127.0.0.1:65535/"
"""The address that sites are built for. The server replaces it by its own, which is as long: each worker has one."""

FINISHED = "cuda/10-docker-multistage-ml-optimization"
"""The page that is written in the project of :func:`copy_with_every_state`."""

PAGE = """\
---
tags: [docker]
---

# Docker multi-stage builds for ML images

Compile in one image and ship another.[^why]

[^why]: The compiler is not needed at run time.

## A build in two stages

The word to search for is quincunx.

The options in question:
- `--target` stops at a stage
- `--cache-from` names an image

```dockerfile
FROM nvidia/cuda:devel AS build
RUN make --jobs 8 TORCH_CUDA_ARCH_LIST="7.5;8.0;8.6;8.9;9.0" CMAKE_BUILD_TYPE=Release USE_NCCL=1 USE_CUDNN=1 install
```

```mermaid
flowchart TD
    devel --> build --> runtime
```

| Image | Holds | Not in it |
| --- | --- | --- |
| `runtime` | the libraries that a program loads | compilers, headers |
| `devel` | everything above, and what a build needs | a name such as nvidia-cuda-toolkit-development-headers |
"""

DROP = """\
---
plan: docker-cuda-profiling
part: 1
runner: a runner
outcome: done
---

# Docker multi-stage builds

One page was written. Asked: `docker build cache mount`.
"""

STATES = """\
# Every state

**Topic**: A PART in each of the states that our own plans do not have
**Date**: 2026-11-01

---

## PART 1: Create cuda/30-tried.md (100 lines)

- [/] PART 1: Create cuda/30-tried.md (Failed 2026-11-02 10:00 UTC: no source answered)

## PART 2: Create cuda/31-skipped.md (100 lines)

- [-] PART 2: Create cuda/31-skipped.md

## PART 3: Create cuda/32-unmarked.md (100 lines)

## PART 4: Create cuda/33-missing.md (100 lines)

- [✓] PART 4: Create cuda/33-missing.md (Completed 2026-11-03)
"""


CITED = "cuda/03-cited"
"""The page of :func:`copy_with_citations` that was checked."""
HARM = "</script><script>document.title = 'harmed'</script><!-- & \"water\""
"""The title of a work that :data:`CITED` cites."""
CITED_PAGE = """\
---
title: Water and tea
description: How water makes tea.
created: 2026-11-18
generated: {{writer: extract, date: 2026-11-18}}
reviewed: {{date: 2026-11-19, by: A. Person}}
references:
  - id: steeping
    type: article-journal
    title: Steeping, a study
    author: [{{family: Miller, given: Ada}}, {{literal: The Leaf Group}}]
    issued: 2024-08
    URL: "{good}"
    accessed: {{date-parts: [[2026, 11, 18]]}}
    custom: {{quotes: {{q1: "keeps the catechins in", q2: "time draws them out"}}}}
  - {{id: old, type: webpage, title: An old address, URL: "{old}"}}
  - {{id: gone, type: webpage, title: A page that went, publisher: The Water Board, URL: "{gone}"}}
  - {{id: kettle, type: document, title: {harm}}}
---

# Water and tea

Heat decides what a cup holds [@steeping, q1], and so does time [@steeping, q2; @old].

{filler}

Some of it nobody can read any more [@gone, sec. "Chalk"], but we have measured [@kettle].
Both together make the cup [@steeping, q2; @steeping, q1].
"""
"""A page of which one work means harm; `filler` puts its citations screens apart."""
SOURCE = "<h1>Steeping</h1>" + "<p>Water at 80 degrees keeps the catechins in; time draws them out.</p>" * 5
SITES, WORKS_A_SITE = 100, 10
"""Of the many works that :func:`copy_with_many_works` cites."""
QUOTING, QUOTES = "many/forty", 40
"""A page there that quotes as many works of one more site."""
PARTS = 75
"""In its plan: more pages than one drawing of the graph names, in three folders, each of which builds on two pages."""


WHO = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@planbook.example"}
WHO |= {key.replace("AUTHOR", "COMMITTER"): value for key, value in WHO.items()}
QUIET = {"NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"}


@dataclass(frozen=True)
class Site:
    """A built site and where it is served."""

    name: str
    folder: Path
    url: str
    """With a slash at the end."""

    @property
    def paths(self) -> tuple[str, ...]:
        """The address of every page, relative to `url`."""
        found = sorted(path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*.html"))
        return tuple(path.removesuffix("index.html") for path in found if path != "404.html")


@contextmanager
def served(name: str, folder: Path) -> Iterator[Site]:
    """The site in `folder`, built for :data:`URL`, on a free port of loopback."""
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder))) as server:
        url = f"http://127.0.0.1:{server.server_port}/"
        assert len(url) == len(URL)
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield Site(name, folder, url)
        finally:
            server.shutdown()
            thread.join()


def build(project: Path, folder: Path, engine: str = "mkdocs") -> None:
    """Builds `project` strictly into `folder`, through the command line."""
    own = {"mkdocs": ("mkdocs", "build", "--quiet")}.get(engine, ("planbook", "build", "--engine", engine))
    built = forks.run(*own, "--strict", "--site-dir", folder, cwd=project, env=os.environ | QUIET)
    assert built.returncode == 0, f"{' '.join(own)} --strict in {project}:\n{built.stdout}{built.stderr}"


def new_base(project: Path) -> Path:
    """A base that `planbook init` made, with the address of the tests' server."""
    made = forks.run("planbook", "init", project, cwd=project.parent, env=os.environ)
    assert made.returncode == 0, made.stdout + made.stderr
    config = project / "mkdocs.yml"
    text = re.sub(r"(?m)^site_url: .*", f"site_url: {URL}", config.read_text("utf-8"))
    config.write_text(text, "utf-8")
    return project


def run(*command: str | Path, cwd: Path, **more: str) -> str:
    """What the command prints; it must succeed."""
    environment = os.environ | WHO | QUIET | more
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def recipe(target: str, wanted: str) -> list[str]:
    """The command of a target of the Makefile that holds the word `wanted`, to be run by the Python of the tests."""
    make = shutil.which("make")
    assert make, "make is missing"
    told = run(make, "--dry-run", "--no-print-directory", target, cwd=ROOT).replace("\\\n", " ")
    (line,) = [line for line in told.splitlines() if wanted in line]
    words = [word for word in shlex.split(line) if not re.fullmatch(r"[A-Z_]+=\S*", word)]
    assert words[0] in {".venv/bin/mkdocs", ".venv/bin/python"}
    return [sys.executable, *(["-m", "mkdocs"] if words[0].endswith("mkdocs") else []), *words[1:]]


def publish(project: Path, folder: Path) -> None:
    """Push the project by `make publish` to a bare repository, and check its branch out into `folder`."""
    remote = project.with_name("repo.git")
    run("git", "init", "--quiet", "--bare", remote, cwd=project)
    for command in (
        ["init", "--quiet"],
        ["remote", "add", "origin", remote],
        ["add", "."],
        ["commit", "-qm", "A base"],
    ):
        run("git", *command, cwd=project)
    run(*recipe("publish", "gh-deploy"), cwd=project)
    run("git", "clone", "--quiet", "--branch", "gh-pages", remote, folder, cwd=project)


def copy_with_every_state(project: Path, url: str = URL) -> Path:
    """Our own project with one page written, its drop, and a plan that has the other states; to be served at `url`."""
    _copy_own(project, url)
    _copy_plans(project)
    plan = project / "plans" / "docker-cuda-profiling.md"
    line = f"PART 1: Create {FINISHED}.md"
    plan.write_text(
        plan.read_text("utf-8").replace(f"- [ ] {line}", f"- [✓] {line} (Completed 2026-11-21 09:30 UTC)"), "utf-8"
    )
    (project / "plans" / "every-state.md").write_text(STATES, "utf-8")
    (project / "plans" / "KNOWLEDGE-DROP-docker-multistage-2026-11-21.md").write_text(DROP, "utf-8")
    page = project / "docs" / f"{FINISHED}.md"
    page.parent.mkdir(exist_ok=True)
    page.write_text(PAGE, "utf-8")
    return project


def copy_with_citations(project: Path) -> Path:
    """Our own project with a page that cites, checked by `planbook verify`, and one that was not."""
    _copy_own(project)
    _copy_plans(project)
    (project / "docs" / "cuda").mkdir()
    with Web() as web:
        pages = {"good": web.html("/good", SOURCE), "old": web.redirect("/old", "/good", 301)}
        pages |= {"gone": web.put("/gone", Reply(410))}
        page = CITED_PAGE.format(harm=json.dumps(HARM), filler="\n\n".join(["Tea is tea."] * 60), **pages)
        (project / "docs" / f"{CITED}.md").write_text(page, "utf-8")
        options = ("--allow-loopback", "--pause", "0", f"docs/{CITED}.md")
        checked = forks.run("planbook", "verify", *options, cwd=project, env=os.environ)
        assert "2 of 2 quotes found" in checked.stdout, checked.stdout + checked.stderr
    other = "# Cups\n\nFrom [Cups of clay](https://cups.example/clay) (accessed 2026-11-20):\n\n- clay holds heat\n"
    (project / "docs" / "cuda" / "04-cups.md").write_text(other, "utf-8")
    return project


def copy_with_many_works(project: Path) -> Path:
    """Our own project with pages that cite a thousand works, one with forty quotes, and a plan of many PARTs."""
    _copy_own(project)
    (project / "plans").mkdir()
    (project / "docs" / "many").mkdir()
    for n in range(SITES):
        works = "".join(
            f"- [Work {n}.{k} on water, time and leaf](https://s{n}.example/work/{k}) (accessed 2026-11-20)\n"
            for k in range(WORKS_A_SITE)
        )
        page = project / "docs" / "many" / f"{n:02}-page.md"
        page.write_text(f"# Page {n}\n\nText.\n\n## Sources\n\n{works}", "utf-8")
    (project / "docs" / f"{QUOTING}.md").write_text(_forty_quotes(), "utf-8")
    uris = [f"crowd-{n % 3}/{n:02}-a-page-with-a-name-of-some-length.md" for n in range(PARTS)]
    parts = [
        f"## PART {n + 1}: Create {uri} (100 lines)\n\n- [ ] PART {n + 1}: Create {uri}\n\n"
        f"**Step 0: Check existing knowledge**\n- [ ] Read {uris[n * 7 % PARTS]}\n- [ ] Read {uris[n // 9]}\n"
        for n, uri in enumerate(uris)
    ]
    (project / "plans" / "crowd.md").write_text("# A crowd\n\n---\n\n" + "\n".join(parts), "utf-8")
    return project


def _forty_quotes() -> str:
    """A page with 400 lines of prose and 40 quoted works."""
    works = "".join(
        f"- {{id: work-{n}, type: webpage, title: Work {n} on water and time and leaf, publisher: The Leaf Group, "
        f"URL: 'https://quoted.example/a/path/of/usual/length/{n}', accessed: 2026-11-20, "
        f"custom: {{quotes: {{q1: 'keeps the catechins in the leaf for the time of {n} minutes'}}}}}}\n"
        for n in range(QUOTES)
    )
    lines = "".join(
        f"## Section {n}\n\n" * (n % 5 == 0)
        + "Heat decides what a cup of tea holds, and so does time; " * 16
        + f"[@work-{n}, q1].\n\n"
        for n in range(QUOTES)
    )
    return f"---\nreferences:\n{works}---\n\n# Forty\n\n{lines}"


def _copy_own(project: Path, url: str = URL) -> None:
    """Our configuration, and our pages but for those of the base; what points into these is empty.

    Material's instant navigation works only at the configured address.
    """
    shutil.copytree(ROOT / "docs", project / "docs", ignore=shutil.ignore_patterns("cuda", "overview", "INDEX.md"))
    for name in ("reading", "glossary"):
        (project / "docs" / f"{name}.md").write_text(f"# {name.capitalize()}\n", "utf-8")
    for path in (project / "docs" / "index.md", *(project / "docs" / "guide").glob("*.md")):
        text = re.sub(
            r"\]\((\.\./)?(?:cuda/|reading\.md#|messages\.md)[^)]*\)", r"](\1reading.md)", path.read_text("utf-8")
        )
        path.write_text(text, "utf-8")
    config = re.sub(r" +- In brief:\n(?: +- overview/.*\n)+", "", (ROOT / "mkdocs.yml").read_text("utf-8"))
    (project / "mkdocs.yml").write_text(re.sub(r"(?m)^site_url: .*", f"site_url: {url}", config), "utf-8")


def _copy_plans(project: Path) -> None:
    """Our plans as they were before a page of theirs was written."""
    (project / "plans").mkdir()
    for folder in (ROOT / "plans", ROOT / "plans" / "completed"):
        for path in folder.glob("[!K]*.md"):
            text = re.sub(r"(?m)^- \[✓\] (PART .*?) \(Completed .*\)$", r"- [ ] \1", path.read_text("utf-8"))
            (project / "plans" / path.name).write_text(text, "utf-8")


class _Quiet(SimpleHTTPRequestHandler):
    """Serves files without a line on the terminal for each."""

    def end_headers(self) -> None:
        """Let the browser keep what every page shares."""
        if "/assets/" in self.path:
            self.send_header("Cache-Control", "max-age=3600")
        super().end_headers()

    def copyfile(self, source: Any, outputfile: Any) -> None:
        """Send a file, with the server's own address in place of the one that the site is built for."""
        here = f"http://127.0.0.1:{self.connection.getsockname()[1]}/"
        outputfile.write(source.read().replace(URL.encode(), here.encode()))

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer unknown addresses with the site's own page, as hosts of pages do."""
        page = Path(self.directory, "404.html")
        if code != 404 or not page.is_file():
            return super().send_error(code, message, explain)
        self.send_response(code)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(page.stat().st_size))
        self.end_headers()
        with page.open("rb") as source:
            self.copyfile(source, self.wfile)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""
