"""Why pages are read, rendered and built again, or reused: what a verbose build says of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

MOST_NAMES = 6
"""The number of names in a reason; the others are counted."""
FACTS = (
    "its template",
    "its HTML",
    "its file",
    "what a plugin changes after on_env",
    "its attributes",
    "its metadata",
    "what plugins add to its context",
    "its place in the site",
    "the options that its template gets",
    "its table of contents",
)
"""The names of the inputs of a page's template, in the order of
:attr:`WrittenFile.facts`.

Its place in the site is its title, its addresses and the pages before and after it; its attributes
are all others of MkDocs' `Page` and `File`."""
LEVELS = "the level of messages, such as by `--quiet`"
"""The name of an input of all pages: what was logged is logged again only at the same level."""
NEW = "no earlier build has it in the cache"
SAME = "nothing that its template can read has changed"
CACHED = "its template is taken from the cache"
NOT_CACHED = "its template is not in the cache"
NO_FILE = "its file in the site is missing, or was changed"
NO_HTML = "no earlier build has the HTML of this Markdown with these extensions"


def changed_parts(last: Mapping[str, str], current: Mapping[str, str]) -> list[str]:
    """Return the names of the parts that differ, in order, with those that are gone."""
    return [name for name in {**current, **last} if last.get(name) != current.get(name)]


def changed_facts(names: Sequence[str], last: Sequence[str], current: Sequence[str]) -> list[str]:
    """Return the names of the digests that differ; all if there were others."""
    if len(last) != len(current):
        return ["what its plugins declare"]
    return [name for name, old, new in zip(names, last, current, strict=True) if old != new]


def changed(names: Iterable[str]) -> str:
    """Return a reason that names what has changed."""
    named = [*names]
    more = f" and {len(named) - MOST_NAMES} more" if len(named) > MOST_NAMES else ""
    return f"changed: {', '.join(named[:MOST_NAMES])}{more}" if named else ""


def undeclared(plugin: str, event: str) -> str:
    """Return the reason that is a plugin or a hook which declares nothing.

    It says nothing of what its event reads or changes.
    """
    return f"the plugin {plugin!r} in on_{event} declares nothing of what it reads or changes"
