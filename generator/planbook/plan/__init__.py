"""Plans: Markdown <-> :class:`~planbook.model.Plan`.

Read ``forms`` first: the words that introduce a plan's lines, a row for each form. Then ``parse``,
which calls the others in this order::

    markdown.plan_blocks   Markdown to blocks
    parts                  the blocks of each PART: ``part_names`` says where it begins, by a table
                           of the forms of a name, and ``part_ends`` where it ends
    state                  its state, from its status line and its marks
    body                   its contents, block by block: ``steps``, ``lead_ins``, ``tables``.
                           ``lines`` has a reader for each form of a line, and ``fields`` sets
                           what labels give. ``contents`` is what was read so far, ``outline`` the
                           sections of the page in it
    lint                   the Problems of the plan; ``misspelled`` those of lines that nearly have
                           a form, by the letters that ``spelling`` compares: of PARTs in
                           ``misspelled_parts``, others in ``misspelled_lines``, and budgets in
                           ``misspelled_budgets``

Pieces of a line are read by ``labels`` (its label, by the table of forms), ``timestamps``,
``paths``, ``queries``, ``base_searches``, ``quotations`` and ``numerals`` (``4``, ``IV``,
``Four``). ``mark`` changes one line of a plan, and ``as_json`` has the values as `planbook show`
prints them.
"""
