"""The folder that Zensical builds the same site from.

It has pages as Markdown receives them, the theme, and a configuration.

MkDocs reads the configuration and the files, and the plugin does what it does in a build of MkDocs,
until a page's Markdown would be rendered. What it adds to a page's HTML and head is in the page's
front matter: an extension of Markdown and a template put it in its place.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import yaml
from jinja2 import Environment, FileSystemLoader
from mkdocs.config import load_config
from mkdocs.plugins import get_plugin_logger
from mkdocs.structure.files import get_files, set_exclusions
from mkdocs.structure.nav import get_navigation
from mkdocs.utils.yaml import yaml_load
from zensical.config import get_theme_dir

from planbook.markdown import github
from planbook.markdown.elements import FRAME
from planbook.markdown.elements import NAME as NAMED_ELEMENTS
from planbook.plugin import PlanbookPlugin
from planbook.plugin.configuration import (
    LISTS,
    PAGE,
    PRINT,
    SCRIPTS,
    SITEMAP,
    SOURCES_STYLE,
    STYLE,
    THEME,
)
from planbook.plugin.metadata import title_of_name
from planbook.store.files import REPORT, RefusedError
from planbook.store.settings import plans_folder
from planbook.store.trees import files_below
from planbook_cache.versions import code_version
from planbook_speed.highlighting import QuickExtension

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import File, Files
    from mkdocs.structure.pages import Page as MkDocsPage

_log = get_plugin_logger("planbook")

HEAD = "planbook_head"
"""The key of a page's tags and addresses in its front matter."""
_HEAD_TEMPLATE = f"""{{% extends "base.html" %}}
{{% block extrahead %}}
{{% if page and page.meta and page.meta.{HEAD} %}}{{{{ page.meta.{HEAD}.tags }}}}{{% endif %}}
{{{{ super() }}}}
{{% endblock %}}
{{% block htmltitle %}}
{{% if page and page.title and not page.is_homepage and not page.meta.title %}}
<title>{{{{ page.title | striptags | e }}}} - {{{{ config.site_name }}}}</title>
{{% else %}}
{{{{ super() }}}}
{{% endif %}}
{{% endblock %}}
"""
_QUICK_EXTENSION = f"{QuickExtension.__module__}:{QuickExtension.__name__}"
_OUR_TEMPLATES, _BASE, _MAIN = "planbook.html", "base.html", "main.html"
_TAGS, _ACTIONS = (f'{{% include "partials/{name}.html" %}}\n' for name in ("tags", "actions"))
_EDITS = {"page.edit_url": f"page.meta.{HEAD}.edit", _TAGS: "", _ACTIONS: f"{_TAGS}{_ACTIONS}"}
"""Changes to templates, in order: addresses for edits are in the front matter, and tags go above
the title."""
_DROPPED_SETTINGS = ("INHERIT", "draft_docs", "exclude_docs", "hooks", "watch")
"""Settings that the folder already follows, or that Zensical would read from other places."""


class ZensicalTree:
    """The folder of one project, for one build or for many while serving.

    Args:
        config_file: the project's `mkdocs.yml`.
        is_serving: True to include drafts, and to keep values between calls.
        has_twins: False to leave out pages as plain Markdown, which must be written after Zensical
            has built the site.
        options: settings that override those in the file.
    """

    CONFIG, SITE = "mkdocs.yml", "site"
    """The configuration in the folder, and the folder that Zensical writes the site into."""
    INDEX = f"{SITE}/INDEX.md"
    """The plain Markdown of a page that every site has."""

    def __init__(
        self, config_file: Path, *, is_serving: bool = False, has_twins: bool = True, **options: Any
    ) -> None:
        self._config_file, self._is_serving, self._options = config_file, is_serving, options
        self._has_twins = has_twins
        self._plugin: PlanbookPlugin | None = None
        self._pages: dict[str, tuple[object, bytes]] = {}
        self.config = self._load()[0]

    def files(self) -> dict[str, bytes]:
        """Return all files of the folder, by path. Problems are logged, as in a build of MkDocs."""
        config, plugin = self._load()
        self.config = config
        if plugin is not self._plugin:  # MkDocs keeps it
            plugin.on_startup(command="serve" if self._is_serving else "build", dirty=False)
            self._plugin = plugin
        plugin.on_config(config)
        plugin.choose_reader(config)
        offline = config.plugins.get("material/offline")
        if offline and offline.config.enabled:
            config.use_directory_urls = False  # as this plugin does in both engines
        for name in config.plugins.keys() - {"planbook", "material/tags"}:
            del config.plugins[name]  # the others are Zensical's business, or nobody's
        try:
            return dict(self._files(plugin, config))
        finally:
            plugin.on_post_build(config=config)

    def file_stamps(self) -> dict[str, tuple[int, int]]:
        """Return time and size of every file that the folder depends on, by path."""
        config, root = self.config, self._config_file.parent
        options = config.plugins["planbook"].config
        plans_dir = options.plans_dir
        plans = [plans_dir] if isinstance(plans_dir, str) else plans_dir
        folders = [
            config.docs_dir,
            config.theme.custom_dir,
            *(root / plans_folder(path) for path in plans),
        ]
        paths = [str(self._config_file), str(root / REPORT)]
        for folder in folders:
            if folder:
                paths += files_below(Path(folder), f"{folder}")
        stamps: dict[str, tuple[int, int]] = {}
        for path in paths:
            if os.path.exists(path):  # noqa: PTH110 - for thousands of files
                stat = os.stat(path)  # noqa: PTH116
                stamps[path] = (stat.st_mtime_ns, stat.st_size)
        return stamps

    def _load(self) -> tuple[MkDocsConfig, PlanbookPlugin]:
        options = {name: value for name, value in self._options.items() if value is not None}
        config = load_config(str(self._config_file), **options)
        plugin = config.plugins.get("planbook")
        if not isinstance(plugin, PlanbookPlugin):
            raise RefusedError(
                f"{self._config_file}: the plugin is missing; add `- planbook` to `plugins`"
            )
        if config.theme.name != "material":
            defect = (
                f"the theme {config.theme.name} has no counterpart in Zensical; set `theme: "
                "material`"
            )
            raise RefusedError(f"{self._config_file}: {defect}")
        plugin.config.agents &= self._has_twins
        return config, plugin

    def _files(self, plugin: PlanbookPlugin, config: MkDocsConfig) -> Iterator[tuple[str, bytes]]:
        plugin.hide_entries(config)
        all_files = plugin.find_files(get_files(config), config)
        theme_files = [
            config.theme.custom_dir or THEME,
            THEME,
        ]  # pages link to files in these, not to the theme's
        all_files.add_files_from_theme(
            Environment(autoescape=True, loader=FileSystemLoader(theme_files)), config
        )
        _remove_unreadable(all_files, "it")
        files = plugin.add_files(all_files, config)
        _remove_unreadable(files, "the page that a plan names")
        set_exclusions(files, config)
        # This creates the pages.
        plugin.on_nav(get_navigation(files, config), config=config, files=files)
        yield from _theme(config)
        for file in files:
            if file.src_dir in config.theme.dirs or not self._is_published(file):
                continue
            if file.page:
                yield (
                    f"docs/{file.src_uri}",
                    self._page_text(file, file.page, plugin, config, files),
                )
            else:  # Markdown among the pages would be a page
                folder = self.SITE if file.dest_uri.endswith(".md") else "docs"
                yield f"{folder}/{file.dest_uri}", file.content_bytes
        yield self.CONFIG, _configuration(plugin, config).encode()

    def _is_published(self, file: File) -> bool:
        """Return True for a file of the site, while serving also for a draft."""
        inclusion = file.inclusion
        return bool(inclusion.is_in_serve() if self._is_serving else inclusion.is_included())

    def _page_text(
        self,
        file: File,
        page: MkDocsPage,
        plugin: PlanbookPlugin,
        config: MkDocsConfig,
        files: Files,
    ) -> bytes:
        """Return a page as Markdown, as the last call left it if its inputs are the same."""
        inputs = plugin.page_inputs(page, files), page.edit_url, file.content_bytes
        previous_inputs, text = self._pages.get(file.src_uri, (None, b""))
        if previous_inputs != inputs:
            text = _page_markdown(page, plugin, config, files)
            self._pages[file.src_uri] = inputs, text
        return text


def _remove_unreadable(files: Files, cause: str) -> None:
    """Remove files with a backslash in their path, which renaming `cause` would correct.

    With one among them, Zensical ends without a page or an error.
    """
    unreadable = [file for file in files if "\\" in file.src_uri]
    for file in unreadable:
        defect = f"Zensical cannot build a file with a backslash in its path; rename {cause}"
        _log.warning("%s: left out: %s", file.src_uri, defect)
        files.remove(file)


def _page_markdown(
    page: MkDocsPage, plugin: PlanbookPlugin, config: MkDocsConfig, files: Any
) -> bytes:
    """Return a page's Markdown with its citations shown, below its completed front matter.

    That is written as JSON, which is YAML, too.
    """
    page.read_source(config)
    text = plugin.on_page_markdown(page.markdown or "", page=page, config=config, files=files)
    head = {"tags": plugin.head(page), "edit": page.edit_url or ""}
    frame = asdict(plugin.build.pages.frame_html(page))
    meta: dict[str, Any] = {**page.meta, FRAME: frame, HEAD: head}
    # Counts change with each save; the works are in the text, with their links.
    for key in ("lines", "references"):
        meta.pop(key, None)
    title = title_of_name(page)
    if "title" not in meta and title:
        meta["title"] = title
    if "title" in meta:  # search shows it as it is; in double quotes, an apostrophe is safe
        meta["title"] = str(meta["title"]).replace("&#39;", "'")
    return b"---\n%b\n---\n\n%b" % (msgspec.json.encode(meta, enc_hook=str), text.encode())


def _theme(config: MkDocsConfig) -> Iterator[tuple[str, bytes]]:
    """Yield our theme, the author's over it, and what both need of Zensical's."""
    places = {path: THEME / path for path in files_below(THEME, "")}
    for name in (SITEMAP, "sitemap.xml"):
        places.pop(name, None)
    if config.theme.custom_dir:
        custom = Path(config.theme.custom_dir)
        places |= {path: custom / path for path in files_below(custom, "")}
    texts = {path: file.read_bytes() for path, file in places.items()}
    texts[_OUR_TEMPLATES] = _HEAD_TEMPLATE.encode()
    main_template = texts.get(_MAIN, f'{{% extends "{_BASE}" %}}\n'.encode())
    texts[_MAIN] = main_template.replace(_BASE.encode(), _OUR_TEMPLATES.encode())
    for name in ("partials/actions.html", "partials/content.html"):
        text = (Path(get_theme_dir("material")) / name).read_text("utf-8")
        for old, new in _EDITS.items():
            text = text.replace(old, new)
        texts.setdefault(name, text.encode())
    yield from ((f"theme/{path}", text) for path, text in texts.items())


def _configuration(plugin: PlanbookPlugin, config: MkDocsConfig) -> str:
    """Return the author's configuration, with what the plugin has made of it."""
    with open(str(config.config_file_path), "rb") as file:  # noqa: PTH123 - as MkDocs does
        raw = {key: value for key, value in yaml_load(file).items() if key not in _DROPPED_SETTINGS}
    theme = raw.get("theme")
    named_theme = theme if isinstance(theme, dict) else {"name": theme}
    links = config.validation.links
    configuration = raw | {
        "docs_dir": "docs",
        "site_dir": ZensicalTree.SITE,
        "nav": config.nav,
        "theme": {**named_theme, "variant": "classic", "custom_dir": "theme"},
        "extra": dict(config.extra),
        "extra_css": [
            *dict.fromkeys([STYLE, PAGE, LISTS, SOURCES_STYLE, PRINT, *map(str, config.extra_css)])
        ],
        "extra_javascript": [*(raw.get("extra_javascript") or []), *SCRIPTS],
        "markdown_extensions": _extensions(plugin, config),
        "plugins": _other_plugins(raw["plugins"]),
        "validation": {
            "invalid_links": links.not_found >= logging.WARNING,
            "invalid_link_anchors": links.anchors >= logging.WARNING,
        },
    }
    return yaml.dump(configuration, allow_unicode=True, sort_keys=False, width=10_000)


def _extensions(plugin: PlanbookPlugin, config: MkDocsConfig) -> list[dict[str, Any]]:
    """Return the extensions of Markdown with their options; the reader of pages is the last one."""
    names = dict.fromkeys([*config.markdown_extensions, NAMED_ELEMENTS, _QUICK_EXTENSION])
    names.pop(github.NAME, None)
    names[github.NAME] = None
    version = code_version("planbook")  # Zensical renders a page again if options change
    ours = {
        NAMED_ELEMENTS: {"fixes": plugin.config.fix_pages, "version": version},
        github.NAME: {"default": plugin.modes.default, "version": version},
    }
    options = config.mdx_configs | ours
    return [{name: options.get(name) or {}} for name in names]


def _other_plugins(plugins: dict[str, Any] | list[Any]) -> list[Any]:
    """Return the author's plugins as a list, without ours."""
    entries: list[Any] = plugins if isinstance(plugins, list) else []
    if isinstance(plugins, dict):
        entries = [{name: options} for name, options in plugins.items()]
    other_plugins = []
    for entry in entries:
        name = next(iter(entry)) if isinstance(entry, dict) else entry
        if not name.startswith("planbook"):
            other_plugins.append(entry)
    return other_plugins
