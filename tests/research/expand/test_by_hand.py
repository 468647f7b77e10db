"""`planbook brief` and `planbook finish` as a shell sees them, against a real web on loopback."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from planbook.research.journal import lock_project
from tests import forks
from tests.files import git, put, warc
from tests.repositories import make_repository
from tests.research.expand.base import commits, files_of
from tests.research.expand.hand_written import MORE, PAGE, WORDS
from tests.research.expand.loopback import SearchWeb, environment
from tests.research.expand.loopback import planbook as run
from tests.research.web.server import Reply


def planbook(root: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """The command, run to its end."""
    return run(*args, "--root", str(root))


@pytest.fixture
def page(root: Path, web: SearchWeb) -> str:
    """The page of PART 1, handed in at its place."""
    url = web.html(
        "/spring",
        f"<main><h1>The spring</h1><p>{WORDS}</p><p>Hard water does not, and ruins copper kettles.</p></main>",
    )
    text = PAGE.format(url=url, words=WORDS, more=MORE)
    put(root, {"docs/tea/1.md": text})
    return text


@pytest.mark.parametrize(
    ("args", "told"),
    [(("coffee", "1"), "there is no plan 'coffee'"), (("tea", "9"), "there is no PART 9 in plans/tea.md")],
)
def test_a_part_that_is_not_there(root: Path, args: tuple[str, str], told: str) -> None:
    """Both commands say so, with 2."""
    for command in ("brief", "finish"):
        done = planbook(root, command, *args)
        assert (done.returncode, told in done.stderr) == (2, True)


def test_a_page_that_holds_is_recorded(root: Path, page: str) -> None:
    """Its sources are read, its drop is left, the PART is marked, and one commit holds all; the page stays as it is."""
    done = planbook(root, "finish", "tea", "1", "--runner", "A. Person")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (root / "docs/tea/1.md").read_text() == page
    assert "- [✓] PART 1: Create tea/1.md (Completed 2" in (root / "plans/tea.md").read_text()
    (drop,) = (root / "plans").glob("KNOWLEDGE-DROP-1-*")
    assert "runner: A. Person\n" in drop.read_text()
    assert commits(root)[0].startswith("Finish tea: 1 page, ")
    assert {"A docs/tea/1.md", "M plans/tea.md", "A SKILL.md"} <= set(files_of(root))
    assert git(root, "status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("point", "said", "is_told"),
    [
        ("How limescale spoils copper kettles", "", True),
        ("How limescale spoils copper kettles", "No work says how limescale spoils kettles *(not found)*.", False),
        ("Which soft waters keep leaves bright", "", False),
    ],
)
def test_a_point_that_a_page_leaves_out(root: Path, page: str, point: str, said: str, is_told: bool) -> None:
    """It is a warning, and an open gap in the drop; the page is accepted."""
    plan = (root / "plans/tea.md").read_text()
    first = "    - Which water keeps the leaves\n"
    put(root, {"plans/tea.md": plan.replace(first, f"{first}    - {point}\n"), "docs/tea/1.md": f"{page}\n{said}\n"})
    git(root, "add", "plans")
    git(root, "commit", "-qm", "Plan")
    done = planbook(root, "finish", "tea", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    told = f"warning no sentence has the words of the point “{point}”"
    assert (told in done.stdout) == is_told
    (drop,) = (root / "plans").glob("KNOWLEDGE-DROP-1-*")
    assert (f"- {point} (no sentence is about it)\n" in drop.read_text()) == is_told


def test_fields_of_other_formats_stay(root: Path, page: str) -> None:
    """A page whose front matter has keys that Planbook does not know is recorded like any other, to the letter."""
    fields = "type: Playbook\nstatus: stable\nstale_after: 2027-01-01\nverified: {by: 'human:ada', at: 2026-11-20}\n"
    sources = "sources:\n  - {id: board, resource: 'all readings of the water board'}\n"
    text = page.replace("reviewed: null\n", f"reviewed: null\n{fields}{sources}")
    put(root, {"docs/tea/1.md": text})
    done = planbook(root, "finish", "tea", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (root / "docs/tea/1.md").read_text() == text


def test_a_page_that_git_would_not_take_is_refused_first(root: Path, web: SearchWeb, page: str) -> None:
    """The page is refused before any of its sources is read."""
    put(root, {".gitignore": "docs/tea/\n"})
    refused = planbook(root, "finish", "tea", "1")
    assert (refused.returncode, web.seen) == (1, [])
    assert ".gitignore:1: the pattern docs/tea/ excludes docs/tea/1.md" in refused.stderr


def test_a_page_that_is_staged_is_recorded_too(root: Path, page: str) -> None:
    """Whoever wrote it may have done `git add` already; anything else that is staged is refused."""
    git(root, "add", "docs/tea/1.md")
    put(root, {"other.txt": "mine\n"})
    git(root, "add", "other.txt")
    refused = planbook(root, "finish", "tea", "1")
    assert (refused.returncode, "staged changes (other.txt)" in refused.stderr) == (1, True)
    git(root, "restore", "--staged", "other.txt")
    assert planbook(root, "finish", "tea", "1").returncode == 0
    assert git(root, "status", "--porcelain") == "?? other.txt\n"


@pytest.mark.parametrize(
    ("old", "new", "gate"),
    [
        (f"> {WORDS}", "> Soft water keeps the leaves bright for a day.", "quotes"),
        ("[@spring, q1]", "[@well]", "citations"),
        ("## Water for tea\n", "## Something else\n", "sections"),
        ("part: 1", "part: 2", "front-matter"),
        ("Of the waters", "<b>Of</b> the waters", "markup"),
        ("Of the waters", "[Of](https://a.test/%) [the](other.md) waters", "links"),
    ],
)
def test_what_does_not_hold_is_refused(root: Path, page: str, old: str, new: str, gate: str) -> None:
    """The refusal has file, line and gate; nothing is written, and nothing committed."""
    put(root, {"docs/tea/1.md": page.replace(old, new)})
    before = {path: path.read_bytes() for path in root.rglob("*.md")}
    done = planbook(root, "finish", "tea", "1")
    assert done.returncode == 1
    assert any(
        line.startswith("docs/tea/1.md:") and " failure " in line and line.endswith(gate)
        for line in done.stdout.splitlines()
    ), done.stdout
    assert "Nothing was written." in done.stdout
    assert {path: path.read_bytes() for path in root.rglob("*.md")} == before
    assert commits(root) == []


def test_a_link_to_a_page_that_is_planned_is_told(root: Path, page: str) -> None:
    """The site has a placeholder there, so that a strict build succeeds; the page goes through."""
    put(root, {"docs/tea/1.md": page.replace("Of the waters", "Of [the](2.md) [waters](/tea/2.md#water-for-tea)")})
    done = planbook(root, "finish", "tea", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    said = [line for line in done.stdout.splitlines() if line.endswith(" links")]
    assert len(said) == 2
    assert all(" note tea/2.md is planned but not written yet" in line for line in said)
    options = ("--strict", "--quiet", "--site-dir", root / ".planbook" / "site")
    built = forks.run("mkdocs", "build", *options, cwd=root, env=environment())
    assert built.returncode == 0, built.stderr
    assert "This page is planned, and open for you to write" in (root / ".planbook/site/tea/2/index.html").read_text()


def test_offline_asks_nobody(root: Path, page: str, web: SearchWeb) -> None:
    """What was never stored is let through, and told as not verified, in the drop too; what is stored is checked."""
    asked = len(web.seen)
    done = planbook(root, "finish", "tea", "1", "--offline", "--no-commit")
    assert (done.returncode, len(web.seen)) == (0, asked), done.stdout
    assert "@spring was not read for this page, so it is not verified" in done.stdout
    (drop,) = (root / "plans").glob("KNOWLEDGE-DROP-1-*")
    assert "not verified" in drop.read_text()
    planbook(root, "verify", "--allow-loopback", "--pause", "0")
    web.put("/spring", Reply(410))
    again = planbook(root, "finish", "tea", "1", "--offline", "--no-commit")
    assert (again.returncode, "not verified" in again.stdout) == (0, False)
    put(root, {"docs/tea/1.md": page.replace("bright for an hour", "dark for an hour")})
    assert planbook(root, "finish", "tea", "1", "--offline").returncode == 1
    url = page.partition("    URL: ")[2].partition("\n")[0]
    lost = page.replace(f"    URL: {url}\n", "").replace("quotes:", "file: documents/no.md\n      quotes:")
    put(root, {"docs/tea/1.md": lost})
    done = planbook(root, "finish", "tea", "1", "--offline")
    message = "@spring: documents/no.md cannot be read; put it back, or correct"
    assert (done.returncode, message in done.stdout) == (1, True)


@pytest.fixture
def copies(page: str, tmp_path: Path) -> Path:
    """A folder with a saved copy of the page's source."""
    url = page.partition("URL: ")[2].partition("\n")[0]
    folder = tmp_path / "copies"
    put(folder, {"spring.warc": warc((url, "2026-11-02", "200 OK", WORDS.encode()))})
    return folder


def test_another_version_of_a_source_is_accepted(root: Path, page: str, web: SearchWeb, copies: Path) -> None:
    """A page may record the text that its author read, which has other words around the quote."""
    path = root / "docs/tea/1.md"
    path.write_text(path.read_text().replace("      quotes:", f"      sha256: {'0' * 64}\n      quotes:"))
    done = planbook(root, "finish", "tea", "1", "--offline", "--no-commit")
    assert done.returncode == 0, done.stdout
    done = planbook(root, "finish", "tea", "1")
    assert done.returncode == 0, done.stdout


def test_a_copy_verifies(root: Path, page: str, web: SearchWeb, copies: Path) -> None:
    """Quotes are compared with it, and nobody is asked."""
    done = planbook(root, "finish", "tea", "1", "--offline", "--no-commit", "--copies", str(copies))
    assert (done.returncode, "not verified" in done.stdout, web.seen) == (0, False, []), done.stdout
    url = page.partition("URL: ")[2].partition("\n")[0]
    put(copies, {"spring.warc": warc((url, "2026-11-02", "200 OK", b"Any water will do."))})
    done = planbook(root, "finish", "tea", "1", "--offline", "--copies", str(copies))
    assert (done.returncode, "quote q1 of @spring is not in its source" in done.stdout) == (1, True)
    put(copies, {"spring.warc": "none"})
    done = planbook(root, "finish", "tea", "1", "--offline", "--copies", str(copies))
    assert (done.returncode, "cannot be read as WARC" in done.stderr) == (1, True)


@pytest.mark.parametrize("is_configured", [True, False])
def test_a_mirror_verifies(root: Path, page: str, web: SearchWeb, tmp_path: Path, is_configured: bool) -> None:
    """That of the configuration or of the command line, by the recorded origin of a web address; nobody is asked."""
    spring = make_repository(tmp_path / "spring")
    commit = spring.commit({"docs/spring.md": f"# The spring\n\n{WORDS}\n"})
    config = (root / "mkdocs.yml").read_text()
    named = f"        search: {{repositories: {{leaf/spring: {spring.root}}}}}\n" if is_configured else ""
    origin = f"custom:\n      repository: leaf/spring\n      path: docs/spring.md\n      commit: {commit}"
    put(root, {"mkdocs.yml": f"{config}{named}", "docs/tea/1.md": page.replace("custom:", origin)})
    given = () if is_configured else ("--mirror", f"leaf/spring={spring.root}")
    done = planbook(root, "finish", "tea", "1", "--no-commit", *given)
    assert (done.returncode, "not verified" in done.stdout, web.seen) == (0, False, []), done.stdout + done.stderr
    put(root, {"docs/tea/1.md": page.replace("custom:", origin.replace("docs/", ""))})
    done = planbook(root, "finish", "tea", "1", "--offline", "--no-commit", *given)
    assert "@spring was not read for this page" in done.stdout


def test_a_page_that_is_not_there(root: Path) -> None:
    """It says where it should be."""
    done = planbook(root, "finish", "tea", "1")
    assert done.returncode == 1
    assert "docs/tea/1.md does not exist; write it first (`planbook brief tea 1`)" in done.stderr


def test_finishing_the_last_part_on_a_branch(root: Path, page: str) -> None:
    """It is committed there, and the plan stays where it is."""
    plan = (
        (root / "plans/tea.md")
        .read_text()
        .replace("- [ ] PART 2", "- [-] PART 2")
        .replace("- [ ] PART 3", "- [-] PART 3")
    )
    put(root, {"plans/tea.md": plan})
    git(root, "switch", "--quiet", "--create", "finish/tea")
    done = planbook(root, "finish", "tea", "1")
    assert done.returncode == 0, done.stderr
    assert git(root, "branch", "--show-current") == "finish/tea\n"
    assert (root / "plans/tea.md").is_file()


# --- from a dossier ----------------------------------------------------------------------------------------------


def short(page: str) -> str:
    """The page with a reference of which only the id and the quote are given."""
    first, _, rest = page.partition("    type: webpage\n")
    return first + "    custom:\n" + rest.partition("    custom:\n")[2]


@pytest.fixture
def gathered(root: Path, page: str) -> str:
    """The page, whose source was read for its PART and is cited by the id that it got then."""
    url = page.partition("    URL: ")[2].partition("\n")[0]
    told = planbook(root, "read", url, "--for", "tea", "1").stdout
    name = told.partition("- id: ")[2].partition("\n")[0].strip("'")
    return short(page).replace("id: spring", f"id: '{name}'").replace("@spring", f"@{name}")


def test_a_reference_to_a_gathered_work_is_completed(root: Path, web: SearchWeb, gathered: str) -> None:
    """Its title, address, date and hash are added; nobody is asked again; all else stays."""
    put(root, {"docs/tea/1.md": gathered})
    asked = len(web.seen)
    done = planbook(root, "finish", "tea", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    text = (root / "docs/tea/1.md").read_text()
    assert "    title: " in text
    assert "\n    URL: http" in text
    assert "      sha256: " in text
    assert text.partition("\n---\n")[2] == gathered.partition("\n---\n")[2]
    assert len(web.seen) == asked


def test_a_page_may_begin_with_its_title(root: Path, gathered: str) -> None:
    """Its front matter is written when it is accepted; its plan knows the rest."""
    name = gathered.partition("@")[2].partition(",")[0]
    body = gathered.partition("\n---\n")[2].lstrip().replace(f"[@{name}, q1]", f"[@{name}#1]").replace("> ", "")
    put(root, {"docs/tea/1.md": body})
    done = planbook(root, "finish", "tea", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    head, _, rest = (root / "docs/tea/1.md").read_text().partition("\n---\n")
    assert head.startswith("---\ntitle: Which water\ndescription: Which water is best, in one page.\nplan: tea\n")
    assert "\n  - id: " in head
    assert rest.lstrip().startswith("# Which water\n")


def test_a_sentence_is_listed_with_what_is_missing(root: Path, gathered: str) -> None:
    """In a failure and in a warning, each with the nearest passage; the text names that of a warning by its id."""
    more = "Water keeps the leaves bright for 31 days. Leaves keep an hour in Soft water."
    put(root, {"docs/tea/1.md": gathered.replace("Of the waters", f"{more} Of the waters")})
    told = json.loads(planbook(root, "finish", "tea", "1", "--format=json").stdout)
    (change,) = told["changes"]
    assert (change["code"], change["missing"]) == ("D056", ["31 days"])
    assert told["grounds"] == {"docs/tea/1.md": {}}
    assert change["sentence"] == "Water keeps the leaves bright for 31 days."
    (warning,) = [one for one in told["warnings"] if one["sentence"].startswith("Leaves")]
    assert (warning["code"], warning["missing"]) == ("D051", ["Soft"])
    assert WORDS in warning["passage"]["text"]
    text = planbook(root, "finish", "tea", "1").stdout
    hint = "An example of your own needs no quote: mark it `*(example, not run)*` instead"
    assert hint not in text  # a wrong figure is no example
    put(root, {"docs/tea/1.md": gathered.replace("Of the waters", "Boil it with `--over-boil`. Of the waters")})
    assert hint in planbook(root, "finish", "tea", "1").stdout
    assert ": warning “Leaves keep an hour in Soft water.” has “Soft” and no ground" in text
    assert " places without a ground: " in text
    (line,) = [line for line in text.splitlines() if ": warning “Leaves keep" in line]
    assert line.endswith("(nearest: `{}`)".format(warning["passage"]["id"])), "its words are in the JSON"


def test_a_warning_on_chosen_quotes_is_printed_at_once(root: Path, gathered: str) -> None:
    """By `--check` and the first `finish`, as by a second one: Planbook chose the quotes, not the sentence."""
    name = gathered.partition("- id: '")[2].partition("'")[0]
    sentence = f"Soft water keeps the leaves of Kyoto bright for an hour. [@{name}#1]"
    body = gathered.replace(f"> {WORDS} [@{name}, q1]", sentence).replace(f'      quotes: {{q1: "{WORDS}"}}\n', "")
    put(root, {"docs/tea/1.md": body})
    for options in (("--check",), (), ()):
        told = planbook(root, "finish", "tea", "1", *options).stdout
        assert "“Kyoto” is not in" in told, options


def test_what_to_change_is_a_list(root: Path, web: SearchWeb, gathered: str) -> None:
    """Place, what is wrong, and the passage that is nearest; for programs as JSON. A second try asks nobody again."""
    put(root, {"docs/tea/1.md": gathered.replace("bright for an hour", "bright for two days")})
    done = planbook(root, "finish", "tea", "1")
    assert done.returncode == 1
    assert done.stdout.count("nearest passage, ") == 1
    assert "Soft water keeps the leaves bright for an hour" in done.stdout
    seen = len(web.seen)
    told = json.loads(planbook(root, "finish", "tea", "1", "--format=json").stdout)
    assert len(web.seen) == seen
    assert told["is_accepted"] is False
    (change,) = told["changes"]
    assert (change["code"], change["path"]) == ("D040", "docs/tea/1.md")
    assert WORDS in change["passage"]["text"]


def states(root: Path) -> dict[str, bytes]:
    """Return the files of the base and of what its worktrees share, without caches."""
    places = [path for path in (*root.rglob("*"), *(root / ".git/planbook").rglob("*")) if path.is_file()]
    names = {path.relative_to(root).as_posix(): path for path in places}
    return {name: path.read_bytes() for name, path in names.items() if not name.startswith((".cache/", ".git/index"))}


def test_a_page_is_checked_without_a_record(root: Path, gathered: str) -> None:
    """`--check` lists what `finish` lists; no file, try or mark is written, and no claim ends or refuses it."""
    put(root, {"docs/tea/1.md": gathered.replace("bright for an hour", "bright for two days")})
    planbook(root, "claim", "tea", "1", "--as", "ann")
    before = states(root)
    wrong = planbook(root, "finish", "tea", "1", "--check")
    assert (wrong.returncode, "nearest passage, " in wrong.stdout) == (1, True)
    assert "Nothing was written." in wrong.stdout
    put(root, {"docs/tea/1.md": gathered})
    told = planbook(root, "finish", "tea", "1", "--check", "--runner", "ann")
    assert told.returncode == 0, told.stdout + told.stderr
    assert "docs/tea/1.md would be accepted; nothing was written (--check)." in told.stdout
    checked = json.loads(planbook(root, "finish", "tea", "1", "--check", "--format=json").stdout)
    assert checked["is_check"] is True
    (left_out,) = checked["left_out"]
    assert left_out["text"] == "Hard water does not, and ruins copper kettles."
    assert f"- `{left_out['id']}` “The spring”: Hard water does not, and ruins copper kettles." in told.stdout
    put(root, {"docs/tea/1.md": gathered.replace("bright for an hour", "bright for two days")})
    assert states(root) == before
    put(root, {"docs/tea/1.md": gathered})
    assert planbook(root, "finish", "tea", "1", "--runner", "ann").returncode == 0
    (drop,) = (root / "plans").glob("KNOWLEDGE-DROP-1-*")
    assert "\nretries: 0\n" in drop.read_text()


def test_accepted_pages_are_checked_again_as_they_are_now(root: Path, gathered: str) -> None:
    """`finish --check` alone finds a sentence that was changed afterwards; nothing is written."""
    nothing = planbook(root, "finish", "--check")
    assert (nothing.returncode, nothing.stdout) == (0, "No page of a finished PART has a drop.\n")
    put(root, {"docs/tea/1.md": gathered})
    assert planbook(root, "finish", "tea", "1").returncode == 0
    again = planbook(root, "finish", "--check")
    assert (again.returncode, again.stdout) == (0, "1 of 1 accepted page would be accepted again.\n")
    page = (root / "docs/tea/1.md").read_text()
    put(root, {"docs/tea/1.md": f"{page}\nThe 41st cup is pale.\n"})
    warned = planbook(root, "finish", "--check")
    assert warned.returncode == 0
    assert "has “41” and no ground; cite a quote, or mark it D051" in warned.stdout
    changed = page.replace("bright for an hour", "bright for two days")
    put(root, {"docs/tea/1.md": changed})
    before = states(root)
    assert planbook(root, "check").returncode == 0
    told = planbook(root, "finish", "--check")
    assert (told.returncode, "D040" in told.stdout) == (1, True)
    assert told.stdout.endswith("0 of 1 accepted page would be accepted again.\n")
    answer = json.loads(planbook(root, "finish", "--check", "--format=json").stdout)
    (part,) = answer["parts"]
    assert (answer["is_accepted"], part["plan"], part["part"]) == (False, "plans/tea.md", 1)
    assert [change["code"] for change in part["changes"]] == ["D040"]
    assert states(root) == before


def test_a_page_stands_for_its_part(root: Path, gathered: str) -> None:
    """`finish docs/tea/1.md` is `finish tea 1`; a page of no PART is told what is needed."""
    put(root, {"docs/tea/1.md": gathered, "docs/tea/own.md": "# Own\n"})
    told = planbook(root, "finish", "docs/tea/1.md", "--check")
    assert (told.returncode, "docs/tea/1.md would be accepted" in told.stdout) == (0, True)
    refused = planbook(root, "finish", "docs/tea/own.md", "--check")
    assert (refused.returncode, "or a page that a plan names" in refused.stderr) == (2, True)


def test_a_page_that_was_changed_since_is_reported_until_it_is_recorded(root: Path, page: str) -> None:
    """Our commands change no accepted page; what somebody changes is reported, also once it is committed."""
    assert planbook(root, "finish", "tea", "1").returncode == 0
    path = root / "docs/tea/1.md"
    for command in (("index",), ("verify", "--offline"), ("verify",)):
        planbook(root, *command)
    assert "K040" not in planbook(root, "check").stdout
    path.write_text(page.replace("The 9th cup", "The ninth cup"))
    assert "docs/tea/1.md:1:1: warning its text or references were changed since" in planbook(root, "check").stdout
    git(root, "commit", "-qam", "Change a word")
    checked = planbook(root, "finish", "tea", "1", "--check")
    assert "would be accepted" in checked.stdout
    assert "K040" in planbook(root, "check").stdout
    done = planbook(root, "finish", "tea", "1")
    assert "is accepted; its report is" in done.stdout, done.stdout + done.stderr
    assert "K040" not in planbook(root, "check").stdout
    assert len(list((root / "plans").glob("KNOWLEDGE-DROP-1-*"))) == 1
    assert "is unchanged since it was accepted" in planbook(root, "finish", "tea", "1").stdout


def test_an_accepted_page_whose_source_is_gone_is_not_accepted_again(root: Path, page: str, web: SearchWeb) -> None:
    """`finish --check` fails closed: what cannot be read proves nothing."""
    assert page in (root / "docs/tea/1.md").read_text()
    assert planbook(root, "finish", "tea", "1").returncode == 0
    assert planbook(root, "finish", "--check").returncode == 0
    web.put("/spring", Reply(410))
    for kept in (root / ".planbook", root / ".git/planbook"):
        shutil.rmtree(kept, ignore_errors=True)
    told = planbook(root, "finish", "--check")
    assert (told.returncode, "[@spring] could not be read" in told.stdout) == (1, True), told.stdout


@pytest.mark.parametrize("args", [(), ("tea",), ("tea", "--check")])
def test_a_page_to_finish_is_named_by_plan_and_part(root: Path, args: tuple[str, ...]) -> None:
    """Without a number, or without both, the command says what to name, with 2."""
    done = planbook(root, "finish", *args)
    assert (done.returncode, "name a plan and the number of a PART" in done.stderr) == (2, True)


def test_the_drop_tells_the_tries_as_they_were(root: Path, gathered: str) -> None:
    """It does so also when the same runner replaces its drop. An unchanged page is left as it is, without a commit."""
    put(root, {"docs/tea/1.md": gathered.replace("bright for an hour", "bright for two days")})
    assert planbook(root, "finish", "tea", "1").returncode == 1
    put(root, {"docs/tea/1.md": gathered})
    assert planbook(root, "finish", "tea", "1").returncode == 0
    (drop,) = (root / "plans").glob("KNOWLEDGE-DROP-1-*")
    assert "\nretries: 1\n" in drop.read_text()
    assert "1 failure; the first: quotes: " in drop.read_text()
    first = commits(root)
    done = planbook(root, "finish", "tea", "1")
    assert (done.returncode, "docs/tea/1.md is unchanged since it was accepted" in done.stdout) == (0, True)
    assert commits(root) == first
    assert json.loads(planbook(root, "finish", "tea", "1", "--format=json").stdout)["is_unchanged"] is True
    path = root / "docs/tea/1.md"
    put(root, {"docs/tea/1.md": path.read_text().replace("in one page.", "in a page.")})
    done = planbook(root, "finish", "tea", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert list((root / "plans").glob("KNOWLEDGE-DROP-1-*")) == [drop]
    assert "\nretries: 1\n" in drop.read_text()
    assert "1 failure; the first: quotes: " in drop.read_text()
    assert commits(root)[0].startswith("Finish tea PART 1 again: 1 page, ")
    assert git(root, "status", "--porcelain") == ""


def test_another_runner_leaves_a_drop_of_its_own(root: Path, gathered: str) -> None:
    """It does so even for an unchanged page: the drop says who submitted it."""
    put(root, {"docs/tea/1.md": gathered})
    assert planbook(root, "finish", "tea", "1", "--runner", "ann").returncode == 0
    assert planbook(root, "finish", "tea", "1", "--runner", "ben").returncode == 0
    drops = [path.read_text() for path in (root / "plans").glob("KNOWLEDGE-DROP-1-*")]
    assert sorted(one for text in drops for one in ("ann", "ben") if f"runner: {one}" in text) == ["ann", "ben"]
    assert len(commits(root)) == 2


def test_checks_need_no_lock(root: Path, gathered: str) -> None:
    """A page is refused while another run holds the lock; an accepted one waits, unless it must not."""
    put(root, {"docs/tea/1.md": gathered.replace("bright for an hour", "bright for two days")})
    with lock_project(root, "planbook expand", "2026-11-20T10:00:00Z"):
        assert planbook(root, "finish", "tea", "1").returncode == 1
        put(root, {"docs/tea/1.md": gathered})
        refused = planbook(root, "finish", "tea", "1", "--no-wait")
        assert refused.returncode == 1
        assert "another run is active: `planbook expand`" in refused.stderr
    done = planbook(root, "finish", "tea", "1")
    assert done.returncode == 0, done.stderr


def test_a_claimed_part_is_finished_by_its_holder(root: Path, gathered: str) -> None:
    """Another runner is refused; `brief` and `status` say who has it; an accepted page ends the claim."""
    put(root, {"docs/tea/1.md": gathered})
    assert planbook(root, "claim", "tea", "1", "--as", "ann").returncode == 0
    refused = planbook(root, "claim", "tea", "1", "--as", "ben")
    assert (refused.returncode, "claimed by ann until" in refused.stderr) == (1, True)
    assert "This brief is for ann, who has claimed PART 1 until" in planbook(root, "brief", "tea", "1").stderr
    assert "tea PART 1: claimed by ann until" in planbook(root, "status").stdout
    assert planbook(root, "finish", "tea", "1", "--runner", "ben").returncode == 1
    done = planbook(root, "finish", "tea", "1", "--runner", "ann")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "claimed" not in planbook(root, "status").stdout


def test_a_claim_of_a_finished_part_says_so(root: Path, gathered: str) -> None:
    """It is granted, as a page may be written anew, but not in silence."""
    put(root, {"docs/tea/1.md": gathered})
    claimed = planbook(root, "claim", "tea", "1", "--as", "ann")
    assert claimed.stdout.startswith("tea PART 1: claimed by ann until ")
    assert "done" not in claimed.stdout
    assert planbook(root, "finish", "tea", "1", "--runner", "ann").returncode == 0
    claimed = planbook(root, "claim", "tea", "1", "--as", "ann")
    assert claimed.returncode == 0
    assert "tea PART 1 is done, and docs/tea/1.md is its page: finishing it again replaces them" in claimed.stdout
