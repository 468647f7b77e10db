"""The files for coding agents: a skill, a command, the description of a runner, a hook and the entry of the MCP server.

::

    description + texts/ ─> hosts ─> files and entries ─┬─> install: written into a project or a home folder
                                                        └─> plugin: the folder plugins/planbook of our repository

One description serves all hosts. A host decides only where a text lies, and in which form.
"""
