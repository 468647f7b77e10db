"""Hooks that declare nothing and read a file, in every event: each build is as without the cache."""

from __future__ import annotations

import os

import pytest

from tests.speed.conftest import Site

READ = "from pathlib import Path\n\ndef text():\n    return Path(__file__).with_name('motd.txt').read_text()\n\n"
THEME = (
    '{{% extends "base.html" %}}\n{{% block announce %}}{{% if page %}}{shown}{{% endif %}}{{% endblock %}}\n'
    "{{% block content %}}{{{{ super() }}}}{{% endblock %}}\n"
)
FILES = "def on_files(files, config):\n"
ENV = "def on_env(env, config, files):\n"
EACH = "    for page in [file.page for file in files.documentation_pages()]:\n"
HOOKS: dict[str, tuple[str, str]] = {
    "a-page": (
        "from mkdocs.structure.files import File\n"
        + FILES
        + "    files.append(File.generated(config, 'motd.md', content=text()))\n",
        "",
    ),
    "a-static-file": (
        "from mkdocs.structure.files import File\n"
        + FILES
        + "    files.append(File.generated(config, 'motd.txt', content=text()))\n",
        "",
    ),
    "attribute-of-a-file": (
        FILES + "    for file in files:\n        file.motd = text()\n",
        "{{ page.file.motd }} {{ page.file['motd'] }}",
    ),
    "attribute-of-a-page": (
        "def on_nav(nav, config, files):\n    for page in nav.pages:\n        page.motd = text()\n",
        "{{ page.motd }}",
    ),
    "addresses-of-a-page": (
        "def on_nav(nav, config, files):\n    for page in nav.pages:\n"
        "        page.canonical_url = page.abs_url = text()\n",
        "{{ page.canonical_url }} {{ page.abs_url }}",
    ),
    "place-of-a-file": (FILES + "    files.src_uris['1.md'].dest_uri = f'{text()}.html'\n", ""),
    "edit-address": ("def on_pre_page(page, config, files):\n    page.edit_url = text()\n", "{{ page.edit_url }}"),
    "source": ("def on_page_read_source(page, config):\n    return f'# {text()}'\n", ""),
    "config": ("def on_config(config):\n    config.extra['motd'] = text()\n", "{{ config.extra.motd }}"),
    "pre-build": ("def on_pre_build(config):\n    config.extra['motd'] = text()\n", "{{ config.extra.motd }}"),
    "theme": ("def on_config(config):\n    config.theme['motd'] = text()\n", "{{ config.theme.motd }}"),
    "theme-of-page": (
        "def on_pre_page(page, config, files):\n    config.theme['motd'] = text()\n",
        "{{ config.theme.motd }}",
    ),
    "features": (
        "def on_config(config):\n    config.theme['features'] = ['navigation.tabs'] * (text() == 'second')\n",
        "",
    ),
    "order": ("def on_nav(nav, config, files):\n    nav.items.sort(reverse=text() == 'second', key=str)\n", ""),
    "neighbour": (
        "def on_nav(nav, config, files):\n    nav.pages[0].next_page = nav.pages[3] if text() == 'second' else None\n",
        "",
    ),
    "html": (ENV + EACH + "        page.content += text()\n", ""),
    "metadata": (ENV + EACH + "        page.meta['motd'] = text()\n", "{{ page.meta.motd }}"),
    "contents": (ENV + EACH + "        for item in page.toc:\n            item.title = text()\n", ""),
    "date": (ENV + EACH + "        page.update_date = text()\n", "{{ page.update_date }}"),
    "day": (
        "import os\n\ndef on_pre_build(config):\n"
        "    os.environ['SOURCE_DATE_EPOCH'] = str(len(text()) * 10**8 + 10**6 * (text() == 'second'))\n",
        "{{ page.update_date }}",
    ),
    "anchors": (ENV + EACH + "        page.own = [text()]\n", "{{ page.own }}"),
    "loader": (
        ENV + "    import jinja2\n    more = jinja2.DictLoader({'main.html': '{% extends \"base.html\" %}' + text()})\n"
        "    env.loader = jinja2.ChoiceLoader([more, env.loader])\n",
        "",
    ),
    "blocks": (
        ENV + "    env.trim_blocks = env.lstrip_blocks = text() == 'second'\n",
        "\n  {% if 1 %}\n  x\n  {% endif %}\n",
    ),
    "finalize": (ENV + "    env.finalize = lambda value: text() if value == 'x' else value\n", "{{ 'x' }}"),
    "undefined": (
        ENV + "    import jinja2\n    env.undefined = type('U', (jinja2.Undefined,), {'__str__': lambda _: text()})\n",
        "{{ nothing }}",
    ),
    "test": (ENV + "    env.tests['motd'] = lambda value: text() == 'second'\n", "{{ 1 is motd }}"),
    "policy": (
        ENV + "    env.policies['json.dumps_kwargs'] = {'indent': 2} if text() == 'second' else {}\n",
        "{{ [1] | tojson }}",
    ),
    "filter-of-the-theme": (ENV + "    env.filters['upper'] = lambda value: text()\n", "{{ 'x' | upper }}"),
    "mutable-global": (ENV + "    env.globals.update(motd=[text()])\n", "{{ motd }}"),
    "template-context": (
        "def on_template_context(context, template_name, config):\n    config.extra['motd'] = text()\n",
        "{% endif %}{{ config.extra.motd }}{% if 1 %}",
    ),
    "context-of-404": (
        "def on_template_context(context, template_name, config):\n"
        "    context['base_url'] = text()\n    return context\n",
        "",
    ),
    "pre-template": (
        "def on_pre_template(template, template_name, config):\n    config.extra['motd'] = text()\n",
        "{% endif %}{{ config.extra.motd }}{% if 1 %}",
    ),
    "post-template": ("def on_post_template(output, template_name, config):\n    return output + text()\n", ""),
    "written-at-the-end": (
        "def on_post_build(config):\n    path = Path(config.site_dir, 'image.svg')\n"
        "    path.write_text(path.read_text() + text())\n",
        "",
    ),
    "page-written-at-the-end": (
        "def on_post_build(config):\n    path = Path(config.site_dir, 'index.html')\n"
        "    path.write_text(path.read_text() + text())\n",
        "",
    ),
    "deleted-at-the-end": (
        "def on_post_build(config):\n"
        "    Path(config.site_dir, 'image.svg' if text() == 'second' else '404.html').unlink()\n",
        "",
    ),
    "search-at-the-end": (
        "def on_post_build(config):\n    path = Path(config.site_dir, 'search/search_index.json')\n"
        "    Path(config.site_dir, 'size.txt').write_text(f'{path.stat().st_size} {text()}')\n",
        "",
    ),
    "language": ("def on_config(config):\n    config.theme['language'] = 'de' if text() == 'second' else 'en'\n", ""),
    "extension": (
        "def on_config(config):\n    config.mdx_configs.setdefault('toc', {})['permalink'] = text()\n",
        "",
    ),
    "extension-of-page": (
        "def on_pre_page(page, config, files):\n    config.mdx_configs['toc']['permalink'] = text()\n",
        "",
    ),
    "footer": (
        "def on_page_context(context, page, config, nav):\n"
        "    page.next_page = nav.pages[2] if text() == 'second' else None\n",
        "",
    ),
    "class": (
        "from mkdocs.structure.pages import Page\n\nclass Own(Page):\n"
        "    @property\n    def motd(self):\n        return text()\n\n"
        "def on_nav(nav, config, files):\n    for page in nav.pages:\n        page.__class__ = Own\n",
        "{{ page.motd }}",
    ),
}


BY_DAY = {
    *("attribute-of-a-file", "attribute-of-a-page", "blocks", "class", "context-of-404", "day", "extension-of-page"),
    *("finalize", "metadata", "policy", "template-context", "written-at-the-end"),
}
"""Each stands for a class of what hooks may change."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in BY_DAY else pytest.mark.nightly) for name in sorted(HOOKS)]
)
def test_a_hook_in_a_less_usual_way(site: Site, name: str) -> None:
    """Its file changes, with the same size and time."""
    code, shown = HOOKS[name]
    site.write("theme/main.html", THEME.format(shown=shown))
    site.write("hook.py", READ + code)
    motd = site.root / "motd.txt"
    motd.write_text("first.", "utf-8")
    site.config["hooks"] = ["hook.py"]
    site.assert_same()
    site.assert_same()
    stat = motd.stat()
    motd.write_text("second", "utf-8")
    os.utime(motd, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    site.assert_same()
    motd.write_text("first.", "utf-8")
    site.assert_same()
