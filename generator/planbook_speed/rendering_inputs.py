"""Inputs of the rendering of all pages: extensions, their options and code."""

from __future__ import annotations

import functools
import platform
from collections.abc import Iterable
from importlib import metadata
from typing import TYPE_CHECKING

import markdown
import mkdocs
import pygments
import pymdownx.__meta__

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig


from planbook_speed.digests import (
    InputDigests,
    UnclearError,
    canonical_text,
    code_digest,
    digest,
    modules_of,
)

MARKDOWN_EXTENSIONS = (
    "abbr",
    "admonition",
    "attr_list",
    "codehilite",
    "def_list",
    "extra",
    "fenced_code",
    "footnotes",
    "legacy_attrs",
    "legacy_em",
    "md_in_html",
    "meta",
    "nl2br",
    "sane_lists",
    "smarty",
    "tables",
    "toc",
    "wikilinks",
)
PYMDOWNX_EXTENSIONS = (
    "arithmatex",
    "betterem",
    "blocks.admonition",
    "blocks.caption",
    "blocks.definition",
    "blocks.details",
    "blocks.html",
    "blocks.tab",
    "caret",
    "critic",
    "details",
    "emoji",
    "escapeall",
    "extra",
    "fancylists",
    "highlight",
    "inlinehilite",
    "keys",
    "magiclink",
    "mark",
    "progressbar",
    "quotes",
    "saneheaders",
    "smartsymbols",
    "striphtml",
    "superfences",
    "tabbed",
    "tasklist",
    "tilde",
)
PURE_EXTENSIONS = frozenset(
    [
        *MARKDOWN_EXTENSIONS,
        *(f"markdown.extensions.{name}" for name in MARKDOWN_EXTENSIONS),
        *(f"pymdownx.{name}" for name in PYMDOWNX_EXTENSIONS),
    ]
)
"""Extensions whose output depends only on the text, their options and their version. Excluded are
extensions that read other files (snippets, b64, pathconverter), count across pages, or depend on
the current page."""
PLANBOOK_EXTENSIONS = frozenset({"planbook.markdown.elements", "planbook.markdown.github"})
"""Extensions of `planbook` that are pure; their code is part of the digest, as that of the user's
is."""
PURE_CODE = ("markdown.", "pymdownx.", "pygments.", "material.extensions.emoji")
"""Modules whose functions may occur in options of extensions, such as a slug function or the emoji
index."""
BUILTIN = frozenset({"builtins", "functools"})


def read_rendering_inputs(config: MkDocsConfig, pure: Iterable[str]) -> InputDigests:
    """Return the digest of each input that rendering shares across pages.

    `pure` names further pure extensions.

    Raises:
        UnclearError: an extension, or a function in its options, may have unknown inputs.
    """
    pure = {*pure, *(name for name in PLANBOOK_EXTENSIONS if name in config.markdown_extensions)}
    allowed = PURE_EXTENSIONS | pure
    for extension in config.markdown_extensions:
        if not isinstance(extension, str):
            raise UnclearError(
                f"the extension {type(extension).__module__}.{type(extension).__qualname__}"
            )
        if extension not in allowed:
            raise UnclearError(f"the extension {extension}")
    # First: a value that has no canonical text may contain itself, and have modules without end.
    options = {
        name: canonical_text(options_of_extension)
        for name, options_of_extension in config.mdx_configs.items()
    }
    for module in sorted(modules_of(config.mdx_configs)):
        if module not in allowed | BUILTIN and not f"{module}.".startswith(PURE_CODE):
            raise UnclearError(f"a function of {module} in the options of an extension")
    if (config.mdx_configs.get("pymdownx.emoji") or {}).get("options", {}).get("custom_icons"):
        raise UnclearError("custom icons for pymdownx.emoji")
    links = {name: int(level) for name, level in config.validation.links.items()}
    texts = {
        "the list of Markdown extensions": canonical_text(config.markdown_extensions),
        **{f"the options of the extension {name!r}": text for name, text in options.items()},
        **{
            f"the code of the extension {name!r}": digest(code_digest(name))
            for name in sorted(pure)
        },
        "the option 'validation'": canonical_text(links),
        "the option 'use_directory_urls'": str(config.use_directory_urls),
        "the version of a package": packages(),
    }
    return {name: digest(text) for name, text in texts.items()}


def options_of_page(config: MkDocsConfig) -> str:
    """Return the options of a page's rendering as text: a plugin may change them for each page.

    Raises:
        UnclearError: one has no canonical text.
    """
    links = {name: int(level) for name, level in config.validation.links.items()}
    extensions = [str(extension) for extension in config.markdown_extensions]
    return canonical_text([extensions, config.mdx_configs, links, config.use_directory_urls])


@functools.cache
def packages() -> str:
    """Return the versions of all packages that take part in rendering, as text."""
    versions = {
        "Python": platform.python_version(),
        "engine": f"{mkdocs.__name__} {mkdocs.__version__}",
        "markdown": markdown.__version__,
        "pymdownx": pymdownx.__meta__.__version__,
        "pygments": pygments.__version__,
    }
    for name in ("mkdocs-material", "jinja2", "markupsafe"):
        versions[name] = metadata.version(name)
    for group in ("pygments.lexers", "pygments.styles", "pygments.filters", "pygments.formatters"):
        for point in metadata.entry_points(group=group):
            version = point.dist.version if point.dist else ""
            versions[f"{group} {point.name}"] = f"{point.value} {version}"
    return canonical_text(versions)
