"""Files of a plain build are there before each listener of a plugin that works on the whole site."""

from __future__ import annotations

import subprocess
import sys

from tests.plugin.conftest import ENVIRONMENT
from tests.speed.conftest import Site

AT_THE_END = """
from pathlib import Path
from mkdocs.plugins import event_priority

@event_priority({priority})
def on_post_build(config):
    site = Path(config.site_dir)
    found = sorted(str(path.relative_to(site)) for path in site.rglob("*") if path.is_file())
    found = [uri for uri in found if not uri.startswith((".planbook-speed", "search/" if {priority} > 0 else "-"))]
    (site / "seen{priority}.txt").write_text("\\n".join(found))
"""
PRIORITIES = (100_000, 1000, 1, 0, -100, -999, -5000)


def test_hooks_that_list_the_site_at_its_end(site: Site) -> None:
    """All files of a plain build are there before each listener to `on_post_build`, in every build."""
    for priority in PRIORITIES:
        site.write(f"hook{priority}.py", AT_THE_END.format(priority=priority))
    site.config["hooks"] = [f"hook{priority}.py" for priority in PRIORITIES]
    site.assert_same()
    site.assert_same()
    site.write("docs/1.md", "# Another\n")
    site.assert_same()
    assert {f"seen{priority}.txt" for priority in PRIORITIES} <= {path.name for path in (site.root / "site").iterdir()}


def test_the_plugin_offline_builds_again(site: Site) -> None:
    """Its copy of the search index, which it makes of Material's file at the end, is there after each build."""
    site.config |= {"plugins": ["search", "offline"], "use_directory_urls": False}
    for _ in range(3):
        assert "search/search_index.js" in site.assert_same().files


def test_a_template_that_cannot_be_read_fails_once(site: Site) -> None:
    """Workers that load the templates report nothing: the error is that of a plain build."""
    site.write("theme/main.html", '{% extends "base.html" %}{% unknown %}\n')
    site.configure()
    reports = {name: report_of(site, name) for name in ("plain.yml", "speed.yml")}
    assert [text.count("Traceback") for text in reports.values()] == [1, 1]
    assert all("unknown tag 'unknown'" in text for text in reports.values())


def report_of(site: Site, config: str) -> str:
    """Return what a build in a process of its own writes to the standard error."""
    command = [sys.executable, "-m", "mkdocs", "build", "-f", config, "-d", "site-own"]
    run = subprocess.run(command, cwd=site.root, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True, check=False)
    assert run.returncode == 1
    return run.stderr
