"""Checks of plans and pages; one registry, fixes, report formats.

Read ``registry`` first: the tables of all rules, by their codes, and how they run. ``project`` has
what a rule sees. The rules are in ``pages``, ``links``, ``sources``, ``research``, ``notes``,
``working_tree_quotes`` and ``accepted``.
``credentials`` has the keys that no file may hold, ``ungrounded`` the sentences that name
no source. `planbook.problems` names every code.
"""
