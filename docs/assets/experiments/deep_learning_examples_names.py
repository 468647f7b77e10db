"""Look up every torch and numpy name that the PyTorch examples of NVIDIA/DeepLearningExamples use, in the torch and numpy installed here; and apex in a mirror.

python deep_learning_examples_names.py MIRROR APEX      # needs git, torch and numpy; no GPU; both are mirrors: NVIDIA/DeepLearningExamples, NVIDIA/apex

Read are the .py files outside deployment folders. A name is a chain such as torch.cuda.amp.autocast, after "import torch", "import numpy as np" or
"from torch.x import y". Chains are followed as far as modules and classes go. A name that is missing is printed with the examples that use it;
code that guards it (try, hasattr) counts all the same, and so does a local variable named like a module.
"""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
import types
import warnings

import numpy
import torch

ROOTS = ("torch", "numpy", "apex")
LEFT_OUT = re.compile(r"/(triton|trtis\w*|tensorrt|notebooks?|tests?|deployment\w*|inference_server)/")


def git(mirror: str, *words: str) -> str:
    """Return the output of a git command."""
    return subprocess.run(["git", "-C", mirror, *words], check=True, capture_output=True, text=True, errors="replace").stdout


def names(tree: ast.AST) -> set[str]:
    """Return the dotted names of torch and numpy in a module."""
    alias: dict[str, str] = {}
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for a in node.names:
                if a.name.split(".")[0] in ROOTS:
                    alias[a.asname or a.name.split(".")[0]] = a.name if a.asname else a.name.split(".")[0]
                    found.add(a.name)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level and node.module.split(".")[0] in ROOTS:
            for a in node.names:
                found.add(node.module if a.name == "*" else f"{node.module}.{a.name}")
                alias[a.asname or a.name] = f"{node.module}.{a.name}"
    for node in ast.walk(tree):
        chain, at = [], node
        while isinstance(at, ast.Attribute):
            chain.append(at.attr)
            at = at.value
        if chain and isinstance(at, ast.Name) and at.id in alias:
            found.add(".".join([alias[at.id], *reversed(chain)]))
    return found


def missing(name: str) -> str | None:
    """Return the part of a name that doesn't exist, None if all does."""
    words = name.split(".")
    at: object = importlib.import_module(words[0])
    for k, word in enumerate(words[1:], 2):
        if not isinstance(at, types.ModuleType | type):
            return None
        try:
            at = getattr(at, word)
        except AttributeError:
            if not isinstance(at, types.ModuleType):
                return None
            try:
                at = importlib.import_module(".".join(words[:k]))
            except ImportError as error:
                return ".".join(words[:k]) if (error.name or "torch").split(".")[0] in ("torch", "numpy") else None
    return None


def in_apex(mirror: str, name: str) -> bool:
    """Look a dotted name of apex up in the newest commit of its mirror: a file, a folder, or a word in the file that would define it."""
    words = name.split(".")
    for k in range(len(words), 0, -1):
        for path in ("/".join(words[:k]) + ".py", "/".join(words[:k]) + "/__init__.py"):
            try:
                text = git(mirror, "show", f"HEAD:{path}")
            except subprocess.CalledProcessError:
                continue
            stars = re.findall(r"^from \.(\w+) import \*", text, re.M)
            text += "".join(git(mirror, "show", f"HEAD:{'/'.join(words[:k])}/{star}.py") for star in stars)
            return k == len(words) or bool(re.search(rf"^(?!\s*#).*\b{re.escape(words[k])}\b", text, re.M))
    return False


def main() -> None:
    """Print what is missing."""
    mirror, apex = sys.argv[1:3]
    commit = git(mirror, "rev-parse", "HEAD").strip()
    every = git(mirror, "ls-tree", "-r", "--name-only", commit).splitlines()
    examples = [n.removesuffix("/Dockerfile") for n in every if re.fullmatch(r"(DGL)?PyTorch/[^/]+/[^/]+/Dockerfile", n)]
    users: dict[str, dict[str, int]] = {}
    files = failed = 0
    warnings.simplefilter("ignore")
    for e in examples:
        for n in every:
            if n.startswith(e + "/") and n.endswith(".py") and not LEFT_OUT.search(n):
                try:
                    tree = ast.parse(git(mirror, "show", f"{commit}:{n}"))
                except SyntaxError:
                    failed += 1
                    continue
                files += 1
                for name in names(tree):
                    of = users.setdefault(name, {})
                    of[e.split("/")[-1]] = of.get(e.split("/")[-1], 0) + 1
    print(f"NVIDIA/DeepLearningExamples at {commit[:12]}; torch {torch.__version__}, numpy {numpy.__version__}")
    print(f"{files} files of {len(examples)} examples, {failed} that don't parse; {sum(not n.startswith('apex') for n in users)} names of torch and numpy; missing:")
    gone: dict[str, dict[str, int]] = {}
    asked = {name: of for name, of in users.items() if name.startswith("apex")}
    for name, of in users.items():
        part = None if name in asked else missing(name)
        if part:
            for e, count in of.items():
                gone.setdefault(part, {})[e] = gone.get(part, {}).get(e, 0) + count
    for part, of in sorted(gone.items()):
        print(f"  {part:52}{', '.join(f'{e} ({c})' for e, c in sorted(of.items()))}")
    broken = {e for of in gone.values() for e in of}
    print(f"examples with a missing name: {len(broken)} of {len(examples)}; without: {', '.join(sorted({e.split('/')[-1] for e in examples} - broken))}")
    print(f"\napex at {git(apex, 'log', '-1', '--format=%h of %cs').strip()}: names that the examples use")
    for name, of in sorted(asked.items()):
        print(f"  {'there  ' if in_apex(apex, name) else 'MISSING'} {name:52}{', '.join(f'{e} ({c})' for e, c in sorted(of.items()))}")


if __name__ == "__main__":
    main()
