"""The server of `planbook mcp`, which lets agents read a base, and write its pages.

Read ``server`` first: which tools a server has, and how it is reached. ``reading_tools`` and
``writing_tools`` are what a client sees: names, docstrings and types of parameters become the
protocol's schemas. ``tools`` has what they share, ``bases`` finds the base that a call is about,
``reader`` holds its files for answers, and ``serve`` is the command line.

Nothing is imported here: ``serve`` starts without the packages of the extra `mcp`.
"""
