"""Beside plugins and hooks that declare nothing: no page is stale, and no file is missing."""

from __future__ import annotations

import pytest

from tests.conftest import ROOT
from tests.install.neighbours.projects import NEIGHBOURS
from tests.speed.conftest import Site
from tests.speed.themes import THEME

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


def test_the_guide_lists_what_was_compared() -> None:
    """Each row of its table is a plugin or a hook that `make neighbours` builds beside."""
    text = (ROOT / "docs/guide/speed-details.md").read_text("utf-8")
    table = text.partition("<!-- neighbours -->")[2].partition("<!-- end -->")[0]
    rows = [line.split(" | ")[0].removeprefix("| ") for line in table.splitlines() if line.startswith("| ")]
    assert rows[2:] == [name for name in NEIGHBOURS if name in rows]
    assert len(rows) > len(NEIGHBOURS) / 2
