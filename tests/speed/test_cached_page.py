"""Rendered pages are found in the cache, and their HTML in a file."""

from __future__ import annotations

import os
import shutil

import pytest

from planbook_cache.disk import CACHE_DIR, DATA, PLACE, DiskCache
from tests.speed.cache_entries import EXTENSION, entries
from tests.speed.conftest import Engine, Site

HTML = """
from pathlib import Path

def on_env(env, config, files):
    pages = [file.page for file in files.documentation_pages()]
    for page, other in zip(pages, pages[1:]):
        page.content += f"<p>Before {len(other.content)}</p>"
    config.extra["all"] = pages

def on_page_context(context, page, config, nav):
    page.content = page.content.replace("Last words", "Words")
    return context

def on_post_build(config):
    total = sum(len(page.content) for page in config.extra.pop("all"))
    Path(config.site_dir, "total.txt").write_text(str(total))
"""


def keys(site: Site) -> list[str]:
    """The keys of its entries."""
    indexes = [path.read_bytes() for path in entries(site) if path.suffix != DATA]
    return [key.hex() for raw in indexes for key, *_ in PLACE.iter_unpack(raw)]


def test_pages_are_found_rendered(site: Site) -> None:
    """A second build shows what the cache holds, even if that is another text, where it writes a page again."""
    site.quick()
    cache = DiskCache(site.root / CACHE_DIR)
    for key in keys(site):
        if html := cache.get(key, str):
            cache.put(key, html.replace("Last words", "Other words"))
    shutil.rmtree(site.root / "site")
    site.quick()
    assert "Other words of 1." in (site.root / "site/1/index.html").read_text("utf-8")


def test_an_extension_that_is_not_known_renders_anew(site: Site) -> None:
    """What it reads besides the page is not seen, so nothing is kept; one that is said to be pure is believed."""
    site.write("seen.txt", "First state.")
    site.write("fresh.py", EXTENSION.replace("SEEN", str(site.root / "seen.txt")))
    site.config["markdown_extensions"].append("fresh")
    site.engine = Engine(PYTHONPATH=os.pathsep.join([os.environ["PYTHONPATH"], str(site.root)]))
    assert "the extension fresh may depend on more" in "".join(site.assert_same().said)
    site.write("seen.txt", "Second state.")
    site.assert_same()
    assert "Second state." in (site.root / "site/1/index.html").read_text("utf-8")
    site.options["pure"] = ["fresh"]
    assert site.assert_same().said == []
    site.write("seen.txt", "Third state.")
    site.quick()
    assert "Second state." in (site.root / "site/1/index.html").read_text("utf-8")
    site.engine.close()


@pytest.mark.nightly
def test_html_in_a_file_is_seen_by_plugins(site: Site) -> None:
    """A plugin that reads or changes the HTML of any page, at any time, does as without planbook-speed."""
    site.write("hook.py", HTML)
    site.config["hooks"] = ["hook.py"]
    for _ in range(2):
        site.assert_same()
    page = site.root / "docs/rye/1.md"
    page.write_text(page.read_text("utf-8") + "\nMore.\n", "utf-8")
    site.assert_same()
