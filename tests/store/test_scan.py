"""Folders with links, pipes and the like: what is listed, and why the rest is not."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from planbook.store.scan import LEADS_OUT, MAX_VISITS, UNREADABLE, scan_folder
from planbook.store.trees import read_plans
from tests.files import put
from tests.plugin.odd_files import obeying_modes


def make_socket(path: Path) -> None:
    """Leave a socket at `path`, whose name may be longer than one of a socket."""
    here = Path.cwd()
    os.chdir(path.parent)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)
    os.chdir(here)


def link(target: str) -> Callable[[Path], None]:
    """Return a function that makes a link to `target`."""
    return lambda path: path.symlink_to(target)


@pytest.fixture(name="base")
def make_base(tmp_path: Path) -> Path:
    """A base with a folder `docs`, beside a folder that does not belong to it."""
    return put(
        tmp_path,
        {
            "outside/secret.md": "secret",
            "base/README.md": "# Base\n",
            "base/other/a/b.md": "# B\n",
            "base/.git/config": "token",
            "base/docs/index.md": "# Home\n",
            "base/docs/tea/water.md": "# Water\n",
        },
    ).joinpath("base")


@pytest.mark.parametrize(
    ("name", "make", "code", "told"),
    [
        ("x.md", link("../../outside/secret.md"), LEADS_OUT, "the link to ../../outside/secret.md leads out of the"),
        ("x.txt", link("/etc/hostname"), LEADS_OUT, "leads out of the base"),
        ("x.md", link("/dev/zero"), LEADS_OUT, "leads out of the base"),
        ("x", link("../../outside"), LEADS_OUT, "leads out of the base"),
        ("x", link("/"), LEADS_OUT, "the link to / leads out of the base"),
        ("x.txt", link("../.git/config"), LEADS_OUT, "leads to what is not part of the base"),
        ("x.md", link("nothing.md"), UNREADABLE, "the link to nothing.md leads to nothing"),
        ("x.md", link("index.md/x"), UNREADABLE, "leads to nothing"),
        ("x.md", link("x.md"), UNREADABLE, "leads back to itself"),
        ("x", link("."), UNREADABLE, "the link to . leads back to a folder that contains it"),
        ("tea/x", link(".."), UNREADABLE, "leads back to a folder that contains it"),
        ("x", link(".."), UNREADABLE, "leads back to a folder that contains it"),
        ("x.md", os.mkfifo, UNREADABLE, "this is a named pipe, not a file"),
        ("x.png", os.mkfifo, UNREADABLE, "this is a named pipe, not a file"),
        ("x.md", make_socket, UNREADABLE, "this is a socket, not a file"),
        ("b\udcff.md", Path.touch, UNREADABLE, "the name is not UTF-8"),
    ],
)
def test_an_entry_that_is_not_read(base: Path, name: str, make: Callable[[Path], None], code: str, told: str) -> None:
    """It is named once, with what it is; all other files are listed."""
    make(base / "docs" / name)
    scan = scan_folder(base / "docs", [base])
    assert scan.files == ("index.md", "tea/water.md")
    (skipped,) = scan.skipped
    assert (skipped.path, skipped.code, told in skipped.message) == (name, code, True), skipped
    problem = skipped.problem("docs")
    assert problem.uri.encode().decode() == f"docs/{name}".replace("\udcff", r"\xff")


def test_links_within_the_base_are_followed(base: Path) -> None:
    """Links to files and folders of the base, absolute ones too, and a folder that two links lead to."""
    docs = base / "docs"
    (docs / "readme.md").symlink_to("../README.md")
    (docs / "again.md").symlink_to(docs / "index.md")
    (docs / "other").symlink_to(base / "other")
    (docs / "third").symlink_to("../other/a")
    scan = scan_folder(docs, [base])
    assert scan.files == ("again.md", "index.md", "readme.md", "other/a/b.md", "tea/water.md", "third/b.md")
    assert scan.skipped == ()
    assert [entry.path for entry in scan_folder(docs, []).skipped] == ["other", "readme.md", "third"]


def test_links_that_lead_into_each_other_end(base: Path) -> None:
    """Two folders with links to each other, and links that multiply from folder to folder, are listed in an instant."""
    docs = base / "docs"
    put(docs, {"a/1.md": "", "b/2.md": ""})
    (docs / "a/b").symlink_to("../b")
    (docs / "b/a").symlink_to("../a")
    scan = scan_folder(docs, [base])
    assert {"a/1.md", "a/b/2.md", "b/2.md", "b/a/1.md"} <= {*scan.files}
    assert [entry.path for entry in scan.skipped] == ["a/b/a", "b/a/b"]
    for n in range(30):
        (base / f"dag/{n}").mkdir(parents=True)
        for name in "xyz":
            (base / f"dag/{n}" / name).symlink_to(f"../{n + 1}")
    (base / "dag/30").mkdir()
    (docs / "dag").symlink_to("../dag/0")
    scan = scan_folder(docs, [base])
    assert len(scan.folders) < 31 * (MAX_VISITS + 1) + 10
    told = [entry for entry in scan.skipped if not entry.is_repeated and entry.path.startswith("dag")]
    assert 0 < len(told) <= 30


def test_a_file_that_may_not_be_read(base: Path) -> None:
    """A file and a folder without the right to read them are named, and the others listed."""
    put(base / "docs", {"closed.md": "", "shut/x.md": ""})
    (base / "docs/closed.md").chmod(0)
    (base / "docs/shut").chmod(0)
    code = "from pathlib import Path; from planbook.store.scan import scan_folder as s; r = s(Path('docs'), [Path()])"
    shown = "print(*r.files, *((e.path, e.code, e.message) for e in r.skipped), sep='\\n')"
    told = obeying_modes([sys.executable, "-c", f"{code}\n{shown}"], base).splitlines()
    (base / "docs/shut").chmod(0o755)
    assert told == [
        "index.md",
        "tea/water.md",
        "('closed.md', 'K007', 'the file cannot be read (Permission denied); make it readable, or remove it')",
        "('shut', 'K007', 'the folder cannot be read (Permission denied); make it readable, or remove it')",
    ]


def test_patterns_of_plans(base: Path) -> None:
    """A pattern names no plan through a link out of the base, and ``**`` ends where links lead back."""
    put(base, {"docs/tea/plans/a.md": "# A\n", "../outside/plans/b.md": "# B\n"})
    (base / "docs/out").symlink_to("../../outside")
    (base / "docs/me").symlink_to(".")
    (base / "docs/me2").symlink_to(".")
    for pattern in ("docs/*/plans", "docs/**/plans", "docs/**/plans/*.md", "**/plans"):
        plans, _, _ = read_plans(base, [pattern])
        assert list(plans) == ["docs/tea/plans/a.md"], pattern
    _, _, unread = read_plans(base, ["docs/*/plans"])
    assert [(problem.uri, problem.code) for problem in unread] == [("docs/out/plans", LEADS_OUT)]
