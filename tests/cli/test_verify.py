"""`planbook verify` as a shell sees it, against a real server."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from planbook.citations.report import decode_report
from planbook.cli import main
from planbook.model import Reference
from planbook.views.bibliography.quote_links import quote_link
from tests.research.web.server import Reply, Web, make_pdf, shown, typed

PLANBOOK = Path(sys.executable).with_name("planbook")
WORDS = "Water at 80 degrees keeps the catechins in the leaf."
TEA = (
    f"<h1>Steeping</h1><p>{WORDS}</p>"
    + "<p>Hotter water draws them out within the first minute of the infusion.</p>" * 4
)


def page(root: Path, name: str, *references: str) -> Path:
    """A page of the base with these references."""
    path = root / "docs" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    items = "".join(f"  - {reference}\n" for reference in references)
    path.write_text(f"---\nreferences:\n{items}---\n\n# Tea\n\nText.\n", encoding="utf-8")
    return path


@pytest.fixture
def base(tmp_path: Path, web: Web, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A base whose pages cite a server that answers in many ways, as the current folder."""
    (tmp_path / "mkdocs.yml").write_text("site_name: Tea\nsite_url: https://tea.example/\n")
    good = web.html("/good", TEA, title="A good page")
    web.put("/paper.pdf", typed(make_pdf(shown(WORDS)), "application/pdf"))
    web.redirect("/old", "/good", 301)
    web.put("/gone", Reply(410))
    water = page(
        tmp_path,
        "tea/01-water.md",
        f'{{id: good, title: Good, URL: "{good}", custom: {{quotes: {{q1: "{WORDS}", q2: "at 95 degrees"}}}}}}',
        f'{{id: old, title: Old, URL: "{web.url("/old")}"}}',
        f'{{id: gone, title: Gone, URL: "{web.url("/gone")}"}}',
        "{id: kettle, title: The kettle}",
    )
    water.write_text(f"{water.read_text()}\nIt is hot. [@good, q2]\n")
    page(tmp_path, "tea/02-time.md", f'{{id: paper, title: Paper, URL: "{web.url("/paper.pdf")}"}}')
    page(tmp_path, "tea/03-none.md")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PLANBOOK_CONTACT", raising=False)
    return tmp_path


def run(*args: str) -> Result:
    """The command, in a hurry."""
    return CliRunner().invoke(main, ["verify", "--pause", "0", *args])


def stored(root: Path) -> Any:
    """The machine file."""
    return json.loads((root / "planbook-verify.json").read_text(encoding="utf-8"))


def test_the_report_tells_each_source_apart(base: Path, web: Web) -> None:
    """Findings by page and reference, what is not checkable, and the sum; 1 because something is to be fixed."""
    done = run("--allow-loopback")
    assert done.exit_code == 1
    assert done.output.splitlines() == [
        "tea/01-water.md  4 works cited",
        "  good  quote q2 not found",
        "    cited: q2 in line 13; `planbook verify --changes` shows the closest words there",
        f"    {web.url('/good')}",
        f"  old  moved to {web.url('/good')}",
        f"    {web.url('/old')}",
        "  gone  gone: the server returned 410",
        f"    {web.url('/gone')}",
        "  not checked, as it has no address and no file: kettle",
        "tea/02-time.md  1 work cited",
        "1 of 4 sources in order; 1 of 2 quotes found; 1 work without an address or a file",
    ]


def test_pages_are_left_alone(base: Path) -> None:
    """No byte of a page changes, and nothing is written but the report, the working folder and the cache."""
    before = {path: path.read_bytes() for path in base.rglob("*") if path.is_file()}
    run("--allow-loopback")
    assert {path: path.read_bytes() for path in before} == before
    new = {path.relative_to(base).parts[0] for path in base.rglob("*") if path.is_file() and path not in before}
    assert new == {"planbook-verify.json", ".planbook", ".cache"}
    for folder in (".planbook", ".cache/planbook"):
        assert (base / folder / ".gitignore").read_text() == "*\n"


def test_json_is_what_is_stored(base: Path) -> None:
    """`--format=json` prints the pages checked now; the machine file keeps the others beside them."""
    first = json.loads(run("--allow-loopback", "--format=json", "docs/tea/01-water.md").output)
    assert list(first["pages"]) == ["tea/01-water.md"]
    assert stored(base) == first
    water = first["pages"]["tea/01-water.md"]
    assert (water["well"], water["quotes"], water["offline"]) == (False, {"found": 1, "total": 2}, False)
    assert [reference["outcome"] for reference in water["references"]] == ["ok", "moved", "gone", None]
    second = json.loads(run("--allow-loopback", "--format=json", "docs/tea/02-time.md").output)
    assert stored(base)["pages"] == {**first["pages"], **second["pages"]}
    (base / "docs/tea/01-water.md").unlink()
    run("--allow-loopback", "docs/tea/02-time.md")
    assert list(stored(base)["pages"]) == ["tea/02-time.md"]


def test_a_recorded_hash_tells_a_change(base: Path, web: Web) -> None:
    """The hash that is told for a text can be written into the page, and then tells when the text changes."""
    told = json.loads(run("--allow-loopback", "--format=json", "docs/tea/02-time.md").output)
    (paper,) = told["pages"]["tea/02-time.md"]["references"]
    item = f'{{id: paper, title: Paper, URL: "{paper["URL"]}", custom: {{sha256: {paper["sha256"]}}}}}'
    page(base, "tea/02-time.md", item)
    assert run("--allow-loopback", "docs/tea/02-time.md").exit_code == 0
    web.put("/paper.pdf", typed(make_pdf(shown("Water at 95 degrees does not.")), "application/pdf"))
    done = run("--allow-loopback", "docs/tea/02-time.md")
    assert done.exit_code == 1
    assert "changed: its text differs from when the page was written" in done.output


def test_what_could_not_be_read_is_no_result(base: Path, web: Web) -> None:
    """In a fresh clone, offline: nothing is written, and the sum says that nothing was read."""
    done = run("--offline")
    assert (done.exit_code, web.seen) == (1, [])
    assert (
        "0 of 4 sources in order; 0 of 2 quotes found; 4 sources not read; 1 work without an address or a file"
        in done.output
    )
    assert not (base / "planbook-verify.json").exists()
    assert run("--allow-loopback", "docs/tea/02-time.md").exit_code == 0
    before = (base / "planbook-verify.json").read_bytes()
    done = run("--offline")
    assert "1 of 4 sources in order; 0 of 2 quotes found; 3 sources not read" in done.output
    assert (base / "planbook-verify.json").read_bytes().count(b'"text_sha256"') == before.count(b'"text_sha256"') == 1


def test_a_paragraph_outlives_its_source(base: Path, web: Web) -> None:
    """The report keeps where a quote stood, with the day, when the source has gone."""
    run("--allow-loopback")
    found = {work["id"]: work["passages"] for page in stored(base)["pages"].values() for work in page["references"]}
    kept = {name: passages for name, passages in found.items() if passages}
    assert kept
    for path in list(web.pages):
        web.put(path, Reply(410, b"gone"))
    run("--allow-loopback")
    after = {work["id"]: work["passages"] for page in stored(base)["pages"].values() for work in page["references"]}
    assert {name: after[name] for name in kept} == kept


def test_a_quote_in_a_pdf_leads_to_its_page(base: Path, web: Web) -> None:
    """With the page counted from 1, as PDF viewers do (RFC 8118), whatever fragment the address has."""
    web.put("/book.pdf", typed(make_pdf(shown("Of kettles."), shown(WORDS)), "application/pdf"))
    url = web.url("/book.pdf#toolbar=0")
    page(base, "tea/02-time.md", f'{{id: book, title: Book, URL: "{url}", custom: {{quotes: {{q1: "{WORDS}"}}}}}}')
    assert run("--allow-loopback", "docs/tea/02-time.md").exit_code == 0
    report, _ = decode_report((base / "planbook-verify.json").read_bytes())
    [book] = report.pages["tea/02-time.md"].references
    assert quote_link(Reference("book", "Book", url), "q1", WORDS, book.passages["q1"]) == web.url("/book.pdf#page=2")


def test_offline_makes_no_request(base: Path, web: Web) -> None:
    """The stored texts are checked; a source without one is told, and no socket is opened."""
    run("--allow-loopback", "docs/tea/01-water.md")
    asked = len(web.seen)
    done = run("--offline")
    assert len(web.seen) == asked
    assert done.exit_code == 1
    assert "good  quote q2 not found" in done.output
    assert "gone  not checked: no stored text; run without --offline" in done.output
    assert "paper  not checked" in done.output
    water = stored(base)["pages"]["tea/01-water.md"]
    assert water["offline"] is True
    assert [work["outcome"] for work in water["references"]] == ["ok", "moved", "gone", None]


def test_loopback_is_not_asked_without_the_switch(base: Path, web: Web) -> None:
    """A page cannot make the command ask this machine's own services."""
    done = run("docs/tea/02-time.md")
    assert "paper  refused: 127.0.0.1 is not a public address" in done.output
    assert (done.exit_code, web.seen) == (1, [])


@pytest.mark.parametrize(
    ("args", "contact"), [((), "https://tea.example/"), (("--contact", "mail@tea.example"), "mail@tea.example")]
)
def test_hosts_are_told_who_asks(base: Path, web: Web, args: tuple[str, ...], contact: str) -> None:
    """The contact is the site's address, or the one given."""
    run("--allow-loopback", *args, "docs/tea/02-time.md")
    assert web.seen[0].headers["user-agent"].endswith(f"(+{contact})")


def test_a_spoilt_report_is_made_anew(base: Path) -> None:
    """What cannot be read does not stop the command."""
    (base / "planbook-verify.json").write_text("{")
    assert run("--allow-loopback", "docs/tea/02-time.md").exit_code == 0
    assert list(stored(base)["pages"]) == ["tea/02-time.md"]


def test_control_sequences_of_a_source_do_not_reach_the_terminal(base: Path, web: Web) -> None:
    """What a host says is shown to the letter."""
    page(base, "tea/02-time.md", f'{{id: "[red]x", title: T, URL: "{web.redirect("/evil", "/%1b[31mx[/]", 301)}"}}')
    output = run("--allow-loopback", "docs/tea/02-time.md").output
    assert "\x1b" not in output
    assert "[red]x" in output


def test_a_working_folder_that_is_a_link_of_the_repository(base: Path, web: Web, tmp_path: Path) -> None:
    """Nothing is written where it leads, and nobody is asked."""
    (base / "elsewhere").mkdir()
    (base / ".planbook").symlink_to("elsewhere")
    for args in (["init", "--quiet"], ["add", ".planbook"]):
        subprocess.run(["git", *args], check=True, cwd=base)  # noqa: S607
    done = run("--allow-loopback")
    assert (done.exit_code, web.seen, [*(base / "elsewhere").iterdir()]) == (1, [], [])
    assert ".planbook: git tracks this symbolic link, and Planbook would write to its target" in done.output


def test_a_git_command_that_fails_is_reported(base: Path, web: Web) -> None:
    """By its message, and nobody is asked."""
    subprocess.run(["git", "init", "--quiet"], check=True, cwd=base)  # noqa: S607
    (base / ".git" / "index").write_bytes(b"no index")
    done = run("--allow-loopback")
    assert (done.exit_code, web.seen) == (1, [])
    assert isinstance(done.exception, SystemExit)
    assert done.output.startswith("Error: git ls-files: ")
