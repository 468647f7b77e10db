"""A source that cannot be read: an error of `verify`, `check` and a strict build, which the site shows."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from planbook.cli import main
from tests import forks
from tests.files import git, put
from tests.plugin.conftest import ENVIRONMENT

WORDS = "Soft water brings out the flavour of every tea."
HARD = "Hard water leaves a film on the cup after a while."
CONFIG = "site_name: Tea\ntheme: {name: material, font: false}\nplugins: [planbook]\n"
ITEM = '  - id: {id}\n    title: About {id}\n    custom:\n      file: {file}\n      quotes: {{q1: "{words}"}}\n'


def page_of(*references: str) -> str:
    """A page that cites the two works of `references`."""
    return (
        f"---\ntitle: Water\nreferences:\n{''.join(references)}---\n\n# Water\n\nIt matters. [@soft, q1] [@hard, q1]\n"
    )


PAGE = page_of(
    ITEM.format(id="soft", file="documents/soft.md", words=WORDS),
    ITEM.format(id="hard", file="documents/hard.md", words=HARD),
)


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A base with one page that cites two local documents, verified, as the current folder."""
    files = {"mkdocs.yml": CONFIG, "docs/index.md": "# Home\n\n<!-- planbook:trust -->\n", "docs/tea/water.md": PAGE}
    put(tmp_path, {**files, "documents/soft.md": f"# Soft\n\n{WORDS}\n", "documents/hard.md": f"# Hard\n\n{HARD}\n"})
    monkeypatch.chdir(tmp_path)
    done = run("verify")
    assert (done.exit_code, done.output.splitlines()[-1]) == (0, "2 of 2 sources in order; 2 of 2 quotes found")
    assert run("verify", "--changes").exit_code == 0
    assert run("check").exit_code == 0
    return tmp_path


def run(*args: str) -> Result:
    """The command, as a shell sees it."""
    return CliRunner().invoke(main, list(args))


def edit(path: Path, old: str, new: str) -> None:
    """Replace words in a file."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def remove(root: Path) -> None:
    """The file is deleted."""
    (root / "documents/hard.md").unlink()


def become_folder(root: Path) -> None:
    """A folder has its name."""
    remove(root)
    (root / "documents/hard.md").mkdir()


def become_empty(root: Path) -> None:
    """Only white space is left of it."""
    (root / "documents/hard.md").write_text(" \n\n", encoding="utf-8")


def become_fifo(root: Path) -> None:
    """A pipe has its name: reading it would never end."""
    remove(root)
    os.mkfifo(root / "documents/hard.md")


def become_dangling(root: Path) -> None:
    """It is a link that leads nowhere."""
    remove(root)
    (root / "documents/hard.md").symlink_to("elsewhere.md")


def become_link_out(root: Path) -> None:
    """It is a link out of the folder."""
    remove(root)
    put(root, {"private.md": f"# Hard\n\n{HARD}\n"})
    (root / "documents/hard.md").symlink_to("../private.md")


def lose_folder(root: Path) -> None:
    """The whole folder of documents has another name."""
    (root / "documents").rename(root / "papers")


def misspell(root: Path) -> None:
    """The page has a typing error in `custom.file`."""
    edit(root / "docs/tea/water.md", "documents/hard.md", "documents/hrad.md")


def name_outside(root: Path) -> None:
    """The page names a file outside the folder of documents."""
    put(root, {"notes/hard.md": f"# Hard\n\n{HARD}\n"})
    edit(root / "docs/tea/water.md", "documents/hard.md", "notes/hard.md")


def name_above(root: Path) -> None:
    """The page names a file above the folder."""
    put(root, {"private.md": f"# Hard\n\n{HARD}\n"})
    edit(root / "docs/tea/water.md", "documents/hard.md", "documents/../private.md")


def name_other_type(root: Path) -> None:
    """The page names a file of a type that is not read."""
    put(root, {"documents/hard.docx": HARD})
    edit(root / "docs/tea/water.md", "documents/hard.md", "documents/hard.docx")


def name_no_pdf(root: Path) -> None:
    """The page names a file that only has the name of a PDF."""
    put(root, {"documents/hard.pdf": HARD})
    edit(root / "docs/tea/water.md", "documents/hard.md", "documents/hard.pdf")


def name_no_address(root: Path) -> None:
    """The page gives the work an address that is none."""
    edit(root / "docs/tea/water.md", "      file: documents/hard.md\n", "      note: x\n")
    edit(root / "docs/tea/water.md", "    title: About hard\n", "    title: About hard\n    URL: notaurl\n")


def name_missing_page(root: Path) -> None:
    """The page gives the work the path of a page that does not exist."""
    edit(root / "docs/tea/water.md", "      file: documents/hard.md\n", "      note: x\n")
    edit(root / "docs/tea/water.md", "    title: About hard\n", "    title: About hard\n    URL: 09-none.md\n")


DEFECTS: dict[Callable[[Path], None], str] = {
    remove: "documents/hard.md does not exist",
    become_folder: "documents/hard.md is a folder",
    become_empty: "documents/hard.md is empty",
    become_fifo: "documents/hard.md is not a regular file",
    become_dangling: "documents/hard.md is a link to a file that does not exist",
    become_link_out: "documents/hard.md is a link out of documents/",
    misspell: "documents/hrad.md does not exist; did you mean documents/hard.md?",
    name_outside: "notes/hard.md is outside documents/",
    name_above: "documents/../private.md is outside documents/",
    name_other_type: "documents/hard.docx is of a type that is not read",
    name_no_pdf: "documents/hard.pdf is not a PDF, though its name says so",
    name_no_address: "notaurl is neither a web address nor a file of the base",
    name_missing_page: "09-none.md is neither a web address nor a file of the base",
}


@pytest.mark.parametrize("break_", DEFECTS, ids=lambda break_: break_.__name__)
def test_a_source_that_cannot_be_read_is_an_error_in_every_command(base: Path, break_: Callable[[Path], None]) -> None:
    """Each says why, and counts the source and its quotes among all."""
    break_(base)
    why = DEFECTS[break_]
    for command in (
        ["verify"],
        ["verify", "--offline"],
        ["verify", "--changes"],
        ["verify", "--changes", "--offline"],
        ["check"],
    ):
        done = run(*command)
        assert (done.exit_code, why in done.output) == (1, True), done.output
    assert run("verify").output.splitlines()[-1] == "1 of 2 sources in order; 1 of 2 quotes found"
    assert run("verify", "--changes").output.splitlines()[-1].startswith("1 of 2 sources of 1 page compared: 1 ")
    problems = json.loads(run("check", "--format", "json").output)["problems"]
    errors = [(p["code"], p["uri"], p["line"] > 1) for p in problems if p["severity"] == "error"]
    of_folder = {("K006", "documents/hard.md", False), ("K007", "documents/hard.md", False)}
    assert [error for error in errors if error not in of_folder] == [("K014", "docs/tea/water.md", True)]


def test_a_lost_folder_of_documents_loses_every_source(base: Path) -> None:
    """No count is of none: 0 of 2 is said."""
    lose_folder(base)
    assert run("verify").output.splitlines()[-1] == "0 of 2 sources in order; 0 of 2 quotes found"
    assert run("verify", "--changes").output.splitlines()[-1].startswith("0 of 2 sources of 1 page compared")
    assert run("check").output.count("K014") == 2


def build(root: Path, *args: str) -> tuple[int, str]:
    """Build the site; return the exit code and the page's HTML."""
    done = forks.run("mkdocs", "build", "-q", *args, cwd=root, env=ENVIRONMENT, is_merged=True)
    page = root / "site/tea/water/index.html"
    return done.returncode, done.stdout + (page.read_text(encoding="utf-8") if page.is_file() else "")


@pytest.mark.parametrize("break_", [remove, misspell, name_no_address])
def test_a_strict_build_stops_and_the_site_shows_it(base: Path, break_: Callable[[Path], None]) -> None:
    """The report of an earlier run does not stand for a file that is gone since."""
    code, html = build(base, "--strict")
    assert code == 0
    assert "2 of 2 quotes found" in html
    break_(base)
    code, output = build(base, "--strict")
    assert (code, DEFECTS[break_].partition(";")[0] in output) == (1, True), output
    code, html = build(base)
    assert code == 0
    assert "2 of 2 quotes found" not in html
    if break_ is remove:
        assert "1 of 2 quotes found" in html
        assert 'data-check="gone"' in html
        sources = (base / "site/sources/index.html").read_text(encoding="utf-8")
        assert 'data-check="gone"' in sources
        assert sources.count(" quote found") == 1  # that of the other work: this one's was compared with nothing
        assert "1 gone" in html


def test_sources_that_are_all_gone_read_as_gone_in_every_place(base: Path) -> None:
    """On the page, the home page and Sources: nothing counts as checked, and nothing looks good."""
    lose_folder(base)
    _, html = build(base)
    assert 'data-statement="verified" data-holds="no"' in html
    assert "2 of 2 sources gone" in html
    assert "sources checked" not in html
    for page in ("index.html", "sources/index.html"):
        html = (base / "site" / page).read_text(encoding="utf-8")
        text = re.sub(r"</?strong>", "", html)  # the home page prints the share in bold
        assert "0 of 2 works checked" in text
        assert ", 2 gone" in text


def test_a_document_that_changed_since_is_not_checked_on_the_site(base: Path) -> None:
    """The report says what was in another file; neither the page nor Sources counts its quotes as found."""
    (base / "documents/hard.md").write_text("# Hard\n\nIt says something else now.\n", encoding="utf-8")
    _, html = build(base)
    assert "1 of 2 quotes found" in html
    assert "1 of 2 sources checked" in html
    assert run("verify").exit_code == 1
    (base / "documents/hard.md").write_text(f"# Hard\n\n{HARD}\n", encoding="utf-8")
    _, html = build(base)
    assert "1 of 2 quotes found" in html  # the last run did not find it; only a new one says that it is there
    assert run("verify").exit_code == 0
    _, html = build(base)
    assert "2 of 2 quotes found" in html


def test_a_file_without_a_text_is_an_error_once_it_was_read(base: Path) -> None:
    """Only research reads PDFs; what `verify` found out of one, `check` and builds report until it changes."""
    put(base, {"documents/hard.pdf": "%PDF-1.4 and nothing more"})
    edit(base / "docs/tea/water.md", "documents/hard.md", "documents/hard.pdf")
    assert run("check").exit_code == 0
    done = run("verify")
    assert (done.exit_code, done.output.splitlines()[-1]) == (1, "1 of 2 sources in order; 1 of 2 quotes found")
    done = run("check")
    assert (done.exit_code, "K014" in done.output, "documents/hard.pdf cannot be read" in done.output) == (
        1,
        True,
        True,
    )
    code, output = build(base, "--strict")
    assert (code, "documents/hard.pdf cannot be read" in output) == (1, True)
    put(base, {"documents/hard.pdf": "%PDF-1.4 and something more"})
    assert run("check").exit_code == 0


def test_a_page_that_was_never_verified_shows_a_lost_document(base: Path) -> None:
    """The build tells of a document that is gone, although there is no report of verify."""
    (base / "planbook-verify.json").unlink()
    remove(base)
    _, html = build(base)
    assert "documents/hard.md does not exist" in html
    assert 'data-check="gone"' in html


def test_a_commit_that_no_mirror_has_is_an_error(base: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """So are a mirror that is not there, and an address that was never read, offline."""
    mirror = tmp_path_factory.mktemp("mirror")
    put(mirror, {"a.md": f"# A\n\n{HARD}\n"})
    git(mirror, "init", "--quiet", "--initial-branch=main")
    git(mirror, "config", "user.name", "A person")
    git(mirror, "config", "user.email", "person@tea.test")
    git(mirror, "add", ".")
    git(mirror, "commit", "--quiet", "-m", "Begin")
    url = f"https://github.com/o/r/blob/{'a' * 40}/a.md"
    edit(base / "docs/tea/water.md", "      file: documents/hard.md\n", "      note: x\n")
    edit(base / "docs/tea/water.md", "    title: About hard\n", f"    title: About hard\n    URL: {url}\n")
    with_mirror = ("--offline", "--mirror", f"o/r={mirror}")
    done = run("verify", *with_mirror)
    assert (done.exit_code, "the mirror has no commit" in done.output) == (1, True)
    assert done.output.splitlines()[-1] == "1 of 2 sources in order; 1 of 2 quotes found"
    done = run("verify", "--changes", *with_mirror)
    assert (done.exit_code, "not compared: refused: the mirror has no commit" in done.output) == (1, True)
    assert done.output.splitlines()[-1] == "1 of 2 sources of 1 page compared: 1 could not be read"
    for command in (["verify"], ["verify", "--changes"]):
        assert run(*command, "--offline", "--mirror", "o/r=/nowhere").exit_code == 1
        done = run(*command, "--offline")
        assert (done.exit_code, "no stored text" in done.output) == (1, True)
    assert run("verify", "--offline").output.splitlines()[-1] == (
        "1 of 2 sources in order; 1 of 2 quotes found; 1 source not read"
    )


def test_what_cannot_be_checked_is_counted_as_such(base: Path) -> None:
    """A work without address and file is no error, and is not counted as right; its quotes are not found."""
    edit(base / "docs/tea/water.md", "      file: documents/hard.md\n", "")
    done = run("verify")
    last = "1 of 1 source in order; 1 of 2 quotes found; 1 work without an address or a file"
    assert (done.exit_code, done.output.splitlines()[-1]) == (0, last)
    done = run("verify", "--changes")
    last = "1 source of 1 page, 1 work without an address or a file: nothing is stale"
    assert (done.exit_code, done.output.splitlines()[-1]) == (0, last)
    _, html = build(base)
    assert "1 of 1 source checked" in html
    assert "1 not on the web, 1 of 2 quotes found" in html
    assert 'data-statement="verified" data-holds="partly"' in html


def test_nothing_to_check_is_said_to_be_nothing(base: Path) -> None:
    """`verify` does not say, with or without `--changes`, "0 of 0"."""
    put(base, {"docs/tea/water.md": "# Water\n\nNo sources.\n"})
    assert run("verify").output == "nothing to check: no page cites a source\n"
    assert run("verify", "--changes").output == "nothing to compare: no selected page cites a source\n"


def test_a_document_named_by_its_address_is_read(base: Path) -> None:
    """`URL: documents/hard.md` means the same file; a name composed in another way does, too."""
    text = PAGE.replace("    custom:\n      file: documents/hard.md\n", "    URL: documents/hard.md\n    custom:\n")
    put(base, {"docs/tea/water.md": text})
    assert run("verify").output.splitlines()[-1] == "2 of 2 sources in order; 2 of 2 quotes found"
    (base / "documents/hard.md").rename(base / "documents/ha\u0308rte.md")
    put(base, {"docs/tea/water.md": PAGE.replace("documents/hard.md", "documents/härte.md")})
    assert run("verify").output.splitlines()[-1] == "2 of 2 sources in order; 2 of 2 quotes found"
    assert run("check").exit_code == 0


def test_a_copy_that_is_gone_is_told(base: Path) -> None:
    """A document with a canonical address is read from its file: without it, nothing else has its text."""
    address = "https://tea.example/hard"
    saved = f'<html><head><link rel="canonical" href="{address}"></head><body><p>{HARD}</p></body></html>'
    text = PAGE.replace("    custom:\n      file: documents/hard.md\n", f"    URL: {address}\n    custom:\n")
    put(base, {"docs/tea/water.md": text, "documents/hard.html": saved})
    assert run("verify", "--offline").exit_code == 0
    (base / "documents/hard.html").unlink()
    for _ in range(2):  # the record keeps what was read
        done = run("verify", "--offline")
        assert done.exit_code == 1
        assert "hard  not checked: no stored text, and the copy in which it was read on 2" in done.output
        assert "put the file back into documents/" in done.output


LOST = {
    "a day that does not exist": ("title: Water\n", "title: Water\ncreated: 2026-13-40\n", "2026-13-40 is no day", 3),
    "YAML that is not valid": ("title: Water\n", "title: [Water\n", "the front matter is not a YAML mapping", 3),
    "a misspelled key": ("references:\n", "referenes:\n", "no reference has the id @soft", 18),
    "a misspelled id": ("[@soft, q1]", "[@sofd, q1]", "no reference has the id @sofd; did you mean @soft?", 18),
    "a misspelled quote": ("[@soft, q1]", "[@soft, q2]", "@soft has no quote q2", 18),
}


@pytest.mark.parametrize(("old", "new", "why", "line"), LOST.values(), ids=LOST)
def test_a_citation_that_leads_to_no_source_is_an_error(base: Path, old: str, new: str, why: str, line: int) -> None:
    """Of `verify` with and without `--changes`, and of `check`: a page without its references cites something, too."""
    edit(base / "docs/tea/water.md", old, new)
    for command in (["verify"], ["verify", "--changes"], ["check"]):
        done = run(*command)
        places = [text for text in done.output.splitlines() if text.startswith(f"docs/tea/water.md:{line}:")]
        assert (done.exit_code, any(why in text for text in places)) == (1, True), done.output
        assert command == ["check"] or "in citations" in done.output.splitlines()[-1]
