"""Plans, pages and drops as one :class:`Library`, and what does not fit together among them. Pure."""

from generator.library.entries import COUNTED, RESERVED, Entry, Library, natural_order
from generator.library.linking import cite, link, link_files, link_tree
from generator.library.targets import page_uri

__all__ = [
    "COUNTED",
    "RESERVED",
    "Entry",
    "Library",
    "cite",
    "link",
    "link_files",
    "link_tree",
    "natural_order",
    "page_uri",
]
