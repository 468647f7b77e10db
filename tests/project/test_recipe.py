"""The architecture guide's recipe "Add a view" works, step by step, in a copy of the packages."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT
from tests.files import put

STEP = re.compile(r'^```(?:python|text) title="(?P<path>[^"]+)"\n(?P<code>.*?)^```$', re.MULTILINE | re.DOTALL)
"""A step of the recipe: a file, and what is written into it."""
PLACES = {
    "generator/planbook/library/linked.py": "    TopPage(GRAPH),\n",
    "generator/planbook/views/generated.py": "    made = {str(INDEX): partial(index.base_index, library, folders)}\n",
}
"""The line of each existing file below which the recipe's code goes."""
PLAN = """# Bread

## PART 1: Rye

- [ ] PART 1: Create bread/1-rye.md

**Search**: "rye <b>flour</b>"
"""
PAGES = {
    "plans/bread.md": PLAN,
    "docs/index.md": "# Home\n\nSee [the queries](queries.md).\n",
    "mkdocs.yml": "site_name: T\ntheme: {name: material, font: false}\nplugins: [planbook]\nstrict: true\n",
}


def follow_recipe(folder: Path) -> None:
    """Copy the packages into the folder and do what the guide says."""
    shutil.copytree(ROOT / "generator", folder / "generator", ignore=shutil.ignore_patterns("__pycache__"))
    recipe = (ROOT / "docs/guide/architecture.md").read_text("utf-8").partition("## Add a view")[2]
    steps = {step["path"]: step["code"] for step in STEP.finditer(recipe)}
    assert steps.keys() - PLACES.keys() == {"generator/planbook/views/queries.py"}
    for path, code in steps.items():
        file = folder / path
        if path not in PLACES:
            assert not file.exists()
            file.write_text(code, "utf-8")
            continue
        before = file.read_text("utf-8")
        assert before.count(PLACES[path]) == 1, path
        file.write_text(before.replace(PLACES[path], PLACES[path] + code), "utf-8")
    generated = folder / "generator/planbook/views/generated.py"
    text = generated.read_text("utf-8")
    first = "from planbook.views.template import"
    generated.write_text(text.replace(first, f"from planbook.views.queries import queries_page\n{first}", 1), "utf-8")


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the copy in the project."""
    environment = {**os.environ, "PYTHONPATH": str(folder / "generator"), "NO_MKDOCS_2_WARNING": "1"}
    command = (sys.executable, "-m", *command)
    return subprocess.run(
        command, cwd=folder / "project", env=environment, capture_output=True, text=True, check=False, timeout=300
    )


def test_the_recipe_adds_a_view(tmp_path: Path) -> None:
    """The page is built and in the navigation, in INDEX it is not, and a page of its name is reported."""
    follow_recipe(tmp_path)
    put(tmp_path / "project", PAGES)
    built = run(tmp_path, "mkdocs", "build", "--strict")
    assert built.returncode == 0, built.stderr
    site = tmp_path / "project/site"
    assert "rye &lt;b&gt;flour&lt;/b&gt;" in (site / "queries/index.html").read_text("utf-8")
    navigation = (site / "index.html").read_text("utf-8").partition("md-nav--primary")[2].partition("md-content")[0]
    assert 'href="queries/"' in navigation
    assert "queries.md" not in (site / "INDEX.md").read_text("utf-8")
    put(tmp_path / "project", {"docs/queries.md": "# Mine\n"})
    assert "K003" in run(tmp_path, "planbook", "check").stdout
