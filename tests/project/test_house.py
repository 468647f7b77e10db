"""The house's rules, read from the imports and calls of generator/.

A rule takes a `Module` and returns what breaks it. Each is tested on the house and, so that it cannot pass
because it sees nothing, on lines of source that break it and lines that do not (`BROKEN`, `KEPT`).
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.conftest import ROOT
from tests.project.house import Module, Rule, dotted, read_house

PACKAGES = {
    "planbook.model": "",
    "planbook.problems": "",
    "planbook.markdown": "frontmatter markdown markdown_it markupsafe mkdocs.utils.meta pyromark yaml",
    "planbook.plan": "",
    "planbook.citations": "msgspec yaml",
    "planbook.library": "yaml",
    "planbook.store": "filelock mkdocs.exceptions mkdocs.utils.yaml msgspec pathspec yaml",
    "planbook.rules": "yaml",
    "planbook.views": "jinja2 markupsafe msgspec yaml",
    "planbook.views.answers": "",
    "planbook.views.bibliography": "markupsafe",
    "planbook.plugin": "filelock jinja2 markupsafe mkdocs mkdocs_gen_files msgspec pymdownx yaml zensical",
    "planbook.research.audit": "bibtexparser",
    "planbook.research.leases": "filelock msgspec",
    "planbook.research.drafts": "",
    "planbook.research.evidence": "msgspec yaml",
    "planbook.research.expand": "distributed msgspec",
    "planbook.research.submission": "msgspec",
    "planbook.research.git": "",
    "planbook.research.journal": "filelock msgspec",
    "planbook.research.mirrors": "",
    "planbook.research.proof": "msgspec",
    "planbook.research.recording": "msgspec",
    "planbook.research.search": "lxml msgspec pathspec",
    "planbook.research.selection": "",
    "planbook.research.web": "httpx lxml msgspec protego pypdf trafilatura warcio",
    "planbook.research.writers": "msgspec yaml",
    "planbook.runners": "",
    "planbook.cli": "click mcp mkdocs.utils pydantic rich",
    "planbook_cache": "msgspec",
    "planbook_speed": "jinja2 markdown markupsafe material mkdocs msgspec pygments pymdownx watchdog",
}
"""The third-party packages, or parts of them, that each place may import.

Only `plugin` and `planbook_speed` know MkDocs' builds, only `markdown` parses Markdown, and `planbook_speed` needs what
every site with Material has. Which place may import which is in pyproject.toml ([tool.importlinter]).
"""
NETWORK = {"http.client", "socket", "urllib.request"}
"""Modules of the standard library that only `web` and the search providers import."""
QUESTIONS = {"How", "That", "What", "When", "Where", "Whether", "Which", "Who", "Whose"}
NAMES_FOR_ANYTHING = {"foo", "found", "how", "res", "ret", "stuff", "temp", "thing", "tmp", "val", "what"}
ADVERBS = {"around", "every", "left", "one", "said", "there"}
"""Words that say where or how many a value is, and not what."""
RELATIONS = {"counted", "given", "kept", "listed", "named", "others", "own", "taken"}
"""Words that say what was done with a value, or to whom it belongs: `paths`, `works`, `headings` say what it is."""
PREPOSITION = re.compile(
    r"_?(after|as|at|before|behind|below|beside|between|by|for|from|in|into|of|on|until|with|within|without)_"
)
CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]*")
CONSTANT_OF_A_PLACE = re.compile(
    r"_?(?:AFTER|AROUND|AS|AT|BEFORE|BEHIND|BESIDE|BETWEEN|BY|FOR|FROM|IN|LIKE|OF|ON|TO|UP|WITH|WITHIN|WITHOUT)(?:_|$)"
)
SUPERLATIVE = re.compile(r"_?(?:DEEPEST|FEWEST|LEAST|LONGEST|MOST|MOSTLY|SHORTEST|WIDEST)(?:_|$)")
PARTICIPLE = re.compile(r"_?[A-Z]{2,}(?:ED|LY)")
ADJECTIVES = {
    *("AGAIN", "ALIKE", "ALL", "ALMOST", "ALSO", "ALWAYS", "BARE", "COMMON", "CUT", "DEEP", "DONE", "ELSEWHERE"),
    *("EMPTY", "ENOUGH", "FEW", "FIRST", "FORMER", "FULL", "FURTHER", "GONE", "GOOD", "HALF", "HELD", "INLINE", "KEPT"),
    *("KNOWN", "LAST", "LEFT", "LONG", "LOST", "MADE", "MANY", "NEAR", "NEVER", "NEW", "NOTHING", "ODD", "OTHERS"),
    *("OURS", "OUTER", "OWN", "PLAIN", "PRIVATE", "PROPER", "PURE", "QUICK", "RAW", "READ", "SAFE", "SAID", "SAME"),
    *("SELDOM", "SEVERAL", "SHORT", "SIMPLE", "SINGLE", "SMALL", "STALE", "TINY", "TWICE", "UNSEEN", "USUAL", "WEAK"),
    *("WHITE", "WHOLE", "WIDER", "WRITTEN", "WRONG", "GIVEN", "HIDDEN", "SHOWN", "TAKEN"),
}
"""Words that do not say of what a constant is: `WEAK_GROUNDS`, `END_WORDS` and `MAX_WORDS` do."""
ROOMS_TO_NAME = {"planbook.research.audit", "planbook.research.evidence"}
"""Rooms whose constants, and functions called `without_` or `as_`, are still to be named."""
COMPARISONS = {
    f"planbook.research.audit.{name}"
    for name in ("comparison.changed_figures", "comparison.claim_comparison", "claims.report_sentences")
}
"""Modules that compare two texts, in which `own` is of the report and `others` of its source."""
CATCH_ALL = {"base", "common", "helper", "helpers", "manager", "managers", "misc", "util", "utils"}

PRINTS_OR_EXITS = {
    *("print", "click.echo", "click.secho", "rich.console.Console", "rich.get_console", "rich.print"),
    *("sys.stderr.write", "sys.stdout.write", "SystemExit", "exit", "os._exit", "quit", "sys.exit"),
}
WRITING_METHODS = {
    *("chmod", "hardlink_to", "mkdir", "rename", "rmdir", "symlink_to", "touch", "unlink"),
    *("write_bytes", "write_text"),
}
WRITING_FUNCTIONS = {
    *("os.chmod", "os.link", "os.makedirs", "os.mkdir", "os.open", "os.remove", "os.removedirs", "os.rename"),
    *("os.renames", "os.replace", "os.rmdir", "os.symlink", "os.truncate", "os.unlink"),
    *("shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.copytree", "shutil.move", "shutil.rmtree"),
}
DATABASES = {"sqlite3.connect"}
"""A database in a file is a file; one in memory is none."""
DISK_CACHES = {
    "planbook_cache.disk",
    "planbook.plugin.generated_files",
    "planbook_speed.site_files",
    "planbook_speed.page_html",
}
"""The cache, the generated files in it, and what planbook-speed moves files with and keeps HTML in: what they write may
be deleted at any time, or is the site's folder itself."""
WRITERS = {
    *("planbook.store", "planbook.research.leases", "planbook.research.git", "planbook.research.journal"),
    "planbook.research.mirrors",
}
INDEXES = {"planbook.research.search.full_text_index", "planbook.research.search.repositories"}
"""Databases that hold what lies elsewhere, and may be deleted at any time."""
OPENING_FUNCTIONS = {"open", "bz2.open", "codecs.open", "gzip.open", "io.open", "lzma.open"}


def is_within(name: str, packages: set[str]) -> bool:
    """Whether the dotted name is one of the packages or stands inside one."""
    return any(f"{name}.".startswith(f"{package}.") for package in packages)


def imports_research_early(module: Module) -> Iterator[str]:
    """A command imports research when it runs, but for the modules all of whose commands are research."""
    imports_all = {"planbook.cli.expand", "planbook.cli.mcp", "planbook.cli.run_report"}
    is_command = module.place == "planbook.cli" and not is_within(module.name, imports_all)
    for node in ast.parse(module.source).body if is_command else ():
        if isinstance(node, ast.ImportFrom) and is_within(node.module or "", {"planbook.research"}):
            yield f"{module.name}:{node.lineno}: import {node.module} in the command that needs it"


def imports_foreign(module: Module) -> Iterator[str]:
    """A place imports the standard library, the house, and what `PACKAGES` gives it."""
    for line, name in module.imports():
        is_ours = name.partition(".")[0] in {*sys.stdlib_module_names, "planbook", "planbook_cache", "planbook_speed"}
        reaches_hosts = module.place in {"planbook.research.web", "planbook.research.search"}
        is_network = is_within(name, NETWORK) and not reaches_hosts
        if is_network or not (is_ours or is_within(name, {*PACKAGES.get(module.place, "").split()})):
            yield f"{module.name}:{line}: {module.place} must not import {name}"


def writes_files(module: Module) -> Iterator[str]:
    """Only `WRITERS` write files; `plugin` and workers have temporary ones; `DISK_CACHES` have their own."""
    if module.place in WRITERS or module.name in DISK_CACHES:
        return
    has_temporary = module.place == "planbook.plugin" or module.name == "planbook_cache.workers"
    for line, name in module.imports():
        if is_within(name, {"tempfile"}) and not has_temporary:
            yield f"{module.name}:{line}: only store makes files, not {name}"
    for call, name in module.calls():
        method = name.rpartition(".")[2]
        is_path_replace = method == "replace" and len(call.args) == 1 and not call.keywords  # str's takes two
        is_editor = module.place == "planbook.plugin" and name not in OPENING_FUNCTIONS
        if (
            name in WRITING_FUNCTIONS
            or ("." in name and (method in WRITING_METHODS or is_path_replace))
            or (method == "open" and opens_to_write(call, name) and not is_editor)
            or (name in DATABASES and not is_in_memory(call) and module.name not in INDEXES)
        ):
            yield f"{module.name}:{call.lineno}: only store writes files, not {name}()"


def is_in_memory(call: ast.Call) -> bool:
    """Whether the database that is opened lies in memory."""
    return bool(call.args) and isinstance(call.args[0], ast.Constant) and call.args[0].value == ":memory:"


def opens_to_write(call: ast.Call, name: str) -> bool:
    """Whether the mode of an `open` allows writing; one that the text does not tell counts as such."""
    place_of_mode = 1 if name in OPENING_FUNCTIONS else 0
    modes = [keyword.value for keyword in call.keywords if keyword.arg == "mode"] + call.args[place_of_mode:2]
    texts = [mode.value if isinstance(mode, ast.Constant) else "w" for mode in modes]
    return any(set(str(text)) & set("wax+") and set(str(text)) <= set("rwaxbt+") for text in texts)


def prints_or_exits(module: Module) -> Iterator[str]:
    """Only `cli` prints and exits; `workers` ends the processes that it has forked."""
    if module.place == "planbook.cli":
        return
    for call, name in module.calls():
        if name in PRINTS_OR_EXITS and (module.name, name) != ("planbook_cache.workers", "os._exit"):
            yield f"{module.name}:{call.lineno}: only cli prints and exits, not {name}()"
    for node in module.nodes():
        if isinstance(node, ast.Raise) and node.exc and dotted(node.exc) == "SystemExit":
            yield f"{module.name}:{node.lineno}: only cli exits"


def has_a_name_for_anything(module: Module) -> Iterator[str]:
    """No module is named so that anything might stand in it."""
    for part in set(module.name.split(".")) & CATCH_ALL:
        yield f"{module.name}: {part} does not say what it is about"


def binds_a_name_for_anything(module: Module) -> Iterator[str]:
    """A parameter or local value says what it is; a field may have the name of a key in JSON."""
    classes = [node for node in module.nodes() if isinstance(node, ast.ClassDef)]
    fields = {id(line.target) for node in classes for line in node.body if isinstance(line, ast.AnnAssign)}
    for node in module.nodes():
        if isinstance(node, ast.arg):
            name = node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in fields:
            name = node.id
        else:
            continue
        if name in NAMES_FOR_ANYTHING | ADVERBS or (name in RELATIONS and module.name not in COMPARISONS):
            yield f"{module.name}:{node.lineno}: `{name}` may be anything; name it by what it is"


def begins_with_a_preposition(module: Module) -> Iterator[str]:
    """A function of a module is named by what it does; a method may be, as `with_earlier`, by what its result has."""
    for node in ast.parse(module.source).body:
        if not isinstance(node, ast.FunctionDef) or not PREPOSITION.match(node.name):
            continue
        is_left = module.place in ROOMS_TO_NAME and node.name.lstrip("_").startswith(("as_", "without_"))
        if not is_left:
            yield f"{module.name}:{node.lineno}: {node.name} does not say what it does"


def names_no_thing(module: Module) -> Iterator[str]:
    """A constant of a module says what it is; a limit is `MAX_` or `MIN_` something."""
    if module.place in {"planbook.problems", *ROOMS_TO_NAME}:
        return  # the names of Problems say what a page is
    for node in ast.parse(module.source).body:
        match node:
            case ast.Assign(targets=targets):
                names = [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]
            case ast.AnnAssign(target=ast.Name(id=name)):
                names = [name]
            case _:
                names = []
        for name in filter(CONSTANT.fullmatch, names):
            is_vague = PARTICIPLE.fullmatch(name) or name.lstrip("_") in ADJECTIVES
            if is_vague or CONSTANT_OF_A_PLACE.match(name) or SUPERLATIVE.match(name):
                yield f"{module.name}:{node.lineno}: {name} does not say what it is; limits are MAX_ and MIN_"


def asks_in_a_docstring(module: Module) -> Iterator[str]:
    """Docstrings give a result; none begins like a question."""
    for node in module.nodes():
        for child in getattr(node, "body", None) or [] if not isinstance(node, ast.Lambda | ast.IfExp) else []:
            text = child.value.value if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant) else None
            if isinstance(text, str) and text.split(maxsplit=1)[:1] and text.split(maxsplit=1)[0] in QUESTIONS:
                yield f"{module.name}:{child.lineno}: the docstring begins with {text.split(maxsplit=1)[0]}"


def test_house_is_read() -> None:
    """The rules look at real modules, with their imports and calls."""
    house = read_house()
    assert {"planbook.__init__", "planbook.model"} <= {module.name for module in house}
    assert any(name == "dataclasses.dataclass" for module in house for _, name in module.imports())
    assert any(True for module in house for _ in module.calls())


RULES = (
    *(imports_research_early, imports_foreign, writes_files, prints_or_exits),
    *(has_a_name_for_anything, binds_a_name_for_anything, begins_with_a_preposition, names_no_thing),
    asks_in_a_docstring,
)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_house_keeps_the_rule(rule: Rule) -> None:
    """Nothing in generator/ breaks it."""
    assert [message for module in read_house() for message in rule(module)] == []


def test_a_name_occurs_once() -> None:
    """One name, one concept: classes, and public functions of modules."""
    classes = (node.name for module in read_house() for node in module.nodes() if isinstance(node, ast.ClassDef))
    public = (node for module in read_house() for node in ast.parse(module.source).body)
    functions = (node.name for node in public if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"))
    assert [name for name, count in Counter([*classes, *functions]).items() if count > 1] == []


def test_a_private_function_has_a_name_of_its_own() -> None:
    """Whoever reads `_title_of_role` in a traceback knows which; two rooms are still to be gone through."""
    modules = [module for module in read_house() if module.place not in ROOMS_TO_NAME]
    nodes = (node for module in modules for node in ast.parse(module.source).body)
    functions = (node.name for node in nodes if isinstance(node, ast.FunctionDef) and node.name.startswith("_"))
    assert [name for name, count in Counter(functions).items() if count > 1] == []


NAMES_OF_TWO = {
    **dict.fromkeys(("brief", "gather", "index", "refresh", "verify"), "a command, and the module that does its work"),
    **dict.fromkeys(("links", "working_tree_quotes", "pages", "sources"), "values, and the rules for them"),
    "model": "the domain, and the values of the web client",
    "project": "a project as a command opens it, and as rules see it",
    "watch": "`status --watch`, and a server that notices saved files",
}
"""The names of modules that two may have, and why."""


def test_the_name_of_a_module_occurs_once() -> None:
    """Whoever reads `documents` in an import knows which; the names that two modules have are listed with a reason."""
    paths = (ROOT / "generator").rglob("*.py")
    names = Counter(path.stem for path in paths if not path.stem.startswith("__"))
    assert {name for name, count in names.items() if count > 1} == NAMES_OF_TWO.keys()
    assert max(names.values()) == 2


def rebound_names(module: Module) -> list[str]:
    """Names that a module binds twice at its top: the second value holds for functions above it, too."""
    bound: Counter[str] = Counter()
    for node in ast.parse(module.source).body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                bound[name] += 1
            case ast.Assign(targets=targets):
                names = (name for target in targets for name in ast.walk(target) if isinstance(name, ast.Name))
                bound.update(name.id for name in names if isinstance(name.ctx, ast.Store))
            case ast.AnnAssign(target=ast.Name(id=name)):
                bound[name] += 1
    return [f"{module.name}: {name} is bound {times} times" for name, times in bound.items() if times > 1]


def test_a_module_binds_a_name_once() -> None:
    """Two limits with one name would both be the second."""
    assert [fault for module in read_house() for fault in rebound_names(module)] == []
    assert rebound_names(Module("x", "MOST = 1\nA, B = 1, 2\nMOST: int = 2\n")) == ["x: MOST is bound 2 times"]


def test_no_test_module_imports_another() -> None:
    """What several need is in a module of its own, or a fixture: a reader knows which tests a change concerns."""
    imported = [
        f"{path.relative_to(ROOT)}: {node.module}"
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and re.match(r"tests\.(?:\w+\.)*test_\w+$", node.module or "")
    ]
    assert imported == []


BROKEN: list[tuple[Rule, str, str]] = [
    (imports_research_early, "planbook.cli.check", "from planbook.research.evidence import rank"),
    (imports_foreign, "planbook.model", "import yaml"),
    (imports_foreign, "planbook.views.index", "from mkdocs.structure.files import File"),
    (imports_foreign, "planbook.library", "import properdocs.config as c"),
    (imports_foreign, "planbook.research.expand", "from urllib.request import urlopen"),
    (writes_files, "planbook.views.index", "path.write_text('')"),
    (writes_files, "planbook.views.index", "Path('x').write_bytes(b'')"),
    (writes_files, "planbook.views.index", "open('x', 'w')"),
    (writes_files, "planbook.views.index", "open('x', mode='ab')"),
    (writes_files, "planbook.views.index", "open('x', mode)"),
    (writes_files, "planbook.views.index", "path.open('x')"),
    (writes_files, "planbook.views.index", "path.open(mode='r+')"),
    (writes_files, "planbook.views.index", "editor.open(uri, 'w')"),
    (writes_files, "planbook.views.index", "import os\nos.replace(a, b)"),
    (writes_files, "planbook.views.index", "path.replace(other)"),
    (writes_files, "planbook.cli", "import shutil as sh\nsh.rmtree(folder)"),
    (writes_files, "planbook.research.recording.recorder", "import sqlite3\nsqlite3.connect(path)"),
    (writes_files, "planbook.research.recording.recorder", "from sqlite3 import connect\nconnect('ledger.sqlite')"),
    (writes_files, "planbook.plugin", "open(path, 'w')"),
    (writes_files, "planbook_speed.plugin", "path.write_text('')"),
    (prints_or_exits, "planbook.library", "print('x')"),
    (prints_or_exits, "planbook.library", "from sys import exit as leave\nleave()"),
    (prints_or_exits, "planbook.library", "raise SystemExit"),
    (prints_or_exits, "planbook.library", "from rich.console import Console\nConsole()"),
    (has_a_name_for_anything, "planbook.plan.utils", ""),
    (has_a_name_for_anything, "planbook.common.__init__", ""),
    (binds_a_name_for_anything, "planbook.plan.parse", "found = read(text)"),
    (binds_a_name_for_anything, "planbook.plan.parse", "def f(found):\n    return 1"),
    (binds_a_name_for_anything, "planbook.plan.parse", "lines = [found.line for found in problems]"),
    (binds_a_name_for_anything, "planbook.plan.parse", "there = [page for page in pages if page]"),
    (binds_a_name_for_anything, "planbook.research.proof.verify", "ids = [one.id for one in references]"),
    (binds_a_name_for_anything, "planbook.citations.mentions", "named = [page for page in pages if page]"),
    (binds_a_name_for_anything, "planbook.store.files", "def f(kept):\n    return 1"),
    (begins_with_a_preposition, "planbook.plan.lint", "def _of_marks(part):\n    return part"),
    (begins_with_a_preposition, "planbook.plan.lint", "def without_marks(part):\n    return part"),
    (names_no_thing, "planbook.views.search", "OURS = 3"),
    (names_no_thing, "planbook.views.search", "_BLOCKED: frozenset[int] = frozenset({401})"),
    (names_no_thing, "planbook.views.search", "_IN_ROW, VALUE = 1, 2"),
    (names_no_thing, "planbook.views.search", "MOST_WORDS = 3"),
    (asks_in_a_docstring, "planbook.model", 'def f():\n    """Whether it is so."""'),
    (asks_in_a_docstring, "planbook.model", 'LIMIT = 3\n"""How many."""'),
]

KEPT: list[tuple[Rule, str, str]] = [
    (imports_research_early, "planbook.cli.check", "def f():\n    from planbook.research.evidence import rank"),
    (imports_research_early, "planbook.cli.expand", "from planbook.research.expand import jobs"),
    (imports_foreign, "planbook.model", "from dataclasses import dataclass\nfrom planbook import problems"),
    (imports_foreign, "planbook.markdown.front_matter", "from mkdocs.utils.meta import get_data"),
    (imports_foreign, "planbook.research.web.client", "import socket\nimport httpx"),
    (writes_files, "planbook.store", "path.write_text('')"),
    (writes_files, "planbook.research.journal", "import sqlite3\nsqlite3.connect(path)"),
    (writes_files, "planbook.research.evidence.rank", "import sqlite3\nsqlite3.connect(':memory:')"),
    (writes_files, "planbook.plugin", "with editor.open(uri, 'w') as file:\n    file.write(text)"),
    (writes_files, "planbook.plugin", "from tempfile import TemporaryDirectory"),
    (writes_files, "planbook.library", "text.replace('a', 'b')\nreplace(part, state=state)"),
    (writes_files, "planbook.library", "open(path)\npath.open()\npath.open('rb')\nopen(path, 'r')"),
    (writes_files, "planbook_speed.site_files", "path.write_text('')\nbeside.replace(path)"),
    (prints_or_exits, "planbook.cli", "print('x')\nraise SystemExit(1)"),
    (prints_or_exits, "planbook.library", "report.print()\nraise ValueError"),
    (has_a_name_for_anything, "planbook.library", ""),
    (
        binds_a_name_for_anything,
        "planbook.citations.report",
        "class Totals:\n    found: int = 0\n    def f(self):\n        return self.found",
    ),
    (names_no_thing, "planbook.views.search", "OUR_PREFIX = 3\nMAX_WORDS, NO_CACHE, HEAD = 1, 2, 3\ntype_of = int"),
    (names_no_thing, "planbook.model", "class State:\n    DONE = 1"),
    (begins_with_a_preposition, "planbook.model", "class Part:\n    def with_line(self, line):\n        return self"),
    (begins_with_a_preposition, "planbook.model", "def offer(part):\n    return part"),
    (asks_in_a_docstring, "planbook.model", 'def f():\n    """Return what is so."""\n    return "What"'),
]


def title(case: object) -> str | None:
    """A short name of a case's part, for pytest's ids."""
    return getattr(case, "__name__", None)


@pytest.mark.parametrize(("rule", "name", "source"), BROKEN, ids=title)
def test_rule_catches(rule: Rule, name: str, source: str) -> None:
    """One line that breaks the rule is told once, with the module's name."""
    messages = list(rule(Module(name, source)))
    assert len(messages) == 1
    assert messages[0].startswith(name)


@pytest.mark.parametrize(("rule", "name", "source"), KEPT, ids=title)
def test_rule_lets_through(rule: Rule, name: str, source: str) -> None:
    """What the design allows breaks no rule."""
    assert list(rule(Module(name, source))) == []


def test_every_rule_is_tested_both_ways() -> None:
    """No rule is without a line that breaks it and one that does not."""
    assert {rule for rule, _, _ in BROKEN} == {rule for rule, _, _ in KEPT} == set(RULES)
