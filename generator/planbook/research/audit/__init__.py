"""`planbook audit`: what a report by anyone claims, against what its sources say.

Read `audited_folder` first, then `comparison.claim_comparison`, which reaches the verdicts::

    report ─ claims ─> claims, with what they cite ─┐
    file beside it ─ local_sources ─┐               ├─ comparison ─> findings ─> audit_page
    page of the web ────────────────┴─> source ─────┘

    audited_folder  reads the reports of a folder, and goes through these steps
    findings        the results, their counts, and their form in JSON
    unchecked       why claims are not checked, and how many for each reason
    audit_page      the results as a page

A report is not ours: it has no exact quotes, and cites as its author likes. The rules for pages of
the base are in `research.proof`, of which these packages use the comparison of one sentence with
one text.
"""
