"""Beside plugins and hooks that declare nothing: no page is stale, and no file is missing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.install.neighbours import NEIGHBOURS
from tests.speed.conftest import Site

THEME = '{% extends "base.html" %}\n{% block content %}{{ super() }}<p>SHOWN</p>{% endblock %}\n'


@pytest.mark.parametrize(
    "shown",
    [
        "{{ page.file.content_string | length }} {{ page.file.content_string | e }}",
        "{{ page.file.content_bytes | length }}",
        "{{ page.file | attr('content_string') | length }}",
        "{{ page.file['content_string'] | e }}",
        "{% set name = 'content_string' %}{{ page.file | attr(name) | e }}",
        "{{ page | attr('markdown') | e }}",
        "{{ [page.file] | map(attribute='content_string') | join | e }}",
    ],
)
def test_a_template_that_shows_a_page_s_source(site: Site, shown: str) -> None:
    """A change that its HTML does not show: another mark of emphasis, or a comment in the front matter."""
    site.write("theme/main.html", THEME.replace("SHOWN", shown))
    site.write("docs/1.md", "# One\n\n*text*\n")
    site.assert_same()
    site.assert_same()
    site.write("docs/1.md", "# One\n\n_text_\n")
    site.assert_same()
    site.write("docs/1.md", "---\n# comment\ntitle: One\n---\n# One\n\n_text_\n")
    site.assert_same()
    site.write("docs/1.md", "---\n# another\ntitle: One\n---\n# One\n\n_text_\n")
    site.assert_same()


READ = "from pathlib import Path\n\ndef text():\n    return Path(__file__).with_name('motd.txt').read_text()\n\n"
HOOKS = {
    "extra": "def on_page_context(context, page, config, nav):\n    config.extra['motd'] = text()\n",
    "config": "def on_page_context(context, page, config, nav):\n    config.site_name = text()\n",
    "context": "def on_page_context(context, page, config, nav):\n    context['motd'] = text()\n    return context\n",
    "nav-title": "def on_page_context(context, page, config, nav):\n    nav.items[-1].title = text()\n",
    "title-before": "def on_nav(nav, config, files):\n    nav.items[-1].title = text()\n",
    "global": "def on_env(env, config, files):\n    env.globals['motd'] = text()\n",
    "known-global": "def on_env(env, config, files):\n    env.globals['lipsum'] = text\n",
    "last-global": (
        "from mkdocs.plugins import event_priority\n\n@event_priority(-(10**12))\n"
        "def on_env(env, config, files):\n    env.globals['motd'] = text()\n"
    ),
    "filter": "def on_env(env, config, files):\n    env.filters['motd'] = lambda value: text()\n",
    "template-context": "def on_template_context(context, template_name, config):\n    config.extra['motd'] = text()\n",
    "post-page": "def on_post_page(output, page, config):\n    config.extra['motd'] = text()\n",
    "output": "def on_post_page(output, page, config):\n    return output + text()\n",
    "markdown": "def on_page_markdown(markdown, page, config, files):\n    return markdown + text()\n",
    "content": "def on_page_content(html, page, config, files):\n    page.meta['motd'] = text()\n",
    "meta": "def on_page_markdown(markdown, page, config, files):\n    page.meta['motd'] = text()\n",
    "attribute": "def on_page_content(html, page, config, files):\n    page.html = page.tokens = text()\n",
    "late-attribute": "def on_page_context(context, page, config, nav):\n    page.html = html = text()\n",
    "env-of-page": (
        "def on_env(env, config, files):\n    global ENV\n    ENV = env\n\n"
        "def on_page_context(context, page, config, nav):\n    ENV.globals['motd'] = text()\n"
    ),
}
SHOWN = (
    "{{ motd }} {{ config.extra.motd }} {{ page.meta.motd }} {{ page.html }} {{ page.tokens }} {{ lipsum(n=1)[:0] }}"
)


@pytest.mark.parametrize("name", sorted(HOOKS))
def test_a_hook_that_reads_a_file(site: Site, name: str) -> None:
    """Whatever it sets, and in whatever event: each page shows the file as it is now."""
    shown = "{{ lipsum() }}" if name == "known-global" else "{{ 1 | motd }}" if name == "filter" else SHOWN
    site.write("theme/main.html", THEME.replace("SHOWN", shown))
    site.write("hook.py", READ + HOOKS[name])
    site.write("motd.txt", "first")
    site.config["hooks"] = ["hook.py"]
    site.assert_same()
    site.assert_same()
    site.write("motd.txt", "second")
    site.assert_same()


AT_THE_END = """
from pathlib import Path
from mkdocs.plugins import event_priority

@event_priority({priority})
def on_post_build(config):
    site = Path(config.site_dir)
    found = sorted(str(path.relative_to(site)) for path in site.rglob("*") if path.is_file())
    found = [uri for uri in found if not uri.startswith((".planbook-speed", "search/" if {priority} > 0 else "-"))]
    (site / "seen.txt").write_text("\\n".join(found))
"""


@pytest.mark.parametrize("priority", [100_000, 1000, 1, 0, -100, -999, -5000])
def test_a_hook_that_lists_the_site_at_its_end(site: Site, priority: int) -> None:
    """All files of a plain build are there before each listener to `on_post_build`, in every build."""
    site.write("hook.py", AT_THE_END.format(priority=priority))
    site.config["hooks"] = ["hook.py"]
    site.assert_same()
    site.assert_same()
    site.write("docs/1.md", "# Another\n")
    site.assert_same()


def test_the_plugin_offline_builds_again(site: Site) -> None:
    """Its copy of the search index, which it makes of Material's file at the end, is there after each build."""
    site.config |= {"plugins": ["search", "offline"], "use_directory_urls": False}
    for _ in range(3):
        assert "search/search_index.js" in site.assert_same().files


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


def test_the_guide_lists_what_was_compared() -> None:
    """Each row of its table is a plugin or a hook that `make neighbours` builds beside."""
    text = (ROOT / "docs/guide/speed.md").read_text("utf-8")
    table = text.partition("<!-- neighbours -->")[2].partition("<!-- end -->")[0]
    rows = [line.split(" | ")[0].removeprefix("| ") for line in table.splitlines() if line.startswith("| ")]
    assert rows[2:] == [name for name in NEIGHBOURS if name in rows]
    assert len(rows) > len(NEIGHBOURS) / 2
