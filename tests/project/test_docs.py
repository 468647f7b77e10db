"""The documentation says what the code does: each command, option, code and key; and its examples run."""

from __future__ import annotations

import dataclasses
import importlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import click
import pytest
import yaml
from click.testing import CliRunner, Result
from mkdocs.config import config_options

from planbook.cli import main
from planbook.cli.starter_files import starter_files
from planbook.library import RESERVED_URIS
from planbook.plan.parse import parse
from planbook.plugin.planbook_config import PlanbookConfig
from planbook.problems import CODES
from planbook.store.options import Options
from tests import forks
from tests.conftest import ROOT
from tests.files import put
from tests.plugin.serving import serving
from tests.project.guide import CHECKED, Fence, codes, fences, rows, sections, titled
from tests.research.expand.ferry import watched

GUIDE = ROOT / "docs" / "guide"
DECISIONS = ROOT / "docs" / "decisions"


FREE_KEYS = {
    *("meta", "checkboxes"),
    *("totals.states", "totals.sources", "plans[].states", "plans[].parts[].pages[].sources"),
}
"""Objects whose keys are the user's words, marks or states."""


def read(path: Path) -> str:
    """The text of a page."""
    return path.read_text(encoding="utf-8")


def run_planbook(*args: str) -> Result:
    """Run the command line in the current folder, as in a pipe."""
    return CliRunner().invoke(main, args, prog_name="planbook")


@pytest.fixture
def tea(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project of the quick start with the plan and the page of the first page, as the current folder."""
    pages = titled(read(GUIDE / "first-page.md"))
    assert set(pages) == {"documents/flour.md", "plans/bread.md", "docs/bread/01-flour.md"}
    put(tmp_path, {**starter_files("tea"), **pages})
    monkeypatch.chdir(tmp_path)
    return tmp_path


# --- the command line --------------------------------------------------------------------------------------------


def commands() -> Iterator[tuple[str, dict[str, str]]]:
    """Each listed command as a heading names it, with the help of each of its options."""
    root = click.Context(main, info_name="planbook", **main.context_settings)
    assert isinstance(main, click.Group)
    for command in (main, *(main.get_command(root, name) for name in main.list_commands(root))):
        assert command is not None
        if command.hidden:
            continue
        context = root if command is main else click.Context(command, parent=root, info_name=command.name)
        inner = [*command.commands.values()] if isinstance(command, click.Group) and command is not main else []
        params = [param for one in (command, *inner) for param in one.get_params(context)]
        options = [param for param in params if isinstance(param, click.Option)]
        yield context.command_path, {option.opts[-1]: option.help or "" for option in options if not option.hidden}


def documented_options(text: str) -> dict[str, str]:
    """The options in the tables of a text, with their meanings."""
    named = [(codes(cells[0])[-1].split()[0], cells[1]) for cells in rows(text) if cells[0].startswith("`-")]
    return dict(named)


def test_every_command_and_option_is_documented() -> None:
    """cli.md has each command with each option, as its help describes it, and none that does not exist."""
    documented = {head: documented_options(text) for head, text in sections(read(GUIDE / "cli.md"), "##").items()}
    shared = documented.pop("Options of several commands")
    known = dict(commands())
    assert documented.keys() == known.keys()
    for command, options in known.items():
        assert documented[command].keys() <= options.keys() <= {*documented[command], *shared}
        for name, help_text in options.items():
            meaning = documented[command].get(name) or shared[name]
            plain = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", meaning).replace("`", "")
            assert plain.startswith(help_text.replace("`", "")), f"{command} {name}"


SERVES = re.compile(r"\[OPTIONS\]|mcp --http|planbook serve|planbook build$")
"""Usage lines, a server, and a build, which tests of their own start."""


def command_lines() -> list[str]:
    """Every `planbook ...` line in the shell blocks of the Guide that ends by itself."""
    pages = [read(path) for path in sorted(GUIDE.glob("*.md"))]
    blocks = [fence.body for page in pages for fence in fences(page) if fence.language in {"sh", "console"}]
    lines = [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]
    return list(dict.fromkeys(line for line in lines if line.startswith("planbook ") and not SERVES.search(line)))


@pytest.mark.parametrize("line", command_lines())
@pytest.mark.usefixtures("tea")
def test_command_lines_run(line: str) -> None:
    """Each command line of the Guide is understood, and ends with 0, or with 1 where it found something."""
    result = run_planbook(*shlex.split(line)[1:])
    assert result.exit_code in {0, 1}, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)


def sessions() -> list[tuple[str, str]]:
    """Each command of cli.md that is shown with its output."""
    blocks = [fence.body for fence in fences(read(GUIDE / "cli.md")) if fence.language == "console"]
    return [(head.removeprefix("$ "), output) for head, _, output in (block.partition("\n") for block in blocks)]


@pytest.mark.parametrize(("line", "output"), sessions(), ids=[line for line, _ in sessions()])
@pytest.mark.usefixtures("tea")
def test_outputs_are_real(line: str, output: str) -> None:
    """What cli.md shows below a command is what the command prints, blanks at the ends of lines aside."""
    printed = run_planbook(*line.split()[1:]).output.replace(f"{datetime.now(UTC).date()}", "2026-11-24")
    assert [row.rstrip() for row in printed.rstrip().splitlines()] == output.rstrip().splitlines()


def key_paths(value: object, path: str = "") -> Iterator[str]:
    """The keys of JSON data, in the form `parts[].queries[].text`."""
    if isinstance(value, list):
        for element in value:
            yield from key_paths(element, f"{path}[]" if path else "")
    elif isinstance(value, dict) and path not in FREE_KEYS:
        for key, below in value.items():
            name = f"{path}.{key}" if path else str(key)
            yield name
            yield from key_paths(below, name)


@pytest.mark.parametrize(
    ("command", "page", "heading", "level"),
    [
        ("show", "cli.md", "JSON of planbook show", "###"),
        ("status --format json", "progress-page.md", "progress.json", "##"),
        ("check --format json", "cli.md", "JSON of planbook check", "###"),
    ],
)
def test_every_json_key_is_documented(tea: Path, command: str, page: str, heading: str, level: str) -> None:
    """The tables of keys hold each key that `--format=json` prints, and no other."""
    put(tea, {"plans/bread.md": titled(read(GUIDE / "plan-forms.md"))["plans/bread.md"], "plans/notes.md": "# x\n"})
    printed = set(key_paths(json.loads(run_planbook(*command.split()).output)))
    text = sections(read(GUIDE / page), level)[heading]
    objects = [("".join(codes(cells[0])), codes(cells[1])) for cells in rows(text)]
    assert {f"{path}.{key}".lstrip(".") for path, keys in objects for key in keys} == printed


# --- configuration, quick start, README --------------------------------------------------------------------------


def test_every_plugin_option_is_documented() -> None:
    """configuration.md names each option of the plugin with its default, in the table and in the example."""
    config = PlanbookConfig()
    config.load_dict({})
    assert config.validate() == ([], [])
    refused = {name for name, option in PlanbookConfig._schema if isinstance(option, config_options.Deprecated)}
    defaults = {name: value for name, value in config.items() if name not in refused}
    text = sections(read(GUIDE / "configuration.md"), "##")["Plugin options"]
    assert {codes(cells[0])[0]: yaml.safe_load(codes(cells[1])[0]) for cells in rows(text)} == defaults
    assert yaml.safe_load(fences(text)[0].body) == {"plugins": [{"planbook": defaults}]}


def test_every_option_of_research_is_documented() -> None:
    """configuration.md names each option below `expand` with its default; those of the search stand on a page apart."""
    text = sections(read(GUIDE / "configuration.md"), "##")["Research"]
    values = {name: value for name, value in dataclasses.asdict(Options()).items() if name != "search"}
    defaults = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
    assert {codes(cells[0])[0] for cells in rows(text)} == {*defaults, "search"}
    assert yaml.safe_load(fences(text)[0].body) == {"plugins": [{"planbook": {"expand": {**defaults, "search": {}}}}]}


def build(root: Path) -> str:
    """The log of a strict build of the project at `root`, which must succeed."""
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"}
    run = forks.run("mkdocs", "build", "--strict", cwd=root, env=env)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout + run.stderr


def shell(root: Path, command: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command line in `root`, with the installed commands on the path."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environ = {**os.environ, "PATH": path, "NO_MKDOCS_2_WARNING": "1", "PYTHONUTF8": "1", **more}
    bash = ["/bin/bash", "-c", command]
    return subprocess.run(bash, cwd=root, env=environ, capture_output=True, text=True, check=False, timeout=120)


def follow(root: Path, fence: Fence) -> Path:
    """Run the commands of a block one by one, compare what each prints with the block, and return the folder after."""
    assert fence.body.startswith("$ ")
    for block in re.split(r"^\$ ", fence.body, flags=re.MULTILINE)[1:]:
        command, _, output = block.partition("\n")
        if command.startswith("cd "):
            root = root / command.removeprefix("cd ")
            continue
        done = shell(root, f"{command} 2>&1", **watched(CHILD_HOSTS="{}"))  # no host can be reached
        today = f"{datetime.now(UTC).date()}"
        assert shown_as(done.stdout.replace(today, "2026-11-24"), output), f"{command}\n{done.stdout}"
    return root


@pytest.mark.nightly
def test_the_quick_start_happens_as_told(tmp_path: Path) -> None:
    """Its commands print what it shows; its site has what it says, without a warning."""
    root = tmp_path
    for fence in fences(read(GUIDE / "quick-start.md")):
        if fence.language == "console":
            root = follow(root, fence)
    assert root == tmp_path / "tea"
    build(root)
    with serving(root) as server:
        assert "2 of 3 pages are written, 1 is collected passages" in server.page("")
        assert "in a saved copy of" in server.page("tea/02-time/")


def test_the_first_page_happens_as_told(tmp_path: Path) -> None:
    """Its commands print what it shows, on the files that it shows; its page is accepted, with exact quotes."""
    root = tmp_path
    for fence in fences(read(GUIDE / "first-page.md")):
        if fence.language == "console":
            root = follow(root, fence)
        elif fence.title:
            put(root, {fence.title: fence.body})
    page = read(root / "docs/bread/01-flour.md")
    assert 'q2: "Glutenin makes dough elastic, and gliadin lets it stretch."' in page
    assert "two minutes longer [@flour-gluten, q3]." in page
    assert "- [✓] PART 1: Create bread/01-flour.md (Completed 2" in read(root / "plans/bread.md")


@pytest.mark.nightly
def test_a_base_is_adopted_as_told(tmp_path: Path) -> None:
    """Its commands print what it shows, on the files that it shows; its site is built without a warning."""
    blocks = fences(read(GUIDE / "adopt.md"))
    put(tmp_path, {fence.title: fence.body for fence in blocks if fence.title})
    for fence in blocks:
        if fence.language == "bash":
            follow(tmp_path, fence)
    build(tmp_path)


def test_a_wiki_is_checked_as_told(tmp_path: Path) -> None:
    """The command prints what the page shows, on the files that it shows, without a network."""
    blocks = fences(read(GUIDE / "check-a-wiki.md"))
    put(tmp_path, {fence.title: fence.body for fence in blocks if fence.title})
    (shown,) = [fence for fence in blocks if fence.body.startswith("$ planbook audit")]
    follow(tmp_path, shown)
    assert "## Figures differ" in (tmp_path / "audit.md").read_text(encoding="utf-8")


def test_make_needs_no_program_to_start() -> None:
    """But Python: a bare machine may not have others, such as `getconf`."""
    made = [shutil.which("make") or "", "--dry-run", "test", f"PYTHON={sys.executable}"]
    told = subprocess.run(made, cwd=ROOT, env={"PATH": "/nowhere"}, capture_output=True, text=True, check=True)
    assert not told.stderr


def test_make_commands_are_targets() -> None:
    """Each `make ...` in the README and on how to publish is a target of the Makefile."""
    targets = set(re.findall(r"^([a-z]+):.*## ", read(ROOT / "Makefile"), re.MULTILINE))
    for path in (ROOT / "README.md", GUIDE / "publish.md"):
        named = set(re.findall(r"(?:^|`)make ([a-z]+)", read(path), re.MULTILINE))
        assert named
        assert named <= targets


def shown_as(output: str, shown: str) -> bool:
    """Whether `shown` is `output`, where `...` stands for what is left out of a line, or for lines."""
    lines = [re.escape(line).replace(r"\.\.\.", ".*") for line in shown.splitlines()]
    form = "".join(r"(?:.*\n)*" if line == ".*" else rf"{line} *\n" for line in lines)
    return re.fullmatch(form, output if output.endswith("\n") or not output else f"{output}\n") is not None


@pytest.mark.nightly
def test_the_readme_happens_as_told(tmp_path: Path) -> None:
    """Its commands print what it shows, without a network; its site is served."""
    (block,) = [fence for fence in fences(read(ROOT / "README.md")) if fence.language == "console"]
    body, _, served = block.body.rpartition("$ planbook serve\n")
    assert re.findall(r"^\$ (.+)", body, re.MULTILINE) == [
        *("planbook init tea", "cd tea", "planbook expand", "planbook verify --offline")
    ]
    with serving(follow(tmp_path, dataclasses.replace(block, body=body))) as server:
        assert shown_as("".join(server.log[-1:]), served.replace(":8000", f":{urlsplit(server.url).port}"))
        assert "A rinse of 30 seconds does not decaffeinate tea" in server.page("tea/02-time/")


def test_the_readmes_figures_are_those_of_the_guide() -> None:
    """Each figure that the README tells of a trial or a race is one that the Guide gives, rounded at most."""
    text = read(ROOT / "README.md")
    guide = "".join(read(path) for path in sorted(GUIDE.glob("*.md")))
    for figure in ("78 real documents", "159 of 159", "1,311 pages", "134,193 of 134,193"):
        assert figure in " ".join(text.split())
        assert figure in " ".join(guide.split())
    results = read(GUIDE / "speed.md").partition("## Results")[2]
    ratios = {f"{float(ratio):.2f}" for ratio in re.findall(r"(?<![\d.])0\.\d+", results)}
    assert ratios.issuperset(re.findall(r"(?<![\d.])0\.\d+", text))


def test_the_readmes_links_lead_somewhere() -> None:
    """Each local link of the README is a file or folder of the repository; the picture is made by another test."""
    links = re.findall(r"(?<!!)\[[^\]]*\]\(([^)]+)\)", read(ROOT / "README.md"))
    assert links
    assert [link for link in links if not link.startswith("https://") and not (ROOT / link).exists()] == []


# --- problems ----------------------------------------------------------------------------------------------------


def test_every_code_is_documented() -> None:
    """problems.md has a section for each code, in order, with its meaning, anchor, severity and fix; and no other."""
    found = [(head, *text.split()[:1]) for head, text in sections(read(GUIDE / "problems.md"), "###").items()]
    expected = [
        (f"{code}: {kind.title} {{#{code.lower()}}}", f"**{kind.severity.value.capitalize()}.**")
        for code, kind in CHECKED.items()
    ]
    assert found == expected
    assert all("**Fix:** " in text for text in sections(read(GUIDE / "problems.md"), "###").values())


def test_every_code_of_drafts_is_documented() -> None:
    """problems.md lists each code for drafts, and no other."""
    table = rows(sections(read(GUIDE / "problems.md"), "##")["Drafts"])
    assert table == [[code, kind.severity.value, kind.title] for code, kind in CODES.items() if code.startswith("D")]


def test_every_code_of_audits_is_documented() -> None:
    """audit.md lists each code for audits, and no other."""
    table = [cells for cells in rows(read(GUIDE / "audit.md")) if re.fullmatch(r"A\d{3}", cells[0])]
    audits = {code: kind for code, kind in CODES.items() if code.startswith("A")}
    assert table == [[code, kind.severity.value, kind.title] for code, kind in audits.items()]


# --- plans -------------------------------------------------------------------------------------------------------


def test_the_form_to_write_has_no_problem() -> None:
    """The example plan of plan-forms.md is read whole, and nothing is wrong with it."""
    plan, problems = parse(titled(read(GUIDE / "plan-forms.md"))["plans/bread.md"], "plans/bread.md")
    assert problems == ()
    (part,) = plan.parts
    assert all([part.page_title, part.goal, part.reads, part.greps, part.gaps, part.queries, part.sources, part.points])
    assert [bool(section.cite or section.include) for section in part.sections] == [True, True]


def plan_rows(heading: str) -> list[list[str]]:
    """The rows of the tables in one section of plan-forms.md."""
    return rows(sections(read(GUIDE / "plan-forms.md"), "##")[heading])


def test_every_documented_mark_is_read_so() -> None:
    """Each mark in plan-forms.md gives the state that stands beside it."""
    marks = [cells for cells in plan_rows("States and marks") if cells[0].startswith("`[")]
    assert len(marks) == 5
    for cells in marks:
        for box in codes(cells[0]):
            plan, _ = parse(f"## PART 1: Flour\n\n- {box} PART 1: Create a/b.md\n", "plans/x.md")
            assert (box, plan.parts[0].state.value) == (box, cells[1])


def test_every_documented_completion_is_read_so() -> None:
    """Each status line in plan-forms.md gives the completion time that stands beside it."""
    lines = [cells for cells in plan_rows("States and marks") if cells[0].startswith("`- ")]
    assert len(lines) >= 5
    for cells in lines:
        plan, _ = parse(f"## PART 1: Flour\n\n{codes(cells[0])[0]}\n", "plans/x.md")
        assert (plan.parts[0].completed or "none") == cells[1].removesuffix(": a date in a file name is no time")


def test_every_documented_heading_is_a_part() -> None:
    """Each spelling of a PART in plan-forms.md gives the number and title that stand beside it."""
    spellings = [cells for cells in plan_rows("Accepted variants") if len(cells) == 3]
    assert len(spellings) >= 7
    for cells in spellings:
        plan, _ = parse(f"# Bread\n\n{codes(cells[0])[0]}\n", "plans/x.md")
        assert [(str(part.number), part.title) for part in plan.parts] == [(cells[1], cells[2])]


# --- decisions and architecture ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("page", "heading"),
    [("page-forms.md", "Location"), ("engines.md", "Export plain Markdown"), ("problems.md", "K003: ")],
)
def test_every_reserved_page_is_named(page: str, heading: str) -> None:
    """The Guide names it where it lists the pages that every site has; INDEX.md is no Problem."""
    _, found, text = (GUIDE / page).read_text("utf-8").partition(f"# {heading}")
    assert found
    section = text.partition("\n#")[0]
    names = {str(uri) for uri in RESERVED_URIS} - ({"INDEX.md"} if page == "problems.md" else set())
    assert {name for name in names if f"`{name}`" not in section} == set()


def test_every_decision_is_listed() -> None:
    """The index of decisions and the navigation hold each decision, in order, with its title and date."""
    table = rows(read(DECISIONS / "index.md"))
    pages = sorted(DECISIONS.glob("[0-9]*.md"))
    assert pages
    for page, cells in zip(pages, table, strict=True):
        text, number = read(page), page.name[:4]
        title = text.partition("\n")[0]
        assert cells[0] == f"[{number}]({page.name})"
        assert title == f"# {number}: {cells[1]}"
        assert f"\nDate: {cells[2]}\n" in text
        assert f"decisions/{page.name}" in read(ROOT / "mkdocs.yml")


def test_every_page_of_the_guide_is_listed() -> None:
    """The Guide's first page leads to each of its other pages."""
    links = set(re.findall(r"\]\(([\w-]+\.md)\)", read(GUIDE / "index.md")))
    assert links == {path.name for path in GUIDE.glob("*.md")} - {"index.md"}


def test_the_guide_begins_with_ten_words() -> None:
    """The first page names them; each word is defined once, and those that can wait are on other pages, too."""
    first, later = read(GUIDE / "glossary.md").split("\n## ")[1:]
    begin, others = (re.findall(r"^(\w[\w ]*) \{#[\w-]+\}\n:   \S", part, re.MULTILINE) for part in (first, later))
    text = read(GUIDE / "index.md")
    named = re.findall(r"\*\*(\w+)\*\*", text[text.index("Ten words") :].partition("\n\n")[0])
    assert [word.lower() for word in begin] == [word.lower() for word in named]
    assert len(begin) == 10
    assert others == sorted(others, key=str.lower)
    assert len({*begin, *others}) == len(begin) + len(others)
    guide = "".join(read(path) for path in GUIDE.glob("*.md") if path.name != "glossary.md").lower()
    assert [word for word in others if word.lower() not in guide] == []


def test_every_room_is_drawn() -> None:
    """architecture.md names each module and package of the import packages and of research, and no other."""
    rooms = next(fence.body for fence in fences(read(GUIDE / "architecture.md")) if fence.language == "text")
    named = [line.split()[0].rstrip("/") for line in rooms.splitlines()[1:]]
    folders = [
        ROOT / "generator" / name for name in ("", "planbook", "planbook/research", "planbook_cache", "planbook_speed")
    ]
    there = [path.name for folder in folders for path in folder.iterdir() if not path.name.startswith(("_", "."))]
    assert sorted(named) == sorted(name for name in there if name not in {"py.typed", "ruff.toml"})


def test_each_term_leads_to_where_it_is() -> None:
    """The table of terms names modules, or classes and functions in them, that exist."""
    page = (ROOT / "docs" / "guide" / "architecture.md").read_text("utf-8")
    table = page.partition("\n## Terms\n")[2].partition("\n## ")[0]
    places = [
        place
        for row in table.splitlines()
        if row.startswith("| ")
        for place in re.findall(r"`([\w.]+)`", row.rsplit("|", 2)[1])
    ]
    assert len(places) > 15
    for place in places:
        name = place if place.startswith("planbook_") else f"planbook.{place}"
        try:
            importlib.import_module(name)
        except ModuleNotFoundError:
            module, _, member = name.rpartition(".")
            assert hasattr(importlib.import_module(module), member), place
