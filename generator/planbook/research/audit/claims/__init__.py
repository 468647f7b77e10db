"""The claims of a report, and what it cites for them: read `report_sentences`, then `cited_claims`.

::

    report_sentences  the sentences of a report
    no_statement      its rows, items and titles that say nothing of what they name
    callouts          its callouts, notes and sections on mistakes, which are nobody's quotations
    cited_claims      its claims, with what they cite
    local_citations   citations of files beside the report
    placeholders      paths and addresses of templates, which cite nothing
"""
