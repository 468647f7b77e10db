"""A build after any change gives the same bytes as one that knows nothing of earlier builds."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
import yaml

from planbook.library.pages import fingerprint
from tests.conftest import ROOT
from tests.files import put
from tests.plugin.conftest import copied_site, hashes
from tests.speed.conftest import Engine, Outcome

RYE = "docs/bread/10-dark-rye.md"
PLAN = "plans/bread.md"
NEW_PLAN = "# Cakes\n\n## PART 1: Create cake/plum.md (30 lines)\n\n- [ ] PART 1: Create cake/plum.md\n"
NEW_DROP = "---\nplan: bread\npart: 1\nfinished: 2031-01-01\n---\n\n# KNOWLEDGE DROP: Rye\n\n- A `mill`\n"
LINK = "\nFrom [The mill](https://mill.example/a) (accessed 2025-11-13), see [oats](12-oats.md).\n"


class Base:
    """A project that is built again and again, beside copies that are built for the first time."""

    def __init__(self, root: Path, engine: Engine) -> None:
        self.root, self._engine = root, engine
        self.server: Engine | None = None
        """The process that builds the project, and keeps what it knows; the copies are another's."""

    def build(self) -> dict[str, str]:
        """Build the project and return the hash of each file of its site."""
        command = "rebuild" if self.server else "build"
        outcome = (self.server or self._engine).build(self.root / "mkdocs.yml", self.root / "site", command=command)
        return files_of(outcome)

    def _cold(self, copy: Path) -> dict[str, str]:
        """Build a copy, once of the same files: some changes undo others, and tests make the same ones."""
        plain, files = self._engine.plain, json.dumps(hashes(copy))
        if files not in plain:
            plain[files] = self._engine.build(copy / "mkdocs.yml", copy / "site")
        return files_of(plain[files])

    def assert_as_cold(self) -> dict[str, str]:
        """Build the project and a copy without cache and site; both sites are the same, and returned."""
        copy = self.root.parent / "copy" / self.root.name
        shutil.copytree(self.root, copy, ignore=shutil.ignore_patterns(".cache", "site"))
        warm, cold = self.build(), self._cold(copy)
        assert {uri for uri in warm.keys() | cold if warm.get(uri) != cold.get(uri)} == set()
        shutil.rmtree(copy.parent)
        return warm

    def replace(self, uri: str, old: str, new: str) -> None:
        """Change a file's text."""
        text = (self.root / uri).read_text("utf-8")
        assert old in text, uri
        (self.root / uri).write_text(text.replace(old, new, 1), "utf-8")

    def write(self, uri: str, text: str) -> None:
        """Write a file."""
        put(self.root, {uri: text})


def files_of(outcome: Outcome) -> dict[str, str]:
    """The hash of each file of a site that was built."""
    assert outcome.code == 0, outcome.log
    return {uri: digest for uri, digest in outcome.files.items() if not uri.startswith(".")}


@pytest.fixture(scope="module")
def builds() -> Iterator[Engine]:
    """A process that builds."""
    engine = Engine()
    yield engine
    engine.close()


@pytest.fixture
def base(tmp_path: Path, builds: Engine) -> Base:
    """The small complete site, built."""
    made = Base(copied_site(tmp_path / "base"), builds)
    set_config(made, plugins=["search", "tags", "planbook", "planbook-speed"], hooks=[])
    made.build()
    return made


def edit_sentence(base: Base) -> None:
    """A word in the middle of a page."""
    path = base.root / RYE
    path.write_text(path.read_text("utf-8").rstrip() + " Another word.\n", "utf-8")


def add_work_and_link(base: Base) -> None:
    """Sources, downloads, backlinks and the graph show them."""
    path = base.root / RYE
    path.write_text(path.read_text("utf-8") + LINK, "utf-8")


def change_title(base: Base) -> None:
    """Every list of pages shows it."""
    text = (base.root / RYE).read_text("utf-8")
    (base.root / RYE).write_text(re.sub(r"^# .*$", "# Rye & rye", text, count=1, flags=re.MULTILINE), "utf-8")


def add_page(base: Base) -> None:
    """A page beside the plans, in a folder of its own."""
    base.write("docs/flour/mills.md", f"# Mills\n\nOn mills.\n{LINK}")


def rename_page(base: Base) -> None:
    """Its address changes, and its downloads' too."""
    (base.root / "docs/flour/mills.md").rename(base.root / "docs/flour/1-mills.md")


def remove_page(base: Base) -> None:
    """Its folder is gone, and its works."""
    shutil.rmtree(base.root / "docs/flour")


def write_planned_page(base: Base) -> None:
    """A placeholder makes room for a page, and comes back."""
    base.write("docs/cake/plum.md", "# Plum\n\nA cake.\n")


def remove_planned_page(base: Base) -> None:
    """The placeholder is back."""
    (base.root / "docs/cake/plum.md").unlink()


def mark(base: Base) -> None:
    """A PART is marked as done."""
    base.replace(PLAN, "- [ ] PART", "- [✓] PART")


def add_drop(base: Base) -> None:
    """A drop for a page that is there."""
    base.write("plans/KNOWLEDGE-DROP-rye-2031-01-01.md", NEW_DROP)


def change_drop(base: Base) -> None:
    """Its text alone."""
    base.replace("plans/KNOWLEDGE-DROP-rye-2031-01-01.md", "`mill`", "*mill*")


def add_plan(base: Base) -> None:
    """A page is planned in another folder."""
    base.write("plans/cakes.md", NEW_PLAN)


def remove_plan(base: Base) -> None:
    """Nothing is planned there any more."""
    (base.root / "plans/cakes.md").unlink()


def write_report(base: Base) -> None:
    """A page was checked, and is still what was checked."""
    text = (base.root / RYE).read_text("utf-8")
    page = {"checked": "2031-01-02", "offline": False, "text_sha256": fingerprint(text), "quotes": {"total": 0}}
    base.write("planbook-verify.json", json.dumps({"version": 1, "pages": {"bread/10-dark-rye.md": page | WORKS}}))


def change_report(base: Base) -> None:
    """The same page, with another result."""
    base.replace("planbook-verify.json", '"outcome": "ok"', '"outcome": "gone"')


WORKS = {"references": [{"id": "mill", "checkable": True, "outcome": "ok", "fetched": "2031-01-02", "quotes": {}}]}


def write_own_download(base: Base) -> None:
    """An author's file takes the place of a generated one."""
    base.write("docs/references.bib", "@misc{own}\n")
    base.write("docs/references.json", "[]\n")
    base.write("docs/llms.txt", "# Ours\n")


def write_own_index(base: Base) -> None:
    """A folder's INDEX is its author's, and the INDEX of the base is replaced."""
    base.write("docs/bread/index.md", "# All bread\n\nOurs.\n")
    base.write("docs/INDEX.md", "# INDEX\n\nOf the repository.\n")


def set_config(base: Base, **values: object) -> None:
    """Change the configuration."""
    path = base.root / "mkdocs.yml"
    path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text("utf-8")) | values, sort_keys=False), "utf-8")


def set_name(base: Base) -> None:
    """The site's name and address."""
    set_config(base, site_name="Loaves & more", site_url="https://loaves.example/")


def set_addresses(base: Base) -> None:
    """Every address."""
    set_config(base, use_directory_urls=False)


def alter_generated(base: Base) -> None:
    """Someone altered and removed what earlier builds left."""
    folder = next(path for path in (base.root / ".cache/planbook/generated").iterdir() if path.is_dir())
    (folder / "INDEX.md").write_text("# Altered\n", "utf-8")
    (folder / "progress.json").unlink()
    (folder / "left.md").write_text("# Left\n", "utf-8")


OF_PAGES = (edit_sentence, add_work_and_link, change_title, add_page, rename_page, remove_page)
OF_PLANS = (mark, add_drop, change_drop, add_plan, write_planned_page, remove_planned_page, remove_plan)
OF_OTHERS = (write_report, change_report, write_own_download, write_own_index, set_name, set_addresses, alter_generated)


def together(*changes: Callable[[Base], None]) -> Callable[[Base], None]:
    """Several changes between two builds, none of which makes the pages anew that show another."""

    def change(base: Base) -> None:
        for each in changes:
            each(base)

    return change


BY_DAY = (
    *(
        together(add_work_and_link, mark),
        change_title,
        together(add_page, add_drop),
        together(rename_page, write_report),
    ),
    *(together(write_planned_page, alter_generated), add_plan, set_name),
)
"""One change of each kind, for every run of the tests."""


@pytest.mark.parametrize(
    "changes",
    [BY_DAY, *(pytest.param(some, marks=pytest.mark.nightly) for some in (OF_PAGES, OF_PLANS, OF_OTHERS))],
    ids=["each kind", "pages", "plans", "others"],
)
@pytest.mark.parametrize("serves", [False, True], ids=["built", "served"])
def test_a_build_after_a_change_is_as_a_cold_one(
    base: Base, changes: Sequence[Callable[[Base], None]], serves: bool
) -> None:
    """One change after the other, of one project."""
    before: dict[str, str] = {}
    base.server = Engine() if serves else None
    for change in changes:
        change(base)
        now = base.assert_as_cold()
        assert now != before or change is alter_generated, change
        before = now
    if base.server:
        base.server.close()


def test_an_unchanged_file_is_not_written(base: Base) -> None:
    """It keeps its time; an edit changes the page's twin, the lists that show its length, and no placeholder."""
    base.build()
    folder = next(path for path in (base.root / ".cache/planbook/generated").iterdir() if path.is_dir())
    times = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    base.build()
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()} == times
    path = base.root / "docs/bread/12-oats.md"
    path.write_text(path.read_text("utf-8").rstrip() + " One more.\n", "utf-8")
    base.build()
    written = {path.relative_to(folder).as_posix() for path, time in times.items() if path.stat().st_mtime_ns != time}
    assert written == {"bread/12-oats.md.twin"}


def test_another_version_makes_everything_anew(base: Base, tmp_path: Path) -> None:
    """What an earlier version of our code rendered is not reused."""
    base.build()
    shutil.copytree(ROOT / "generator", tmp_path / "generator", ignore=shutil.ignore_patterns("__pycache__"))
    template = tmp_path / "generator/planbook/views/templates/plan.html"
    template.write_text(template.read_text("utf-8").replace('<div class="pb-plan"', '<div class="pb-plan pb-new"'))
    engine = Engine(PYTHONPATH=f"{tmp_path / 'generator'}{os.pathsep}{ROOT}", PYTHONSAFEPATH="1")
    Base(base.root, engine).assert_as_cold()
    engine.close()
    assert "pb-new" in (base.root / "site/progress/index.html").read_text("utf-8")


def test_two_builds_at_once(base: Base) -> None:
    """The second one finds the folder in use, and makes everything in a temporary one."""
    engines = [Engine() for _ in range(2)]
    copies = [base.root.parent / f"site-{n}" for n in range(2)]
    for engine, copy in zip(engines, copies, strict=True):
        engine.start("build", "-q", "-f", str(base.root / "mkdocs.yml"), "-d", str(copy))
    assert [engine.result()[1] for engine in engines] == [0, 0]
    for engine in engines:
        engine.close()
    assert hashes(copies[0]) == hashes(copies[1])
