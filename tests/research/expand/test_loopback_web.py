"""The whole flow by the real command, against a web of many hosts: what it makes, and whom it asks."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from planbook.citations.references import read_references
from planbook.cli import main
from planbook.model import Reference
from tests.conftest import ROOT
from tests.files import git
from tests.research.expand.base import commits, files_of
from tests.research.expand.ferry import SECRETS, Ran, files, make_ferry, run, steady
from tests.research.expand.web_of_pages import HostedWeb, echo, fill

GOLDEN = ROOT / "tests" / "golden" / "research" / "loopback"
PAUSE_S = 0.2
LEASES, LETTERS = "docs/queue/01-leases.md", "docs/queue/02-dead-letters.md"


@dataclass(frozen=True)
class Filled:
    """A base that the command has filled."""

    root: Path
    web: HostedWeb
    done: Ran

    def text(self, name: str) -> str:
        """A file's text."""
        return (self.root / name).read_text(encoding="utf-8")

    def drop(self, name: str) -> str:
        """A drop's text, by a part of its name."""
        (path,) = (self.root / "plans").rglob(f"KNOWLEDGE-DROP-{name}-2*")
        return path.read_text(encoding="utf-8")

    def log(self) -> list[str]:
        """The lines of its log."""
        return self.text(str(re.findall(r"log: (\S+)", self.done.out)[0])).splitlines()

    def references(self, name: str) -> tuple[Reference, ...]:
        """What a page cites."""
        return read_references(self.text(name), name)[0]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    """One run, which most of these tests look at."""
    web = HostedWeb()
    with web:
        fill(web)
        echo(web)
        root = make_ferry(tmp_path_factory.mktemp("ferry") / "base", web, pause=PAUSE_S)
        yield Filled(root, web, run(root, web))


# --- what is made ----------------------------------------------------------------------------------------------------


def test_what_becomes_of_each_part(filled: Filled) -> None:
    """Two get their pages, one fails; done and disabled ones are left alone, and so is what the user had begun."""
    assert filled.done.code == 3, filled.done.err
    rows = [line.split() for line in filled.done.out.splitlines()]
    assert [row[:4] for row in rows[1:4]] == [
        ["ferry", "1", "queue/01-leases.md", "done"],
        ["ferry", "2", "queue/02-dead-letters.md", "done"],
        ["walls", "1", "walls/01-nobody.md", "failed"],
    ]
    assert re.findall(r"^- \[(.)\] PART", filled.text("plans/ferry.md"), re.MULTILINE) == ["✓", "✓"]
    assert re.findall(r"^- \[(.)\] PART", filled.text("plans/walls.md"), re.MULTILINE) == ["/", "✓", " "]
    assert (filled.text("notes.txt"), filled.text("draft.txt")) == ("mine, changed\n", "not known to git\n")


@pytest.mark.parametrize("name", [LEASES, LETTERS, "plans/ferry.md", "plans/walls.md", "docs/INDEX.md"])
def test_files_to_the_byte(filled: Filled, name: str, golden: Callable[[Path, str], None]) -> None:
    """But for the port, days and times."""
    golden(GOLDEN / Path(name).name, steady(filled.text(name), filled.web))


@pytest.mark.parametrize("name", ["leases", "dead-letters", "nobody"])
def test_drops_to_the_byte(filled: Filled, name: str, golden: Callable[[Path, str], None]) -> None:
    """They tell of every search and every document, why it is no source, and what the base knew."""
    golden(GOLDEN / f"drop-{name}.md", steady(filled.drop(name), filled.web))


def test_the_message_to_the_byte(filled: Filled, golden: Callable[[Path, str], None]) -> None:
    """One commit, that tells pages, lines, works and what failed."""
    assert len(commits(filled.root)) == 1
    golden(GOLDEN / "commit.txt", git(filled.root, "log", "-1", "--format=%B"))


def test_the_commit_holds_what_was_made_and_nothing_else(filled: Filled) -> None:
    """Pages, drops, marked plans, INDEX and SKILL: not what the user has changed, nor the working folder."""
    changed = [re.sub(r"-\d{4}-\d\d-\d\d", "-DAY", re.sub(r"^R\d+", "R", line)) for line in files_of(filled.root)]
    assert sorted(changed) == [
        "A SKILL.md",
        "A docs/INDEX.md",
        f"A {LEASES}",
        f"A {LETTERS}",
        "A plans/KNOWLEDGE-DROP-dead-letters-DAY.md",
        "A plans/KNOWLEDGE-DROP-leases-DAY.md",
        "A plans/KNOWLEDGE-DROP-nobody-DAY.md",
        "M plans/ferry.md",
        "M plans/walls.md",
    ]
    assert git(filled.root, "status", "--porcelain") == " M notes.txt\n?? draft.txt\n"


@pytest.mark.parametrize("name", [LEASES, LETTERS])
def test_every_quote_stands_in_its_snapshot(filled: Filled, name: str) -> None:
    """Letter by letter, but for line ends and the marks of Markdown; and the snapshot is the text that is named."""
    assert len(filled.references(name)) >= 3
    for reference in filled.references(name):
        sha256 = re.search(rf"id: {reference.id}\n.*?sha256: (\w+)", filled.text(name), re.DOTALL)
        assert sha256
        snapshot = (filled.root / f".planbook/snapshots/{sha256[1]}.txt").read_bytes()
        assert hashlib.sha256(snapshot).hexdigest() == sha256[1]
        assert reference.quotes
        for _, quote in reference.quotes:
            assert plain(quote) in plain(snapshot.decode())


def plain(text: str) -> str:
    """Words, without marks of code, emphasis and tables, and without what escapes them."""
    return " ".join(re.sub(r"--+|\|", " ", re.sub(r"[`*\\]", "", text)).split())


def test_verify_finds_it_well_without_asking(filled: Filled, tmp_path: Path) -> None:
    """Also what had moved, which the page cites by its new address."""
    asked = len(filled.web.seen)
    copy = shutil.copytree(filled.root, tmp_path / "base")  # other tests read what git says of the base
    done = CliRunner().invoke(main, ["verify", "--root", str(copy), "--offline"])
    assert (done.exit_code, len(filled.web.seen)) == (0, asked), done.output
    assert filled.web.at("docs.ferry.test/renewing") in {one.url for one in filled.references(LEASES)}


def test_one_text_at_two_addresses_is_one_source(filled: Filled) -> None:
    """The copy was read, and is not cited."""
    assert len(filled.web.asked_at("copy.otter.test/leases")) == 1
    hosts = [re.sub(r"https?://([^/:]+).*", r"\1", one.url or "") for one in filled.references(LEASES)]
    assert "docs.ferry.test" in hosts
    assert "copy.otter.test" not in hosts
    assert len(set(hosts)) >= 5


def test_what_a_page_says_to_programs_is_not_done(filled: Filled) -> None:
    """Its script, its false mark and its orders are words at most; what no reader sees, is not even that."""
    page = filled.text(LETTERS)
    assert filled.web.at("sly.test/revive") in page
    for words in ("<script", "onerror", "onclick", "fetch(", "pwned", "hidden words", "- [✓]\\ "):
        assert words not in page
    assert not re.search(r"^\s*(?:- \[✓\]|```+ ````)", page.partition("\n---\n")[2], re.MULTILINE)
    assert "2020" not in filled.text("plans/ferry.md")
    assert re.findall(r"^(?:title|reviewed):.*", page, re.MULTILINE) == ["title: Dead letters", "reviewed: null"]


# --- whom it asks ----------------------------------------------------------------------------------------------------


def test_no_host_is_asked_sooner_than_it_may_be(filled: Filled) -> None:
    """By the server's clock: the pause that is set, the one of robots.txt, the one that came with 429."""
    by_host: dict[str, list[float]] = defaultdict(list)
    for seen in filled.web.seen:
        by_host[seen.path.partition("/")[0]].append(seen.began)
    assert len(by_host) >= 20
    gaps = {host: min((b - a for a, b in pairwise(began)), default=PAUSE_S) for host, began in by_host.items()}
    assert min(gaps.values()) >= PAUSE_S, gaps
    first, second = filled.web.asked_at("busy.test/dead")
    assert second - first >= 1.0
    (watch,), (faq,) = filled.web.asked_at("slow.test/watch"), filled.web.asked_at("slow.test/faq")
    assert abs(faq - watch) >= 1.0


def test_what_is_asked_how_often(filled: Filled) -> None:
    """Once, but for what may pass: 429 is asked again, 503 and silence three times; nothing that is forbidden."""
    asked = [place for place in filled.web.places() if not place.startswith("tavily.test/")]
    again = {place: asked.count(place) for place in asked if asked.count(place) > 1}
    assert again == {"busy.test/dead": 2, "ill.test/retries": 2, "silent.test/dead": 3, "sick.test/words": 3}
    for place in ("walled.test/dead", "shut.test/secret", "rebind.test/dead"):
        assert place not in asked
    assert filled.web.asked_at("rebind.test/robots.txt")
    assert "search.test/search never asked" not in asked


def test_no_connection_leads_to_a_forbidden_address(filled: Filled) -> None:
    """Neither by a redirect nor by a name that changes its address: it is not even tried."""
    connects = {line for line in filled.done.trace if line.startswith("connect ")}
    assert connects == {"connect 127.0.0.1"}


def test_a_mark_is_set_when_its_page_is_durable(filled: Filled) -> None:
    """The page is on the disk with its name, then the drop, then the mark: seen at the calls to the system."""
    order = [
        step
        for page, drop in (("01-leases.md", "leases"), ("02-dead-letters.md", "dead-letters"))
        for step in (
            *(f"sync docs/queue/.{page}.", f"rename docs/queue/.{page}.", "sync docs/queue$"),
            *(f"sync plans/.KNOWLEDGE-DROP-{drop}-", f"rename plans/.KNOWLEDGE-DROP-{drop}-", "sync plans$"),
            *("sync plans/.ferry.md.", "rename plans/.ferry.md.", "sync plans$"),
        )
    ]
    written = iter(line for line in filled.done.trace if not re.match(r"(?:sync|rename) \S*\.planbook/", line))
    for step in order:
        assert any(re.match(step.replace(".", r"\."), line) for line in written), step
    assert any(re.match(r"run .*git .* commit ", line) for line in written)
    before = filled.done.trace[
        : next(n for n, s in enumerate(filled.done.trace) if s.startswith("rename plans/.ferry"))
    ]
    assert any(re.match(r"rename docs/queue/\.01-leases", line) for line in before)


# --- secrets ---------------------------------------------------------------------------------------------------------


def test_keys_stand_nowhere(filled: Filled) -> None:
    """They went to the hosts that they are for, which sent them back; no file, no object of git, no word has them."""
    sent = {seen.path: seen.headers.get("authorization", "") for seen in filled.web.seen}
    assert sent["tavily.test/search"] == f"Bearer {SECRETS['TAVILY_API_KEY']}"
    assert sent["api.hub.test/repos/ferry/ferry/commits/main"] == f"Bearer {SECRETS['GITHUB_TOKEN']}"
    assert {path.partition("/")[0] for path, key in sent.items() if key} == {"tavily.test", "api.hub.test"}
    told = [filled.done.out, filled.done.err, *filled.done.trace]
    objects = ["git", "-C", str(filled.root), "cat-file", "--batch-all-objects", "--batch"]
    raw = [subprocess.run(objects, check=True, capture_output=True).stdout, "\n".join(told).encode()]
    raw += [base64.b64decode(json.loads(path.read_text())[0]["body"]) for path in filled.root.rglob("calls/*.json")]
    stored = [path for path in filled.root.rglob("*") if path.is_file()]
    raw += [gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes() for path in stored]
    assert len(raw) > 50
    assert [name for name, key in SECRETS.items() for content in raw if key.encode() in content] == []


# --- once more -------------------------------------------------------------------------------------------------------


def test_a_second_run_asks_nobody(filled: Filled) -> None:
    """It says that there is nothing to do, and changes nothing."""
    before, asked, head = files(filled.root), len(filled.web.seen), git(filled.root, "rev-parse", "HEAD")
    done = run(filled.root, filled.web, "--plan", "ferry")
    assert (done.code, len(filled.web.seen) - asked) == (4, 0)
    assert not any(line.startswith("connect ") for line in done.trace)
    assert (files(filled.root), git(filled.root, "rev-parse", "HEAD")) == (before, head)
