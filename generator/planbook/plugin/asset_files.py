"""Scripts and style sheets as a site gets them.

Ours are without comments and indentation, and Material's palette is without the colours that the
site does not have.
"""

from __future__ import annotations

import re
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from planbook.plugin.configuration import THEME

if TYPE_CHECKING:
    from collections.abc import Collection

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.theme import Theme

_FOLDER = THEME / "assets" / "planbook"
_COMMENT_LINE = re.compile(r"\s*(?://.*|/\*(?:(?!\*/).)*\*/\s*)$")
_CSS_TOKEN = re.compile(r"""("[^"\n]*")|/\*.*?\*/|\s*([{};,])\s*|(:)\s+|(\s+)""", re.DOTALL)


def compact_script(text: str) -> str:
    """Return a script without indentation, empty lines and lines that are a comment.

    Other comments stay, and so does each end of a line: to a parser, nothing is changed but the
    white space in templates over several lines.
    """
    lines = (line.strip() for line in text.splitlines() if not _COMMENT_LINE.match(line))
    return "\n".join(filter(None, lines)) + "\n"


def compact_style(text: str) -> str:
    """Return a style sheet without comments, and with a line for each rule or block that ends."""
    short = _CSS_TOKEN.sub(_short_token, text)
    return short.strip().replace(";}", "}").replace("}", "}\n")


def _short_token(token: re.Match[str]) -> str:
    quoted, sign, colon, space = token.groups()
    return quoted or sign or colon or (" " if space else "")


_PALETTE = re.compile(r"assets/stylesheets/palette\.[\w.]*css")
_RULE = re.compile(r"([^{}]+)\{[^{}]*\}")
_RULE_OF_PARTS = re.compile(r"([^{}]+)\{([^{}]*)\}")
_EMPTY_MEDIA = re.compile(r"@media[^{}]*\{\}")
_COLOUR = re.compile(r"\[data-md-color-(?:primary|accent)=([\w-]+)\]")
_DEFAULT_COLOUR = "indigo"


def drop_unused_colours(files: Files, theme: Theme) -> None:
    """Replace Material's palette, of 21 colours, by the part that the site can show."""
    palettes = theme.get("palette") or {}
    colours = {
        str(palette.get(key, _DEFAULT_COLOUR)).replace(" ", "-")
        for palette in (palettes if isinstance(palettes, list) else [palettes])
        for key in ("primary", "accent")
    }
    for file in files:
        if file.abs_src_path and _PALETTE.fullmatch(file.src_uri):
            text = Path(file.abs_src_path).read_text("utf-8")
            file.content_string = palette_of(text, colours)


def palette_of(text: str, colours: Collection[str]) -> str:
    """Return Material's palette without the rules that hold for none of these colours."""
    used_rules = _RULE.sub(partial(_rule_if_used, colours), text)
    return _EMPTY_MEDIA.sub("", used_rules)


def _rule_if_used(colours: Collection[str], rule: re.Match[str]) -> str:
    """Return a rule of the palette, or nothing if each of its selectors needs another colour."""
    colours_of_selectors = (_COLOUR.findall(selector) for selector in rule[1].split(","))
    is_used = any(all(name in colours for name in names) for names in colours_of_selectors)
    return rule[0] if is_used else ""


_MAIN = re.compile(r"assets/stylesheets/main\.[\w.]*css")
_COMMA = re.compile(r",(?![^()]*\))")
_PARENTHESES = re.compile(r"\([^()]*\)")
_CLASSES_OF_EXTENSIONS = {
    ".tabbed-": {"pymdownx.tabbed", "pymdownx.blocks.tab"},
    ".keys": {"pymdownx.keys"},
    ".critic": {"pymdownx.critic"},
    ".arithmatex": {"pymdownx.arithmatex"},
}
"""Classes that Material styles, with the Markdown extensions that write elements of them."""
_CLASSES_OF_SETTINGS = {
    ".md-version": "version",
    ".md-select": "alternate",
    ".md-social": "social",
    ".md-consent": "consent",
    ".md-feedback": "analytics",
}
"""Classes that Material styles, with the name in ``extra`` without which no page has them."""
_CLASSES_OF_FEATURES = {
    ".md-path": "navigation.path",
    ".md-progress": "navigation.instant.progress",
    ".md-nav--integrated": "toc.integrate",
}
"""Classes that Material styles, with the feature of its theme that uses them."""
_OTHER_CLASSES = (
    *(".md-post", ".md-pagination", ".md-author", ".md-profile"),
    *(".md-banner", ".giscus"),
    ".md-source__fact",
)
"""Classes of Material's plugin ``blog``, of templates of the author's, and of what Material asks a
forge for, which our template of the repository's link does not let it do."""
_KNOWN_PLUGINS = frozenset({"planbook", "planbook-speed", "search", "tags", "offline", "privacy"})
"""Plugins that add no element which another style sheet than theirs would need."""
_RTL_LANGUAGES = frozenset({"ar", "fa", "he", "ur"})


def drop_unused_rules(files: Files, config: MkDocsConfig) -> None:
    """Replace Material's style sheet by the part that a site with these settings can show.

    What hooks, other plugins, templates and extensions of the author's write is not known: with
    any of them, the style sheet stays whole.
    """
    plugins = {name.rpartition("/")[2] for name in config.plugins}
    is_known = plugins <= _KNOWN_PLUGINS and not config.hooks and not config.theme.custom_dir
    if not is_known or not all(isinstance(name, str) for name in config.markdown_extensions):
        return
    unused = _unused_selectors(config)
    for file in files:
        if file.abs_src_path and _MAIN.fullmatch(file.src_uri):
            text = Path(file.abs_src_path).read_text("utf-8")
            file.content_string = remove_selectors(text, unused)


def _unused_selectors(config: MkDocsConfig) -> list[str]:
    """Return parts of selectors that match nothing on a site with these settings."""
    extensions, theme = set(config.markdown_extensions), config.theme
    unused = [part for part, writers in _CLASSES_OF_EXTENSIONS.items() if not writers & extensions]
    unused += [part for part, name in _CLASSES_OF_SETTINGS.items() if name not in config.extra]
    features = theme.get("features", ())
    unused += [part for part, feature in _CLASSES_OF_FEATURES.items() if feature not in features]
    is_from_left = theme.get("language", "en") not in _RTL_LANGUAGES
    if is_from_left and theme.get("direction", "ltr") == "ltr":
        unused.append("[dir=rtl]")
    return [*unused, *_OTHER_CLASSES]


def remove_selectors(style: str, unused: Collection[str]) -> str:
    """Return a style sheet without the selectors that have one of these parts.

    What stands in parentheses, as in ``:not(.keys)``, does not count.
    """
    pattern = re.compile("|".join(map(re.escape, unused)))
    used_rules = _RULE_OF_PARTS.sub(partial(_rule_of_used_selectors, pattern), style)
    return _EMPTY_MEDIA.sub("", used_rules)


def _rule_of_used_selectors(unused: re.Pattern[str], rule: re.Match[str]) -> str:
    """Return a rule with the selectors that are used, or nothing if there is none."""
    selectors = _COMMA.split(rule[1])
    used = [each for each in selectors if not unused.search(_PARENTHESES.sub("", each))]
    return f"{','.join(used)}{{{rule[2]}}}" if used else ""


def compact_assets(files: Files) -> None:
    """Replace the content of our scripts and style sheets in MkDocs' files.

    They have no path then.
    """
    for file in files:
        path = Path(file.abs_src_path) if file.abs_src_path else None
        if path and path.parent == _FOLDER and path.suffix in {".css", ".js"}:
            file.content_string = _compact(path, path.stat().st_mtime_ns)


@cache
def _compact(path: Path, _changed: int) -> str:
    text = path.read_text("utf-8")
    return compact_style(text) if path.suffix == ".css" else compact_script(text)
