"""Search for documents that may answer the queries of a PART.

The path of a query::

    Query ─> chain ─> provider ─> Call ─> ask ─> Reply ─> Hits ─> ranking ─> Candidates
             order    pure                client          pure    one per work

`catalogue` is the table of all providers. Addresses that a plan names need no query (`named`), and a folder of
documents needs no network (`local`). A provider never raises for what hosts do: no results, blocked and rate limited
are three outcomes.
"""
