"""From documents to evidence: passages per point, ranked.

::

    document ─ blocks ─> SourceBlocks ─ passages ─> Excerpts ─ rank ─> Evidence for each section
                                        junk                   acceptance
    Brief, Evidence ─ dossier ─ brief, printed_works ─> text for whoever writes

Read `rank` first, whose :func:`~planbook.research.evidence.rank.find_evidence` goes the first way
as a whole; then `passages` for what an excerpt is, and `acceptance` for when one is an answer.
`markdown_blocks`, `html_blocks`, `rst_blocks` and `plain_blocks` read the blocks of a text;
`pieces` divides a block into what `quote_sizes` lets a quote have.
`subject` has the sources that are about a page's subject, `source_list` makes the works of the
documents. `origins` records what a page was made from, and `shown` what the holder of a PART's
lease was shown; `listed_sections` has the sections of works to choose from, and `work_scores` which
works come first.
"""
