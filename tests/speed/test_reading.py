"""A page is read again, with all events, only if something that it depends on has changed."""

from __future__ import annotations

from tests.speed.conftest import Site

DECLARING = """
from pathlib import Path
from mkdocs.plugins import BasePlugin

HERE = Path(__file__).parent

class Declaring(BasePlugin):
    def page_inputs(self, page, files):
        return (HERE.joinpath("data.txt").read_text(),) if page.file.src_uri.startswith("rye/") else ()

    def on_page_markdown(self, markdown, page, config, files):
        with HERE.joinpath("read.log").open("a") as log:
            log.write(page.file.src_uri + "\\n")
        if page.file.src_uri.startswith("rye/"):
            return markdown + HERE.joinpath("data.txt").read_text()

def on_config(config):
    config.plugins["declaring"] = Declaring()
    listeners = config.plugins.events["config"]
    listeners[:] = [listener for listener in listeners if hasattr(listener, "__self__")]  # not this one
"""
"""A hook that adds a plugin whose pages below `rye` depend on the file `data.txt`."""


def read_by(site: Site) -> set[str]:
    """Build a site, and return the pages that were read with all events."""
    log = site.root / "read.log"
    log.write_text("", "utf-8")
    site.quick()
    uris = {*log.read_text("utf-8").splitlines()}
    site.assert_same()
    return uris


def test_only_pages_with_other_inputs_are_read(site: Site) -> None:
    """Its own text, what a plugin declares, and the files that it links to are inputs of a page."""
    site.config["hooks"] = ["hook.py"]
    site.options["workers"] = 1
    site.write("hook.py", DECLARING)
    site.write("data.txt", "\n\nFirst.\n")
    site.write("docs/linked.md", "# Linked\n")
    site.write("docs/linking.md", "# Linking\n\n[Linked](linked.md)\n")
    every = {path.relative_to(site.root / "docs").as_posix() for path in (site.root / "docs").rglob("*.md")}
    assert read_by(site) == every
    assert read_by(site) == set()
    site.write("docs/1.md", "# One\n")
    assert read_by(site) == {"1.md"}
    site.write("data.txt", "\n\nSecond.\n")
    assert read_by(site) == {uri for uri in every if uri.startswith("rye/")}
    (site.root / "docs/linked.md").unlink()
    assert read_by(site) == {"linking.md"}
