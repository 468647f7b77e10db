"""Checks of plans and pages; one registry, fixes, report formats.

Read ``registry`` first: the tables of all rules, by their codes, and how they run. ``project`` has
what a rule sees, ``pages``, ``research``, ``notes``, ``own_quotes`` and ``accepted`` the rules
themselves, ``credentials`` the keys that no file may hold, ``ungrounded`` the sentences that name
no source. `planbook.problems` names every code.
"""
