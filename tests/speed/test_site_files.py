"""Files of the last build stay where nothing has changed; every other is written, and what is gone is gone."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from planbook_speed.site_files import PreviousSite
from tests.files import put
from tests.speed.conftest import Site, kept


def test_nothing_is_written_without_a_change(site: Site) -> None:
    """Every page keeps its file, and the search its index."""
    index, held = site.root / "site/search/search_index.json", site.root / "index"
    same, new = kept(site, lambda: held.hardlink_to(index))
    assert len(same) > 12
    assert new == set()
    assert index.samefile(held)


def test_what_is_gone_is_deleted(site: Site) -> None:
    """Files that no build wrote, and those of pages that are no more, do not stay; nor does anything hidden."""
    site.quick()
    site.write("site/rye/old/index.html", "old")
    site.write("site/old.txt", "old")
    (site.root / "docs/wheat/3.md").unlink()
    site.assert_same()
    assert not [path for path in (site.root / "site").iterdir() if path.name.startswith(".")]


def test_files_that_are_no_pages(site: Site) -> None:
    """A file is copied where it has changed, be it in the documentation or in the site, and kept otherwise."""
    for name in ("same", "edited", "touched"):
        site.write(f"docs/data/{name}.txt", "old")
    site.quick()
    files = {name: site.root / f"site/data/{name}.txt" for name in ("same", "edited", "touched")}
    before = files["same"].stat().st_ino
    site.write("docs/data/edited.txt", "new")
    files["touched"].write_text("bad", "utf-8")
    site.write("docs/rye/1/index.html", "in the place of a page")
    for _ in range(2):
        site.assert_same()
    assert files["same"].stat().st_ino == before
    assert files["edited"].read_text("utf-8") == "new"
    (site.root / "docs/data/same.txt").unlink()
    site.assert_same()


def test_a_static_file_of_the_same_size_and_time(site: Site) -> None:
    """It is another file, or was written since: it is copied again."""
    path = site.root / "docs/image.svg"
    site.assert_same()
    stat = path.stat()
    path.write_bytes(path.read_bytes().replace(b"svg", b"gvs"))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    site.assert_same()
    other = Path(f"{path}.other")
    other.write_bytes(path.read_bytes().replace(b"gvs", b"vgs"))
    os.utime(other, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    other.replace(path)
    site.assert_same()


def test_a_file_that_someone_changed_is_written(site: Site) -> None:
    """What stands in the site's folder is believed only as far as it is what the last build left."""
    site.quick()
    (site.root / "site/rye/1/index.html").write_text("changed", "utf-8")
    (site.root / "site/rye/2/index.html").unlink()
    site.assert_same()


def test_a_failed_build_leaves_nothing_hidden(site: Site) -> None:
    """After an error in a template there is the folder that a plain build leaves; the next build is whole."""
    site.quick()
    site.write("theme/main.html", '{% extends "base.html" %}{% block announce %}{{ 1 / 0 }}{% endblock %}')
    plain, quick = site.plain(), site.quick()
    assert plain.code == quick.code == 1
    assert plain.files == quick.files
    assert not (site.root / "site/.planbook-speed").exists()
    site.write("theme/main.html", '{% extends "base.html" %}\n')
    assert site.assert_same().code == 0


def test_a_build_that_cannot_write_fails(site: Site) -> None:
    """As one without planbook-speed does: a folder of the author's stands where a page is to be."""
    site.write("docs/wheat/3/index.html/taken.txt", "in the way")
    plain, quick = site.plain(), site.quick()
    assert plain.code == quick.code == 1
    assert "wheat/3/index.html" in "".join(quick.log)
    assert plain.files == quick.files


@pytest.mark.nightly
def test_a_page_that_fails_leaves_those_before_it(site: Site) -> None:
    """Pages behind it were templated ahead, but are not in the site's folder."""
    fails = '{% if page.url == "wheat/2/" %}{{ 1 / 0 }}{% endif %}'
    site.write("theme/main.html", '{% extends "base.html" %}{% block announce %}' + fails + "{% endblock %}")
    for _ in range(2):
        plain, quick = site.plain(), site.quick()
        assert plain.code == quick.code == 1
        assert plain.files == quick.files
        assert "wheat/1/index.html" in quick.files
        assert "wheat/3/index.html" not in quick.files


def test_a_link_whose_target_changes(site: Site) -> None:
    """A static file that is a link is copied again if the file that it leads to is replaced by one of the same time."""
    target, link = site.root / "target.txt", site.root / "docs/linked.txt"
    target.write_text("first.", "utf-8")
    link.symlink_to(target)
    site.assert_same()
    site.assert_same()
    stat = target.stat()
    other = Path(f"{target}.other")
    other.write_text("second", "utf-8")
    os.utime(other, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    other.replace(target)
    site.assert_same()


@pytest.mark.parametrize("stays", [[], ["a/index.html"]])
def test_a_file_that_was_shown_early_and_is_gone(tmp_path: Path, stays: list[str]) -> None:
    """All files of the last build are back while browsers reload; at the end, those that no build wrote are not there.

    Also if every file is written anew, as after a change of the configuration.
    """
    site = PreviousSite(tmp_path)
    put(tmp_path, {"a/index.html": "old", "b/index.html": "old", "gone/index.html": "old"})
    site.set_aside(frozenset({"a/index.html", "b/index.html", "gone/index.html"}))
    put(tmp_path, {"b/index.html": "shown"})
    site.restore_all()
    for uri in stays:
        site.approve(uri)
    time.sleep(0.02)  # the clock of files is coarse
    put(tmp_path, {uri: "new" for uri in ("a/index.html", "b/index.html") if uri not in stays})
    site.restore_approved()
    files = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {"a/index.html", "b/index.html"}
