"""The files of other plugins of the site, and the generated pages that these must skip."""

from __future__ import annotations

import glob
import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from planbook.store.blogs import folders_of_blog

_BLOG_OPTIONS = frozenset({"blog_dir", "post_dir"})
"""Options that only Material's plugin `blog` has, of which a site may have several."""


@dataclass(frozen=True, slots=True)
class BlogFiles:
    """The files of a site's blogs."""

    folders: tuple[str, ...] = ()
    """The folders of posts, and of the pages that list posts: the plugin reads or makes all pages
    in them."""
    entries: tuple[str, ...] = ()
    """The first page of each blog, which the plugin makes unless there is one."""

    def __contains__(self, uri: str) -> bool:
        """Return True for a page in one of the folders."""
        return uri.startswith(tuple(f"{folder}/" for folder in self.folders))


def blog_files(plugins: Mapping[str, Any]) -> BlogFiles:
    """Return the files of all blogs among `plugins`."""
    folders, entries = list[str](), list[str]()
    for plugin in plugins.values():
        if _is_active(plugin) and set(plugin.config) >= _BLOG_OPTIONS:
            folders += folders_of_blog(plugin.config)
            entries.append(posixpath.normpath(f"{plugin.config['blog_dir']}/index.md"))
    return BlogFiles(tuple(dict.fromkeys(folders)), tuple(dict.fromkeys(entries)))


class GitExclusions:
    """Pages that the plugins which read git's history skip during one build.

    A generated page has no history: git-authors warns of it, which stops a strict build,
    git-committers asks another host for it, and others show the time of the build as its date.
    Their option `exclude` is a list of patterns of `fnmatch`. It is changed in place, because
    git-committers keeps the list, and changed back, because git-revision-date-localized compares
    its options with those of the last build.

    Args:
        plugins: the site's plugins by name.
        uris: the pages.
    """

    def __init__(self, plugins: Mapping[str, Any], uris: Iterable[str]) -> None:
        self._lists = [
            plugin.config["exclude"]
            for name, plugin in plugins.items()
            if name.startswith("git-")
            and _is_active(plugin)
            and isinstance(plugin.config.get("exclude"), list)
        ]
        self._own = [list(patterns) for patterns in self._lists]
        added = [glob.escape(uri) for uri in uris] if self._lists else []
        for patterns in self._lists:
            patterns.extend(added)

    def undo(self) -> None:
        """Set the lists to what they were."""
        for patterns, own_patterns in zip(self._lists, self._own, strict=True):
            patterns[:] = own_patterns


def _is_active(plugin: Any) -> bool:
    """Return True for a plugin of this site that is not switched off."""
    options = getattr(plugin, "config", None)
    return isinstance(options, Mapping) and bool(options.get("enabled", True))


def skipped_by_blogging(plugins: Iterable[str]) -> Mapping[str, object]:
    """Return the metadata of a page that mkdocs-blogging-plugin leaves out of its blog.

    It is empty if that is not among `plugins`.
    """
    return {"exclude_from_blog": True} if "blogging" in plugins else {}
