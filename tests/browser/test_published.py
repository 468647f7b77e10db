"""The site as it is published: pushed to a branch and read below a path, or unpacked and read from a folder."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urldefrag, urlsplit

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Reader
from tests.browser.sites import ROOT, Site, copy_with_every_state, served
from tests.browser.test_every_page import LOOK, Seen, broken, look, unreached

WHO = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@planbook.example"}
WHO |= {key.replace("AUTHOR", "COMMITTER"): value for key, value in WHO.items()}
READ = f"""async urls => {{
    const look = {LOOK.replace("()", "document")};
    return await Promise.all(urls.map(async url => {{
        const text = (await (await fetch(url)).text()).replace("<head>", `<head><base href="${{url}}">`);
        const page = new DOMParser().parseFromString(text, "text/html");
        return {{url, ...look(page)}};
    }}));
}}"""
"""The same of pages that are fetched, and not opened."""
QUIET = {"NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"}


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


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A project pushed by `make publish` to a bare repository; its branch, checked out, is served below ``/repo/``."""
    folder = tmp_path_factory.mktemp("published")
    with served("published", folder) as server:
        url = f"{server.url}repo/"
        project = copy_with_every_state(tmp_path_factory.mktemp("published_project"), url)
        remote = tmp_path_factory.mktemp("remote") / "repo.git"
        run("git", "init", "--quiet", "--bare", remote, cwd=folder)
        run("git", "init", "--quiet", cwd=project)
        run("git", "remote", "add", "origin", remote, cwd=project)
        run("git", "add", ".", cwd=project)
        run("git", "commit", "--quiet", "--message", "A base", cwd=project)
        run(*recipe("publish", "gh-deploy"), cwd=project)
        run("git", "clone", "--quiet", "--branch", "gh-pages", remote, folder / "repo", cwd=folder)
        yield replace(server, folder=folder / "repo", url=url)


def test_the_branch_holds_the_site_and_nothing_else(published: Site) -> None:
    """Pages takes it as it is (`.nojekyll`); no plan, no work folder, no configuration is published."""
    names = {path.name for path in published.folder.iterdir()}
    assert {".nojekyll", "index.html", "404.html", "sitemap.xml", "llms.txt"} <= names
    assert not names & {"plans", "docs", "mkdocs.yml", ".planbook", "generator"}


def test_every_page_holds_below_a_path(reader: Reader, published: Site) -> None:
    """Each page is there below ``/repo/``, and each link on it; the navigation leads to every page.

    Of each folder one page is opened, with all it loads: `test_every_page` opens the others.
    """
    page = reader.page()
    for path in {path.partition("/")[0]: path for path in published.paths}.values():
        look(page, published.url + path)
    found = page.evaluate(READ, [published.url + path for path in published.paths])
    seen = {one["url"]: Seen.of(one["url"], one) for one in found}
    assert broken(page, published, seen) == []
    assert unreached(published.url, seen) == set()
    outside = {link for one in seen.values() for link in one.links if urlsplit(link).hostname == "127.0.0.1"}
    assert {link for link in outside if not link.startswith(published.url)} == set()


def test_search_works_below_a_path(reader: Reader, published: Site) -> None:
    """A word leads to its page."""
    page = reader.open(f"{published.url}guide/cli/")
    page.keyboard.press("/")
    page.keyboard.type("quincunx")
    found = page.locator(".md-search-result__item a").first
    expect(found).to_contain_text("Docker multi-stage builds for ML images")
    found.click()
    expect(page).to_have_url(re.compile(re.escape(published.url) + "cuda/10-"))


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `make offline` packs of a project, unpacked elsewhere."""
    project = copy_with_every_state(tmp_path_factory.mktemp("offline_project"), "https://planbook.example/")
    run(*recipe("offline", "--site-dir"), cwd=project, OFFLINE="true")
    run(*recipe("offline", "zipfile"), cwd=project)
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(project / "offline.zip") as archive:
        archive.extractall(folder)
    return folder / "offline"


def test_the_site_is_read_from_a_folder(browser: Browser, unpacked: Path) -> None:
    """Every page opens from ``file://`` without an error or a request to a host; every link leads to a file."""
    page = browser.new_page()
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on(
        "request", lambda request: None if request.url.startswith(("file:", "data:")) else errors.append(request.url)
    )
    paths = sorted(path for path in unpacked.rglob("*.html") if path.name != "404.html")
    assert len(paths) > 30
    for path in paths:
        page.goto(path.as_uri())
        for link in page.evaluate("() => [...document.querySelectorAll('a[href]')].map(a => a.href)"):
            if link.startswith("file:"):
                there = Path(urlsplit(urldefrag(link).url).path)
                assert there.is_file(), f"{path} -> {link}"
    assert errors == []
    page.close()


def test_search_works_in_a_folder(browser: Browser, unpacked: Path) -> None:
    """Also on a page deeper down, and with a slip; the console stays empty."""
    page = browser.new_page()
    told: list[str] = []
    page.on("console", lambda message: told.append(message.text))
    page.on("pageerror", lambda error: told.append(str(error)))
    page.goto((unpacked / "guide" / "cli.html").as_uri())
    page.keyboard.press("/")
    page.keyboard.type("qiuncunx")
    found = page.locator(".md-search-result__item a").first
    expect(found).to_contain_text("Docker multi-stage builds for ML images")
    found.click()
    expect(page).to_have_url(re.compile(r"^file:.*/cuda/10-docker"))
    assert told == []
    page.close()
