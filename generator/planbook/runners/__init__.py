"""The files for coding agents: a skill, a command, a subagent, a hook, and the MCP server's entry.

::

    description + texts/ ─> hosts ─> files, entries ─┬─> install: into a project or a home folder
                                                     └─> agent_plugin: plugins/planbook/

Read ``hosts`` first: one description serves all hosts, and a host decides only where a text lies,
and in which form. ``install`` edits the settings of others by ``json_text`` and ``toml_text``;
``ended`` reads what a host reports when a subagent ends.
"""
