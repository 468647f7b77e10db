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
    "its other attributes",
    "its metadata",
    "what plugins add to its context",
    "its title, its addresses or the pages beside it",
    "the options that its template gets",
    "its table of contents",
)
"""The names of the inputs of a page's template, in the order of :attr:`Written.facts`."""
NEW = "no earlier build has it in the cache"


def changed_parts(last: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Return the names of the parts that differ, in order, with those that are gone."""
    return [name for name in {**now, **last} if last.get(name) != now.get(name)]


def changed_facts(names: Sequence[str], last: Sequence[str], now: Sequence[str]) -> list[str]:
    """Return the names of the digests that differ; all if there were others."""
    if len(last) != len(now):
        return ["what its plugins declare"]
    return [name for name, one, other in zip(names, last, now, strict=True) if one != other]


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
