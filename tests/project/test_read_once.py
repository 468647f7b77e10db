"""Code is read once: what a reader counts is counted here, which ruff's own counts leave out."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import jinja2
import pytest
from jinja2 import nodes

from tests.conftest import ROOT
from tests.project.house import Module, Rule, read_house

MAX_BRANCHES = 15
MAX_COLUMNS = 100

CHANGING_METHODS = {"add", "append", "clear", "discard", "extend", "insert", "pop", "remove", "setdefault", "update"}

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def branches(function: ast.AST) -> int:
    """Return how often a reader has to choose: statements, conditional expressions, `and`, `or`, filters, cases."""
    total = 0
    for node in ast.walk(function):
        match node:
            case ast.If() | ast.IfExp() | ast.For() | ast.AsyncFor() | ast.While() | ast.ExceptHandler():
                total += 1
            case ast.BoolOp():
                total += len(node.values) - 1
            case ast.comprehension():
                total += len(node.ifs)
            case ast.Match():
                total += len(node.cases)
    return total


def has_many_branches(module: Module) -> Iterator[str]:
    """No function makes a reader choose more than `MAX_BRANCHES` times, those within it included."""
    for node in module.nodes():
        if isinstance(node, FunctionNode) and branches(node) > MAX_BRANCHES:
            yield f"{module.name}:{node.lineno}: {node.name} has {branches(node)} branches; give a stage its own name"


def nests_choices(module: Module) -> Iterator[str]:
    """No conditional expression has another one inside."""
    for node in module.nodes():
        if isinstance(node, ast.IfExp) and sum(isinstance(child, ast.IfExp) for child in ast.walk(node)) > 1:
            yield f"{module.name}:{node.lineno}: conditional expressions are nested; use statements, or a table"


def calls_a_choice(module: Module) -> Iterator[str]:
    """What is called has a name: no `(a if x else b)(y)`."""
    for node in module.nodes():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.IfExp | ast.BoolOp):
            yield f"{module.name}:{node.lineno}: a choice is called; use `if` and `else` with one call each"


def changes_in_a_comprehension(module: Module) -> Iterator[str]:
    """A comprehension returns values, and changes none."""
    for node in module.nodes():
        if not isinstance(node, COMPREHENSIONS):
            continue
        calls = [child.func for child in ast.walk(node) if isinstance(child, ast.Call)]
        if any(isinstance(called, ast.Attribute) and called.attr in CHANGING_METHODS for called in calls):
            yield f"{module.name}:{node.lineno}: a comprehension changes a value; use a loop"


def has_long_lines(module: Module) -> Iterator[str]:
    """No line is wider than `MAX_COLUMNS`, but for those with a reason beside them."""
    for number, line in enumerate(module.source.splitlines(), 1):
        if len(line) > MAX_COLUMNS and not re.search(r"# noqa: E501 - \w", line):
            yield f"{module.name}:{number}: the line has {len(line)} columns"


RULES: tuple[Rule, ...] = (
    has_many_branches,
    nests_choices,
    calls_a_choice,
    changes_in_a_comprehension,
    has_long_lines,
)


def room_of(module: Module) -> str:
    """Return the room of a module: `planbook/plan`, `planbook/research/web`; outside of rooms, its file."""
    package, *inner = module.name.split(".")
    if package != "planbook":
        return package
    if len(inner) == 1:
        return f"{package}/{inner[0]}.py"
    if inner[0] == "research" and len(inner) > 2:
        return f"{package}/research/{inner[1]}"
    return f"{package}/{inner[0]}"


def broken(room: str) -> list[str]:
    """Return what breaks a rule in a room."""
    modules = [module for module in read_house() if room_of(module) == room]
    return [message for module in modules for rule in RULES for message in rule(module)]


ROOMS = sorted({room_of(module) for module in read_house()})


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_is_read_once(room: str) -> None:
    """Each package, and each module beside packages, keeps all rules."""
    assert broken(room) == []


def test_ruff_wraps_lines_where_the_rule_wants_them() -> None:
    """No package has a width of its own."""
    generator = ROOT / "generator"
    assert width(generator / "ruff.toml") == MAX_COLUMNS
    assert list(generator.rglob("*/ruff.toml")) == []


def width(path: Path) -> object:
    """Return the width of lines that a configuration of ruff sets."""
    return tomllib.loads(path.read_text(encoding="utf-8"))["line-length"]


MAX_DEPTH = 2
"""The number of conditions of a template that hold at a place, one inside the other."""


def has_wide_lines(name: str, source: str) -> Iterator[str]:
    """No line of a template is wider than `MAX_COLUMNS`; a line of prose, without a block, is one line of the page."""
    for number, line in enumerate(source.splitlines(), 1):
        is_prose = not name.endswith(".html") and "{%" not in line
        if len(line) > MAX_COLUMNS and not is_prose:
            yield f"{name}:{number}: the line has {len(line)} columns; `{{%-` joins lines"


def nests_conditions(name: str, source: str) -> Iterator[str]:
    """A template asks at most `MAX_DEPTH` questions at once; a macro gives the rest a name."""
    depth = depth_of_conditions(template_of(source))
    if depth > MAX_DEPTH:
        yield f"{name}: conditions stand {depth} deep; make a macro of the inner ones"


def nests_choices_of_values(name: str, source: str) -> Iterator[str]:
    """No conditional expression of a template has another one inside."""
    for node in template_of(source).find_all(nodes.CondExpr):
        if node.find(nodes.CondExpr) is not None:
            yield f"{name}:{node.lineno}: conditional expressions are nested; use `{{% if %}}` and `{{% elif %}}`"


def template_of(source: str) -> nodes.Template:
    """Return the syntax of a template."""
    return jinja2.Environment(autoescape=True).parse(source)


def depth_of_conditions(node: nodes.Node) -> int:
    """Return how many `{% if %}` stand one inside the other; `{% elif %}` stands beside its `{% if %}`."""
    if not isinstance(node, nodes.If):
        return max(map(depth_of_conditions, node.iter_child_nodes()), default=0)
    inside = max(map(depth_of_conditions, [*node.body, *node.else_]), default=0)
    return max(1 + inside, *map(depth_of_conditions, node.elif_)) if node.elif_ else 1 + inside


TemplateRule = Callable[[str, str], Iterator[str]]
TEMPLATE_RULES: tuple[TemplateRule, ...] = (has_wide_lines, nests_conditions, nests_choices_of_values)
TEMPLATES = sorted(
    path
    for folder in ("views/templates", "theme")
    for path in (ROOT / "generator/planbook" / folder).rglob("*")
    if path.suffix in {".html", ".md", ".txt"}
)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_template_is_read_once(path: Path) -> None:
    """Templates are code that is read, too."""
    source = path.read_text(encoding="utf-8")
    assert [message for rule in TEMPLATE_RULES for message in rule(path.name, source)] == []


@pytest.mark.parametrize(
    ("rule", "name", "source", "messages"),
    [
        (has_wide_lines, "a.html", "x" * 101, 1),
        (has_wide_lines, "a.html", "x" * 100, 0),
        (has_wide_lines, "a.md", "x" * 101, 0),
        (has_wide_lines, "a.md", "{% if a %}" + "x" * 91 + "{% endif %}", 1),
        (nests_conditions, "a.md", "{% if a %}{% if b %}{% if c %}x{% endif %}{% endif %}{% endif %}", 1),
        (nests_conditions, "a.md", "{% if a %}{% for b in c %}{% if b %}x{% endif %}{% endfor %}{% endif %}", 0),
        (nests_conditions, "a.md", "{% if a %}x{% elif b %}y{% elif c %}{% if d %}z{% endif %}{% endif %}", 0),
        (nests_choices_of_values, "a.md", "{{ a if b else c if d else e }}", 1),
        (nests_choices_of_values, "a.md", "{{ a if b else c }}{{ d if e else f }}", 0),
    ],
)
def test_a_rule_of_templates_counts(rule: TemplateRule, name: str, source: str, messages: int) -> None:
    """Each rule catches a template that breaks it, and lets one through that keeps it."""
    assert len(list(rule(name, source))) == messages


DEEP = "\n".join(f"    if a == {n} and b:\n        return {n}" for n in range(8))
BROKEN: list[tuple[Rule, str]] = [
    (has_many_branches, f"def f(a, b):\n{DEEP}"),
    (has_many_branches, "def f(a):\n    return [" + ", ".join(f"{n} if a else 0" for n in range(16)) + "]"),
    (has_many_branches, "def f(a):\n    return [x for x in a" + " if x" * 16 + "]"),
    (nests_choices, "x = a if b else c if d else e"),
    (nests_choices, "x = a if b else [c if d else e]"),
    (calls_a_choice, "(add if a else discard)(b)"),
    (calls_a_choice, "(add or discard)(b)"),
    (changes_in_a_comprehension, "[x for x in a if not (x in seen or seen.add(x))]"),
    (has_long_lines, f"x = '{'a' * 96}'"),
    (has_long_lines, f"x = '{'a' * 96}'  # noqa: E501"),
]
KEPT: list[tuple[Rule, str]] = [
    (has_many_branches, "def f(a, b):\n" + "\n".join(f"    if a == {n}:\n        return {n}" for n in range(15))),
    (nests_choices, "x = [a if b else c, d if e else f]"),
    (calls_a_choice, "change = add if a else discard\nchange(b)"),
    (changes_in_a_comprehension, "[x.strip() for x in a]\nseen.add(x)"),
    (has_long_lines, f"x = '{'a' * 94}'"),
    (has_long_lines, f"x = '{'a' * 96}'  # noqa: E501 - an address"),
]


def name_of(case: object) -> str | None:
    """Return the name of a case's rule, for pytest's ids."""
    return getattr(case, "__name__", None)


@pytest.mark.parametrize(("rule", "source"), BROKEN, ids=name_of)
def test_a_rule_catches(rule: Rule, source: str) -> None:
    """Source that breaks the rule is reported once."""
    assert len(list(rule(Module("planbook.plan", source)))) == 1


@pytest.mark.parametrize(("rule", "source"), KEPT, ids=name_of)
def test_a_rule_lets_through(rule: Rule, source: str) -> None:
    """Source that keeps the rule is not reported."""
    assert list(rule(Module("planbook.plan", source))) == []


def test_every_rule_has_cases_both_ways() -> None:
    """No rule is without source that breaks it and source that does not."""
    assert {rule for rule, _ in BROKEN} == {rule for rule, _ in KEPT} == set(RULES)
