"""Every regular expression of the code, and the functions that use it."""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.util
import pkgutil
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import BuiltinMethodType

import planbook
import planbook_cache
import planbook_speed

USED_AS: Mapping[str, str] = {
    "planbook.citations.repository_files._FILE_FORMS": "fullmatch",
    "planbook.citations.wording.TABLES": "fullmatch",
    "planbook.research.proof.phrases.TABLES": "match",
}
"""How patterns in tables are used by the names of loops."""
LINES = frozenset(f"planbook.markdown.dialects.{name}" for name in ("_FENCE", "_NOTE", "_MARKS_ONLY"))
"""Patterns that read lines, in which no line break can be."""
ENDS: Mapping[str, str] = {
    "planbook.markdown.document._COMMENT": "-->",
    "planbook.research.writers.llm_api._THOUGHTS": "</think>",
    "planbook.views.search.TAG": ">",
}
"""The end of every text that a pattern gets: the code leaves out what follows the last one."""
BOUNDED: Mapping[str, tuple[int, str]] = {
    "planbook.markdown.words._ABBREVIATION": (13, "`sentence_spans` cuts the text"),
}
"""Patterns that are not linear, with the most characters that they read, and what sees to that."""
FUNCTIONS = frozenset({"match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"})
_ANCHORED = frozenset({"match", "fullmatch"})
"""Functions that begin at one place; all others look at each place, as `search` does."""


@dataclass(frozen=True)
class UsedPattern:
    """A pattern of a module, and how it is used: `match`, `fullmatch` or `search`."""

    place: str
    pattern: re.Pattern[str]
    function: str


@functools.cache
def modules() -> tuple[str, ...]:
    """Return the names of all modules of the code that can be imported."""
    names: list[str] = []
    for package in (planbook, planbook_cache, planbook_speed):
        walked = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        names += [module.name for module in walked if not module.name.endswith(".__main__")]
    return tuple(sorted(names))


@functools.cache
def patterns_of(module: str) -> tuple[UsedPattern, ...]:
    """Return the patterns that a module makes, each once for each way in which it is used."""
    found = [*_named_patterns(module), *_written_patterns(module)]
    return tuple({(one.pattern, one.function): one for one in found}.values())


def _named_patterns(module: str) -> Iterator[UsedPattern]:
    """Yield the patterns that names of the module hold."""
    loaded = importlib.import_module(module)
    assigned = _assigned_names(module)
    for name, value in vars(loaded).items():
        if name not in assigned:  # it is imported, and belongs to another module
            continue
        place = f"{module}.{name}"
        if isinstance(value, BuiltinMethodType) and isinstance(value.__self__, re.Pattern):
            yield UsedPattern(place, value.__self__, _kind(value.__name__))
        for pattern in _patterns_in(value):
            for function in sorted(_functions_of(module, name)):
                yield UsedPattern(place, pattern, function)


def _patterns_in(value: object) -> Iterator[re.Pattern[str]]:
    """Yield the patterns in a value of a module, which may be a table of them."""
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield value
        return
    if isinstance(value, Mapping):
        value = [*value.keys(), *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        for part in value:
            yield from _patterns_in(part)


def _functions_of(module: str, name: str) -> frozenset[str]:
    """Return how the code uses a pattern by its name; `search`, the costliest, if that is not seen."""
    if used := USED_AS.get(f"{module}.{name}"):
        return frozenset({used})
    places = [module] if name.startswith("_") else modules()
    found = frozenset().union(*(_calls(place).get(name, ()) for place in places))
    return found or frozenset({"search"})


@functools.cache
def _calls(module: str) -> Mapping[str, frozenset[str]]:
    """Return the functions that a module calls on names, such as `NAME.match(...)`."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Attribute) and node.attr in FUNCTIONS:
            owner = node.value
            if isinstance(owner, ast.Subscript):  # `TABLE[key].match`
                owner = owner.value
            name = owner.id if isinstance(owner, ast.Name) else getattr(owner, "attr", "")
            found.setdefault(name, set()).add(_kind(node.attr))
    return {name: frozenset(functions) for name, functions in found.items()}


def _written_patterns(module: str) -> Iterator[UsedPattern]:
    """Yield the patterns that a module passes to `re`: `re.sub("a+", "b", text)`."""
    names = vars(importlib.import_module(module))
    for node in ast.walk(_tree(module)):
        if not _is_call_of_re(node):
            continue
        call: ast.Call = node  # type: ignore[assignment]
        function: str = call.func.attr  # type: ignore[attr-defined]
        written = _value_of(call.args[0], names)
        flags = [_value_of(word.value, names) for word in call.keywords if word.arg == "flags"]
        if isinstance(written, str):
            compiled = re.compile(written, *(flag for flag in flags if isinstance(flag, int)))
            yield UsedPattern(f"{module}:{call.lineno}", compiled, _kind(function))


def _is_call_of_re(node: ast.AST) -> bool:
    if not (isinstance(node, ast.Call) and node.args and isinstance(node.func, ast.Attribute)):
        return False
    owner = node.func.value
    return isinstance(owner, ast.Name) and owner.id == "re" and node.func.attr in FUNCTIONS


def _value_of(written: ast.expr, names: Mapping[str, object]) -> object:
    """Return the value of an expression of names of the module; `None` if it has others."""
    try:
        return eval(compile(ast.Expression(written), "", "eval"), dict(names))  # noqa: S307 - our code
    except (NameError, TypeError, AttributeError):  # it is made of local values
        return None


def _kind(function: str) -> str:
    return function if function in _ANCHORED else "search"


@functools.cache
def _assigned_names(module: str) -> frozenset[str]:
    """Return the names that a module assigns at its top."""
    found: set[str] = set()
    for node in _tree(module).body:
        targets: Iterable[ast.expr] = ()
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign):
            targets = (node.target,)
        for target in targets:
            found.update(one.id for one in ast.walk(target) if isinstance(one, ast.Name))
    return frozenset(found)


@functools.cache
def _tree(module: str) -> ast.Module:
    spec = importlib.util.find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    return ast.parse(Path(spec.origin).read_text("utf-8"))
