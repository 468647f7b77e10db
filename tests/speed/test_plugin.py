"""The events of one build are not those of another."""

from __future__ import annotations

from tests.speed.conftest import Site

NESTED = """
from mkdocs.commands.build import build
from mkdocs.config import load_config

IS_WITHIN = False

def on_post_build(config):
    global IS_WITHIN
    if IS_WITHIN:
        return
    IS_WITHIN = True
    docs, url = config.docs_dir, config.site_url
    search = config.plugins["material/search"]
    kept = [*search.search_index.entries]
    config.docs_dir = docs + "-fr"
    config.site_url = url + "fr/"
    try:
        build(config, dirty=True)
        kept += search.search_index.entries
    finally:
        config.docs_dir, config.site_url, IS_WITHIN = docs, url, False
    search.search_index.entries[:] = kept
    search.on_post_build(config=config)
"""


def test_a_build_within_another_one(site: Site) -> None:
    """A hook that builds a second language into the same site, as plugins do, and merges both searches."""
    site.config["plugins"] = ["search"]
    site.write("docs-fr/fr/page.md", "# Page\n\nUn mot.\n")
    site.write("docs-fr/fr/index.md", "# Bonjour\n")
    site.write("hook.py", NESTED)
    site.config["hooks"] = ["hook.py"]
    for n in range(3):
        plain, outcome = site.plain(), site.quick()  # MkDocs logs a warning about the inner build once in a process
        assert (outcome.code, outcome.files) == (plain.code, plain.files)
        assert {"fr/index.html", "fr/page/index.html", "1/index.html"} <= outcome.files.keys()
        site.write("docs-fr/fr/page.md", f"# Page\n\nUn mot {n // 2}.\n")
