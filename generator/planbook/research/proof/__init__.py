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

`planbook audit`, for a report by anyone::

    audited_folder    reads the reports of a folder, and goes through the steps below
    report_sentences  the sentences of a report
    no_statement      its rows, items and titles that say nothing of what they name
    callouts          its callouts, notes and sections on mistakes, which are nobody's quotations
    cited_claims      its claims, with what they cite
    claim_comparison  compares them with their sources: begin here for a verdict
    claim_quotes      quotes that no source has word for word: absent, inexact or open
    claim_figures     figures and names that the sources have otherwise, or would have
    no_figures        numbers that are none: days, places of works, names of files
    beside_quotes     figures, short quotes and names beside a quote that is there
    swapped_sources   claims that are in another source of the page
    source_states     how each source was read
    read_source       the text of a source, prepared for that
    absent_figures    figures and names of a claim that no source has
    listed_counts     how many rows, items and headings a source has
    moved_names       names of programs that are defined in other lines than those cited
    findings          the results, their counts, and their form in JSON
    audit_page        the results as a page
    local_citations   citations of files beside the report
    local_files       these files
    saved_captures    pages of the web that are saved there
    bibliographies    those of them in BibTeX and CSL JSON
    own_clone         files of the repository that the folder is in

What both compare a sentence by::

    sentences         its quotes in a source, and the numbers and names that they lack
    quantities        numbers with their units
    changed_figures   figures that a source has otherwise
    opposites         sentences that say the opposite of their quotes, for the judge
    contradictions    defaults, values and names where the quotes have others
    near_wording      the words of a source that are nearest to a quote that it lacks
    wording_gaps      what a quote has instead of words of its source
    exchanged_options an option in code where the quotes have another one
    languages         the language of a text
    placeholders      paths and addresses of templates
    phrases           the English of sentences that refer to something
"""
