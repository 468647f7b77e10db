"""Plans, pages and drops as one :class:`Library`, and inconsistencies between them. Pure functions."""

from generator.library.entries import COUNTED, RESERVED, Entry, Library, natural_order, page_uri
from generator.library.linking import link, link_tree

__all__ = ["COUNTED", "RESERVED", "Entry", "Library", "link", "link_tree", "natural_order", "page_uri"]
