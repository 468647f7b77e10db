"""Plans, pages and drops as one :class:`Library`, and inconsistencies between them. Pure functions."""

from generator.library.entries import COUNTED, RESERVED, Entry, Library, natural_order
from generator.library.linking import link, link_tree
from generator.library.targets import page_uri

__all__ = [
    "COUNTED",
    "RESERVED",
    "Entry",
    "Library",
    "link",
    "link_tree",
    "natural_order",
    "page_uri",
]
