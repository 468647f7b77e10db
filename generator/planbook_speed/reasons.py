"""Why pages are read, rendered and built again, or reused: what a verbose build says of each.

Read :class:`Reason` first, which lists them all. The package's documentation says which function
decides for each of them, and in which order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum

MAX_NAMES = 6
"""The number of names in a reason; the others are counted."""
START_CHARACTERS = 8
"""The length of the start of a digest that tells, in a verbose build, what has changed."""
ALL_PAGES = "all pages"
"""Stands in place of a page in a verbose build that says what has changed for each of them."""
LEVELS = "the level of messages, such as by `--quiet`"
"""The name of an input of all pages: what was logged is logged again only at the same level."""


class Reason(Enum):
    """All reasons; a test builds a site for each of them."""

    # ... for one page to be read, rendered or built again
    CHANGED = "changed: {}"
    NEW = "no earlier build has it in the cache"
    # ... for one page to be read again
    OTHER_KIND = "a plugin has made it another kind of page than MkDocs does"
    NO_DIGEST = "what the plugin {!r} reads for it cannot be compared"
    NO_SOURCE = "its file cannot be read"
    NOT_KEPT = "the last build could not keep it: {}"
    HTML_IS_GONE = "its HTML is not in the cache any more"
    # ... for all pages to be read again
    NOT_CACHED = "pages are not cached: {}"
    UNDECLARED = "the plugin {!r} in on_{} declares nothing of what it reads or changes"
    OTHER_RELEASE = "{} has another {}"
    # ... for one page to be rendered again
    NO_HTML = "no earlier build has kept the HTML of this Markdown with these extensions"
    UNCLEAR_OPTIONS = "a plugin has set an option of an extension that cannot be compared"
    # ... for one page to be built again
    UNCLEAR = "{}, which cannot be compared"
    NO_RECORD = "the last build kept no record of its file: {}"
    NO_FILE = "its file in the site is missing, or was changed"
    TEMPLATE_IS_CACHED = "its template is taken from the cache"
    NO_TEMPLATE_CACHED = "its template is not in the cache"
    # ... for all pages to be built again
    MAY_CHANGE_OTHERS = "{} may change other pages"
    # ... to be reused
    SAME = "nothing that its template can read has changed"

    def of(self, *parts: str) -> str:
        """Return the sentence, with the parts that it names."""
        return self.value.format(*parts)


class NotKept(Enum):
    """Causes for which a build keeps nothing of a page that it has read."""

    UNCLEAR = "something that it is read from could not be compared"
    NO_TEXT = "its text is empty"
    OTHER_TEXT = "a plugin changes its text after those that declare what they read"
    NO_HTML = "it has no HTML"
    WARNING = "Python warned while it was rendered"
    MORE_SET = "its rendering set other attributes of the page than usual"
    MORE_READ = "its rendering asked for other files than those that it links to"
    LINKS_DROPPED = "its links to headings are not known"
    EXTENDED_CONTENTS = "a plugin has extended its table of contents"
    CHARACTERS = "its headings have characters that cannot be stored"
    METADATA = "a value of its metadata cannot be stored"


class NotRecorded(Enum):
    """Causes for which a build leaves no record of a page's file in the site."""

    UNCLEAR = "something that its template can read could not be compared"
    ALL_UNCLEAR = "the templates of all pages could read something that cannot be compared"
    MESSAGE = "a message was logged while it was built, which is logged again only then"
    CHANGED = "the file was changed after it was built"
    FOREIGN = "another program has written the file"


def changed_names(previous: Mapping[str, object], current: Mapping[str, object]) -> list[str]:
    """Return the names of the values that differ, in order, with those that are gone."""
    return [name for name in {**current, **previous} if previous.get(name) != current.get(name)]


def describe_changed_inputs(names: Iterable[str]) -> str:
    """Return a reason that names what has changed."""
    shown_names = [*names]
    more = f" and {len(shown_names) - MAX_NAMES} more" if len(shown_names) > MAX_NAMES else ""
    return Reason.CHANGED.of(f"{', '.join(shown_names[:MAX_NAMES])}{more}") if shown_names else ""


def describe_undeclared(plugin: str, event: str) -> str:
    """Return the reason that is a plugin or a hook which declares nothing.

    It says nothing of what its event reads or changes.
    """
    return Reason.UNDECLARED.of(plugin, event)
