"""Search for documents that may answer the queries of a PART.

The path of a query::

    Query ─> chain ─> provider ─> Call ─> ask ─> Reply ─> Hits ─> chain ──> Candidates
             order    pure                client          pure    ranking   one per work

Read `chain` first. `options` has the table of all providers. Addresses that a plan names need no
query (`chain`), and a folder of documents needs no network (`index` searches, `documents` reads). A
provider does not raise for a host's failures: no results, blocked and rate limited are separate
outcomes.
"""
