"""Plans, pages and drops as one :class:`Library`, the links between them, and inconsistencies.

Read ``linked`` first: the Library, its entries, and its projections; ``projections`` has the kinds
of pages that these have. ``linking`` makes the Library from a project's files: ``pages``, ``drops``
and ``links`` read them, and ``planned_entries`` has the pages that plans name. ``names`` has the
rules for paths and titles, ``top_pages`` the pages that every site has, ``conflicts`` compares
what plans claim with what is there, and ``acceptances`` pages with what was accepted. All functions
are pure.
"""

from planbook.library.linked import COUNTED_STATES as COUNTED_STATES
from planbook.library.linked import CountedEntry as CountedEntry
from planbook.library.linked import CountedLibrary as CountedLibrary
from planbook.library.linked import Entry as Entry
from planbook.library.linked import EntryOf as EntryOf
from planbook.library.linked import Library as Library
from planbook.library.linked import LibraryOf as LibraryOf
from planbook.library.linked import LibraryWithProblems as LibraryWithProblems
from planbook.library.linked import LinkedLibrary as LinkedLibrary
from planbook.library.linked import ListedEntry as ListedEntry
from planbook.library.linked import ListedLibrary as ListedLibrary
from planbook.library.linked import group_by as group_by
from planbook.library.linking import link_tree as link_tree
from planbook.library.projections import WORDS_A_MINUTE as WORDS_A_MINUTE
from planbook.library.projections import CountedPage as CountedPage
from planbook.library.projections import ListedPage as ListedPage
from planbook.library.projections import NamedPage as NamedPage
from planbook.library.top_pages import GRAPH as GRAPH
from planbook.library.top_pages import INDEX as INDEX
from planbook.library.top_pages import MESSAGES as MESSAGES
from planbook.library.top_pages import OVERVIEW as OVERVIEW
from planbook.library.top_pages import PROGRESS as PROGRESS
from planbook.library.top_pages import RESERVED_URIS as RESERVED_URIS
from planbook.library.top_pages import SOURCES as SOURCES
from planbook.library.top_pages import TAGS as TAGS
from planbook.library.top_pages import TOP_PAGES as TOP_PAGES
