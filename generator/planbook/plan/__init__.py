"""Plans: Markdown <-> :class:`~planbook.model.Plan`.

Read ``labels`` first: the words that introduce a plan's lines, a row for each form.

``markdown.plan_blocks`` (Markdown to blocks) -> ``parts`` (location of each PART) -> ``status`` and
``body`` (contents of a PART) -> ``parse`` (the whole plan) -> ``lint`` (its Problems); ``mark``
changes one line of a plan, and ``as_json`` shows the values as `planbook show` prints them.
"""
