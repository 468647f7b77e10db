"""Citations: works and the places that cite them, in front matter, text and lists of sources.

Read ``references`` first: what a page cites, from its front matter and its text. ``fields`` checks
front matter; ``dates``, ``identifiers`` and ``pins`` read its values. ``mentions`` and
``source_lists`` find works in the text, by ``addresses`` and by the forms in ``wording``.
``in_text`` finds ``[@rye, p. 3]``, ``citation_checks`` compares it with the references,
``citation_links`` shows it. ``quotes`` locates exact words in a source; ``additions`` and
``completion`` write front matter.
"""
