"""What is kept between runs: nobody is asked twice for what is there, and what is kept is whole."""

from __future__ import annotations

import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from planbook.research.web.archive import Archive, Exchange, response_name
from planbook.research.web.client import Fetcher
from planbook.research.web.document_text import document_text
from planbook.research.web.github import GitHubEndpoints
from planbook.research.web.model import Call, Fetched, Outcome
from tests.research.web.conftest import MakeFetcher
from tests.research.web.server import Reply, Web, gzipped, make_pdf, shown, typed

TEA = "<h1>Steeping</h1>" + "<p>Water at <b>80 degrees</b> keeps the catechins in the leaf for two minutes.</p>" * 3
DAY_S = 86_400.0

Archived = Callable[..., Fetcher]


@pytest.fixture
def archived(tmp_path: Path, make_fetcher: MakeFetcher) -> Archived:
    """Makes clients as runs do, one after another, with the archive of one project."""

    def make(max_age_s: float | None = None, **more: object) -> Fetcher:
        return make_fetcher(archive=Archive(tmp_path, max_age_s=max_age_s), **more)

    return make


def read_warc(raw: bytes) -> list[Exchange]:
    """The responses in a WARC file."""
    return [
        Exchange(
            record.rec_headers.get_header("WARC-Target-URI"),
            int(record.http_headers.get_statuscode()),
            tuple(record.http_headers.headers),
            record.content_stream().read(),
            record.rec_headers.get_header("WARC-Date"),
        )
        for record in ArchiveIterator(io.BytesIO(raw))
    ]


def files(root: Path, folder: str) -> dict[str, bytes]:
    """What lies in a folder of the archive."""
    return {path.name: path.read_bytes() for path in (root / ".planbook" / folder).glob("*")}


# --- no request twice ----------------------------------------------------------------------------------------------


def test_a_second_run_asks_nobody(web: Web, archived: Archived, tmp_path: Path) -> None:
    """Not for pages, PDFs, source code, redirects or robots.txt; and gives what the first one gave."""
    urls = [
        web.html("/tea", TEA),
        web.put("/tea.pdf", typed(make_pdf(shown("Water at 80 degrees")), "application/pdf")),
        web.put("/steep.py", typed(b"\n\nsteep()\n", "text/plain")),
        web.redirect("/old", "/tea", 301),
    ]
    first = [archived().fetch(url) for url in urls]
    asked = len(web.seen)
    second = [archived().fetch(url) for url in urls]
    assert {one.outcome for one in first} == {Outcome.OK, Outcome.MOVED}
    assert asked > 4
    assert len(web.seen) == asked
    assert second == [replace(one, requests=0) for one in first]


def test_a_second_run_asks_githubs_api_nothing(web: Web, archived: Archived) -> None:
    """The commit that was found out stays the one that the text is of; each address has its own lines."""
    hub = GitHubEndpoints(site=web.url(""), raw=web.url("/raw"), api=web.url("/api"))
    web.put("/api/repos/leaf/brew/commits/main", typed(b"a" * 40, "application/vnd.github.sha"))
    web.put(f"/raw/leaf/brew/{'a' * 40}/pot.py", typed(b"one\ntwo\n", "text/plain"))
    url = web.url("/leaf/brew/blob/main/pot.py")
    first = archived(github=hub).fetch(f"{url}#L1")
    asked = len(web.seen)
    second = archived(github=hub).fetch(f"{url}#L2")
    assert len(web.seen) == asked
    assert first.origin
    assert second.origin == replace(first.origin, lines=(2, 2))


def test_a_failure_is_not_kept(web: Web, archived: Archived) -> None:
    """What gave no text is asked for again, and does not hide the text that was there before."""
    url = web.put("/tea", Reply(404), typed(TEA.encode(), "text/html"), Reply(410))
    outcomes = [archived(max_age_s).fetch(url).outcome for max_age_s in (None, None, 0, None)]
    assert outcomes == [Outcome.GONE, Outcome.OK, Outcome.GONE, Outcome.OK]


def test_many_threads_ask_once(web: Web, archived: Archived) -> None:
    """One address that eight runners want at the same time is one request."""
    url = web.html("/tea", TEA)
    fetcher = archived()
    found: list[Fetched] = []
    threads = [threading.Thread(target=lambda: found.append(fetcher.fetch(url))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert web.asked("/tea") == 1
    assert {one.sha256 for one in found} == {found[0].sha256}
    assert len(found) == 8


def test_verify_asks_though_the_archive_has_it(web: Web, archived: Archived) -> None:
    """With an age of 0 nothing is taken from the archive, and what hosts say now is kept."""
    url = web.put(
        "/tea", typed(TEA.encode(), "text/html", ("Cache-Control", "max-age=9999")), typed(b"new", "text/html")
    )
    assert "80 degrees" in archived().fetch(url).text
    assert archived(0.0).fetch(url).text == "new"
    assert archived().fetch(url).text == "new"


SEARCH = Call("", "POST", (("format", "json"),), (("X-Key", "sk-planted42"),), {"q": "tea"}, accepts=lambda reply: True)


def test_a_search_is_asked_once(web: Web, archived: Archived, tmp_path: Path) -> None:
    """An answer that may be kept is taken from the archive in the next run, also with another key; the key is not."""
    web.put("/search?format=json", Reply(503), typed(b'{"results": [1]}', "application/json", ("X-Left", "9")))
    call = replace(SEARCH, url=web.url("/search"))
    first = archived().call(call)
    assert (json.loads(first.body), first.requests) == ({"results": [1]}, 2)
    second = archived().call(replace(call, headers=(("X-Key", "sk-other"),)))
    assert (second.outcome, second.status_code, json.loads(second.body), second.requests) == (
        Outcome.OK,
        200,
        {"results": [1]},
        0,
    )
    assert len(web.seen) == 2
    assert not any(b"planted42" in content for content in files(tmp_path, "calls").values())


@pytest.mark.parametrize("body", [b'{"results": [], "asked_with": "sk-planted42"}', b"sk-planted42"])
def test_an_answer_that_holds_the_key_is_not_kept(web: Web, archived: Archived, tmp_path: Path, body: bytes) -> None:
    """A host that sends it back does not bring it into a file."""
    web.put("/search?format=json", typed(body, "application/json"))
    call = replace(SEARCH, url=web.url("/search"))
    assert [archived().call(call).body for _ in range(2)] == [body, body]
    assert (len(web.seen), files(tmp_path, "calls")) == (2, {})


def test_another_search_is_asked(web: Web, archived: Archived) -> None:
    """What is asked, how, and of whom makes another call; one that is not to be kept is asked each time."""
    web.put("/search?format=json", typed(b"[1]", "application/json"))
    call = replace(SEARCH, url=web.url("/search"))
    fetcher = archived()
    others = (replace(call, body={"q": "pot"}), replace(call, method="GET", body=None), replace(call, accepts=None))
    for one in (call, *others, call, replace(call, accepts=None)):
        assert fetcher.call(one).outcome is Outcome.OK
    assert len(web.seen) == 5
    archived(0.0).call(call)
    assert len(web.seen) == 6


# --- what is stale -------------------------------------------------------------------------------------------------


def age(root: Path, seconds: float) -> None:
    """Lets the records of pages be older."""
    then = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - seconds))
    for path in (root / ".planbook/fetched").glob("*.json"):
        lines = path.read_text().splitlines()
        path.write_text("\n".join(f' "fetched": "{then}",' if '"fetched":' in line else line for line in lines))


def test_what_is_stale_and_new_is_read_anew(web: Web, archived: Archived, tmp_path: Path) -> None:
    """A page that changed gives its new text."""
    url = web.put("/tea", typed(TEA.encode(), "text/html", ("ETag", '"a"')), typed(b"<p>new</p>", "text/html"))
    archived(DAY_S).fetch(url)
    age(tmp_path, 2 * DAY_S)
    assert archived(DAY_S).fetch(url).text == "new"


def test_a_page_that_must_not_be_cached_is_a_snapshot_still(web: Web, archived: Archived) -> None:
    """`no-store` does not keep it out of the proof of what it said."""
    url = web.put("/tea", typed(TEA.encode(), "text/html", ("Cache-Control", "no-store")))
    assert archived().fetch(url).requests == 2
    assert archived().fetch(url).requests == 0


def test_keys_are_not_cached(web: Web, archived: Archived, tmp_path: Path) -> None:
    """What APIs are asked, with keys in its headers, is written nowhere."""
    url = web.put("/v1", typed(b"{}", "application/json", ("Cache-Control", "max-age=9999")))
    fetcher = archived()
    for _ in range(2):
        assert fetcher.call(Call(url, headers=(("Authorization", "Bearer sk-planted42"),))).outcome is Outcome.OK
    fetcher.fetch(web.html("/tea", TEA))
    fetcher.close()
    assert web.asked("/v1") == 2
    kept = [path.read_bytes() for path in (tmp_path / ".planbook").rglob("*") if path.is_file()]
    assert len(kept) > 3
    assert not any(b"planted42" in content for content in kept)


# --- snapshots and responses ---------------------------------------------------------------------------------------


def test_the_text_can_be_found_again_in_the_response(web: Web, archived: Archived, tmp_path: Path) -> None:
    """The response is kept as WARC under the hash of its body, and gives the same text."""
    web.put("/tea", gzipped(f"<title>Tea</title>{TEA}<p>Th\xe9</p>".encode("cp1252"), "text/html; charset=cp1252"))
    url = web.redirect("/old", "/tea", 302)
    fetched = archived().fetch(url)
    assert fetched.response
    exchanges = read_warc((tmp_path / ".planbook" / response_name(fetched.response)).read_bytes())
    assert [(one.url, one.status_code) for one in exchanges] == [(url, 302), (web.url("/tea"), 200)]
    last = exchanges[-1]
    assert hashlib.sha256(last.body).hexdigest() == fetched.response
    assert last.asked == fetched.fetched
    headers = {name.lower(): value for name, value in last.headers}
    assert headers["content-type"] == "text/html; charset=cp1252"
    assert document_text(last.body, "text/html", "cp1252", last.url, 1).text == fetched.text


def test_cookies_are_not_kept(web: Web, archived: Archived, tmp_path: Path) -> None:
    """They would let others go on where we were."""
    web.put("/tea", typed(TEA.encode(), "text/html", ("Set-Cookie", "session=planted42")))
    fetched = archived(0.0).fetch(web.url("/tea"))
    (raw,) = files(tmp_path, "responses").values()
    assert read_warc(raw)[0].body == TEA.encode()
    assert not any("planted42" in value for _, value in read_warc(raw)[0].headers)
    assert fetched.outcome is Outcome.OK


RUN = """
import sys
from pathlib import Path
from planbook.research.web.archive import Archive
from planbook.research.web.client import Fetcher
from planbook.research.web.model import Limits

archive = Archive(Path(sys.argv[1]))
with Fetcher(Limits(spacing_s=0), allow_loopback=True, archive=archive) as fetcher:
    for url in sys.argv[2:]:
        fetched = fetcher.fetch(url)
        print(fetched.outcome.value, fetched.requests, fetched.sha256, flush=True)
"""


def test_a_run_that_was_killed_goes_on(web: Web, tmp_path: Path) -> None:
    """After kill -9, pages that were read are not asked for again, and no file is half there."""
    asked = threading.Event()

    def hang(handler: BaseHTTPRequestHandler) -> None:
        asked.set()
        time.sleep(20)

    urls = [web.html(f"/{n}", TEA.replace("two", str(n))) for n in range(4)]
    urls.append(web.put("/4", hang, typed(TEA.encode(), "text/html")))
    command = [sys.executable, "-c", RUN, str(tmp_path), *urls]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        assert asked.wait(60)
        os.kill(run.pid, signal.SIGKILL)
        before = (run.communicate()[0] or "").splitlines()
    seen = len(web.seen)
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    after = done.stdout.splitlines()
    assert [line.split()[0] for line in before] == ["ok"] * 4
    assert [line.split()[1] for line in after] == ["0"] * 4 + ["2"]
    assert [line.split()[2] for line in after][:4] == [line.split()[2] for line in before]
    assert [one.path for one in web.seen[seen:]] == ["/robots.txt", "/4"]
    assert not [path for path in (tmp_path / ".planbook").rglob(".*") if path.name != ".gitignore"]


def test_kept_by_many_at_once(tmp_path: Path) -> None:
    """Threads that keep and find the same address never see half of it."""
    archive = Archive(tmp_path)
    page = Fetched("https://tea.test/", Outcome.OK, text="0" * 50_000, visible="0", fetched="2026-11-20T10:00:00Z")
    archive.put(page)
    seen: list[Fetched | None] = []

    def work(n: int) -> None:
        for _ in range(10):
            archive.put(replace(page, text=str(n) * 50_000, visible=str(n)))
            seen.append(archive.get(page.url))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 40
    assert all(one and set(one.text) == set(one.visible) for one in seen)


def test_stopping_ends_what_is_under_way(web: Web, make_fetcher: MakeFetcher) -> None:
    """A request that hangs, and one that waits for its host's turn, fail at once; so does what comes later."""
    asked = threading.Event()

    def hang(handler: BaseHTTPRequestHandler) -> None:
        asked.set()
        time.sleep(20)

    web.html("/robots.txt", "")
    fetcher = make_fetcher(timeout_s=60.0, deadline_s=60.0, spacing_s=30.0, attempts=1)
    web.put("/tea", hang)
    found: list[tuple[Outcome, str]] = []

    def fetch() -> None:
        fetched = fetcher.fetch(web.url("/tea"))
        found.append((fetched.outcome, fetched.reason))

    def call() -> None:
        reply = fetcher.call(Call(web.url("/tea")))
        found.append((reply.outcome, reply.reason))

    threads = [threading.Thread(target=fetch), threading.Thread(target=call)]
    threads[1].start()
    assert asked.wait(10)
    threads[0].start()
    fetcher.limiter.stop()
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive()
    assert found == [(Outcome.FAILED, "the run was stopped")] * 2
    assert fetcher.fetch(web.url("/tea")).reason == "the run was stopped"
