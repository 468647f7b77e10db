"""Docstrings lead to what is there: maps of packages are complete, named modules exist, and so does a named `None`."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from functools import cache

import pytest

from planbook.cli import COMMANDS
from tests.project.house import Module, read_house

PLACES = ("", "planbook.", "planbook.research.", "planbook_speed.", "planbook_cache.")
"""What a docstring may leave out before the name of a module."""
OPTIONS = "expand."
"""The names of options begin so, too."""
FILES = (".css", ".html", ".js", ".json", ".md", ".yml")
"""Names of files end so."""
OF_OTHERS = re.compile(r"on_[a-z_]+")
"""Names of MkDocs' events."""
FOR_AGENTS = "planbook.cli.mcp."
"""Docstrings of these packages are printed, and name keys of answers."""
BEGINS = re.compile(r"\b(?:[Rr]ead|[Ss]tart with|[Ww]here to begin)\b")
IS_NONE = re.compile(r"(?:result is|;) ``?None``?")
"""What a docstring says of a function that returns `None` for some arguments."""


@cache
def house() -> dict[str, Module]:
    """Every module of generator/ by its dotted name, packages by theirs."""
    return {module.name.removesuffix(".__init__"): module for module in read_house()}


PACKAGES = sorted(module.name.removesuffix(".__init__") for module in house().values() if "__init__" in module.name)


def docstring(name: str) -> str:
    """The docstring of a module."""
    return ast.get_docstring(ast.parse(house()[name].source)) or ""


def named_in(text: str) -> set[str]:
    """The words that a docstring has between backticks (the last of `a.b.c`), and all of its indented drawings."""
    drawings = " ".join(line for line in text.splitlines() if line.startswith("    "))
    return {*re.findall(r"`(?:[\w.]*\.)?(\w+)`", text), *re.findall(r"\w+", drawings)}


def modules_of(package: str) -> set[str]:
    """The modules and packages right in a package; a module of `cli` that is a command has its name in its help."""
    inside = {name.rpartition(".")[2] for name in house() if name.rpartition(".")[0] == package}
    commands = {module.partition(".")[0] for module, _ in COMMANDS.values()} if package == "planbook.cli" else set()
    return inside - commands - {"__main__"}


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_names_each_of_its_modules(package: str) -> None:
    """Its docstring is the map of the package, and says where to begin."""
    text = docstring(package)
    assert modules_of(package) - named_in(text) == set()
    assert BEGINS.search(text)


def test_a_package_of_a_map_has_modules() -> None:
    """The test above looks at something: a module that no docstring names would be reported."""
    assert {"parse", "forms"} <= modules_of("planbook.plan")
    assert named_in("Read `a.b` first.\n\n::\n\n    c ─> d\n\ne") == {"b", "c", "d"}


@cache
def defined_in(module: Module) -> set[str]:
    """All names that a module defines, uses or imports."""
    names = set()
    for node in module.nodes():
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                names.add(name)
    return names


def exists(dotted: str) -> bool:
    """Whether `package.module`, or `module.name`, is there; what stands before it may be left out."""
    for place in PLACES:
        name = f"{place}{dotted}"
        if name in house():
            return True
        module, _, attribute = name.rpartition(".")
        if module in house() and attribute in defined_in(house()[module]):
            return True
    return False


def docstrings(module: Module) -> Iterator[tuple[int, str]]:
    """Each text of a module that is a statement: of modules, classes and functions, and below values."""
    for node in module.nodes():
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield node.lineno, text


def unknown_names(module: Module) -> Iterator[str]:
    """Names such as `package.module` in docstrings whose first part is a package or module, and which do not exist."""
    first = {name.removeprefix(place).partition(".")[0] for name in house() for place in PLACES if place in name}
    for line, text in docstrings(module):
        for dotted in re.findall(r"`~?([a-z_]+\.[a-z_]+)`", text):
            is_other = dotted.startswith(OPTIONS) or dotted.endswith(FILES)
            if dotted.partition(".")[0] in first and not is_other and not exists(dotted):
                yield f"{module.name}:{line}: `{dotted}` does not exist"


def test_a_named_module_exists() -> None:
    """A reader who follows a docstring arrives."""
    assert [fault for module in house().values() for fault in unknown_names(module)] == []


def test_an_unknown_module_is_found() -> None:
    """The rule sees a wrong name, and leaves alone right ones, options and files."""
    text = '"""See `library.claims`, `library.conflicts`, `plan.parse`, `expand.writer` and `mkdocs.yml`."""\n'
    assert list(unknown_names(Module("x", text))) == ["x:1: `library.claims` does not exist"]


def wrong_nones(module: Module) -> Iterator[str]:
    """Functions that return `None` by their docstring, and never by their annotation."""
    for node in module.nodes():
        if not isinstance(node, ast.FunctionDef):
            continue
        about_result = (ast.get_docstring(node) or "").partition("Args:")[0]
        if IS_NONE.search(about_result):
            result = ast.unparse(node.returns) if node.returns else "None"
            if "None" not in result and "Any" not in result:
                yield f"{module.name}:{node.lineno}: {node.name} returns {result}, never None"


def test_a_result_that_is_none_is_annotated_so() -> None:
    """A function that returns an empty value says that it is empty."""
    assert [fault for module in house().values() for fault in wrong_nones(module)] == []


def test_a_wrong_none_is_found() -> None:
    """The rule sees one; a right one, and a value that may be anything, it leaves alone."""
    source = 'def f() -> {}:\n    """Return it; ``None`` if there is none."""\n'
    assert list(wrong_nones(Module("x", source.format("dict[str, bytes]")))) == [
        "x:1: f returns dict[str, bytes], never None"
    ]
    assert list(wrong_nones(Module("x", source.format("str | None")))) == []
    assert list(wrong_nones(Module("x", source.format("Any")))) == []


def parameters(function: ast.FunctionDef) -> set[str]:
    """The names of a function's parameters."""
    arguments = function.args
    further = [argument for argument in (arguments.vararg, arguments.kwarg) if argument]
    return {node.arg for node in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *further)}


def listed_arguments(text: str) -> list[str]:
    """The names below `Args:` in a docstring."""
    section = re.search(r"^Args:\n((?:    .*\n?|\n)+)", text, re.MULTILINE)
    return re.findall(r"^    \*{0,2}(\w+)(?: \([^)]*\))?:", section[1], re.MULTILINE) if section else []


@cache
def names_of(module: Module) -> frozenset[str]:
    """The names that docstrings of a module may have between backticks, besides parameters."""
    tree = ast.parse(module.source)
    names = {part for name in house() for part in name.split(".")} | set(dir(builtins))
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.Attribute(attr=name):
                names.add(name)
            case ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
            case ast.alias(name=name, asname=other):
                names.add((other or name).rpartition(".")[2])
            case ast.Constant(value=str(text)) if len(text) < 40:
                names.update(re.findall(r"\w+", text))  # a key
    values = (node for node in tree.body if isinstance(node, ast.Assign))
    return frozenset(names | {name.id for node in values for name in ast.walk(node) if isinstance(name, ast.Name)})


def former_parameters(module: Module) -> Iterator[str]:
    """Names in docstrings of functions that are no parameter, and nothing else that a reader can find."""

    def faults_in(node: ast.AST, outer: frozenset[str]) -> Iterator[str]:
        for child in ast.iter_child_nodes(node):
            known = outer
            if isinstance(child, ast.FunctionDef):
                own, text = parameters(child), ast.get_docstring(child) or ""
                known = outer | own
                wrong = [name for name in listed_arguments(text) if name not in own]
                named = re.findall(r"(?<!`)`([a-z_]+)`(?!`)", text)
                wrong += [name for name in named if name not in known | names_of(module)]
                for name in wrong:
                    if not OF_OTHERS.fullmatch(name):
                        yield f"{module.name}:{child.lineno}: {child.name} has no {name}"
            yield from faults_in(child, known)

    yield from faults_in(ast.parse(module.source), frozenset())


def test_a_docstring_names_parameters_that_exist() -> None:
    """What is below `Args:` or between backticks is there; names of others have two backticks."""
    modules = [module for module in house().values() if not module.name.startswith(FOR_AGENTS)]
    assert [fault for module in modules for fault in former_parameters(module)] == []


def test_a_former_parameter_is_found() -> None:
    """The rule sees those below `Args:` and those in sentences, and leaves alone what exists."""
    source = (
        "LIMIT = 3\n\n"
        "def f(path, *rest):\n"
        '    """Read `path`, `folder` and ``other``, up to `LIMIT` as `str`.\n\n'
        "    Args:\n        path: a path,\n            see: there.\n        rest: more.\n        root: gone.\n"
        '    """\n'
    )
    assert list(former_parameters(Module("x", source))) == ["x:3: f has no root", "x:3: f has no folder"]
