"""A build does its best with the cache that it has, and leaves the next one what it needs."""

from __future__ import annotations

import os

from tests.speed.cache_entries import EXTENSION, entries
from tests.speed.conftest import Engine, Site


def test_a_broken_cache_makes_no_difference(site: Site) -> None:
    """Entries that are cut, altered or empty are made anew."""
    site.quick()
    for n, path in enumerate(entries(site)):
        raw = path.read_bytes()
        path.write_bytes([raw[: len(raw) // 2], raw.replace(b"a", b"b"), b""][n % 3])
    site.assert_same()


def test_a_cache_that_is_a_file_makes_no_difference(site: Site) -> None:
    """The build says that nothing could be kept."""
    site.write(".cache", "in the way")
    assert "could not be written" in "".join(site.assert_same().said)


def test_a_cache_keeps_all_that_its_last_build_used(site: Site) -> None:
    """A base that needs more than the limit would be rendered again in each build, and twice in the first one."""
    seen = site.root / "seen.txt"
    site.write("fresh.py", EXTENSION.replace('open("SEEN").read()', f"str(open({str(seen)!r}, 'a').write('.'))"))
    site.config["markdown_extensions"].append("fresh")
    site.options["pure"], site.options["cache_mib"] = ["fresh"], 0
    site.engine = Engine(PYTHONPATH=os.pathsep.join([os.environ["PYTHONPATH"], str(site.root)]))
    site.quick()
    site.engine.close()
    assert len(seen.read_text("utf-8")) == len(list((site.root / "docs").rglob("*.md")))
