"""The only package that parses Markdown.

Read ``document`` first: the syntax tree of a text, its links, headings and code. ``front_matter``
reads what is above, ``extensions`` and ``dialects`` know the syntax of others, and ``lists`` and
``normalize`` make Python-Markdown render as GitHub does. ``github`` renders by CommonMark's rules.
``escape`` and ``safe_markdown`` write text of others into Markdown. ``words``, ``plain_text`` and
``budgets`` read lines.
"""
