"""Compiled templates and the list of a theme's files are those of the theme as it is now."""

from __future__ import annotations

import os

from tests.speed.conftest import Site


def test_a_file_of_the_theme_changes(site: Site) -> None:
    """A style sheet of the theme's folder, with the same size and time, and one that takes its place."""
    path = site.root / "theme/own.css"
    path.write_text("a{b:c}", "utf-8")
    site.assert_same()
    stat = path.stat()
    path.write_text("a{b:d}", "utf-8")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    site.assert_same()
    site.write("docs/own.css", "of the pages")
    site.assert_same()
    (site.root / "docs/own.css").unlink()
    site.assert_same()
