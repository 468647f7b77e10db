"""The rows: a site, and the plugins and hooks beside which it is built.

The plugins are the twenty that are downloaded most from the Python Package Index (November 2026), those of Material
that ask no other host, and further ones that came up.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

SITE = {
    "docs/index.md": "# Home\n\n[A](a.md)\n",
    "docs/a.md": "# A\n\nWords.\n",
    "docs/b/index.md": "# B\n",
    "docs/b/c.md": "---\ntags: [t]\n---\n# C\n\n## Part\n\n```python\nx = 1\n```\n",
    "docs/b/d.md": "# D\n",
    "docs/image.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>\n",
    "plans/bread.md": "# Bread\n\n## PART 1: Create b/rye.md\n\n- [ ] PART 1: Create b/rye.md\n\n**Goal**: Rye.\n",
    "part.txt": "A part.\n",
    "data.txt": "some data\n",
    "theme/main.html": '{% extends "base.html" %}\n{% block announce %}{{ config.extra.data }}{% endblock %}\n',
}


@dataclass(frozen=True)
class Neighbour:
    """A plugin, a hook or several beside which sites are built."""

    requirements: Sequence[str] = ()
    """The packages; none for plugins of Material."""
    plugins: Sequence[Any] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    """Further files of the project."""
    data: Mapping[str, str] = field(default_factory=dict)
    """Those that the change `data` writes, besides `data.txt`."""
    hooks: Sequence[str] = ()
    extensions: Sequence[Any] = ()
    """Further Markdown extensions."""
    engine: str = "mkdocs"
    growing: str = ""
    """The start of the names of files that grow with each build while serving, also without `planbook-speed`."""
    impossible: str = ""
    """Why it cannot be installed beside this package; empty if it can."""


def page(text: str) -> str:
    """Return a page of Markdown."""
    return f"# Page\n\n{text}\n"


def notebook(text: str) -> str:
    """Return a notebook with one cell."""
    cell = {"cell_type": "markdown", "id": "a", "metadata": {}, "source": [f"# Notebook\n\n{text}"]}
    about = {"language_info": {"name": "python"}}
    return json.dumps({"cells": [cell], "metadata": about, "nbformat": 4, "nbformat_minor": 5})


MAKE = (
    "import mkdocs_gen_files as m\nwith m.open('made.md', 'w') as f:\n    f.write('# M\\n' + open('data.txt').read())\n"
)
LANGUAGES = [
    {"locale": "en", "default": True, "name": "English", "build": True},
    {"locale": "fr", "name": "French", "build": True},
]
POST = "---\ndate: 2024-01-01\ncategories: [c]\n---\n# One\n\nText\n<!-- more -->\nMore.\n"
MONOREPO = {
    "sub/mkdocs.yml": "site_name: sub\nnav:\n  - Sub: index.md\n",
    "sub/docs/index.md": page("Words"),
}
IN_NAVIGATION = [{"Home": "index.md"}, {"A": "a.md"}]

ALONE = {
    "none": Neighbour(),
    # the twenty
    "mkdocstrings": Neighbour(
        ["mkdocstrings-python"],
        [{"mkdocstrings": {"handlers": {"python": {"paths": ["src"]}}}}],
        {"docs/reference.md": page("::: lib"), "src/lib.py": '"""A library."""\n'},
        {"src/lib.py": '"""Another library."""\n\ndef bake():\n    """Bake."""\n'},
    ),
    "autorefs": Neighbour(
        ["mkdocs-autorefs"],
        ["autorefs"],
        {"docs/refs.md": page("[The part][part] and [later][].\n\n## Later")},
        {"docs/b/c.md": "# C\n\n## Part\n\n## Later one\n"},
    ),
    "macros": Neighbour(
        ["mkdocs-macros-plugin"],
        [{"macros": {"include_yaml": ["data.yml"]}}],
        {"data.yml": "text: x\n", "docs/macros.md": page("{{ 1 + 1 }} {{ text }} {{ page.title }}")},
        {"data.yml": "text: y\n"},
    ),
    "git-revision-date-localized": Neighbour(
        ["mkdocs-git-revision-date-localized-plugin"],
        [{"git-revision-date-localized": {"fallback_to_build_date": True, "type": "date"}}],
    ),
    "redirects": Neighbour(["mkdocs-redirects"], [{"redirects": {"redirect_maps": {"old.md": "a.md"}}}]),
    "literate-nav": Neighbour(
        ["mkdocs-literate-nav"],
        ["literate-nav"],
        {"docs/SUMMARY.md": "- [Home](index.md)\n- [B](b/)\n"},
        {"docs/SUMMARY.md": "- [House](index.md)\n- [A](a.md)\n- [B](b/)\n"},
    ),
    "glightbox": Neighbour(["mkdocs-glightbox"], ["glightbox"], {"docs/picture.md": page("![Image](image.svg)")}),
    "monorepo": Neighbour(
        ["mkdocs-monorepo-plugin"],
        ["monorepo"],
        {**MONOREPO, "nav.json": json.dumps([*IN_NAVIGATION, {"Sub": "!include ./sub/mkdocs.yml"}])},
        {"sub/docs/index.md": page("Other words")},
    ),
    "gen-files": Neighbour(["mkdocs-gen-files"], [{"gen-files": {"scripts": ["make.py"]}}], {"make.py": MAKE}),
    "mike": Neighbour(["mike"], ["mike"]),
    "section-index": Neighbour(["mkdocs-section-index"], ["section-index"]),
    "minify": Neighbour(["mkdocs-minify-plugin"], [{"minify": {"minify_html": True}}]),
    "awesome-pages": Neighbour(
        ["mkdocs-awesome-pages-plugin"],
        ["awesome-pages"],
        {"docs/b/.pages": "title: Bread\n"},
        {"docs/b/.pages": "title: Cakes\norder: desc\n"},
    ),
    "mermaid2": Neighbour(
        ["mkdocs-mermaid2-plugin"], ["mermaid2"], {"docs/graph.md": page("```mermaid\ngraph TD\n```")}
    ),
    "techdocs-core": Neighbour(
        impossible="version 1.7.1 needs Material 9.7.7 and Markdown below 3.11; ours, Material 9.8"
    ),
    "include-markdown": Neighbour(
        ["mkdocs-include-markdown-plugin"],
        ["include-markdown"],
        {"docs/include.md": page('{% include "../part.txt" %}')},
    ),
    "panzoom": Neighbour(["mkdocs-panzoom-plugin"], ["panzoom"], {"docs/zoom.md": page("![Image](image.svg)")}),
    "jupyter": Neighbour(
        ["mkdocs-jupyter"],
        ["mkdocs-jupyter"],
        {"docs/notebook.ipynb": notebook("Words")},
        {"docs/notebook.ipynb": notebook("Other words")},
    ),
    "meta-manager": Neighbour(
        ["mkdocs-meta-manager"],
        ["meta-manager"],
        {"docs/b/.meta.yml": "status: new\n"},
        {"docs/b/.meta.yml": "status: deprecated\n"},
    ),
    "link-marker": Neighbour(
        ["mkdocs-link-marker"], ["link-marker"], {"docs/link.md": page("[There](https://a.example/)")}
    ),
    # of Material
    "meta": Neighbour(
        plugins=["meta"],
        files={"docs/b/.meta.yml": "status: new\n"},
        data={"docs/b/.meta.yml": "status: deprecated\n"},
    ),
    "blog": Neighbour(
        plugins=["blog"],
        files={"docs/blog/index.md": "# Blog\n", "docs/blog/posts/1.md": POST},
        data={"docs/blog/posts/1.md": POST.replace("Text", "Other text")},
    ),
    "offline": Neighbour(plugins=["offline"]),
    # further ones
    "static-i18n": Neighbour(
        ["mkdocs-static-i18n"],
        [{"i18n": {"docs_structure": "suffix", "languages": LANGUAGES}}],
        {"docs/a.fr.md": "# A fr\n"},
        {"docs/a.fr.md": "# A, fr\n"},
    ),
    "git-authors": Neighbour(["mkdocs-git-authors-plugin"], ["git-authors"]),
    "awesome-nav": Neighbour(
        ["mkdocs-awesome-nav"],
        ["awesome-nav"],
        {"docs/.nav.yml": "nav:\n  - index.md\n  - b\n  - '*'\n"},
        {"docs/.nav.yml": "nav:\n  - b\n  - index.md\n  - '*'\n"},
    ),
    "table-reader": Neighbour(
        ["mkdocs-table-reader-plugin"],
        ["table-reader"],
        {"docs/t.csv": "a,b\n1,2\n", "docs/table.md": page("{{ read_csv('docs/t.csv') }}")},
        {"docs/t.csv": "a,b\n3,4\n"},
    ),
    "rss": Neighbour(["mkdocs-rss-plugin"], [{"rss": {"use_git": False}}], growing="feed_"),
    "exclude": Neighbour(["mkdocs-exclude"], [{"exclude": {"glob": ["x/*"]}}]),
    "print-site": Neighbour(["mkdocs-print-site-plugin"], ["print-site"]),
    "enumerate-headings": Neighbour(["mkdocs-enumerate-headings-plugin"], ["enumerate-headings"]),
}
"""Plugins by the name in the table."""

READ = "from pathlib import Path\n\ndef text():\n    return Path(__file__).with_name('data.txt').read_text()\n\n"
HOOKS = {
    "config": "def on_config(config):\n    config.extra['data'] = text()\n",
    "nav": "def on_nav(nav, config, files):\n    nav.items[-1].title = text()\n",
    "page_markdown": "def on_page_markdown(markdown, page, config, files):\n    return markdown + text()\n",
    "page_content": "def on_page_content(html, page, config, files):\n    return html + text()\n",
    "env": "def on_env(env, config, files):\n    env.globals['data'] = text()\n",
    "post_page": "def on_post_page(output, page, config):\n    return output + text()\n",
}
"""By their event."""


def together(*names: str, engine: str = "mkdocs") -> Neighbour:
    """Return several rows in one, in this order."""
    rows = [ALONE[name] for name in names]
    return Neighbour(
        requirements=[requirement for row in rows for requirement in row.requirements],
        plugins=[plugin for row in rows for plugin in row.plugins],
        files={uri: text for row in rows for uri, text in row.files.items()},
        data={uri: text for row in rows for uri, text in row.data.items()},
        growing="".join(row.growing for row in rows),
        engine=engine,
    )


REFERENCE = ("gen-files", "literate-nav", "section-index", "autorefs", "mkdocstrings")
BLOG = ("blog", "meta", "rss", "redirects")
NEIGHBOURS = {
    **ALONE,
    **{
        f"hook: on_{event}": Neighbour(files={"hook.py": READ + code}, hooks=["hook.py"])
        for event, code in HOOKS.items()
    },
    "a reference: gen-files, literate-nav, section-index, autorefs, mkdocstrings": together(*REFERENCE),
    "a manual: awesome-pages, include-markdown, macros, table-reader": together(
        "awesome-pages", "include-markdown", "macros", "table-reader"
    ),
    "a blog: blog, meta, rss, redirects": together(*BLOG),
    "dates and authors: git-revision-date-localized, git-authors, glightbox, minify": together(
        "git-revision-date-localized", "git-authors", "glightbox", "minify"
    ),
    "pictures: mermaid2, jupyter, panzoom, link-marker": together("mermaid2", "jupyter", "panzoom", "link-marker"),
    "languages: static-i18n, awesome-nav, minify": together("static-i18n", "awesome-nav", "minify"),
    "ProperDocs: none": Neighbour(engine="properdocs"),
    "ProperDocs: macros": together("macros", engine="properdocs"),
    "ProperDocs: a reference": together(*REFERENCE, engine="properdocs"),
    "ProperDocs: a blog": together(*BLOG, engine="properdocs"),
    "ProperDocs: hook: on_env": Neighbour(
        files={"hook.py": READ + HOOKS["env"]}, hooks=["hook.py"], engine="properdocs"
    ),
}
"""By the name in the table: plugins, hooks of six kinds, six usual combinations, and five on ProperDocs."""
