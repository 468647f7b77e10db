"""Search for documents that may answer the queries of a PART.

The path of a query::

    Query ─> chain ─> provider ─> Call ─> ask ─> Reply ─> Hits ─> chain ──> Candidates
             order    pure                client          pure    ranking   one per work

Read `chain` first, then `provider` for what each has to do. `catalogue` has the table of all
providers, and `api_answers` reads what an API returns. Addresses that a plan names need no query
(`chain`). A folder of documents needs no network: `full_text_index` searches, `document_folder`
reads, `addressed` finds one by its address. Nor do local mirrors, which `repositories` searches.

A provider does not raise for a host's failures: no results, blocked and rate limited are separate
outcomes.
"""
