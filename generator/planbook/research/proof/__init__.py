"""Proof: what a page claims against what its sources say. Start with `verify`, then `sentences`.

`planbook verify`, for the quotes of pages::

    verify            compares the quotes of a reference with the text of its source
    source_reader     reads the sources of pages and of reports, and keeps the results
    refresh           finds quotes whose sources have changed

The rules for drafts, for a page that somebody has just written::

    draft_rules       the table of all rules, which begins below the rules themselves
    parsed_draft      a draft, parsed once for all of them
    ground_rules      what each sentence says that it rests on
    cited_texts       sentences, items and rows, each with the citations that hold for it
    quoting_blocks    block quotes and code, compared with the quotes that they cite
    differences       where a line of code differs from its quote
    inventions        options, variables and figures that no source has
    page_references   numbers of the page's own sections, steps, tables and rows

What these and `research.audit` compare a sentence by::

    sentences         its quotes in a source, and the numbers and names that they lack
    quantities        numbers with their units
    opposites         sentences that say the opposite of their quotes, for the judge
    contradictions    defaults, values and names where the quotes have others
    exchanged_options an option in code where the quotes have another one
    phrases           the English of sentences that refer to something
"""
