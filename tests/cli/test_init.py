"""`planbook init` makes a project that checks clean and builds, and never changes what is there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from planbook.cli import main
from planbook.cli.starter_files import WORKFLOW, starter_files
from tests.conftest import ROOT
from tests.files import git, put
from tests.plugin.conftest import Built, built_strictly, hashes

EXAMPLE = ["plans/tea.md", "docs/tea/01-water.md", "docs/tea/03-pot.md"]
EXAMPLE += [f"documents/{name}.md" for name in ("caffeine", "hardness", "steeping", "temperature")]
NAMES = ["mkdocs.yml", "docs/index.md", *EXAMPLE, "planbook-verify.json", ".gitignore"]
ADDRESS = "https://git.example.org/planbook"


def run(*arguments: str) -> Result:
    """The command line, in the current folder."""
    return CliRunner().invoke(main, arguments, prog_name="planbook")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The site of a new project."""
    root = tmp_path_factory.mktemp("made") / "hard-water_notes"
    assert run("init", str(root), "--github").exit_code == 0
    return built_strictly(root)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, as the current one."""
    root = tmp_path / "notes"
    root.mkdir()
    monkeypatch.chdir(root)
    return root


def test_a_new_project_is_whole(here: Path) -> None:
    """Its files are there, named one by one, with what to do next; nothing else is."""
    done = run("init", "tea")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[: len(NAMES)] == [f"tea/{name}: written" for name in NAMES]
    assert re.findall(r"^  (.+?)(?:  +#.*)?$", done.stdout, re.MULTILINE) == [
        *("cd tea", "planbook check", "planbook expand", "planbook serve", "planbook new SUBJECT")
    ]
    assert set(hashes(here)) == {f"tea/{name}" for name in NAMES}


def test_a_new_project_checks_clean(here: Path) -> None:
    """Nothing is wrong with it, one of its two pages is written, and a run would fill the other without a request."""
    assert run("init").exit_code == 0
    assert run("check").stdout == "no problems found\n"
    assert "1 done, 1 open" in run("status").stdout
    assert "12 documents read on this machine\n" in run("expand", "--dry-run").stdout
    forecast = json.loads(run("expand", "--dry-run", "--format=json").stdout)
    assert [(page["part"], page["named"]) for page in forecast["pages"]] == [(2, [])]
    assert forecast["searches"] == {}


def test_the_example_is_verified(here: Path) -> None:
    """The report that comes with it is what `planbook verify` finds, for the page and the documents as they are."""
    run("init")
    shipped = json.loads((here / "planbook-verify.json").read_text("utf-8"))
    done = run("verify", "--offline")
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, "4 of 4 sources in order; 15 of 15 quotes found")
    found = json.loads((here / "planbook-verify.json").read_text("utf-8"))
    for report in (shipped, found):
        for page in report["pages"].values():
            paragraphs = (found for work in page["references"] for found in work["passages"].values())
            for entry in (page, *page["references"], *paragraphs):
                for time in ("checked", "fetched", "copy", "date"):
                    entry.pop(time, None)
    assert found == shipped
    page = here / "docs/tea/01-water.md"
    page.write_text(page.read_text("utf-8").replace("just boiled.", "just cooked."), "utf-8")
    told = r"quote q3 not found\n    cited: q3 in line \d+; .*\n  temperature  3 of 4 quotes"
    assert re.search(told, run("verify", "--offline").stdout)


def test_expand_fills_the_other_page_without_a_network(here: Path) -> None:
    """In one run, from the documents; every quote is in its document, and the plan is complete."""
    run("init")
    done = run("expand")
    assert (done.exit_code, done.stdout.splitlines()[2]) == (0, "1 page written, 37 lines, 2 works cited.")
    assert run("check").stdout == "no problems found\n"
    assert run("verify", "--offline").stdout.endswith("6 of 6 sources in order; 19 of 19 quotes found\n")
    (plan,) = json.loads(run("show", "plans/tea.md").stdout)
    assert {part["state"] for part in plan["parts"]} == {"done"}


def test_expand_replaces_no_page_that_is_not_published(here: Path) -> None:
    """A draft or an excluded page exists, though the site does not have it."""
    run("init")
    (here / "docs/tea/02-time.md").write_text("# Mine\n", encoding="utf-8")
    (here / "mkdocs.yml").write_text(f"draft_docs: /tea/\n{(here / 'mkdocs.yml').read_text('utf-8')}", encoding="utf-8")
    assert json.loads(run("expand", "--dry-run", "--format=json").stdout)["pages"] == []


def test_a_new_plan_is_one_to_fill_in(here: Path) -> None:
    """It has title, page, search and outline; each blank is told; a second one does not replace it."""
    run("init")
    done = run("new", "rye-bread")
    assert done.stdout.startswith("plans/rye-bread.md: written")
    (plan,) = json.loads(run("show", "plans/rye-bread.md").stdout)
    assert (plan["title"], {problem["code"] for problem in plan["problems"]}) == ("Rye bread", {"P027"})
    assert [part["targets"] for part in plan["parts"]] == [["rye-bread/01-first.md"]]
    assert all(part["queries"] and part["goal"] for part in plan["parts"])
    assert all(section["points"] for part in plan["parts"] for section in part["sections"])
    blanks = (here / "plans" / "rye-bread.md").read_text("utf-8").count("<")
    assert [line.split()[-1] for line in run("check").stdout.splitlines()] == ["P027"] * blanks + ["warnings"]
    assert run("expand", "--plan", "rye-bread", "--dry-run").stdout.count(": its searches are still blanks\n") == 1
    refused = run("brief", "rye-bread", "1")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert re.search(r"plans/rye-bread\.md:\d+: PART 1: its searches are still blanks; ", refused.stderr)
    (here / "plans" / "rye-bread.md").write_text("# Mine\n", encoding="utf-8")
    again = run("new", "rye-bread")
    assert (again.exit_code, again.stderr) == (1, "Error: plans/rye-bread.md exists; choose another name\n")
    assert [run("new", name).exit_code for name in ("..", "?", "")] == [2, 2, 2]
    assert run("new", "../Rye & wheat").stdout.startswith("plans/rye-wheat.md: written")
    run("new", "SQLite backups")
    (plan,) = json.loads(run("show", "plans/sqlite-backups.md").stdout)
    assert plan["title"] == "SQLite backups"


TASKS = "# Heat\n\n## Phase 1: Oven\n\n- [x] T001 Buy stones\n- [x] T002 Lay them\n- [ ] T003 Heat\n"
NOTES = {f"{name}.md": f"# {name}\n\nAbout {name}.\n" for name in ("flour", "salt", "water")}


def test_a_base_with_pages_gets_no_example(here: Path) -> None:
    """It gets a configuration, and works without a plan; what was found is said."""
    put(here, {f"docs/{name}": text for name, text in NOTES.items()} | {"README.md": "# Bread\n"})
    done = run("init")
    assert done.stdout.splitlines()[:3] == [
        *("found: 3 pages (3 in docs), 0 plans", "mkdocs.yml: written", ".gitignore: written")
    ]
    assert set(hashes(here)) == {*(f"docs/{name}" for name in NOTES), "README.md", "mkdocs.yml", ".gitignore"}
    assert run("check").stdout == "no problems found\n"
    assert "No plan found" in run("status").stdout
    built_strictly(here)


def test_documents_and_plans_of_ones_own_are_no_pages(here: Path) -> None:
    """The documents are searched, and nothing else is; the site has a home page, and the planned page is written."""
    words = "Glutenin makes the dough elastic, while gliadin lets the dough stretch without tearing."
    put(here, {"documents/flour.md": f"# Proteins of flour\n\n{words}\n", "documents/notes/salt.txt": "Salt.\n"})
    plan = "# Bread\n\n## PART 1: Create bread/1.md\n\n- [ ] PART 1: Create bread/1.md\n\n**Step 1: Research**\n"
    plan += '- [ ] Search: "dough proteins"\n\n**Step 2: Write**\n- [ ] Section 1: Proteins\n'
    plan += "    - What makes dough elastic\n"
    put(here, {"plans/bread.md": plan})
    done = run("init")
    assert done.stdout.splitlines()[:4] == [
        "found: 0 pages, 1 plan, 2 documents in documents/ to search",
        *("mkdocs.yml: written", "docs/index.md: written", ".gitignore: written"),
    ]
    config = yaml.safe_load((here / "mkdocs.yml").read_text("utf-8").replace("!ENV", ""))
    assert "docs_dir" not in config
    assert config["plugins"][0] == {
        "planbook": {"markdown": "github", "expand": {"search": {"providers": ["local"]}}},
    }
    assert run("check").stdout == "no problems found\n"
    assert run("expand").exit_code == 0
    assert words in (here / "docs/bread/1.md").read_text("utf-8")
    built_strictly(here)


def test_documents_beside_pages_are_searched_too(here: Path) -> None:
    """They are not counted as pages; with `--docs-dir documents`, they are the pages."""
    put(here, {f"docs/{name}": text for name, text in NOTES.items()} | {"documents/a.md": "# A\n\nOf a.\n"})
    done = run("init")
    assert done.stdout.splitlines()[0] == "found: 3 pages (3 in docs), 0 plans, 1 document in documents/ to search"
    assert "providers: [local]" in (here / "mkdocs.yml").read_text("utf-8")
    (here / "mkdocs.yml").unlink()
    assert run("init", "--docs-dir", "documents").stdout.startswith("found: 4 pages (3 in docs, 1 in documents)")
    assert "providers" not in (here / "mkdocs.yml").read_text("utf-8")


def test_pages_with_names_in_capitals_count(here: Path) -> None:
    """FAQ.md and SQL.md are pages; README.md and LICENSE.md are about the repository."""
    put(here, dict.fromkeys(["FAQ.md", "SQL.md", "README.md", "LICENSE.md", "docs/HTTP.md"], "# x\n"))
    assert run("init").stdout.startswith("found: 3 pages (2 in ., 1 in docs), 0 plans\n")


def test_an_empty_project_has_no_example(here: Path) -> None:
    """It checks clean and builds, searches the web by default, and the next step is a plan."""
    done = run("init", "--empty")
    assert done.stdout.splitlines()[:3] == [
        f"{name}: written" for name in ("mkdocs.yml", "docs/index.md", ".gitignore")
    ]
    assert re.findall(r"^  (.+?)  +#", done.stdout, re.MULTILINE)[0] == "planbook new SUBJECT"
    assert set(hashes(here)) == {"mkdocs.yml", "docs/index.md", ".gitignore"}
    assert "providers" not in (here / "mkdocs.yml").read_text("utf-8")
    assert run("check").exit_code == 0
    built_strictly(here)


def test_an_empty_project_beside_a_folder_for_documents_searches_that(here: Path) -> None:
    """Also if it is still empty: whoever makes one wants no request to other hosts."""
    (here / "documents").mkdir()
    assert run("init", "--empty").exit_code == 0
    assert "providers: [local]" in (here / "mkdocs.yml").read_text("utf-8")


def test_the_example_is_removed_with_what_was_made_of_it(here: Path) -> None:
    """Its plan, pages, documents, drops and checks; the project stays, and a second time there is nothing left."""
    run("init")
    assert run("expand").exit_code == 0
    run("verify", "--offline")
    done = run("init", "--remove-example")
    assert done.exit_code == 0
    removed = re.findall(r"^(.+): removed$", done.stdout, re.MULTILINE)
    assert {*EXAMPLE, "docs/tea/02-time.md"} < {*removed}
    assert [name for name in removed if "KNOWLEDGE-DROP" in name]
    assert [(here / folder).is_dir() for folder in ("documents", "plans", "docs/tea")] == [True, True, False]
    left = {name for name in hashes(here) if not name.startswith((".planbook/", ".cache/"))}
    assert left == {"mkdocs.yml", "docs/index.md", ".gitignore", "docs/INDEX.md", "SKILL.md"}
    assert run("index").exit_code == 0
    assert run("check").exit_code == 0
    assert run("init", "--remove-example").stdout == "there is no example here: nothing is removed\n"


def test_what_was_edited_or_is_cited_stays_when_the_example_is_removed(here: Path) -> None:
    """With the reason; of an edited plan, everything that was made stays, as it may be somebody's own."""
    run("init")
    run("expand")
    page = here / "docs/tea/02-time.md"
    page.write_text(page.read_text("utf-8") + "\nMine.\n", "utf-8")
    put(here, {"docs/mine.md": CITING})
    lines = run("init", "--remove-example").stdout.splitlines()
    assert "documents/hardness.md: kept: mine.md cites it" in lines
    assert "documents/caffeine.md: kept: tea/02-time.md cites it" in lines
    assert page.is_file()
    assert not (here / "plans/tea.md").exists()

    put(here, starter_files("notes"))
    plan = here / "plans/tea.md"
    plan.write_text(plan.read_text("utf-8").replace("## PART 2: ", "## PART 2: My own, "), "utf-8")
    lines = run("init", "--remove-example").stdout.splitlines()
    assert "plans/tea.md: kept: it was edited; remove it if you do not need it" in lines
    assert not [line for line in lines if "KNOWLEDGE-DROP" in line]


CITING = """---
references:
  - id: water
    type: document
    title: Water
    custom: {file: documents/hardness.md, quotes: {q1: "Hard water"}}
---
# Mine

Water can be hard [@water, q1].
"""


def test_another_engines_base_is_taken_as_it_is(here: Path) -> None:
    """The folder of most pages is `docs_dir`, other tools' plans are `plans_dir`, and the site has both."""
    plan = "# Starter\n\n### Task 1: Feed it\n\n- [x] Mix\n- [x] Wait\n- [x] Smell\n"
    put(here, {f"website/content/a/{name}": text for name, text in NOTES.items()})
    put(here, {"website/docusaurus.config.js": "", ".obsidian/app.json": "{}", "node_modules/a/b.md": "# b\n"})
    put(here, {"specs/001-heat/tasks.md": TASKS, "specs/001-heat/plan.md": "# Heat\n", "notes/plans/feed.md": plan})
    put(here, {"notes/ideas.md": "# Ideas\n", "notes/plans/README.md": "# Plans\n"})
    done = run("init", "--docs-dir", "website/content")
    assert done.stdout.splitlines()[0] == "found: 5 pages (3 in website, 1 in notes, 1 in specs), 2 plans"
    config = yaml.safe_load((here / "mkdocs.yml").read_text("utf-8").replace("!ENV", ""))
    assert (config["docs_dir"], config["plugins"][0]) == (
        *("website/content", {"planbook": {"plans_dir": ["notes/plans", "specs"], "markdown": "github"}}),
    )
    assert run("check").exit_code == 0
    assert "1 partial" in run("status").stdout
    assert (built_strictly(here).site / "a" / "flour" / "index.html").is_file()


@pytest.mark.parametrize(
    ("files", "docs_dir"),
    [
        ([f"content/en/{name}" for name in NOTES], "content"),
        ([f"wiki/en/{name}" for name in NOTES], "wiki/en"),
        (["docs/a.md", *(f"content/{name}" for name in NOTES)], "content"),
        (["docs/a.md", *(f"{folder}/{name}" for folder in ("specs/a", "specs/b") for name in NOTES)], "docs"),
        ([f"{folder}/a/{name}" for folder in ("docs", "blog", "wiki") for name in NOTES], "docs"),
        (["src/SUMMARY.md", "src/a.md", "book.toml"], "src"),
    ],
)
def test_the_folder_of_most_pages_is_proposed(here: Path, files: list[str], docs_dir: str) -> None:
    """If there is `docs` or `content`, that is proposed: other folders are often not for readers."""
    put(here, dict.fromkeys(files, "# x\n"))
    run("init")
    assert yaml.safe_load((here / "mkdocs.yml").read_text("utf-8").replace("!ENV", ""))["docs_dir"] == docs_dir


def test_a_vault_is_taken_from_the_folder_above(here: Path) -> None:
    """MkDocs reads no pages beside its configuration: the message has a command that works; nothing is written."""
    put(here, {**NOTES, "Daily/2026-11-20.md": "# Day\n", ".obsidian/app.json": "{}"})
    before = hashes(here)
    done = run("init")
    assert (done.exit_code, hashes(here)) == (1, before)
    assert done.stdout == "found: 4 pages (3 in ., 1 in Daily), 0 plans\n"
    assert "`planbook init --docs-dir notes ..`" in done.stderr
    assert run("init", "--docs-dir", "notes", "..").exit_code == 0
    assert {*hashes(here)} == {*before}
    assert (built_strictly(here.parent).site / "flour" / "index.html").is_file()


@pytest.mark.parametrize(
    ("files", "plans_dir"),
    [
        ({"specs/a/tasks.md": TASKS, "specs/a/plan.md": "# A\n", "specs/b/tasks.md": TASKS}, ["specs"]),
        ({"changes/a/tasks.md": TASKS, "changes/b/proposal.md": "# B\n"}, ["changes/*/tasks.md"]),
        ({"work/a/plan.md": TASKS, "work/b/plan.md": "# B\n"}, ["work/a/plan.md"]),
        ({f"notes/plans/{n}.md": TASKS for n in range(5)} | {"notes/plans/x.md": "# X\n"}, ["notes/plans"]),
        ({"docs/plans/a.md": TASKS, "docs/plans/b.md": "# B\n"}, ["docs/plans/a.md"]),
        ({"work/a.md": "## PART 1: Create a.md\n\n- [ ] PART 1: Create a.md\n", "work/b.md": "# B\n"}, ["work/a.md"]),
        ({"templates/plans/a.md": TASKS, "x/plans/template.md": TASKS}, None),
    ],
)
def test_plans_are_proposed(here: Path, files: dict[str, str], plans_dir: list[str] | None) -> None:
    """Their folder if it holds little else, else a pattern, else the file; no template."""
    put(here, {f"docs/{name}": text for name, text in NOTES.items()} | files)
    run("init")
    plugin = yaml.safe_load((here / "mkdocs.yml").read_text("utf-8").replace("!ENV", ""))["plugins"][0]
    plans = {} if plans_dir is None else {"plans_dir": plans_dir}
    assert plugin == {"planbook": {**plans, "markdown": "github"}}  # pages that GitHub shows


def test_lines_are_proposed_for_a_configuration_that_exists(here: Path) -> None:
    """The plugin with the folders of all plans; a configuration that names them needs nothing."""
    put(here, {"mkdocs.yml": "site_name: x\n", "docs/plans/heat.md": TASKS, "docs/flour.md": "# Flour\n"})
    kept = 'mkdocs.yml: kept; {} `{}planbook: {{plans_dir: ["docs/plans"]}}{}'
    assert run("init").stdout.splitlines()[1] == kept.format("add", "plugins: [search, ", "]`")
    put(here, {"mkdocs.yml": "site_name: x\nplugins: [search]\n"})
    assert run("init").stdout.splitlines()[1] == kept.format("add", "- ", "` to its `plugins`")
    put(here, {"mkdocs.yml": "site_name: x\nplugins: [planbook]\n"})
    assert run("init").stdout.splitlines()[1] == kept.format("there are more plans: write", "- ", "` in its `plugins`")
    put(here, {"mkdocs.yml": "site_name: x\nplugins: [{planbook: {plans_dir: docs/plans}}]\n"})
    assert run("init").stdout.splitlines()[1] == "mkdocs.yml: kept"


def test_a_new_site_has_what_readers_expect(made: Built) -> None:
    """Light and dark mode, search, the folder's name as title, every PART's page; and no other host is asked."""
    home = made.html("")
    assert "<title>Home - Hard water notes</title>" in home
    assert re.findall(r'<input class="md-option" data-md-color-media="([^"]*)"', home) == [
        *("(prefers-color-scheme)", "(prefers-color-scheme: light)", "(prefers-color-scheme: dark)")
    ]
    assert (made.site / "search" / "search_index.json").is_file()
    assert "2 of 3 pages are written" in home
    assert "Not written yet" in made.html("tea/02-time/")
    for page in made.site.rglob("*.html"):
        assert not re.findall(r'<(?:link|script|img)[^>]+(?:href|src)="(?:https?:)?//', page.read_text("utf-8"))


def test_git_keeps_the_project_and_no_more(made: Built) -> None:
    """What builds and runs make is ignored; the folders of pages and plans are not empty."""
    put(made.root, {".planbook/x": ""})
    git(made.root, "init", "--quiet")
    git(made.root, "add", ".")
    assert sorted(git(made.root, "ls-files").split()) == sorted([*NAMES, WORKFLOW])


# --- what is there stays -----------------------------------------------------------------------------------------


def test_a_second_run_changes_nothing(here: Path) -> None:
    """Each file is kept, whatever it holds by now."""
    run("init", "--github")
    (here / "plans" / "tea.md").write_text("# Mine\n", encoding="utf-8")
    before = hashes(here)
    done = run("init", "--github")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[:4] == [
        "found: 2 pages (2 in docs), 1 plan, 4 documents in documents/ to search",
        *(f"{name}: kept" for name in ("mkdocs.yml", ".gitignore", WORKFLOW)),
    ]
    assert hashes(here) == before


def test_a_base_gets_what_it_lacks(here: Path) -> None:
    """Pages and plans in other folders are seen; what to add to kept files is said."""
    files = {
        "mkdocs.yml": "site_name: Mine\ndocs_dir: pages\nplugins:\n- search\n",
        "pages/README.md": "# Mine\n",
        "plans/old/ingestion.md": "# Old\n\n## PART 1: Create a.md\n",
        ".gitignore": "site\n*.log\n",
    }
    put(here, files)
    before = hashes(here)
    assert run("init").stdout.splitlines()[:4] == [
        "found: 0 pages, 1 plan",
        "mkdocs.yml: kept; add `- planbook` to its `plugins`",
        "pages/README.md: kept",
        ".gitignore: kept; add /offline/ and /.cache/ and /.planbook/",
    ]
    assert hashes(here) == before


def test_a_configured_project_gets_its_folders(here: Path) -> None:
    """A home page and a plan go where the configuration says, as a message without them promised."""
    (here / "properdocs.yml").write_text(
        "site_name: x\ndocs_dir: pages\nplugins: [{planbook: {plans_dir: work}}]\n", encoding="utf-8"
    )
    assert run("status").exit_code == 2
    assert run("init").exit_code == 0
    assert set(hashes(here)) == {
        *("properdocs.yml", "pages/index.md", "pages/tea/01-water.md", "pages/tea/03-pot.md", "work/tea.md"),
        *(name for name in NAMES if not name.startswith(("mkdocs", "docs/", "plans/"))),
    }
    assert "1 done" in run("status").stdout


def test_nothing_is_written_where_a_folder_cannot_be(here: Path) -> None:
    """A file in a folder's place is named, before anything is written; so is one in the project's own."""
    (here / "plans").write_text("x", encoding="utf-8")
    done = run("init")
    assert (done.exit_code, done.stderr) == (
        1,
        "Error: plans is not a folder; move it, or choose another folder for the project\n",
    )
    assert run("init", "plans").exit_code == 2
    assert [path.name for path in here.iterdir()] == ["plans"]


def test_a_link_that_leads_nowhere_is_kept(here: Path) -> None:
    """It is somebody's, and what it leads to is not ours to make."""
    (here / "mkdocs.yml").symlink_to("elsewhere.yml")
    (here / "tea.md").symlink_to("none.md")
    assert run("init").stdout.startswith("mkdocs.yml: kept")
    assert not (here / "elsewhere.yml").exists()


@pytest.mark.parametrize(
    ("folder", "title"),
    [
        ("my-own_base", "My own base"),
        ("C++ notes: 1", "C++ notes 1"),
        ("die küche", "Die küche"),
        ("espresso", "Espresso"),
        *((folder, "Brewing tea") for folder in ("docs", "st", "-", "off", "2026")),
    ],
)
def test_the_folder_names_the_site(folder: str, title: str) -> None:
    """In words, as YAML and Markdown read them; one that says nothing gives the example's subject."""
    texts = starter_files(folder)
    assert yaml.safe_load(texts["mkdocs.yml"].replace("!ENV", ""))["site_name"] == title
    assert f"\n# {title}\n" in texts["docs/index.md"]


# --- the workflow ------------------------------------------------------------------------------------------------


def actions(text: str) -> list[str]:
    """The actions that a workflow uses, with their commits and versions."""
    return re.findall(r"uses: (.+)", text)


def test_the_workflow_is_our_own_without_make(made: Built) -> None:
    """The actions and rights are those of this repository's workflow; its Makefile is not needed."""
    text, own = (root.joinpath(WORKFLOW).read_text("utf-8") for root in (made.root, ROOT))
    assert actions(text) == actions(own)
    assert all(re.search(r"@[0-9a-f]{40} # v\d+\.\d+\.\d+$", action) for action in actions(text))
    theirs, ours = yaml.safe_load(text), yaml.safe_load(own)
    assert theirs["permissions"] == ours["permissions"] == {}
    for job in ("build", "deploy"):
        assert theirs["jobs"][job]["permissions"] == ours["jobs"][job]["permissions"]
    assert "make" not in re.findall(
        r"[a-z]+", " ".join(step.get("run", "") for step in theirs["jobs"]["build"]["steps"])
    )


def test_the_workflow_builds_the_site(made: Built, tmp_path: Path) -> None:
    """Its scripts, run in order with what GitHub gives them, leave the site in the folder that is published."""
    steps = yaml.safe_load((made.root / WORKFLOW).read_text("utf-8"))["jobs"]["build"]["steps"]
    install, check, build = [step for step in steps if "run" in step]
    pip = tmp_path / "python"
    pip.write_text('#!/bin/sh\necho "$@" > "$ASKED"\n', encoding="utf-8")
    pip.chmod(0o755)
    asked = tmp_path / "asked"
    environ = {
        **os.environ,
        "PATH": f"{tmp_path}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "ASKED": str(asked),
        "SITE_URL": "https://a.github.test/notes/",
    }

    def bash(script: str, **more: str) -> subprocess.CompletedProcess[str]:
        command = ["/bin/bash", "-e", "-c", script]
        return subprocess.run(command, cwd=made.root, env=environ | more, capture_output=True, text=True, check=False)

    refused = bash(install["run"], PLANBOOK="")
    assert refused.returncode
    assert "PLANBOOK: set this variable in the settings of the repository" in refused.stderr
    assert bash(install["run"], PLANBOOK=f"planbook @ git+{ADDRESS}").returncode == 0
    assert asked.read_text("utf-8") == f"-m pip install planbook @ git+{ADDRESS}\n"
    assert bash(check["run"]).returncode == 0
    (made.site / "sitemap.xml").unlink()
    done = bash(build["run"], NO_MKDOCS_2_WARNING="1")
    assert done.returncode == 0, done.stdout + done.stderr
    upload = next(step for step in steps if "upload" in step.get("uses", ""))
    assert (
        "https://a.github.test/notes/tea/01-water/" in (made.root / upload["with"]["path"] / "sitemap.xml").read_text()
    )
