"""The modules of generator/, as the rules of the house read them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from tests.conftest import ROOT


@dataclass(frozen=True, slots=True)
class Module:
    """A module of the house: its dotted name (a package's ends in `__init__`) and its text."""

    name: str
    source: str

    @property
    def place(self) -> str:
        """Where in the house it stands: `planbook.plan` for `planbook.plan.parse`."""
        package, *inner = self.name.split(".")
        if package != "planbook":
            return package
        return ".".join([package, *inner[: 2 if inner[0] == "research" else 1]])

    def nodes(self) -> Iterator[ast.AST]:
        """All of its syntax."""
        return iter(syntax(self.source))

    def imports(self) -> Iterator[tuple[int, str]]:
        """Each imported name in full, with its line: `(3, "planbook.model.Plan")`."""
        for node in self.nodes():
            if isinstance(node, ast.Import):
                yield from ((node.lineno, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                above = self.name.split(".")[: -node.level] if node.level else []
                source = ".".join([*above, *filter(None, [node.module])])
                yield from ((node.lineno, f"{source}.{alias.name}") for alias in node.names)

    def calls(self) -> Iterator[tuple[ast.Call, str]]:
        """Each call with the full name of what it calls; `.write_text` for `f().write_text`."""
        full_names: dict[str, str] = {}
        for node in self.nodes():
            if isinstance(node, ast.Import):
                full_names |= {a.asname: a.name for a in node.names if a.asname}
            elif isinstance(node, ast.ImportFrom) and node.module:
                full_names |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
        for node in self.nodes():
            if isinstance(node, ast.Call):
                first, dot, rest = dotted(node.func).partition(".")
                yield node, full_names.get(first, first) + dot + rest


Rule = Callable[[Module], Iterator[str]]


@cache
def syntax(source: str) -> list[ast.AST]:
    """All nodes of a module's text."""
    return list(ast.walk(ast.parse(source)))


def dotted(node: ast.expr) -> str:
    """`a.b.c` for names and attributes, `.c` for an attribute of anything else."""
    if isinstance(node, ast.Name):
        return node.id
    return f"{dotted(node.value)}.{node.attr}" if isinstance(node, ast.Attribute) else ""


@cache
def read_house() -> list[Module]:
    """Every module of generator/."""
    folder = ROOT / "generator"
    paths = sorted(folder.rglob("*.py"))
    names = (".".join(path.relative_to(folder).with_suffix("").parts) for path in paths)
    return [Module(name, path.read_text(encoding="utf-8")) for name, path in zip(names, paths, strict=True)]
