"""The folders of Material's plugin `blog`, of which a site may have several."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping

_NAMES = frozenset({"blog", "material/blog"})
_DEFAULTS: Mapping[str, object] = {
    "blog_dir": "blog",
    "post_dir": "{blog}/posts",
    "archive_url_format": "archive/{date}",
    "categories_url_format": "category/{slug}",
    "authors_profiles_url_format": "author/{slug}",
}
_VIEW_FORMATS = ("archive_url_format", "categories_url_format", "authors_profiles_url_format")
"""Its options with the addresses of pages that list posts, such as `category/{slug}`."""


def folders_of_blog(options: Mapping[str, object]) -> Iterator[str]:
    """Yield the folder of a blog's posts, and those of the pages that list posts.

    The plugin reads or makes all pages in them.
    """
    blog = posixpath.normpath(str(options["blog_dir"]))
    yield posixpath.normpath(str(options["post_dir"]).replace("{blog}", blog))
    for name in _VIEW_FORMATS:
        fixed_prefix = str(options.get(name) or "").partition("{")[0]
        if "/" in fixed_prefix:
            yield posixpath.normpath(f"{blog}/{posixpath.dirname(fixed_prefix)}")


def folders_of_blogs(plugins: object) -> tuple[str, ...]:
    """Return the folders of all blogs among the plugins, as a configuration has them."""
    entries = plugins if isinstance(plugins, list) else [plugins]
    folders = list[str]()
    for entry in entries:
        by_name = entry if isinstance(entry, dict) else {entry: None}
        for name, options in by_name.items():
            values = options if isinstance(options, dict) else {}
            if str(name) in _NAMES and values.get("enabled", True) is not False:
                folders += folders_of_blog({**_DEFAULTS, **values})
    return tuple(dict.fromkeys(folders))
