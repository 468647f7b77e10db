"""Plans: Markdown <-> :class:`~generator.model.Plan`.

``blocks`` (Markdown to lines with a kind) -> ``parts`` (where each PART stands) -> ``status`` and ``body`` (what a
PART says) -> ``parse`` (the whole plan) -> ``lint`` (what is wrong with it); ``mark`` changes one line of a plan.
"""
