"""Knowledge pages and drops: Markdown <-> :class:`~generator.model.Page` and :class:`~generator.model.Drop`.

``parse`` reads a page's front matter, title and size; ``drop`` reads a KNOWLEDGE-DROP file; ``mend`` makes Markdown
that GitHub shows well show the same under Python-Markdown.
"""
