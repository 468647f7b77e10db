"""Proof: what a page claims against what its sources say. Start with `verify`.

::

    verify            compares the quotes of pages with their sources
    refresh           finds quotes whose sources have changed
    sources           reads the sources of pages, and keeps the report

    draft_rules       the rules that a page must follow to be accepted
    ground_rules      those for what each sentence rests on
    sentences         what a sentence says beyond its quotes

    cited_claims      the claims of any report; `report_sentences` reads its sentences
    claim_comparison  compares them with their sources, as the audit does
    findings          the results, their counts, and their form in JSON
"""
