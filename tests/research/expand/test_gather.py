"""`planbook gather`, `brief`, `read` and `find`: the evidence reaches whoever writes, also that of the web."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.files import git, put
from tests.research.expand.base import make_repository
from tests.research.expand.loopback import SearchWeb, make_base, planbook


@pytest.fixture
def root(tmp_path: Path, web: SearchWeb) -> Path:
    """A base whose plan is searched for on a web of loopback."""
    return make_base(tmp_path / "base", web)


def test_what_the_web_answers_is_in_the_brief(root: Path) -> None:
    """After `gather`, the brief has passages of pages of the web; no page is written, nothing is marked."""
    before = git(root, "status", "--porcelain")
    done = planbook("gather", "tea", "--root", str(root))
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 3
    assert "passages for" in done.stdout
    brief = planbook("brief", "tea", "1", "--root", str(root)).stdout
    assert "could not be read" in brief or " read. " in brief
    assert "127.0.0.1" in brief
    assert git(root, "status", "--porcelain") == before
    assert not (root / "docs/tea/1.md").exists()


def test_providers_that_answer_nothing_are_named(root: Path, web: SearchWeb) -> None:
    """They stand beside what the documents gave: else a reader of it does not know who was asked."""
    config = (root / "mkdocs.yml").read_text().replace("[searxng]", "[local, searxng]")
    put(
        root,
        {"mkdocs.yml": config, "documents/water.md": "# Water\n\nSoft water keeps the leaves bright for an hour.\n"},
    )
    web.failing = b"no JSON"
    told = planbook("gather", "tea", "1", "--root", str(root)).stdout
    assert "1 work read" in told
    assert "  no answer from searxng: the response is something that is not JSON" in told


def test_gathering_again_asks_nobody(root: Path, web: SearchWeb) -> None:
    """Answers are kept, so a second `gather` sends no request, and says the same."""
    first = planbook("gather", "tea", "1", "--root", str(root), "--format=json")
    asked = len(web.seen)
    again = planbook("gather", "tea", "1", "--root", str(root), "--format=json")
    assert len(web.seen) == asked
    one, other = (json.loads(done.stdout)[0] for done in (first, again))
    assert one.pop("gathered") <= other.pop("gathered")
    assert one == other
    assert all(point["passages"] for point in one["points"] if point["is_found"])


def test_a_worktree_shares_the_dossier(root: Path, web: SearchWeb, tmp_path: Path) -> None:
    """A brief in another worktree of the repository has the evidence, without a request."""
    planbook("gather", "tea", "1", "--root", str(root))
    asked = len(web.seen)
    git(root, "worktree", "add", "--quiet", "--detach", str(tmp_path / "other"))
    brief = planbook("brief", "tea", "1", "--root", str(tmp_path / "other")).stdout
    assert "127.0.0.1" in brief
    assert len(web.seen) == asked


def test_a_page_is_read_for_a_part(root: Path, web: SearchWeb) -> None:
    """It is fetched once, printed with its reference and numbered passages, and is a work of the PART from then on.

    A runner gets the id that stands for the reference.
    """
    address = web.url("/a1")
    told = planbook("read", address, "--for", "tea", "1", "--root", str(root))
    assert told.returncode == 0, told.stderr
    assert f"URL: {address}" in told.stdout
    assert "sha256: " in told.stdout
    name = told.stdout.partition("- id: ")[2].partition("\n")[0]
    assert f"`{name}#1`" in told.stdout
    asked = len(web.seen)
    again = planbook("read", name, "--for", "tea", "1", "--root", str(root)).stdout
    assert again.partition("#1`")[2] == told.stdout.partition("#1`")[2]
    assert f"`{name}`" in planbook("brief", "tea", "1", "--root", str(root)).stdout
    planbook("claim", "tea", "1", "--as", "ann", "--root", str(root))
    claimed = planbook("read", name, "--for", "tea", "1", "--root", str(root)).stdout
    assert f"Its id is `{name}`: cite its passages by their numbers, `[@{name}#1]`." in claimed
    assert "URL: " not in claimed
    assert len(web.seen) == asked


def test_works_that_are_read_at_the_same_time_are_all_kept(root: Path) -> None:
    """An agent reads several files at once, each by a process of its own; each gets an id of its own."""
    names = [f"documents/{number}/kettle.md" for number in range(6)]
    told = "is filled with soft water each morning."
    put(root, {name: f"# Kettle\n\nThe kettle of inn {number} {told}\n" for number, name in enumerate(names)})
    command = (sys.executable, "-m", "planbook", "read")
    reading = [
        subprocess.Popen([*command, name, "--for", "tea", "1", "--root", str(root)], stdout=subprocess.PIPE, text=True)
        for name in names
    ]
    printed = [process.communicate(timeout=60)[0] for process in reading]
    assert [process.returncode for process in reading] == [0] * len(names)
    ids = {text.partition("- id: ")[2].partition("\n")[0] for text in printed}
    assert len(ids) == len(names)
    for name in ids:
        again = planbook("read", name.strip("'"), "--for", "tea", "1", "--root", str(root))
        assert again.returncode == 0, again.stderr


def test_several_works_are_read_in_one_call(root: Path) -> None:
    """Each once, whatever it is called, within one size; one that cannot be read does not keep the others from it."""
    told = "is filled with soft water each morning."
    put(root, {f"documents/{name}.md": f"# {name.title()}\n\nThe {name} {told}\n" for name in ("kettle", "cup")})
    put(
        root,
        {"documents/long.md": "# Long\n\n" + "".join(f"Step {n} of many needs hot water.\n\n" for n in range(2_000))},
    )
    kettle, cup, long_one = (f"documents/{name}.md" for name in ("kettle", "cup", "long"))
    for_part = ("--for", "tea", "1", "--root", str(root))
    read = planbook("read", kettle, "documents/none.md", cup, kettle, *for_part)
    assert read.returncode == 0
    assert [read.stdout.count(text) for text in ("# Kettle\n", "# Cup\n", "documents/none.md")] == [1, 1, 1], (
        read.stdout
    )
    again = planbook("read", "kettle#1", long_one, kettle, "cup#1", "cup", "--tokens", "1000", *for_part).stdout
    assert [again.count(f"The {name} {told}") for name in ("kettle", "cup")] == [1, 1]
    assert "passages more: planbook read long#" in again
    assert len(again) < 1_300 * 4
    nothing = planbook("read", "documents/none.md", "documents/nor.md", *for_part)
    assert nothing.returncode == 1


@pytest.mark.parametrize("command", [["gather", "tea", "1"], ["expand", "tea", "1"]])
def test_a_work_that_was_added_stays(root: Path, web: SearchWeb, command: list[str]) -> None:
    """When the evidence is gathered anew, also by `expand`: whoever added it may be writing from it."""
    sentence = "Tea leaves that are steeped a second time need twice as long as they needed the first time."
    web.html("/own", f"<main><h1>Again</h1><p>{sentence}</p></main>", title="Steeped again")
    told = planbook("read", web.url("/own"), "--for", "tea", "1", "--root", str(root)).stdout
    assert "This may be another page than was meant: it has only" in told
    name = told.partition("- id: ")[2].partition("\n")[0].strip("'")
    planbook(*command, "--root", str(root))
    again = planbook("read", name, "--for", "tea", "1", "--root", str(root))
    assert again.returncode == 0, again.stderr
    assert "#1`" in again.stdout


def test_passages_are_found_by_a_question(root: Path) -> None:
    """Those of the gathered works; a question in other words says what to do."""
    planbook("gather", "tea", "1", "--root", str(root))
    found = planbook("find", "tea", "1", "water for the leaves", "--root", str(root))
    assert found.returncode == 0, found.stderr
    assert "#" in found.stdout.partition("`")[2].partition("`")[0]
    assert not found.stdout.startswith("The best passage")
    partly = planbook("find", "tea", "1", "water for the leaves in fathoms", "--root", str(root))
    assert partly.stdout.startswith("The best passage does not mention “fathoms”.\n\n`")
    # The title of a work says what each of its passages is about.
    text = "---\ntitle: Cellar book\n---\n\n# Storage\n\nStore the white leaves in a dry jar at ten degrees.\n"
    put(root, {"documents/cellar-book.md": text})
    planbook("read", "documents/cellar-book.md", "--for", "tea", "1", "--root", str(root))
    titled = planbook("find", "tea", "1", "cellar book: white leaves in a dry jar", "--root", str(root))
    assert "white leaves in a dry jar" in titled.stdout
    assert not titled.stdout.startswith("The best passage")
    both = planbook("find", "tea", "1", "water for the leaves", "xylophone", "--root", str(root))
    assert both.returncode == 0
    first, second = both.stdout.split("\n# xylophone\n\n")
    assert first.startswith(f"# water for the leaves\n\n{found.stdout}")
    assert "add one with `planbook read`" in second
    nothing = planbook("find", "tea", "1", "xylophone", "--root", str(root))
    assert nothing.returncode == 1
    assert "add one with `planbook read`" in nothing.stdout


def passages_in(text: str) -> list[str]:
    """Return the ids of the passages that are printed whole."""
    return re.findall(r"^`([\w-]+#\d+)`.*:$", text, re.MULTILINE)


def test_several_questions_share_the_size_of_an_answer(root: Path) -> None:
    """`--tokens` is the size of all that is printed; what one answer leaves is for the next ones."""
    planbook("gather", "tea", "1", "--root", str(root))
    questions = [f"water for the leaves {word}" for word in ("one", "two", "three", "four", "five", "six")]
    alone = planbook("find", "tea", "1", questions[0], "--tokens", "1200", "--root", str(root)).stdout
    each = planbook("find", "tea", "1", *questions, "--tokens", "1200", "--root", str(root)).stdout
    assert len(passages_in(each)) < 6 * len(passages_in(alone))


def test_a_runner_gets_each_passage_once(root: Path) -> None:
    """`find` and `read` name what the brief or an earlier answer has printed; who has no claim gets all of it again."""
    planbook("gather", "tea", "1", "--root", str(root))
    ask = ("find", "tea", "1", "water for the leaves", "--tokens", "4000", "--root", str(root))
    whole = passages_in(planbook(*ask).stdout)
    assert whole
    assert passages_in(planbook(*ask).stdout) == whole
    planbook("claim", "tea", "1", "--as", "ann", "--root", str(root))
    in_brief = passages_in(planbook("brief", "tea", "1", "--tokens", "3000", "--root", str(root)).stdout)
    first, second = (planbook(*ask).stdout for _ in range(2))
    assert passages_in(first) == [name for name in whole if name not in in_brief]
    assert passages_in(second) == []
    assert second.startswith(f"Shown before: {', '.join(f'`{name}`' for name in whole)}\n")
    assert "What was shown before is printed whole with --again, if your host has cut it.\n" in second
    assert passages_in(planbook(*ask, "--again").stdout) == whole
    work, _, number = whole[0].partition("#")
    read = planbook("read", work, "--for", "tea", "1", "--root", str(root)).stdout
    assert f"- `{whole[0]}` (shown before): " in read
    again = planbook("read", f"{work}#{number}", "--for", "tea", "1", "--root", str(root)).stdout
    assert passages_in(again) == [whole[0]]
    planbook("brief", "tea", "1", "--root", str(root))
    assert passages_in(planbook(*ask).stdout) == [
        name for name in whole if name not in passages_in(planbook("brief", "tea", "1", "--root", str(root)).stdout)
    ]


def test_passages_are_listed_by_their_first_words(root: Path) -> None:
    """`find --ids` and `read --ids` print a line for each passage and none whole; a missing number is told."""
    planbook("gather", "tea", "1", "--root", str(root))
    listed = planbook("find", "tea", "1", "water for the leaves", "--ids", "--root", str(root))
    assert listed.returncode == 0, listed.stderr
    assert passages_in(listed.stdout) == []
    ids = re.findall(r"^- `([\w-]+#\d+)`: \S", listed.stdout, re.MULTILINE)
    assert ids
    work = ids[0].partition("#")[0]
    contents = planbook("read", work, "--ids", "--for", "tea", "1", "--root", str(root))
    assert re.search(r"^    - `#1`: \S", contents.stdout, re.MULTILINE)
    missing = planbook("read", f"{work}#99", "--for", "tea", "1", "--root", str(root))
    assert (missing.returncode, "Its passages are #1 to #" in missing.stdout) == (1, True)


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("nowhere.md", "is neither a web address, nor a file, nor a work"),
        ("http://127.0.0.1:9/x", "cannot be read"),
        ("mkdocs.yml", "is outside documents/"),
    ],
)
def test_what_cannot_be_read_is_named(root: Path, place: str, why: str) -> None:
    """The reason stands beside it; nothing is added to the dossier."""
    told = planbook("read", place, "--for", "tea", "1", "--root", str(root))
    assert told.returncode == 1
    assert why in told.stderr


def test_a_work_of_a_part_is_read_for_it(root: Path) -> None:
    """Ids are known for a PART alone, and the message says how to name it."""
    told = planbook("read", "tea-guide", "--root", str(root))
    assert "works of a PART are read by their ids with `--for PLAN PART`" in told.stderr


CONFIG = "site_name: Tea\nplugins:\n  - planbook:\n      expand:\n        search: {providers: [local]}\n"
PLAN = """\
# Tea

## PART 1: Create tea/1.md

- [ ] PART 1: Create tea/1.md

**Step 1: Research**
- [ ] Search: "steeping green tea"

**Step 2: Write the page**
- [ ] Section 1: Steeping
    - How long green tea is steeped in water
"""
STEEPED = "Green tea is steeped for two minutes in water of eighty degrees, and not a second longer."
DESCALED = "Limescale in the kettle comes off when vinegar stands in it over night, and is rinsed away."
CHANGED = "Since version 2.1, the kettle whistles when the vinegar has been left in it for a day."


def test_only_the_first_unread_documents_are_named(tmp_path: Path) -> None:
    """Of many that have no text, three and the number of the others: they are seldom about the PART."""
    files = {"mkdocs.yml": CONFIG, "plans/tea.md": PLAN, "docs/index.md": "# Home\n"}
    empty = {f"documents/empty-{n}.md": "---\ntitle: Empty\n---\n" for n in range(5)}
    root = make_repository(tmp_path / "base", {**files, **empty, "documents/green.md": f"# Green tea\n\n{STEEPED}\n"})
    told = planbook("gather", "tea", "1", "--root", str(root))
    lines = [line for line in (told.stdout + told.stderr).splitlines() if "cannot be read" in line]
    assert [line.split()[0] for line in lines[:3]] == [f"documents/empty-{n}.md" for n in range(3)]
    assert lines[3:] == ["2 other documents in documents/ cannot be read either"]


def test_a_question_reaches_documents_that_were_not_gathered(tmp_path: Path) -> None:
    """Those of the folder that answer it become works of the PART; change logs answer, too, behind the others."""
    files = {
        "mkdocs.yml": CONFIG,
        "plans/tea.md": PLAN,
        "docs/index.md": "# Home\n",
        "documents/green.md": f"# Steeping green tea\n\n{STEEPED}\n",
        "documents/kettle.md": f"# Descaling\n\n{DESCALED}\n",
        "documents/changelog.md": f"# Changelog\n\n## 2.1\n\n{CHANGED}\n",
    }
    root = make_repository(tmp_path / "base", files)
    planbook("gather", "tea", "1", "--root", str(root))
    assert "descaling" not in planbook("brief", "tea", "1", "--root", str(root)).stdout.lower()
    found = planbook("find", "tea", "1", "How limescale comes off the kettle with vinegar", "--root", str(root))
    assert found.returncode == 0, found.stderr
    assert DESCALED in found.stdout
    logged = planbook("find", "tea", "1", "kettle with vinegar", "--root", str(root)).stdout
    assert re.search(r"#\d` \(change log\): Since version 2.1, the kettle whistles", logged)
    assert "`descaling`" in planbook("brief", "tea", "1", "--root", str(root)).stdout
    whistling = planbook("find", "tea", "1", "kettle whistles vinegar", "--tokens", "2000", "--root", str(root)).stdout
    assert DESCALED in whistling
    assert CHANGED in whistling
    nothing = planbook("find", "tea", "1", "zeppelins", "--root", str(root))
    assert nothing.returncode == 1
