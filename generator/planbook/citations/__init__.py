"""Citations: works and the places that cite them, in front matter, text and lists of sources.

Read ``references`` first: what a page cites, from its front matter and its text. Then ``in_text``
for a citation, and ``quotes`` for exact words.

Front matter::

    reference_fields  checks references: ``field_values`` their values by ``csl_variables``,
                      ``custom_fields`` our own; ``value_lines`` has the lines of defects
    dates, rich_text  read what CSL allows in a field
    identifiers       addresses in one form, and the ids derived from them
    work_metadata     titles of works, and the days on which they were read
    pins              the files of repositories that a reference records
    completion        completes references of which only id and quotes were given
    additions         writes references into a page, in place
    added_quotes      adds quotes to references, in place

The text::

    in_text           finds ``[@rye, p. 3]``
    citation_checks   compares these citations with the references
    citation_links    shows them as numbers, for the site and its script
    mentions          finds works that a text names without such a citation
    source_lists      finds the lists of sources at its end; ``source_entries`` reads them
    addresses         finds the addresses in a line
    wording           the English of lists and mentions
    grounds           what each sentence rests on

Sources::

    quotes            locates exact words in a source, and links to them
    working_tree_quotes  quotes of files of the base's own repository
    repository_files  files of public repositories, and their addresses
    report            the report of `planbook verify`
    earlier_quotes    quotes that an earlier run found, wherever they are cited now
"""
