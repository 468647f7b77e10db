"""Pages are rendered by other processes, where all that touches them may run twice."""

from __future__ import annotations

import shutil

from tests.speed.conftest import Engine, Site

HOOK = """
from pathlib import Path
COUNTER = Path(__file__).with_name("counted")

def on_page_markdown(markdown, **_):
    COUNTER.write_text(str(int(COUNTER.read_text()) + 1) if COUNTER.exists() else "1")
    return markdown + f"\\n\\nNumber {COUNTER.read_text()}.\\n"
"""


WHO = """
import os
from pathlib import Path
from mkdocs.exceptions import PluginError

def on_page_markdown(markdown, page, **_):
    Path(__file__).with_name("who").mkdir(exist_ok=True)
    Path(__file__).with_name("who").joinpath(str(os.getpid())).touch()
    if "Fails" in markdown:
        raise PluginError(f"{page.file.src_uri} fails")
"""


def test_a_hook_that_counts_is_run_once_a_page(site: Site) -> None:
    """Pages are not rendered ahead where an event is listened to by an unknown plugin, and the build says so."""
    site.write("hook.py", HOOK)
    site.config["hooks"] = ["hook.py"]
    said = site.quick().said
    pages = len(list((site.root / "docs").rglob("*.md")))
    assert (site.root / "counted").read_text("utf-8") == str(pages)
    assert len(said) == 1
    assert "may not support running on_page_markdown twice" in said[0]


def test_pages_are_rendered_by_more_than_one_process(site: Site) -> None:
    """The build itself and its workers, where all that touches pages bears it; a build of what is known has none."""
    site.write("hook.py", WHO)
    site.config["hooks"] = ["hook.py"]
    site.options["repeatable"] = ["hook.py"]
    assert site.quick().said == []
    assert len(list((site.root / "who").iterdir())) > 2
    shutil.rmtree(site.root / "who")
    site.assert_same()
    assert len(list((site.root / "who").iterdir())) == 1


def test_a_page_that_fails_in_a_worker_fails_in_its_turn(site: Site) -> None:
    """The build ends with the error of the first such page, told once, after the warnings of those before it."""
    site.write("hook.py", WHO)
    site.config["hooks"] = ["hook.py"]
    site.options["repeatable"] = ["hook.py"]
    for uri in ("rye/dark/3.md", "wheat/1.md"):
        site.write(f"docs/{uri}", "Fails\n\n" + 20_000 * "long ")
    plain = site.plain()
    site.engine = Engine()  # MkDocs says the same only once in a process
    quick = site.quick()
    site.engine.close()
    assert plain.code == quick.code == 1
    assert plain.log == quick.log
    assert "".join(quick.log).count("fails") == 1
