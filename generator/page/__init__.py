"""Knowledge pages and drops: Markdown <-> :class:`~generator.model.Page` and :class:`~generator.model.Drop`.

``parse`` reads a page's front matter, title and size, and KNOWLEDGE-DROP files; ``links`` finds the pages that a page
links to; ``render`` writes a file; ``terms`` compares texts by their words.
"""
