"""The browser, the sites, and the reader who looks at them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect, sync_playwright

from tests.browser.sites import (
    ROOT,
    URL,
    Site,
    build,
    copy_with_citations,
    copy_with_every_state,
    copy_with_many_works,
    new_base,
    publish,
    served,
)
from tests.conftest import Once
from tests.plugin.conftest import real_builds

expect.set_options(timeout=30_000)
PATIENCE_MS = 60_000
"""How long a busy machine may take to load a page."""

ARGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",  # and no other address by its number
]


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    """One Chromium for all tests of this worker."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGS)
        yield browser
        browser.close()


NO_DIFFERENCE = {"test_search", "test_weight", "test_published"}
"""Modules of tests whose subject is not the same on Zensical's site: search, sizes, and Git."""
OF_MKDOCS = {"test_pages_stay_small"}
"""Tests of this kind in other modules."""
MAKERS = {"own": lambda _: ROOT, "cited": copy_with_citations, "many_works": copy_with_many_works, "starter": new_base}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Let readers look at the site of the other engine, too, at night."""
    engines = [pytest.param("mkdocs", id=pytest.HIDDEN_PARAM), pytest.param("zensical", marks=pytest.mark.nightly)]
    is_theirs = metafunc.module.__name__.rpartition(".")[2] in NO_DIFFERENCE or metafunc.function.__name__ in OF_MKDOCS
    for name in {*MAKERS, "lived_in"} & set(metafunc.fixturenames if not is_theirs else ()):
        metafunc.parametrize(name, engines, indirect=True)


def served_once(once: Once, name: str, engine: str) -> AbstractContextManager[Site]:
    """The site of a project that one of `MAKERS` writes into a folder, built once for all workers."""

    def built(folder: Path) -> None:
        build(MAKERS[name](folder / "project"), folder / "site", engine)

    return served(name, once(f"{name}-{engine}", built) / "site")


def engine_of(request: pytest.FixtureRequest) -> str:
    """The engine whose site is asked for."""
    return str(getattr(request, "param", "mkdocs"))


@pytest.fixture(scope="session")
def own(request: pytest.FixtureRequest, once: Once) -> Iterator[Site]:
    """The site of this repository, as it stands."""
    with served_once(once, "own", engine_of(request)) as site:
        yield site


@pytest.fixture(scope="session")
def lived_in(request: pytest.FixtureRequest, once: Once) -> Iterator[Site]:
    """Our site some days later, published: one page written, and a PART in every state; served below ``/repo/``."""
    engine = engine_of(request)

    def published(folder: Path) -> None:
        project, site = copy_with_every_state(folder / "project", f"{URL}repo/"), folder / "site" / "repo"
        publish(project, site) if engine == "mkdocs" else build(project, site, engine)

    with served("lived_in", once(f"lived_in-{engine}", published) / "site") as site:
        yield replace(site, folder=site.folder / "repo", url=f"{site.url}repo/")


@pytest.fixture(scope="session")
def seeds(once: Once, shared: Path) -> Iterator[Site]:
    """A site of real plans, pages and drops that are not ours to publish."""
    with served("seeds", real_builds(once, shared) / "site") as site:
        yield site


@pytest.fixture(scope="session")
def cited(request: pytest.FixtureRequest, once: Once) -> Iterator[Site]:
    """Our site with a page that cites and was checked."""
    with served_once(once, "cited", engine_of(request)) as site:
        yield site


@pytest.fixture(scope="session")
def starter(request: pytest.FixtureRequest, once: Once) -> Iterator[Site]:
    """The site of a base that `planbook init` made."""
    with served_once(once, "starter", engine_of(request)) as site:
        yield site


@pytest.fixture(scope="session")
def many_works(request: pytest.FixtureRequest, once: Once) -> Iterator[Site]:
    """Our site with a thousand works, and many PARTs."""
    with served_once(once, "many_works", engine_of(request)) as site:
        yield site


@pytest.fixture(scope="session")
def own_zensical(once: Once) -> Iterator[Site]:
    """The site of this repository, as Zensical builds it."""
    with served_once(once, "own", "zensical") as site:
        yield site


@pytest.fixture(scope="session")
def cited_zensical(once: Once) -> Iterator[Site]:
    """The site with citations, as Zensical builds it."""
    with served_once(once, "cited", "zensical") as site:
        yield site


class Reader:
    """Opens pages, each in a browser of its own settings, and notes what went wrong behind them."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._contexts: list[BrowserContext] = []
        self.errors: list[str] = []
        """Errors on the console and in scripts."""
        self.beyond: list[str] = []
        """Requests to other hosts than loopback."""

    def page(self, width: int = 1280, scheme: str = "light", has_scripts: bool = True, has_touch: bool = False) -> Page:
        """An empty page, `width` pixels wide, for a reader whose system is set to `scheme`."""
        context = self._browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if scheme == "dark" else "light",
            java_script_enabled=has_scripts,
            has_touch=has_touch,
            is_mobile=has_touch,
            reduced_motion="reduce",
        )
        context.set_default_timeout(PATIENCE_MS)
        self._contexts.append(context)
        page = context.new_page()
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.errors.append(f"{page.url}: {error}"))
        page.on("request", self._see)
        return page

    def open(
        self, url: str, width: int = 1280, scheme: str = "light", has_scripts: bool = True, has_touch: bool = False
    ) -> Page:
        """The page at `url`, loaded."""
        page = self.page(width, scheme, has_scripts, has_touch)
        answer = page.goto(url)
        assert answer is not None
        assert answer.ok, f"{url} answers {answer.status}"
        return page

    def close(self) -> None:
        """Close every page."""
        for context in self._contexts:
            context.close()

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and "document's frame is sandboxed" not in message.text:
            self.errors.append(f"{message.location.get('url')}: {message.text}")

    def _see(self, request: Request) -> None:
        if (
            urlsplit(request.url).scheme not in {"data", "blob", "file"}
            and urlsplit(request.url).hostname != "127.0.0.1"
        ):
            self.beyond.append(request.url)


@pytest.fixture
def reader(browser: Browser) -> Iterator[Reader]:
    """A reader; whatever a test lets them do, no error may show and no other host may be asked."""
    reader = Reader(browser)
    yield reader
    reader.close()
    assert reader.errors == []
    assert reader.beyond == []
