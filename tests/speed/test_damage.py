"""A damaged cache ends no build and changes no site: what is damaged is made again, once, with one warning."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from planbook.plugin.generated_files import GENERATED_FOLDER
from planbook_cache.disk import CACHE_DIR, FORMAT, INDEX, PLACE
from tests import forks
from tests.files import put
from tests.plugin.conftest import ENVIRONMENT, Built, build, hashes

WARNING = "was damaged: what was damaged was computed again"
STATE = (".cache", "site")
"""The folders of a project that a build changes."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small base of plans and pages that was built twice, with planbook and planbook-speed, and a copy of `STATE`."""
    root = tmp_path_factory.mktemp("damage") / "tea"
    root.mkdir()
    assert forks.run("planbook", "init", cwd=root, env=ENVIRONMENT).returncode == 0
    assert [build(root).returncode for _ in range(2)] == [0, 0]
    for name in STATE:
        shutil.copytree(root / name, intact(root) / name)
    return root


def intact(root: Path) -> Path:
    """The folder with the copy of `STATE`."""
    return root.parent / "intact"


@pytest.fixture
def base(built: Path) -> Path:
    """The base as it was built; what other tests have damaged is gone."""
    for name in STATE:
        shutil.rmtree(built / name)
        shutil.copytree(intact(built) / name, built / name)
    return built


def flip(path: Path, at: int, bit: int = 1) -> None:
    """Change one bit of a file, and keep its times, as a failing disk does."""
    stat, raw = path.stat(), bytearray(path.read_bytes())
    raw[at] ^= bit
    path.write_bytes(raw)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def cut(path: Path, size: int) -> None:
    """Keep the first bytes of a file alone."""
    stat = path.stat()
    os.truncate(path, size)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def cached(base: Path) -> list[Path]:
    """All files of the cache that have any bytes."""
    paths = sorted(path for path in (base / CACHE_DIR).rglob("*") if path.is_file() and path.stat().st_size)
    assert {path.suffix for path in paths} >= {".data", ".index", ".md", ".twin", ".json"}
    return paths


def flip_any(base: Path, drawn: random.Random) -> str:
    """Flip a bit of any file."""
    path = drawn.choice(cached(base))
    at, bit = drawn.randrange(path.stat().st_size), 1 << drawn.randrange(8)
    flip(path, at, bit)
    return f"{path.relative_to(base)}[{at}] ^ {bit}"


def cut_any(base: Path, drawn: random.Random) -> str:
    """Cut any file at any byte."""
    path = drawn.choice(cached(base))
    size = drawn.randrange(path.stat().st_size)
    cut(path, size)
    return f"{path.relative_to(base)}[:{size}]"


def flip_every(base: Path, drawn: random.Random) -> str:
    """Flip a bit of each file."""
    for path in cached(base):
        flip(path, drawn.randrange(path.stat().st_size), 1 << drawn.randrange(8))
    return "a bit of each file"


def cut_every(base: Path, drawn: random.Random) -> str:
    """Cut each file."""
    for path in cached(base):
        cut(path, drawn.randrange(path.stat().st_size))
    return "each file is cut"


def flip_places(base: Path, drawn: random.Random) -> str:
    """Flip the highest bit of the length or the offset of the entries: a build would ask for that much memory."""
    paths = [path for path in cached(base) if path.suffix == INDEX]
    for path in paths:
        number = drawn.randrange(path.stat().st_size // PLACE.size)
        flip(path, number * PLACE.size + drawn.choice([37, 38, 39, 45, 46, 47]), 0x40)
    return "places of entries"


def warnings(built: Built) -> list[str]:
    """The warnings of a build."""
    return [line for line in built.log.splitlines() if line.startswith(("WARNING", "ERROR"))]


def assert_harmless(base: Path, damage: Callable[[Path, random.Random], str], seed: int, *, is_told: bool) -> None:
    """Damage the cache, build, and compare the site with what it was, twice."""
    expected = hashes(base / "site")
    drawn = random.Random(seed)  # noqa: S311 - repeatable
    what = f"{damage(base, drawn)} (seed {seed})"
    first = build(base)
    assert first.returncode == 0, (what, first.log)
    assert hashes(base / "site") == expected, what
    assert [WARNING in line for line in warnings(first)] in ([True], [] if not is_told else [True]), (what, first.log)
    second = build(base)
    assert (second.returncode, warnings(second)) == (0, []), (what, second.log)
    assert hashes(base / "site") == expected, what


@pytest.mark.parametrize("damage", [flip_every, cut_every, flip_places])
@pytest.mark.parametrize("seed", range(1))
def test_damage_everywhere(base: Path, damage: Callable[[Path, random.Random], str], seed: int) -> None:
    """All files at once: the site is the same, with one warning, and the next build has none."""
    assert_harmless(base, damage, seed, is_told=True)


@pytest.mark.parametrize(("damage", "seed"), [(flip_any, seed) for seed in range(3)] + [(cut_any, 5)])
def test_damage_in_one_place(base: Path, damage: Callable[[Path, random.Random], str], seed: int) -> None:
    """One bit or one cut, anywhere: a part that no build reads, or a missing end, is not told."""
    assert_harmless(base, damage, seed, is_told=False)


@pytest.mark.nightly
def test_700_damages(base: Path) -> None:
    """500 flipped bits and 200 cuts, one at a time, over all files."""
    for seed in range(700):
        for name in STATE:
            shutil.rmtree(base / name)
            shutil.copytree(intact(base) / name, base / name)
        assert_harmless(base, flip_any if seed < 500 else cut_any, seed, is_told=False)


def put_folder(path: Path) -> None:
    """Put a folder with a file at a place."""
    put(path, {"inner.txt": "x"})


ODD: dict[str, Callable[[Path], None]] = {
    "folders": put_folder,
    "pipes": os.mkfifo,
    "links to a device": lambda path: path.symlink_to("/dev/zero"),
    "links to another file": lambda path: path.symlink_to("/etc/hostname"),
    "links to themselves": lambda path: path.symlink_to(path.name),
}


@pytest.mark.parametrize("make", ODD.values(), ids=ODD)
def test_entries_that_are_no_files(base: Path, make: Callable[[Path], None]) -> None:
    """They end no build, are not waited for, and nothing is read through them."""
    expected = hashes(base / "site")
    for path in cached(base):
        path.unlink()
        make(path)
    for _ in range(2):
        built = build(base)
        assert built.returncode == 0, built.log
        assert hashes(base / "site") == expected


def test_files_that_are_no_folders(base: Path) -> None:
    """A folder of generated files is made again where something else is."""
    expected = hashes(base / "site")
    folders = [path for path in (base / CACHE_DIR / GENERATED_FOLDER).glob("*/*") if path.is_dir()]
    assert folders
    for folder in folders:
        shutil.rmtree(folder)
        folder.write_text("x")
    built = build(base)
    assert built.returncode == 0, built.log
    assert hashes(base / "site") == expected


def test_a_strict_build_of_a_damaged_cache(base: Path) -> None:
    """The site is intact, so a strict build says what was damaged and succeeds."""
    flip_every(base, random.Random(1))  # noqa: S311 - repeatable
    strict = build(base, "--strict")
    assert strict.returncode == 0, strict.log
    assert [line.split()[0] for line in strict.log.splitlines() if WARNING in line] == ["INFO"]


def test_site_and_cache_share_no_file(base: Path) -> None:
    """Each file of the site is its own: an edit of the site does not reach the cache, nor the next site."""
    expected = hashes(base / "site")
    assert (base / CACHE_DIR / FORMAT).is_dir()
    assert [path for path in [*base.rglob("*")] if path.is_file() and path.stat().st_nlink > 1] == []
    with (base / "site/llms.txt").open("r+b") as file:
        file.write(b"edited by hand, and longer than the first line of the file")
    (base / "site/INDEX.md").write_text("edited\n", "utf-8")
    assert build(base).returncode == 0
    assert hashes(base / "site") == expected
