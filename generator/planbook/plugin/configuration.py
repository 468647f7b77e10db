"""Additions to MkDocs' configuration: assets, Markdown extensions, and the sitemap's template."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files as resources
from pathlib import Path
from typing import TYPE_CHECKING

from pymdownx.superfences import fence_code_format

from planbook.markdown import extensions
from planbook.markdown.elements import NAME as NAMED_ELEMENTS
from planbook.plugin.page_events import PLANNED_STATUS

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

STYLE = "assets/planbook/planbook.css"
LISTS = "assets/planbook/lists.css"
"""The style sheet of Sources, Progress and the like, which other pages do not load."""
SOURCES_STYLE = "assets/planbook/sources.css"
"""The style sheet of Sources alone."""
PAGE = "assets/planbook/page.css"
"""The style sheet of what stands around the text of a page that cites."""
PRINT = "assets/planbook/print.css"
"""The style sheet of paper, which pages of nothing but prose do not load."""
SCRIPTS = (
    "assets/planbook/contents.js",
    "assets/planbook/by-need.js",  # loads those of citations and diagrams
    "assets/planbook/copy.js",
)
KEYS = "assets/planbook/keys.js"
"""Leads keys that are pressed early into the search."""
PLACES = "assets/planbook/places.js"
"""Keeps a page while a reader goes to places on it, where the theme would load it again."""
SHIM = "assets/planbook/iframe-worker.js"
"""Lets search work from a folder; Material's plugin `offline` would load a similar script from
another host."""
THEME = Path(str(resources("planbook") / "theme"))
"""Our overrides of themes."""
SITEMAP, MAX_SITEMAP_PAGES = "sitemap-pages.xml", 600
"""The list of a large site's pages, to which `sitemap.xml` then leads, and the number of pages of a
small one."""
DIAGRAM = {"name": "mermaid", "class": "pb-diagram", "format": fence_code_format}
"""The fence of Mermaid diagrams, for Markdown: text, which a script draws."""
EXTENSIONS = (
    *("attr_list", "admonition", "sane_lists"),
    *("pymdownx.superfences", "md_in_html", "footnotes", "pymdownx.tasklist", "pymdownx.quotes"),
)
"""Markdown extensions that generated pages and fixed lists need, followed by those that match
GitHub's Markdown."""
HIGHLIGHTS = "pymdownx.mark"
BUNDLES = {
    "extra": {"attr_list", "footnotes", "md_in_html"},
    "pymdownx.extra": {"attr_list", "footnotes", "md_in_html", "pymdownx.superfences"},
}
"""Extensions among them that another one includes, with the user's options for it."""


def add_assets(config: MkDocsConfig) -> None:
    """Add our style sheet, scripts and templates to the theme's."""
    if STYLE not in config.extra_css:
        config.extra_css.insert(0, STYLE)
        config.extra_javascript += SCRIPTS
    features = config.theme.get("features") or ()
    if KEYS not in config.extra.get("polyfills", ()):
        config.extra["polyfills"] = [*config.extra.get("polyfills", ()), KEYS]
    if "navigation.instant" in features and PLACES not in config.extra.get("polyfills", ()):
        config.extra["polyfills"] = [*config.extra.get("polyfills", ()), PLACES]
    offline = config.plugins.get("material/offline")
    if offline and offline.config["enabled"]:
        polyfills = config.extra.get("polyfills", ())
        other_scripts = [url for url in polyfills if "iframe-worker" not in url]
        config.extra["polyfills"] = [SHIM, *other_scripts]
    config.extra.setdefault("status", {}).setdefault(PLANNED_STATUS, "Not written yet")
    theme = str(THEME)
    if theme not in config.theme.dirs:
        index = 1 if config.theme.custom_dir else 0  # after the author's
        config.theme.dirs.insert(index, theme)


def add_extensions(config: MkDocsConfig, *, has_named_elements: bool) -> None:
    """Add the Markdown extensions that pages need, and the options of those that are there."""
    config.markdown_extensions += missing_extensions(config.markdown_extensions)
    if has_named_elements and NAMED_ELEMENTS not in config.markdown_extensions:
        config.markdown_extensions.append(NAMED_ELEMENTS)
    config.mdx_configs.setdefault("pymdownx.quotes", {}).setdefault("callouts", True)
    superfences = config.mdx_configs.setdefault("pymdownx.superfences", {})
    fences = superfences.setdefault("custom_fences", [])
    if not any(fence["name"] == DIAGRAM["name"] for fence in fences):
        fences.append(DIAGRAM)


def add_highlights(config: MkDocsConfig) -> None:
    """Add the extension that reads `==text==`, as notes have it."""
    if HIGHLIGHTS not in extensions.named_options(config.markdown_extensions, {}):
        config.markdown_extensions.append(HIGHLIGHTS)


def choose_sitemap(files: Files, config: MkDocsConfig) -> None:
    """Use our template of the sitemap for sites with more pages than one sitemap may list."""
    is_large = bool(config.site_url) and len(files.documentation_pages()) > MAX_SITEMAP_PAGES
    if is_large:
        config.theme.static_templates.add(SITEMAP)
    else:
        config.theme.static_templates.discard(SITEMAP)
    template = files.get_file_from_path(SITEMAP)
    if template and template.abs_src_path == str(THEME / SITEMAP):
        files.remove(template)  # MkDocs takes it for a file to copy


def missing_extensions(configured: Iterable[object]) -> list[str]:
    """Return those of `EXTENSIONS` that are not `configured`.

    They may be configured under any name, or as part of a bundle. An instance of an extension,
    which a plugin or a hook has appended, counts by its module.
    """
    options_by_name = extensions.named_options(configured, {})
    names = {
        name.removeprefix("markdown.extensions.").partition(":")[0] for name in options_by_name
    }
    for bundle, included in BUNDLES.items():
        if bundle in names:
            names |= included
    return [extension for extension in EXTENSIONS if extension not in names]
