"""Inputs of Markdown rendering besides the page: extensions, their options, and versions of packages."""

from __future__ import annotations

import hashlib
import importlib
import platform
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import markdown
import mkdocs
import pygments
import pymdownx.__meta__

from generator.speed.fingerprint import UnclearError, canonical_text, digest, modules_of

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

OF_MARKDOWN = (
    *("abbr", "admonition", "attr_list", "codehilite", "def_list", "extra", "fenced_code", "footnotes"),
    *("legacy_attrs", "legacy_em", "md_in_html", "meta", "nl2br", "sane_lists", "smarty", "tables", "toc", "wikilinks"),
)
OF_PYMDOWNX = (
    *("arithmatex", "betterem", "blocks.admonition", "blocks.caption", "blocks.definition", "blocks.details"),
    *("blocks.html", "blocks.tab", "caret", "critic", "details", "emoji", "escapeall", "extra", "fancylists"),
    *("highlight", "inlinehilite", "keys", "magiclink", "mark", "progressbar", "quotes", "saneheaders", "smartsymbols"),
    *("striphtml", "superfences", "tabbed", "tasklist", "tilde"),
)
PURE = frozenset(
    {*OF_MARKDOWN, *(f"markdown.extensions.{name}" for name in OF_MARKDOWN)} | {f"pymdownx.{n}" for n in OF_PYMDOWNX}
)
"""Extensions whose output depends only on the text, their options and their version. Not among them: those that read
other files (snippets, b64, pathconverter), count across pages, or depend on the current page."""
PURE_CODE = ("markdown.", "pymdownx.", "pygments.", "material.extensions.emoji")
"""Modules whose functions may occur in options of extensions, such as a slug function or the emoji index."""
BUILTIN = frozenset({"builtins", "functools"})


def extensions_digest(config: MkDocsConfig, pure: Iterable[str]) -> str:
    """Return the digest of the inputs that rendering shares across pages. `pure` names further pure extensions.

    Raises:
        UnclearError: an extension, or a function in its options, may have unknown inputs.
    """
    allowed = PURE | set(pure)
    for extension in config.markdown_extensions:
        if not isinstance(extension, str):
            raise UnclearError(f"the extension {type(extension).__module__}.{type(extension).__qualname__}")
        if extension not in allowed:
            raise UnclearError(f"the extension {extension}")
    options = canonical_text(config.mdx_configs)  # before looking for modules: it refuses values without any
    for module in sorted(modules_of(config.mdx_configs)):
        if module not in allowed | BUILTIN and not f"{module}.".startswith(PURE_CODE):
            raise UnclearError(f"a function of {module} in the options of an extension")
    if (config.mdx_configs.get("pymdownx.emoji") or {}).get("options", {}).get("custom_icons"):
        raise UnclearError("icons of your own for pymdownx.emoji")
    sources = [digest(_source(name)) for name in sorted(set(pure))]
    links = canonical_text({name: int(level) for name, level in config.validation.links.items()})
    return digest(
        canonical_text(config.markdown_extensions), options, links, str(config.use_directory_urls), *sources, packages()
    )


def packages() -> str:
    """Return the versions of all packages that take part in rendering, as text."""
    found = {
        "Python": platform.python_version(),
        "engine": f"{mkdocs.__name__} {mkdocs.__version__}",
        "markdown": markdown.__version__,
        "pymdownx": pymdownx.__meta__.__version__,
        "pygments": pygments.__version__,
    }
    for name in ("mkdocs-material", "jinja2", "markupsafe"):
        found[name] = metadata.version(name)
    for group in ("pygments.lexers", "pygments.styles", "pygments.filters", "pygments.formatters"):
        for point in metadata.entry_points(group=group):
            found[f"{group} {point.name}"] = f"{point.value} {point.dist.version if point.dist else ''}"
    return canonical_text(found)


def _source(module: str) -> bytes:
    """Return the digest of a module's code; of a package's, all its modules."""
    path = Path(importlib.import_module(module).__file__ or "")
    paths = sorted(path.parent.rglob("*.py")) if path.name == "__init__.py" else [path]
    return hashlib.sha256(b"\0".join(part.read_bytes() for part in paths)).digest()
