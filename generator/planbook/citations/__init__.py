"""Citations: works and the places that cite them, in front matter, text and lists of sources.

Read ``references`` first: what a page cites, from its front matter (``fields`` checks it, ``dates``
and ``identifiers`` read values) and its text (``mentions``, ``source_lists``). ``in_text`` finds
``[@rye, p. 3]``, ``citation_checks`` compares it with the references, ``citation_links`` shows it.
``quotes`` locates exact words in a source, ``additions`` and ``completion`` write front matter.
"""
