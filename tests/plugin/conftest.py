"""Sites that the tests build, with the command lines that a user runs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest

from tests import forks
from tests.conftest import ROOT, Once
from tests.files import put

SITE = ROOT / "tests" / "golden" / "site"
"""A small complete site: configuration, plans, pages, and a hook that tells what MkDocs makes of them."""

HARM = "plans/harm.md"  # its plan with errors

GENERATOR = re.compile(r'<meta name="generator" content="[^"]*">')

ENVIRONMENT = os.environ | {
    "DISABLE_MKDOCS_2_WARNING": "true",
    "NO_MKDOCS_2_WARNING": "1",
    "SOURCE_DATE_EPOCH": "1714982880",
    "PYTHONUTF8": "1",
}


@dataclass(frozen=True)
class Built:
    """What came of a build."""

    root: Path
    returncode: int
    log: str

    @property
    def site(self) -> Path:
        """The folder of the site."""
        return self.root / "site"

    def html(self, uri: str) -> str:
        """The page at an address of the site, such as ``bread/10-dark-rye/``."""
        return (self.site / uri / "index.html").read_text(encoding="utf-8")


def command(engine: str) -> str:
    """The path of an engine's command."""
    return str(Path(sys.executable).with_name(engine))


def build(root: Path, *arguments: str | Path, engine: str = "mkdocs") -> Built:
    """Build the project at `root`."""
    arguments = ("build", "-f", root / "mkdocs.yml", *arguments)
    if engine == "mkdocs":
        done = forks.run(engine, *arguments, cwd=root, env=ENVIRONMENT, is_merged=True)
    else:
        done = subprocess.run(
            [command(engine), *arguments],
            cwd=root,
            env=ENVIRONMENT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=300,
            check=False,
        )
    return Built(root, done.returncode, done.stdout)


def built_strictly(root: Path, *, engine: str = "mkdocs", wrong: str = " ") -> Built:
    """Build the project at `root`, where nothing is to be warned of but the errors in the plan `wrong`."""
    built = build(root, *(["--strict"] if wrong == " " else []), engine=engine)
    assert built.returncode == 0, built.log
    assert not [line for line in built.log.splitlines() if "WARNING" in line and f"planbook: {wrong}:" not in line]
    assert "Traceback" not in built.log
    return built


def hashes(folder: Path) -> dict[str, str]:
    """Each file below the folder, with the hash of its bytes."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): sha256(path.read_bytes()).hexdigest() for path in paths}


def assert_same_site(ours: Built, theirs: Built) -> None:
    """File by file the same bytes, but for the one line of each page in which the engine names itself."""
    ours_by_uri, theirs_by_uri = hashes(ours.site), hashes(theirs.site)
    assert ours_by_uri.keys() == theirs_by_uri.keys()
    differing = [uri for uri, digest in ours_by_uri.items() if theirs_by_uri[uri] != digest]
    pages = [uri for uri in ours_by_uri if uri.endswith(".html")]
    assert set(differing) <= set(pages)
    for uri in pages:
        texts = [(built.site / uri).read_text("utf-8") for built in (ours, theirs)]
        lines = [text.splitlines(keepends=True) for text in texts]
        named = [[line for line in page if GENERATOR.search(line)] for page in lines]
        assert [len(found) for found in named] == [1, 1], uri
        assert GENERATOR.sub("", texts[0]) == GENERATOR.sub("", texts[1]), uri


def copied_site(root: Path) -> Path:
    """The small complete site, copied to `root`."""
    shutil.copytree(SITE, root, ignore=shutil.ignore_patterns("__pycache__"))
    return root


def real_site(root: Path, shared: Path) -> Path:
    """A project with our `mkdocs.yml` and Guide, the seeds as plans, and the sample pages and drops, at `root`."""
    shutil.copytree(ROOT / "docs", root / "docs", ignore=shutil.ignore_patterns("cuda"))
    for path in (root / "docs").rglob("*.md"):  # some lead to pages and sections that the seeds lack
        text = re.sub(
            r"\]\((\.\./)?(?:cuda/(?:2[1-9]|[3-9]\d)-[^)]+|messages\.md)\)", r"](\1INDEX.md)", path.read_text("utf-8")
        )
        path.write_text(re.sub(r"(\]\((?:\.\./)?cuda/[^)#]+)#[^)]+", r"\1", text), "utf-8")
    shutil.copytree(shared / "seeds", root / "plans")
    shutil.copytree(shared / "samples" / "pages", root / "docs", dirs_exist_ok=True)
    for drop in (shared / "samples" / "drops").glob("*.md"):
        shutil.copy(drop, root / "plans")
    shutil.copy(ROOT / "mkdocs.yml", root)
    return root


def own_site(root: Path) -> Path:
    """A project with our plans and pages, at `root`."""
    for name in ("docs", "plans"):
        shutil.copytree(ROOT / name, root / name)
    shutil.copy(ROOT / "mkdocs.yml", root)
    return root


@dataclass(frozen=True)
class Record:
    """What one of several builds of a project said, and the hash of each file of its site."""

    log: str
    files: dict[str, str]


def recorded(folder: Path) -> list[Record]:
    """The builds of the project in `folder`, in order."""
    return [Record(**build) for build in json.loads(folder.with_name(f"{folder.name}.json").read_text("utf-8"))]


def build_in_turn(
    root: Path, *steps: Callable[[Path], object] | None, engine: str = "mkdocs", wrong: str = " "
) -> None:
    """Build the project strictly after each step and record what came of it; no build may change its files."""
    records = []
    for step in steps:
        if step:
            step(root)
        before = hashes(root / "docs"), hashes(root / "plans")
        built = built_strictly(root, engine=engine, wrong=wrong)
        assert (hashes(root / "docs"), hashes(root / "plans")) == before
        records.append({"log": built.log, "files": hashes(built.site)})
    root.with_name(f"{root.name}.json").write_text(json.dumps(records), "utf-8")


def own_builds(once: Once, engine: str) -> Path:
    """Our own project, built cold and unchanged."""
    return once(f"own-twice-{engine}", lambda root: build_in_turn(root, own_site, None, engine=engine))


def real_builds(once: Once, shared: Path) -> Path:
    """A project with our `mkdocs.yml` and Guide and real plans, pages and drops, built cold and unchanged."""
    return once("real", lambda root: build_in_turn(root, lambda root: real_site(root, shared), None))


@pytest.fixture(scope="session")
def complete(once: Once) -> Built:
    """The small complete site, built; nothing below its `docs` and `plans` may have changed by that."""
    root = once("complete", lambda folder: build_in_turn(folder / "site", copied_site, wrong=HARM)) / "site"
    return Built(root, 0, recorded(root)[0].log)


Project = Callable[[dict[str, str]], Path]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A function that writes a project of files by their paths, and gives its folder."""

    def write(files: dict[str, str]) -> Path:
        put(tmp_path, files)
        return tmp_path

    return write
