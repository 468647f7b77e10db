"""The recipes of CONTRIBUTING work, step by step, in a copy of the packages."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.files import put

RECIPE = re.compile(r"^### (?P<title>Add .*)\n(?P<text>(?:(?!^##).*\n)*)", re.MULTILINE)
STEP = re.compile(r'^```(?P<kind>python|diff) title="(?P<path>[^"]+)"\n(?P<code>.*?)^```$', re.MULTILINE | re.DOTALL)
PLAN = """# BREAD

## PART 1: Create bread/1-rye.md

**Headline**: The rye loaf

- [ ] PART 1: Create bread/1-rye.md

**Search**: "rye <b>flour</b>"
"""
PAGES = {
    "plans/bread.md": PLAN,
    "docs/index.md": "# Home\n\nSee [the queries](queries.md).\n",
    "mkdocs.yml": "site_name: T\ntheme: {name: material, font: false}\nplugins: [planbook]\nstrict: true\n",
}


MAPS = ("tests/project/test_docstrings.py::test_a_package_names_each_of_its_modules",)
"""Tests that know which modules a package has."""
LIST_PAGES = ("tests/views/test_navigation.py", "tests/views/test_portable.py")
"""Tests that know which pages a site has, and in which order."""
GUIDE_OF_PAGES = ("tests/project/test_docs.py::test_every_reserved_page_is_named",)
"""Tests that know where the Guide lists these pages."""
GUIDE_OF_CODES = (
    "tests/project/test_docs.py::test_every_code_is_documented",
    "tests/rules/test_every_code.py::test_no_code_is_left_out",
    "tests/rules/test_every_code.py::test_a_case_gives_it_and_one_close_by_does_not[P099]",
)
"""Tests that know the codes, and the example of the recipe's."""
OF_PROVIDERS = tuple(f"tests/research/search/test_{name}.py" for name in ("guide", "providers", "catalogue"))
"""Tests that know where the Guide lists providers, and ask each of them on loopback."""
HOUSE = ("tests/project/test_house.py", "tests/project/test_read_once.py")
"""Tests of the rules of the house."""
COPIED = ("docs", "generator", "tests")
WITHHELD = {"PLANBOOK_CI", "PYTHONDONTWRITEBYTECODE", "PYTEST_XDIST_WORKER"}
"""Variables that a command in the copy is not given: there, golden files are written anew, modules are compiled
once for all commands, and no site is shared with another worker, or with an earlier run."""


@dataclass(frozen=True)
class Copy:
    """A copy of the packages, their tests and the Guide, changed as a recipe says, with a project beside it."""

    folder: Path

    @property
    def project(self) -> Path:
        """The folder of the project."""
        return self.folder / "project"

    def follow(self, title: str) -> tuple[str, ...]:
        """Do what a recipe says: write new files, and change others as its diffs show.

        Returns:
            The new files.
        """
        steps = list(STEP.finditer(recipes()[title]))
        assert steps
        for step in steps:
            file = self.folder / step["path"]
            if step["kind"] == "python":
                assert not file.exists()
                file.write_text(step["code"], "utf-8")
            else:
                file.write_text(with_diff(file.read_text("utf-8"), step["code"]), "utf-8")
        return tuple(step["path"] for step in steps if step["kind"] == "python")

    def passes(self, tests: tuple[str, ...], *options: str) -> None:
        """Run tests of the copy."""
        files = [str(self.folder / test) for test in tests]
        done = self.run("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *options, *files)
        assert done.returncode == 0, done.stdout

    def is_formatted(self, files: tuple[str, ...]) -> None:
        """Let ruff look at new files: the code of a recipe keeps the rules of the repository."""
        for command in ("check", "format --check"):
            done = self.run("-m", "ruff", *command.split(), *(str(self.folder / file) for file in files))
            assert done.returncode == 0, done.stdout

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a module of the copy, or code, in the project."""
        path = str(self.folder / "generator")
        inherited = {name: value for name, value in os.environ.items() if name not in WITHHELD}
        environment = {**inherited, "PYTHONPATH": path, "NO_MKDOCS_2_WARNING": "1"}
        return subprocess.run(
            (sys.executable, *command),
            cwd=self.project,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    def printed(self, code: str) -> str:
        """Return what code prints that imports the copy."""
        done = self.run("-c", code)
        assert done.returncode == 0, done.stderr
        return done.stdout


def recipes() -> dict[str, str]:
    """Return the text of each recipe, by its title."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    return {recipe["title"]: recipe["text"] for recipe in RECIPE.finditer(text)}


def with_diff(text: str, diff: str) -> str:
    """Return the text with a diff applied, whose context must be found once, as whole lines."""
    lines = diff.splitlines()
    assert any(line.startswith(("+", "-")) for line in lines), f"it changes nothing: {diff}"
    before = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("+"))
    after = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("-"))
    assert f"\n{text}".count(f"\n{before}") == 1, before
    return f"\n{text}".replace(f"\n{before}", f"\n{after}").removeprefix("\n")


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    """A copy of the repository, as far as recipes change it, and a project with a plan."""
    # With what is compiled: it holds as long as the files have the same times.
    leave_out = shutil.ignore_patterns("recorded", "documents")
    for folder in COPIED:
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=leave_out)
    for file in ("CHANGELOG.md", "mkdocs.yml", "pyproject.toml"):
        shutil.copy(ROOT / file, tmp_path)
    put(tmp_path / "project", PAGES)
    return Copy(tmp_path)


def test_every_recipe_is_tested() -> None:
    """A recipe without a test here could be wrong."""
    tested = {
        *("a view", "a Problem", "a form of a plan", "a line without a label", "a meaning of a label"),
        *("a search provider", "a writer", "an input of pages"),
    }
    assert recipes().keys() == {f"Add {what}" for what in tested}


@pytest.mark.nightly  # reads every module of the packages twice
def test_all_recipes_keep_the_rules_of_the_house(copy: Copy) -> None:
    """One after the other, in one copy: no diff stands where another has been applied."""
    for title in recipes():
        copy.follow(title)
    copy.passes(HOUSE)


def test_a_view(copy: Copy) -> None:
    """The page is built and in the navigation, in INDEX it is not, and a page of its name is reported.

    Its tests pass, and other engines get it. With new golden files, so do the tests that list pages.
    """
    files = copy.follow("Add a view")
    copy.is_formatted(files)
    copy.passes(LIST_PAGES, "--golden")
    copy.passes(("tests/views/test_query_list.py", *LIST_PAGES, *MAPS, *GUIDE_OF_PAGES))
    copy.passes(("tests/project/test_house.py",), "-k", "name_of_a_module")
    built = copy.run("-m", "mkdocs", "build", "--strict")
    assert built.returncode == 0, built.stderr
    site = copy.project / "site"
    assert "rye &lt;b&gt;flour&lt;/b&gt;" in (site / "queries/index.html").read_text("utf-8")
    navigation = (site / "index.html").read_text("utf-8").partition("md-nav--primary")[2].partition("md-content")[0]
    assert 'href="queries/"' in navigation
    assert "queries.md" not in (site / "INDEX.md").read_text("utf-8")
    assert copy.run("-m", "planbook", "materialize", "tree").returncode == 0
    assert "- rye" in (copy.project / "tree/queries.md").read_text("utf-8")
    by_keyword = copy.folder / "generator/planbook/views/top_views.py"
    by_keyword.write_text(
        by_keyword.read_text("utf-8").replace("queries_page, base", "queries_page, library=base"), "utf-8"
    )
    refused = copy.run("-m", "mkdocs", "build", "--strict")
    assert "queries.md: give the values of queries_page by position" in refused.stderr
    put(copy.project, {"docs/queries.md": "# Mine\n"})
    assert "K003" in copy.run("-m", "planbook", "check").stdout


@pytest.mark.nightly  # builds a whole site three times
def test_a_view_leaves_the_tests_of_a_site_green(copy: Copy) -> None:
    """With new golden files, the whole site is as its tests expect, with the new page in its place."""
    copy.follow("Add a view")
    copy.passes(("tests/plugin/test_complete.py",), "--golden")
    copy.passes(("tests/plugin/test_complete.py",))
    assert "-  (queries.md)\n" in (copy.folder / "tests/golden/made/nav.txt").read_text("utf-8")


def test_a_problem(copy: Copy) -> None:
    """It is reported with file and line, and can be left out."""
    copy.is_formatted(copy.follow("Add a Problem"))
    copy.passes((*MAPS, *GUIDE_OF_CODES))
    message = "plans/bread.md:1:1: warning the title BREAD is in capitals; write it as a sentence P099"
    assert message in " ".join(copy.run("-m", "planbook", "check").stdout.split())
    assert "P099" not in copy.run("-m", "planbook", "check", "--ignore", "P099").stdout


def test_a_form_of_a_plan(copy: Copy) -> None:
    """The parser reads it, and gives what the row says."""
    code = (
        "from pathlib import Path\n"
        "from planbook.plan.parse import parse_bytes\n"
        "plan, _ = parse_bytes(Path('plans/bread.md').read_bytes(), 'plans/bread.md')\n"
        "print(plan.parts[0].page_title)\n"
    )
    assert copy.printed(code) == "None\n"
    copy.follow("Add a form of a plan")
    assert copy.printed(code) == "The rye loaf\n"
    put(copy.project, {"plans/bread.md": PLAN.replace("**Headline**", "- **Headline**")})
    assert copy.printed(code) == "The rye loaf\n"
    copy.passes(("tests/plan/test_forms.py",), "--golden")
    copy.passes(("tests/plan/test_forms.py", "tests/plan/test_misspelled.py"))


def test_a_line_without_a_label(copy: Copy) -> None:
    """The reader takes its line, which no other reads, and all other lines are read as before."""
    code = (
        "from planbook.plan.parse import parse\n"
        "text = '# P\\n\\n## PART 1: Create a/1-x.md\\n\\n- [ ] ? rye ash\\n'\n"
        "print([query.text for query in parse(text, 'plans/p.md')[0].parts[0].queries])\n"
    )
    assert copy.printed(code) == "[]\n"
    copy.follow("Add a line without a label")
    assert copy.printed(code) == "['rye ash']\n"
    copy.passes(("tests/plan/test_lines.py", "tests/plan/test_forms.py", "tests/plan/test_parse.py"))


def test_a_meaning_of_a_label(copy: Copy) -> None:
    """It is read, shown and in the brief; a PART with it is another one, and all others stay as they are."""
    code = (
        "from planbook.plan.parse import parse\n"
        "from planbook.research.evidence.origins import part_digest\n"
        "text = '# P\\n\\n## PART 1: Create a/1-x.md\\n'\n"
        "for plan in (text, text + '\\n**Audience**: bakers\\n'):\n"
        "    part = parse(plan, 'plans/p.md')[0].parts[0]\n"
        "    print(part_digest(part), getattr(part, 'audience', None))\n"
    )
    before = copy.printed(code).split()
    copy.follow("Add a meaning of a label")
    after = copy.printed(code).split()
    assert (before[0], before[1::2], after[1::2]) == (after[0], ["None", "None"], ["None", "bakers"])
    assert after[2] != before[2]
    copy.passes(("tests/plan/test_forms.py",), "--golden")
    copy.passes(("tests/plan/test_forms.py", "tests/plan/test_misspelled.py"))
    put(copy.project, {"plans/bread.md": PLAN.replace("**Headline**: The rye loaf", "**Audience**: home bakers")})
    assert '"audience": "home bakers"' in copy.run("-m", "planbook", "show", "bread").stdout
    assert "**Audience**: home bakers" in copy.run("-m", "planbook", "brief", "bread", "1").stdout


def test_a_search_provider(copy: Copy) -> None:
    """The options accept it; it sends the query, and reads the list in the answer, as its tests say."""
    copy.follow("Add a search provider")
    copy.passes(OF_PROVIDERS, "-k", "library or documented or fresh")
    put(
        copy.project,
        {
            "mkdocs.yml": PAGES["mkdocs.yml"].replace(
                "[planbook]", "[{planbook: {expand: {search: {providers: [library]}}}}]"
            )
        },
    )
    code = (
        "import json\n"
        "from pathlib import Path\n"
        "from planbook.model import Query\n"
        "from planbook.research.search.catalogue import APIS\n"
        "from planbook.research.search.provider import ApiProvider\n"
        "from planbook.research.web.model import Outcome, Reply\n"
        "from planbook.store import read_settings\n"
        "from planbook.store.options import read_options\n"
        "print(read_options(read_settings(Path('.'))).search.providers)\n"
        "body = json.dumps({'response': {'docs': [{'link': 'https://a.example/rye', 'name': 'Rye'}]}})\n"
        "def ask(call):\n"
        "    print(call.url, call.params)\n"
        "    return Reply(Outcome.OK, status_code=200, body=body.encode())\n"
        "found = ApiProvider(APIS['library'], ask, '').search(Query('web', 'rye flour'), 5)\n"
        "print([(hit.url, hit.title) for hit in found.hits])\n"
    )
    assert copy.printed(code).splitlines() == [
        "('library',)",
        "https://library.example/find (('words', 'rye flour'), ('rows', '5'))",
        "[('https://a.example/rye', 'Rye')]",
    ]


def test_a_writer(copy: Copy) -> None:
    """The option of the configuration and that of the command line accept it, and a run would use it."""
    copy.is_formatted(copy.follow("Add a writer"))
    copy.passes(MAPS)
    put(
        copy.project,
        {"mkdocs.yml": PAGES["mkdocs.yml"].replace("[planbook]", "[{planbook: {expand: {writer: first}}}]")},
    )
    code = (
        "from pathlib import Path\n"
        "from planbook.research.expand.context import find_writer\n"
        "from planbook.store import read_settings\n"
        "from planbook.store.options import read_options\n"
        "settings = read_settings(Path('.'))\n"
        "spec = find_writer(settings, read_options(settings), {})\n"
        "print(spec.description, '-', spec.create(None, None, None).__name__)\n"
    )
    assert copy.printed(code) == "the best passage on each point - write_first\n"
    put(copy.project, {"mkdocs.yml": PAGES["mkdocs.yml"]})
    done = copy.run("-m", "planbook", "expand", "--writer", "first", "--dry-run")
    assert done.returncode == 0, done.stderr


def test_an_input_of_pages(copy: Copy) -> None:
    """Pages are taken from the last build in the same time zone, and built again in another, which a build says."""
    copy.follow("Add an input of pages")
    put(copy.project, {"mkdocs.yml": "site_name: T\ntheme: {name: material, font: false}\nplugins: [planbook-speed]\n"})
    put(copy.project, {"docs/index.md": "# Home\n"})
    said = [_say_of_build(copy, zone) for zone in ("UTC", "UTC", "Asia/Tokyo")]
    assert said[1] == ["index.md: reused: nothing that its template can read has changed"]
    assert said[2][0] == "all pages: built again: changed: the time zone"
    assert "index.md: built again: changed: the time zone" in said[2]


def _say_of_build(copy: Copy, time_zone: str) -> list[str]:
    """Return what planbook-speed says of a build."""
    code = f"import os; os.environ['TZ'] = {time_zone!r}; from mkdocs.__main__ import cli; cli(['build', '--verbose'])"
    done = copy.run("-c", code)
    assert done.returncode == 0, done.stderr
    lines = (line.partition("planbook-speed: ") for line in done.stderr.splitlines())
    return [said for _, name, said in lines if name]
