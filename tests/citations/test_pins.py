"""Citations of files at a commit, checked against mirrors; and saved copies."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from planbook.citations.pins import make_line_links, read_pin
from planbook.citations.repository_files import RepositoryFile, parse_file_url
from planbook.cli import main
from tests.files import warc
from tests.repositories import Repository, git, make_repository

SHA = "0123456789abcdef0123456789abcdef01234567"
STEEP = "# Steeping\n\nGreen tea is steeped for\ntwo minutes at 80 degrees.\n\n## Black\n\nThree minutes, at a boil.\n"
GREEN, BLACK = "Green tea is steeped for two minutes at 80 degrees.", "Three minutes, at a boil."


@pytest.mark.parametrize(
    ("url", "file"),
    [
        (f"https://github.com/leaf/brew/blob/{SHA}/src/a.py#L10-L24", ("leaf/brew", SHA, "src/a.py", (10, 24))),
        (
            f"https://github.com/leaf/brew/blob/{SHA.upper()}/src/a.py?plain=1#L7",
            ("leaf/brew", SHA, "src/a.py", (7, 7)),
        ),
        (f"https://github.com/leaf/brew/raw/{SHA}/a%20b.md", ("leaf/brew", SHA, "a b.md", None)),
        (f"https://raw.githubusercontent.com/leaf/brew/{SHA}/src/a.py", ("leaf/brew", SHA, "src/a.py", None)),
        ("https://raw.githubusercontent.com/leaf/brew/refs/heads/main/a.py", ("leaf/brew", "main", "a.py", None)),
        ("https://github.com/leaf/brew/blob/main/docs/x.md#usage", ("leaf/brew", "main", "docs/x.md", None)),
        (
            f"https://gitlab.com/tea/leaf/brew/-/blob/{SHA}/src/a.py#L10-24",
            ("gitlab.com/tea/leaf/brew", SHA, "src/a.py", (10, 24)),
        ),
        (f"https://git.tea.example/leaf/brew/-/raw/{SHA}/a.py", ("git.tea.example/leaf/brew", SHA, "a.py", None)),
    ],
)
def test_an_address_names_a_file(url: str, file: tuple[str, str, str, tuple[int, int] | None]) -> None:
    """GitHub's forms and GitLab's; the address that is made of it names the same file and lines."""
    found = parse_file_url(url)
    assert found
    assert (found.repository, found.ref, found.path, found.lines) == file
    assert parse_file_url(found.url) == found


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/leaf/brew",
        "https://github.com/leaf/brew/issues/7",
        f"https://github.com/leaf/brew/tree/{SHA}/src",
        f"https://github.com/leaf/brew/blob/{SHA}",
        f"https://github.com/leaf/brew/blob/{SHA}/../x",
        f"https://user@github.com/leaf/brew/blob/{SHA}/x",
        f"file:///leaf/brew/blob/{SHA}/x",
        "https://[broken/leaf/brew/blob/x/y",
        "../leaf/brew/blob/main/x.md",
        "",
    ],
)
def test_other_addresses_name_none(url: str) -> None:
    """A repository, an issue, a folder; and what leads out of the repository."""
    assert parse_file_url(url) is None


def test_a_reference_records_its_origin() -> None:
    """The origin stands beside an address for readers; a branch or half a commit pins nothing."""
    origin = {"repository": "leaf/brew", "path": "docs/x.md", "commit": SHA}
    web = {"URL": "https://brew.example/x/", "custom": origin}
    assert read_pin(web) == RepositoryFile("leaf/brew", SHA, "docs/x.md")
    assert read_pin({"URL": f"https://github.com/leaf/brew/blob/{SHA}/y.md", "custom": origin}) == RepositoryFile(
        "leaf/brew", SHA, "y.md"
    )
    assert read_pin({"custom": {**origin, "commit": SHA[:12]}}) is None
    assert read_pin({"custom": {**origin, "path": ""}}) is None
    assert read_pin({"URL": "https://github.com/leaf/brew/blob/main/y.md", "custom": ["no mapping"]}) is None


def test_a_quote_s_lines_have_an_address() -> None:
    """They have one at a commit only; that of a file that would be rendered is its source."""
    item = {"id": "x", "URL": address(SHA), "custom": {"quotes": {"q1": "a"}, "lines": {"q1": [3, 4], "q2": [0, "x"]}}}
    assert dict(make_line_links(item)) == {"q1": f"{address(SHA)}?plain=1#L3-L4"}
    code = {**item, "URL": address(SHA, "a.py"), "custom": {"lines": {"q1": [7, 7]}}}
    assert dict(make_line_links(code)) == {"q1": f"{address(SHA, 'a.py')}#L7"}
    for other in (address("main"), "https://brew.example/", None):
        assert dict(make_line_links({**item, "URL": other})) == {}


# --- the command -----------------------------------------------------------------------------------------------------


@pytest.fixture
def brew(tmp_path: Path) -> Repository:
    """A repository that pages cite."""
    made = make_repository(tmp_path / "brew")
    made.commit({"docs/steep.md": STEEP, "src/kettle.py": "def boil(water):\n    return water + 60\n"})
    return made


@pytest.fixture
def base(tmp_path: Path, brew: Repository, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A base whose configuration names a mirror, as the current folder."""
    root = tmp_path / "base"
    (root / "docs").mkdir(parents=True)
    brew.mirror(tmp_path / "brew.git")
    options = {"expand": {"search": {"repositories": {"leaf/brew": "../brew.git"}}}}
    (root / "mkdocs.yml").write_text(yaml.safe_dump({"site_name": "Tea", "plugins": [{"planbook": options}]}))
    monkeypatch.chdir(root)
    return root


def cite(root: Path, *items: dict[str, Any]) -> None:
    """Write a page for each of these references."""
    for n, item in enumerate(items):
        text = yaml.safe_dump({"references": [{"title": item["id"], **item}]}, sort_keys=False)
        (root / f"docs/tea{n}.md").write_text(f"---\n{text}---\n\n# Tea\n\nText.\n")


def run(*args: str) -> Result:
    """Run planbook."""
    return CliRunner().invoke(main, args, catch_exceptions=False, env={"COLUMNS": "200"})


def verify(*args: str) -> list[Any]:
    """Return the reports on all references."""
    result = run("verify", "--offline", "--format=json", *args)
    return [work for page in json.loads(result.stdout)["pages"].values() for work in page["references"]]


def address(commit: str, path: str = "docs/steep.md") -> str:
    """The address of a file at a commit."""
    return f"https://github.com/leaf/brew/blob/{commit}/{path}"


def test_a_quote_stands_in_the_file_at_the_commit(base: Path, brew: Repository) -> None:
    """By its address, at the lines it names or anywhere; by its recorded origin; and without a quote."""
    commit = git(brew.root, "rev-parse", "HEAD")
    origin = {"repository": "Leaf/Brew", "path": "docs/steep.md", "commit": commit}
    cite(
        base,
        {"id": "lines", "URL": f"{address(commit)}#L3-L4", "custom": {"quotes": {"q1": GREEN}}},
        {"id": "anywhere", "URL": address(commit, "src/kettle.py"), "custom": {"quotes": {"q1": "return water + 60"}}},
        {"id": "web", "URL": "https://brew.example/", "custom": {**origin, "quotes": {"q1": GREEN, "q2": BLACK}}},
        {"id": "none", "custom": origin},
    )
    found = {work["id"]: (work["pinned"]["statement"], work["well"]) for work in verify()}
    assert found == {
        "lines": ("this quote is at those lines of that file at that commit of 2026-10-02", True),
        "anywhere": ("this quote is in that file at that commit of 2026-10-02", True),
        "web": ("2 of 2 quotes are in that file at that commit of 2026-10-02", True),
        "none": ("the page quotes nothing from it; that file is there at that commit of 2026-10-02", True),
    }
    result = run("verify", "--offline")
    assert result.exit_code == 0, result.output
    stored = json.loads((base / "planbook-verify.json").read_text())["pages"]
    passages = [work["passages"] for page in stored.values() for work in page["references"]]
    assert passages[0]["q1"]["lines"] == [3, 4]
    assert passages[1]["q1"]["text"] == "def boil(water):\n    return water + 60"
    assert "4 of 4 sources in order; 4 of 4 quotes found; 4 pinned" in result.output
    assert f"leaf/brew {commit[:12]} docs/steep.md" in result.output


def test_what_a_pin_does_not_prove(base: Path, brew: Repository, tmp_path: Path) -> None:
    """A quote elsewhere, a quote nowhere, lines and files that are not there, commits of forks and of nobody."""
    commit = git(brew.root, "rev-parse", "HEAD")
    fork = Repository(tmp_path / "fork")
    git(tmp_path, "clone", "--quiet", str(brew.root), str(fork.root))
    theirs = fork.commit({"docs/steep.md": f"{STEEP}\nAn hour.\n"})
    git(tmp_path / "brew.git", "fetch", "--quiet", str(fork.root), "main:refs/pull/1/head")
    cite(
        base,
        {"id": "elsewhere", "URL": f"{address(commit)}#L6-L8", "custom": {"quotes": {"q1": GREEN}}},
        {"id": "recorded", "URL": address(commit), "custom": {"quotes": {"q1": BLACK}, "lines": {"q1": [3, 4]}}},
        {"id": "nowhere", "URL": address(commit), "custom": {"quotes": {"q1": BLACK, "q2": "An hour."}}},
        {"id": "short", "URL": f"{address(commit)}#L3-L900"},
        {"id": "gone", "URL": address(commit, "docs/none.md")},
        {"id": "fork", "URL": address(theirs), "custom": {"quotes": {"q1": "An hour."}}},
        {"id": "nobody", "URL": address(SHA)},
    )
    works = {work["id"]: work for work in verify()}
    findings = {name: work["findings"] for name, work in works.items()}
    assert not any(work["well"] for work in works.values())
    assert findings["elsewhere"] == ["quote q1 is not at its lines 6–8"]
    assert findings["recorded"] == ["quote q1 is not at its lines 3–4"]
    assert findings["nowhere"] == ["quote q2 not found"]
    assert works["nowhere"]["pinned"]["statement"] == "1 of 2 quotes are in that file at that commit of 2026-10-02"
    assert findings["short"] == ["its lines 3–900 are not there: the file has 8"]
    assert findings["gone"] == ["gone: there is no file docs/none.md at that commit"]
    assert findings["fork"][0].startswith(f"refused: no branch or tag of the mirror contains its commit {theirs[:12]}")
    assert findings["nobody"][0].startswith(f"refused: the mirror has no commit {SHA[:12]}")
    assert works["fork"]["pinned"] is works["nobody"]["pinned"] is None


def test_a_mirror_on_the_command_line(base: Path, brew: Repository, tmp_path: Path) -> None:
    """It takes precedence; without one, the citation is checked as any other, and a wrong one is told."""
    commit = brew.commit({"new.md": "New.\n"})
    cite(
        base,
        {"id": "new", "URL": address(commit, "new.md")},
        {"id": "other", "URL": f"{address(SHA)}".replace("b", "c")},
    )
    assert verify()[0]["pinned"] is None
    works = verify("--mirror", f"leaf/brew={brew.root}")
    assert works[0]["pinned"]["commit"] == commit
    assert works[1]["findings"] == ["not checked: no stored text; run without --offline"]
    for given, why in {
        "leaf/brew=none": "there is no folder none",
        "brew=..": "'brew', which is not a repository",
        f"leaf/brew={base}": "is not a git repository",
    }.items():
        result = run("verify", "--offline", "--mirror", given)
        assert (result.exit_code, why in result.output) == (1, True), result.output


def test_pages_in_a_repository(base: Path, brew: Repository, tmp_path: Path) -> None:
    """A page's text is read as people see it; its lines are not those of the file."""
    commit = brew.commit({"a.html": f"<p>{GREEN * 9}</p>"})
    git(tmp_path / "brew.git", "remote", "update")
    cite(
        base,
        {"id": "html", "URL": f"{address(commit, 'a.html')}#L1", "custom": {"quotes": {"q1": GREEN}}},
        {"id": "broken", "URL": address(commit, "docs/steep.md").replace("steep.md", "none.html")},
    )
    assert [work["well"] for work in verify()] == [True, False]


# --- saved copies ----------------------------------------------------------------------------------------------------


def html(text: str) -> bytes:
    """A page."""
    return f"<html><body><h1>Tea</h1><p>{text}</p></body></html>".encode()


def write_warc(folder: Path) -> None:
    """Copies in WARC: of three days, and one that is no success."""
    url = "http://www.tea.example/steep"
    old, new = (url, "2026-10-01", "200 OK", html("Old.")), (url, "2026-11-02", "200 OK", html(GREEN * 9))
    (folder / "deep").mkdir()
    (folder / "deep/tea.warc.gz").write_bytes(warc(new, old, (url, "2026-12-01", "404 Not Found", html("None."))))


def test_a_copy_answers_for_a_commit_that_the_mirror_lacks(base: Path, tmp_path: Path) -> None:
    """The result says that it is a copy; nothing is pinned."""
    copies = tmp_path / "copies"
    copies.mkdir()
    (copies / "steep.warc").write_bytes(warc((address(SHA), "2026-11-02", "200 OK", STEEP.encode())))
    cite(base, {"id": "later", "URL": address(SHA), "custom": {"quotes": {"q1": BLACK}}})
    [work] = verify("--copies", str(copies))
    assert (work["well"], work["copy"], work["pinned"]) == (True, "2026-11-02", None)


def test_a_quote_stands_in_a_copy(base: Path, tmp_path: Path) -> None:
    """The newest copy of the address is read, and its date told; nobody is asked."""
    copies = tmp_path / "copies"
    copies.mkdir()
    write_warc(copies)
    cite(
        base,
        {"id": "steep", "URL": "https://tea.example/steep#brew", "custom": {"quotes": {"q1": GREEN}}},
        {"id": "other", "URL": "https://tea.example/other"},
    )
    steep, other = verify("--copies", str(copies))
    assert (steep["copy"], steep["quotes"], steep["well"]) == ("2026-11-02", {"q1": True}, True)
    assert (other["copy"], other["outcome"]) == (None, None)
    result = run("verify", "--offline", "--copies", str(copies))
    assert "1 of 1 quote in a copy of 2026-11-02" in result.output


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (warc(("https://tea.example/", "yesterday", "200 OK", b"x")), "no date"),
        (gzip.compress(b"not WARC"), "cannot be read as WARC"),
    ],
    ids=["no date", "no WARC"],
)
def test_copies_that_cannot_be_used(base: Path, tmp_path: Path, content: bytes, why: str) -> None:
    """A missing date, and what is no WARC."""
    copies = tmp_path / "copies"
    copies.mkdir()
    (copies / "tea.warc.gz").write_bytes(content)
    cite(base, {"id": "steep", "URL": "https://tea.example/"})
    result = run("verify", "--offline", "--copies", str(copies))
    assert (result.exit_code, why in result.output) == (1, True), result.output
