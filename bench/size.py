"""Count the code: lines of Python without blanks, comments and docstrings, modules, and lines of the rest.

`make size` prints the figures; a test holds them below `LIMITS`.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIMITS = {"lines": 22_000, "modules": 130, "assets": 5_000, "tests": 33_000}
"""Upper limits of `measure`. Lower them when the code shrinks."""

IGNORED = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE),
    *(tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER),
}
ASSETS = (".css", ".html", ".jinja", ".js", ".xml")
BODIES = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def code_lines(source: str) -> int:
    """Return how many lines of a module hold code."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in IGNORED:
            lines |= set(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        for child in getattr(node, "body", []) if isinstance(node, BODIES) else []:
            if (
                isinstance(child, ast.Expr)
                and isinstance(child.value, ast.Constant)
                and isinstance(child.value.value, str)
            ):
                lines -= set(range(child.lineno, (child.end_lineno or child.lineno) + 1))
    return len(lines)


def measure(root: Path = ROOT) -> dict[str, int]:
    """Return the lines of code and modules of `generator/`, the lines of its assets, and those of `tests/`."""
    modules = [path.read_text(encoding="utf-8") for path in sorted((root / "generator").rglob("*.py"))]
    files = [path for path in (root / "generator").rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assets = [path for path in files if path.suffix in ASSETS or path.parent.name == "templates"]
    return {
        "lines": sum(map(code_lines, modules)),
        "modules": len(modules),
        "assets": _physical_lines(assets),
        "tests": _physical_lines((root / "tests").rglob("*.py")),
    }


def _physical_lines(paths: Iterable[Path]) -> int:
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)


if __name__ == "__main__":
    for name, count in measure().items():
        print(f"{name:8} {count:7,}  (limit {LIMITS[name]:,})")
