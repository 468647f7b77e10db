"""A work, mentioned on a line: what reading passes on to gathering."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Mention:
    """A work, mentioned on a line."""

    line: int
    url: str | None
    title: str
    accessed: str | None = None
    group_date: str | None = None
    """The access date of the group or section that it stands in."""
    group: str = ""
    """What the label or heading above its entry says."""
    is_cited: bool = True
    """Whether it makes the work a source; a plain link to a source is a mention too."""
    is_listed: bool = False
    """Whether an entry of a Sources section names it: its title is the better one."""
    is_sure: bool = False
    """Whether that is a section of sources, rather than one of ``Papers`` or ``Further reading``."""
    number: str | None = None
    """Of its entry, where the entries are numbered: ``[1]`` in the text means it."""
