"""Search: who may know where a PART's answers stand.

The way of a query::

    Query ─> chain ─> provider ─> Call ─> ask ─> Reply ─> Hits ─> ranking ─> Candidates
             order    one a host  pure    the client     pure    one a work

What the plan itself names needs no query (`named`), and a folder of documents needs no network (`local`). A provider
never raises for what hosts do: that there is nothing, that it is blocked and that it is rate limited are three
outcomes.
"""
